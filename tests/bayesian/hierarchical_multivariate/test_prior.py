"""The prior of the hierarchical test of several metrics."""

from __future__ import annotations

import pytest

import bayescmp as bc
from bayescmp.bayesian import HierarchicalPrior, MultivariatePrior


@pytest.mark.parametrize(
    ("options", "message"),
    [({"lkj": 0}, "lkj=0"), ({"tau_scale": -1}, "tau_scale"), ({"within_df": -1}, "within_df=-1"),
     ({"within_df": 3}, "within_sd is missing"), ({"alpha": (2, 1)}, "alpha=\\(2, 1\\)"),
     ({"beta": (1, 2, 3)}, "beta="), ({"tau_factor": 0}, "tau_factor=0")],
)  # fmt: skip
def test_bad_priors(options, message):
    with pytest.raises(bc.InputError, match=message):
        MultivariatePrior(**options)


def test_the_default_of_nu_is_that_of_the_test_for_one_metric():
    several, one = MultivariatePrior(), HierarchicalPrior.corani2017()
    assert (several.alpha, several.beta) == (one.alpha, one.beta)
    assert several.tau_factor == one.sigma0_factor
    assert MultivariatePrior(alpha=2).alpha == (2.0, 2.0)


def test_priors_that_differ_never_print_the_same():
    weak = MultivariatePrior.weakly_informative()
    priors = [
        MultivariatePrior(), weak, MultivariatePrior(alpha=2.0), MultivariatePrior(beta=0.1),
        MultivariatePrior(tau_scale=0.1), MultivariatePrior(tau_scale=(0.1, 0.2)),
        MultivariatePrior(delta0_sd=0.5), MultivariatePrior(tau_df=4.0),
        MultivariatePrior(lkj=1.0),
        MultivariatePrior(within_df=3.0, within_sd=0.1),
        MultivariatePrior(within_df=3.0, within_sd=0.2),
    ]  # fmt: skip
    assert len({str(p) for p in priors}) == len(priors)
    assert "τ ~ half-t(3, scale 2.5 × sd of the means)" in str(weak)
