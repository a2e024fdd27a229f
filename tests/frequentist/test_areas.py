"""Paired t tests of areas: scikit-learn's areas, SciPy's t test, the correction for overlap."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import auc as sk_auc
from sklearn.metrics import precision_recall_curve, roc_auc_score

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.curves import auc
from bayescmp.errors import InputError
from bayescmp.frequentist.areas import area_tests, area_tests_of_scores, auc_pr_test, auc_test
from tests.rows import each_row


def predictions(seed=0, folds=10, n=80, shift=(0.8, 1.3)):
    """Labels and two algorithms' probabilities."""
    rng = np.random.default_rng(seed)
    y = rng.permuted(np.tile(np.arange(n) < n // 3, (folds, 1)), axis=1).astype(int)
    noise = rng.normal(size=(2, folds, n))
    first, second = (
        1 / (1 + np.exp(-(z + s * (2 * y - 1)))) for z, s in zip(noise, shift, strict=True)
    )
    return y, np.round(first, 2), np.round(second, 2)


def test_auc_test_is_the_paired_t_test_on_scikit_learns_areas():
    y, a, b = predictions()
    area = np.array([[roc_auc_score(t, s) for t, s in zip(y, x, strict=True)] for x in (a, b)])
    expected = stats.ttest_rel(area[1], area[0])
    result = auc_test(y, a, b)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-10)
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-8)
    assert result.df == 9
    assert result.estimate > 0  # the second has the larger shift


def test_corrected_widens_by_nadeau_and_bengios_factor():
    y, a, b = predictions(1)
    plain, corrected = auc_test(y, a, b), auc_test(y, a, b, rho=0.1)
    factor = np.sqrt((1 / 10 + 0.1 / 0.9) / (1 / 10))
    assert plain.statistic / corrected.statistic == pytest.approx(factor)


def test_auc_pr_test_by_trapezoid_is_that_on_scikit_learns_curves():
    y, a, b = predictions(2)

    def area(t, s):
        precision, recall, _ = precision_recall_curve(t, s)
        precision[-1] = precision[-2]  # scikit-learn puts a precision of 1 there
        return sk_auc(recall, precision)

    x = [area(t, q) - area(t, p) for t, p, q in zip(y, a, b, strict=True)]
    expected = stats.ttest_1samp(x, 0)
    assert auc_pr_test(y, a, b, method="trapezoid").pvalue == pytest.approx(
        expected.pvalue, rel=1e-8
    )


SIDES = {"two-sided": "two.sided", "less": "less"}


@each_row("side", SIDES)
@each_row("data", ["roc60", "roc12"])
def test_as_in_proc(tr, data, side):
    """pROC 1.18.0, roc.test(b, a, method = "delong", paired = TRUE, alternative), with ties."""
    y, a, b = (tr[f"{data}_{part}"] for part in "yab")
    result = f.delong(y, a, b, alternative=side)
    assert [result.statistic, result.pvalue] == pytest.approx(tr[f"{data}_{SIDES[side]}"])
    assert result.estimate == pytest.approx(auc(y, b) - auc(y, a))


def test_interval_as_in_proc(tr):
    """pROC 1.18.0, ci.auc(method = "delong", conf.level): low, area, high."""
    for data in ["roc60", "roc12"]:
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
    assert "the estimated variance is 0" in same.notes[1]
    for side in ("two-sided", "less", "greater"):
        worst = f.delong(y, perfect, perfect[::-1], alternative=side)
        assert np.isnan([worst.statistic, worst.pvalue]).all()
        assert worst.to_dict()["pvalue"] is None
        assert "no p-value" in str(worst)
        assert "neither rejected nor retained" in worst.explain("paper")
        with pytest.raises(InputError, match="no confidence interval"):
            worst.confidence_interval()
    assert np.isnan(f.delong(y, perfect).pvalue)


@each_row(
    ("arguments", "message"),
    [
        (([0, 1, 1, 0], [1, 2, 3]), "as long as y in fold 0 .*3 scores and 4 labels"),
        (
            ([[0, 0, 1, 1], [0, 1, 1]], [[1, 2, 3, 4], [1, 2, 3]]),
            "fold 1 of y must have at least 2 negative cases for delong",
        ),
        (([0, 0, 1, 1], [1, 2, 3, 4], [[1, 2, 3, 4]] * 2), "second must have the same items"),
        (([0, 0, 1, 1], [1, 2, 3, np.nan]), r"first must be finite numbers \(got nan in fold 0\)"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(InputError, match=message):
        f.delong(*arguments)
    with pytest.raises(InputError, match="alternative"):
        f.delong([0, 0, 1, 1], [1, 2, 3, 4], alternative="larger")
    with pytest.raises(InputError, match="items must have one for each score"):
        f.delong([0, 0, 1, 1], [1, 2, 3, 4], items=[1, 2, 3])


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


def test_four_cases():
    """Aslan 2009, sec. 3.3: errors and areas are different questions."""
    for case in [1, 2, 4]:
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
        for name, v in (("nb", direct.first), ("tree", direct.second))
        for k in range(10)
    ]
    frame = pd.DataFrame(rows).rename(columns={"auc": "roc_auc"})
    scores = bc.Scores(frame)
    result = area_tests_of_scores(scores, "nb", "tree", metrics={"auc": "roc_auc"})
    for metric, test in direct.corrected.items():
        assert result.corrected[metric].statistic == pytest.approx(test.statistic)
    np.testing.assert_allclose(result.second["auc"], direct.second["auc"])
    both = bc.Scores(pd.concat([frame, frame.assign(dataset="e")]))
    with pytest.raises(
        InputError, match=r"dataset must be given for several data sets\. The table has 2\."
    ):
        area_tests_of_scores(both, "nb", "tree", metrics={"auc": "roc_auc"})
    with pytest.raises(InputError, match="'auc_pr'"):
        area_tests_of_scores(scores, "nb", "tree", metrics={"aucpr": "auc_pr"})


def test_area_tests_bad_input():
    y, a, b = predictions()
    with pytest.raises(InputError, match=r"metric must be .*\(got 'error'\)"):
        area_tests(y, a, b).case("error")
    with pytest.raises(
        InputError, match="corrected must be False without rho, the correlation of folds"
    ):
        area_tests(y, a, b).case("auc", corrected=True)
    for threshold in (np.nan, "half"):
        with pytest.raises(InputError, match="threshold must be"):
            area_tests(y, a, b, threshold=threshold)
    with pytest.raises(InputError, match="alpha must be"):
        area_tests(y, a, b, alpha=5)
    y[3] = 1
    with pytest.raises(InputError, match=r"fold 3, .*no negative"):
        auc_test(y, a, b)
    with pytest.raises(InputError, match="at least 2"):
        auc_test(y[0], a[0], b[0])


def test_one_area_answers_for_its_algorithm():
    result = f.delong([0] * 5 + [1] * 5, [1, 2, 3, 4, 8, 5, 6, 7, 9, 10], names=("svm", "knn"))
    assert result.answer().startswith("svm: significant at 0.05")
    assert "all together" not in str(result) + result.explain("paper").lower()
