"""Bayesian comparisons of algorithms."""

from bayescmp.base.lazy import load_lazily

__getattr__, __dir__, __all__ = load_lazily(__name__)
