"""Rules of the code base, file by file: private names, names of files, spellings."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.sources import modules, nodes


@cache
def _imports(module: str) -> tuple[tuple[str, str], ...]:
    """(module, name or "") of every import: at the top, in a function, for types alone."""
    result = []
    for node in nodes(modules()[module]):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bayescmp"):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                result.append(
                    (whole, "") if whole in modules() else (str(node.module), alias.name)
                )
        elif isinstance(node, ast.Import):
            result += [(a.name, "") for a in node.names if a.name.startswith("bayescmp")]
    return tuple(result)


def test_no_private_name_is_imported():
    wrong = [
        f"{module} imports {name} of {other}"
        for module in modules()
        for other, name in _imports(module)
        if name.startswith("_") and not name.startswith("__")
    ]
    assert wrong == []


def _own_names(path: Path) -> set[str]:
    """Functions, classes, variables and attributes that a file defines itself."""
    names = {n.name for n in nodes(path) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    for node in nodes(path):
        targets = (
            node.targets
            if isinstance(node, ast.Assign)
            else ([node.target] if isinstance(node, ast.AnnAssign) else [])
        )
        names |= {t.attr for t in targets if isinstance(t, ast.Attribute)}
        names |= {t.id for t in targets if isinstance(t, ast.Name)}
    return names


def _is_ones_own(node: ast.Attribute, own: set[str]) -> bool:
    base = node.value
    of_super = (
        isinstance(base, ast.Call) and isinstance(base.func, ast.Name) and base.func.id == "super"
    )
    of_self = isinstance(base, ast.Name) and base.id in ("self", "cls", "os", "sys")
    # scikit-learn's hold-out splitters keep the size they fall back on nowhere else
    of_sklearn = node.attr == "_default_test_size"
    dunder = node.attr.startswith("__") or node.attr == "_repr_html_"
    return of_super or of_self or of_sklearn or dunder or node.attr in own


def test_no_private_attribute_of_another_module_is_used():
    wrong = []
    others = re.compile(r"(?<!\bself)(?<!\bcls)\._(?!_)")
    for module, path in modules().items():
        text = path.read_text()
        if not others.search(text):
            continue
        own = _own_names(path)
        wrong += [
            f"{module}:{node.lineno} uses {ast.unparse(node)}"
            for node in nodes(path)
            if isinstance(node, ast.Attribute)
            and node.attr.startswith("_")
            and not _is_ones_own(node, own)
        ]
    assert wrong == []


def test_a_class_has_its_name_alone():
    every = (node for path in modules().values() for node in nodes(path))
    names = Counter(node.name for node in every if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1] == []


#: What a public function's argument of this name is annotated with.
ARGUMENTS = {
    "rope": {"RopeLike", "RopesLike", "Rope", "Ropes"},
    "seed": {"Seed", "int"},
    "ax": {"Axes"},
}
# Beneath the ropes there are numbers only.
BENEATH = {
    "masses_of",
    "near_best",
    "on_one_dataset",
    "side_by_side",
    "simulate",
    "standing_of",
    "summarise_rows",
}
# A rope, or one a metric: which of the two, the posterior's own class says.
OWN = {"posterior.py: verdicts(rope: Any)", "posterior.py: all_probabilities(rope: Any)"}


def _public(path: Path) -> list[ast.FunctionDef]:
    return [
        node
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]


def _annotated() -> Iterator[tuple[str, str, str, str]]:
    """File, function, argument and annotation, of the arguments that have one type."""
    for path in modules().values():
        for function in _public(path):
            for given in (*function.args.args, *function.args.kwonlyargs):
                if given.arg in ARGUMENTS and given.annotation:
                    yield path.name, function.name, given.arg, ast.unparse(given.annotation)


def test_an_argument_has_the_same_type_everywhere():
    """Checkers (`as_rope`, `seed_of`) take any object, since they refuse what does not fit."""
    wrong = []
    for file, function, name, text in _annotated():
        kinds = {kind.removeprefix("checks.") for kind in text.split(" | ")} - {"None"}
        checker = text == "object" or function in BENEATH
        if not checker and not kinds <= ARGUMENTS[name]:
            wrong.append(f"{file}: {function}({name}: {text})")
    assert set(wrong) == OWN
