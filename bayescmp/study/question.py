"""The question that a table of scores is asked: what to compare, by which tests, how to judge."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from numbers import Real
from types import MappingProxyType

import numpy as np
import pandas as pd

from bayescmp.base.arguments import arg, either, must, must_be
from bayescmp.base.checks import (
    RhoLike,
    Seed,
    as_names,
    check_choice,
    check_flags,
    items_of,
    mapping_of,
    one_rho,
    seed_of,
)
from bayescmp.base.typing import Pair
from bayescmp.catalogue import (
    SCOPES,
    BayesianTest,
    FrequentistTest,
    bayesian_test,
    bayesian_tests,
    frequentist_test,
    named_test,
    twins_of,
)
from bayescmp.errors import CountsError, InputError, QuestionsError, name_argument
from bayescmp.items.items import Items
from bayescmp.results.verdict import check_threshold
from bayescmp.scores.blocks import columns_behind, derive_metric
from bayescmp.scores.columns import as_frame
from bayescmp.scores.counts import are_counts
from bayescmp.scores.differences import Differences
from bayescmp.scores.means import Means
from bayescmp.scores.metrics import normalise
from bayescmp.scores.questions import holds_questions
from bayescmp.scores.rope import Rope, RopesLike, extent_of, region_of
from bayescmp.scores.scores import Scores

# Arguments of comparisons: a table, a region of practical equivalence, a test by its name.


#: What to do with two arrays, and with one result of scikit-learn's cross_validate.
ARRAYS = (
    "For two arrays of scores of the same folds use "
    "compare(Differences.from_arrays(first, second, rho=1 / folds))."
)
#: What a comparison takes.
ACCEPTED = "Scores, a DataFrame, the path of a table, or Differences"
SPLIT = (
    "Read them with bayescmp.Scores.read(scores, resampling='10-fold'), or '10x10-fold' (repeats "
    "x folds), 'random splits 0.33', or 'rho 0.1'."
)
UNNAMED = "Name them: {'first': one, 'second': other}."


def as_scores(
    scores: object, name: str = "scores", metric: str | Iterable[str] | None = None
) -> Scores | Items | Differences:
    """Return scores as given or read, tables of questions as `Items`; `name` is the argument's.

    A single `metric` names what a wide table measures, unless the table does.
    """
    if isinstance(scores, (Scores, Items, Differences)):
        return scores
    if isinstance(scores, Means):
        pairs = either("bc.compare(means, first, second)", "`bayescmp compare TABLE A B`")
        raise InputError(
            "Means with errors must be compared two at a time (got no pair of algorithms, or a "
            f"comparison that needs single scores). Use {pairs}.",
            argument=name,
        )
    if hasattr(scores, "columns"):
        with name_argument(name, "frame"):
            frame = as_frame(scores)
            of_questions = isinstance(frame, pd.DataFrame) and holds_questions(frame)
            return Items(frame) if of_questions else _read(Scores, frame, metric)
    if isinstance(scores, str | os.PathLike):
        try:
            return _read(Scores.read, scores, metric)
        except QuestionsError:
            return Items.read(scores)
    if not isinstance(scores, Mapping):
        hint = ARRAYS if isinstance(scores, np.ndarray | pd.Series | list | tuple) else ""
        raise must_be(name, ACCEPTED, scores, hint)
    if are_counts(scores):
        raise CountsError(
            "scores must be a table of scores (got counts of successes and trials). Use "
            "bayescmp.compare_counts(counts).",
            name,
        )
    if {"fit_time", "score_time"} <= scores.keys():
        raise must(name, "be results by the names of their algorithms", "one result", UNNAMED)
    try:
        return _read(Scores.read, scores, metric)
    except InputError as error:
        results = any(isinstance(one, Mapping) for one in scores.values())
        if error.argument == "resampling" and not results:
            raise must(name, "show how the data were split", "scores alone", SPLIT) from None
        raise must_be(name, ACCEPTED, scores, f"Reading this failed: {error}") from None


def _read(
    read: Callable[..., Scores], source: object, metric: str | Iterable[str] | None
) -> Scores:
    """Read a table; one whose metric has no name in it measures the metric asked for."""
    table = read(source)
    names = list(metric) if isinstance(metric, list | tuple) else [metric]
    if table.metrics != ("score",) or len(names) != 1 or names[0] in (None, "score"):
        return table
    return read(source, metric=names[0])


def scores_table(scores: object, metric: str | Iterable[str] | None = None) -> Scores:
    """Return scores of several algorithms; items are folds with rho 0; differences are refused."""
    table = as_scores(scores, metric=metric)
    if isinstance(table, Items):
        return table.scores()
    if isinstance(table, Differences):
        raise must_be("scores", "Scores or a DataFrame", table, "Differences are of one pair.")
    return table


def check_items(
    items: Items, metric: str | Iterable[str] | None, rho: object, scale: object
) -> None:
    """Refuse options that are for scores of folds, and not for items."""
    known = items.direction.metric
    if metric is not None and as_names(metric, "metric") != [known]:
        raise must_be("metric", f"{known!r}, by which the items are scored", metric)
    if rho is not None and one_rho(rho) != 0:
        raise must_be("rho", "0 for items, which are independent units", rho)
    if not isinstance(scale, str | None) or scale not in (None, "difference"):
        raise must_be("scale", "'difference' for items", scale)


def region_of_table(rope: object, scores: Scores, metric: str) -> Rope:
    """Do `region_of` for all pairs of a table."""
    cells = scores.pairing.frame[scores.metric_named(metric)].to_numpy(dtype=float)
    sizes = extent_of(cells[np.isfinite(cells)])
    span = scores.span(metric) if scores.scale == "difference" else None
    return region_of(rope, scores.scale, span, sizes, metric)


# Which frequentist test answers the same question as which Bayesian one: from the catalogue.


#: The order of scopes: the first tests that fit give the verdict of a pair's row.
_ORDER = ("datasets", "table", "items", "dataset", "areas", "runs", "groups", "metrics",
          "groups_metrics", "counts")  # fmt: skip


@dataclass(frozen=True)
class Twin:
    """A Bayesian test and the frequentist one that answers the same question.

    `bayesian` and `frequentist` are names in `bayescmp.catalogue`; `scope`, of `SCOPES`, is their
    data. In "dataset", a Bayesian test over data sets gives its result for each.
    """

    bayesian: str
    frequentist: str
    scope: str

    def __post_init__(self) -> None:
        if self.scope not in SCOPES:
            raise must_be("scope", f"{', '.join(SCOPES)}", self.scope)
        object.__setattr__(self, "bayesian", bayesian_test(self.bayesian).name)
        frequentist_test(self.frequentist, self.scope)

    @property
    def test(self) -> BayesianTest:
        """The Bayesian test."""
        return bayesian_test(self.bayesian)

    @property
    def check(self) -> FrequentistTest:
        """The frequentist test."""
        return frequentist_test(self.frequentist, self.scope)


def twins() -> tuple[Twin, ...]:
    """Return all pairs of counterparts in the catalogue, those over data sets first."""
    pairs = [
        Twin(test.name, twin.name, twin.scope)
        for test in bayesian_tests()
        for twin in twins_of(test)
    ]
    return tuple(sorted(pairs, key=lambda twin: _ORDER.index(twin.scope)))


def tests_of(twins: tuple[Twin, ...], x: Differences) -> tuple[Twin, ...]:
    """Return the counterparts for one metric and two algorithms that have enough differences."""
    return tuple(twin for twin in twins if _has_enough(twin, x))


def _has_enough(twin: Twin, x: Differences) -> bool:
    """Return whether there are enough data; tests on one data set are done on each of several."""
    datasets, folds = twin.test.datasets[0], twin.test.folds
    if twin.scope in ("dataset", "areas"):
        folds = max(folds, 2)
    elif twin.scope in ("datasets", "table"):
        datasets = max(datasets, 2)
    else:
        return False
    return twin.test.paired and x.q >= datasets and int(x.n.min()) >= folds


# What to compare, by which tests, and how to judge it: checked before any work is done.


#: Fewest algorithms that are compared as a group.
GROUP = 3


@dataclass(frozen=True, eq=False)
class Question:
    """A checked question about a table of scores, passed on as a whole.

    `scores` are of the compared data sets. `metrics` are each compared alone, those in `joint`
    together; `ropes` has a region for each. `test` replaces `twins`; None leaves the choice to
    each pair. `control` is the first of each pair, if any. The rest is as for `crosscheck`.
    """

    scores: Scores
    algorithms: tuple[str, ...]
    metrics: tuple[str, ...]
    ropes: Mapping[str, Rope]
    joint: tuple[str, ...] = ()
    twins: tuple[Twin, ...] = ()
    threshold: float = 0.95
    alpha: float = 0.05
    adjust: str = "holm"
    rho: RhoLike | None = None
    seed: int = 0
    options: Mapping[str, object] = field(default_factory=dict)
    paired: bool = True
    test: BayesianTest | None = None
    control: str | None = None

    @property
    def unpaired(self) -> bool:
        """Return whether the table's rows are runs that do not pair, as far as it shows."""
        return self.scores.unpaired and self.rho is None

    @property
    def pairs(self) -> list[Pair]:
        """All pairs, in the order of the algorithms, or those of the control."""
        pairs = list(combinations(self.algorithms, 2))
        return pairs if self.control is None else [p for p in pairs if p[0] == self.control]

    @property
    def table_twins(self) -> list[Twin]:
        """The tests that rank all algorithms over the data sets, if they fit."""
        enough = len(self.algorithms) >= GROUP and len(self.scores.datasets) >= 2
        return [twin for twin in self.twins if twin.scope == "table"] if enough else []

    @property
    def joint_name(self) -> str:
        """The name of several metrics together in the column metric."""
        return ", ".join(self.joint)

    def of_items(self, metric: str) -> bool:
        """Return whether the scores are right and wrong answers to items: all of them 1 or 0."""
        return metric in self._item_metrics

    @cached_property
    def _item_metrics(self) -> frozenset[str]:
        frame = self.scores.frame
        return frozenset(m for m in self.metrics if frame[m].dropna().isin((0, 1)).all())

    def of_areas(self, metric: str) -> bool:
        """Return whether the scores are areas under ROC curves, of items with predictions."""
        return self.scores.test_items is not None and normalise(metric) in ("auc", "roc_auc")

    def adjust_pvalues(self, pvalues: list[float]) -> list[float]:
        """Return the p-values of all pairs, adjusted."""
        from bayescmp.frequentist.multiplicity import adjust  # imports all of SciPy's statistics

        method = self.adjust if self.has_enough_pvalues(len(pvalues)) else "holm"
        size = len(self.algorithms) if method in ALL_PAIRS else None
        return [float(p) for p in adjust(pvalues, method, n_algorithms=size)]

    def has_enough_pvalues(self, count: int) -> bool:
        """Return whether `count` p-values are enough; procedures for all pairs need every one."""
        return self.adjust not in ALL_PAIRS or count == len(self.pairs)


#: Procedures that need every pair's p-value; if one is missing, Holm's replaces them.
ALL_PAIRS = ("nemenyi", "shaffer", "bergmann-hommel")


def ask_question(
    scores: Scores | Items | pd.DataFrame | Differences,
    metric: str | Iterable[str] | None,
    rope: RopesLike | None,
    *,
    metrics: str | Iterable[str] | None = None,
    algorithms: Iterable[str] | None = None,
    datasets: Iterable[str] | None = None,
    twins: Iterable[Twin] | None = None,
    threshold: float = 0.95,
    alpha: float = 0.05,
    adjust: str = "holm",
    rho: RhoLike | None = None,
    seed: Seed = None,
    options: Mapping[str, object] = MappingProxyType({}),
    scale: str | None = None,
    paired: bool | None = None,
    test: str | None = None,
    control: str | None = None,
) -> Question:
    """Check all before the work; see `crosscheck`. A `test`, or "auto", replaces `twins`."""
    if paired is not None:
        check_flags(paired=paired)
    table = scores_table(scores, metric)
    table = table if scale is None else table.on_scale(scale)
    control = None if control is None else str(control)
    names = _algorithms(table, algorithms, control)
    table = table.select(datasets=datasets, algorithms=names)
    single, joint = _metrics(table, metric, metrics)
    every = tuple(dict.fromkeys((*single, *joint)))
    table = _with_rates(table, every)
    if not isinstance(alpha, Real) or not 0 < alpha < 1:
        raise must_be("alpha", "between 0 and 1, exclusive", alpha)
    if joint and table.scale != "difference":
        one = "Compare by one metric at a time on another scale."
        raise must_be("scale", "'difference' for metrics together", table.scale, one)
    if paired is None:
        asked_for_pairs = test is not None or twins is not None or rho is not None
        paired = asked_for_pairs or bool(joint) or not table.unpaired
    if not paired:
        _check_runs(table, joint, rho)
    chosen: tuple[Twin, ...] = ()
    if test is None:
        chosen = _twins(_default_twins(paired) if twins is None else twins)
        _check_options(chosen, options)
    ropes = _ropes(rope, table, every)
    if control is None and len(names) >= GROUP:
        names = _order_by_side(names, table, ropes)
    return Question(
        table,
        names,
        single,
        ropes,
        joint,
        chosen,
        threshold=check_threshold(threshold),
        alpha=float(alpha),
        adjust=_procedure(adjust, len(names)),
        rho=rho,
        seed=seed_of(seed),
        options=dict(options),
        paired=bool(paired),
        test=None if test is None else named_test(test, unpaired=table.unpaired and rho is None),
        control=control,
    )


def _default_twins(paired: bool) -> tuple[Twin, ...]:
    """Return the tests that every cross-check runs, for scores that pair or runs that do not."""
    return tuple(twin for twin in twins() if twin.test.by_default and twin.test.paired == paired)


def _check_runs(scores: Scores, joint: tuple[str, ...], rho: RhoLike | None) -> None:
    """Refuse joint metrics, rho, and a scale for runs that do not pair."""
    if joint:
        raise InputError(
            f"{arg('paired', False)} must be with one metric at a time (got {', '.join(joint)}).",
            argument="paired",
        )
    if scores.scale != "difference" or rho is not None:
        raise InputError(
            f"{arg('paired', False)} must be without {arg('rho')} and {arg('scale')}, which apply "
            "to differences.",
            argument="paired",
        )


def _twins(given: Iterable[Twin]) -> tuple[Twin, ...]:
    """Return the pairs of counterparts, checked."""
    chosen = tuple(twin for twin in items_of(given) if isinstance(twin, Twin))
    if not chosen or len(chosen) < len(items_of(given)):
        raise must_be("twins", "at least one bayescmp.study.crosscheck.Twin, in a list", given)
    return chosen


def _procedure(name: str, algorithms: int) -> str:
    """Return the adjustment's own name, refused before the work if it cannot be done."""
    from bayescmp.frequentist.multiplicity import adjust, find_procedure

    method = find_procedure(name)
    if method in ALL_PAIRS:
        adjust([1.0] * (algorithms * (algorithms - 1) // 2), method, n_algorithms=algorithms)
    return method


def _with_rates(scores: Scores, metrics: tuple[str, ...]) -> Scores:
    """Add columns for metrics that follow from tp, fn, fp and tn, or from accuracy."""
    frame, lower = scores.frame, []
    for metric in metrics:
        if metric in scores.metrics:
            continue
        there = frame[list(columns_behind(scores, metric))].notna().all(axis=1).to_numpy()
        frame.loc[there, metric], low = derive_metric(scores, metric, np.flatnonzero(there))
        lower += [metric] if low else []
    if len(frame.columns) == len(scores.frame.columns):
        return scores
    return scores.replaced(frame, lower_is_better=lower)


def _metrics(
    scores: Scores, metric: str | Iterable[str] | None, metrics: str | Iterable[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the metrics to compare alone, and those to compare together."""
    alone, together = _names("metric", metric), _names("metrics", metrics)
    if alone and len(together) == 1 and together[0] not in alone:
        accepted = (
            f"two or more to compare by together where {arg('metric', list(alone))} is given"
        )
        raise must_be("metrics", accepted, list(together))
    if len(alone) > 1 and not together:
        together = alone
    if not alone:
        alone = together or (scores.sole_metric,)
    return alone, together if len(together) > 1 else ()


def _names(argument: str, given: str | Iterable[str] | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(as_names(given, argument)))


def _algorithms(
    scores: Scores, algorithms: Iterable[str] | None, control: str | None
) -> tuple[str, ...]:
    names = scores.algorithms if algorithms is None else _names("algorithms", algorithms)
    if not names:
        raise must("algorithms", "name at least two", "none", "Leave it out for all.")
    for name in names:
        check_choice("algorithm", name, scores.algorithms, "algorithms")
    first = () if control is None else (control,)
    for name in first:
        check_choice("algorithm", name, scores.algorithms, "control")
    names = tuple(dict.fromkeys((*first, *names)))
    if len(names) < 2:
        raise too_few(names[0])
    return names


def too_few(name: str, what: str = "algorithms") -> InputError:
    """Return the refusal to compare one algorithm, which names what can be done with it."""
    alone = f"For only one use {either('bayescmp.estimate', '`bayescmp estimate`')}."
    return must("scores", f"have at least two {what} to compare", f"only {name!r}", alone)


def _ropes(rope: RopesLike | None, scores: Scores, metrics: tuple[str, ...]) -> dict[str, Rope]:
    named = mapping_of(rope, "rope")
    if named is None:
        return {metric: region_of_table(rope, scores, metric) for metric in metrics}
    for name in named:
        check_choice("metric of rope", name, metrics, "rope")
    for metric in metrics:
        if metric not in named:
            raise must(
                "rope", f"give a region for metric {metric!r}", f"regions for {list(named)}"
            )
    return {metric: region_of_table(named[metric], scores, metric) for metric in metrics}


def _order_by_side(
    names: tuple[str, ...], scores: Scores, ropes: Mapping[str, Rope]
) -> tuple[str, ...]:
    """Order algorithms by the first metric whose ROPE has an infinite bound, if any."""
    for metric, rope in ropes.items():
        if rope.one_sided:
            lower = scores.direction(metric).sign < 0
            means = scores.means(metric).mean()
            best_last = rope.low == -np.inf  # the first of each pair is asked about
            return tuple(sorted(names, key=lambda a: means[a], reverse=lower == best_last))
    return names


def _check_options(twins: tuple[Twin, ...], options: Iterable[str]) -> None:
    """Refuse an option that no Bayesian test takes."""
    known: set[str] = set().union(*(twin.test.shared_options() for twin in twins))
    for option in options:
        check_choice("option", option, sorted(known), option)
