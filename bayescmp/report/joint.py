"""The report's part on several metrics together."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from bayescmp.crosscheck.plan import Plan
from bayescmp.crosscheck.results import CrossCheck
from bayescmp.report.plain import number

if TYPE_CHECKING:
    from bayescmp.typing import Json


__all__ = ["several"]

Row = Any
_COLUMNS = (
    "dataset",
    "first",
    "second",
    "bayesian",
    "p_left",
    "p_rope",
    "p_right",
    "p_trade_off",
    "decision",
    "frequentist",
    "statistic",
    "pvalue",
    "adjusted",
    "significant",
    "agreement",
    "words",
    "error",
)


def several(plan: Plan, check: CrossCheck) -> Json | None:
    """The answers of the tests of several metrics, None where each metric was compared alone.

    Returns
    -------
    dict or None
        metrics; ``pairs``: on how many data sets each outcome was decided; ``agreement``: how
        often the test of all metrics and those of each alone reject;
        ``disagreements``: where only one of the two does; ``rows``: all rows.
    """
    if not plan.joint:
        return None
    rows = [r for r in check.rows if r["metric"] == plan.joint_name]
    pairwise = [r for r in rows if r["scope"] == "metrics"]
    alone = _alone(plan, check)
    kinds = [(r, _kind(r, alone)) for r in pairwise]
    return {
        "metrics": list(plan.joint),
        "single": list(plan.metrics),
        "pairs": [_pair(i, pair, kinds) for i, pair in enumerate(plan.pairs)],
        "agreement": {
            k: sum(kind == k for _, kind in kinds)
            for k in ("both", "joint", "single", "none", "failed")
        },
        "disagreements": [
            {k: r[k] for k in ("dataset", "first", "second", "words")}
            for r, kind in kinds
            if kind in ("joint", "single")
        ],
        "columns": list(_COLUMNS),
        "rows": [[number(r[c]) for c in _COLUMNS] for r in rows],
    }


def _alone(plan: Plan, check: CrossCheck) -> dict[tuple[str, str, str], bool]:
    """Whether the test of any single metric rejects, by data set and pair."""
    twin = next((t for t in plan.twins if t.scope == "dataset"), None)
    rejects: dict[tuple[str, str, str], bool] = {}
    for r in check.rows:
        if twin is not None and (r["bayesian"], r["frequentist"], r["scope"]) == (
            twin.bayesian,
            twin.frequentist,
            twin.scope,
        ):
            key = r["dataset"], r["first"], r["second"]
            rejects[key] = rejects.get(key, False) or bool(r["significant"])
    return rejects


def _kind(row: Row, alone: dict[tuple[str, str, str], bool]) -> str:
    if row["significant"] is None:
        return "failed"
    single = alone.get((row["dataset"], row["first"], row["second"]), False)
    return {
        (True, True): "both",
        (True, False): "joint",
        (False, True): "single",
        (False, False): "none",
    }[bool(row["significant"]), single]


def _pair(place: int, pair: tuple[str, str], kinds: list[tuple[Row, str]]) -> Json:
    own = [(r, k) for r, k in kinds if (r["first"], r["second"]) == pair]
    decided = Counter(r["decision"] for r, _ in own)
    rejecting = Counter(k for _, k in own)
    return {
        "id": f"pair-{place + 1}",
        "first": pair[0],
        "second": pair[1],
        "better_first": decided["first"],
        "equivalent": decided["equivalent"],
        "better_second": decided["second"],
        "trade_off": decided["trade-off"],
        "undecided": decided["undecided"] + decided["borderline"],
        "failed": decided["failed"],
        "significant": sum(bool(r["significant"]) for r, _ in own),
        "only_joint": rejecting["joint"],
        "only_single": rejecting["single"],
    }
