"""The recipes are true: a stranger follows them to the letter in a copy of the tree."""

from __future__ import annotations

import ast
import doctest
import os
import re
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

ROOT = Path(__file__).parents[1]
PAGE = "".join((ROOT / p).read_text("utf-8") for p in ("CONTRIBUTING.md", "docs/extending.md"))
BLOCK = re.compile(r"^( *)(`{3,})(\w*)\n(.*?)^\1\2$", re.MULTILINE | re.DOTALL)
SECTION = re.compile(r"^## (How to add an? \w+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
SECTIONS = SECTION.findall(PAGE)
#: Languages of blocks that are written to files, and the line that says where.
WRITTEN = ("python", "markdown", "toml")
WHERE = re.compile(r"(# |<!-- )[\w./]+(, (at the end|above|below|among) ?.*)?\n")


def blocks(section: str) -> list[tuple[str, str]]:
    """Language and text of each block of code, in order."""
    return [(m[3], textwrap.dedent(m[4])) for m in BLOCK.finditer(section)]


# What the first line of a block says: a file, or a place in one.


def put(tree: Path, text: str) -> None:
    """Write a block of the page where its first line says."""
    head, body = text.split("\n", 1)
    head = re.sub(r"^(# |<!-- )| -->$", "", head)
    name, _, place = head.partition(", ")
    path = tree / name
    if not place:
        assert not path.exists(), f"{name} is there already"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, "utf-8")
        return
    lines = path.read_text("utf-8").splitlines(keepends=True)
    at, margin = line_of(place, lines)
    body = f"\n{body}" if place == "at the end" else body
    lines[at:at] = textwrap.indent(body, margin).splitlines(keepends=True)
    path.write_text("".join(lines), "utf-8")


def line_of(place: str, lines: list[str]) -> tuple[int, str]:
    """Before which line to write, and how far from the margin."""
    if place == "at the end":
        return len(lines), ""
    where, name = re.fullmatch(r'(at the end of|above|below|among) "?([\w ]+)"?', place).groups()
    if where == "below":
        (at,) = (i for i, line in enumerate(lines) if line.strip() == name)
        return at + 1, re.match(" *", lines[at])[0]
    body = ast.parse("".join(lines)).body
    if where == "among":
        return max(n.end_lineno for n in body if isinstance(n, ast.Import | ast.ImportFrom)), ""
    (node,) = (n for n in body if named(n) == name)
    if where == "at the end of":
        return node.end_lineno - 1, "    "
    at = node.lineno - 1
    while lines[at - 1].startswith("#"):
        at -= 1
    return at, ""


def named(node: ast.stmt) -> str:
    """The variable that a statement of a module sets, or ""."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return targets[0].id if isinstance(targets[0], ast.Name) else ""


# What the page says to run.


def run(tree: Path, command: str) -> str:
    """The output of a command that succeeds, with the tree's own package."""
    own = {"PYTHONPATH": os.pathsep.join([str(tree), str(tree.parent / "installed")])}
    path = {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    done = subprocess.run(
        command,
        shell=True,
        cwd=tree,
        env={**os.environ, **own, **path},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def say(tree: Path, session: str) -> None:
    """A session prints what the page says, in a process of its own."""
    (tree.parent / "session.txt").write_text(session, "utf-8")
    options = "NORMALIZE_WHITESPACE"
    run(tree, f"{sys.executable} -m doctest -o {options} {tree.parent / 'session.txt'}")


def here(command: str) -> str:
    """The command as it is done in a test: into a folder of its own, with no network."""
    return command.replace(
        "pip install ",
        "python -m pip install -q --no-deps --no-build-isolation --no-index "
        "--disable-pip-version-check --target ../installed ",
    )


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A copy of the tree to write in, where every section is followed one after another."""
    copy = tmp_path_factory.mktemp("stranger") / "bayescmp"
    made = (
        ".git",
        ".hypothesis",
        ".*_cache",
        "__pycache__",
        "_build",
        "generated",
        "jupyter_execute",
    )
    copytree(ROOT, copy, ignore=ignore_patterns(*made))
    for notebook in (copy / "docs" / "notebooks").glob("*.ipynb"):
        notebook.unlink()  # of a site that was built here
    return copy


@pytest.mark.slow
@pytest.mark.parametrize(("title", "section"), SECTIONS, ids=[t for t, _ in SECTIONS])
def test_a_section_does_what_it_says(tree, title, section):
    done = blocks(section)
    for language, text in done:
        if language in WRITTEN:
            put(tree, text)
    run(tree, "ruff check --fix . && ruff format .")
    for language, text in done:
        if language == "pycon":
            say(tree, text)
        elif not language:
            for command in text.splitlines():
                run(tree, here(command))


def test_every_block_says_what_it_is():
    assert [t.split()[-1] for t, _ in SECTIONS] == ["test", "plugin", "plot", "reader", "engine"]
    for _, section in SECTIONS:
        for language, text in blocks(section):
            assert language in (*WRITTEN, "pycon", "")
            if language in WRITTEN:
                assert WHERE.match(text), text
            elif language == "pycon":
                assert doctest.DocTestParser().get_examples(text)


def test_the_table_of_packages_has_the_order_of_the_layers():
    (table,) = re.findall(r"^\| step \| module \|\n(.*?)\n\n", PAGE, re.MULTILINE | re.DOTALL)
    rows = [line.split(" | ")[1].split(":")[0] for line in table.splitlines()[1:]]
    rooms = [room for row in rows for room in re.findall(r"`(\w+)(?:\.py|/)`", row)]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    assert rooms == [layer for layer in reversed(layers) if not layer.startswith("_")]
