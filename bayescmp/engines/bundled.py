"""The bundled engine: the Stan programs that a platform wheel carries, compiled.

``BAYESCMP_BUNDLE_STAN=1 pip wheel .`` makes such a wheel: ``hatch_build.py`` compiles the programs
and puts the executables, with the TBB library that they load, into the package.
"""

from __future__ import annotations

import os
from pathlib import Path

from bayescmp.engines.base import Availability, Fit, FitRequest
from bayescmp.engines.chains import run_chains
from bayescmp.engines.programs import program_names

__all__ = ["BundledEngine"]

#: Where a wheel has them: the programs, TBB, licences, and VERSION, which names their Stan.
FOLDER = Path(__file__).parents[1] / "_programs"


class BundledEngine:
    """Stan with no compiler."""

    name = "bundled"
    independent = False

    def available(self) -> Availability:
        """Every program, executable."""
        if not all(os.access(FOLDER / model, os.X_OK) for model in program_names()):
            return Availability(
                False,
                needs="a wheel that carries compiled programs; make one, where there is a C++ "
                "compiler, with: BAYESCMP_BUNDLE_STAN=1 pip wheel .",
            )
        return Availability(True, (FOLDER / "VERSION").read_text(encoding="utf-8").strip())

    def supports(self, model: str) -> bool:
        """Every program."""
        return model in program_names()

    def fit(self, request: FitRequest) -> Fit:
        """Run the program's chains."""
        draws, stats = run_chains(FOLDER / request.model, request, "bundled Stan program")
        return Fit(self.name, self.available().version, draws, stats)
