"""The rows of the tidy table of all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayescmp.comparison.results import Pair, PairResult
    from bayescmp.typing import Json

__all__ = ["NAN", "PARTS", "REGIONS", "failed_row", "row"]

NAN = float("nan")
REGIONS = ("left", "rope", "right")
#: Columns of numbers for each region.
PARTS = ("p", "se", "predictive", "mean")


def row(pair: Pair, result: PairResult) -> Json:
    """The numbers of a pair that was compared."""
    v = result.verdict
    ranked = sorted(v.probabilities, key=lambda r: -v.probabilities[r])
    odds = v.odds.get((ranked[0], ranked[1])) or v.odds.get((ranked[1], ranked[0]))
    size = NAN if odds is None else max(odds.value, 1 / odds.value)
    return {
        "first": pair[0],
        "second": pair[1],
        **{f"p_{r}": v.probabilities[r] for r in REGIONS},
        **{f"se_{r}": v.errors[r] for r in REGIONS},
        **{f"predictive_{r}": (v.expected or {}).get(r, NAN) for r in REGIONS},
        **{f"mean_{r}": (v.location or {}).get(r, NAN) for r in REGIONS},
        "decision": v.decision,
        "most_probable": ranked[0],
        "odds": size,
        "odds_bound": bool(odds is not None and odds.bound),
        "evidence": v.evidence,
        "test": result.test,
        "engine": result.engine,
        "datasets": result.datasets,
        "datasets_left_out": len(result.left_out.datasets),
        "folds_left_out": result.left_out.folds,
        "ok": not result.trouble,
        "notes": "; ".join(dict.fromkeys([*result.notes, *result.warnings])),
        "resampling": result.resampling,
        "error": "",
    }


def failed_row(pair: Pair, error: Exception) -> Json:
    """The row of a pair that could not be compared: no numbers, but the reason."""
    return {
        "first": pair[0],
        "second": pair[1],
        **{f"{what}_{r}": NAN for what in PARTS for r in REGIONS},
        "decision": "failed",
        "most_probable": "",
        "odds": NAN,
        "odds_bound": False,
        "evidence": "none",
        "test": "",
        "engine": "",
        "datasets": 0,
        "datasets_left_out": 0,
        "folds_left_out": 0,
        "ok": False,
        "notes": "",
        "resampling": "",
        "error": f"{type(error).__name__}: {error}",
    }
