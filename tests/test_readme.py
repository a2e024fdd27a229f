"""What the README promises is what happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

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


def blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_three_lines_and_the_first_command_print_what_the_readme_shows(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(ROOT)
    assert len(blocks()[0].strip().splitlines()) == 3
    exec(compile(blocks()[0], "README.md", "exec"), {})
    of_lines = capsys.readouterr().out.splitlines()
    args = shlex.split(commands()[0].split("&&")[1])[1:]
    args[args.index("simplex.png")] = str(tmp_path / "simplex.png")
    assert main([*args, "--engine", "quadrature"]) == 0
    of_command = capsys.readouterr().out.splitlines()
    shown = re.search(r"```python.*?```\n\n```\n(.*?)```", README, re.DOTALL).group(1)
    assert len(shown.splitlines()) == 9
    for line in shown.splitlines():
        assert line in of_lines
        assert line in of_command
    assert (tmp_path / "simplex.png").stat().st_size > 10_000


def test_the_python_runs(monkeypatch):
    from matplotlib import pyplot as plt

    monkeypatch.chdir(ROOT)
    names: dict = {}
    exec(compile(blocks()[1], "README.md", "exec"), names)
    assert names["post"].verdict().decision == "undecided"
    assert names["x"].matrix.shape == (14, 100)
    assert names["several"].x.shape == (2, 100, 2)
    plt.close("all")


def test_which_test_when_is_the_procedures_own_table():
    from bayescmp.procedure import kinds_table

    assert kinds_table().strip() in README


def test_the_commands_named_are_those_there_are(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    offered = set(re.findall(r"^    ([a-z][a-z-]*)\s", capsys.readouterr().out, re.MULTILINE))
    listed = re.search(r"`bayescmp --help` lists the commands: (.*?)\.\n", README, re.DOTALL)
    assert set(re.split(r",\s+", listed.group(1))) == offered


def test_the_report_command_runs(tmp_path, monkeypatch):
    line = re.search(r"^bayescmp report .*$", README, re.MULTILINE).group(0)
    args = shlex.split(line)[1:]
    args[args.index("report.html")] = str(tmp_path / "report.html")
    monkeypatch.chdir(ROOT)
    assert main([*args, "--algorithm", "knn", "--algorithm", "gbm"]) == 0
    assert "<html" in (tmp_path / "report.html").read_text(encoding="utf-8")[:400]


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
