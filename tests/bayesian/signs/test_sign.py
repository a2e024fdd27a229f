"""The sign test: published values, and its verdict in closed form."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayescmp.bayesian import sign

PUBLISHED = {
    case["name"]: case
    for case in json.loads(
        (Path(__file__).parents[2] / "reference" / "paired_published.json").read_text()
    )["cases"]
}


def p_of(posterior, rope=None):
    v = posterior.verdict(rope)
    return [v.p_left, v.p_rope, v.p_right]


@pytest.fixture(scope="module")
def means(reference_dir):
    return pd.read_csv(reference_dir / "accuracy_means_uci54.csv")


@pytest.mark.parametrize("name", [n for n in PUBLISHED if n.startswith("bayes_sign_")])
def test_sign_test_of_the_tutorial(means, name):
    case = PUBLISHED[name]
    p = case["parameters"]
    x = means[p["b"]] - means[p["a"]]
    posterior = sign(x, rope=p["rope"], prior=p["prior_strength"], place=p["prior_place"])
    assert p_of(posterior) == pytest.approx(
        case["expected"]["left_rope_right"], abs=case["tolerance"]
    )


@pytest.mark.parametrize(("wins", "losses", "ties"), [(7, 3, 0), (12, 9, 6), (1, 4, 2)])
def test_without_a_rope_it_is_a_beta(wins, losses, ties):
    """θ_right / (θ_left + θ_right) ~ Beta(wins + s/2, losses + s/2), whatever the ties."""
    x = np.r_[np.ones(wins), -np.ones(losses), np.zeros(ties)]
    left, inside, right = p_of(sign(x, rope=0))
    assert inside == 0
    assert right == pytest.approx(stats.beta(wins + 0.5, losses + 0.5).sf(0.5), abs=1e-12)
    bare = p_of(sign(x, rope=0, prior=0))
    assert bare[2] == pytest.approx(stats.beta(wins, losses).sf(0.5), abs=1e-12)
    assert left + right == pytest.approx(1, abs=1e-12)
    for place, shift in (("right", 1.5), ("left", -1.5)):
        a, b = wins + max(shift, 0), losses - min(shift, 0)
        actual = p_of(sign(x, rope=0, prior=1.5, place=place))
        assert actual[2] == pytest.approx(stats.beta(a, b).sf(0.5), abs=1e-12)
    sides = p_of(sign(x, rope=0, prior=1, place="sides"))
    assert sides[2] == pytest.approx(stats.beta(wins + 0.5, losses + 0.5).sf(0.5), abs=1e-12)


def test_draws_of_the_sign_test_agree_with_its_verdict():
    x = np.array([0.02] * 6 + [-0.03] * 4 + [0.001] * 3)
    for rope in (0.01, 0):
        posterior = sign(x, rope=rope, draws=200_000, seed=1)
        masses = posterior.masses()[0]
        best = masses == masses.max(axis=1, keepdims=True)
        assert best.mean(axis=0) == pytest.approx(p_of(posterior), abs=4e-3)
        assert masses.mean(axis=0) == pytest.approx(
            list(posterior.verdict().expected.values()), abs=2e-3
        )


def test_ends_of_the_rope_belong_to_it():
    x = [0.1, -0.1, 0.3 - 0.2, 0.11, -0.11]  # 0.3 - 0.2 is not 0.1 to the last bit
    assert sign(x, rope=0.1).counts().tolist() == [1, 3, 1]
    assert sign(x, rope=(-0.1, 0.11)).counts().tolist() == [1, 4, 0]


@pytest.mark.parametrize("place", ["rope", "sides"])
def test_two_wins_decide_nothing_without_a_rope(place):
    """A prior in a rope that is not there was lost: P was 1, with odds over 1e12."""
    posterior = sign([0.1, 0.2], rope=0, place=place)
    right = stats.beta(2.5, 0.5).sf(0.5)
    assert posterior.verdict().p_right == pytest.approx(right, abs=1e-12)
    assert posterior.verdict().decision == "undecided"
    share = (posterior.masses()[0][:, 2] > 0.5).mean()
    assert share == pytest.approx(right, abs=4 * np.sqrt(right * (1 - right) / 50_000))
