"""The agreement of tests on one metric and on several."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.errors import InputError
from bayescmp.study.procedure import decision_agreement
from bayescmp.study.procedure.agreement import CELLS
from tests.study.procedure.cases import counts_of, exact_sample, frame_of, scores_of

EXAMPLE = Path(__file__).parents[3] / "examples" / "data" / "scores.csv"
CONFUSION = ["tp", "fn", "fp", "tn"]


def pair_with(difference, covariance, n=10):
    """Two algorithms of which the differences of (fp, fn) have exactly these moments."""
    first = exact_sample(n, [10.0, 20.0], np.eye(2), seed=1)
    second = first + exact_sample(n, difference, covariance, seed=2)
    return counts_of(np.array([first, second]), positives=60.0, negatives=60.0)


def expected(difference, covariance, n, c):
    """P-values of the t test on the error and of Hotelling's test, from the moments."""
    d, s = np.asarray(difference, float), np.asarray(covariance, float)
    t2 = d @ np.linalg.solve(s, d) / c
    t = d.sum() / np.sqrt(c * s.sum())
    return 2 * stats.t.sf(abs(t), n - 1), stats.f.sf((n - 2) / (2 * (n - 1)) * t2, 2, n - 2)


# What the two tests of n folds see, for a factor c of the variance of the mean: a difference that
# the error's sum hides, and one along the error, where the second metric only costs power.
HIDDEN = ([1.0, -1.0], [[0.3, 0.1], [0.1, 0.3]])
ALONG = ([0.95, 0.95], [[1.0, 0.0], [0.0, 1.0]])


@pytest.mark.parametrize("corrected", [False, True])
@pytest.mark.parametrize(
    ("case", "cell"), [(HIDDEN, "multivariate only"), (ALONG, "univariate only")]
)
def test_one_test_sees_what_the_other_does_not(case, cell, corrected):
    difference, covariance = case
    n = 10
    c = 1 / n + (1 / 9 if corrected else 0)  # rho = 1/10, rho/(1 - rho) = 1/9
    scale = np.sqrt(c * n)  # so that both have the same statistics
    difference = (
        scale * np.asarray(difference) * 0.55
        if cell == "univariate only"
        else (scale * np.asarray(difference))
    )
    r = decision_agreement(
        scores_of(pair_with(difference, covariance), CONFUSION), corrected=corrected
    )
    assert len(r.decisions) == 1
    row = r.decisions.iloc[0]
    one, several = expected(difference, covariance, n, c)
    assert row["p_univariate"] == pytest.approx(one, rel=1e-7)
    assert row["p_multivariate"] == pytest.approx(several, rel=1e-7)
    assert row["cell"] == cell
    assert len(r.disagreements) == 1
    assert r.rho == pytest.approx([0.1 if corrected else 0.0])


@pytest.fixture(scope="module")
def example():
    return bc.Scores.read(EXAMPLE)


def test_all_four_cells_occur_on_the_example_scores(example):
    """Both tests, corrected and plain, on every pair, data set and repeat."""
    for corrected in (True, False):
        r = decision_agreement(example, corrected=corrected)
        assert len(r.decisions) == 14 * 28 * 10
        counts = r.decisions["cell"].value_counts()
        assert set(counts.index) == set(CELLS)
        assert (counts > 0).all()
        assert r.counts.loc["total", "total"] == 3920
        assert r.percent.loc["total", "total"] == pytest.approx(100)
    f1 = decision_agreement(example, univariate="f1", multivariate=("precision", "recall"))
    assert set(f1.decisions["cell"]) == set(CELLS)


def test_each_decision_beside_scipy(example):
    """On data sets of many items, where no difference is constant."""
    frame = example.frame
    chosen = ["digits_odd", "digits_high"]
    r = decision_agreement(
        example, datasets=chosen, algorithms=["knn", "gbm", "lda", "tree"], corrected=False
    )
    result = r.decisions.set_index(["dataset", "repeat", "first", "second"])
    assert len(result) == 2 * 10 * 6
    tally = pd.DataFrame(0, index=[False, True], columns=[False, True])
    for (dataset, repeat), rows in frame[frame["dataset"].isin(chosen)].groupby(
        ["dataset", "repeat"], sort=False
    ):
        error = (rows["fp"] + rows["fn"]) / (rows[CONFUSION].sum(axis=1))
        tpr, fpr = rows["tp"] / (rows["tp"] + rows["fn"]), rows["fp"] / (rows["fp"] + rows["tn"])
        table = rows.assign(error=error, tpr=tpr, fpr=fpr).sort_values("fold")
        by = dict(list(table.groupby("algorithm")))
        for a, b in combinations(["knn", "gbm", "lda", "tree"], 2):
            delta = by[b][["tpr", "fpr"]].to_numpy() - by[a][["tpr", "fpr"]].to_numpy()
            mean = delta.mean(axis=0)
            t2 = 10 * mean @ np.linalg.solve(np.cov(delta.T), mean)
            p_several = stats.f.sf(8 / 18 * t2, 2, 8)
            t = stats.ttest_rel(by[a]["error"], by[b]["error"])  # lower is better: first - second
            row = result.loc[(dataset, repeat, a, b)]
            assert row["T2"] == pytest.approx(t2, rel=1e-7)
            assert row["p_multivariate"] == pytest.approx(p_several, rel=1e-6)
            assert row["t"] == pytest.approx(t.statistic, rel=1e-7, abs=1e-9)
            assert row["p_univariate"] == pytest.approx(t.pvalue, rel=1e-6, abs=1e-14)
            tally.loc[t.pvalue <= 0.05, p_several <= 0.05] += 1
    counts = r.counts.to_numpy()
    assert np.array_equal(counts[:2, :2], tally.to_numpy())
    assert np.array_equal(counts[2], [*tally.sum(axis=0), 120])
    assert np.array_equal(counts[:, 2], [*tally.sum(axis=1), 120])


def test_all_repeats_together(example):
    r = decision_agreement(example, by="all", datasets=["wine"], algorithms=["knn", "tree"])
    x = bc.scores_blocks(
        example, metrics=["tpr", "fpr"], dataset="wine", algorithms=["knn", "tree"]
    )
    expected = bc.frequentist.hotelling_paired(x)
    assert len(r.decisions) == 1
    assert "repeat" not in r.decisions
    assert r.decisions["p_multivariate"][0] == pytest.approx(expected.pvalue, rel=1e-9)


def test_adjusted_within_a_data_set_and_repeat(example):
    options = {"datasets": ["cancer", "wine"], "algorithms": ["knn", "gbm", "tree"]}
    raw = decision_agreement(example, **options).decisions
    held = decision_agreement(example, adjust="bonferroni", **options).decisions
    for p in ("p_univariate", "p_multivariate"):
        assert held[p].to_numpy() == pytest.approx(np.minimum(3 * raw[p].to_numpy(), 1))


def test_what_the_result_tells(example):
    r = decision_agreement(example, datasets=["digits_high"])
    assert r.disagreements["cell"].isin(["multivariate only", "univariate only"]).all()
    assert len(r.disagreements) == r.counts.iloc[0, 1] + r.counts.iloc[1, 0]
    assert r.by_pair().sum(axis=1).tolist() == [10] * 28
    assert r.by_pair().sum().to_dict() == r.to_dict()["counts"]
    assert "280 comparisons at level 0.05, corrected" in str(r)
    assert "<table" in r._repr_html_()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"univariate": "errors"}, "unknown metric 'errors'.*'error'"),
        ({"multivariate": ("tpr",)}, "multivariate has 1"),
        ({"multivariate": "tpr"}, "multivariate has 1"),
        ({"multivariate": ("tpr", "tpr")}, "'tpr' twice"),
        ({"algorithms": ["A1"]}, "algorithms has 1"),
        ({"datasets": ["e"]}, "unknown data set 'e'"),
        ({"by": "fold"}, "unknown by 'fold'"),
        ({"alpha": 0}, "alpha=0"),
        ({"adjust": "holmes"}, "holm"),
    ],
)
def test_bad_input(options, message):
    scores = scores_of(pair_with(*HIDDEN), CONFUSION)
    with pytest.raises(InputError, match=message):
        decision_agreement(scores, **options)


def test_repeats_of_one_fold():
    frame = frame_of(pair_with(*HIDDEN), CONFUSION, folds=1)
    with pytest.raises(InputError, match="repeat of a single fold: give by='all'"):
        decision_agreement(bc.Scores(frame), rho=0.1)
    assert len(decision_agreement(bc.Scores(frame), rho=0.1, by="all").decisions) == 1


def test_too_few_folds_name_the_place_and_the_metrics():
    scores = scores_of(pair_with(*HIDDEN), CONFUSION, dataset="iris", folds=2)
    with pytest.raises(InputError, match=r"on data set 'iris': repeat 1: .*Drop 1 of 'tpr' and"):
        decision_agreement(scores)


def test_a_frame_is_no_scores():
    with pytest.raises(InputError, match="scores is DataFrame; accepted: Scores"):
        decision_agreement(frame_of(pair_with(*HIDDEN), CONFUSION))
