"""Frequentist tests, to stand beside the Bayesian answers.

Differences are second minus first and ranks are 1 for the best, so that a positive statistic says
that the second algorithm is better. See `bayescmp.bayesian` for the twins.
"""

from bayescmp.base.lazy import load_lazily

__getattr__, __dir__, __all__ = load_lazily(__name__)
