"""DeLong's test and interval: pROC, the definition, symmetries, degenerate and bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescmp.frequentist as f
from bayescmp.curves import auc
from bayescmp.errors import InputError

SIDES = {"two-sided": "two.sided", "less": "less", "greater": "greater"}


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("data", ["roc60", "roc12"])
def test_as_in_proc(tr, data, side):
    """pROC 1.18.0, roc.test(b, a, method = "delong", paired = TRUE, alternative), with ties."""
    y, a, b = (tr[f"{data}_{part}"] for part in "yab")
    result = f.delong(y, a, b, alternative=side)
    assert [result.statistic, result.pvalue] == pytest.approx(tr[f"{data}_{SIDES[side]}"])
    assert result.estimate == pytest.approx(auc(y, b) - auc(y, a))


@pytest.mark.parametrize("data", ["roc60", "roc12"])
def test_interval_as_in_proc(tr, data):
    """pROC 1.18.0, ci.auc(method = "delong", conf.level): low, area, high."""
    y = tr[f"{data}_y"]
    for part, level in (("a", 0.95), ("b", 0.9)):
        result = f.delong(y, tr[f"{data}_{part}"])
        low, high = result.confidence_interval(level)
        assert [low, result.estimate, high] == pytest.approx(tr[f"{data}_ci_{part}"])


def test_variance_by_the_definition():
    """DeLong et al. 1988, eq. 4-6: placements of every case, pair by pair."""
    rng = np.random.default_rng(2)
    y = np.array([0] * 9 + [1] * 7)
    scores = rng.integers(0, 6, size=(2, 16)).astype(float)
    kernel = [
        (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0]) for s in scores
    ]
    covariance = np.cov([k.mean(axis=1) for k in kernel]) / 7
    covariance = covariance + np.cov([k.mean(axis=0) for k in kernel]) / 9
    expected = np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    assert f.delong(y, *scores).standard_error == pytest.approx(expected)


def test_over_folds_as_in_proc(tr):
    """pROC 1.18.0: var(roc) and cov(roc, roc) of each fold, which are independent."""
    y, a, b = (tr[f"rocfolds_{part}"].reshape(3, 15) for part in "yab")
    result = f.delong(y, a, b)
    actual = [result.estimate, result.standard_error, result.pvalue]
    assert actual == pytest.approx(tr["rocfolds_test"])
    assert result.n == 45
    numbered = f.delong(list(y), list(a), list(b), items=np.arange(45).reshape(3, 15))
    assert numbered.pvalue == pytest.approx(result.pvalue)


def test_of_seeds_on_one_test_set_as_in_proc(tr):
    """pROC 1.18.0: var(roc) and cov(roc, roc) of all six columns of scores."""
    y, scores = tr["rocseeds_y"], tr["rocseeds_scores"].reshape(20, 6).T
    result = f.delong(y, scores[:3], scores[3:], names=("a", "b"))
    assert [result.estimate, result.standard_error] == pytest.approx(tr["rocseeds_test"])
    assert (result.n, result.names) == (20, ("a", "b"))
    mixed = np.random.default_rng(1).permuted(np.tile(np.arange(20), (3, 1)), axis=1)
    own = [np.take_along_axis(s, mixed, axis=1) for s in (scores[:3], scores[3:])]
    again = f.delong(y[mixed], *own, items=mixed)
    assert again.standard_error == pytest.approx(result.standard_error)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_symmetries(seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation([0] * 12 + [1] * 10)
    a, b = rng.normal(size=(2, 22)) + y
    one, other = f.delong(y, a, b), f.delong(y, b, a)
    assert one.statistic == pytest.approx(-other.statistic)
    assert f.delong(y, np.exp(a), 3 * b + 1).statistic == pytest.approx(one.statistic)
    turned = f.delong(1 - y, -a, -b)
    assert turned.statistic == pytest.approx(one.statistic)
    low, high = one.confidence_interval(0.9)
    assert (low > 0 or high < 0) == (one.pvalue < 0.1)


def test_without_variance():
    y, perfect = [0, 0, 1, 1], [1, 2, 3, 4]
    same = f.delong(y, perfect, perfect)
    assert (same.statistic, same.pvalue) == (0, 1)
    assert "the estimated variance is 0" in same.notes
    worst = f.delong(y, perfect, perfect[::-1])
    assert (worst.statistic, worst.pvalue) == (-np.inf, 0)
    assert f.delong(y, perfect, perfect[::-1], alternative="greater").pvalue == 1
    assert f.delong(y, perfect).confidence_interval() == (1, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1, 1, 0], [1, 2, 3]), "y has 4 labels and score has 3"),
        (([0, 1, 1], [1, 2, 3]), "1 negative cases; delong needs at least 2"),
        (([[0, 0, 1, 1], [0, 1, 1]], [[1, 2, 3, 4], [1, 2, 3]]), "fold 1 of y has 1 negative"),
        (([0, 0, 1, 1], [1, 2, 3, 4], [[1, 2, 3, 4]] * 2), "folds of unlike sizes"),
        (([0, 0, 1, 1], [1, 2, 3, np.nan]), "score is nan"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(InputError, match=message):
        f.delong(*arguments)
    with pytest.raises(InputError, match="alternative"):
        f.delong([0, 0, 1, 1], [1, 2, 3, 4], alternative="larger")
    with pytest.raises(InputError, match="items does not fit the scores"):
        f.delong([0, 0, 1, 1], [1, 2, 3, 4], items=[1, 2, 3])
