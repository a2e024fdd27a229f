"""The formats of `Scores.read`, the choice between them, and the options of each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import as_names, check_choice
from bayescmp.errors import InputError
from bayescmp.scores.columns import too_large
from bayescmp.scores.readers import programs, sklearn
from bayescmp.scores.readers.base import WAYS, Format, Reading, Source, choose_format, named_by
from bayescmp.scores.readers.files import OF_FILES
from bayescmp.scores.resampling import Resampling

#: Options that `bayescmp.Scores` takes, for any format.
OF_SCORES = ("columns", "metric", *WAYS, "resampling", "missing")

#: In the order in which they are tried.
FORMATS: tuple[Format, ...] = (
    Format("sklearn-search", sklearn.read_search, test=sklearn.is_search),
    Format("cross_validate", sklearn.read_cross_validate, test=sklearn.is_cross_validate),
    Format("cross_val_score", sklearn.read_arrays, test=sklearn.is_arrays),
    Format("skore", sklearn.read_skore, test=sklearn.is_skore),
    Format(
        "tidymodels",
        programs.read_tidymodels,
        (".metric", ".estimator"),
        names=("dataset", "wflow_id"),
    ),
    Format(
        "mlr3",
        programs.read_mlr3,
        ("task_id", "learner_id", "resampling_id"),
        names=("task_id", "learner_id", "resampling_id"),
    ),
    Format(
        "openml",
        programs.read_openml,
        ("flow_id", "task_id", "function", "values"),
        names=("task_id", "flow_id", "setup_id", "data_name", "flow_name"),
    ),
    Format(
        "automlbenchmark",
        programs.read_automl,
        ("task", "framework", "constraint", "fold", "result"),
        names=("task", "framework", "constraint"),
    ),
    Format(
        "tabarena",
        programs.read_tabarena,
        ("dataset", "fold", "method", "metric_error"),
        names=("dataset", "method"),
    ),
    Format(
        "sktime",
        programs.read_sktime,
        ("model_id", "validation_id"),
        names=("model_id", "validation_id"),
        test=programs.is_sktime,
    ),
    Format("aeon", programs.read_aeon, names=("folds:", "Resamples:"), test=programs.is_aeon),
    Format(
        "moabb",
        programs.read_moabb,
        ("score", "subject", "dataset", "pipeline"),
        names=("dataset", "pipeline", "subject", "session"),
    ),
    Format(
        "weka",
        programs.read_weka,
        ("Key_Dataset", "Key_Run", "Key_Scheme"),
        names=("Key_Dataset", "Key_Scheme"),
    ),
    Format(
        "saes",
        programs.read_saes,
        ("Algorithm", "Instance", "MetricName", "ExecutionId", "MetricValue"),
        names=("Algorithm", "Instance", "MetricName"),
    ),
    Format("mlflow", programs.read_mlflow, ("run_id",), test=programs.is_mlflow),
    Format("wandb", programs.read_wandb, test=programs.is_wandb),
    Format("wide", programs.read_wide, test=programs.is_wide),
    Format(
        "leaderboard",
        programs.read_leaderboard,
        test=programs.is_leaderboard,
        may_be=programs.may_be_leaderboard,
    ),
)


def read(value: object, format: str = "auto", **options: Any) -> tuple[Reading, dict[str, Any]]:
    """Read scores in any of the formats; return the reading and the options of `bayescmp.Scores`.

    `value` is a path, a DataFrame, a result of scikit-learn, a list of paths or a mapping of
    algorithm to path. "auto" tries each format, and reads a plain table if none fits. `options`
    are of `bayescmp.Scores`, of files and of the format, and override its facts. Refused are
    unknown and mixed formats, and folds if nothing shows how they were drawn.
    """
    readings, form = [], None
    text = {name: options.pop(name) for name in OF_FILES if name in options}
    files = _list_files(value)
    for name, one in files or [(None, value)]:
        source = Source.from_value(one, named_by(FORMATS, options.get("columns")), **text)
        source = source if name is None else replace(source, name=name)
        form = choose_format(FORMATS, source, format)
        _check_options(form, options)
        try:
            own = _as_table(source) if form is None else form.reading(source, options)
        except OverflowError:  # pandas 2 compares names as floats
            raise too_large("a column") from None
        readings.append(replace(own, notes=(*source.notes, *own.notes)))
    reading = readings[0]
    if {r.recognised for r in readings} != {reading.recognised}:
        raise must(
            "source",
            "hold files of one format",
            "; ".join(dict.fromkeys(r.recognised or "a table" for r in readings)),
        )
    if files:
        frame = pd.concat([r.frame for r in readings], ignore_index=True)
        notes = tuple(dict.fromkeys(note for r in readings for note in r.notes))
        reading = replace(reading, frame=frame, notes=notes)
    of_format = set() if form is None else {*form.options} - {*WAYS, "resampling"}
    left = {name: given for name, given in options.items() if name not in of_format}
    reading = _without_settings(reading, left)
    return reading, {**left, **_settle_options(reading, left)}


def _list_files(value: Any) -> list[tuple[str | None, object]]:
    """List several files, each with the name that a mapping gives it; none of any other source."""
    files: list[tuple[str | None, object]] = []
    if isinstance(value, Mapping):
        files = [(str(name), path) for name, path in value.items()]
    elif isinstance(value, list | tuple):
        files = [(None, path) for path in value]
    return files if all(isinstance(path, str | os.PathLike) for _, path in files) else []


def _check_options(form: Format | None, options: Iterable[str]) -> None:
    """Refuse options that neither the format nor `Scores` takes."""
    known = dict.fromkeys((*OF_SCORES, *OF_FILES, *(() if form is None else form.options)))
    what = "a table" if form is None else repr(form.name)
    for name in options:
        check_choice(f"option of {what}", name, known)


def _as_table(source: Source) -> Reading:
    if source.frame is None:
        raise must_be(
            "source",
            "a path, a DataFrame, or results of scikit-learn's cross_validate, cross_val_score or "
            "a fitted search",
            source.value,
            f"Or use one of the formats {', '.join(f.name for f in FORMATS)}.",
        )
    return Reading(source.frame, "")


def _without_settings(reading: Reading, options: Mapping[str, Any]) -> Reading:
    """Drop columns of settings, except those that the user calls metrics."""
    named = {m for option in ("metric", *WAYS) for m in as_names(options.get(option), option)}
    settings = [c for c in reading.settings if c not in named]
    if not settings:
        return reading
    words = f"{reading.recognised}; settings, no metrics: {', '.join(settings)}"
    return replace(reading, frame=reading.frame.drop(columns=settings), recognised=words)


def _settle_options(reading: Reading, options: Mapping[str, Any]) -> dict[str, Any]:
    """Settle how folds were drawn and which way metrics are better: as the user or format says."""
    design = options.get("resampling")
    if reading.needs and design is None:
        raise InputError(
            f"{arg('resampling')} must be given, since {reading.needs}. Give "
            f"{arg('resampling', '10-fold')}, '10x10-fold' (repeats x folds), 'random splits "
            "0.33', 'rho 0.1', or one of each data set.",
            "resampling",
        )
    by_dataset = reading.resampling if isinstance(reading.resampling, Mapping) else {}
    proven = any(
        isinstance(d, Resampling) for d in by_dataset.values()
    )  # it has the user's design
    return {
        "resampling": reading.resampling if proven or design is None else design,
        **reading.settle_ways(options),
    }
