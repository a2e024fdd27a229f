"""Two algorithms by their confusion counts on a test set: Dirichlet posteriors of any metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import checks
from bayescmp import metrics as _metrics
from bayescmp import rates as _rates
from bayescmp._version import built_in
from bayescmp.bayesian.confusion.posterior import ConfusionPosterior
from bayescmp.diagnostics import Diagnostics
from bayescmp.errors import InputError, unknown_name
from bayescmp.verdict import as_ropes

__all__ = ["confusion"]

COUNTS = _rates.COUNTS
CHAINS = 4


@dataclass(frozen=True, eq=False)
class _Metric:
    """A function of (tp, fn, fp, tn), with its name and direction."""

    name: str
    function: Callable[..., Any]
    sign: float


def confusion(
    counts_first: Any = None,
    counts_second: Any = None,
    metric: Any = "accuracy",
    *,
    rope: Any,
    prior: Any = 1.0,
    joint: Any = None,
    predictions: Any = None,
    names: Sequence[str] | None = None,
    lower_is_better: bool | Sequence[bool] | None = None,
    draws: int = 50_000,
    seed: Any = None,
) -> ConfusionPosterior:
    """Bayesian comparison of two classifiers by their confusion counts on one test set.

    (tp, fn, fp, tn) are multinomial; with a Dirichlet(prior) prior their probabilities have the
    posterior Dirichlet(prior + counts), and any metric that is a function of them has one by
    draws. Where the two classifiers' predictions are known item by item, the eight cells of
    (truth, first, second) are drawn jointly, so that what they share cancels in the difference;
    without them the two are taken as independent, which is too cautious where they err on the same
    items.

    Parameters
    ----------
    counts_first, counts_second : array_like of shape (4,) or (m, 4), mapping, Series or DataFrame
        tp, fn, fp, tn of each, by name where they have names; the rows of several test sets
        without common items are added up. Not needed with ``joint`` or ``predictions``.
    metric : str, callable, or sequence of them
        By name ("accuracy", "tpr", "f1", "mcc", ...; see `bayescmp.rates.rates`) or a function of
        arrays tp, fn, fp, tn, which are expected counts on as many items as there were. Several
        metrics give a verdict over four regions.
    rope : float, sequence or mapping of metric to rope
        Region of practical equivalence, in units of the metric; one a metric.
    prior : float or array_like of shape (4,)
        Weights of the Dirichlet prior, > 0: 1 is uniform, 1/2 Jeffreys'.
    joint : array_like of shape (2, 2, 2), optional
        Items by truth, first and second prediction, each 0 (negative) or 1 (positive).
    predictions : (truth, first, second), optional
        Three vectors of 0 and 1, item by item, in place of ``joint``.
    names : (str, str), optional
        The two algorithms.
    lower_is_better : bool or sequence of bool, optional
        One a metric; as the metrics' names tell if not given, False for functions.
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
        Counts that are negative, not finite or not four; a joint table that contradicts them;
        predictions other than 0 and 1; an unknown metric, or one that is 0/0 in some draw; a bad
        prior, rope, number of draws or seed.

    Notes
    -----
    The posterior speaks of new items for the classifiers as they are: it does not contain how they
    would vary with another training set, for which see `multivariate_t` and `groups`. Repeated
    cross-validation tests the same items again and again: adding up its counts would claim more
    items than there are.

    References
    ----------
    Caelen (2017), A Bayesian interpretation of the confusion matrix, Annals of Mathematics and
    Artificial Intelligence 81:429-450; Tötsch & Hoffmann (2020), Classifier uncertainty: evidence,
    potential impact, and probabilistic treatment, PeerJ Computer Science 7:e398.

    See Also
    --------
    bayescmp.frequentist.sign_test : Of the items on which one of the two errs (McNemar's test).
    multivariate_t : Which allows for other training sets.

    Examples
    --------
    >>> from bayescmp.bayesian import confusion
    >>> first, second = (40, 10, 5, 45), (45, 5, 5, 45)
    >>> posterior = confusion(first, second, "accuracy", rope=0.01, seed=1)
    >>> posterior.verdict().ranked[0]
    'right'
    """
    counts, notes = _read(counts_first, counts_second, joint, predictions)
    weights, number = _prior(prior), checks.seed_of(seed)
    chosen = _chosen(metric, lower_is_better)
    labels = tuple(m.name for m in chosen)
    values = _values(
        _cells(counts, weights, checks.whole("draws", draws, least=100), number), chosen
    )
    return ConfusionPosterior(
        values=values, counts=counts, prior=weights, metrics=labels, metric=", ".join(labels),
        rope=as_ropes(rope, labels), names=checks.names(names),
        engine="exact", engine_version=built_in(), diagnostics=Diagnostics(exact=True),
        seed=number, notes=notes,
    )  # fmt: skip


def _cells(counts: np.ndarray, prior: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """Draws of expected (tp, fn, fp, tn) of both algorithms, shape (2, chain, draw, 4)."""
    rng = np.random.default_rng(seed)
    size = (CHAINS, -(-draws // CHAINS))
    if counts.ndim == 3:
        # a cell of one algorithm's table is two of the joint one: half of its prior weight each
        tp, fn, fp, tn = prior / 2
        by_first = np.array([[[tn, tn], [fp, fp]], [[fn, fn], [tp, tp]]])
        theta = rng.dirichlet((counts + by_first).ravel(), size).reshape(*size, 2, 2, 2)
        tables = theta.sum(axis=-1), theta.sum(axis=-2)  # (..., truth, prediction)
        order = [(1, 1), (1, 0), (0, 1), (0, 0)]
        parts = [np.stack([t[..., i, j] for i, j in order], axis=-1) for t in tables]
        return np.stack(parts) * counts.sum()
    drawn = [rng.dirichlet(c + prior, size) * max(c.sum(), 1.0) for c in counts]
    return np.stack(drawn)


def _values(cells: np.ndarray, chosen: Sequence[_Metric]) -> dict[str, np.ndarray]:
    """Draws of the metrics of both, and of their differences."""
    columns = []
    for m in chosen:
        found = np.asarray(m.function(*np.moveaxis(cells, -1, 0)), dtype=float)
        if found.shape != cells.shape[:-1]:
            raise InputError(
                f"metric {m.name!r} gives shape {found.shape} for counts of shape "
                f"{cells.shape[:-1]}; accepted: a function of arrays tp, fn, fp, tn, element by "
                "element"
            )
        if not np.all(np.isfinite(found)):
            raise InputError(
                f"metric {m.name!r} is 0/0 or infinite in {int((~np.isfinite(found)).sum())} "
                "draws; give another metric, or a prior with more weight in every cell"
            )
        columns.append(found)
    both = np.stack(columns, axis=-1)
    signs = np.array([m.sign for m in chosen])
    return {"first": both[0], "second": both[1], "delta": (both[1] - both[0]) * signs}


# -- reading -----------------------------------------------------------------------------------


def _read(first: Any, second: Any, joint: Any, predictions: Any) -> tuple[np.ndarray, Any]:
    """Counts of shape (2, 4), or the joint table (2, 2, 2), and what to say of them."""
    if joint is not None and predictions is not None:
        raise InputError("joint and predictions say the same: give one of them")
    if joint is None and predictions is None:
        if first is None or second is None:
            raise InputError(
                "counts_first and counts_second are needed (tp, fn, fp, tn of each), or joint, or "
                "predictions"
            )
        note = ("the two are taken as independent: give joint or predictions for what they share",)
        return np.stack([_four(first, "counts_first"), _four(second, "counts_second")]), note
    table = _table(predictions) if joint is None else _joint(joint)
    for given, axis, name in ((first, 2, "counts_first"), (second, 1, "counts_second")):
        own = table.sum(axis=axis)
        expected = np.array([own[1, 1], own[1, 0], own[0, 1], own[0, 0]])
        if given is not None and not np.allclose(_four(given, name), expected):
            raise InputError(
                f"{name} is {_four(given, name).tolist()}, but the joint table has (tp, fn, fp, "
                f"tn) = {expected.tolist()}"
            )
    return table, ()


def _four(counts: Any, name: str) -> np.ndarray:
    accepted = "four counts tp, fn, fp, tn, or rows of them"
    if _has_names(counts):
        missing = [c for c in COUNTS if c not in counts]
        if missing:
            raise InputError(f"{name} has no {missing[0]!r}; accepted: {accepted}")
        counts = np.stack([np.asarray(counts[c]) for c in COUNTS], axis=-1)
    values = _array(counts, name, accepted)
    if values.ndim not in (1, 2) or values.shape[-1] != 4:
        raise InputError(f"{name} has shape {values.shape}; accepted: {accepted}")
    return np.atleast_2d(values).sum(axis=0)


def _has_names(counts: Any) -> bool:
    """Whether counts are told by name: a mapping, or a Series or DataFrame with such labels.

    Their order then says nothing: sklearn's, for one, is tn, fp, fn, tp.
    """
    if isinstance(counts, Mapping):
        return True
    return hasattr(counts, "keys") and any(isinstance(k, str) for k in counts.keys())  # noqa: SIM118


def _joint(joint: Any) -> np.ndarray:
    accepted = "counts of shape (2, 2, 2), by truth, first and second prediction"
    values = _array(joint, "joint", accepted)
    if values.shape != (2, 2, 2):
        raise InputError(f"joint has shape {values.shape}; accepted: {accepted}")
    return values


def _array(counts: ArrayLike, name: str, accepted: str) -> np.ndarray:
    values = checks.numbers(counts, name, accepted)
    if not np.all(np.isfinite(values)) or np.any(values < 0):
        raise InputError(
            f"{name} holds a count that is negative or not finite; accepted: {accepted}"
        )
    return values


def _table(predictions: Any) -> np.ndarray:
    accepted = "accepted: truth, first and second prediction, three vectors of 0 and 1"
    vectors = [np.asarray(v) for v in predictions] if isinstance(predictions, Sequence) else (
        list(np.atleast_1d(np.asarray(predictions))))  # fmt: skip
    if len(vectors) != 3 or len({v.shape for v in vectors}) != 1 or vectors[0].ndim != 1:
        raise InputError(f"predictions are not three vectors of one length; {accepted}")
    values = np.stack(vectors)
    if not np.all(np.isin(values, (0, 1))) or not values.size:
        raise InputError(f"predictions hold something other than 0 and 1; {accepted}")
    values = values.astype(int)
    cells = (values * np.array([[4], [2], [1]])).sum(axis=0)
    return np.bincount(cells, minlength=8).astype(float).reshape(2, 2, 2)


def _prior(prior: ArrayLike) -> np.ndarray:
    accepted = "a weight > 0, or four of tp, fn, fp, tn"
    weights = checks.numbers(prior, "prior", accepted)
    if weights.shape not in ((), (4,)) or not np.all((weights > 0) & np.isfinite(weights)):
        raise InputError(f"prior={prior!r}; accepted: {accepted}")
    return np.array(np.broadcast_to(weights, (4,)))


def _chosen(metric: Any, lower: Any) -> list[_Metric]:
    """The metrics by name or function, with their directions."""
    accepted = "accepted: a name, a function of tp, fn, fp, tn, or a sequence of them"
    single = isinstance(metric, str) or callable(metric)
    if not single and not hasattr(metric, "__iter__"):
        raise InputError(f"metric={metric!r}; {accepted}")
    wanted = [metric] if single else list(metric)
    if not wanted:
        raise InputError(f"metric is an empty sequence; {accepted}")
    flags = [lower] * len(wanted) if lower is None or isinstance(lower, bool) else list(lower)
    if len(flags) != len(wanted):
        raise InputError(f"lower_is_better has {len(flags)} for {len(wanted)} metrics")
    found = [_one_metric(m, low) for m, low in zip(wanted, flags, strict=True)]
    names = [m.name for m in found]
    if len(set(names)) < len(names):
        raise InputError(f"metric names {names!r} are not different")
    return found


def _one_metric(metric: Any, lower: bool | None) -> _Metric:
    if callable(metric):
        name = getattr(metric, "__name__", "metric")
        return _Metric("metric" if name == "<lambda>" else name, metric, -1.0 if lower else 1.0)
    known = _rates.canonical(str(metric))
    if known is None and metric in COUNTS:
        function: Callable[..., Any] = partial(_count, COUNTS.index(metric))
    elif known is None:
        raise unknown_name("metric", metric, (*_rates.rates(), *COUNTS))
    else:
        function = partial(_rates.rate, known)
    low = _metrics.lower_is_better(known or metric) if lower is None else lower
    return _Metric(str(metric), function, -1.0 if low else 1.0)


def _count(place: int, *cells: np.ndarray) -> np.ndarray:
    """One of tp, fn, fp, tn itself."""
    return cells[place]
