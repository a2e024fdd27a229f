"""Wrong values of every kind, and calls of all that is public, as the docstrings show them."""

from __future__ import annotations

import ast
import doctest
import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

import numpy as np
import pandas as pd

import bayescmp as bc
from bayescmp import bayesian, curves, frequentist, plots
from bayescmp.catalogue import bayesian_test, frequentist_test, title, twins_of

__all__ = ["WRONG", "Call", "call_in_examples", "public"]


def _nested(depth: int) -> list:
    inner: list = []
    for _ in range(depth):
        inner = [inner]
    return inner


#: A value of each kind that somebody might hand in by mistake.
WRONG: dict[str, object] = {
    "None": None,
    "True": True,
    "0": 0,
    "-1": -1,
    "2.5": 2.5,
    "10**400": 10**400,
    "nan": np.nan,
    "inf": np.inf,
    "text": "text",
    "'10'": "10",
    "empty text": "",
    "lone surrogate": "\ud800",
    "bytes": b"text",
    "complex": 1j,
    "empty list": [],
    "texts": ["a", "b"],
    "flags": np.array([True, False]),
    "cube": np.zeros((2, 2, 2)),
    "huge in a list": [10**400, 1],
    "none in a list": [None, None],
    "nested": _nested(20),
    "dict": {"a": [1.0, 2.0]},
    "set": {1.0, 2.0},
    "DataFrame": pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [2.0, 3.0, 3.0]}, list("xyz")),
    "Series": pd.Series([0.1, 0.2, 0.4], list("xyz")),
    "object": object(),
    "class": Enum,
    "function": len,
    "date": pd.Timestamp("2020-01-01"),
}


@dataclass(frozen=True)
class Call:
    """A call that works, with each of its arguments under its name.

    Parameters
    ----------
    name : str
        What is called.
    function : callable
    arguments : dict
        By name, those that were left out at their default.
    """

    name: str
    function: Callable
    arguments: dict[str, object]

    def quicker(self, options: dict[str, object]) -> Call:
        """The same call with other values of some arguments."""
        return Call(self.name, self.function, {**self.arguments, **options})

    def with_wrong(self, argument: str, value: object) -> object:
        """What comes of it with another value of one argument."""
        given = {**self.arguments, argument: value}
        place, options = [], {}
        for parameter in inspect.signature(self.function).parameters.values():
            if parameter.name in given:
                if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                    place.append(given[parameter.name])
                else:
                    options[parameter.name] = given[parameter.name]
        return self.function(*place, **options)


def public() -> Iterator[tuple[str, Callable]]:
    """Every public function and class that is called by users, under its public name."""
    seen: set[int] = set()
    for prefix, module in (
        ("", bc),
        ("bayesian.", bayesian),
        ("frequentist.", frequentist),
        ("plots.", plots),
        ("curves.", curves),
        ("sklearn.", bc.sklearn),
        ("engines.", bc.engines),
    ):
        for name in module.__all__:
            thing = getattr(module, name)
            if (inspect.isfunction(thing) or inspect.isclass(thing)) and id(thing) not in seen:
                seen.add(id(thing))
                yield f"{prefix}{name}", thing
    for thing in (bayesian_test, frequentist_test, title, twins_of):
        yield f"catalogue.{thing.__name__}", thing


def _by_hand() -> dict[str, dict[str, object]]:
    """Arguments of what is called in the examples of a whole module alone."""
    y, score = [0, 1, 0, 1], [0.1, 0.4, 0.5, 0.9]
    folds = {"y": y, "score": score}
    return {
        "curves.auc_interval": {"auc": 0.8, "n_pos": 10, "n_neg": 20},
        "curves.auc_pr": folds,
        "curves.pr_curves": folds,
        "curves.roc_curves": folds,
        "curves.threshold_sweep": {"y": y, "probability": score},
        "catalogue.bayesian_test": {"name": "sign"},
        "catalogue.frequentist_test": {"name": "wilcoxon"},
        "catalogue.title": {"name": "sign"},
        "catalogue.twins_of": {"test": bayesian_test("sign")},
    }


class _FoundError(Exception):
    """Raised in place of the call that was looked for."""


class _Recorded(ast.NodeTransformer):
    """Every call of an example goes through ``_record``."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        call = ast.Call(ast.Name("_record", ast.Load()), [node.func, *node.args], node.keywords)
        return ast.copy_location(call, node)


def call_in_examples(name: str, thing: Callable) -> Call | None:
    """The first call of it in its own examples, or by hand; None if there is none."""
    calls: list[Call] = []
    if name in _by_hand():
        bound = inspect.signature(thing).bind(**_by_hand()[name])
        bound.apply_defaults()
        return Call(name, thing, bound.arguments)

    def record(function, /, *args, **options):
        if function is thing and not calls:
            signature = inspect.signature(thing)
            bound = signature.bind(*args, **options)
            bound.apply_defaults()
            various = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
            kinds = {p.name: p.kind for p in signature.parameters.values()}
            given = {k: v for k, v in bound.arguments.items() if kinds[k] not in various}
            calls.append(Call(name, thing, given))
            raise _FoundError
        return function(*args, **options)

    space = {**vars(inspect.getmodule(thing)), "_record": record}
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(thing) or ""):
        tree = _Recorded().visit(ast.parse(example.source))
        with suppress(_FoundError):
            exec(compile(ast.fix_missing_locations(tree), f"<{name}>", "exec"), space)
        if calls:
            break
    return calls[0] if calls else None
