"""Common parts of the summaries of posteriors: data, method, doubts and parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescmp.present.summary import PAIR, Cells, Column, Summary
from bayescmp.results.verdict import frame_of
from bayescmp.scores.rope import ropes_in_words
from bayescmp.wording.markup import named_rows
from bayescmp.wording.regions import LABELS, fill_in
from bayescmp.wording.text import format_count, format_number, format_probability, write_number

if TYPE_CHECKING:
    from bayescmp.results.diagnostics import Diagnostics
    from bayescmp.results.posterior import Fitted

#: Engines of the package's own.
BUILT_IN = ("quadrature", "exact", "metropolis")

#: Computation of a posterior, by its kind.
COMPUTED = {
    "closed form": "in closed form",
    "independent": "{draws} independent draws",
    "weighted": "{draws} draws, Pareto k {k}, {state}",
    "built in": "built-in engine, {state}",
    "engine": "{engine} {version}, {state}",
}
#: Whether the checks of a computation passed.
CHECKED = {True: "checks passed", False: "checks FAILED"}

DOUBTS = {"failed": "FAILED: {}", "misfit": "misfit: {}"}

#: Diagnostics in a line.
DIAGNOSTICS = {
    "exact": "{state} (exact)",
    "quadrature": "{state} (quadrature; differs by {sizes})",
    "chains": "{state} (r-hat {d.rhat:.4f}, ess bulk {d.ess_bulk:.0f}, tail {d.ess_tail:.0f})",
    "sampler": "{state} (r-hat {d.rhat:.4f}, ess bulk {d.ess_bulk:.0f}, tail {d.ess_tail:.0f}, "
    "divergences {d.divergences}, treedepth hits {d.max_treedepth}, e-bfmi {d.ebfmi:.2f})",
    "refitted": "{state} (r-hat {d.rhat:.4f}, ess bulk {d.ess_bulk:.0f}, tail {d.ess_tail:.0f}, "
    "divergences {d.divergences}, treedepth hits {d.max_treedepth}, e-bfmi {d.ebfmi:.2f}, "
    "refitted)",
}

ALL_PAIRS = "All pairs"
#: The legend for parameters that are not scores.
CENTRED = (
    "estimate: posterior mean; for each {subject} of its difference from the mean of all "
    "{subject}s, not of its score; higher is better"
)


def count_rows(posterior: Fitted) -> str:
    """Count the folds or data sets that were seen; "" if the data are described differently."""
    rows = posterior.model.rows
    word = posterior.sample if rows == "x" else posterior.unit
    return format_count(len(getattr(posterior, rows)), word) if rows else ""


def describe_method(posterior: Fitted, data: str) -> list[str]:
    """Name the test and its source; the data and the correlation of folds; the engine."""
    lines = (
        (posterior.method, posterior.reference),
        (data, posterior.pairing, posterior.resampling),
        (name_engine(posterior),),
    )
    return [text for line in lines if (text := ", ".join(filter(None, line)))]


def name_engine(posterior: Fitted) -> str:
    """State what computed a posterior, and whether its checks passed."""
    diagnostics, k = posterior.diagnostics, getattr(posterior, "pareto_k", None)
    if posterior.own_draws:
        kind = "independent" if k is None else "weighted"
    elif diagnostics.unchecked:
        kind = "closed form"
    else:
        kind = "built in" if posterior.engine in BUILT_IN else "engine"
    return COMPUTED[kind].format(
        draws=posterior.own_draws,
        k="" if k is None else format_number(k, 2),
        engine=posterior.engine,
        version=posterior.engine_version,
        state=CHECKED[diagnostics.ok],
    )


def list_doubts(posterior: Fitted) -> list[str]:
    """List what failed, what the model does not fit, and what the reader should know."""
    diagnostics = posterior.diagnostics
    return [
        *map(DOUBTS["failed"].format, diagnostics.messages),
        *map(DOUBTS["misfit"].format, diagnostics.misfit),
        *posterior.notes,
    ]


def describe_parameters(posterior: Fitted, title: str) -> Summary:
    """Summarise the parameters, and what computed them, under a title that names the test."""
    table = posterior.summary().rename_axis(index={"algorithm": posterior.subject})
    centred = {"mean": Column(head="estimate")} if posterior.is_centred else {}
    return Summary(
        title,
        named_rows(table, ""),
        centred,
        facts=_list_facts(posterior),
        legend=CENTRED.format(subject=posterior.subject) if centred else "",
    )


def _list_facts(posterior: Fitted) -> dict[str, str]:
    """Return the assumptions, the data, and what computed the posterior, by name."""
    metrics = posterior.metrics
    facts = {
        "rope": (ropes_in_words(posterior.ropes(), metrics) or "none") if metrics else "",
        "prior": posterior.prior_text,
        "data": posterior.data_details,
        "pairing": posterior.pairing,
        "resampling": posterior.resampling,
        "engine": f"{posterior.engine} ({posterior.engine_version}), seed {posterior.seed}",
        "diagnostics": describe_diagnostics(posterior.diagnostics),
    }
    return {name: text for name, text in facts.items() if text}


def engine_details(posterior: Fitted) -> dict[str, str]:
    """Return what computed the posterior, for a notebook."""
    return {
        "engine": f"{posterior.engine} ({posterior.engine_version}), seed {posterior.seed}",
        "diagnostics": describe_diagnostics(posterior.diagnostics),
        "prior": posterior.prior_text,
    }


def describe_diagnostics(d: Diagnostics) -> str:
    """State in a line whether the numbers can be trusted, and what the model does not fit."""
    state = "ok" if d.ok else f"FAILED: {'; '.join(d.messages)}"
    checks = {"from other starts": d.apart, "by another rule": d.certificate}
    sizes = [f"{write_number(x, '.1e')} {how}" for how, x in checks.items() if x is not None]
    if d.exact:
        kind = "quadrature" if sizes else "exact"
    elif d.divergences is None:  # no Hamiltonian sampler
        kind = "chains"
    else:
        kind = "refitted" if d.refitted else "sampler"
    computed = DIAGNOSTICS[kind].format(state=state, d=d, sizes=", ".join(sizes))
    return "; ".join([computed, *([f"misfit: {'; '.join(d.misfit)}"] if d.misfit else [])])


def tabulate_pairs(posterior: Any, threshold: float) -> Summary:
    """Summarise the verdicts on all pairs of several algorithms."""
    frame = frame_of(posterior.verdicts(threshold=threshold).values())
    shape = posterior.verdict(*posterior.pairs[0]).shape
    winners = np.where(frame["decision"] == "first", frame["first"], frame["second"])
    better = frame["decision"].isin(["first", "second"])
    heads = {
        f"p_{region}": fill_in(LABELS, shape.name, region, ("first", "second"))
        for region in shape.possible
        if region != shape.within or not posterior.ropes().empty
    }
    numbers = frame[list(heads)].to_numpy(dtype=float)
    shown = pd.DataFrame(
        {
            "first": frame["first"],
            "second": frame["second"],
            "mean difference": [" ".join(map(format_probability, p)) for p in numbers],
            "decision": [
                f"{name} better" if is_better else decision
                for name, is_better, decision in zip(
                    winners, better, frame["decision"], strict=True
                )
            ],
            "evidence": frame["evidence"],
        }
    )
    return Summary(
        ALL_PAIRS,
        shown,
        {**PAIR, "decision": Column(Cells.WORDS)},
        legend=f"mean difference: probabilities of {', '.join(heads.values())}",
    )
