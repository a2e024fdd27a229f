"""The prior of the hierarchical test of several metrics."""

from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


POSITIVE = st.floats(1e-6, 1e6)
ENDS = st.tuples(POSITIVE, POSITIVE).map(sorted).map(tuple)
SCALES = st.none() | POSITIVE | st.tuples(POSITIVE, POSITIVE)


@st.composite
def priors(draw):
    """Any prior; many differ in one part only."""
    return MultivariatePrior(
        delta0_sd=draw(st.none() | SCALES),
        tau_scale=draw(st.none() | SCALES),
        tau_df=draw(st.just(3.0) | POSITIVE),
        lkj=draw(st.just(2.0) | POSITIVE),
        alpha=draw(st.just((0.5, 5.0)) | POSITIVE | ENDS),
        beta=draw(st.just((0.05, 0.15)) | POSITIVE | ENDS),
        within_df=draw(st.sampled_from([0.0, 0.0, 3.0]) | POSITIVE),
        within_sd=draw(POSITIVE | st.tuples(POSITIVE, POSITIVE)),
        tau_factor=draw(st.just(1000.0) | POSITIVE),
    )


def distribution(prior):
    """What the prior is: parts that others overrule are none of it."""
    overruled = {
        "tau_factor": 1.0 if prior.tau_scale is not None else prior.tau_factor,
        "within_sd": prior.within_sd if prior.within_df else None,
    }
    return dataclasses.replace(prior, **overruled)


@given(one=priors(), other=priors())
def test_two_priors_that_differ_never_read_the_same(one, other):
    assert (str(one) == str(other)) == (distribution(one) == distribution(other))
    nearly = dataclasses.replace(one, tau_df=math.nextafter(one.tau_df, math.inf))
    assert str(one) != str(nearly)


@pytest.mark.parametrize("name", [f.name for f in dataclasses.fields(MultivariatePrior)])
def test_every_part_is_printed(name):
    """Of a prior whose other parts are its own."""
    own = {"within_df": 3.0, "within_sd": 0.1}
    changed = {"alpha": 2.0, "beta": 0.1}.get(name, 0.25)
    assert str(MultivariatePrior(**own)) != str(MultivariatePrior(**{**own, name: changed}))


def test_the_scale_of_the_weak_prior_is_that_of_the_means():
    weak = MultivariatePrior.weakly_informative()
    assert "τ ~ half-t(3, scale 2.5 × the larger of the means' sd and standard error)" in str(weak)
