"""Stan programs are located, a wheel holds the same bytes, and values go in and come out plain."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from bayescmp.engines.programs import (
    plain,
    program_names,
    program_path,
    program_text,
    sample_stats,
)
from bayescmp.errors import EngineError
from tests.engines.fake import SAMPLERS

ROOT = Path(__file__).parents[2]


def test_every_program_of_the_folder_is_found():
    assert program_names() == sorted(p.stem for p in (ROOT / "stan").glob("*.stan"))
    assert "hierarchical_correlated_t" in program_names()


def test_the_fake_engine_knows_every_program():
    assert sorted(SAMPLERS) == program_names()


def test_programs_say_their_source():
    for name in program_names():
        assert program_text(name).startswith("// "), name


def test_unknown_program():
    with pytest.raises(EngineError, match="no Stan program 'nothing'"):
        program_path("nothing")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT],
        check=True, capture_output=True,
    )  # fmt: skip
    return next(out.glob("*.whl"))


def test_wheel_holds_programs_and_types(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        assert "bayescmp/py.typed" in names
        for program in (ROOT / "stan").glob("*.stan"):
            assert archive.read(f"bayescmp/stan/{program.name}") == program.read_bytes()
        for part in ("engines/chain.cpp", "engines/lean.hpp", "report/templates/report.css"):
            assert archive.read(f"bayescmp/{part}") == (ROOT / "bayescmp" / part).read_bytes()
        assert not [n for n in names if n.startswith(("tests/", "examples/"))]


@pytest.mark.slow
def test_installed_wheel_finds_its_own_programs(wheel, tmp_path):
    """Installed away from the checkout, in an environment of its own."""
    place = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", place, wheel],
        check=True, capture_output=True,
    )  # fmt: skip
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import bayescmp; "
        "from bayescmp.engines.programs import program_path; "
        "print(bayescmp.__file__); print(program_path('hierarchical_correlated_t'))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, place], capture_output=True, text=True,
        check=True, cwd=tmp_path,
    )  # fmt: skip
    package, program = map(Path, done.stdout.split())
    assert package.is_relative_to(place)
    assert program.is_relative_to(place)
    assert program.read_bytes() == (ROOT / "stan" / program.name).read_bytes()


# -- what goes into a program and comes out of it ----------------------------------------------


def test_arrays_become_lists():
    assert plain({"a": np.eye(2), "b": np.int64(3), "c": [1.5]}) == {
        "a": [[1.0, 0.0], [0.0, 1.0]], "b": 3, "c": [1.5],
    }  # fmt: skip


def test_statistics_bear_our_names():
    columns = {name: np.array([[0.0, 1.0]]) for name in
               ("divergent__", "treedepth__", "energy__", "lp__")}  # fmt: skip
    stats = sample_stats(columns.__getitem__)
    assert set(stats) == {"diverging", "tree_depth", "energy", "lp"}
    assert stats["diverging"].tolist() == [[False, True]]
    assert stats["energy"].dtype == float
