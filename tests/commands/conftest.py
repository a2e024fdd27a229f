"""Scores that the tests of this folder share."""

from __future__ import annotations

import pytest

from bayescmp.base.arguments import spelling
from bayescmp.commands.cli import main, parser
from bayescmp.commands.shared import Arguments
from bayescmp.commands.spelling import OptionSpeller
from bayescmp.commands.table import COMMANDS


@pytest.fixture
def path(table, tmp_path):
    table.to_csv(tmp_path / "scores.csv", index=False)
    return str(tmp_path / "scores.csv")


def argv(line):
    """The words of a command line."""
    return line.split()


def run(capsys, line, *words):
    """Exit code, output and errors of a command, a line and more words."""
    code = main([*argv(line), *map(str, words)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def compare(path, *more):
    """A comparison of knn and gbm in the small table."""
    line = "--metric accuracy --first knn --second gbm --rope 0.05"
    return ["compare", path, *argv(line), *more]


def each(option, *names):
    """An option given once for each name."""
    return [word for name in names for word in (f"--{option}", name)]


def call(command, *words):
    """Run a command and return its exit code; what it raises is not caught."""
    args = parser(command).parse_args([command, *map(str, words)], Arguments())
    with spelling(OptionSpeller.of(COMMANDS[command])):
        args.check()
        return args.run(args) or 0


def answer_of(result: object) -> str:
    """What a command prints of a result: all but the line of what else Python can ask it."""
    return str(result).rpartition("\nmore: ")[0]
