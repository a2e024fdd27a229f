"""The interface of engines, the available engines, and the choice between them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pkgutil import resolve_name
from typing import Any, Protocol, TypeAlias

import numpy as np

from bayescmp.base.checks import check_choice, check_flags, text, validate_params
from bayescmp.base.fields import about
from bayescmp.base.version import built_in
from bayescmp.engines.quadrature import GridPosterior, Problem, solve
from bayescmp.errors import EngineError, EngineNotFound

#: Data or initial values of a Stan program: numbers, arrays and lists by variable.
StanData: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Availability:
    """Whether an engine can run here (`ok`), versions of its software, and what it `needs`."""

    ok: bool
    version: str = ""
    needs: str = ""


@dataclass(frozen=True)
class SamplerSettings:
    """Settings of the Hamiltonian Monte Carlo sampler, with Stan's defaults if it has one."""

    chains: int = 4
    warmup: int = 1000
    draws: int = 1000
    adapt_delta: float = 0.8
    max_treedepth: int = 10


@dataclass(frozen=True)
class FitRequest:
    """A model, its data, and how to sample it.

    Attributes
    ----------
    model : str
        Name of the Stan program, without its ending.
    data : mapping
        The program's data block.
    seed : int
        Seed of the engine's generator, 0 <= seed < 2**31.
    keep : mapping of str to bool
        Variables whose draws to return, and whether each is a scalar.
    inits : sequence of mapping
        Initial values, one mapping per chain.
    settings : SamplerSettings
        Chains, warm-up, draws, adaptation.
    progress : bool
    enough : callable, optional
        Whether the draws so far, by name, are enough, for engines that can continue.
    """

    model: str
    data: StanData
    seed: int
    keep: Mapping[str, bool] = field(default_factory=dict)
    inits: Sequence[StanData] = ()
    settings: SamplerSettings = field(default_factory=SamplerSettings)
    progress: bool = False
    enough: Callable[[Mapping[str, np.ndarray]], bool] | None = None

    def __post_init__(self) -> None:
        check_flags(progress=self.progress)


@dataclass(frozen=True)
class Fit:
    """The result of an engine.

    Attributes
    ----------
    engine, version : str
        Its name, and versions of the software it runs on.
    draws : mapping of str to ndarray of shape (chain, draw, ...)
        Draws of the variables in ``keep``; empty if there is a density.
    sample_stats : mapping of str to ndarray of shape (chain, draw)
        "diverging", "tree_depth", "energy", "lp", for samplers.
    density : GridPosterior or None
        The posterior itself, from the built-in engine.
    """

    engine: str
    version: str
    draws: Mapping[str, np.ndarray] = field(
        default_factory=dict, metadata=about(group="posterior")
    )
    sample_stats: Mapping[str, np.ndarray] = field(
        default_factory=dict, metadata=about(group="sample_stats")
    )
    density: GridPosterior | None = field(default=None, metadata=about(saved=False))


class Engine(Protocol):
    """A method for fitting models.

    Attributes
    ----------
    name, how : str
        What the user calls it, and how it computes ("by Gibbs sampling"; optional).
    independent : bool
        Whether its draws are independent (no diagnostics of mixing apply).
    """

    name: str
    independent: bool
    how: str

    def available(self) -> Availability:
        """Return whether the engine can run here, determined without running it."""
        ...

    def supports(self, model: str) -> bool:
        """Return whether the engine can fit the model."""
        ...

    def fit(self, request: FitRequest) -> Fit:
        """Fit the model; raise EngineError if it does not compile or the sampler fails."""
        ...


#: For each program that a test samples: that test, and its nearest answer without Stan.
_WITHOUT_STAN = {
    "hierarchical_correlated_t": (
        "hierarchical_t",
        "bayescmp.bayesian.hierarchical_t(x, rho=rho, rope=rope, engine='quadrature') computes "
        "the same posterior",
    ),
    "hierarchical_multivariate_t": (
        "hierarchical_multivariate_t",
        "bayescmp.bayesian.hierarchical_t([x[:, k] for x in xs], rho=rho, rope=rope) answers for "
        "metric k alone, and of Blocks bayescmp.bayesian.hierarchical_multivariate_t(xs, "
        "rope=rope, metrics=[name])",
    ),
    "joint_correlated_t": (
        "joint_t",
        "bayescmp.bayesian.joint_t(x, rho=rho, rope=rope, engine='gibbs') samples the same "
        "posterior",
    ),
    "moderated_correlated_t": (
        "moderators",
        "posterior.moderators(features, engine='gibbs') samples the same posterior",
    ),
    "multivariate_correlated_t": (
        "multivariate_t",
        "bayescmp.bayesian.{test}(x, rho=rho, rope=rope) assumes normal noise, in closed form",
    ),
    "robust_correlated_t": (
        "robust_t",
        "bayescmp.bayesian.correlated_t(x, rho=rho, rope=rope) assumes normal noise, in closed "
        "form",
    ),
}


class QuadratureEngine:
    """The posterior of the hierarchical t test itself, on a grid, instead of draws from it."""

    name = "quadrature"
    independent = True
    how = "by deterministic quadrature"

    def available(self) -> Availability:
        """Always: it needs no more than the package does."""
        return Availability(True, built_in())

    def supports(self, model: str) -> bool:
        """Return whether the model is the hierarchical correlated t test."""
        return model == "hierarchical_correlated_t"

    def fit(self, request: FitRequest) -> Fit:
        """Solve the model; the program's data block is the problem."""
        names = {field.name for field in fields(Problem)}
        problem = Problem(**{name: value for name, value in request.data.items() if name in names})
        return Fit(self.name, self.available().version, density=solve(problem))


def _factory(home: str) -> Callable[[], Engine]:
    """Make a function that imports an engine when called: none is loaded before it is needed."""
    return lambda: resolve_name(home)()


# In the order in which "auto" tries them.
_FACTORIES: dict[str, Callable[[], Engine]] = {
    "gibbs": _factory("bayescmp.engines.gibbs:GibbsEngine"),
    "cmdstan": _factory("bayescmp.engines.cmdstan:CmdStanEngine"),
    "quadrature": QuadratureEngine,
    "bundled": _factory("bayescmp.engines.chains:BundledEngine"),
    "pystan": _factory("bayescmp.engines.pystan:PyStanEngine"),
}


def register(name: str, factory: Callable[[], Engine]) -> Callable[[], None]:
    """Add an engine, the last that "auto" tries, under a name; return what removes it again.

    `factory` returns the engine.
    """
    _FACTORIES[name] = factory

    def remove() -> None:
        _FACTORIES.pop(name, None)

    return remove


def engines() -> dict[str, Engine]:
    """Return every engine by its name, in the order in which "auto" tries them.

    Examples
    --------
    >>> from bayescmp.engines import engines
    >>> "cmdstan" in engines()
    True
    >>> engines()["quadrature"].available().ok
    True
    """
    return {name: make() for name, make in _FACTORIES.items()}


@validate_params(model=text, test=text)
def find_engine(name: str, model: str, test: str = "") -> Engine:
    """Return the engine of that name, or the first that can fit the model here.

    Parameters
    ----------
    name, model : str
        "auto", or the name of one of `engines`; name of the Stan program.
    test : str
        Name of the test that is fitted, if several have the program.

    Returns
    -------
    Engine

    Raises
    ------
    InputError, EngineError
        For an unknown engine; if the engine named cannot fit this model.
    EngineNotFound
        If the engine, or with "auto" any engine, is not installed. The message has the test's
        nearest answer without Stan, and a command that installs the engine.

    Examples
    --------
    >>> from bayescmp.engines import find_engine
    >>> find_engine("quadrature", "hierarchical_correlated_t").name
    'quadrature'
    """
    check_choice("engine", name, ["auto", *_FACTORIES])
    if name != "auto":
        return _check_engine(_FACTORIES[name](), model, test)
    for make in _FACTORIES.values():
        engine = make()
        if engine.supports(model) and engine.available().ok:
            return engine
    raise _missing("no engine is installed", model, test, stan_engine())


def stan_engine() -> Engine:
    """Return the engine that is least to install: PyStan's wheels, except on Windows."""
    return _FACTORIES["cmdstan" if os.name == "nt" else "pystan"]()


def _check_engine(engine: Engine, model: str, test: str) -> Engine:
    if not engine.supports(model):
        able = [n for n, e in engines().items() if e.supports(model)]
        raise EngineError(
            f"engine {engine.name!r} does not fit the model {model!r}; these do: {', '.join(able)}"
        )
    if not engine.available().ok:
        raise _missing(f"engine {engine.name!r} is not available", model, test, engine)
    return engine


def _missing(what: str, model: str, test: str, engine: Engine) -> EngineNotFound:
    """Make the error for a missing engine: the test, its answer without, how to get the engine."""
    known, instead = _WITHOUT_STAN.get(model, (f"the program {model!r}", ""))
    test = test or known
    without = f"; without Stan, {instead.format(test=test)}" if instead else ""
    return EngineNotFound(
        f"{what} for {test}{without}. Sampling {test} needs {engine.available().needs}"
    )
