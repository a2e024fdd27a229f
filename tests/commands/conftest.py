"""Scores that the tests of this folder share."""

from __future__ import annotations

import pytest

from bayescmp.commands.cli import parser
from bayescmp.commands.shared import Arguments


@pytest.fixture
def path(table, tmp_path):
    table.to_csv(tmp_path / "scores.csv", index=False)
    return str(tmp_path / "scores.csv")


def each(option, *names):
    """An option given once for each name."""
    return [word for name in names for word in (f"--{option}", name)]


def call(command, *words):
    """Run a command and return its exit code; what it raises is not caught."""
    args = parser(command).parse_args([command, *map(str, words)], Arguments())
    args.check()
    return args.run(args) or 0
