"""What is saved comes back, and what is no saved posterior is refused in one line."""

import io
import json
import subprocess
import sys
import time
import zipfile
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.results.saving import FACTS
from tests.conftest import small_table
from tests.rows import each_row

FOLDER = Path(__file__).parents[1] / "reference" / "saved"
DELETED = object()


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
    "proportions": lambda: bc.bayesian.proportions((30, 39), (8, 20), rope=0.01),
    "cluster_bootstrap": lambda: bc.bayesian.cluster_bootstrap(
        np.sign(X.ravel()), clusters=np.repeat(range(20), 2), rope=0.01
    ),
    "judge_corrected": lambda: bc.bayesian.judge_corrected(
        np.sign(X[:2].ravel()), np.sign(X[2:].ravel()), X.ravel(), rope=0.01, seed=1
    ),
    "metric_by_weights": lambda: bc.bayesian.metric_by_weights(
        np.arange(40) % 3, (np.arange(40) % 2, np.arange(40) % 5), "f1_macro", rope=0.1, seed=1
    ),
    "robust_t": lambda: bc.load(FOLDER / "robust_t.npz"),
    "hierarchical_multivariate_t": lambda: bc.load(FOLDER / "hierarchical_multivariate_t.npz"),
}


# What is saved comes back.

D = bc.Differences(X, rho=0.1, names=("a/b", "<c>"), metric="auc", datasets=list("wxyz"))
SKEWED = {"rope": (-0.01, 0.02), "seed": 9}
BLOCKS = np.stack([X.T, X.T**2, X.T[::-1]])[..., :2] + 0.8
TAMED = {"rho": 0.1, "engine": "fake", "draws": 250, **SKEWED}
PRIOR = bc.bayesian.MultivariatePrior(lkj=3.0)
#: Of kinds above the one with more to say, or those in which other fields are saved.
PLAIN = (
    *("bootstrap", "friedman", "bradley_terry"),
    *("paired_proportions", "proportions", "cluster_bootstrap", "judge_corrected"),
)
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
    posterior.save(tmp_path / "posterior.npz")
    again = bc.load(tmp_path / "posterior.npz")
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


# What is no saved posterior, or a wrong one.


@pytest.fixture
def saved(tmp_path):
    """A function that saves a kind of posterior with some of its facts or arrays changed."""

    def change(kind, facts=None, arrays=None):
        path = tmp_path / "posterior.npz"
        (KINDS | MORE)[kind]().save(path)
        with zipfile.ZipFile(path) as file:
            members = {name: file.read(name) for name in file.namelist()}
        stored = json.loads(members[FACTS])
        for field, value in (facts or {}).items():
            *within, last = field.split(".")
            part = stored
            for key in within:
                part = part[key]
            if value is DELETED:
                del part[last]
            else:
                part[last] = value
        members[FACTS] = json.dumps(stored).encode()
        for name, made in (arrays or {}).items():
            if made is DELETED:
                del members[f"{name}.npy"]
                continue
            whole = io.BytesIO()
            np.save(whole, made, allow_pickle=True)
            members[f"{name}.npy"] = whole.getvalue()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for name, content in members.items():
                file.writestr(name, content)
        return path

    return change


WRONG = [
    ("correlated_t", "scale", float("inf"), "scale must be a finite number"),
    ("correlated_t", "scale", DELETED, "'scale' is missing"),
    ("correlated_t", "more", 1, "'more' is not a field"),
    ("correlated_t", "names", ["knn", "knn"], "names must be different names"),
    ("correlated_t", "names", ["knn"], "names must be a list of 2"),
    ("correlated_t", "names", ["knn", 3], "names.1 must be text"),
    ("correlated_t", "rope", [0.01, -0.01], "rope"),
    ("correlated_t", "notes", "none", "notes must be a list"),
    ("correlated_t", "diagnostics", None, "diagnostics must be an object"),
    ("correlated_t", "x", [1, 2], "x must be an array"),
    ("correlated_t", "scale", 0, "scale must be over 0, since the differences vary"),
    ("correlated_t", "engine", "", "engine must be the name of an engine"),
    ("correlated_t", "diagnostics.exact", False, "diagnostics.rhat must be a number"),
    ("correlated_t", "rope", [[-1, 1], [-1, 1]], "metrics must be 2 names"),
    ("robust_t", "diagnostics.exact", True, "diagnostics.exact must be false"),
    ("robust_t", "fit.draws.nu", DELETED, "fit must be draws of delta, sigma, nu"),
    ("hierarchical_t", "problem.data.q", "4", "problem.data.q must be"),
    ("sign", "prior", -1, "prior must be at least 0"),
    ("friedman", "size", 201, "size must be a multiple of 4"),
    ("friedman", "prior", DELETED, "prior must be a number for this test"),
    ("bradley_terry", "outcomes.ties", "odd", "outcomes.ties must be one of"),
    ("robust_t", "fit.draws.nu", {"array": "elsewhere"}, "must be an array in the file"),
    ("cluster_bootstrap", "answer.concentration", "a", "answer.concentration must be a finite"),
]


def test_one_line_names_the_field_and_the_version(saved):
    for kind, field, value, message in WRONG:
        path = saved(kind, {f"posterior.{field}": value})
        with pytest.raises(bc.InputError) as caught:
            bc.load(path)
        says = str(caught.value)
        assert says.startswith(f"{str(path)!r}, saved by bayescmp {bc.__version__}: ")
        assert message in says
        assert "\n" not in says


#: One algorithm was not run on a data set, one data set has a fold less; a gap within a run.
WITH_GAPS = np.random.default_rng(1).normal(0.8, 0.05, (6, 5, 3))
WITH_GAPS[1, :, 2] = WITH_GAPS[3, 4] = np.nan
GAP = np.zeros((6, 5, 3))
GAP[2, 1, 0] = np.nan

ARRAYS = [
    ("correlated_t", "x", DELETED, "x must be an array in the file"),
    ("correlated_t", "x", np.full(10, "a"), "x must be an array of numbers"),
    ("correlated_t", "x", np.ones((2, 5)), "x must be an array of 1 dimensions"),
    ("correlated_t", "x", np.array([{}, 1], dtype=object), "Object arrays cannot be loaded"),
    ("hierarchical_t", "problem.order", np.array([0, 0, 1, 2]), "order must be each number"),
    ("hierarchical_t", "problem.data.xbar", np.ones(4), "problem.data.xbar must be the value"),
    ("hierarchical_t", "problem.step", np.ones(3), "must be of length 4 along dataset"),
    ("robust_t", "fit.draws.nu", np.ones((2, 3)), "along draw"),
    ("confusion", "counts", np.full((2, 4), -1), "counts must be at least 0"),
    ("bootstrap with gaps", "x", WITH_GAPS + GAP, "scores must have all folds of a data set"),
]


#: Kinds of which arrays are changed.
MORE = {
    "confusion": WAYS["confusion"],
    "bootstrap with gaps": lambda: bc.bayesian.bootstrap(
        WITH_GAPS, rho=0.2, rope=0.01, draws=400, seed=1
    ),
}


@each_row(("kind", "array", "value", "message"), ARRAYS)
def test_arrays_that_cannot_be(saved, kind, array, value, message):
    with pytest.raises(bc.InputError, match=message):
        bc.load(saved(kind, arrays={array: value}))


def test_a_later_version_is_named(saved):
    path = saved("correlated_t", {"test": "quantum_t", "bayescmp": "9.1"})
    with pytest.raises(bc.InputError, match=r"saved by bayescmp 9\.1: test .*quantum_t.*later"):
        bc.load(path)


def _facts(text):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(FACTS, text)
    return whole.getvalue()


def _array_that_lies():
    """A small member whose header promises 80 TB."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10**7, 10**6)}
    )
    whole = io.BytesIO(_facts('{"bayescmp": "1", "test": "sign", "posterior": {}}'))
    with zipfile.ZipFile(whole, "a") as file:
        file.writestr("z.npy", header.getvalue())
    return whole.getvalue()


FOREIGN = {
    "text": lambda: b"accuracy,fold\n",
    "another zip file": lambda: _facts("[]").replace(FACTS.encode(), b"other.json"),
    "a number": lambda: _facts("3"),
    "nesting": lambda: _facts("[" * 100_000),
    "a bomb": lambda: _facts(" " * 2**28),
    "an array of 80 TB": _array_that_lies,
}


@each_row("what", FOREIGN)
def test_a_foreign_or_hostile_file_is_refused_at_once(what, tmp_path):
    path = tmp_path / "posterior.npz"
    path.write_bytes(FOREIGN[what]())
    started = time.process_time()
    with pytest.raises(bc.InputError, match="does not hold a posterior saved by") as caught:
        bc.load(path)
    assert time.process_time() - started < 1
    assert "\n" not in str(caught.value)


DAMAGED = """
import sys, time
from pathlib import Path
import bayescmp as bc
path, step = Path(sys.argv[1]), int(sys.argv[2])
right, whole = str(bc.load(path)), path.read_bytes()
for at in range(0, len(whole), step):
    for damaged in (whole[:at] + bytes(40) + whole[at + 40 :], whole[:at]):
        path.write_bytes(damaged)
        start = time.process_time()
        try:
            found = "as saved" if str(bc.load(path)) == right else "another posterior"
        except bc.InputError as error:
            found = "one line" if "\\n" not in str(error) else "several lines"
        print(found if time.process_time() - start < 1 else "too slow")
"""


def test_damaged_and_truncated_files_are_refused_in_one_line_at_once(tmp_path):
    """Zeros as a failing disk leaves them; time stamps are no part of the posterior."""
    path = tmp_path / "posterior.npz"
    KINDS["bootstrap"]().save(path)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", DAMAGED, path, "30"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert set(done.stdout.splitlines()) <= {"as saved", "one line"}
    assert done.stdout.count("one line") > 0.9 * done.stdout.count("\n")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(bc.InputError, match="does not exist"):
        bc.load(tmp_path / "posterior.npz")


def test_saving_where_it_is_not_allowed(tmp_path):
    with pytest.raises(bc.InputError, match="there is no directory"):
        KINDS["correlated_t"]().save(tmp_path / "no" / "such" / "place.npz")
