"""The multiple sign test: enumeration, the printed critical values, random permutations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import bayescmp.frequentist as f
from bayescmp.errors import InputError


def largest_of(x, control, alternative):
    others = np.delete(x, control, axis=1)
    net = np.sign(others - x[:, [control]]).sum(axis=0)
    sides = {"two-sided": np.abs(net), "greater": net, "less": -net}
    return sides[alternative]


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("ties", [False, True])
def test_by_enumeration(alternative, ties):
    """All permutations of the scores within four data sets."""
    x = np.random.default_rng(3).normal([0, 0.5, 1], size=(4, 3))
    x = np.round(x) if ties else x
    orders = [list(o) for o in itertools.permutations(range(3))]
    null = np.array([
        largest_of(np.array([r[o] for r, o in zip(x, choice, strict=True)]), 1, alternative).max()
        for choice in itertools.product(orders, repeat=4)
    ])  # fmt: skip
    expected = [(null >= c).mean() for c in largest_of(x, 1, alternative)]
    result = f.multiple_sign(x, control=1, alternative=alternative)
    assert result.adjusted == pytest.approx(expected, abs=1e-12)


def test_two_algorithms_would_be_the_sign_test():
    """An algorithm alone with the control: its raw p-value is SciPy's binomial test."""
    x = np.random.default_rng(4).random((11, 3))
    result = f.multiple_sign(x, control=0)
    wins = (x[:, 1:] > x[:, [0]]).sum(axis=0)
    assert result.pvalue == pytest.approx([stats.binomtest(int(w), 11).pvalue for w in wins])
    assert np.all(result.adjusted >= result.pvalue - 1e-12)
    assert result.statistic == pytest.approx(2 * wins - 11)


def test_random_permutations_agree_with_all():
    x = np.random.default_rng(5).random((12, 4))
    exact = f.multiple_sign(x, control=2)
    drawn = f.multiple_sign(x, control=2, method="permutation", seed=1)
    assert "99999 random" in drawn.notes[0]
    error = np.sqrt(exact.adjusted * (1 - exact.adjusted) / 99_999)
    assert np.all(np.abs(drawn.adjusted - exact.adjusted) <= 4 * error + 2e-5)


def test_many_algorithms_are_drawn():
    x = np.random.default_rng(6).random((30, 15))
    assert "random" in f.multiple_sign(x, control=0, resamples=999, seed=1).notes[0]
    with pytest.raises(InputError, match="too many cases"):
        f.multiple_sign(x, control=0, method="exact")


def test_lower_is_better_and_direction():
    x = np.random.default_rng(7).random((10, 3)) * 0.1 + [0, 1, 2]
    result = f.multiple_sign(x, control="A2", alternative="greater")
    assert result.statistic.tolist() == [-10, 10]
    assert result.adjusted[1] < 0.01 < result.adjusted[0]
    turned = f.multiple_sign(x, control="A2", alternative="greater", lower_is_better=True)
    assert turned.statistic.tolist() == [10, -10]
    assert result.order == (2, 1, 0)
