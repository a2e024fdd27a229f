"""Stan draws the same numbers whether CmdStan or PyStan's wheels brought it here."""

from __future__ import annotations

import dataclasses
import platform
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bayescmp import bayesian
from bayescmp.engines import FitRequest, SamplerSettings, engines
from bayescmp.engines.chains import program_names
from tests.conftest import stan_engines
from tests.engines import test_contract
from tests.marks import first_and_slow

SHORT = SamplerSettings(chains=2, warmup=300, draws=200)
RNG = np.random.default_rng(3)
PAIR = RNG.normal(0.01, 0.02, (12, 2))
SETS = RNG.normal(0.01, 0.02, (5, 12, 3)) + RNG.normal(0, 0.02, (5, 1, 3))
OPTIONS = {"rho": 0.1, "rope": 0.01, "seed": 7, "engine": "fake"}
#: The tests that ask an engine for a program.
TESTS: dict[str, Callable[[], object]] = {
    "robust_correlated_t": lambda: bayesian.robust_t(PAIR[:, 0], **OPTIONS),
    "multivariate_correlated_t": lambda: bayesian.multivariate_t(PAIR, noise="t", **OPTIONS),
    "hierarchical_multivariate_t": lambda: bayesian.hierarchical_multivariate_t(
        list(SETS[..., :2]), **OPTIONS
    ),
    "joint_correlated_t": lambda: bayesian.joint_t(SETS, **OPTIONS),
    "moderated_correlated_t": lambda: bayesian.hierarchical_t(
        RNG.normal(0.01, 0.02, (15, 6)), rho=0.1, rope=0.01, engine="quadrature"
    ).moderators({"size": {str(i + 1): i for i in range(15)}}, engine="fake", seed=7),
}
MODELS = sorted(TESTS)


@pytest.fixture(scope="module")
def one_version():
    """Another version may draw other numbers, and so may another processor."""
    if "pystan" not in stan_engines():
        pytest.skip("needs PyStan's wheels")
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("only CmdStan keeps compilers for this processor from fusing operations")
    import cmdstanpy
    import httpstan

    compilers = Path(cmdstanpy.cmdstan_path(), "bin/stanc"), Path(httpstan.__path__[0], "stanc")
    versions = {subprocess.check_output([c, "--version"], text=True) for c in compilers}
    if len(versions) > 1:
        pytest.skip(f"two versions of Stan: {versions}")


def asked(model: str, fake) -> FitRequest:
    """A short run of a program."""
    if model in TESTS:
        TESTS[model]()
    request = fake.requests[0] if model in TESTS else test_contract.request()
    return dataclasses.replace(request, inits=request.inits[:2], settings=SHORT)


@pytest.mark.stan
@pytest.mark.cmdstan
@pytest.mark.usefixtures("one_version")
@pytest.mark.filterwarnings("ignore::bayescmp.DiagnosticWarning")  # of the fake engine's draws
@pytest.mark.parametrize("model", first_and_slow(test_contract.MODEL, *MODELS))
def test_every_draw_is_the_same_to_its_last_bit(fake, model):
    request = asked(model, fake)
    assert request.model == model
    one, other = (engines()[name].fit(request) for name in ("pystan", "cmdstan"))
    assert {*one.draws} == {*other.draws} == {*request.keep}
    for name, values in {**one.draws, **one.sample_stats}.items():
        theirs = {**other.draws, **other.sample_stats}[name]
        np.testing.assert_array_equal(theirs, values, err_msg=name)


def test_no_program_is_left_out():
    assert sorted([test_contract.MODEL, *MODELS]) == program_names()
