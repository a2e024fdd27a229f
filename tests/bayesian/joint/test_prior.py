"""The prior of the joint test."""

from __future__ import annotations

import pytest

import bayescmp as bc
from bayescmp.bayesian.joint.prior import JointPrior


@pytest.mark.parametrize(
    ("sizes", "columns"), [((3, 50), 1), ((8, 14), 3), ((20, 3), 2), ((4, 2), 1), ((2, 9), 0)]
)
def test_factors_are_no_more_than_there_can_be(sizes, columns):
    assert JointPrior().columns(*sizes) == columns


def test_text_names_everything_that_can_be_set():
    text = str(JointPrior(scale_median=20.0, alpha=(1.0, 2.0)))
    assert "N(log 20, 1.5)" in text
    assert "U(1, 2)" in text


@pytest.mark.parametrize(
    ("option", "says"),
    [({"scale_sd": 0}, "scale_sd=0"), ({"mean_floor": -1}, "mean_floor=-1"),
     ({"beta": (0.2, 0.1)}, r"beta=\(0.2, 0.1\)"),
     ({"factors": -1}, "factors=-1")],
)  # fmt: skip
def test_bad_priors_are_refused(option, says):
    with pytest.raises(bc.InputError, match=says):
        JointPrior(**option)


@pytest.mark.parametrize(
    "options",
    [{"factors": 1}, {"scale_median": 30.5}, {"scale_sd": 1.6}, {"factor_scale": 1.0},
     {"mean_scale": 9.0}, {"mean_floor": 0.1}, {"alpha": (0.5, 4.0)},
     {"beta": (0.05, 0.2)}, {"nu_offset": 2.0}],
)  # fmt: skip
def test_every_part_is_printed(options):
    assert str(JointPrior(**options)) != str(JointPrior())
