"""Tables as people have them: names, shapes and cells, read or refused."""

import io
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bayescmp as bc
from bayescmp.scores.columns import as_frame, plain_name, recognise
from bayescmp.scores.tables import check_labels, check_sizes, kind_of, numbers_of, read_long
from tests.rows import each_row

HEAD = "dataset,knn,svm\niris,0.91,0.93\nwine,0.85,0.83\n"


def csv(text, **options):
    return pd.read_csv(io.StringIO(text), **options)


@each_row("name", ["average", "Overall average", "median"])
def test_a_row_that_sums_up_is_no_data_set(name):
    wide = csv(HEAD + f"{name},0.88,0.88\n")
    for table in (wide, wide.melt("dataset", var_name="algorithm", value_name="accuracy")):
        with pytest.raises(bc.InputError, match=r"left out.*a summary of the others"):
            bc.Scores(table)


@each_row("name", ["mean shift", "stdlib", "medians-2"])
def test_other_names_are_data_sets(name):
    assert bc.Scores(csv(HEAD + f"{name},0.88,0.88\n")).datasets[-1] == name


def test_numbered_names_are_no_quartiles():
    """Unless other names are of another kind, as in a table of summaries."""
    quarters = csv("dataset,q1,q2,q3,q4\niris,0.8,0.9,0.7,0.9\nwine,0.6,0.9,0.7,0.9\n")
    assert bc.Scores(quarters).algorithms == ("q1", "q2", "q3", "q4")
    turned = csv("dataset,knn,svm,gbm\nq0,0.8,0.7,0.6\nq1,0.6,0.8,0.7\nq2,0.9,0.8,0.7\n")
    assert bc.Scores(turned).datasets == ("q0", "q1", "q2")
    assert bc.frequentist.friedman(turned).n == 3
    with pytest.raises(
        bc.InputError,
        match="'q1' must be left out, since it is by its name a summary of the others",
    ):
        bc.Scores(csv(HEAD + "q1,0.88,0.88\n"))


def test_a_data_set_by_itself_may_have_any_name():
    assert bc.Scores(csv("dataset,knn,svm\naverage,0.8,0.9\n")).datasets == ("average",)


@each_row(
    ("column", "message"),
    [
        ("knn_std", "'knn_std' must be left out, since it is by its name the std of 'knn'"),
        (
            "svm (rank)",
            r"'svm \(rank\)' must be left out, since it is by its name the rank of 'svm'",
        ),
        ("average", "'average' must be left out, since it is by its name a summary of the others"),
    ],
)
def test_a_column_that_describes_another_is_no_algorithm(column, message):
    table = csv(HEAD)
    table[column] = table[["knn", "svm"]].mean(axis=1)
    with pytest.raises(bc.InputError, match=message):
        bc.Scores(table)


def test_a_parameter_beside_shares_is_no_algorithm():
    table = csv(HEAD)
    with pytest.raises(bc.InputError, match=r"'max_depth' must hold scores between 0 and 1"):
        bc.Scores(table.assign(max_depth=[3, 5]))
    percent = table.assign(knn=table["knn"] * 100, svm=table["svm"] * 100, max_depth=[3, 5])
    assert "max_depth" in bc.Scores(percent).algorithms  # nothing tells it from scores


def test_variants_of_an_algorithm_are_algorithms():
    """Their names look alike, their scores are their own."""
    table = csv(HEAD).assign(**{"svm.1": [0.5, 0.6], "knn-2": [0.1, 0.2]})
    assert len(bc.Scores(table).algorithms) == 4
    with pytest.raises(bc.InputError, match=r"'svm.1' must be left out, since it repeats 'svm'"):
        bc.Scores(csv("dataset,knn,svm,svm\niris,0.91,0.93,0.93\nwine,0.85,0.83,0.83\n"))


def test_a_transposed_table_is_no_table_of_metrics():
    table = csv("method,a,b,c\nknn,0.9,0.8,0.7\nsvm,0.92,0.85,0.6\n")
    with pytest.raises(bc.InputError, match=r"more than one row per algorithm.*got a, b, c"):
        bc.Scores(table)
    declared = bc.Scores(table, higher_is_better=["a", "b"])
    assert declared.metrics == ("a", "b", "c")
    known = csv("method,accuracy,odd\nknn,0.9,1\nsvm,0.8,2\n")
    assert bc.Scores(known).metrics == ("accuracy", "odd")


DRESSED = {
    "0.91±0.02": "move a deviation or a rank to another column",
    "91.2%": "Write percent as a number",
    "\u22120.91": "a typographic minus sign",
}


@each_row("cell", DRESSED)
def test_dressed_up_numbers_are_refused_with_what_helps(cell):
    long = pd.DataFrame(
        {"dataset": ["a", "a"], "algorithm": ["x", "y"], "accuracy": ["0.5", cell]}
    )
    wide = pd.DataFrame({"dataset": ["a", "b"], "knn": [cell, cell], "svm": [0.5, 0.6]})
    for table, column, row in ((long, "accuracy", 1), (wide, "knn", 0)):
        with pytest.raises(bc.InputError) as caught:
            bc.Scores(table)
        message = str(caught.value)
        assert f"column {column!r} must hold numbers" in message
        assert f"got text in row {row}" in message
        assert DRESSED[cell] in message
        assert "\n" not in message


@each_row("cell", ["-", "NA.", "?"])
def test_signs_of_a_missing_score(cell):
    table = csv(HEAD).astype({"svm": object})
    table.loc[1, "svm"] = cell
    with pytest.raises(bc.InputError, match=r"'svm' must .*text in row 1.*Leave cells without"):
        bc.Scores(table)


def test_unused_columns_of_text_may_look_like_numbers():
    table = pd.DataFrame(
        {
            "dataset": ["a", "a"],
            "algorithm": ["x", "y"],
            "accuracy": [0.5, 0.6],
            "noise": ["10%", "10%"],
            "size": ["1,000", "1,000"],
        }
    )
    assert bc.Scores(table).metrics == ("accuracy",)


TWO = "dataset,accuracy,accuracy,f1,f1\n,knn,svm,knn,svm\niris,.9,.92,.8,.82\nwine,.8,.85,.7,.7\n"


def test_two_rows_of_header():
    with pytest.raises(bc.InputError, match=r"row 0: 'knn'.*another row of the header\?"):
        bc.Scores(csv(TWO))
    table = csv(TWO, header=[0, 1], index_col=0)  # pandas names the upper level "dataset"
    with pytest.raises(bc.InputError, match=r"a named index.*got 'iris'.*rename_axis"):
        bc.Scores(table)
    named = table.rename_axis(index="dataset", columns=["metric", "algorithm"])
    scores = bc.Scores(named)
    assert (scores.datasets, scores.metrics) == (("iris", "wine"), ("accuracy", "f1"))
    assert scores.differences("knn", "svm", "accuracy").means.tolist() == pytest.approx(
        [0.02, 0.05]
    )


@each_row(
    ("suffix", "reader"),
    [(".xlsx", r"excel\(path, dtype=\{.*: str\}"), (".json", r"json\(path, dtype=False")],
)
def test_files_that_are_no_text_tables(tmp_path, suffix, reader):
    file = tmp_path / f"scores{suffix}"
    file.write_bytes(b"PK\x03\x04")
    with pytest.raises(bc.InputError, match=rf"pandas.read_{reader}\) and give the frame"):
        bc.Scores.read(file)


def test_an_arrow_declares_the_direction():
    """Our own tables and papers have it."""
    table = csv("dataset,algorithm,MAE ↓,Acc (↑),odd ↓\nd,x,1,0.9,3\nd,y,2,0.8,4\n")
    scores = bc.Scores(table)
    assert [str(scores.direction(m)) for m in scores.metrics] == ["MAE ↓", "Acc (↑)", "odd ↓"]
    assert scores.differences("x", "y", "odd ↓").means.tolist() == [-1]
    assert bc.Scores(table, higher_is_better="odd ↓").direction("odd ↓").arrow == "↑"


def test_numbers_in_another_guise():
    frame = pd.DataFrame(
        {
            "plain": [0.1, 0.2],
            "nullable": pd.array([0.5, None], dtype="Float64"),
            "objects": pd.Series([Decimal("0.25"), None], dtype=object),
            "note": ["x", "y"],
            "auc": pd.Series([None, None], dtype=object),
        }
    )
    actual = numbers_of(frame, {"note"})
    assert set(actual) == {"nullable", "objects", "auc"}
    for name, expected in (("nullable", 0.5), ("objects", 0.25), ("auc", np.nan)):
        assert np.array_equal(actual[name], [expected, np.nan], equal_nan=True)
        assert actual[name].dtype == float


def test_labels_are_names():
    check_labels(pd.Series(["a", 1, None, ("b",)[0]], dtype=object))
    with pytest.raises(bc.InputError, match=r"column 'who' must hold .*got a dict in row 1"):
        check_labels(pd.Series(["a", {}], name="who", dtype=object))


def test_kinds_in_words():
    assert kind_of("0.5") == "text"
    assert kind_of([1]) == "a list"


@each_row(
    ("values", "share", "message"),
    [
        (["a", 2], False, "column 'n_test' must hold a number of items, .*'a' in row 0"),
        ([3, np.inf], False, "got inf in row 1"),
        (["x"], True, "must hold a correlation in "),
    ],
)
def test_sizes_are_numbers(values, share, message):
    with pytest.raises(bc.InputError, match=message):
        check_sizes(pd.Series(values, name="n_test"), share=share)


def test_sizes_may_be_missing_or_in_text():
    actual = check_sizes(pd.Series(["30", None, 0.25], name="n_test"), share=False)
    np.testing.assert_array_equal(actual, [30, np.nan, 0.25])


@pytest.fixture
def long():
    """Scores of two algorithms on two data sets of four folds."""
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        [
            {"dataset": d, "algorithm": a, "fold": f, "accuracy": round(rng.uniform(0.7, 0.9), 3)}
            for d in ("iris", "wine")
            for a in ("knn", "svm")
            for f in range(4)
        ]
    )


@pytest.fixture
def wide(long):
    """Means: data sets x algorithms, with no names of the axes."""
    table = long.pivot_table(index="dataset", columns="algorithm", values="accuracy")
    return table.rename_axis(index=None, columns=None)


KEYS = ["dataset", "algorithm", "fold"]


@pytest.mark.parametrize(
    "change",
    [
        lambda w: w,
        lambda w: w.rename_axis("dataset").reset_index(),
        lambda w: w.reset_index(names="name of it"),
    ],
)
def test_a_wide_table_keeps_all_its_algorithms(wide, change):
    """The first of three was taken for a column of names where the index held them."""
    table = change(wide.assign(mlp=[0.5, 0.6]))
    scores = bc.Scores(table, metric="accuracy")
    assert scores.algorithms == ("knn", "svm", "mlp")
    assert scores.datasets == ("iris", "wine")
    assert scores.means().to_numpy() == pytest.approx(wide.assign(mlp=[0.5, 0.6]).to_numpy())
    assert "read as a wide table: one column per algorithm, data sets from" in repr(scores)


def test_a_numeric_first_column_is_no_column_of_names(wide):
    numbered = wide.set_axis([10, 20], axis=0)
    assert bc.Scores(numbered, metric="accuracy").algorithms == ("knn", "svm")
    with pytest.raises(bc.InputError, match="must have data sets or algorithms by name"):
        bc.Scores(wide.reset_index(drop=True))
    assert bc.Scores.from_means(wide.reset_index(drop=True)).datasets == ("0", "1")


def test_metrics_are_no_algorithms(wide):
    table = wide.set_axis(["accuracy", "f1"], axis=1).rename_axis("dataset").reset_index()
    with pytest.raises(bc.InputError, match="'accuracy', a metric by its name"):
        bc.Scores(table)
    assert bc.Scores.from_means(table).algorithms == ("accuracy", "f1")
    attempts = pd.DataFrame({"question": list("aabb"), "sample": [0, 1, 0, 1], "score": 0.5})
    with pytest.raises(bc.InputError, match="'score', a metric by its name"):
        bc.Scores(attempts)


@pytest.mark.parametrize("name", ["score", "metric", "index"])
def test_an_algorithm_may_have_the_name_of_what_is_measured(wide, name):
    table = wide.set_axis([name, "svm"], axis=1).rename_axis("dataset").reset_index()
    for scores in (bc.Scores(table), bc.Scores.from_means(table)):
        assert scores.algorithms == (name, "svm")
        means = scores.means("score").to_numpy()
        assert means == pytest.approx(table[[name, "svm"]].to_numpy())


def test_a_metric_has_not_the_name_of_a_column_of_scores(wide):
    table = wide.rename_axis("dataset").reset_index()
    for read in (bc.Scores, bc.Scores.from_means):
        with pytest.raises(bc.InputError, match=r"not a column's name \(got 'knn'\)") as caught:
            read(table, metric="knn")
        assert caught.value.argument == "metric"
    folds = csv("dataset,algorithm,fold_1,fold_2,score\niris,knn,0.8,0.9,1\niris,svm,0.7,0.9,2\n")
    with pytest.raises(bc.InputError, match="'score' must be left out next to the scores of fold"):
        bc.Scores(folds)


@pytest.mark.parametrize("metric", ["accuracy", "rmse", "mine"])
def test_means_round_trip_with_their_metric_and_direction(long, metric):
    scores = bc.Scores(
        long.rename(columns={"accuracy": metric}),
        lower_is_better=["mine"] if metric == "mine" else [],
    )
    again = bc.Scores(scores.means(metric))
    assert again.metrics == (metric,)
    assert again.lower_is_better(metric) == (metric != "accuracy")
    assert again.direction(metric) == scores.direction(metric)  # and how it is known
    assert again.differences("knn", "svm").means == pytest.approx(
        scores.differences("knn", "svm").means
    )
    assert (
        bc.Scores(again.frame, lower_is_better=["mine"] if metric == "mine" else [])
        .means(metric)
        .equals(again.means(metric))
    )


def test_row_numbers_are_no_metric(long):
    for name in ("Unnamed: 0", "index", "level_0"):
        scores = bc.Scores(long.assign(**{name: np.arange(len(long))}))
        assert scores.metrics == ("accuracy",)
        assert scores.ignored == (name,)
    kept = bc.Scores(long.assign(index=np.arange(len(long)) ** 2))  # an index of quality, say
    assert "index" in kept.metrics


REFUSED = {
    "columns 1 and '1'": (
        lambda t: t.assign(**{"1": 0.5}).rename(columns={"accuracy": 1}),
        "must have names that differ when written out (got 1 and '1')",
    ),
    "dates": (lambda t: t.assign(accuracy=pd.Timestamp(0)), "(got a Timestamp in row 0"),
    "a variant of text": (
        lambda t: t.drop(columns="fold").assign(setting=t.fold.map("v{}".format)),
        "unused column 'setting'",
    ),
    "columns without names": (
        lambda t: t.pivot(
            index=["dataset", "fold"], columns="algorithm", values=["accuracy"]
        ).rename_axis(columns=[None, None]),
        "(got 2 levels",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_would_change_its_meaning_is_refused_by_name(long, case):
    change, message = REFUSED[case]
    with pytest.raises(bc.InputError) as caught:
        bc.Scores(change(long))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_text_that_is_no_score_is_left_aside(long):
    scores = bc.Scores(long.assign(note="x", run_id=[str(i) for i in range(16)]))
    assert scores.ignored == ("note", "run_id")


def test_blanks_around_names_go_with_a_note(long):
    """A third of the rows have a blank that nobody sees; no-break spaces are blanks too."""
    odd = long.assign(algorithm=[f"{a}\xa0" if i % 3 else a for i, a in enumerate(long.algorithm)])
    scores = bc.Scores(odd.rename(columns={"algorithm": " Algorithm"}))
    plain = bc.Scores(long)
    assert (scores.algorithms, scores.datasets) == (plain.algorithms, plain.datasets)
    np.testing.assert_array_equal(
        scores.differences(*scores.algorithms).x, plain.differences(*plain.algorithms).x
    )
    (note,) = scores.notes
    assert note.startswith("blanks around names left out of 'Algorithm': ")
    assert note in repr(scores)
    assert note in scores.select(datasets=scores.datasets[:1]).notes
    assert plain.notes == ()
    assert odd["algorithm"].str.endswith("\xa0").any()  # the user's table is as it was


def test_columns_without_a_name(long):
    """What spreadsheets leave beside a table is no metric; scores have a name above them."""
    beside = long.assign(**{"Unnamed: 3": np.nan, "Unnamed: 9": range(16)})
    scores = bc.Scores(beside)
    assert scores.metrics == ("accuracy",)
    assert scores.ignored == ("Unnamed: 3", "Unnamed: 9")
    assert bc.Scores(long.assign(**{"Unnamed: 9": 0.5})).ignored == ("Unnamed: 9",)
    wide = long.pivot_table(index="dataset", columns="algorithm", values="accuracy")
    with pytest.raises(bc.InputError, match="'Unnamed: 3' must have a name"):
        bc.Scores(wide.assign(**{"Unnamed: 3": 0.5}).rename_axis(columns=None).reset_index())


@each_row("kind", [bool, "boolean", "bool[pyarrow]"])
def test_a_column_of_truths_beside_fractions_is_no_algorithm(kind):
    wide = pd.DataFrame({"knn": [0.8, 0.7], "gbm": [0.7, 0.8], "flag": [True, False]})
    wide = wide.set_axis(["iris", "wine"]).astype({"flag": kind})
    with pytest.raises(bc.InputError, match=r"'flag' must hold numbers .*got True and False"):
        bc.Scores(wide)
    answers = wide.assign(knn=wide["flag"], gbm=wide["flag"])
    assert bc.Scores.from_means(answers).algorithms == ("knn", "gbm", "flag")
    with pytest.raises(
        bc.InputError, match="rows of the table must be either questions or data sets"
    ):
        bc.Scores(answers)


def test_what_was_read_is_reported(wide):
    read = read_long(wide.rename(columns={"knn": " knn"}).reset_index(names="where"), metric="auc")
    assert read.renamed == {" knn": "knn", "where": "dataset"}
    assert read.wide == "one column per algorithm, data sets from column 'where'"
    assert read.parts == {"dataset": "where", "algorithm": "algorithm"}


@pytest.mark.parametrize(
    "change", [lambda w: w, lambda w: w.rename_axis(columns=None), lambda w: w.reset_index()]
)
def test_rows_of_a_wide_table_are_folds_whose_design_is_asked_for(long, change):
    """It is not told by their number, nor by labels that reading gave them."""
    wide = change(
        long.pivot(index=["dataset", "fold"], columns="algorithm", values="accuracy").droplevel(
            "fold"
        )
    )
    asked = bc.Scores(wide, metric="accuracy")
    for scores in (asked, bc.Scores(asked.frame), asked.select(datasets=["wine"])):
        with pytest.raises(
            bc.InputError, match="a wide table, which does not show how they were drawn"
        ):
            scores.differences("knn", "svm")
    assert asked.differences("knn", "svm", rho=0.4).rho.tolist() == [0.4, 0.4]
    declared = bc.Scores(
        wide, metric="accuracy", resampling={"iris": "2x2-fold", "wine": "4-fold"}
    )
    differences = bc.Scores(declared.frame).differences("knn", "svm")
    assert differences.rho.tolist() == [0.5, 0.25]
    np.testing.assert_array_equal(
        differences.matrix, bc.Scores(long).differences("knn", "svm").matrix
    )


def test_spellings():
    actual = recognise(["Data-Set", "Learner", "rep", "CV fold", "acc"])
    assert actual == {
        "dataset": "Data-Set",
        "algorithm": "Learner",
        "repeat": "rep",
        "fold": "CV fold",
    }
    assert recognise(["model", "algorithm"]) == {"algorithm": "algorithm"}
    assert plain_name(" CV-fold ") == "cv_fold"


def test_scores_of_the_training_set_are_warned_of():
    table = pd.DataFrame(
        {
            "dataset": ["a"] * 4,
            "algorithm": ["x", "y"] * 2,
            "fold": [1, 1, 2, 2],
            "accuracy": [0.5, 0.6, 0.7, 0.8],
        }
    )
    with pytest.warns(
        bc.DiagnosticWarning, match="'split' states that all scores come from the train"
    ):
        bc.Scores(table.assign(split="train"))
    assert bc.Scores(table.assign(split="test")).differences("x", "y").n.tolist() == [2]


# Tables of other libraries.


COLUMNS = {
    "dataset": ["iris"] * 4 + ["wine"] * 4,
    "algorithm": ["knn", "knn", "svm", "svm"] * 2,
    "fold": [1, 2] * 4,
    "accuracy": [0.8, 0.9, 0.7, None, 0.6, 0.7, 0.8, 0.9],
}


class Stream:
    """A table of no library, which hands out Arrow's stream."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


TABLES = {
    "polars": pl.DataFrame(COLUMNS),
    "polars, categories": pl.DataFrame(COLUMNS).with_columns(
        pl.col("algorithm").cast(pl.Categorical)
    ),
    "polars, 32 bits": pl.DataFrame(COLUMNS).cast({"fold": pl.UInt8}),
    "arrow": pa.table(COLUMNS),
    "arrow, a dictionary": pa.table(COLUMNS).set_column(
        0, "dataset", pa.array(COLUMNS["dataset"]).dictionary_encode()
    ),
    "a batch": pa.RecordBatch.from_pydict(COLUMNS),
    "a stream": Stream(pa.table(COLUMNS)),
}


@each_row("name", TABLES)
def test_scores_are_those_of_pandas(name):
    expected = bc.Scores(pd.DataFrame(COLUMNS), missing="common")
    for scores in (
        bc.Scores(TABLES[name], missing="common"),
        bc.Scores.read(TABLES[name], missing="common"),
    ):
        assert (scores.datasets, scores.algorithms) == (("iris", "wine"), ("knn", "svm"))
        assert scores.metrics == ("accuracy",)
        ours, theirs = (s.differences("knn", "svm") for s in (scores, expected))
        assert [x.tolist() for x in ours.x] == [x.tolist() for x in theirs.x]
        assert scores.missing["fold"].tolist() == [2]


KINDS = {"polars": pl.DataFrame, "arrow": pa.table}


@each_row("kind", KINDS)
def test_items(kind):
    table = {"model": ["a", "a", "b", "b"], "item": [1, 2] * 2, "correct": [1, 0, 1, 1]}
    for items in (bc.Items(KINDS[kind](table)), bc.Items.read(KINDS[kind](table))):
        assert items.means().to_numpy().tolist() == [[0.5, 1.0]]


@each_row("kind", KINDS)
def test_a_comparison(kind):
    complete = {column: cells[4:] for column, cells in COLUMNS.items()}
    theirs, ours = (
        bc.compare(table, "knn", "svm", rope=0.01).verdict()
        for table in (KINDS[kind](complete), pd.DataFrame(complete))
    )
    assert theirs.probabilities == ours.probabilities


def test_what_is_not_computed_yet():
    with pytest.raises(
        bc.InputError, match=r"must be computed.*got a polars LazyFrame.*table.collect"
    ):
        bc.Scores(pl.DataFrame(COLUMNS).lazy())
    assert bc.Scores(pl.DataFrame(COLUMNS).lazy().collect()).metrics == ("accuracy",)


def test_what_it_needs_is_named():
    class Table:
        def to_pandas(self):
            raise ModuleNotFoundError("no", name="pyarrow")

    with pytest.raises(bc.InputError, match="pip install pyarrow"):
        as_frame(Table())


def test_what_is_no_table_stays_as_it_is():
    frame = pd.DataFrame(COLUMNS)
    assert as_frame(frame) is frame
    assert as_frame("scores.csv") == "scores.csv"
    assert as_frame(pl.DataFrame) is pl.DataFrame


@each_row("runs", [1, 2])
def test_a_counter_of_folds_is_no_algorithm_of_a_wide_table(runs):
    """By a name that no language of ours knows; beside it, whole numbers that are scores."""
    rng = np.random.default_rng(runs)
    frame = pd.DataFrame(rng.random((12 * runs, 2)), columns=["knn", "svm"])
    frame.insert(0, "Datensatz", np.repeat(["a", "b", "c"], 4 * runs))
    frame.insert(1, "Faltung", np.tile(np.arange(4), 3 * runs))
    with pytest.raises(
        bc.InputError, match=r"column 'Faltung' must hold scores.*columns=\{'fold': 'Faltun"
    ):
        bc.Scores(frame, metric="accuracy")
    if runs == 1:
        known = bc.Scores(frame, metric="accuracy", columns={"fold": "Faltung"})
        assert known.algorithms == ("knn", "svm")
    frame["Faltung"] = rng.permutation(np.arange(12 * runs) ** 2)
    assert "Faltung" in bc.Scores(frame, metric="accuracy").algorithms
    right = frame.assign(Faltung=rng.integers(0, 2, 12 * runs)).round()
    right = right.astype({"knn": int, "svm": int})
    answers = bc.Scores(right, metric="accuracy", resampling="independent")
    assert answers.algorithms == ("Faltung", "knn", "svm")


@each_row("name", ["id", "#"])
@each_row("scale", [1, 100])
def test_a_number_of_the_row_is_no_algorithm(name, scale):
    table = pd.DataFrame({"knn": [0.7, 0.8, 0.9], "svm": [0.8, 0.7, 0.9]}) * scale
    table = table.assign(dataset=list("abc"), **{name: [1, 2, 3]})
    scores = bc.Scores(table, metric="accuracy")
    assert (scores.algorithms, scores.ignored) == (("knn", "svm"), (name,))
    long = table.melt(["dataset", name], value_name="accuracy", var_name="algorithm")
    assert bc.Scores(long.assign(**{name: range(6)})).metrics == ("accuracy",)


def test_levels_of_an_index_that_are_columns_too():
    wide = csv(HEAD).assign(fold=1).set_index(["dataset", "fold"])
    same = bc.Scores(wide.assign(fold=[1, 1]), resampling="rho 0.1")
    assert same.datasets == ("iris", "wine")
    with pytest.raises(
        bc.InputError, match="same values in the index level and the column 'fold'"
    ):
        bc.Scores(wide.assign(fold=[1, 2]))


def test_cells_that_hold_lists():
    table = pd.DataFrame({"dataset": ["a", "b"], "knn": [0.1, 0.2], "svm": [[1], [2]]})
    with pytest.raises(bc.InputError, match=r"column 'svm' must .*got a list in row 0"):
        bc.Scores(table)
    with pytest.raises(bc.InputError, match=r"column 'dataset' must .*got a list in row 0"):
        bc.Scores(table.assign(dataset=[["a"], ["b"]], algorithm="x", score=1.0))
