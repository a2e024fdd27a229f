"""What the README and the page of commands promise is what happens."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import struct
from pathlib import Path

import pytest

from bayescmp.commands.cli import main
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("without_cmdstan")
ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = ROOT / "docs" / "guide"
SECTION = re.compile(r"```python\n(.*?)```\n\n```\n(.*?)```", re.DOTALL)


def commands(start: str) -> list[str]:
    return re.findall(rf"^{start} .*$", README, re.MULTILINE)


def shown_after(start: str) -> str:
    """Return the block that shows what the command that begins so prints."""
    following = README.partition(f"\n{start}")[2]
    return following.split("```\n")[2]


def test_the_counts_are_compared_as_shown(capsys):
    command = commands("bayescmp compare")[0]
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out.startswith(shown_after("bayescmp compare old="))


def test_it_is_short():
    assert len(re.sub(r"```.*?```", "", README, flags=re.DOTALL).split()) < 600


def test_there_are_two_set_up_commands_and_ci_calls_the_second():
    first, second = commands("pip install")
    assert first.startswith("pip install . && bayescmp compare ")
    assert second == 'pip install ".[test]" && pytest'
    ci = (ROOT / ".ci" / "run").read_text()
    assert '".[test]"' in ci
    assert re.search(r"^pytest$", ci, re.MULTILINE)


def test_ten_lines_of_python_print_what_is_shown(monkeypatch):
    monkeypatch.chdir(ROOT)
    code, shown = SECTION.search(README).groups()
    assert len(code.splitlines()) == 10
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "README.md", "exec"), {})
    assert [line.rstrip() for line in out.getvalue().splitlines()] == shown.splitlines()


def picture_of(command: str, option: str, folder: Path) -> tuple[str, Path]:
    """What a command of the README prints, and the picture it makes, in a folder of its own."""
    args = shlex.split(command.split("&&")[-1])[1:]
    at = args.index(option) + 1
    args[at] = str(folder / args[at])
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(args) == 0
    return out.getvalue(), Path(args[at])


def test_the_first_command_makes_the_first_picture(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    printed, made = picture_of(commands("pip install")[0], "--plot", tmp_path)
    answer = shown_after("pip install . && ").split("\n\n")
    assert printed.split("\n\n")[:3] == [*answer[:2], answer[2].rstrip("\n")]
    assert same_picture(made)


def test_the_second_command_makes_the_second_picture(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    printed, made = picture_of(
        commands("bayescmp compare examples/data/scores.csv")[0] + " --n-jobs 1",
        "--ladder",
        tmp_path,
    )
    assert printed.startswith("svm leads  ")
    assert same_picture(made)


def same_picture(made: Path) -> bool:
    """Whether it is that of the README but for what versions of matplotlib draw otherwise.

    Letters before 3.11 make a difference of .01, in the ladder .0134; with a rope of .012 instead
    of .01 the simplex differs by .017, and the ladder in size.
    """
    import matplotlib as mpl
    from matplotlib.pyplot import imread

    most = 0.001 if mpl.__version_info__ >= (3, 11) else 0.015
    return abs(imread(made) - imread(ROOT / "docs" / made.name)).mean() < most


def size(picture: Path) -> tuple[int, int]:
    """Width and height, pixels."""
    return struct.unpack(">II", picture.read_bytes()[16:24])


@each_row(("name", "width"), re.findall(r'src="(\S+)" width="(\d+)"', README))
def test_pictures_are_sharp_at_twice_the_size(name, width):
    assert size(ROOT / name)[0] >= 2 * int(width)


def test_which_test_when_is_the_procedures_own_table():
    from bayescmp.study.procedure import kinds_table

    assert kinds_table().strip() in (GUIDE / "which-test.md").read_text(encoding="utf-8")


def test_the_commands_listed_are_those_there_are(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    offered = set(re.findall(r"^  ([a-z][a-z-]*) ", capsys.readouterr().out, re.MULTILINE))
    text = (GUIDE / "command-line.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([a-z-]+)` \|", text, re.MULTILINE)) == offered


def test_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", README)
    assert targets
    for link, picture in targets:
        assert (ROOT / (link or picture)).exists(), link or picture
