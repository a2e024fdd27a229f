"""Arguments that many functions share."""

from __future__ import annotations

import numpy as np
import pytest

from bayescmp import checks
from bayescmp.errors import InputError


def test_rho():
    assert checks.rho(0.1).shape == ()
    assert checks.rho([0.1, 0.2], 2).tolist() == [0.1, 0.2]
    assert checks.one_rho(np.float64(0.25)) == 0.25
    assert checks.require_rho(0) == 0.0


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("a", "is not a number"),
        (1.0, r"rho=1 is outside \[0, 1\)"),
        (-0.1, r"rho=-0.1 is outside"),
        (np.nan, "rho=nan is outside"),
        ([0.1, 0.2], "accepted: one number"),
        ([[0.1]], "has shape"),
    ],
)
def test_one_rho_refuses(value, message):
    with pytest.raises(InputError, match=message):
        checks.one_rho(value)


def test_rho_of_the_wrong_length_or_missing():
    with pytest.raises(InputError, match=r"shape \(3,\) for 2 data sets"):
        checks.rho([0.1] * 3, 2)
    with pytest.raises(InputError, match="rho is missing: plain numbers"):
        checks.require_rho(None)


def test_names():
    assert checks.names(None) == ("first", "second")
    assert checks.names((1, "b")) == ("1", "b")


@pytest.mark.parametrize("value", ["ab", 3, ("a",), ("a", "b", "c"), ("a", "a"), ("1", 1)])
def test_names_refused(value):
    with pytest.raises(InputError, match="names="):
        checks.names(value)


def test_labels():
    assert checks.labels("metrics", None, 2, "m") == ("m1", "m2")
    assert checks.labels("metrics", "auc", 1) == ("auc",)
    assert checks.labels("datasets", [1, 2], 2) == ("1", "2")
    with pytest.raises(InputError, match=r"metrics=\['a'\]; accepted: 2 different names"):
        checks.labels("metrics", ["a"], 2)
    with pytest.raises(InputError, match="metrics names 'a' twice"):
        checks.labels("metrics", ["a", "a"], 2)


def test_choice_suggests():
    assert checks.choice("alternative", "less", checks.ALTERNATIVES) == "less"
    with pytest.raises(InputError, match="did you mean 'greater'"):
        checks.choice("alternative", "grater", checks.ALTERNATIVES)
    with pytest.raises(InputError, match="unknown alternative 3"):
        checks.choice("alternative", 3, checks.ALTERNATIVES)


@pytest.mark.parametrize("value", [3, 3.0, np.int64(3), np.float32(3)])
def test_whole(value):
    assert checks.whole("n", value) == 3
    assert type(checks.whole("n", value)) is int


@pytest.mark.parametrize("value", [0, 2.5, True, "3", None, np.nan, np.inf, -1])
def test_whole_refuses(value):
    with pytest.raises(InputError, match=r"n=.*accepted: a whole number of at least 1"):
        checks.whole("n", value)


@pytest.mark.parametrize("value", [0, 1, -0.1, 1.5, "a", None, np.nan, True])
def test_level_refuses(value):
    assert checks.level(0.95) == 0.95
    with pytest.raises(InputError, match=r"prob=.*between 0 and 1, exclusive"):
        checks.level(value, "prob")


def test_steps():
    assert np.isnan(checks.steps(None, (2,))).all()
    assert checks.steps(0.01, (2,)).tolist() == [0.01, 0.01]
    assert checks.steps([[0.1, np.nan]], (3, 2)).shape == (3, 2)


@pytest.mark.parametrize("value", [0, -1, np.inf, [0.1, 0.2, 0.3], "a"])
def test_steps_refuses(value):
    with pytest.raises(InputError, match=r"resolution=.*accepted: a positive step, one or"):
        checks.steps(value, (2,))


def test_seed_of():
    assert checks.seed_of(2**31 + 5) == 5
    assert 0 <= checks.seed_of(None) < 2**31
    a, b = (checks.seed_of(np.random.default_rng(1)) for _ in range(2))
    assert a == b
    for bad in (-1, 1.5, True, "a"):
        with pytest.raises(InputError, match="seed="):
            checks.seed_of(bad)


def test_generator():
    rng = np.random.default_rng(3)
    assert checks.generator(rng) is rng
    assert checks.generator(3).random() == np.random.default_rng(3).random()
    for seed in (-1, 1.5, "one", True):
        with pytest.raises(InputError, match="seed="):
            checks.generator(seed)


def test_processes():
    assert checks.processes(None) is None
    assert [checks.processes(n) for n in (2, -1, np.int64(3))] == [2, -1, 3]


@pytest.mark.parametrize("value", [0, 1.5, "two", True, np.nan, [2]])
def test_what_is_no_number_of_processes(value):
    with pytest.raises(InputError, match=r"n_jobs=.*accepted: a number of processes, -1 for one"):
        checks.processes(value)
