"""Bayesian comparisons of algorithms."""

from bayescmp.base.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
