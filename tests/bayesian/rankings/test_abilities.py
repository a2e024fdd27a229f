"""What posteriors of abilities share."""

from __future__ import annotations

import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayesian.rankings.abilities import judged, rope_of_chance

WINS = pd.DataFrame([[0, 7, 9], [3, 0, 8], [1, 2, 0]], index=list("abc"), columns=list("abc"))


@pytest.fixture(scope="module")
def posterior():
    return bc.bayesian.bradley_terry(WINS, seed=1)


def test_only_abilities_are_spoken_of(posterior):
    assert posterior.targets == ("average",)
    assert posterior.best() == posterior.best("average")
    assert posterior.explain().startswith("Of 3 algorithms in 30 matches, a is the likeliest")
    assert list(posterior.overview().columns)[:2] == ["p_average", "se_average"]
    assert posterior.plot().get_legend() is None


def test_the_rope_is_around_a_chance_of_one_half(posterior):
    near = posterior.top_sets(rope=0.2)["p_joint"]
    beta = posterior.averages
    lead = beta.max(axis=1) - beta[:, 1]
    chance = 1 / (1 + pd.Series(-lead).apply("exp"))
    both = (chance <= 0.7) & (beta.argmax(axis=1) != 2)
    assert near.loc[2] == pytest.approx(both.mean(), abs=0.02)
    assert rope_of_chance(0.05) == 0.05
    for bad in (0.5, (-0.1, 0.2)):
        with pytest.raises(bc.InputError, match="rope"):
            rope_of_chance(bad)


def test_bad_proposals_are_told():
    assert judged(0.3).ok
    assert "Pareto k 0.90" in judged(0.9).messages[0]
