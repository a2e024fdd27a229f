"""What a newcomer at the prompt is shown: names, a map, advice that works."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

import bayescmp as bc

ROOT = Path(__file__).parents[1]
MODULES = (bc, bc.bayesian, bc.frequentist, bc.plots)
PACKAGES = sorted(
    ".".join(file.parent.relative_to(ROOT).parts)
    for file in (ROOT / "bayescmp").rglob("__init__.py")
)


@pytest.mark.parametrize("name", [*PACKAGES, "bayescmp.sklearn"])
def test_dir_shows_what_is_public_and_nothing_else(name):
    module = importlib.import_module(name)
    if hasattr(module, "__all__"):
        assert dir(module) == sorted(module.__all__)
        assert all(not n.startswith("_") or n == "__version__" for n in dir(module))
        assert all(getattr(module, n) is not None for n in dir(module))
    else:  # a folder of modules, with no names of its own
        body = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")).body
        assert [type(node) for node in body] == [ast.Expr]


def test_the_map_names_what_there_is():
    named = re.findall(r"``([A-Za-z_]+)``", str(bc.__doc__))
    offered = {name for module in MODULES for name in module.__all__}
    assert set(named) <= offered
    assert {"bayesian", "frequentist", "plots", "compare", "report"} <= set(named)


def test_methods_of_the_map_are_those_of_a_posterior():
    methods = re.findall(r"``\.([a-z_]+)\(\)``", str(bc.__doc__))
    assert len(methods) > 4
    assert all(callable(getattr(bc.bayesian.HierarchicalPosterior, name)) for name in methods)


def test_advice_to_install_works_from_a_clone():
    """bayescmp itself may not be in an index: advice names the packages that are missing."""
    known = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    advice = [
        (path.name, named)
        for path in (ROOT / "bayescmp").rglob("*.py")
        for line in re.findall(r"pip install ([a-z' \[\]-]+)", path.read_text(encoding="utf-8"))
        for named in line.split()
    ]
    assert len(advice) > 5
    assert [a for a in advice if a[1] != "zstandard" and f'"{a[1]}>=' not in known] == []
