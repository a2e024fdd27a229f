"""The lines of the catalogue: whole, checked, and found by name."""

from __future__ import annotations

import inspect
from importlib.metadata import EntryPoint

import pytest

import bayescmp as bc
from bayescmp import catalogue
from bayescmp.catalogue import BAYESIAN, FREQUENTIST, BayesianTest, FrequentistTest, lines
from bayescmp.references import REFERENCES
from tests.test_catalogue import plain_t, signed_t


@pytest.mark.parametrize("test", BAYESIAN.values(), ids=lambda t: t.name)
def test_every_line_is_whole(test):
    """Functions take what they are given, and there is something to say and to cite."""
    parameters = inspect.signature(test.call).parameters
    assert {"rope", "seed"} <= set(parameters)
    assert test.says.startswith("the ")
    assert set(test.cites) <= set(REFERENCES)
    assert not {"x", "xs", "rope", "seed", "names", "rho"} & test.options()
    for twin in catalogue.twins_of(test):
        assert FREQUENTIST[twin.name, twin.scope] is twin


@pytest.mark.parametrize(
    ("test", "message"),
    [
        (BayesianTest("sign", plain_t, "sign"), "there is a Bayesian test 'sign' already"),
        (BayesianTest("a", plain_t, "a", cites=("corani2071",)), "did you mean 'corani2017'"),
        (BayesianTest("a", plain_t, "a", twins=("wilcoxn",)), "did you mean 'wilcoxon'"),
        (FrequentistTest("a", signed_t, "a", "data sets"), "unknown scope 'data sets'"),
        (FrequentistTest("quade", signed_t, "a", "table"), "'quade' of 'table' already"),
    ],
)
def test_bad_lines_are_refused(test, message):
    before = list(BAYESIAN), list(FREQUENTIST)
    with pytest.raises(bc.InputError, match=message):
        catalogue.register(test)
    assert (list(BAYESIAN), list(FREQUENTIST)) == before


def test_installed_packages_announce_their_tests(monkeypatch):
    """An entry point of the group bayescmp.tests is registered before the catalogue is read."""
    entry = EntryPoint("later_t", "tests.catalogue.test_lines:LATER", "bayescmp.tests")
    monkeypatch.setattr(lines, "entry_points", lambda group: [entry])
    lines._load_installed.cache_clear()
    try:
        assert "later_t" in [t.name for t in catalogue.bayesian_tests()]
    finally:
        catalogue.unregister("later_t")


LATER = BayesianTest("later_t", plain_t, "later t", twins=("paired_t",))


def test_installed_tests_are_preferred_to_none(monkeypatch):
    """What is built in comes first, and then nothing installed is looked for."""
    asked = []
    monkeypatch.setattr(lines, "_load_installed", lambda: asked.append(True))
    assert catalogue.preferred(catalogue.Sizes(datasets=3)) is BAYESIAN["hierarchical_t"]
    assert asked == []
    assert catalogue.preferred(catalogue.Sizes(folds=1)) is None
    assert asked == [True]


def test_titles():
    assert catalogue.title("signed_rank") == "signed rank"
    assert catalogue.title("wilcoxon") == "Wilcoxon"
    assert catalogue.title("nothing_known") == "nothing known"


@pytest.mark.parametrize("test", FREQUENTIST.values(), ids=lambda t: f"{t.name}, {t.scope}")
def test_a_test_of_equivalence_beside_another_takes_the_rope(test):
    """It is of the same scope, and says what a small p-value speaks for."""
    assert test.claims in ("difference", "equivalence")
    parameters = inspect.signature(test.call).parameters
    assert ("rope" in parameters) == (test.claims == "equivalence")
    if test.equivalence:
        assert FREQUENTIST[test.equivalence, test.scope].claims == "equivalence"


def test_a_test_of_runs_that_do_not_pair_is_never_chosen_for_folds():
    assert BAYESIAN["two_sample_t"].fits(catalogue.Sizes(paired=False))
    assert not BAYESIAN["correlated_t"].fits(catalogue.Sizes(paired=False))
