"""lm-evaluation-harness: ``samples_<task>_<date>.jsonl``, as ``--log_samples`` writes them.

Layout by lm_eval/evaluator.py and lm_eval/loggers/evaluation_tracker.py of version 0.4: a folder
a model, a file a task, a line per question and filter.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bayescmp.errors import InputError, unknown_name
from bayescmp.readers.base import Reading, Source

if TYPE_CHECKING:
    from bayescmp.typing import Json

__all__ = ["matches", "read"]

_NAME = re.compile(r"samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.-]+)?\.jsonl$")
#: What a line holds besides the values of its metrics.
_FIELDS = {
    "doc_id",
    "doc",
    "target",
    "arguments",
    "resps",
    "filtered_resps",
    "filter",
    "metrics",
    "doc_hash",
    "prompt_hash",
    "target_hash",
}


def matches(source: Source) -> bool:
    """A file or several named samples_*.jsonl, or a folder that holds such."""
    paths = _paths(source.value)
    return bool(paths) and all(
        any(path.rglob("samples_*.jsonl")) if path.is_dir() else bool(_NAME.match(path.name))
        for path in paths
    )


def read(
    source: Source, *, filter: str | None = None, metric: str | Mapping[str, str] | None = None
) -> Reading:
    """Scores by model (the folder), task (the file's name) and question (``doc_hash``).

    Parameters
    ----------
    source : Source
    filter : str, optional
        Which filter's scores, for tasks that have several.
    metric : str or mapping of task to str, optional
        Which metric's, for tasks that have several.

    Raises
    ------
    InputError
        A line that is not a sample, several filters or metrics with none named, two runs of a
        task by one model.
    """
    import pandas as pd
    from tqdm import tqdm

    files = _files(source.value)
    _refuse_runs(files)
    parts, metrics = [], []
    for path in tqdm(files, desc="files of samples", disable=None):  # on a terminal only
        samples = list(_samples(path))
        task = _task(path)
        chosen = _of_filter(samples, filter, task)
        name = _metric(chosen, metric.get(task) if isinstance(metric, Mapping) else metric, task)
        metrics.append(name)
        parts.append(
            pd.DataFrame(
                {
                    "model": path.resolve().parent.name,
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


def _paths(value: object) -> list[Path]:
    """Paths, from one or several."""
    if isinstance(value, (str, os.PathLike)):
        return [Path(value)]
    if not isinstance(value, (list, tuple)):
        return []
    paths = [Path(v) for v in value if isinstance(v, (str, os.PathLike))]
    return paths if len(paths) == len(value) else []


def _files(value: object) -> list[Path]:
    files: list[Path] = []
    for path in _paths(value):
        files += sorted(path.rglob("samples_*.jsonl")) if path.is_dir() else [path]
    return list(dict.fromkeys(files))


def _task(path: Path) -> str:
    matched = _NAME.match(path.name)
    return matched["task"] if matched else path.stem


def _refuse_runs(files: Sequence[Path]) -> None:
    """Two runs of one task by one model: which one counts is for the user to say."""
    runs = Counter((path.resolve().parent, _task(path)) for path in files)
    for (folder, task), count in runs.items():
        if count > 1:
            dates = ", ".join(
                p.name for p in files if p.resolve().parent == folder and _task(p) == task
            )
            raise InputError(
                f"task {task!r} of model {folder.name!r} has {count} runs ({dates}); give the "
                "files of one"
            )


def _samples(path: Path) -> Iterator[Json]:
    """The lines of a file, without the questions and the answers themselves."""
    if not path.is_file():
        raise InputError(f"cannot read items from {str(path)!r}: it does not exist")
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                sample = json.loads(line)
            except ValueError as error:
                raise InputError(f"{str(path)!r}, line {number}: not JSON ({error})") from None
            if not isinstance(sample, dict) or not {"doc_hash", "doc_id"} & set(sample):
                raise InputError(
                    f"{str(path)!r}, line {number}: not a sample of lm-evaluation-harness; "
                    "accepted: objects with doc_hash or doc_id, as --log_samples writes them"
                )
            kept = {"doc_hash", "doc_id", "filter", "metrics"}
            yield {k: v for k, v in sample.items() if k in kept or k not in _FIELDS}


def _of_filter(samples: Sequence[Json], wanted: str | None, task: str) -> list[Json]:
    """The samples of one filter."""
    filters = list(dict.fromkeys(str(s.get("filter", "none")) for s in samples))
    if not filters:
        raise InputError(f"the samples of task {task!r} are empty")
    if len(filters) == 1:
        return list(samples)
    if wanted is None:
        raise InputError(
            f"task {task!r} has the filters {', '.join(map(repr, filters))}; name one with "
            "filter=..."
        )
    if wanted not in filters:
        raise unknown_name(f"filter of task {task!r}", wanted, filters)
    return [s for s in samples if s.get("filter") == wanted]


def _metric(samples: Sequence[Json], wanted: str | None, task: str) -> str:
    """The metric that is named, or the only one with one number per sample."""
    first = samples[0]
    names = first.get("metrics") or [k for k in first if k not in _FIELDS]
    plain = [n for n in names if isinstance(first.get(n), (int, float))]
    if wanted is not None:
        if wanted not in plain:
            raise unknown_name(f"metric of task {task!r}", wanted, plain)
        return wanted
    if len(plain) != 1:
        which = (
            f"has the metrics {', '.join(map(repr, plain))}"
            if plain
            else ("has no metric with one number per sample")
        )
        raise InputError(f"task {task!r} {which}; name one with metric=...")
    return str(plain[0])


def _items(samples: Sequence[Json]) -> list[str]:
    """What a question is called: the hash of its text; of equal questions numbered in order."""
    seen: Counter[str] = Counter()
    names = []
    for sample in sorted(samples, key=lambda s: _order(s.get("doc_id"))):
        own = str(sample.get("doc_hash", sample.get("doc_id")))
        seen[own] += 1
        names.append(own if seen[own] == 1 else f"{own} ({seen[own]})")
    places = sorted(range(len(samples)), key=lambda i: _order(samples[i].get("doc_id")))
    at = dict(zip(places, names, strict=True))
    return [at[i] for i in range(len(samples))]


def _order(number: object) -> tuple[int, str]:
    return (number, "") if isinstance(number, int) else (0, str(number))
