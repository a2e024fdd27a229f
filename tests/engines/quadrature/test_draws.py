import numpy as np
import pytest

from bayescmp.engines.quadrature import Settings, solve
from bayescmp.engines.quadrature.draws import shifted_lattice
from bayescmp.errors import InputError
from tests.engines.quadrature.cases import simulated


def test_lattice_is_evenly_spread():
    """Share of points in boxes: far closer to the volume than 10,000 random points are."""
    u = shifted_lattice(10_000, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    corners = rng.random((200, 3))
    shares = np.array([(u < c).all(1).mean() for c in corners])
    assert np.abs(shares - corners.prod(1)).max() < 2e-3
    assert u.min() > 0
    assert u.max() < 1


@pytest.mark.parametrize("name", ["sim5", "sim54", "agree"])
def test_draws_have_the_refined_moments(name):
    refined = solve(simulated(name), settings=Settings.refined())
    draws = solve(simulated(name)).draws(50_000, 1)
    for parameter in ("delta0", "sigma0", "nu"):
        mean, sd = refined.mean(parameter), refined.sd(parameter)
        assert draws[parameter].mean() == pytest.approx(mean, abs=4e-3 * sd)
        assert draws[parameter].std() == pytest.approx(sd, rel=0.03)
        u = np.sort(refined.cdf(parameter, draws[parameter]))
        assert np.abs(u - np.arange(50_000) / 50_000).max() < 4e-3
    other = refined.draws(50_000, 2)
    for a, b in (("sigma0", "nu"), ("delta0", "nu"), ("delta0", "sigma0")):
        rank = [np.corrcoef(np.argsort(np.argsort(d[a])), np.argsort(np.argsort(d[b])))[0, 1]
                for d in (draws, other)]  # fmt: skip
        assert rank[0] == pytest.approx(rank[1], abs=0.015)


def test_seed_decides():
    posterior = solve(simulated("sim5"))
    first, again, other = (posterior.draws(100, s) for s in (1, 1, 2))
    for name in first:
        np.testing.assert_array_equal(first[name], again[name])
        assert not np.array_equal(first[name], other[name])
    rng = np.random.default_rng(1)
    np.testing.assert_array_equal(posterior.draws(100, rng)["nu"], first["nu"])
    own = [posterior.draw_datasets(first, 3)["delta"] for _ in range(2)]
    np.testing.assert_array_equal(*own)
    with pytest.raises(InputError, match="n=0; accepted: a number of draws"):
        posterior.draws(0, 1)
