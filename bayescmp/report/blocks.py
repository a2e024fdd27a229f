"""What a report says of one pair by one metric, collected while its posterior is there."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayescmp.crosscheck.pairs import PairPart
from bayescmp.crosscheck.plan import Pair
from bayescmp.deferred import changed
from bayescmp.report.figures import pair_figures
from bayescmp.report.plain import by_row, number
from bayescmp.verdict import Verdict, words

if TYPE_CHECKING:
    import pandas as pd

    from bayescmp.posterior import Posterior
    from bayescmp.typing import Json

__all__ = ["PairBlocks"]


@dataclass(frozen=True)
class PairBlocks:
    """How much a report says of each pair.

    Attributes
    ----------
    full : collection of (str, str)
        Pairs that are shown in full.
    leading : (str, str)
        The pair whose block says under what its decision holds.
    details : bool
        Whether pairs in full have estimates for each data set; see
        `bayescmp.report.selection.detailed`.
    pictures : bool
        Whether they have pictures.
    sensitivity : bool
        Whether every pair has a paragraph on what its decision depends on.
    """

    full: Collection[Pair]
    leading: Pair
    details: bool
    pictures: bool
    sensitivity: bool

    def of(self, part: PairPart, name: str) -> Json:
        """The block of a pair that was compared.

        Parameters
        ----------
        part : PairPart
            With its posterior.
        name : str
            Starts the ids of the pictures.
        """
        leads = part.pair == self.leading
        block = _in_tables(part, self.sensitivity, leads)
        if part.pair not in self.full:
            return block
        drawn = pair_figures(part, name, leads, self.details) if self.pictures else {}
        return {**block, **_in_full(part, self.details), "figures": drawn}


def _in_tables(part: PairPart, sensitivity: bool, leads: bool) -> Json:
    """What the tables say of a pair."""
    main = part.main
    assert main is not None
    posterior: Any = main.posterior
    verdict = main.verdict
    return {
        "metric": part.metric,
        "direction": posterior.measured,
        "test": main.test,
        "verdict": _light(verdict).to_dict(),
        "floor": verdict.floor,
        "sensitivity": _sensitivity(posterior, verdict) if sensitivity else "",
        "holds": _holds(posterior, verdict) if leads and main.diagnostics.exact else "",
        "decided": verdict.decided,
        "region": verdict.ranked[0],
        "prior_bounds": dict(posterior.prior_bounds),
        "summary": by_row(main.summary),
        "engine": main.engine,
        "engine_version": main.engine_version,
        "ok": not main.trouble,
        "trouble": "; ".join(main.trouble),
        "diagnostics": str(changed(main.diagnostics, misfit=())),
        "notes": list(dict.fromkeys([*main.notes, *main.warnings])),
        "seconds": main.seconds,
    }


def _light(verdict: Verdict) -> Verdict:
    """The verdict without what takes draws and nothing in the tables says."""
    kept = {} if verdict.decision == "undecided" else {"known": None}
    return changed(verdict, spread=(), **kept)


def _in_full(part: PairPart, details: bool) -> Json:
    """What a pair in full says more: its verdict in words, the model's check, the data sets."""
    assert part.main is not None
    verdict = part.main.verdict
    return {
        "diagnostics": str(part.main.diagnostics),
        "verdict": verdict.to_dict(),
        "explained": verdict.explain(),
        "odds": verdict.odds_in_words(),
        "labels": {r: verdict.label(r) for r in verdict.probabilities},
        "outcome": words.decision(verdict),
        "columns": verdict.columns(),
        "datasets": _datasets(part.table) if details else _measured(part),
    }


def _sensitivity(posterior: Posterior, verdict: Verdict) -> str:
    """Under what the decision holds, and what changes it."""
    return posterior.sensitivity(threshold=verdict.threshold).explain()


def _holds(posterior: Posterior, verdict: Verdict) -> str:
    """The same in a clause, without leaving out data sets; of what is computed, not sampled."""
    return posterior.sensitivity(threshold=verdict.threshold, datasets=False).brief()


def _datasets(table: pd.DataFrame | None) -> list[Json]:
    if table is None:
        return []
    plain = table.rename(columns={"2.5%": "low", "97.5%": "high"})
    return [
        {"dataset": str(n), **{str(k): number(v) for k, v in row.items()}}
        for n, row in plain.to_dict(orient="index").items()
    ]


def _measured(part: PairPart) -> list[Json]:
    """Mean differences on each data set, without what the model makes of them."""
    assert part.x is not None
    rows = zip(part.x.datasets, part.x.n, part.x.means, strict=True)
    return [{"dataset": str(d), "n": int(n), "observed": number(m)} for d, n, m in rows]
