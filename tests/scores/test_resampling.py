"""Designs in words, and the sentence beside every result."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.scores.resampling import UNCHECKED, Resampling, explain_rho
from tests.rows import each_row


@each_row("text", ["5x4-fold", "10x3-fold", "5 x 20 folds", "10×4cv"])
def test_folds_and_repeats_that_may_be_swapped_are_asked_about(text):
    """Both spellings of the message are understood, and are the two readings."""
    first, second = map(int, re.findall(r"\d+", text))
    with pytest.raises(bc.InputError) as caught:
        Resampling.read(text)
    offered = re.findall(r"'([^']*)'", str(caught.value).partition("Use ")[2])
    designs = [Resampling.read(spec) for spec in offered]
    assert [(d.folds, d.repeats) for d in designs] == [(second, first), (first, second)]
    assert Resampling.read(designs[0].spec) == designs[0]


@each_row(
    ("text", "folds", "repeats"),
    [
        ("10x10-fold", 10, 10),
        ("5x2cv", 2, 5),
        ("5x10-fold", 10, 5),
        ("10x5-fold", 5, 10),
        ("2x3-fold", 3, 2),
        ("5x5-fold", 5, 5),
        ("3x10-fold", 10, 3),
        ("4-fold, 5 repeats", 4, 5),
        ("4 folds, 5 times", 4, 5),
        ("10 folds 3 repeats", 10, 3),
    ],
)
def test_folds_and_repeats_that_are_plain(text, folds, repeats):
    assert Resampling.read(text) == Resampling.k_fold(folds, repeats=repeats)


@given(
    st.one_of(
        st.builds(
            lambda k, r: Resampling.k_fold(k, repeats=r),
            st.integers(2, 40),
            st.one_of(st.none(), st.integers(2, 9)),
        ),
        st.floats(0.01, 0.99).map(Resampling.random_splits),
        st.floats(0, 0.99).map(Resampling.bootstrap),
        st.floats(0, 0.99).map(Resampling.windows),
        st.floats(0, 0.99).map(Resampling.given),
        st.integers(3, 40).map(Resampling.one_test_set),
        st.sampled_from(
            [Resampling.seeds(), Resampling.independent(), Resampling.leave_one_out()]
        ),
    )
)
def test_words_come_back_as_the_same_design(design):
    assert Resampling.read(design.spec) == design


def test_sentence_of_many_designs():
    designs = [Resampling.k_fold(k) for k in (2, 3, 4, 4)]
    message = explain_rho(np.array([d.rho for d in designs]), designs)
    assert (
        message == "rho 0.25 to 0.5: 4 folds, as declared (2 data sets); 2 folds, as declared; ..."
    )


@pytest.mark.parametrize(
    ("design", "words"),
    [
        (Resampling.k_fold(10, repeats=10), "rho 0.1: 10 folds, 10 repeats, as declared"),
        (Resampling.random_splits(1 / 3), "rho 0.333: random splits, 33.3% tested, as declared"),
        (Resampling.given(0.25), "rho 0.25: as given"),
        (Resampling.one_test_set(10), "rho 0.889: one test set, 10 training sets, as declared"),
        (Resampling("given", 0.5, evidence="labels"), "rho 0.5: as the table says"),
    ],
)
def test_words(design, words):
    assert str(design) == words
    assert design.to_dict()["rho"] == design.rho


@each_row(
    "make",
    [
        lambda: Resampling.k_fold(1),
        lambda: Resampling.k_fold(10, repeats=0),
        lambda: Resampling.random_splits(1.0),
        lambda: Resampling.one_test_set(2),
        lambda: Resampling.bootstrap(1.0),
        lambda: Resampling.windows(-0.1),
    ],
)
def test_numbers_out_of_range(make):
    with pytest.raises(bc.InputError):
        make()


def test_the_sentence_counts_designs_however_many_objects_they_are():
    apart = [Resampling.k_fold(5) for _ in range(3)]
    shared = [Resampling.k_fold(10)] * 2
    rho = np.array([d.rho for d in (*shared, *apart)])
    assert explain_rho(rho, [*shared, *apart]) == (
        "rho 0.1 to 0.2: 5 folds, as declared (3 data sets); 10 folds, as declared (2 data sets)"
    )


@each_row(
    ("make", "value"),
    [
        (lambda v: Resampling.seeds(v), "x"),
        (lambda v: Resampling.random_splits(0.2, repeats=v), 2.5),
        (lambda v: Resampling.random_splits(0.2, repeats=v), 0),
        (lambda v: Resampling.k_fold(5, repeats=v), np.inf),
        (lambda v: Resampling.k_fold(5, repeats=v), True),
        (lambda v: Resampling("k-fold", 0.1, v), [3]),
    ],
)
def test_numbers_of_folds_and_repeats_that_are_none(make, value):
    with pytest.raises(bc.InputError, match=r"(repeats|folds) must be a whole number"):
        make(value)


def test_designs_that_are_none():
    with pytest.raises(
        bc.InputError, match=r"design must be .*\(got 'k_fold'\)\. Did you mean 'k-fold'"
    ):
        Resampling("k_fold", 0.1)
    with pytest.raises(bc.InputError, match=r"evidence must be"):
        Resampling("k-fold", 0.1, evidence="guessed")
    with pytest.raises(bc.InputError, match="test_share must be"):
        Resampling.random_splits("x")


@each_row(
    "words",
    ["10-fold", "random splits 0.25", "seeds", "one test set 10", "windows rho 0.5", "rho 0.25"],
)
def test_a_doubt_is_written_and_read_again(words):
    design = Resampling.read(f"{words}, unchecked")
    assert design.unchecked
    assert design.spec == f"{words}, unchecked"
    assert str(design) == f"{Resampling.read(words)}; {UNCHECKED}"


def test_rho_from_sizes():
    assert bc.rho_from_sizes(90, 10) == pytest.approx(0.1)
    for size in (0, float("inf"), float("nan"), [90, -1]):
        with pytest.raises(bc.InputError, match=r"n_train must be positive sizes"):
            bc.rho_from_sizes(size, 10)
    with pytest.raises(bc.InputError, match="n_test must hold real numbers"):
        bc.rho_from_sizes(90, "10")
