"""`bayescmp info` and `bayescmp install-cmdstan`."""

import json
from functools import partial

import pytest

from bayescmp import catalogue
from bayescmp.commands.cli import main
from tests.commands.conftest import run


def test_lists_every_test_in_order(capsys):
    assert main(["info", "tests", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["test"] for row in rows] == [t.name for t in catalogue.bayesian_tests()]
    first = rows[0]
    assert (first["metrics"], first["algorithms"], first["data sets"]) == ("1", "2", "1")
    assert first["frequentist counterparts"] == "corrected_t, delong"


def test_the_table_of_tests_fits_a_terminal(capsys):
    assert main(["info", "tests"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "2+" in next(line for line in lines if "hierarchical_multivariate_t" in line)


def test_frequentist_tests_are_listed(capsys):
    """With what each is given, what a small p-value speaks for, and what stands beside it."""
    assert main(["info", "tests", "--frequentist", "--json"]) == 0
    listed = {row["test"]: row for row in json.loads(capsys.readouterr().out)}
    assert listed["tost_paired"]["small p supports"] == "equivalence"
    assert listed["corrected_t"]["equivalence test"] == "tost_paired"
    assert {"delong", "mcnemar", "cochran_q", "welch", "kruskal_wallis"} <= set(listed)
    assert "unpaired runs" in listed["brunner_munzel"]["compares"]


def test_engines(capsys, monkeypatch, tmp_path):
    monkeypatch.delenv("CMDSTAN", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    code, out, _ = run(capsys, "info engines")
    assert code == 0
    assert "quadrature   ready" in out
    assert "cmdstan      missing  needs CmdStan; get it with: bayescmp install-cmdstan" in out
    _, out, _ = run(capsys, "info engines", "--json")
    assert json.loads(out)["quadrature"]["ok"] is True


def test_clear_cache(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("BAYESCMP_CACHE", str(tmp_path / "cache"))
    programs = tmp_path / "cache" / "pystan"
    programs.mkdir(parents=True)
    (programs / "robust_correlated_t-0123456789abcdef").write_bytes(b"0" * 2_000_000)
    (tmp_path / "cache" / "thesis.tex").write_bytes(b"0" * 3_000_000)
    assert "2 MB" in run(capsys, "info engines")[1]
    assert "removed 2 MB" in run(capsys, "info engines", "--clear-cache")[1]
    assert [p.name for p in (tmp_path / "cache").iterdir()] == ["thesis.tex"]


def test_a_failed_download_of_cmdstan_is_explained(capsys, monkeypatch):
    import cmdstanpy

    def fail(**options):
        raise OSError("Name or service not known")

    monkeypatch.setattr(cmdstanpy, "install_cmdstan", fail)
    code, _, err = run(capsys, "install-cmdstan")
    assert code == 1
    for part in (
        "Name or service not known",
        "github.com",
        "pip install pystan",
        "built-in engine",
    ):
        assert part in err
    monkeypatch.setattr(cmdstanpy, "install_cmdstan", lambda **options: False)
    assert run(capsys, "install-cmdstan")[0] == 1


def test_without_a_compiler_nothing_is_downloaded(capsys, monkeypatch):
    import cmdstanpy

    monkeypatch.setattr(cmdstanpy, "install_cmdstan", lambda **options: pytest.fail("downloads"))
    for here in ({"make"}, {"g++"}, set()):
        monkeypatch.setattr("shutil.which", lambda name, h=here: name in h | {"apt"} or None)
        code, _, err = run(capsys, "install-cmdstan")
        assert code == 1
        assert "get it with: apt install g++ make && bayescmp install-cmdstan" in err


def test_install_cmdstan_says_where(capsys, monkeypatch):
    import cmdstanpy

    monkeypatch.setattr(cmdstanpy, "install_cmdstan", lambda **options: True)
    monkeypatch.setattr(cmdstanpy, "cmdstan_path", lambda: "/place")
    assert run(capsys, "install-cmdstan")[:2] == (0, "CmdStan is installed in /place\n")


@pytest.mark.parametrize("before", [None, "empty", "used"])
def test_a_failed_installation_leaves_no_empty_folder(capsys, monkeypatch, tmp_path, before):
    """Whether it raises or only says so; a folder that was there stays."""
    import cmdstanpy

    folder = tmp_path / ".cmdstan"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    if before:
        folder.mkdir()

    def fail(raises, **_):
        folder.mkdir(exist_ok=True)
        if before == "used":
            (folder / "part.tar.gz").touch()
        if raises:
            raise ValueError("no release")
        return False

    for raises in (True, False):
        monkeypatch.setattr(cmdstanpy, "install_cmdstan", partial(fail, raises))
        assert run(capsys, "install-cmdstan")[0] == 1
        assert folder.exists() == (before is not None)
