"""The `bayescmp` command."""

from __future__ import annotations

import argparse
import atexit
import codecs
import gc
import importlib
import io
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from itertools import takewhile
from typing import Any, NoReturn

from bayescmp.base.arguments import spelling
from bayescmp.base.version import __version__
from bayescmp.commands.shared import Arguments
from bayescmp.commands.spelling import OptionSpeller
from bayescmp.commands.table import COMMANDS, LISTS
from bayescmp.errors import DiagnosticWarning, DirectionWarning, EngineError, InputError
from bayescmp.wording.text import join_items, spell_sign

#: The modules of `bayescmp.commands` that have commands, as help lists them.
FAMILIES = ("pairs", "algorithms", "classifiers", "planning", "installed")

#: Exit codes: bad input, an engine that failed, an interrupt.
BAD_INPUT, FAILED, INTERRUPTED = 2, 1, 130
#: How characters that an encoding lacks are written.
SPELLED = "bayescmp.spelled"


class _Once(argparse.Action):
    """An option that may be given only once: a second value would silently replace the first."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        given = namespace.__dict__.setdefault("_given", set())
        if option_string is not None and self.dest in given:
            parser.error(f"{option_string} must be given once (got it twice).")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line, and which takes options only as they are spelled."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "allow_abbrev": False})
        # what begins like a number is a value: --rope -0.01,inf
        self._negative_number_matcher = re.compile(r"-(\d|\.\d|inf\b)")
        for name in (None, "store"):
            self.register("action", name, _Once)

    def format_help(self) -> str:
        """Return the help, with lists as they are now."""
        lists = _Lists()
        self.description = (self.description or "").format_map(lists)
        for action in self._actions:
            action.help = action.help and action.help.format_map(lists)
            if isinstance(action.metavar, str):
                action.metavar = action.metavar.format_map(lists)
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: error: {_line(message)} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(BAD_INPUT)


class _Lists(dict[str, str]):
    """Lists by the name that stands for them in help."""

    def __missing__(self, name: str) -> str:
        listed = LISTS[name]()
        return listed if isinstance(listed, str) else ", ".join(listed)


def load_commands(name: str = "") -> None:
    """Import the modules that have commands, as far as the one of a name."""
    for family in FAMILIES:
        if name not in COMMANDS:
            importlib.import_module(f"bayescmp.commands.{family}")


def parser(command: str = "") -> argparse.ArgumentParser:
    """Return the argument parser, with one command where it is named, else with all."""
    load_commands(command)
    top = _Parser(
        prog="bayescmp",
        description="Is B better than A, worse, or practically the same? "
        "Bayesian comparison of learning algorithms from cross-validated scores.",
    )
    top.add_argument("--version", action="version", version=f"bayescmp {__version__}")
    subparsers = top.add_subparsers(dest="command", metavar="command", required=True)
    named = [COMMANDS[command]] if command in COMMANDS else COMMANDS.values()
    for each in named:
        one = subparsers.add_parser(each.name, help=each.help, description=each.description)
        for option in each.options:
            one.add_argument(option.name, help=option.help, **option.settings)
        one.set_defaults(run=each.run)
    return top


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
    name = next(iter(given), "")
    _check_names(name, given)
    args = parser(name).parse_args(given, Arguments())
    try:
        with spelling(OptionSpeller.of(COMMANDS[args.command])), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for shown in (DiagnosticWarning, DirectionWarning):
                warnings.simplefilter("always", shown)
            warnings.showwarning = _show_warning
            with _without_windows():
                args.check()
                return args.run(args) or 0
    except InputError as error:
        return _complain(str(error), BAD_INPUT)
    except EngineError as error:
        return _complain(str(error), FAILED)
    except MemoryError:
        return _complain("there is not enough memory for this", FAILED)
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)


def _check_names(name: str, given: Sequence[str]) -> None:
    """Refuse an unknown command or option, and name the nearest."""
    load_commands(name)
    prog, known, words = "bayescmp", {"--help", "--version"}, given[:1]
    if name in COMMANDS:
        prog, words = f"bayescmp {name}", given[1:]
        known = {"--help", *(option.name for option in COMMANDS[name].options)}
    elif name and not name.startswith("-"):
        _Parser(prog=prog).error(f"unknown command {name!r}{_nearest(name, COMMANDS)}")
    for word in takewhile(lambda word: word != "--", words):
        option, _, value = word.partition("=")
        if value == "--" and option in known:  # which argparse drops, and stores a list
            _Parser(prog=prog).error(f"argument {option}: '--' is not a value")
        if re.fullmatch(r"-[a-zA-Z]|--\S*", option) and option not in {*known, "-h"}:
            near = _nearest(option, known)
            _Parser(prog=prog).error(f"unrecognized arguments: {option}{near}")


def _nearest(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, known, n=1) or [k for k in known if k.startswith(f"-{name}")]
    return f"; did you mean {join_items(sorted(near), 'or')}?" if near else ""


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
    print(f"bayescmp: error: {_line(message)}", file=sys.stderr)
    return code


def _line(message: str) -> str:
    """Return a message in one line; of a word of hundreds of letters, only the two ends."""
    return re.sub(r"(\S{60})\S{200,}(\S{20})", r"\1...\2", " ".join(message.split()))


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"bayescmp: warning: {message}", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
