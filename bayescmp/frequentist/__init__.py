"""Frequentist tests, to compare with the Bayesian answers.

Differences are second minus first and ranks are 1 for the best, so that a positive statistic means
that the second algorithm is better. See `bayescmp.bayesian` for the Bayesian counterparts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
