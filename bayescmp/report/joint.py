"""The report's part on several metrics together."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from bayescmp.crosscheck.joint import joint_name
from bayescmp.crosscheck.plan import Plan
from bayescmp.crosscheck.results import CrossCheck

__all__ = ["several"]

Row = Any
_COLUMNS = ("dataset", "first", "second", "bayesian", "p_left", "p_rope", "p_right", "p_trade_off",
            "decision", "frequentist", "statistic", "pvalue", "adjusted", "significant",
            "agreement", "words", "error")  # fmt: skip


def several(plan: Plan, check: CrossCheck) -> dict[str, Any] | None:
    """What the tests of several metrics found, None where one metric at a time was compared.

    Returns
    -------
    dict or None
        metrics; ``pairs``: on how many data sets each outcome was decided; ``agreement``: how
        often the test of all metrics and those of each alone reject; ``apart``: where only one of
        the two does; ``rows``: all rows.
    """
    if not plan.joint:
        return None
    rows = [r for r in check.rows if r["metric"] == joint_name(plan)]
    mine = [r for r in rows if r["scope"] == "metrics"]
    alone = _alone(check)
    kinds = [(r, _kind(r, alone)) for r in mine]
    return {
        "metrics": list(plan.joint), "single": list(plan.metrics),
        "pairs": [_pair(i, pair, kinds) for i, pair in enumerate(plan.pairs)],
        "agreement": {k: sum(kind == k for _, kind in kinds)
                      for k in ("both", "joint", "single", "none", "failed")},
        "apart": [{k: r[k] for k in ("dataset", "first", "second", "words")}
                  for r, kind in kinds if kind in ("joint", "single")],
        "columns": list(_COLUMNS), "rows": [[_plain(r[c]) for c in _COLUMNS] for r in rows],
    }  # fmt: skip


def _alone(check: CrossCheck) -> dict[tuple[str, str, str], bool]:
    """Whether the corrected t test of any single metric rejects, by data set and pair."""
    found: dict[tuple[str, str, str], bool] = {}
    for r in check.rows:
        if r["frequentist"] == "corrected_t" and r["bayesian"] == "correlated_t":
            key = r["dataset"], r["first"], r["second"]
            found[key] = found.get(key, False) or bool(r["significant"])
    return found


def _kind(row: Row, alone: dict[tuple[str, str, str], bool]) -> str:
    if row["significant"] is None:
        return "failed"
    single = alone.get((row["dataset"], row["first"], row["second"]), False)
    return {(True, True): "both", (True, False): "joint", (False, True): "single",
            (False, False): "none"}[bool(row["significant"]), single]  # fmt: skip


def _pair(place: int, pair: tuple[str, str], kinds: list[tuple[Row, str]]) -> dict[str, Any]:
    mine = [(r, k) for r, k in kinds if (r["first"], r["second"]) == pair]
    decided = Counter(r["decision"] for r, _ in mine)
    parted = Counter(k for _, k in mine)
    return {
        "id": f"pair-{place + 1}", "first": pair[0], "second": pair[1],
        "better_first": decided["first"], "equivalent": decided["equivalent"],
        "better_second": decided["second"], "trade_off": decided["trade-off"],
        "undecided": decided["undecided"], "failed": decided["failed"],
        "significant": sum(bool(r["significant"]) for r, _ in mine),
        "only_joint": parted["joint"], "only_single": parted["single"],
    }  # fmt: skip


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
