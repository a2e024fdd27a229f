"""One pair of algorithms by one metric: every pair of twins that its scores are enough for."""

from __future__ import annotations

import dataclasses
import warnings
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from bayescmp import frequentist
from bayescmp.comparison.results import PairResult
from bayescmp.crosscheck.plan import Pair, Plan
from bayescmp.crosscheck.rows import Draft, Test, plain_verdict
from bayescmp.crosscheck.twins import Twin, bayesian_test, frequentist_test, tests_of
from bayescmp.differences import Differences
from bayescmp.errors import DiagnosticWarning, EngineNotFound, InputError
from bayescmp.posterior import Posterior
from bayescmp.verdict import Verdict

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PairDrafts", "pair_drafts", "table_drafts"]


@dataclass(eq=False)
class PairDrafts:
    """What one pair gave.

    Attributes
    ----------
    drafts : list of Draft
    main : PairResult or None
        Result of the test that gives the pair's verdict.
    verdicts : dict of str to Verdict
        Of each Bayesian test over the data sets.
    table : DataFrame or None
        What the main test makes of each data set (``by_dataset``).
    error : Exception or None
        Why there is nothing.
    """

    drafts: list[Draft] = field(default_factory=list)
    main: PairResult | None = None
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    table: pd.DataFrame | None = None
    error: Exception | None = None

    def without_posterior(self) -> PairResult:
        """The main result without its draws."""
        assert self.main is not None
        return dataclasses.replace(self.main, posterior=None)


def pair_drafts(plan: Plan, metric: str, pair: Pair, keep: bool) -> PairDrafts:
    """Every pair of twins on one pair of algorithms.

    Parameters
    ----------
    plan : Plan
    metric : str
    pair : (str, str)
    keep : bool
        Whether the main result is to hold its posterior.

    Returns
    -------
    PairDrafts
        Tests that fail have rows that say so.
    """
    found = PairDrafts()
    try:
        x = plan.scores.differences(*pair, metric, rho=plan.rho)
    except InputError as error:
        found.error = error
        told = [t for t in plan.twins if t.scope in ("datasets", "dataset")][:1]
        found.drafts += [Draft(t, metric, "", pair, error=str(error)) for t in told]
        return found
    mine = tests_of(plan.twins, x)
    over = _over_datasets(plan, metric, x, mine, found)
    _on_datasets(plan, metric, x, mine, over, found)
    if found.main is not None and not keep:
        found.main = found.without_posterior()
    return found


def _over_datasets(
    plan: Plan, metric: str, x: Differences, twins: tuple[Twin, ...], found: PairDrafts
) -> dict[str, Posterior]:
    """Tests over the data sets, each Bayesian and each frequentist one once."""
    posteriors, errors = _posteriors(plan, metric, x, twins, found)
    tests: dict[str, Test] = {}
    for twin in (t for t in twins if t.scope == "datasets"):
        name = twin.frequentist
        if name not in tests and name not in errors:
            try:
                tests[name] = Test.of(name, frequentist_test(name, x))
            except InputError as error:
                errors[name] = str(error)
        why = errors.get(twin.bayesian, "") or errors.get(name, "")
        verdict = found.verdicts.get(twin.bayesian)
        found.drafts.append(Draft(twin, metric, "", x.names, verdict, tests.get(name), why))
    return posteriors


def _posteriors(
    plan: Plan, metric: str, x: Differences, twins: tuple[Twin, ...], found: PairDrafts
) -> tuple[dict[str, Posterior], dict[str, str]]:
    """The Bayesian tests over the data sets, and why some have failed.

    The first gives the pair's verdict, or fails for the pair: no other test stands in for it.
    """
    posteriors: dict[str, Posterior] = {}
    errors: dict[str, str] = {}
    for name in dict.fromkeys(t.bayesian for t in twins if t.scope in ("datasets", "table")):
        first = not posteriors and not errors
        try:
            result = _fitted(plan, metric, x, name)
        except EngineNotFound:
            raise
        except Exception as error:  # kept, and told in the pair's rows
            errors[name], found.error = str(error), error if first else found.error
            continue
        assert result.posterior is not None
        posteriors[name], found.verdicts[name] = result.posterior, result.verdict
        found.main = result if first else found.main
    return posteriors, errors


def _fitted(plan: Plan, metric: str, x: Differences, name: str) -> PairResult:
    """One Bayesian test, with what was warned of."""
    start = perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DiagnosticWarning)
        posterior = bayesian_test(name, x, plan.ropes[metric], plan.seed, plan.options)
        verdict = posterior.verdict(threshold=plan.threshold)
        summary = posterior.summary()
    told = tuple(str(w.message) for w in caught if issubclass(w.category, DiagnosticWarning))
    return PairResult(
        verdict, summary, name, posterior.engine, posterior.engine_version, posterior.diagnostics,
        x.q, posterior.seed, posterior.notes, told, perf_counter() - start, posterior,
    )  # fmt: skip


def _on_datasets(
    plan: Plan,
    metric: str,
    x: Differences,
    twins: tuple[Twin, ...],
    over: dict[str, Posterior],
    found: PairDrafts,
) -> None:
    """Tests on each data set by itself, or what a test over all makes of each."""
    wanted = {t.bayesian for t in twins if t.scope == "dataset"}
    tables = {n: _by_dataset(p) for n, p in over.items() if n in wanted}
    shrunken = {n: _judged(t, over[n], plan) for n, t in tables.items()}
    found.table = next((t for t in tables.values() if t is not None), None)
    mine = [t for t in twins if t.scope == "dataset" and shrunken.get(t.bayesian, True)]
    for dataset in x.datasets if mine else ():
        row = x.row(dataset)
        for twin in mine:
            told = _alone(plan, metric, row, twin, shrunken.get(twin.bayesian), found)
            found.drafts.append(Draft(twin, metric, dataset, x.names, *told))


def _alone(
    plan: Plan,
    metric: str,
    row: Differences,
    twin: Twin,
    table: dict[str, Verdict] | None,
    found: PairDrafts,
) -> tuple[Verdict | None, Test | None, str]:
    """Verdict and test on one data set, or why there is none; on the only one the pair's too."""
    try:
        test = Test.of(twin.frequentist, frequentist_test(twin.frequentist, row))
        if table is not None:
            return table[row.datasets[0]], test, ""
        if len(plan.scores.datasets) == 1 and found.main is None:
            found.main = _fitted(plan, metric, row, twin.bayesian)
            return found.main.verdict, test, ""
        return _verdict(plan, metric, row, twin.bayesian), test, ""
    except InputError as error:
        return None, None, str(error)


def _verdict(plan: Plan, metric: str, x: Differences, name: str) -> Verdict:
    """Verdict of a Bayesian test, without the rest."""
    posterior = bayesian_test(name, x, plan.ropes[metric], plan.seed, plan.options)
    found: Verdict = posterior.verdict(threshold=plan.threshold)
    return found


def _by_dataset(posterior: Any) -> pd.DataFrame | None:
    """What a test over all data sets makes of each, None if it does not tell."""
    return posterior.by_dataset() if hasattr(posterior, "by_dataset") else None


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


def table_drafts(plan: Plan, metric: str, parts: dict[Pair, PairDrafts]) -> list[Draft]:
    """Tests that rank all algorithms together, beside each pair's own verdict."""
    twins = [t for t in plan.twins if t.scope == "table"]
    if len(plan.scores.datasets) < 2 or len(plan.algorithms) < 3:
        return []
    means = plan.scores.means(metric)[list(plan.algorithms)]
    lower = plan.scores.lower_is_better(metric)
    drafts: list[Draft] = []
    for twin in twins:
        tests: dict[Pair, Test]
        try:
            ranked = frequentist.posthoc(
                means, test=twin.frequentist, adjust="none", lower_is_better=lower
            )
        except InputError as error:
            tests, why = {}, str(error)
        else:
            records = zip(plan.pairs, ranked.frame.to_dict(orient="records"), strict=True)
            tests, why = {pair: _ranked(row) for pair, row in records}, ""
        for pair, part in parts.items():
            verdict = part.verdicts.get(twin.bayesian)
            drafts.append(Draft(twin, metric, "", pair, verdict, tests.get(pair), why))
    return drafts


def _ranked(row: dict[Any, Any]) -> Test:
    lead = row["difference"]
    side = "second" if lead > 0 else "first" if lead < 0 else ""
    return Test(float(row["statistic"]), float(row["pvalue"]), side)
