"""The interface that every engine implements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np

from bayescmp.base.checks import check_flags
from bayescmp.engines.quadrature import GridPosterior

#: Data or initial values of a Stan program: numbers, arrays and lists by variable.
StanData: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Availability:
    """Whether an engine can run here.

    Attributes
    ----------
    ok : bool
        True if it can.
    version : str
        Versions of the software it runs on.
    needs : str
        What is missing, and the command that installs it.
    """

    ok: bool
    version: str = ""
    needs: str = ""


@dataclass(frozen=True)
class SamplerSettings:
    """Settings of the Hamiltonian Monte Carlo sampler, with Stan's defaults where it has one."""

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
        Whether to show a progress bar.
    enough : callable, optional
        Whether the draws so far, by name, are enough, for engines that can go on.
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
    """What an engine returns.

    Attributes
    ----------
    engine : str
        Name of the engine.
    version : str
        Its version, with those of the software it runs on.
    draws : mapping of str to ndarray of shape (chain, draw, ...)
        Draws of the variables in ``keep``; empty where there is a density.
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
    how : str
        How it computes, as a methods paragraph says it: "by Gibbs sampling". An engine of another
        package may do without.
    """

    name: str
    independent: bool
    how: str

    def available(self) -> Availability:
        """Whether the engine can run here, determined without running it."""
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
