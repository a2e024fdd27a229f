"""Scores of several algorithms on several data sets: what the joint tests read.

A sampler is given algorithms and data sets in an order that their scores decide, not the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayescmp.base import checks
from bayescmp.base.arguments import arg, either, must, must_be
from bayescmp.base.checks import RhoLike
from bayescmp.base.magnitudes import check_size, places_by
from bayescmp.base.records import Record
from bayescmp.base.typing import Json
from bayescmp.errors import InputError
from bayescmp.scores.blocks import instead_by_means
from bayescmp.scores.designs import refuse_pairs, resampling_of_rho
from bayescmp.scores.frames import arrange
from bayescmp.scores.metrics import Direction
from bayescmp.scores.pairing import AS_GIVEN
from bayescmp.scores.questions import check_no_questions
from bayescmp.scores.resampling import Resampling, explain_rho
from bayescmp.scores.rope import Rope, RopeLike, as_rope
from bayescmp.scores.scores import Scores
from bayescmp.wording.text import format_count, words_of

Source = Scores | ArrayLike
#: Numbers of questions: one, one for each data set, in order or by name, or one for each cell.
Questions = ArrayLike | Mapping[str, int]
#: Weights of data sets, in order or by name.
Weights = ArrayLike | Mapping[str, float]


@dataclass(frozen=True, eq=False)
class FoldTable:
    """Scores of L algorithms on q data sets, with their folds; higher is better.

    `x` is (q, n, L), NaN for missing folds or algorithms; `rho` (q,) is the correlation of folds,
    `resampling` states its reason, `pairing` the evidence that scores belong together;
    `directions` are the metric's, empty for plain numbers; `notes` list everything left out;
    `unit` is a row's word: "data set" or "benchmark".
    """

    x: np.ndarray
    rho: np.ndarray
    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    metric: str = ""
    directions: tuple[Direction, ...] = ()
    resampling: str = ""
    notes: tuple[str, ...] = field(default=())
    unit: str = "data set"
    pairing: str = AS_GIVEN

    @property
    def q(self) -> int:
        """Number of data sets."""
        return int(self.x.shape[0])

    @property
    def L(self) -> int:  # noqa: N802 - the papers' letter
        """Number of algorithms."""
        return int(self.x.shape[2])

    @property
    def seen(self) -> np.ndarray:
        """Whether each algorithm was run on each data set, shape (q, L)."""
        return np.asarray(~np.isnan(self.x[:, 0, :]))

    @property
    def n(self) -> np.ndarray:
        """Number of folds of each data set, shape (q,)."""
        return np.asarray((~np.isnan(self.x)).any(axis=2).sum(axis=1))

    @property
    def means(self) -> np.ndarray:
        """Mean scores, shape (q, L); NaN where an algorithm was not run."""
        total = np.where(np.isnan(self.x), 0.0, self.x).sum(axis=1)
        return np.where(self.seen, total / self.n[:, None], np.nan)

    def described(self) -> Json:
        """Return the origin of the numbers, which a posterior keeps."""
        kept = ("datasets", "metric", "directions", "resampling", "pairing")
        own = {name: getattr(self, name) for name in kept}
        return {"names": self.algorithms, **own, **words_of(self.unit)}

    def inflation(self) -> np.ndarray:
        """Variance of a mean over folds, in units of the scatter: 1/n + rho/(1 − rho), (q,)."""
        return np.asarray(1 / self.n + self.rho / (1 - self.rho))

    def centre_folds(self, i: int) -> np.ndarray:
        """Subtract their means from data set i's folds, shape (n_i, L); zeros where not run."""
        x = self.x[i, : self.n[i]]
        return np.asarray(np.where(self.seen[i], x - self.means[i], 0.0))


def read_table(
    scores: Source,
    *,
    metric: str | None,
    rho: RhoLike | None,
    test: str,
    folds: bool = False,
    fixed: bool = False,
    lower_is_better: bool = False,
) -> FoldTable:
    """Check and read what the joint tests take: (q, L) means or (q, n, L) folds, or a table.

    rho is taken from the table, and needed with plain folds. `test` is the test's name in
    messages; `folds` is whether every data set needs two folds or more, `fixed` whether one data
    set is enough. Refused are bad scores, folds that do not pair, too few algorithms or data sets,
    an algorithm that was run on one data set only, and groups of algorithms that no data set
    links.
    """
    checks.check_flags(lower_is_better=lower_is_better)
    if isinstance(scores, Scores):
        if lower_is_better:
            raise must_be(
                "lower_is_better",
                "left out with Scores, which know it",
                lower_is_better,
                f"Use Scores(frame, {arg('lower_is_better', ...)}).",
            )
        table = _from_scores(scores, metric, rho)
    else:
        if isinstance(scores, pd.DataFrame):
            check_no_questions(scores)
        table = _from_numbers(scores, metric or "", rho, lower_is_better)
    check_size(table.x, "scores")
    least = 1 if fixed else 2
    _check_size(table, test, least)
    table = _enough_seen(table, least)
    _check_seen(table, min(2, table.q))
    _check_connected(table)
    short = np.flatnonzero(table.n < 2)
    if folds and len(short):
        raise must(
            "scores",
            f"have folds on each data set for {test}",
            f"a single score of each on {table.datasets[short[0]]!r}, {len(short)} in all",
            "For means use bayescmp.bayesian.bootstrap or bayescmp.bayesian.friedman.",
        )
    table.x.flags.writeable = False
    return table


def as_shared_rope(rope: RopeLike | None) -> Rope:
    """Read a ROPE that treats all algorithms alike: symmetric, or with one infinite bound."""
    region = as_rope(rope)
    if region.low != -region.high and not region.one_sided:
        raise must_be(
            "rope",
            "symmetric for several algorithms, of which none is the first",
            (region.low, region.high),
            "Give a half-width of at least 0, or a pair with one infinite bound.",
        )
    return region


# Reading.


def _from_scores(scores: Scores, metric: str | None, rho: RhoLike | None) -> FoldTable:
    metric = scores.metric_named(metric)
    values = scores.values(metric) if scores.on_missing == "error" else None
    kept = (
        np.ones(len(scores.pairing.dataset_codes), dtype=bool)
        if values is not None
        else scores.pairing.in_common(scores.there(metric))
    )
    rows, designs, names = [], [], []
    for name in scores.datasets:
        cells = _cells(scores, name, kept)
        if not cells:
            continue
        rows.append(cells)
        names.append(name)
        whole = next(iter(cells.values())) if kept.all() else scores.pairing.one_a_fold(name)
        designs.append(scores.resampling.of(name, whole) if rho is None else None)
    if not rows:
        raise must(
            "scores",
            "have a fold of a data set that all algorithms share",
            "none",
            f"If their runs have separate seeds, compare the means: {instead_by_means()}.",
        )
    sign = -1.0 if scores.lower_is_better(metric) else 1.0
    x = _fill_array(scores, metric, rows) * sign
    if rho is None:
        known = [d for d in designs if isinstance(d, Resampling)]
        rhos, text = np.array([d.rho for d in known]), ""
        if scores.has_folds:
            text = explain_rho(rhos, known)
    elif scores.resampling.declared_as_runs:
        raise refuse_pairs(names[0])
    else:
        unchecked = scores.resampling.takes_pairing_for_granted(names)
        own = resampling_of_rho(
            checks.by_name("rho", rho, names, scores.datasets), len(names), unchecked=unchecked
        )
        rhos = np.array([d.rho for d in own])
        text = explain_rho(rhos, own)
    if scores.scale == "log_ratio":
        x = _logarithms(x * sign, metric) * sign
    elif scores.scale != "difference":
        raise must(
            "scores",
            "be on the scale 'difference' or 'log_ratio' for several algorithms",
            f"{scores.scale!r}, on which each pair has its own units",
        )
    out = int((~kept).sum())
    return FoldTable(
        x,
        rhos,
        scores.algorithms,
        tuple(names),
        metric,
        (scores.direction(metric),),
        text,
        (f"left out: {format_count(out, 'row')} in folds that not all have",) if out else (),
        scores.unit,
        scores.pairing_text,
    )


def _cells(scores: Scores, dataset: str, kept: np.ndarray) -> dict[str, np.ndarray]:
    """Return rows of each algorithm that was run on a data set, the same folds of all."""
    pairing = scores.pairing
    here = kept & (pairing.dataset_codes == pairing.dataset_code(dataset))
    names = [scores.algorithms[c] for c in np.unique(pairing.algorithm_codes[here])]
    if not names:
        return {}
    if kept.all():
        return dict(zip(names, pairing.align(names, dataset)[0], strict=True))
    rows = [r[kept[r]] for r in (pairing.rows(name, dataset) for name in names)]
    pairing.check_same_sizes(rows)
    return dict(zip(names, rows, strict=True))


def _fill_array(scores: Scores, metric: str, rows: Sequence[dict[str, np.ndarray]]) -> np.ndarray:
    """Put the scores of these rows in an array of shape (q, n, L), NaN where there are none."""
    longest = max((len(next(iter(cells.values()))) for cells in rows), default=0)
    x = np.full((len(rows), longest, len(scores.algorithms)), np.nan)
    places = {name: i for i, name in enumerate(scores.algorithms)}
    for i, cells in enumerate(rows):
        for name, numbers in cells.items():
            x[i, : len(numbers), places[name]] = scores.values(metric, numbers)
    return x


def _logarithms(x: np.ndarray, metric: str) -> np.ndarray:
    if np.any(x <= 0):
        raise must(
            "scores",
            f"be positive for {arg('scale', 'log_ratio')}",
            f"{np.nanmin(x):.4g} of metric {metric!r}",
        )
    return np.log(x)


def _from_numbers(
    scores: ArrayLike, metric: str, rho: RhoLike | None, lower_is_better: bool
) -> FoldTable:
    accepted = (
        "Scores, (q, L) means (one row per data set, one column per algorithm) or (q, n, L) folds"
    )
    folds = ("fold",) if getattr(scores, "ndim", 2) == 3 else ()
    cells, own = arrange(scores, "scores", "dataset", *folds, "algorithm")
    x = checks.read_numbers(cells, "scores", accepted)
    if x.ndim not in (2, 3) or 0 in x.shape:
        raise must_be("scores", accepted, x)
    datasets = checks.check_labels("datasets", own[0], x.shape[0])
    algorithms = checks.check_labels("algorithms", own[-1], x.shape[-1], "A")
    x = x[:, None, :] if x.ndim == 2 else x
    if np.isinf(x).any():
        i, _, j = np.argwhere(np.isinf(x))[0]
        raise must(
            "scores",
            "be finite, or NaN where an algorithm was not run",
            f"an infinite one for {algorithms[j]!r} on data set {datasets[i]!r}",
        )
    check_whole_cells(x, algorithms, datasets)
    q, n, _ = x.shape
    if n > 1 and rho is None:
        raise InputError(checks.RHO_MISSING, "rho")
    given = checks.check_rho(0.0 if rho is None else checks.by_name("rho", rho, datasets), q)
    rhos = np.broadcast_to(given, (q,)).astype(float)
    text = explain_rho(rhos) if n > 1 else ""
    return FoldTable(-x if lower_is_better else x, rhos, algorithms, datasets, metric, (), text)


def check_whole_cells(x: np.ndarray, algorithms: Sequence[str], datasets: Sequence[str]) -> None:
    """Check that an algorithm has all folds of a data set, which may be fewer than n, or none."""
    there = ~np.isnan(x)
    used = there.any(axis=2, keepdims=True)
    ragged = there.any(axis=1, keepdims=True) & used & ~there
    if ragged.any():
        i, j, k = np.argwhere(ragged)[0]
        raise must(
            "scores",
            "have all folds of a data set for an algorithm, or none of them",
            f"none (NaN) for {algorithms[k]!r} on data set {datasets[i]!r} in fold {j + 1}",
        )
    if (used[:, 1:] & ~used[:, :-1]).any():
        raise must(
            "scores",
            "have folds without any score after all others",
            "some before others",
            "Put them last.",
        )


# Tables that do not allow a comparison.


def _check_size(table: FoldTable, test: str, least: int) -> None:
    if table.L < 2:
        raise must("scores", f"have at least two algorithms for {test}", "1")
    if table.q < least:
        raise must(
            "scores",
            f"have at least two data sets for {test}, which show how data sets differ",
            str(table.q),
            "On one data set use bayescmp.bayesian.groups.",
        )


def _enough_seen(table: FoldTable, least: int) -> FoldTable:
    """Return the table without data sets on which fewer than two algorithms were run."""
    enough = table.seen.sum(axis=1) >= 2
    if enough.all():
        return _with_missing_noted(table)
    out = [name for name, kept in zip(table.datasets, enough, strict=True) if not kept]
    if enough.sum() < least:
        raise must(
            "scores",
            "have at least two data sets with scores of two algorithms or more",
            f"{int(enough.sum())} of {table.q}",
        )
    named = ", ".join(map(repr, out[:4])) + (", ..." if len(out) > 4 else "")
    note = (
        f"left out: {format_count(len(out), 'data set')} with fewer than two algorithms ({named})"
    )
    kept = replace(
        table,
        x=table.x[enough],
        rho=table.rho[enough],
        datasets=tuple(n for n in table.datasets if n not in out),
        notes=(*table.notes, note),
    )
    return _with_missing_noted(kept)


def _with_missing_noted(table: FoldTable) -> FoldTable:
    gaps = int((~table.seen).sum())
    if not gaps:
        return table
    text = (
        f"missing: {gaps} of {table.seen.size} runs (algorithm by data set), taken to be missing "
        "for reasons that have nothing to do with their scores"
    )
    return replace(table, notes=(*table.notes, text))


def _check_seen(table: FoldTable, least: int) -> None:
    counts = table.seen.sum(axis=0)
    for place in np.flatnonzero(counts < least):
        name, count = table.algorithms[place], int(counts[place])
        where = "no data set with another algorithm" if count == 0 else "one data set only"
        out = either(
            "leave it out with scores.select(algorithms=...)", "leave it out of the table"
        )
        raise must(
            "scores",
            "have every algorithm on at least two data sets",
            f"{where} for {name!r}",
            f"{out[0].upper()}{out[1:]}, or complete its runs.",
        )


def _check_connected(table: FoldTable) -> None:
    """Check that every algorithm is linked to every other through data sets they share."""
    together = table.seen.T.astype(int) @ table.seen > 0
    apart = name_unlinked(together, table.algorithms)
    if apart:
        raise must(
            "scores", "link all algorithms by data sets in common", f"groups without one: {apart}"
        )


def name_unlinked(met: np.ndarray, algorithms: Sequence[str]) -> str:
    """Name two groups of algorithms that nothing links; "" if all are linked."""
    reach = np.arange(len(algorithms)) == 0
    for _ in algorithms:
        reach |= met[reach].any(axis=0)
    if reach.all():
        return ""
    groups = (np.flatnonzero(reach)[:4], np.flatnonzero(~reach)[:4])
    return " and ".join(", ".join(repr(algorithms[i]) for i in group) for group in groups)


# Additional facts on a table of means: the means' errors and weights.


def errors_of_means(
    table: FoldTable, questions: Questions | None, errors: ArrayLike | None
) -> np.ndarray | None:
    """Return standard errors of a table of means, shape (q, L); None if they are unknown.

    With `questions`, means are proportions p of n right answers, with the sd of Jeffreys's
    posterior, Beta(np + ½, n(1 − p) + ½). `errors` are in units of the metric. Either is one
    number, one per data set, or one per cell; both, folds, bad numbers and means that are not
    shares are refused.
    """
    if questions is None and errors is None:
        return None
    if questions is not None and errors is not None:
        raise must("questions", "be left out with errors, which show how precise the means are")
    if table.x.shape[1] > 1:
        what = "errors" if questions is None else "questions"
        raise must(
            what,
            "be left out unless scores has means only",
            f"{int(table.n.max())} scores on a data set",
            "They show how precise they are.",
        )
    if questions is None:
        return cells_of(table, "errors", errors, 0.0)
    n, p = cells_of(table, "questions", questions, 1.0), np.abs(table.means)
    if np.nanmax(p) > 1 or np.sign(np.nanmin(table.means)) * np.sign(np.nanmax(table.means)) < 0:
        raise must(
            "scores",
            "be proportions of right answers, from 0 to 1, with questions",
            f"{np.nanmin(table.means):g} to {np.nanmax(table.means):g}",
            "Divide percents by 100, or give errors= in the units of the scores.",
        )
    middle = (n * p + 0.5) / (n + 1)
    return np.where(table.seen, np.sqrt(middle * (1 - middle) / (n + 2)), 0.0)


def cells_of(table: FoldTable, what: str, given: object, least: float) -> np.ndarray:
    """Return a number for each data set and algorithm, from one for all, data sets, or cells."""
    accepted = (
        f"finite and at least {least:g}, one number, one for each data set ({table.q}), or of "
        f"the scores' shape {(table.q, table.L)}"
    )
    if hasattr(given, "columns"):
        given = given.reindex(index=table.datasets, columns=table.algorithms)  # type: ignore[attr-defined]
    values = checks.read_numbers(checks.by_name(what, given, table.datasets), what, accepted)
    if values.shape not in ((), (table.q,), (table.q, table.L)):
        raise must_be(what, accepted, values)
    cells = np.broadcast_to(values[:, None] if values.ndim == 1 else values, (table.q, table.L))
    if not np.all((cells >= least) & (cells < np.inf) | ~table.seen):
        raise must(what, f"be {accepted}", f"{cells[table.seen].min():g} or a gap")
    return np.where(table.seen, cells, least)


def weights_of(table: FoldTable, weights: Weights | None) -> np.ndarray | None:
    """Return the data sets' weights (>= 0, not all 0) with sum 1; None if all are equal."""
    if weights is None:
        return None
    accepted = f"a number of at least 0 for each data set ({table.q}), not all 0"
    values = checks.read_numbers(
        checks.by_name("weights", weights, table.datasets), "weights", accepted
    )
    if values.shape != (table.q,) or not (np.all(values >= 0) and 0 < values.sum() < np.inf):
        raise must_be("weights", accepted, weights)
    return np.asarray(values / values.sum())


# An order of algorithms and data sets that their scores decide, not the table they came in.


@dataclass(frozen=True, eq=False)
class TableOrder(Record):
    """Original places of the ordered table's algorithms and data sets, indices (L,) and (q,)."""

    algorithms: np.ndarray
    datasets: np.ndarray

    def restore_order(self, draws: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return draws of mu, Sigma0, nu and u with algorithms and data sets in original order."""
        a, d = np.argsort(self.algorithms), np.argsort(self.datasets)
        restored = {
            "mu": draws["mu"][..., a],
            "Sigma0": draws["Sigma0"][..., a[:, None], a],
            "u": draws["u"][..., d[:, None], a],
        }
        # In the memory's own order sums are the same to the last bit after saving and loading.
        return draws | {name: np.ascontiguousarray(x) for name, x in restored.items()}


def order_of(means: np.ndarray, n: np.ndarray, rho: np.ndarray) -> TableOrder:
    """Order algorithms by their mean lead in `means` (q, L), and data sets by their leads."""
    leads = means - np.nanmean(means, axis=1, keepdims=True)
    leads /= np.nanmax(np.abs(leads), initial=0.0) or 1.0
    keys = [np.nanmean(leads, axis=0), np.nanmedian(leads, axis=0), np.nanmin(leads, axis=0)]
    algorithms = places_by(*keys)
    datasets = places_by(*np.nan_to_num(leads[:, algorithms].T, nan=2.0), n, rho)
    return TableOrder(algorithms, datasets)


def in_order(table: FoldTable) -> tuple[FoldTable, TableOrder]:
    """Return the table with algorithms by their mean lead, and data sets by their leads."""
    order = order_of(table.means, table.n, table.rho)
    algorithms, datasets = order.algorithms, order.datasets
    ordered = replace(
        table,
        x=table.x[datasets][..., algorithms],
        rho=table.rho[datasets],
        algorithms=tuple(table.algorithms[k] for k in algorithms),
        datasets=tuple(table.datasets[i] for i in datasets),
    )
    return ordered, order
