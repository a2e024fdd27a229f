"""Confusion counts at many thresholds as tables of scores, one a threshold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bayescmp import rates as _rates
from bayescmp.errors import InputError
from bayescmp.scores import Scores

__all__ = ["scores_at_thresholds"]

#: Counts of an algorithm on a data set, shape (folds, T, 4).
_Counts = dict[tuple[str, str], np.ndarray]


def scores_at_thresholds(
    counts: object,
    *,
    thresholds: Iterable[float] | None = None,
    datasets: Iterable[str] | None = None,
    algorithms: Iterable[str] | None = None,
    folds: int | None = None,
) -> dict[float, Scores]:
    """Tables of scores for `procedure`, from counts swept over thresholds.

    Parameters
    ----------
    counts : mapping, or array_like of shape (q, L, T, n, 4)
        ``{dataset: {algorithm: ThresholdSweep}}``, of `bayescmp.curves.threshold_sweep`; or tp,
        fn, fp and tn on each data set, for each algorithm and threshold, in each fold.
    thresholds : iterable of float, length T, optional
        From 0 to 1; needed for an array, sweeps bring their own.
    datasets, algorithms : iterable of str, optional
        For an array; "D1", "D2", ... and "A1", "A2", ... if not given.
    folds : int, optional
        Folds of one run of cross-validation, where the n folds are of several: they are read as
        n/folds repeats, one after the other. n if not given.

    Returns
    -------
    dict of float to Scores

    Raises
    ------
    InputError
        Another shape, counts that are negative or missing, lengths that don't fit, sweeps over
        differing thresholds.

    See Also
    --------
    procedure : Takes the tables.
    bayescmp.curves.threshold_sweep : Counts from scores of the folds.

    Examples
    --------
    >>> import bayescmp as bc
    >>> import numpy as np
    >>> counts = np.random.default_rng(1).integers(5, 20, (1, 2, 3, 10, 4))
    >>> tables = bc.scores_at_thresholds(counts, thresholds=[0.25, 0.5, 0.75])
    >>> list(tables)
    [0.25, 0.5, 0.75]
    >>> tables[0.5].metrics
    ('tp', 'fn', 'fp', 'tn')
    """
    if isinstance(counts, Mapping):
        at, table = _from_sweeps(counts)
    else:
        at, table = _from_array(counts, thresholds, datasets, algorithms)
    labels = _labels(table, folds)
    rows = np.concatenate(list(table.values()))
    if not np.all(rows >= 0):
        raise InputError("counts holds negative or missing counts; accepted: numbers >= 0")
    return {t: _scores(labels, rows[:, k]) for k, t in enumerate(at)}


def _from_sweeps(counts: Mapping[str, object]) -> tuple[list[float], _Counts]:
    accepted = "accepted: {dataset: {algorithm: ThresholdSweep}}"
    table: _Counts = {}
    at: list[float] | None = None
    for dataset, sweeps in counts.items():
        if not isinstance(sweeps, Mapping) or not sweeps:
            raise InputError(f"counts has {type(sweeps).__name__} for {dataset!r}; {accepted}")
        for algorithm, sweep in sweeps.items():
            if not hasattr(sweep, "thresholds") or not hasattr(sweep, "counts"):
                raise InputError(
                    f"counts has {type(sweep).__name__} for {algorithm!r} on {dataset!r}; "
                    f"{accepted}"
                )
            own = [float(t) for t in sweep.thresholds]
            at = own if at is None else at
            if own != at:
                raise InputError(
                    f"the sweep of {algorithm!r} on {dataset!r} is over other thresholds than "
                    "the first; all need the same"
                )
            table[str(dataset), str(algorithm)] = np.asarray(sweep.counts, dtype=float)
    if at is None:
        raise InputError(f"counts is empty; {accepted}")
    return at, table


def _from_array(
    counts: object,
    thresholds: Iterable[float] | None,
    datasets: Iterable[str] | None,
    algorithms: Iterable[str] | None,
) -> tuple[list[float], _Counts]:
    values = np.asarray(counts, dtype=float)
    if values.ndim != 5 or values.shape[-1] != 4 or 0 in values.shape:
        raise InputError(
            f"counts has shape {values.shape}; accepted: (data sets, algorithms, thresholds, "
            "folds, 4), the last tp, fn, fp, tn"
        )
    if thresholds is None:
        raise InputError("thresholds is missing: an array of counts does not carry them")
    q, L, T = values.shape[:3]
    at = [float(t) for t in thresholds]
    _check_length("thresholds", at, T)
    where = _names("datasets", datasets, "D", q)
    who = _names("algorithms", algorithms, "A", L)
    table = {
        (d, a): values[i, j].swapaxes(0, 1) for i, d in enumerate(where) for j, a in enumerate(who)
    }
    return at, table


def _labels(table: _Counts, folds: int | None) -> dict[str, np.ndarray]:
    """Data set, algorithm, repeat and fold of each row."""
    sizes = [len(rows) for rows in table.values()]
    fold = np.concatenate([np.arange(n) for n in sizes])
    per_run = np.repeat(sizes, sizes) if folds is None else np.full(len(fold), int(folds))
    for n in sizes:
        if folds is not None and (folds < 1 or n % int(folds)):
            raise InputError(f"folds={folds!r}; accepted: a number that divides the {n} folds")
    keys = np.array(list(table), dtype=object)
    return {
        "dataset": np.repeat(keys[:, 0], sizes),
        "algorithm": np.repeat(keys[:, 1], sizes),
        "repeat": fold // per_run + 1,
        "fold": fold % per_run + 1,
    }


def _scores(labels: dict[str, np.ndarray], counts: np.ndarray) -> Scores:
    import pandas as pd

    return Scores(pd.DataFrame({**labels, **dict(zip(_rates.COUNTS, counts.T, strict=True))}))


def _names(what: str, given: Iterable[str] | None, letter: str, size: int) -> list[str]:
    if given is None:
        return [f"{letter}{i + 1}" for i in range(size)]
    names = [str(g) for g in given]
    _check_length(what, names, size)
    return names


def _check_length(what: str, given: Sequence[object], size: int) -> None:
    if len(given) != size or len(set(given)) < size:
        raise InputError(f"{what} holds {given}; accepted: {size} of them, all different")
