"""What a result of aggregates shows."""

from __future__ import annotations

import json

import pytest

import bayescmp.frequentist as f
from bayescmp.errors import InputError


def test_shown():
    found = f.aggregate_runs({"a": [[1, 2], [3, 4]], "b": [[2, 2], [5, 4]]}, seed=1)
    assert str(found).startswith("interquartile mean, 2 tasks, 2 runs or more: stratified")
    assert "<table" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["rows"]["a"]["estimate"] == 2.5
    wide, narrow = found.interval(0.99), found.interval(0.5)
    assert wide.loc["a", "low"] <= narrow.loc["a", "low"]
    with pytest.raises(InputError, match="level=2"):
        found.interval(2)
