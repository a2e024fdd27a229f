"""Labels, counts and areas of folds, against scikit-learn, pairs and published numbers."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from sklearn import config_context, metrics

from bayescmp import curves
from bayescmp.curves import auc_interval
from bayescmp.curves.curves import Counts, as_folds, auc_given_errors, count_cases, pr_area
from bayescmp.errors import InputError
from tests.rows import each_row


def test_shorter_folds_are_padded_with_what_no_threshold_reaches():
    folds = as_folds([[0, 1, 1], [1, 0]], [[0.1, 0.9, 0.4], [0.2, 0.7]])
    assert folds.score[1].tolist() == [0.2, 0.7, -np.inf]
    assert folds.real.sum(axis=1).tolist() == folds.size.tolist() == [3, 2]
    assert not folds.positive[1, 2]
    assert not folds.single


def test_one_vector_of_labels_serves_all_folds():
    folds = as_folds([1, 0], [[0.3, 0.1], [0.2, 0.8]])
    assert folds.positive.tolist() == [[True, False], [True, False]]


def test_counts_by_hand():
    """Scores .9 (+), .8 (-), .8 (+), .1 (-): the tie at .8 is one step."""
    result = count_cases(as_folds([1, 0, 1, 0], [0.9, 0.8, 0.8, 0.1]))
    assert result.tp.tolist() == [[0, 1, 2, 2, 2]]
    assert result.fp.tolist() == [[0, 0, 1, 1, 2]]
    assert result.threshold[0, 0] == np.inf
    assert (result.positives[0], result.negatives[0]) == (2, 2)


@each_row(
    ("y", "score", "message"),
    [
        ([0, 1, 2], [0.1, 0.2, 0.3], r"positive must be given\. It is one of the"),
        (["a", "b"], [0.1, 0.2], r"positive must be given\. It is one of the"),
        ([0, 1], [0.1, np.nan], r"score must be finite numbers \(got nan in fold 0\)"),
        (
            [[0, 1], [0, 1]],
            [[0.1, 0.2], [0.1]],
            r"must be as long as y in fold 1.*got 1 score and 2 labels\)",
        ),
        ([], [], "score must have at least one case"),
        ([[0, 1], []], [[0.1, 0.2], []], r"score\[1\] must have at least one case"),
    ],
)
def test_bad_folds(y, score, message):
    with pytest.raises(InputError, match=message):
        as_folds(y, score)


METHODS = ("davis-goadrich", "trapezoid")


def folds_with_ties(count, seed=0):
    """Ragged folds of 5 to 120 cases, scores rounded so that many are equal."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(5, 121))
        y = rng.permutation(np.arange(n) < rng.integers(1, n)).astype(int)
        yield y, np.round(rng.normal(size=n) + 0.7 * y, int(rng.integers(0, 4)))


@pytest.mark.slow
def test_auc_is_scikit_learns_on_a_thousand_folds_with_ties():
    """scikit-learn 1.9.1, roc_auc_score(y, score)."""
    ys, scores = zip(*folds_with_ties(1000), strict=True)
    with config_context(skip_parameter_validation=True, assume_finite=True):  # twice as fast
        expected = [metrics.roc_auc_score(y, s) for y, s in zip(ys, scores, strict=True)]
    np.testing.assert_allclose(curves.auc(ys, scores), expected, rtol=0, atol=1e-12)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=2, max_size=25).filter(
        lambda cases: len({y for y, _ in cases}) == 2
    )
)
def test_auc_counts_pairs(cases):
    """The Wilcoxon statistic by its definition; turned about by labels and by scores."""
    y, score = np.array([c[0] for c in cases]), np.array([float(c[1]) for c in cases])
    pairs = np.sign(score[y][:, None] - score[~y][None, :])
    area = curves.auc(y, score)
    assert area == pytest.approx(np.mean((pairs + 1) / 2), abs=1e-14)
    assert curves.auc(~y, score) == pytest.approx(1 - area, abs=1e-14)
    assert curves.auc(y, -score) == pytest.approx(1 - area, abs=1e-14)
    assert curves.auc(y, np.exp(score)) == pytest.approx(area, abs=1e-14)


def test_auc_is_mann_whitneys_u():
    y, score = next(folds_with_ties(1, seed=4))
    u = stats.mannwhitneyu(score[y == 1], score[y == 0]).statistic
    assert curves.auc(y, score) == pytest.approx(u / (y.sum() * (1 - y).sum()), abs=1e-14)


def test_trapezoid_pr_is_scikit_learns_with_the_first_precision_kept():
    """scikit-learn puts (0, 1) before the first point; here the first precision goes on to 0."""
    for y, score in folds_with_ties(100, seed=1):
        precision, recall, _ = metrics.precision_recall_curve(y, score)
        precision[-1] = precision[-2]
        expected = metrics.auc(recall, precision)
        assert curves.auc_pr(y, score, method="trapezoid") == pytest.approx(expected, abs=1e-12)


def test_interpolation_of_davis_and_goadrich():
    """Their section 4: from (tp, fp) = (5, 5) to (10, 30) with 20 positives.

    Precision at recall .25, .3, ..., .5 is printed as .500, .375, .318, .286, .265, .250.
    """
    counts = Counts(
        tp=np.array([[0, 5, 10, 20]]),
        fp=np.array([[0, 5, 30, 2000]]),
        threshold=np.array([[np.inf, 3.0, 2.0, 1.0]]),
        size=np.array([3]),
    )
    average = curves.PrCurves(counts).average(grid=21)
    np.testing.assert_allclose(average.x[5:11], [0.25, 0.3, 0.35, 0.4, 0.45, 0.5])
    printed = [0.5, 0.375, 0.318, 0.286, 0.265, 0.25]
    np.testing.assert_allclose(average.mean[5:11], printed, atol=0.0005)

    def precision(recall):
        if recall <= 0.25:
            return 0.5
        low, high = ((5, 5), (10, 30)) if recall <= 0.5 else ((10, 30), (20, 2000))
        tp = 20 * recall
        fp = low[1] + (high[1] - low[1]) / (high[0] - low[0]) * (tp - low[0])
        return tp / (tp + fp)

    expected = sum(quad(precision, a, b)[0] for a, b in ((0, 0.25), (0.25, 0.5), (0.5, 1)))
    assert pr_area(counts, "davis-goadrich")[0] == pytest.approx(expected, abs=1e-9)


def test_davis_goadrich_is_the_limit_of_small_steps():
    for y, score in folds_with_ties(30, seed=2):
        grid = curves.pr_curves(y, score).average(grid=40_001)
        expected = np.mean((grid.mean[1:] + grid.mean[:-1]) / 2)
        assert curves.auc_pr(y, score) == pytest.approx(expected, abs=2e-4)


def test_lines_between_far_points_are_too_optimistic():
    """Every third score tied, as in Davis and Goadrich's figure 6."""
    rng = np.random.default_rng(5)
    y = (rng.random(2000) < 0.02).astype(int)
    score = np.round(rng.normal(size=2000) + y)
    assert curves.auc_pr(y, score, method="trapezoid") > curves.auc_pr(y, score) + 0.01


@each_row("method", METHODS)
@each_row(
    ("y", "score", "area"),
    [([0, 1, 1], [0.1, 0.6, 0.9], 1.0), ([1, 0, 0, 1], [1, 1, 1, 1], 0.5), ([1, 1], [2, 3], 1.0)],
)
def test_auc_pr_of_simple_cases(method, y, score, area):
    """Perfect; all tied (the share of positives); positives only."""
    assert curves.auc_pr(y, score, method=method) == pytest.approx(area, abs=1e-14)


def test_folds_of_equal_and_differing_size_agree():
    rng = np.random.default_rng(6)
    y = rng.permuted(np.tile(np.arange(30) < 11, (7, 1)), axis=1)
    score = np.round(rng.normal(size=y.shape) + y, 1)
    for function in (curves.auc, curves.auc_pr):
        together = function(y, score)
        alone = [function(a, b) for a, b in zip(y, score, strict=True)]
        np.testing.assert_array_equal(together, alone)
        short = function([*y, y[0, :20]], [*score, score[0, :20]])
        np.testing.assert_allclose(short[:7], together, rtol=0, atol=1e-14)
        assert short[7] == pytest.approx(function(y[0, :20], score[0, :20]), abs=1e-14)


def test_one_test_set_for_all_folds():
    """The thesis's layout: k classifiers on one test set."""
    y = [0, 1, 0, 1]
    np.testing.assert_array_equal(curves.auc(y, [[1, 2, 3, 4], [4, 3, 2, 1]]), [0.75, 0.25])


def test_a_class_missing_in_a_fold():
    y, score = [[0, 1, 1], [1, 1, 1], [0, 0, 0]], np.arange(9.0).reshape(3, 3)
    with pytest.raises(InputError, match=r"fold 2, must have both classes .*no positive case"):
        curves.auc(y, score)
    with pytest.raises(InputError, match=r"fold 1, .*no negative case"):
        curves.auc(y[:2], score[:2])
    np.testing.assert_array_equal(curves.auc(y, score, undefined="nan"), [1.0, np.nan, np.nan])
    np.testing.assert_array_equal(curves.auc_pr(y, score, undefined="nan"), [1.0, 1.0, np.nan])


@each_row(
    ("y", "score", "options", "message"),
    [
        ([0, 1], [0.2, np.nan], {}, r"score must be finite numbers \(got nan in fold 0\)"),
        (
            [[0, 1], [0, 1]],
            [[0.1, 0.2], [0.1, np.inf]],
            {},
            r"score must be finite numbers \(got inf in fold 1\)",
        ),
        ([0, 1, 1], [0.1, 0.2], {}, "2 scores and 3 labels"),
        ([[0, 1], [0, 1]], [[0.1, 0.2]], {}, r"as many folds as y.*got 1 and 2\)"),
        (["a", "b"], [0.1, 0.2], {}, r"positive must be given\. It is one of the labels 'a', 'b'"),
        (
            ["a", "b"],
            [0.1, 0.2],
            {"positive": "c"},
            "positive must be one of the labels, 'a', 'b'",
        ),
        (
            ["a", "b", "c"],
            [0.1, 0.2, 0.3],
            {"positive": "c"},
            r"y must have two classes \(got 3\)",
        ),
        ([0.0, np.nan], [0.1, 0.2], {}, "missing labels"),
        (np.array(["a", None], dtype=object), [0.1, 0.2], {"positive": "a"}, "missing or mixed"),
        ([0, 1], ["x", "y"], {}, "must be numbers"),
        ([], [], {}, "score must have at least one case"),
        ([0, 1], [0.1, 0.2], {"undefined": "zero"}, r"undefined must be"),
        ([[0, 1]], [[[0.1, 0.9], [0.4, 0.6]]], {}, "column of the positive class"),
    ],
)
def test_bad_input(y, score, options, message):
    with pytest.raises(InputError, match=message):
        curves.auc(y, score, **options)


def test_unknown_method():
    with pytest.raises(InputError, match=r"method must be .*\(got 'trapez'\)\. .*'trapezoid'"):
        curves.auc_pr([0, 1], [0.1, 0.2], method="trapez")


def test_named_labels():
    """Strings and any two labels, with the positive one named."""
    y, score = np.array(["no", "yes", "no", "yes"]), [0.1, 0.4, 0.35, 0.8]
    assert curves.auc(y, score, positive="yes") == 1.0
    assert curves.auc(y, score, positive="no") == 0.0
    assert curves.auc([-1, 1, -1, 1], score) == 1.0
    assert curves.auc([1, 2, 1, 2], score, positive=2) == 1.0


def test_hanley_mcneil_standard_error_is_that_of_exponential_scores():
    """The model behind the formula, simulated: 40,000 samples, error of a sd 0.35%."""
    rng = np.random.default_rng(1)
    m, n, b = 8, 12, 3.0
    positive, negative = (
        b * rng.exponential(size=(40_000, m, 1)),
        rng.exponential(size=(40_000, 1, n)),
    )
    areas = np.mean(positive > negative, axis=(1, 2))
    result = auc_interval(b / (1 + b), m, n)
    assert result.standard_error == pytest.approx(areas.std(), rel=0.015)
    assert areas.mean() == pytest.approx(result.auc, abs=0.003)


def test_hanley_mcneil_interval_is_normal():
    result = auc_interval(0.8, 51, 58)
    assert result.high - result.low == pytest.approx(
        2 * 1.959964 * result.standard_error, rel=1e-6
    )
    assert auc_interval(1.0, 10, 10).standard_error == 0


def every_ranking(m, n):
    """Errors and area of each order of m positives and n negatives with each cut."""
    for positions in combinations(range(m + n), m):
        labels = np.zeros(m + n, dtype=int)
        labels[list(positions)] = 1
        area = sum(np.sum(labels[i + 1 :] == 0) for i in positions) / (m * n)
        for cut in range(m + n + 1):
            yield int(np.sum(labels[:cut] == 0) + np.sum(labels[cut:] == 1)), area


@each_row(("m", "n"), [(3, 4), (4, 2), (1, 5)])
def test_cortes_mohri_moments_by_enumeration(m, n):
    areas: dict[int, list[float]] = {}
    for errors, area in every_ranking(m, n):
        areas.setdefault(errors, []).append(area)
    for errors, actual in areas.items():
        mean, variance = auc_given_errors(errors, m, n)
        assert mean == pytest.approx(np.mean(actual), abs=1e-12)
        assert variance == pytest.approx(np.var(actual), abs=1e-12)


@each_row(("m", "n", "k"), [(30, 20, 7), (100, 400, 60), (5, 5, 5)])
def test_cortes_mohri_mean_is_their_closed_form(m, n, k):
    """Theorem 1, for at most min(m, n) errors."""
    total = m + n
    below = sum(comb(total, x) for x in range(k)) / sum(comb(total + 1, x) for x in range(k + 1))
    expected = 1 - k / total - (n - m) ** 2 * (total + 1) / (4 * m * n) * (k / total - below)
    assert auc_given_errors(k, m, n)[0] == pytest.approx(expected, abs=1e-10)


def test_cortes_mohri_covers_all_rankings_of_an_error_count():
    result = auc_interval(0.9, 30, 20, method="cortes-mohri", errors=7)
    mean, variance = auc_given_errors(7, 30, 20)
    assert result.low < mean - variance**0.5 / (1 - 0.95**0.5) ** 0.5
    assert result.high == 1.0
    narrow = auc_interval(0.9, 3000, 2000, method="cortes-mohri", errors=700)
    assert narrow.high - narrow.low < result.high - result.low


def test_agarwal():
    """ε = √(log(2/δ)/(2ρ(1-ρ)N)), ρ the share of positives: corollary 2 in its own notation."""
    result = auc_interval(0.8, 120, 480, method="agarwal", level=0.9)
    epsilon = np.sqrt(np.log(2 / 0.1) / (2 * 0.2 * 0.8 * 600))
    assert (result.low, result.high) == pytest.approx((0.8 - epsilon, 0.8 + epsilon))


@each_row(
    ("arguments", "options", "message"),
    [
        ((1.2, 5, 5), {}, "auc must be"),
        (("a", 5, 5), {}, "auc must be"),
        ((0.8, 0, 5), {}, "n_pos must be"),
        ((0.8, np.inf, 5), {}, "n_pos must be"),
        ((0.8, "5", 5), {}, "n_pos must be"),
        ((0.8, 5, 5), {"method": "cortes-mohri", "errors": "2"}, "errors must be"),
        ((0.8, 5, 2.5), {}, "n_neg must be"),
        ((0.8, 20, 1e300), {}, r"n_neg must be a whole number from 1 to"),
        ((0.8, True, 5), {}, "n_pos must be"),
        ((True, 5, 5), {}, "auc must be"),
        ((0.8, 5, 5), {"level": 95}, "level"),
        ((0.8, 5, 5), {"method": "hanley"}, "hanley-mcneil"),
        ((0.8, 5, 5), {"method": "cortes-mohri"}, "errors must be given with"),
        ((0.8, 5, 5), {"method": "cortes-mohri", "errors": 11}, "from 0 to 10"),
    ],
)
def test_intervals_bad_input(arguments, options, message):
    with pytest.raises(InputError, match=message):
        auc_interval(*arguments, **options)


def test_text():
    assert str(auc_interval(0.8, 50, 50)).startswith("AUC 0.8000, 95% interval 0.7")


def test_an_interval_without_width_says_why():
    result = auc_interval(1.0, 20, 30)
    assert (result.low, result.high) == (1.0, 1.0)
    assert "variance is 0 at an area of 0 or 1" in str(result)
    assert auc_interval(0.99, 20, 30).note == ""
