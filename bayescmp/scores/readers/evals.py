"""Logs of evaluations: Inspect, Every Eval Ever, HELM, SWE-bench, MTEB and promptfoo.

By the programs' own writers: inspect_ai 0.3.285 (log/_recorders), every-eval-ever 0.3.0
(schemas/instance_level_eval.schema.json), crfm-helm 0.5.16 (benchmark/metrics/statistic.py),
swebench 5.0.2 (harness/reporting.py), mteb 2.26.24 (results/task_result.py), promptfoo 0.121.20.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayescmp.base.arguments import must, read_option
from bayescmp.base.checks import as_names, check_label
from bayescmp.base.typing import Json
from bayescmp.errors import InputError
from bayescmp.scores.questions import GRADES, read_grades
from bayescmp.scores.readers.base import (
    FilePart,
    ProgramLogs,
    Reading,
    Source,
    Wanted,
    choose_one,
    entry,
    match_start,
    metric_of,
    number,
    number_names,
    read_json,
    read_lines,
    read_members,
)

# Inspect: .eval (a zip file) and .json.


_is_json_log = match_start(r'^\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:')

INSPECT = ProgramLogs(
    "logs of Inspect",
    ("*.eval", "*.json"),
    lambda path: path.suffix == ".eval" or _is_json_log(path),
)


def read_inspect_logs(
    source: Source, *, metric: Wanted = None, cluster: str | None = None
) -> Reading:
    """Read scores by model, task, sample and epoch; ``cluster`` is a key of samples' metadata."""
    return INSPECT.reading(source, lambda path: _inspect_log(path, metric, cluster))


def _inspect_log(path: Path, metric: Wanted, cluster: str | None) -> FilePart:
    header, samples = _check_log(_eval_file(path) if path.suffix == ".eval" else read_json(path))
    scores = [_flatten_scores(sample.get("scores")) for sample in samples]
    names = list(dict.fromkeys(name for one in scores for name in one))
    own = header["eval"]
    scorer = choose_one(names, metric_of(metric, str(own["task"])), "scorer", "metric")
    table = {
        "item": [check_label(sample["id"], "id of a sample") for sample in samples],
        "epoch": [check_label(sample["epoch"], "epoch of a sample") for sample in samples],
        "score": [one.get(scorer) for one in scores],
    }
    if cluster is not None:
        table["cluster"] = [_metadata(s.get("metadata"), cluster, s["id"]) for s in samples]
    frame = pd.DataFrame(table).assign(model=check_label(own["model"], "model"))
    frame = frame.assign(benchmark=check_label(own["task"], "task"))
    frame["score"] = grades_as_numbers(frame["score"].rename(scorer))
    return FilePart(_with_unanswered(frame, own), scorer)


def _eval_file(path: Path) -> object:
    """Return the log that an .eval file holds, from its journal if the run never ended."""

    def wanted(names: list[str]) -> list[str]:
        header = next((n for n in ("header.json", "_journal/start.json") if n in names), None)
        if header is None:
            raise InputError("a log of Inspect must have a header.json (got none).")
        if "summaries.json" in names:
            return [header, "summaries.json"]
        journal = [n for n in names if n.startswith("_journal/summaries/")]
        return [header, *(journal or [n for n in names if n.startswith("samples/")])]

    header, *rest = read_members(path, wanted).values()
    samples = [s for part in rest for s in (part if isinstance(part, list) else [part])]
    return {**header, "samples": samples} if isinstance(header, dict) else header


def _check_log(log: Any) -> tuple[Json, list[Json]]:
    """Return a log and its samples, refused where they lack what tells samples apart."""
    own, samples = entry(log, "eval"), entry(log, "samples")
    if not isinstance(own, dict) or not {"model", "task"} <= set(own):
        raise InputError("the log must name its model and task.")
    if not samples or not isinstance(samples, list):
        raise InputError("the log must hold samples (got none).")
    if not _are_all(samples, {"id", "epoch"}):
        raise InputError("each sample of the log must have an id and an epoch.")
    return log, samples


def _are_all(rows: object, keys: set[str]) -> bool:
    """Whether this is a list of objects, each with these keys."""
    return isinstance(rows, list) and all(isinstance(r, dict) and keys <= set(r) for r in rows)


def _flatten_scores(scores: object) -> dict[str, object]:
    """Return the value of each scorer; of one with several, under scorer/name."""
    values: dict[str, object] = {}
    for scorer, score in scores.items() if isinstance(scores, dict) else ():
        value = entry(score, "value")
        if isinstance(value, dict):
            values |= {f"{scorer}/{name}": one for name, one in value.items()}
        else:
            values[scorer] = value
    return values


def _metadata(metadata: object, key: str, item: object) -> str:
    """Return the cluster that a sample's metadata give."""
    known = metadata if isinstance(metadata, dict) else {}
    if known.get(key) is None:
        raise must(
            "cluster",
            "be in the metadata of every item",
            f"{key!r}, but item {str(item)!r} has {', '.join(map(repr, known)) or 'none'}",
        )
    return str(known[key])


def _with_unanswered(frame: pd.DataFrame, own: Json) -> pd.DataFrame:
    """Add rows without a score for samples that the header lists and the log lacks."""
    ids, count = entry(own, "dataset", "sample_ids"), entry(own, "config", "epochs")
    ids = ids if isinstance(ids, list) else []
    epochs = [str(i + 1) for i in range(count if isinstance(count, int) else 1)]
    there = set(zip(frame["item"], frame["epoch"], strict=True))
    absent = [pair for pair in itertools.product(map(str, ids), epochs) if pair not in there]
    if not absent:
        return frame
    if "cluster" in frame:
        raise must(
            "cluster",
            "be left out for a log that lacks items, whose clusters are not known",
            f"no item {absent[0][0]!r}, epoch {absent[0][1]}",
            "Or give a log of a finished run.",
        )
    rows = pd.DataFrame(absent, columns=["item", "epoch"])
    rows = rows.assign(model=frame["model"][0], benchmark=frame["benchmark"][0], score=np.nan)
    return pd.concat([frame, rows], ignore_index=True)


def grades_as_numbers(cells: pd.Series) -> np.ndarray:
    """Turn grades into numbers: "C" is 1 and "I" is 0, an empty one NaN, and "0.25" itself."""
    values, wrong = read_grades(cells)
    if wrong.any():
        raise must(
            f"column {cells.name!r}",
            f"hold numbers, or the grades {', '.join(GRADES)}",
            repr(cells[wrong].iloc[0]),
        )
    return values


# Every Eval Ever: <uuid>_samples.jsonl, and <uuid>.json with the facts about the metrics.


EEE = ProgramLogs(
    "samples of Every Eval Ever",
    ("*.jsonl",),
    match_start('"schema_version"', '"evaluation_id"', '"sample_id"', suffix=".jsonl"),
)


def read_eee(
    source: Source,
    *,
    metric: Wanted = None,
    cluster: str | None = None,
    item: str | None = None,
) -> Reading:
    """Read scores by model, evaluation and sample, by ``item``: its id or hash."""
    if item is not None:
        choose_one(("sample_id", "sample_hash"), item, "item", "item")
    reading = EEE.reading(source, lambda path: _eee_file(path, metric, cluster, item))
    if item is None:
        _refuse_other_questions(reading.frame)
    return replace(reading, frame=reading.frame.drop(columns="hash"))


def _eee_file(path: Path, metric: Wanted, cluster: str | None, item: str | None) -> FilePart:
    samples = []
    for line, sample in read_lines(path):
        if not _is_eee_sample(sample):
            raise InputError(
                f"{str(path)!r}, line {line}, must be a sample of Every Eval Ever: an object with "
                "model_id, evaluation_name, sample_id and a number as evaluation.score."
            )
        samples.append(sample)
    chosen = _eee_metrics(samples, metric)
    rows = [s for s in samples if chosen[s["evaluation_name"]] == _result(s)]
    metrics = list(dict.fromkeys(map(_result, rows)))
    lower, unknown = _eee_metric(path, metrics[0])
    table = {
        "model": [s["model_id"] for s in rows],
        "benchmark": [s["evaluation_name"] for s in rows],
        "item": [str(s.get(item or "sample_id")) for s in rows],
        "epoch": [str(entry(s, "metadata", "epoch") or 1) for s in rows],
        "hash": [str(s.get("sample_hash") or "") for s in rows],
        "score": [number(s["evaluation"]["score"], "score of a sample") for s in rows],
    }
    if cluster is not None:
        table["cluster"] = [_metadata(s.get("metadata"), cluster, s["sample_id"]) for s in rows]
    frame = pd.DataFrame(table)
    if unknown:  # -1 stands for no score
        frame["score"] = frame["score"].where(frame["score"] != -1)
    return FilePart(frame, " and ".join(metrics), lower)


def _result(sample: Json) -> str:
    return str(sample.get("evaluation_result_id") or "score")


def _eee_metrics(samples: Sequence[Json], metric: Wanted) -> dict[str, str]:
    """Choose the result that counts of each evaluation: the one that is named, or the only one."""
    results: dict[str, dict[str, None]] = {}
    for sample in samples:
        results.setdefault(sample["evaluation_name"], {}).setdefault(_result(sample))
    kind = "evaluation_result_id"
    if isinstance(metric, Mapping):
        return {
            name: choose_one([*own], metric.get(name), kind, "metric")
            for name, own in results.items()
        }
    known = dict.fromkeys(r for own in results.values() for r in own)
    return dict.fromkeys(results, choose_one([*known], metric, kind, "metric"))


def _is_eee_sample(sample: object) -> bool:
    labels = ("model_id", "evaluation_name", "sample_id")
    if not isinstance(sample, dict) or not all(isinstance(sample.get(n), str) for n in labels):
        return False
    evaluation = sample.get("evaluation")
    return isinstance(evaluation, dict) and isinstance(evaluation.get("score"), (int, float))


def _eee_metric(path: Path, chosen: str) -> tuple[bool | None, bool]:
    """Whether lower is better, where the aggregate tells; and whether -1 stands for no score."""
    aggregate = path.with_name(path.name.removesuffix("_samples.jsonl") + ".json")
    if not aggregate.is_file():
        return None, False
    results = entry(read_json(aggregate), "evaluation_results")
    for result in results if isinstance(results, list) else []:
        if len(results) == 1 or entry(result, "evaluation_result_id") == chosen:
            config = entry(result, "metric_config")
            unknown = entry(config, "additional_details", "polarity") == "unknown"
            lower = None if unknown else entry(config, "lower_is_better")
            return lower, entry(config, "has_unknown_level") is True
    return None, False


def _refuse_other_questions(frame: pd.DataFrame) -> None:
    known = frame[frame["hash"] != ""]
    hashes = known.groupby(["benchmark", "item"], sort=False)["hash"].nunique()
    if (hashes > 1).any():
        benchmark, item = hashes.index[hashes > 1][0]
        raise must(
            "item",
            "be given if an id has several values of sample_hash, so that models had different "
            "questions or prompts",
            f"item {item!r} of benchmark {benchmark!r}",
            f"{read_option('item', 'sample_hash')} pairs by the hash, "
            f"{read_option('item', 'sample_id')} by the id whatever the hash.",
        )


# HELM: runs/<suite>/<run>/per_instance_stats.json, and run_spec.json in the same folder.


HELM = ProgramLogs(
    "runs of HELM",
    ("per_instance_stats.json",),
    lambda path: path.name == "per_instance_stats.json" and path.is_file(),
)

#: Statistics of HELM that are not scores.
_BOOKKEEPING = re.compile(
    r"num_|finish_reason_|training_|inference_|batch_size|prompt_truncated|max_prob|logprob"
)


def read_helm(
    source: Source,
    *,
    metric: Wanted = None,
    split: str | None = None,
    perturbation: str | None = None,
) -> Reading:
    """Read means by model, run, instance (``perturbation``) and draw of examples (epochs)."""
    return HELM.reading(source, lambda path: _helm_run(path, metric, split, perturbation))


def _helm_run(path: Path, metric: Wanted, split: str | None, perturbation: str | None) -> FilePart:
    spec = path.with_name("run_spec.json")
    if not spec.is_file():
        raise InputError(
            "a run_spec.json, which names the model, must be next to the file (got none)."
        )
    model, benchmark = _helm_names(read_json(spec))
    entries = read_json(path)
    known = _are_all(entries, {"instance_id", "train_trial_index", "stats"})
    known = known and all(isinstance(one["stats"], list) for one in entries)
    named = [entry(stat, "name") for one in entries for stat in one["stats"]] if known else None
    if not _are_all(named, set()):
        raise InputError(
            "the file must be a list of objects with instance_id, train_trial_index and stats."
        )
    changes = list(dict.fromkeys(filter(None, map(_perturbation, entries))))
    if perturbation is not None:
        choose_one(changes, perturbation, "perturbation", "perturbation")
    stats = pd.DataFrame(
        [
            (
                check_label(one["instance_id"], "instance_id"),
                check_label(one["train_trial_index"], "train_trial_index"),
                str(stat["name"].get("split")),
                str(stat["name"].get("name")),
                number(stat.get("mean"), "mean of a statistic"),
            )
            for one in entries
            if _perturbation(one) == perturbation
            for stat in one["stats"]
        ],
        columns=["item", "epoch", "split", "name", "score"],
    )
    part = choose_one(list(stats["split"].unique()), split, "split", "split")
    stats = stats[stats["split"] == part]
    wanted, names = metric_of(metric, benchmark), list(stats["name"].unique())
    if wanted is None:
        names = [n for n in names if not _BOOKKEEPING.match(n)]
    chosen = choose_one(names, wanted, "metric", "metric")
    rows = stats[stats["name"] == chosen]
    again = rows.duplicated(["item", "epoch"])
    if again.any():
        raise InputError(
            f"instance {rows.loc[again, 'item'].iloc[0]!r} must have {chosen!r} once in each "
            "trial (got it several times)."
        )
    every = stats[["item", "epoch"]].drop_duplicates()
    frame = every.merge(rows[["item", "epoch", "score"]], how="left")
    return FilePart(frame.assign(model=model, benchmark=benchmark), chosen, None)


def _helm_names(spec: Any) -> tuple[str, str]:
    """Return the model, and the benchmark: the run's name less arguments that name the model."""
    model, run = entry(spec, "adapter_spec", "model"), entry(spec, "name")
    if not isinstance(model, str) or not isinstance(run, str):
        raise InputError("the run_spec.json next to the file must name a model and a run.")
    name, _, rest = run.partition(":")
    own = [a for a in rest.split(",") if a and not re.match(r"model(_deployment)?=", a)]
    return model, f"{name}:{','.join(own)}" if own else name


def _perturbation(one: Json) -> str | None:
    return None if not one.get("perturbation") else str(entry(one, "perturbation", "name"))


# SWE-bench: <model>.<run>.json, as make_run_report writes it; results.json of submissions.


SWEBENCH = ProgramLogs(
    "reports of SWE-bench",
    ("*.json",),
    match_start(
        r'^\s*\{\s*"(total_instances|submitted_instances|resolved|resolved_ids|completed_ids'
        r'|no_generation|no_logs)"'
    ),
)

#: Lists in a report which together are the instances of the benchmark.
_OUTCOMES = ("completed_ids", "incomplete_ids", "empty_patch_ids", "error_ids")


def read_swebench(source: Source, *, instances: Iterable[str] | None = None) -> Reading:
    """Read resolved instances, by model (the file's name) and instance.

    An instance that was not submitted has no score; an empty or failing patch is not resolved, as
    in SWE-bench. ``instances`` are all, if a report lists only the resolved ones.
    """
    given = None if instances is None else as_names(instances, "instances")
    names = _short_stems([path for _, path in SWEBENCH.files(source)])
    return SWEBENCH.reading(source, lambda path: _swebench_report(path, names[path], given))


def _swebench_report(path: Path, model: str, given: Sequence[str] | None) -> FilePart:
    report = read_json(path)
    resolved = _ids(report, "resolved_ids" if "resolved_ids" in report else "resolved")
    absent: list[str] = []
    if given is not None:
        items = list(given)
    elif {"completed_ids", "incomplete_ids"} <= set(report):
        absent = _ids(report, "incomplete_ids")
        items = sorted({i for name in _OUTCOMES if name in report for i in _ids(report, name)})
        if report.get("total_instances", len(items)) != len(items):
            raise InputError(
                "total_instances must be the number of instances in the lists of the report (got "
                f"{report['total_instances']} and {len(items)})."
            )
    else:
        raise must(
            "instances",
            "be given for a report that lists only what is resolved",
            hint=f"Give {read_option('instances', [...])}, the ids of the benchmark's instances.",
        )
    strange = sorted(set(resolved) - set(items))
    if strange:
        raise InputError(
            f"what is resolved must be an instance of the benchmark (got {strange[0]!r})."
        )
    done, left = set(resolved), set(absent)
    score = [np.nan if i in left else float(i in done) for i in items]
    frame = pd.DataFrame({"item": items, "score": score})
    return FilePart(frame.assign(model=model, benchmark="SWE-bench"), "resolved")


def _ids(report: Json, name: str) -> list[str]:
    ids = report.get(name)
    if not isinstance(ids, list) or not all(isinstance(i, str) for i in ids):
        raise InputError(f"{name} must be a list of instance ids.")
    if len(set(ids)) < len(ids):
        raise InputError(
            f"{name} must hold each id once (got {Counter(ids).most_common(1)[0][0]!r} twice)."
        )
    return ids


def _short_stems(paths: Sequence[Path]) -> dict[Path, str]:
    """Names of files, without the run where they stay distinct; of results.json the folder's."""
    whole = {path: path.stem for path in paths}
    for path in (path for path in paths if path.stem in ("results", "report")):
        folder = path.resolve().parent
        whole[path] = folder.parent.name if path.parent.name == "results" else folder.name
    short = {path: name.rpartition(".")[0] or name for path, name in whole.items()}
    return short if len(set(short.values())) == len(short) else whole


# MTEB: results/<model>/<revision>/<task>.json, results of models, frames of to_dataframe.


MTEB = ProgramLogs(
    "results of MTEB",
    ("*.json",),
    match_start(
        r'^\s*\{\s*"(dataset_revision|task_name|mteb_version|mteb_dataset_name|model_name'
        r'|model_results)"',
        '"mteb_version"|"task_results"|"model_results"',
    ),
)

_MTEB_LABELS = ("task_name", "split", "subset", "is_public")


def is_mteb(source: Source) -> bool:
    """Whether these are files of results, or a frame of ``to_dataframe``, wide or long."""
    if source.frame is None:
        return MTEB.matches(source)
    if not source.has("task_name"):
        return False
    models = [c for c in source.columns if c not in _MTEB_LABELS]
    return set(models) == {"model_name", "score"} or any("/" in name for name in models)


def read_mteb(source: Source) -> Reading:
    """Read main scores of tasks, means over splits and subsets; a frame's are its rows."""
    if source.frame is None:
        return MTEB.reading(source, _mteb_file)
    table = source.table
    labels = [c for c in _MTEB_LABELS if c in table]
    if "model_name" not in table:
        table = table.melt(labels, var_name="model_name", value_name="score")
    parts = [c for c in ("split", "subset") if c in table]
    item = table["task_name"].astype(str)
    if parts:
        item += " (" + table[parts].astype(str).agg(", ".join, axis=1) + ")"
    frame = table.assign(model=table["model_name"], benchmark="MTEB", item=item)
    frame = frame.assign(cluster=table["task_name"]) if parts else frame
    own = ["model", "benchmark", "item", *(["cluster"] if parts else []), "score"]
    return Reading(
        frame[own].rename(columns={"score": "main_score"}),
        "results of MTEB, main_score",
        columns={"score": "main_score"},
        higher=["main_score"],
    )


def _mteb_file(path: Path) -> FilePart:
    document = read_json(path)
    if "model_results" in document:
        models = document["model_results"]
    elif "task_results" in document:
        models = [document]
    else:
        models = [{"model_name": _mteb_model(path), "task_results": [document]}]
    try:
        rows = [
            (
                check_label(model["model_name"], "model_name"),
                check_label(task["task_name"], "task_name"),
                _main_score(task["scores"]),
            )
            for model in models
            for task in model["task_results"]
        ]
    except (KeyError, TypeError, AttributeError):
        raise InputError(
            "the file must hold results of MTEB since 1.11, with task_name and scores, a list of "
            "main_score for each split. Load and save older ones with mteb."
        ) from None
    frame = pd.DataFrame(rows, columns=["model", "item", "score"])
    return FilePart(frame.assign(benchmark="MTEB"), "main_score")


def _main_score(scores: Mapping[str, list[Json]]) -> float:
    """Return the mean over all subsets of all splits, as TaskResult.get_score does."""
    values = [subset["main_score"] for subsets in scores.values() for subset in subsets]
    return float(np.mean([number(value, "main_score") for value in values or [None]]))


def _mteb_model(path: Path) -> str:
    """Return the model whose results a folder holds."""
    meta = path.with_name("model_meta.json")
    name = entry(read_json(meta), "name") if meta.is_file() else None
    return str(name) if name else path.resolve().parent.parent.name.replace("__", "/")


# promptfoo: what `promptfoo eval -o results.json` writes.


PROMPTFOO = ProgramLogs(
    "results of promptfoo",
    ("*.json",),
    match_start(
        r'^\s*\{\s*("evalId"\s*:\s*("[^"]*"|null)\s*,\s*)?"results"\s*:\s*'
        r'\{\s*"(version|timestamp|results)"'
    ),
)

#: failureReason of an answer that is missing: neither passed nor failed.
_ERROR = 2


def read_promptfoo(source: Source, *, metric: str = "success") -> Reading:
    """Read success (or "score", or a named score) by provider and prompt, test and repeat."""
    return PROMPTFOO.reading(source, lambda path: _promptfoo_file(path, metric))


def _promptfoo_file(path: Path, metric: str) -> FilePart:
    document = read_json(path)
    results = entry(document, "results", "results")
    needed = {"provider", "vars", "score", "success"}
    if not results or not _are_all(results, needed):
        raise InputError(
            "the file must have a list of results with provider, vars, score and success."
        )
    named = list(dict.fromkeys(n for r in results for n in entry(r, "namedScores") or ()))
    choose_one(["success", "score", *named], metric, "metric", "metric")
    results = sorted(results, key=_place)
    frame = pd.DataFrame(
        {
            "provider": [_first_name(r["provider"], "label", "id") for r in results],
            "prompt": [_first_name(r.get("prompt"), "label", "raw") for r in results],
            "item": _tests(results),
            "score": [_promptfoo_score(r, metric) for r in results],
        }
    )
    several = [c for c in ("provider", "prompt") if frame[c].nunique() > 1] or ["provider"]
    names = frame[several].agg(": ".join, axis=1)
    places = [_place(result)[1] for result in results]
    frame["model"] = number_names(list(zip(names, places, strict=True)))
    frame["epoch"] = frame.groupby(["model", "item"]).cumcount() + 1
    benchmark = entry(document, "config", "description") or "promptfoo"
    labels = frame[["model", "item", "epoch", "score"]].assign(benchmark=str(benchmark))
    if metric not in ("success", "score"):  # tests without it
        labels = labels[labels.groupby("item")["score"].transform("count") > 0]
    return FilePart(labels, metric)


def _place(result: Json) -> tuple[float, float]:
    places = (result.get("testIdx"), result.get("promptIdx"))
    test, prompt = (float(p) if isinstance(p, int) else 0.0 for p in places)
    return test, prompt


def _first_name(thing: object, *keys: str) -> str:
    """Return the entry under the first of these keys that exists, else the thing itself."""
    return _line(next(filter(None, (entry(thing, key) for key in keys)), thing))


def _line(text: object) -> str:
    return " ".join(str(text).split())


def _promptfoo_score(result: Json, metric: str) -> float:
    if result.get("failureReason") == _ERROR:
        return float("nan")
    own = metric in ("success", "score")
    return number(result[metric] if own else entry(result, "namedScores", metric), metric)


def _tests(results: Sequence[Json]) -> list[str]:
    """Name the tests by their descriptions or variables."""
    names = []
    for result in results:
        own, test = result["vars"], result.get("testCase")
        variables = ", ".join(f"{k}={v}" for k, v in own.items()) if isinstance(own, dict) else own
        name = entry(test, "description") or variables or "test"
        names.append((_line(name), json.dumps([own, entry(test, "assert")])))
    return number_names(names)
