"""Chains of a compiled program: what they are given, and where their draws are put."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from bayescmp.engines import FitRequest, SamplerSettings, chains, engines, find_engine
from bayescmp.engines.chains import (
    build_key,
    built_once,
    cache_root,
    clear_cache,
    convert_arrays,
    our_entries,
    program_names,
    program_path,
    program_text,
    run_chains,
    sample_stats,
)
from bayescmp.errors import EngineError, EngineNotFound
from tests.conftest import stan_engines
from tests.engines.fake import SAMPLERS
from tests.rows import each_row

ROOT = Path(__file__).parents[2]


def test_every_program_of_the_folder_is_found():
    assert program_names() == sorted(p.stem for p in (ROOT / "stan").glob("*.stan"))
    assert "hierarchical_correlated_t" in program_names()


def test_the_fake_engine_knows_every_program():
    assert sorted(SAMPLERS) == program_names()


def test_programs_say_their_source():
    for name in program_names():
        assert program_text(name).startswith("// "), name


def test_what_a_program_includes_stands_in_it():
    text = program_text("joint_correlated_t")
    assert "real mixing_lpdf(vector z," in text
    assert not any("#include" in program_text(name) for name in program_names())


def test_every_datum_and_parameter_has_its_comment():
    for name in program_names():
        blocks = re.findall(r"^(?:data|parameters) \{\n(.*?)^\}", program_text(name), re.M | re.S)
        assert [line for line in "".join(blocks).splitlines() if "//" not in line] == [], name


def test_unknown_program():
    with pytest.raises(EngineError, match="no Stan program 'nothing'"):
        program_path("nothing")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT],
        check=True,
        capture_output=True,
    )
    return next(out.glob("*.whl"))


def test_wheel_holds_programs_and_types(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        assert "bayescmp/py.typed" in names
        for program in (ROOT / "stan").glob("*.stan"):
            assert archive.read(f"bayescmp/stan/{program.name}") == program.read_bytes()
        for part in (
            "engines/chain.cpp",
            "engines/lean.hpp",
            "scores/metrics.ini",
            "report/templates/report.css",
        ):
            assert archive.read(f"bayescmp/{part}") == (ROOT / "bayescmp" / part).read_bytes()
        assert not [n for n in names if n.startswith(("tests/", "examples/"))]


@pytest.mark.slow
def test_installed_wheel_finds_its_own_programs(wheel, tmp_path):
    """Installed away from the checkout, in an environment of its own."""
    place = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", place, wheel],
        check=True,
        capture_output=True,
    )
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import bayescmp; "
        "from bayescmp.engines.chains import program_path; "
        "print(bayescmp.__file__); print(program_path('hierarchical_correlated_t'))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, place],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    package, program = map(Path, done.stdout.split())
    assert package.is_relative_to(place)
    assert program.is_relative_to(place)
    assert program.read_bytes() == (ROOT / "stan" / program.name).read_bytes()


# What goes into a program and comes out of it.


def test_arrays_become_lists():
    assert convert_arrays({"a": np.eye(2), "b": np.int64(3), "c": [1.5]}) == {
        "a": [[1.0, 0.0], [0.0, 1.0]],
        "b": 3,
        "c": [1.5],
    }


def test_statistics_bear_our_names():
    columns = {
        name: np.array([[0.0, 1.0]]) for name in ("divergent__", "treedepth__", "energy__", "lp__")
    }
    stats = sample_stats(columns.__getitem__)
    assert set(stats) == {"diverging", "tree_depth", "energy", "lp"}
    assert stats["diverging"].tolist() == [[False, True]]
    assert stats["energy"].dtype == float


# Writes a row of columns as chain.cpp does; its draws are the numbers that it was given.
PROGRAM = """#!/bin/sh
[ "$4" = 2 ] && [ "$3" = 13 ] && { echo "no luck" >&2; exit 1; }
printf '%s\\n' lp__ divergent__ treedepth__ energy__ x > "$9"
shift 9
cp "$DRAWS" "$1"
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    path, draws = tmp_path / "program", tmp_path / "given"
    path.write_text(PROGRAM)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    np.arange(15.0).reshape(3, 5).tofile(draws)
    monkeypatch.setenv("DRAWS", str(draws))
    return path


def asked(seed: int = 1, chains: int = 2) -> FitRequest:
    return FitRequest("model", {}, seed, {"x": True}, settings=SamplerSettings(chains, 10, 3))


@pytest.mark.skipif(os.name != "posix", reason="a program that is a shell script")
def test_columns_come_back_by_name(program):
    draws, stats = run_chains(program, asked(), "x")
    np.testing.assert_array_equal(draws["x"], [[4.0, 9, 14]] * 2)
    np.testing.assert_array_equal(stats["lp"], [[0.0, 5, 10]] * 2)
    assert stats["diverging"].dtype == bool


@pytest.mark.skipif(os.name != "posix", reason="a program that is a shell script")
def test_a_chain_that_fails_is_named_with_its_source(program):
    with pytest.raises(EngineError, match="my programs: sampling 'model' failed: no luck"):
        run_chains(program, asked(seed=13), "my programs")


@pytest.mark.stan
@pytest.mark.skipif("pystan" not in stan_engines(), reason="PyStan's wheels are not installed")
def test_arrays_and_matrices_keep_their_indices(monkeypatch):
    """Indices of all shapes come back where Stan put them."""
    text = """
    parameters { real x; }
    model { x ~ std_normal(); }
    generated quantities {
      real y = x;
      vector[3] v;
      matrix[2, 3] m;
      array[2] matrix[3, 2] a;
      array[0] real none;
      for (i in 1:3) v[i] = i;
      for (i in 1:2) for (j in 1:3) m[i, j] = 10 * i + j;
      for (k in 1:2) for (i in 1:3) for (j in 1:2) a[k, i, j] = 100 * k + 10 * i + j;
    }
    """
    monkeypatch.setattr("bayescmp.engines.chains.program_text", lambda model: text)
    keep = {"x": True, "y": True, "v": False, "m": False, "a": False, "none": False}
    asked = FitRequest("shapes", {}, 1, keep, settings=SamplerSettings(2, 100, 50))
    fit = engines()["pystan"].fit(asked)
    assert fit.draws["x"].shape == (2, 50)
    np.testing.assert_array_equal(fit.draws["x"], fit.draws["y"])
    assert not np.array_equal(fit.draws["x"][0], fit.draws["x"][1])
    assert fit.draws["none"].shape == (2, 50, 0)
    k, i, j = np.meshgrid([1, 2], [1, 2, 3], [1, 2], indexing="ij")
    for name, value in (
        ("v", [1, 2, 3]),
        ("m", [[11, 12, 13], [21, 22, 23]]),
        ("a", 100 * k + 10 * i + j),
    ):
        every = np.broadcast_to(value, (2, 50, *np.shape(value)))
        np.testing.assert_array_equal(fit.draws[name], every)


# What needs Stan; run by a Python that sees nothing of the checkout and no compiler.
TESTS = """
import sys, warnings, numpy as np
sys.path.insert(0, sys.argv[1])
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name in ("stan", "httpstan") else find(
    name, *rest)
import bayescmp as bc
assert bc.__file__.startswith(sys.argv[1])
state = bc.engines.engines()["pystan"].available()
assert not state.ok
rng, few = np.random.default_rng(1), dict(seed=1, chains=2, warmup=50, draws=25)
warnings.simplefilter("ignore", bc.DiagnosticWarning)
x = rng.normal(0.01, 0.02, (4, 20, 2))
fits = [
    bc.bayesian.robust_t(x[0, :, 0], rho=0.1, rope=0.01, **few),
    bc.bayesian.hierarchical_multivariate_t(list(x), rho=0.1, rope=[0.01, 0.01], **few),
    bc.bayesian.groups(x[:3], rho=0.1, rope=[0.01, 0.01], noise="t", **few),
    bc.bayesian.hierarchical_t(x[:, :, 0], rho=0.1, rope=0.01, engine="bundled", **few),
]
print(*(fit.engine for fit in fits), sep="\\n")
"""


def test_without_programs_it_is_not_there_and_says_how_to_get_them():
    state = engines()["bundled"].available()
    assert not state.ok
    assert "BAYESCMP_BUNDLE_STAN=1" in state.needs
    with pytest.raises(EngineNotFound, match="'bundled' is not available"):
        find_engine("bundled", "robust_correlated_t")


def test_auto_takes_it_before_pystan_and_after_the_grid(monkeypatch, tmp_path):
    monkeypatch.delenv("CMDSTAN", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(chains, "FOLDER", tmp_path)
    (tmp_path / "VERSION").write_text("Stan 0\n")
    for name in program_names():
        (tmp_path / name).touch(mode=0o755)
    assert find_engine("auto", "robust_correlated_t").name == "bundled"
    assert find_engine("auto", "hierarchical_correlated_t").name == "quadrature"
    assert engines()["bundled"].available().version == "Stan 0"
    (tmp_path / program_names()[0]).chmod(0o644)
    assert not engines()["bundled"].available().ok


@pytest.fixture(scope="module")
def bundled_wheel(tmp_path_factory) -> Path:
    """A wheel with the compiled programs, which come from the cache where they are there."""
    out = tmp_path_factory.mktemp("bundle")
    env = {**os.environ, "BAYESCMP_BUNDLE_STAN": "1"}
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--skip-dependency-check",
        "--outdir",
        out,
        ROOT,
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
    return next(out.glob("*.whl"))


@pytest.mark.slow
@pytest.mark.stan
@pytest.mark.skipif("pystan" not in stan_engines(), reason="PyStan's wheels are not installed")
def test_it_runs_without_compiler_and_without_pystan(bundled_wheel, tmp_path):
    with zipfile.ZipFile(bundled_wheel) as archive:
        names = archive.namelist()
    held = {n for n in names if n.startswith("bayescmp/_programs/")}
    assert {f"bayescmp/_programs/{name}" for name in program_names()} <= held
    assert any("libtbb" in name for name in held)
    theirs = {Path(n).name for n in names if "dist-info/licenses/licences/" in n}
    assert theirs == {p.name for p in (ROOT / "licences").iterdir()}
    assert bundled_wheel.stat().st_size < 15e6
    assert "none-any" not in bundled_wheel.name  # for this platform only
    place = tmp_path / "site"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--target",
            place,
            bundled_wheel,
        ],
        check=True,
        capture_output=True,
    )
    (tmp_path / "empty").mkdir()
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "CXX", "CMDSTAN")}
    env.update(
        PATH=str(tmp_path / "empty"),
        HOME=str(tmp_path),
        LD_LIBRARY_PATH="",
        BAYESCMP_CACHE=str(tmp_path / "cache"),
    )
    done = subprocess.run(
        [sys.executable, "-c", TESTS, place], capture_output=True, text=True, env=env, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert all(line.startswith("bundled") for line in done.stdout.splitlines())
    assert len(done.stdout.splitlines()) == 4
    assert not (tmp_path / "cache").exists()


# The cache of compiled programs.


KEY = "0123456789abcdef"
POSIX = pytest.mark.skipif(os.name != "posix", reason="modes and symbolic links of POSIX")


def entries(cache: Path) -> list[str]:
    return sorted(p.name for p in cache.iterdir() if p.suffix != ".lock")


def make(folder: Path) -> Path:
    made = folder / "made"
    made.write_text("program")
    made.chmod(0o755)
    return made


def test_the_cache_is_where_the_environment_says(monkeypatch, tmp_path):
    monkeypatch.setenv("BAYESCMP_CACHE", str(tmp_path))
    assert cache_root() == tmp_path
    monkeypatch.delenv("BAYESCMP_CACHE")
    assert cache_root().name == "bayescmp"


def test_keys_tell_parts_from_their_concatenation():
    assert build_key("a", "b") == build_key("a", "b")
    assert len({build_key("a", "b"), build_key("ab"), build_key("b", "a")}) == 3


def test_a_build_is_made_once_and_moved_in_whole(tmp_path):
    cache, calls = tmp_path / "cache", []

    def build(folder: Path) -> Path:
        calls.append(folder)
        (folder / "rubbish").touch()
        assert entries(cache) == [folder.name]  # nothing under the final name yet
        return make(folder)

    for _ in range(2):
        assert built_once(cache / "program-1", build).read_text() == "program"
    assert len(calls) == 1
    assert entries(cache) == ["program-1", "program-1.sum"]


@each_row("error", [RuntimeError, KeyboardInterrupt])
def test_a_build_that_fails_or_is_interrupted_leaves_nothing(tmp_path, error):
    def build(folder: Path) -> Path:
        (folder / "half").touch()
        raise error

    with pytest.raises(error):
        built_once(tmp_path / "program-1", build)
    assert entries(tmp_path) == []


def test_two_at_once_build_once(tmp_path):
    calls, results = [], []

    def build(folder: Path) -> Path:
        calls.append(folder)
        time.sleep(0.2)
        return make(folder)

    def ask() -> None:
        results.append(built_once(tmp_path / "program-1", build))

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [tmp_path / "program-1"] * 3
    assert len(calls) == 1


# What others, or accidents, left there.


def truncate(program: Path) -> None:
    program.write_bytes(b"")


def overwrite(program: Path) -> None:
    program.write_text("#!/bin/sh\necho planted\n")


def disarm(program: Path) -> None:
    program.chmod(0o644)


def link(program: Path) -> None:
    elsewhere = program.with_name("elsewhere")
    program.rename(elsewhere)
    program.symlink_to(elsewhere)


def forget(program: Path) -> None:
    program.with_name(f"{program.name}.sum").unlink()


@POSIX
@each_row("spoil", [truncate, disarm, forget])
def test_a_program_that_is_not_as_it_was_left_is_built_anew(tmp_path, spoil):
    program = built_once(tmp_path / "program-1", make)
    spoil(program)
    again = built_once(tmp_path / "program-1", make)
    assert again.read_text() == "program"
    assert os.access(again, os.X_OK)
    assert not again.is_symlink()


@POSIX
@pytest.mark.parametrize("mode", [0o770, 0o1777])
@pytest.mark.parametrize("which", ["root", "engine"])
def test_a_cache_that_others_can_write_to_is_refused(tmp_path, mode, which):
    engine = tmp_path / "cache" / "pystan"
    engine.mkdir(parents=True, mode=0o755)
    (engine.parent if which == "root" else engine).chmod(mode)
    with pytest.raises(EngineError, match=r"others can write to .*chmod go-w .*BAYESCMP_CACHE"):
        built_once(engine / "program-1", make)
    assert entries(engine) == []


@POSIX
def test_the_cache_of_another_user_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: os.getuid() + 1)
    if os.getuid() == 0:
        os.chown(tmp_path, 12345, -1)
    with pytest.raises(EngineError, match="belongs to another user"):
        built_once(tmp_path / "pystan" / "program-1", make)


@POSIX
def test_what_we_make_is_for_us_alone(tmp_path):
    before = os.umask(0)
    try:
        program = built_once(tmp_path / "cache" / "pystan" / "program-1", make)
    finally:
        os.umask(before)
    for path in (program.parent.parent, program.parent, program):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o022


def as_lock(cache: Path) -> None:
    (cache / "pystan" / "program-1.lock").mkdir(parents=True)


def as_program(cache: Path) -> None:
    (cache / "pystan" / "program-1").mkdir(parents=True)


def as_root(cache: Path) -> None:
    cache.write_text("a file")


@POSIX
@pytest.mark.parametrize("spoil", [as_lock, as_program, as_root])
def test_a_cache_that_cannot_be_used_is_one_line(tmp_path, spoil):
    spoil(tmp_path / "cache")
    refuses(tmp_path / "cache")


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="a folder where no one may write")
def test_a_cache_that_cannot_be_written_is_one_line():
    refuses(Path("/proc/cache"))


def refuses(cache: Path) -> None:
    with pytest.raises(EngineError, match=r"cannot be used: .*BAYESCMP_CACHE") as caught:
        built_once(cache / "pystan" / "program-1", make)
    assert "\n" not in str(caught.value)


# Clearing it.


def test_clearing_removes_only_what_is_ours(tmp_path, monkeypatch):
    monkeypatch.setenv("BAYESCMP_CACHE", str(tmp_path))
    pystan, cmdstan = tmp_path / "pystan", tmp_path / "cmdstan"
    cmdstan.mkdir()
    built_once(pystan / f"robust_correlated_t-{KEY}", make)
    built_once(pystan / f"chain-{KEY}.o", make)
    (cmdstan / f"blocked_manova-{KEY}").mkdir()  # as earlier versions left them
    (cmdstan / f"blocked_manova-{KEY}" / "blocked_manova").touch()
    (pystan / "building-x7fa").mkdir()
    theirs = [
        tmp_path / "thesis.tex",
        tmp_path / "other" / "data.csv",
        pystan / "notes.txt",
        pystan / "results-2024",
    ]
    for path in theirs:
        path.parent.mkdir(exist_ok=True)
        path.touch()
    assert len(our_entries()) == 8
    clear_cache()
    assert our_entries() == []
    assert all(path.is_file() for path in theirs)
    assert not cmdstan.exists()
    for path in theirs:
        path.unlink()
    theirs[1].parent.rmdir()
    clear_cache()
    assert not tmp_path.exists()


@POSIX
def test_clearing_follows_no_link(tmp_path, monkeypatch):
    monkeypatch.setenv("BAYESCMP_CACHE", str(tmp_path / "cache"))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / f"chain-{KEY}.o").touch()
    (tmp_path / "cache" / "cmdstan").mkdir(parents=True)
    (tmp_path / "cache" / "pystan").symlink_to(outside)
    (tmp_path / "cache" / "cmdstan" / f"model-{KEY}").symlink_to(outside)
    clear_cache()
    assert (outside / f"chain-{KEY}.o").is_file()
    assert not (tmp_path / "cache" / "cmdstan").exists()
