"""The command: what it prints, writes and returns."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import bayescmp as bc
from bayescmp.cli import main
from bayescmp.commands import engines as engines_command


@pytest.fixture
def path(table, tmp_path):
    table.to_csv(tmp_path / "scores.csv", index=False)
    return str(tmp_path / "scores.csv")


def run(capsys, *args):
    code = main([str(a) for a in args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def compare(path, *more):
    given = ["compare", path, "--metric", "accuracy", "--first", "knn", "--second", "gbm"]
    return [*given, "--rope", "0.05", *more]


def test_compare_prints_the_whole_verdict(path, capsys):
    code, out, err = run(capsys, *compare(path, "--engine", "quadrature"))
    assert (code, err) == (0, "")
    for part in ("knn better", "equivalent", "gbm better", "±", "decision", "odds", "engine",
                 "quadrature", "diagnostics", "certificate", "prior", "corani2017",
                 "delta0"):  # fmt: skip
        assert part in out


def test_compare_equals_the_api(path, table, capsys):
    code, out, _ = run(capsys, *compare(path, "--json", "--engine", "quadrature"))
    told = json.loads(out)
    x = bc.Scores(table).differences("knn", "gbm", "accuracy")
    posterior = bc.bayesian.hierarchical_t(x, rope=0.05, seed=1, engine="quadrature")
    assert code == 0
    assert told["verdict"]["probabilities"] == pytest.approx(posterior.verdict().probabilities)
    assert told["engine"]["name"] == "quadrature"
    assert told["diagnostics"]["exact"] is True
    assert [d["dataset"] for d in told["datasets"]] == ["iris", "wine", "digits"]
    assert told["prior"]["name"] == "corani2017"


def test_compare_writes_pictures_and_posterior(path, tmp_path, capsys):
    files = {o: tmp_path / f"{o}.{e}" for o, e in
             (("plot", "png"), ("shrinkage", "svg"), ("density", "pdf"),
              ("save", "nc"))}  # fmt: skip
    options = [part for o, f in files.items() for part in (f"--{o}", f)]
    code, out, _ = run(capsys, *compare(path, *options))
    assert code == 0
    for file in files.values():
        assert file.stat().st_size > 1000
        assert str(file) in out
    assert bc.load(files["save"]).names == ("knn", "gbm")


def test_two_algorithms_need_not_be_named(table, tmp_path, capsys):
    table[table.algorithm != "svm"].to_csv(tmp_path / "two.csv", index=False)
    code, out, _ = run(
        capsys, "compare", tmp_path / "two.csv", "--metric", "accuracy", "--rope", "0.05"
    )
    assert code == 0
    assert "knn (left) vs gbm (right)" in out


def test_columns_ropes_and_priors(table, tmp_path, capsys):
    renamed = table.rename(columns={"dataset": "where"})
    renamed.to_csv(tmp_path / "odd.csv", index=False)
    args = compare(tmp_path / "odd.csv", "--column", "dataset=where", "--prior", "benavoli2017")
    args[args.index("--rope") + 1] = "-0.02,0.05"
    args[args.index("--rope") : args.index("--rope") + 2] = ["--rope=-0.02,0.05"]
    code, out, _ = run(capsys, *args)
    assert code == 0
    assert "[-0.02, 0.05]" in out
    assert "benavoli2017" in out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--rope", "-0.1"], "rope=-0.1 is negative"),
        (["--rope", "wide"], "not a number"),
        (["--rho", "1.5"], "rho=1.5 is outside"),
        (["--second", "gmb"], "did you mean 'gbm'"),
        (["--metric", "acuracy"], "did you mean 'accuracy'"),
        (["--engine", "quadratur"], "did you mean 'quadrature'"),
        (["--prior", "corani"], "unknown prior 'corani'"),
        (["--threshold", "2"], "threshold=2"),
        (["--column", "dataset"], "PART=NAME"),
        (["--plot", "nowhere/simplex.png"], "there is no directory"),
        (["--plot", "picture.xyz"], "unknown picture format"),
        (["--seed", "-4"], "seed=-4"),
    ],
)
def test_bad_input_is_code_2_and_one_line(path, change, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    if change[0] == "--rope":
        args = [*compare(path)[:-2], f"--rope={change[1]}"]
    else:
        args = compare(path, *change)
    code, out, err = run(capsys, *args)
    assert (code, out) == (2, "")
    assert err.startswith("bayescmp: error: ")
    assert err.count("\n") == 1
    assert message in err


def test_files_that_cannot_be_read(tmp_path, capsys):
    for name, content in (
        ("empty.csv", b""),
        ("picture.csv", b"\x89PNG\x00\xff"),
        ("none.csv", None),
    ):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        code, _, err = run(capsys, *compare(str(tmp_path / name)))
        assert code == 2
        assert err.count("\n") == 1
        assert name in err


def test_one_data_set(table, tmp_path, capsys):
    table[table.dataset == "iris"].to_csv(tmp_path / "one.csv", index=False)
    args = compare(str(tmp_path / "one.csv"), "--test", "hierarchical")
    code, _, err = run(capsys, *args)
    assert code == 2
    assert "one data set" in err
    assert "correlated_t" in err


def test_a_folder_without_permission_is_refused_before_the_work(
    path, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(os, "access", lambda *a, **k: False)  # root may write anywhere
    code, _, err = run(capsys, *compare(path, "--plot", tmp_path / "simplex.png"))
    assert code == 2
    assert "no permission to write" in err


@pytest.mark.parametrize("args", [[], ["compare"], ["nothing"], ["compare", "x.csv", "--rop"]])
def test_usage_errors_are_one_line(args, capsys):
    with pytest.raises(SystemExit) as caught:
        main(args)
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_version(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"bayescmp {bc.__version__}\n"


def test_engines(capsys, monkeypatch, tmp_path):
    monkeypatch.delenv("CMDSTAN", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    code, out, _ = run(capsys, "engines")
    assert code == 0
    assert "quadrature   ready" in out
    assert "cmdstan      missing  needs CmdStan; get it with: bayescmp install-cmdstan" in out
    _, out, _ = run(capsys, "engines", "--json")
    assert json.loads(out)["quadrature"]["ok"] is True


def test_clear_cache(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("BAYESCMP_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "program").write_bytes(b"0" * 2_000_000)
    assert "2 MB" in run(capsys, "engines")[1]
    assert "removed 2 MB" in run(capsys, "engines", "--clear-cache")[1]
    assert not (tmp_path / "cache").exists()


def test_a_failed_download_of_cmdstan_is_explained(capsys, monkeypatch):
    import cmdstanpy

    def fail(**options):
        raise OSError("Name or service not known")

    monkeypatch.setattr(cmdstanpy, "install_cmdstan", fail)
    code, _, err = run(capsys, "install-cmdstan")
    assert code == 1
    for part in ("Name or service not known", "github.com", "bayescmp[pystan]", "built-in engine"):
        assert part in err
    monkeypatch.setattr(cmdstanpy, "install_cmdstan", lambda **options: False)
    assert run(capsys, "install-cmdstan")[0] == 1


def test_install_cmdstan_says_where(capsys, monkeypatch):
    import cmdstanpy

    monkeypatch.setattr(cmdstanpy, "install_cmdstan", lambda **options: True)
    monkeypatch.setattr(cmdstanpy, "cmdstan_path", lambda: "/place")
    assert run(capsys, "install-cmdstan")[:2] == (0, "CmdStan is installed in /place\n")
    assert engines_command.run_install is not None


def test_an_interrupt_is_code_130(path, capsys, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("bayescmp.scores.Scores.read", interrupt)
    code, out, err = run(capsys, *compare(path))
    assert (code, out, err) == (130, "", "bayescmp: error: interrupted\n")


def test_warnings_are_lines(table, tmp_path, capsys):
    """Constant rows: the verdict hangs on the resolution; said on stderr, the result on stdout."""
    import numpy as np

    rng = np.random.default_rng(0)
    rows = [(f"d{i:02}", a, f, (0.5 if i < 8 else 0.5 + (0.02 + 0.02 * rng.normal() * 0.05
             if a == "gbm" else 0) + 0.05 * rng.normal()).__round__(4))
            for i in range(20) for a in ("knn", "gbm") for f in range(1, 11)]  # fmt: skip
    import pandas as pd

    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "accuracy"])
    frame.to_csv(tmp_path / "constant.csv", index=False)
    args = compare(str(tmp_path / "constant.csv"))
    args[args.index("0.05")] = "0.01"
    code, out, err = run(capsys, *args)
    assert code == 0
    assert "8 data sets with all differences equal" in out + err


def test_the_installed_command(path, tmp_path):
    """As a process of its own, writing a picture with no display."""
    command = [
        sys.executable,
        "-m",
        "bayescmp.cli",
        *compare(path, "--plot", str(tmp_path / "s.png")),
    ]
    env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "MPLBACKEND")}
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    assert "decision" in done.stdout
    assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")
