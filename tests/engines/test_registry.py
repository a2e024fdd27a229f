"""Which engine is chosen, and what is said where there is none."""

import dataclasses
import re

import numpy as np
import pytest

import bayescmp as bc
from bayescmp import bayesian
from bayescmp.engines import Availability, Fit, FitRequest, SamplerSettings, find_engine, register
from bayescmp.engines.base import QuadratureEngine
from bayescmp.engines.quadrature import Problem, solve
from bayescmp.errors import EngineError, EngineNotFound, InputError
from tests.engines.fake import FakeEngine
from tests.engines.quadrature.cases import simulated


def test_it_is_there_for_one_model():
    engine = QuadratureEngine()
    assert engine.available().ok
    assert engine.available().version.startswith("built in, bayescmp ")
    assert engine.supports("hierarchical_correlated_t")
    assert not engine.supports("robust_correlated_t")


def test_the_data_block_is_the_problem_and_what_else_it_holds_is_left():
    problem = simulated("sim5")
    data = {f.name: getattr(problem, f.name) for f in dataclasses.fields(Problem)}
    fit = QuadratureEngine().fit(FitRequest("hierarchical_correlated_t", {**data, "q": 5}, 1))
    assert fit.draws == {}
    exact = solve(problem)
    assert np.array_equal(fit.density.verdict(-0.01, 0.01).p, exact.verdict(-0.01, 0.01).p)


MODEL = "hierarchical_correlated_t"


def test_unknown_engine():
    with pytest.raises(
        InputError, match=r"engine must be .*\(got 'quadratur'\)\. Did you mean 'quadrature'"
    ):
        find_engine("quadratur", MODEL)


def test_an_engine_that_cannot_fit_the_model_is_an_error():
    with pytest.raises(EngineError, match="'quadrature' does not fit the model 'robust'"):
        find_engine("quadrature", "robust")


def test_an_engine_named_and_missing_is_an_error_and_no_silent_switch(monkeypatch, tmp_path):
    monkeypatch.delenv("CMDSTAN", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(EngineNotFound, match="bayescmp install-cmdstan"):
        find_engine("cmdstan", MODEL)
    assert find_engine("auto", MODEL).name == "quadrature"


@pytest.mark.usefixtures("no_stan")
@pytest.mark.parametrize(
    ("here", "command"),
    [
        ({"g++", "apt"}, "wheels; get them with: pip install pystan httpstan"),
        ({"apt"}, "compiler; get them with: apt install g++ make && pip install pystan httpstan"),
        (set(), "conda install -c conda-forge cxx-compiler make && pip install pystan httpstan"),
    ],
)
def test_no_engine_names_one_command_for_this_machine(monkeypatch, here, command):
    monkeypatch.setattr("shutil.which", lambda name: name if name in here else None)
    with pytest.raises(EngineNotFound) as caught:
        find_engine("auto", "robust_correlated_t")
    assert str(caught.value).endswith(command)


@pytest.mark.usefixtures("no_stan")
def test_a_named_engine_names_its_own_command(monkeypatch):
    with pytest.raises(EngineNotFound, match=r"get it with: bayescmp install-cmdstan$"):
        find_engine("cmdstan", "robust_correlated_t")
    monkeypatch.setattr("shutil.which", {"g++": "/g++", "apt": "/apt"}.get)
    with pytest.raises(
        EngineNotFound, match=r"with: apt install g\+\+ make && bayescmp install-cmdstan$"
    ):
        find_engine("cmdstan", "robust_correlated_t")


SCORES = np.random.default_rng(1).normal(0.8, 0.02, (3, 12, 2))
FOLDS = np.diff(SCORES[:2], axis=0)[0]
TABLE = np.random.default_rng(2).normal(0.8, 0.02, (4, 3, 3))
PAIRS = [bc.Blocks(SCORES[:2] + 0.01 * i, metrics=["m1", "m2"], rho=0.1) for i in range(3)]


@pytest.mark.usefixtures("no_stan")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("test", "x", "options", "followed"),
    [
        (bayesian.robust_t, FOLDS[:, 0], {}, [0]),
        (bayesian.multivariate_t, FOLDS, {"engine": "auto"}, [0]),
        (bayesian.groups, SCORES, {"noise": "t"}, [0]),
        (bayesian.hierarchical_multivariate_t, [FOLDS, FOLDS[:9]], {}, [0]),
        (bayesian.hierarchical_multivariate_t, PAIRS, {}, [1]),
        (bayesian.joint_t, TABLE, {"engine": "pystan"}, [0]),
        (bayesian.hierarchical_t, FOLDS.T, {"engine": "pystan"}, [0]),
    ],
)
def test_the_answer_without_stan_is_there_on_the_same_input(test, x, options, followed):
    """What the message names is called as it stands there, k or name being a metric."""
    with pytest.raises(EngineNotFound) as caught:
        test(x, rho=0.1, rope=0.01, **options)
    words = str(caught.value)
    assert f" for {test.__name__}; without Stan, " in words
    calls = re.findall(r"[\w.]+\([^()]+\)", words)
    known = {"bayescmp": bc, "x": x, "xs": x, "k": 1, "name": "m2"}
    for i in followed:
        eval(calls[i], known | {"rho": 0.1, "rope": 0.01})


def test_an_engine_can_be_registered():
    remove = register("fake", FakeEngine)
    try:
        assert find_engine("fake", MODEL).name == "fake"
    finally:
        remove()
    with pytest.raises(InputError, match=r"engine must be .*\(got 'fake'\)"):
        find_engine("fake", MODEL)


def test_settings_are_stans_defaults():
    """Stan reference manual 2.38, table of NUTS' configuration: 1000 + 1000, 0.8, 10."""
    assert dataclasses.asdict(SamplerSettings()) == {
        "chains": 4,
        "warmup": 1000,
        "draws": 1000,
        "adapt_delta": 0.8,
        "max_treedepth": 10,
    }


def test_they_are_frozen():
    for value in [Availability(True), Fit("fake", "1"), SamplerSettings()]:
        field = dataclasses.fields(value)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, field, None)


def test_mutable_defaults_are_not_shared():
    first, second = FitRequest("model", {}, 1), FitRequest("model", {}, 1)
    assert first.keep is not second.keep
    assert Fit("fake", "1").draws == {}
    assert Fit("fake", "1").density is None
