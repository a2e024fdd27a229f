"""How scores were resampled, and the correlation of folds that follows from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from bayescmp import checks
from bayescmp.errors import InputError

__all__ = ["Evidence", "Resampling", "infer", "sentence"]

Design = Literal[
    "k-fold", "random splits", "leave-one-out", "bootstrap", "windows", "seeds", "independent",
    "one test set", "single", "given",
]  # fmt: skip

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
class Resampling:
    """A resampling design, with the correlation of two folds' differences that follows from it.

    Made by its class methods, by `Resampling.read` from a few words, or inferred from a table.

    Parameters
    ----------
    design : str
        "k-fold", "random splits", "leave-one-out", "bootstrap", "windows", "seeds",
        "independent", "one test set", "single" (one score a data set) or "given" (rho alone).
    rho : float
        Correlation of two folds' differences, in [0, 1).
    folds : int, optional
        Folds of one run; for one test set, parts of the training rows.
    repeats : int, optional
        Runs; random splits or seeds in all.
    evidence : {"declared", "labels", "sizes", "indices"}
        What tells: the user, the labels repeat and fold, n_train and n_test, or which items each
        fold trains and tests on.

    References
    ----------
    Nadeau & Bengio (2003), section 3; Corani & Benavoli (2015), section 3 (1/k); Aslan (2009),
    section 3.2.3 (one test set).

    Examples
    --------
    >>> from bayescmp.resampling import Resampling
    >>> print(Resampling.k_fold(10, repeats=10))
    rho 0.1: 10 folds, 10 repeats, as declared
    >>> print(Resampling.read("random splits 1/3"))
    rho 0.333: random splits, 33.3% tested, as declared
    """

    design: Design
    rho: float
    folds: int | None = None
    repeats: int | None = None
    evidence: Literal["declared", "labels", "sizes", "indices"] = "declared"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", checks.one_rho(self.rho))

    @classmethod
    def k_fold(cls, folds: int, *, repeats: int | None = None) -> Resampling:
        """Cross-validation in k folds, grouped or not, repeated or not: rho is 1/k."""
        folds = checks.whole("folds", folds, 2)
        repeats = None if repeats is None else checks.whole("repeats", repeats)
        return cls("k-fold", 1.0 / folds, folds, repeats)

    @classmethod
    def random_splits(cls, test_share: float, *, repeats: int | None = None) -> Resampling:
        """Random splits (hold-out, Monte Carlo): rho is n_test / (n_train + n_test)."""
        if not 0 < test_share < 1:
            raise InputError(f"test_share={test_share!r}; accepted: a share in (0, 1)")
        return cls("random splits", float(test_share), None, repeats)

    @classmethod
    def leave_one_out(cls) -> Resampling:
        """Every item is a test set of its own: items, not folds, and rho is 0."""
        return cls("leave-one-out", 0.0)

    @classmethod
    def independent(cls) -> Resampling:
        """Independent units, such as subjects or a benchmark's questions: rho is 0."""
        return cls("independent", 0.0)

    @classmethod
    def seeds(cls, repeats: int | None = None) -> Resampling:
        """Seeds on one split: rho is 0, and nothing is learned of new test items."""
        return cls("seeds", 0.0, None, repeats)

    @classmethod
    def one_test_set(cls, folds: int, *, rho: float | None = None) -> Resampling:
        """One test set, the training rows without one of k parts: rho is (k - 2) / (k - 1)."""
        folds = checks.whole("folds", folds, 3)
        return cls("one test set", (folds - 2) / (folds - 1) if rho is None else rho, folds)

    @classmethod
    def bootstrap(cls, rho: float) -> Resampling:
        """Bootstrap samples, tested out of bag: no rho is established, so it has to be given."""
        return cls("bootstrap", rho)

    @classmethod
    def windows(cls, rho: float) -> Resampling:
        """Growing or sliding windows in time: no rho is established, so it has to be given."""
        return cls("windows", rho)

    @classmethod
    def given(cls, rho: float) -> Resampling:
        """A correlation without the design it comes from."""
        return cls("given", rho)

    @classmethod
    def read(cls, text: str) -> Resampling:
        """A design in a few words, as `spec` writes it.

        Parameters
        ----------
        text : str
            "10-fold", "10x10-fold" (repeats x folds), "5x2cv", "random splits 0.33",
            "leave-one-out", "independent", "seeds", "one test set 10", "bootstrap rho 0.4",
            "windows rho 0.4", or "rho 0.1".

        Raises
        ------
        InputError
            If it is none of these.
        """
        plain = re.sub(r"(?:[\s_=:,]|-(?!\d))+", " ", str(text).strip().lower())
        words = re.match(r"(?:(\d+) ?[x×] ?)?(\d+) ?(?:folds?|cv)( cv)?$", plain)
        if words:
            return cls.k_fold(int(words[2]), repeats=int(words[1]) if words[1] else None)
        name, _, number = re.sub(r" rho (?=\S+$)", " ", plain).rpartition(" ")
        plainly = {"leave one out": cls.leave_one_out, "loo": cls.leave_one_out,
                   "items": cls.leave_one_out, "independent": cls.independent,
                   "independent units": cls.independent, "subjects": cls.independent,
                   "seeds": cls.seeds}  # fmt: skip
        if plain in plainly:
            return plainly[plain]()
        numbered: dict[str, Callable[[float], Resampling]] = {
            **dict.fromkeys(("random splits", "random", "hold out", "holdout"), cls.random_splits),
            "bootstrap": cls.bootstrap, "windows": cls.windows, "rho": cls.given,
        }  # fmt: skip
        value = _number(number)
        if name in numbered and value is not None:
            return numbered[name](value)
        if name == "one test set" and value is not None and value == int(value):
            return cls.one_test_set(int(value))
        raise InputError(
            f"resampling={text!r} is not understood; accepted: '10-fold', '10x10-fold' (repeats x "
            "folds), 'random splits 0.33' (the share tested), 'leave-one-out', 'independent', "
            "'seeds', 'one test set 10', 'bootstrap rho 0.4', 'windows rho 0.4', 'rho 0.1'; no "
            "rho is established for bootstrap samples and for windows in time: it has to be given"
        )

    @property
    def spec(self) -> str:
        """The design in a few words, which `read` understands."""
        if self.design == "k-fold":
            runs = f"{self.repeats}x" if self.repeats and self.repeats > 1 else ""
            return f"{runs}{self.folds}-fold"
        if self.design == "random splits":
            return f"random splits {self.rho:.17g}"
        if self.design in ("bootstrap", "windows"):
            return f"{self.design} rho {self.rho:.17g}"
        if self.design == "one test set" and self == replace(self.one_test_set(self.folds or 3),
                                                             evidence=self.evidence):  # fmt: skip
            return f"one test set {self.folds}"
        if self.design in ("leave-one-out", "independent", "seeds"):
            return self.design
        return f"rho {self.rho:.17g}"

    @property
    def what(self) -> str:
        """The design in words, without rho: "10 folds, 10 repeats"."""
        many = f"{self.repeats} " if self.repeats else ""
        words = {
            "k-fold": f"{self.folds} folds",
            "random splits": f"{many}random splits, {100 * self.rho:.3g}% tested",
            "leave-one-out": f"{many}items, each left out once",
            "bootstrap": "bootstrap samples", "windows": "windows in time",
            "seeds": f"{many}seeds on one split, so that it speaks of another seed on this split "
                     "and not of new data",
            "independent": "independent units",
            "one test set": f"one test set, {self.folds} training sets" if self.folds
                            else "one test set",
            "single": "one score a data set",
            "given": "as given" if self.evidence == "declared" else "as the table says",
        }[self.design]  # fmt: skip
        if self.design == "k-fold" and self.repeats and self.repeats > 1:
            words += f", {self.repeats} repeats"
        by = {"declared": ", as declared", "labels": "", "sizes": ", by n_train and n_test",
              "indices": ", by the items tested"}[self.evidence]  # fmt: skip
        return words if self.design in ("given", "single") else words + by

    def to_dict(self) -> dict[str, object]:
        """For JSON: design, rho, folds, repeats and evidence."""
        return {"design": self.design, "rho": self.rho, "folds": self.folds,
                "repeats": self.repeats, "evidence": self.evidence}  # fmt: skip

    def __str__(self) -> str:
        return f"rho {self.rho:.3g}: {self.what}"


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
    where : str
        Name of the data set, for messages.
    """

    repeat: np.ndarray
    fold: np.ndarray
    n_train: np.ndarray | None = None
    n_test: np.ndarray | None = None
    seeds: bool = False
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
    def grows(self) -> bool:
        """Whether each training set is larger than the one before, by a twentieth in all."""
        if self.n_train is None or self.n_test is None:
            return False
        used = (self.n_train + self.n_test)[np.lexsort((self.fold, self.repeat))]
        lengths = np.unique(self.repeat, return_counts=True)[1]
        runs = [used] if (lengths == 1).all() else np.split(used, np.cumsum(lengths)[:-1])
        return all(len(r) > 2 and (np.diff(r) > 0).all() and r[-1] > 1.05 * r[0] for r in runs)


def infer(found: Evidence, declared: Resampling | None = None) -> Resampling:
    """The design of one data set's folds.

    Parameters
    ----------
    found : Evidence
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
    runs = np.unique(found.repeat, return_counts=True)[1]
    if declared is not None:
        return _checked(found, declared, runs)
    if found.seeds and runs.max() == 1 < len(runs):
        return Resampling("seeds", 0.0, repeats=len(runs), evidence="labels")
    share = found.share
    if found.n_test is not None and (found.n_test == 1).all() and len(found.n_test) > 1:
        return Resampling("leave-one-out", 0.0, repeats=len(found.n_test), evidence="sizes")
    if found.grows:
        raise InputError(
            f"data set {found.where!r}: the training sets grow from fold to fold, as windows in "
            "time do, and no correlation of their folds is established: give rho, or "
            "resampling='windows rho ...'"
        )
    if share is not None and (len(set(runs)) > 1 or _apart(share, int(runs[0]))):
        return Resampling("random splits", share, repeats=len(found.fold), evidence="sizes")
    if len(set(runs)) > 1:
        raise InputError(
            f"data set {found.where!r} has repeats of {runs.min()} to {runs.max()} folds: "
            "complete them, or give rho"
        )
    return _by_labels(found, int(runs[0]), len(runs), share)


def _by_labels(found: Evidence, folds: int, repeats: int, share: float | None) -> Resampling:
    if folds == 1:
        each = "" if repeats == 1 else " a repeat"
        raise InputError(
            f"data set {found.where!r} has a single fold{each}: the correlation can't be told "
            f"from it; {WAYS_OUT}"
        )
    if folds > MANY and repeats == 1 and share is None:
        raise InputError(
            f"data set {found.where!r} has {folds} folds of one run, which may be {folds} folds, "
            f"several runs of fewer, or random splits; {WAYS_OUT}"
        )
    return Resampling("k-fold", 1.0 / folds, folds, repeats, evidence="labels")


def _apart(share: float, folds: int) -> bool:
    """Whether sizes contradict a number of folds; a single fold a run tells nothing."""
    return folds == 1 or abs(share * folds - 1.0) > TOLERANCE


def _checked(found: Evidence, declared: Resampling, runs: np.ndarray) -> Resampling:
    """The declared design, refused where the evidence contradicts it."""
    n, share, k = len(found.fold), found.share, declared.folds

    def contradiction(reason: str) -> InputError:
        return InputError(
            f"resampling={declared.spec!r} of data set {found.where!r}: {reason}; accepted: a "
            "design that the table agrees with, or rho"
        )

    if declared.design == "k-fold" and k is not None:
        labelled = len(runs) > 1 and runs.max() > 1
        if n % k or (labelled and set(runs) != {k}):
            has = f"repeats of {runs.min()} folds" if labelled else f"{n} folds"
            raise contradiction(f"the table has {has}")
        if declared.repeats is not None and n != k * declared.repeats:
            raise contradiction(f"the table has {n} folds")
        if share is not None and _apart(share, k):
            raise contradiction(f"n_train and n_test say that {100 * share:.3g}% are tested")
        return replace(declared, repeats=n // k)
    if declared.design == "random splits":
        if share is not None and abs(share - declared.rho) > TOLERANCE * declared.rho:
            raise contradiction(f"n_train and n_test say that {100 * share:.3g}% are tested")
        return replace(declared, repeats=n)
    if declared.design == "leave-one-out":
        if found.n_test is not None and (found.n_test != 1).any():
            raise contradiction(f"n_test is up to {found.n_test.max():g}, not 1")
        return replace(declared, repeats=n)
    if declared.design == "one test set" and k is not None and n != k:
        raise contradiction(f"the table has {n} folds")
    return replace(declared, repeats=n) if declared.design == "seeds" else declared


def sentence(rho: np.ndarray, designs: Sequence[Resampling] | None = None) -> str:
    """The correlation and its reason in one line, for all data sets together.

    Parameters
    ----------
    rho : ndarray of shape (q,)
    designs : sequence of Resampling, optional
        One a data set; a rho that is not theirs was given by hand.

    Examples
    --------
    >>> import numpy as np
    >>> from bayescmp.resampling import Resampling, sentence
    >>> sentence(np.array([0.1, 0.1]), [Resampling.k_fold(10)] * 2)
    'rho 0.1: 10 folds, as declared'
    >>> sentence(np.array([0.1, 0.3]))
    'rho 0.1 to 0.3: as given'
    """
    ends = np.unique(np.asarray(rho, dtype=float))
    shown = f"{ends[0]:.3g}" if len(ends) == 1 else f"{ends[0]:.3g} to {ends[-1]:.3g}"
    if designs is None:
        return f"rho {shown}: as given"
    counts: dict[str, int] = {}
    for design in designs:
        counts[design.what] = counts.get(design.what, 0) + 1
    if len(counts) == 1:
        return f"rho {shown}: {next(iter(counts))}"
    most = sorted(counts, key=lambda w: -counts[w])
    told = "; ".join(f"{w} ({counts[w]} data sets)" if counts[w] > 1 else w for w in most[:2])
    return f"rho {shown}: {told}" + ("; ..." if len(most) > 2 else "")


def _number(text: str) -> float | None:
    """A number, a percentage or a fraction as typed; None if it is none."""
    above, _, below = text.rstrip("%").partition("/")
    try:
        value = float(above) / (float(below) if below else 1.0)
    except (ValueError, ZeroDivisionError):
        return None
    return value / 100 if text.endswith("%") else value
