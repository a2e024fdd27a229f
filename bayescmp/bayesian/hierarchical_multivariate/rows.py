"""Differences of two algorithms in several metrics on several data sets, read and checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.declare import SCORES, declare, names, optional
from bayescmp.base.magnitudes import check_size, smallest_step
from bayescmp.base.typing import Json
from bayescmp.errors import InputError
from bayescmp.scores.blocks import UNNAMED, Blocks, common_datasets, scored_metrics, scores_blocks
from bayescmp.scores.differences import labels_of, own_labels
from bayescmp.scores.metrics import Direction
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.resampling import explain_rho
from bayescmp.scores.scores import Scores


@dataclass(frozen=True, eq=False)
class Rows:
    """Differences of two algorithms in p metrics on q data sets, second minus first.

    Attributes
    ----------
    x : tuple of q ndarrays of shape (n_i, p)
        Positive where the second is better.
    rho : ndarray of shape (q,)
        Correlation of two folds' differences.
    datasets, metrics : tuple of str
        Their names.
    names : (str, str)
        The first and the second algorithm.
    step : ndarray of shape (q, p)
        Resolution of each metric on each data set; NaN where unknown.
    directions : tuple of Direction
        Which way each metric is better; empty for plain numbers.
    resampling : str
        The correlation of folds and its reason.
    left_out : LeftOut or None
        What had no partner, where only common folds are compared.
    """

    x: tuple[np.ndarray, ...]
    rho: np.ndarray
    datasets: tuple[str, ...]
    metrics: tuple[str, ...]
    names: tuple[str, str]
    step: np.ndarray
    directions: tuple[Direction, ...] = ()
    resampling: str = ""
    left_out: LeftOut | None = None

    @property
    def n(self) -> np.ndarray:
        """Folds on each data set, shape (q,)."""
        return np.array([len(x) for x in self.x])

    def described(self) -> Json:
        """What a posterior keeps of where its numbers come from."""
        return {
            "datasets": self.datasets,
            "n": self.n,
            "names": self.names,
            "metrics": self.metrics,
            "metric": ", ".join(self.metrics),
            "directions": self.directions,
            "resampling": self.resampling,
            "left_out": self.left_out,
        }

    def take(self, order: np.ndarray) -> Rows:
        """The data sets in another order."""
        return replace(
            self,
            x=tuple(self.x[i] for i in order),
            rho=self.rho[order],
            datasets=tuple(self.datasets[i] for i in order),
            step=self.step[order],
        )


@declare(scores=SCORES, metrics=optional(names), datasets=optional(names))
def pair_blocks(
    scores: Scores,
    first: str,
    second: str,
    *,
    metrics: Iterable[str] | None = None,
    datasets: Iterable[str] | None = None,
    rho: float | None = None,
) -> list[Blocks]:
    """Two algorithms' scores in several metrics on every data set, for the hierarchical test.

    Parameters
    ----------
    scores : Scores
        The table.
    first, second : str
        The two algorithms.
    metrics, rho
        As for `scores_blocks`.
    datasets : iterable of str, optional
        All if not given.

    Returns
    -------
    list of Blocks
        Of a table that was read with missing="common": of the data sets that both algorithms have
        a fold of in common; ``left_out`` of each block says what was left out of all.

    See Also
    --------
    hierarchical_multivariate_t

    Examples
    --------
    >>> import pandas as pd
    >>> import bayescmp as bc
    >>> rows = [
    ...     {"dataset": d, "algorithm": a, "fold": f, "tpr": 0.8 + 0.01 * f, "auc": 0.9 - 0.01 * f}
    ...     for d in ("iris", "wine") for a in ("knn", "gbm") for f in range(1, 6)
    ... ]
    >>> blocks = bc.bayesian.pair_blocks(bc.Scores(pd.DataFrame(rows)), "knn", "gbm")
    >>> [(b.dataset, b.x.shape, b.rho) for b in blocks]
    [('iris', (2, 5, 2), 0.2), ('wine', (2, 5, 2), 0.2)]
    """
    chosen = list(scores.datasets if datasets is None else datasets)
    known = scored_metrics(scores) if metrics is None else list(metrics)
    run, alone = common_datasets(scores, known, (first, second), chosen)
    blocks = [
        scores_blocks(scores, metrics=metrics, dataset=d, algorithms=(first, second), rho=rho)
        for d in run
    ]
    left_out = LeftOut.joined([*(b.left_out for b in blocks), alone])
    return [replace(b, left_out=left_out) for b in blocks] if left_out else blocks


def read_rows(
    xs: Sequence[Any],
    rho: ArrayLike | None,
    names: Iterable[str] | None,
    metrics: Sequence[str] | None,
    datasets: Sequence[str] | None,
    resolution: ArrayLike | None,
) -> Rows:
    """Return differences from a list of arrays or of `Blocks`, checked."""
    unordered = (str, bytes, Scores, Blocks, Mapping, Set)
    if (
        isinstance(xs, unordered)
        or not hasattr(xs, "__len__")
        or hasattr(xs, "keys")
        or not len(xs)
    ):
        raise InputError(
            f"xs is {type(xs).__name__}; accepted: one (n, p) array or Blocks of two algorithms a "
            "data set; for Scores give pair_blocks(scores, first, second, metrics=...)"
        )
    blocks = isinstance(xs[0], Blocks)
    if blocks:
        rows = _from_blocks(xs, rho, names, metrics, datasets)
    else:
        rows = _from_arrays(xs, rho, names, metrics, datasets)
    if resolution is not None:
        shape = len(rows.x), len(rows.metrics)
        given = checks.by_name("resolution", resolution, rows.metrics)
        rows = replace(rows, step=checks.steps(given, shape, "one per metric, or (q, p)"))
    _check_rows(rows)
    return rows


def _from_arrays(
    xs: Sequence[ArrayLike],
    rho: ArrayLike | None,
    names: Iterable[str] | None,
    metrics: Sequence[str] | None,
    datasets: Sequence[str] | None,
) -> Rows:
    accepted = "a sequence of (n_i, p) arrays, p the same for all"
    own = {tuple(labels_of(v, 1) or ()) for v in xs}
    if len(own) > 1:
        raise InputError(f"xs has tables of other columns or another order; accepted: {accepted}")
    x = tuple(checks.numbers(v, "xs", accepted) for v in xs)
    for i, v in enumerate(x):
        if v.ndim != 2 or 0 in v.shape or v.shape[1] != x[0].shape[1]:
            raise InputError(f"xs has shape {v.shape} for data set {i + 1}; accepted: {accepted}")
    if rho is None:
        raise InputError(checks.RHO_MISSING)
    q, p = len(x), x[0].shape[1]
    labels = checks.labels("datasets", datasets, q)
    correlations = _each(rho, labels)
    return Rows(
        x,
        correlations,
        labels,
        own_labels("metrics", metrics, [*own.pop()] or None, p, "m"),
        checks.names(names),
        np.full((q, p), np.nan),
        resampling=explain_rho(correlations),
    )


def _from_blocks(
    xs: Sequence[Blocks],
    rho: ArrayLike | None,
    names: Iterable[str] | None,
    metrics: Sequence[str] | None,
    datasets: Sequence[str] | None,
) -> Rows:
    xs = [b.select(algorithms=names, metrics=metrics) if isinstance(b, Blocks) else b for b in xs]
    head = xs[0]
    for b in xs:
        if not isinstance(b, Blocks) or b.L != 2:
            what = f"Blocks of {b.L} algorithms" if isinstance(b, Blocks) else type(b).__name__
            raise InputError(f"xs holds {what}; accepted: Blocks of two, see Blocks.pair")
        if b.metrics != head.metrics or b.algorithms != head.algorithms:
            raise InputError(
                f"data set {b.dataset!r} has {_contents(b)}, data set {head.dataset!r} "
                f"{_contents(head)}; all need the same"
            )
    own_names = [b.dataset for b in xs]
    named = None if all(name == UNNAMED for name in own_names) else own_names
    labels = own_labels("datasets", datasets, named, len(xs))
    given = _each([b.rho for b in xs] if rho is None else rho, labels)
    own = rho is None and all(b.resampling is not None for b in xs)
    designs = [b.resampling for b in xs if b.resampling is not None] if own else None
    return Rows(
        x=tuple(b.differences() for b in xs),
        rho=given,
        datasets=labels,
        metrics=head.metrics,
        names=checks.names(head.algorithms),
        step=np.array([[smallest_step(b.x[..., k]) for k in range(head.p)] for b in xs]),
        directions=head.directions,
        resampling=explain_rho(given, designs),
        left_out=head.left_out,
    )


def _each(rho: ArrayLike, datasets: Sequence[str]) -> np.ndarray:
    given = checks.rho(checks.by_name("rho", rho, datasets), len(datasets))
    return np.array(np.broadcast_to(given, (len(datasets),)))


def _contents(b: Blocks) -> str:
    return f"{', '.join(b.metrics)} of {' and '.join(b.algorithms)}"


def _check_rows(rows: Rows) -> None:
    p = len(rows.metrics)
    for name, x in zip(rows.datasets, rows.x, strict=True):
        checks.finite(
            x,
            "xs",
            lambda at, name=name: (  # type: ignore[misc]
                f"metric {rows.metrics[at[1]]!r} on data set {name!r} in fold {at[0] + 1}"
            ),
            "every fold needs a finite score of both",
        )
    for metric, values in zip(rows.metrics, np.concatenate(rows.x).T, strict=True):
        check_size(values, f"xs, metric {metric!r}")
    if len(rows.x) < 2:
        raise InputError(
            "xs has only one data set, which says nothing about how data sets differ: use "
            "bayescmp.bayesian.multivariate_t for one data set"
        )
    short = [i for i, n in enumerate(rows.n) if n <= p]
    if short:
        i = short[0]
        raise InputError(
            f"data set {rows.datasets[i]!r} has {rows.n[i]} folds for {p} metrics ({len(short)} "
            "such); more folds than metrics are needed: leave out metrics, add repeats, or use "
            "bayescmp.bayesian.hierarchical_t metric by metric"
        )
