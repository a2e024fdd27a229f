"""A second opinion on a hierarchical posterior: the same problem by another engine."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescmp.bayesian.hierarchical.posterior import HierarchicalPosterior
from bayescmp.bayesian.hierarchical.problem import MODEL, UPPER
from bayescmp.bayesian.sampling.run import sample
from bayescmp.engines.base import Engine, SamplerSettings
from bayescmp.engines.registry import engines, find_engine
from bayescmp.errors import EngineNotFound
from bayescmp.posterior import seed_of
from bayescmp.verdict import Rope, Verdict, as_rope

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Verification", "verify"]

#: Two engines agree on a probability within this, or within so many standard errors.
CLOSE, ERRORS = 1e-3, 3.0


@dataclass(frozen=True, eq=False)
class Verification:
    """Two engines' posteriors of the same problem, side by side.

    Attributes
    ----------
    posterior : HierarchicalPosterior
        The one in question.
    other : HierarchicalPosterior
        The one it is compared with.
    rope : Rope
        Region of practical equivalence of the verdicts.
    """

    posterior: HierarchicalPosterior
    other: HierarchicalPosterior
    rope: Rope

    @property
    def verdicts(self) -> tuple[Verdict, Verdict]:
        """The two verdicts."""
        return self.posterior.verdict(self.rope), self.other.verdict(self.rope)

    @property
    def table(self) -> pd.DataFrame:
        """Side by side: each engine's value and standard error, the difference, and its size.

        Returns
        -------
        DataFrame
            One row a probability of the verdict and a posterior mean of δ0, σ0 and ν; columns
            value, se, other, other_se, difference, z (in standard errors).
        """
        import pandas as pd

        pair = (self.posterior, self.other)
        columns = [
            {**_verdict_rows(v), **_parameter_rows(p)}
            for v, p in zip(self.verdicts, pair, strict=True)
        ]
        rows = []
        for name in columns[0]:
            (a, ea), (b, eb) = (c[name] for c in columns)
            z = (b - a) / max(float(np.hypot(ea, eb)), 1e-300)
            rows.append({"value": a, "se": ea, "other": b, "other_se": eb,
                         "difference": b - a, "z": z})  # fmt: skip
        return pd.DataFrame(rows, index=list(columns[0]))

    @property
    def agrees(self) -> bool:
        """Whether the verdicts' probabilities are the same within their errors or within 0.001.

        Not if the diagnostics of either failed.
        """
        p = self.table.loc[["p_left", "p_rope", "p_right"]]
        near = (p["difference"].abs() <= CLOSE) | (p["z"].abs() <= ERRORS)
        return bool(near.all() and all(x.diagnostics.ok for x in (self.posterior, self.other)))

    def __str__(self) -> str:
        own, other = self.posterior, self.other
        table = self.table.rename(columns={"value": own.engine, "other": other.engine})
        told = table.to_string(float_format=lambda v: f"{v:.4g}")
        lines = [f"{own._title()}", "", told, ""]
        for p in (own, other):
            lines.append(f"{p.engine:<12} {p.engine_version}, seed {p.seed}: {p.diagnostics}")
        verdict = "agree" if self.agrees else "DO NOT AGREE"
        limit = f"within {ERRORS:g} standard errors or {CLOSE:g}"
        return "\n".join([*lines, f"{'verdict':<12} the engines {verdict} ({limit})"])

    __repr__ = __str__


def verify(
    posterior: HierarchicalPosterior,
    *,
    engine: str = "auto",
    rope: Any = None,
    seed: Any = None,
    chains: int = 4,
    warmup: int = 1000,
    draws: int = 5000,
    adapt_delta: float = 0.8,
    progress: bool = False,
) -> Verification:
    """Fit the problem of a hierarchical posterior again, by another engine.

    Parameters
    ----------
    posterior : HierarchicalPosterior
        The posterior in question.
    engine : str
        The other engine. "auto" is a Stan engine for a posterior of the built-in one, CmdStan
        before PyStan, and the built-in one for a posterior of Stan.
    rope : float or (float, float), optional
        The posterior's own if not given.
    seed : int or numpy Generator, optional
        One more than the posterior's own if not given.
    chains, warmup, draws, adapt_delta
        Settings of the sampler; more draws than by default, to have small errors.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    Verification

    Raises
    ------
    EngineNotFound
        If there is no other engine.
    """
    other = _other_engine(posterior, engine)
    number = posterior.seed + 1 if seed is None else seed_of(seed)
    settings = SamplerSettings(chains, warmup, draws, adapt_delta)
    request = posterior.problem.request(number, settings, progress)
    fit, diagnostics = sample(other, request, UPPER)
    second = dataclasses.replace(
        posterior, fit=fit, engine=fit.engine, engine_version=fit.version,
        diagnostics=diagnostics, seed=number, notes=(),
    )  # fmt: skip
    region = posterior.rope if rope is None else as_rope(rope)
    return Verification(posterior, second, region)


def _other_engine(posterior: HierarchicalPosterior, name: str) -> Engine:
    if name != "auto":
        return find_engine(name, MODEL)
    for engine in engines().values():
        other_kind = engine.independent != posterior.exact
        if other_kind and engine.supports(MODEL) and engine.available().ok:
            return engine
    needs = "; ".join(e.available().needs for e in engines().values() if not e.available().ok)
    raise EngineNotFound(f"there is no other engine to verify by. Ways out: {needs}")


def _verdict_rows(v: Verdict) -> dict[str, tuple[float, float]]:
    return {f"p_{r}": (p, v.errors[r]) for r, p in v.probabilities.items()}


def _parameter_rows(p: HierarchicalPosterior) -> dict[str, tuple[float, float]]:
    """Posterior means and their standard errors, zero for an exact posterior."""
    table = p.summary()
    size = np.full(len(table), np.inf) if p.exact else table["ess_bulk"].to_numpy()
    errors = table["sd"].to_numpy() / np.sqrt(size)
    return {
        f"mean {name}": (float(mean), float(error))
        for name, mean, error in zip(table.index, table["mean"], errors, strict=True)
    }
