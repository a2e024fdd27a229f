"""Differences of paired scores, second minus first, with the correlation of their folds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base import checks, magnitudes
from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import check_paired
from bayescmp.base.fields import about
from bayescmp.base.magnitudes import ROUNDING, rounding_noise, steps_of_runs
from bayescmp.errors import InputError
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import Explanation, Summary, summarise
from bayescmp.scores.frames import arrange, pair_of
from bayescmp.scores.metrics import Direction, label_metric
from bayescmp.scores.pairing import AS_GIVEN, LeftOut, paired_by
from bayescmp.scores.resampling import Resampling, explain_rho, of_runs
from bayescmp.scores.rope import SCALES
from bayescmp.wording.markup import list_notes
from bayescmp.wording.text import describe_improvement, format_count, format_number

# Rows of numbers, one per data set, read and checked.


def as_rows(
    x: Any, name: str = "x", columns: str = "fold"
) -> tuple[tuple[np.ndarray, ...], tuple[str, ...] | None]:
    """Read one-dimensional float arrays, read-only, and a table's data sets."""
    accepted = "a (q, n) array, or a sequence of q one-dimensional arrays"
    if isinstance(x, Mapping | set | frozenset):
        raise must_be(name, accepted, x)
    one_axis = getattr(x, "ndim", 2) == 1
    x, labels = arrange(x, name, *((columns,) if one_axis else ("dataset", columns)))
    own = None if one_axis else labels[0]
    if hasattr(x, "toarray"):
        checks.check_real(x, name)
    if isinstance(x, (str, bytes)) or not hasattr(x, "__len__"):
        raise must_be(name, accepted, x)
    if len(x) == 0:
        raise InputError(f"{name} must be {accepted} (got nothing).", name)
    if all(type(r) is np.ndarray and r.ndim == 1 and r.dtype == float for r in x):
        starts = np.cumsum([0, *map(len, x[:-1])])
        return tuple(split_runs(copy_readonly(np.concatenate(list(x))), starts)), own
    for part in (x, *(r for r in x if np.ndim(r))):
        checks.check_real(part, name)
    try:
        rows = [np.asarray(r, dtype=float) for r in ([x] if np.ndim(x[0]) == 0 else x)]
    except (TypeError, ValueError, OverflowError) as error:
        what = f"It holds something that is not a number ({error})."
        raise must_be(name, accepted, x, what) from None
    if any(r.ndim != 1 for r in rows):
        raise must_be(name, accepted, x, "Its rows have more than one dimension.")
    return tuple(map(copy_readonly, rows)), own


def own_labels(
    what: str,
    given: Iterable[object] | None,
    own: Sequence[str] | None,
    size: int,
    prefix: str = "",
) -> tuple[str, ...]:
    """Return the names of rows or columns that the data bring, which those given must repeat."""
    names = checks.check_labels(what, own if given is None else given, size, prefix)
    if own is not None and names != tuple(own):
        raise must_be(what, f"those of the data, {tuple(own)!r}", names)
    return names


def check_rows(rows: Sequence[np.ndarray], datasets: Sequence[str], name: str = "x") -> None:
    """Refuse empty rows, and numbers that are missing or infinite."""
    if all(map(len, rows)) and np.isfinite(np.concatenate(rows)).all():
        return
    for row, dataset in zip(rows, datasets, strict=True):
        if len(row) == 0:
            raise must(name, "have a number for each data set", f"none for {dataset!r}")
        where = partial(_place_in, dataset, len(row))
        checks.check_finite(row, name, where)


def _place_in(dataset: str, size: int, place: tuple[int, ...]) -> str:
    return f"data set {dataset!r}" + (f" at position {place[0]}" if size > 1 else "")


def per_row(values: np.ndarray, q: int) -> np.ndarray:
    """Return one number per row, read-only, from one for all or one per row."""
    return copy_readonly(np.broadcast_to(values, (q,)) if values.ndim == 0 else values)


def copy_readonly(values: ArrayLike) -> np.ndarray:
    """Return a read-only copy."""
    copy = np.array(values)
    copy.flags.writeable = False
    return copy


def without_noise(rows: Sequence[np.ndarray], noise: np.ndarray) -> tuple[np.ndarray, ...]:
    """Set to zero each row whose numbers are within its noise, a few units of rounding."""
    sizes = [len(r) for r in rows]
    flat = np.concatenate(rows)
    zero = np.abs(flat) <= np.repeat(noise, sizes)
    if not np.any(zero & (flat != 0)):
        return tuple(rows)
    return tuple(split_runs(copy_readonly(np.where(zero, 0.0, flat)), np.cumsum([0, *sizes[:-1]])))


def split_runs(values: np.ndarray, starts: np.ndarray) -> list[np.ndarray]:
    """Return views of the runs that start there; for many of them faster than `numpy.split`."""
    bounds = [*starts.tolist(), len(values)]
    return [values[i:j] for i, j in pairwise(bounds)]


def means_of(rows: Sequence[np.ndarray]) -> np.ndarray:
    """Return each row's mean, (q,), to the last bit as if computed separately."""
    sizes = np.array([len(r) for r in rows])
    means = np.empty(len(rows))
    for size in np.unique(sizes):
        of_size = np.flatnonzero(sizes == size)
        means[of_size] = np.array([rows[int(i)] for i in of_size]).mean(axis=1)
    return means


def shape_of(rows: Sequence[np.ndarray]) -> str:
    """Say how many data sets and folds there are."""
    sizes = sorted({len(r) for r in rows})
    per = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    return f"{format_count(len(rows), 'data set')} x {per} folds"


# Statistics of the differences for the hierarchical model: counts, means and sums of squares.


@dataclass(frozen=True, eq=False)
class SufficientStatistics:
    """All that the correlated normal likelihood takes from a row, in arrays of shape (q,).

    `n` counts a row's differences; `ss` is the sum of squared deviations, exactly 0 for a row that
    is `constant` up to rounding; `rho` is the correlation. Unpaired runs have `runs`, (q, 2): then
    `mean` is the difference of two means, `ss` about both, `rho` 0, and `n` the degrees of freedom
    plus one.
    """

    n: np.ndarray = field(metadata=about("dataset", least=1))
    mean: np.ndarray = field(metadata=about("dataset"))
    ss: np.ndarray = field(metadata=about("dataset", least=0))
    rho: np.ndarray = field(metadata=about("dataset", least=0, below=1))
    constant: np.ndarray = field(metadata=about("dataset"))
    runs: np.ndarray | None = field(default=None, metadata=about("dataset", "algorithm", least=1))

    @property
    def within(self) -> np.ndarray:
        """Standard deviation of a row's differences, or of its runs, shape (q,)."""
        return np.asarray(np.sqrt(self.ss / (self.n - 1)))

    @property
    def factor(self) -> np.ndarray:
        """Variance of a row's mean over `within`: 1/n + ρ/(1 − ρ), or 1/n₁ + 1/n₂ for runs."""
        of_folds = 1 / self.n + self.rho / (1 - self.rho)
        return np.asarray(of_folds if self.runs is None else (1 / self.runs).sum(axis=1))

    @property
    def scores(self) -> np.ndarray:
        """Number of differences, or of runs of both algorithms, shape (q,)."""
        return self.n if self.runs is None else self.runs.sum(axis=1)

    @property
    def kernel(self) -> tuple[np.ndarray, np.ndarray]:
        """The a and b, (q,), of a likelihood that takes a + b·(mean − δ)²."""
        return self.ss / (1 - self.rho), 1 / ((1 - self.rho) * self.factor)

    def extend(self, other: SufficientStatistics) -> SufficientStatistics:
        """Return these rows and then the others, of the same kind."""
        parts = {f.name: (getattr(self, f.name), getattr(other, f.name)) for f in fields(self)}
        joined: dict[str, Any] = {
            k: None if a is None else np.concatenate([a, b]) for k, (a, b) in parts.items()
        }
        return SufficientStatistics(**joined)

    def select(self, rows: np.ndarray, **changes: np.ndarray) -> SufficientStatistics:
        """Return the statistics of some rows, by their numbers; `changes` replace those of all."""
        own: Any = {f.name: getattr(self, f.name) for f in fields(self)} | changes
        chosen: Any = {name: None if v is None else v[rows] for name, v in own.items()}
        return SufficientStatistics(**chosen)


@dataclass(frozen=True, eq=False, repr=False)
class Differences(Summarised):
    """Differences of two algorithms' scores on q data sets, second minus first.

    Positive means that the second is better.

    Parameters
    ----------
    x : array_like of shape (q, n) or (n,), or sequence of q one-dimensional arrays
        One row per data set, one number per fold; rows may differ in length.
    rho : float, array_like of shape (q,), or mapping or Series of data set to float
        Correlation between two differences of a row, in [0, 1): 1/folds for (repeated)
        cross-validation, n_test / (n_train + n_test) for random splits.
    names : (str, str)
    datasets : sequence of str, optional
        Names of the rows; by default a table's index, or "1", "2", ...
    metric : str, optional
    direction, left_out, resampling : optional
        As `Scores` knows them: of the metric, of common folds, and how the folds were drawn.
    scale : {"difference", "log_ratio", "standardised"}
        What the numbers are; see `Scores.differences`.
    scores : (float, float), optional
        Span and largest absolute value of the underlying scores, to judge a ROPE by.
    unit : str
        What a row comes from: "data set", or "benchmark".
    span : float, optional
        Length of the metric's range (1 for accuracy); None if it is unbounded.
    resolution : float or array_like of shape (q,), optional
        Smallest step of the metric on each data set, e.g. 1/n_test; NaN if unknown.
    noise : float or array_like of shape (q,)
        Rounding error of subtracting equal scores; a row that varies by no more is constant.

    Raises
    ------
    InputError
        Missing or infinite differences, empty rows, rho outside [0, 1), names that don't fit.
    """

    x: Any
    _: KW_ONLY
    rho: Any
    names: tuple[str, str] = ("first", "second")
    datasets: Any = None
    metric: str = ""
    span: float | None = None
    resolution: Any = None
    direction: Direction | None = None
    resampling: Sequence[Resampling] | None = None
    scale: str = "difference"
    scores: tuple[float, float] | None = None
    left_out: LeftOut | None = None
    noise: Any = 0.0
    unit: str = "data set"
    pairing: str = AS_GIVEN

    def __post_init__(self) -> None:
        rows, own = as_rows(self.x)
        datasets = own_labels("datasets", self.datasets, own, len(rows))
        check_rows(rows, datasets)
        magnitudes.check_size(np.concatenate(rows), "the differences")
        rho, steps = (
            checks.by_name(what, getattr(self, what), datasets) for what in ("rho", "resolution")
        )
        accepted = "one number >= 0, or one per data set"
        noise = per_row(checks.read_numbers(self.noise, "noise", accepted), len(rows))
        if noise.shape != (len(rows),) or not (noise >= 0).all():
            raise must_be("noise", accepted, self.noise)
        unnamed = isinstance(self.metric, str | None) and not self.metric
        checked = {
            "x": without_noise(rows, noise),
            "datasets": datasets,
            "names": checks.check_names(self.names),
            "scale": checks.check_choice("scale", self.scale, SCALES),
            "metric": self.metric if unnamed else checks.check_label(self.metric, "metric"),
            "rho": per_row(checks.check_rho(rho, len(rows)), len(rows)),
            "span": magnitudes.span(self.span),
            "noise": noise,
            "resolution": copy_readonly(checks.check_steps(steps, (len(rows),), "one a data set")),
        }
        vars(self).update(checked)
        if self.span is not None and self.scale == "difference":
            # A row of clusters holds contributions, of which only the mean is a difference.
            sizes = np.concatenate(rows) if self.unit == "data set" else self.means
            magnitudes.check_within(self.span, sizes)

    @classmethod
    def from_arrays(
        cls,
        first: ArrayLike,
        second: ArrayLike,
        *,
        rho: ArrayLike | None = None,
        runs: int | None = None,
        **options: Any,
    ) -> Differences:
        """Subtract two tables of scores, paired element by element.

        Parameters
        ----------
        first, second : array_like of shape (q, n), or sequences of q one-dimensional arrays
            Scores of the two algorithms on the same folds; higher is better.
        rho : float or array_like of shape (q,), optional
            As for `Differences`; either it or ``runs`` is needed.
        runs : int, optional
            Runs of cross-validation in each row, as baycomp takes them: rho is runs / n.
        **options
            Passed on: names, datasets, metric, span, resolution.

        Raises
        ------
        InputError
            If the tables differ in shape or labels, rho is missing, or runs do not divide a row.

        Examples
        --------
        >>> import bayescmp as bc
        >>> a, b = [0.80, 0.82, 0.81, 0.79], [0.84, 0.83, 0.85, 0.80]
        >>> bc.Differences.from_arrays(a, b, runs=2).rho_sentence
        'rho 0.5: 2 folds, 2 repeats, as declared'
        """
        check_paired(first=first, second=second)
        a, own = as_rows(first, "first", "block")
        b, others = as_rows(second, "second", "block")
        if [len(r) for r in a] != [len(r) for r in b]:
            raise must(
                "second",
                "have the data sets and folds of first, since scores are paired fold by fold",
                f"{shape_of(b)} and {shape_of(a)}",
            )
        labels = own or others or [str(i + 1) for i in range(len(a))]
        check_rows(a, labels, "first")
        check_rows(b, labels, "second")
        rows = [r2 - r1 for r1, r2 in zip(a, b, strict=True)]
        if runs is not None:
            if rho is not None:
                raise must("rho", "be left out with runs, which give it")
            options["resampling"] = [of_runs(len(r), runs) for r in rows]
            rho = [design.rho for design in options["resampling"]]
        if rho is None:
            raise InputError(
                f"{checks.RHO_MISSING} You can also give runs, the runs of cross-validation in "
                "each row: Differences.from_arrays(first, second, runs=10).",
                "rho",
            )
        datasets = own_labels("datasets", options.get("datasets"), own or others, len(a))
        options["datasets"] = datasets
        counts = [len(r) for r in a]
        if not all(counts):
            return cls(rows, rho=rho, **options)  # which refuses a missing rho by name
        pairs = np.stack([np.concatenate(a), np.concatenate(b)])
        starts = np.r_[0, np.cumsum(counts)[:-1]]
        noise = rounding_noise(pairs, starts)
        if options.get("resolution") is None:
            options["resolution"] = steps_of_runs(pairs, starts)
        return cls(rows, rho=rho, noise=noise, **options)

    @property
    def q(self) -> int:
        """Number of data sets."""
        return len(self.x)

    @cached_property
    def n(self) -> np.ndarray:
        """Number of differences on each data set, shape (q,)."""
        return copy_readonly([len(r) for r in self.x])

    @cached_property
    def means(self) -> np.ndarray:
        """Mean difference on each data set, shape (q,); 0 where no more than rounding is left."""
        means = means_of(self.x)
        return copy_readonly(np.where(np.abs(means) <= self.noise, 0.0, means))

    @property
    def largest(self) -> np.ndarray:
        """Largest difference of any fold of each data set, without its sign, shape (q,)."""
        return np.maximum.reduceat(np.abs(np.concatenate(self.x)), np.cumsum(self.n) - self.n)

    @property
    def step_seen(self) -> float:
        """Smallest step within any row, zero included; NaN if all differences are zero."""
        return magnitudes.step_seen(self.x)

    @property
    def groups(self) -> tuple[np.ndarray, ...]:
        """The rows: what a normal distribution with one mean is of."""
        return tuple(self.x)

    @property
    def matrix(self) -> np.ndarray:
        """The rows as one array of shape (q, n); an `InputError` if they differ in length."""
        if len(set(self.n)) > 1:
            raise must("x", "have rows of the same length to be a matrix", shape_of(self.x))
        return np.array(self.x)

    def swapped(self) -> Differences:
        """Return the comparison with the algorithms in the other order."""
        return self._replace_values([-r for r in self.x], names=self.names[::-1])

    def row(self, dataset: str) -> Differences:
        """Return the differences on one data set."""
        checks.check_choice("data set", dataset, self.datasets, "dataset")
        i = self.datasets.index(dataset)
        return self._replace_values(
            [self.x[i]],
            datasets=[dataset],
            rho=self.rho[i],
            resolution=self.resolution[i],
            noise=self.noise[i],
            resampling=None if self.resampling is None else [self.resampling[i]],
            left_out=None if self.left_out is None else self.left_out.select_dataset(dataset),
        )

    def _replace_values(self, x: ArrayLike, **changes: object) -> Differences:
        kept = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "x"}
        if "rho" in changes:
            kept["resampling"] = None
        if "rho" in changes and any(design.unchecked for design in self.resampling or ()):
            rhos = np.broadcast_to(checks.check_rho(changes["rho"], self.q), self.q)
            kept["resampling"] = [replace(Resampling.given(r), unchecked=True) for r in rhos]
        return Differences(x, **{**kept, **changes})

    @property
    def rho_sentence(self) -> str:
        """The correlation of folds and its reason, as in "rho 0.1: 10 folds, 10 repeats"."""
        return explain_rho(self.rho, self.resampling)

    @property
    def rho_sentences(self) -> list[str]:
        """The correlation of folds and its reason, separately for each data set."""
        if self.resampling is None:
            return [explain_rho(rho) for rho in self.rho]
        kinds = [(rho, id(design)) for rho, design in zip(self.rho, self.resampling, strict=True)]
        designs = dict(zip(kinds, self.resampling, strict=True))  # mostly one for all data sets
        sentences = {kind: explain_rho(kind[0], [design]) for kind, design in designs.items()}
        return [sentences[kind] for kind in kinds]

    def described(self, *, folds: bool = True) -> dict[str, Any]:
        """Describe where numbers come from: metric, directions, left out, and rho of `folds`."""
        return {
            "metric": self.metric,
            "directions": () if self.direction is None else (self.direction,),
            "pairing": self.pairing if folds else paired_by(self.unit),
            "resampling": self.rho_sentence if folds else "",
            "left_out": self.left_out,
        }

    def statistics(self) -> SufficientStatistics:
        """Means and sums of squared deviations, which a normal likelihood needs."""
        n = self.n
        flat = np.concatenate(self.x)
        start = np.r_[0, np.cumsum(n)[:-1]]
        mean = np.add.reduceat(flat, start) / n
        spread = np.maximum.reduceat(flat, start) - np.minimum.reduceat(flat, start)
        own = np.maximum.reduceat(np.abs(flat), start)
        # The rounding error of the difference of equal scores. Plain differences only show that
        # their scores, on one scale for all rows, are at least as large.
        residue = 4 * np.finfo(float).eps * own.max(initial=0.0)
        left = np.where(self.noise > 0, self.noise, residue)
        constant = spread <= np.maximum(ROUNDING * own, left)
        ss = np.add.reduceat((flat - np.repeat(mean, n)) ** 2, start)
        return SufficientStatistics(n, mean, np.where(constant, 0.0, ss), self.rho, constant)

    @property
    def frame(self) -> pd.DataFrame:
        """Mean and standard deviation on each data set, with the number of scores and rho."""
        spread = [float(row.std(ddof=1)) if len(row) > 1 else float("nan") for row in self.x]
        columns = {
            self.unit: self.datasets,
            "scores": self.n,
            "mean": self.means,
            "standard deviation": spread,
            "rho": self.rho,
        }
        return pd.DataFrame(columns).rename_axis(columns=self.measured or None)

    @property
    def heading(self) -> str:
        """Name the two algorithms and the metric in one line."""
        on = f" in {self.measured}" if self.metric else ""
        first, second = self.names
        return f"Improvement of {second} over {first}{on}"

    @property
    def measured(self) -> str:
        """The metric with its direction: "accuracy ↑"; empty if not known."""
        return label_metric(self.metric, self.direction) if self.metric else ""

    def __repr__(self) -> str:
        of_metric = f" of {self.measured}" if self.metric else ""
        return (
            f"<Differences{of_metric}: {describe_improvement(*self.names)}, {shape_of(self.x)}, "
            f"{self.rho_sentence}{f'; {self.left_out}' if self.left_out else ''}>"
        )


SIZE = "{heading}: {units} of {scores}."
MEANS = "The means range from {least} to {most}, and their mean is {mean}."
AHEAD = "By the means, {second} is ahead on {second_wins} and {first} on {first_wins}."


@summarise.register
def _summarise_differences(differences: Differences) -> Summary:
    means, (first, second) = differences.means, differences.names
    sizes = sorted({int(n) for n in differences.n})
    several = f"{sizes[0]} to {sizes[-1]} scores"
    left_out = [str(differences.left_out)] if differences.left_out else []
    notes = [differences.rho_sentence, *left_out]
    return Summary(
        differences.heading,
        differences.frame,
        notes=notes,
        label="differences",
        explanation=lambda: Explanation(
            short=[
                SIZE.format(
                    heading=differences.heading,
                    units=format_count(differences.q, differences.unit),
                    scores=format_count(sizes[0], "score") if len(sizes) == 1 else several,
                ),
                MEANS.format(
                    least=format_number(means.min()),
                    most=format_number(means.max()),
                    mean=format_number(means.mean()),
                ),
                AHEAD.format(
                    second=second,
                    second_wins=int((means > 0).sum()),
                    first=first,
                    first_wins=int((means < 0).sum()),
                ),
                *list_notes(notes),
            ],
            methods=list_notes(notes),
        ),
    )


def as_differences(
    x: ArrayLike | Differences,
    *,
    rho: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    resolution: object = None,
) -> Differences:
    """Read differences from a `Differences`, from plain numbers, or a table of two algorithms."""
    pair = None if isinstance(x, Differences) else pair_of(x, "x", "block")
    if pair is not None:
        first, second = pair[0].T
        x = Differences.from_arrays(first, second, rho=checks.require_rho(rho), names=pair[1])
    if isinstance(x, Differences):
        if names is not None and x.names == checks.check_names(None):  # the default names
            x = x._replace_values(x.x, names=checks.check_names(names))
        x = x.swapped() if checks.are_swapped(names, x.names) else x
        given = {"rho": rho, "resolution": resolution}
        changes = {name: value for name, value in given.items() if value is not None}
        return x._replace_values(x.x, **changes) if changes else x
    if rho is None:
        raise InputError(checks.RHO_MISSING, "rho")
    return Differences(x, rho=rho, names=checks.check_names(names), resolution=resolution)
