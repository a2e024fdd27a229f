"""Logs of evaluations, sample by sample as their own programs read them.

The files in ``logs/`` were written by those programs: see make_logs.py, which has the versions.
The call that gave the expected values stands at each test.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.scores.readers import base as files
from tests.rows import each_row

LOGS = Path(__file__).with_name("logs")
INSPECT, HELM = LOGS / "inspect", LOGS / "helm" / "synthetic_reasoning"
SMALL, LARGE = "llamacpp/EleutherAI/pythia-70m", "llamacpp/EleutherAI/pythia-160m"


def answers(items: bc.Items) -> dict[tuple[str, str, str], float]:
    """Each model's mean score on each question of each benchmark."""
    columns = items.frame[["model", "benchmark", "item", items.direction.metric]]
    return {(m, b, i): s for m, b, i, s in columns.itertuples(index=False)}


# Inspect.

#: inspect_ai 0.3.285, read_eval_log(path).reductions: the mean over two epochs by sample.
REDUCED = {
    ("small.eval", "match"): [1.0, 0.5, 0.5],
    ("small.eval", "length"): [0.25, 0.25, 0.375],
    ("large.eval", "match"): [1.0, 1.0, 1.0],
    ("large.eval", "length"): [0.25, 0.25, 0.375],
    ("deflated.eval", "match"): [1.0, 0.5, 0.5],  # written by 0.3.110
    ("deflated.eval", "length"): [0.25, 0.25, 0.375],
    ("written.json", "match"): [1.0, 1.0, 0.0],
    ("written.json", "length"): [0.25, 0.25, 0.25],
    ("rubrics.eval", "rubric/relevance"): [1.0, 2.0],
    ("rubrics.eval", "rubric/style"): [1.0, 0.0],
}


@each_row(("name", "scorer"), REDUCED)
def test_inspect_as_it_reads_itself(name, scorer):
    items = bc.Items.read(INSPECT / name, metric=scorer)
    own = REDUCED[name, scorer]
    assert items.answers.items.tolist() == [f"q{i}" for i in range(len(own))]
    assert items.answers.score.tolist() == own
    assert items.answers.epochs.tolist() == [1 if name[0] in "wr" else 2] * len(own)
    assert items.recognised == f"logs of Inspect, {scorer} (1 file)"


def test_a_model_a_file():
    both = [INSPECT / "small.eval", INSPECT / "large.eval"]
    items = bc.Items.read(both, metric="match", cluster="page")
    assert (items.models, items.benchmarks) == ((SMALL, LARGE), ("sums",))
    assert items.frame["cluster"].tolist() == [0, 0, 1] * 2
    assert items.pair(SMALL, LARGE).x.tolist() == [0, 0.5, 0.5]
    assert items.recognised == "logs of Inspect, match (2 files)"
    with pytest.raises(bc.InputError, match=r"several scorers .*'match', 'length'.*Name one with"):
        bc.Items.read(both)
    with pytest.raises(
        bc.InputError, match=r"scorer must be .*\(got 'mach'\)\. Did you mean 'match'"
    ):
        bc.Items.read(both, metric="mach")
    with pytest.raises(bc.InputError, match=r"got 'chapter', but item 'q0' has 'page'"):
        bc.Items.read(both, metric="match", cluster="chapter")


def test_runs_of_one_model_are_told_apart_by_name():
    runs = {"before": INSPECT / "small.eval", "after": INSPECT / "deflated.eval"}
    with pytest.raises(bc.InputError, match=r"small.eval' and '.*deflated.eval', both with"):
        bc.Items.read(list(runs.values()), metric="match")
    items = bc.Items.read(runs, metric="match")
    assert items.pair("before", "after").x.tolist() == [0, 0, 0]


def test_one_scorer_a_task(tmp_path):
    for name in ("small.eval", "rubrics.eval"):
        shutil.copy(INSPECT / name, tmp_path)
    items = bc.Items.read(tmp_path, metric={"sums": "match", "rubrics": "rubric/style"})
    assert items.benchmarks == ("rubrics", "sums")
    assert items.recognised == "logs of Inspect, rubric/style and match (2 files)"
    assert answers(items)["mockllm/small", "rubrics", "q1"] == 0
    assert answers(items)[SMALL, "sums", "q1"] == 0.5


def test_a_stopped_run_lacks_answers_and_has_no_wrong_ones():
    """The third of stopped.eval is an error, which has no score; its status is "error"."""
    runs = {"a": INSPECT / "stopped.eval", "b": INSPECT / "written.json"}
    with pytest.raises(bc.InputError, match=r"got nan|nan for for model 'a'.* item 'q2'"):
        bc.Items.read(runs, metric="match")
    items = bc.Items.read(runs, metric="match", missing="common")
    assert items.pair("a", "b").n == 2


def edited(path: Path, name: str, change) -> Path:
    """A log with one of its documents changed, deflated."""
    kept = files.read_members(INSPECT / "small.eval", lambda names: names)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, document in kept.items():
            written = change(document) if member == name else document
            if written is not None:
                archive.writestr(member, json.dumps(written))
    return path


def test_samples_that_never_started_are_missing(tmp_path):
    """A log with fewer summaries than its header lists: an epoch of q2 is absent."""
    log = edited(tmp_path / "a.eval", "summaries.json", lambda samples: samples[:5])
    with pytest.raises(bc.InputError, match=r"got nan|nan for.* item 'q2', epoch '2'"):
        bc.Items.read(log, metric="match")
    items = bc.Items.read(log, metric="match", missing="common")
    assert items.answers.epochs.tolist() == [2, 2, 1]
    assert items.answers.score.tolist() == [1.0, 0.5, 0.0]
    with pytest.raises(bc.InputError, match=r"no item 'q2', epoch 2"):
        bc.Items.read(log, metric="match", cluster="page")


def test_the_journal_of_a_run_that_never_ended(tmp_path):
    log = edited(tmp_path / "a.eval", "header.json", lambda header: None)
    whole = bc.Items.read(INSPECT / "small.eval", metric="match")
    assert answers(bc.Items.read(log, metric="match")) == answers(whole)
    kept = files.read_members(log, lambda names: [n for n in names if n != "summaries.json"])
    for left in ("_journal/summaries/", "samples/"):
        with zipfile.ZipFile(tmp_path / "b.eval", "w") as archive:
            for member, document in kept.items():
                if member.startswith((left, "_journal/start")):
                    archive.writestr(member, json.dumps(document))
        assert answers(bc.Items.read(tmp_path / "b.eval", metric="match")) == answers(whole)


@each_row(
    ("change", "message"),
    [
        (lambda s: [{**s[0], "scores": {"match": {"value": "maybe"}}}], "must .*got 'maybe'"),
        (
            lambda s: [{**s[0], "scores": {"match": {"value": [1, 0]}}}],
            r"must hold numbers.*got \[1, 0\]",
        ),
        (lambda s: [{"id": 1}], "must have an id and an epoch"),
        (lambda s: [], "the log must hold samples"),
        (lambda s: 3, "must have an id and an epoch"),
        (lambda s: [{**x, "scores": {}} for x in s], r"scorer must be .*\(got 'match'\)"),
        (lambda s: [s[0], s[0]], "duplicate row, epoch 1 of item 'q0'"),
    ],
)
def test_what_inspect_would_not_write(tmp_path, change, message):
    log = edited(tmp_path / "a.eval", "summaries.json", change)
    with pytest.raises(bc.InputError, match=message) as error:
        bc.Items.read(log, metric="match", missing="common")
    assert "\n" not in str(error.value)


def test_one_scorer_need_not_be_named_and_none_can_not(tmp_path):
    def scored(names):
        def change(samples):
            return [{**s, "scores": {n: s["scores"][n] for n in names}} for s in samples]

        return edited(tmp_path / "a.eval", "summaries.json", change)

    assert bc.Items.read(scored(["match"])).answers.score.tolist() == [1, 0.5, 0.5]
    with pytest.raises(bc.InputError, match="must have a scorer"):
        bc.Items.read(scored([]))
    log = edited(tmp_path / "a.eval", "header.json", lambda header: {**header, "eval": {}})
    with pytest.raises(bc.InputError, match="must name its model and task"):
        bc.Items.read(log, metric="match")


@each_row("name", ["small.eval", "deflated.eval", "written.json"])
def test_a_log_that_is_cut_off_or_damaged(tmp_path, name):
    whole = (INSPECT / name).read_bytes()
    path = tmp_path / name
    for size in (0, 20, 400, len(whole) // 2, len(whole) - 3):
        path.write_bytes(whole[:size])
        with pytest.raises(bc.InputError, match=r"cut off|must hold items that a reader knows"):
            bc.Items.read(path, metric="match")
    if path.suffix == ".eval":
        with zipfile.ZipFile(INSPECT / name) as archive:
            info = archive.getinfo("summaries.json")
        start = info.header_offset + 30 + len(info.filename)
        for at in (start, start + info.compress_size // 2):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
            with pytest.raises(bc.InputError, match="cut off"):
                bc.Items.read(path, metric="match")
        in_directory = re.compile(rb"(?<=PK\x01\x02.{6})..", re.DOTALL)
        path.write_bytes(in_directory.sub(b"\x61\x00", whole))
        with pytest.raises(bc.InputError, match=r"cut off \(.*compression 97"):
            bc.Items.read(path, metric="match")
    (tmp_path / "a.eval").write_bytes(b"PK\x05\x06" + bytes(18))
    with pytest.raises(bc.InputError, match=r"must have a header\.json"):
        bc.Items.read(tmp_path / "a.eval")


# Every Eval Ever.


def eee(task: str) -> list[Path]:
    """The files of samples of a task, the larger model's first."""
    return sorted((LOGS / "eee" / task).rglob("*.jsonl"))


def test_every_eval_ever_as_inspect_reads_what_it_was_made_of():
    items = bc.Items.read(LOGS / "eee" / "sums", metric="match:accuracy")
    own = {
        (model, "sums", f"q{i}"): value
        for model, name in ((SMALL, "small.eval"), (LARGE, "large.eval"))
        for i, value in enumerate(REDUCED[name, "match"])
    }
    assert answers(items) == own
    assert items.recognised == "samples of Every Eval Ever, match:accuracy (2 files)"
    assert str(items.direction) == "match:accuracy ↑"  # as the aggregate has it
    with pytest.raises(
        bc.InputError, match=r"evaluation_result_ids .*'match:accuracy', 'length:m"
    ):
        bc.Items.read(LOGS / "eee" / "sums")


def test_evaluations_of_one_file():
    """Filters of lm-evaluation-harness are evaluations of their own there."""
    one = {"tiny_gen/strict": "exact_match:strict", "tiny_gen/loose": "exact_match:loose"}
    items = bc.Items.read(eee("tiny_gen"), metric=one)
    assert items.benchmarks == tuple(one)
    strict = bc.Items.read(eee("tiny_gen"), metric="exact_match:strict")
    assert strict.benchmarks == ("tiny_gen/strict",)
    assert [len(strict.models), len(strict.answers.items)] == [2, 3]


def rewritten(path: Path, place: Path, change) -> Path:
    """A file of samples, and its aggregate beside it, with a change to each line."""
    lines = [change(i, json.loads(line)) for i, line in enumerate(path.read_text().splitlines())]
    place.mkdir(exist_ok=True)
    (place / path.name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    aggregate = path.name.replace("_samples.jsonl", ".json")
    shutil.copy(path.with_name(aggregate), place / aggregate)
    return place / path.name


def test_the_same_question_by_its_hash(tmp_path):
    first, second = eee("sums")
    other = rewritten(second, tmp_path, lambda i, s: {**s, "sample_hash": s["sample_hash"][::-1]})
    own = {"metric": "match:accuracy"}
    with pytest.raises(bc.InputError, match=r"several values of sample_hash.*'q0'.*item='sample"):
        bc.Items.read([first, other], **own)
    assert bc.Items.read([first, other], item="sample_id", **own).pair(SMALL, LARGE).n == 3
    by_hash = bc.Items.read([first, other], item="sample_hash", missing="common", **own)
    with pytest.raises(bc.InputError, match="must have an item in common"):
        by_hash.pair(SMALL, LARGE)


def test_a_key_of_the_metadata_is_a_cluster(tmp_path):
    def on_a_page(i, sample):
        return {**sample, "metadata": {**sample["metadata"], "page": sample["sample_id"] == "q2"}}

    path = rewritten(eee("sums")[0], tmp_path, on_a_page)
    own = bc.Items.read(path, metric="match:accuracy", cluster="page").frame
    assert own["cluster"].tolist() == [0, 0, 1]


def test_what_the_aggregate_tells(tmp_path):
    path = rewritten(eee("sums")[0], tmp_path, lambda i, s: s)
    aggregate = path.with_name(path.name.replace("_samples.jsonl", ".json"))
    document = json.loads(aggregate.read_text())
    config = document["evaluation_results"][0]["metric_config"]
    config |= {"lower_is_better": True, "has_unknown_level": True}
    aggregate.write_text(json.dumps(document))
    assert bc.Items.read(path, metric="match:accuracy").direction.lower
    of_user = bc.Items.read(path, metric="match:accuracy", higher_is_better="match:accuracy")
    assert not of_user.direction.lower
    unknown = rewritten(
        path, tmp_path / "b", lambda i, s: {**s, "evaluation": {"score": -1, "is_correct": False}}
    )
    with pytest.raises(bc.InputError, match="missing"):
        bc.Items.read(unknown, metric="match:accuracy")
    document["evaluation_results"][0]["evaluation_result_id"] = "of another"
    aggregate.write_text(json.dumps(document))
    assert not bc.Items.read(path, metric="match:accuracy").direction.lower
    aggregate.unlink()
    assert not bc.Items.read(path, metric="match:accuracy").direction.lower


@each_row(
    ("change", "message"),
    [
        (lambda i, s: {**s, "evaluation": {}}, "line 1, must be a sample of Every Eval Ever"),
        (lambda i, s: {**s, "evaluation": {"score": "C"}}, "line 1, must be a sample"),
        (lambda i, s: {**s, "sample_id": 3} if i == 4 else s, "line 5, must be a sample"),
        (lambda i, s: {**s, "metadata": {}}, "duplicate row"),
    ],
)
def test_other_lines_are_refused(tmp_path, change, message):
    with pytest.raises(bc.InputError, match=message):
        bc.Items.read(rewritten(eee("sums")[0], tmp_path, change), metric="match:accuracy")


def test_lines_that_are_cut_off(tmp_path):
    whole = eee("sums")[0].read_text()
    path = tmp_path / "a_samples.jsonl"
    path.write_text(whole[:-100])
    with pytest.raises(bc.InputError, match="line 12: not JSON, or cut off"):
        bc.Items.read(path, metric="match:accuracy")


# HELM.


@each_row(
    ("split", "item", "tokens"), [("test", "id10394", (593, 601)), ("valid", "id1898", (607, 615))]
)
def test_helm_as_it_reads_itself(split, item, tokens):
    """crfm-helm 0.5.16, helm.common.codec.from_json(text, List[PerInstanceStats]).

    The mock answers alike everywhere: what differs from draw to draw is the prompt's length.
    """
    items = bc.Items.read(LOGS / "helm", split=split, metric="num_prompt_tokens")
    benchmark = "synthetic_reasoning:mode=pattern_match,data_augmentation=lower,num_train_trials=2"
    assert answers(items) == {("simple/model1", benchmark, item): np.mean(tokens)}
    assert items.answers.epochs.tolist() == [2]
    assert items.recognised == "runs of HELM, num_prompt_tokens (1 file)"


@pytest.mark.slow
def test_helm_has_every_mean_as_it_reads_it_itself():
    """own.json: make_logs.py helm_reads, by helm.common.codec.from_json, nothing left out."""
    own: dict[tuple, dict[str, list[float]]] = {}
    for split, perturbation, metric, item, _, mean in json.loads((HELM / "own.json").read_text()):
        of = own.setdefault((split, perturbation, metric), {})
        of.setdefault(item, []).append(np.nan if mean is None else mean)
    read = 0
    for (split, perturbation, metric), means in own.items():
        asked = {"split": split, "metric": metric, "perturbation": perturbation}
        asked = {name: given for name, given in asked.items() if given is not None}
        if np.isnan([*means.values()]).all():
            with pytest.raises(bc.InputError, match="must hold scores"):
                bc.Items.read(HELM, missing="common", **asked)
            continue
        known = bc.Items.read(HELM, **asked).answers
        assert known.items.tolist() == [*means]
        assert known.score == pytest.approx([np.mean(each) for each in means.values()], rel=1e-12)
        assert known.epochs.tolist() == [len(each) for each in means.values()]
        read += 1
    assert (len(own), read) == (92, 84)


def test_perturbations_are_taken_one_at_a_time():
    """The same call, inference_runtime of the first draw and of the second."""
    own = {"split": "test", "metric": "inference_runtime"}
    for perturbation, runtimes in (
        (None, (1.3828277587890625e-05, 5.4836273193359375e-06)),
        ("lowercase", (2.288818359375e-05, 5.0067901611328125e-06)),
    ):
        items = bc.Items.read(HELM, perturbation=perturbation, **own)
        assert items.answers.score.tolist() == pytest.approx([np.mean(runtimes)], rel=1e-12)
    with pytest.raises(bc.InputError, match=r"perturbation must be .*\(got 'typos'\)"):
        bc.Items.read(HELM, perturbation="typos", **own)


def test_choices_in_helm_are_the_users(tmp_path):
    with pytest.raises(
        bc.InputError, match=r"several splits .*'test', 'valid'.*Name one with split"
    ):
        bc.Items.read(HELM)
    with pytest.raises(
        bc.InputError, match=r"several metrics .*'exact_match', 'quasi_exact_match'"
    ):
        bc.Items.read(HELM, split="test")
    items = bc.Items.read(HELM, split="test", metric="exact_match")
    assert items.answers.score.tolist() == [0]
    shutil.copy(HELM / "per_instance_stats.json", tmp_path)
    with pytest.raises(bc.InputError, match=r"a run_spec\.json.* must be next to"):
        bc.Items.read(tmp_path)
    (tmp_path / "run_spec.json").write_text('{"name": "reasoning", "adapter_spec": {}}')
    with pytest.raises(bc.InputError, match=r"run_spec\.json next to the file must name a model"):
        bc.Items.read(tmp_path, split="test", metric="exact_match")


def helm_copy(place: Path, model: str, change=lambda entries: entries) -> Path:
    """The run as another model's."""
    place.mkdir()
    spec = json.loads((HELM / "run_spec.json").read_text())
    spec["adapter_spec"]["model"] = model
    spec["name"] = spec["name"].replace("simple_model1", model.replace("/", "_"))
    (place / "run_spec.json").write_text(json.dumps(spec))
    entries = json.loads((HELM / "per_instance_stats.json").read_text())
    (place / "per_instance_stats.json").write_text(json.dumps(change(entries)))
    return place


def test_models_are_paired_whatever_the_runs_name(tmp_path):
    helm_copy(tmp_path / "a", "org/one")
    helm_copy(tmp_path / "b", "org/two", lambda entries: entries[:4])  # one draw of the examples
    own = {"split": "test", "metric": "num_prompt_tokens"}
    items = bc.Items.read(tmp_path, lower_is_better="num_prompt_tokens", **own)
    pair = items.pair("org/one", "org/two")
    assert (pair.n, pair.epochs, pair.second.tolist()) == (1, (1, 2), [593])


@pytest.mark.parametrize(
    "change", [lambda e: {}, lambda e: [3], lambda e: [{"instance_id": 1}], lambda e: [[e]]]
)
def test_other_documents_are_no_stats(tmp_path, change):
    with pytest.raises(bc.InputError, match="must be a list of objects with instance_id"):
        bc.Items.read(helm_copy(tmp_path / "a", "org/one", change), split="test")


def test_a_statistic_twice_or_without_a_value(tmp_path):
    def change(entries):
        for stat in entries[0]["stats"]:
            if stat["name"]["name"] == "exact_match":
                stat.pop("mean"), stat.update(count=0)
        return entries

    own = {"split": "test", "metric": "exact_match"}
    with pytest.raises(bc.InputError, match="missing"):
        bc.Items.read(helm_copy(tmp_path / "a", "org/one", change), **own)

    def in_words(entries):
        return [{**e, "stats": [{**s, "mean": "high"} for s in e["stats"]]} for e in entries]

    with pytest.raises(bc.InputError, match=r"mean of a statistic must be a number .got 'high'"):
        bc.Items.read(helm_copy(tmp_path / "c", "org/three", in_words), **own)
    again = helm_copy(tmp_path / "b", "org/two", lambda e: [e[0], e[0]])
    with pytest.raises(bc.InputError, match="'id10394' must have 'exact_match' once"):
        bc.Items.read(again, **own)


# SWE-bench.

REPORT = LOGS / "swebench" / "org__small-1.5.run1.json"


def test_swe_bench_as_it_counts():
    """swebench 5.0.2, make_run_report: resolved_instances 1 of 5 and 3 of 5, one not submitted."""
    items = bc.Items.read(LOGS / "swebench", missing="common")
    assert items.models == ("org__large-1.5", "org__small-1.5")
    assert items.frame.groupby("model")["accuracy"].sum().tolist() == [3, 1]
    assert items.answers.empty == 1
    pair = items.pair("org__small-1.5", "org__large-1.5")
    assert pair.counts().tolist() == [[1, 0], [2, 1]]
    with pytest.raises(
        bc.InputError, match=r"got nan|nan for for .*large.* item 'sympy__sympy-7'"
    ):
        bc.Items.read(LOGS / "swebench")


def test_swe_bench_instance_by_instance():
    """As make_logs.py had them: make_run_report read resolved or not in each one's report.json.

    Empty patches and those that failed are not resolved.
    """
    names = [f"django__django-{n}" for n in (101, 102, 103)] + ["sympy__sympy-7", "sympy__sympy-8"]
    outcomes = {"org__small-1.5": [1, 0, 0, 0, 0], "org__large-1.5": [1, 1, 0, None, 1]}
    own = {
        (model, "SWE-bench", name): right
        for model, rights in outcomes.items()
        for name, right in zip(names, rights, strict=True)
        if right is not None
    }
    assert answers(bc.Items.read(LOGS / "swebench", missing="common")) == own


def report(path: Path, **changes: object) -> Path:
    """The small model's report with some entries changed, or dropped where None."""
    document = json.loads(REPORT.read_text()) | changes
    path.write_text(json.dumps({k: v for k, v in document.items() if v is not None}))
    return path


def test_what_is_resolved_and_nothing_else(tmp_path):
    place = tmp_path / "20240620_agent" / "results"
    place.mkdir(parents=True)
    path = place / "results.json"
    path.write_text(json.dumps({"no_generation": [], "no_logs": [], "resolved": ["a-1", "a-2"]}))
    with pytest.raises(bc.InputError, match=r"lists only what is resolved. Give"):
        bc.Items.read(path)
    items = bc.Items.read(path, instances=["a-1", "a-2", "a-3"])
    assert (items.models, items.answers.score.tolist()) == (("20240620_agent",), [1, 1, 0])
    with pytest.raises(bc.InputError, match=r"must be an instance of the benchmark .*'a-2'"):
        bc.Items.read(path, instances=["a-1", "a-3"])


@each_row(
    ("changes", "message"),
    [
        ({"total_instances": 6}, "total_instances must be .*got 6 and 5"),
        ({"resolved_ids": 3}, "resolved_ids must be a list of instance ids"),
        ({"resolved_ids": None}, "resolved must be a list"),
        ({"resolved_ids": ["django__django-101"] * 2}, "got 'django__django-101' twice"),
        ({"resolved_ids": ["x"]}, "must be an instance of the benchmark.*got 'x'"),
        ({"completed_ids": [1]}, "completed_ids must be a list"),
    ],
)
def test_reports_that_disagree_with_themselves(tmp_path, changes, message):
    with pytest.raises(bc.InputError, match=message):
        bc.Items.read(report(tmp_path / "a.json", **changes))


def test_a_run_of_a_report_is_named_where_only_it_tells_two_apart(tmp_path):
    paths = [report(tmp_path / f"m.{run}.json") for run in ("one", "two")]
    assert bc.Items.read(paths).models == ("m.one", "m.two")
    assert bc.Items.read(paths[0]).models == ("m",)


# MTEB.

#: mteb 2.26.24, TaskResult.from_disk(path).get_score().
TASKS = {
    ("baai/bge-large", "MTEB", "STSBenchmark"): 0.84,
    ("baai/bge-large", "MTEB", "SciFact"): 0.72,
    ("baai/bge-small", "MTEB", "MTOPDomainClassification"): 0.8000000000000002,
    ("baai/bge-small", "MTEB", "STSBenchmark"): 0.81,
    ("baai/bge-small", "MTEB", "SciFact"): 0.7,
}


@each_row("name", ["results", "both.json", "wide.csv", "long.csv", "model.json"])
def test_mteb_as_it_reads_itself(name):
    items = bc.Items.read(LOGS / "mteb" / name, missing="common")
    known = {k: v for k, v in TASKS.items() if name != "model.json" or "small" in k[0]}
    assert answers(items) == pytest.approx(known, rel=1e-12)
    assert items.recognised.startswith("results of MTEB, main_score")
    assert str(items.direction) == "main_score ↑"


def test_subsets_of_a_task_belong_together():
    items = bc.Items.read(LOGS / "mteb" / "subsets.csv", missing="common")
    assert items.answers.items.tolist()[:2] == [
        "MTOPDomainClassification (test, de)",
        "MTOPDomainClassification (test, en)",
    ]
    assert items.frame["cluster"].nunique() == 3
    assert answers(items)["baai/bge-small", "MTEB", "MTOPDomainClassification (test, es)"] == 0.7


def test_frames_of_mteb():
    wide = pd.read_csv(LOGS / "mteb" / "wide.csv")
    assert answers(bc.Items.read(wide, missing="common")) == pytest.approx(TASKS, rel=1e-12)
    with pytest.raises(bc.InputError, match=r"got nan|nan for for model 'baai/bge-large'"):
        bc.Items.read(wide)
    with pytest.raises(bc.InputError, match="metric must be left out"):
        bc.Items.read(wide, metric="ndcg_at_10")


def test_results_of_mteb_that_are_not(tmp_path):
    one = {"dataset_revision": "1", "task_name": "SciFact", "mteb_version": "2.0"}
    for scores in ({}, {"test": [{"ndcg": 1}]}, {"test": 3}, [1]):
        path = tmp_path / "SciFact.json"
        path.write_text(json.dumps({**one, "scores": scores}))
        if scores == {}:
            with pytest.raises(bc.InputError, match="missing"):
                bc.Items.read(path)
        else:
            with pytest.raises(bc.InputError, match=r"must hold results of MTEB since 1\.11"):
                bc.Items.read(path)


def test_revisions_of_one_model(tmp_path):
    shutil.copytree(LOGS / "mteb" / "results", tmp_path / "results")
    place = tmp_path / "results" / "baai__bge-small"
    shutil.copytree(place / "abc123", place / "def456")
    with pytest.raises(
        bc.InputError, match=r"'baai/bge-small' must be in one file .*abc123.* and .*def456"
    ):
        bc.Items.read(tmp_path)


# promptfoo.

PROMPTFOO = LOGS / "promptfoo" / "results.json"


def test_promptfoo_as_it_counts():
    """promptfoo 0.121.20: results.stats has 8 successes, 6 failures and 2 errors."""
    items = bc.Items.read(PROMPTFOO, missing="common")
    right = items.answers.score * items.answers.epochs
    assert [right.sum(), (items.answers.epochs - right).sum(), items.answers.empty] == [8, 6, 2]
    assert items.models == ("small: bare", "small: polite", "large: bare", "large: polite")
    own = {
        ("of 4", "bare"): 0,
        ("of 4", "polite"): 1,
        ("q=six", "bare"): 1,
        ("q=six", "polite"): 1,
    }
    known = answers(items)
    assert {k: known[f"large: {k[1]}", "numbers", k[0]] for k in own} == own
    assert items.answers.epochs.max() == 2


def exported() -> list[tuple[str, str, int, str, float, str]]:
    """Model, test, repeat, status, score and "fours" of own.csv: promptfoo's import and export."""
    with (PROMPTFOO.parent / "own.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    models = [i for i, name in enumerate(head) if name.startswith("[")]
    cells, seen = [], Counter()
    for row in rows:
        test = row[0] or f"q={row[1]}"
        seen[test] += 1
        for start, end in zip(models, [*models[1:], len(head)], strict=True):
            of = dict(zip(head[start:end], row[start:end], strict=True))
            model = head[start].replace("[", "").replace("]", ":")
            own = model, test, seen[test], of["Status"], float(of["Score"])
            cells.append((*own, of.get("Metric: fours", "")))
    return cells


@each_row("metric", ["success", "score", "fours"])
def test_promptfoo_answer_by_answer(metric):
    items = bc.Items.read(PROMPTFOO, missing="common", metric=metric)
    known, attempts = items.answers, items.answers.attempts
    model = np.repeat(np.arange(len(known.models)), np.diff(known.starts))
    read = {
        (known.models[model[a]], str(known.items[known.question[a]]), int(e) + 1): float(s)
        for a, e, s in zip(attempts.answer, attempts.epoch, attempts.score, strict=True)
    }
    own = {}
    for name, test, repeat, status, score, fours in exported():
        values = {"success": float(status == "PASS"), "score": score, "fours": fours}
        if status != "ERROR" and values[metric] != "":
            own[name, test, repeat] = float(values[metric])
    assert read == own
    assert len(own) == {"success": 14, "score": 14, "fours": 6}[metric]


def test_other_scores_of_promptfoo():
    graded = bc.Items.read(PROMPTFOO, missing="common", metric="score")
    assert answers(graded)["large: bare", "numbers", "of 4"] == 0.5
    named = bc.Items.read(PROMPTFOO, missing="common", metric="fours")
    assert set(named.answers.items) == {"q=six"}
    assert answers(named)["small: polite", "numbers", "q=six"] == 0
    with pytest.raises(bc.InputError, match=r"metric must be .*\(got 'fives'\)"):
        bc.Items.read(PROMPTFOO, metric="fives")
    with pytest.raises(bc.InputError, match=r"got nan|nan for for model 'small: bare'"):
        bc.Items.read(PROMPTFOO)


def test_results_without_results(tmp_path):
    path = tmp_path / "a.json"
    for results in ([], [3], {}, [{"vars": {}}]):
        path.write_text(json.dumps({"results": {"version": 3, "results": results}}))
        with pytest.raises(bc.InputError, match="must have a list of results with provider"):
            bc.Items.read(path)


def test_tests_with_one_name_and_other_assertions(tmp_path):
    def result(provider: str, test: int, text: str) -> dict[str, object]:
        own = {"vars": {"q": 1}, "assert": [text]}
        return {**own, "provider": provider, "score": 1, "success": True, "testIdx": test,
                "testCase": own}  # fmt: skip

    results = [result(p, i, t) for i, t in ((1, "y"), (0, "x")) for p in ("a", "b")]
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"results": {"version": 2, "results": results}}))
    items = bc.Items.read(path)
    assert items.answers.items.tolist() == ["q=1", "q=1 (2)"]
    assert (items.models, items.benchmarks) == (("a", "b"), ("promptfoo",))


# lm-evaluation-harness.


def test_lm_evaluation_harness_as_its_results_have_it():
    """lm_eval 0.4.13: results_*.json has the mean of each task's metrics."""
    items = bc.Items.read(LOGS / "lm_eval", filter="strict", metric={"tiny_mc": "acc"})
    for model in ("EleutherAI__pythia-70m", "EleutherAI__pythia-160m"):
        path = next((LOGS / "lm_eval" / model).glob("results_*.json"))
        own = json.loads(path.read_text())["results"]
        means = items.means()[model]
        assert means["tiny_mc"] == pytest.approx(own["tiny_mc"]["acc,none"])
        assert means["tiny_gen"] == pytest.approx(own["tiny_gen"]["exact_match,strict"])
    assert items.means().loc["tiny_mc"].tolist() == [0, 1]
    renamed = {"small": LOGS / "lm_eval" / "EleutherAI__pythia-70m"}
    named = bc.Items.read(renamed, filter="strict", metric={"tiny_mc": "acc"})
    assert named.models == ("small",)


# Which program wrote a file.


def test_programs_are_not_mixed(tmp_path):
    with pytest.raises(
        bc.InputError, match=r"files of one program.*got 'lm-eval' and 'inspect-log' and"
    ):
        bc.Items.read(LOGS)
    assert bc.Items.read(LOGS, "swe-bench", missing="common").models[0] == "org__large-1.5"
    table = tmp_path / "a.csv"
    table.write_text("model,item,score\na,1,1\n")
    for other, kind in ((PROMPTFOO, "promptfoo"), (table, "a table")):
        with pytest.raises(bc.InputError, match=rf"\(inspect-log\), .* \({kind}\)"):
            bc.Items.read([INSPECT / "small.eval", other], metric="match")
    with pytest.raises(bc.InputError, match="split must be left out unless the format is 'helm'"):
        bc.Items.read(INSPECT / "small.eval", metric="match", split="test")
    with pytest.raises(bc.InputError, match=r"must hold one model, since the file is named 'a'"):
        bc.Items.read({"a": LOGS / "mteb" / "both.json"})


@each_row("text", ["", "{}", "[]", '{"a": 1}', "\x00\xff", '{"results": {"gsm8k": {}}}'])
def test_other_documents_are_refused(tmp_path, text):
    for name in ("a.json", "b.jsonl"):
        path = tmp_path / name
        path.write_text(text, encoding="latin-1")
        with pytest.raises(bc.InputError, match="must hold items that a reader knows") as error:
            bc.Items.read(path)
        assert "\n" not in str(error.value)


def test_without_zstandard(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(bc.InputError, match=r"pip install zstandard"):
        bc.Items.read(INSPECT / "small.eval", metric="match")
    assert bc.Items.read(INSPECT / "deflated.eval", metric="match").answers.score[1] == 0.5


@each_row("name", ["run.eval", "run.jsonl"])
def test_a_file_that_does_not_exist_is_named_so(tmp_path, name):
    with pytest.raises(bc.InputError, match=rf"{name}' must be a file or a folder of items"):
        bc.Items.read(tmp_path / name)
