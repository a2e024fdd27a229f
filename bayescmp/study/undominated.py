"""What do I get for the price? Algorithms that no other dominates, by several metrics and costs.

One dominates another if it is practically better in some metric and practically worse in none. All
metrics are drawn together, by the same weights and folds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar, TypeAlias, TypeGuard

import numpy as np
import pandas as pd

from bayescmp.base.arguments import either, must, must_be
from bayescmp.base.checks import Seed, as_names, check_choice, check_unused, check_whole, seed_of
from bayescmp.base.magnitudes import check_size
from bayescmp.base.records import Record
from bayescmp.base.typing import Json, as_facts
from bayescmp.bayesian.groups.base import dominance, pair_regions
from bayescmp.bayesian.joint.bootstrap import AT_ONCE, TrueMeans
from bayescmp.bayesian.joint.clouds import Cloud, errors_of
from bayescmp.bayesian.joint.standings import AVERAGE, NEXT
from bayescmp.bayesian.joint.table import FoldTable, as_shared_rope
from bayescmp.items.items import Items
from bayescmp.present.forms import Summarised
from bayescmp.present.summary import Cells, Column, Explanation, Summary, summarise
from bayescmp.results.plotted import Plotted
from bayescmp.results.posterior import CHAINS
from bayescmp.results.regions import FOUR
from bayescmp.results.verdict import check_threshold
from bayescmp.scores.blocks import Blocks, common_datasets, scored_metrics, scores_blocks
from bayescmp.scores.metrics import Direction
from bayescmp.scores.rope import Rope, Ropes, RopesLike, as_ropes
from bayescmp.scores.scores import Scores
from bayescmp.study.question import scores_table
from bayescmp.wording.markup import named_rows
from bayescmp.wording.text import (
    align_numbers,
    cut_all,
    format_count,
    format_probability,
    join_items,
    words_of,
)

#: Accepted tables; for items, one table per metric.
Tables: TypeAlias = "Scores | pd.DataFrame | Blocks | Sequence[Items]"
#: Said below the table.
LEGEND = "undominated: no other is practically better in one metric and practically worse in none"
LEGEND_WITHOUT_ROPE = "undominated: no other is better in one metric and worse in none"


@dataclass(frozen=True, eq=False, repr=False)
class Undominated(Record, Summarised, Plotted):
    """The algorithms that no other dominates, in draws of all their metrics.

    Attributes
    ----------
    algorithms, metrics : tuple of str
        The L algorithms and the p metrics.
    directions : tuple of Direction
        Which way each metric is better.
    rope : Ropes
        One per metric.
    draws : ndarray of shape (D, L, p)
        Means over data sets as difficult as those seen; only differences are uncertain.
    shares : mapping of str to ndarray of shape (D, L)
        On what share of new data sets each algorithm is undominated ("next"; not for a single data
        set), and whether it is on "average" over them.
    datasets : int
    unit : str
        The word for a data set: "data set", or "benchmark".
    threshold : float
        Probability required to count as undominated, or as dominated.
    method : str
        How the draws were made.
    """

    picture: ClassVar[str] = "plot_front"

    algorithms: tuple[str, ...]
    metrics: tuple[str, ...]
    directions: tuple[Direction, ...]
    rope: Ropes
    draws: np.ndarray = field(repr=False)
    shares: Mapping[str, np.ndarray] = field(repr=False)
    datasets: int
    unit: str
    threshold: float
    method: str

    @property
    def frame(self) -> pd.DataFrame:
        """One row per algorithm, sorted by the probability of being undominated on average.

        p_average and, with several data sets, p_next: the probabilities that no other dominates
        it, with Monte Carlo standard errors ``se_``; dominated_by, the most probable one on
        average, and p_dominated_by.
        """
        columns: dict[str, object] = {}
        for on, shares in self.shares.items():
            columns[f"p_{on}"] = shares.mean(axis=0)
            columns[f"se_{on}"] = errors_of(shares, CHAINS, independent=True)
        by = self.dominators().to_numpy()
        most = by.argmax(axis=1)
        columns["dominated_by"] = [
            self.algorithms[j] if by[i, j] > 0 else "" for i, j in enumerate(most)
        ]
        columns["p_dominated_by"] = by.max(axis=1)
        table = pd.DataFrame(columns, index=pd.Index(self.algorithms, name="algorithm"))
        return table.sort_values(f"p_{AVERAGE}", ascending=False, kind="stable")

    @property
    def means(self) -> pd.DataFrame:
        """The algorithms in each metric, in the order of `frame`.

        One row per algorithm; the columns are pairs of a metric and mean, low or high (of the
        central 95% interval).
        """
        low, high = np.quantile(self.draws, [0.025, 0.975], axis=0)
        values = np.stack([self.draws.mean(axis=0), low, high], axis=-1)  # (L, p, 3)
        columns = pd.MultiIndex.from_product([self.metrics, ENDS], names=["metric", None])
        rows = pd.Index(self.algorithms, name="algorithm")
        table = pd.DataFrame(values.reshape(len(rows), -1), index=rows, columns=columns)
        return table.loc[self.frame.index]

    def dominators(self) -> pd.DataFrame:
        """Return the probability that the column's algorithm dominates the row's, on average."""
        L = len(self.algorithms)
        pairs = np.array(list(combinations(range(L), 2)))
        signs = np.array([direction.sign for direction in self.directions])
        regions = pair_regions(self.draws * signs, pairs, self.rope)
        first, second = (FOUR.regions.index(side) for side in ("first", "second"))
        by = np.zeros((L, L))
        for (i, j), region in zip(pairs, regions.T, strict=True):
            by[i, j], by[j, i] = (region == second).mean(), (region == first).mean()
        return pd.DataFrame(by, index=self.algorithms, columns=self.algorithms)

    def to_dict(self) -> Json:
        """Return everything but the draws as plain numbers and strings, for JSON."""
        texts = {"method": self.method, "explanation": self.explain()}
        asked = as_facts(self, "metrics", "directions", rope=self.rope.ends)
        means = self.means
        rows = [
            row | {"metrics": {m: means[m].loc[row["algorithm"]].to_dict() for m in self.metrics}}
            for row in named_rows(self.frame).to_dict(orient="records")
        ]
        return asked | as_facts(self, "threshold", "datasets", algorithms=rows, **texts)


#: Columns of each metric in `Undominated.means`.
ENDS = ("mean", "low", "high")


def undominated(
    scores: Tables,
    metrics: Iterable[str] | None = None,
    rope: RopesLike | None = None,
    *,
    algorithms: Iterable[str] | None = None,
    rho: float | None = None,
    threshold: float = 0.95,
    draws: int = 4000,
    seed: Seed = None,
) -> Undominated:
    """Find the algorithms that are worth their price, as no other dominates them.

    Parameters
    ----------
    scores : Scores, DataFrame, Blocks, or sequence of Items
        Scores and costs (seconds, tokens, money) of at least two algorithms; for items, a table
        for each metric, with the same models and items.
    metrics : iterable of str, optional
        Two or more; by default all. Declare unknown directions with the table:
        ``Scores(frame, lower_is_better=["price"])``.
    rope : float, sequence or mapping, optional
        Half-width of the region of practical equivalence of each metric; 0 if not given.
    algorithms : iterable of str, optional
        All if not given.
    rho : float, optional
        Correlation of two folds' differences; taken from the table if not given.
    threshold : float
        Probability required to count as undominated, or as dominated.
    draws : int
        Number of independent draws, rounded up to a multiple of four.
    seed : int or numpy Generator, optional
        The same seed gives the same numbers.

    Returns
    -------
    Undominated

    Raises
    ------
    InputError
        Fewer than two metrics or algorithms, a bad ROPE, scores that are missing or do not pair,
        items that are not the same, unknown names.

    See Also
    --------
    compare, bayescmp.bayesian.groups

    Notes
    -----
    The Bayesian bootstrap puts the same weights on several data sets for all metrics, and draws
    each one's mean scores from the correlated t posterior of all algorithms and metrics. With a
    single data set, only this posterior is used. A new data set is one like those seen: the more
    they differ, the more probable it is that no algorithm is dominated there.

    References
    ----------
    Rubin (1981), The Bayesian bootstrap, Annals of Statistics 9:130-134; Corani & Benavoli (2015),
    Machine Learning 100:285-304.

    Examples
    --------
    >>> import bayescmp as bc
    >>> import pandas as pd
    >>> rows = [(f"d{i}", a, score + i / 50, price) for i in range(8) for a, score, price in
    ...         [("small", 0.70, 1.0), ("large", 0.80, 5.0), ("old", 0.71, 5.0)]]
    >>> table = pd.DataFrame(rows, columns=["dataset", "algorithm", "accuracy", "price"])
    >>> scores = bc.Scores(table, lower_is_better=["price"])
    >>> result = bc.undominated(scores, ["accuracy", "price"], [0.02, 0.1], seed=1)
    >>> result.frame["p_average"].to_dict()
    {'small': 1.0, 'large': 1.0, 'old': 0.0}
    """
    threshold = check_threshold(threshold)
    blocks = list(_blocks(scores, metrics, algorithms, rho))
    first = blocks[0]
    given = zip(first.metrics, first.lower_is_better, strict=True)
    directions = first.directions or tuple(Direction(m, low, "declared") for m, low in given)
    if first.p < 2:
        two = "be at least two, e.g. a score and a cost"
        raise must("metrics", two, f"only {first.metrics[0]!r}")
    if first.L < 2:
        raise must("algorithms", "be at least two", f"only {first.algorithms[0]!r}")
    asked = as_ropes(rope, first.metrics)
    widths = [as_shared_rope(region).size for region in asked]
    ropes = Ropes(Rope(-width, width) for width in widths)
    size = check_whole("draws", draws, least=8, each=len(blocks))
    size += -size % CHAINS
    seed = seed_of(seed)
    averages, shares = _draw(_join_metrics(blocks), ropes, size, seed)
    averages += averages.mean(axis=(0, 1)) - averages.mean(axis=1, keepdims=True)
    unit = "benchmark" if _of_items(scores) else "data set"
    return Undominated(
        algorithms=tuple(first.algorithms),
        metrics=tuple(first.metrics),
        directions=directions,
        rope=ropes,
        draws=averages * first.signs,
        shares=shares,
        datasets=len(blocks),
        unit=unit,
        threshold=threshold,
        method=_describe_method(blocks, unit, size),
    )


# Data: blocks of all metrics, one per data set.


def _of_items(scores: object) -> TypeGuard[Items | Sequence[Items]]:
    """Return whether these are tables of items, one per metric."""
    return isinstance(scores, Items) or (
        isinstance(scores, Sequence) and bool(scores) and isinstance(scores[0], Items)
    )


def _blocks(
    scores: Tables,
    metrics: Iterable[str] | None,
    algorithms: Iterable[str] | None,
    rho: float | None,
) -> Iterator[Blocks]:
    wanted = None if metrics is None else as_names(metrics, "metrics")
    if isinstance(scores, Blocks) or _of_items(scores):
        check_unused("Blocks and Items know it", rho=rho)
        for block in [scores] if isinstance(scores, Blocks) else _stack_items(scores):
            yield block.select(metrics=wanted, algorithms=algorithms)
        return
    table = scores_table(scores)
    names = list(table.algorithms if algorithms is None else as_names(algorithms, "algorithms"))
    for name in names:
        check_choice("algorithm", name, table.algorithms, "algorithms")
    wanted = list(scored_metrics(table)) if wanted is None else wanted
    kept, _ = common_datasets(table, wanted, names, table.datasets)
    for name in kept:
        yield scores_blocks(table, metrics=wanted, dataset=name, algorithms=names, rho=rho)


def _stack_items(tables: Items | Sequence[Items]) -> Iterator[Blocks]:
    """Yield several metrics of the same items, benchmark by benchmark."""
    tables = [tables] if isinstance(tables, Items) else list(tables)
    for table in tables:
        if not isinstance(table, Items):
            raise must_be("scores", "Items, one for each metric", table)
    first, *others = (table.frame.iloc[:, :3] for table in tables)
    for place, other in enumerate(others, 2):
        if len(first) != len(other) or not first.merge(other).shape[0] == len(first):
            raise must(
                "scores",
                "have the same models and items in each table",
                f"others in table {place}",
                "Use a table for each metric, all of the same answers.",
            )
    for benchmark in tables[0].benchmarks:
        parts = [table.blocks(benchmark, tables[0].models) for table in tables]
        yield Blocks(
            np.concatenate([part.x for part in parts], axis=-1),
            rho=0.0,
            algorithms=parts[0].algorithms,
            metrics=[part.metrics[0] for part in parts],
            dataset=benchmark,
            lower_is_better=[part.lower_is_better[0] for part in parts],
            directions=tuple(part.directions[0] for part in parts),
            resampling=parts[0].resampling,
            pairing=parts[0].pairing,
        )


def _join_metrics(blocks: Sequence[Blocks]) -> FoldTable:
    """Join the scores as those of L times p columns, so that all are drawn together."""
    rows = [block.oriented.transpose(1, 0, 2).reshape(block.n, -1) for block in blocks]
    x = np.full((len(rows), max(map(len, rows)), rows[0].shape[1]), np.nan)
    for i, row in enumerate(rows):
        x[i, : len(row)] = row
    check_size(x, "scores")
    if x.shape[:2] == (1, 1):
        raise must(
            "scores",
            "show random variation",
            "one score of each algorithm on a single data set",
            "Use folds, items, or several data sets.",
        )
    rho = np.array([block.rho for block in blocks])
    columns = tuple(f"{a} {m}" for a in blocks[0].algorithms for m in blocks[0].metrics)
    return FoldTable(x, rho, columns, tuple(block.dataset for block in blocks))


# Draws: all metrics with the same weights, and the undominated algorithms there.


def _draw(
    table: FoldTable, ropes: Ropes, size: int, seed: int
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Draw means over data sets (D, L, p), and the shares of points where each is undominated."""
    p = len(ropes)
    true = TrueMeans.from_table(table)
    weights = np.random.default_rng([seed, 0]).dirichlet(np.ones(table.q), size)
    rng = np.random.default_rng([seed, 1])
    step = max(AT_ONCE // (table.q * table.L), 1)
    averages, following = [], []
    for start in range(0, size, step):
        w = weights[start : start + step]
        cloud = Cloud(true.draw_means(len(w), rng), w)
        averages.append(cloud.share(cloud.u))
        if table.q > 1:
            following.append(cloud.share(_find_undominated(cloud.u, ropes)))
    means = np.concatenate(averages)
    shares = {AVERAGE: _find_undominated(means, ropes)}
    if following:
        shares[NEXT] = np.concatenate(following)
    return means.reshape(size, -1, p), shares


def _find_undominated(u: np.ndarray, ropes: Ropes) -> np.ndarray:
    """Return whether none dominates each algorithm, (..., L), from utilities (..., L * p)."""
    p = len(ropes)
    _, losses = dominance(u.reshape(-1, u.shape[-1] // p, p), ropes)
    return (losses == 0).astype(float).reshape(*u.shape[:-1], -1)


# Summary.


def _groups(r: Undominated) -> tuple[list[str], list[str], list[str]]:
    """Return the undominated, the dominated, and those that are neither, by the threshold."""
    p = r.frame[f"p_{AVERAGE}"]
    kept, gone = p[p >= r.threshold], p[p <= 1 - r.threshold]
    return [*kept.index], [*gone.index], [a for a in p.index if a not in kept and a not in gone]


HEADLINES = {
    "none": "No {subject} is decided to be undominated",
    "one": "{kept} is undominated",
    "several": "{kept} are undominated",
    "one, others not": "{kept} is undominated, {gone} not",
    "several, others not": "{kept} are undominated, {gone} not",
}
#: By how many are undominated, and whether there are several data sets.
UNDOMINATED = {
    ("none", False): "No {subject} is undominated with probability {threshold:g} or more.",
    ("none", True): "On average over {units}, no {subject} is undominated with probability "
    "{threshold:g} or more.",
    ("one", False): "Undominated with probability {threshold:g} or more: {kept}.",
    ("one", True): "Undominated on average over {units} with probability {threshold:g} or more: "
    "{kept}.",
    ("several", False): "Undominated with probability {threshold:g} or more each: {kept}.",
    (
        "several",
        True,
    ): "Undominated on average over {units} with probability {threshold:g} or more each: {kept}.",
}
DOMINATED = "{name} is dominated, most probably by {by} (probability {p})."
UNDECIDED = "Undecided (probability of being undominated): {names}."


@summarise.register
def _summarise_undominated(undominated: Undominated) -> Summary:
    sentences = [" ".join(_describe_groups(undominated))]
    table, columns = _tabulate(undominated)
    without = all(rope.empty for rope in undominated.rope)
    ropes = [
        str(way) if rope.empty else f"{way} ±{rope.high:g}"
        for way, rope in zip(undominated.directions, undominated.rope, strict=True)
    ]
    return Summary(
        _headline(undominated),
        table,
        columns,
        label="undominated",
        setting=", ".join([*ropes, *(["no ROPE"] if without else [])]),
        sentences=sentences,
        legend=LEGEND_WITHOUT_ROPE if without else LEGEND,
        method=undominated.method,
        more=either("more: .frame, .means, .dominators(), .explain(), .plot(), .to_dict()", ""),
        explanation=lambda: Explanation(short=sentences),
    )


def _headline(r: Undominated) -> str:
    kept, gone, _ = _groups(r)
    kind = "none" if not kept else "one" if len(kept) == 1 else "several"
    return HEADLINES[f"{kind}, others not" if kept and gone else kind].format(
        subject=words_of(r.unit)["subject"], kept=join_items(kept), gone=join_items(gone)
    )


def _describe_groups(r: Undominated) -> list[str]:
    """State which are undominated, which are dominated and by which, and which are undecided."""
    frame = r.frame
    kept, gone, rest = _groups(r)
    kind = "none" if not kept else "one" if len(kept) == 1 else "several"
    p = frame[f"p_{AVERAGE}"]
    undecided = [f"{name} {format_probability(p[name])}" for name in rest]
    return [
        UNDOMINATED[kind, r.datasets > 1].format(
            subject=words_of(r.unit)["subject"],
            units=format_count(r.datasets, r.unit),
            threshold=r.threshold,
            kept=join_items(kept),
        ),
        *(
            DOMINATED.format(
                name=name,
                by=frame["dominated_by"][name],
                p=format_probability(frame["p_dominated_by"][name]),
            )
            for name in gone
        ),
        *([UNDECIDED.format(names=join_items(undecided))] if undecided else []),
    ]


def _tabulate(r: Undominated) -> tuple[pd.DataFrame, dict[object, Column]]:
    """Make the printed table: means, probabilities, and what dominates."""
    frame = r.frame
    by = [
        f"{name} {format_probability(p)}" if p >= 0.005 else ""
        for name, p in zip(
            cut_all(frame["dominated_by"], 18), frame["p_dominated_by"], strict=True
        )
    ]
    cells: dict[object, list[str]] = {"": cut_all(frame.index, 20)}
    columns: dict[object, Column] = {}
    for j, direction in enumerate(r.directions):  # a metric may be called like another column
        cells["metric", j] = align_numbers(list(r.means[direction.metric, "mean"]))
        columns["metric", j] = Column(head=str(direction))
    for on, head in ((AVERAGE, "undominated"), (NEXT, f"on a new {r.unit}")):
        if f"p_{on}" in frame:
            cells[on] = [format_probability(p) for p in frame[f"p_{on}"]]
            columns[on] = Column(head=head)
    cells["by"], columns["by"] = by, Column(Cells.WORDS, "dominated by")
    table = pd.DataFrame([*zip(*cells.values(), strict=True)])
    return table.set_axis(pd.Index([*cells], tupleize_cols=False), axis=1), columns


def _describe_method(blocks: Sequence[Blocks], unit: str, size: int) -> str:
    first, several = blocks[0], len(blocks) > 1
    words = words_of(unit)
    how = f"Bayesian bootstrap over {unit}s, Rubin 1981" if several else "correlated t posterior"
    samples = (
        format_count(len(blocks), unit) if several else format_count(first.n, words["sample"])
    )
    algorithms, metrics = format_count(first.L, words["subject"]), format_count(first.p, "metric")
    data = f"{algorithms} on {samples} by {metrics} at once"
    rho = "" if first.n == 1 else first.rho_sentence
    return "; ".join(filter(None, [how, data, rho, f"{size} independent draws"]))
