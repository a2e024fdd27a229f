"""An engine that needs no compiler: independent draws from a posterior that is known."""

from __future__ import annotations

import numpy as np

from bayescmp.engines import Availability, Fit, FitRequest


class FakeEngine:
    """Draws every variable that is asked for from a normal around the data's mean.

    Parameters
    ----------
    stuck : int
        So many fits come back with chains that disagree, before they are right.
    """

    name = "fake"
    independent = False

    def __init__(self, stuck: int = 0) -> None:
        self.stuck = stuck
        self.requests: list[FitRequest] = []

    def available(self) -> Availability:
        return Availability(True, "fake 1.0")

    def supports(self, model: str) -> bool:
        return True

    def fit(self, request: FitRequest) -> Fit:
        self.requests.append(request)
        rng = np.random.default_rng(request.seed)
        shape = (request.settings.chains, request.settings.draws)
        q = request.data["q"]
        apart = np.arange(shape[0])[:, None] * (5.0 if len(self.requests) <= self.stuck else 0.0)
        draws = {}
        for name, scalar in request.keep.items():
            noise = rng.normal(size=shape if scalar else (*shape, q))
            centre = np.mean(request.data["xbar"]) + (apart if scalar else 0)
            draws[name] = np.exp(0.1 * noise) if name in ("sigma0", "nu", "sigma") else noise * 0.1
            draws[name] = draws[name] + (centre if name in ("delta0", "delta") else 0)
        stats = {
            "diverging": np.zeros(shape, bool), "tree_depth": np.full(shape, 3),
            "energy": rng.normal(size=shape), "lp": rng.normal(size=shape),
        }  # fmt: skip
        return Fit(self.name, "fake 1.0", draws, stats)
