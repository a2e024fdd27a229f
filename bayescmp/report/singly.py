"""The frequentist test on each data set by itself, of every pair: p-values alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.catalogue import FrequentistTest
from bayescmp.crosscheck.pairs import PairPart
from bayescmp.crosscheck.plan import Pair, Plan
from bayescmp.crosscheck.rows import Test
from bayescmp.crosscheck.twins import tests_of
from bayescmp.differences import Differences
from bayescmp.errors import InputError

if TYPE_CHECKING:
    from bayescmp.typing import Json

__all__ = ["Singles", "adjusted", "singles_of", "wins"]

#: Tests by data set; None where one failed.
Singles = Mapping[str, Test | None]

_SIDES = {1.0: "second", -1.0: "first"}


def singles_of(plan: Plan, part: PairPart) -> Singles:
    """The first twin on each data set by itself, its frequentist half; empty of one data set.

    A report has hundreds of pairs on dozens of data sets, and shows only p-values of them.

    Parameters
    ----------
    plan : Plan
    part : PairPart

    Returns
    -------
    mapping of str to Test or None
    """
    if part.x is None or len(plan.scores.datasets) == 1:
        return {}
    twin = next((t for t in tests_of(plan.twins, part.x) if t.scope == "dataset"), None)
    return (
        {}
        if twin is None
        else dict(zip(part.x.datasets, _on_each(twin.check, part.x), strict=True))
    )


def _on_each(test: FrequentistTest, x: Differences) -> list[Test | None]:
    if test.by_row is None:
        return [_on_one(test, x.row(dataset)) for dataset in x.datasets]
    rows = test.by_row(x)
    sides = np.sign(rows.estimate - test.equal)
    return [
        Test(float(statistic), float(pvalue), _SIDES.get(float(side), ""))
        for statistic, pvalue, side in zip(rows.statistic, rows.pvalue, sides, strict=True)
    ]


def _on_one(test: FrequentistTest, row: Differences) -> Test | None:
    try:
        return Test.run(test, row)
    except InputError:
        return None


def adjusted(plan: Plan, singles: Mapping[Pair, Singles]) -> dict[Pair, list[Json]]:
    """The tests with p-values adjusted over the pairs, on each data set by itself.

    Parameters
    ----------
    plan : Plan
    singles : mapping of (str, str) to mapping
        By one metric, for each pair as `singles_of` gives them.

    Returns
    -------
    dict
        For each pair a list of dict: dataset, statistic, pvalue, adjusted, significant, favours.
    """
    rows: dict[Pair, list[Json]] = {pair: [] for pair in singles}
    for dataset in plan.scores.datasets:
        family = {pair: tests[dataset] for pair, tests in singles.items() if dataset in tests}
        pvalues = [test.pvalue for test in family.values() if test is not None]
        over = iter(plan.adjusted(pvalues) if pvalues else ())
        for pair, test in family.items():
            p = None if test is None else next(over)
            rows[pair].append({"dataset": dataset, **_row(test, p, plan.alpha)})
    return rows


def _row(test: Test | None, p: float | None, alpha: float) -> Json:
    if test is None or p is None:
        return dict.fromkeys(("statistic", "pvalue", "adjusted", "significant", "favours"))
    return {
        "statistic": test.statistic if np.isfinite(test.statistic) else None,
        "pvalue": test.pvalue,
        "adjusted": p,
        "significant": p <= alpha,
        "favours": test.favours,
    }


def wins(rows: Sequence[Json]) -> dict[str, int]:
    """On how many data sets the test finds either algorithm better, or neither.

    Parameters
    ----------
    rows : sequence of dict
        As `adjusted` gives them for a pair.

    Returns
    -------
    dict
        for_first, for_second, neither.
    """
    sides = [row["favours"] if row["significant"] else "" for row in rows]
    return {
        "for_first": sides.count("first"),
        "for_second": sides.count("second"),
        "neither": sides.count(""),
    }
