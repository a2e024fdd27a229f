"""Data sets and estimators of an experiment: the forms they may come in, checked and described."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.checks import along_rows, check_paired
from bayescmp.errors import InputError, located, unknown_name

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.base.typing import SupportsFit

__all__ = [
    "Dataset",
    "as_datasets",
    "as_estimators",
    "as_text",
    "classify",
    "describe",
    "digest",
    "is_pairwise",
    "named",
    "prepared",
    "take",
]


# Data sets of an experiment: the forms they may come in, and their digests.


T = TypeVar("T")

_ACCEPTED = (
    "accepted: (X, y), (X, y, groups), (DataFrame, name of the target column), scikit-learn's "
    "Bunch, a bayescmp.experiment.Dataset, or a function without arguments that returns one"
)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows to learn from, and what to predict.

    Parameters
    ----------
    X : array_like, DataFrame or sparse matrix of shape (n, features), or kernel of shape (n, n)
        As the estimators take it. A precomputed kernel is cut by rows and columns for estimators
        that say they take one (``kernel="precomputed"``, ``metric="precomputed"``).
    y : array_like of shape (n,)
        Classes or numbers.
    groups : array_like of shape (n,), optional
        For splitters that keep groups together.
    positive : object, optional
        The positive class; the last in sorted order if there are two and none is named. Where
        there are more than two, naming one makes counts and areas those of it against the rest.
    """

    X: Any
    y: Any
    groups: ArrayLike | None = None
    positive: object = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.y)


def as_datasets(datasets: object, positive: object = None) -> dict[str, Dataset]:
    """Validated data sets by name.

    Parameters
    ----------
    datasets : mapping of str to data set
        See `Dataset` and `bayescmp.run_experiment` for the forms of a data set.
    positive : object or mapping of str to object, optional
        The positive class, of all data sets or of each.

    Raises
    ------
    InputError
        Another form, X and y of differing length, missing targets, an unknown name.
    """
    if not isinstance(datasets, Mapping) or not datasets:
        raise InputError(
            f"datasets is {type(datasets).__name__} or empty; accepted: a dict of names, each "
            f"with its data set ({_ACCEPTED})"
        )
    if isinstance(positive, Mapping):
        for name in positive:
            if name not in datasets:
                raise unknown_name("data set in positive", name, datasets)
    checked = {}
    for name, given in datasets.items():
        own = positive.get(name) if isinstance(positive, Mapping) else positive
        checked[name] = _checked(str(name), _unpacked(name, given), own)
    return named("datasets", checked)


def named(what: str, things: Mapping[str, T]) -> dict[str, T]:
    """Things by their names as text.

    Raises
    ------
    InputError
        If two names are the same as text, as 1 and "1" are.
    """
    return dict(zip(checks.labels(what, things, len(things)), things.values(), strict=True))


def _unpacked(name: object, given: object) -> Dataset:
    """A data set from any of the accepted forms."""
    if isinstance(given, Dataset):
        return given
    if isinstance(given, Mapping) and {"data", "target"} <= set(given):
        return Dataset(given["data"], given["target"], given.get("groups"))
    if callable(given) and not isinstance(given, type):
        return _unpacked(name, given())
    if isinstance(given, (tuple, list)) and len(given) in (2, 3):
        X, y, *groups = given
        if isinstance(y, str):
            return _from_column(name, X, y, *groups)
        return Dataset(X, y, *groups)
    raise InputError(f"datasets[{name!r}] is {type(given).__name__}; {_ACCEPTED}")


def _from_column(
    name: object, frame: pd.DataFrame, target: str, groups: ArrayLike | None = None
) -> Dataset:
    """A table whose columns are the features and the target (and perhaps the groups)."""
    if not hasattr(frame, "columns"):
        raise InputError(
            f"datasets[{name!r}]: target {target!r} names a column, but X is not a table"
        )
    labels = [target] + ([groups] if isinstance(groups, str) else [])
    for column in labels:
        if column not in frame.columns:
            raise unknown_name(f"column in data set {name!r}", column, frame.columns)
    if isinstance(groups, str):
        groups = frame[groups]
    return Dataset(frame.drop(columns=labels), frame[target], groups)


def _checked(name: str, data: Dataset, positive: object) -> Dataset:
    import pandas as pd

    with located(f"data set {name!r}"):
        check_paired(X=along_rows(data.X), y=along_rows(data.y), groups=along_rows(data.groups))
    X = data.X if hasattr(data.X, "shape") else np.asarray(data.X)
    y = np.asarray(data.y)
    if y.ndim != 1:
        raise InputError(f"data set {name!r}: y has shape {y.shape}; accepted: (n,)")
    if len(X.shape) != 2 or X.shape[0] != len(y):
        raise InputError(
            f"data set {name!r}: X has shape {tuple(X.shape)} and y {y.shape}; accepted: "
            "(n, features) and (n,)"
        )
    bad = np.flatnonzero(pd.isna(y) | (np.isinf(y) if y.dtype.kind == "f" else False))
    if len(bad):
        raise InputError(
            f"data set {name!r}: the target of row {bad[0]} is missing or infinite "
            f"({len(bad)} such rows); the target of every row must be known"
        )
    if y.dtype == object:  # as tables have it; numbers and texts are compared by what they are
        y = np.asarray(y.tolist())
    groups = None if data.groups is None else np.asarray(data.groups)
    if groups is not None and groups.shape != y.shape:
        raise InputError(f"data set {name!r}: groups has shape {groups.shape}, y {y.shape}")
    chosen = data.positive if positive is None else positive
    if chosen is not None and (_is_several(chosen) or not np.any(y == chosen)):
        raise unknown_name(f"positive class of data set {name!r}", chosen, np.unique(y))
    return Dataset(X, y, groups, chosen)


def take(X: Any, rows: np.ndarray, columns: np.ndarray | None = None) -> Any:
    """Rows of an array, a table or a sparse matrix; of a kernel, columns too."""
    if hasattr(X, "iloc"):
        return X.iloc[rows] if columns is None else X.iloc[rows, columns]
    if not isinstance(X, np.ndarray):  # sparse: row and column indices one after the other
        X = X.tocsr() if hasattr(X, "tocsr") else X
        return X[rows] if columns is None else X[rows][:, columns]
    return X[rows] if columns is None else X[np.ix_(rows, columns)]


def digest(data: Dataset) -> str:
    """What tells this data set from another: its size and a hash of everything in it."""
    seen = hashlib.sha256()
    for part in (data.X, data.y, data.groups):
        seen.update(_bytes(part))
    seen.update(repr(data.positive).encode())
    size = " x ".join(map(str, data.X.shape))
    return f"{size}, {seen.hexdigest()[:16]}"


def _bytes(part: object) -> bytes:
    """Content as bytes, the same in every process."""
    import joblib
    import pandas as pd

    if part is None:
        return b"none"
    if isinstance(part, np.ndarray) and part.dtype.kind in "biufc":
        return f"{part.dtype.str}{part.shape}".encode() + np.ascontiguousarray(part).tobytes()
    if isinstance(part, np.ndarray) and part.ndim == 1:
        return b"\0".join(repr(v).encode() for v in part.tolist())
    if isinstance(part, pd.DataFrame):
        columns = f"{list(map(str, part.columns))}".encode()
        return columns + b"".join(_bytes(part[c].to_numpy()) for c in part.columns)
    return str(joblib.hash(part)).encode()


# Estimators of an experiment: checked, described for comparison, cloned and seeded.


_ESTIMATORS = "accepted: a dict of names, each with an unfitted scikit-learn estimator"


def as_estimators(estimators: Mapping[str, object]) -> dict[str, object]:
    """Validated estimators by name.

    Raises
    ------
    InputError
        No mapping, no estimator, a class where an instance belongs.
    """
    if not isinstance(estimators, Mapping) or not estimators:
        raise InputError(f"estimators is {type(estimators).__name__} or empty; {_ESTIMATORS}")
    for name, estimator in estimators.items():
        if isinstance(estimator, type):
            raise InputError(
                f"estimators[{name!r}] is the class {estimator.__name__}; accepted: an instance, "
                f"{estimator.__name__}()"
            )
        if not all(hasattr(estimator, method) for method in ("fit", "predict", "get_params")):
            raise InputError(
                f"estimators[{name!r}] is {type(estimator).__name__}, which lacks fit, predict or "
                f"get_params; {_ESTIMATORS}"
            )
    return named("estimators", estimators)


def classify(estimators: Mapping[str, object]) -> bool:
    """Whether the estimators are classifiers: all of them, or none.

    Raises
    ------
    InputError
        If some are and some are not.
    """
    from sklearn.base import is_classifier

    kinds = {name: bool(is_classifier(e)) for name, e in estimators.items()}
    if len(set(kinds.values())) > 1:
        yes, no = (next(n for n, k in kinds.items() if k is kind) for kind in (True, False))
        raise InputError(
            f"estimators: {yes!r} is a classifier and {no!r} is not; no score compares the two"
        )
    return next(iter(kinds.values()))


def is_pairwise(estimator: object) -> bool:
    """Whether the estimator takes a precomputed kernel or distances: rows times rows."""
    try:
        from sklearn.utils import get_tags
    except ImportError:  # scikit-learn before 1.6
        from sklearn.utils._tags import _safe_tags

        return bool(_safe_tags(estimator, key="pairwise"))
    return bool(get_tags(estimator).input_tags.pairwise)


def prepared(estimator: object, seed: int) -> SupportsFit:
    """An unfitted copy whose random states come from the seed.

    Every parameter ``random_state`` that is None, of the estimator or of one nested in it, is
    set; those that the user has fixed are left. The first, in alphabetical order, is the seed
    itself.
    """
    from sklearn.base import clone

    copied = clone(estimator)
    parameters = copied.get_params(deep=True)
    names = [
        name
        for name in sorted(parameters)
        if name.rpartition("__")[2] == "random_state" and parameters[name] is None
    ]
    more = np.random.SeedSequence(seed).generate_state(len(names))
    values = {name: int(more[i]) if i else seed for i, name in enumerate(names)}
    return copied.set_params(**values) if values else copied


def describe(estimator: Any) -> dict[str, str]:
    """Class and parameters as text, the same in every process.

    Parameters
    ----------
    estimator : estimator

    Returns
    -------
    dict of str to str
        By parameter, nested ones with their path; "" is the class itself.
    """
    parameters = estimator.get_params(deep=True)
    texts = {"": _name(type(estimator))}
    texts.update({name: as_text(value) for name, value in sorted(parameters.items())})
    return texts


def _name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


def as_text(value: object) -> str:
    """A value as text, the same in every process.

    What has parameters of its own is described by its class: its parameters are listed beside it.
    """
    if value is None or isinstance(value, (bool, int, float, str, np.number)):
        return repr(value.item() if isinstance(value, np.generic) else value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(as_text, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k!r}: {as_text(v)}" for k, v in value.items()) + "}"
    if hasattr(value, "get_params") and not isinstance(value, type):
        return _name(type(value))
    if type(value).__module__ == "sklearn.metrics._scorer":  # its repr names all that it is of
        return repr(value)
    if hasattr(value, "__qualname__") and "<lambda>" not in value.__qualname__:
        return _name(value)
    return f"{_name(type(value))} {_hashed(value)}"


def _hashed(value: object) -> str:
    """A hash of what has no other text; a lambda has none, as it can't be pickled."""
    import pickle

    import joblib

    try:
        return str(joblib.hash(value))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(
            f"{value!r} can't be identified in a checkpoint; accepted: functions "
            "with a name, at the top level of a module"
        ) from error


def _is_several(value: object) -> bool:
    """Whether this holds several values, as no class does."""
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)
