"""The test of all algorithms at once: by ranks, of folds, of items, of runs that do not pair."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import frequentist
from bayescmp.crosscheck import crosscheck

QUIET = {"seed": 1, "progress": False}


def one(values, metric="accuracy", resampling="5-fold"):
    """A table of one data set; values of shape (n, 3)."""
    wide = dict(zip("abc", np.asarray(values, dtype=float).T.tolist(), strict=True))
    return bc.Scores.read(wide, metric=metric, resampling=resampling)


def test_ranks_over_data_sets(wide):
    result = crosscheck(wide, "accuracy", 0.01, **QUIET).omnibus["accuracy"]
    own = frequentist.iman_davenport(wide.means())
    assert result.pvalue == own.pvalue
    assert result.effect.measure == "Kendall's W"


def test_folds_are_blocks():
    """F divided by 1 + nρ/(1-ρ) (Nadeau & Bengio), of the sums of squares by hand."""
    x = np.random.default_rng(3).uniform(0.6, 0.9, (5, 3)).round(3)
    result = crosscheck(one(x), "accuracy", 0.01, **QUIET).omnibus["accuracy"]
    left = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
    f = 5 * np.sum((x.mean(axis=0) - x.mean()) ** 2) / 2 / (np.sum(left**2) / 8)
    f /= 1 + 5 * 0.2 / 0.8
    assert (result.statistic, result.df) == (pytest.approx(f), (2, 8))
    assert result.pvalue == pytest.approx(stats.f.sf(f, 2, 8))
    assert result.effect.measure == "partial η²"


def test_items():
    """Cochran's Q is Friedman's test of right and wrong answers (SciPy)."""
    right = np.random.default_rng(4).uniform(size=(40, 3)) < (0.6, 0.7, 0.9)
    scores = one(right, resampling="independent")
    result = crosscheck(scores, "accuracy", 0.05, **QUIET)
    test = result.omnibus["accuracy"]
    expected = stats.friedmanchisquare(*right.astype(int).T)
    assert (test.statistic, test.pvalue) == pytest.approx((expected.statistic, expected.pvalue))
    assert test.names == ("a", "b", "c")
    rows = result.frame.query("scope == 'items'")
    for row in rows.itertuples():
        a, b = (right[:, "abc".index(name)] for name in (row.first, row.second))
        won, lost = int(np.sum(b & ~a)), int(np.sum(a & ~b))
        assert row.pvalue == pytest.approx(stats.binomtest(won, won + lost).pvalue)
        assert row.favours == {1: "second", 0: "", -1: "first"}[int(np.sign(won - lost))]


@pytest.mark.parametrize("resampling", ["5-fold", "random splits 0.5"])
def test_overlapping_folds_are_no_items(resampling):
    """Right and wrong only by chance: folds that overlap are not independent items."""
    right = np.random.default_rng(4).uniform(size=(5, 3)) < 0.5
    with_folds = crosscheck(one(right, resampling=resampling), "accuracy", 0.05, **QUIET)
    assert "items" not in set(with_folds.frame["scope"])


def test_runs_that_do_not_pair():
    x = np.random.default_rng(5).normal((200, 210, 230), 12, (9, 3)).round(1)
    scores = one(x, metric="reward", resampling="seeds")
    scores = bc.Scores(scores.frame, higher_is_better=["reward"], resampling="seeds")
    result = crosscheck(scores, "reward", 5, paired=False, **QUIET)
    test, expected = result.omnibus["reward"], stats.kruskal(*x.T)
    assert (test.statistic, test.pvalue) == pytest.approx((expected.statistic, expected.pvalue))
    assert test.names == ("a", "b", "c")


def test_none_where_an_algorithm_lacks_a_data_set(wide):
    frame = wide.frame
    gap = (frame["dataset"] == frame["dataset"].iloc[0]) & (frame["algorithm"] == "knn")
    with pytest.warns(bc.DiagnosticWarning, match="could not be compared"):
        result = crosscheck(bc.Scores(frame[~gap]), "accuracy", 0.01, **QUIET)
    assert result.omnibus == {}
