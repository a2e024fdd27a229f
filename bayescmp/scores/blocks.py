"""Several algorithms on one data set: paired by fold, metrics by metric, or runs unpaired."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.arguments import either, must, must_be
from bayescmp.base.checks import SCORES, RhoLike, as_names, validate_params
from bayescmp.base.magnitudes import check_size
from bayescmp.errors import InputError, unknown_name
from bayescmp.scores import metrics as _metrics
from bayescmp.scores.columns import UNNAMED
from bayescmp.scores.designs import refuse_pairs, resampling_of_rho
from bayescmp.scores.differences import own_labels
from bayescmp.scores.frames import by_algorithm, is_labelled
from bayescmp.scores.pairing import AS_GIVEN, LeftOut, paired_by
from bayescmp.scores.resampling import Resampling, explain_rho
from bayescmp.wording.text import format_count

if TYPE_CHECKING:
    from bayescmp.scores.scores import Scores


@dataclass(frozen=True, eq=False)
class Blocks:
    """Scores of L algorithms on the same n folds of one data set, p metrics each.

    Parameters
    ----------
    x : array_like of shape (L, n, p), or DataFrame with one column per algorithm
        In each metric's own direction; (L, n) is one metric. Fold j of one algorithm is fold j of
        all. A table has one row per fold; for several metrics columns of two levels, algorithm and
        metric.
    rho : float
        Correlation of two folds' differences, in [0, 1); 0 for independent ones.
    algorithms, metrics : sequence of str, optional
        By default the table's columns, or "A1", "A2", ..., and "m1", "m2", ...
    dataset : str
    lower_is_better : bool or sequence of bool, optional
        One for all, or one per metric; by default from the metrics' names, with a warning if a
        name does not show it.
    directions, left_out, resampling : optional
        As `Scores` knows them: of metrics, of common folds, and how the folds were drawn.
    unit, sample : str
        What a data set is called ("benchmark"), and a row, if not "fold" or "question".
    pairing : str
        How scores were found to belong together: "paired by fold".

    Attributes
    ----------
    x : ndarray of shape (L, n, p)
        Read-only.

    Raises
    ------
    InputError
        A wrong shape, missing or infinite scores, names that don't fit, rho outside [0, 1).
    """

    x: Any
    _: KW_ONLY
    rho: float = 0.0
    algorithms: Any = None
    metrics: Any = None
    dataset: str = UNNAMED
    lower_is_better: Any = None
    directions: Any = None
    left_out: LeftOut | None = None
    resampling: Resampling | None = None
    unit: str = "data set"
    sample: str = ""
    pairing: str = AS_GIVEN

    def __post_init__(self) -> None:
        x, of_algorithms, of_metrics = _numbers(self.x)
        L, _, p = x.shape
        metrics = own_labels("metrics", self.metrics, of_metrics, p, "m")
        lower, named = self.lower_is_better, (self.metrics or of_metrics) is not None
        fields: dict[str, Any] = {
            "x": x,
            "algorithms": own_labels("algorithms", self.algorithms, of_algorithms, L, "A"),
            "metrics": metrics,
            "dataset": checks.check_label(self.dataset, "dataset"),
            "rho": checks.one_rho(self.rho),
            "lower_is_better": _by_name(named, metrics)
            if lower is None
            else checks.flags_of("lower_is_better", lower, metrics),
        }
        if self.directions is None:
            declared = [None] * p if lower is None else fields["lower_is_better"]
            known = map(_metrics.direction, metrics, declared)
            fields["directions"] = tuple(known) if named else ()
        vars(self).update(fields)
        checks.check_finite(self.x, "x", self._place_of)
        for k, metric in enumerate(metrics):
            check_size(x[..., k], f"the scores in {metric}")

    def _place_of(self, at: tuple[int, ...]) -> str:
        i, j, k = at
        return (
            f"metric {self.metrics[k]!r} of algorithm {self.algorithms[i]!r} on data set "
            f"{self.dataset!r} in fold {j + 1} of {self.n}"
        )

    @property
    def L(self) -> int:  # noqa: N802 - the papers' letter
        """Number of algorithms."""
        return int(self.x.shape[0])

    @property
    def n(self) -> int:
        """Number of folds, all repeats together."""
        return int(self.x.shape[1])

    @property
    def p(self) -> int:
        """Number of metrics."""
        return int(self.x.shape[2])

    @property
    def rho_sentence(self) -> str:
        """The correlation of folds and its reason, as in "rho 0.1: 10 folds, 10 repeats"."""
        design = self.resampling
        own = [design] if design is not None and design.rho == self.rho else None
        return explain_rho(np.array([self.rho]), own)

    def described(self, *, folds: bool = True) -> dict[str, Any]:
        """Describe where numbers come from, with `folds` their correlation too."""
        return {
            "directions": tuple(self.directions),
            "pairing": self.pairing if folds else paired_by(self.unit),
            "resampling": self.rho_sentence if folds else "",
            "left_out": self.left_out,
        }

    @property
    def signs(self) -> np.ndarray:
        """-1 for metrics of which lower values are better, else 1; shape (p,)."""
        return np.where(self.lower_is_better, -1.0, 1.0)

    @property
    def oriented(self) -> np.ndarray:
        """The scores with higher the better for every metric, shape (L, n, p)."""
        return self.x * self.signs

    def differences(self, first: int | str = 0, second: int | str = 1) -> np.ndarray:
        """Subtract two algorithms fold by fold, second minus first, after flipping; shape (n, p).

        They are given by name or position.
        """
        i, j = self._place(first), self._place(second)
        return np.asarray((self.x[j] - self.x[i]) * self.signs)

    def pair(self, first: int | str, second: int | str) -> Blocks:
        """Return two of the algorithms, in this order."""
        return self.select(algorithms=(first, second))

    def select(
        self, *, algorithms: Iterable[Any] | None = None, metrics: Iterable[str] | None = None
    ) -> Blocks:
        """Return some algorithms or metrics, by name or position, in the order given."""
        checks.check_ordered("algorithms", algorithms)
        if not isinstance(algorithms, Iterable | None):
            raise must_be("algorithms", "several, in a list", algorithms)
        if algorithms is None and metrics is None:
            return self
        rows = range(self.L) if algorithms is None else [self._place(a) for a in algorithms]
        wanted = self.metrics if metrics is None else metrics
        columns = checks.find_places("metric", wanted, self.metrics)
        return replace(
            self,
            x=self.x[np.ix_(list(rows), range(self.n), columns)],
            algorithms=[self.algorithms[i] for i in rows],
            metrics=[self.metrics[column] for column in columns],
            lower_is_better=[self.lower_is_better[column] for column in columns],
            directions=tuple(self.directions[k] for k in columns) if self.directions else (),
        )

    def means(self) -> pd.DataFrame:
        """Return the mean of each metric in its own direction, algorithms x metrics."""
        table = pd.DataFrame(self.x.mean(axis=1), self.algorithms, self.metrics)
        return table.rename_axis(index="algorithm", columns="metric")

    def _place(self, algorithm: int | str) -> int:
        if isinstance(algorithm, int | np.integer) and not isinstance(algorithm, bool):
            if 0 <= algorithm < self.L:
                return int(algorithm)
        elif str(algorithm) in self.algorithms:
            return int(self.algorithms.index(str(algorithm)))
        raise unknown_name("algorithm", algorithm, self.algorithms)

    def __repr__(self) -> str:
        return (
            f"<Blocks of {self.dataset!r}: {format_count(self.L, 'algorithm')}, "
            f"{format_count(self.n, 'fold')}, {format_count(self.p, 'metric')} "
            f"({', '.join(self.metrics)}), "
            f"{self.rho_sentence}{f'; {self.left_out}' if self.left_out else ''}>"
        )


# Arrays and directions of the metrics.


def _numbers(x: ArrayLike) -> tuple[np.ndarray, Sequence[str] | None, Sequence[str] | None]:
    """Return scores (L, n, p), and the names of algorithms and metrics that a table brings."""
    accepted = "(L, n, p), L algorithms on the same n folds with p metrics"
    algorithms = metrics = None
    if is_labelled(x):
        x, (algorithms, metrics) = by_algorithm(x, "x", "metric")
    values = checks.read_numbers(x, "x", accepted)
    values = values[..., None] if values.ndim == 2 else values
    if values.ndim != 3 or 0 in values.shape:
        raise must(
            "x",
            f"have shape {accepted}",
            f"shape {np.shape(x)}",
            "Or pass a DataFrame with one row per fold and one column per algorithm.",
        )
    values.flags.writeable = False
    return values, algorithms, metrics


def _by_name(named: bool, metrics: tuple[str, ...]) -> tuple[bool, ...]:
    """Read directions from the metrics' names; the defaults m1, m2, ... are not reversed."""
    if not named or all(re.fullmatch(r"m\d+", m) for m in metrics):
        return (False,) * len(metrics)
    directions = [_metrics.direction(m) for m in metrics]
    for direction in directions:
        _metrics.warn_assumed(direction)
    return tuple(d.lower for d in directions)


# Metrics that follow from the columns of a table: from its counts, its accuracy or its error.


def derive_metric(
    scores: Scores, metric: str, rows: np.ndarray | None = None
) -> tuple[np.ndarray, bool]:
    """Return a metric's values, or derived ones (NaN for 0/0), and whether lower is better."""
    columns = columns_behind(scores, metric)
    if columns[0] == _metrics.plain_count(metric) or metric in scores.metrics:
        return scores.values(metric, rows), scores.lower_is_better(metric)
    known = _metrics.canonical_rate(metric)
    lower = _metrics.lower_is_better(known or metric)
    values = [scores.values(c, rows) for c in columns]
    if len(columns) > 1:
        return _metrics.rate(metric, *values), lower
    if _metrics.canonical_rate(columns[0]) == known:
        return values[0], lower
    return (scores.span(columns[0]) or 1.0) - values[0], lower


def columns_behind(scores: Scores, metric: str) -> tuple[str, ...]:
    """The columns that a metric is read from: itself, the counts, another spelling, its twin."""
    for name in (metric, _metrics.plain_count(metric)):
        if name in scores.metrics:
            return (name,)
    known = _metrics.canonical_rate(metric)
    if known is not None and set(_metrics.COUNTS) <= set(scores.metrics):
        return tuple(_metrics.COUNTS)
    columns = {_metrics.canonical_rate(m) or m: m for m in reversed(scores.metrics)}
    if known in columns:
        return (columns[known],)
    possible = _metrics.list_derivable((*columns, *scores.metrics))
    if known is None or known not in possible:
        raise unknown_name("metric", metric, (*scores.metrics, *possible))
    return (columns["accuracy" if known == "error" else "error"],)


# Several metrics of a table of scores, as blocks of one data set.


@validate_params(scores=SCORES)
def scores_blocks(
    scores: Scores,
    *,
    metrics: Iterable[str] | None = None,
    dataset: str | None = None,
    algorithms: Iterable[str] | None = None,
    rho: RhoLike | None = None,
) -> Blocks:
    """Return the scores of several algorithms on one data set, paired by (repeat, fold).

    Parameters
    ----------
    scores : Scores
    metrics : iterable of str, optional
        Columns of the table, or metrics that follow from its columns tp, fn, fp and tn (see
        `bayescmp.scores.metrics.rates`), or "error" from "accuracy". By default all columns except
        times.
    dataset : str, optional
        May be left out if there is only one.
    algorithms : iterable of str, optional
        All if not given.
    rho : float, optional
        Correlation of two folds' differences; by default 1/folds from the labels, or n_test /
        (n_train + n_test) for single splits, from these columns.

    Returns
    -------
    Blocks
        In the order of (repeat, fold). With missing="common", folds in which every algorithm has
        every metric; ``left_out`` counts the others.

    Raises
    ------
    InputError
        Unknown names, an algorithm without scores on the data set, folds that do not pair, bad
        scores, a metric that is 0/0 in some fold, an unknown number of folds.

    Examples
    --------
    >>> import bayescmp as bc
    >>> scores = bc.Scores.read({"knn": [0.75, 0.5], "svm": [0.5, 1.0]}, metric="accuracy",
    ...                         resampling="2-fold")
    >>> blocks = bc.scores_blocks(scores)
    >>> blocks.x.shape, blocks.rho
    ((2, 2, 1), 0.5)
    """
    if scores.scale != "difference":
        raise must(
            "scores",
            "be on the scale 'difference' for blocks",
            repr(scores.scale),
            "Only pairs by one metric have other scales.",
        )
    dataset = _dataset(scores, dataset)
    wanted = _names("metrics", metrics, scored_metrics(scores))
    chosen = _names("algorithms", algorithms, scores.algorithms)
    rows, left_out = block_rows(scores, wanted, dataset, chosen)
    values, lower = zip(*(_column(scores, metric, rows) for metric in wanted), strict=True)
    folds = scores.pairing.one_a_fold(dataset) if left_out else rows[0]
    if rho is None:
        design = scores.resampling.of(dataset, folds)
    elif scores.resampling.declared_as_runs:
        raise refuse_pairs(dataset)
    else:
        design = resampling_of_rho(
            rho, 1, unchecked=scores.resampling.takes_pairing_for_granted([dataset])
        )[0]
    return Blocks(
        np.stack(values, axis=-1),
        rho=design.rho,
        resampling=design,
        unit=scores.unit,
        pairing=scores.pairing_text,
        algorithms=chosen,
        metrics=wanted,
        dataset=dataset,
        lower_is_better=lower,
        directions=tuple(
            scores.direction(m) if m in scores.metrics else _metrics.direction(m) for m in wanted
        ),
        left_out=left_out or None,
    )


def scored_metrics(scores: Scores) -> tuple[str, ...]:
    """The table's metrics except times, unless there is nothing else."""
    return tuple(m for m in scores.metrics if not _metrics.is_time(m)) or scores.metrics


def block_rows(
    scores: Scores, metrics: Sequence[str], dataset: str, algorithms: Sequence[str]
) -> tuple[np.ndarray, LeftOut]:
    """Return algorithms' rows on a data set, one fold per column, and the folds left out."""
    there = _find_complete(scores, metrics) if scores.on_missing == "common" else None
    return scores.pairing.align(algorithms, dataset, there)


def common_datasets(
    scores: Scores,
    metrics: Sequence[str],
    algorithms: Sequence[str],
    datasets: Sequence[str],
) -> tuple[list[str], LeftOut]:
    """Return data sets with a fold that is complete for all algorithms, and those left out."""
    if scores.on_missing != "common":
        return list(datasets), LeftOut()
    there, pairing = _find_complete(scores, metrics), scores.pairing
    kept = [d for d in datasets if pairing.has_common_fold(d, algorithms, there)]
    if not kept:
        named = " and ".join(map(repr, algorithms))
        raise InputError(
            f"algorithms {named} must have a fold of some data set in common (got none).", "scores"
        )
    gone = tuple(d for d in datasets if d not in kept)
    return kept, LeftOut(gone, {}, len(algorithms))


def _find_complete(scores: Scores, metrics: Sequence[str]) -> np.ndarray:
    """Whether each row of the table has a score of every metric, or of the columns behind it."""
    columns = dict.fromkeys(c for m in metrics for c in columns_behind(scores, m))
    return np.all([scores.there(c) for c in columns], axis=0)


def _dataset(scores: Scores, dataset: str | None) -> str:
    if dataset is None:
        if len(scores.datasets) > 1:
            known = ", ".join(map(repr, scores.datasets[:12]))
            more = ", ..." if len(scores.datasets) > 12 else ""
            raise must(
                "dataset",
                "be given if the table has several",
                hint=f"It has {len(scores.datasets)}: {known}{more}.",
            )
        return scores.datasets[0]
    return checks.check_choice("data set", str(dataset), scores.datasets, "dataset")


def _names(what: str, given: Iterable[str] | None, known: tuple[str, ...]) -> list[str]:
    names = list(known) if given is None else as_names(given, what)
    if not names:
        raise must(what, "name at least one", "none", f"Known: {', '.join(map(repr, known))}.")
    return checks.distinct_names(what, names)


def _column(scores: Scores, metric: str, rows: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return a metric that is defined in every fold, shape (L, n), and whether lower is better."""
    values, lower = derive_metric(scores, metric, rows)
    bad = np.argwhere(np.isnan(values))
    if len(bad):
        more = f", and {len(bad) - 1} more" if len(bad) > 1 else ""
        raise must(
            f"metric {metric!r}",
            "be defined in every fold",
            f"0/0 for {scores.pairing.describe_row(int(rows[tuple(bad[0])]))}{more}",
            "Leave out the metric or the data set, or use folds in which it is defined.",
        )
    return values, lower


def instead_by_means() -> str:
    """Name the way to compare the means of runs, which pair over data sets."""
    means = "Scores.from_means(scores.means(metric), metric=metric)"
    return either(means, "`bayescmp rank`")
