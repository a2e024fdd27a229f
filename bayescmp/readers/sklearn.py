"""What scikit-learn returns: cross_validate, cross_val_score, and searches over parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bayescmp import cv_results as _cv_results
from bayescmp.checks import as_names
from bayescmp.readers.base import Reading, Source
from bayescmp.resampling import Resampling
from bayescmp.splits import as_resampling
from bayescmp.text import counted

__all__ = [
    "candidate_names",
    "is_arrays",
    "is_cross_validate",
    "is_search",
    "read_arrays",
    "read_cross_validate",
    "read_search",
]

_SPLIT = re.compile(r"split(\d+)_test_(.+)$")


def is_cross_validate(source: Source) -> bool:
    """A mapping whose innermost mappings have arrays ``test_...``."""
    return any(str(key).startswith("test_") for cell in _mappings(source.value) for key in cell)


def read_cross_validate(
    source: Source,
    *,
    folds: int | None = None,
    resampling: object = None,
    lower_is_better: str | Iterable[str] = (),
    higher_is_better: str | Iterable[str] = (),
) -> Reading:
    """Results of ``cross_validate``; see `bayescmp.Scores.from_cv_results`."""
    frame, designs = _cv_results.from_cv_results(source.value, folds, resampling)
    declared = [*as_names(lower_is_better), *as_names(higher_is_better)]
    higher = _cv_results.higher_is_better(frame, declared)
    description = "results of scikit-learn's cross_validate"
    return Reading(frame, description, resampling=designs, higher=higher)


def is_arrays(source: Source) -> bool:
    """A mapping of algorithm, or data set and algorithm, to an array of scores."""
    value = source.value
    return (
        isinstance(value, Mapping)
        and bool(value)
        and all(
            _is_array(v) or (isinstance(v, Mapping) and v and all(map(_is_array, v.values())))
            for v in value.values()
        )
    )


def read_arrays(
    source: Source,
    *,
    metric: str = "score",
    lower_is_better: str | Iterable[str] = (),
    higher_is_better: str | Iterable[str] = (),
) -> Reading:
    """Arrays of ``cross_val_score``; how they were split has to be given."""
    import pandas as pd

    rows = []
    for key, value in source.value.items():
        cells = value.items() if isinstance(value, Mapping) else [(None, value)]
        for name, scores in cells:
            pair = key if isinstance(key, tuple) and len(key) == 2 else ("data", key)
            dataset, algorithm = pair if name is None else (key, name)
            rows += [
                {"dataset": dataset, "algorithm": algorithm, "fold": i + 1, metric: score}
                for i, score in enumerate(np.asarray(scores, dtype=float))
            ]
    frame = pd.DataFrame(rows)
    declared = [*as_names(lower_is_better), *as_names(higher_is_better)]
    higher = _cv_results.higher_is_better(frame, declared)
    return Reading(
        frame,
        f"arrays of scikit-learn scores{', higher is better' if higher else ''}",
        higher=higher,
        needs="arrays of scores do not say how the data were split",
    )


def is_search(source: Source) -> bool:
    """A fitted search, its ``cv_results_``, or a table of it."""
    results = getattr(source.value, "cv_results_", source.value)
    if source.frame is None and not isinstance(results, Mapping):
        return False
    names = [str(n) for n in (results if source.frame is None else source.frame.columns)]
    return "params" in names and any(map(_SPLIT.match, names))


def read_search(
    source: Source,
    *,
    dataset: str = "data",
    lower_is_better: str | Iterable[str] = (),
    higher_is_better: str | Iterable[str] = (),
) -> Reading:
    """Candidates of a search as algorithms, their scores on each split as folds."""
    import pandas as pd

    results = source.frame
    if results is None:
        results = getattr(source.value, "cv_results_", source.value)
    table = {str(k): list(results[k]) for k in results}
    names = candidate_names(table["params"])
    scores: dict[tuple[str, int], dict[str, object]] = {}
    for column, values in table.items():
        match = _SPLIT.match(column)
        if match:
            for name, score in zip(names, values, strict=True):
                row = scores.setdefault((name, int(match[1])), {})
                row.update(dataset=dataset, algorithm=name, fold=int(match[1]) + 1)
                row[match[2]] = float(score)
    description = f"a search of scikit-learn over {counted(len(names), 'candidate')}"
    design = _design(source.value)
    needs = "" if design else "results of a search do not say how the data were split"
    frame = pd.DataFrame(list(scores.values()))
    declared = [*as_names(lower_is_better), *as_names(higher_is_better)]
    higher = _cv_results.higher_is_better(frame, declared, maximised=True)
    return Reading(frame, description, resampling=design, higher=higher, needs=needs)


def _design(search: object) -> Resampling | None:
    """How a search split the data, as far as the fitted object tells."""
    if not hasattr(search, "cv"):
        return None
    if search.cv is None:
        return as_resampling(5)
    known = isinstance(search.cv, (int, np.integer)) or hasattr(search.cv, "split")
    return as_resampling(search.cv) if known else None


def candidate_names(params: Sequence[Any]) -> list[str]:
    """Short, distinct names of candidates, from the parameters in which they differ.

    Parameters
    ----------
    params : sequence of dict or str
        Parameters of each candidate; text where they come from a file.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from bayescmp.readers.sklearn import candidate_names
    >>> candidate_names([{"svc__C": c, "svc__kernel": "rbf"} for c in (1, 10)])
    ['C=1', 'C=10']
    """
    if not all(isinstance(p, Mapping) for p in params):
        return _distinct([str(p).strip("{}").replace("'", "").replace(": ", "=") for p in params])
    keys = list(dict.fromkeys(k for p in params for k in p))
    shown = {k: [_show(p[k]) if k in p else None for p in params] for k in keys}
    differing = [k for k in keys if len(set(shown[k])) > 1] or keys
    last = [k.split("__")[-1] for k in differing]
    short = {k: s if last.count(s) == 1 else k for k, s in zip(differing, last, strict=True)}
    names = [
        ", ".join(f"{short[k]}={shown[k][i]}" for k in differing if shown[k][i] is not None)
        for i in range(len(params))
    ]
    return _distinct([name or "default" for name in names])


def _distinct(names: list[str]) -> list[str]:
    """The names, those that come again with a number."""
    return [
        n if names.count(n) == 1 else f"{n} #{names[: i + 1].count(n)}"
        for i, n in enumerate(names)
    ]


def _show(value: object) -> str:
    if hasattr(value, "get_params"):
        return type(value).__name__
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _mappings(value: object) -> Iterator[Mapping[object, object]]:
    """The value, where it is a mapping, and every mapping in it."""
    if isinstance(value, Mapping):
        yield value
        for inner in value.values():
            yield from _mappings(inner)


def _is_array(value: object) -> bool:
    if isinstance(value, (str, bytes, Mapping)):
        return False
    try:
        return np.ndim(np.asarray(value, dtype=float)) == 1
    except (TypeError, ValueError):
        return False
