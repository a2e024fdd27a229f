"""Every exception and warning that the package raises on purpose."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

__all__ = [
    "DiagnosticWarning",
    "DirectionWarning",
    "EngineError",
    "EngineNotFound",
    "InputError",
    "locate_errors",
    "name_argument",
    "unknown_name",
    "warn_user",
]

#: About how many letters a message may have.
LONGEST = 1000

_PACKAGE = f"{Path(__file__).parent}{os.sep}"


class InputError(ValueError):
    """Bad input: the message names the argument, its value, the place and the accepted values.

    A long message is cut in the middle: the argument comes first and the accepted values last.
    `argument` is the wrong argument's name in Python, or None.
    """

    def __init__(self, message: str = "", argument: str | None = None) -> None:
        message = " ".join(message.split()) if "\n" in message else message
        if len(message) > LONGEST:
            message = f"{message[: LONGEST // 2]} ... {message[-LONGEST // 2 :]}"
        super().__init__(message)
        self.argument = argument


class QuestionsError(InputError):
    """A table of answers was given where scores of folds or data sets are read.

    `column` names the rows or is None; `models` are then its columns of answers. `unclear` marks
    rows that may be data sets. `reason` is the message without the advice, `path` the table's
    file.
    """

    def __init__(
        self,
        column: str | None = None,
        *,
        unclear: bool = False,
        models: Sequence[str] = (),
        path: str | None = None,
    ) -> None:
        self.column, self.unclear, self.models = column, unclear, tuple(models)
        self.reason = (
            "the rows of the table must be either questions or data sets (got only scores of 0 "
            "and 1, which fit both)"
            if unclear
            else "the rows of the table must be folds or data sets (got questions, since each "
            "score is one answer)"
        )
        items = "bc.Items(frame" if path is None else f"bc.Items.read({path!r}"
        scores = "bc.Scores.from_means(frame"
        if column is not None or path is not None:
            scores = "bc.Scores(frame" if path is None else f"bc.Scores.read({path!r}"
        if not unclear:
            super().__init__(f"{self.reason}. Read it with {items}), which bc.compare takes.")
            return
        item, dataset = (
            "" if column is None else f", columns={{{part!r}: {column!r}}}"
            for part in ("item", "dataset")
        )
        ways = f"{items}{item}) for questions, or {scores}{dataset}) for data sets"
        super().__init__(f"{self.reason}. Use {ways}.")


class CountsError(InputError):
    """A table of counts of successes among trials was given where scores are read."""


class EngineError(RuntimeError):
    """An engine was found but could not compile or run a program."""


class EngineNotFound(EngineError):
    """No engine that can fit the model is installed; the message names the ways out."""


class DiagnosticWarning(UserWarning):
    """A result that should not be trusted without a check, and why."""


class DirectionWarning(UserWarning):
    """It is not known which way a metric is better: higher is assumed to be."""


def unknown_name(
    what: str, name: object, known: Iterable[object], argument: str | None = None
) -> InputError:
    """Return the error for a `name` of `what` that is not `known`, with the nearest ones.

    `argument` is by default `what`, if that is one word.
    """
    names = [str(k) for k in known]
    lowered = {n.lower(): n for n in reversed(names)}
    near = get_close_matches(str(name).lower(), lowered, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(repr(lowered[n]) for n in near)}?" if near else ""
    shown = [repr(n) for n in names[:12]] + ["..."] * (len(names) > 12)
    if len(shown) > 2:
        allowed = f"one of {', '.join(shown)}"
    else:
        allowed = " or ".join(shown) or "left out, since none is known"
    begun = what.removeprefix("--").replace("-", "_")
    own = begun if begun.isidentifier() else None
    return InputError(f"{what} must be {allowed} (got {name!r}).{hint}", argument or own)


@contextmanager
def locate_errors(where: str) -> Iterator[None]:
    """Put the place (as in "on data set 'iris'") before the message of an `InputError` inside."""
    try:
        yield
    except InputError as error:
        kind = CountsError if isinstance(error, CountsError) else InputError
        raise kind(f"{where}: {error}", error.argument) from None


@contextmanager
def name_argument(name: str, instead: str | None = None) -> Iterator[None]:
    """Give a name to each `InputError` raised inside that names no argument.

    What a function is given may be wrong far below it, where no argument has that name.

    Parameters
    ----------
    name : str
        The argument of the function that was called.
    instead : str, optional
        The name that this argument has further below, which is also replaced.
    """
    try:
        yield
    except InputError as error:
        if error.argument in (None, instead):
            error.argument = name
        raise


def warn_user(message: str, category: type[Warning] = DiagnosticWarning) -> None:
    """Warn at the line of the user's own code that called into the package.

    That is the caller of the package's outermost frame: libraries that call back (progress bars,
    parallel jobs) are passed over.
    """
    depth, frame, level = 2, sys._getframe(1), 2  # 2: who called this function
    while frame.f_back is not None:
        if frame.f_code.co_filename.startswith(_PACKAGE):
            level = depth + 1
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
