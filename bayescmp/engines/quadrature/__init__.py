"""Built-in engine of the hierarchical correlated t test: quadrature with numpy and scipy alone.

sigma_i, alpha and beta integrate out analytically, the delta_i one by one: what is left is a
posterior in three dimensions, (delta0, sigma0, nu), whose likelihood needs only each row's
number, mean and sum of squares. `solve` puts it on a grid; the `GridPosterior` it returns
answers verdicts without Monte Carlo error, marginals, draws and each data set's own difference.

The modules, from the data to the answers: `problem` (validation, standard form), `kernel` (a row's
integral), `interpolation`, `coordinates` and `degrees` (axes, Gauss rules in nu), `locate` (where
the mass is), `chebyshev` and `tensor` (the quadrature), `grid` (its refinement), `student`
(distribution functions), `regions`, `marginals`, `draws`, `rows` (answers), `nearby` (a few rows
changed), `twocentre`, `likelihood` and `certificate` (the independent check).
"""

from __future__ import annotations

from bayescmp.engines.quadrature.certificate import Certificate
from bayescmp.engines.quadrature.degrees import nu_grid
from bayescmp.engines.quadrature.likelihood import dataset_log_likelihoods
from bayescmp.engines.quadrature.nearby import nearby
from bayescmp.engines.quadrature.posterior import GridPosterior, solve
from bayescmp.engines.quadrature.problem import NuPrior, Problem
from bayescmp.engines.quadrature.regions import RegionProbabilities
from bayescmp.engines.quadrature.rows import DatasetSummary
from bayescmp.engines.quadrature.settings import Settings

__all__ = [
    "Certificate",
    "DatasetSummary",
    "GridPosterior",
    "NuPrior",
    "Problem",
    "RegionProbabilities",
    "Settings",
    "dataset_log_likelihoods",
    "nearby",
    "nu_grid",
    "solve",
]


def __dir__() -> list[str]:
    return __all__
