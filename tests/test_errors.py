"""Warnings point at the user's line; unknown names come with the nearest known ones."""

from __future__ import annotations

import linecache
import warnings
from pathlib import Path

import pytest

from bayescmp import errors
from bayescmp.errors import DiagnosticWarning, InputError, located, unknown_name, warn_user


def _module_of_the_package(text: str) -> dict:
    """Functions compiled as if they stood in a module of the package."""
    namespace = {"warn_user": warn_user}
    exec(compile(text, str(Path(errors.__file__).with_name("some_module.py")), "exec"), namespace)
    return namespace


def _line_of(function, *arguments) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*arguments)
    (warning,) = caught
    assert issubclass(warning.category, DiagnosticWarning)
    return linecache.getline(warning.filename, warning.lineno).strip()


DEEP = """
def deep(n):
    warn_user("doubtful") if n == 0 else deep(n - 1)
def through(call):
    call(deep)
"""


@pytest.mark.parametrize("depth", [0, 1, 5])
def test_a_warning_points_at_the_caller_of_the_package(depth):
    deep = _module_of_the_package(DEEP)["deep"]

    def users_own():
        deep(depth)  # the user's line

    assert _line_of(users_own) == "deep(depth)  # the user's line"


def test_a_library_in_between_is_passed_over():
    """As a progress bar or a parallel job, which calls back into the package."""
    through = _module_of_the_package(DEEP)["through"]

    def users_own():
        through(lambda deep: deep(2))  # the user's line

    assert _line_of(users_own) == "through(lambda deep: deep(2))  # the user's line"


def test_nearest_names():
    error = unknown_name("metric", "acuracy", ["accuracy", "rmse"])
    assert str(error) == (
        "unknown metric 'acuracy': did you mean 'accuracy'? known: 'accuracy', 'rmse'"
    )


def test_located():
    with (
        pytest.raises(InputError, match=r"^on data set 'iris': no$"),
        located("on data set 'iris'"),
    ):
        raise InputError("no")
