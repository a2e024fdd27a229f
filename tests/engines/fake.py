"""An engine that needs no compiler: independent draws from posteriors that are known.

It knows every Stan program: what each samples, about the location of its data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bayescmp.engines import Availability, Fit, FitRequest

Draws = dict[str, np.ndarray]
#: Takes random numbers, the data block, (chains, draws), and an offset of each chain.
Sampler = Callable[[np.random.Generator, Mapping, tuple[int, int], np.ndarray], Draws]


class FakeEngine:
    """Draws about the data's location.

    Parameters
    ----------
    stuck : int
        Number of fits whose chains disagree, before they are right.
    """

    name = "fake"
    independent = False

    def __init__(self, stuck: int = 0) -> None:
        self.stuck = stuck
        self.requests: list[FitRequest] = []

    def available(self) -> Availability:
        return Availability(True, "fake 1.0")

    def supports(self, model: str) -> bool:
        return model in SAMPLERS

    def fit(self, request: FitRequest) -> Fit:
        self.requests.append(request)
        rng = np.random.default_rng(request.seed)
        shape = (request.settings.chains, request.settings.draws)
        offset = np.arange(shape[0])[:, None] * (9.0 if len(self.requests) <= self.stuck else 0.0)
        draws = SAMPLERS[request.model](rng, request.data, shape, offset)
        stats = {
            "diverging": np.zeros(shape, bool),
            "tree_depth": np.full(shape, 3),
            "energy": rng.normal(size=shape),
            "lp": rng.normal(size=shape),
        }
        return Fit(self.name, "fake 1.0", {name: draws[name] for name in request.keep}, stats)


# The programs.


def hierarchical(rng, data, shape, offset) -> Draws:
    q, centre = data["q"], np.mean(data["xbar"])
    return {
        "delta0": centre + 0.1 * rng.normal(size=shape) + offset,
        "sigma0": np.exp(0.1 * rng.normal(size=shape)),
        "nu": np.exp(0.1 * rng.normal(size=shape)),
        "delta": centre + 0.1 * rng.normal(size=(*shape, q)),
        "sigma": np.exp(0.1 * rng.normal(size=(*shape, q))),
    }


def hierarchical_multivariate(rng, data, shape, offset) -> Draws:
    q, p = data["q"], data["p"]
    r = 0.5 + 0.2 * rng.uniform(size=shape)
    lags = np.abs(np.subtract.outer(np.arange(p), np.arange(p)))
    return {
        "delta0": data["xbar"].mean(axis=0)
        + 0.1 * rng.normal(size=(*shape, p))
        + offset[..., None],
        "tau": data["tau_at"] * np.exp(0.1 * rng.normal(size=(*shape, p))),
        "Omega": r[..., None, None] ** lags,
        "nu": 1 + rng.gamma(2, 10, shape),
        "delta": data["xbar"] + 0.1 * rng.normal(size=(*shape, q, p)),
    }


def robust(rng, data, shape, offset) -> Draws:
    centre = np.median(data["x"]) + rng.normal(size=shape) + offset
    sigma = np.exp(0.1 * rng.normal(size=shape))
    nu = 1 + rng.exponential(data["nu_mean"], shape)
    delta = centre - sigma * np.sqrt(data["rho"]) * rng.standard_t(nu)
    return {"delta": delta, "centre": centre, "sigma": sigma, "nu": nu}


def multivariate(rng, data, shape, offset) -> Draws:
    """One data set, several metrics: a location, a covariance, degrees of freedom."""
    at = np.asarray(data["at"])
    drawn = at + 0.1 * rng.normal(size=(*shape, *at.shape)) + offset.reshape(-1, 1, 1, 1)
    return {
        "delta": drawn,
        "centre": drawn,
        "Sigma": np.eye(data["p"]) * np.exp(0.1 * rng.normal(size=shape))[..., None, None],
        "nu": 1 + rng.exponential(30, (*shape, 1)),
    }


def joint(rng, data, shape, offset) -> Draws:
    L, q = data["L"], data["q"]
    axes = np.asarray(data["Q"])[:, :-1]
    mu = axes @ np.asarray(data["m_at"]) + 0.1 * rng.normal(size=(*shape, L)) + offset[..., None]
    loadings = 0.5 * rng.normal(size=(*shape, L, 2))
    Sigma0 = loadings @ np.swapaxes(loadings, -1, -2) + 0.3 * np.eye(L)
    i, j = np.triu_indices(L, 1)
    v = Sigma0[..., i, i] + Sigma0[..., j, j] - 2 * Sigma0[..., i, j]
    return {
        "mu": mu - mu.mean(axis=-1, keepdims=True),
        "Sigma0": Sigma0,
        "log_v": np.log(v),
        "nu": rng.gamma(10, 1, size=shape) + 2,
        "kappa": rng.gamma(5, 0.2, size=(*shape, q)),
        "lambda": rng.gamma(9, 1 / 9, size=(*shape, q)),
    }


def moderated(rng, data, shape, offset) -> Draws:
    z, x = np.asarray(data["features"]), np.asarray(data["xbar"])
    slopes = np.linalg.lstsq(z, x - x.mean(), rcond=None)[0]
    beta = slopes + 0.1 * rng.normal(size=(*shape, data["k"]))
    return {**hierarchical(rng, data, shape, offset), "beta": beta}


SAMPLERS: dict[str, Sampler] = {
    "joint_correlated_t": joint,
    "hierarchical_correlated_t": hierarchical,
    "hierarchical_multivariate_t": hierarchical_multivariate,
    "moderated_correlated_t": moderated,
    "robust_correlated_t": robust,
    "multivariate_correlated_t": multivariate,
}
