"""The prior of the hierarchical test: presets, checks, words."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.bayesian import HierarchicalPrior


def test_presets_are_those_of_the_papers():
    """Corani et al. 2017, section 3; Benavoli et al. 2017 and the Stan program of its packages."""
    corani, benavoli = HierarchicalPrior.corani2017(), HierarchicalPrior.benavoli2017()
    assert (corani.alpha, corani.beta) == ((0.5, 5.0), (0.05, 0.15))
    assert (benavoli.alpha, benavoli.beta) == ((1.0, 2.0), (0.01, 0.1))
    assert not corani.largest_difference
    assert benavoli.largest_difference
    for prior in (corani, benavoli):
        assert (prior.sigma0_factor, prior.sigma_factor) == (1000, 1000)


@pytest.mark.parametrize(
    "options",
    [{"alpha": (2, 1)}, {"beta": (0, 1)}, {"nu_offset": 2}, {"delta0_bound": -1},
     {"sigma_factor": 0}, {"sigma0_factor": float("inf")}],
)  # fmt: skip
def test_bad_priors(options):
    (name,) = options
    with pytest.raises(bc.InputError, match=f"{name}=.*accepted"):
        HierarchicalPrior(**options)


def test_to_dict_gives_the_prior_back():
    prior = HierarchicalPrior(alpha=(1, 3), delta0_bound=0.5, name="mine")
    assert HierarchicalPrior(**prior.to_dict()) == prior


POSITIVE = st.floats(1e-6, 1e6)
ENDS = st.tuples(POSITIVE, POSITIVE).map(sorted).map(tuple)


@st.composite
def priors(draw):
    """Any prior; many differ in one part only."""
    return HierarchicalPrior(
        alpha=draw(st.sampled_from([(0.5, 5.0), (0.5, 0.5)]) | ENDS),
        beta=draw(st.sampled_from([(0.05, 0.15)]) | ENDS),
        nu_offset=draw(st.sampled_from([0.0, 1.0]) | st.floats(0, 1)),
        delta0_bound=draw(st.none() | POSITIVE),
        largest_difference=draw(st.booleans()),
        sigma0_factor=draw(st.sampled_from([1000.0]) | POSITIVE),
        sigma_factor=draw(st.sampled_from([1000.0]) | POSITIVE),
    )


def distribution(prior):
    """What the prior is: a bound that is given leaves no rule for one."""
    return dataclasses.replace(
        prior, largest_difference=prior.largest_difference and prior.delta0_bound is None
    )


@given(one=priors(), other=priors(), bound=POSITIVE)
def test_two_priors_that_differ_never_read_the_same(one, other, bound):
    same = distribution(one) == distribution(other)
    assert (str(one) == str(other)) == same
    nearly = dataclasses.replace(one, sigma_factor=math.nextafter(one.sigma_factor, math.inf))
    assert str(one) != str(nearly)
    resolved = [p.in_words(bound, bound, bound) for p in (one, other)]
    assert (resolved[0] == resolved[1]) == same


@pytest.mark.parametrize(
    ("span", "options", "rule"),
    [
        (1.0, {}, "U(-1, 1) [range of the metric], σ0"),
        (None, {}, "U(-0.05, 0.05) [max|x|], σ0"),
        (1.0, {"largest_difference": True}, "U(-0.05, 0.05) [max|x|], σ0"),
        (0.02, {}, "U(-0.05, 0.05) [max|x|], σ0"),  # a range that the differences exceed
        (1.0, {"delta0_bound": 0.3}, "U(-0.3, 0.3), σ0"),
    ],
)
def test_a_fit_says_by_which_rule_it_has_its_bound(span, options, rule):
    x = [[0.02, 0.03, 0.01, 0.04], [0.01, 0.0, 0.02, 0.01], [0.03, 0.05, 0.02, 0.03]]
    d = bc.Differences(x, rho=0.25, span=span, metric="accuracy")
    posterior = bc.bayesian.hierarchical_t(
        d, rope=0.01, engine="quadrature", prior=HierarchicalPrior(**options)
    )
    assert f"custom: δ0 ~ {rule}" in posterior.prior_text
    shown = str(posterior).splitlines()
    assert max(map(len, shown)) <= 99
    assert "custom: δ0" in shown[1]
    assert " ".join(" ".join(shown[1:4]).split()).startswith(f"prior {posterior.prior_text[:150]}")


def test_where_the_means_agree_the_bound_of_the_spread_is_that_of_their_errors():
    """Bounds by hand: 1000 sd of the means, or 100 standard errors where that is more."""
    x = [[0.02, 0.03, 0.01, 0.04]] * 3
    posterior = bc.bayesian.hierarchical_t(
        bc.Differences(x, rho=0.25), rope=0.01, engine="quadrature"
    )
    within = np.std(x[0], ddof=1)
    error = within * np.sqrt((1 + 3 * 0.25) / (4 * 0.75))
    assert (
        f"σ0 ~ U(0, {100 * error:.4g}) [1000 × sd of the means, or 100 standard errors of a mean "
        f"if larger], σ_i ~ U(0, {1000 * within:.4g})"
    ) in posterior.prior_text
