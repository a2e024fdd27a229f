"""What a line says of a test: sizes, names, options, the side of an estimate."""

from __future__ import annotations

import dataclasses

import pytest

from bayescmp import catalogue, frequentist
from bayescmp.catalogue import BAYESIAN, FREQUENTIST


@pytest.mark.parametrize(
    ("sizes", "name"),
    [
        ({"datasets": 1, "folds": 10}, "correlated_t"),
        ({"datasets": 2, "folds": 2}, "hierarchical_t"),
        ({"datasets": 30, "folds": 1}, "signed_rank"),
        ({"metrics": 2, "datasets": 1, "folds": 10}, "multivariate_t"),
        ({"metrics": 4, "datasets": 2, "folds": 10}, "hierarchical_multivariate_t"),
        ({"metrics": 1, "algorithms": 4, "datasets": 1, "folds": 10}, "groups"),
    ],
)
def test_the_first_that_fits(sizes, name):
    fitting = [t.name for t in catalogue.bayesian_tests() if t.fits(catalogue.Sizes(**sizes))]
    assert fitting[0] == name


def test_nothing_fits_a_single_difference():
    sizes = catalogue.Sizes(datasets=1, folds=1)
    assert not [t.name for t in catalogue.bayesian_tests() if t.fits(sizes)]


def test_a_prior_goes_to_the_hierarchical_test_only():
    shared = {t.name for t in catalogue.bayesian_tests() if "prior" in t.shared_options()}
    assert shared == {"hierarchical_t"}
    assert "prior" in BAYESIAN["sign"].options()


def test_the_estimate_where_neither_is_better():
    """The sign test's estimate is a share of wins: one half favours neither."""
    half = frequentist.sign_test(5, 5)
    assert FREQUENTIST["sign_test", "datasets"].favours(half) == ""
    assert FREQUENTIST["sign_test", "datasets"].favours(frequentist.sign_test(6, 2)) == "second"
    assert FREQUENTIST["wilcoxon", "datasets"].favours(dataclasses.replace(half, estimate=-1.0)) \
        == "first"  # fmt: skip


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({"draws": 500, "prior": None}, {"draws": 500}),
        ({"engine": "auto", "progress": True}, {}),
    ],
)
def test_options_not_given_or_without_effect_are_dropped(options, kept):
    assert BAYESIAN["sign"].checked(options) == kept


def test_names():
    assert BAYESIAN["hierarchical_multivariate_t"].names == (
        "hierarchical_multivariate_t", "hierarchical_multivariate", "hierarchical",
        "hierarchical_t",
    )  # fmt: skip
