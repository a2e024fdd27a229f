"""Curves beside scikit-learn's, Fawcett's averaging, and where thresholds stand."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics
from sklearn.metrics import confusion_matrix

from bayescmp import curves
from bayescmp.errors import InputError
from tests.rows import each_row


@pytest.fixture
def fold():
    rng = np.random.default_rng(3)
    y = rng.permutation(np.arange(60) < 25).astype(int)
    return y, np.round(rng.normal(size=60) + y, 1)


def test_roc_points_are_scikit_learns(fold):
    """roc_curve(y, score, drop_intermediate=False), scikit-learn 1.9.1."""
    fpr, tpr, thresholds = metrics.roc_curve(*fold, drop_intermediate=False)
    x, y, actual = curves.roc_curves(*fold).points()
    np.testing.assert_allclose(x, fpr, atol=1e-15)
    np.testing.assert_allclose(y, tpr, atol=1e-15)
    np.testing.assert_array_equal(actual, thresholds)


def test_pr_points_are_scikit_learns(fold):
    precision, recall, thresholds = metrics.precision_recall_curve(*fold)
    x, y, actual = curves.pr_curves(*fold).points()
    np.testing.assert_allclose(x[1:], recall[-2::-1], atol=1e-15)
    np.testing.assert_allclose(y[1:], precision[-2::-1], atol=1e-15)
    np.testing.assert_array_equal(actual[1:], thresholds[::-1])


def test_ties_are_one_step():
    """Fawcett 2006, figure 6: all tied is the diagonal, not a staircase."""
    x, y, _ = curves.roc_curves([1, 1, 0, 0], [0.5] * 4).points()
    np.testing.assert_array_equal(x, [0, 1])
    np.testing.assert_array_equal(y, [0, 1])


def test_a_fold_that_is_not_there():
    with pytest.raises(InputError, match="fold must be 0 to 0"):
        curves.roc_curves([1, 0], [0.5, 0.1]).points(1)


def test_padding_leaves_no_points():
    ys, scores = [[0, 1, 1, 0, 1], [1, 0]], [[1, 2, 2, 3, 4], [1, 2]]
    x, y, threshold = curves.roc_curves(ys, scores).points(1)
    np.testing.assert_array_equal(threshold, [np.inf, 2, 1])
    np.testing.assert_array_equal(x, [0, 1, 1])
    np.testing.assert_array_equal(y, [0, 0, 1])


def test_vertical_average_by_hand():
    """A step up at 0, of which Fawcett's algorithm takes the top, and the diagonal."""
    ys, scores = [[1, 0], [1, 0]], [[2, 1], [1, 1]]
    average = curves.roc_curves(ys, scores).average(grid=5)
    np.testing.assert_allclose(average.mean, [0.5, 0.625, 0.75, 0.875, 1.0])
    np.testing.assert_allclose(average.low, 0.025 * 1 + 0.975 * np.linspace(0, 1, 5))


def test_average_agrees_with_numpys_interpolation():
    """np.interp on the distinct points, between abscissas that no point has."""
    rng = np.random.default_rng(8)
    y = rng.permuted(np.tile(np.arange(40) < 17, (6, 1)), axis=1)
    result = curves.roc_curves(y, np.round(rng.normal(size=y.shape) + y, 1))
    average = result.average(grid=98)  # 97 and 23 have no common divisor: only the ends coincide
    expected = [np.interp(average.x[1:], *result.points(i)[:2]) for i in range(6)]
    np.testing.assert_allclose(average.mean[1:], np.mean(expected, axis=0), atol=1e-12)


def test_band_of_the_mean_is_the_corrected_t_interval():
    rng = np.random.default_rng(9)
    y = rng.permuted(np.tile(np.arange(50) < 20, (10, 1)), axis=1)
    result = curves.roc_curves(y, rng.normal(size=y.shape) + y)
    plain, corrected = result.average(grid=11, rho=0.0), result.average(grid=11, rho=0.1)
    heights = np.array([result.heights(i, plain.x)[3] for i in range(10)])
    low, high = stats.ttest_1samp(heights, 0).confidence_interval(0.95)
    assert plain.low[3] == pytest.approx(low, abs=1e-12)
    assert plain.high[3] == pytest.approx(min(high, 1), abs=1e-12)
    ratio = (corrected.mean - corrected.low)[3] / (plain.mean - plain.low)[3]
    assert ratio == pytest.approx(np.sqrt(10 * (1 / 10 + 0.1 / 0.9)))


def test_average_pr_starts_at_the_first_precision():
    """A negative on top: precision starts at 0; a positive on top: at 1."""
    ys, scores = [[0, 1, 1], [1, 0, 1]], [[3, 2, 1], [3, 2, 1]]
    average = curves.pr_curves(ys, scores).average(grid=3)
    np.testing.assert_allclose(average.mean, [0.5, (1 / 2 + 1) / 2, (2 / 3 + 2 / 3) / 2])


def test_average_pr_at_the_recalls_there_are():
    """0.7 of 10 positives is 7 of them, though linspace's 0.7 is a little more."""
    y = np.array([1] * 7 + [0] * 50 + [1] * 3)
    score = -np.arange(60.0)
    result = curves.pr_curves(y, score).average()
    assert result.x[70] > 0.7
    assert result.mean[70] == 1.0
    assert result.mean[80] == pytest.approx(8 / 58)  # after the 50 false ones


@each_row("total", [3, 10, 49])
def test_average_at_grid_points_is_the_curve_there(total):
    """Both kinds at every k/total, the sides swapped for ROC; precision by its definition."""
    rng = np.random.default_rng(total)
    y = rng.permuted(np.arange(100) < total).astype(int)
    score = rng.normal(size=100) + y
    order = np.argsort(-score)
    hits = np.cumsum(y[order])
    first = np.searchsorted(hits, np.arange(1, total + 1))  # where the k-th positive is found
    result = curves.pr_curves(y, score).average(grid=total + 1)
    np.testing.assert_allclose(result.mean[1:], np.arange(1, total + 1) / (first + 1))
    missed = np.cumsum(1 - y[order])
    last = np.searchsorted(missed, np.arange(101 - total), side="right") - 1
    tpr = np.where(last >= 0, hits[last], 0) / total
    result = curves.roc_curves(y, score).average(grid=101 - total)
    np.testing.assert_allclose(result.mean, tpr, atol=1e-12)


def test_point_at_a_threshold_is_that_of_the_confusion_table(fold):
    y, score = fold
    for threshold in (-1.0, 0.3, 0.5, 9.0):  # 0.3 is a score: it is not over itself
        tn, fp, fn, tp = metrics.confusion_matrix(y, score > threshold).ravel()
        x, height = curves.roc_curves(y, score).at(threshold)[0]
        assert (x, height) == (fp / (fp + tn), tp / (tp + fn))
        recall, precision = curves.pr_curves(y, score).at(threshold)[0]
        assert recall == tp / (tp + fn)
        if tp + fp:
            assert precision == tp / (tp + fp)
        else:
            assert np.isnan(precision)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"grid": 1}, "grid"), ({"level": 95}, "level"), ({"rho": 1.0}, "rho")],
)
def test_bad_average(fold, options, message):
    with pytest.raises(InputError, match=message):
        curves.roc_curves(*fold).average(**options)


def test_one_fold_has_no_interval(fold):
    with pytest.raises(InputError, match="rho must be left out for a single fold,"):
        curves.roc_curves(*fold).average(rho=0.1)


def test_one_class(fold):
    with pytest.raises(InputError, match="no negative"):
        curves.roc_curves([1, 1], [1, 2])
    np.testing.assert_array_equal(curves.pr_curves([1, 1], [1, 2]).area, [1.0])
    with pytest.raises(InputError, match="no positive"):
        curves.pr_curves([0, 0], [1, 2])


def test_areas_of_curves_are_those_of_the_functions(fold):
    assert curves.roc_curves(*fold).area[0] == curves.auc(*fold)
    assert curves.pr_curves(*fold).area[0] == curves.auc_pr(*fold)
    assert "6 roc curves" in str(curves.roc_curves(fold[0], [fold[1]] * 6).average())


@pytest.fixture
def folds():
    rng = np.random.default_rng(2)
    ys = [rng.permutation(np.arange(n) < n // 3).astype(int) for n in (30, 45, 12)]
    return ys, [np.round(rng.random(len(y)), 2) for y in ys]


def test_counts_are_scikit_learns(folds):
    sweep = curves.threshold_sweep(*folds)
    np.testing.assert_allclose(sweep.thresholds, np.linspace(0, 1, 21), atol=1e-15)
    for i, (y, p) in enumerate(zip(*folds, strict=True)):
        for k, theta in enumerate(sweep.thresholds):
            tn, fp, fn, tp = confusion_matrix(y, p > theta, labels=[0, 1]).ravel()
            np.testing.assert_array_equal(sweep.counts[i, k], [tp, fn, fp, tn])
            assert sweep.error[i, k] == pytest.approx(np.mean((p > theta) != y))


def test_thresholds_of_losses():
    """Aslan 2009, eq. 2.10 to 2.12."""
    actual = curves.threshold_of_loss([0.5, 1, 2])
    np.testing.assert_allclose(actual, [1 / 3, 1 / 2, 2 / 3])
    np.testing.assert_array_equal(curves.threshold_of_loss([0, np.inf]), [0, 1])


def test_a_case_at_its_threshold_costs_the_same_either_way():
    """θ = λ/(1+λ) is where λ·P(negative) equals P(positive): eq. 2.5."""
    for loss in (0.2, 1.0, 7.0):
        theta = curves.threshold_of_loss(loss)
        assert loss * (1 - theta) == pytest.approx(theta)


def test_risk_is_the_loss_up_to_its_scale(folds):
    sweep = curves.threshold_sweep(*folds, losses=[0.5, 1, 4])
    np.testing.assert_allclose(sweep.losses, [0.5, 1, 4])
    size = sweep.counts.sum(axis=-1)
    loss = (sweep.losses * sweep.fp + sweep.fn) / size
    np.testing.assert_allclose(sweep.risk, loss / (1 + sweep.losses))
    np.testing.assert_allclose(2 * sweep.risk[:, 1], sweep.error[:, 1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"thresholds": [0.5], "losses": [1]}, "thresholds must be left out with losses,"),
        (
            {"losses": [[1, 2]]},
            r"losses must be an array of shape \(T,\), one ratio per threshold .*\(1, 2\)\)",
        ),
        ({"thresholds": "a"}, "thresholds must be numbers from 0 to 1"),
    ],
)
def test_bad_thresholds(folds, options, message):
    with pytest.raises(InputError, match=message):
        curves.threshold_sweep(*folds, **options)


def test_scores_that_are_no_probabilities():
    with pytest.raises(InputError, match=r"probability must be .* \(got 1\.5 in fold 1\)"):
        curves.threshold_sweep([[0, 1], [0, 1, 1]], [[0.1, 0.2], [0.3, 1.5, 0.2]])
