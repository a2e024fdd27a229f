"""The `bayescmp` command."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

from bayescmp._version import __version__
from bayescmp.errors import DiagnosticWarning, DirectionWarning, EngineError, InputError

__all__ = ["main"]

COMMANDS = (
    "compare",
    "compare_all",
    "groups",
    "multivariate",
    "rank",
    "procedure",
    "experiment",
    "permute",
    "report",
    "verify",
    "sensitivity",
    "calibrate",
    "tests",
    "engines",
)

#: Exit codes: bad input, an engine that failed, an interrupt.
BAD_INPUT, FAILED, INTERRUPTED = 2, 1, 130


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: error: {message} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(BAD_INPUT)


def parser() -> argparse.ArgumentParser:
    """The command's argument parser, with all subcommands."""
    top = _Parser(
        prog="bayescmp",
        description="Is B better than A, worse, or practically the same? "
        "Bayesian comparison of learning algorithms from cross-validated scores.",
    )
    top.add_argument("--version", action="version", version=f"bayescmp {__version__}")
    subparsers = top.add_subparsers(dest="command", metavar="command", required=True)
    for name in COMMANDS:
        importlib.import_module(f"bayescmp.commands.{name}").register(subparsers)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; those of the process if not given.

    Returns
    -------
    int
        0; 2 for bad input; 1 if an engine failed; 130 if interrupted.
    """
    args = parser().parse_args(argv)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for shown in (DiagnosticWarning, DirectionWarning):
                warnings.simplefilter("always", shown)
            warnings.showwarning = _show_warning
            return int(args.run(args))
    except InputError as error:
        return _complain(str(error), BAD_INPUT)
    except EngineError as error:
        return _complain(str(error), FAILED)
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:  # the reader of a pipe has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _complain(message: str, code: int) -> int:
    print(f"bayescmp: error: {' '.join(message.split())}", file=sys.stderr)
    return code


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"bayescmp: warning: {message}", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
