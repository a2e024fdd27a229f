"""Plots of results: a file a family; each draws what a result computed and returns the Axes."""

from bayescmp.base.lazy import load_lazily

__getattr__, __dir__, __all__ = load_lazily(__name__)
