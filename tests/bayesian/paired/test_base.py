"""What the tests of one data set share: reading it, and the spread of equal differences."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian.paired.base import dataset_name, one_dataset, spread_of


def test_bare_numbers_have_no_name_and_differences_do():
    x = [0.1, 0.2, 0.4]
    named = bc.Differences([x], rho=0.1, datasets=["iris"])
    assert dataset_name(one_dataset(x, 0.1, None, None), x) == ""
    assert dataset_name(one_dataset(named, None, None, None), named) == "iris"


def test_options_override_those_of_differences():
    named = bc.Differences([[0.1, 0.2]], rho=0.1, names=("a", "b"), resolution=0.05)
    d = one_dataset(named, 0.3, ("b", "a"), 0.01)
    assert (d.rho[0], d.names, d.resolution[0]) == (0.3, ("b", "a"), 0.01)
    assert d.x[0].tolist() == [-0.1, -0.2]
    d = one_dataset(named, None, None, None)
    assert (d.rho[0], d.names, d.resolution[0]) == (0.1, ("a", "b"), 0.05)


@pytest.mark.parametrize(
    ("x", "least", "message"),
    [
        ([[0.1, 0.2], [0.3, 0.4]], 2, "2 data sets, this test takes one"),
        ([0.1], 2, "1 difference for data set '1'; at least 2"),
        ([0.1, 0.2], 3, "2 differences for data set '1'; at least 3"),
    ],
)
def test_what_is_refused(x, least, message):
    with pytest.raises(bc.InputError, match=message):
        one_dataset(x, 0.1, None, None, least)


def test_the_sum_of_squares_is_numpys_unless_all_are_equal():
    x = [0.1, 0.2, 0.4]
    ss, notes = spread_of(one_dataset(x, 0.1, None, None))
    assert ss == pytest.approx(np.var(x) * 3)
    assert notes == ()


def test_equal_differences_have_the_spread_of_rounding_to_the_resolution():
    """A rounding error is uniform on ±h/2, of variance h²/12."""
    ss, notes = spread_of(one_dataset([0.1] * 6, 0.1, None, 0.02))
    assert ss == pytest.approx(6 * 0.02**2 / 12)
    assert "h = 0.02" in notes[0]
