"""Data sets of an experiment: the forms they may come in, and their digests."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.errors import InputError, unknown_name

if TYPE_CHECKING:
    import pandas as pd


__all__ = ["Dataset", "as_datasets", "digest", "named", "take"]

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
    by_name: dict[str, T] = {}
    for name, thing in things.items():
        if str(name) in by_name:
            raise InputError(f"{what}: two are named {str(name)!r}; accepted: different names")
        by_name[str(name)] = thing
    return by_name


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
    if chosen is not None and not np.any(y == chosen):
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
