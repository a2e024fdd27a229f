"""One pair of algorithms by one metric: every pair of twins that its scores are enough for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from bayescmp.catalogue import BayesianTest
from bayescmp.comparison.notes import notes_of
from bayescmp.comparison.record import recorded
from bayescmp.comparison.results import PairResult
from bayescmp.crosscheck.plan import Pair, Plan
from bayescmp.crosscheck.rows import Draft, Test, plain_verdict
from bayescmp.crosscheck.twins import Twin, tests_of
from bayescmp.differences import Differences
from bayescmp.errors import EngineNotFound, InputError
from bayescmp.items.pair import ItemPair, answers_of
from bayescmp.posterior import Posterior
from bayescmp.predictions import RankedPair
from bayescmp.unpaired import UnpairedScores, unpaired_scores
from bayescmp.verdict import Verdict

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PairPart", "pair_part", "table_drafts"]


@dataclass(eq=False)
class PairPart:
    """The results of one pair by one metric.

    Attributes
    ----------
    metric : str
    pair : (str, str)
    drafts : list of Draft
    main : PairResult or None
        Result of the test that gives the pair's verdict.
    verdicts : dict of str to Verdict
        Of each Bayesian test over the data sets.
    x : Differences or None
        What was compared.
    error : Exception or None
        Why there is nothing.
    """

    metric: str
    pair: Pair
    drafts: list[Draft] = field(default_factory=list)
    main: PairResult | None = None
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    x: Differences | None = None
    error: Exception | None = None

    @cached_property
    def table(self) -> pd.DataFrame | None:
        """The main test's estimates for each data set (``by_dataset``), if it has them."""
        posterior = None if self.main is None else self.main.posterior
        return None if posterior is None else _by_dataset(posterior)

    @property
    def failed(self) -> bool:
        """Whether the test that should give the verdict failed."""
        return self.main is None and self.error is not None

    def light(self) -> PairPart:
        """The same without the posterior and what was computed from it."""
        main = None if self.main is None else self.main.without_posterior()
        return replace(self, main=main, x=None)


def pair_part(plan: Plan, metric: str, pair: Pair, *, brief: bool = False) -> PairPart:
    """Every pair of twins on one pair of algorithms, the main result with its posterior.

    Parameters
    ----------
    plan : Plan
    metric : str
    pair : (str, str)
    brief : bool
        Whether of the Bayesian tests over the data sets only the main one is done.

    Returns
    -------
    PairPart
        Tests that fail have rows that say so.
    """
    part = PairPart(metric, pair)
    if not plan.paired:
        return _of_runs(plan, part)
    try:
        x = plan.scores.differences(*pair, metric, rho=plan.rho)
    except InputError as error:
        part.error = error
        first = [t for t in plan.twins if t.scope in ("datasets", "dataset")][:1]
        part.drafts += [Draft(t, metric, "", pair, error=str(error)) for t in first]
        return part
    part.x, twins = x, tests_of(plan.twins, x)
    over = _over_datasets(plan, x, twins, part, brief)
    if plan.of_items(metric) and not x.rho.any():
        _of_items(plan, part)
    _on_datasets(plan, x, twins, over, part)
    return part


def _of_runs(plan: Plan, part: PairPart) -> PairPart:
    """Tests of runs that do not pair, on the only data set."""
    dataset = plan.scores.datasets[0]

    def read() -> UnpairedScores:
        return unpaired_scores(plan.scores, *part.pair, part.metric, dataset=dataset)

    _by_itself(plan, part, "runs", dataset, read)
    return part


def _of_items(plan: Plan, part: PairPart) -> None:
    """Tests of right and wrong answers, where all scores are 1 or 0 and nothing overlaps."""
    for dataset in plan.scores.datasets:

        def read(dataset: str = dataset) -> ItemPair:
            return answers_of(plan.scores, part.pair, part.metric, dataset, rho=plan.rho)

        _by_itself(plan, part, "items", dataset, read)


def _by_itself(
    plan: Plan,
    part: PairPart,
    scope: str,
    dataset: str,
    read: Callable[[], UnpairedScores | ItemPair],
) -> None:
    """The twins of a scope on a data set; on the only one they give the pair's verdict."""
    verdicts: dict[str, Verdict] = {}
    for twin in (t for t in plan.twins if t.scope == scope):
        draft = partial(Draft, twin, part.metric, dataset, part.pair)
        try:
            x = read()
            if twin.bayesian not in verdicts:
                result = _recorded(plan, part.metric, x, twin.test)
                verdicts[twin.bayesian] = result.verdict
                if part.main is None and len(plan.scores.datasets) == 1:
                    part.main = result
            test = Test.run(twin.check, x, plan.ropes[part.metric])
            part.drafts.append(draft(verdicts[twin.bayesian], test))
        except InputError as error:
            part.error = part.error or error
            part.drafts.append(draft(error=str(error)))


def _over_datasets(
    plan: Plan, x: Differences, twins: tuple[Twin, ...], part: PairPart, brief: bool
) -> dict[str, Posterior]:
    """Tests over the data sets, each Bayesian and each frequentist one once."""
    posteriors, errors = _posteriors(plan, x, twins, part, brief)
    tests: dict[str, Test] = {}
    for twin in (t for t in twins if t.scope == "datasets"):
        name = twin.frequentist
        if name not in tests and name not in errors:
            try:
                tests[name] = Test.run(twin.check, x, plan.ropes[part.metric])
            except InputError as error:
                errors[name] = str(error)
        why = errors.get(twin.bayesian, "") or errors.get(name, "")
        verdict = part.verdicts.get(twin.bayesian)
        answer = verdict, tests.get(name), why
        part.drafts.append(Draft(twin, part.metric, "", x.names, *answer, x.left_out))
    return posteriors


def _posteriors(
    plan: Plan, x: Differences, twins: tuple[Twin, ...], part: PairPart, brief: bool
) -> tuple[dict[str, Posterior], dict[str, str]]:
    """The Bayesian tests over the data sets, and why some have failed.

    The first gives the pair's verdict, or fails for the pair: no other test stands in for it.
    """
    posteriors: dict[str, Posterior] = {}
    errors: dict[str, str] = {}
    over = {t.bayesian: t.test for t in twins if t.scope in ("datasets", "table")}
    for name, test in islice(over.items(), 1 if brief else None):
        first = not posteriors and not errors
        try:
            result = _recorded(plan, part.metric, x, test)
        except EngineNotFound:
            raise
        except Exception as error:  # kept, and reported in the pair's rows
            errors[name], part.error = str(error), error if first else part.error
            continue
        assert result.posterior is not None
        posteriors[name], part.verdicts[name] = result.posterior, result.verdict
        part.main = result if first else part.main
    return posteriors, errors


def _fit(
    plan: Plan, metric: str, x: Differences | UnpairedScores | ItemPair, test: BayesianTest
) -> Posterior:
    options = test.shared(plan.options)
    rope = plan.ropes[metric]
    posterior = test.fit(x, rope=rope, seed=plan.seed, options=options)
    notes = notes_of(x, rope)
    return replace(posterior, notes=(*notes, *posterior.notes)) if notes else posterior


def _recorded(
    plan: Plan, metric: str, x: Differences | UnpairedScores | ItemPair, test: BayesianTest
) -> PairResult:
    return recorded(
        lambda: _fit(plan, metric, x, test),
        test=test.name,
        threshold=plan.threshold,
        datasets=x.q if isinstance(x, Differences) else 1,
        explained=True,
    )


def _on_datasets(
    plan: Plan,
    x: Differences,
    twins: tuple[Twin, ...],
    over: Mapping[str, Posterior],
    part: PairPart,
) -> None:
    """Tests on each data set by itself, or what a test over all makes of each."""
    scopes = ("dataset", "areas") if plan.of_areas(part.metric) else ("dataset",)
    alone = [t for t in twins if t.scope in scopes]
    tables = {t.bayesian: _by_dataset(over[t.bayesian]) for t in alone if t.bayesian in over}
    shrunken = {n: _judged(t, over[n], plan) for n, t in tables.items()}
    alone = [t for t in alone if shrunken.get(t.bayesian, True)]
    for dataset in x.datasets if alone else ():
        row = x.row(dataset)
        for twin in alone:
            answer = _alone(plan, row, twin, shrunken.get(twin.bayesian), part)
            part.drafts.append(Draft(twin, part.metric, dataset, x.names, *answer, row.left_out))


def _alone(
    plan: Plan, row: Differences, twin: Twin, table: dict[str, Verdict] | None, part: PairPart
) -> tuple[Verdict | None, Test | None, str]:
    """Verdict and test on one data set, or why there is none; on the only one the pair's too."""
    try:
        test = Test.run(twin.check, _given(plan, row, twin), plan.ropes[part.metric])
        if table is not None:
            return table[row.datasets[0]], test, ""
        if len(plan.scores.datasets) == 1 and part.main is None:
            part.main = _recorded(plan, part.metric, row, twin.test)
            return part.main.verdict, test, ""
        posterior = _fit(plan, part.metric, row, twin.test)
        return posterior.verdict(threshold=plan.threshold), test, ""
    except InputError as error:
        return None, None, str(error)


def _given(plan: Plan, row: Differences, twin: Twin) -> Differences | RankedPair:
    """What a frequentist test on one data set is given: differences, or ranked test items."""
    kept = plan.scores.test_items
    if twin.scope != "areas" or kept is None:
        return row
    return kept.pair(*row.names, row.datasets[0])


def _by_dataset(posterior: Any) -> pd.DataFrame | None:
    """The estimates of a test over all data sets for each of them, None if it has none."""
    return posterior.by_dataset() if "datasets" in posterior.shows else None


def _judged(table: pd.DataFrame | None, posterior: Posterior, plan: Plan) -> dict[str, Verdict]:
    """A verdict on each data set, none where there is no table."""
    if table is None:
        return {}
    like = posterior.verdict(threshold=plan.threshold)
    p = table[["p_left", "p_rope", "p_right"]].to_numpy()
    return {
        str(name): plain_verdict(row, posterior.names, like)
        for name, row in zip(table.index, p, strict=True)
    }


def table_drafts(plan: Plan, metric: str, parts: Iterable[PairPart]) -> list[Draft]:
    """Tests that rank all algorithms together, beside each pair's own verdict."""
    parts = list(parts)
    return [draft for twin in plan.table_twins for draft in _ranked(plan, metric, twin, parts)]


def _ranked(plan: Plan, metric: str, twin: Twin, parts: list[PairPart]) -> Iterator[Draft]:
    """One test that ranks all algorithms."""
    means = plan.scores.means(metric)[list(plan.algorithms)]
    lower = plan.scores.lower_is_better(metric)
    tests: dict[Pair, Test] = {}
    why = ""
    try:
        ranked = twin.check.call(means, lower_is_better=lower)
        tests = dict(zip(plan.pairs, Test.of_pairs(ranked), strict=True))
    except InputError as error:
        why = str(error)
    for part in parts:
        verdict, test = part.verdicts.get(twin.bayesian), tests.get(part.pair)
        left_out = None if part.main is None else part.main.left_out
        yield Draft(twin, metric, "", part.pair, verdict, test, why, left_out)
