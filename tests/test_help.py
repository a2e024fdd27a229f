"""What a newcomer at the prompt is shown: names, a map, advice that works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import bayescmp as bc

ROOT = Path(__file__).parents[1]
MODULES = (bc, bc.bayesian, bc.frequentist, bc.plots)


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_dir_shows_what_is_public_and_nothing_else(module):
    assert dir(module) == sorted(module.__all__)
    assert all(not n.startswith("_") or n == "__version__" for n in dir(module))


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
