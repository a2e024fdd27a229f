"""Every pair of a joint posterior, its text, and how it is shown."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import bootstrap


@pytest.fixture
def posterior(scores_of):
    return bootstrap(scores_of(9, 5, 4), rho=0.2, rope=0.01, seed=1)


def test_verdicts_are_the_pairs_own(posterior):
    actual = posterior.verdicts()
    assert list(actual) == posterior.pairs
    assert actual["A2", "A4"] == posterior.verdict("A2", "A4")
    frame = posterior.frame().set_index(["first", "second"])
    verdict = actual["A1", "A4"]
    row = frame.loc[("A1", "A4")]
    assert row["p_right"] == verdict.p_right
    assert row["predictive_rope"] == verdict.expected["rope"]


def test_the_three_probabilities_are_kept_apart(posterior):
    verdict = posterior.verdict("A1", "A4")
    difference = posterior.averages[:, 3] - posterior.averages[:, 0]
    assert verdict.location["right"] == np.mean(difference > 0.01)
    assert verdict.target == "a new data set"
    for part in (verdict.probabilities, verdict.expected, verdict.location):
        assert sum(part.values()) == pytest.approx(1)
    low, high = verdict.mean_interval[0]
    assert np.mean((low < difference) & (difference < high)) == pytest.approx(0.95, abs=0.001)


def test_a_wider_rope_never_refits(posterior):
    wide = posterior.verdict("A1", "A4", rope=0.5)
    assert wide.decision == "equivalent"
    assert posterior.verdicts(0.5)["A1", "A4"] == wide
    with pytest.raises(bc.InputError, match="nothing to compare"):
        posterior.verdict("A1", "A1")


def test_text_names_both_targets_and_the_sets(posterior):
    text = str(posterior)
    assert "p_best_next" in text
    assert "p_best_average" in text
    assert "all near the best at once" in text
    assert "4 algorithms on 9 data sets" in posterior.explain()
    assert "A4" in posterior._repr_html_()


def test_overview_has_both_targets_side_by_side(posterior):
    table = posterior.overview()
    assert table["p_next"].to_dict() == pytest.approx(posterior.best())
    assert table["p_average"].to_dict() == pytest.approx(posterior.best("average"))
    assert (table.filter(like="se_") > 0).all(axis=None)


def test_the_ladder_is_in_the_order_of_expected_ranks_and_says_what_verdicts_say(posterior):
    ladder = posterior.ladder()
    assert list(ladder.names) == list(posterior.ranking("next").sort_values("expected_rank").index)
    words = {"first": "better", "equivalent": "equivalent", "second": "worse"}
    for rung, upper, lower in zip(ladder.rungs, ladder.names, ladder.names[1:], strict=False):
        verdict = posterior.verdict(upper, lower)
        assert rung.relation == words.get(verdict.decision, "undecided")
        assert rung.probability == max(verdict.probabilities.values())


def test_joint_probabilities_of_the_ladder_are_shares_of_draws_in_which_all_pairs_are_alike(
    scores_of,
):
    wide = bootstrap(scores_of(9, 5, 4), rho=0.2, rope=0.2, seed=1)
    ladder = wide.ladder()
    assert len(ladder.equivalent[0]) >= 3
    for members, p in zip(ladder.equivalent, ladder.joint, strict=True):
        places = [wide.algorithms.index(ladder.names[i]) for i in members]
        alike = np.ones(len(wide.averages), dtype=bool)
        for i in places:
            for j in places:
                alike &= np.abs(wide.averages[:, i] - wide.averages[:, j]) <= 0.2
        assert p == pytest.approx(alike.mean())
