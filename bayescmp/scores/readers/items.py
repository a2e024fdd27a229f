"""Tables of items: Inspect's samples, lm-evaluation-harness, and the choice between all formats.

Inspect: as ``inspect_ai.analysis.samples_df`` (version 0.3) makes them; columns as in
inspect_ai/analysis/_dataframe/samples/columns.py and evals/columns.py: ``eval_id``, ``id``,
``epoch`` and ``score_<scorer>`` of samples; ``eval_id``, ``model`` and ``task_name`` of
evaluations.

lm-evaluation-harness: ``samples_<task>_<date>.jsonl``, as ``--log_samples`` writes them
(lm_eval/evaluator.py and lm_eval/loggers/evaluation_tracker.py of version 0.4): a folder per
model, a file per task, a line per question and filter.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from bayescmp.base.arguments import arg, must, must_be, read_option
from bayescmp.base.checks import check_choice
from bayescmp.base.typing import Json
from bayescmp.errors import InputError, unknown_name
from bayescmp.scores.columns import ITEM_NAMES
from bayescmp.scores.readers import evals
from bayescmp.scores.readers.base import (
    Format,
    ProgramLogs,
    Reading,
    Source,
    Wanted,
    choose_format,
    metric_of,
    named_by,
    number_names,
    paths_of,
    read_lines,
)
from bayescmp.scores.readers.evals import grades_as_numbers
from bayescmp.scores.readers.files import OF_FILES
from bayescmp.wording.text import format_count

# Inspect: tables of samples, as ``inspect_ai.analysis.samples_df`` makes them.


def is_inspect_ai(source: Source) -> bool:
    """Whether there is a column score_<scorer>."""
    return bool(_scorers(source.columns))


def read_inspect_ai(source: Source, *, evals: object = None, metric: str | None = None) -> Reading:
    """Read scores by model, task, sample and epoch."""
    frame = source.table
    scorer = _scorer(_scorers(source.columns), metric)
    labels = (
        frame if {"model", "task_name"} <= set(frame.columns) else _join_evaluations(frame, evals)
    )
    name = scorer.removeprefix("score_")
    table = labels[["model", "task_name"]].set_axis(["model", "benchmark"], axis=1)
    table = table.assign(
        item=frame["id"].astype(str),
        epoch=frame["epoch"],
        **{name: grades_as_numbers(frame[scorer])},
    )
    return Reading(
        table, f"samples of Inspect, scorer {name}", columns={"score": name}, higher=[name]
    )


def _scorers(columns: list[str]) -> list[str]:
    return [c for c in columns if c.startswith("score_") and not c.startswith("score_headline_")]


def _scorer(known: list[str], wanted: str | None) -> str:
    if wanted is not None:
        name = wanted if wanted.startswith("score_") else f"score_{wanted}"
        if name not in known:
            raise unknown_name("scorer", wanted, [c.removeprefix("score_") for c in known])
        return name
    if len(known) > 1:
        names = ", ".join(repr(c.removeprefix("score_")) for c in known)
        raise must(
            "metric",
            "be given for samples with several scorers",
            f"none of {names}",
            f"Name one with {arg('metric', ...)}.",
        )
    return known[0]


def _join_evaluations(samples: pd.DataFrame, evals: object) -> pd.DataFrame:
    """Add model and task of each sample, from the table of evaluations."""
    if evals is None:
        raise must(
            "evals",
            "be given for samples that do not name their model and task",
            hint="Give what evals_df makes of the same logs. Or make the samples with "
            "samples_df(logs, columns=SampleSummary + EvalModel + EvalTask).",
        )
    table = Source.from_value(evals, lambda _: ["eval_id", "model", "task_name"])
    if table.frame is None or not table.has("eval_id", "model", "task_name"):
        accepted = "a table or a file with the columns eval_id, model and task_name"
        raise must_be("evals", accepted, evals, "Use what evals_df makes.")
    known = table.frame.assign(eval_id=table.frame["eval_id"].astype(str))
    known = known.drop_duplicates("eval_id").set_index("eval_id")[["model", "task_name"]]
    own = samples["eval_id"].astype(str)
    absent = own[~own.isin(known.index)]
    if len(absent):
        raise must(
            "evals",
            "have a row for the eval_id of every sample",
            f"none for {absent.iloc[0]!r}, the first of {format_count(len(absent), 'row')}",
        )
    return known.loc[own.tolist()].reset_index(drop=True).set_axis(samples.index)


# lm-evaluation-harness: ``samples_<task>_<date>.jsonl``, as ``--log_samples`` writes them.


_NAME = re.compile(r"samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.-]+)?\.jsonl$")
#: The fields of a line other than the values of its metrics.
_FIELDS = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
}


LM_EVAL = ProgramLogs(
    "samples of lm-evaluation-harness",
    ("samples_*.jsonl",),
    lambda path: bool(_NAME.match(path.name)),
)


def read_lm_eval(source: Source, *, filter: str | None = None, metric: Wanted = None) -> Reading:
    """Read scores by model (folder or given name), task (file) and question (``doc_hash``)."""
    from tqdm import tqdm

    files = [(name or p.resolve().parent.name, p) for name, p in LM_EVAL.files(source)]
    _refuse_runs(files)
    parts, metrics = [], []
    for model, path in tqdm(files, desc="files of samples", disable=None):  # only on a terminal
        samples = list(_samples(path))
        task = _task(path)
        chosen = _of_filter(samples, filter, task)
        name = _metric(chosen, metric_of(metric, task), task)
        metrics.append(name)
        parts.append(
            pd.DataFrame(
                {
                    "model": model,
                    "benchmark": task,
                    "item": _items(chosen),
                    "score": [sample.get(name) for sample in chosen],
                }
            )
        )
    frame = pd.concat(parts, ignore_index=True)
    names = list(dict.fromkeys(metrics))
    by = f", filter {filter!r}" if filter is not None else ""
    recognised = f"samples of lm-evaluation-harness, {' and '.join(names)}{by}"
    if len(names) == 1:
        frame = frame.rename(columns={"score": names[0]})
    return Reading(frame, recognised, columns={"score": names[0] if len(names) == 1 else "score"})


def _task(path: Path) -> str:
    matched = _NAME.match(path.name)
    return matched["task"] if matched else path.stem


def _refuse_runs(files: Sequence[tuple[str, Path]]) -> None:
    """Refuse two runs of one task by one model: the user has to choose one."""
    runs = Counter((model, _task(path)) for model, path in files)
    for (model, task), count in runs.items():
        if count > 1:
            dates = ", ".join(file.name for m, file in files if (m, _task(file)) == (model, task))
            raise InputError(
                f"task {task!r} of model {model!r} must have one run (got {count}: {dates}). Give "
                "the files of one."
            )


def _samples(path: Path) -> Iterator[Json]:
    """Yield the lines of a file, without the questions and the answers themselves."""
    for number, sample in read_lines(path):
        if not isinstance(sample, dict) or not {"doc_hash", "doc_id"} & set(sample):
            raise InputError(
                f"{str(path)!r}, line {number}, must be a sample of lm-evaluation-harness: an "
                "object with doc_hash or doc_id, as --log_samples writes it."
            )
        kept = {"doc_hash", "doc_id", "filter", "metrics"}
        yield {k: v for k, v in sample.items() if k in kept or k not in _FIELDS}


def _of_filter(samples: Sequence[Json], wanted: str | None, task: str) -> list[Json]:
    """Return the samples of one filter."""
    filters = list(dict.fromkeys(str(s.get("filter", "none")) for s in samples))
    if not filters:
        raise InputError(f"task {task!r} must have samples (got none).")
    if len(filters) == 1:
        return list(samples)
    if wanted is None:
        raise must(
            "filter",
            f"be given for task {task!r}",
            f"none of {', '.join(map(repr, filters))}",
            f"Name one with {read_option('filter', ...)}.",
        )
    check_choice(f"filter of task {task!r}", wanted, filters)
    return [s for s in samples if s.get("filter") == wanted]


def _metric(samples: Sequence[Json], wanted: str | None, task: str) -> str:
    """Return the metric that is named, or the only one with one number per sample."""
    listed = (s.get("metrics") for s in samples)
    known = (
        names if isinstance(names, list) and names else [k for k in s if k not in _FIELDS]
        for names, s in zip(listed, samples, strict=True)
    )
    names = dict.fromkeys(n for each in known for n in each if isinstance(n, str))
    plain = [n for n in names if any(isinstance(s.get(n), (int, float)) for s in samples)]
    if wanted is not None:
        check_choice(f"metric of task {task!r}", wanted, plain)
        return wanted
    if len(plain) != 1:
        found = f"none of {', '.join(map(repr, plain))}" if plain else "no metric with one number"
        hint = f"Name one with {arg('metric', ...)}."
        raise must("metric", f"be given for task {task!r}", found, hint)
    return str(plain[0])


def _items(samples: Sequence[Json]) -> list[str]:
    """Name the questions by the hash of their text; equal questions are numbered in order."""
    names = [str(sample.get("doc_hash", sample.get("doc_id"))) for sample in samples]
    places = [sample.get("doc_id") for sample in samples]
    keys = [(p, "") if isinstance(p, int) else (0, str(p)) for p in places]
    order = sorted(range(len(samples)), key=keys.__getitem__)
    numbered = dict(zip(order, number_names([(names[i], i) for i in order]), strict=True))
    return [numbered[i] for i in range(len(samples))]


# The formats of tables of items, and the choice between them.


#: In the order in which they are tried.
ITEM_FORMATS: tuple[Format, ...] = (
    Format("lm-eval", read_lm_eval, test=LM_EVAL.matches),
    Format("inspect-log", evals.read_inspect_logs, test=evals.INSPECT.matches),
    Format(
        "inspect",
        read_inspect_ai,
        ("eval_id", "id", "epoch"),
        names=("eval_id", "id", "model", "task_name"),
        test=is_inspect_ai,
    ),
    Format("every-eval-ever", evals.read_eee, test=evals.EEE.matches),
    Format("helm", evals.read_helm, test=evals.HELM.matches),
    Format("swe-bench", evals.read_swebench, test=evals.SWEBENCH.matches),
    Format("mteb", evals.read_mteb, names=("task_name", "model_name"), test=evals.is_mteb),
    Format("promptfoo", evals.read_promptfoo, test=evals.PROMPTFOO.matches),
)

#: Files that are not tables, and which a reader has to know.
_LOGS = (".jsonl", ".json", ".eval")


def read_items(
    value: object, format: str = "auto", **options: object
) -> tuple[Reading, dict[str, Any]]:
    """Read items in any of the formats."""
    source = _source(value, options)
    if format == "auto":
        _refuse_several(source)
    form = choose_format(ITEM_FORMATS, source, format)
    _refuse_foreign(form, options)
    own = {*OF_FILES, *(() if form is None else form.options)}
    left = {name: given for name, given in options.items() if name not in own}
    if form is not None:
        return replace(form.reading(source, options), notes=source.notes), left
    tables = _tables(source, options)
    notes = tuple(dict.fromkeys(note for table in tables for note in table.notes))
    frames = [table.table for table in tables]
    frame = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]
    return Reading(frame, "", notes=notes), left


def _refuse_several(source: Source) -> None:
    """Refuse files of several programs, in one folder or one by one."""
    programs = [form.name for form in ITEM_FORMATS if form.matches(source)]
    if len(programs) > 1:
        raise must(
            "source",
            "hold files of one program",
            " and ".join(map(repr, programs)),
            f"Choose one with {arg('format', ...)}.",
        )
    paths = [path for _, path in paths_of(source.value)]
    if programs or len(paths) < 2:
        return
    known = {p: [f.name for f in ITEM_FORMATS if f.test and f.matches(Source(p))] for p in paths}
    if any(known.values()):
        kinds = (f"{str(p)!r} ({' or '.join(names) or 'a table'})" for p, names in known.items())
        raise must("source", "hold files of one program", ", ".join(kinds))


def _refuse_foreign(form: Format | None, options: Mapping[str, object]) -> None:
    """Refuse options that only another format has."""
    own = {"metric"} if form is None else {*form.options}
    for other in ITEM_FORMATS:
        for name in (n for n in other.options if n in options and n not in own):
            what = "a table" if form is None else repr(form.name)
            raise must(name, f"be left out unless the format is {other.name!r}", what)


def _source(value: object, options: Mapping[str, object]) -> Source:
    """Return a table, read from its file if need be; logs and folders are returned unchanged."""
    if isinstance(value, (list, tuple)):
        return _source(value[0], options) if len(value) == 1 else Source(value)
    if isinstance(value, (str, os.PathLike)):
        path = Path(value)
        if path.is_dir() or path.suffix in _LOGS:
            return Source(value)
    text: dict[str, Any] = {name: options[name] for name in OF_FILES if name in options}
    return Source.from_value(
        value, named_by(ITEM_FORMATS, options.get("columns"), ITEM_NAMES), **text
    )


def _tables(source: Source, options: Mapping[str, object]) -> list[Source]:
    """Return the table, or those of several files."""
    if source.frame is not None:
        return [source]
    value = source.value
    if isinstance(value, (list, tuple)) and value:
        return [table for part in value for table in _tables(_source(part, options), options)]
    if isinstance(value, Mapping):
        raise must(
            "source",
            "have a log that a reader knows, since names are given to models of logs",
            hint="Pass tables by their paths alone, with a column for the model.",
        )
    if isinstance(value, (str, os.PathLike)):
        where = str(value)
        if not Path(value).exists():
            raise InputError(
                f"{where!r} must be a file or a folder of items (got a path that does not exist).",
                "source",
            )
        raise InputError(
            f"{where!r} must hold items that a reader knows (got none). Use a CSV or Parquet "
            "table, or files and folders of the formats "
            f"{', '.join(f.name for f in ITEM_FORMATS)}.",
            "source",
        )
    formats = ", ".join(f.name for f in ITEM_FORMATS)
    hint = f"The formats are {formats}."
    raise must_be("source", "a path, several of them, or a DataFrame", value, hint)
