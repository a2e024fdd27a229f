"""The data of a procedure: scores by data set and threshold, and the risks that follow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bayescmp.base import checks
from bayescmp.base.arguments import arg, either, must, must_be
from bayescmp.errors import locate_errors
from bayescmp.scores import metrics as _metrics
from bayescmp.scores.blocks import (
    Blocks,
    block_rows,
    common_datasets,
    derive_metric,
    scores_blocks,
)
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.resampling import explain_rho
from bayescmp.scores.scores import Scores

# Confusion counts at many thresholds as tables of scores, one per threshold.


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
    """Make tables of scores for `procedure` from counts swept over thresholds.

    Parameters
    ----------
    counts : mapping, or array_like of shape (q, L, T, n, 4)
        ``{dataset: {algorithm: ThresholdSweep}}``, from `bayescmp.curves.threshold_sweep`; or tp,
        fn, fp and tn by data set, algorithm, threshold and fold.
    thresholds : iterable of float, length T, optional
        From 0 to 1; needed for an array.
    datasets, algorithms : iterable of str, optional
        For an array; "D1", "D2", ... and "A1", "A2", ... by default.
    folds : int, optional
        Folds of one run of cross-validation, if the n are of n/folds repeats, one after the other.

    Returns
    -------
    dict of float to Scores

    Raises
    ------
    InputError
        A wrong shape, bad counts, lengths that don't fit, sweeps over differing thresholds.

    See Also
    --------
    procedure, bayescmp.curves.threshold_sweep

    Examples
    --------
    >>> import bayescmp as bc
    >>> import numpy as np
    >>> counts = np.random.default_rng(1).integers(5, 20, (1, 2, 3, 10, 4))
    >>> tables = bc.scores_at_thresholds(counts, thresholds=[0.25, 0.5, 0.75])
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
        raise must("counts", "hold numbers of at least 0", "negative or missing counts")
    return {t: _scores(labels, rows[:, k]) for k, t in enumerate(at)}


def _from_sweeps(counts: Mapping[str, object]) -> tuple[list[float], _Counts]:
    accepted = "{dataset: {algorithm: ThresholdSweep}}"
    table: _Counts = {}
    at: list[float] | None = None
    for dataset, sweeps in counts.items():
        if not isinstance(sweeps, Mapping) or not sweeps:
            raise must_be(f"counts[{dataset!r}]", "{algorithm: ThresholdSweep}", sweeps)
        for algorithm, sweep in sweeps.items():
            if not hasattr(sweep, "thresholds") or not hasattr(sweep, "counts"):
                name = f"counts[{dataset!r}][{algorithm!r}]"
                raise must_be(name, "a ThresholdSweep", sweep)
            own = [float(t) for t in sweep.thresholds]
            at = own if at is None else at
            if own != at:
                raise must(
                    "counts",
                    "have sweeps over the same thresholds",
                    f"others for {algorithm!r} on {dataset!r} than the first has",
                )
            table[str(dataset), str(algorithm)] = np.asarray(sweep.counts, dtype=float)
    if at is None:
        raise must_be("counts", accepted, counts)
    return at, table


def _from_array(
    counts: object,
    thresholds: Iterable[float] | None,
    datasets: Iterable[str] | None,
    algorithms: Iterable[str] | None,
) -> tuple[list[float], _Counts]:
    values = checks.read_numbers(counts, "counts", "(data sets, algorithms, thresholds, folds, 4)")
    if values.ndim != 5 or values.shape[-1] != 4 or 0 in values.shape:
        shape = "(data sets, algorithms, thresholds, folds, 4), the last tp, fn, fp, tn"
        raise must("counts", f"have shape {shape}", f"shape {values.shape}")
    if thresholds is None:
        raise must("thresholds", "be given with an array of counts, which does not carry them")
    q, L, T = values.shape[:3]
    at = np.ravel(checks.read_numbers(thresholds, "thresholds", "numbers from 0 to 1")).tolist()
    _check_length("thresholds", at, T)
    where = _names("datasets", datasets, "D", q)
    who = _names("algorithms", algorithms, "A", L)
    table = {
        (d, a): values[i, j].swapaxes(0, 1) for i, d in enumerate(where) for j, a in enumerate(who)
    }
    return at, table


def _labels(table: _Counts, folds: int | None) -> dict[str, np.ndarray]:
    """Return data set, algorithm, repeat and fold of each row."""
    sizes = [len(rows) for rows in table.values()]
    fold = np.concatenate([np.arange(n) for n in sizes])
    folds = None if folds is None else checks.check_whole("folds", folds)
    per_run = np.repeat(sizes, sizes) if folds is None else np.full(len(fold), folds)
    for n in sizes:
        if folds is not None and n % folds:
            raise must_be("folds", f"a number that divides the {n} folds", folds)
    keys = np.array(list(table), dtype=object)
    return {
        "dataset": np.repeat(keys[:, 0], sizes),
        "algorithm": np.repeat(keys[:, 1], sizes),
        "repeat": fold // per_run + 1,
        "fold": fold % per_run + 1,
    }


def _scores(labels: dict[str, np.ndarray], counts: np.ndarray) -> Scores:
    return Scores(pd.DataFrame({**labels, **dict(zip(_metrics.COUNTS, counts.T, strict=True))}))


def _names(what: str, given: Iterable[str] | None, letter: str, size: int) -> list[str]:
    if given is None:
        return [f"{letter}{i + 1}" for i in range(size)]
    names = [checks.check_label(name, what) for name in checks.as_names(given, what)]
    _check_length(what, names, size)
    return names


def _check_length(what: str, given: Sequence[object], size: int) -> None:
    if len(given) != size or len(set(given)) < size:
        raise must_be(what, f"of length {size} and all different", list(given))


@dataclass(frozen=True, eq=False)
class Study:
    """Scores of the same algorithms on q data sets at T thresholds.

    `blocks` are T tuples of q Blocks of the tested metrics, `risk` (T, q, L) the mean risk of a
    fold or None, `thresholds` are empty if there is only one, `costs` are the risk's if constant.
    """

    blocks: tuple[tuple[Blocks, ...], ...]
    risk: np.ndarray | None
    thresholds: tuple[float, ...]
    costs: dict[str, float] | None
    notes: tuple[str, ...]

    @property
    def first_blocks(self) -> Blocks:
        """Scores on the first data set."""
        return self.blocks[0][0]

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(b.dataset for b in self.blocks[0])

    @property
    def rho(self) -> np.ndarray:
        """Correlation of two folds' differences on each data set, shape (q,)."""
        return np.array([b.rho for b in self.blocks[0]])

    @property
    def rho_sentence(self) -> str:
        """State the correlation and its reason, for all data sets together."""
        designs = [b.resampling for b in self.blocks[0]]
        known = [
            design
            for design, rho in zip(designs, self.rho, strict=True)
            if design and design.rho == rho
        ]
        return explain_rho(self.rho, known if len(known) == len(designs) else None)


def as_study(
    scores: Scores | pd.DataFrame,
    *,
    metrics: object,
    algorithms: Iterable[str] | None,
    datasets: Iterable[str] | None,
    costs: object,
    rho: float | None,
) -> Study:
    """Read what `procedure` is given, and refuse what it cannot compare."""
    tables, thresholds = _tables(scores)
    head = tables[0]
    names = _metrics_of(head, metrics)
    who = choose_names("algorithms", algorithms, head.algorithms, least=2)
    where = choose_names("datasets", datasets, head.datasets, least=1)
    for what, given in (("algorithms", algorithms), ("datasets", datasets)):
        if given is None:
            _check_known(what, [getattr(table, what) for table in tables], thresholds)
    left_out = LeftOut()
    for table in tables:  # data sets that can be compared at every threshold
        kept, gone = common_datasets(table, names, who, where)
        where, left_out = tuple(kept), LeftOut.join([left_out, gone])
    blocks = tuple(
        _blocks(table, at, metrics=names, datasets=where, algorithms=who, rho=rho)
        for table, at in zip(tables, thresholds or (None,), strict=True)
    )
    weights, notes = _weights(head, blocks[0][0], costs, thresholds)
    risk = None
    if weights is not None:
        risk = np.array(
            [
                [_risk(table, d, who, weight, names) for d in where]
                for table, weight in zip(tables, weights, strict=True)
            ]
        )
    same = None if weights is None or any(w != weights[0] for w in weights) else weights[0]
    lost = LeftOut.join([left_out, *(b.left_out for row in blocks for b in row)])
    return Study(blocks, risk, thresholds, same, (*notes, *([str(lost)] if lost else [])))


def _tables(scores: Scores | pd.DataFrame) -> tuple[list[Scores], tuple[float, ...]]:
    accepted = "Scores, or a mapping of thresholds to Scores"
    thresholds: tuple[float, ...] = ()
    if isinstance(scores, Scores):
        tables = [scores]
    elif isinstance(scores, Mapping) and scores:
        thresholds = tuple(sorted(_threshold(t) for t in scores))
        tables = [scores[t] for t in sorted(scores, key=float)]
    else:
        raise must_be("scores", accepted, scores)
    for table in tables:
        if not isinstance(table, Scores):
            raise must_be("scores", accepted, table)
        if not table.has_folds:
            raise must(
                "scores",
                "have folds, over which the procedure tests on each data set",
                "none",
                "For one score per data set use frequentist.friedman and posthoc, or wilcoxon.",
            )
    return tables, thresholds if len(tables) > 1 else ()


def _blocks(
    scores: Scores, threshold: float | None, *, datasets: Sequence[str], **options: Any
) -> tuple[Blocks, ...]:
    """Return the scores at one threshold, which an error names."""
    with nullcontext() if threshold is None else locate_errors(f"at threshold {threshold:g}"):
        return tuple(scores_blocks(scores, dataset=d, **options) for d in datasets)


def _check_known(
    what: str, names: Sequence[tuple[str, ...]], thresholds: tuple[float, ...]
) -> None:
    """Refuse what the first threshold's table lacks, as it would be left out unseen."""
    for threshold, own in zip(thresholds[1:], names[1:], strict=True):
        more = [name for name in own if name not in names[0]]
        if more:
            raise must(
                "scores",
                f"have the same {what} at all thresholds",
                f"{', '.join(map(repr, more))} at {threshold:g} and not at {thresholds[0]:g}",
                f"Name those to be compared by {arg(what, ...)}.",
            )


def _threshold(given: Any) -> float:
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = float("nan")
    if not 0 <= value <= 1:
        raise must("scores", "have thresholds from 0 to 1", repr(given))
    return value


def _metrics_of(scores: Scores, metrics: Any) -> list[str]:
    """Return the metrics named; else the confusion counts, else the only one there is."""
    if metrics is not None:
        return checks.as_names(metrics, "metrics")
    if set(_metrics.COUNTS) <= set(scores.metrics):
        return list(_metrics.COUNTS)
    if len(scores.metrics) > 1:
        raise must(
            "metrics",
            "be given if the table has several",
            hint=f"It has {', '.join(map(repr, scores.metrics))}. Name one, or "
            "those to be tested together.",
        )
    return list(scores.metrics)


def choose_names(
    what: str, given: Iterable[str] | None, known: Sequence[str], least: int
) -> tuple[str, ...]:
    """Return the names given, or all known ones: distinct, and enough of them."""
    names = tuple(known) if given is None else tuple(checks.as_names(given, what))
    if len(names) < least:
        raise must(what, f"have at least {least}", f"{len(names)}, {names}")
    return checks.distinct_names(what, names)


# Risks.


def _weights(
    scores: Scores, first: Blocks, costs: object, thresholds: tuple[float, ...]
) -> tuple[list[dict[str, float]] | None, tuple[str, ...]]:
    """Return the costs of the metrics that a risk sums up, a mapping per threshold, and notes."""
    count = max(1, len(thresholds))
    if callable(costs) and not thresholds:
        raise must_be("costs", "{metric: cost}, as there is no threshold for a function", costs)
    if costs is not None:
        each = [costs(t) for t in thresholds] if callable(costs) else [costs] * count
        return [_check_costs(c) for c in each], ()
    if first.p == 1:  # a single metric is its own risk, up to its direction
        return [{first.metrics[0]: -float(first.signs[0])}] * count, ()
    if not set(_metrics.COUNTS) <= set(scores.metrics):
        return None, (
            "no costs were given and there are no counts fp and fn, so no algorithm can win: give "
            + either("costs={metric: cost, ...}", "--cost METRIC=NUMBER"),
        )
    if thresholds:
        return [{"fp": 2 * t, "fn": 2 * (1 - t)} for t in thresholds], (
            "at threshold θ a false positive costs 2θ and a false negative 2(1 − θ), the costs "
            "for which θ is the best choice",
        )
    return [{"fp": 1.0, "fn": 1.0}], ()


def _check_costs(costs: object) -> dict[str, float]:
    accepted = "{metric: cost}, finite numbers, e.g. {'fp': 1, 'fn': 5}"
    if not isinstance(costs, Mapping) or not costs:
        raise must_be("costs", accepted, costs)
    try:
        checked = {str(name): float(cost) for name, cost in costs.items()}
    except (TypeError, ValueError):
        raise must_be("costs", accepted, costs) from None
    if not np.all(np.isfinite(list(checked.values()))):
        raise must_be("costs", accepted, costs)
    return checked


def _risk(
    scores: Scores,
    dataset: str,
    algorithms: tuple[str, ...],
    costs: dict[str, float],
    tested: list[str],
) -> np.ndarray:
    """Return the mean risk Σ cost·metric of each algorithm on the tested folds, shape (L,)."""
    rows, _ = block_rows(scores, [*tested, *costs], dataset, algorithms)
    values = [derive_metric(scores, metric, rows)[0].mean(axis=1) for metric in costs]
    return np.asarray(np.array(list(costs.values())) @ np.array(values))
