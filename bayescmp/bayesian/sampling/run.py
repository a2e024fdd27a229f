"""One run of a Stan engine, judged, and a second with smaller steps where the first fails."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from bayescmp.diagnostics import Diagnostics, diagnose
from bayescmp.engines.base import Engine, Fit, FitRequest, SamplerSettings
from bayescmp.errors import InputError
from bayescmp.posterior import whole

__all__ = ["checked_settings", "sample"]


def checked_settings(chains: Any, warmup: Any, draws: Any, adapt_delta: Any) -> SamplerSettings:
    """Settings of a sampler.

    Raises
    ------
    InputError
        Numbers of chains, warm-up steps or draws that are too small or not whole; adapt_delta
        outside (0, 1).
    """
    try:
        inside = 0 < float(adapt_delta) < 1
    except (TypeError, ValueError):
        inside = False
    if not inside:
        raise InputError(f"adapt_delta={adapt_delta!r}; accepted: over 0 and under 1")
    return SamplerSettings(
        whole(chains, "chains", at_least=1), whole(warmup, "warmup", at_least=1),
        whole(draws, "draws", at_least=4), float(adapt_delta),
    )  # fmt: skip


def sample(engine: Engine, request: FitRequest, names: Sequence[str]) -> tuple[Fit, Diagnostics]:
    """Fit a model by a sampler.

    Parameters
    ----------
    engine : Engine
        A sampler.
    request : FitRequest
        What to fit, and how.
    names : sequence of str
        Variables that the diagnostics judge by, element by element.

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
    draws = {k: v for name in names for k, v in _elements(name, fit.draws[name]).items()}
    return diagnose(
        draws, fit.sample_stats, tuple(draws), refitted=refitted,
        max_treedepth=request.settings.max_treedepth, adapt_delta=request.settings.adapt_delta,
    )  # fmt: skip


def _elements(name: str, draws: np.ndarray) -> dict[str, np.ndarray]:
    """The scalars of which a variable is made, twins only once, without constants."""
    flat = draws.reshape(*draws.shape[:2], -1)
    if flat.shape[-1] == 1:
        return {name: flat[..., 0]}
    # a symmetric matrix has every element off its diagonal twice, a correlation matrix ones on it
    _, first = np.unique(flat[0, :3], axis=1, return_index=True)
    varies = np.ptp(flat, axis=(0, 1)) > 0
    return {f"{name}[{i}]": flat[..., i] for i in sorted(first) if varies[i]}
