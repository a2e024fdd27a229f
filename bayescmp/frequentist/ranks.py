"""Tables of scores ranked within data sets: average ranks, contrasts of medians."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.checks import (
    COLUMNS,
    Kind,
    check_choice,
    flag,
    number,
    one_array,
    optional,
    validate_params,
)
from bayescmp.base.magnitudes import TIED, check_size
from bayescmp.errors import DirectionWarning, warn_user
from bayescmp.frequentist.results import DescribedResult, leading, list_ranks
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import Column, Explanation, Summary, summarise
from bayescmp.scores.columns import ATTRS
from bayescmp.scores.frames import arrange
from bayescmp.scores.metrics import Direction
from bayescmp.scores.scores import Scores
from bayescmp.wording.markup import list_notes, named_rows
from bayescmp.wording.text import format_count, format_number, join_items

# A table of scores, data sets by algorithms, checked.


#: The kinds of what most tests of ranks take.
RANKED: dict[str, Kind] = {"lower_is_better": flag, "tie_tolerance": optional(number(0))}


@dataclass(frozen=True, eq=False)
class ScoreTable(DescribedResult):
    """A table of scores, (q, L), with labels and directions; ``oriented``: higher is better."""

    values: np.ndarray
    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    lower_is_better: bool

    @property
    def oriented(self) -> np.ndarray:
        """The scores with higher better."""
        return -self.values if self.lower_is_better else self.values


def as_table(
    scores: ArrayLike | Scores,
    test: str,
    metric: str | None = None,
    lower_is_better: bool = False,
    *,
    missing: bool = False,
    least_algorithms: int = 3,
    least_datasets: int = 2,
    ranked: bool = True,
) -> ScoreTable:
    """Check a table of scores, data sets by algorithms; `ranked`: only their ranks are used."""
    ways = ("scores", "scores.dropna()")
    if isinstance(scores, Scores):
        if lower_is_better:
            raise must_be(
                "lower_is_better",
                "left out with Scores, which know it",
                lower_is_better,
                f"Use Scores(frame, {arg('lower_is_better', ...)}).",
            )
        metric = scores.metric_named(metric)
        ways = (
            f"scores, {arg('metric', metric)}",
            f"scores.select(datasets=scores.means({metric!r}).dropna().index)",
        )
        lower_is_better, scores = scores.lower_is_better(metric), scores.means(metric)
    elif metric is not None:
        raise must_be("metric", "None where scores is a table of one metric", metric)
    cells, own = arrange(scores, "scores", "unit", "algorithm")
    values = checks.read_numbers(
        cells, "scores", "(q, L): one row per data set, one column per algorithm"
    )
    if values.ndim != 2:
        shape = "(q, L), one row per data set, one column per algorithm"
        raise must("scores", f"have shape {shape}", f"shape {values.shape}")
    datasets, algorithms = (
        checks.check_labels(what, labels, size, prefix)
        for what, labels, size, prefix in zip(
            ("datasets", "names"), own, values.shape, ("", "A"), strict=True
        )
    )
    _check_least(test, values.shape, least_algorithms, least_datasets)
    _check_cells(values, datasets, algorithms, test, None if missing else ways, ranked=ranked)
    check_size(values, "scores")
    return ScoreTable(
        values,
        algorithms,
        datasets,
        bool(lower_is_better),
        directions=_directions(scores, lower_is_better),
    )


def _directions(scores: object, lower: bool) -> tuple[Direction, ...]:
    """Describe which way the metric of a frame of means is better, for ranking."""
    note = getattr(scores, "attrs", {}).get(ATTRS, {})
    if "metric" not in note:
        return ()
    known = note.get("better")
    side = "lower" if lower else "higher"
    if known is not None and known != side:
        warn_user(
            f"the table holds {note['metric']!r}, for which {known} is better, but is ranked as "
            f"{side}-is-better: give lower_is_better={not lower}",
            DirectionWarning,
        )
    evidence = note.get("evidence", "assumed" if known is None else "declared")
    same = side == (known or "higher")
    return (Direction(str(note["metric"]), lower, evidence if same else "declared"),)


def _check_least(test: str, shape: tuple[int, ...], algorithms: int, datasets: int) -> None:
    q, L = shape
    if algorithms > L:
        instead = (
            "For two algorithms over several data sets use wilcoxon(b - a) or sign_test(wins, "
            "losses)."
            if L == 2
            else ""
        )
        raise must(
            "scores",
            f"have at least {algorithms} algorithms (columns) for {test}",
            str(L),
            instead,
        )
    if q < datasets:
        instead = "On one data set use anova and tukey on the folds." if q == 1 else ""
        raise must(
            "scores", f"have at least {datasets} data sets (rows) for {test}", str(q), instead
        )


def _check_cells(
    values: np.ndarray,
    datasets: tuple[str, ...],
    algorithms: tuple[str, ...],
    test: str,
    ways: tuple[str, str] | None,
    *,
    ranked: bool,
) -> None:
    """Refuse infinite cells, and missing ones if ways out are given."""
    infinite, nan = np.isinf(values), np.isnan(values)
    if infinite.any():
        way_out = (
            f"For ranks, {checks.BEYOND_ALL}."
            if ranked
            else f"{test} also uses the sizes of scores. friedman only uses ranks, which are the "
            "same for any number beyond all others."
        )
        raise must(
            "scores",
            f"be finite for {test}",
            f"an infinite one for {_cells(infinite, datasets, algorithms)}",
            way_out,
        )
    if nan.any() and ways is not None:
        raise must(
            "scores",
            f"have a score of every algorithm on every data set for {test}",
            f"none (NaN) for {_cells(nan, datasets, algorithms)}",
            f"Use skillings_mack({ways[0]}), which allows missing ones, or leave out those data "
            f"sets yourself ({ways[1]}).",
        )


#: Fewer data sets than these are few: approximate distributions are then rough.
FEW_BLOCKS = 8


def few_note(n: int, way: str = "", *, what: str = "p-value", unit: str = "data set") -> str:
    """State that p-values from so few data sets are approximate, and the way to exact ones."""
    few = f"approximate {what}, from {format_count(n, unit)} only"
    return f"{few}: {way}" if way else few


def _cells(bad: np.ndarray, datasets: Sequence[str], algorithms: Sequence[str]) -> str:
    """Name the first few cells, and count the others."""
    places = np.argwhere(bad)
    named = [f"{algorithms[j]!r} on data set {datasets[i]!r}" for i, j in places[:3]]
    more = f" and {len(places) - 3} more" if len(places) > 3 else ""
    return ", ".join(named) + more


def rank_best(x: np.ndarray, tie_tolerance: float | None = None) -> np.ndarray:
    """Rank the scores of each row, the highest first; those closer than the tolerance tie."""
    near = TIED * np.abs(x) if tie_tolerance is None else np.full(x.shape, tie_tolerance)
    return rank_rows(-x, near)


def rank_rows(x: np.ndarray, tolerance: np.ndarray) -> np.ndarray:
    """Rank each row, from 1 for the smallest; ties share their mean rank."""
    n, k = x.shape
    order = np.argsort(x, axis=1, kind="stable")
    gap = np.diff(np.take_along_axis(x, order, axis=1), axis=1)
    allowed = np.take_along_axis(tolerance, order, axis=1)
    distinct = gap > np.maximum(allowed[:, 1:], allowed[:, :-1])
    place = np.arange(k)
    edge = np.ones((n, 1), dtype=bool)
    begins, ends = np.hstack([edge, distinct]), np.hstack([distinct, edge])
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    last = np.minimum.accumulate(np.where(ends, place, k - 1)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty((n, k))
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks


# Average ranks over data sets.


@dataclass(frozen=True, eq=False, repr=False)
class RanksTable(Summarised, DescribedResult):
    """Ranks of algorithms on data sets; 1 is the best.

    Attributes
    ----------
    ranks, scores : ndarray of shape (q, L)
        NaN for missing scores.
    algorithms, datasets : tuple of str
    directions, resampling, left_out
        See `DescribedResult`.
    """

    ranks: np.ndarray
    scores: np.ndarray
    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]

    @property
    def mean_ranks(self) -> np.ndarray:
        """Mean rank of each algorithm over the data sets it was run on, shape (L,)."""
        return np.asarray(np.nanmean(self.ranks, axis=0))

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per algorithm, best first: mean rank, mean score, times best, data sets."""
        best = self.ranks == np.nanmin(self.ranks, axis=1, keepdims=True)
        shared = best / best.sum(axis=1, keepdims=True)  # ties for first place count in parts
        columns = {
            "mean_rank": self.mean_ranks,
            "median_rank": np.nanmedian(self.ranks, axis=0),
            "mean_score": np.nanmean(self.scores, axis=0),
            "times_best": shared.sum(axis=0),
            "datasets": np.isfinite(self.ranks).sum(axis=0),
        }
        table = self._tabulate(columns, pd.Index(self.algorithms, name="algorithm"))
        return table.sort_values("mean_rank", kind="stable")

    def by_dataset(self) -> pd.DataFrame:
        """Return the ranks, data sets x algorithms."""
        index = pd.Index(self.datasets, name="dataset")
        columns = pd.Index(self.algorithms, name="algorithm")
        return pd.DataFrame(self.ranks, index=index, columns=columns)

    @property
    def heading(self) -> str:
        """Name the table, the metric and the data sets in one line."""
        over = format_count(len(self.datasets), "data set")
        return f"Average ranks{self.on_measured} over {over} (1 is the best)"


FIRST = {
    True: "{leading}, with a mean rank of {rank:.3f}",
    False: "{leading}, with mean ranks of {rank:.3f}",
}
MEAN_RANKS = "{heading}: mean ranks {ranks}."
TIMES_BEST = "Best on {times} of {datasets}, ties in equal parts: {names}."
ONLY_RANKS = "Ranks show how often an algorithm is ahead, not by how much."


@summarise.register
def _summarise_ranks_table(ranks: RanksTable) -> Summary:
    table = ranks.frame
    first = table[table["mean_rank"] == table["mean_rank"].min()]
    datasets = format_count(len(ranks.datasets), "data set")
    shown = named_rows(table)
    columns = {
        "mean_rank": Column(head="mean rank"),
        "median_rank": Column(head="median rank"),
        "mean_score": Column(head="mean score"),
        "times_best": Column(head="times best"),
    }
    legend = "ranks on each data set, 1 is the best; times best: ties in equal parts"
    explanation = [
        MEAN_RANKS.format(
            heading=ranks.heading, ranks=list_ranks(ranks.algorithms, ranks.mean_ranks)
        ),
        TIMES_BEST.format(
            times=join_items([f"{n:g}" for n in first["times_best"]]),
            datasets=format_count(int(first["datasets"].iloc[0]), "data set"),
            names=join_items([*first.index]),
        ),
    ]
    return Summary(
        FIRST[len(first) == 1].format(
            leading=leading([*first.index]), rank=table["mean_rank"].min()
        ),
        shown,
        columns,
        notes=ranks.remarks,
        label="ranks",
        setting=f"ranks{ranks.on_measured}, {datasets}",
        legend=legend,
        explanation=lambda: Explanation(
            short=explanation,
            results=[*explanation, ONLY_RANKS],
            methods=[f"{ranks.heading}.", *list_notes(ranks.remarks)],
        ),
        paper=lambda: Summary(
            ranks.heading, shown, columns, notes=ranks.remarks, label="ranks", legend=legend
        ),
    )


@one_array(COLUMNS)
@validate_params(**RANKED)
def average_ranks(
    scores: ArrayLike | Scores,
    *,
    metric: str | None = None,
    lower_is_better: bool = False,
    tie_tolerance: float | None = None,
) -> RanksTable:
    """Rank the algorithms on each data set, and average the ranks.

    Parameters
    ----------
    scores : array_like of shape (q, L), DataFrame or Scores
        May be missing: an algorithm is ranked among those that were run.
    metric, lower_is_better, tie_tolerance
        As for `friedman`.

    Returns
    -------
    RanksTable

    Raises
    ------
    InputError
        Fewer than 2 algorithms, infinite scores, an algorithm or a data set without scores.

    See Also
    --------
    friedman, posthoc

    Examples
    --------
    >>> import pandas as pd
    >>> from bayescmp.frequentist import average_ranks
    >>> scores = [[0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...           [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931]]
    >>> scores = pd.DataFrame(scores, columns=["C4.5", "C4.5+m", "C4.5+m+cf"])
    >>> average_ranks(scores).ranks.mean(axis=0)
    array([2.3333, 1.75  , 1.9167])
    """
    table = as_table(
        scores,
        "average_ranks",
        metric,
        lower_is_better,
        missing=True,
        least_algorithms=2,
        least_datasets=1,
    )
    sides = ((table.algorithms, 0, "algorithm"), (table.datasets, 1, "data set"))
    for labels, axis, what in sides:
        empty = np.flatnonzero(np.isnan(table.values).all(axis=axis))
        if len(empty):
            raise must(
                "scores",
                "have one for every algorithm and every data set",
                f"none for the {what} {labels[empty[0]]!r}",
            )
    ranks = np.full(table.values.shape, np.nan)
    for i, row in enumerate(table.oriented):
        seen = np.isfinite(row)
        ranks[i, seen] = rank_best(row[None, seen], tie_tolerance)[0]
    return RanksTable(ranks, table.values, table.algorithms, table.datasets).of(table)


# Distances between algorithms over data sets: contrasts of medians (Doksum).
@dataclass(frozen=True, eq=False, repr=False)
class ContrastTable(Summarised, DescribedResult):
    """Estimated differences of all pairs of algorithms, which add up.

    Attributes
    ----------
    names : tuple of str, length L
    medians : ndarray of shape (L, L)
        Median improvement of the column over the row, over the data sets; they don't add up.
    effects : ndarray of shape (L,)
        Means of an algorithm's median differences from all; the contrasts are their differences.
    n : int
        Data sets.
    directions, resampling, left_out
        See `DescribedResult`.
    """

    names: tuple[str, ...]
    medians: np.ndarray
    effects: np.ndarray
    n: int

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The contrasts: positive where the column's algorithm is better than the row's."""
        contrasts = self.effects[None, :] - self.effects[:, None]
        return self._tabulate(contrasts, self.names, self.names)

    def contrast(self, first: str, second: str) -> float:
        """Return the estimated improvement of the second over the first, in the metric's units."""
        check_choice("first", first, self.names)
        check_choice("second", second, self.names)
        low, high = self.names.index(first), self.names.index(second)
        return float(self.effects[high] - self.effects[low])

    @property
    def heading(self) -> str:
        """Name the table, the metric and the data sets in one line."""
        over = format_count(self.n, "data set")
        return f"Contrasts of medians{self.on_measured}: improvement of column over row, {over}"


AHEAD = "{best} comes first, {gain} ahead of {last}"
GAINS = "Contrasts of medians{on} over {datasets}, as the gain over {last}: {gains}."
ROBUST = "Contrasts add up and are robust to outlying data sets, but have no standard errors."


@summarise.register
def _summarise_contrast_table(contrasts: ContrastTable) -> Summary:
    names, datasets = contrasts.names, format_count(contrasts.n, "data set")
    *better, last = sorted(names, key=lambda name: -contrasts.contrast(names[0], name))
    gains = [f"{name} {format_number(contrasts.contrast(last, name))}" for name in better]
    table = named_rows(contrasts.frame)
    explanation = [
        GAINS.format(
            on=contrasts.on_measured, datasets=datasets, last=last, gains=", ".join(gains)
        )
    ]
    return Summary(
        AHEAD.format(
            best=better[0], gain=format_number(contrasts.contrast(last, better[0])), last=last
        ),
        table,
        notes=contrasts.remarks,
        label="contrasts",
        setting=f"contrasts of medians{contrasts.on_measured}, {datasets}",
        legend="improvement of column over row",
        explanation=lambda: Explanation(
            short=explanation,
            results=[*explanation, ROBUST],
            methods=[f"{contrasts.heading}.", *list_notes(contrasts.remarks)],
        ),
        paper=lambda: Summary(
            contrasts.heading, table, notes=contrasts.remarks, label="contrasts"
        ),
    )


@one_array(COLUMNS)
@validate_params(lower_is_better=flag)
def contrast_estimation(
    scores: ArrayLike | Scores, *, metric: str | None = None, lower_is_better: bool = False
) -> ContrastTable:
    """Estimate differences of algorithms over data sets from medians, so that they add up.

    Contrasts are differences of each algorithm's mean of its median differences from all others.
    An outlying data set moves them little, and A to B plus B to C is A to C.

    Parameters
    ----------
    scores : array_like of shape (q, L), DataFrame or Scores
        One row per data set, one column per algorithm; at least 1 row and 3 columns.
    metric : str, optional
        Of several in `Scores`.
    lower_is_better : bool
        Whether lower scores are better, and differences flipped; `Scores` know it.

    Returns
    -------
    ContrastTable

    Raises
    ------
    InputError
        Fewer than 3 algorithms, missing or infinite scores.

    See Also
    --------
    posthoc, average_ranks, bayescmp.bayesian.hierarchical_t

    References
    ----------
    Doksum 1967, Ann. Math. Stat. 38; García et al. 2010, Inf. Sci. 180, sec. 4.3; the R package
    scmamp (``contrastEstimationMatrix``, which has the opposite sign).

    Examples
    --------
    >>> from bayescmp.frequentist import contrast_estimation
    >>> scores = [[0.763, 0.768, 0.798], [0.599, 0.591, 0.569], [0.954, 0.971, 0.967],
    ...           [0.628, 0.661, 0.657], [0.882, 0.888, 0.898], [0.936, 0.931, 0.931]]
    >>> contrast_estimation(scores).effects
    array([-0.0067,  0.0025,  0.0042])
    """
    table = as_table(
        scores,
        "contrast_estimation",
        metric,
        lower_is_better,
        least_datasets=1,
        ranked=False,
    )
    x = table.oriented
    medians = np.median(x[:, None, :] - x[:, :, None], axis=0)
    return ContrastTable(table.algorithms, medians, medians.mean(axis=0), len(x)).of(table)
