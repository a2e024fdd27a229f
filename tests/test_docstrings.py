"""Every public name teaches: what it takes and gives, an example that runs, its twin."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

import bayescmp as bc
from bayescmp import bayesian, frequentist, plots

# Every public name teaches: what it takes and gives, an example that runs, its twin.


# What other parts of the package ask of a posterior or a verdict; users see it through `str`,
# `load`, `plot` and the tests themselves.
FOR_OTHER_PARTS = {
    "answering",
    "figure_size",
    "footer",
    "get_n_splits",
    "heading",
    "made",
    "of",
    "origin",
    "prior_facts",
    "restore",
    "split",
    "there",
    "under",
    "verdict_from",
    "warn_if_doubtful",
}

# Questions that only one wing answers; a reason each.
NO_TWIN = {"bayesian.pair_blocks": "arranges scores"}


def _public() -> Iterator[tuple[str, object]]:
    """Every public function and class, under its public name, each once."""
    seen: set[int] = set()
    for prefix, module in (
        ("", bc),
        ("bayesian.", bayesian),
        ("frequentist.", frequentist),
        ("plots.", plots),
    ):
        for name in module.__all__:
            thing = getattr(module, name)
            if (inspect.isfunction(thing) or inspect.isclass(thing)) and id(thing) not in seen:
                seen.add(id(thing))
                yield f"{prefix}{name}", thing


def _functions() -> dict[str, object]:
    return {name: f for name, f in _public() if inspect.isfunction(f)}


def _methods() -> dict[str, object]:
    """Public methods of public classes, where they are defined; inherited ones once."""
    result: dict[str, object] = {}
    seen: set[object] = set()
    for name, cls in _public():
        if not inspect.isclass(cls) or issubclass(cls, BaseException):
            continue
        for klass in cls.__mro__:
            if not klass.__module__.startswith("bayescmp"):
                continue
            for attribute, value in vars(klass).items():
                function = getattr(value, "__func__", value)
                if attribute.startswith("_") or not inspect.isfunction(function):
                    continue
                if attribute in FOR_OTHER_PARTS:
                    continue
                if function not in seen and not getattr(function, "__isabstractmethod__", False):
                    seen.add(function)
                    result[f"{name}.{attribute}"] = function
    return result


def _section(function: object, title: str) -> bool:
    doc = inspect.getdoc(function) or ""
    return bool(re.search(rf"^{title}\n-+$", doc, re.MULTILINE))


def _example(thing: object) -> bool:
    return _section(thing, "Examples") and ">>> " in (inspect.getdoc(thing) or "")


FUNCTIONS, METHODS = _functions(), _methods()


def test_every_function_and_method_has_a_summary_line():
    first = {
        name: (inspect.getdoc(function) or "").partition("\n")[0]
        for name, function in (FUNCTIONS | METHODS).items()
    }
    assert [name for name, line in first.items() if not line.endswith((".", "?"))] == []


def test_every_function_says_what_it_takes_and_gives():
    without = []
    for name, function in FUNCTIONS.items():
        doc, signature = inspect.getdoc(function) or "", inspect.signature(function)
        without += [f"{name}({p})" for p in signature.parameters if p not in doc]
        if signature.return_annotation != "None" and not _section(function, "Returns"):
            without.append(f"{name}, what it returns")
    assert without == []


def test_every_function_has_an_example():
    """That they run, and print what they say, is tested below."""
    assert [name for name, function in FUNCTIONS.items() if not _example(function)] == []


def test_every_result_has_an_example():
    """Its own, one of a method, or one of the function that returns it."""
    returned = " ".join(
        str(inspect.signature(function).return_annotation)
        for function in FUNCTIONS.values()
        if _example(function)
    )
    without = [
        name
        for name, cls in _public()
        if inspect.isclass(cls)
        and not any(map(_example, (cls, *vars(cls).values())))
        and not re.search(rf"\b{cls.__name__}\b", returned)
        and any(method.startswith(f"{name}.") for method in METHODS)
    ]
    assert without == []


def test_every_test_names_its_twin():
    wings = [n for n in FUNCTIONS if n.startswith(("bayesian.", "frequentist."))]
    without = [n for n in wings if n not in NO_TWIN and not _section(FUNCTIONS[n], "See Also")]
    assert without == []


def _see_also(function: object) -> list[str]:
    """Full names under See Also; short ones are of the same class."""
    doc = inspect.getdoc(function) or ""
    section = re.search(r"^See Also\n-+\n(.*?)(?=\n\n\S[^\n]*\n-+\n|\Z)", doc, re.M | re.S)
    lines = section[1].splitlines() if section else []
    names = [
        n.strip() for line in lines if line[:1].strip() for n in line.split(" : ")[0].split(",")
    ]
    return [n for n in names if n.startswith("bayescmp.")]


def test_everything_that_is_referred_to_is_there():
    for name, function in (FUNCTIONS | METHODS).items():
        for reference in _see_also(function):
            thing: object = bc
            for part in reference.split(".")[1:]:
                assert hasattr(thing, part), f"{name} refers to {reference}"
                thing = getattr(thing, part)


# The examples in the docstrings run, and print what they say.


ROOT = Path(__file__).parents[1]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def _modules() -> list[str]:
    files = sorted((ROOT / "bayescmp").rglob("*.py"))
    return [
        ".".join(f.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for f in files
        if ">>> " in f.read_text()
    ]


@pytest.mark.usefixtures("without_cmdstan")
@pytest.mark.parametrize("name", _modules())
def test_examples_of(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    old = {"legacy": "1.25"} if np.__version__ >= "2" else {}  # numpy 2 prints np.float64(0.5)
    with np.printoptions(precision=4, **old):
        result = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
    plt.close("all")
    assert result.attempted > 0
    assert result.failed == 0
