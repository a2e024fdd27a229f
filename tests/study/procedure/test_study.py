"""What the procedure reads, and how one metric agrees with several."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.curves import threshold_sweep
from bayescmp.errors import InputError
from bayescmp.study.procedure import decision_agreement, scores_at_thresholds
from bayescmp.study.procedure.agreement import CELLS
from bayescmp.study.procedure.study import as_study, choose_names
from tests.rows import each_row
from tests.study.procedure.cases import (
    counts_of,
    declared,
    exact_sample,
    frame_of,
    many,
    scores_of,
)

# What the procedure reads: tables by threshold, metrics, costs.


@pytest.fixture
def counts():
    """(q, L, T, n, 4) = (2, 3, 4, 6, 4), every number different."""
    return np.arange(2 * 3 * 4 * 6 * 4, dtype=float).reshape(2, 3, 4, 6, 4)


def test_every_count_finds_its_row(counts):
    at = (0.2, 0.4, 0.6, 0.8)
    tables = scores_at_thresholds(
        counts, thresholds=at, datasets=["x", "y"], algorithms=["a", "b", "c"], folds=3
    )
    assert tuple(tables) == at
    for t, (threshold, scores) in enumerate(tables.items()):
        assert threshold == at[t]
        frame = scores.frame
        assert len(frame) == 2 * 3 * 6
        for row in frame.itertuples():
            d, a = "xy".index(row.dataset), "abc".index(row.algorithm)
            fold = (row.repeat - 1) * 3 + row.fold - 1
            assert [row.tp, row.fn, row.fp, row.tn] == list(counts[d, a, t, fold])


def test_names_and_folds_that_are_not_given(counts):
    scores = scores_at_thresholds(counts, thresholds=[0, 0.1, 0.2, 1])[0.0]
    assert scores.datasets == ("D1", "D2")
    assert scores.algorithms == ("A1", "A2", "A3")
    assert sorted(set(scores.frame["fold"])) == [1, 2, 3, 4, 5, 6]
    assert set(scores.frame["repeat"]) == {1}


@each_row(
    ("options", "message"),
    [
        ({"thresholds": [0.1, 0.2]}, r"thresholds must be of length 4 .*\[0\.1, 0\.2\]"),
        ({"thresholds": [0.1, 0.1, 0.2, 0.3]}, "all different"),
        ({"folds": 4}, "folds must be a number that divides the 6 folds"),
    ],
)
def test_bad_labels(counts, options, message):
    with pytest.raises(InputError, match=message):
        scores_at_thresholds(counts, **{"thresholds": [0.1, 0.2, 0.3, 0.4], **options})


def test_bad_counts(counts):
    with pytest.raises(InputError, match=r"shape \(2, 3, 4, 6\)"):
        scores_at_thresholds(counts[..., 0], thresholds=[0.1, 0.2, 0.3, 0.4])
    counts[0, 0, 0, 0, 0] = np.nan
    with pytest.raises(InputError, match="negative or missing"):
        scores_at_thresholds(counts, thresholds=[0.1, 0.2, 0.3, 0.4])


def test_sweeps_of_the_curves():
    """Counts at each threshold beside counting by hand; data sets differ in their folds."""
    rng = np.random.default_rng(6)
    items = {
        d: (rng.integers(0, 2, (n, 40)), {a: rng.random((n, 40)) for a in ("knn", "svm")})
        for d, n in (("x", 4), ("y", 6))
    }
    sweeps = {d: {a: threshold_sweep(y, p) for a, p in by.items()} for d, (y, by) in items.items()}
    tables = scores_at_thresholds(sweeps, folds=2)
    assert list(tables) == pytest.approx(np.linspace(0, 1, 21))
    for t in (0.0, 0.35, 1.0):
        scores = tables[t]
        assert scores.datasets == ("x", "y")
        for row in scores.frame.itertuples():
            fold = (row.repeat - 1) * 2 + row.fold - 1
            y, p = items[row.dataset][0][fold], items[row.dataset][1][row.algorithm][fold]
            assert row.tp == np.sum((p > t) & (y == 1))
            assert row.fp == np.sum((p > t) & (y == 0))
            assert row.fn == np.sum((p <= t) & (y == 1))
            assert row.tn == np.sum((p <= t) & (y == 0))


def test_bad_sweeps():
    y, p = np.array([0, 1, 0, 1]), np.array([0.1, 0.2, 0.3, 0.4])
    one, other = threshold_sweep(y, p), threshold_sweep(y, p, thresholds=[0.5])
    with pytest.raises(InputError, match="counts must have sweeps over the same thresholds"):
        scores_at_thresholds({"x": {"a": one, "b": other}})
    with pytest.raises(InputError, match=r"counts\['x'\] must be \{algorithm: ThresholdSweep\}"):
        scores_at_thresholds({"x": one})
    with pytest.raises(InputError, match=r"counts\['x'\]\['a'\] must be a ThresholdSweep"):
        scores_at_thresholds({"x": {"a": [1, 2]}})
    with pytest.raises(InputError, match=r"counts must be \{"):
        scores_at_thresholds({})
    with pytest.raises(InputError, match="thresholds must be given"):
        scores_at_thresholds(np.ones((1, 2, 1, 3, 4)))


NOTHING = {"metrics": None, "algorithms": None, "datasets": None, "costs": None, "rho": None}


def counted_scores(seed=0, L=2):
    x = counts_of(np.random.default_rng(seed).uniform(1, 9, size=(L, 5, 2)))
    return scores_of(x, ["tp", "fn", "fp", "tn"]), x


def test_thresholds_are_sorted_with_their_tables():
    tables = {t: counted_scores(i)[0] for i, t in enumerate((0.9, 0.1, 0.5))}
    study = as_study(tables, **NOTHING)
    assert study.thresholds == (0.1, 0.5, 0.9)
    assert study.risk.shape == (3, 1, 2)
    for at, seed in ((0, 1), (1, 2), (2, 0)):
        x = counted_scores(seed)[1].mean(axis=1)
        theta = study.thresholds[at]
        expected = 2 * theta * x[:, 2] + 2 * (1 - theta) * x[:, 1]
        assert study.risk[at, 0] == pytest.approx(expected)
    assert study.costs is None


def test_the_costs_of_a_threshold_make_it_the_best_choice():
    """Calling positive above θ has the least risk: an item of probability p costs the less so."""
    study = as_study({t: counted_scores()[0] for t in (0.2, 0.7)}, **NOTHING)
    fp, fn = counted_scores()[1].mean(axis=1)[0, [2, 1]]
    for at, theta in enumerate(study.thresholds):
        cost_fp = 2 * theta
        cost_fn = 2 * (1 - theta)
        assert study.risk[at, 0, 0] == pytest.approx(cost_fp * fp + cost_fn * fn)
        for p in (theta - 0.01, theta + 0.01):
            positive, negative = cost_fp * (1 - p), cost_fn * p  # risks of either call
            assert (positive < negative) == (p > theta)


def test_costs_may_follow_the_threshold():
    options = {**NOTHING, "costs": lambda t: {"fp": t, "fn": 1}}
    study = as_study({0.25: counted_scores()[0], 0.5: counted_scores()[0]}, **options)
    x = counted_scores()[1].mean(axis=1)
    assert study.risk[0, 0] == pytest.approx(0.25 * x[:, 2] + x[:, 1])
    assert study.risk[1, 0] == pytest.approx(0.5 * x[:, 2] + x[:, 1])


def test_one_threshold_in_a_mapping_is_one_threshold():
    study = as_study({0.5: counted_scores()[0]}, **NOTHING)
    assert study.thresholds == ()
    assert study.costs == {"fp": 1.0, "fn": 1.0}


def test_a_single_metric_is_its_own_risk():
    frame, x = many(q=2, L=3, p=1)
    named = {**NOTHING, "metrics": "m0"}
    assert as_study(declared(frame), **named).risk[0] == pytest.approx(-x[..., 0].mean(axis=2))
    low = as_study(declared(frame, lower_is_better=["m0"]), **named)
    assert low.risk[0] == pytest.approx(x[..., 0].mean(axis=2))
    assert low.rho == pytest.approx([1 / 12, 1 / 12])


def test_names():
    assert choose_names("algorithms", None, ("a", "b"), 2) == ("a", "b")
    assert choose_names("datasets", "a", ("a", "b"), 1) == ("a",)
    with pytest.raises(InputError, match="algorithms must have at least 2"):
        choose_names("algorithms", "a", ("a", "b"), 2)


def test_tables_that_differ():
    left, _ = counted_scores(L=3)
    right, _ = counted_scores(L=2)
    with pytest.raises(InputError, match=r"at threshold 0\.7: algorithm must be .*\(got 'A3'\)"):
        as_study({0.2: left, 0.7: right}, **NOTHING)


def test_tables_of_more_at_a_later_threshold():
    """They were left out without a word."""
    left, _ = counted_scores(L=2)
    right, _ = counted_scores(L=3)
    with pytest.raises(InputError, match=r"the same algorithms at all.*'A3' at 0\.7.*Name those"):
        as_study({0.2: left, 0.7: right}, **NOTHING)
    named = {**NOTHING, "algorithms": ["A1", "A2"]}
    assert as_study({0.2: left, 0.7: right}, **named).first_blocks.L == 2


# The agreement of tests on one metric and on several.


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


@each_row(("case", "cell"), [(HIDDEN, "multivariate only"), (ALONG, "univariate only")])
def test_one_test_sees_what_the_other_does_not(case, cell):
    corrected = True
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
    assert "280 comparisons at the level 0.05, corrected" in str(r)
    assert "<table" in r._repr_html_()


@each_row(
    ("options", "message"),
    [
        ({"univariate": "errors"}, r"metric must be .*\(got 'errors'\)\. .*'error'"),
        ({"multivariate": ("tpr", "tpr")}, "'tpr' twice"),
        ({"algorithms": ["A1"]}, "algorithms must have at least 2"),
        ({"datasets": ["e"]}, r"data set must be .*\(got 'e'\)"),
        ({"by": "fold"}, r"by must be .*\(got 'fold'\)"),
        ({"alpha": 0}, "alpha must be"),
        ({"adjust": "holmes"}, "holm"),
    ],
)
def test_bad_input(options, message):
    scores = scores_of(pair_with(*HIDDEN), CONFUSION)
    with pytest.raises(InputError, match=message):
        decision_agreement(scores, **options)


def test_repeats_of_one_fold():
    frame = frame_of(pair_with(*HIDDEN), CONFUSION, folds=1)
    with pytest.raises(InputError, match=r"on data set 'd': by must be 'all' if .*by='all' tests"):
        decision_agreement(bc.Scores(frame), rho=0.1)
    assert len(decision_agreement(bc.Scores(frame), rho=0.1, by="all").decisions) == 1


def test_too_few_folds_name_the_place_and_the_metrics():
    scores = scores_of(pair_with(*HIDDEN), CONFUSION, dataset="iris", folds=2)
    with pytest.raises(InputError, match=r"on data set 'iris': repeat 1: .*Drop 1 of 'tpr' and"):
        decision_agreement(scores)


def test_a_frame_is_no_scores():
    with pytest.raises(InputError, match=r"scores must be Scores .*DataFrame"):
        decision_agreement(frame_of(pair_with(*HIDDEN), CONFUSION))
