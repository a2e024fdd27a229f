"""The prior of the hierarchical test of several metrics."""

from __future__ import annotations

import pytest

import bayescmp as bc
from bayescmp.bayesian import MultivariatePrior


@pytest.mark.parametrize(
    ("options", "message"),
    [({"lkj": 0}, "lkj=0"), ({"tau_scale": -1}, "tau_scale"), ({"within_df": -1}, "within_df=-1"),
     ({"within_df": 3}, "within_sd is missing")],
)  # fmt: skip
def test_bad_priors(options, message):
    with pytest.raises(bc.InputError, match=message):
        MultivariatePrior(**options)
