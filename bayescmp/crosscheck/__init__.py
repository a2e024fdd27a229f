"""A Bayesian verdict and its frequentist twin in one row, and in words where they differ."""

from bayescmp.crosscheck.check import crosscheck
from bayescmp.crosscheck.results import CrossCheck
from bayescmp.crosscheck.twins import TWINS, Twin

__all__ = ["TWINS", "CrossCheck", "Twin", "crosscheck"]
