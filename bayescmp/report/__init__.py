"""Reports: one HTML file, or tables in Markdown and LaTeX, from a cross-check."""

from bayescmp.report.build import report

__all__ = ["report"]


def __dir__() -> list[str]:
    return __all__
