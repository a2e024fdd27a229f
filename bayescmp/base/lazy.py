"""Packages whose public names are imported when they are first used (PEP 562).

What such a package offers is listed once, in the stub beside its ``__init__.py``: type checkers
and editors read the stub as it is, and `load_lazily` reads there which module holds which name.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType


def load_lazily(
    package: str,
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` for a package with a stub.

    They are assigned to these names in its ``__init__.py``.
    """
    module = sys.modules[package]
    homes = _homes(package, Path(str(module.__file__)).with_suffix(".pyi"))
    module.__class__ = _never_hidden(set(homes))

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home, own = homes[name]
        value = importlib.import_module(home)
        attribute = getattr(value, own) if own else value
        vars(module)[name] = attribute
        return attribute

    return get, lambda: sorted(homes), sorted(homes)


def _homes(package: str, stub: Path) -> dict[str, tuple[str, str]]:
    """Map each public name to its module and its name there; "" is the module itself."""
    homes = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                of_package = node.module == package
                homes[alias.name] = (whole, "") if of_package else (str(node.module), alias.name)
    return homes


def _never_hidden(names: set[str]) -> type[ModuleType]:
    """Make a class for a package whose functions no subpackage of the same name hides.

    `bayescmp.report` is the function, even after Python has put the subpackage of that name there,
    which it does when something in it is first imported.
    """

    class Package(ModuleType):
        def __setattr__(self, name: str, value: object) -> None:
            if name not in names or not isinstance(value, ModuleType):
                super().__setattr__(name, value)

    return Package
