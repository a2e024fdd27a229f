"""What a table tells of how its folds were drawn, and what contradicts what."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayescmp.errors import InputError
from bayescmp.resampling import Resampling
from bayescmp.text import counted

__all__ = ["MANY", "TOLERANCE", "Evidence", "infer"]

#: More folds than this in a single run may as well be several runs, or random splits.
MANY = 20

#: Sizes that differ from 1/k by more than this share of it say that there are no k folds.
TOLERANCE = 0.1

WAYS_OUT = (
    "say how they were drawn: resampling='10-fold', '10x10-fold' (repeats x folds), 'random "
    "splits 0.33' (the share tested), 'leave-one-out', 'seeds' (one split), 'independent' "
    "(subjects, items), or a scikit-learn splitter; or give columns n_train and n_test, or rho"
)


@dataclass(frozen=True)
class Evidence:
    """What a table tells of one data set's folds.

    Parameters
    ----------
    repeat, fold : ndarray of shape (n,)
        Labels of the folds; any values.
    n_train, n_test : ndarray of shape (n,), optional
        Sizes of the training and the test sets; n_test below 1 is a share.
    seeds : bool
        Whether the repeats are seeds, and the table names one split for all of them.
    unlabelled : bool
        Whether the folds are only the order of a wide table's rows.
    where : str
        Name of the data set, for messages.
    """

    repeat: np.ndarray
    fold: np.ndarray
    n_train: np.ndarray | None = None
    n_test: np.ndarray | None = None
    seeds: bool = False
    unlabelled: bool = False
    where: str = "data"

    @property
    def share(self) -> float | None:
        """Mean share of the items that is tested; None where the sizes are not known."""
        if self.n_test is None or np.isnan(self.n_test).any():
            return None
        if (self.n_test < 1).all():
            return float(self.n_test.mean())
        if self.n_train is None or np.isnan(self.n_train).any():
            return None
        if (self.n_train <= 0).any() or (self.n_test <= 0).any():
            raise InputError(f"data set {self.where!r}: n_train and n_test have to be positive")
        return float(self.n_test.mean() / (self.n_train.mean() + self.n_test.mean()))

    @property
    def _items(self) -> np.ndarray | None:
        """How many items each fold trains and tests on, where both sizes are known."""
        if self.n_train is None or self.n_test is None or (self.n_test < 1).all():
            return None
        return self.n_train + self.n_test

    @property
    def uneven(self) -> bool:
        """Whether folds differ in how many items they use, as parts of one data set do not.

        By over a twentieth, or by two items where all training sets are of one size.
        """
        items = self._items
        if items is None or self.n_train is None:
            return False
        one_size = np.ptp(self.n_train) == 0 and np.ptp(items) > 1
        return bool(one_size or items.max() > 1.05 * items.min())

    @property
    def grows(self) -> bool:
        """Whether each training set is larger than the one before, by a twentieth in all."""
        if self.n_train is None:
            return False
        own = self.n_train if self._items is None else self._items
        used = own[np.lexsort((self.fold, self.repeat))]
        lengths = np.unique(self.repeat, return_counts=True)[1]
        runs = [used] if (lengths == 1).all() else np.split(used, np.cumsum(lengths)[:-1])
        return all(len(r) > 2 and (np.diff(r) > 0).all() and r[-1] > 1.05 * r[0] for r in runs)


def infer(evidence: Evidence, declared: Resampling | None = None) -> Resampling:
    """The design of one data set's folds.

    Parameters
    ----------
    evidence : Evidence
    declared : Resampling, optional
        What the user says; checked against the evidence.

    Returns
    -------
    Resampling

    Raises
    ------
    InputError
        If the evidence is ambiguous, contradicts the declaration, or tells a design for which no
        correlation is established.
    """
    runs = np.unique(evidence.repeat, return_counts=True)[1]
    if declared is not None:
        return _checked(evidence, declared, runs)
    if evidence.seeds and runs.max() == 1 < len(runs):
        return Resampling("seeds", 0.0, repeats=len(runs), evidence="labels")
    share = evidence.share
    if evidence.n_test is not None and (evidence.n_test == 1).all() and len(evidence.n_test) > 1:
        return Resampling("leave-one-out", 0.0, repeats=len(evidence.n_test), evidence="sizes")
    if evidence.grows:
        raise InputError(
            f"data set {evidence.where!r}: the training sets grow from fold to fold, as windows "
            "in time do, and no correlation of their folds is established: give rho, or "
            "resampling='windows rho ...'"
        )
    if evidence.uneven:
        raise InputError(
            f"data set {evidence.where!r}: n_train + n_test differs from fold to fold, as for "
            "bootstrap samples that are tested out of bag, and no correlation of such folds is "
            "established: give rho, or resampling='bootstrap rho ...'"
        )
    if evidence.unlabelled and share is None:
        raise InputError(
            f"the rows of data set {evidence.where!r} are its {len(runs) * runs[0]} folds, and a "
            f"wide table does not say how they were drawn; {WAYS_OUT}"
        )
    if share is not None and (len(set(runs)) > 1 or _contradicts(share, int(runs[0]))):
        return Resampling("random splits", share, repeats=len(evidence.fold), evidence="sizes")
    if len(set(runs)) > 1:
        raise InputError(
            f"data set {evidence.where!r} has repeats of {runs.min()} to {runs.max()} folds: "
            "complete them, or give rho"
        )
    return _by_labels(evidence, int(runs[0]), len(runs), share)


def _by_labels(evidence: Evidence, folds: int, repeats: int, share: float | None) -> Resampling:
    if folds == 1:
        each = "" if repeats == 1 else " a repeat"
        raise InputError(
            f"data set {evidence.where!r} has a single fold{each}: "
            f"the correlation can't be determined from it; {WAYS_OUT}"
        )
    if folds > MANY and repeats == 1 and share is None:
        raise InputError(
            f"data set {evidence.where!r} has {folds} folds of one run, which may be {folds} "
            f"folds, several runs of fewer, or random splits; {WAYS_OUT}"
        )
    return Resampling("k-fold", 1.0 / folds, folds, repeats, evidence="labels")


def _contradicts(share: float, folds: int) -> bool:
    """Whether sizes contradict a number of folds; a single fold per run shows nothing."""
    return folds == 1 or abs(share * folds - 1.0) > TOLERANCE


def _checked(evidence: Evidence, declared: Resampling, runs: np.ndarray) -> Resampling:
    """The declared design, refused where the evidence contradicts it."""
    n, share, k = len(evidence.fold), evidence.share, declared.folds

    def contradiction(reason: str) -> InputError:
        return InputError(
            f"resampling={declared.spec!r} of data set {evidence.where!r}: {reason}; accepted: a "
            "design that the table agrees with, or rho"
        )

    if declared.design == "k-fold" and k is not None:
        labelled = len(runs) > 1 and runs.max() > 1
        if n % k or (labelled and set(runs) != {k}):
            has = f"repeats of {runs.min()} folds" if labelled else counted(n, "fold")
            raise contradiction(f"the table has {has}")
        if declared.repeats is not None and n != k * declared.repeats:
            raise contradiction(f"the table has {counted(n, 'fold')}")
        if share is not None and _contradicts(share, k):
            raise contradiction(f"n_train and n_test say that {100 * share:.3g}% are tested")
        return replace(declared, repeats=n // k)
    if declared.design == "random splits":
        if share is not None and abs(share - declared.rho) > TOLERANCE * declared.rho:
            raise contradiction(f"n_train and n_test say that {100 * share:.3g}% are tested")
        return replace(declared, repeats=n)
    if declared.design == "leave-one-out":
        if evidence.n_test is not None and (evidence.n_test != 1).any():
            raise contradiction(f"n_test is up to {evidence.n_test.max():g}, not 1")
        return replace(declared, repeats=n)
    if declared.design == "one test set" and k is not None and n != k:
        raise contradiction(f"the table has {counted(n, 'fold')}")
    return replace(declared, repeats=n) if declared.design == "seeds" else declared
