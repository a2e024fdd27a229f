"""Plots of results, one module per family; each draws a result and returns the Axes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
