"""What rows and columns are: folds, data sets and runs; algorithms, metrics, labels, summaries."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.scores.counts import read_count_table
from bayescmp.scores.designs import offer_designs
from bayescmp.scores.layout import RowKind, are_folds, is_summary, read_folds, split_names
from tests.rows import each_row


def wide(rows, **columns):
    """Scores of two algorithms in so many rows."""
    rng = np.random.default_rng(rows)
    return pd.DataFrame(rng.random((rows, 2)).round(3), columns=["svm", "rf"]).assign(**columns)


# Folds.


def caret(rows=50):
    """What caret's resamples() writes of 5 repeats of 10 folds."""
    rng = np.random.default_rng(3)
    rf, svm = 0.812 + 0.01 * rng.normal(size=rows), 0.80 + 0.03 * rng.normal(size=rows)
    labels = [f"Fold{1 + k % 10:02d}.Rep{1 + k // 10}" for k in range(rows)]
    return pd.DataFrame({"Resample": labels, "svm": svm.round(4), "rf": rf.round(4)})


def test_folds_of_caret_are_one_data_set(tmp_path):
    """The p-value is Nadeau and Bengio's (2003): t with variance s²(1/n + 1/9), n − 1 df."""
    path = tmp_path / "resamples.csv"
    caret().to_csv(path, index=False)
    scores = bc.Scores.read(path, metric="auc")
    assert (scores.datasets, scores.algorithms) == (("data",), ("svm", "rf"))
    assert str(scores.resampling.of("data")) == "rho 0.1: 10 folds, 5 repeats"
    x = (caret()["rf"] - caret()["svm"]).to_numpy()
    t = x.mean() / np.sqrt(x.var(ddof=1) * (1 / 50 + 1 / 9))
    test = bc.frequentist.corrected_t(scores.differences("svm", "rf"))
    assert test.pvalue == pytest.approx(2 * stats.t.sf(abs(t), 49), rel=1e-9)  # both in doubles
    assert test.pvalue == pytest.approx(0.156, abs=5e-4)
    verdict = bc.compare(scores, "svm", "rf", rope=0).verdict()
    assert verdict.decision == "undecided"
    assert max(verdict.p_left, verdict.p_right) == pytest.approx(stats.t.cdf(t, 49), abs=1e-6)


LABELS = {
    "Fold01.Rep1": "Fold{f:02d}.Rep{r}",
    "rep1_fold2": "rep{r}_fold{f}",
    "r1f1": "r{r}f{f}",
    "Repeat1Fold03": "Repeat{r}Fold{f:02d}",
    "Repeat 1, fold 2": "Repeat {r}, fold {f}",
    "rep=1/fold=2": "rep={r}/fold={f}",
    "Fold 2 (run 1)": "Fold {f} (run {r})",
    "iteration 1, split 2": "iteration {r}, split {f}",
}


@each_row("label", LABELS.values(), ids=LABELS)
def test_labels_of_repeats_and_folds_in_rows_index_and_long_tables(label):
    labels = [label.format(r=1 + k // 5, f=1 + k % 5) for k in range(10)]
    repeat, fold = are_folds(labels)
    assert repeat.tolist() == [1] * 5 + [2] * 5
    assert fold.tolist() == [1, 2, 3, 4, 5] * 2
    table = wide(10)
    column = table.assign(which=labels)
    long = column.melt("which", var_name="model", value_name="auc")
    written = pd.read_csv(io.StringIO(table.set_axis(labels).to_csv()))
    for one in (column, table.set_axis(labels), written, long, column.set_index("which")):
        scores = bc.Scores(one, metric="auc")
        assert (scores.datasets, scores.algorithms) == (("data",), ("svm", "rf"))
        assert scores.resampling.of("data").spec == "2x5-fold"
        assert scores.layout.rows is RowKind.FOLD
        expected = (table["rf"] - table["svm"]).to_numpy()
        np.testing.assert_allclose(scores.differences("svm", "rf").x[0], expected, atol=1e-15)


@each_row(
    "label",
    [
        "fold_{}",
        "Fold{}",
        "CV_split {}",
        "cv{}",
        "split{}",
        "split{}_test_score",
        "fold {} of 5",
        "{}/5",
        "kfold-{}",
        "outer fold {}",
        "{}. fold",
    ],
)
def test_labels_of_folds(label):
    labels = [label.format(k) for k in range(1, 6)]
    assert are_folds(labels)[1].tolist() == [1, 2, 3, 4, 5]
    for table in (wide(5).set_axis(labels), wide(5, cv=labels), wide(5, dataset=labels)):
        assert bc.Scores(table).resampling.of("data").spec == "5-fold"


@each_row("label", ["Resample{:02d}", "Bootstrap{:02d}", "run_{}", "seed {}"])
def test_resamples_that_are_drawn_separately_ask_for_their_design(label):
    labels = [label.format(k) for k in range(1, 26)]
    scores = bc.Scores(wide(25, name=labels), metric="auc")
    assert scores.datasets == ("data",)
    with pytest.raises(bc.InputError, match=r"one fold per repeat|does not show whether run 1"):
        scores.differences("svm", "rf")
    declared = bc.Scores(wide(25, name=labels), metric="auc", resampling="random splits 0.25")
    assert declared.differences("svm", "rf").rho.tolist() == [0.25]


@each_row(
    "labels",
    [
        ["iris", "wine"],
        ["f1", "f2"],
        ["r2", "r3"],
        ["1", "2"],
        ["10-fold", "5-fold"],
        ["14/20", "3/20"],
        ["german", "folding"],
        ["a fold", "b fold"],
    ],
)
def test_other_names_are_not_folds(labels):
    assert are_folds(labels) is None
    assert read_folds(labels) is None


def test_data_set_and_fold_in_one_label():
    labels = [f"{name}_fold{k}" for name in ("iris", "wine 2") for k in range(5)]
    scores = bc.Scores(wide(10, name=labels))
    assert scores.datasets == ("iris", "wine 2")
    assert scores.resampling.of("iris").spec == "5-fold"
    assert scores.layout.counts == "2 data sets x 5 folds"
    assert scores.renamed == {"name": "fold and dataset"}


def test_other_rows_among_folds_are_refused():
    folds = [f"fold_{k}" for k in range(5)]
    with pytest.raises(bc.InputError, match="got 'Mean', a summary by its name"):
        bc.Scores(wide(6).set_axis([*folds, "Mean"]))
    with pytest.raises(bc.InputError, match=r"rows must all be folds.*'final'"):
        bc.Scores(wide(6).set_axis([*folds, "final"]))
    pycaret = wide(7).set_axis(pd.Index([0, 1, 2, 3, 4, "Mean", "Std"], name="Fold"))
    with pytest.raises(
        bc.InputError, match="fold 'Mean' must be left out, since it is by its name a summary"
    ):
        bc.Scores(pycaret)


def test_means_whose_rows_are_folds_are_refused_with_the_call_that_works():
    for table in (caret(), caret().set_index("Resample")):
        with pytest.raises(
            bc.InputError, match="must name data sets, since the rows are means"
        ) as caught:
            bc.Scores.from_means(table)
        call = re.search(r"Give (Scores\(frame\))", str(caught.value))[1]
        scores = eval(call, {"Scores": bc.Scores, "frame": table})
        assert scores.resampling.of("data").spec == "5x10-fold"
    with pytest.raises(bc.InputError, match=r"labels of folds.* Leave it out of columns"):
        bc.Scores(caret().rename(columns={"Resample": "cv"}), columns={"dataset": "cv"})


# Algorithm and metric in one name.


GRID = ["rf", "svm"], ["accuracy", "kappa"]


@each_row(
    ("form", "turned"),
    [("{a}~{m}", False), ("{a}_{m}", True), ("{a} {m}", False), ("{a}: {m}", True)],
)
def test_algorithm_and_metric_in_one_name(form, turned):
    a, m = ("m", "a") if turned else ("a", "m")
    names = [form.format(**{a: x, m: y}) for x in GRID[0] for y in GRID[1]]
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.random((6, 4)), columns=names).assign(dataset=list("abcdef"))
    scores = bc.Scores(table)
    assert (scores.algorithms, scores.metrics) == (("rf", "svm"), ("accuracy", "kappa"))
    for metric in GRID[1]:
        own = (form.format(**{a: x, m: metric}) for x in GRID[0])
        first, second = (table[name].to_numpy() for name in own)
        actual = scores.differences("rf", "svm", metric).means
        np.testing.assert_allclose(actual, second - first, atol=1e-15)


@each_row(
    ("names", "algorithms", "metrics"),
    [
        ("svm_rbf_auc svm_rbf_f1 svm_lin_auc svm_lin_f1", "svm_rbf svm_lin", "auc f1"),
        (
            "rf_balanced_accuracy rf_accuracy svm_balanced_accuracy svm_accuracy",
            "rf svm",
            "balanced_accuracy accuracy",
        ),
        ("rf_fit_time rf_auc svm_fit_time svm_auc", "rf svm", "fit_time auc"),
        ("knn_error svm_error", "knn svm", "error"),
        ("knn.acc knn_f1 svm_acc svm.f1", "knn svm", "acc f1"),
        ("svm-rbf.auc svm-rbf_f1 lr:auc lr_f1", "svm-rbf lr", "auc f1"),
    ],
)
def test_names_are_split_where_the_metric_begins(names, algorithms, metrics):
    joined = split_names(names.split())
    assert joined.algorithms == tuple(algorithms.split())
    assert joined.metrics == tuple(metrics.split())


@each_row(
    "names",
    [
        "svm_linear svm_rbf rf_linear rf_rbf",
        "knn svm boost_loss",
        "map_elites map_reduce",
        "rank_svm rank_net",
        "resnet-50 resnet-101 vit-50 vit-101",
    ],
)
def test_designs_of_algorithms_stay_algorithms(names):
    assert split_names(names.split()) is None
    table = pd.DataFrame(np.eye(3, len(names.split())) / 2, columns=names.split())
    assert bc.Scores(table.assign(dataset=list("abc"))).algorithms == tuple(names.split())


@each_row(
    "names",
    [
        "svm_l1 svm_l2 lr_l1 lr_l2",
        "rf~a rf~b svm~a svm~b",
        "focal_loss dice_loss",
        "rf_acc rf_mine svm_acc svm_mine",
    ],
)
def test_two_readings_of_names_are_refused_with_both_calls(names):
    names = names.split()
    table = pd.DataFrame(np.eye(3, len(names)) / 2, columns=names).assign(dataset=list("abc"))
    with pytest.raises(bc.InputError, match="must have one meaning") as caught:
        bc.Scores(table)
    calls = re.findall(r"columns=(\{[^}]*\})", str(caught.value))
    as_algorithms, as_metrics = (bc.Scores(table, columns=eval(call)) for call in calls)
    assert as_algorithms.algorithms == tuple(names)
    assert len(as_metrics.algorithms) == 2
    assert len(as_metrics.metrics) == len(names) // 2


@each_row("names", ["rf_accuracy rf_kappa svm_accuracy", "knn knn_auc svm", "rf_auc rf_f1"])
def test_metrics_that_not_every_algorithm_has_are_refused(names):
    names = names.split()
    table = pd.DataFrame(np.eye(3, len(names)) / 2, columns=names).assign(dataset=list("abc"))
    with pytest.raises(bc.InputError, match=r"joins algorithm|have one meaning") as caught:
        bc.Scores(table)
    call = re.search(r"columns=(\{[^}]*\})", str(caught.value))[1]
    assert bc.Scores(table, columns=eval(call)).algorithms == tuple(names)


# Tables with one row per metric.


def tidy(metric="metric", value="value"):
    rng = np.random.default_rng(0)
    rows = [
        (d, a, m, rng.random()) for d in "zxy" for a in ("knn", "svm") for m in ("accuracy", "f1")
    ]
    return pd.DataFrame(rows, columns=["dataset", "model", metric, value])


@each_row(
    ("metric", "value"),
    [("metric", "value"), ("variable", "score"), (".metric", ".estimate"), ("measure", "mine")],
)
def test_one_row_per_metric(metric, value):
    table = tidy(metric, value)
    expected = table.pivot(index=["dataset", "model"], columns=metric, values=value)
    for one in (table, table.set_index(["dataset", "model", metric])):
        scores = bc.Scores(one)
        assert (scores.datasets, scores.algorithms) == (("z", "x", "y"), ("knn", "svm"))
        assert scores.metrics == ("accuracy", "f1")
        for name in scores.metrics:
            scores_of = scores.frame.set_index(["dataset", "algorithm"])[name]
            assert scores_of.to_dict() == expected[name].to_dict()


def test_one_row_per_metric_with_one_column_per_algorithm():
    table = tidy().pivot(index=["dataset", "metric"], columns="model", values="value")
    for one in (table, table.reset_index().rename_axis(columns=None)):
        scores = bc.Scores(one)
        assert (set(scores.datasets), scores.algorithms) == ({*"xyz"}, ("knn", "svm"))
        assert scores.metrics == ("accuracy", "f1")


def test_what_is_beside_metric_and_value():
    summary = tidy().assign(n=10, std_err=0.1)
    assert bc.Scores(summary).metrics == ("accuracy", "f1")
    assert bc.Scores(summary).ignored == ("n", "std_err")
    with pytest.raises(bc.InputError, match=r"one row per metric .*12 scores in all"):
        bc.Scores(pd.concat([tidy(), tidy()]))
    named = tidy("m", "v").assign(other=1.0)
    scores = bc.Scores(named, columns={"metric": "m", "value": "v"})
    assert scores.metrics == ("accuracy", "f1")


SUMMARIES = """
Average Avg. Mean Median Best Max Min Std SD SE Rank Avg._rank Wins W/T/L Losses Ties
p-value p Total Sum Count N mean_±_std 95%_CI 25% MAX Std._Dev. #_wins p_value
"""


# Summaries, and counts.


@each_row("name", [name.replace("_", " ") for name in SUMMARIES.split()])
def test_summaries_are_refused_by_name(name):
    """As columns, and as rows."""
    assert is_summary(name)
    table = wide(3, dataset=list("abc"))
    with pytest.raises(
        bc.InputError, match=f"column {name!r} must be left out, since it is by its name a summary"
    ):
        bc.Scores(table.assign(**{name: [0.3, 0.2, 0.9]}))
    with pytest.raises(
        bc.InputError,
        match=f"data set {name!r} must be left out, since it is by its name a summary",
    ):
        bc.Scores(table.assign(dataset=["iris", "wine", name]))


@each_row(
    "name", ["mean shift", "max entropy", "rank svm", "MinMax", "best first", "25", "stdlib"]
)
def test_names_that_only_begin_like_summaries(name):
    assert not is_summary(name)
    table = wide(3, dataset=list("abc")).assign(**{name: [0.3, 0.2, 0.9]})
    assert name in bc.Scores(table).algorithms


def test_margins_of_a_pivot_and_descriptions_are_summaries():
    rng = np.random.default_rng(2)
    long = pd.DataFrame({"d": list("xxyyzz"), "m": ["knn", "svm"] * 3, "s": rng.random(6)})
    table = long.pivot_table(index="d", columns="m", values="s", margins=True)
    for one in (table, table.iloc[:-1], table[["knn", "svm"]]):
        with pytest.raises(
            bc.InputError,
            match=r"'All' must be left out, since it (is by its name a summary|summarises)",
        ):
            bc.Scores(one)
    described = wide(9).describe()
    for one in (described, described.T):
        with pytest.raises(
            bc.InputError,
            match="must be left out, since it is by its name a summary of the others",
        ):
            bc.Scores(one)


@each_row(
    "names",
    [
        ("successes", "trials"),
        ("correct", "total"),
        ("passed", "attempts"),
        ("n_correct", "n"),
        ("wins", "games"),
        ("num_successes", "num_trials"),
        ("success_count", "trial_count"),
        ("n_solved", "n_problems"),
        ("wins", "losses"),
    ],
)
@each_row("label", ["policy", "arm", "model"])
def test_counts_are_not_scores(names, label):
    table = pd.DataFrame({label: ["a", "b"], names[0]: [14, 17], names[1]: [20, 20]})
    for one in (table, table.assign(dataset=["x", "x"])):
        match = f"{names[0]!r} and {names[1]!r}, which look like counts.*bayescmp.compare_counts"
        with pytest.raises(bc.InputError, match=match):
            bc.Scores(one)
        counts = read_count_table(one)
        trials = 37 if names[1] == "losses" else 20
        assert [*counts.values()] == [{"a": (14, 34 if trials > 20 else 20), "b": (17, trials)}]


def test_cells_that_hold_counts_are_not_scores():
    table = pd.DataFrame({"task": ["a", "b"], "first": ["14/20", "3 of 20"], "second": "17/20"})
    with pytest.raises(bc.InputError, match=r"'first' must hold .*counts.*compare_counts"):
        bc.Scores(table)
    long = table.melt("task", var_name="policy", value_name="result")
    with pytest.raises(bc.InputError, match=r"'result' must hold .*counts.*compare_counts"):
        bc.Scores(long)
    assert read_count_table(long) == read_count_table(table)
    assert read_count_table(table)["b"] == {"first": (3, 20), "second": (17, 20)}


# Names of labels.


@each_row(
    ("algorithm", "dataset"),
    [
        ("classifier_name", "dataset_name"),
        ("learner_id", "task_id"),
        ("model_name", "task"),
        ("model_id", "benchmark"),
        ("estimator_name", "dataset_name"),
        ("method_name", "environment"),
        ("agent", "game"),
        ("policy", "env"),
    ],
)
def test_names_of_label_columns(algorithm, dataset):
    frame = pd.DataFrame({algorithm: ["knn", "svm"] * 2, dataset: list("xxyy"), "mine": range(4)})
    scores = bc.Scores(frame)
    assert (scores.algorithms, scores.datasets) == (("knn", "svm"), ("x", "y"))
    by_index = bc.Scores(frame.set_index([algorithm, dataset]))
    assert by_index.algorithms == ("knn", "svm")


# The design that is offered, and the decision that is kept.


@each_row(
    ("scores", "designs"),
    [
        (25, ["5x5-fold"]),
        (50, ["5x10-fold", "10x5-fold"]),
        (100, ["10x10-fold", "20x5-fold"]),
        (10, ["10-fold", "2x5-fold", "5x2-fold"]),
        (5, ["5-fold"]),
        (23, []),
    ],
)
def test_designs_that_a_number_of_scores_suggests(scores, designs):
    """Each is read, and has that many scores."""
    assert offer_designs(scores) == designs
    table = wide(scores).set_axis(range(1, scores + 1)).rename_axis("split")
    with_names = wide(scores, dataset="a")
    for one in (table, with_names) if scores > 20 else (with_names,):
        with pytest.raises(bc.InputError, match="State how they were drawn") as caught:
            bc.Scores(one, metric="auc").differences("svm", "rf")
        offered = re.findall(r"'(\d+(?:x\d+)?-fold)'", str(caught.value))
        assert offered == designs
        for design in offered:
            read = bc.Scores(one, metric="auc", resampling=design).differences("svm", "rf")
            assert read.n.tolist() == [scores]


def test_25_scores_of_cross_validate_are_not_offered_as_25_folds():
    results = {name: {"test_score": np.linspace(0, 1, 25)} for name in ("knn", "svm")}
    with pytest.raises(bc.InputError, match=r"used: '5x5-fold' or 'random splits 0.2'"):
        bc.Scores.from_cv_results(results)


def test_the_decision_is_kept_with_the_scores():
    folds = bc.Scores(caret())
    assert (folds.layout.rows, folds.layout.wide) == (RowKind.FOLD, True)
    assert folds.layout.counts == "1 data set x 50 folds"
    assert "<Scores: 1 data set x 50 folds, 2 algorithms, 100 rows>" in repr(folds)
    means = bc.Scores(wide(3, dataset=list("abc")))
    assert (means.layout.rows, means.layout.counts) == (RowKind.DATASET, "3 data sets")
    assert str(means.layout) == "one column per algorithm, data sets from column 'dataset'"
    seeds = wide(4, seed=range(4)).melt("seed", var_name="algorithm", value_name="auc")
    runs = bc.Scores(seeds)
    assert (runs.layout.rows, runs.layout.wide) == (RowKind.RUN, False)
    assert runs.layout.counts == "1 data set x 4 runs"
    assert runs.select(algorithms=["svm"]).layout.datasets == 1
