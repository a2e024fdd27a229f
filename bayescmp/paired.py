"""Differences of two algorithms from a table of scores: which folds, on which scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import scales
from bayescmp.checks import choice
from bayescmp.designs import given
from bayescmp.differences import Differences
from bayescmp.errors import InputError, unknown_name
from bayescmp.left_out import LeftOut
from bayescmp.pairing import starts_of
from bayescmp.rates import COUNTS
from bayescmp.resampling import Resampling
from bayescmp.rows import runs_of
from bayescmp.steps import rounding_noise, steps_of_runs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from bayescmp.checks import RhoLike
    from bayescmp.scores import Scores

__all__ = ["MISSING", "paired_differences", "rho_by_name"]

#: What to do where only one of the two algorithms has a score.
MISSING = ("error", "common")


def paired_differences(
    scores: Scores,
    first: str,
    second: str,
    metric: str,
    *,
    rho: RhoLike | None = None,
    scale: str = "difference",
    missing: str = "error",
) -> Differences:
    """Fold-by-fold differences of two algorithms; see `Scores.differences`."""
    choice("scale", scale, scales.SCALES)
    a, b, left_out = _rows(scores, first, second, metric, choice("missing", missing, MISSING))
    starts = starts_of(scores.pairing.dataset_codes[a])
    names = [scores.datasets[code] for code in scores.pairing.dataset_codes[a[starts]]]
    known, shown = scores.direction(metric), scales.label(metric, scale)
    lower = scores.lower_is_better(metric)
    designs = _designs(scores, first, names, rho, bool(left_out))
    values = np.stack([scores.values(metric, rows) for rows in (a, b)])
    worse, better = values[::-1] if lower else values
    rhos = [d.rho for d in designs]
    x, unit = scales.on_scale(
        scale, worse, better, starts, rhos, lambda i: scores.pairing.where(int(a[i]))
    )
    if scale == "difference":
        scales.warn_of_sizes(metric, values.mean(axis=0), starts, names)
    return Differences(
        runs_of(x, starts),
        rho=rhos,
        resampling=designs,
        names=(first, second),
        datasets=names,
        metric=shown,
        direction=replace(known, metric=shown),
        span=scores.span(metric) if scale == "difference" else None,
        resolution=_resolution(scores, metric, values, a, b, starts, scale) / unit,
        scale=scale,
        scores=(float(np.ptp(values)), float(np.abs(values).max())),
        left_out=left_out or None,
        noise=_noise(values, starts, scale) / unit,
    )


def rho_by_name(
    rho: RhoLike | None, datasets: Sequence[str], known: Sequence[str]
) -> ArrayLike | None:
    """The correlations of these data sets, from one number, one each, or a mapping of names.

    Parameters
    ----------
    rho : float, array_like of shape (q,) or mapping of data set to float
    datasets : sequence of str
        The q data sets that are compared.
    known : sequence of str
        All data sets of the table, of which the mapping may name more.

    Raises
    ------
    InputError
        A name that is not in the table, a data set that the mapping leaves out.
    """
    if not isinstance(rho, Mapping):
        return rho
    by_name = {str(name): value for name, value in rho.items()}
    for name in by_name:
        if name not in known:
            raise unknown_name("data set in rho", name, known)
    absent = [name for name in datasets if name not in by_name]
    if absent:
        raise InputError(
            f"rho gives no correlation for data set {absent[0]!r}; accepted: one number, or one "
            "for each data set that is compared"
        )
    return [by_name[name] for name in datasets]


# -- helpers -----------------------------------------------------------------------------------


def _rows(
    scores: Scores, first: str, second: str, metric: str, missing: str
) -> tuple[np.ndarray, np.ndarray, LeftOut]:
    """Rows of both algorithms that belong together, and what has no partner."""
    if missing == "common":
        return scores.pairing.common(first, second, scores.there(metric))
    for name in (first, second):
        scores.values(metric, scores.pairing.rows(name))
    return (*scores.pairing.pair(first, second), LeftOut())


def _designs(
    scores: Scores, first: str, names: Sequence[str], rho: RhoLike | None, incomplete: bool
) -> list[Resampling]:
    """How the folds of each data set were drawn; scores that are missing do not change it."""
    if rho is not None:
        return given(rho_by_name(rho, names, scores.datasets), len(names))
    if not incomplete:
        return scores.resampling.of_algorithm(first)
    return [scores.resampling.of(name, scores.pairing.one_a_fold(name)) for name in names]


def _resolution(
    scores: Scores,
    metric: str,
    values: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    starts: np.ndarray,
    scale: str,
) -> np.ndarray:
    """Step of a metric on each data set: 1/n_test where known, else the smallest step seen."""
    n_test, span = _n_test(scores), scores.span(metric)
    if n_test is None or span is None or scale == "log_ratio":
        return steps_of_runs(np.log(values) if scale == "log_ratio" else values, starts)
    counts = np.diff(starts, append=len(a))
    total = np.add.reduceat(n_test[a] + n_test[b], starts)
    return np.asarray(span / (total / (2 * counts)))


def _noise(values: np.ndarray, starts: np.ndarray, scale: str) -> np.ndarray:
    """Rounding of a data set's differences; a logarithm has its own and that of its score."""
    size = np.maximum(np.abs(np.log(values)), 1.0) if scale == "log_ratio" else values
    return rounding_noise(size, starts)


def _n_test(scores: Scores) -> np.ndarray | None:
    """Items that each row was tested on, as far as the table tells."""
    frame = scores.pairing.frame
    if "n_test" in frame.columns:
        sizes = frame["n_test"].to_numpy(dtype=float)
        return sizes if (sizes >= 1).all() else None  # a share is not a size
    if set(COUNTS) <= set(scores.metrics):
        return frame[list(COUNTS)].to_numpy(dtype=float).sum(axis=1)
    return None
