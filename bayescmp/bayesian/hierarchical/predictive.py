"""What ArviZ asks of the hierarchical model: prior, likelihood, and data that it predicts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from bayescmp.bayesian.hierarchical.problem import Scaled
from bayescmp.engines.quadrature import NuPrior, Problem, dataset_log_likelihoods, nu_grid

__all__ = ["PREDICTED", "arviz_groups", "log_density_of_nu", "posed", "replicates"]

#: Variables that are observed and predicted: of each data set the mean difference, and the
#: standard deviation of its folds' differences.
PREDICTED = ("mean_difference", "sd_of_folds")


def posed(problem: Scaled) -> Problem:
    """The problem as the built-in engine takes it."""
    names = {field.name for field in dataclasses.fields(Problem)}
    return Problem(**{k: v for k, v in problem.data.items() if k in names})


def arviz_groups(
    draws: Mapping[str, np.ndarray], problem: Scaled, seed: int
) -> dict[str, dict[str, np.ndarray]]:
    """Groups that stand beside the posterior's draws.

    Parameters
    ----------
    draws : mapping of str to ndarray
        delta0, sigma0, nu of shape (chain, draw) and sigma of shape (chain, draw, q), in units of
        the metric.
    problem : Scaled
        The data.
    seed : int
        Of what is simulated.

    Returns
    -------
    dict
        "log_likelihood": of each data set's differences given (δ0, σ0, ν), its δ_i and σ_i
        integrated out, so that leaving one out is leaving out a data set; "log_prior" of these
        three; "prior", draws of them; "observed_data" and "posterior_predictive": mean and
        standard deviation of each data set's folds.
    """
    s = problem.statistics
    observed = (s.mean, np.sqrt(s.ss / (s.n - 1)))
    predicted = replicates(draws, problem, np.random.default_rng([seed, 3]))
    return {
        "log_likelihood": {"differences": _log_likelihood(draws, problem)},
        "log_prior": _log_prior(draws, problem),
        "prior": _prior_draws(problem, draws["nu"].shape, np.random.default_rng([seed, 4])),
        "observed_data": dict(zip(PREDICTED, observed, strict=True)),
        "posterior_predictive": dict(zip(PREDICTED, predicted, strict=True)),
    }


def replicates(
    draws: Mapping[str, np.ndarray], problem: Scaled, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Means and standard deviations of as many new data sets, with the σ_i of those seen.

    Returns
    -------
    mean, sd : ndarray of shape (chain, draw, q)
    """
    s, sigma = problem.statistics, draws["sigma"]
    delta0, sigma0, nu = (draws[k][..., None] for k in ("delta0", "sigma0", "nu"))
    delta = delta0 + sigma0 * rng.standard_t(np.broadcast_to(nu, sigma.shape))
    error = sigma * np.sqrt((1 + (s.n - 1) * s.rho) / s.n)
    mean = delta + error * rng.standard_normal(sigma.shape)
    ss = sigma**2 * (1 - s.rho) * rng.chisquare(s.n - 1, sigma.shape)
    return mean, np.sqrt(ss / (s.n - 1))


def _log_likelihood(draws: Mapping[str, np.ndarray], problem: Scaled) -> np.ndarray:
    """Of shape (chain, draw, q), in units of the metric and in the data sets' own order."""
    shape, unit = draws["nu"].shape, problem.scale
    at = {"delta0": draws["delta0"] / unit, "sigma0": draws["sigma0"] / unit, "nu": draws["nu"]}
    values = dataset_log_likelihoods(posed(problem), {k: v.ravel() for k, v in at.items()})
    own = problem.own_order(values) - problem.statistics.n * np.log(unit)
    return np.asarray(own.reshape(*shape, -1))


def log_density_of_nu(prior: NuPrior, nu: np.ndarray) -> np.ndarray:
    """Log prior density of ν, α and β integrated out."""
    grid = nu_grid(prior)
    log_density = np.log(np.maximum(grid.mass, 1e-300)) - np.log(np.diff(grid.log_x)[0])
    log_x = np.log(nu - grid.offset)
    return np.asarray(np.interp(log_x, grid.log_x, log_density) - log_x)


def _log_prior(draws: Mapping[str, np.ndarray], problem: Scaled) -> dict[str, np.ndarray]:
    """Log densities of δ0 and σ0, which are uniform, and of ν, α and β integrated out."""
    data, shape = problem.data, draws["nu"].shape
    return {
        "delta0": np.full(shape, -np.log(2 * data["delta0_bound"] * problem.scale)),
        "sigma0": np.full(shape, -np.log(data["sigma0_upper"] * problem.scale)),
        "nu": log_density_of_nu(posed(problem).nu_prior, draws["nu"]),
    }


def _prior_draws(
    problem: Scaled, shape: tuple[int, ...], rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Draws of δ0, σ0 and ν from the prior."""
    data, unit = problem.data, problem.scale
    prior: NuPrior = posed(problem).nu_prior
    shapes, rates = rng.uniform(*prior.alpha, shape), rng.uniform(*prior.beta, shape)
    return {
        "delta0": unit * data["delta0_bound"] * rng.uniform(-1, 1, shape),
        "sigma0": unit * data["sigma0_upper"] * rng.uniform(0, 1, shape),
        "nu": prior.offset + rng.standard_gamma(shapes) / rates,
    }
