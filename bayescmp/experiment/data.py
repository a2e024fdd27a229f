"""Data sets, estimators and folds of an experiment, in the forms that they may come in."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import along_rows, check_paired
from bayescmp.base.typing import Splitter, SupportsFit
from bayescmp.errors import InputError, locate_errors, unknown_name, warn_user
from bayescmp.scores.designs import as_rows, design_in_words, labels_of

# Data sets of an experiment: the forms they may come in, and their digests.


T = TypeVar("T")

_FORMS = (
    "(X, y), (X, y, groups), (DataFrame, target column's name), scikit-learn's Bunch, a "
    "bayescmp.experiment.Dataset, or a function without arguments that returns one"
)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows to learn from, and what to predict.

    Parameters
    ----------
    X : array_like, DataFrame or sparse matrix of shape (n, features), or kernel of shape (n, n)
        As the estimators take it. A precomputed kernel is cut by rows and columns for estimators
        that take one (``kernel="precomputed"``).
    y : array_like of shape (n,)
        Classes or numbers.
    groups : array_like of shape (n,), optional
        For splitters that keep groups together.
    positive : object, optional
        The positive class; the last of two in sorted order by default. More than two classes are
        counted as the named one against the rest.
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
    """Return validated data sets by name."""
    if not isinstance(datasets, Mapping) or not datasets:
        accepted = "a dict of names, each with its data set"
        raise must_be("datasets", accepted, datasets, f"Each can be {_FORMS}.")
    for name in positive if isinstance(positive, Mapping) else ():
        if name not in datasets:
            raise unknown_name("data set in positive", name, datasets, "positive")
    checked = {}
    for name, given in datasets.items():
        own = positive.get(name) if isinstance(positive, Mapping) else positive
        checked[name] = _check_dataset(str(name), _unpack_dataset(name, given), own)
    return key_by_name("datasets", checked)


def key_by_name(what: str, things: Mapping[str, T]) -> dict[str, T]:
    """Return things by their names as text."""
    return dict(zip(checks.check_labels(what, things, len(things)), things.values(), strict=True))


def _unpack_dataset(name: object, given: object) -> Dataset:
    """Return a data set from any of the accepted forms."""
    if isinstance(given, Dataset):
        return given
    if isinstance(given, Mapping) and {"data", "target"} <= set(given):
        return Dataset(given["data"], given["target"], given.get("groups"))
    if callable(given) and not isinstance(given, type):
        return _unpack_dataset(name, given())
    if isinstance(given, (tuple, list)) and len(given) in (2, 3):
        X, y, *groups = given
        if isinstance(y, str):
            return _from_column(name, X, y, *groups)
        return Dataset(X, y, *groups)
    raise InputError(
        f"datasets[{name!r}] must be {_FORMS} (got {type(given).__name__}).", argument="datasets"
    )


def _from_column(
    name: object, frame: pd.DataFrame, target: str, groups: ArrayLike | None = None
) -> Dataset:
    """Return a data set from a table whose columns are features, target, and perhaps groups."""
    if not hasattr(frame, "columns"):
        raise must(
            f"datasets[{name!r}]",
            "have a table for X, if target names a column",
            f"target {target!r}",
        )
    labels = [target] + ([groups] if isinstance(groups, str) else [])
    for column in labels:
        checks.check_choice(f"column in data set {name!r}", column, frame.columns)
    if isinstance(groups, str):
        groups = frame[groups]
    return Dataset(frame.drop(columns=labels), frame[target], groups)


def _check_dataset(name: str, data: Dataset, positive: object) -> Dataset:
    with locate_errors(f"data set {name!r}"):
        check_paired(X=along_rows(data.X), y=along_rows(data.y), groups=along_rows(data.groups))
    X = data.X if hasattr(data.X, "shape") else np.asarray(data.X)
    y = np.asarray(data.y)
    if y.ndim != 1:
        raise must("datasets", "have y of shape (n,)", f"shape {y.shape} in data set {name!r}")
    if len(X.shape) != 2 or X.shape[0] != len(y):
        raise must(
            "datasets",
            "have X and y of shapes (n, features) and (n,)",
            f"{tuple(X.shape)} and {y.shape} in data set {name!r}",
        )
    bad = np.flatnonzero(pd.isna(y) | (np.isinf(y) if y.dtype.kind == "f" else False))
    if len(bad):
        raise must(
            "datasets",
            "have a target in every row",
            f"a missing or infinite one in row {bad[0]} of data set {name!r}, {len(bad)} rows in "
            "all",
        )
    if y.dtype == object:  # as in tables; numbers and texts are compared as what they are
        y = np.asarray(y.tolist())
    groups = None if data.groups is None else np.asarray(data.groups)
    if groups is not None and groups.shape != y.shape:
        raise must(
            "groups", f"have the shape of y, {y.shape}", f"{groups.shape} on data set {name!r}"
        )
    chosen = data.positive if positive is None else positive
    several = hasattr(chosen, "__len__") and not isinstance(chosen, str | bytes)
    if chosen is not None and (several or not np.any(y == chosen)):
        raise unknown_name(
            f"positive class of data set {name!r}", chosen, np.unique(y), "positive"
        )
    return Dataset(X, y, groups, chosen)


def take(X: Any, rows: np.ndarray, columns: np.ndarray | None = None) -> Any:
    """Take rows of an array, a table or a sparse matrix; of a kernel, columns too."""
    if hasattr(X, "iloc"):
        return X.iloc[rows] if columns is None else X.iloc[rows, columns]
    if not isinstance(X, np.ndarray):  # sparse: row and column indices one after the other
        X = X.tocsr() if hasattr(X, "tocsr") else X
        return X[rows] if columns is None else X[rows][:, columns]
    return X[rows] if columns is None else X[np.ix_(rows, columns)]


def digest_data(data: Dataset) -> str:
    """Identify a data set by its size and a hash of everything in it."""
    seen = hashlib.sha256()
    for part in (data.X, data.y, data.groups):
        seen.update(_bytes(part))
    seen.update(repr(data.positive).encode())
    size = " x ".join(map(str, data.X.shape))
    return f"{size}, {seen.hexdigest()[:16]}"


def _bytes(part: object) -> bytes:
    """Return content as bytes, the same in every process."""
    import joblib

    if part is None:
        return b"none"
    if isinstance(part, np.ndarray) and part.dtype.kind in "biufc":
        return f"{part.dtype.str}{part.shape}".encode() + np.ascontiguousarray(part).tobytes()
    if isinstance(part, np.ndarray) and part.ndim == 1:
        return b"\0".join(repr(value).encode() for value in part.tolist())
    if isinstance(part, pd.DataFrame):
        columns = f"{list(map(str, part.columns))}".encode()
        return columns + b"".join(_bytes(part[c].to_numpy()) for c in part.columns)
    return str(joblib.hash(part)).encode()


# Estimators of an experiment: checked, described for comparison, cloned and seeded.


def as_estimators(estimators: Mapping[str, object]) -> dict[str, object]:
    """Return validated estimators by name."""
    if not isinstance(estimators, Mapping) or not estimators:
        accepted = "a dict of names, each with an unfitted scikit-learn estimator"
        raise must_be("estimators", accepted, estimators)
    for name, estimator in estimators.items():
        if isinstance(estimator, type):
            raise InputError(
                f"estimators[{name!r}] must be an instance (got the class {estimator.__name__}). "
                f"Use {estimator.__name__}().",
                argument="estimators",
            )
        if not all(hasattr(estimator, method) for method in ("fit", "predict", "get_params")):
            raise InputError(
                f"estimators[{name!r}] must be an unfitted scikit-learn estimator (got "
                f"{type(estimator).__name__}, which lacks fit, predict or get_params).",
                argument="estimators",
            )
    return key_by_name("estimators", estimators)


def classify(estimators: Mapping[str, object]) -> bool:
    """Whether the estimators are classifiers, which has to be all of them or none."""
    from sklearn.base import is_classifier

    kinds = {name: bool(is_classifier(e)) for name, e in estimators.items()}
    if len(set(kinds.values())) > 1:
        yes, no = (next(n for n, k in kinds.items() if k is kind) for kind in (True, False))
        raise must(
            "estimators",
            "be all classifiers, or all regressors",
            f"{yes!r}, which is a classifier, and {no!r}, which is not",
        )
    return next(iter(kinds.values()))


def is_pairwise(estimator: object) -> bool:
    """Whether the estimator takes a precomputed kernel or distances, rows times rows."""
    from sklearn.utils import get_tags

    return bool(get_tags(estimator).input_tags.pairwise)


def prepare_estimator(estimator: object, seed: int) -> SupportsFit:
    """Return an unfitted copy whose (nested) random states that are None come from the seed."""
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
    """Return class and parameters as text, the same in every process."""
    parameters = estimator.get_params(deep=True)
    texts = {"": _name(type(estimator))}
    texts.update({name: as_text(value) for name, value in sorted(parameters.items())})
    return texts


def _name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


def as_text(value: object) -> str:
    """Return a value as text, the same in every process; objects by their class."""
    if value is None or isinstance(value, (bool, int, float, str, np.number)):
        return repr(value.item() if isinstance(value, np.generic) else value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(as_text, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k!r}: {as_text(v)}" for k, v in value.items()) + "}"
    if hasattr(value, "get_params") and not isinstance(value, type):
        return _name(type(value))
    if type(value).__module__ == "sklearn.metrics._scorer":  # its repr names all its parts
        return repr(value)
    if hasattr(value, "__qualname__") and "<lambda>" not in value.__qualname__:
        return _name(value)
    return f"{_name(type(value))} {_hash_value(value)}"


def _hash_value(value: object) -> str:
    """Hash what has no other text; a lambda has no hash, as it cannot be pickled."""
    import pickle

    import joblib

    try:
        return str(joblib.hash(value))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(
            f"{value!r} must be an object that can be identified in a checkpoint. Use functions "
            "with a name, at the top level of a module.",
            "checkpoint",
        ) from error


# Which rows are trained and tested on: folds, their labels and seeds, the same for all.


_CV = (
    "a number of folds, a scikit-learn splitter, HoldoutResample, a sequence of "
    "(train, test) or of Fold, or a dict with one of these for each data set"
)


@dataclass(frozen=True, eq=False)
class Fold:
    """One training and test set of a data set.

    Parameters
    ----------
    repeat, fold : int
        Run, and fold within the run, both counted from 1.
    train, test : array_like of int
        Row numbers.
    seed : int, optional
        Of its estimators; by default from the experiment's seed, data set, repeat and fold.
    """

    repeat: int
    fold: int
    train: Any
    test: Any
    seed: int | None = None


@dataclass(frozen=True, eq=False)
class Splits:
    """Folds of one data set, with their correlation and `design`, if labels don't show it."""

    folds: tuple[Fold, ...]
    correlation: float | None = None
    design: str | None = None

    def describe_split(self, fold: Fold) -> dict[str, int | float | str | None]:
        """Return the facts about a split in a fold's row."""
        return {
            "n_train": len(fold.train),
            "n_test": len(fold.test),
            "fold_correlation": self.correlation,
            "resampling": self.design,
        }


@dataclass
class HoldoutResample:
    """A part held out as the test set of every fold; the rest resampled k-fold for training.

    The layout of Aslan 2009, section 3.2.3: fold i trains on the rest without its i-th part, and
    is tested on the held-out rows. A splitter in scikit-learn's sense.

    Parameters
    ----------
    test_size : float
        Share of the rows that is held out, in (0, 1).
    folds : int
        Training sets; at least 3.
    stratify : bool
        Whether the classes keep their shares; numbers to predict are never stratified.
    random_state : int, optional
        Derived from the experiment's seed if not given.
    rho : float, optional
        Correlation of two folds' differences; see Notes.

    Notes
    -----
    All folds are tested on the same rows, and two training sets share k - 2 of their k - 1 parts,
    which makes differences correlate by (k - 2)/(k - 1), the default, if rows act additively.
    Between two equal algorithms on 300 rows, k = 10, the correlation was .91 for linear
    discriminants, .83 for nearest neighbours and .35 for trees, so that the default of .89 is
    cautious for unstable learners: at the 5% level it rejected 8.5, 2 and 0% of true null
    hypotheses. rho = 0, 1/k and n_test/(n_train + n_test), which assume test sets that differ,
    rejected 81, 75 and 59% with the linear discriminants.

    References
    ----------
    Aslan (2009), section 3.2.3; Nadeau & Bengio (2003), section 3, for the sources of variance.

    Examples
    --------
    >>> import numpy as np
    >>> import bayescmp as bc
    >>> cv = bc.HoldoutResample(test_size=0.25, folds=3, random_state=1)
    >>> y = np.repeat([0, 1], 20)
    >>> [(len(train), len(test)) for train, test in cv.split(np.zeros((40, 2)), y)]
    [(20, 10), (20, 10), (20, 10)]
    >>> cv.fold_correlation
    0.5
    """

    test_size: float = 1 / 3
    folds: int = 30
    stratify: bool = True
    random_state: int | None = None
    rho: float | None = None

    def __post_init__(self) -> None:
        checks.check_level(self.test_size, "test_size")
        self.folds = checks.check_whole("folds", self.folds, 3)
        checks.check_flags(stratify=self.stratify)
        if self.rho is not None:
            checks.one_rho(self.rho)

    @property
    def fold_correlation(self) -> float:
        """The correlation that the table of scores is given."""
        return (self.folds - 2) / (self.folds - 1) if self.rho is None else float(self.rho)

    def get_n_splits(
        self, X: object = None, y: object = None, groups: ArrayLike | None = None
    ) -> int:
        """Return the number of splits, which scikit-learn requires."""
        return self.folds

    def split(
        self, X: object, y: object, groups: ArrayLike | None = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the row numbers of each training set, with those of the one test set."""
        from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
        from sklearn.utils.multiclass import type_of_target

        if groups is not None:
            warn_user("HoldoutResample ignores groups")
        y = np.asarray(y)
        classes = self.stratify and type_of_target(y) in ("binary", "multiclass")
        rest, test = train_test_split(
            np.arange(len(y)),
            test_size=self.test_size,
            random_state=self.random_state,
            stratify=y if classes else None,
        )
        rest, test = np.sort(rest), np.sort(test)
        kind = StratifiedKFold if classes else KFold
        parts = kind(self.folds, shuffle=True, random_state=self.random_state)
        for train, _ in parts.split(rest, y[rest]):
            yield rest[train], test


def split_dataset(cv: object, name: str, data: Dataset, seed: int, classifies: bool) -> Splits:
    """Draw the folds of data set `name`, by `cv` as in `run_experiment`, from the `seed`."""
    if isinstance(cv, Mapping):
        cv = cv[checks.check_choice("data set in cv", name, cv, "cv")]
    splitter = _splitter(cv, classifies)
    if splitter is None:
        given = _list_splits(cv)
        correlation = None
    else:
        given = _split_data(_seed_splitter(splitter, seed, name), name, data)
        correlation = getattr(splitter, "fold_correlation", None)
    labelled = isinstance(given[0], Fold)
    folds = given if labelled else [Fold(1, i + 1, *pair) for i, pair in enumerate(given)]
    folds = [_check_fold(f, name, data.n) for f in folds]
    if not labelled and correlation is None:  # otherwise the splitter gives the correlation
        places = labels_of([f.test for f in folds], data.n)
        folds = [replace(f, repeat=r, fold=k) for f, (r, k) in zip(folds, places, strict=True)]
    labels = [(f.repeat, f.fold) for f in folds]
    if len(set(labels)) < len(labels):
        again = next(label for label in labels if labels.count(label) > 1)
        raise must(
            "cv",
            "give each fold once",
            f"repeat {again[0]}, fold {again[1]} twice on data set {name!r}",
        )
    design = None
    if correlation is None:
        design = design_in_words([f.train for f in folds], [f.test for f in folds])
    own = (_seed_of(seed, name, f.repeat, f.fold) if f.seed is None else f.seed for f in folds)
    seeded = tuple(replace(f, seed=one) for f, one in zip(folds, own, strict=True))
    return Splits(seeded, correlation, design)


def _splitter(cv: object, classifies: bool) -> Splitter | None:
    """Return a splitter from the given ``cv``; None if it consists of splits."""
    from sklearn import model_selection as ms

    if cv is None:
        return (ms.RepeatedStratifiedKFold if classifies else ms.RepeatedKFold)(
            n_splits=10, n_repeats=10
        )
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        folds = checks.check_whole("cv", cv, 2)
        return (ms.StratifiedKFold if classifies else ms.KFold)(folds, shuffle=True)
    if hasattr(cv, "split") and not isinstance(cv, str | bytes):
        return cv
    return None


def _list_splits(cv: object) -> list[Any]:
    if isinstance(cv, (str, bytes)) or not isinstance(cv, Iterable):
        raise must_be("cv", _CV, cv)
    splits = list(cv)
    whole = all(isinstance(s, Fold) for s in splits)
    pairs = all(isinstance(s, (tuple, list)) and len(s) == 2 for s in splits)
    if not splits or not (whole or pairs):
        raise must_be("cv", _CV, cv)
    return splits


def _seed_splitter(splitter: Splitter, seed: int, name: str) -> Splitter:
    """Return a copy of the splitter that draws from our seed, unless it already has a seed."""
    if not hasattr(splitter, "random_state") or splitter.random_state is not None:
        return splitter
    copied = copy.copy(splitter)
    copied.random_state = _seed_of(seed, name, 0, 0)
    return copied


def _split_data(splitter: Splitter, name: str, data: Dataset) -> list[Any]:
    try:
        return list(splitter.split(data.X, data.y, data.groups))
    except (ValueError, TypeError) as error:
        raise must("cv", f"split data set {name!r}", f"{error}") from error


def _check_fold(fold: Fold, name: str, n: int) -> Fold:
    where = f"cv, data set {name!r}, repeat {fold.repeat}, fold {fold.fold}"
    train, test = as_rows(fold.train), as_rows(fold.test)
    for what, rows in (("training", train), ("test", test)):
        if rows.ndim != 1 or len(rows) == 0:
            raise InputError(
                f"{where}: the {what} set must be a list of row numbers (got an empty set, or "
                "something else).",
                "cv",
            )
        if rows.min() < 0 or rows.max() >= n:
            row = rows.min() if rows.min() < 0 else rows.max()
            raise InputError(
                f"{where}: the {what} set must have rows from 0 to {n - 1} (got {row}).", "cv"
            )
    if len(np.intersect1d(train, test)):
        raise InputError(f"{where}: the training and the test set must not share rows.", "cv")
    return replace(fold, repeat=int(fold.repeat), fold=int(fold.fold), train=train, test=test)


def _seed_of(seed: int, name: str, repeat: int, fold: int) -> int:
    place = (crc32(name.encode()), repeat, fold)
    return int(np.random.SeedSequence(seed, spawn_key=place).generate_state(1)[0])


def digest_splits(splits: Splits) -> str:
    """Identify splits by the number of folds and a hash of all of them."""
    seen = hashlib.sha256(repr(splits.correlation).encode())
    for f in splits.folds:
        seen.update(f"{f.repeat},{f.fold},{f.seed};".encode())
        seen.update(f.train.astype(np.int64).tobytes() + b"|" + f.test.astype(np.int64).tobytes())
    return f"{len(splits.folds)} folds, {seen.hexdigest()[:16]}"
