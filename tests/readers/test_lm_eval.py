"""Samples of lm-evaluation-harness.

Lines in the layout of lm_eval/evaluator.py (the object "example") and file names of
lm_eval/loggers/evaluation_tracker.py (save_results_samples), lm-evaluation-harness 0.4.9,
https://github.com/EleutherAI/lm-evaluation-harness.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

import bayescmp as bc

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
        for name, shift in (("strict-match", 0), ("flexible-extract", 1)) for i in order
        for value in [float(scores[i] or shift)]
    ]  # fmt: skip


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
    with pytest.raises(bc.InputError, match="'strict-match', 'flexible-extract'; name one"):
        bc.Items.read(tmp_path)
    with pytest.raises(bc.InputError, match=r"unknown filter of task 'gsm8k' 'strict'"):
        bc.Items.read(tmp_path, filter="strict")


def test_a_task_with_several_metrics_needs_a_name(tmp_path):
    lines = [sample(i, f"q{i}", acc=float(i % 2), acc_norm=1.0) for i in range(4)]
    paths = [write(tmp_path, m, "arc_challenge", lines) for m in ("a", "b")]
    with pytest.raises(bc.InputError, match="has the metrics 'acc', 'acc_norm'; name one"):
        bc.Items.read(paths)
    items = bc.Items.read(paths, metric="acc")
    assert (items.direction.metric, items.means().loc["arc_challenge", "b"]) == ("acc", 0.5)
    with pytest.raises(bc.InputError, match=r"unknown metric of task 'arc_challenge' 'f1'"):
        bc.Items.read(paths, metric="f1")


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
    paths = [write(tmp_path, m, "arc", [line]) for m in ("a", "b")]
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
    with pytest.raises(bc.InputError, match=r"task 'arc' of model 'a' has 2 runs .*give"):
        bc.Items.read(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: not JSON"),
        ("[1, 2]\n", "line 1: not a sample of lm-evaluation-harness"),
        ('{"acc": 1}\n', "line 1: not a sample of lm-evaluation-harness"),
        ("\n", "the samples of task 'arc' are empty"),
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
