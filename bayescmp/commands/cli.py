"""The `bayescmp` command: which commands there are, and how they end."""

from __future__ import annotations

import argparse
import atexit
import codecs
import gc
import importlib
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from textwrap import wrap

from bayescmp.base.arguments import spelling
from bayescmp.base.version import __version__
from bayescmp.commands.parser import BAD_INPUT, Parser, nearest, one_line
from bayescmp.commands.shared import INTERRUPTED, Arguments
from bayescmp.commands.spelling import OptionSpeller
from bayescmp.errors import DiagnosticWarning, DirectionWarning, EngineError, InputError
from bayescmp.wording.text import spell_sign

#: The commands in the groups of `bayescmp --help`. The module of the same name in this package has
#: USAGE, EXAMPLE, `add_options(parser)` and `run(args)`, whose docstring is the help.
GROUPS = {
    "Compare": {
        "compare": "compare two algorithms, or all of them",
        "estimate": "find how good each algorithm is alone, with an interval",
        "rank": "find the best of several algorithms, or test their ranks",
        "crosscheck": "show Bayesian verdicts next to frequentist tests",
        "procedure": "run the frequentist tests that the scores call for",
        "predictions": "compare classifiers by their predictions on test items",
        "undominated": "find the algorithms that are worth their price",
    },
    "Decide": {
        "gate": "check that a candidate is not worse than the baseline",
        "keep": "keep or discard the changes that an automated loop proposes",
        "plan": "find how many more data sets or questions are needed",
        "sensitivity": "show how a verdict depends on priors and single data sets",
        "calibrate": "simulate how often verdicts are wrong",
    },
    "Report": {
        "report": "write all comparisons as HTML, Markdown or LaTeX",
        "check": "compute a JSON answer again, and list every deviation",
    },
    "Run": {
        "experiment": "cross-validate scikit-learn estimators",
        "permute": "test by permutation whether a classifier has learned anything",
        "verify": "check the built-in engine against Stan",
        "info": "list tests, engines and formats",
        "install-cmdstan": "download and build CmdStan",
    },
}
COMMANDS = tuple(name for group in GROUPS.values() for name in group)
#: Commands that are now part of another one.
SUCCESSORS = {
    "compare-all": "compare TABLE --rope 0.01",
    "items": "compare TABLE --rope 0.01",
    "groups": "compare TABLE --test groups --rope 0.01",
    "multivariate": "compare TABLE --test manova",
    "best": "rank TABLE --rope 0.01",
    "fragility": "sensitivity TABLE --rope 0.01",
    "plan-items": "plan --difference 0.02 --between 0.2 --rope 0.01",
    "auc": "predictions TABLE",
    "metric": "predictions TABLE --metric f1 --rope 0.01",
    "tests": "info tests",
    "engines": "info engines",
}
#: Exit code of an engine that failed.
FAILED = 1
#: How characters that an encoding lacks are written.
SPELLED = "bayescmp.spelled"


def load_command(name: str) -> tuple[Parser, Callable[[Arguments], int | None]]:
    """Import a command: its parser, and the function that runs it."""
    module = importlib.import_module(f"bayescmp.commands.{name.replace('-', '_')}")
    typed = f"bayescmp {name}"
    parser = Parser(f"{typed} {module.USAGE}", module.run.__doc__, f"{typed} {module.EXAMPLE}")
    module.add_options(parser)
    return parser, module.run


def make_top_parser() -> Parser:
    """Return the parser of a command line without a command."""
    width = max(map(len, COMMANDS)) + 2
    lines = [
        line
        for title, commands in GROUPS.items()
        for line in (f"\n{title}:", *(f"  {n:<{width}}{text}" for n, text in commands.items()))
    ]
    parser = Parser(
        "bayescmp COMMAND ...",
        "Is algorithm B better than A, worse, or practically the same? Bayesian comparison of "
        "learning algorithms from cross-validated scores.",
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = "\n".join([*wrap(parser.description or ""), *lines])
    parser.epilog = "`bayescmp COMMAND --help` lists a command's options, with an example."
    parser.add_argument("--version", action="version", version=f"bayescmp {__version__}")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 1 if an engine failed, 2 for bad input, 130 if interrupted."""
    codecs.register_error(SPELLED, _spell_error)
    for stream in (sys.stdout, sys.stderr):  # "ν" is "nu", "±" is "+-" where an encoding lacks it
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=SPELLED)
    try:
        code = _run(argv)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe has gone
        _silence()
        return 0
    except OSError as error:  # a full disk beneath the output, no working directory, ...
        _silence()
        where = f" {error.filename!r}" if error.filename else ""
        return _complain(f"{error.strerror or error}{where}", BAD_INPUT)
    return code


def _run(argv: Sequence[str] | None) -> int:
    if argv is None:  # a process for one command: a quarter of it would be looking for garbage
        gc.set_threshold(200_000)
        atexit.register(gc.freeze)
    given = sys.argv[1:] if argv is None else list(argv)
    name = _name_command(given)
    parser, run = load_command(name)
    args = parser.read(given[1:], Arguments(parser=parser))
    try:
        with spelling(OptionSpeller.of(parser)), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for shown in (DiagnosticWarning, DirectionWarning):
                warnings.simplefilter("always", shown)
            warnings.showwarning = _show_warning
            with _without_windows():
                args.check()
                return run(args) or 0
    except InputError as error:
        return _complain(str(error), BAD_INPUT)
    except EngineError as error:
        return _complain(str(error), FAILED)
    except MemoryError:
        return _complain("there is not enough memory for this", FAILED)
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)


def _name_command(given: Sequence[str]) -> str:
    """Return the command that is typed; show help and version, and refuse all else."""
    parser = make_top_parser()
    if not given or given[0].startswith("-"):
        parser.read(given[:1], None)
        parser.error("a command is missing")
    name = given[0]
    if name in SUCCESSORS:
        listed = ", ".join(COMMANDS)
        parser.error(f"{name!r} must be one of {listed}: use `bayescmp {SUCCESSORS[name]}`")
    if name not in COMMANDS:
        parser.error(f"unknown command {name!r}{nearest(name, COMMANDS)}")
    return name


@contextmanager
def _without_windows() -> Iterator[None]:
    """Have Matplotlib draw to files, whatever backend the environment names."""
    before = os.environ.get("MPLBACKEND")
    os.environ["MPLBACKEND"] = "agg"
    try:
        yield
    finally:
        os.environ.pop("MPLBACKEND")
        os.environ.update({} if before is None else {"MPLBACKEND": before})


def _spell_error(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)  # both streams only write
    signs = error.object[error.start : error.end]
    return "".join(spell_sign(sign) for sign in signs), error.end


def _silence() -> None:
    """Write nothing more to an output that takes nothing: Python would complain at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str, code: int) -> int:
    print(f"bayescmp: error: {one_line(message)}", file=sys.stderr)
    return code


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"bayescmp: warning: {message}", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
