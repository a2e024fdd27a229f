"""Engines fit models. All approximate the same posterior, and say how well."""

from bayescmp.base.lazy import load_lazily

__getattr__, __dir__, __all__ = load_lazily(__name__)
