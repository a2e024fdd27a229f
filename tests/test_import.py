"""`import bayescmp` is fast and loads nothing heavy; data flow one way."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import bayescmp

ROOT = Path(__file__).parents[1]
HEAVY = ("arviz", "matplotlib.pyplot", "cmdstanpy", "stan", "httpstan", "sklearn", "joblib")


def _import_times() -> tuple[set[str], float]:
    """Modules that `import bayescmp` loads, and its seconds, by -X importtime."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import bayescmp"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = [line.split("|") for line in done.stderr.splitlines() if line.count("|") == 2]
    cumulative = {name.strip(): total.strip() for _, total, name in lines}
    return set(cumulative), int(cumulative["bayescmp"]) / 1e6


def test_import_is_light():
    modules, _ = _import_times()
    assert "bayescmp" in modules
    assert [m for m in HEAVY if m in modules] == []


def test_import_is_fast():
    assert min(_import_times()[1] for _ in range(3)) < 0.35


def test_every_public_name_is_there():
    for name in bayescmp.__all__:
        assert getattr(bayescmp, name) is not None
    assert set(bayescmp.__all__) <= set(dir(bayescmp))


def test_functions_keep_their_names_beside_subpackages_of_the_same_name():
    """Python puts a subpackage where the function's name is when it is first imported."""
    shared = [n for n, home in bayescmp._NAMES.items() if home == f"bayescmp.{n}"]
    assert shared == ["crosscheck", "report", "procedure"]
    code = "import bayescmp as bc"
    for name in shared:
        code += f"; from bayescmp.{name} import {name} as f; assert bc.{name} is f"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_attribute():
    import pytest

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = bayescmp.nothing


# Scores lead to differences, to a test, to a result, to a verdict, to a plot, a report or the
# command: a module imports only what stands before it.
ORDER = [
    "_version", "errors", "checks", "_html", "cliques", "whitening", "verdict", "metric_names",
    "metrics", "rates",
    "differences", "columns", "cv_results", "scores", "blocks", "curves", "experiment", "_arviz",
    "diagnostics", "engines", "posterior", "frequentist", "bayesian", "comparison", "procedure",
    "crosscheck", "plots", "report", "commands", "cli",
]  # fmt: skip
# A result draws itself by calling the plot of its kind, late.
LATE = {("bayesian", "plots"), ("comparison", "plots"), ("frequentist", "plots"),
        ("procedure", "plots"), ("crosscheck", "plots")}  # fmt: skip


def _imports(path: Path) -> set[tuple[str, bool]]:
    """Parts of the package that a file imports, and whether at its top level."""
    tree = ast.parse(path.read_text())
    top = {id(node) for node in tree.body}
    typing_only = {
        id(n) for node in ast.walk(tree) if isinstance(node, ast.If)
        and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for n in ast.walk(node)
    }  # fmt: skip
    found = set()
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module == "bayescmp":
                names = [f"bayescmp.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name.startswith("bayescmp."):
                found.add((name.split(".")[1], id(node) in top))
    return found


def test_modules_import_only_what_stands_before_them():
    package = ROOT / "bayescmp"
    wrong = []
    for path in sorted(package.rglob("*.py")):
        part = path.relative_to(package).parts[0].removesuffix(".py")
        if part == "__init__":
            continue
        assert part in ORDER, f"{part} has no place in the order of modules"
        for other, at_top in _imports(path):
            if other == part:
                continue
            allowed = ORDER.index(other) < ORDER.index(part)
            if not allowed and not (not at_top and (part, other) in LATE):
                wrong.append(f"{path.relative_to(ROOT)} imports {other}")
    assert wrong == []
