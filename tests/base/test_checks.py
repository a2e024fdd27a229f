"""Arguments that many functions share."""

import inspect

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
import bayescmp.bayesian as b
import bayescmp.frequentist as f
from bayescmp.base import checks
from bayescmp.base.checks import axes_of, check_paired, mapping_of
from bayescmp.curves import auc_interval
from bayescmp.errors import InputError
from tests.rows import each_row

A = np.array([0.80, 0.82, 0.81, 0.79, 0.83, 0.80])
B = A + np.array([0.02, 0.01, 0.03, 0.01, 0.02, 0.00])
TESTS = ("correlated_t", "hierarchical_t", "sign")


@each_row("name", TESTS)
def test_two_arrays_or_runs(name):
    test = getattr(bc.bayesian, name)
    for args, options in (((A, B), {"rope": 0.01}), ((B - A,), {"rope": 0.01, "runs": 2})):
        with pytest.raises(bc.InputError) as caught:
            test(*args, **options)
        call = f"{name}(bc.Differences.from_arrays(a, b, runs=10), rope=0.01)"
        assert call in str(caught.value)
    assert next(iter(inspect.signature(test).parameters)) == "x"


def test_from_arrays_with_runs():
    d = bc.Differences.from_arrays(A, B, runs=2)
    assert d.rho.tolist() == [1 / 3]
    assert d.x[0] == pytest.approx(B - A)
    same = bc.bayesian.correlated_t(B - A, rho=1 / 3, rope=0.01).verdict()
    result = bc.bayesian.correlated_t(d, rope=0.01).verdict()
    assert result.p_right == pytest.approx(same.p_right, abs=1e-12)
    several = bc.Differences.from_arrays([A, A[:4]], [B, B[:4]], runs=2)
    assert several.rho.tolist() == [1 / 3, 1 / 2]


@each_row(
    ("options", "message"),
    [
        ({}, "Differences.from_arrays(first, second, runs=10)"),
        ({"runs": 4}, "runs must divide the scores of a row"),
        ({"runs": 0}, "runs must be a whole number"),
        ({"runs": 2, "rho": 0.1}, "rho must be left out with runs"),
    ],
)
def test_bad_runs(options, message):
    with pytest.raises(bc.InputError) as caught:
        bc.Differences.from_arrays(A, B, **options)
    assert message in str(caught.value)


def test_numbers_are_a_copy():
    x = np.arange(3.0)
    copy = checks.read_numbers(x, "x", "(n,)")
    copy[0] = 9
    assert x[0] == 0
    with pytest.raises(InputError, match=r"x must be numbers, .*: \(n,\)"):
        checks.read_numbers([[1], [2, 3]], "x", "(n,)")


def test_finite_names_the_first_place():
    values = np.array([[1.0, np.inf], [np.nan, 2.0]])
    with pytest.raises(InputError, match=r"x must be finite .got inf for cell 0, 1, and 1 more"):
        checks.check_finite(values, "x", lambda at: f"cell {at[0]}, {at[1]}")
    checks.check_finite(np.ones(3), "x", str)


@each_row(
    ("x", "message"),
    [
        ([1.0], "x must have at least 2 values for the test"),
        ([[1.0, 2.0]], r"got shape \(1, 2\)"),
        ([1.0, np.nan], r"got nan at place 1"),
        (["a", "b"], "x must hold real numbers"),
    ],
)
def test_vector_refuses(x, message):
    with pytest.raises(InputError, match=message):
        checks.check_vector(x)


def test_vector_is_a_copy():
    x = np.arange(3.0)
    actual = checks.check_vector(x)
    actual[0] = 9
    assert x.tolist() == [0, 1, 2]


def test_only_real_numbers_are_numbers():
    import scipy.sparse

    from bayescmp.base.checks import read_numbers

    cases = {
        "masked": np.ma.array([1.0, 2.0], mask=[True, False]),
        "complex": np.array([1j, 2]),
        "dates": np.array(["2020-01-01"], dtype="M8[D]"),
        "times": np.array([1, 2], dtype="m8[s]"),
        "text": ["0.1", "0.2"],
        "'0.1'": np.array(["0.1", 0.2], dtype=object),
        "sparse": scipy.sparse.csr_array([[1.0, 0.0]]),
    }
    for word, x in cases.items():
        with pytest.raises(InputError, match=word):
            read_numbers(x, "x", "numbers")
    assert read_numbers([True, 2, None], "x", "numbers").tolist()[:2] == [1, 2]


def test_a_mapping_and_a_series_are_by_name_and_places_are_not():
    assert mapping_of({1: 0.1, "b": 0.2}, "rope") == {"1": 0.1, "b": 0.2}
    assert mapping_of(pd.Series([0.1, 0.2], ["b", "a"]), "rope") == {"b": 0.1, "a": 0.2}
    for plain in (0.1, [0.1], np.ones(2), pd.Series([0.1, 0.2]), pd.DataFrame({"a": [1]})):
        assert mapping_of(plain, "rope") is None
    with pytest.raises(InputError, match=r"rope must have different names .*'a' twice"):
        mapping_of(pd.Series([0.1, 0.2], ["a", "a"]), "rope")


def test_only_labels_that_are_there_have_to_agree():
    x = pd.Series([1.0, 2.0], ["a", "b"])
    for other in (x, x.set_axis(x.index.astype("string")), [1, 2], np.ones(2), None, x[:1]):
        check_paired(x=x, y=other)
    with pytest.raises(InputError, match=r"x and y\[1\] must .* 'a' and 'b' at place 0"):
        check_paired(x=x, y=[x, x[::-1]])


def test_labels_of_xarray():
    table = pd.DataFrame([[1, 2]], ["r"], ["s", "t"]).stack().to_xarray()
    assert [list(axis) for axis in axes_of(table)] == [["r"], ["s", "t"]]
    assert axes_of([1]) == axes_of(np.ones(1)) == []


def test_rho():
    assert checks.check_rho(0.1).shape == ()
    assert checks.check_rho([0.1, 0.2], 2).tolist() == [0.1, 0.2]
    assert checks.one_rho(np.float64(0.25)) == 0.25
    assert checks.require_rho(0) == 0.0


@each_row(
    ("value", "message"),
    [
        ("a", "rho must be at least 0"),
        (1.0, r"rho must be at least 0"),
        ([0.1, 0.2], "must be one number"),
        ([[0.1]], "got shape"),
    ],
)
def test_one_rho_refuses(value, message):
    with pytest.raises(InputError, match=message):
        checks.one_rho(value)


def test_rho_of_the_wrong_length_or_missing():
    with pytest.raises(InputError, match=r"shape \(3,\) for 2 data sets"):
        checks.check_rho([0.1] * 3, 2)
    with pytest.raises(InputError, match="rho must be given for plain numbers"):
        checks.require_rho(None)


def test_names():
    assert checks.check_names(None) == ("first", "second")
    assert checks.check_names((1, "b")) == ("1", "b")


@each_row("value", ["ab", 3, ("a",), ("a", "a")])
def test_names_refused(value):
    with pytest.raises(InputError, match=r"names(=| must)"):
        checks.check_names(value)


#: What no name is: empty, of several lines, with a null or another control character, missing.
NAMELESS = ["a\nb", None, b"a"]


@each_row("value", NAMELESS)
def test_labels_that_are_no_names(value):
    with pytest.raises(InputError, match=r"^metrics must hold names") as caught:
        checks.check_labels("metrics", ["a", value], 2)
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="names"):
        checks.check_names(("a", value))


def test_names_that_look_like_something_else():
    names = ("nan", "None", "NA", " a", "naïve", "模型", "a b", "0", "-")
    assert checks.check_labels("names", names, len(names)) == names


def test_labels():
    assert checks.check_labels("metrics", None, 2, "m") == ("m1", "m2")
    assert checks.check_labels("metrics", "auc", 1) == ("auc",)
    assert checks.check_labels("datasets", [1, 2], 2) == ("1", "2")
    with pytest.raises(InputError, match=r"metrics must be 2 different names"):
        checks.check_labels("metrics", ["a"], 2)
    with pytest.raises(InputError, match=r"metrics must have different names .*'a' twice"):
        checks.check_labels("metrics", ["a", "a"], 2)


def test_whole_numbers_one_or_several():
    assert checks.check_wholes("datasets", 5) == [5]
    assert checks.check_wholes("datasets", (10, 5.0, 10)) == [5, 10]
    for bad, message in (
        ([], "datasets must be one whole number"),
        ([3, 2.5], "datasets must be"),
        ("5", "datasets must be"),
        (1, "datasets must be a whole number of at least 2 "),
    ):
        with pytest.raises(InputError, match=message):
            checks.check_wholes("datasets", bad, 2)


def test_choice_suggests():
    assert checks.check_choice("alternative", "less", checks.ALTERNATIVES) == "less"
    with pytest.raises(InputError, match="Did you mean 'greater'"):
        checks.check_choice("alternative", "grater", checks.ALTERNATIVES)
    with pytest.raises(InputError, match=r"alternative must be .*\(got 3\)"):
        checks.check_choice("alternative", 3, checks.ALTERNATIVES)


@each_row("value", [3, 3.0, np.float32(3)])
def test_whole(value):
    assert checks.check_whole("n", value) == 3
    assert type(checks.check_whole("n", value)) is int


@each_row("value", [0, 2.5, True, [3]])
def test_whole_refuses(value):
    with pytest.raises(InputError, match=r"k must be a whole number of at least 1 "):
        checks.check_whole("k", value)


@each_row("value", [np.inf, 2**53 + 2, 10**7 + 1])
def test_too_many(value):
    with pytest.raises(InputError, match=r"n must be a whole number from 1 to 10,000,000 "):
        checks.check_whole("n", value)


def test_whole_and_what_each_holds():
    assert checks.check_whole("k", 10**12, most=2**53) == 10**12
    assert checks.check_whole("draws", 10**7, each=20) == 10**7
    with pytest.raises(InputError, match="draws must be a whole number from 1 to 2,0"):
        checks.check_whole("draws", 10**7, each=100)


@each_row("value", [0, -0.1, "a", True])
def test_level_refuses(value):
    assert checks.check_level(0.95) == 0.95
    with pytest.raises(InputError, match=r"prob must be a number between 0 and 1, exclusive"):
        checks.check_level(value, "prob")


def test_steps():
    assert np.isnan(checks.check_steps(None, (2,))).all()
    assert checks.check_steps(0.01, (2,)).tolist() == [0.01, 0.01]
    assert checks.check_steps([[0.1, np.nan]], (3, 2)).shape == (3, 2)


@each_row("value", [0, [0.1, 0.2, 0.3], "a"])
def test_steps_refuses(value):
    with pytest.raises(InputError, match=r"resolution must be a positive step, one or"):
        checks.check_steps(value, (2,))


def test_seed_of():
    assert checks.seed_of(2**31 - 1) == 2**31 - 1
    assert 0 <= checks.seed_of(None) < 2**31
    first, second = (checks.seed_of(np.random.default_rng(1)) for _ in range(2))
    assert first == second
    for bad in (-1, 1.5, True, "a", 2**31, 10**30):
        with pytest.raises(InputError, match="seed must be None, an integer from 0"):
            checks.seed_of(bad)


def test_generator():
    rng = np.random.default_rng(3)
    assert checks.make_generator(rng) is rng
    assert checks.make_generator(3).random() == np.random.default_rng(3).random()
    for seed in (-1, 1.5, "one", True):
        with pytest.raises(InputError, match="seed must be"):
            checks.make_generator(seed)


def test_processes():
    assert [checks.check_processes("n_jobs", n) for n in (None, 2, -1, np.int64(3))] == [
        None,
        2,
        -1,
        3,
    ]


@each_row("value", [0, 1.5, True, [2]])
def test_what_is_no_number_of_processes(value):
    with pytest.raises(InputError, match=r"n_jobs must be a number of processes, -1 for one"):
        checks.check_processes("n_jobs", value)


# Every door has its checker.

RNG = np.random.default_rng(0)
X, FOLDS, CELLS = RNG.normal(size=8), RNG.random((2, 6, 2)), RNG.random((6, 2))
LABELS = np.arange(20) % 2
LONG = pd.DataFrame(
    [
        {"dataset": d, "algorithm": a, "fold": k, "auc": RNG.random()}
        for d in "de"
        for a in "ab"
        for k in range(3)
    ]
)
ITEMS = pd.DataFrame(
    [
        {"model": m, "benchmark": "a", "item": f"{i}", "cluster": f"{i}", "score": i % 2}
        for m in "ab"
        for i in range(3)
    ]
)
SCORES = {"test_auc": [0.1, 0.2]}


def _framed(name, values=CELLS):
    return pd.DataFrame(values, columns=[name, "b"])


NAMED = {
    "Differences": lambda n: bc.Differences(X, rho=0.1, names=(n, "b")),
    "their rows": lambda n: bc.Differences([X, X], rho=0.1, datasets=(n, "b")),
    "Scores": lambda n: bc.Scores(LONG.replace({"algorithm": {"a": n}})),
    "their data sets": lambda n: bc.Scores(LONG.replace({"dataset": {"d": n}})),
    "their metrics": lambda n: bc.Scores(LONG.rename(columns={"auc": n})),
    "wide": lambda n: bc.Scores(_framed(n).assign(dataset=list("uvwxyz")), metric="auc"),
    "means": lambda n: bc.Scores.from_means(_framed("a").set_axis([n, *"vwxyz"])),
    "arrays": lambda n: bc.Scores.read({n: [0.1, 0.2], "b": [0.3, 0.1]}, resampling="2-fold"),
    "cross_validate": lambda n: bc.Scores.from_cv_results({n: SCORES, "b": SCORES}, folds=2),
    "its data sets": lambda n: bc.Scores.from_cv_results({n: {"b": SCORES}}, folds=2),
    "Blocks": lambda n: bc.Blocks(FOLDS, algorithms=(n, "b")),
    "their metrics too": lambda n: bc.Blocks(FOLDS, metrics=(n, "b")),
    "their data set": lambda n: bc.Blocks(FOLDS, dataset=n),
    "friedman": lambda n: f.friedman(_framed(n).assign(c=0.5)),
    "rows of friedman": lambda n: f.friedman(_framed("a").assign(c=0.5).set_axis([n, *"vwxyz"])),
    "tukey": lambda n: f.tukey(CELLS.T, names=(n, "b")),
    "hotelling": lambda n: f.hotelling_paired(CELLS, metrics=(n, "b")),
    "delong": lambda n: f.delong(LABELS, RNG.random(20), RNG.random(20), names=(n, "b")),
    "cochran": lambda n: f.cochran_q(LABELS.reshape(10, 2), names=(n, "b")),
    "wins": lambda n: f.WinsTable.from_counts([[0, 1], [2, 0]], 3, names=(n, "b")),
    "runs": lambda n: f.aggregate_runs({n: CELLS, "b": CELLS}, resamples=10),
    "correlated_t": lambda n: b.correlated_t(X, rho=0.1, rope=0.1, names=(n, "b")),
    "groups": lambda n: b.groups(FOLDS[..., 0], rho=0.1, rope=0.1, names=(n, "b")),
    "bootstrap": lambda n: b.bootstrap(_framed(n), rope=0.1, draws=10),
    "bradley_terry": lambda n: b.bradley_terry(
        pd.DataFrame([[0, 1], [2, 0]], index=[n, "b"], columns=[n, "b"])
    ),
    "matches": lambda n: b.bradley_terry(pd.DataFrame({"winner": [n, "b"], "loser": ["b", n]})),
    "plackett_luce": lambda n: b.plackett_luce([[n, "b"], ["b", n]]),
    "run_experiment": lambda n: bc.run_experiment({n: None}, {"d": (CELLS, LABELS[:6])}, cv=2),
    **{
        f"Items, {part}": lambda n, part=part: bc.Items(
            ITEMS.assign(**{part: ITEMS[part].replace({"a": n, "0": n})})
        )
        for part in ("model", "benchmark", "item", "cluster")
    },
}


@each_row("door", list(NAMED.values())[::2], ids=list(NAMED)[::2])
def test_no_door_takes_a_name_that_is_none(door):
    for name in ("", " ", "a\nb", "a\0b"):
        with pytest.raises(InputError, match=r"must (hold|be|have)") as caught:
            pytest.fail(f"{name!r} is taken for {door(name)}")
        assert "\n" not in str(caught.value)


COUNTED = {
    "critical_difference": lambda n: f.critical_difference(n, 10),
    "auc_interval": lambda n: auc_interval(0.8, n, 10),
    "its errors": lambda n: auc_interval(0.8, 9, 9, method="cortes-mohri", errors=n),
    "seeds": bc.Resampling.seeds,
    "random splits": lambda n: bc.Resampling.random_splits(0.2, repeats=n),
    "from_counts": lambda n: f.WinsTable.from_counts([[0, 1], [0, 0]], n),
    "multiple_sign": lambda n: f.multiple_sign(RNG.random((8, 3)), control=0, resamples=n),
    "mardia": lambda n: f.mardia(RNG.normal(size=(30, 2)), simulations=n),
    "adjust": lambda n: f.adjust([0.01, 0.02, 0.03], "shaffer", n_algorithms=n),
    "underline": lambda n: f.nemenyi(RNG.random((8, 3))).underline(digits=n),
    "plan": lambda n: bc.plan(delta0=0, sigma0=0.01, rope=0.01, rho=0.1, datasets=n),
    "calibrate": lambda n: bc.calibrate(rope=0.01, rho=0.1, datasets=n),
    "report": lambda n: bc.report(bc.Scores(LONG), "never.html", rope=0.01, in_full=n),
}


@each_row("door", COUNTED.values(), ids=COUNTED)
def test_no_door_takes_a_count_that_is_none(door):
    for count in (2.5, np.inf, np.nan, True, "3", 1e300):
        with pytest.raises(InputError, match=r" must be"):
            pytest.fail(f"{count!r} is taken for {door(count)}")


SEEDED = {
    "correlated_t": lambda s: b.correlated_t(X, rho=0.1, rope=0.1, seed=s),
    "signed_rank": lambda s: b.signed_rank(X, rope=0.1, draws=100, seed=s),
    "bootstrap": lambda s: b.bootstrap(CELLS, rope=0.1, draws=100, seed=s),
    "groups": lambda s: b.groups(FOLDS[..., 0], rho=0.1, rope=0.1, seed=s),
    "compare_all": lambda s: bc.compare_all(bc.Scores(LONG), rope=0.01, seed=s, test="sign"),
}


@each_row("door", [d for n, d in SEEDED.items() if n != "compare_all"])
def test_the_seed_that_is_reported_is_the_one_that_was_given(door):
    assert door(2**31 - 1).seed == 2**31 - 1


@each_row("door", SEEDED.values(), ids=SEEDED)
def test_no_seed_is_taken_for_another(door):
    with pytest.raises(InputError, match="seed must be"):
        door(2**31)
