"""Estimates of one model: counts, folds, data sets and questions, by other packages or hand."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import bayescmp as bc
from bayescmp.results.estimates import Way
from bayescmp.study.estimate import jeffreys
from tests.rows import each_row

RHO = 0.1


def folds(names=("svm", "knn"), q=1, n=10, seed=1, metric="accuracy"):
    """Folds of some algorithms; each is 0.05 worse than the one before it."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{d}", name, fold, 0.9 - 0.05 * k - 0.02 * d + 0.01 * rng.normal())
        for d in range(q)
        for k, name in enumerate(names)
        for fold in range(n)
    ]
    return pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", metric])


def questions(n=30, epochs=3, per_cluster=1, models=("small", "large"), seed=1, benchmarks=1):
    """Right and wrong answers of models to questions, in clusters of some size."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"b{b}", name, item, item // per_cluster, epoch, float(rng.random() < p))
        for b in range(benchmarks)
        for k, name in enumerate(models)
        for item, p in enumerate(rng.beta(2 + k, 2, n))
        for epoch in range(epochs)
    ]
    columns = ["benchmark", "model", "item", "cluster", "epoch", "correct"]
    table = pd.DataFrame(rows, columns=columns)
    table = table if per_cluster > 1 else table.drop(columns="cluster")
    return table if epochs > 1 else table.drop(columns="epoch")


# Counts.


@each_row("s", [0, 1, 10, 17, 19, 20])
@each_row("level", [0.8, 0.95])
def test_intervals_of_proportions_are_those_of_statsmodels(s, level):
    """statsmodels 0.15.0; at 0 and n the bound is that of Brown, Cai & DasGupta (2001)."""
    given = {"count": s, "nobs": 20, "alpha": 1 - level}
    low, high = proportion_confint(**given, method="jeffreys")
    expected = (0.0 if s == 0 else low, 1.0 if s == 20 else high)
    assert jeffreys(s, 20, level) == pytest.approx(expected, abs=1e-12)
    expected = proportion_confint(**given, method="wilson")
    found = bc.estimate((s, 20), level=level).estimates[0].wilson
    assert found == pytest.approx(expected, abs=1e-12)


def test_seventeen_of_twenty():
    """statsmodels 0.15.0: proportion_confint(17, 20), method "jeffreys" and "wilson"."""
    row = bc.estimate((17, 20)).frame.iloc[0]
    assert (row["low"], row["high"]) == pytest.approx((0.6514223, 0.9558687), abs=1e-7)
    ends = row["wilson_low"], row["wilson_high"]
    assert ends == pytest.approx((0.6395811, 0.9476313), abs=1e-7)
    assert (row["name"], row["mean"], row["n"]) == ("17/20", 0.85, 20)


def test_counts_keep_their_order_and_need_no_metric():
    result = bc.estimate({"old": (17, 20), "new": [3, 4]})
    assert result.names == ("old", "new")
    assert "Overlapping intervals do not show whether two proportions differ" in str(result)
    for option in ({"metric": "x"}, {"algorithm": "old"}, {"dataset": "d"}, {"rho": 0.1}):
        with pytest.raises(bc.InputError, match="must be left out, since counts are"):
            bc.estimate({"old": (17, 20)}, **option)


def test_a_table_of_counts_has_each_data_set():
    rows = [
        (d, m, s, 20) for d, k in (("a", 9), ("b", 2)) for m, s in (("old", k), ("new", k + 3))
    ]
    table = pd.DataFrame(rows, columns=["task", "model", "correct", "total"])
    result = bc.estimate(table)
    assert result.on("b")[1].interval == jeffreys(5, 20, 0.95)
    assert [one.way for one in result.main] == [Way.FEW, Way.FEW]
    assert bc.estimate(table, "new", dataset="b").estimates == result.on("b")[1:]


# Folds.


def test_folds_have_students_t_with_correlated_folds():
    """SciPy's t with the variance of Nadeau & Bengio; so has the correlated t test against 0."""
    table = folds()
    x = table["accuracy"][table["algorithm"] == "svm"].to_numpy()
    scale = np.sqrt((1 / 10 + RHO / (1 - RHO)) * x.var(ddof=1))
    expected = stats.t.interval(0.9, 9, loc=x.mean(), scale=scale)
    one = bc.estimate(table, "svm", level=0.9).estimates[0]
    assert one.interval == pytest.approx(expected, rel=1e-12)
    assert (one.mean, one.n, one.way) == (pytest.approx(x.mean()), 10, Way.STUDENT)
    posterior = bc.bayesian.correlated_t(x, rho=RHO, rope=0)
    assert one.interval == pytest.approx(tuple(posterior.quantile([0.05, 0.95])), rel=1e-9)
    plain = bc.estimate(x, rho=RHO, level=0.9).estimates[0]
    assert plain.interval == pytest.approx(one.interval, rel=1e-12)


def test_a_given_correlation_replaces_that_of_the_labels():
    wide, narrow = (bc.estimate(folds(), "svm", rho=r).frame.iloc[0] for r in (0.3, 0.0))
    ratio = (wide["high"] - wide["low"]) / (narrow["high"] - narrow["low"])
    assert ratio == pytest.approx(np.sqrt((1 / 10 + 3 / 7) / (1 / 10)), rel=1e-9)
    assert bc.estimate(folds(), "svm", rho=0.3).resampling == "rho 0.3: as given"


def test_the_best_is_first_whichever_way_is_better():
    assert bc.estimate(folds()).names == ("svm", "knn")
    result = bc.estimate(folds(metric="rmse"))
    assert result.names == ("knn", "svm")
    assert str(result).startswith("Lowest mean: knn, ")
    assert "rmse ↓" in str(result)


def test_bounds_stay_within_the_metrics_range():
    table = folds().assign(accuracy=lambda t: 1 - t["fold"] % 2 * 0.02)
    assert bc.estimate(table, "svm").frame["high"].tolist() == [1.0]
    table = table.rename(columns={"accuracy": "reward"})
    scores = bc.Scores(table, higher_is_better=["reward"])
    assert bc.estimate(scores, "svm").frame["high"].iloc[0] > 1


@each_row(
    ("metric", "sign", "bound"),
    [("log_loss", 1, 0.0), ("neg_log_loss", -1, 0.0), ("rmse", 1, 0.0), ("mcc", -1, -1.0),
     ("r2", -1, None)],
)  # fmt: skip
def test_bounds_on_one_side_and_below_zero_are_heeded(metric, sign, bound):
    """A loss is never below zero, nor a negated one above; other scores may have any sign."""
    x = (bound or 0.0) + (1 if bound == -1 else sign) * np.array([0.001, 0.1, 0.002, 0.003, 0.05])
    table = pd.DataFrame({"algorithm": "svm", "fold": range(5), metric: x})
    row = bc.estimate(table).frame.iloc[0]
    low, high = stats.t.interval(0.95, 4, x.mean(), x.std(ddof=1) * np.sqrt(1 / 5 + 1 / 4))
    assert low < (bound or 0.0) < high
    expected = [low, high]
    if bound is not None:
        expected[int(metric.startswith("neg"))] = bound
    assert [row["low"], row["high"]] == pytest.approx(expected, abs=1e-12)


def test_what_shows_no_spread_has_no_interval():
    """Equal folds, and a single score: NaN with a note, never an interval without width."""
    equal = bc.estimate(folds().assign(accuracy=0.9))
    assert [one.way for one in equal.estimates] == [Way.ALIKE, Way.ALIKE]
    assert equal.frame[["low", "high"]].isna().all(axis=None)
    assert "no interval for svm and knn: all scores are equal" in str(equal)
    single = bc.estimate([0.9], rho=0.1)
    assert single.estimates[0].way is Way.SINGLE
    assert "a single score does not show how it varies" in str(single)


def test_data_sets_have_their_own_intervals_and_one_together():
    """The bootstrap over data sets has Student's variance, and Dirichlet weights' quantiles."""
    table = folds(q=12)
    result = bc.estimate(table)
    means = table.groupby(["algorithm", "dataset"])["accuracy"].mean()
    one = result.main[0]
    assert (one.name, one.dataset, one.n) == ("svm", None, 12)
    x = means["svm"].to_numpy()
    a = 1 - 4 / 12  # the concentration for single units: 1 - 4/K
    w = np.random.default_rng(1).dirichlet(np.full(12, a), 400_000)
    expected = np.quantile(w @ x, [0.025, 0.975])
    assert one.interval == pytest.approx(expected, abs=5e-4)  # five errors of drawn quantiles
    own = bc.estimate(table, dataset="d3").frame
    of_all = result.frame.query("dataset == 'd3'").reset_index(drop=True)
    pd.testing.assert_frame_equal(own, of_all)
    assert "Means on each of 12 data sets" in result.full()


def test_few_data_sets_have_no_common_interval():
    result = bc.estimate(folds(q=3))
    assert [one.way for one in result.main] == [Way.FEW, Way.FEW]
    assert all(one.known for one in result.estimates if one.dataset is not None)
    assert "at least 6 data sets are required" in str(result)


def test_units_change_nothing():
    table = folds(metric="rmse", q=7)
    one = bc.estimate(table).frame
    thousand = bc.estimate(table.assign(rmse=1000 * table["rmse"])).frame
    columns = ["mean", "low", "high"]
    np.testing.assert_allclose(thousand[columns], 1000 * one[columns], rtol=1e-9)


def test_missing_folds_are_refused_or_counted():
    table = folds()
    table.loc[0, "accuracy"] = np.nan
    with pytest.raises(bc.InputError, match="missing"):
        bc.estimate(bc.Scores(table))
    result = bc.estimate(bc.Scores(table, missing="common", resampling="10-fold"))
    assert result.frame["n"].tolist() == [9, 9]
    assert "left out, without a score of all algorithms: 2 scores" in str(result)


# Questions.


def test_right_and_wrong_answers_are_counts():
    table = questions(epochs=1)
    result = bc.estimate(bc.Items(table), "small")
    s = int(table["correct"][table["model"] == "small"].sum())
    assert result.estimates[0].interval == jeffreys(s, 30, 0.95)
    assert result.estimates[0].wilson == bc.estimate((s, 30)).estimates[0].wilson


@each_row("right", [0.0, 1.0])
def test_epochs_that_are_all_alike_have_jeffreys_interval(right):
    """Half a question at 0 and at 1: Beta(n + 1/2, 1/2), by SciPy."""
    items = bc.Items(questions(n=20).assign(correct=right))
    one = bc.estimate(items, "small").estimates[0]
    ends = stats.beta(20 * right + 0.5, 20 * (1 - right) + 0.5).ppf([0.025, 0.975])
    assert one.interval == pytest.approx(tuple(ends), abs=1e-8)
    assert one.way is Way.EXTREMES
    assert one.own_noise == 0


def test_clusters_are_the_resampled_units():
    """Dirichlet weights of clusters, drawn; their concentration is that of cluster_bootstrap."""
    table = questions(n=48, epochs=1, per_cluster=4)
    one = bc.estimate(bc.Items(table), "small").estimates[0]
    x = table["correct"][table["model"] == "small"].to_numpy().reshape(12, 4)
    centred = x.ravel() - 0.5
    answer = bc.bayesian.cluster_bootstrap(centred, clusters=np.repeat(range(12), 4), rope=0)
    w = np.random.default_rng(1).dirichlet(np.full(12, answer.concentration), 400_000)
    expected = np.quantile(w @ x.mean(axis=1), [0.025, 0.975])
    assert one.interval == pytest.approx(expected, abs=2e-3)
    assert (one.n, one.clusters) == (48, 12)
    plain = bc.estimate(bc.Items(table.drop(columns="cluster")), "small").estimates[0]
    assert (plain.clusters, plain.way) == (None, Way.JEFFREYS)


def test_questions_with_unequal_epochs_at_another_level():
    """By Dirichlet weights; the split is var(x) − mean(s²/k), mean(s²), and the harmonic mean."""
    rng = np.random.default_rng(4)
    parts = [rng.normal(rng.normal(-2, 0.6), 0.5, k) for k in [2] * 8 + [5] * 8]
    rows = [("m", i, epoch, v) for i, part in enumerate(parts) for epoch, v in enumerate(part)]
    table = pd.DataFrame(rows, columns=["model", "item", "epoch", "reward"])
    one = bc.estimate(bc.Items(table, higher_is_better=["reward"]), level=0.8).estimates[0]
    x, k = np.array([part.mean() for part in parts]), np.array([len(part) for part in parts])
    s2 = np.array([part.var(ddof=1) for part in parts])
    w = np.random.default_rng(1).dirichlet(np.full(16, 1 - 4 / 16), 400_000)
    expected = np.quantile(w @ x, [0.1, 0.9])
    assert one.interval == pytest.approx(expected, abs=5e-3)  # five errors of drawn quantiles
    between = x.var(ddof=1) - np.mean(s2 / k)
    found = (one.mean, one.between, one.within, one.epochs)
    assert found == pytest.approx((x.mean(), between, s2.mean(), 16 / np.sum(1 / k)), rel=1e-9)


@each_row("per_cluster", [1, 3])
def test_variance_is_split_as_noise_splits_it_against_a_model_without_noise(per_cluster):
    """A model that is always wrong adds neither noise nor differences between questions."""
    table = questions(per_cluster=per_cluster)
    table.loc[table["model"] == "small", "correct"] = 0.0
    items = bc.Items(table)
    noise = items.noise("small", "large", seed=1)
    one = bc.estimate(items, "large").estimates[0]
    expected = (noise.between, noise.within, noise.epochs, noise.share)
    found = (one.between, one.within, one.epochs, one.own_noise)
    assert found == pytest.approx(expected, rel=1e-12)
    assert (
        f"{round(100 * noise.share)}% is the model's own noise"
        in bc.estimate(items, "large").explain()
    )


def test_few_questions_and_benchmarks_have_no_interval():
    table = questions(n=5, benchmarks=2)
    table["correct"] = table["item"] / 4
    result = bc.estimate(bc.Items(table))
    assert [one.way for one in result.main] == [Way.FEW, Way.FEW]
    assert not any(one.known for one in result.estimates)
    assert "at least 6 benchmarks or questions are required" in str(result)
    alone = bc.estimate(bc.Items(questions(n=5)), "small")
    assert str(alone).startswith("small: mean accuracy")
    assert "(no interval)" in str(alone)


def test_each_model_has_its_own_questions_unless_common_ones_are_wanted():
    table = questions(epochs=1).drop(index=0)
    assert set(bc.estimate(bc.Items(table)).frame["n"]) == {29, 30}
    common = bc.estimate(bc.Items(table, missing="common"))
    assert set(common.frame["n"]) == {29}
    assert "left out, without a score of all models: 1 score" in str(common)


def test_judges_widen_the_interval():
    rng = np.random.default_rng(1)
    grade, severity = rng.random(20), rng.normal(0, 0.1, 6)
    rows = [
        ("small", item, f"j{j}", grade[item] + severity[j]) for item in range(20) for j in range(6)
    ]
    table = pd.DataFrame(rows, columns=["model", "item", "judge", "score"])
    one = bc.estimate(bc.Items(table, higher_is_better=["score"])).estimates[0]
    assert (one.way, one.judges, one.clusters) == (Way.JUDGES, 6, 20)
    low, high = one.interval
    assert high - low > 2 * 1.96 * grade.std() / np.sqrt(20)
    half = bc.estimate(bc.Items(table, higher_is_better=["score"]), level=0.5).estimates[0]
    width = half.interval[1] - half.interval[0]  # 0.674/1.96 of it, if it were normal
    assert width / (high - low) == pytest.approx(0.344, abs=0.03)
    two = table[table["judge"].isin(["j1", "j2"])]
    with pytest.raises(bc.InputError, match="at least 3 judges"):
        bc.estimate(bc.Items(two, higher_is_better=["score"]))


# Wrong turns.


@each_row(
    ("data", "options", "message"),
    [
        ((21, 20), {}, r"at most as many successes as trials \(got \(21, 20\)\)"),
        ((0, 0), {}, "at least one trial"),
        ((-1, 20), {}, "two whole numbers"),
        ({"a": 0.85}, {}, "A proportion does not show the number of trials"),
        ({"a": "85%"}, {}, "A proportion does not show the number of trials"),
        ((17, 20), {"level": 95}, r"level must be a number between 0 and 1, exclusive \(got 95"),
        ((17, 20), {"level": 1}, "level must be"),
        ((17, 20), {"seed": -1}, "seed must be"),
        ([17, 20], {}, r"data must be a tuple for counts, such as \(17, 20\)"),
        ([0.8, 0.9], {}, "rho must be given"),
        ([0.8, np.nan], {"rho": 0.1}, "finite"),
        (folds(), {"algorithm": "svn"}, r"algorithm must be .*\(got 'svn'\)\. Did you mean 'svm'"),
        (folds(), {"algorithm": []}, "at least one name"),
        (folds(), {"algorithm": ["svm", "svm"]}, "twice"),
        (folds(), {"dataset": "x"}, r"data set must be .*\(got 'x'\)"),
        (folds(), {"metric": "auc"}, "auc"),
        (folds(), {"metric": 1}, "the name of one metric"),
        (folds(), {"rho": 1}, "rho must be"),
        (folds().drop(columns="fold"), {}, "Several scores each need repeat and fold columns"),
        (bc.Items(questions()), {"algorithm": "x"}, r"model must be .*\(got 'x'\)"),
        (bc.Items(questions()), {"rho": 0.1}, "independent units"),
        (bc.Differences([0.1, 0.2], rho=0.1), {}, "use compare for these"),
        (None, {}, "must be"),
    ],
)
def test_wrong_questions_are_refused(data, options, message):
    with pytest.raises(bc.InputError, match=message):
        bc.estimate(data, **options)


def test_one_algorithm_alone_is_not_compared_but_estimated():
    """The refusals of compare and compare_all name what can be done."""
    table = folds(names=["svm"])
    for call in (bc.compare, bc.compare_all):
        with pytest.raises(bc.InputError, match=r"For only one use bayescmp\.estimate\."):
            call(table, rope=0.01)
    with pytest.raises(bc.InputError, match=r"two models to compare .* bayescmp\.estimate"):
        bc.compare(bc.Items(questions(models=["a"])), rope=0.01)


# Forms and figures.


def test_every_form_has_the_numbers():
    result = bc.estimate(bc.Items(questions(per_cluster=3)), level=0.9)
    plain = result.to_dict()
    assert plain["level"] == 0.9
    assert [row["name"] for row in plain["estimates"]] == list(result.names)
    assert [row["low"] for row in plain["estimates"]] == result.frame["low"].tolist()
    for form in (result._repr_html_(), result.to_markdown(), result.to_latex()):
        assert "large" in form
    assert "90% credible interval" in result.to_markdown()
    paper = result.explain("paper")
    assert "Bayesian bootstrap over clusters, Rubin 1981." in paper
    assert "@article{rubin1981" in paper
    assert repr(result).startswith("<Estimates: Highest mean: ")


def test_the_figure_has_the_intervals():
    result = bc.estimate(folds(q=12))
    ax = result.plot()
    lines = [line.get_xdata() for line in ax.lines]
    np.testing.assert_allclose(lines, [one.interval for one in result.main])
    assert ax.get_xlabel() == "mean accuracy ↑, 95% credible interval"
    assert re.search("12 data sets", bc.plots.caption(ax))
    of_one = bc.plots.plot_means(result, dataset="d3")
    np.testing.assert_allclose(of_one.lines[0].get_xdata(), result.on("d3")[0].interval)
    with pytest.raises(bc.InputError, match=r"data set must be"):
        bc.plots.plot_means(result, dataset="x")
    with pytest.raises(bc.InputError, match=r"a result of bc\.estimate"):
        bc.plots.plot_means(0)


@each_row("declared", ["runs", "seeds", None])
def test_runs_of_one_algorithm_need_no_partner(declared):
    """Student's interval of three runs on one data set, by scipy.stats.t (SciPy 1.17.1)."""
    x = np.array([0.81, 0.84, 0.83])
    table = pd.DataFrame({"model": "svm", "seed": [1, 2, 3], "accuracy": x})
    result = bc.estimate(bc.Scores(table, resampling=declared))
    expected = stats.t.interval(0.95, 2, x.mean(), x.std(ddof=1) / np.sqrt(3))
    assert result.estimates[0].interval == pytest.approx(expected, rel=1e-9)
    assert "about further runs on the same data" in str(result)
    assert ("as declared" in " ".join(str(result).split())) == (declared is not None)
