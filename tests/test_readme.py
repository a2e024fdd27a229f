"""What the README promises is what happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from bayescmp.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    return re.findall(r"^pip install .*$", README, re.MULTILINE)


def test_there_are_two_set_up_commands_and_ci_calls_the_second():
    first, second = commands()
    assert first.startswith("pip install . && bayescmp compare ")
    assert second == 'pip install ".[test]" && pytest'
    ci = (ROOT / ".ci" / "run").read_text()
    assert '".[test]"' in ci
    assert re.search(r"^pytest$", ci, re.MULTILINE)


def test_the_first_command_prints_what_the_readme_shows(tmp_path, monkeypatch, capsys):
    args = shlex.split(commands()[0].split("&&")[1])[1:]
    args[args.index("simplex.png")] = str(tmp_path / "simplex.png")
    monkeypatch.chdir(ROOT)
    assert main([*args, "--engine", "quadrature"]) == 0
    shown = re.search(r"## What the first one prints\n\n```\n(.*?)```", README, re.DOTALL).group(1)
    printed = capsys.readouterr().out
    for line in shown.splitlines():
        assert line in printed.splitlines()
    assert (tmp_path / "simplex.png").stat().st_size > 10_000


def test_the_python_runs(monkeypatch):
    from matplotlib import pyplot as plt

    monkeypatch.chdir(ROOT)
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL).group(1)
    names: dict = {}
    exec(compile(code, "README.md", "exec"), names)
    assert names["post"].verdict().decision == "undecided"
    assert names["x"].matrix.shape == (14, 100)
    plt.close("all")


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
