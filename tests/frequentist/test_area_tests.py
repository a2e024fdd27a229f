"""AUC, AUC-PR and error tests: SciPy's t test on scikit-learn's areas, and the four cases."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.errors import InputError
from bayescmp.frequentist.area_tests import area_tests, area_tests_of_scores
from bayescmp.frequentist.areas import auc_test


def predictions(seed=0, folds=10, n=80, shift=(0.8, 1.3)):
    """Labels and two algorithms' probabilities."""
    rng = np.random.default_rng(seed)
    y = rng.permuted(np.tile(np.arange(n) < n // 3, (folds, 1)), axis=1).astype(int)
    noise = rng.normal(size=(2, folds, n))
    first, second = (
        1 / (1 + np.exp(-(z + s * (2 * y - 1)))) for z, s in zip(noise, shift, strict=True)
    )
    return y, np.round(first, 2), np.round(second, 2)


def test_error_test():
    y, a, b = predictions(3)
    result = area_tests(y, a, b, rho=0.1)
    error = [np.mean((p > 0.5) != y, axis=1) for p in (a, b)]
    np.testing.assert_allclose(result.first["error"], error[0])
    expected = stats.ttest_rel(error[0], error[1])  # positive: the second errs less
    assert result.plain["error"].statistic == pytest.approx(expected.statistic)


def test_swapping_the_algorithms_turns_the_signs():
    y, a, b = predictions(4)
    one, other = area_tests(y, a, b, rho=0.1), area_tests(y, b, a, rho=0.1)
    for tests, turned in ((one.plain, other.plain), (one.corrected, other.corrected)):
        for metric in tests:
            assert tests[metric].statistic == pytest.approx(-turned[metric].statistic)
            assert tests[metric].pvalue == pytest.approx(turned[metric].pvalue)
    assert one.case("auc") == other.case("auc")


def four_cases():
    """Data in which the error test and the AUC test agree or not, by construction."""
    rng = np.random.default_rng(7)
    y, p, _ = predictions(7, folds=20, n=100)
    same = np.clip(p + rng.normal(scale=0.002, size=p.shape), 0, 1)
    far = np.where(p > 0.5, 1 + p, p) / 2  # the same side of the threshold for all cases ...
    shuffled = np.where(p > 0.5, rng.uniform(0.51, 1, p.shape), rng.uniform(0, 0.49, p.shape))
    moved = p**4  # the same order, but fewer over the threshold
    better = np.clip(p + 0.4 * (2 * y - 1), 0, 1)
    return y, p, {1: same, 2: shuffled, 3: moved, 4: better}, far


@pytest.mark.parametrize("case", [1, 2, 3, 4])
def test_four_cases(case):
    """Aslan 2009, sec. 3.3: errors and areas are different questions."""
    y, p, others, far = four_cases()
    result = area_tests(y, p, others[case], rho=0.05)
    rejected = tuple(result.corrected[m].pvalue <= 0.05 for m in ("error", "auc"))
    assert rejected == {1: (0, 0), 2: (0, 1), 3: (1, 0), 4: (1, 1)}[case]
    assert result.case("auc") == case
    assert f"case {case}" in str(result)
    assert area_tests(y, p, far).case("auc") == 1  # a monotone map changes neither


def test_frame_and_decisions():
    result = area_tests(*predictions(5), rho=0.1, names=("nb", "tree"))
    frame = result.frame
    assert frame.loc[("auc", "corrected"), "pvalue"] == result.corrected["auc"].pvalue
    assert list(frame.index.get_level_values("metric").unique()) == ["error", "auc", "auc_pr"]
    assert "nb" in frame.columns
    assert result.case("auc", corrected=False) in (1, 2, 3, 4)
    assert "nb vs tree" in result._repr_html_()


def test_from_a_table_of_scores():
    y, a, b = predictions(6)
    direct = area_tests(y, a, b, rho=0.1, names=("nb", "tree"))
    rows = [
        {"dataset": "d", "algorithm": name, "fold": k + 1, **{m: v[m][k] for m in v}}
        for name, v in (("nb", direct.first), ("tree", direct.second)) for k in range(10)
    ]  # fmt: skip
    frame = pd.DataFrame(rows).rename(columns={"auc": "roc_auc"})
    scores = bc.Scores(frame)
    result = area_tests_of_scores(scores, "nb", "tree", metrics={"auc": "roc_auc"})
    for metric, test in direct.corrected.items():
        assert result.corrected[metric].statistic == pytest.approx(test.statistic)
    np.testing.assert_allclose(result.second["auc"], direct.second["auc"])
    both = bc.Scores(pd.concat([frame, frame.assign(dataset="e")]))
    with pytest.raises(InputError, match="dataset is missing"):
        area_tests_of_scores(both, "nb", "tree", metrics={"auc": "roc_auc"})
    with pytest.raises(InputError, match="'auc_pr'"):
        area_tests_of_scores(scores, "nb", "tree", metrics={"aucpr": "auc_pr"})


def test_bad_input():
    y, a, b = predictions()
    with pytest.raises(InputError, match="unknown metric 'error'"):
        area_tests(y, a, b).case("error")
    with pytest.raises(InputError, match="needs rho"):
        area_tests(y, a, b).case("auc", corrected=True)
    for threshold in (np.nan, "half"):
        with pytest.raises(InputError, match="threshold="):
            area_tests(y, a, b, threshold=threshold)
    with pytest.raises(InputError, match="alpha=5"):
        area_tests(y, a, b, alpha=5)
    y[3] = 1
    with pytest.raises(InputError, match="fold 3 has no negative"):
        auc_test(y, a, b)
    with pytest.raises(InputError, match="at least 2"):
        auc_test(y[0], a[0], b[0])
