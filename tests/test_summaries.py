"""Tables as papers have them: what sums others up, and numbers that are dressed up."""

from __future__ import annotations

import io

import pandas as pd
import pytest

import bayescmp as bc

HEAD = "dataset,knn,svm\niris,0.91,0.93\nwine,0.85,0.83\n"


def csv(text, **options):
    return pd.read_csv(io.StringIO(text), **options)


@pytest.mark.parametrize(
    "name",
    ["average", "Mean", "Avg.", "AVG", "Mean accuracy", "geometric mean", "Avg. rank", "Rank",
     "Overall average", "std", "W/T/L", "median"],
)  # fmt: skip
def test_a_row_that_sums_up_is_no_data_set(name):
    wide = csv(HEAD + f"{name},0.88,0.88\n")
    for table in (wide, wide.melt("dataset", var_name="algorithm", value_name="accuracy")):
        with pytest.raises(bc.InputError, match=r"a summary of the others.*leave it out"):
            bc.Scores(table)


@pytest.mark.parametrize("name", ["mean shift", "ranking", "average-cost", "stdlib", "medians-2"])
def test_other_names_are_data_sets(name):
    assert bc.Scores(csv(HEAD + f"{name},0.88,0.88\n")).datasets[-1] == name


def test_a_data_set_by_itself_may_have_any_name():
    assert bc.Scores(csv("dataset,knn,svm\naverage,0.8,0.9\n")).datasets == ("average",)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("knn_std", "'knn_std' beside 'knn' holds its std"),
        ("knn std", "'knn std' beside 'knn' holds its std"),
        ("svm (rank)", r"'svm \(rank\)' beside 'svm' holds its rank"),
        ("svm.sd", "'svm.sd' beside 'svm' holds its sd"),
        ("average", "'average' holds the means of the others"),
    ],
)
def test_a_column_that_describes_another_is_no_algorithm(column, message):
    table = csv(HEAD)
    table[column] = table[["knn", "svm"]].mean(axis=1)
    with pytest.raises(bc.InputError, match=message):
        bc.Scores(table)


def test_a_parameter_beside_shares_is_no_algorithm():
    table = csv(HEAD)
    with pytest.raises(bc.InputError, match=r"'max_depth' holds whole numbers beside scores"):
        bc.Scores(table.assign(max_depth=[3, 5]))
    percent = table.assign(knn=table["knn"] * 100, svm=table["svm"] * 100, max_depth=[3, 5])
    assert "max_depth" in bc.Scores(percent).algorithms  # nothing tells it from scores


def test_variants_of_an_algorithm_are_algorithms():
    """Their names look alike, their scores are their own."""
    table = csv(HEAD).assign(**{"svm.1": [0.5, 0.6], "knn-2": [0.1, 0.2], "average": [0.4, 0.9]})
    assert len(bc.Scores(table).algorithms) == 5
    with pytest.raises(bc.InputError, match=r"'svm.1' repeats 'svm'"):
        bc.Scores(csv("dataset,knn,svm,svm\niris,0.91,0.93,0.93\nwine,0.85,0.83,0.83\n"))


def test_a_transposed_table_is_no_table_of_metrics():
    table = csv("method,iris,wine,glass\nknn,0.9,0.8,0.7\nsvm,0.92,0.85,0.6\n")
    with pytest.raises(bc.InputError, match=r"one row per algorithm, and no column \(iris, wine"):
        bc.Scores(table)
    turned = bc.Scores(table.set_index("method").T, metric="accuracy")
    assert turned.differences("knn", "svm").means.tolist() == pytest.approx([0.02, 0.05, -0.1])
    declared = bc.Scores(table, higher_is_better=["iris", "wine"])
    assert declared.metrics == ("iris", "wine", "glass")
    known = csv("method,accuracy,odd\nknn,0.9,1\nsvm,0.8,2\n")
    assert bc.Scores(known).metrics == ("accuracy", "odd")


DRESSED = {
    "0.91±0.02": "a deviation or a rank elsewhere",
    "0.91 ± .02": "a deviation or a rank elsewhere",
    "0.91 +/- 0.02": "a deviation or a rank elsewhere",
    "0.91 (0.02)": "a deviation or a rank elsewhere",
    "0.91 (2)": "a deviation or a rank elsewhere",
    "91.2%": "write percent as a number",
    "91.2 %": "write percent as a number",
    "**0.91**": "without mark-up",
    "\\textbf{0.91}": "without mark-up",
    "0.91*": "without mark-up",
    "1,234.5": "thousands=','",
    "12,345": "thousands=','",
    "0,91": "decimal=','",
    "\u22120.91": "a typographic minus sign",
}


@pytest.mark.parametrize("cell", DRESSED)
def test_dressed_up_numbers_are_refused_with_what_helps(cell):
    long = pd.DataFrame(
        {"dataset": ["a", "a"], "algorithm": ["x", "y"], "accuracy": ["0.5", cell]}
    )
    wide = pd.DataFrame({"dataset": ["a", "b"], "knn": [cell, cell], "svm": [0.5, 0.6]})
    for table, column, row in ((long, "accuracy", 1), (wide, "knn", 0)):
        with pytest.raises(bc.InputError) as caught:
            bc.Scores(table)
        message = str(caught.value)
        assert f"column {column!r} holds text in row {row}" in message
        assert DRESSED[cell] in message
        assert "\n" not in message


@pytest.mark.parametrize("cell", ["-", "–", "n/a", "NA.", "?"])
def test_signs_of_a_missing_score(cell):
    table = csv(HEAD).astype({"svm": object})
    table.loc[1, "svm"] = cell
    with pytest.raises(bc.InputError, match=r"'svm' holds text in row 1.*leave cells without"):
        bc.Scores(table)


def test_unused_columns_of_text_may_look_like_numbers():
    table = pd.DataFrame({"dataset": ["a", "a"], "algorithm": ["x", "y"], "accuracy": [0.5, 0.6],
                          "noise": ["10%", "10%"], "size": ["1,000", "1,000"]})  # fmt: skip
    assert bc.Scores(table).metrics == ("accuracy",)


TWO = "dataset,accuracy,accuracy,f1,f1\n,knn,svm,knn,svm\niris,.9,.92,.8,.82\nwine,.8,.85,.7,.7\n"


def test_two_rows_of_header():
    with pytest.raises(bc.InputError, match=r"row 0: 'knn'.*another row of the header\?"):
        bc.Scores(csv(TWO))
    table = csv(TWO, header=[0, 1], index_col=0)  # pandas names the upper level "dataset"
    with pytest.raises(bc.InputError, match=r"the index holds 'iris'.*rename_axis"):
        bc.Scores(table)
    named = table.rename_axis(index="dataset", columns=["metric", "algorithm"])
    scores = bc.Scores(named)
    assert (scores.datasets, scores.metrics) == (("iris", "wine"), ("accuracy", "f1"))
    assert scores.differences("knn", "svm", "accuracy").means.tolist() == pytest.approx(
        [0.02, 0.05]
    )


@pytest.mark.parametrize(("suffix", "reader"), [(".xlsx", "excel"), (".json", "json")])
def test_files_that_are_no_text_tables(tmp_path, suffix, reader):
    file = tmp_path / f"scores{suffix}"
    file.write_bytes(b"PK\x03\x04")
    with pytest.raises(bc.InputError, match=rf"pandas.read_{reader}\(path\) and give the frame"):
        bc.Scores.read(file)


def test_semicolons_and_decimal_commas(tmp_path):
    file = tmp_path / "scores.csv"
    file.write_text("dataset;knn;svm\niris;0,9;0,92\nwine;0,8;0,85\n")
    with pytest.raises(bc.InputError, match=r"'dataset;knn;svm' is one field"):
        bc.Scores.read(file)


def test_an_arrow_declares_the_direction():
    """Our own tables and papers have it."""
    table = csv("dataset,algorithm,MAE ↓,Acc (↑),odd ↓\nd,x,1,0.9,3\nd,y,2,0.8,4\n")
    scores = bc.Scores(table)
    assert [str(scores.direction(m)) for m in scores.metrics] == ["MAE ↓", "Acc ↑", "odd ↓"]
    assert scores.differences("x", "y", "odd ↓").means.tolist() == [-1]
    assert bc.Scores(table, higher_is_better="odd ↓").direction("odd ↓").arrow == "↑"
