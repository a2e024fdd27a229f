"""Arguments of one name have one type, and little is left untyped."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import bayescmp as bc
from bayescmp.base import checks, typing
from bayescmp.scores import rope

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "bayescmp").rglob("*.py"))

#: What a public function's argument of this name is annotated with.
ARGUMENTS = {
    "rope": {"RopeLike", "RopesLike", "Rope", "Ropes"},
    "seed": {"Seed", "int"},
    "ax": {"Axes"},
}
# Beneath the ropes there are numbers only.
BENEATH = {
    "masses_of",
    "near_best",
    "on_one_dataset",
    "side_by_side",
    "simulate",
    "standing_of",
    "summarise_rows",
}
# A rope, or one a metric: which of the two, the posterior's own class says.
OWN = {"posterior.py: verdicts(rope: Any)", "posterior.py: all_probabilities(rope: Any)"}


def _public(tree: ast.AST) -> list[ast.FunctionDef]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]


def _annotated() -> Iterator[tuple[str, str, str, str]]:
    """File, function, argument and annotation, of the arguments that have one type."""
    for path in SOURCES:
        for function in _public(ast.parse(path.read_text())):
            for given in (*function.args.args, *function.args.kwonlyargs):
                if given.arg in ARGUMENTS and given.annotation:
                    yield path.name, function.name, given.arg, ast.unparse(given.annotation)


def test_an_argument_has_the_same_type_everywhere():
    """Checkers (`as_rope`, `seed_of`) take any object, since they refuse what does not fit."""
    wrong = []
    for file, function, name, text in _annotated():
        kinds = {kind.removeprefix("checks.") for kind in text.split(" | ")} - {"None"}
        checker = text == "object" or function in BENEATH
        if not checker and not kinds <= ARGUMENTS[name]:
            wrong.append(f"{file}: {function}({name}: {text})")
    assert set(wrong) == OWN


def test_any_is_rare():
    words = [re.findall(r"\bAny\b", path.read_text()) for path in SOURCES]
    assert sum(map(len, words)) <= 400


def test_what_the_aliases_name_is_what_is_accepted(tmp_path):
    assert set(get_args(typing.PathLike)) == {str, os.PathLike[str]}
    posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
    for path in (str(tmp_path / "a.nc"), tmp_path / "b.nc"):
        posterior.save(path)
        assert bc.load(path).rope == posterior.rope
    for group in ("posterior", "constant_data"):
        variables = posterior.to_arviz()[group]
        assert set(variables.dims) == set(variables.coords)
    assert json.loads(json.dumps(posterior.verdict().to_dict()))["names"] == ["first", "second"]


@pytest.mark.parametrize("given", [0.01, (-0.01, 0.01), [-0.01, 0.01], bc.Rope(-0.01, 0.01)])
def test_a_rope_is_what_its_alias_says(given):
    assert any(
        isinstance(given, getattr(kind, "__origin__", kind)) for kind in get_args(rope.RopeLike)
    )
    assert rope.as_rope(given) == bc.Rope(-0.01, 0.01)


def test_a_seed_is_what_its_alias_says():
    assert {type(None), int} < set(get_args(checks.Seed))
