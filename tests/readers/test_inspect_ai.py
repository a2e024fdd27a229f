"""Tables of Inspect.

Columns as inspect_ai.analysis.samples_df and evals_df name them: inspect_ai 0.3,
src/inspect_ai/analysis/_dataframe/samples/columns.py and evals/columns.py,
https://github.com/UKGovernmentBEIS/inspect_ai.
"""

from __future__ import annotations

import pandas as pd
import pytest

import bayescmp as bc

EVALS = pd.DataFrame({
    "eval_id": ["e1", "e2"], "model": ["openai/a", "openai/b"], "task_name": ["gpqa", "gpqa"],
    "score_headline_value": [0.5, 0.75],
})  # fmt: skip


def samples(**grades: list[object]) -> pd.DataFrame:
    """Two models, two questions, two epochs each, as samples_df has them."""
    return pd.DataFrame({
        "sample_id": [f"u{i}" for i in range(8)], "eval_id": ["e1"] * 4 + ["e2"] * 4,
        "log": "logs/x.eval", "id": ["q1", "q1", "q2", "q2"] * 2, "epoch": [1, 2] * 4,
        "input": "?", "target": "!", **{f"score_{name}": g for name, g in grades.items()},
        "total_time": 1.5,
    })  # fmt: skip


LETTERS = ["C", "I", "I", "I", "C", "C", "P", "N"]


def test_evaluations_name_the_model_and_the_task():
    items = bc.Items.read(samples(choice=LETTERS), evals=EVALS)
    assert items.models == ("openai/a", "openai/b")
    assert items.benchmarks == ("gpqa",)
    assert items.pair("openai/a", "openai/b").x.tolist() == [0.5, 0.25]
    assert items.recognised == "samples of Inspect, scorer choice"
    assert str(items.direction) == "choice ↑"


def test_samples_may_name_them_themselves():
    table = samples(choice=LETTERS).merge(EVALS, on="eval_id")
    assert bc.Items.read(table).pair("openai/a", "openai/b").x.tolist() == [0.5, 0.25]


def test_files_of_both(tmp_path):
    samples(choice=LETTERS).to_csv(tmp_path / "samples.csv", index=False)
    EVALS.to_parquet(tmp_path / "evals.parquet")
    items = bc.Items.read(tmp_path / "samples.csv", evals=tmp_path / "evals.parquet")
    assert items.pair("openai/a", "openai/b").epochs == (2, 2)


@pytest.mark.parametrize(
    "grades", [[1, 0, 0, 0, 1, 1, 0.5, 0], ["1", "0", "0", "0", "1", "1", "0.5", "0"]]
)
def test_grades_may_be_numbers(grades):
    items = bc.Items.read(samples(model_graded_qa=grades), evals=EVALS)
    assert items.pair("openai/a", "openai/b").x.tolist() == [0.5, 0.25]


def test_one_of_several_scorers():
    table = samples(choice=LETTERS, length=[float(i) for i in range(8)])
    with pytest.raises(bc.InputError, match="the scorers 'choice', 'length'; name one"):
        bc.Items.read(table, evals=EVALS)
    for name in ("choice", "score_choice"):
        assert bc.Items.read(table, evals=EVALS, metric=name).direction.metric == "choice"
    with pytest.raises(bc.InputError, match="unknown scorer 'chioce'"):
        bc.Items.read(table, evals=EVALS, metric="chioce")


def test_samples_without_a_grade_are_missing():
    table = samples(choice=[None, *LETTERS[1:]])
    with pytest.raises(bc.InputError, match=r"missing \(NaN\) for model 'openai/a'"):
        bc.Items.read(table, evals=EVALS)
    assert bc.Items.read(table, evals=EVALS, missing="common").answers.empty == 1


@pytest.mark.parametrize(
    ("evals", "message"),
    [
        (None, r"do not name their model and task; give evals="),
        (EVALS.drop(columns="model"), "evals is not a table of evaluations"),
        (3, "evals is not a table of evaluations"),
        (EVALS.iloc[:1], r"no row for eval_id 'e2', of which there are samples \(4 rows\)"),
    ],
)
def test_evaluations_have_to_be_theirs(evals, message):
    with pytest.raises(bc.InputError, match=message):
        bc.Items.read(samples(choice=LETTERS), evals=evals)


def test_other_grades_are_refused():
    with pytest.raises(bc.InputError, match="column 'score_choice' holds 'maybe'; accepted"):
        bc.Items.read(samples(choice=["maybe", *LETTERS[1:]]), evals=EVALS)
