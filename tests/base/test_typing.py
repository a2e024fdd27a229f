"""What the aliases of types name is what is accepted, and little is left untyped."""

from __future__ import annotations

import json
import os
import re
from typing import get_args

import pytest

import bayescmp as bc
from bayescmp.base import checks, typing
from bayescmp.scores import rope
from tests.sources import modules


def test_any_is_rare():
    words = [re.findall(r"\bAny\b", path.read_text()) for path in modules().values()]
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
