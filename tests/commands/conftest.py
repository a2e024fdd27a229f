"""Scores that the tests of this folder share."""

from __future__ import annotations

import pytest


@pytest.fixture
def path(table, tmp_path):
    table.to_csv(tmp_path / "scores.csv", index=False)
    return str(tmp_path / "scores.csv")
