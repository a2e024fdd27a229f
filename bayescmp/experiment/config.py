"""An experiment from a TOML file: estimators by import path, from packages that are allowed."""

from __future__ import annotations

import importlib
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from bayescmp.base.arguments import must_be
from bayescmp.base.checks import check_choice
from bayescmp.base.files import as_path
from bayescmp.base.typing import Json, PathLike
from bayescmp.errors import InputError, unknown_name
from bayescmp.experiment.data import Dataset, HoldoutResample
from bayescmp.scores.readers.files import as_written, read_table

#: Packages that a configuration may name classes of, unless the caller allows more.
ALLOWED = ("sklearn",)

_PARTS = (
    *("estimators", "datasets", "cv", "scoring", "seed", "n_jobs", "threads", "positive"),
    "keep_predictions",
)
#: Parameters of classes that name caches, which joblib keeps as pickles.
_CACHES = re.compile("memory|cache_?(dir|path|folder)|(^|_)cachedir", re.IGNORECASE)
#: Files that Python reads, or may read, by running what is in them.
_PICKLES = (
    ".pkl", ".pickle", ".p", ".joblib", ".jl", ".dill", ".cloudpickle", ".sav", ".npy", ".npz",
    ".pt", ".pth", ".ckpt", ".gz", ".bz2", ".xz", ".lzma", ".zst", ".z", ".zip",
)  # fmt: skip
_LAYOUTS = ("stratified", "kfold", "holdout")
_LOADERS = (
    *("load_breast_cancer", "load_diabetes", "load_digits", "load_iris", "load_wine"),
    *("make_blobs", "make_circles", "make_classification", "make_gaussian_quantiles"),
    *("make_hastie_10_2", "make_moons", "make_regression"),
)


def read_config(path: PathLike, *, allowed: Iterable[str] = ALLOWED) -> dict[str, Any]:
    """Read arguments of `bayescmp.run_experiment` from a TOML file.

    An untrusted configuration is safe to run: caches and pickles, which could run code, are
    refused. Only classes of another `allowed` package are called with any arguments. Relative
    paths of data files start at its folder.
    """
    path, config = as_path("path", path), _parse_file(path)
    try:
        return arguments_of(config, folder=path.absolute().parent, allowed=allowed)
    except InputError as error:
        raise InputError(f"configuration {str(path)!r}: {error}", "path") from error


def files_of(path: PathLike) -> list[Path]:
    """Return a configuration and the files of data that it names: what an experiment reads."""
    config, folder = _parse_file(path), Path(path).absolute().parent
    datasets = config.get("datasets")
    parts = datasets.values() if isinstance(datasets, Mapping) else ()
    named = [part.get("file") for part in parts if isinstance(part, Mapping)]
    return [Path(path), *(folder / name for name in named if isinstance(name, str))]


def _parse_file(path: object) -> Json:
    path = as_path("path", path)
    if not path.is_file():
        raise InputError(
            f"configuration {str(path)!r} must be a file (got a path that does not exist).", "path"
        )
    try:
        config: Json = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            f"configuration {str(path)!r} must be valid TOML ({error}).", "path"
        ) from error
    except OSError as error:
        raise InputError(
            f"{str(path)!r} cannot be read: {error.strerror or error}.", "path"
        ) from error
    return config


def arguments_of(
    config: Json, *, folder: Path | None = None, allowed: Iterable[str] = ALLOWED
) -> dict[str, Any]:
    """Read arguments of `bayescmp.run_experiment` from a configuration.

    `config` has ``estimators.NAME = {class = "sklearn.svm.SVC", C = 10}``, or ``{steps = [...]}``
    for a pipeline; ``datasets.NAME = {loader = "load_iris"}`` (a ``make_...`` has random_state 0),
    or ``{file = "mine.csv", target = "y"}`` with ``groups``, ``positive`` and ``drop``; ``cv =
    {layout = "stratified" | "kfold" | "holdout", folds, repeats, test_size}``, or
    ``{class = "sklearn.model_selection.GroupKFold", ...}``; ``scoring``, ``seed``, ``n_jobs``,
    ``threads``, ``positive``, ``keep_predictions``. Files are looked for in `folder`; classes of
    `allowed` packages may be named.
    """
    allowed = tuple(allowed)
    for part in config:
        check_choice("part of the configuration", part, _PARTS)
    for part in ("estimators", "datasets"):
        if not isinstance(config.get(part), Mapping) or not config[part]:
            raise InputError(f"[{part}.NAME] must be given at least once.")
    if not isinstance(config.get("keep_predictions", False), bool):
        raise must_be("keep_predictions", "true or false", config["keep_predictions"])
    arguments = {k: v for k, v in config.items() if k not in ("estimators", "datasets", "cv")}
    arguments["estimators"] = {
        name: _built(f"estimators.{name}", given, allowed)
        for name, given in config["estimators"].items()
    }
    arguments["datasets"] = {
        name: _data(f"datasets.{name}", given, folder or Path())
        for name, given in config["datasets"].items()
    }
    if "cv" in config:
        arguments["cv"] = _layout(config["cv"], allowed)
    return arguments


def _built(where: str, given: object, allowed: tuple[str, ...]) -> object:
    """Build an object from its class's path and its parameters, which may be objects too."""
    if not isinstance(given, Mapping) or ("class" in given) == ("steps" in given):
        raise InputError(
            f'[{where}] must be class = "package.module.Class" with its parameters, or '
            f"steps = [...] of these (got {given!r})."
        )
    if "steps" in given:
        from sklearn.pipeline import make_pipeline

        if set(given) != {"steps"} or not isinstance(given["steps"], list):
            raise InputError(f"[{where}] must have steps as a list, without any other key.")
        steps = [_built(f"{where}.steps", step, allowed) for step in given["steps"]]
        return make_pipeline(*steps)
    kind = _class(where, given["class"], allowed)
    parameters = {
        name: _value(f"{where}.{name}", value, allowed)
        for name, value in given.items()
        if name != "class"
    }
    with _refuse_within(where):
        return kind(**parameters)


@contextmanager
def _refuse_within(where: str) -> Iterator[None]:
    """Turn what a class or a loader does not take into an error with its place in the file."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise InputError(f"[{where}]: {error}") from error


def _value(where: str, value: object, allowed: tuple[str, ...]) -> object:
    """Return a parameter of a class, perhaps an object; never a pickle's path, which runs code."""
    name = where.rpartition(".")[2]
    if _CACHES.search(name) and value is not None:
        raise InputError(
            f"[{where}] must be left out (got {value!r}). A configuration cannot name caches, "
            "whose pickles could run code. Pass estimators to run_experiment in Python."
        )
    for text in _texts(value):
        if text.lower().endswith(_PICKLES):
            raise InputError(
                f"[{where}] must not name pickles, which could run code (got the file {text!r}). "
                "Pass these objects to run_experiment in Python."
            )
    if isinstance(value, Mapping) and ("class" in value or "steps" in value):
        return _built(where, value, allowed)
    return value


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(inner)


def _class(where: str, path: object, allowed: tuple[str, ...]) -> type:
    """Return a class of an allowed package; nothing of the path is ever evaluated."""
    module, _, name = str(path).rpartition(".")
    package = module.partition(".")[0]
    if package not in allowed:
        raise InputError(
            f"[{where}] must have a class of an allowed package, {', '.join(allowed)} (got "
            f"{path!r}). Allow others by --allow, or by read_config(..., allowed=...)."
        )
    try:
        named_class = getattr(importlib.import_module(module), name, None)
    except ModuleNotFoundError as error:
        raise InputError(
            f"[{where}] must have a class that is installed (got {path!r}: {error})."
        ) from error
    if not isinstance(named_class, type):
        known = [n for n in dir(importlib.import_module(module)) if n[:1].isupper()]
        raise unknown_name(f"class in {module} ([{where}])", name, known)
    is_part = any(callable(getattr(named_class, method, None)) for method in ("fit", "split"))
    if named_class.__module__.partition(".")[0] != package or not is_part:
        raise InputError(
            f"[{where}] must have an estimator, transformer or splitter (got {path!r})."
        )
    return named_class


def _layout(given: object, allowed: tuple[str, ...]) -> object:
    """Return the splitter that the configuration names."""
    from sklearn import model_selection as ms

    if isinstance(given, int):
        return given
    if not isinstance(given, Mapping):
        raise must_be("cv", "a number of folds, or a table [cv]", given)
    if "class" in given:
        return _built("cv", given, allowed)
    options = dict(given)
    layout = options.pop("layout", "stratified")
    check_choice("layout of [cv]", layout, _LAYOUTS)
    takes = {"test_size", "folds", "stratify"} if layout == "holdout" else {"folds", "repeats"}
    for name in options:
        check_choice(f"option of [cv], layout {layout!r}", name, takes)
    kind = ms.RepeatedStratifiedKFold if layout == "stratified" else ms.RepeatedKFold
    with _refuse_within("cv"):
        if layout == "holdout":
            return HoldoutResample(**options)
        return kind(n_splits=options.get("folds", 10), n_repeats=options.get("repeats", 10))


def _data(where: str, given: object, folder: Path) -> Dataset:
    """Return one of scikit-learn's own data sets, or that in a file."""
    from sklearn import datasets

    if not isinstance(given, Mapping) or ("loader" in given) == ("file" in given):
        raise InputError(
            f'[{where}] must be loader = "load_iris", or file = "..." with target = "..." '
            f"(got {given!r})."
        )
    options = dict(given)
    positive = options.pop("positive", None)
    if "file" in options:
        return _read_dataset(where, options, positive, folder)
    name = str(options.pop("loader")).rpartition(".")[2]
    check_choice(f"loader of [{where}]", name, _LOADERS)
    load: Callable[..., tuple[object, ArrayLike]] = getattr(datasets, name)
    if name.startswith("load_"):
        options["return_X_y"] = True
    else:
        options.setdefault("random_state", 0)  # the same data when a stopped run is resumed
    with _refuse_within(where):
        X, y = load(**options)
    return Dataset(X, y, positive=positive)


def _read_dataset(where: str, options: Json, positive: object, folder: Path) -> Dataset:
    path = folder / str(options.pop("file"))
    target, groups, drop = (options.pop(name, None) for name in ("target", "groups", "drop"))
    for name in options:
        check_choice(
            f"option of [{where}]", name, ("file", "target", "groups", "drop", "positive")
        )
    if not path.is_file():
        raise InputError(
            f"[{where}] must name a file of data (got {str(path)!r}, which does not exist)."
        )
    frame = read_table(path, lambda _: [] if groups is None else [groups])
    others = [drop] if isinstance(drop, str) else list(drop or [])
    labels = [c for c in (target, groups) if c is not None]
    for column in [target, *labels, *others]:
        check_choice(f"column of [{where}]", column, frame.columns)
    X = frame.drop(columns=[*labels, *others])
    members = None if groups is None else as_written(frame[groups])
    return Dataset(X, frame[target], members, positive)
