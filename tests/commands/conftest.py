"""Scores that the tests of this folder share."""

from __future__ import annotations

import pytest

from bayescmp.base.arguments import spelling
from bayescmp.commands.cli import load_command, main
from bayescmp.commands.shared import Arguments
from bayescmp.commands.spelling import OptionSpeller


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
    return ["compare", path, *argv("knn gbm --metric accuracy --rope 0.05"), *more]


def each(option, *names):
    """An option given once for each name."""
    return [word for name in names for word in (f"--{option}", name)]


def call(command, *words):
    """Run a command and return its exit code; what it raises is not caught."""
    parser, run_command = load_command(command)
    args = parser.read([*map(str, words)], Arguments(parser=parser))
    with spelling(OptionSpeller.of(parser)):
        args.check()
        return run_command(args) or 0


def answer_of(result: object) -> str:
    """What a command prints of a result: all but the line of what else Python can ask it."""
    return str(result).rpartition("\nmore: ")[0]
