"""Tests of many rows run on each, and name the one that fails."""

import pytest

from tests.rows import each_row


def test_every_row_is_run_and_the_one_that_fails_is_named():
    seen = []

    @each_row("x", [1, 2])
    @each_row(("y", "z"), [(3, 4), (5, 6)], ids=["low", "high"])
    def check(x, y, z, fixture):
        seen.append((x, y, z, fixture))
        assert (x, y) != (2, 5)

    with pytest.raises(AssertionError) as failed:
        check(fixture=0)
    assert seen == [(1, 3, 4, 0), (1, 5, 6, 0), (2, 3, 4, 0), (2, 5, 6, 0)]
    assert failed.value.__notes__ == ["y, z: 'high'", "x: 2"]
    with pytest.raises(AssertionError, match="without rows"):
        each_row("x", [])
