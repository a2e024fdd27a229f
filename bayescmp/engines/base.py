"""The interface every engine answers, the registry, and the choice between engines."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bayescmp.errors import EngineError, EngineNotFound, unknown_name

if TYPE_CHECKING:
    from bayescmp.engines.quadrature import GridPosterior

__all__ = [
    "Availability", "Engine", "Fit", "FitRequest", "SamplerSettings", "cache_root", "engines",
    "find_engine", "register",
]  # fmt: skip


@dataclass(frozen=True)
class Availability:
    """Whether an engine can run here.

    Attributes
    ----------
    ok : bool
        It can.
    version : str
        What was found.
    needs : str
        What is missing, and the command that brings it.
    """

    ok: bool
    version: str = ""
    needs: str = ""


@dataclass(frozen=True)
class SamplerSettings:
    """Settings of the Hamiltonian Monte Carlo sampler; Stan's defaults where they have one."""

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
        Variables whose draws are wanted, and whether each is a scalar.
    inits : sequence of mapping
        Initial values, one mapping a chain.
    settings : SamplerSettings
        Chains, warm-up, draws, adaptation.
    progress : bool
        Whether to show a progress bar.
    """

    model: str
    data: Mapping[str, Any]
    seed: int
    keep: Mapping[str, bool] = field(default_factory=dict)
    inits: Sequence[Mapping[str, Any]] = ()
    settings: SamplerSettings = field(default_factory=SamplerSettings)
    progress: bool = False


@dataclass(frozen=True)
class Fit:
    """What an engine found.

    Attributes
    ----------
    engine : str
        Name of the engine.
    version : str
        Its version, with that of what it stands on.
    draws : mapping of str to ndarray of shape (chain, draw, ...)
        Draws of the variables asked for; empty where there is a density.
    sample_stats : mapping of str to ndarray of shape (chain, draw)
        "diverging", "tree_depth", "energy", "lp", for samplers.
    density : GridPosterior or None
        The posterior itself, from the built-in engine.
    """

    engine: str
    version: str
    draws: Mapping[str, np.ndarray] = field(default_factory=dict)
    sample_stats: Mapping[str, np.ndarray] = field(default_factory=dict)
    density: GridPosterior | None = None


class Engine(Protocol):
    """One way to fit a model.

    Attributes
    ----------
    name : str
        What the user calls it.
    independent : bool
        Whether its draws are independent (no diagnostics of mixing apply).
    """

    name: str
    independent: bool

    def available(self) -> Availability:
        """Whether the engine can run here, found out without running it."""
        ...

    def supports(self, model: str) -> bool:
        """Whether the engine can fit the model."""
        ...

    def fit(self, request: FitRequest) -> Fit:
        """Fit the model.

        Raises
        ------
        EngineError
            If the program does not compile or the sampler fails.
        """
        ...


def _cmdstan() -> Engine:
    from bayescmp.engines.cmdstan import CmdStanEngine

    return CmdStanEngine()


def _quadrature() -> Engine:
    from bayescmp.engines.builtin import QuadratureEngine

    return QuadratureEngine()


def _pystan() -> Engine:
    from bayescmp.engines.pystan import PyStanEngine

    return PyStanEngine()


def cache_root() -> Path:
    """Folder of compiled programs: the user's cache folder, or ``BAYESCMP_CACHE`` where set."""
    from platformdirs import user_cache_path

    root = os.environ.get("BAYESCMP_CACHE")
    return Path(root) if root else user_cache_path("bayescmp")


# In the order in which "auto" asks them. Made late: none of them is imported before it is needed.
_FACTORIES: dict[str, Callable[[], Engine]] = {
    "cmdstan": _cmdstan,
    "quadrature": _quadrature,
    "pystan": _pystan,
}


def register(name: str, factory: Callable[[], Engine]) -> Callable[[], None]:
    """Add an engine, asked last by "auto".

    Parameters
    ----------
    name : str
        What the user will call it.
    factory : callable
        Returns the engine.

    Returns
    -------
    callable
        Takes the engine out again.
    """
    _FACTORIES[name] = factory
    return lambda: _FACTORIES.pop(name, None) and None


def engines() -> dict[str, Engine]:
    """Every engine by its name, in the order in which "auto" asks them."""
    return {name: make() for name, make in _FACTORIES.items()}


def find_engine(name: str, model: str) -> Engine:
    """The engine of that name, or the first that can fit the model here.

    Parameters
    ----------
    name : str
        "auto", "cmdstan", "quadrature" or "pystan".
    model : str
        Name of the Stan program.

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
        If the engine named, or with "auto" any engine, is not installed.
    """
    if name != "auto":
        if name not in _FACTORIES:
            raise unknown_name("engine", name, ["auto", *_FACTORIES])
        return _named(_FACTORIES[name](), model)
    for engine in engines().values():
        if engine.supports(model) and engine.available().ok:
            return engine
    raise EngineNotFound(f"no engine for the model {model!r} is installed. {_ways_out(model)}")


def _named(engine: Engine, model: str) -> Engine:
    if not engine.supports(model):
        able = [n for n, e in engines().items() if e.supports(model)]
        raise EngineError(
            f"engine {engine.name!r} does not fit the model {model!r}; these do: {', '.join(able)}"
        )
    found = engine.available()
    if not found.ok:
        raise EngineNotFound(f"engine {engine.name!r} is not available: {found.needs}")
    return engine


def _ways_out(model: str) -> str:
    ways = [
        f"({i}) {name}: {engine.available().needs}"
        for i, (name, engine) in enumerate(
            ((n, e) for n, e in engines().items() if e.supports(model)), start=1
        )
    ]
    return "Ways out: " + "; ".join(ways)
