"""Tables with one row per algorithm and one column per data set are told by names, or asked."""

from __future__ import annotations

from io import StringIO

import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.commands.cli import main

BOARD = """{head},Average ⬆️,MMLU-Pro,GSM8K (5-shot),arc_challenge
small-7b,0.51,0.40,0.52,0.61
large-70b,0.62,0.55,0.66,0.65
"""
UNKNOWN = "{head},first_task,second_task,third_task\n{a},0.40,0.52,0.61\n{b},0.55,0.66,0.65\n"


def read(text):
    return pd.read_csv(StringIO(text))


def means(scores):
    """Mean differences, second minus first, by data set: the same from any form of the table."""
    x = scores.differences(*scores.algorithms)
    return dict(zip(x.datasets, x.means.round(9).tolist(), strict=True))


EXPECTED = {"MMLU-Pro": 0.15, "GSM8K (5-shot)": 0.14, "arc_challenge": 0.04}


@pytest.mark.parametrize("head", ["Model", "method", ""])
def test_benchmarks_by_their_names_are_data_sets(head, tmp_path, capsys):
    frame = read(BOARD.format(head=head))
    assert means(bc.Scores(frame, metric="accuracy")) == EXPECTED
    assert means(bc.Scores(frame.set_index(frame.columns[0]), metric="accuracy")) == EXPECTED
    assert bc.Scores(frame, metric="accuracy").ignored == ("Average ⬆️",)
    path = tmp_path / "board.csv"
    path.write_text(BOARD.format(head=head), encoding="utf-8")
    assert means(bc.Scores.read(path, metric="accuracy")) == EXPECTED
    assert main(["compare", str(path), "--metric", "accuracy"]) == 0
    shown = capsys.readouterr()
    assert "read as a leaderboard, one row per algorithm" in shown.err
    assert "large-70b" in shown.out
    assert "3 data sets" in shown.out


def test_columns_declared_as_metrics_are_metrics():
    frame = read(BOARD.format(head="model")).drop(columns="Average ⬆️")
    declared = bc.Scores(frame, higher_is_better=["MMLU-Pro", "GSM8K (5-shot)"])
    assert declared.metrics == ("MMLU-Pro", "GSM8K (5-shot)", "arc_challenge")


@pytest.mark.parametrize(
    "text",
    [
        BOARD.format(head="dataset").replace("Average ⬆️", "xnli"),  # the user says what rows are
        "trained on,mnli,snli\nmnli,0.8,0.7\nsnli,0.6,0.9\n",  # the same names on both sides
        ",knn,gbm\niris,0.8,0.7\nwine,0.6,0.9\n",
    ],
)
def test_rows_that_may_be_data_sets_stay_data_sets(text):
    frame = read(text)
    assert bc.Scores(frame).algorithms == tuple(frame.columns[1:])


@pytest.mark.parametrize(("head", "a", "b"), [("model", "x", "y"), ("", "svm", "random forest")])
def test_unknown_columns_are_asked_for_and_both_ways_out_work(head, a, b, tmp_path, capsys):
    text = UNKNOWN.format(head=head, a=a, b=b)
    path = tmp_path / "board.csv"
    path.write_text(text)
    with pytest.raises(bc.InputError, match="format='leaderboard'"):
        bc.Scores(read(text))
    assert main(["compare", str(path)]) == 2
    assert "--format leaderboard" in capsys.readouterr().err
    turned = bc.Scores.read(path, format="leaderboard", metric="accuracy")
    assert turned.algorithms == (a, b)
    assert means(turned) == {"first_task": 0.15, "second_task": 0.14, "third_task": 0.04}
    assert main(["compare", str(path), "--format", "leaderboard", "--metric", "accuracy"]) == 0
    if head:
        return
    frame = read(text)
    named = bc.Scores(frame, columns={"dataset": "Unnamed: 0"})
    again = bc.Scores(frame.set_index("Unnamed: 0").rename_axis("dataset"))
    assert named.datasets == again.datasets == (a, b)


def test_a_table_with_repeated_rows_is_no_leaderboard():
    frame = read("model,fold,mmlu,gsm8k\nx,1,0.1,0.2\nx,2,0.3,0.1\ny,1,0.2,0.2\ny,2,0.3,0.3\n")
    with pytest.raises(bc.InputError, match="must be in the format 'leaderboard'"):
        bc.Scores.read(frame, format="leaderboard")


def test_folds_of_algorithms_with_the_names_of_data_sets_stay_folds():
    frame = read(",iris,wine\nFold1,0.8,0.7\nFold2,0.6,0.9\nFold3,0.7,0.8\n")
    for table in (frame, frame.set_index(frame.columns[0])):
        scores = bc.Scores(table, metric="accuracy")
        assert scores.algorithms == ("iris", "wine")
        assert scores.layout.rows == "fold"


def test_a_mark_for_a_missing_score_does_not_turn_the_table():
    frame = read("model,mmlu,gsm8k\nx,0.5,0.4\ny,-,0.6\n")
    with pytest.raises(bc.InputError, match="'-'"):
        bc.Scores(frame, metric="accuracy")
