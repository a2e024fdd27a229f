"""Common parts of the summaries of posteriors: the parameters, and their engine."""

from __future__ import annotations

from bayescmp.present.summary import Summary
from bayescmp.results.posterior import Fitted
from bayescmp.wording.markup import named_rows


def describe_parameters(posterior: Fitted) -> Summary:
    """Summarise what was compared, the parameters, and what computed them."""
    table = posterior.summary().rename_axis(index={"algorithm": posterior.subject})
    return Summary(
        posterior.write_title(),
        named_rows(table, ""),
        facts=posterior.list_facts(),
        legend=posterior.summary_legend,
    )


def engine_details(posterior: Fitted) -> dict[str, str]:
    """Return what computed the posterior, for a notebook."""
    return {
        "engine": f"{posterior.engine} ({posterior.engine_version}), seed {posterior.seed}",
        "diagnostics": str(posterior.diagnostics),
        "prior": posterior.prior_text,
    }
