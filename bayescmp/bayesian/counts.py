"""Two algorithms by their confusion counts on a test set: Dirichlet posteriors of any metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.arguments import must, must_be
from bayescmp.base.checks import Seed, check_paired, flags_of
from bayescmp.base.fields import about
from bayescmp.base.typing import Json, Variation
from bayescmp.bayesian.regions import weigh_draws
from bayescmp.errors import unknown_name
from bayescmp.results.arviz import kernel_density, summarise_draws, summary_frame
from bayescmp.results.posterior import CHAINS, Model, Posterior, name_closed_form, probabilities_of
from bayescmp.results.regions import THREE
from bayescmp.scores import metrics as _metrics
from bayescmp.scores.metrics import COUNTS
from bayescmp.scores.rope import Ropes, RopesLike, as_ropes
from bayescmp.wording.text import format_count, format_exactly

# Confusion counts of two classifiers, in any of their forms, with repeats divided out.


INDEPENDENT = (
    "the two are taken as independent; give joint or predictions to model what they share"
)
ROWS = "four counts tp, fn, fp, tn, or rows of them"


def read_counts(
    first: object,
    second: object,
    joint: ArrayLike | None,
    predictions: object,
    repeats: int | None,
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return counts (2, 4) or joint (2, 2, 2), each item once, and notes; refuse bad counts."""
    if repeats is not None:
        repeats = checks.check_whole("repeats", repeats)
    if joint is not None and predictions is not None:
        raise must("joint", "be left out with predictions, which hold the same information")
    if joint is None and predictions is None:
        if first is None or second is None:
            raise must(
                "counts_first",
                "be given with counts_second, tp, fn, fp, tn of each",
                hint="Or give joint, or predictions.",
            )
        (a, of_a), (b, of_b) = (
            _check_four(c, f"counts_{name}", repeats)
            for c, name in ((first, "first"), (second, "second"))
        )
        if of_a != of_b:
            raise must("counts_second", f"have as many repeats as counts_first, {of_a}", str(of_b))
        return np.stack([a, b]), (INDEPENDENT, *_name_repeats(of_a))
    table = (_table(predictions) if joint is None else _joint(joint)) / (repeats or 1)
    for counts, axis, name in ((first, 2, "counts_first"), (second, 1, "counts_second")):
        own = table.sum(axis=axis)
        expected = np.array([own[1, 1], own[1, 0], own[0, 1], own[0, 0]])
        if counts is not None:
            own_four, _ = _check_four(counts, name, repeats)
            if not np.allclose(own_four, expected):
                four = f"(tp, fn, fp, tn) = {expected.tolist()}"
                raise must_be(name, f"{four} with this joint table", own_four.tolist())
    return table, _name_repeats(repeats or 1)


def _name_repeats(repeats: int) -> tuple[str, ...]:
    if repeats == 1:
        return ()
    return (f"counts are divided by {repeats} repeats of the same items",)


def _check_four(counts: Any, name: str, repeats: int | None) -> tuple[np.ndarray, int]:
    """Return the four counts, each item once, and how often each was tested."""
    labelled = None
    if _has_names(counts):
        keys = {str(key).lower(): key for key in counts.keys()}  # noqa: SIM118 - also a DataFrame's
        missing = [c for c in COUNTS if c not in keys]
        if missing:
            raise must(name, f"be {ROWS}", f"no {missing[0]!r}")
        labelled = _labelled_repeats(counts)
        counts = np.stack([np.asarray(counts[keys[c]]) for c in COUNTS], axis=-1)
    values = _array(counts, name, ROWS)
    if values.ndim not in (1, 2) or values.shape[-1] != 4:
        raise must_be(name, ROWS, values)
    times = _times(np.atleast_2d(values), name, labelled, repeats)
    return np.atleast_2d(values).sum(axis=0) / times, times


def _times(rows: np.ndarray, name: str, labelled: int | None, repeats: int | None) -> int:
    """Return how often each item was tested: as given, labelled, or once if rows cannot repeat."""
    if labelled is not None and repeats not in (None, labelled):
        raise must_be("repeats", f"{labelled}, as the labels of {name} have it", repeats)
    known = labelled if repeats is None else repeats
    if known is not None:
        return known
    possible = _possible_repeats(rows)
    if possible:
        raise must(
            "repeats",
            f"be given for {len(rows)} rows that may repeat the same items",
            hint=f"{name} may have {' or '.join(map(str, possible))} repeats, with the same "
            "positives and negatives in each. Use repeats=1 for test sets without common items.",
        )
    return 1


def _possible_repeats(rows: np.ndarray) -> list[int]:
    """Return numbers of equal parts, row after row, that have the same positives and negatives."""
    truth = np.stack([rows[:, 0] + rows[:, 1], rows[:, 2] + rows[:, 3]], axis=1)
    possible = []
    for times in range(2, len(rows) + 1):
        if len(rows) % times == 0:
            sums = truth.reshape(times, -1, 2).sum(axis=1)
            if np.allclose(sums, sums[0]):
                possible.append(times)
    return possible


def _labelled_repeats(counts: Any) -> int | None:
    """Read how often items were tested from "repeat" labels, or recurring "fold" ones."""
    for label, count in (("repeat", len), ("fold", max)):
        if label in counts:
            return int(count(np.unique(np.atleast_1d(counts[label]), return_counts=True)[1]))
    return None


def _has_names(counts: object) -> bool:
    """Return whether counts have names, which makes their order free: a mapping or labelled."""
    if isinstance(counts, Mapping):
        return True
    return hasattr(counts, "keys") and any(isinstance(k, str) for k in counts.keys())  # noqa: SIM118


def _joint(joint: ArrayLike) -> np.ndarray:
    accepted = "counts of shape (2, 2, 2), by truth, first and second prediction"
    values = _array(joint, "joint", accepted)
    if values.shape != (2, 2, 2):
        raise must_be("joint", accepted, values)
    return values


def _array(counts: ArrayLike, name: str, accepted: str) -> np.ndarray:
    values = checks.read_numbers(counts, name, accepted)
    if not np.all(np.isfinite(values)) or np.any(values < 0):
        raise must(name, f"be {accepted}", "a count that is negative or not finite")
    return values


def _table(predictions: object) -> np.ndarray:
    accepted = "truth, first and second prediction, three vectors of 0 and 1 of one length"
    if isinstance(predictions, Sequence) and len(predictions) == 3:
        check_paired(**dict(zip(("truth", "first", "second"), predictions, strict=True)))
    rows = predictions if isinstance(predictions, Sequence) else np.atleast_1d(predictions)  # type: ignore[call-overload]
    vectors = [np.asarray(v) for v in rows]
    if len(vectors) != 3 or len({v.shape for v in vectors}) != 1 or vectors[0].ndim != 1:
        raise must_be("predictions", accepted, predictions)
    values = np.stack(vectors)
    if not np.all(np.isin(values, (0, 1))) or not values.size:
        raise must("predictions", f"be {accepted}", "something other than 0 and 1")
    values = values.astype(int)
    cells = (values * np.array([[4], [2], [1]])).sum(axis=0)
    return np.bincount(cells, minlength=8).astype(float).reshape(2, 2, 2)


# Metrics of confusion counts, by name or as functions.


@dataclass(frozen=True, eq=False)
class CountMetric:
    """A function of (tp, fn, fp, tn); `by_name` is True if its name is enough to find it again."""

    name: str
    function: Callable[..., Any]
    direction: _metrics.Direction
    by_name: bool = True


def chosen_metrics(metric: Any, lower: Any = None) -> tuple[CountMetric, ...]:
    """Return the metrics by name or function, with their directions."""
    accepted = "a name, a function of tp, fn, fp, tn, or a sequence of them"
    single = isinstance(metric, str) or callable(metric)
    if not single and not hasattr(metric, "__iter__"):
        raise must_be("metric", accepted, metric)
    wanted = [metric] if single else list(metric)
    if not wanted:
        raise must_be("metric", accepted, wanted)
    labels = [getattr(m, "__name__", str(m)) for m in wanted]
    flags = [None] * len(wanted) if lower is None else flags_of("lower_is_better", lower, labels)
    metrics = [_one_metric(m, low) for m, low in zip(wanted, flags, strict=True)]
    names = [m.name for m in metrics]
    if len(set(names)) < len(names):
        raise must("metric", "have names that differ", repr(names))
    return tuple(metrics)


def _one_metric(metric: object, lower: bool | None) -> CountMetric:
    if callable(metric):
        name = getattr(metric, "__name__", "metric")
        name = "metric" if name == "<lambda>" else name
        way = _metrics.Direction(name, bool(lower), "assumed" if lower is None else "declared")
        return CountMetric(name, metric, way, by_name=False)
    known = _metrics.canonical_rate(str(metric))
    if known is None and isinstance(metric, str) and metric in COUNTS:
        function: Callable[..., Any] = partial(_count, COUNTS.index(metric))
    elif known is None:
        raise unknown_name("metric", metric, (*_metrics.rates(), *COUNTS))
    else:
        function = partial(_metrics.rate, known)
    way = _metrics.direction(known or str(metric), lower)
    return CountMetric(str(metric), function, replace(way, metric=str(metric)))


def _count(place: int, *cells: np.ndarray) -> np.ndarray:
    """Return one of tp, fn, fp, tn itself."""
    return cells[place]


# Draws of the cells of confusion matrices, and of metrics of them.


def drawn_cells(counts: np.ndarray, prior: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """Draw expected (tp, fn, fp, tn) of both algorithms, shape (2, chain, draw, 4)."""
    rng = np.random.default_rng(seed)
    size = (CHAINS, -(-draws // CHAINS))
    if counts.ndim == 3:
        weights = joint_prior(prior)
        theta = rng.dirichlet((counts + weights).ravel(), size).reshape(*size, 2, 2, 2)
        tables = theta.sum(axis=-1), theta.sum(axis=-2)  # (..., truth, prediction)
        order = [(1, 1), (1, 0), (0, 1), (0, 0)]
        parts = [np.stack([t[..., i, j] for i, j in order], axis=-1) for t in tables]
        return np.stack(parts) * max(counts.sum(), 1.0)
    drawn = [rng.dirichlet(c + prior, size) * max(c.sum(), 1.0) for c in counts]
    return np.stack(drawn)


def joint_prior(prior: np.ndarray) -> np.ndarray:
    """Return weights of the eight cells (truth, first, second), independent within classes."""
    tp, fn, fp, tn = prior
    by_class = np.array([[tn, fp], [fn, tp]])  # truth, prediction
    outer = by_class[:, :, None] * by_class[:, None, :]
    return np.asarray(outer / by_class.sum(axis=1)[:, None, None])


def compare_metrics(cells: np.ndarray, chosen: Sequence[CountMetric]) -> dict[str, np.ndarray]:
    """Return draws of the metrics of both, and of their differences."""
    columns = []
    for m in chosen:
        values = np.asarray(m.function(*np.moveaxis(cells, -1, 0)), dtype=float)
        if values.shape != cells.shape[:-1]:
            raise must(
                f"metric {m.name!r}",
                "be a function of arrays tp, fn, fp, tn, element by element",
                f"shape {values.shape} for counts of shape {cells.shape[:-1]}",
                argument="metric",
            )
        if not np.all(np.isfinite(values)):
            raise must(
                f"metric {m.name!r}",
                "be finite in every draw",
                f"0/0 or an infinite value in {int((~np.isfinite(values)).sum())}",
                "Give another metric, or a prior with more weight in every cell.",
                argument="metric",
            )
        columns.append(values)
    both = np.stack(columns, axis=-1)
    signs = np.array([m.direction.sign for m in chosen])
    return {"first": both[0], "second": both[1], "delta": (both[1] - both[0]) * signs}


# Posterior of metrics of two confusion matrices, by Dirichlet draws.


#: Places of left, rope and right among the four regions, with one metric.
ONE_METRIC = [1, 0, 2]
#: Weights of the prior that a verdict is tried with.
WEIGHTS = (0.5, 1.0, 2.0)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ConfusionPosterior(Posterior):
    """Draws of one or several metrics of two algorithms, and of their differences.

    Attributes
    ----------
    values : mapping of str to ndarray of shape (chain, draw, p)
        "first" and "second", in the metrics' own directions, and "delta", second minus first,
        higher is better.
    counts : ndarray of shape (2, 4), or (2, 2, 2) where paired
        (tp, fn, fp, tn) of the two, or the joint table by truth, first and second prediction (0,
        1).
    prior : ndarray of shape (4,)
        The Dirichlet prior's weights of tp, fn, fp, tn.
    named : bool
        Whether all metrics were chosen by their names.
    own : tuple of CountMetric
        The user's functions, if any; empty if read from a file.

    Examples
    --------
    >>> from bayescmp.bayesian import confusion
    >>> posterior = confusion((40, 10, 5, 45), (45, 5, 5, 45), "accuracy", rope=0.01, seed=1)
    >>> round(posterior.verdict().p_right, 1)
    0.8
    >>> float(posterior.summary().loc[("accuracy", "difference"), "mean"].round(2))
    0.05
    """

    values: Mapping[str, np.ndarray] = field(
        metadata=about(group="posterior", variables=("first", "second", "delta"))
    )
    counts: np.ndarray = field(metadata=about(least=0))
    prior: np.ndarray = field(metadata=about("count", over=0))
    named: bool
    own: tuple[CountMetric, ...] = field(default=(), metadata=about(saved=False))

    model: Model = Model(
        kind="confusion",
        method="Bayesian comparison of confusion matrices",
        reference="Caelen 2017, Tötsch & Hoffmann 2020",
        quantity="difference",
        target="items like those of the test set",
        shows=("regions", "density"),
        unplanned=(
            "It has the counts of one test set, not its items. Use both models' answers to each "
            "item: the posterior of bayescmp.bayesian.paired_proportions has .plan()."
        ),
        dims=dict.fromkeys(("first", "second", "delta"), ("metric",)),
    )

    @property
    def fixed(self) -> Mapping[str, str]:
        """The settings that a sensitivity analysis cannot vary, with reasons."""
        unknown = {} if self.chosen else {"prior": "the file does not hold the metrics' functions"}
        return {**unknown, "rho": "items are independent"}

    @property
    def paired(self) -> bool:
        """Whether the joint table of both algorithms' predictions is known."""
        return self.counts.ndim == 3

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws, shape (chain, draw, p)."""
        return self.values

    @property
    def prior_text(self) -> str:
        """The prior in words."""
        weights = ", ".join(f"{format_exactly(w)}" for w in self.prior)
        split = ", of both, as if they were independent within a class" if self.paired else ""
        return f"Dirichlet({weights}) on tp, fn, fp, tn{split}"

    def _weigh_regions(self, rope: Ropes) -> Json:
        """Weigh the regions by shares of the draws: three with one metric, four with several."""
        weighed = weigh_draws(self.values["delta"], rope, independent=True)
        if self.p == 1:
            weighed |= {k: weighed[k][ONE_METRIC] for k in ("p", "errors")}
            weighed |= {"shape": THREE, "rope": rope[0]}
        return weighed

    def _vary(self, datasets: bool, refit: bool) -> Iterator[Variation]:
        """Yield other weights of the prior, the same in each cell: 1/2 (Jeffreys'), 1 and 2."""
        for weight in WEIGHTS if self.chosen else ():
            if (self.prior != weight).any():
                other = self._with_prior(np.full(4, weight))
                yield "prior", f"{weight:g} in each cell", probabilities_of(other)

    def _with_prior(self, prior: np.ndarray) -> ConfusionPosterior:
        """Draw as many under another prior."""
        size = self.values["delta"][..., 0].size
        cells = drawn_cells(self.counts, prior, size, self.seed)
        return replace(self, prior=prior, values=compare_metrics(cells, self.chosen))

    def summary(self) -> pd.DataFrame:
        """Metrics of the two and their difference: mean, sd, median, central 95% interval."""
        rows = {
            (metric, name): summarise_draws(self.values[part][..., j])
            for j, metric in enumerate(self.metrics)
            for part, name in (
                ("first", self.names[0]),
                ("second", self.names[1]),
                ("delta", "difference"),
            )
        }
        return summary_frame(rows, self.measured).rename_axis(["metric", "of"])

    def density(self) -> tuple[np.ndarray, np.ndarray]:
        """Return a kernel estimate of the density of the first metric's difference."""
        return kernel_density(self.values["delta"][..., 0])

    def figure_size(self) -> tuple[float, float]:
        """Width and height in inches that `plot` needs: the density's with one metric."""
        return (3.4, 2.3) if self.p == 1 else super().figure_size()

    @property
    def data_details(self) -> str:
        """The number of items, and whether they are paired."""
        items = round(float(self.counts.sum() if self.paired else self.counts[0].sum()))
        how = "paired item by item" if self.paired else "not paired: taken as independent"
        return f"{format_count(items, 'item')}, {how}"

    @cached_property
    def chosen(self) -> tuple[CountMetric, ...]:
        """The metrics; empty if they were functions and the posterior was read from a file."""
        if not self.named:
            return self.own
        known = chosen_metrics([d.metric for d in self.directions])
        pairs = zip(known, self.directions, strict=True)
        return tuple(replace(metric, direction=d) for metric, d in pairs)

    @property
    def labels(self) -> dict[str, Any]:
        """The counts of a prior."""
        return {"count": ["tp", "fn", "fp", "tn"]}


def confusion(
    counts_first: Any = None,
    counts_second: Any = None,
    metric: object = "accuracy",
    *,
    rope: RopesLike | None = None,
    prior: Any = 1.0,
    joint: Any = None,
    predictions: object = None,
    repeats: int | None = None,
    names: Sequence[str] | None = None,
    lower_is_better: bool | Sequence[bool] | None = None,
    draws: int = 50_000,
    seed: Seed = None,
) -> ConfusionPosterior:
    """Bayesian comparison of two classifiers by their confusion counts on one test set.

    (tp, fn, fp, tn) are multinomial with posterior Dirichlet(prior + counts), whose draws give the
    posterior of any metric. If predictions are known item by item, the eight cells of (truth,
    first, second) are drawn jointly, so that shared errors cancel in the difference. Otherwise the
    two are treated as independent, which is too cautious if they err on the same items.

    Parameters
    ----------
    counts_first, counts_second : array_like of shape (4,) or (m, 4), mapping, Series or DataFrame
        tp, fn, fp, tn of each, by name or in this order; rows of several test sets are added up,
        and divided by ``repeats``. Not needed with ``joint`` or ``predictions``.
    metric : str, callable, or sequence of them
        By name (see `bayescmp.scores.metrics.rates`) or a function of arrays tp, fn, fp, tn, the
        expected counts. Several metrics give a verdict over four regions.
    rope : float, sequence or mapping of metric to rope, optional
        Regions of practical equivalence, in units of the metrics; by default the direction is
        judged.
    prior : float or array_like of shape (4,)
        Weights of the Dirichlet prior, > 0: 1 is uniform, 1/2 Jeffreys'.
    joint : array_like of shape (2, 2, 2), optional
        Items by truth, first and second prediction, each 0 (negative) or 1 (positive).
    predictions : (truth, first, second), optional
        Three vectors of 0 and 1, item by item, instead of ``joint``.
    repeats : int, optional
        How often each item was tested, by which counts are divided. By default read from a column
        "repeat" or recurring "fold" labels, or 1 if rows cannot be repeats (which have the same
        positives and negatives); required if they might be.
    names : (str, str), optional
    lower_is_better : bool or sequence of bool, optional
        One per metric; by default taken from the metrics' names, False for functions.
    draws : int
        Number of draws.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers.

    Returns
    -------
    ConfusionPosterior

    Raises
    ------
    InputError
        Bad counts; rows that may be repeats; a joint table that contradicts them; predictions
        other than 0 and 1; an unknown metric, or one that is 0/0 in some draw; bad options.

    Notes
    -----
    The posterior is about new items and these two trained classifiers, not about other training
    sets; for these see `multivariate_t` and `groups`.

    References
    ----------
    Caelen (2017), Annals of Mathematics and Artificial Intelligence 81:429-450; Tötsch & Hoffmann
    (2020), PeerJ Computer Science 7:e398.

    See Also
    --------
    bayescmp.frequentist.sign_test, multivariate_t

    Examples
    --------
    >>> from bayescmp.bayesian import confusion
    >>> first, second = (40, 10, 5, 45), (45, 5, 5, 45)
    >>> posterior = confusion(first, second, "accuracy", rope=0.01, seed=1)
    >>> posterior.verdict().ranked[0]
    'right'
    """
    counts, notes = read_counts(counts_first, counts_second, joint, predictions, repeats)
    weights, number = _prior(prior), checks.seed_of(seed)
    chosen = chosen_metrics(metric, lower_is_better)
    labels = tuple(m.name for m in chosen)
    size = checks.check_whole("draws", draws, least=100)
    values = compare_metrics(drawn_cells(counts, weights, size, number), chosen)
    return ConfusionPosterior(
        values=values,
        counts=counts,
        prior=weights,
        named=all(metric.by_name for metric in chosen),
        own=chosen,
        metrics=labels,
        metric=", ".join(labels),
        directions=tuple(m.direction for m in chosen),
        rope=as_ropes(rope, labels),
        names=checks.check_names(names),
        **name_closed_form(),
        seed=number,
        notes=notes,
    )


# Reading.


def _prior(prior: ArrayLike) -> np.ndarray:
    accepted = "a weight over 0, or four of tp, fn, fp, tn"
    weights = checks.read_numbers(checks.by_name("prior", prior, COUNTS), "prior", accepted)
    if weights.shape not in ((), (4,)) or not np.all((weights > 0) & np.isfinite(weights)):
        raise must_be("prior", accepted, prior)
    return np.array(np.broadcast_to(weights, (4,)))
