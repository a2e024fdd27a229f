import numpy as np
import pytest
from scipy.stats import norm

from bayescmp.engines.quadrature import solve
from bayescmp.engines.quadrature.marginals import Marginal
from bayescmp.errors import InputError
from tests.engines.quadrature.cases import reference, simulated


def normal_marginal(sign=1.0):
    edges = np.linspace(-7, 9, 81)
    mass = np.diff(norm.cdf(edges, 1, 1))
    return Marginal.from_cells(edges, (edges[1:] + edges[:-1]) / 2, mass, sign)


def test_marginal_of_a_normal():
    m = normal_marginal()
    assert m.mean == pytest.approx(1, abs=1e-10)
    assert m.sd == pytest.approx(1, abs=2e-3)  # cells of 0.2: Sheppard's 0.2^2 / 24
    x = np.linspace(-2, 4, 31)
    np.testing.assert_allclose(m.cdf(x), norm.cdf(x, 1), atol=1e-4)
    p = np.array([0.01, 0.3, 0.5, 0.975])
    np.testing.assert_allclose(m.quantile(p), norm.ppf(p, 1), atol=1e-3)
    np.testing.assert_allclose(m.hdi(0.95), [1 - 1.959964, 1 + 1.959964], atol=0.01)
    centre, density = m.density()
    np.testing.assert_allclose(density, norm.pdf(centre, 1), atol=2e-3)


def test_mirrored_marginal():
    m, other = normal_marginal(), normal_marginal(-1.0)
    np.testing.assert_allclose(other.cdf(-m.x), 1 - m.p, atol=1e-12)
    assert other.mean == pytest.approx(-m.mean)


@pytest.mark.parametrize("name", ["sim5", "sim54", "q2", "zero8of20", "agree", "n5"])
def test_moments_of_the_refined_runs(name):
    posterior, case = solve(simulated(name)), reference()["simulated"][name]
    for parameter, mean, sd in zip(
        ("delta0", "sigma0", "nu"), case["mean"], case["sd"], strict=True
    ):
        assert posterior.mean(parameter) == pytest.approx(mean, abs=3e-3 * sd)
        assert posterior.sd(parameter) == pytest.approx(sd, rel=5e-3)


def test_density_integrates_and_quantiles_invert():
    posterior = solve(simulated("sim54"))
    for name in ("delta0", "sigma0", "nu"):
        x, density = posterior.marginal(name)
        assert np.all(np.diff(x) > 0)
        width = np.gradient(x)
        assert (density * width).sum() == pytest.approx(1, abs=5e-3)
        p = np.array([0.025, 0.5, 0.975])
        np.testing.assert_allclose(posterior.cdf(name, posterior.quantile(name, p)), p, atol=1e-9)
        low, high = posterior.hdi(name)
        inside = posterior.cdf(name, high) - posterior.cdf(name, low)
        assert inside == pytest.approx(0.95, abs=1e-6)
        central = np.diff(posterior.quantile(name, [0.025, 0.975]))[0]
        assert high - low <= central + 1e-12


def test_bad_arguments():
    posterior = solve(simulated("q2"))
    with pytest.raises(InputError, match=r"unknown parameter 'sigma': did you mean 'sigma0'"):
        posterior.mean("sigma")
    with pytest.raises(InputError, match="prob=1"):
        posterior.hdi("nu", 1.0)
    with pytest.raises(InputError, match=r"probs=\[1.2\]; accepted: probabilities in \[0, 1\]"):
        posterior.quantile("nu", [1.2])
    with pytest.raises(InputError, match="the rope is"):
        posterior.verdict(0.1, -0.1)
