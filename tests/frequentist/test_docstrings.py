"""Every public function and method has an example that runs, every function its relations."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import pytest

import bayescmp.frequentist as f

MODULES = [m.name for m in pkgutil.walk_packages(f.__path__, "bayescmp.frequentist.")]


def public() -> dict[str, object]:
    """Functions of the wing and methods of its results, by name."""
    found: dict[str, object] = {}
    for name in f.__all__:
        thing = getattr(f, name)
        if inspect.isfunction(thing):
            found[name] = thing
            continue
        for method, value in vars(thing).items():
            plain = value.__func__ if isinstance(value, classmethod) else value
            if inspect.isfunction(plain) and not method.startswith("_"):
                found[f"{name}.{method}"] = plain
    return found


@pytest.mark.parametrize("name", public())
def test_there_is_an_example(name):
    text = inspect.getdoc(public()[name]) or ""
    assert "\nExamples\n-" in text
    assert ">>> " in text
    if "." not in name:
        assert "\nSee Also\n-" in text


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module):
    found = doctest.testmod(importlib.import_module(module))
    assert found.failed == 0
