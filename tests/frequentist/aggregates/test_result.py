"""What a result of aggregates shows."""

from __future__ import annotations

import json

import pytest

import bayescmp.frequentist as f
from bayescmp.errors import InputError


def test_shown():
    result = f.aggregate_runs({"a": [[1, 2], [3, 4]], "b": [[2, 2], [5, 4]]}, seed=1)
    assert str(result).startswith("interquartile mean, 2 tasks, 2 runs or more: stratified")
    assert "<table" in result._repr_html_()
    assert json.loads(json.dumps(result.to_dict()))["rows"]["a"]["estimate"] == 2.5
    wide, narrow = result.interval(0.99), result.interval(0.5)
    assert wide.loc["a", "low"] <= narrow.loc["a", "low"]
    with pytest.raises(InputError, match="level=2"):
        result.interval(2)
