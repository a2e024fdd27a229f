"""Which engines there are, the built-in one among them, and the choice between them."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pkgutil import resolve_name

from bayescmp.base import checks
from bayescmp.base.declare import declare, text
from bayescmp.base.version import built_in
from bayescmp.engines.base import Availability, Engine, Fit, FitRequest
from bayescmp.errors import EngineError, EngineNotFound

#: Of each program that a test samples, that test, and its nearest answer without Stan.
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

# The quadrature engine: the hierarchical correlated t test by numpy and scipy alone.


class QuadratureEngine:
    """The posterior itself, on a grid, instead of draws from it."""

    name = "quadrature"
    independent = True
    how = "by deterministic quadrature"

    def available(self) -> Availability:
        """Always: it needs no more than the package does."""
        return Availability(True, built_in())

    def supports(self, model: str) -> bool:
        """Whether the model is the hierarchical correlated t test."""
        return model == "hierarchical_correlated_t"

    def fit(self, request: FitRequest) -> Fit:
        """Solve the model; the program's data block is the problem."""
        from bayescmp.engines.quadrature import Problem, solve

        names = {field.name for field in dataclasses.fields(Problem)}
        problem = Problem(**{name: value for name, value in request.data.items() if name in names})
        return Fit(self.name, self.available().version, density=solve(problem))


# Which engines there are, and the choice between them.


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
    """Add an engine, the last that "auto" tries.

    Parameters
    ----------
    name : str
        What the user will call it.
    factory : callable
        Returns the engine.

    Returns
    -------
    callable
        Removes the engine again.

    See Also
    --------
    engines : Every engine registered.
    """
    _FACTORIES[name] = factory

    def remove() -> None:
        _FACTORIES.pop(name, None)

    return remove


def engines() -> dict[str, Engine]:
    """Return every engine by its name, in the order in which "auto" tries them.

    See Also
    --------
    find_engine : The one to fit a model with.

    Examples
    --------
    >>> from bayescmp.engines import engines
    >>> "cmdstan" in engines()
    True
    >>> engines()["quadrature"].available().ok
    True
    """
    return {name: make() for name, make in _FACTORIES.items()}


@declare(model=text, test=text)
def find_engine(name: str, model: str, test: str = "") -> Engine:
    """Return the engine of that name, or the first that can fit the model here.

    Parameters
    ----------
    name : str
        "auto", or the name of one of `engines`.
    model : str
        Name of the Stan program.
    test : str
        Name of the test that is fitted, where several have the program.

    Returns
    -------
    Engine

    Raises
    ------
    InputError
        For an unknown engine.
    EngineError
        If the engine named cannot fit this model.
    EngineNotFound
        If the engine named, or with "auto" any engine, is not installed. The message has the
        test's nearest answer that needs no Stan, and a command that installs the engine.

    See Also
    --------
    engines : Every engine by its name.

    Examples
    --------
    >>> from bayescmp.engines import find_engine
    >>> find_engine("quadrature", "hierarchical_correlated_t").name
    'quadrature'
    """
    checks.check_choice("engine", name, ["auto", *_FACTORIES])
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
    """Return the engine, if it can fit the model here."""
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
