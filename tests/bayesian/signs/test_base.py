"""What holds of both tests on means: symmetries, reading, saving, words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.bayesian import sign, signed_rank


def p_of(posterior, rope=None):
    v = posterior.verdict(rope)
    return [v.p_left, v.p_rope, v.p_right]


ROWS = st.lists(st.integers(-30, 30), min_size=2, max_size=25).map(lambda v: np.array(v) / 100)
ROPE = st.sampled_from([0.0, 0.005, 0.01, 0.02, 0.1])
TEST = st.sampled_from([sign, signed_rank])
PLACES = st.sampled_from(["left", "rope", "right", "sides"])
MIRROR = {"left": "right", "right": "left", "rope": "rope", "sides": "sides"}


@given(TEST, ROWS, ROPE, PLACES)
def test_swap_order_units_sum(test, x, rope, place):
    """To the last draw, not only in distribution."""
    options = {"seed": 1, "prior": 0.5} if test is sign else {"seed": 1, "draws": 500}
    left, inside, right = p_of(test(x, rope=rope, place=place, **options))
    assert left + inside + right == pytest.approx(1, abs=1e-12)
    swapped = p_of(test(-x, rope=rope, place=MIRROR[place], **options))
    assert swapped == pytest.approx([right, inside, left], abs=1e-12)
    assert p_of(test(x[::-1], rope=rope, place=place, **options)) == [left, inside, right]
    scaled = p_of(test(x * 8, rope=rope * 8, place=place, **options))
    assert scaled == pytest.approx([left, inside, right], abs=1e-12)


@given(TEST, ROWS, st.lists(st.floats(0, 0.2), min_size=2, max_size=5).map(sorted))
def test_the_rope_gains_as_it_widens(test, x, widths):
    """Exactly, for every rope has the same weights. The sides need not fall: they also compete."""
    result = test(x, rope=0.01, draws=500, seed=1)
    p = result.rope_curve(widths)["p_rope"]
    assert (np.diff(p) >= -1e-9).all()


@pytest.mark.parametrize("test", [sign, signed_rank])
def test_all_differences_zero(test):
    assert p_of(test(np.zeros(5), rope=0.01, seed=1)) == pytest.approx([0, 1, 0], abs=1e-12)
    assert p_of(test(np.zeros(5), rope=0, seed=1)) == pytest.approx([0.5, 0, 0.5], abs=1e-12)


@pytest.mark.parametrize("test", [sign, signed_rank])
def test_two_data_sets_are_enough(test):
    left, _, right = p_of(test([0.1, 0.3], rope=0.01, seed=1))
    assert right > 0.5
    assert left == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("test", [sign, signed_rank])
@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        ([0.1], {}, r"one data set only \('1'\).*correlated_t"),
        ([], {}, "empty"),
        ([0.1, np.nan], {}, r"missing \(NaN\) for data set '2'"),
        ([0.1, np.inf], {}, "infinite"),
        (["a", "b"], {}, "not an array of numbers"),
        (0.1, {}, "x is float"),
        ([0.1, 0.2], {"rope": -1}, "negative"),
        ([0.1, 0.2], {"prior": -1}, "prior=-1"),
        ([0.1, 0.2], {"prior": "much"}, "prior is str"),
        ([0.1, 0.2], {"place": "middle"}, "unknown place 'middle'"),
        ([0.1, 0.2], {"draws": 1}, "draws=1"),
        ([0.1, 0.2], {"draws": 2.5}, "draws=2.5"),
        ([0.1, 0.2], {"seed": -1}, "seed=-1"),
    ],
)
def test_bad_input(test, x, options, message):
    with pytest.raises(bc.InputError, match=message):
        test(x, **{"rope": 0.01, **options})


def test_rows_are_averaged():
    rows = [[0.1, 0.3], [0.0, -0.1, 0.4]]
    given_rows = signed_rank(rows, rope=0.01, seed=1)
    assert given_rows.z == pytest.approx([0.2, 0.1])
    d = bc.Differences(rows, rho=0.1, names=("a", "b"), datasets=["iris", "wine"], metric="auc")
    posterior = signed_rank(d, rope=0.01, seed=1)
    assert (posterior.names, posterior.datasets, posterior.metric) == (
        ("a", "b"),
        ("iris", "wine"),
        "auc",
    )
    assert p_of(posterior) == p_of(given_rows)
    assert p_of(signed_rank(pd.Series([0.2, 0.1], index=["x", "y"]), rope=0.01, seed=1)) == (
        pytest.approx(p_of(posterior))
    )


@pytest.mark.parametrize("test", [sign, signed_rank])
def test_saved_and_read_again(test, tmp_path):
    d = bc.Differences([[0.1], [0.02], [-0.05]], rho=0, names=("a", "b"), datasets=list("xyz"))
    result = test(d, rope=0.01, prior=0.7, place="sides", draws=100, seed=3)
    result.save(tmp_path / "p.nc")
    again = bc.load(tmp_path / "p.nc")
    assert type(again) is type(result)
    assert p_of(again, 0.03) == p_of(result, 0.03)
    assert str(again) == str(result)
    assert result.to_arviz()["posterior"]["left"].shape == (1, 100)
    assert result.summary().loc["right", "mean"] == pytest.approx(result.masses()[..., 2].mean())


@pytest.mark.parametrize(
    ("test", "target"),
    [(sign, "on a new data set"), (signed_rank, "on the average of two new data sets")],
)
def test_explain_says_what_the_probability_is_of(test, target):
    v = test([0.1, 0.02, -0.05, 0.2], rope=0.01, seed=3, names=("knn", "gbm")).verdict()
    text = v.explain()
    for part in (f"the most probable outcome {target} is, with posterior probability",
                 "±0.01", "in the rope", "0.95",
                 f"The predictive probability that gbm is practically better than knn {target} is "
                 f"{v.expected['right']:.3f}"):  # fmt: skip
        assert part in text
    assert "rope" not in test([0.1, 0.2], rope=0).verdict().explain().split("Prior")[0]


def test_the_prior_in_words_knows_whether_there_is_a_rope():
    x = [0.1, 0.02, -0.05]
    for test, words in ((sign, "half on each side"), (signed_rank, "at zero")):
        result = test(x, rope=0.01)
        assert result.verdict().prior.endswith("in the rope")
        assert result.verdict(0).prior.endswith(words)
        assert test(x, rope=0).prior_text.endswith(words)


@given(TEST, ROWS, ROPE, ROPE, PLACES)
def test_a_verdict_under_another_rope_is_that_of_a_fit_with_it(test, x, own, other, place):
    options = {"seed": 1, "place": place, "draws": 500}
    asked, fitted = test(x, rope=own, **options), test(x, rope=other, **options)
    assert p_of(asked, other) == p_of(fitted)
    assert asked.verdict(other) == fitted.verdict()
