"""Several metrics of a table of scores, as blocks of one data set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescmp import metrics as _metrics
from bayescmp.blocks import Blocks
from bayescmp.checks import as_names
from bayescmp.derived import Derived, columns_behind, derived
from bayescmp.errors import InputError, unknown_name
from bayescmp.left_out import LeftOut
from bayescmp.resampling import Resampling

if TYPE_CHECKING:
    from bayescmp.scores import Scores

__all__ = ["block_rows", "common_datasets", "scored_metrics", "scores_blocks"]


def scores_blocks(
    scores: Scores,
    *,
    metrics: Iterable[str] | None = None,
    dataset: str | None = None,
    algorithms: Iterable[str] | None = None,
    rho: float | None = None,
) -> Blocks:
    """Scores of several algorithms on one data set, paired by (repeat, fold).

    Parameters
    ----------
    scores : Scores
    metrics : iterable of str, optional
        Columns of the table, or metrics that follow from its columns tp, fn, fp and tn ("tpr",
        "precision", ...; see `bayescmp.rates.rates`), or "error" from "accuracy". All columns of
        the table if not given, but for times.
    dataset : str, optional
        May be left out where there is one only.
    algorithms : iterable of str, optional
        All if not given.
    rho : float, optional
        Correlation of two folds' differences; 1/folds from the labels if not given, or
        n_test / (n_train + n_test) for single splits where the table has those columns.

    Returns
    -------
    Blocks
        Folds in the order of (repeat, fold). Of a table that was read with missing="common":
        those in which every algorithm has every metric; ``left_out`` counts the others.

    Raises
    ------
    InputError
        Unknown names, an algorithm without scores on the data set, folds that do not pair,
        missing or infinite scores, a metric that is 0/0 in some fold (all with their places), a
        number of folds that can't be determined.

    Examples
    --------
    >>> import bayescmp as bc
    >>> scores = bc.Scores.read({"knn": [0.75, 0.5], "svm": [0.5, 1.0]}, metric="accuracy",
    ...                         resampling="2-fold")
    >>> bc.scores_blocks(scores)
    <Blocks of 'data': 2 algorithms, 2 folds, 1 metric (accuracy), rho 0.5: 2 folds, as declared>
    """
    if scores.scale != "difference":
        raise InputError(
            f"the table is on the scale {scores.scale!r}, which only pairs by one metric have; "
            "accepted for blocks: 'difference'"
        )
    dataset = _dataset(scores, dataset)
    wanted = _names("metrics", metrics, scored_metrics(scores))
    chosen = _names("algorithms", algorithms, scores.algorithms)
    rows, left_out = block_rows(scores, wanted, dataset, chosen)
    columns = [_column(scores, metric, rows) for metric in wanted]
    folds = scores.pairing.one_a_fold(dataset) if left_out else rows[0]
    design = Resampling.given(rho) if rho is not None else scores.resampling.of(dataset, folds)
    return Blocks(
        np.stack([d.values for d in columns], axis=-1),
        rho=design.rho,
        resampling=design,
        algorithms=chosen,
        metrics=wanted,
        dataset=dataset,
        lower_is_better=[d.lower for d in columns],
        directions=tuple(
            scores.direction(m) if m in scores.metrics else _metrics.direction(m) for m in wanted
        ),
        left_out=left_out or None,
    )


def scored_metrics(scores: Scores) -> tuple[str, ...]:
    """The table's metrics but for times; these too where there is nothing else."""
    return tuple(m for m in scores.metrics if not _metrics.is_time(m)) or scores.metrics


def block_rows(
    scores: Scores, metrics: Sequence[str], dataset: str, algorithms: Sequence[str]
) -> tuple[np.ndarray, LeftOut | None]:
    """Rows of several algorithms on one data set, one fold per column, and what was left out.

    Parameters
    ----------
    scores : Scores
        Whose ``on_missing`` says whether folds that some algorithm lacks are left out.
    metrics : sequence of str
        Metrics of which each fold needs a score.
    dataset : str
    algorithms : sequence of str

    Returns
    -------
    rows : ndarray of int, shape (algorithms, folds)
    left_out : LeftOut or None
    """
    if scores.on_missing != "common":
        return scores.pairing.blocks(dataset, algorithms), None
    return scores.pairing.common_blocks(dataset, algorithms, _there(scores, metrics))


def common_datasets(
    scores: Scores,
    metrics: Sequence[str],
    algorithms: Sequence[str],
    datasets: Sequence[str],
) -> tuple[list[str], LeftOut]:
    """Data sets with a fold of which every algorithm has every metric, and the others as left out.

    Parameters
    ----------
    scores : Scores
    metrics, algorithms, datasets : sequence of str

    Returns
    -------
    list of str
        All of them where ``scores.on_missing`` is "error".
    LeftOut
    """
    if scores.on_missing != "common":
        return list(datasets), LeftOut()
    there, pairing = _there(scores, metrics), scores.pairing
    kept = [d for d in datasets if pairing.has_common_fold(d, algorithms, there)]
    if not kept:
        named = " and ".join(map(repr, algorithms))
        raise InputError(f"{named} have no fold of any data set in common")
    gone = tuple(d for d in datasets if d not in kept)
    return kept, LeftOut(gone, {}, len(algorithms))


def _there(scores: Scores, metrics: Sequence[str]) -> np.ndarray:
    """Which rows of the table have a score of every metric, or of what it follows from."""
    columns = dict.fromkeys(c for m in metrics for c in columns_behind(scores, m))
    return np.all([scores.there(c) for c in columns], axis=0)


def _dataset(scores: Scores, dataset: str | None) -> str:
    if dataset is None:
        if len(scores.datasets) > 1:
            known = ", ".join(map(repr, scores.datasets[:12]))
            raise InputError(
                f"dataset is missing: the table has {len(scores.datasets)}, {known}"
                + (", ..." if len(scores.datasets) > 12 else "")
            )
        return scores.datasets[0]
    if str(dataset) not in scores.datasets:
        raise unknown_name("data set", dataset, scores.datasets)
    return str(dataset)


def _names(what: str, given: Iterable[str] | None, known: tuple[str, ...]) -> list[str]:
    names = list(known) if given is None else as_names(given, what)
    if not names:
        raise InputError(f"{what} is empty; known: {', '.join(map(repr, known))}")
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise InputError(f"{what} names {twice!r} twice")
    return names


def _column(scores: Scores, metric: str, rows: np.ndarray) -> Derived:
    """A metric that is defined in every fold, shape (L, n)."""
    column = derived(scores, metric, rows)
    bad = np.argwhere(np.isnan(column.values))
    if len(bad):
        more = f", and {len(bad) - 1} more like it" if len(bad) > 1 else ""
        raise InputError(
            f"metric {metric!r} is 0/0 for {scores.pairing.where(int(rows[tuple(bad[0])]))}{more}:"
            " the counts it rests on are zero there. Leave out the metric or the data set, or use "
            "folds in which it is defined"
        )
    return column
