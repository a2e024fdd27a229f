"""Tables that cannot be read without a guess: one line of what, where and what is accepted."""

from itertools import cycle

import numpy as np
import pandas as pd
import pytest
from sklearn import model_selection as ms
from sklearn.tree import DecisionTreeClassifier

import bayescmp as bc
import bayescmp.bayesian as b
import bayescmp.frequentist as f
from tests.conftest import small_table
from tests.hostile import KEYS, emptied, runs, table, wide, without
from tests.rows import each_row


def _cell(column, value, row=7):
    def change(t):
        t = t.astype({column: object})
        t.iloc[row, t.columns.get_loc(column)] = value
        return t

    return change


def _splits(n, **columns):
    return lambda t: pd.concat([t[t["fold"] == 0].assign(fold=i) for i in range(n)]).assign(
        accuracy=np.linspace(0.5, 0.9, 9 * n), **columns
    )


#: What is handed in, options, and what the message has to name.
REFUSED = {
    "a word": (_cell("accuracy", "n/a"), {}, ["'accuracy'", "text in row 7", "'n/a'", "must"]),
    "a list": (_cell("accuracy", [0.5]), {}, ["'accuracy'", "list in row 7", "must hold"]),
    "a date": (_cell("accuracy", pd.Timestamp("2020")), {}, ["'accuracy'", "row 7", "must hold"]),
    "a huge number": (_cell("accuracy", 10**400), {}, ["'accuracy'", "a larger one"]),
    "infinity": (_cell("accuracy", np.inf), {}, ["got inf", "'iris'", "'svm'", "fold 2"]),
    "a gap": (_cell("accuracy", None), {}, ["missing", "'iris'", "'svm'", "missing='common'"]),
    "no data set": (
        _cell("dataset", None),
        {},
        ["'dataset' must have a name in every row", "row 7"],
    ),
    "an empty name": (
        _cell("algorithm", " "),
        {},
        ["'algorithm' must have a name in every row", "row 7", "Give"],
    ),
    "a list for a name": (_cell("dataset", ["iris"]), {}, ["'dataset'", "got a list in row 7"]),
    "1 and '1'": (lambda t: t.assign(dataset=[1, "1", 1] * 15), {}, ["'dataset'", "1 and '1'"]),
    "blanks that make two rows one": (
        lambda t: pd.concat([t, t.assign(algorithm=t["algorithm"] + " ")]),
        {},
        ["duplicate", "blanks around names left out of 'algorithm'"],
    ),
    "two columns of one name": (
        lambda t: pd.concat([t, t["accuracy"]], axis=1),
        {},
        ["'accuracy' twice"],
    ),
    "two columns but for blanks": (
        lambda t: t.assign(**{" accuracy": 1.0}),
        {},
        ["'accuracy' and ' accuracy'", "must have names"],
    ),
    "twice, told apart by a column": (
        lambda t: pd.concat([t.assign(C=1), t.assign(C=10)]),
        {},
        ["duplicate", "'C'", "They differ in"],
    ),
    "train and test as folds": (
        lambda t: t.assign(fold=["train", "test", "val"] * 15),
        {},
        ["'fold'", "'train'", "parts of the data"],
    ),
    "no algorithms": (
        lambda t: t.drop(columns="algorithm"),
        {},
        ["must have a column for the algorithm", "columns={'algorithm'"],
    ),
    "no scores": (lambda t: t[KEYS], {}, ["must have a column of numbers"]),
    "no rows": (lambda t: t[:0], {}, ["at least one row (got none)"]),
    "no columns": (lambda t: t[[]], {}, ["must have columns", "Use a long table"]),
    "a Series": (lambda t: t["accuracy"], {}, ["Series", "to_frame"]),
    "an array": (lambda t: t.to_numpy(), {}, ["an array", "DataFrame"]),
    "sparse": (
        lambda t: t.assign(accuracy=t["accuracy"].astype("Sparse[float]")),
        {},
        ["'accuracy'", "sparse", "frame.astype"],
    ),
    "complex": (lambda t: t.astype({"accuracy": complex}), {}, ["complex", "must hold real"]),
    "numbers in text": (lambda t: t.astype({"accuracy": str}), {}, ["'accuracy'", "to_numeric"]),
    "metrics for algorithms": (
        lambda t: (
            t.pivot_table(index="dataset", values=["accuracy"]).assign(f1=1.0).rename_axis(None)
        ),
        {},
        ["'accuracy', a metric by its name"],
    ),
    "rows without names": (
        lambda t: wide(t).reset_index(drop=True).rename_axis(columns=None),
        {},
        ["must have data sets or algorithms", "from_means"],
    ),
    "levels without names": (
        lambda t: t.set_index(KEYS).rename_axis([None] * 3),
        {},
        ["3 levels", "rename_axis"],
    ),
    "an index that contradicts": (
        lambda t: t.set_index(t["dataset"].to_numpy()[::-1]).rename_axis("dataset"),
        {},
        ["and the column 'dataset'", "Drop one"],
    ),
    "an unknown part": (
        lambda t: t,
        {"columns": {"folds": "fold"}},
        ["part of a score table", "'fold'"],
    ),
    "an unknown column": (
        lambda t: t,
        {"columns": {"fold": "flod"}},
        ["'flod'", "Did you mean 'fold'"],
    ),
    "an unknown metric": (
        lambda t: t,
        {"lower_is_better": ["acuracy"]},
        ["'acuracy'", "'accuracy'"],
    ),
    "both directions": (
        lambda t: t,
        {"lower_is_better": "accuracy", "higher_is_better": "accuracy"},
        ["'accuracy'", "lower-is-better and higher-is-better"],
    ),
    "a negated loss": (
        lambda t: t.assign(rmse=-t["accuracy"])[[*KEYS, "rmse"]],
        {},
        ["'rmse' must never be negative", "'neg_rmse'"],
    ),
    "a size in text": (
        lambda t: t.assign(n_test="many"),
        {},
        ["'n_test'", "'many' in row 0", "must hold"],
    ),
    "a correlation of 1": (
        lambda t: t.assign(fold_correlation=1.0),
        {},
        ["fold_correlation", "'iris'", "[0, 1)"],
    ),
    "thirty splits": (_splits(30), {}, ["30 of data set 'iris'", "resampling='3x10-fold'"]),
    "windows": (
        _splits(5, n_train=np.tile(np.repeat(np.arange(20, 120, 20), 9), 1), n_test=20),
        {},
        ["'iris'", "windows in time", "rho must be given"],
    ),
    "out of bag": (
        _splits(5, n_train=100, n_test=np.repeat([36, 40, 33, 37, 35], 9)),
        {},
        ["'iris'", "bootstrap", "rho must be given"],
    ),
    "runs": (runs, {}, ["does not show whether run 1", "resampling="]),
    "uneven runs": (
        lambda t: pd.concat([t.assign(run=1), t[t["fold"] < 3].assign(run=2)]),
        {},
        ["'iris' must have the same number of folds (got 3 to 5)", "give rho"],
    ),
    "three folds of five": (
        lambda t: t,
        {"resampling": "3-fold"},
        ["'3-fold'", "'iris'", "5 folds"],
    ),
    "folds against sizes": (
        lambda t: t.assign(n_train=100, n_test=50),
        {"resampling": "5-fold"},
        ["'5-fold'", "33.3% are tested"],
    ),
    "items against sizes": (
        lambda t: t.assign(n_train=100, n_test=50),
        {"resampling": "leave-one-out"},
        ["leave-one-out", "the largest n_test is 50"],
    ),
    "shares against sizes": (
        lambda t: t.assign(n_train=100, n_test=50),
        {"resampling": "random splits 0.1"},
        ["33.3% are tested"],
    ),
    "bootstrap without rho": (
        lambda t: t,
        {"resampling": "bootstrap"},
        ["'bootstrap'", "Give it there"],
    ),
    "windows without rho": (
        lambda t: t,
        {"resampling": ms.TimeSeriesSplit(5)},
        ["TimeSeriesSplit", "rho"],
    ),
    "sizes in items": (
        lambda t: t,
        {"resampling": ms.ShuffleSplit(5, test_size=30)},
        ["in items"],
    ),
    "a splitter that does not tell": (
        lambda t: t,
        {"resampling": ms.LeaveOneGroupOut()},
        ["LeaveOneGroupOut", "return_indices=True"],
    ),
    "a design of an unknown data set": (
        lambda t: t,
        {"resampling": {"irsi": 5}},
        ["'irsi'", "'iris'"],
    ),
    "a share that is none": (
        lambda t: t,
        {"resampling": "random splits 33"},
        ["33", "between 0 and 1"],
    ),
    "two designs": (
        lambda t: t.assign(resampling=["5-fold", "rho 0.1", "5-fold"] * 15),
        {},
        ["'resampling'", "'5-fold' and 'rho 0.1'", "'iris'"],
    ),
    "rows of a wide table": (
        lambda t: wide(t).reset_index("fold", drop=True),
        {"metric": "accuracy"},
        ["5 folds of data set 'glass'", "does not show how they were drawn"],
    ),
    "a row that is gone": (
        lambda t: without(t, dataset="wine", algorithm="svm", fold=3),
        {},
        ["must have the same folds", "'wine'", "'knn'", "fold 3", "'svm'", "missing='common'"],
    ),
    "other folds": (
        lambda t: t.assign(fold=t["fold"] + 10 * (t["algorithm"] == "svm")),
        {},
        ["must have the same folds", "'iris'", "fold 0"],
    ),
    "nothing in common": (
        lambda t: emptied(emptied(t, algorithm="svm"), algorithm="x"),
        {"missing": "common"},
        ["'knn' and 'svm' must have a fold", "in common"],
    ),
    "a way that is none": (
        lambda t: t,
        {"missing": "drop"},
        ["missing must be", "'common'", "'drop'"],
    ),
}


def _compared(given, options):
    scores = bc.Scores(given, **options)
    metric = "accuracy" if "accuracy" in scores.metrics else scores.sole_metric
    return scores.differences("knn", "svm", metric)


@each_row("name", REFUSED)
@pytest.mark.filterwarnings("ignore::bayescmp.errors.DirectionWarning")
def test_refused_in_one_line_that_names_what_and_where(name):
    make, options, parts = REFUSED[name]
    given = make(table())
    with pytest.raises(bc.InputError) as caught:
        _compared(given, options)
    message = str(caught.value)
    assert "\n" not in message
    assert [part for part in parts if part not in message] == []


# The doors that take arrays, flags and names, each with what it has to refuse.

RNG = np.random.default_rng(3)
LONG = pd.DataFrame(
    [
        {"dataset": d, "algorithm": a, "fold": k, "accuracy": x, "auc": x + 0.01 * k, "rmse": x}
        for d in "pqr"
        for a in "ABC"
        for k, x in enumerate(RNG.uniform(0.6, 0.9, 5))
    ]
)
SCORES = bc.Scores(LONG)
PAIR = SCORES.differences("A", "B", "accuracy")
MEANS = SCORES.means("accuracy")
BLOCKS = bc.scores_blocks(SCORES, metrics=["accuracy"], dataset="p")
THREE = BLOCKS.x[..., 0]
JOINT = bc.scores_blocks(SCORES, metrics=["accuracy", "auc"], dataset="p")
ITEMS = bc.Items(
    pd.DataFrame(
        {
            "model": ["A"] * 9 + ["B"] * 9,
            "item": [*range(9)] * 2,
            "correct": [1, 0, 0, 1, 0, 1, 0, 0, 1, *[1, 1, 1, 1, 1, 0, 1, 1, 1]],
        }
    )
).pair("A", "B")
GRID = b.hierarchical_t(PAIR, rope=0.01, engine="quadrature", seed=1)
CLOSED = b.correlated_t(PAIR.row("p"), rope=0.1)
GROUPS = b.groups(BLOCKS, rope=0.01, seed=1)

#: Methods that take a flag; flags of functions are tried with their other arguments.
FLAGS = [
    *((GRID.sensitivity, flag) for flag in ("datasets", "progress")),
    *((GROUPS.sensitivity, flag) for flag in ("datasets", "refit", "progress")),
    *((CLOSED.sensitivity, flag) for flag in ("datasets", "refit", "progress")),
    (GRID.summary, "datasets"),
    (f.tukey(THREE).matrix, "raw"),
    (lambda **flag: f.learned_measures(JOINT).formula(1, **flag), "standardised"),
]


@each_row(("method", "flag"), FLAGS)
def test_a_flag_of_a_method_is_true_or_false(method, flag):
    for value in ("no", ["no"], float("nan"), 0, None):
        with pytest.raises(bc.InputError, match=rf"{flag} must be True or False"):
            method(**{flag: value})


def test_numpys_flags_are_as_good():
    plain, numpys = (f.tukey(THREE, block=flag).pvalue for flag in (False, np.False_))
    assert plain.tolist() == numpys.tolist() != f.tukey(THREE, block=np.True_).pvalue.tolist()


# What is no number.

NO_NUMBERS = {
    "a flag": True,
    "a flag in a list": [0, True],
    "a time": np.timedelta64(1, "D"),
    "a mask": np.ma.masked,
    "a masked array": np.ma.masked_array([0.1, 0.2], [False, True]),
    "a complex number": 0.1 + 0j,
    "a text": "0.1",
    "a set": {0.1},
}
TAKERS = {
    "n_test": lambda n: f.corrected_t(PAIR.row("p"), n_test=n, n_train=9),
    "n_train": lambda n: f.corrected_t(PAIR.row("p"), n_test=1, n_train=n),
    "rope": lambda rope: b.correlated_t(PAIR.row("p"), rope=rope),
    "rope of two metrics": lambda rope: b.multivariate_t(JOINT.pair("A", "B"), rope=rope),
    "rope of a cross-check": lambda rope: bc.crosscheck(SCORES, "accuracy", rope),
    "rho": lambda rho: b.correlated_t(PAIR.row("p"), rho=rho, rope=0.1),
    "rho of each": lambda rho: bc.Differences(PAIR.x[:2], rho=rho),
    "rho of Blocks": lambda rho: f.tukey(BLOCKS, rho=rho),
    "rho of two": lambda rho: f.hotelling_paired(JOINT.pair("A", "B"), rho=rho),
    "rho of a table": lambda rho: SCORES.differences("A", "B", "accuracy", rho=rho),
}


@each_row(
    ("taker", "kind"),
    [*zip(TAKERS, cycle(NO_NUMBERS), strict=False), *(("rope", kind) for kind in NO_NUMBERS)],
)
def test_what_is_no_number_is_no_rope_and_no_correlation(taker, kind):
    with pytest.raises(bc.InputError, match=r"accepted|must be") as caught:
        TAKERS[taker](NO_NUMBERS[kind])
    assert "\n" not in str(caught.value)


# What is paired by place, and labelled.

FIRST, SECOND = RNG.uniform(size=(2, 12))
RIGHT = (FIRST > 0.5).astype(int)


def _framed(values, labels):
    """Two folds on the same test set, which a table's columns are."""
    return pd.DataFrame([values, values**2], columns=labels)


#: Doors that pair two arrays, from each of them as pandas has it to numbers.
PAIRED = {
    "Differences.from_arrays": lambda x, y, a: bc.Differences.from_arrays(x, y, rho=0.0).x,
    "from_arrays, of tables": lambda x, y, a: (
        bc.Differences.from_arrays(_framed(x, a(x)), _framed(y, a(y)), rho=0.0).x
    ),
    "rho_from_sizes": lambda x, y, a: np.asarray(bc.rho_from_sizes(x, y)),
    "mcnemar": lambda x, y, a: f.mcnemar(x > 0.3, y > 0.3).pvalue,
    "paired_proportions": lambda x, y, a: b.paired_proportions(x > 0.3, y > 0.3, rope=0).counts,
    "cluster_bootstrap": lambda x, y, a: (
        b.cluster_bootstrap(x, clusters=(9 * y).round(), rope=0).sums
    ),
    "confusion": lambda x, y, a: (
        b.confusion(predictions=(x > 0.5, x > 0.3, y > 0.3), rope=0, seed=1).counts
    ),
    "delong, labels": lambda x, y, a: f.delong(x > 0.5, y).pvalue,
    "delong, scores": lambda x, y, a: f.delong(RIGHT, x, y).pvalue,
    "auc": lambda x, y, a: bc.curves.auc(x > 0.5, y),
    "auc_pr": lambda x, y, a: bc.curves.auc_pr(x > 0.5, y),
    "threshold_sweep": lambda x, y, a: bc.curves.threshold_sweep(x > 0.5, y).tp,
    "auc_test": lambda x, y, a: f.auc_test(RIGHT, [x, x**2 - x], [y, y**2 - y]).pvalue,
    "auc_pr_test": lambda x, y, a: f.auc_pr_test(RIGHT, [x, x**2 - x], [y, y**2 - y]).pvalue,
    "area_tests": lambda x, y, a: (
        f.area_tests(RIGHT, [x, x**2 - x], [y, y**2 - y]).plain["auc"].pvalue
    ),
    "tukey": lambda x, y, a: f.tukey([x, y]).pvalue,
    "anova": lambda x, y, a: f.anova([x, y]).pvalue,
    "friedman": lambda x, y, a: f.friedman([x, y]).pvalue,
    "groups": lambda x, y, a: b.groups([x, y], rho=0, rope=0).x,
    "manova": lambda x, y, a: (
        f.manova([pd.DataFrame({"tpr": v, "auc": v**2}, a(v)) for v in (x, y)]).pvalue
    ),
    "performance_profiles": lambda x, y, a: (
        f.aggregate_runs({"A": _framed(x, a(x)), "B": _framed(y, a(y))}, seed=1).estimate
    ),
}
LETTERS = list("abcdefghijkl")


def _labels_of(values):
    return getattr(values, "index", None)


@each_row("door", PAIRED)
def test_labels_that_differ_are_refused_where_arrays_are_paired_by_place(door):
    call = PAIRED[door]
    alike = call(pd.Series(FIRST, LETTERS), pd.Series(SECOND, LETTERS), _labels_of)
    np.testing.assert_array_equal(alike, call(FIRST, SECOND, _labels_of))
    with pytest.raises(bc.InputError, match="the same labels in the same order"):
        call(pd.Series(FIRST, LETTERS), pd.Series(SECOND, LETTERS[::-1]), _labels_of)


def test_rows_to_learn_from_and_their_classes_belong_together():
    X, y = pd.DataFrame({"a": FIRST}, LETTERS), pd.Series(RIGHT, LETTERS[::-1])
    for call in (
        lambda: f.permutation_test(None, X, y),
        lambda: bc.run_experiment({"tree": DecisionTreeClassifier()}, {"d": (X, y)}),
    ):
        with pytest.raises(bc.InputError, match="X and y must have the same labels"):
            call()


UNORDERED = {
    "names": lambda s: b.correlated_t([0.1, 0.2], rho=0, rope=0, names=s),
    "algorithms": lambda s: bc.compare_all(SCORES, "accuracy", 0.1, algorithms=s),
    "algorithms of groups": lambda s: b.groups(THREE[:2], rho=0, rope=0, names=s),
    "algorithms of Blocks": lambda s: BLOCKS.select(algorithms=s),
    "metrics of Blocks": lambda s: JOINT.select(metrics=s),
    "datasets": lambda s: bc.Differences([[1.0], [2.0]], rho=0, datasets=s),
    "order": lambda s: f.page_trend(MEANS, order=s),
    "rows by name": lambda s: bc.Differences({"p": [1.0], "q": [2.0]}, rho=0),
    "algorithms in a set": lambda s: f.tukey({(1, 2, 3), (1, 2, 4)}),
    "data sets by name": lambda s: b.hierarchical_multivariate_t({"p": JOINT}, rope=0),
}


@each_row("door", UNORDERED)
def test_what_has_no_order_is_no_ordered_input(door):
    with pytest.raises(
        bc.InputError,
        match=r"no order|is a (set|dict)|is dict|must be|must have at least 2 algorithms",
    ):
        UNORDERED[door]({"A", "B"})


# Options that would not be used.

UNUSED = {
    "metric of Differences without one": lambda: bc.compare(
        bc.Differences(PAIR.x, rho=0), metric="auc", rope=0.1
    ),
    "a data set of Blocks": lambda: b.groups(BLOCKS, rope=0, dataset="q"),
    "a data set of numbers": lambda: b.groups(THREE, rho=0, rope=0, dataset="q"),
    "names of Blocks": lambda: b.groups(BLOCKS, rope=0, names=["C", "B", "A"]),
    "names and algorithms": lambda: b.groups(
        THREE, rho=0, rope=0, names=["C", "B", "A"], algorithms=["A", "B", "C"]
    ),
    "a direction of Blocks": lambda: b.groups(BLOCKS, rope=0, lower_is_better=[True]),
    "a direction of Scores, bootstrapped": lambda: b.bootstrap(
        SCORES, metric="auc", rope=0, lower_is_better=True
    ),
    "a direction of Scores, ranked": lambda: b.friedman(
        SCORES, metric="auc", lower_is_better=True
    ),
    "a direction of Scores, jointly": lambda: b.joint_t(
        SCORES, metric="auc", rope=0, lower_is_better=True
    ),
    "one metric together": lambda: bc.crosscheck(SCORES, "accuracy", 0.1, metrics=["auc"]),
    "one metric together, reported": lambda: bc.report(
        SCORES, "never.md", metric="accuracy", metrics=["auc"], rope=0.1
    ),
    "rho of plain tests": lambda: bc.procedure(
        SCORES, metrics="accuracy", corrected=False, rho=0.1
    ),
    "rho of plain agreement": lambda: bc.decision_agreement(SCORES, corrected=False, rho=0.1),
    "answers beside a pair": lambda: b.paired_proportions(ITEMS, [1, 0], rope=0),
    "Tukey's adjustment": lambda: f.wins_table([THREE], adjust="holm"),
    "correction of an exact McNemar": lambda: f.mcnemar([[4, 5], [1, 2]], correction=True),
    "correction of exact ranks": lambda: f.wilcoxon(PAIR, method="exact", correction=True),
    "a variance of signs": lambda: f.posthoc(MEANS, test="sign", variance="published"),
    "pairs in full without pictures": lambda: bc.report(
        SCORES, "never.md", metric="accuracy", rope=0.1, in_full=3
    ),
    "a local rope of counts": lambda: b.bradley_terry(
        pd.DataFrame([[0, 3], [2, 0]], list("AB"), list("AB")), local_rope=0.5
    ),
}


@each_row("option", UNUSED)
def test_an_option_that_is_not_used_is_refused(option):
    with pytest.raises(bc.InputError) as caught:
        UNUSED[option]()
    assert "\n" not in str(caught.value)
    assert any(words in str(caught.value) for words in ("not used", "but the", "is given", "must"))


# Questions about scores that are in order, which have no answer.

PLAIN = bc.Scores(small_table())
ASKED = {
    "a gate on no metric": (
        lambda: bc.gate(PLAIN, "knn", "gbm", metric=[], margin=0.1),
        "metric must be a name",
    ),
    "a margin for one of two metrics": (
        lambda: bc.gate(
            PLAIN, "knn", "gbm", metric=["accuracy", "log_loss"], margin={"accuracy": 0.1}
        ),
        "margin must have one for each metric (got none for 'log_loss')",
    ),
    "a margin with two ends": (
        lambda: bc.gate(PLAIN, "knn", "gbm", metric="accuracy", margin={"accuracy": (-0.1, 0.2)}),
        "margin must be one number",
    ),
    "another scale than that of the differences": (
        lambda: bc.compare(
            PLAIN.differences("knn", "gbm", "accuracy"), rope=0.1, scale="log_ratio"
        ),
        "scale must be that of the differences, 'difference'",
    ),
    "a rope for one of two metrics": (
        lambda: bc.crosscheck(PLAIN, ["accuracy", "log_loss"], {"accuracy": 0.1}),
        "rope must give a region for metric 'log_loss'",
    ),
    "tests over folds of means": (
        lambda: bc.decision_agreement(
            bc.Scores.from_means(PLAIN.means("accuracy"), metric="accuracy")
        ),
        "scores must have folds",
    ),
    "a label for a metric": (
        lambda: bc.Scores.from_means(PLAIN.means("accuracy"), metric="dataset"),
        "metric must be a metric's name, not that of a label",
    ),
}


@each_row("name", ASKED)
def test_a_question_without_an_answer_is_refused(name):
    ask, message = ASKED[name]
    with pytest.raises(bc.InputError) as refused:
        ask()
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)
