"""The pystan engine: the same programs, built with the Stan inside PyStan 3's wheels.

It uses PyStan's wheels, not PyStan: PyStan's own way to run a program (a web server that passes on
every draw as JSON, in an event loop of its own) takes twice as long as the sampling, cannot be
stopped, and keeps seeded fits in the user's cache.
"""

from __future__ import annotations

from pathlib import Path

from bayescmp.engines import toolchain
from bayescmp.engines.base import Availability, Fit, FitRequest
from bayescmp.engines.chains import run_chains
from bayescmp.engines.processes import clean_ending
from bayescmp.engines.programs import program_names, program_text

__all__ = ["PyStanEngine", "built"]


class PyStanEngine:
    """Stan from PyStan's wheels."""

    name = "pystan"
    independent = False

    def available(self) -> Availability:
        """PyStan's wheels and a C++ compiler."""
        missing = toolchain.missing()
        return Availability(False, needs=missing) if missing else _here()

    def supports(self, model: str) -> bool:
        """Every program."""
        return model in program_names()

    def fit(self, request: FitRequest) -> Fit:
        """Build the program unless it is in the cache, and run its chains."""
        with clean_ending():
            executable = built(request.model, progress=request.progress)
            draws, stats = run_chains(executable, request, toolchain.SOURCE)
        return Fit(self.name, _here().version, draws, stats)


def _here() -> Availability:
    return Availability(True, toolchain.stan_version())


def built(model: str, *, progress: bool = False) -> Path:
    """Executable of a program, which is built if it is not in the cache.

    Parameters
    ----------
    model : str
        Name of the program.
    progress : bool
        Whether to show that it is being compiled.

    Returns
    -------
    Path

    Raises
    ------
    EngineError
        If it does not compile, or the cache can't be used.
    """
    return toolchain.built_program(model, program_text(model), progress=progress)
