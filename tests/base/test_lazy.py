"""Packages whose names are imported when they are first used; types of what is accepted."""

from __future__ import annotations

import ast
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import bayescmp as bc
from bayescmp.base import checks, typing
from bayescmp.scores import rope
from tests.rows import each_row

LAZY = ("bayescmp", "bayescmp.bayesian", "bayescmp.frequentist")


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def _stub(package: str) -> ast.Module:
    file = Path(str(importlib.import_module(package).__file__))
    return ast.parse(file.with_suffix(".pyi").read_text())


@each_row("package", LAZY)
def test_a_stub_lists_what_it_imports(package):
    """Type checkers read the list, the package the imports."""
    listed = {}
    for node in _stub(package).body:
        if isinstance(node, ast.Assign):
            listed = set(ast.literal_eval(node.value))
    module = importlib.import_module(package)
    assert listed == set(module.__all__) == set(dir(module))
    assert all(getattr(module, name) is not None for name in listed)


def test_a_function_is_not_hidden_by_the_subpackage_of_its_name():
    """Python puts a subpackage where the function's name is when it is first imported."""
    code = ["import sys, bayescmp as bc"]
    for name, inside in (("bayesian.groups", "bayesian.groups.fit"), ("report", "report.build")):
        code += [f"assert 'bayescmp.{name}' not in sys.modules", f"import bayescmp.{inside}"]
        code += [f"assert callable(bc.{name})"]
    _run("\n".join(code))


def test_importing_a_package_imports_none_of_its_modules():
    code = "import sys; from bayescmp import bayesian, frequentist; print(*sys.modules)"
    loaded = _run(code).split()
    assert not [m for m in loaded if m.startswith(("bayescmp.bayesian.", "bayescmp.frequentist."))]


@pytest.mark.slow
def test_a_saved_posterior_is_read_before_its_test_was_used(tmp_path):
    path = tmp_path / "posterior.npz"
    _run(f"from bayescmp import bayesian\nbayesian.sign([.1, .2, .3], rope=0).save({str(path)!r})")
    assert "sign" in _run(f"import bayescmp as bc\nprint(bc.load({str(path)!r}).kind)")


def test_unknown_names():
    with pytest.raises(AttributeError, match="No bayescmp attribute nothing"):
        _ = importlib.import_module("bayescmp").nothing


# What the aliases of types name is what is accepted, and little is left untyped.


def test_what_the_aliases_name_is_what_is_accepted(tmp_path):
    assert set(get_args(typing.PathLike)) == {str, os.PathLike[str]}
    posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
    for path in (str(tmp_path / "a.npz"), tmp_path / "b.npz"):
        posterior.save(path)
        assert bc.load(path).rope == posterior.rope
    for group in ("posterior", "constant_data"):
        variables = posterior.to_arviz()[group]
        assert set(variables.dims) == set(variables.coords)
    assert json.loads(json.dumps(posterior.verdict().to_dict()))["names"] == ["first", "second"]


@each_row("given", [0.01, [-0.01, 0.01], bc.Rope(-0.01, 0.01)])
def test_a_rope_is_what_its_alias_says(given):
    assert any(
        isinstance(given, getattr(kind, "__origin__", kind)) for kind in get_args(rope.RopeLike)
    )
    assert rope.as_rope(given) == bc.Rope(-0.01, 0.01)


def test_a_seed_is_what_its_alias_says():
    assert {type(None), int} < set(get_args(checks.Seed))
