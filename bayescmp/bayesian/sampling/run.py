"""One run of an engine, judged; a sampler that fails runs again with smaller steps."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bayescmp import bounds, checks
from bayescmp.diagnostics import CERTIFICATE_LIMIT, Diagnostics, diagnose
from bayescmp.engines.base import Engine, Fit, FitRequest, SamplerSettings

if TYPE_CHECKING:
    from bayescmp.engines.quadrature import GridPosterior

__all__ = ["checked_settings", "sample", "steady"]


def checked_settings(
    chains: object, warmup: object, draws: object, adapt_delta: object
) -> SamplerSettings:
    """Settings of a sampler.

    Raises
    ------
    InputError
        Numbers of chains, warm-up steps or draws that are too small or not whole; adapt_delta
        outside (0, 1).
    """
    return SamplerSettings(
        checks.whole("chains", chains, most=bounds.MOST_CHAINS),
        checks.whole("warmup", warmup, most=bounds.MOST_DRAWS),
        checks.whole("draws", draws, least=4, most=bounds.MOST_DRAWS),
        checks.level(adapt_delta, "adapt_delta"),
    )


def sample(engine: Engine, request: FitRequest, names: Sequence[str]) -> tuple[Fit, Diagnostics]:
    """Fit a model, and judge the fit; a sampler that fails runs again with smaller steps.

    Parameters
    ----------
    engine : Engine
        A sampler, or an engine that computes the posterior's density.
    request : FitRequest
        What to fit, and how.
    names : sequence of str
        Variables that a sampler's diagnostics judge by, element by element.

    Returns
    -------
    Fit, Diagnostics
        A sampler's first run where it passes, else its second, whose adapt_delta is at a tenth of
        the first one's distance from 1. A density is computed once.
    """
    fit, diagnostics = _run(engine, request, names)
    if diagnostics.ok or diagnostics.exact:
        return fit, diagnostics
    careful = dataclasses.replace(
        request.settings, adapt_delta=1 - (1 - request.settings.adapt_delta) / 10
    )
    fit, diagnostics = _run(engine, dataclasses.replace(request, settings=careful), names)
    return fit, dataclasses.replace(diagnostics, refitted=True)


def steady(values: ArrayLike) -> np.ndarray:
    """Values to eleven significant digits: what units and orders of summation leave the same.

    Chains that start from data with another last bit soon are elsewhere.

    Parameters
    ----------
    values : array_like
        A sampler's data.

    Returns
    -------
    ndarray
        Of the same shape; no zero is negative.
    """
    rounded = np.vectorize(lambda v: float(f"{v:.11g}"), otypes=[float])
    return np.asarray(rounded(values) + 0.0)


def _run(engine: Engine, request: FitRequest, names: Sequence[str]) -> tuple[Fit, Diagnostics]:
    fit = engine.fit(request)
    if fit.density is not None:
        return fit, _certified(fit.density)
    draws = {k: v for name in names for k, v in _elements(name, fit.draws[name]).items()}
    return fit, diagnose(
        draws,
        fit.sample_stats,
        tuple(draws),
        max_treedepth=request.settings.max_treedepth,
        adapt_delta=request.settings.adapt_delta,
    )


def _certified(density: GridPosterior) -> Diagnostics:
    certificate = density.certificate()
    messages = list(density.warnings)
    if not certificate.passed:
        messages.append(
            f"a second integration differs by {certificate.sd_log_ratio:.2g}, over "
            f"{CERTIFICATE_LIMIT}: the grid misses part of the posterior; check with a Stan "
            "engine (engine='pystan' or 'cmdstan')"
        )
    return Diagnostics(exact=True, certificate=certificate.sd_log_ratio, messages=tuple(messages))


def _elements(name: str, draws: np.ndarray) -> dict[str, np.ndarray]:
    """The scalars that make up a variable: each of them once, and no constants."""
    flat = draws.reshape(*draws.shape[:2], -1)
    if flat.shape[-1] == 1:
        return {name: flat[..., 0]}
    # a symmetric matrix has every element off its diagonal twice, a correlation matrix ones on it
    _, first = np.unique(flat[0, :3], axis=1, return_index=True)
    varies = np.ptp(flat, axis=(0, 1)) > 0
    return {f"{name}[{i}]": flat[..., i] for i in sorted(first) if varies[i]}
