"""The signed-rank test: published values, errors, seeds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayescmp.bayesian import signed_rank

PUBLISHED = {
    case["name"]: case
    for case in json.loads(
        (Path(__file__).parents[2] / "reference" / "paired_published.json").read_text()
    )["cases"]
}
#: Where the slides of the tutorial put the prior's weight.
PLACE = {"main": "sides", "z0_minus_inf": "left", "z0_plus_inf": "right"}


def p_of(posterior, rope=None):
    v = posterior.verdict(rope)
    return [v.p_left, v.p_rope, v.p_right]


@pytest.fixture(scope="module")
def means(reference_dir):
    return pd.read_csv(reference_dir / "accuracy_means_uci54.csv")


@pytest.mark.parametrize("name", [n for n in PUBLISHED if n.startswith("bayes_signrank_s0")])
def test_signed_rank_test_of_the_tutorial(means, name):
    case = PUBLISHED[name]
    p = case["parameters"]
    x = means[p["b"]] - means[p["a"]]
    posterior = signed_rank(x, rope=p["rope"], prior=p["prior_strength"], seed=1)
    assert p_of(posterior) == pytest.approx(
        case["expected"]["left_rope_right"], abs=case["tolerance"]
    )


@pytest.mark.parametrize("slide", PLACE)
def test_nine_pairs_under_three_priors(means, slide):
    """The printed tables come of prior weight 0.4, split to both sides or at either infinity."""
    case = PUBLISHED[f"bayes_signrank_slides_{slide}"]
    p = case["parameters"]
    for pair, published in zip(p["rows"], case["expected"]["left_rope_right"], strict=True):
        first, second = pair.split("-")
        posterior = signed_rank(means[second] - means[first], rope=p["rope"], seed=1,
                            prior=p["prior_strength"], place=PLACE[slide])  # fmt: skip
        assert p_of(posterior) == pytest.approx(published, abs=case["tolerance"] + 0.001)


def test_baycomp_documentation(reference_dir):
    case = PUBLISHED["baycomp_docs_signrank_nbc_j48"]
    table = pd.read_csv(reference_dir / "baycomp_docs_means_percent.csv")
    posterior = signed_rank(table["j48"] - table["nbc"], rope=1, prior=0.5, seed=1)
    assert p_of(posterior) == pytest.approx(
        case["expected"]["left_rope_right"], abs=case["tolerance"]
    )


def test_errors_are_the_spread_over_seeds():
    x = np.random.default_rng(3).normal(0.01, 0.03, 12)
    runs = [signed_rank(x, rope=0.01, draws=2000, seed=s).verdict() for s in range(150)]
    for region in ("left", "rope", "right"):
        spread = np.std([v.probabilities[region] for v in runs], ddof=1)
        claimed = np.mean([v.errors[region] for v in runs])
        assert claimed == pytest.approx(spread, rel=0.25)


def test_no_draw_for_a_region_leaves_an_error_and_a_bound():
    v = signed_rank(np.linspace(0.1, 0.2, 20), rope=0.01, draws=1000, seed=1).verdict()
    assert v.p_right == 1
    assert v.floor == 1e-3
    assert all(e > 0 for e in v.errors.values())
    assert v.odds["left", "right"].bound == "under"


def test_asymmetric_rope_mirrors():
    x = np.array([0.3, -0.1, 0.02, 0.05, -0.2])
    a = signed_rank(x, rope=(-0.05, 0.02), seed=1)
    b = signed_rank(-x, rope=(-0.02, 0.05), seed=1)
    assert p_of(a) == pytest.approx(p_of(b)[::-1], abs=1e-12)


def test_same_seed_same_numbers_and_another_rope_redraws_from_them():
    x = np.random.default_rng(1).normal(0.01, 0.02, 30)
    one, again = (signed_rank(x, rope=0.01, seed=7) for _ in range(2))
    assert np.array_equal(one.masses(), again.masses())
    assert not np.array_equal(one.masses(), signed_rank(x, rope=0.01, seed=8).masses())
    wide = signed_rank(x, rope=0.03, seed=7)
    assert np.array_equal(one.masses(0.03), wide.masses())
    assert p_of(one, 0.03) == p_of(wide)


def test_odd_numbers_of_draws_are_raised():
    assert signed_rank([0.1, 0.2], rope=0, draws=11, seed=1).masses().shape == (1, 12, 3)
