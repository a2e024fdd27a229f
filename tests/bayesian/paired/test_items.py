"""What the posteriors of two models on the same items share."""

from __future__ import annotations

import pytest

import bayescmp as bc
from bayescmp.bayesian import cluster_bootstrap, paired_proportions
from bayescmp.bayesian.paired.items import one_benchmark, source_of
from tests.items.tables import TWO

POSTERIORS = [
    paired_proportions([[40, 5], [14, 25]], rope=0.02, seed=1),
    cluster_bootstrap([0.1, 0.2, 0.0, 0.3, -0.1, 0.2, 0.15], rope=0.02, seed=1),
]


@pytest.mark.parametrize("posterior", POSTERIORS, ids=lambda p: p.kind)
@pytest.mark.parametrize("p", [1e-6, 0.025, 0.5, 0.9, 1 - 1e-6])
def test_quantiles_are_the_inverse_of_the_tails(posterior, p):
    at = posterior.quantile(p)
    assert posterior.tail(at, upper=False)[0] == pytest.approx(p, abs=1e-9)
    assert posterior.tail(at, upper=True)[0] == pytest.approx(1 - p, abs=1e-9)


@pytest.mark.parametrize("posterior", POSTERIORS, ids=lambda p: p.kind)
@pytest.mark.parametrize("p", [0, 1, -0.1, 1.5])
def test_quantiles_are_of_probabilities(posterior, p):
    with pytest.raises(bc.InputError, match="accepted: a number between 0 and 1"):
        posterior.quantile(p)


@pytest.mark.parametrize("posterior", POSTERIORS, ids=lambda p: p.kind)
def test_the_verdict_is_of_three_regions(posterior):
    verdict = posterior.verdict()
    assert sum(verdict.probabilities.values()) == pytest.approx(1, abs=1e-12)
    assert verdict.exact
    assert posterior.verdict(rope=0).p_rope == 0
    assert verdict.mean_interval == ((posterior.quantile(0.025), posterior.quantile(0.975)),)
    assert posterior.rope_curve([0, 0.1])["p_rope"].is_monotonic_increasing


@pytest.mark.parametrize("posterior", POSTERIORS, ids=lambda p: p.kind)
def test_it_is_drawn(posterior):
    ax = posterior.plot()
    assert ax.get_xlabel().startswith("mean improvement of second over first")


def test_one_benchmark_at_a_time():
    pair = bc.Items(TWO).pair("a", "b")
    assert one_benchmark(pair.on("x"), "this test").benchmarks == ("x",)
    with pytest.raises(bc.InputError, match="x has 2 benchmarks, this test takes one"):
        one_benchmark(pair, "this test")


def test_names_are_those_of_the_pair_or_as_given():
    pair = bc.Items(TWO).pair("a", "b").on("x")
    assert source_of(pair, None)["names"] == ("a", "b")
    assert source_of(pair, ["c", "d"])["names"] == ("c", "d")
    assert source_of([1, 2], None) == {"names": ("first", "second"), "dataset": ""}


@pytest.mark.parametrize("posterior", POSTERIORS, ids=lambda p: p.kind)
def test_other_priors_are_those_of_other_fits(posterior):
    others = {
        "one in each cell": paired_proportions([[40, 5], [14, 25]], rope=0.02, prior=1),
        "concentration 1 (Rubin's)": cluster_bootstrap(
            [0.1, 0.2, 0.0, 0.3, -0.1, 0.2, 0.15], rope=0.02, concentration=1
        ),
    }
    settings = {setting: p for _, setting, p in posterior.variations()}
    (setting,) = settings.keys() & others.keys()
    expected = others[setting].verdict().probabilities
    assert settings[setting].tolist() == list(expected.values())
    assert set(posterior.sensitivity().frame["question"]) >= {"prior", "rope", "threshold"}
