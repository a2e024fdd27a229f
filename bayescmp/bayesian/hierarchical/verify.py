"""A second opinion: two engines' posteriors of one problem, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.engines.base import Engine
from bayescmp.engines.registry import engines, find_engine
from bayescmp.errors import EngineNotFound
from bayescmp.posterior import Posterior
from bayescmp.verdict import Rope, Verdict

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Verification", "other_engine"]

#: Two engines agree on a probability within this, or within this many standard errors.
CLOSE, ERRORS = 1e-3, 3.0


@dataclass(frozen=True, eq=False)
class Verification:
    """Two engines' posteriors of the same problem, side by side.

    Attributes
    ----------
    posterior : Posterior
        The one in question.
    other : Posterior
        The one it is compared with.
    rope : Rope
        Region of practical equivalence of the verdicts.
    """

    posterior: Posterior
    other: Posterior
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
            One row for each probability of the verdict and each posterior mean of the summary;
            columns value, se, other, other_se, difference, z (in standard errors).
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
            rows.append(
                {"value": a, "se": ea, "other": b, "other_se": eb, "difference": b - a, "z": z}
            )
        return pd.DataFrame(rows, index=list(columns[0]))

    @property
    def agrees(self) -> bool:
        """Whether the verdicts' probabilities are the same within their errors or within 0.001.

        Not if the diagnostics of either failed.
        """
        p = self.table.loc[list(_verdict_rows(self.verdicts[0]))]
        near = (p["difference"].abs() <= CLOSE) | (p["z"].abs() <= ERRORS)
        return bool(near.all() and all(x.diagnostics.ok for x in (self.posterior, self.other)))

    def __str__(self) -> str:
        own, other = self.posterior, self.other
        table = self.table.rename(columns={"value": own.engine, "other": other.engine})
        first, second = own.names
        lines = [
            f"{own.method}: {first} (left) vs {second} (right), rope {self.rope}",
            f"{'prior':<13}{self.verdicts[0].prior}",
            "",
            table.to_string(float_format=lambda v: f"{v:.4g}"),
            "",
        ]
        for p in (own, other):
            lines.append(f"{p.engine:<12} {p.engine_version}, seed {p.seed}: {p.diagnostics}")
        verdict = "agree" if self.agrees else "DO NOT AGREE"
        limit = f"within {ERRORS:g} standard errors or {CLOSE:g}"
        return "\n".join([*lines, f"{'verdict':<12} the engines {verdict} ({limit})"])

    __repr__ = __str__


def _verdict_rows(v: Verdict) -> dict[str, tuple[float, float]]:
    return {f"p_{r}": (p, v.errors[r]) for r, p in v.probabilities.items()}


def _parameter_rows(p: Posterior) -> dict[str, tuple[float, float]]:
    """Posterior means and their standard errors, zero for an exact posterior."""
    table = p.summary()
    size = np.full(len(table), np.inf) if p.exact else table["ess_bulk"].to_numpy()
    errors = table["sd"].to_numpy() / np.sqrt(size)
    return {
        f"mean {name}": (float(mean), float(error))
        for name, mean, error in zip(table.index, table["mean"], errors, strict=True)
    }


def other_engine(model: str, exact: bool, name: str = "auto") -> Engine:
    """The engine of that name, or the first of the other kind: a sampler, or the built-in one.

    Parameters
    ----------
    model : str
        Name of the Stan program.
    exact : bool
        Whether the posterior in question was computed, not sampled.
    name : str
        "auto" for the first of the other kind.

    Raises
    ------
    EngineNotFound
        If there is none.
    """
    if name != "auto":
        return find_engine(name, model)
    for engine in engines().values():
        if engine.independent != exact and engine.supports(model) and engine.available().ok:
            return engine
    needs = "; ".join(e.available().needs for e in engines().values() if not e.available().ok)
    raise EngineNotFound(f"there is no other engine to verify with. Ways out: {needs}")
