"""Plots of results: a file a family; each draws what a result computed and returns the Axes."""

from bayescmp.base.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
