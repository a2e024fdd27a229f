"""What every engine must do, the fake one included."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp.engines import FitRequest, SamplerSettings, engines
from bayescmp.errors import EngineError
from tests.conftest import stan_engines
from tests.engines.fake import FakeEngine

pytestmark = pytest.mark.stan
MODEL = "hierarchical_correlated_t"
KEEP = {"delta0": True, "sigma0": True, "nu": True, "delta": False, "sigma": False}
SETTINGS = SamplerSettings(chains=2, warmup=300, draws=200)


def request(seed: int = 3, **changes) -> FitRequest:
    q = 6
    data = {
        "q": q,
        "n": np.array([10, 20, 10, 5, 3, 2]),
        "xbar": np.linspace(-1, 1, q),
        "ss": np.linspace(5, 9, q),
        "rho": np.array([0.1, 0.1, 0.2, 0.2, 0.0, 0.5]),
        "factor": np.array([0.2, 0.15, 0.3, 0.4, 1 / 3, 1.5]),
        "delta0_bound": 30.0,
        "sigma0_upper": 500.0,
        "sigma_upper": 1000.0,
        "alpha_lower": 0.5,
        "alpha_upper": 5.0,
        "beta_lower": 0.05,
        "beta_upper": 0.15,
        "nu_offset": 1.0,
    }
    init = {
        "delta0_logit": 0.0,
        "sigma0_logit": -6.0,
        "nu_raw": 5.0,
        "alpha_unit": 0.5,
        "beta_unit": 0.5,
        "z": [0.0] * q,
        "log_lambda": [0.0] * q,
    }
    return FitRequest(MODEL, {**data, **changes}, seed, KEEP, [init] * 2, SETTINGS)


def able() -> list[str]:
    """Every engine that can fit the model here."""
    return [name for name, e in engines().items() if e.supports(MODEL) and e.available().ok]


@pytest.fixture(params=["fake", *able()])
def engine(request):
    return FakeEngine() if request.param == "fake" else engines()[request.param]


def test_says_what_it_is(engine):
    state = engine.available()
    assert state.ok
    assert state.version
    assert engine.supports(MODEL)
    assert isinstance(engine.independent, bool)


def test_fits_what_it_is_asked(engine):
    fit = engine.fit(request())
    assert fit.engine == engine.name
    if fit.density is not None:
        draws = fit.density.draws(400, 3)
        assert {k: v.shape for k, v in draws.items()} == dict.fromkeys(
            ("delta0", "sigma0", "nu"), (400,)
        )
        return
    assert set(fit.draws) == set(KEEP)
    for name, scalar in KEEP.items():
        assert fit.draws[name].shape == ((2, 200) if scalar else (2, 200, 6))
        assert np.isfinite(fit.draws[name]).all()
    assert {"diverging", "tree_depth", "energy", "lp"} <= set(fit.sample_stats)
    assert all(v.shape == (2, 200) for v in fit.sample_stats.values())
    assert fit.sample_stats["diverging"].dtype == bool


def test_the_same_seed_gives_the_same_numbers_and_another_does_not(engine):
    first, again, other = (engine.fit(request(seed)) for seed in (3, 3, 4))
    if first.density is not None:
        first, again, other = (
            {"delta0": f.density.draws(50, s)["delta0"]}
            for f, s in ((first, 3), (again, 3), (other, 4))
        )
    else:
        first, again, other = (f.draws for f in (first, again, other))
    assert np.array_equal(first["delta0"], again["delta0"])
    assert not np.array_equal(first["delta0"], other["delta0"])


def test_nothing_is_printed(engine, capfd):
    engine.fit(request())
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", stan_engines())
def test_vectors_are_laid_out_as_data_sets(name):
    """A data set with a far mean and no noise keeps its own delta, in its own place."""
    ss = np.full(6, 1e-4)
    fit = engines()[name].fit(
        request(ss=ss, xbar=np.array([5.0, 1, 2, 3, 4, -6]), n=np.full(6, 50))
    )
    assert fit.draws["delta"].mean(axis=(0, 1)) == pytest.approx([5, 1, 2, 3, 4, -6], abs=0.05)


@pytest.mark.parametrize("name", stan_engines())
def test_data_that_the_program_refuses(name):
    with pytest.raises(EngineError):
        engines()[name].fit(request(rho=np.full(6, 1.5)))
