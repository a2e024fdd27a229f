"""Which rows are trained and tested on: folds, their labels and seeds, the same for all."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.errors import InputError, unknown_name, warn_user
from bayescmp.experiment.data import Dataset
from bayescmp.scores.splits import design_in_words, labels_of

if TYPE_CHECKING:
    from bayescmp.base.typing import Splitter

__all__ = ["Fold", "HoldoutResample", "Plan", "digest", "labels_of", "plan"]

_ACCEPTED = (
    "accepted: a number of folds, a scikit-learn splitter, HoldoutResample, a sequence of "
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
        Of the estimators that are fitted to it, all of them alike; derived from the
        experiment's seed, the data set's name, repeat and fold if not given.
    """

    repeat: int
    fold: int
    train: Any
    test: Any
    seed: int | None = None


@dataclass(frozen=True, eq=False)
class Plan:
    """The folds of one data set, and what their labels and sizes do not tell of them.

    Attributes
    ----------
    folds : tuple of Fold
    correlation : float or None
        Of the folds.
    design : str or None
        In words, as `splits.design_in_words` has it.
    """

    folds: tuple[Fold, ...]
    correlation: float | None = None
    design: str | None = None


@dataclass
class HoldoutResample:
    """A part held out as the test set of every fold; the rest resampled k-fold for training.

    The layout of Aslan 2009, section 3.2.3: fold i trains on the rest without its i-th part, and
    is tested on the held-out rows. A splitter as scikit-learn's are.

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
    All folds are tested on the same rows, so their differences share all of the test set's luck;
    and two training sets share k - 2 of their k - 1 parts, which makes the rest correlate by (k -
    2)/(k - 1) where rows act additively on a difference. That is the default. Between two equal
    algorithms on 300 rows, k = 10, the correlation was .91 for linear discriminants, .83 for
    nearest neighbours and .35 for trees, so that the default of .89 is about right for stable
    learners and cautious for unstable ones; at the 5 % level it rejected 8.5, 2 and 0 % of true
    null hypotheses. None of rho = 0, 1/k and n_test/(n_train + n_test) keeps the level: they
    assume test sets that differ, and rejected 81, 75 and 59 % with the linear discriminants
    (tests/calibration/test_holdout_correlation.py, 400 tables).

    References
    ----------
    Aslan (2009), section 3.2.3; Nadeau & Bengio (2003), section 3, for the two sources of
    variance.

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
        if not isinstance(self.test_size, Real) or not 0 < self.test_size < 1:
            raise InputError(f"test_size={self.test_size!r}; accepted: a share in (0, 1)")
        if not isinstance(self.folds, (int, np.integer)) or self.folds < 3:
            raise InputError(f"folds={self.folds!r}; accepted: an integer, 3 or more")
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
        """Number of splits, as scikit-learn asks for it."""
        return self.folds

    def split(
        self, X: object, y: object, groups: ArrayLike | None = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Row numbers of each training set, with those of the one test set."""
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


def plan(cv: object, name: str, data: Dataset, seed: int, classifies: bool) -> Plan:
    """The folds of one data set.

    Parameters
    ----------
    cv : object
        As `bayescmp.run_experiment` takes it.
    name : str
        The data set's; enters the seeds, so that neither order nor company change them.
    data : Dataset
    seed : int
        The experiment's.
    classifies : bool
        Whether to keep the classes' shares where the splitter is left to us.

    Raises
    ------
    InputError
        If the splitter fails, or its folds are no training and test sets.
    """
    if isinstance(cv, Mapping):
        if name not in cv:
            raise unknown_name("data set in cv", name, cv)
        cv = cv[name]
    splitter = _splitter(cv, classifies)
    if splitter is None:
        given = _listed(cv)
        correlation = None
    else:
        given = _split(_seeded(splitter, seed, name), name, data)
        correlation = getattr(splitter, "fold_correlation", None)
    labelled = isinstance(given[0], Fold)
    folds = given if labelled else [Fold(1, i + 1, *pair) for i, pair in enumerate(given)]
    folds = [_checked(f, name, data.n) for f in folds]
    if not labelled and correlation is None:  # otherwise the splitter gives the correlation
        labels = labels_of([f.test for f in folds], data.n)
        folds = [replace(f, repeat=r, fold=k) for f, (r, k) in zip(folds, labels, strict=True)]
    _check_labels(folds, name)
    design = None
    if correlation is None:
        design = design_in_words([f.train for f in folds], [f.test for f in folds])
    return Plan(tuple(_with_seed(f, seed, name) for f in folds), correlation, design)


def _splitter(cv: object, classifies: bool) -> Splitter | None:
    """A splitter from what was given; None if the splits themselves were."""
    from sklearn import model_selection as ms

    if cv is None:
        return (ms.RepeatedStratifiedKFold if classifies else ms.RepeatedKFold)(
            n_splits=10, n_repeats=10
        )
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        if cv < 2:
            raise InputError(f"cv={cv!r}; accepted: 2 folds or more")
        return (ms.StratifiedKFold if classifies else ms.KFold)(int(cv), shuffle=True)
    if hasattr(cv, "split") and not isinstance(cv, str):
        return cv
    return None


def _listed(cv: object) -> list[Any]:
    if isinstance(cv, (str, bytes)) or not isinstance(cv, Iterable):
        raise InputError(f"cv={cv!r}; {_ACCEPTED}")
    splits = list(cv)
    whole = all(isinstance(s, Fold) for s in splits)
    pairs = all(isinstance(s, (tuple, list)) and len(s) == 2 for s in splits)
    if not splits or not (whole or pairs):
        raise InputError(f"cv holds no splits, or something else; {_ACCEPTED}")
    return splits


def _seeded(splitter: Splitter, seed: int, name: str) -> Splitter:
    """A copy of the splitter that draws from our seed, unless it has one of its own."""
    if not hasattr(splitter, "random_state") or splitter.random_state is not None:
        return splitter
    copied = copy.copy(splitter)
    copied.random_state = int(_sequence(seed, name, 0, 0).generate_state(1)[0])
    return copied


def _split(splitter: Splitter, name: str, data: Dataset) -> list[Any]:
    try:
        return list(splitter.split(data.X, data.y, data.groups))
    except (ValueError, TypeError) as error:
        raise InputError(f"cv can't split data set {name!r}: {error}") from error


def _rows(rows: object) -> np.ndarray:
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp)


def _checked(fold: Fold, name: str, n: int) -> Fold:
    where = f"cv, data set {name!r}, repeat {fold.repeat}, fold {fold.fold}"
    train, test = _rows(fold.train), _rows(fold.test)
    for what, rows in (("training", train), ("test", test)):
        if rows.ndim != 1 or len(rows) == 0:
            raise InputError(f"{where}: the {what} set is empty, or not a list of row numbers")
        if rows.min() < 0 or rows.max() >= n:
            row = rows.min() if rows.min() < 0 else rows.max()
            raise InputError(f"{where}: the {what} set has row {row} of {n} rows")
    if len(np.intersect1d(train, test)):
        raise InputError(f"{where}: the training and the test set share rows")
    return replace(fold, repeat=int(fold.repeat), fold=int(fold.fold), train=train, test=test)


def _check_labels(folds: Sequence[Fold], name: str) -> None:
    labels = [(f.repeat, f.fold) for f in folds]
    if len(set(labels)) < len(labels):
        again = next(label for label in labels if labels.count(label) > 1)
        raise InputError(f"cv, data set {name!r}: repeat {again[0]}, fold {again[1]} comes twice")


def _with_seed(fold: Fold, seed: int, name: str) -> Fold:
    if fold.seed is not None:
        return fold
    own = int(_sequence(seed, name, fold.repeat, fold.fold).generate_state(1)[0])
    return replace(fold, seed=own)


def _sequence(seed: int, name: str, repeat: int, fold: int) -> np.random.SeedSequence:
    return np.random.SeedSequence(seed, spawn_key=(crc32(name.encode()), repeat, fold))


def digest(planned: Plan) -> str:
    """What tells this plan from another: the number of folds and a hash of all of it."""
    seen = hashlib.sha256(repr(planned.correlation).encode())
    for f in planned.folds:
        seen.update(f"{f.repeat},{f.fold},{f.seed};".encode())
        seen.update(f.train.astype(np.int64).tobytes() + b"|" + f.test.astype(np.int64).tobytes())
    return f"{len(planned.folds)} folds, {seen.hexdigest()[:16]}"
