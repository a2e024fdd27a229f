"""The quadrature engine: the hierarchical correlated t test by numpy and scipy alone."""

from __future__ import annotations

import dataclasses

from bayescmp._version import built_in
from bayescmp.engines.base import Availability, Fit, FitRequest

__all__ = ["QuadratureEngine"]


class QuadratureEngine:
    """The posterior itself, on a grid, instead of draws from it."""

    name = "quadrature"
    independent = True

    def available(self) -> Availability:
        """Always: it needs what the package needs."""
        return Availability(True, built_in())

    def supports(self, model: str) -> bool:
        """The hierarchical correlated t test only."""
        return model == "hierarchical_correlated_t"

    def fit(self, request: FitRequest) -> Fit:
        """Solve the model; the program's data block is the problem."""
        from bayescmp.engines.quadrature import Problem, solve

        names = {field.name for field in dataclasses.fields(Problem)}
        problem = Problem(**{k: v for k, v in request.data.items() if k in names})
        return Fit(self.name, self.available().version, density=solve(problem))
