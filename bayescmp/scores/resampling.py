"""How scores were resampled, and the correlation of folds that follows from it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import axes_of, check_paired
from bayescmp.errors import InputError

#: Said where several algorithms' scores came without the items of their folds.
UNCHECKED = "equal folds were assumed; cross_validate(return_indices=True) records them"

#: Numbers of folds so usual that "5x4-fold" may well mean 5 folds, 4 times.
_USUAL = (5, 10)

Design = Literal[
    "k-fold",
    "random splits",
    "leave-one-out",
    "bootstrap",
    "windows",
    "seeds",
    "runs",
    "independent",
    "one test set",
    "single",
    "given",
]


Evidence = Literal["declared", "labels", "sizes", "indices"]


@dataclass(frozen=True)
class Resampling:
    """A resampling design, with the correlation of two folds' differences that follows from it.

    Its class methods make one, `Resampling.read` reads it from words, and `Scores` infers it.

    Parameters
    ----------
    design : str
        "k-fold", "random splits", "leave-one-out", "bootstrap", "windows", "seeds", "runs",
        "independent", "one test set", "single" (one score per data set) or "given" (rho alone).
    rho : float
        Correlation of two folds' differences, in [0, 1).
    folds, repeats : int, optional
        Folds of one run (for one test set, parts of the training rows); runs, splits or seeds.
    evidence : {"declared", "labels", "sizes", "indices"}
        How the design is known: from the user, the labels repeat and fold, n_train and n_test, or
        the items of each fold.
    unchecked : bool
        Whether it is only assumed that all algorithms were run on the same folds.

    References
    ----------
    Nadeau & Bengio (2003), section 3; Corani & Benavoli (2015), section 3; Aslan (2009), section
    3.2.3.

    Examples
    --------
    >>> from bayescmp.scores.resampling import Resampling
    >>> print(Resampling.k_fold(10, repeats=10))
    rho 0.1: 10 folds, 10 repeats, as declared
    >>> print(Resampling.read("random splits 1/3"))
    rho 0.333: random splits, 33.3% tested, as declared
    """

    design: Design
    rho: float
    folds: int | None = None
    repeats: int | None = None
    evidence: Evidence = "declared"
    unchecked: bool = False

    def __post_init__(self) -> None:
        checks.check_choice("design", self.design, get_args(Design))
        checks.check_choice("evidence", self.evidence, get_args(Evidence))
        given = {n: vars(self)[n] for n in ("folds", "repeats") if vars(self)[n] is not None}
        whole = {name: checks.check_whole(name, value) for name, value in given.items()}
        vars(self).update(whole, rho=checks.one_rho(self.rho))

    @classmethod
    def k_fold(cls, folds: int, *, repeats: int | None = None) -> Resampling:
        """Cross-validation in k folds, grouped or not, repeated or not, for which rho is 1/k."""
        folds = checks.check_whole("folds", folds, 2)
        return cls("k-fold", 1.0 / folds, folds, repeats)

    @classmethod
    def random_splits(cls, test_share: float, *, repeats: int | None = None) -> Resampling:
        """Random splits (hold-out, Monte Carlo), for which rho is n_test / (n_train + n_test)."""
        return cls("random splits", checks.check_level(test_share, "test_share"), None, repeats)

    @classmethod
    def leave_one_out(cls) -> Resampling:
        """Leave-one-out: every item is a separate test set; units are items, and rho is 0."""
        return cls("leave-one-out", 0.0)

    @classmethod
    def independent(cls) -> Resampling:
        """Independent units, such as subjects or a benchmark's questions, for which rho is 0."""
        return cls("independent", 0.0)

    @classmethod
    def seeds(cls, repeats: int | None = None) -> Resampling:
        """Seeds on one split, by which scores pair: rho is 0; nothing is about new test items."""
        return cls("seeds", 0.0, None, repeats)

    @classmethod
    def runs(cls) -> Resampling:
        """Independent runs that do not pair, however they are numbered."""
        return cls("runs", 0.0)

    @classmethod
    def one_test_set(cls, folds: int, *, rho: float | None = None) -> Resampling:
        """One test set, training rows without one of k parts in turn: rho is (k - 2) / (k - 1)."""
        folds = checks.check_whole("folds", folds, 3)
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
        """A correlation without the design that it comes from."""
        return cls("given", rho)

    @classmethod
    def read(cls, text: str) -> Resampling:
        """Read a design from a few words, as `spec` writes them.

        They are "10-fold", "10x10-fold" (repeats x folds), "5x2cv", "4-fold, 5 repeats", "random
        splits 0.33", "leave-one-out", "independent", "seeds", "runs" (which do not pair), "one
        test set 10", "bootstrap rho 0.4", "windows rho 0.4", or "rho 0.1". Other text, and text
        with two readings, such as "5x4-fold", is refused.
        """
        plain = re.sub(r"(?:[\s_=:,]|-(?!\d))+", " ", str(text).strip().lower())
        if plain.endswith(" unchecked"):
            return replace(cls.read(plain.removesuffix(" unchecked")), unchecked=True)
        plainly_repeated = re.match(r"(\d+) ?folds? ?(\d+) ?(?:repeats?|times)$", plain)
        if plainly_repeated:
            return cls.k_fold(int(plainly_repeated[1]), repeats=int(plainly_repeated[2]))
        words = re.match(r"(?:(\d+) ?[x×] ?)?(\d+) ?(?:folds?|cv)( cv)?$", plain)
        if words:
            folds, repeats = int(words[2]), int(words[1]) if words[1] else None
            if _is_ambiguous(folds, repeats):
                raise must(
                    "resampling",
                    "show which number is that of folds",
                    repr(text),
                    f"Use '{folds}-fold, {repeats} repeats' or '{repeats}-fold, {folds} repeats'.",
                )
            return cls.k_fold(folds, repeats=repeats)
        name, _, number = re.sub(r" rho (?=\S+$)", " ", plain).rpartition(" ")
        plainly = {
            "leave one out": cls.leave_one_out,
            "loo": cls.leave_one_out,
            "items": cls.leave_one_out,
            "independent": cls.independent,
            "independent units": cls.independent,
            "subjects": cls.independent,
            "seeds": cls.seeds,
            "runs": cls.runs,
            "independent runs": cls.runs,
        }
        if plain in plainly:
            return plainly[plain]()
        numbered: dict[str, Callable[[float], Resampling]] = {
            **dict.fromkeys(("random splits", "random", "hold out", "holdout"), cls.random_splits),
            "bootstrap": cls.bootstrap,
            "windows": cls.windows,
            "rho": cls.given,
        }
        value = _number(number)
        if name in numbered and value is not None:
            return numbered[name](value)
        if name == "one test set" and value is not None and value == int(value):
            return cls.one_test_set(int(value))
        raise must_be(
            "resampling",
            "a design such as '10-fold' or '10x10-fold' (repeats x folds)",
            text,
            "Or use 'random splits 0.33' (the proportion tested), 'leave-one-out', 'independent', "
            "'seeds', 'runs' (which do not pair), 'one test set 10', 'bootstrap rho 0.4', "
            "'windows rho 0.4' or 'rho 0.1'. No rho is established for bootstrap samples and for "
            "windows in time. Give it there.",
        )

    @property
    def spec(self) -> str:
        """The design in a few words, as `read` takes them."""
        if self.unchecked:
            return f"{replace(self, unchecked=False).spec}, unchecked"
        if self.design == "k-fold":
            if _is_ambiguous(self.folds, self.repeats):
                return f"{self.folds}-fold, {self.repeats} repeats"
            runs = f"{self.repeats}x" if self.repeats and self.repeats > 1 else ""
            return f"{runs}{self.folds}-fold"
        if self.design == "random splits":
            return f"random splits {self.rho:.17g}"
        if self.design in ("bootstrap", "windows"):
            return f"{self.design} rho {self.rho:.17g}"
        if self.design == "one test set" and self == replace(
            self.one_test_set(self.folds or 3), evidence=self.evidence
        ):
            return f"one test set {self.folds}"
        if self.design in ("leave-one-out", "independent", "seeds", "runs"):
            return self.design
        return f"rho {self.rho:.17g}"

    @property
    def what(self) -> str:
        """The design in words, without rho or doubts: "10 folds, 10 repeats"."""
        many = f"{self.repeats} " if self.repeats else ""
        words = {
            "k-fold": f"{self.folds} folds",
            "random splits": f"{many}random splits, {100 * self.rho:.3g}% tested",
            "leave-one-out": f"{many}items, each left out once",
            "bootstrap": "bootstrap samples",
            "windows": "windows in time",
            "seeds": f"{many}seeds on one split, "
            "so the answer is about another seed on this split, not about new data",
            "runs": "independent runs, which do not pair",
            "independent": "independent units",
            "one test set": "one test set"
            + (f", {self.folds} training sets" if self.folds else ""),
            "single": "one score per data set",
            "given": "as given" if self.evidence == "declared" else "as the table says",
        }[self.design]
        if self.design == "k-fold" and self.repeats and self.repeats > 1:
            words += f", {self.repeats} repeats"
        by = {
            "declared": ", as declared",
            "labels": "",
            "sizes": ", by n_train and n_test",
            "indices": ", by the items tested",
        }[self.evidence]
        return words if self.design in ("given", "single") else words + by

    def to_dict(self) -> dict[str, object]:
        """Return the parameters by their names, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return explain_rho(np.array([self.rho]), [self])


def explain_rho(rho: np.ndarray, designs: Sequence[Resampling] | None = None) -> str:
    """Give the correlation and its reason in one line, for all data sets together."""
    ends = np.unique(np.asarray(rho, dtype=float))
    shown = f"{ends[0]:.3g}" if len(ends) == 1 else f"{ends[0]:.3g} to {ends[-1]:.3g}"
    if designs is None:
        return f"rho {shown}: as given"
    counts: dict[str, int] = {}
    same = {id(design): design for design in designs}  # mostly one object for all data sets
    for one, count in Counter(map(id, designs)).items():
        what = same[one].what
        counts[what] = counts.get(what, 0) + count
    doubt = f"; {UNCHECKED}" if any(design.unchecked for design in same.values()) else ""
    if len(counts) == 1:
        return f"rho {shown}: {next(iter(counts))}{doubt}"
    most = sorted(counts, key=lambda w: -counts[w])
    words = "; ".join(f"{w} ({counts[w]} data sets)" if counts[w] > 1 else w for w in most[:2])
    return f"rho {shown}: {words}" + ("; ..." if len(most) > 2 else "") + doubt


def _is_ambiguous(folds: int | None, repeats: int | None) -> bool:
    """Whether "repeats x folds" could as easily have been meant as "folds x repeats"."""
    return repeats in _USUAL and folds not in (2, *_USUAL)


def _number(text: str) -> float | None:
    """Read a number, a percentage or a fraction as typed; None for any other text."""
    above, _, below = text.rstrip("%").partition("/")
    try:
        value = float(above) / (float(below) if below else 1.0)
    except (ValueError, ZeroDivisionError):
        return None
    return value / 100 if text.endswith("%") else value


# The correlation of folds, from their sizes or from the number of runs.


def of_runs(n: int, runs: int) -> Resampling:
    """The design behind a row of n scores from this many runs of cross-validation."""
    runs = checks.check_whole("runs", runs)
    if n % runs or n // runs < 2:
        raise must(
            "runs",
            "divide the scores of a row into runs of at least two folds",
            f"{runs} for {n} scores",
        )
    return Resampling.k_fold(n // runs, repeats=runs)


def rho_from_sizes(n_train: ArrayLike, n_test: ArrayLike) -> np.ndarray | pd.Series:
    """Return the correlation of two random splits' scores, n_test / (n_train + n_test).

    Parameters
    ----------
    n_train, n_test : int or array_like
        Sizes of the training and the test sets.

    Returns
    -------
    ndarray, or Series if the sizes have labels

    Raises
    ------
    InputError
        Sizes that are not positive, or whose labels differ.

    References
    ----------
    Nadeau & Bengio (2003), section 4, eq. (8) and following.

    Examples
    --------
    >>> import bayescmp as bc
    >>> float(bc.rho_from_sizes(90, 10))
    0.1
    """
    given = {"n_train": n_train, "n_test": n_test}
    check_paired(**given)
    train, test = (
        checks.read_numbers(sizes, name, "positive sizes") for name, sizes in given.items()
    )
    for name, sizes in (("n_train", train), ("n_test", test)):
        if not (np.all(sizes > 0) and np.all(np.isfinite(sizes))):
            raise must_be(name, "positive sizes", sizes.tolist())
    if train.ndim > 1 or test.ndim > 1 or len({*train.shape, *test.shape}) > 1:
        raise InputError(
            "n_train and n_test must have one number for all data sets, or one each (got shapes "
            f"{train.shape} and {test.shape}).",
            "n_train",
        )
    labels = axes_of(n_train) or axes_of(n_test)
    if not labels:
        return test / (train + test)
    return pd.Series(test / (train + test), index=labels[0])


def inflation(n: int, rho: float) -> float:
    """Variance of a mean of n differences over one's: 1/n + rho/(1 − rho); Nadeau & Bengio."""
    return 1 / n + rho / (1 - rho)


def other_rhos(rho: float) -> list[float]:
    """Correlations under which a verdict is tried again: none, twice the fit's own, one half."""
    return sorted({0.0, min(2 * rho, 0.9), 0.5} - {rho})
