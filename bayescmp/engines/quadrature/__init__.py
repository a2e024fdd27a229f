"""Built-in engine of the hierarchical correlated t test: quadrature with numpy and scipy alone.

sigma_i, alpha and beta integrate out analytically, the delta_i one by one: what is left is a
posterior of (delta0, sigma0, nu), whose likelihood needs only each row's number, mean and sum of
squares. `solve` puts it on a grid; the `GridPosterior` it returns answers verdicts without Monte
Carlo error, marginals, draws and each data set's own difference.

The modules: `problem` (standard form, prior of nu), `kernel` (a row's integral), `locate`
(coordinates, where the mass is), `grid` (quadrature, refinement, marginals), `regions` (answers),
`rows` (the data sets' own, and the density by another rule), `posterior` (both integrations),
`shared` (many problems at the same nodes).
"""

from __future__ import annotations

from bayescmp.engines.quadrature.posterior import (
    Certificate,
    GridPosterior,
    probabilities_without_each,
    solve,
    solve_nearby,
)
from bayescmp.engines.quadrature.problem import NuPrior, Problem, Settings, nu_grid
from bayescmp.engines.quadrature.regions import RegionProbabilities
from bayescmp.engines.quadrature.rows import DatasetSummary, dataset_log_likelihoods
from bayescmp.engines.quadrature.shared import AddedRows, SharedNodes

__all__ = [
    "AddedRows",
    "Certificate",
    "DatasetSummary",
    "GridPosterior",
    "NuPrior",
    "Problem",
    "RegionProbabilities",
    "Settings",
    "SharedNodes",
    "dataset_log_likelihoods",
    "nu_grid",
    "probabilities_without_each",
    "solve",
    "solve_nearby",
]


def __dir__() -> list[str]:
    return __all__
