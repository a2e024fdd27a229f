"""A saved posterior is not trusted in anything: whatever it says that can't be is one line."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import h5py
import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian.saved_fields import shown

FOLDER = Path(__file__).parents[1] / "reference" / "saved_0.1"
DELETED = object()


@pytest.fixture
def changed(tmp_path):
    """A copy of a saved posterior, in which some fields of its attributes are others."""

    def change(name, fields):
        path = tmp_path / "posterior.nc"
        shutil.copy(FOLDER / f"{name}.nc", path)
        with h5py.File(path, "a") as file:
            attrs = file["posterior"].attrs
            stored = json.loads(attrs["bayescmp"])
            for field, value in fields.items():
                *within, last = field.split(".")
                part = stored
                for key in within:
                    part = part[key]
                if value is DELETED:
                    del part[last]
                else:
                    part[last] = value
            attrs["bayescmp"] = json.dumps(stored)
        return path

    return change


WRONG = [
    ("correlated_t", "df", -1, "'df' is -1; accepted: a positive number"),
    ("correlated_t", "df", "9", "'df' is '9'"),
    ("correlated_t", "df", float("nan"), "'df' is nan"),
    ("correlated_t", "df", True, "'df' is True"),
    ("correlated_t", "scale", -1, "'scale' is -1; accepted: a positive number"),
    ("correlated_t", "scale", 0, "'scale' is 0"),
    ("correlated_t", "scale", float("inf"), "'scale' is inf"),
    ("correlated_t", "scale", DELETED, "'scale'"),
    ("correlated_t", "location", None, "'location' is None; accepted: a finite number"),
    ("correlated_t", "location", [1], "'location' is list"),
    ("correlated_t", "rho", 1, "'rho' is 1; accepted: 0 <= rho < 1"),
    ("correlated_t", "more", 1, "'more'"),
    ("correlated_t", "names", ["knn"], "'names' is list .*; accepted: two names"),
    ("correlated_t", "names", ["knn", "knn"], "'names' is list .*; accepted: a list of different"),
    ("correlated_t", "names", ["knn", 3], "'names' is list"),
    ("correlated_t", "rope", [0.01, -0.01], "'rope' is list .*; accepted: .*low"),
    ("correlated_t", "rope", 0.01, "'rope' is 0.01"),
    ("correlated_t", "engine", "", "'engine' is ''"),
    ("correlated_t", "engine", "pystan", "'diagnostics.exact' is true, and field 'engine' is 'py"),
    ("correlated_t", "seed", -1, "'seed' is -1"),
    ("correlated_t", "seed", 10**30, "'seed' is 1e"),
    ("correlated_t", "notes", "none", "'notes' is 'none'; accepted: a list of text"),
    ("correlated_t", "diagnostics", None, "'diagnostics' is None; accepted: an object"),
    ("correlated_t", "diagnostics", DELETED, "'diagnostics' is missing"),
    ("correlated_t", "diagnostics.exact", "yes", "'diagnostics.exact' is 'yes'"),
    ("correlated_t", "diagnostics.exact", False, "'diagnostics.rhat' is missing"),
    ("correlated_t", "diagnostics.odd", 1, "unknown part 'odd'"),
    ("correlated_t", "directions", [{"metric": 1}], "'directions' is list"),
    ("robust_t", "diagnostics.exact", True, "'engine' is 'pystan', whose posteriors are drawn"),
    ("robust_t", "diagnostics.ebfmi", None, "'diagnostics.ebfmi' is missing"),
    ("robust_t", "nu_mean", 1, "'nu_mean' is 1; accepted: a number over 1"),
    ("sign", "size", 10**9, "'size' is 1000000000"),
    ("sign", "prior", -1, "'prior' is -1"),
    ("hierarchical_t_grid", "order", [0, 0, 1, 2], "'order' does not name each of the 4"),
    ("hierarchical_t_grid", "order", [0], "'order' does not name each of the 4"),
    ("hierarchical_t_grid", "data", {"q": "4"}, "'data' is dict"),
    ("hierarchical_t_grid", "prior.alpha", ["a", 1], "'prior.alpha' is list"),
    ("hierarchical_t_grid", "prior.sigma_factor", None, "'prior.sigma_factor' is None"),
    ("hierarchical_t_grid", "prior.largest_difference", 3, "'prior.largest_difference' is 3"),
    ("hierarchical_t_draws", "diagnostics.exact", True, "drawn by a sampler"),
]


@pytest.mark.parametrize(("name", "field", "value", "message"), WRONG)
def test_one_line_names_the_field_and_the_version(changed, name, field, value, message):
    path = changed(name, {field: value})
    with pytest.raises(bc.InputError, match=message) as caught:
        bc.load(path)
    assert f"{str(path)!r}, saved by bayescmp 0.1.0: " in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "[" * 100_000, '{"names": 1e999}'])
def test_attributes_that_are_none(changed, text):
    path = changed("correlated_t", {})
    with h5py.File(path, "a") as file:
        file["posterior"].attrs.create("bayescmp", text[:60_000])
    with pytest.raises(bc.InputError, match=r"saved by bayescmp 0\.1\.0: "):
        bc.load(path)


def test_a_later_version_is_named(changed):
    path = changed("correlated_t", {})
    with h5py.File(path, "a") as file:
        file["posterior"].attrs["bayescmp_kind"] = "quantum_t"
        file["posterior"].attrs["bayescmp_version"] = "9.1"
    with pytest.raises(
        bc.InputError, match=r"saved by bayescmp 9\.1: field 'bayescmp_kind' is 'quantum_t'.*later"
    ):
        bc.load(path)


ARRAYS = [
    ("correlated_t", "constant_data/x", lambda x: None, "'constant_data/x' is missing"),
    ("correlated_t", "constant_data/x", lambda x: x * np.nan, "holds nan; accepted: finite"),
    ("correlated_t", "constant_data/x", lambda x: np.full(10, b"x"), "is of type .*numbers"),
    ("correlated_t", "constant_data/x", lambda x: x[:0], "is empty"),
    ("robust_t", "posterior/nu", lambda x: None, "'posterior/nu' is missing"),
    ("robust_t", "posterior/nu", lambda x: x * np.inf, "'posterior/nu' holds inf"),
    ("robust_t", "posterior/nu", lambda x: x.ravel(), "posterior/nu"),
    ("hierarchical_t_grid", "constant_data/n", lambda n: 0 * n, "'constant_data/n' holds 0"),
    ("hierarchical_t_grid", "constant_data/ss", lambda s: -s, "'constant_data/ss' holds -"),
    ("hierarchical_t_grid", "constant_data/rho", lambda r: r + 1, "'constant_data/rho' holds 1.1"),
    ("hierarchical_t_grid", "constant_data/step", lambda s: 0 * s, "holds"),
    ("confusion", "constant_data/counts", lambda n: -n, "holds -"),
]


@pytest.mark.parametrize(("name", "array", "change", "message"), ARRAYS)
def test_arrays_that_cannot_be(changed, name, array, change, message):
    path = changed(name, {})
    with h5py.File(path, "a") as file:
        values = change(np.nan_to_num(file[array][()]))
        attached = file[array].attrs.get("DIMENSION_LIST")
        del file[array]
        if values is not None:
            made = file.create_dataset(array, data=values)
            if attached is not None and values.ndim == len(attached):
                for axis, references in enumerate(attached):
                    made.dims[axis].attach_scale(file[references[0]])
    with pytest.raises(bc.InputError, match=message):
        bc.load(path)


MEASURED = """
import resource, sys, time
import bayescmp as bc
right, *wrong = sys.argv[1:]
bc.load(right)  # imports, and memory for what is right
for path in wrong:
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    try:
        bc.load(path)
    except bc.InputError as error:
        print(repr(str(error)))
    print(time.process_time() - start)
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def _unwritten(file):
    """80 TB that were never written."""
    file.create_dataset("posterior/z", shape=(10**7, 10**6), dtype=float, chunks=(1000, 1000))


def _compressed(file):
    """3.2 GB of zeros in 4 MB: one chunk, compressed once, in all places."""
    z = file.create_dataset(
        "posterior/z", shape=(400, 10**6), dtype=float, chunks=(400, 10**4), compression="gzip"
    )
    chunk = zlib.compress(bytes(400 * 10**4 * 8))
    for at in range(0, 10**6, 10**4):
        z.id.write_direct_chunk((0, at), chunk)


def _elsewhere(file):
    """Bytes of another file."""
    file.create_dataset("posterior/z", shape=(10,), dtype=float, external=[(__file__, 0, 80)])


def _linked(file):
    file["posterior/z"] = h5py.ExternalLink(str(FOLDER / "sign.nc"), "/posterior/left")


LIES = {
    _unwritten: "'posterior/z' has shape .10000000, 1000000.*and the file has",
    _compressed: "'posterior/z' has shape .400, 1000000.*and the file has",
    _elsewhere: "'posterior/z' lies in another file",
    _linked: "'posterior/z' is a link elsewhere",
}


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss in kB")
def test_a_small_file_takes_neither_memory_nor_time(tmp_path):
    right, paths = FOLDER / "correlated_t.nc", [tmp_path / f"{lie.__name__}.nc" for lie in LIES]
    for path, lie in zip(paths, LIES, strict=True):
        shutil.copy(right, path)
        with h5py.File(path, "a") as file:
            lie(file)
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, right, *paths],
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    lines = iter(done.stdout.splitlines())
    for message, refusal, seconds, megabytes in zip(
        LIES.values(), lines, lines, lines, strict=True
    ):
        assert re.search(message, refusal)
        assert r"\n" not in refusal
        assert float(seconds) < 1
        assert float(megabytes) < 200


def test_a_truncated_file(changed):
    path = changed("correlated_t", {})
    whole = path.read_bytes()
    for size in range(0, len(whole), len(whole) // 7):
        path.write_bytes(whole[:size])
        with pytest.raises(bc.InputError, match="holds no posterior saved by bayescmp"):
            bc.load(path)


def test_long_values_are_cut():
    assert shown("x" * 100) == f"'{'x' * 58}…"
    assert len(shown(list(range(1000)))) == 60
