"""Files written whole or not at all, by real processes on disks that are full."""

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.base.files import as_path, check_distinct, check_writable, replace_when_whole
from bayescmp.commands.cli import main

POSIX = pytest.mark.skipif(os.name != "posix", reason="modes, links and limits of POSIX")


def write(path, text):
    with replace_when_whole(path) as part:
        part.write_text(text)


def _write_half(path):
    with replace_when_whole(path) as part:
        part.write_text("half of it")
        raise OSError


@pytest.fixture
def small():
    return bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01, seed=1)


# One file.


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    write(tmp_path / "a.txt", "new")
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a.txt", "new")]


def test_what_was_there_stays_if_writing_fails(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(bc.InputError, match="cannot be written"):
        _write_half(tmp_path / "a.txt")
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a.txt", "old")]


@POSIX
def test_a_file_keeps_its_mode_and_a_link_its_target(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to("real.txt")
    write(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


@POSIX
def test_a_new_file_has_the_mode_that_the_user_wants(tmp_path):
    before = os.umask(0o027)
    try:
        write(tmp_path / "a.txt", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o640


@POSIX
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_text()))
    reader.start()
    write(tmp_path / "pipe", "new")
    reader.join(10)
    assert read == ["new"]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_device_is_one_line(small):
    with pytest.raises(
        bc.InputError, match="'/dev/full' cannot be written: No space left on device"
    ):
        small.save("/dev/full")
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_what_cannot_be_written_is_refused(tmp_path, monkeypatch):
    with pytest.raises(bc.InputError, match="a directory"):
        check_writable("--out", tmp_path)
    with pytest.raises(bc.InputError, match=r"--out .* there is no directory"):
        check_writable("--out", tmp_path / "no" / "a.csv")
    with pytest.raises(bc.InputError, match=r"--out must be a shorter path"):
        check_writable("--out", tmp_path / ("a" * 300))
    monkeypatch.setattr(os, "access", lambda path, _: Path(path).name != "a.csv")
    (tmp_path / "a.csv").write_text("")
    with pytest.raises(bc.InputError, match="no permission to write"):
        check_writable("--out", tmp_path / "a.csv")


# Inputs and outputs.


def test_one_file_is_not_written_twice(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    with pytest.raises(bc.InputError, match=r"--plot must not overwrite --save 'a.svg'"):
        check_distinct({"--save": "a.svg", "--plot": "here/../a.svg", "--density": None})
    check_distinct({"--save": "a.npz", "--plot": "a.svg"}, ["scores.csv", None])
    check_distinct({"--save": os.devnull, "--plot": os.devnull})


@POSIX
@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_to_the_input_is_the_input(tmp_path, link):
    (tmp_path / "scores.csv").write_text("x")
    link(tmp_path / "scores.csv", tmp_path / "out.csv")
    with pytest.raises(bc.InputError, match=r"--out must not overwrite the input"):
        check_distinct({"--out": tmp_path / "out.csv"}, [tmp_path / "scores.csv"])


TWICE = [
    ("compare", "--rope", "0.02", "--plot", "a.svg", "--save", "a.svg"),
    ("rank", "--diagram", "SCORES"),
    ("procedure", "--wins", "SCORES"),
    ("report", "--rope", "0.02", "--out", "SCORES"),
    ("permute", "--target", "fold", "--estimator", "tree", "--plot", "SCORES"),
]


@pytest.mark.parametrize("given", TWICE, ids=" ".join)
def test_no_output_of_a_command_overwrites_its_input_or_another(
    given, table, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    scores = tmp_path / "scores.html"  # a picture's ending would not do for a report
    table.to_csv(scores, index=False)
    before = scores.read_bytes()
    command, *more = given
    code = main([command, str(scores), *(str(scores) if m == "SCORES" else m for m in more)])
    err = capsys.readouterr().err
    assert code == 2
    assert "must not overwrite" in err
    assert err.count("\n") == 1
    assert scores.read_bytes() == before
    assert list(tmp_path.iterdir()) == [scores]


def test_an_experiment_does_not_overwrite_its_configuration_or_data(tmp_path, capsys):
    (tmp_path / "iris.csv").write_text("a,y\n1,0\n2,1\n")
    config = tmp_path / "study.toml"
    config.write_text(
        '[estimators.tree]\nclass = "sklearn.tree.DecisionTreeClassifier"\n'
        '[datasets.iris]\nfile = "iris.csv"\ntarget = "y"\n'
    )
    there = {p: p.read_bytes() for p in tmp_path.iterdir()}
    for option in ("--out", "--checkpoint"):
        for file in there:
            assert main(["experiment", str(config), option, str(file)]) == 2
            assert "must not overwrite the input" in capsys.readouterr().err
    same = str(tmp_path / "scores.csv")
    assert main(["experiment", str(config), "--out", same, "--checkpoint", same]) == 2
    assert {p: p.read_bytes() for p in tmp_path.iterdir()} == there


# Full disks.

LIMITED = """
import resource, sys
import bayescmp as bc
posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01, seed=1)
posterior.to_arviz()
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
try:
    posterior.save(sys.argv[1])
except bc.InputError as error:
    print(error)
"""


@pytest.mark.slow
@POSIX
def test_saving_on_a_full_disk_keeps_the_old_file_and_the_interpreter(tmp_path, small):
    target = tmp_path / "posterior.npz"
    small.save(target)
    before = target.read_bytes()
    assert len(before) > 300
    done = subprocess.run(
        [sys.executable, "-B", "-c", LIMITED, target], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{str(target)!r} cannot be written: File too large.\n"
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


COMMANDS = """
import json, resource, sys
from bayescmp.commands.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
for arguments in json.loads(sys.argv[1]):
    print(main(arguments), file=sys.stderr)
"""
OUTPUTS = {
    "a.npz": ("compare", "--save"),
    "a.svg": ("compare", "--plot"),
    "a.csv": ("crosscheck", "--out"),
    "a.html": ("report", "--out"),
}


@pytest.mark.slow
@POSIX
def test_a_command_on_a_full_disk_is_one_line(table, tmp_path):
    """Four commands, one after the other, in one process that may write 300 bytes a file."""
    few = table[table.algorithm != "svm"]
    few.to_csv(tmp_path / "scores.csv", index=False)
    usual = ["scores.csv", "--metric", "accuracy", "--rope", "0.05", "--engine", "quadrature"]
    for name in OUTPUTS:
        (tmp_path / name).write_text("old")
    given = [[command, *usual, option, name] for name, (command, option) in OUTPUTS.items()]
    done = subprocess.run(
        [sys.executable, "-B", "-c", COMMANDS, json.dumps(given)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(Path(bc.__file__).parents[1])},
    )
    lines = done.stderr.splitlines()
    assert lines.count("2") == len(OUTPUTS)
    for name in OUTPUTS:
        line = lines.index(f"bayescmp: error: {name!r} cannot be written: File too large.")
        assert lines[line + 1] == "2"
        assert (tmp_path / name).read_text() == "old"
    assert {p.name for p in tmp_path.iterdir()} == {"scores.csv", *OUTPUTS}


def test_loading_while_saving_gives_the_old_or_the_new(tmp_path):
    target = tmp_path / "posterior.npz"
    rng = np.random.default_rng(1)
    both = [
        bc.bayesian.correlated_t(rng.normal(0, 0.01, 10 * (i + 1)), rho=0.1, rope=0.01, seed=i)
        for i in range(2)
    ]
    both[0].save(target)
    stop, errors = threading.Event(), []

    def save():
        i = 0
        try:
            while not stop.is_set():
                i += 1
                both[i % 2].save(target)
        except Exception as error:
            errors.append(error)

    writer = threading.Thread(target=save)
    writer.start()
    try:
        for _ in range(20):
            read = bc.load(target)
            assert read.verdict() == both[read.seed].verdict()
    finally:
        stop.set()
        writer.join(60)
    assert errors == []


@pytest.mark.parametrize("given", [None, 3, b"a.npz", "", "a\0.npz", ["a.npz"]])
def test_paths_that_are_none(given, small):
    with pytest.raises(bc.InputError, match=r"path must be the path of a file"):
        as_path("path", given)
    with pytest.raises(bc.InputError, match=r"path must be the path of a file"):
        small.save(given)
    with pytest.raises(bc.InputError, match=r"path must be the path of a file"):
        bc.load(given)
