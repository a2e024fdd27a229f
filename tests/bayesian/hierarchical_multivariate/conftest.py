"""An engine without a compiler for the program of several metrics."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.engines import Availability, Fit, FitRequest, register


class FakeEngine:
    """Draws about the data's means; so many fits come back with chains that disagree."""

    name = "fake"
    independent = False

    def __init__(self) -> None:
        self.stuck = 0
        self.requests: list[FitRequest] = []

    def available(self) -> Availability:
        return Availability(True, "fake 1.0")

    def supports(self, model: str) -> bool:
        return model == "hierarchical_multivariate_t"

    def fit(self, request: FitRequest) -> Fit:
        self.requests.append(request)
        rng = np.random.default_rng(request.seed)
        data = request.data
        q, p = data["q"], data["p"]
        shape = (request.settings.chains, request.settings.draws)
        apart = np.arange(shape[0])[:, None] * (9.0 if len(self.requests) <= self.stuck else 0.0)
        r = 0.5 + 0.2 * rng.uniform(size=shape)
        omega = np.broadcast_to(np.eye(p), (*shape, p, p)).copy()
        for i in range(p):
            for k in range(p):
                omega[..., i, k] = r ** abs(i - k)
        draws = {
            "delta0": data["xbar"].mean(axis=0)
            + 0.1 * rng.normal(size=(*shape, p))
            + apart[..., None],
            "tau": data["tau_at"] * np.exp(0.1 * rng.normal(size=(*shape, p))),
            "Omega": omega,
            "nu": 1 + rng.gamma(2, 10, shape),
            "delta": data["xbar"] + 0.1 * rng.normal(size=(*shape, q, p)),
        }
        stats_ = {
            "diverging": np.zeros(shape, bool), "tree_depth": np.full(shape, 3),
            "energy": rng.normal(size=shape), "lp": rng.normal(size=shape),
        }  # fmt: skip
        return Fit(self.name, "fake 1.0", draws, stats_)


@pytest.fixture
def fake():
    engine = FakeEngine()
    remove = register("fake", lambda: engine)
    yield engine
    remove()
