"""Posteriors saved by earlier versions are read by this one."""

import json
import shutil
import subprocess
import sys
import zlib
from dataclasses import fields
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayesian.saved import show_value
from bayescmp.errors import InputError
from bayescmp.results.posterior import Fitted
from tests.conftest import small_table
from tests.marks import first_and_slow

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
    ("correlated_t", "df", -1, "'df' must be a positive number .got -1"),
    ("correlated_t", "df", "9", "'df' must be .*got '9'"),
    ("correlated_t", "df", float("nan"), "'df' must be .*got nan"),
    ("correlated_t", "df", True, "'df' must be .*got True"),
    ("correlated_t", "scale", -1, "'scale' must be a number of at least 0 .got -1"),
    ("correlated_t", "scale", 0, "'scale' must be a positive number .got 0"),
    ("hierarchical_t_grid", "scale", 0, "'scale' must be a positive number .got 0"),
    ("correlated_t", "scale", float("inf"), "'scale' must be .*got inf"),
    ("correlated_t", "scale", DELETED, "'scale'"),
    ("correlated_t", "location", None, "'location' must be a finite number .got None"),
    ("correlated_t", "location", [1], "'location' must be .*got list"),
    ("correlated_t", "rho", 1, "'rho' must be at least 0 and below 1 .got 1"),
    ("correlated_t", "more", 1, "'more'"),
    ("correlated_t", "names", ["knn"], "'names' must be two names .got list"),
    (
        "correlated_t",
        "names",
        ["knn", "knn"],
        "'names' must be a list of different names .got list",
    ),
    ("correlated_t", "names", ["knn", 3], "'names' must be .*got list"),
    ("correlated_t", "rope", [0.01, -0.01], "'rope' must be .*low .*got list"),
    ("correlated_t", "rope", 0.01, "'rope' must be .*got 0.01"),
    ("correlated_t", "rope", [[-1, 1], [-1, 1]], "field 'metrics' is missing"),
    ("correlated_t", "engine", "", "'engine' must be .*got ''"),
    ("correlated_t", "engine", "pystan", "'diagnostics.exact' is true, and field 'engine' is 'py"),
    ("correlated_t", "seed", -1, "'seed' must be .*got -1"),
    ("correlated_t", "seed", 10**30, "'seed' must be .*got 1e"),
    ("correlated_t", "notes", "none", "'notes' must be a list of text .got 'none'"),
    ("correlated_t", "diagnostics", None, "'diagnostics' must be an object .got None"),
    ("correlated_t", "diagnostics", DELETED, "'diagnostics' is missing"),
    ("correlated_t", "diagnostics.exact", "yes", "'diagnostics.exact' must be .*got 'yes'"),
    ("correlated_t", "diagnostics.exact", False, "'diagnostics.rhat' is missing"),
    ("correlated_t", "diagnostics.odd", 1, "unknown part 'odd'"),
    ("correlated_t", "directions", [{"metric": 1}], "'directions' must be .*got list"),
    ("robust_t", "diagnostics.exact", True, "'engine' is 'pystan', whose posteriors are drawn"),
    ("robust_t", "diagnostics.ebfmi", None, "'diagnostics.ebfmi' is missing"),
    ("robust_t", "nu_mean", 1, "'nu_mean' must be a number over 1 .got 1"),
    ("sign", "size", 10**9, "'size' must be .*got 1000000000"),
    ("sign", "prior", -1, "'prior' must be .*got -1"),
    ("hierarchical_t_grid", "order", [0, 0, 1, 2], "'order' does not name each of the 4"),
    ("hierarchical_t_grid", "order", [0], "'order' does not name each of the 4"),
    ("hierarchical_t_grid", "data", {"q": "4"}, "'data' must be .*got dict"),
    ("hierarchical_t_grid", "prior.alpha", ["a", 1], "'prior.alpha' must be .*got list"),
    ("hierarchical_t_grid", "prior.sigma_factor", None, "'prior.sigma_factor' must be .*got None"),
    (
        "hierarchical_t_grid",
        "prior.largest_difference",
        3,
        "'prior.largest_difference' must .*got 3",
    ),
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
        bc.InputError, match=r"saved by bayescmp 9\.1: field 'bayescmp_kind' .*'quantum_t'.*later"
    ):
        bc.load(path)


ARRAYS = [
    ("correlated_t", "constant_data/x", lambda x: None, "'constant_data/x' is missing"),
    ("correlated_t", "constant_data/x", lambda x: x * np.nan, "must hold finite numbers .got nan"),
    (
        "correlated_t",
        "constant_data/x",
        lambda x: np.full(10, b"x"),
        "must hold numbers .got type",
    ),
    ("correlated_t", "constant_data/x", lambda x: x[:0], "is empty"),
    ("robust_t", "posterior/nu", lambda x: None, "'posterior/nu' is missing"),
    ("robust_t", "posterior/nu", lambda x: x * np.inf, "'posterior/nu' must hold .*got inf"),
    ("robust_t", "posterior/nu", lambda x: x.ravel(), "posterior/nu"),
    (
        "hierarchical_t_grid",
        "constant_data/n",
        lambda n: 0 * n,
        "'constant_data/n' must hold .*got 0",
    ),
    (
        "hierarchical_t_grid",
        "constant_data/ss",
        lambda s: -s,
        "'constant_data/ss' must hold .*got -",
    ),
    (
        "hierarchical_t_grid",
        "constant_data/rho",
        lambda r: r + 1,
        "'constant_data/rho' must hold .*got 1.1",
    ),
    ("hierarchical_t_grid", "constant_data/step", lambda s: 0 * s, "must hold positive numbers"),
    ("confusion", "constant_data/counts", lambda n: -n, "must hold .*got -"),
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


def test_what_is_no_array_in_a_group_of_the_file(changed):
    changes = {
        "'loose' must be a group": lambda file: file.create_dataset("loose", data=[1.0]),
        "'soft' must be in the file .got a link elsewhere": lambda file: file.__setitem__(
            "soft", h5py.SoftLink("/posterior")
        ),
        "'posterior/sub' must be an array": lambda file: file["posterior"].create_group("sub"),
        "'posterior/z' must be an array in the file .got one in another file": _elsewhere,
        "'posterior/z' must be in the file .got a link elsewhere": _linked,
        "'bayescmp_kind' is missing": lambda file: file["posterior"].attrs.pop("bayescmp_kind"),
    }
    for message, change in changes.items():
        path = changed("correlated_t", {})
        with h5py.File(path, "a") as file:
            change(file)
        with pytest.raises(bc.InputError, match=f"holds no posterior .*{message}"):
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
    _unwritten: "'posterior/z' has shape (10000000, 1000000)",
    _compressed: "'posterior/z' has shape (400, 1000000)",
    _elsewhere: "'posterior/z' must be an array in the file (got one in another file",
    _linked: "'posterior/z' must be in the file (got a link elsewhere)",
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss in kB")
def test_a_small_file_takes_neither_memory_nor_time(tmp_path):
    right, paths = FOLDER / "correlated_t.nc", [tmp_path / f"{lie.__name__}.nc" for lie in LIES]
    for path, lie in zip(paths, LIES, strict=True):
        shutil.copy(right, path)
        with h5py.File(path, "a") as file:
            lie(file)
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, right, *paths],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    lines = iter(done.stdout.splitlines())
    for message, refusal, seconds, megabytes in zip(
        LIES.values(), lines, lines, lines, strict=True
    ):
        assert message in refusal
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


DAMAGED = """
import sys, time
from pathlib import Path
import bayescmp as bc
sealed, unsealed, step = *map(Path, sys.argv[1:3]), int(sys.argv[3])
for path, step in ((sealed, 4 * step), (unsealed, step)):
    right, whole = str(bc.load(path)), path.read_bytes()
    for at in range(0, len(whole), step):
        path.write_bytes(whole[:at] + bytes(400) + whole[at + 400 :])
        start = time.perf_counter()
        try:
            found = "as saved" if str(bc.load(path)) == right else "another posterior"
        except bc.InputError as error:
            found = "one line" if "\\n" not in str(error) else "several lines"
        print(path.stem, found if time.perf_counter() - start < 5 else "too slow")
"""


@pytest.mark.parametrize("step", first_and_slow(1200, 400))
def test_zeroed_bytes_are_one_line_at_once(step, tmp_path):
    """As a failing disk leaves them; version 0.1 wrote no checksum, which would tell."""
    scores = np.random.default_rng(1).normal(0.8, 0.05, (5, 4, 3))
    sealed, unsealed = tmp_path / "sealed.nc", tmp_path / "unsealed.nc"
    bc.bayesian.bootstrap(scores, rope=0.01, rho=0.1, draws=100, seed=1).save(sealed)
    unsealed.write_bytes(sealed.read_bytes().removesuffix(sealed.read_bytes()[-48:]))
    done = subprocess.run(
        [sys.executable, "-c", DAMAGED, sealed, unsealed, str(step)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    outcomes = {
        f"{stem} {how}" for stem in ("sealed", "unsealed") for how in ("as saved", "one line")
    }
    assert set(done.stdout.splitlines()) == outcomes
    assert done.stderr == ""


def test_one_other_digit_is_refused(tmp_path):
    """In a name, which HDF5 itself has no checksum of."""
    path = tmp_path / "posterior.nc"
    bc.bayesian.correlated_t(
        [0.01, 0.03, 0.02], rho=0.1, rope=0.01, seed=1, names=("tree 1", "tree 2")
    ).save(path)
    whole = path.read_bytes()
    assert whole.count(b"tree 2") == 1
    path.write_bytes(whole.replace(b"tree 2", b"tree 3"))
    with pytest.raises(bc.InputError, match="checksum is that of other bytes"):
        bc.load(path)


def test_what_hdf5_itself_has_changed_is_read(tmp_path):
    """It leaves off the checksum, which would be of other bytes."""
    path = tmp_path / "posterior.nc"
    posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01, seed=1)
    posterior.save(path)
    with h5py.File(path, "a") as file:
        file["posterior"].attrs["comment"] = "kept"
    assert bc.load(path).verdict() == posterior.verdict()


def test_long_values_are_cut():
    assert show_value("x" * 100) == f"'{'x' * 58}…"
    assert len(show_value(list(range(1000)))) == 60


# Every field of every kind.

X = np.random.default_rng(1).normal(0.01, 0.02, (4, 10))
P = {"rope": 0.01, "rho": 0.1, "seed": 1}
SCORES = bc.Scores(small_table())
KINDS = {
    "correlated_t": lambda: bc.bayesian.correlated_t(X[0], **P),
    "hierarchical_t": lambda: bc.bayesian.hierarchical_t(X, engine="quadrature", **P),
    "sign": lambda: bc.bayesian.sign(X.mean(axis=1), rope=0.01, draws=200, seed=1),
    "multivariate_t": lambda: bc.bayesian.multivariate_t(X.T[:, :2], **P),
    "groups": lambda: bc.bayesian.groups(np.stack([X.T, X.T**2]) + 0.8, **P),
    "bootstrap": lambda: bc.bayesian.bootstrap(X + 0.8, rope=0.01, draws=200, seed=1),
    "friedman": lambda: bc.bayesian.friedman(X + 0.8, draws=200, seed=1),
    "bradley_terry": lambda: bc.bayesian.bradley_terry(SCORES, metric="accuracy"),
    "plackett_luce": lambda: bc.bayesian.plackett_luce(SCORES, metric="accuracy"),
    "two_sample_t": lambda: bc.bayesian.two_sample_t(X[0], X[1], rope=0.01),
    "paired_proportions": lambda: bc.bayesian.paired_proportions([[30, 5], [8, 20]], rope=0.01),
    "cluster_bootstrap": lambda: bc.bayesian.cluster_bootstrap(
        np.sign(X.ravel()), clusters=np.repeat(range(20), 2), rope=0.01
    ),
    "metric_by_weights": lambda: bc.bayesian.metric_by_weights(
        np.arange(40) % 3, (np.arange(40) % 2, np.arange(40) % 5), "f1_macro", rope=0.1, seed=1
    ),
    "robust_t": lambda: bc.load(FOLDER / "robust_t.nc"),
    "hierarchical_multivariate_t": lambda: bc.load(FOLDER / "hierarchical_multivariate_t.nc"),
}
NULLABLE = {"left_out", "pareto_k", "span", "resolution"}
LEFT_OUT = {"datasets": ["a"], "folds": {"b": 1}, "algorithms": 2, "units": ["data set", "fold"]}
#: Fields of which several types are right, and these are wrong.
BROKEN = [
    *(
        ("left_out", {**LEFT_OUT, part: value})
        for part, value in [
            ("datasets", "ab"),
            ("datasets", [1]),
            ("folds", {"b": "c"}),
            ("folds", [1]),
            ("algorithms", "2"),
            ("units", ["fold"]),
            ("units", 3),
        ]
    ),
    ("left_out", {}),
    ("left_out", 3),
    ("names", ["a"]),
    ("metrics", ["a"]),
    ("size", 0),
    ("prior", {"a": 1}),
    ("data", {}),
    ("data", {"a": 1}),
    ("place", "nowhere"),
    ("ties", "odd"),
    ("pareto_k", "high"),
    ("scales", [True, 1]),
    ("unheard_of", 1),
]


# What is saved comes back.

D = bc.Differences(X, rho=0.1, names=("a/b", "<c>"), metric="auc", datasets=list("wxyz"))
SKEWED = {"rope": (-0.01, 0.02), "seed": 9}
BLOCKS = np.stack([X.T, X.T**2, X.T[::-1]])[..., :2] + 0.8
TAMED = {"rho": 0.1, "engine": "fake", "draws": 250, **SKEWED}
PRIOR = bc.bayesian.MultivariatePrior(lkj=3.0)
#: Of kinds above the one with more to say, or those in which other fields are saved.
PLAIN = ("bootstrap", "friedman", "bradley_terry", "paired_proportions", "cluster_bootstrap")
WAYS = {
    **{kind: KINDS[kind] for kind in (*PLAIN, "metric_by_weights")},
    "correlated_t of a data set": lambda: bc.bayesian.correlated_t(D.row("x"), **SKEWED),
    "hierarchical_t by names": lambda: bc.bayesian.hierarchical_t(
        D, engine="quadrature", **SKEWED
    ),
    "hierarchical_t by draws": lambda: bc.bayesian.hierarchical_t(D, **TAMED | {"rho": None}),
    "robust_t by draws": lambda: bc.bayesian.robust_t(X[0], **TAMED),
    "sign to both sides": lambda: bc.bayesian.sign(
        D, prior=0.7, place="sides", draws=100, **SKEWED
    ),
    "signed_rank": lambda: bc.bayesian.signed_rank(
        D, prior=0.7, place="sides", draws=100, **SKEWED
    ),
    "multivariate_t of three": lambda: bc.bayesian.multivariate_t(
        BLOCKS[0] @ [[1, 0, 1], [0, 1, 2]] + X.T[:, 2:3] * [0, 0, 1],
        rho=0.1,
        rope=[0.01, (-0.02, 0.03), 0],
        seed=2,
        metrics=("a", "b", "c"),
        names=("knn", "gbm"),
    ),
    "multivariate_t by draws": lambda: bc.bayesian.multivariate_t(
        BLOCKS[0], noise="t", **TAMED | {"rope": 0.01}
    ),
    "hierarchical_multivariate_t of one": lambda: bc.bayesian.hierarchical_multivariate_t(
        [row[:, None] for row in X], rho=0.1, rope=0.01, engine="quadrature", seed=1
    ),
    "hierarchical_multivariate_t of dependent ones": lambda: (
        bc.bayesian.hierarchical_multivariate_t(
            [np.c_[row, row[::-1], -row] for row in X],
            metrics=("a", "b", "c"),
            prior=PRIOR,
            **TAMED | {"rope": (0.01, 0.02, 0.01)},
        )
    ),
    "groups of two metrics": lambda: bc.bayesian.groups(
        BLOCKS, rho=0.1, rope=[0.01, 0.02], seed=3, metrics=["tpr", "fpr"]
    ),
    "groups of own variances": lambda: bc.bayesian.groups(
        BLOCKS, rho=0.1, rope=[0.01, 0.02], variances="own", seed=3
    ),
    **{
        f"pair of {p}, {variances}": lambda p=p, variances=variances: bc.bayesian.groups(
            BLOCKS[..., :p], rho=0.1, rope=0.01, variances=variances, seed=3
        ).pair("A1", "A2")
        for p, variances in ((1, "own"), (2, "equal"))
    },
    "joint_t": lambda: bc.bayesian.joint_t(
        np.random.default_rng(2).normal(0.8, 0.05, (4, 6, 3)), **TAMED | {"rope": 0.01}
    ),
    "leaderboard": lambda: bc.bayesian.leaderboard(
        X[:, :3] + 0.8, rope=0.01, questions=500, weights=[1, 2, 1, 1], seed=1
    ),
    "question_bootstrap": lambda: bc.bayesian.question_bootstrap(X.T > 0.01, rope=0.1, seed=1),
    "bradley_terry of counts": lambda: bc.bayesian.bradley_terry(
        pd.DataFrame([[0, 7, 2], [3, 0, 4], [1, 5, 0]], list("abc"), list("abc")), seed=2
    ),
    "plackett_luce with ties": lambda: bc.bayesian.plackett_luce(
        [[["a", "b"], "c"], ["c", "b", "a"]] * 3, seed=1
    ),
    "two_sample_t by names": lambda: bc.bayesian.two_sample_t(
        X[0], X[1, :6], rope=0.01, names=("old", "new"), metric="return"
    ),
    "cluster_bootstrap of zeros": lambda: bc.bayesian.cluster_bootstrap(
        [0.0] * 6, rope=0.02, span=1, seed=1
    ),
    "confusion": lambda: bc.bayesian.confusion(
        (40, 10, 5, 45), (45, 5, 6, 44), ["tpr", "fpr"], rope=0.01, seed=1, draws=400
    ),
    "confusion together": lambda: bc.bayesian.confusion(
        joint=np.arange(8).reshape(2, 2, 2), metric="f1", rope=0.01, seed=1, draws=400
    ),
    "differences that are all zero": lambda: bc.bayesian.correlated_t([0.0] * 5, rho=0.1, rope=0),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", WAYS)
def test_what_is_saved_comes_back(way, fake, tmp_path):
    """Every word, field and draw, and the answers to other questions; draws need no engine."""
    posterior = WAYS[way]()
    posterior.save(tmp_path / "posterior.nc")
    again = bc.load(tmp_path / "posterior.nc")
    assert type(again) is type(posterior)
    assert again.full() == posterior.full()
    assert again.prior_text == posterior.prior_text
    assert again.diagnostics == posterior.diagnostics
    for field in fields(posterior):
        own, read = getattr(posterior, field.name), getattr(again, field.name)
        words = isinstance(own, tuple) and {*map(type, own)} == {str}
        if words or isinstance(own, np.ndarray | str | int | float):
            np.testing.assert_array_equal(read, own, err_msg=field.name)
    if again.kind == "confusion":
        ways = tuple(metric.direction for metric in again.chosen)
        assert ways == again.directions == posterior.directions
    for rope in (None, 0.03):
        assert again.verdicts(rope) == posterior.verdicts(rope)
    for name, draws in posterior.draws.items():
        np.testing.assert_array_equal(again.draws[name], draws, err_msg=name)
    for table in ("summary", "by_dataset", "check", "overview"):
        if hasattr(posterior, table):
            read, own = getattr(again, table)(), getattr(posterior, table)()
            pd.testing.assert_frame_equal(read, own)


@pytest.mark.parametrize("step", first_and_slow(3, 1))
@pytest.mark.parametrize("kind", KINDS)
def test_a_field_of_another_type_is_refused_at_loading(kind, step, tmp_path):
    """Every third case, for the next kind others; the slow tests take all."""
    path = tmp_path / "posterior.nc"
    KINDS[kind]().save(path)
    with h5py.File(path, "a") as file:
        stored = json.loads(file["posterior"].attrs["bayescmp"])
        assert set(stored["left_out"] or LEFT_OUT) == set(LEFT_OUT)

        def loaded(field, value):
            file["posterior"].attrs["bayescmp"] = json.dumps({**stored, field: value})
            file.flush()
            return bc.load(path)

        assert str(loaded("left_out", LEFT_OUT))
        wrong = [(f, v) for f, v in BROKEN if f in stored or f in ("left_out", "unheard_of")]
        shared = {field.name for field in fields(Fitted)}
        for field, right in stored.items():
            number = isinstance(right, int | float) and not isinstance(right, bool)
            others = [
                other
                for other in (None, 3, "x", {"a": 1})
                if type(other) is not type(right)
                and not (number and other == 3)
                and right is not None
                and not (other is None and field in NULLABLE)
            ]
            if field in shared and others:  # every kind has it: each tries another type
                others = [others[list(KINDS).index(kind) % len(others)]]
            wrong += [(field, other) for other in others]
        wrong += [("size", 3)] if kind in ("bootstrap", "friedman") else []
        for field, value in wrong[list(KINDS).index(kind) % step :: step]:
            with pytest.raises(bc.InputError, match="saved by bayescmp"):
                pytest.fail(f"{field} = {value!r} is taken for {loaded(field, value)}")


@pytest.mark.parametrize(
    ("kind", "field", "says"),
    [
        ("friedman", "prior", "field 'prior' is missing"),
        ("bradley_terry", "ties", "field 'ties' is missing"),
        ("bradley_terry", "constant_data/tied", "array 'constant_data/tied' is missing"),
        ("plackett_luce", "constant_data/counts", "array 'constant_data/counts' is missing"),
    ],
)
def test_what_only_one_of_the_tests_of_a_class_needs(kind, field, says, tmp_path):
    path = tmp_path / "posterior.nc"
    KINDS[kind]().save(path)
    with h5py.File(path, "a") as file:
        stored = json.loads(file["posterior"].attrs["bayescmp"])
        if field in stored:
            del stored[field]
            file["posterior"].attrs["bayescmp"] = json.dumps(stored)
        else:
            del file[field]
    with pytest.raises(bc.InputError, match=says):
        bc.load(path)


def test_draws_are_in_four_chains(tmp_path):
    path = tmp_path / "posterior.nc"
    KINDS["friedman"]().save(path)
    with h5py.File(path, "a") as file:
        stored = json.loads(file["posterior"].attrs["bayescmp"])
        file["posterior"].attrs["bayescmp"] = json.dumps({**stored, "size": 4001})
    with pytest.raises(bc.InputError, match=r"field 'size' must be a multiple of 4 .got 4001"):
        bc.load(path)


def test_the_longest_of_texts_are_not_read(tmp_path):
    """A length of 4 GB in a file of 40 kB, which HDF5 would make room for."""
    path = tmp_path / "posterior.nc"
    shutil.copy(FOLDER / "confusion.nc", path)
    whole = bytearray(path.read_bytes())
    with h5py.File(path, "r") as file:
        at = file["constant_data/count"].id.get_offset()
    whole[at : at + 4] = b"\xff\xff\xff\xff"
    path.write_bytes(whole)
    with pytest.raises(bc.InputError, match=r"'constant_data/count' has shape .* 4.29e.09 bytes"):
        bc.load(path)


FILES = {path.stem: path for path in sorted(FOLDER.glob("*.nc"))}
SAMPLED = [name for name in FILES if name.endswith("draws") or name == "robust_t"]


def test_every_kind_of_then_is_known_now():
    kinds = {bc.load(path).kind for path in FILES.values()}
    assert kinds <= set(bc.Posterior.kinds)
    assert len(kinds) == 11


@pytest.mark.parametrize("name", FILES)
def test_it_speaks_as_a_new_one(name):
    posterior = bc.load(FILES[name])
    assert posterior.method in str(posterior)
    assert posterior.method in posterior._repr_html_()
    assert len(posterior.summary()) > 0
    verdicts = posterior.verdicts().values() if "groups" in name else [posterior.verdict()]
    for verdict in verdicts:
        assert sum(verdict.probabilities.values()) == pytest.approx(1)


@pytest.mark.parametrize("name", SAMPLED)
def test_its_draws_are_those_of_the_file(name):
    import h5py

    posterior = bc.load(FILES[name])
    with h5py.File(FILES[name]) as file:
        for variable, draws in posterior.draws.items():
            assert np.array_equal(draws, file["posterior"][variable])


@pytest.mark.parametrize(
    ("name", "fit"),
    [
        ("correlated_t", lambda x: bc.bayesian.correlated_t(x, rope=0.01)),
        (
            "hierarchical_t_grid",
            lambda x: bc.bayesian.hierarchical_t(x, rope=0.01, engine="quadrature", seed=1),
        ),
        ("sign", lambda x: bc.bayesian.sign(x, rope=0.01, seed=1, draws=200)),
        ("signed_rank", lambda x: bc.bayesian.signed_rank(x, rope=0.01, seed=1, draws=200)),
    ],
)
def test_its_verdict_is_that_of_the_same_data_today(name, fit):
    x = bc.Differences(
        np.random.default_rng(1).normal(0.01, 0.02, (4, 10)),
        rho=0.1,
        names=("knn", "gbm"),
        metric="accuracy",
        datasets=("iris", "wine", "digits", "glass"),
        span=1.0,
    )
    saved = bc.load(FILES[name]).verdict()
    fresh = fit(x.row("wine") if name == "correlated_t" else x).verdict()
    assert saved.probabilities == pytest.approx(fresh.probabilities, abs=1e-9)
    assert saved.names == ("knn", "gbm")


def test_a_file_that_is_not_there_or_of_something_else(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        bc.load(tmp_path / "posterior.nc")
    (tmp_path / "posterior.nc").write_text("x")
    with pytest.raises(InputError, match="holds no posterior saved by bayescmp"):
        bc.load(tmp_path / "posterior.nc")


def test_saving_where_it_is_not_allowed(tmp_path):
    posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01, seed=1)
    with pytest.raises(InputError, match="there is no directory"):
        posterior.save(tmp_path / "no" / "such" / "place.nc")
