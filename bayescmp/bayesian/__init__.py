"""Bayesian comparisons of algorithms."""

from bayescmp._lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
