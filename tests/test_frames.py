"""DataFrames given to tests: every test reads the same frame the same way and keeps its names."""

from __future__ import annotations

import inspect
import re
from functools import cache
from itertools import cycle

import numpy as np
import pandas as pd
import polars
import pytest
import xarray
from scipy import stats

import bayescmp as bc
from tests.rows import each_row

f, b = bc.frequentist, bc.bayesian

NAMES = ["knn", "svm", "rf"]
RNG = np.random.default_rng(3)
#: Four times as many rows as algorithms, so that a transposed reading shows.
VALUES = RNG.normal(0.7, 0.05, (12, 1)) + RNG.normal([0.0, 0.01, 0.03], 0.02, (12, 3))
DATASETS = [f"set-{letter}" for letter in "abcdefghijkl"]
FOLDS = [f"Fold{i:02d}" for i in range(1, 13)]
FRAME = pd.DataFrame(VALUES, columns=NAMES)
RIGHT = (VALUES > 0.7).astype(float)
#: The first has the algorithms in order, in which lists of names are read.
RANKS = np.vstack([[1.0, 2.0, 3.0], np.argsort(np.argsort(-VALUES[1:])) + 1.0])


def _of_rows(test, **options):
    return lambda x: test(x, **options), lambda x: test(x, **options), VALUES


def _of_columns(test, **options):
    """A test whose arrays have one row per algorithm."""
    return lambda x: test(x, **options), lambda x: test(x.T, **options), VALUES


#: Tests of several algorithms: on a frame, on the array of these values, and the values.
SEVERAL = {
    "frequentist.friedman": _of_rows(f.friedman),
    "frequentist.iman_davenport": _of_rows(f.iman_davenport),
    "frequentist.friedman_aligned_ranks": _of_rows(f.friedman_aligned_ranks),
    "frequentist.quade": _of_rows(f.quade),
    "frequentist.kendalls_w": _of_rows(f.kendalls_w),
    "frequentist.page_trend": (
        lambda x: f.page_trend(x, order=NAMES),
        lambda x: f.page_trend(x, order=["A1", "A2", "A3"]),
        VALUES,
    ),
    "frequentist.average_ranks": _of_rows(f.average_ranks),
    "frequentist.contrast_estimation": _of_rows(f.contrast_estimation),
    "frequentist.posthoc": _of_rows(f.posthoc),
    "frequentist.nemenyi": _of_rows(f.nemenyi),
    "frequentist.multiple_sign": _of_rows(f.multiple_sign, control=0),
    "frequentist.skillings_mack": _of_rows(f.skillings_mack),
    "frequentist.cochran_q": (f.cochran_q, f.cochran_q, RIGHT),
    "frequentist.anova": _of_columns(f.anova),
    "frequentist.tukey": _of_columns(f.tukey),
    "frequentist.pairwise_t": _of_columns(f.pairwise_t),
    "frequentist.dunnett": _of_columns(f.dunnett, control=0),
    "frequentist.mauchly": _of_columns(f.mauchly),
    "frequentist.partial_eta_squared": _of_columns(f.partial_eta_squared),
    "frequentist.kruskal_wallis": _of_columns(f.kruskal_wallis),
    "frequentist.wins_table": (
        lambda x: f.wins_table([x, x]),
        lambda x: f.wins_table([x.T, x.T]),
        VALUES,
    ),
    "bayesian.groups": _of_columns(b.groups, rho=0.1, rope=0.01, seed=1),
    "bayesian.bootstrap": _of_rows(b.bootstrap, rope=0.01, seed=1),
    "bayesian.leaderboard": _of_rows(b.leaderboard, questions=500, rope=0.01, seed=1),
    "bayesian.friedman": _of_rows(b.friedman, seed=1),
    "bayesian.question_bootstrap": _of_rows(b.question_bootstrap, rope=0.01, seed=1),
    "bayesian.plackett_luce": (
        lambda x: b.plackett_luce(x, seed=1),
        lambda x: b.plackett_luce([[NAMES[k] for k in np.argsort(row)] for row in x], seed=1),
        RANKS,
    ),
    "Blocks": _of_columns(bc.Blocks, rho=0.1),
}
#: Those whose rows are independent of each other, which folds are not.
OF_UNITS = [
    name
    for name in SEVERAL
    if SEVERAL[name][2] is VALUES
    and re.search(
        "fried|iman|quade|kend|page|rank|contr|posthoc|neme|sign|skill|durb|boots|lead", name
    )
    and "question" not in name
]
#: One of each way in which a test reads its table.
READERS = [
    "frequentist.friedman",
    "frequentist.page_trend",
    "frequentist.cochran_q",
    "frequentist.anova",
    "frequentist.kruskal_wallis",
    "frequentist.wins_table",
    "bayesian.groups",
    "bayesian.bootstrap",
    "bayesian.plackett_luce",
    "Blocks",
]
#: Tests of two algorithms: of a frame of two, or of an array of the second minus the first.
PAIRS = {
    "frequentist.paired_t": f.paired_t,
    "frequentist.corrected_t": lambda x: f.corrected_t(x, rho=0.1),
    "frequentist.wilcoxon": f.wilcoxon,
    "frequentist.paired_permutation": lambda x: f.paired_permutation(x, seed=1),
    "frequentist.tost_paired": lambda x: f.tost_paired(x, rho=0.1, rope=0.02),
    "frequentist.tost_means": lambda x: f.tost_means(x, rope=0.02),
    "frequentist.cohens_d": f.cohens_d,
    "frequentist.rank_biserial": f.rank_biserial,
    "frequentist.confidence_sequence": f.confidence_sequence,
    "bayesian.correlated_t": lambda x: b.correlated_t(x, rho=0.1, rope=0.01),
    "bayesian.sign": lambda x: b.sign(x, rope=0.01, seed=1),
    "bayesian.signed_rank": lambda x: b.signed_rank(x, rope=0.01, seed=1),
    "bayesian.cluster_bootstrap": lambda x: b.cluster_bootstrap(x, rope=0.01),
}
#: Read otherwise: a frame of predictors, of predictions, of wins, of metrics; or as slow as a
#: sampler, by the code of one that is listed.
ELSEWHERE = {
    "frequentist.permutation_test",
    "frequentist.correct_items",
    "frequentist.hotelling_paired",
    "frequentist.hotelling_two_sample",
    "frequentist.mardia",
    "frequentist.mcnemar",
    "bayesian.bradley_terry",
    "bayesian.confusion",
    "bayesian.judge_corrected",
    "bayesian.paired_proportions",
    "bayesian.proportions",
    "frequentist.barnard",
    "frequentist.boschloo",
    "frequentist.fisher",
    "frequentist.newcombe",
    "bayesian.robust_t",
    "bayesian.friedman",
}


@cache
def documented(test: str) -> object:
    """The result of the array that the test's docstring asks for."""
    _, of_array, values = SEVERAL[test]
    return of_array(values)


def numbers_of(result: object) -> list[np.ndarray]:
    """Whatever of a result's numbers depends on which score is whose."""
    names = "statistic pvalue adjusted estimate ranks wins effects x z sums differences location"
    held = [getattr(result, name, None) for name in (*names.split(), "abilities")]
    return [np.asarray(v, dtype=float) for v in held if isinstance(v, float | np.ndarray)]


def names_of(result: object) -> tuple[str, ...]:
    return tuple(getattr(result, "algorithms", ()) or getattr(result, "names", ()))


def same(result: object, other: object) -> bool:
    """Equal but for the last bits: sums over other strides differ in those."""
    pairs = list(zip(numbers_of(result), numbers_of(other), strict=True))
    return bool(pairs) and all(np.allclose(v, w, rtol=1e-9, atol=1e-12) for v, w in pairs)


def test_every_test_that_documents_a_frame_is_listed():
    documented = set()
    for wing in (f, b):
        for name in wing.__all__:
            text = inspect.getdoc(getattr(wing, name)) or ""
            first = re.search(r"Parameters\n-+\n(.*)\n", text)
            if inspect.isfunction(getattr(wing, name)) and first and "DataFrame" in first[1]:
                documented.add(f"{wing.__name__.removeprefix('bayescmp.')}.{name}")
    assert documented <= set(SEVERAL) | set(PAIRS) | ELSEWHERE


# One reading of a frame of several algorithms.


@each_row("test", SEVERAL)
def test_algorithms_are_columns_and_names_are_kept(test):
    of_frame, _, values = SEVERAL[test]
    for frame in (
        pd.DataFrame(values, columns=NAMES),
        pd.DataFrame(values, columns=NAMES, index=DATASETS),
        pd.DataFrame(values, columns=NAMES).assign(dataset=DATASETS)[["dataset", *NAMES]],
    ):
        if test == "bayesian.groups" and "dataset" in frame:
            continue  # which Scores reads: several data sets
        given = frame.copy()
        result = of_frame(frame)
        assert same(result, documented(test))
        assert names_of(result) in ((*NAMES,), ())
        pd.testing.assert_frame_equal(frame, given)


def test_named_axes_turn_a_frame():
    for test in READERS:
        of_frame, _, values = SEVERAL[test]
        row = "dataset" if test != "bayesian.groups" else "seed"
        for index, columns in (("algorithm", None), ("model", row), (None, row)):
            turned = pd.DataFrame(values.T, NAMES, DATASETS).rename_axis(
                index=index, columns=columns
            )
            result = of_frame(turned)
            assert same(result, documented(test))
            assert names_of(result) in ((*NAMES,), ())


def test_a_mapping_holds_the_columns():
    for test in READERS:
        of_frame, _, values = SEVERAL[test]
        result = of_frame({name: list(values[:, k]) for k, name in enumerate(NAMES)})
        assert same(result, documented(test))
        assert names_of(result) in ((*NAMES,), ())


def test_tables_of_other_libraries_are_read_as_frames():
    for test in READERS:
        of_frame, _, values = SEVERAL[test]
        tables = [polars.DataFrame({"dataset": DATASETS, **pd.DataFrame(values, columns=NAMES)})]
        array = xarray.DataArray(values, dims=("run", "algorithm"), coords={"algorithm": NAMES})
        if test not in OF_UNITS:
            tables += [array, array.T]
        if test == "bayesian.groups":  # of several data sets Scores asks for one
            tables = tables[1:]
        for table in tables:
            assert same(of_frame(table), documented(test))


@each_row("test", READERS)
def test_a_square_frame_is_read_by_its_columns(test):
    of_frame, of_array, values = SEVERAL[test]
    if "question" in test or "mauchly" in test:  # which need more rows than columns
        return
    square = values[:3]
    if test == "frequentist.cochran_q":
        square = np.array([[0.0, 1, 1], [0, 0, 1], [1, 0, 1]])
    result = of_frame(pd.DataFrame(square, columns=NAMES, index=["p1", "p2", "p3"]))
    assert same(result, of_array(square))


HOSTILE = {
    "algorithms in the index, columns numbered": (
        lambda values: pd.DataFrame(values.T, index=NAMES),
        r"got the numbers 0, 1, \.\.\. next to rows named 'knn', 'svm', \.\.\.",
        lambda x: x.T,
    ),
    "folds in the columns": (
        lambda values: pd.DataFrame(values.T, NAMES, FOLDS),
        r"got folds: 'Fold01', 'Fold02', \.\.\.\). Turn the table: \w+\.T",
        lambda x: x.T.set_axis(DATASETS),
    ),
    "a summary in the rows": (
        lambda values: pd.concat(
            [pd.DataFrame(values, DATASETS, NAMES), pd.DataFrame([values[0]], ["Average"], NAMES)]
        ),
        r"row 'Average' of \w+ must be left out.*\w+\[\w+\.index != 'Average'\]",
        lambda x: x[x.index != "Average"],
    ),
    "a summary in a column of labels": (
        lambda values: pd.DataFrame(np.vstack([values, values[:1]]), columns=NAMES).assign(
            dataset=[*DATASETS, "Mean rank"]
        ),
        r"row 'Mean rank' of \w+ must be left out.*\w+\[\w+\['dataset'\] != 'Mean rank'\]",
        lambda x: x[x["dataset"] != "Mean rank"],
    ),
    "a summary in the columns": (
        lambda values: pd.DataFrame(values, DATASETS, NAMES).assign(Max=values[:, 0]),
        r"column 'Max' of \w+ must be left out.*drop\(columns=\['Max'\]\)",
        lambda x: x.drop(columns=["Max"]),
    ),
    "row numbers that to_csv wrote": (
        lambda values: pd.DataFrame(values, columns=NAMES).assign(**{"Unnamed: 0": range(12)}),
        r"column 'Unnamed: 0' of \w+ must be left out.*drop\(columns=\['Unnamed: 0'\]\)",
        lambda x: x.drop(columns=["Unnamed: 0"]),
    ),
    "two labels": (
        lambda values: pd.DataFrame(values, columns=NAMES).assign(
            dataset=DATASETS, fold=[1, 2] * 6
        ),
        r"must have one label \(got 'dataset' and 'fold'\)",
        lambda x: x.drop(columns=["fold"]),
    ),
    "metrics for algorithms": (
        lambda values: pd.DataFrame(values, DATASETS, ["accuracy", "auc", "f1"]),
        r"got metrics by their names: 'accuracy', 'auc', .*rename_axis\(columns='algorithm'\)",
        lambda x: x.set_axis(NAMES, axis=1),
    ),
    "metrics over algorithms": (
        lambda values: pd.DataFrame(values, DATASETS, NAMES).rename_axis(columns="metric"),
        r"columns named 'metric'\). Rename the axes if they are",
        lambda x: x.rename_axis(index=None, columns=None),
    ),
    "a table of pairs": (
        lambda values: pd.DataFrame(values[:3], NAMES, NAMES),
        "got the same names in rows and columns, as a table of pairs has them",
        None,
    ),
    "two columns of one name": (
        lambda values: pd.DataFrame(values, DATASETS, ["knn", "svm", "knn"]),
        "must have different names .*'knn' twice",
        None,
    ),
    "numbers kept as text": (
        lambda values: pd.DataFrame(values, DATASETS, NAMES).astype({"svm": str}),
        r"column 'svm' of \w+ must hold numbers \(got the text '",
        lambda x: x.assign(svm=x["svm"].astype(float)),
    ),
    "scores that differ in number": (
        lambda values: {"knn": [1.0, 0, 1], "svm": [1.0, 1, 0], "rf": [1.0, 0]},
        "(got 2 of 'rf' and 3 of 'knn'|rows of 2 to 3)",
        None,
    ),
}


@each_row(("test", "case"), [*zip(SEVERAL, cycle(HOSTILE), strict=False)])
def test_what_may_be_read_two_ways_is_refused_and_the_call_in_the_message_works(test, case):
    of_frame, _, values = SEVERAL[test]
    make, words, mended = HOSTILE[case]
    if "differ in number" in case and "kruskal" in test:
        return  # runs that do not pair may differ in number
    if test == "bayesian.groups" and case in ("two labels", "a summary in a column of labels"):
        return  # columns named as labels are read by Scores
    x = make(values)
    with pytest.raises(bc.InputError, match=words):
        of_frame(x)
    if mended is not None and test not in ("bayesian.groups", "bayesian.plackett_luce"):  # slow
        assert same(of_frame(mended(x)), documented(test))


@each_row("test", READERS)
def test_numbered_columns_may_be_said_to_be_algorithms(test):
    of_frame, _, values = SEVERAL[test]
    if "page" in test:
        return  # its order names them
    frame = pd.DataFrame(values, DATASETS)
    result = of_frame(frame.rename_axis(columns="algorithm"))
    assert same(result, documented(test))
    assert names_of(result) in (("0", "1", "2"), ())


@each_row("test", [name for name in READERS if name in OF_UNITS])
def test_folds_are_not_data_sets(test):
    of_frame, _, values = SEVERAL[test]
    words = r"got folds: .*anova\(scores, rho=0.0833\).*groups\(.*rename_axis\(index='dataset'\)"
    labelled = pd.DataFrame(values, FOLDS, NAMES)
    with pytest.raises(bc.InputError, match=words):
        of_frame(labelled)
    for index in ("fold", "repeat"):
        with pytest.raises(bc.InputError, match="got folds"):
            of_frame(FRAME.rename_axis(index=index))
    assert same(of_frame(labelled.rename_axis(index="dataset")), documented(test))
    assert f.anova(labelled, rho=0.0833).names == tuple(NAMES)
    assert b.groups(labelled, rho=0.0833, rope=0.01).names == tuple(NAMES)


@each_row("test", [name for name in READERS if name not in OF_UNITS])
def test_tests_of_folds_take_their_labels(test):
    of_frame, _, values = SEVERAL[test]
    frame = pd.DataFrame(values, FOLDS, NAMES)
    for table in (frame, frame.T.rename_axis(index="algorithm")):
        assert same(of_frame(table), documented(test))


def test_answers_are_not_means_of_data_sets():
    right = pd.DataFrame(RIGHT, columns=NAMES)
    for frame in (right, right.astype(bool), right.set_axis(DATASETS)):
        with pytest.raises(bc.InputError, match=r"Use bc.Items\(frame\) for questions, or"):
            b.bootstrap(frame, rope=0.01)
        with pytest.raises(bc.InputError, match=r"paired_proportions\(x, rope=0.01\).*mcnemar\(x"):
            b.signed_rank(frame[["knn", "rf"]], rope=0.01)
    declared = bc.Scores.from_means(right, metric="accuracy")
    assert same(b.bootstrap(declared, rope=0.01, seed=1), b.bootstrap(RIGHT, rope=0.01, seed=1))
    titled = right[["knn", "rf"]].rename_axis(index="dataset")
    assert b.signed_rank(titled, rope=0.01, seed=1).names == ("knn", "rf")
    few = right[["knn", "rf"]][:5]  # a metric may well be 0 or 1 on few data sets
    assert b.signed_rank(few, rope=0.01, seed=1).names == ("knn", "rf")


def test_several_labels_of_rows():
    labels = {"dataset": ["p"] * 6 + ["q"] * 6, "fold": [1, 2, 3, 4, 5, 6] * 2}
    frame = FRAME.assign(**labels)
    for table in (frame, frame.set_index(["dataset", "fold"])):
        with pytest.raises(
            bc.InputError, match=r"one data set, or compare all with .*Scores\(x\)"
        ):
            f.tukey(table)
        assert bc.Scores(table).datasets == ("p", "q")
    one = frame[frame["dataset"] == "p"]
    assert same(f.tukey(one), f.tukey(VALUES[:6].T))
    repeated = one.assign(repeat=[1, 1, 1, 2, 2, 2], fold=[1, 2, 3] * 2)
    assert same(f.tukey(repeated), f.tukey(VALUES[:6].T))
    unnamed = frame.set_index(["dataset", "fold"]).rename_axis([None, None])
    with pytest.raises(bc.InputError, match=r"Leave one out: x\.droplevel\(0\)"):
        f.tukey(unnamed)
    assert same(f.tukey(unnamed.droplevel(0)), f.tukey(VALUES.T))
    tidy = FRAME.melt(var_name="algorithm", value_name="accuracy")
    for test in (f.tukey, f.friedman, lambda x: bc.Blocks(x, rho=0.1)):
        with pytest.raises(bc.InputError, match="got a tidy table with the column 'algorithm'"):
            test(tidy)


def test_a_frame_without_names_is_read_only_where_arrays_have_its_shape():
    assert f.friedman(pd.DataFrame(VALUES)).pvalue == f.friedman(VALUES).pvalue
    for test in (f.tukey, f.kruskal_wallis, lambda x: bc.Blocks(x, rho=0.1)):
        for frame in (pd.DataFrame(VALUES), pd.DataFrame(VALUES)[3:]):
            with pytest.raises(bc.InputError, match=r"a table without names.*\.T\.to_numpy\(\)"):
                test(frame)
    assert f.tukey(FRAME.T.to_numpy()).pvalue == pytest.approx(f.tukey(FRAME).pvalue, rel=1e-9)


def test_frames_agree_with_scipy():
    """SciPy: f_oneway, tukey_hsd, kruskal, friedmanchisquare of the columns of the frame."""
    columns = [FRAME[name] for name in NAMES]
    assert f.anova(FRAME, block=False).pvalue == pytest.approx(stats.f_oneway(*columns).pvalue)
    hsd = stats.tukey_hsd(*columns).pvalue[np.triu_indices(3, 1)]
    assert f.tukey(FRAME, block=False).pvalue == pytest.approx(hsd, abs=1e-6)  # its quadrature
    assert f.kruskal_wallis(FRAME).pvalue == pytest.approx(stats.kruskal(*columns).pvalue)
    expected = stats.friedmanchisquare(*columns)
    assert f.friedman(FRAME).statistic == pytest.approx(expected.statistic)


def test_tests_of_one_frame_name_one_leader():
    """The issue's frame: ten folds in rows, knn, svm and rf in columns."""
    ten = FRAME[:10]
    for result in (f.tukey(ten), f.nemenyi(ten), f.pairwise_t(ten), f.average_ranks(ten)):
        assert str(result).startswith("rf comes first")


# Two algorithms.


@each_row("test", PAIRS)
def test_a_frame_of_two_is_the_second_minus_the_first(test):
    call, two = PAIRS[test], FRAME[["knn", "rf"]]
    documented = call((two["rf"] - two["knn"]).to_numpy())
    tables = [two, {"knn": [*two["knn"]], "rf": [*two["rf"]]}, two.set_axis(DATASETS)]
    tables.append(two.set_axis(DATASETS).T.rename_axis(index="algorithm"))
    for table in tables:
        result = call(table)
        assert result.names == ("knn", "rf")
        assert same(result, documented)
    with pytest.raises(bc.InputError, match=r"must hold two algorithms.*'knn', 'svm', 'rf'"):
        call(FRAME)
    with pytest.raises(bc.InputError, match=r"Turn the table: \w+\.T"):
        call(two.set_axis(DATASETS).T)
    with pytest.raises(bc.InputError, match=r"If it contains differences: \w+\['rf'\]"):
        call(two[["rf"]])


def test_names_choose_the_order_of_two():
    two = FRAME[["knn", "rf"]]
    for test in (
        lambda names: b.correlated_t(two, rho=0.1, rope=0.01, names=names),
        lambda names: b.signed_rank(two, rope=0.01, seed=1, names=names),
        lambda names: b.paired_proportions(two > 0.8, rope=0.01, names=names),
    ):
        plain, turned = (test(names).verdict() for names in (None, ("rf", "knn")))
        assert (plain.p_left, plain.p_right) == pytest.approx(
            (turned.p_right, turned.p_left),
            abs=0.02,  # of draws
        )
        with pytest.raises(bc.InputError, match="in either order"):
            test(("rf", "svm"))


def test_right_and_wrong_answers_of_two():
    two = pd.DataFrame(RIGHT, columns=NAMES)[["knn", "rf"]]
    result = f.mcnemar(two)
    assert result.names == ("knn", "rf")
    assert result.pvalue == f.mcnemar(two["knn"], two["rf"]).pvalue
    posterior = b.paired_proportions(two, rope=0.01)
    assert posterior.names == ("knn", "rf")
    assert (
        posterior.verdict()
        == b.paired_proportions(two["knn"], two["rf"], rope=0.01, names=("knn", "rf")).verdict()
    )
    counts = pd.DataFrame([[40, 5], [14, 25]], index=["right", "wrong"], columns=["yes", "no"])
    assert f.mcnemar(counts).pvalue == f.mcnemar(counts.to_numpy()).pvalue


def test_differences_are_of_folds():
    two = FRAME[["knn", "rf"]].set_axis(DATASETS)
    for test in (
        lambda x: bc.Differences(x, rho=0.1),
        lambda x: b.hierarchical_t(x, rho=0, rope=0),
    ):
        with pytest.raises(bc.InputError, match=r"must be folds|must hold two"):
            test(FRAME)
    with pytest.raises(bc.InputError, match=r"Differences\(x\['rf'\] - x\['knn'\], rho=0.1\)"):
        bc.Differences(two, rho=0.1)
    assert bc.Differences(two["rf"] - two["knn"], rho=0.1).n.tolist() == [12]
    named = bc.Differences(two.rename_axis(columns="fold"), rho=0.1)
    assert (named.datasets, named.n.tolist()) == (tuple(DATASETS), [2] * 12)
    folds = pd.DataFrame(VALUES, DATASETS, ["fold_0", "fold_1", "fold_2"])
    assert bc.Differences(folds, rho=0.1).datasets == tuple(DATASETS)
    turned = folds.T.rename_axis(index="fold", columns="dataset")
    assert bc.Differences(turned, rho=0.1).datasets == tuple(DATASETS)
    for x in (two["rf"].rename_axis("fold"), two["rf"].set_axis(FOLDS)):
        with pytest.raises(bc.InputError, match=r"got folds.*correlated_t"):
            b.sign(x, rope=0)
    with pytest.raises(bc.InputError, match="rows named 'algorithm'"):
        bc.Differences(FRAME.T.rename_axis(index="algorithm", columns="fold"), rho=0.1)


# Several metrics.


METRICS = RNG.normal(0.8, 0.02, (9, 3, 2))
LAYERS = pd.DataFrame(
    METRICS.reshape(9, 6),
    columns=pd.MultiIndex.from_product([NAMES, ["tpr", "auc"]], names=["algorithm", "metric"]),
)


@each_row(
    "test",
    [
        f.manova,
        f.pairwise_hotelling,
        lambda x: b.groups(x, ["tpr", "auc"], rho=0.1, rope=0.01, seed=1),
    ],
)
def test_columns_of_two_levels_are_algorithms_and_metrics(test):
    documented = test(np.swapaxes(METRICS, 0, 1))
    for table in (LAYERS, LAYERS.swaplevel(axis=1)):
        result = test(table)
        assert names_of(result) == tuple(NAMES)
        assert tuple(result.metrics) == ("tpr", "auc")
        assert same(result, documented)
    with pytest.raises(bc.InputError, match=r"rename_axis\(columns=\['algorithm', 'metric'\]\)"):
        test(LAYERS.rename_axis(columns=[None, None]))


def test_two_algorithms_by_several_metrics():
    two = LAYERS[["knn", "rf"]]
    d = METRICS[:, 2] - METRICS[:, 0]
    assert f.hotelling_paired(two).names == ("knn", "rf")
    assert f.hotelling_paired(two).pvalue == pytest.approx(f.hotelling_paired(d).pvalue)
    posterior = b.multivariate_t(two, rho=0.1, rope=0.01)
    assert (posterior.names, posterior.metrics) == (("knn", "rf"), ("tpr", "auc"))
    assert posterior.location == pytest.approx(d.mean(axis=0))
    by_name = {name: LAYERS[name] for name in NAMES}
    assert f.manova(by_name).pvalue == pytest.approx(f.manova(LAYERS).pvalue)
    for test in (f.hotelling_paired, lambda x: b.multivariate_t(x, rho=0.1, rope=0.01), f.mardia):
        with pytest.raises(bc.InputError, match="columns named 'algorithm'"):
            test(FRAME.rename_axis(columns="algorithm"))
        turned = pd.DataFrame(d, columns=["tpr", "auc"]).T.rename_axis(index="metric")
        assert test(turned).metrics == ("tpr", "auc")


def test_names_choose_among_the_columns():
    two = FRAME[["rf", "knn"]]
    for test in (
        lambda x, names: f.tukey(x, names=names).adjusted,
        lambda x, names: b.groups(x, rho=0.1, rope=0.01, names=names).location,
        lambda x, names: f.cochran_q((x > 0.7).astype(int), names=names).pvalue,
    ):
        assert test(FRAME, ["rf", "knn"]) == pytest.approx(test(two, None))
        with pytest.raises(bc.InputError, match=r"algorithm must be .*\(got 'gbm'\)"):
            test(FRAME, ["rf", "gbm"])
    one = b.groups(LAYERS, "auc", rho=0.1, rope=0.01)
    assert one.location == pytest.approx(b.groups(METRICS[..., 1].T, rho=0.1, rope=0.01).location)


def test_one_metric_of_two_levels_is_chosen():
    with pytest.raises(bc.InputError, match=r"scores\.xs\('tpr', axis=1, level='metric'\)"):
        f.friedman(LAYERS)
    chosen = LAYERS.xs("tpr", axis=1, level="metric")
    assert f.friedman(chosen).pvalue == f.friedman(METRICS[..., 0]).pvalue


def test_dimensions_by_name():
    x = np.stack([VALUES, VALUES + 0.01], axis=1)  # data sets, folds, algorithms
    coords = {"dataset": DATASETS, "model": NAMES}
    array = xarray.DataArray(x, dims=("dataset", "fold", "model"), coords=coords)
    documented = b.bootstrap(x, rho=0.5, rope=0.01, seed=1)
    for table in (array, array.transpose("model", "dataset", "fold")):
        result = b.bootstrap(table, rho=0.5, rope=0.01, seed=1)
        assert (result.names, result.datasets) == (tuple(NAMES), tuple(DATASETS))
        assert same(result, documented)
    with pytest.raises(
        bc.InputError, match="must have the dimensions dataset, fold and algorithm"
    ):
        b.bootstrap(array.rename(model="metric"), rho=0.5, rope=0.01)


def test_rows_left_out_leave_numbers_that_are_not_labels():
    """As `dropna` and queries leave them next to a column of data sets."""
    table = pd.DataFrame(
        {"dataset": list("abcde"), "knn": [1.0, 2, np.nan, 3, 5], "svm": [2.0, 3, 1, 4, 4]}
    )
    test = bc.frequentist.wilcoxon(table.dropna())
    assert test.pvalue == bc.frequentist.wilcoxon(table.dropna().reset_index(drop=True)).pvalue
    assert test.n == 4
