"""Differences of two algorithms in several metrics on several data sets, read and checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayescmp.blocks import Blocks, scores_blocks
from bayescmp.differences import check_names, check_rho, smallest_step
from bayescmp.errors import InputError
from bayescmp.scores import Scores

__all__ = ["Rows", "pair_blocks", "read_rows"]


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
    """

    x: tuple[np.ndarray, ...]
    rho: np.ndarray
    datasets: tuple[str, ...]
    metrics: tuple[str, ...]
    names: tuple[str, str]
    step: np.ndarray

    @property
    def n(self) -> np.ndarray:
        """Folds on each data set, shape (q,)."""
        return np.array([len(x) for x in self.x])

    def take(self, order: np.ndarray) -> Rows:
        """The data sets in another order."""
        return replace(
            self, x=tuple(self.x[i] for i in order), rho=self.rho[order],
            datasets=tuple(self.datasets[i] for i in order), step=self.step[order],
        )  # fmt: skip


def pair_blocks(
    scores: Scores, first: str, second: str, *, metrics: Iterable[str] | None = None,
    datasets: Iterable[str] | None = None, rho: float | None = None,
) -> list[Blocks]:  # fmt: skip
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
    """
    wanted = list(metrics) if metrics is not None and not isinstance(metrics, str) else metrics
    chosen = scores.datasets if datasets is None else list(datasets)
    return [
        scores_blocks(scores, metrics=wanted, dataset=d, algorithms=(first, second), rho=rho)
        for d in chosen
    ]


def read_rows(
    xs: Any, rho: Any, names: Sequence[str] | None, metrics: Sequence[str] | None,
    datasets: Sequence[str] | None, resolution: Any,
) -> Rows:  # fmt: skip
    """Differences from a list of arrays or of `Blocks`, checked.

    Raises
    ------
    InputError
        One data set, n_i <= p, missing or infinite differences, data sets that differ in metrics
        or algorithms, rho missing or outside [0, 1), names that don't fit.
    """
    if isinstance(xs, (str, bytes, Scores, Blocks)) or not hasattr(xs, "__len__") or not len(xs):
        raise InputError(
            f"xs is {type(xs).__name__}; accepted: one (n, p) array or Blocks of two algorithms a "
            "data set; for Scores give pair_blocks(scores, first, second, metrics=...)"
        )
    blocks = isinstance(xs[0], Blocks)
    found = _from_blocks(xs, rho) if blocks else _from_arrays(xs, rho)
    p, q = found["x"][0].shape[1], len(xs)
    labels = {k: given if given is not None else found.get(k) for k, given in
              (("names", names), ("metrics", metrics), ("datasets", datasets))}  # fmt: skip
    rows = Rows(
        x=found["x"], rho=np.array(np.broadcast_to(check_rho(found["rho"], q), (q,))),
        datasets=_labels("datasets", labels["datasets"], "", q),
        metrics=_labels("metrics", labels["metrics"], "m", p),
        names=check_names(labels["names"] or ("first", "second")),
        step=_resolution(resolution, found.get("step"), q, p),
    )  # fmt: skip
    _check_rows(rows)
    return rows


def _from_arrays(xs: Any, rho: Any) -> dict[str, Any]:
    accepted = "accepted: a sequence of (n_i, p) arrays, p the same for all"
    try:
        x = tuple(np.array(v, dtype=float) for v in xs)
    except (TypeError, ValueError):
        raise InputError(f"xs holds something that is no array of numbers; {accepted}") from None
    for i, v in enumerate(x):
        if v.ndim != 2 or 0 in v.shape or v.shape[1] != x[0].shape[1]:
            raise InputError(f"xs has shape {v.shape} for data set {i + 1}; {accepted}")
    if rho is None:
        raise InputError(
            "rho is missing: bare numbers do not tell how strongly folds overlap. Give "
            "rho=1/folds for (repeated) cross-validation, or n_test/(n_train + n_test) for "
            "random splits; rho=0 for independent test sets"
        )
    return {"x": x, "rho": rho}


def _from_blocks(xs: Sequence[Any], rho: Any) -> dict[str, Any]:
    head = xs[0]
    for b in xs:
        if not isinstance(b, Blocks) or b.L != 2:
            told = f"Blocks of {b.L} algorithms" if isinstance(b, Blocks) else type(b).__name__
            raise InputError(f"xs holds {told}; accepted: Blocks of two, see Blocks.pair")
        if b.metrics != head.metrics or b.algorithms != head.algorithms:
            raise InputError(
                f"data set {b.dataset!r} has {_told(b)}, data set {head.dataset!r} {_told(head)}; "
                "all need the same"
            )
    steps = [[smallest_step(b.x[..., k]) for k in range(head.p)] for b in xs]
    return {
        "x": tuple(b.differences() for b in xs), "names": head.algorithms,
        "rho": [b.rho for b in xs] if rho is None else rho, "metrics": head.metrics,
        "datasets": [b.dataset for b in xs], "step": np.array(steps),
    }  # fmt: skip


def _told(b: Blocks) -> str:
    return f"{', '.join(b.metrics)} of {' and '.join(b.algorithms)}"


def _labels(what: str, given: Any, letter: str, size: int) -> tuple[str, ...]:
    if given is None:
        return tuple(f"{letter}{i + 1}" for i in range(size))
    labels = tuple(str(g) for g in given)
    if len(labels) != size or len(set(labels)) < size:
        raise InputError(f"{what}={given!r}; accepted: {size} different names")
    return labels


def _resolution(given: Any, seen: np.ndarray | None, q: int, p: int) -> np.ndarray:
    if given is None:
        return np.full((q, p), np.nan) if seen is None else seen
    try:
        values = np.array(np.broadcast_to(np.asarray(given, dtype=float), (q, p)))
    except (TypeError, ValueError):
        values = np.array([[-1.0]])
    if np.any(values <= 0) or np.any(np.isinf(values)):
        raise InputError(
            f"resolution={given!r}; accepted: a positive step, one, one a metric, or (q, p), NaN "
            "where unknown"
        )
    return values


def _check_rows(rows: Rows) -> None:
    p = len(rows.metrics)
    for name, x in zip(rows.datasets, rows.x, strict=True):
        bad = np.argwhere(~np.isfinite(x))
        if len(bad):
            kind = "missing (NaN)" if np.isnan(x[tuple(bad[0])]) else "infinite"
            raise InputError(
                f"xs is {kind} for metric {rows.metrics[bad[0][1]]!r} on data set {name!r} in "
                f"fold {bad[0][0] + 1} (and {len(bad) - 1} more); every fold needs a finite score "
                "of both"
            )
    if len(rows.x) < 2:
        raise InputError(
            "xs has one data set only, which tells nothing of how data sets differ: use "
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
