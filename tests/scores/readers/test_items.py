"""The formats of tables of items, and the choice between them.

Tables of Inspect.

Columns as inspect_ai.analysis.samples_df and evals_df name them: inspect_ai 0.3,
src/inspect_ai/analysis/_dataframe/samples/columns.py and evals/columns.py,
https://github.com/UKGovernmentBEIS/inspect_ai.

Samples of lm-evaluation-harness.

Lines in the layout of lm_eval/evaluator.py (the object "example") and file names of
lm_eval/loggers/evaluation_tracker.py (save_results_samples), lm-evaluation-harness 0.4.9,
https://github.com/EleutherAI/lm-evaluation-harness.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.scores.readers.items import read_items
from tests.items.tables import TWO
from tests.rows import each_row

EVALS = pd.DataFrame(
    {
        "eval_id": ["e1", "e2"],
        "model": ["openai/a", "openai/b"],
        "task_name": ["gpqa", "gpqa"],
        "score_headline_value": [0.5, 0.75],
    }
)


def samples(**grades: list[object]) -> pd.DataFrame:
    """Two models, two questions, two epochs each, as samples_df has them."""
    return pd.DataFrame(
        {
            "sample_id": [f"u{i}" for i in range(8)],
            "eval_id": ["e1"] * 4 + ["e2"] * 4,
            "log": "logs/x.eval",
            "id": ["q1", "q1", "q2", "q2"] * 2,
            "epoch": [1, 2] * 4,
            "input": "?",
            "target": "!",
            **{f"score_{name}": g for name, g in grades.items()},
            "total_time": 1.5,
        }
    )


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


@each_row("grades", [[1, 0, 0, 0, 1, 1, 0.5, 0], ["1", "0", "0", "0", "1", "1", "0.5", "0"]])
def test_grades_may_be_numbers(grades):
    items = bc.Items.read(samples(model_graded_qa=grades), evals=EVALS)
    assert items.pair("openai/a", "openai/b").x.tolist() == [0.5, 0.25]


def test_one_of_several_scorers():
    table = samples(choice=LETTERS, length=[float(i) for i in range(8)])
    with pytest.raises(bc.InputError, match=r"'choice', 'length'.*Name one"):
        bc.Items.read(table, evals=EVALS)
    for name in ("choice", "score_choice"):
        assert bc.Items.read(table, evals=EVALS, metric=name).direction.metric == "choice"
    with pytest.raises(bc.InputError, match=r"scorer must be .*\(got 'chioce'\)"):
        bc.Items.read(table, evals=EVALS, metric="chioce")


def test_samples_without_a_grade_are_missing():
    table = samples(choice=[None, *LETTERS[1:]])
    with pytest.raises(bc.InputError, match=r"got nan|nan for for model 'openai/a'"):
        bc.Items.read(table, evals=EVALS)
    assert bc.Items.read(table, evals=EVALS, missing="common").answers.empty == 1


@each_row(
    ("evals", "message"),
    [
        (None, r"do not name their model and task. Give what evals_df"),
        (EVALS.drop(columns="model"), "evals must be a table"),
        (3, "evals must be a table"),
        (EVALS.iloc[:1], r"got none for 'e2', the first of 4 rows"),
    ],
)
def test_evaluations_have_to_be_theirs(evals, message):
    with pytest.raises(bc.InputError, match=message):
        bc.Items.read(samples(choice=LETTERS), evals=evals)


def test_other_grades_are_refused():
    with pytest.raises(bc.InputError, match=r"column 'score_choice' must .*got 'maybe'"):
        bc.Items.read(samples(choice=["maybe", *LETTERS[1:]]), evals=EVALS)


DATE = "2026-05-02T10-11-12.345678"


def sample(i: int, question: str, filter: str = "none", **metrics: object) -> dict[str, object]:
    """One line, as ``--log_samples`` writes it."""
    own = hashlib.sha256(question.encode()).hexdigest()
    return {
        "doc_id": i,
        "doc": {"question": question},
        "target": "4",
        "arguments": {"gen_args_0": {"arg_0": f"Q: {question}\nA:", "arg_1": {"until": ["\n"]}}},
        "resps": [["4"]],
        "filtered_resps": ["4"],
        "filter": filter,
        "metrics": list(metrics),
        "doc_hash": own,
        "prompt_hash": own,
        "target_hash": own,
        **metrics,
    }


def write(folder: Path, model: str, task: str, samples: list[object], date: str = DATE) -> Path:
    """A file of samples where the harness puts it."""
    path = folder / model / f"samples_{task}_{date}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(s) + "\n" for s in samples), encoding="utf-8")
    return path


def gsm8k(scores: list[float], order: list[int] | None = None) -> list[object]:
    """Both filters of the task, questions in another order where one is given."""
    order = list(range(len(scores))) if order is None else order
    return [
        sample(i, f"question {i}", name, exact_match=value)
        for name, shift in (("strict-match", 0), ("flexible-extract", 1))
        for i in order
        for value in [float(scores[i] or shift)]
    ]


def test_a_folder_of_models_is_paired_by_the_questions_hash(tmp_path):
    write(tmp_path, "EleutherAI__pythia-70m", "gsm8k", gsm8k([0, 0, 1]))
    write(tmp_path, "EleutherAI__pythia-160m", "gsm8k", gsm8k([1, 0, 1], [2, 0, 1]))
    items = bc.Items.read(tmp_path, filter="strict-match")
    assert items.models == ("EleutherAI__pythia-160m", "EleutherAI__pythia-70m")
    assert items.benchmarks == ("gsm8k",)
    pair = items.pair("EleutherAI__pythia-70m", "EleutherAI__pythia-160m")
    assert pair.counts().tolist() == [[1, 0], [1, 1]]
    assert items.recognised == (
        "samples of lm-evaluation-harness, exact_match, filter 'strict-match'"
    )


def test_each_filter_has_scores_of_its_own(tmp_path):
    for model in ("a", "b"):
        write(tmp_path, model, "gsm8k", gsm8k([0, 0, 1]))
    assert bc.Items.read(tmp_path, filter="flexible-extract").means().loc["gsm8k", "a"] == 1
    with pytest.raises(bc.InputError, match=r"'strict-match', 'flexible-extract'.*Name one"):
        bc.Items.read(tmp_path)
    with pytest.raises(bc.InputError, match=r"filter of task 'gsm8k' must be .*\(got 'strict'\)"):
        bc.Items.read(tmp_path, filter="strict")


def test_a_task_with_several_metrics_needs_a_name(tmp_path):
    lines = [sample(i, f"q{i}", acc=float(i % 2), acc_norm=1.0) for i in range(4)]
    paths = [write(tmp_path, m, "arc_challenge", lines) for m in ("a", "b")]
    with pytest.raises(bc.InputError, match=r"got none of 'acc', 'acc_norm'.*Name one"):
        bc.Items.read(paths)
    items = bc.Items.read(paths, metric="acc")
    assert (items.direction.metric, items.means().loc["arc_challenge", "b"]) == ("acc", 0.5)
    with pytest.raises(
        bc.InputError, match=r"metric of task 'arc_challenge' must be .*\(got 'f1'\)"
    ):
        bc.Items.read(paths, metric="f1")


@each_row("first", [None, "?", {"acc": 1.0}])
def test_a_first_line_without_a_number_hides_no_metric(tmp_path, first):
    lines = [sample(i, f"q{i}", acc=1.0, acc_norm=1.0) for i in range(3)]
    lines[0]["acc"] = first
    paths = [write(tmp_path, m, "arc_challenge", lines) for m in ("a", "b")]
    with pytest.raises(bc.InputError, match=r"got none of 'acc', 'acc_norm'.*Name one"):
        bc.Items.read(paths)
    with pytest.raises(bc.InputError, match=r"column 'acc' (is|must)"):
        bc.Items.read(paths, metric="acc")


def test_tasks_may_have_metrics_of_their_own(tmp_path):
    for model in ("a", "b"):
        write(tmp_path, model, "arc_easy", [sample(0, "x", acc=1.0, acc_norm=0.0)])
        write(tmp_path, model, "gsm8k", [sample(0, "y", exact_match=0.0)])
    items = bc.Items.read(tmp_path, metric={"arc_easy": "acc_norm"})
    assert items.means()["a"].to_dict() == {"arc_easy": 0.0, "gsm8k": 0.0}
    assert str(items.direction) == "accuracy ↑"


def test_lines_of_older_versions_do_not_list_their_metrics(tmp_path):
    line = sample(0, "x", acc=1.0)
    del line["metrics"], line["filter"]
    for other in ({}, {"metrics": 3}, {"metrics": []}):  # or damaged
        paths = [write(tmp_path, m, "arc", [line | other]) for m in ("a", "b")]
        assert bc.Items.read(paths).direction.metric == "acc"


def test_equal_questions_of_a_task_are_numbered(tmp_path):
    lines = [sample(0, "same", acc=1.0), sample(1, "same", acc=0.0), sample(2, "other", acc=1.0)]
    write(tmp_path, "a", "arc", lines)
    write(tmp_path, "b", "arc", lines[::-1])
    assert bc.Items.read(tmp_path).pair("a", "b").x.tolist() == [0.0, 0.0, 0.0]


def test_two_runs_of_a_task_are_refused(tmp_path):
    lines = [sample(0, "x", acc=1.0)]
    for date in (DATE, "2026-05-03T10-11-12.345678"):
        write(tmp_path, "a", "arc", lines, date)
    with pytest.raises(bc.InputError, match=r"task 'arc' of model 'a' must have one run .*Give"):
        bc.Items.read(tmp_path)


@each_row(
    ("text", "message"),
    [
        ("{", "line 1: not JSON"),
        ("[1, 2]\n", "line 1, must be a sample of lm-evaluation-harness"),
        ('{"acc": 1}\n', "line 1, must be a sample of lm-evaluation-harness"),
        ("\n", "task 'arc' must have samples"),
        ('{"doc_id": 0, "filter": "none", "ppl": [1, 2]}\n', "no metric with one number"),
    ],
)
def test_what_is_no_sample_is_refused(tmp_path, text, message):
    path = tmp_path / "samples_arc.jsonl"
    path.write_text(text)
    with pytest.raises(bc.InputError, match=message):
        bc.Items.read(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(bc.InputError, match="does not exist"):
        bc.Items.read(tmp_path / "samples_arc.jsonl")


@each_row("suffix", ["csv", "parquet", "csv.gz"])
def test_tables_in_files(tmp_path, suffix):
    path = tmp_path / f"items.{suffix}"
    TWO.to_parquet(path) if suffix == "parquet" else TWO.to_csv(path, index=False)
    items = bc.Items.read(path)
    assert items.pair("a", "b").x.tolist() == bc.Items(TWO).pair("a", "b").x.tolist()
    assert items.recognised == ""


def test_files_that_belong_together(tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in ("a", "b")]
    for path, (_, part) in zip(paths, TWO.groupby("model"), strict=True):
        part.to_csv(path, index=False)
    assert bc.Items.read(paths).models == ("a", "b")
    with pytest.raises(bc.InputError, match="scores must have at least two models"):
        bc.compare(bc.Items.read(paths[:1]), rope=0.1)


def test_options_of_the_table_are_passed_on():
    table = TWO.rename(columns={"item": "number", "score": "loss"})
    items = bc.Items.read(table, columns={"item": "number"}, metric="loss")
    assert items.direction.lower


@each_row(
    ("source", "message"),
    [
        ("nothing.csv", "does not exist"),
        ("nothing.jsonl", "does not exist"),
        (7, r"source must be a path, .*got 7\)"),
        ([], r"source must be a path, .*got \[\]"),
        (None, "source must be a path, .*got None"),
    ],
)
def test_what_is_no_table_is_refused(source, message):
    with pytest.raises(bc.InputError, match=message):
        bc.Items.read(source)


def test_a_folder_without_samples_is_refused(tmp_path):
    with pytest.raises(bc.InputError, match="must hold items that a reader knows"):
        bc.Items.read(tmp_path)


def test_formats_by_name():
    assert read_items(TWO, "table")[0].frame is TWO
    with pytest.raises(bc.InputError, match=r"format must be .*\(got 'lm_eval'\)"):
        bc.Items.read(TWO, "lm_eval")
    with pytest.raises(bc.InputError, match="must be in the format 'lm-eval'"):
        bc.Items.read(TWO, "lm-eval")


def test_an_unreadable_file_is_named(tmp_path):
    path = tmp_path / "empty.csv"
    path.write_text("")
    with pytest.raises(bc.InputError, match=r"empty\.csv.*empty file"):
        bc.Items.read(path)
    path.write_text("model,score\na,1\n")
    with pytest.raises(bc.InputError, match=r"empty\.csv.*must have a column for the item"):
        bc.Items.read(path)


@each_row(
    ("names", "part"),
    [
        (("1.10", "1.1"), "model"),
        (("07", "7"), "benchmark"),
        (("12e4", "120000"), "item"),
        (("nan", "NA"), "cluster"),
    ],
)
def test_names_in_files_are_as_they_are_written(tmp_path, part, names):
    """Two names that pandas takes for one number, or for a missing cell."""
    rows = [
        {"model": m, "benchmark": "b", "item": i, "cluster": f"c{i}", "place": "p", "score": s}
        for m in ("a", "b")
        for i, s in ((1, 0), (2, 1))
    ]
    table = pd.DataFrame(rows)
    if part in ("model", "item"):
        table[part] = table[part].map(dict(zip(table[part].unique(), names, strict=True)))
    else:
        table[part] = np.resize(names, len(table))
    path = tmp_path / "items.csv"
    for given in ({}, {part: "own name"}):
        table.rename(columns=given).to_csv(path, index=False)
        items = bc.Items.read(path, columns=given)
        if part == "cluster":
            assert items.frame["cluster"].nunique() == 2
        else:
            assert set(items.frame[part]) == set(names)


def test_names_of_inspect_in_files_are_as_they_are_written(tmp_path):
    """Evaluations 12e4 and 120000, tasks 1.10 and 1.1."""
    samples = (
        "eval_id,id,epoch,score_match\n12e4,01,1,C\n12e4,1,1,I\n120000,01,1,I\n120000,1,1,I\n"
    )
    evals = "eval_id,model,task_name\n12e4,07,1.10\n120000,7,1.10\n"
    for name, text in (("samples", samples), ("evals", evals)):
        (tmp_path / f"{name}.csv").write_text(text)
    items = bc.Items.read(tmp_path / "samples.csv", evals=tmp_path / "evals.csv")
    assert (items.models, items.benchmarks) == (("07", "7"), ("1.10",))
    assert items.pair("07", "7").x.tolist() == [-1, 0]


def test_models_logged_by_an_older_and_a_newer_version_are_paired(tmp_path):
    """The older one lists neither metrics nor a filter; questions are the same by their hash."""
    new = [sample(i, f"q{i}", acc=float(i % 2)) for i in range(3)]
    old = [{k: v for k, v in line.items() if k not in ("metrics", "filter")} for line in new[::-1]]
    write(tmp_path, "a", "arc", old)
    write(tmp_path, "b", "arc", new)
    pair = bc.Items.read(tmp_path).pair("a", "b")
    assert (pair.n, pair.x.tolist()) == (3, [0.0, 0.0, 0.0])


def test_ids_and_questions_that_repeat_between_tasks_are_apart(tmp_path):
    lines = [sample(0, "same", acc=1.0), sample(1, "other", acc=0.0)]
    for model in ("a", "b"):
        write(tmp_path, model, "arc", lines)
        write(tmp_path, model, "hella", [{**line, "acc": 1 - line["acc"]} for line in lines])
    items = bc.Items.read(tmp_path)
    assert items.benchmarks == ("arc", "hella")
    assert items.pair("a", "b").first.tolist() == [1.0, 0.0, 0.0, 1.0]


def test_grades_in_words_are_read_in_plain_tables():
    plain = pd.DataFrame({"model": ["a", "b"], "item": 1, "score": ["C", "I"]})
    assert bc.Items.read(plain).means().loc["benchmark"].tolist() == [1.0, 0.0]


def test_names_are_given_to_logs_and_not_to_tables(tmp_path):
    path = tmp_path / "a.csv"
    pd.DataFrame({"model": ["a", "b"], "item": [1, 1], "correct": [0, 1]}).to_csv(path)
    with pytest.raises(bc.InputError, match=r"^source must .*names are given to models.*tables"):
        bc.Items.read({"before": path})
    assert bc.Items.read([path]).models == ("a", "b")
