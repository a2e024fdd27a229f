"""Is B better than A, worse, or practically the same?

Bayesian comparison of learning algorithms from cross-validated scores, with the frequentist tests
beside it. Names are imported when they are first used: ``import bayescmp`` loads no engine, no
ArviZ and no plotting.
"""

from bayescmp._lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
