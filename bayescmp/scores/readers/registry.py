"""The formats there are, and the choice between them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bayescmp.base.checks import as_names
from bayescmp.errors import InputError, unknown_name
from bayescmp.scores.readers import benchmarks, outside_python, sklearn, trackers
from bayescmp.scores.readers.base import Format, Reading, Source, check_names_of, named_by
from bayescmp.scores.readers.sklearn import is_skore, read_skore
from bayescmp.scores.resampling import Resampling

__all__ = ["FORMATS", "read", "settled"]

#: Options of formats whose metrics may be scikit-learn's negated losses.
WAYS = ("lower_is_better", "higher_is_better")
#: Options that `bayescmp.Scores` takes, of whatever format.
OF_SCORES = ("columns", "metric", *WAYS, "resampling", "missing")

#: In the order in which they are tried.
FORMATS: tuple[Format, ...] = (
    Format("sklearn-search", sklearn.is_search, sklearn.read_search, ("dataset", *WAYS)),
    Format(
        "cross_validate",
        sklearn.is_cross_validate,
        sklearn.read_cross_validate,
        ("folds", "resampling", *WAYS),
    ),
    Format(
        "cross_val_score", sklearn.is_arrays, sklearn.read_arrays, ("metric", "resampling", *WAYS)
    ),
    Format("skore", is_skore, read_skore, ("dataset",)),
    Format(
        "tidymodels",
        outside_python.is_tidymodels,
        outside_python.read_tidymodels,
        ("dataset",),
        ("dataset", "wflow_id"),
    ),
    Format(
        "mlr3", outside_python.is_mlr3, outside_python.read_mlr3, names=("task_id", "learner_id")
    ),
    Format(
        "openml",
        benchmarks.is_openml,
        benchmarks.read_openml,
        names=("task_id", "flow_id", "setup_id", "data_name", "flow_name"),
    ),
    Format(
        "automlbenchmark",
        benchmarks.is_automl,
        benchmarks.read_automl,
        ("constraint",),
        ("task", "framework", "constraint"),
    ),
    Format(
        "tabarena",
        benchmarks.is_tabarena,
        benchmarks.read_tabarena,
        ("imputed",),
        ("dataset", "method"),
    ),
    Format(
        "sktime", benchmarks.is_sktime, benchmarks.read_sktime, names=("model_id", "validation_id")
    ),
    Format(
        "aeon", benchmarks.is_aeon, benchmarks.read_aeon, ("metric",), ("folds:", "Resamples:")
    ),
    Format(
        "moabb",
        benchmarks.is_moabb,
        benchmarks.read_moabb,
        ("metric", *WAYS),
        ("dataset", "pipeline", "subject", "session"),
    ),
    Format(
        "weka",
        outside_python.is_weka,
        outside_python.read_weka,
        names=("Key_Dataset", "Key_Scheme"),
    ),
    Format(
        "saes",
        outside_python.is_saes,
        outside_python.read_saes,
        ("metrics",),
        ("Algorithm", "Instance", "MetricName"),
    ),
    Format("mlflow", trackers.is_mlflow, trackers.read_mlflow, ("columns",)),
    Format("wandb", trackers.is_wandb, trackers.read_wandb, ("columns",)),
    Format("wide", outside_python.is_wide, outside_python.read_wide),
)


def read(
    value: object, format: str = "auto", **options: object
) -> tuple[Reading, dict[str, object]]:
    """Read scores in any of the formats.

    Parameters
    ----------
    value : object
        A path, a DataFrame, what scikit-learn returns, or a list of paths (or a mapping of
        algorithm to path) whose tables belong together.
    format : str
        Name of the format; "auto" asks each, and reads a table as it is where none is known.
    **options
        Those of the format are taken from them.

    Returns
    -------
    Reading
    dict
        The options that are left for `bayescmp.Scores`.

    Raises
    ------
    InputError
        An unknown format, or a source that is not in it.

    Examples
    --------
    >>> from bayescmp.scores.readers.registry import read
    >>> reading, left = read({"knn": [0.8, 0.9], "svm": [0.7, 0.8]}, resampling="2-fold")
    >>> reading.recognised
    'arrays of scikit-learn scores, higher is better'
    """
    if _is_files(value):
        return _read_files(value, format, options)
    source = Source.of(value, named_by(FORMATS, options.get("columns")))
    if format == "auto":
        form = next((f for f in FORMATS if f.matches(source)), None)
    else:
        form = next((f for f in FORMATS if f.name == format), None)
        if form is None and format != "table":
            raise unknown_name("format", format, ["auto", "table", *(f.name for f in FORMATS)])
    _check_options(form, options)
    if form is None:
        return _as_table(source), options
    if not form.matches(source):
        raise InputError(f"the source is not in the format {format!r}")
    check_names_of(form, source)
    taken = {name: options[name] for name in form.options if name in options}
    reading = form.read(source, **taken)
    kept = {"resampling", *WAYS}  # of `Scores` too
    return reading, {k: v for k, v in options.items() if k in kept or k not in form.options}


def _check_options(form: Format | None, options: Iterable[str]) -> None:
    """Refuse options that neither the format nor `Scores` takes."""
    known = dict.fromkeys((*OF_SCORES, *(() if form is None else form.options)))
    for name in options:
        if name not in known:
            what = "a table" if form is None else repr(form.name)
            raise unknown_name(f"option of {what}", name, known)


def settled(reading: Reading, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of `bayescmp.Scores` with what the format tells; what the user says goes first.

    Raises
    ------
    InputError
        If the format does not tell how the folds were drawn, and the user does not either.

    Examples
    --------
    >>> from bayescmp.scores.readers.registry import read, settled
    >>> reading, left = read({"knn": [0.8, 0.9], "svm": [0.7, 0.8]}, resampling="2-fold")
    >>> settled(reading, left)["higher_is_better"]
    ['score']
    """
    design = options.get("resampling")
    if reading.needs and design is None:
        raise InputError(
            f"{reading.needs}: give resampling, such as '10-fold', '10x10-fold' (repeats x "
            "folds), 'random splits 0.33', 'rho 0.1', or a dict of such by data set"
        )
    by_dataset = reading.resampling if isinstance(reading.resampling, Mapping) else {}
    proven = any(isinstance(d, Resampling) for d in by_dataset.values())  # the user's is in it
    lower, higher = (as_names(options.get(way)) for way in WAYS)
    return {
        **options,
        "resampling": reading.resampling if proven or design is None else design,
        "lower_is_better": [*lower, *(m for m in reading.lower if m not in {*lower, *higher})],
        "higher_is_better": [*higher, *(m for m in reading.higher if m not in {*lower, *higher})],
    }


def _as_table(source: Source) -> Reading:
    if source.frame is None:
        raise InputError(
            f"scores are {type(source.value).__name__}, which no reader knows; accepted: a path, "
            "a DataFrame, results of scikit-learn's cross_validate, cross_val_score or a fitted "
            "search, or one of the formats " + ", ".join(f.name for f in FORMATS)
        )
    return Reading(source.frame, "")


def _is_files(value: Any) -> bool:
    values = value.values() if isinstance(value, Mapping) else value
    listed = isinstance(value, (list, tuple, Mapping)) and len(value) > 0
    return listed and all(isinstance(v, (str, os.PathLike)) for v in values)


def _read_files(
    value: Any, format: str, options: dict[str, object]
) -> tuple[Reading, dict[str, object]]:
    """Several files whose tables belong together."""
    import pandas as pd

    named = value.items() if isinstance(value, Mapping) else [(None, path) for path in value]
    readings, left = [], options
    for name, path in named:
        source = Source.of(path, named_by(FORMATS, options.get("columns")))
        reading, left = read(
            source if name is None else replace(source, name=str(name)), format, **options
        )
        readings.append(reading)
    first = readings[0]
    if {r.recognised for r in readings} != {first.recognised}:
        raise InputError(
            "the files are of several formats: "
            + "; ".join(dict.fromkeys(r.recognised or "a table" for r in readings))
        )
    frame = pd.concat([r.frame for r in readings], ignore_index=True)
    return replace(first, frame=frame), left
