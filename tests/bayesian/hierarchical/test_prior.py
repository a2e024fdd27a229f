"""The prior of the hierarchical test: presets, checks, words."""

from __future__ import annotations

import pytest

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
