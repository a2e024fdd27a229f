"""The package's own files, each parsed once for all tests that look at them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

__all__ = ["PACKAGE", "ROOT", "modules", "nodes", "parse"]

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "bayescmp"


@cache
def modules() -> dict[str, Path]:
    """Module name to file, of the whole package."""
    files = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return files


@cache
def parse(path: Path) -> ast.Module:
    """What a file says; nobody changes it."""
    return ast.parse(path.read_text("utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All that a file says, from the outside in."""
    return tuple(ast.walk(parse(path)))
