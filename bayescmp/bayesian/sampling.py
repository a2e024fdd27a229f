"""One run of a Stan engine, judged, and a second with smaller steps where the first fails."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from bayescmp.diagnostics import Diagnostics, diagnose
from bayescmp.engines.base import Engine, Fit, FitRequest

__all__ = ["sample"]


def sample(engine: Engine, request: FitRequest, names: Sequence[str]) -> tuple[Fit, Diagnostics]:
    """Fit a model by a sampler.

    Parameters
    ----------
    engine : Engine
        A sampler.
    request : FitRequest
        What to fit, and how.
    names : sequence of str
        Scalar variables that the diagnostics judge by.

    Returns
    -------
    Fit, Diagnostics
        Of the first run where it passes, else of a second one at a tenth of the distance of
        adapt_delta to 1.
    """
    fit = engine.fit(request)
    found = _judge(fit, request, names, refitted=False)
    if found.ok:
        return fit, found
    target = 1 - (1 - request.settings.adapt_delta) / 10
    careful = dataclasses.replace(request.settings, adapt_delta=target)
    again = dataclasses.replace(request, settings=careful)
    fit = engine.fit(again)
    return fit, _judge(fit, again, names, refitted=True)


def _judge(fit: Fit, request: FitRequest, names: Sequence[str], refitted: bool) -> Diagnostics:
    return diagnose(
        fit.draws, fit.sample_stats, names, refitted=refitted,
        max_treedepth=request.settings.max_treedepth, adapt_delta=request.settings.adapt_delta,
    )  # fmt: skip
