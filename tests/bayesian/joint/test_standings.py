"""The two targets, ranks and nested sets of the best."""

from dataclasses import replace
from math import inf

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import bootstrap, friedman, hierarchical_t, joint_t
from bayescmp.bayesian.joint.clouds import (
    Cloud,
    choose,
    errors_of,
    first_places,
    masses_of,
    near_best,
    rank_intervals,
    rank_points,
    standing_of,
)
from bayescmp.results.posterior import split_mass
from bayescmp.scores.rope import Rope
from bayescmp.summaries.standings import MULTIPLICITY, describe_top_set
from bayescmp.wording.references import REFERENCES


@pytest.fixture
def cloud():
    rng = np.random.default_rng(2)
    u = rng.integers(0, 4, (300, 5, 6)).astype(float)  # many ties
    return Cloud(u, rng.dirichlet(np.ones(5), 300))


def test_ranks_are_scipys(cloud):
    above, tied = rank_points(cloud.u)
    expected = stats.rankdata(-cloud.u, axis=-1, method="average")
    np.testing.assert_allclose(above + (tied + 1) / 2, expected)
    np.testing.assert_array_equal(above + 1, stats.rankdata(-cloud.u, axis=-1, method="min"))


def test_numbers_equal_but_for_rounding_tie():
    _, tied = rank_points(np.array([[0.1 + 0.2, 0.3, 0.5]]))
    assert tied.tolist() == [[2, 2, 1]]


def test_shares_are_those_of_a_loop(cloud):
    result = standing_of([cloud], 1.0)
    best, near, ranks = np.zeros((300, 6)), np.zeros((300, 6)), np.zeros((6, 6))
    for d in range(300):
        for m in range(5):
            u, w = cloud.u[d, m], cloud.w[d, m]
            best[d] += w * (u == u.max()) / (u == u.max()).sum()
            near[d] += w * (u >= u.max() - 1)
            for k in range(6):
                low, high = (u > u[k]).sum(), (u >= u[k]).sum()
                ranks[k, low:high] += w / (high - low) / 300
    np.testing.assert_allclose(result.best, best)
    np.testing.assert_allclose(result.near, near)
    np.testing.assert_allclose(result.ranks, ranks)
    np.testing.assert_allclose(result.ranks.sum(axis=0), 1)
    np.testing.assert_allclose(result.average, np.einsum("dm,dml->dl", cloud.w, cloud.u))


def test_first_places_alone_are_those_of_the_whole_standing(cloud):
    whole = standing_of([cloud], 1.0)
    best, average = first_places([cloud])
    np.testing.assert_array_equal(best, whole.best)
    np.testing.assert_array_equal(average, whole.average)


def test_in_parts_as_at_once_and_the_same_points_once_for_all_draws(cloud):
    parts = [Cloud(cloud.u[:120], cloud.w[:120]), Cloud(cloud.u[120:], cloud.w[120:])]
    whole, pieces = standing_of([cloud], 1.0), standing_of(parts, 1.0)
    np.testing.assert_allclose(whole.ranks, pieces.ranks)
    np.testing.assert_allclose(whole.joint(range(6)), pieces.joint(range(6)))
    fixed = Cloud(cloud.u[:1], cloud.w)
    spelt = Cloud(np.repeat(cloud.u[:1], 300, axis=0), cloud.w)
    one, other = standing_of([fixed], 1.0), standing_of([spelt], 1.0)
    np.testing.assert_allclose(one.ranks, other.ranks)
    np.testing.assert_allclose(one.ranks_se, other.ranks_se)
    np.testing.assert_allclose(one.joint(range(6)), other.joint(range(6)))


def test_joint_shares_are_of_all_at_once(cloud):
    order = [3, 0, 5, 1, 2, 4]
    actual = standing_of([cloud], 1.0).joint(order)
    near = cloud.u >= cloud.u.max(axis=-1, keepdims=True) - 1
    for size in range(1, 7):
        at_once = near[..., order[:size]].all(axis=-1)
        np.testing.assert_allclose(actual[:, size - 1], (at_once * cloud.w).sum(axis=1))


def test_the_ropes_end_is_within_and_ties_without_rope_count_half():
    u = np.array([[[0.30, 0.31, 0.29], [0.5, 0.5, 0.1]]])
    w = np.array([[0.75, 0.25]])
    assert near_best(u, 0.01)[0, 0].tolist() == [True, True, False]
    pairs = np.array([[0, 1], [0, 2]])
    left, right = masses_of([Cloud(u, w)], pairs, 0.01)
    np.testing.assert_allclose([left[0], right[0]], [[0, 0.25], [0, 0]])
    sides = masses_of([Cloud(u, w)], pairs, 0.0)
    by_rope = {rope: split_mass(*sides, rope)[0].tolist() for rope in (Rope(0, 0), Rope(0, inf))}
    assert by_rope[Rope(0, 0)] == [[0.125, 0, 0.875], [1, 0, 0]]
    left, _ = sides  # not worse: at zero, or beyond
    assert split_mass(left, 0 * left, Rope(0, inf))[0].tolist() == [[0, 1, 0], [1, 0, 0]]


def test_a_data_set_in_large_units_makes_no_ties_on_another():
    u = np.array([[[0.80, 0.81], [3e9, 2e9]]])
    left, right = masses_of([Cloud(u, np.array([[1.0, 0.0]]))], np.array([[0, 1]]), 0.0)
    assert [left[0, 0], right[0, 0]] == [0, 1]


def test_errors_of_ranks_are_those_of_repeated_runs():
    def one(seed):
        rng = np.random.default_rng(seed)
        return standing_of([Cloud(rng.random((4000, 1, 3)), np.ones((4000, 1)))], 0.1)

    runs = [one(seed) for seed in range(60)]
    spread = np.std([r.ranks for r in runs], axis=0, ddof=1)
    reported = np.mean([r.ranks_se for r in runs], axis=0)
    np.testing.assert_allclose(reported, spread, rtol=0.3)


def test_errors_of_means_are_never_zero_and_know_sticky_chains():
    rng = np.random.default_rng(1)
    x = rng.random((4000, 1))
    assert errors_of(x, 4, independent=True)[0] == pytest.approx(np.sqrt(1 / 12 / 4000), rel=0.05)
    assert errors_of(np.ones((4000, 1)), 4, independent=True)[0] > 0
    sticky = np.repeat(x[:400], 10, axis=0)
    reported = errors_of(sticky, 4, independent=False)[0]
    assert reported == pytest.approx(np.sqrt(1 / 12 / 400), rel=0.3)


# the second is best on two of three data sets, by little; the first on one, by much
MEANS = [[0.50, 0.51, 0.10], [0.60, 0.61, 0.20], [0.90, 0.40, 0.30]]


@pytest.fixture(scope="module")
def posterior():
    return bootstrap(MEANS, rope=0.02, seed=1, draws=20_000)


def test_best_next_and_best_on_average_differ(posterior):
    assert posterior.best()["A2"] == pytest.approx(2 / 3, abs=0.01)
    # on average A2 leads if 0.5 w3 < 0.01 (w1 + w2), that is w3 < 1/51, w3 ~ Beta(1, 2)
    expected = 1 - (1 - 1 / 51) ** 2
    assert posterior.best("average")["A2"] == pytest.approx(expected, abs=0.005)


def test_ranks_sum_to_one_and_agree_with_first_places(posterior):
    for on in ("next", "average"):
        ranks = posterior.ranks(on)
        np.testing.assert_allclose([ranks.sum(axis=0), ranks.sum(axis=1)], 1)
        assert ranks[1].to_dict() == pytest.approx(posterior.best(on))
        table = posterior.ranking(on)
        assert posterior.best_errors(on) == pytest.approx(table["se_best"].to_dict())
        expected = ranks.to_numpy() @ [1, 2, 3]
        np.testing.assert_allclose(table.loc[list(ranks.index), "expected_rank"], expected)
    table = posterior.ranking()
    assert table.loc["A3", ["rank_low", "rank_high"]].tolist() == [3, 3]
    assert table.loc["A2", ["rank_low", "rank_high"]].tolist() == [1, 2]


def test_top_sets_are_nested_with_their_joint_probabilities(posterior):
    sets = posterior.top_sets()
    # A1 is always within 0.02 of the best, A2 on two of three, the third never
    assert sets["members"].tolist() == [("A1",), ("A1", "A2"), ("A1", "A2", "A3")]
    assert sets["p_joint"].tolist() == pytest.approx([1, 2 / 3, 0], abs=0.01)
    assert posterior.top_set(0.6) == ("A1", "A2")
    assert posterior.top_set(0.9) == ("A1",)
    assert posterior.top_set(0.6, rope=0) == ("A2",)
    ranks = friedman(MEANS, seed=1)
    lead = np.diff(ranks.averages[:, :2], axis=1)
    won = np.mean(lead > 1e-12) + np.mean(np.abs(lead) <= 1e-12) / 2
    assert ranks.verdict("A1", "A2", rope=0).p_right == pytest.approx(won, abs=1e-12)
    assert ranks.verdict("A1", "A2", rope=0).p_rope == 0
    assert posterior.top_set(0.7, on="next", rope=0) == ()
    with pytest.raises(bc.InputError, match="threshold"):
        posterior.top_set(1.5)


def test_where_nobody_is_near_the_best_on_the_next_data_set_the_average_answers(posterior):
    # A2 is the best on two data sets of three, A1 on average: 0.67 against 0.6
    best = posterior.best("average")["A1"]
    assert best > 0.7
    assert (
        posterior.top_set(0.7, rope=0) == posterior.top_set(0.7, on="average", rope=0) == ("A1",)
    )
    assert posterior.find_top_set(0.7, rope=0)[0] == "average"
    text = str(bootstrap(MEANS, rope=0.0001, seed=1).explain("paper", threshold=0.7))
    assert "No algorithm is within 0.0001 of the best on a new data set with probability" in text
    assert "or more. A1 is within 0.0001 of the best on average over data sets" in text


# The score of the one that is chosen.


def test_the_one_chosen_of_normal_effects_is_expected_where_its_conjugate_posterior_is():
    """Effects N(0, 1) seen with variance 1/q: its posterior mean is q/(q + 1) of the observed.

    Over many studies the expected score is right on average, and the observed mean is too high by
    1/(q + 1) of the largest of three N(0, 1 + 1/q), whose mean is 3/(2 sqrt(pi)) sd above theirs.
    """
    rng, q, studies = np.random.default_rng(1), 4, 2000
    gaps = []
    for _ in range(studies):
        true = rng.normal(size=3)
        means = true + rng.normal(size=(q, 3))
        share = q / (q + 1)
        draws = share * means.mean(axis=0) + rng.normal(0, np.sqrt(1 / (q + 1)), (400, 3))
        k, observed, average, after = choose(means, draws, draws + rng.normal(size=(400, 3)))
        assert k == means.mean(axis=0).argmax()
        assert observed == pytest.approx(means.mean(axis=0).max())
        lead = observed - means.mean()
        assert average.mean() == pytest.approx(means.mean() + share * lead, abs=0.15)
        truth = true[k] - true.mean() + means.mean()
        gaps.append((observed - truth, average.mean() - truth, after.mean() - truth))
    too_high = np.sqrt(1 + 1 / q) * 3 / (2 * np.sqrt(np.pi)) / (q + 1)
    np.testing.assert_allclose(np.mean(gaps, axis=0), [too_high, 0, 0], atol=0.03)


def test_a_choice_is_resampled_as_a_loop_does():
    rng = np.random.default_rng(3)
    means, weights = rng.normal(size=(6, 4)), rng.dirichlet(np.ones(6), 50)
    observed = means.mean(axis=0)
    lost = []
    for w in weights:
        leads = [np.sum(w * (means[:, k] - means.mean(axis=1))) for k in range(4)]
        own = [observed[k] - means.mean() for k in range(4)]
        wide = [o + (x - o) * np.sqrt(7 / 5) for x, o in zip(leads, own, strict=True)]
        lost.append(max(wide) - own[int(np.argmax(wide))])
    draws = np.tile(observed, (8, 1))
    k, _, average, _ = choose(means, draws, draws, weights)
    assert average.mean() == pytest.approx(observed[k] - np.mean(lost))
    assert np.mean(lost) > 0


def test_two_that_never_change_places_lose_nothing():
    chosen = bootstrap([[0.8, 0.9], [0.7, 0.8], [0.5, 0.6]], rope=0.01, seed=1).chosen()
    assert (chosen.algorithm, chosen.observed) == ("A2", pytest.approx(2.3 / 3))
    assert chosen.expected == pytest.approx(2.3 / 3)
    assert chosen.resampled


def test_of_two_the_chosen_ones_score_is_that_of_the_pairwise_test():
    x = np.random.default_rng(5).normal([0.7, 0.71], 0.02, (6, 10, 2))
    chosen = joint_t(x, rho=0.1, rope=0.01, seed=1).chosen()
    pair = hierarchical_t(x[..., 1] - x[..., 0], rho=0.1, rope=0.01, seed=1)
    lead = np.abs(np.mean(pair.draws["delta0"]))
    assert chosen.algorithm == "A2"
    assert chosen.observed == pytest.approx(x[..., 1].mean())
    assert chosen.expected == pytest.approx(x.mean() + lead / 2)
    assert not chosen.resampled
    low, high = chosen.next_interval
    assert low < chosen.interval[0] < chosen.expected < chosen.interval[1] < high


def test_the_chosen_one_of_losses_has_the_lowest():
    means = bc.Scores.from_means(pd.DataFrame(MEANS), metric="error")
    chosen = bootstrap(means, rope=0.02, seed=1).chosen()
    least = int(np.mean(MEANS, axis=0).argmin())
    assert chosen.algorithm == means.algorithms[least]
    assert chosen.observed == pytest.approx(np.mean(MEANS, axis=0).min())
    assert chosen.interval[0] < chosen.interval[1]
    assert chosen.expected >= chosen.observed - 3 * chosen.error


def test_a_run_that_is_missing_is_filled_by_what_is_expected_of_it():
    means = np.array([[0.8, 0.9], [0.5, np.nan], [0.6, 0.7]])
    draws = np.tile([0.0, 0.1], (8, 1))
    k, observed, average, _ = choose(means, draws, draws)
    assert (k, observed) == (1, pytest.approx((0.9 + 0.6 + 0.7) / 3))
    np.testing.assert_allclose(average, observed)


def test_ranks_have_no_score():
    with pytest.raises(bc.InputError, match="must be of mean scores"):
        friedman(MEANS, seed=1).chosen()
    assert friedman(MEANS, seed=1).ladder().chosen is None
    x = np.random.default_rng(5).normal([0.7, 0.71], 0.02, (6, 10, 2))
    without = replace(joint_t(x, rho=0.1, rope=0.01, seed=1), means=None)
    with pytest.raises(bc.InputError, match="must be of mean scores"):
        without.chosen()


def test_the_chosen_one_is_in_the_ladder_and_in_words(posterior):
    chosen = posterior.chosen()
    frame = posterior.ladder().frame
    assert list(frame.index) == list(posterior.ladder().names)
    assert frame.loc["A1", ["observed", "expected"]].tolist() == [chosen.observed, chosen.expected]
    assert frame.drop(index="A1")["expected"].isna().all()
    for form in ("short", "paper"):
        assert chosen.explain() in posterior.explain(form)


def test_intervals_of_all_ranks_hold_at_once():
    rng = np.random.default_rng(4)
    draws = rng.normal([0, 0.3, 0.6, 5], 1, (4000, 4))
    ranks = stats.rankdata(-draws, axis=1)
    for level in (0.5, 0.9, 0.99):
        low, high = rank_intervals(draws, level)
        inside = ((ranks >= low) & (ranks <= high)).all(axis=1).mean()
        assert inside >= level
    assert (low[3], high[3]) == (1, 1)
    each = np.quantile(ranks, [0.05, 0.95], axis=0)  # one by one they are no wider
    low, high = rank_intervals(draws, 0.9)
    assert (low <= each[0]).all()
    assert (high >= each[1]).all()
    # of two algorithms both are right or wrong together, with P(the first is better) = 0.9
    swapped = np.where(rng.random((4000, 1)) < 0.9, [1.0, 0.0], [0.0, 1.0])
    assert [x.tolist() for x in rank_intervals(swapped, 0.8)] == [[1, 2], [1, 2]]
    assert [x.tolist() for x in rank_intervals(swapped, 0.95)] == [[1, 1], [2, 2]]


def test_errors_are_those_of_repeated_runs():
    runs = [bootstrap(MEANS, rope=0.02, seed=s, draws=400) for s in range(80)]
    spread = np.std([list(r.best().values()) for r in runs], axis=0, ddof=1)
    reported = runs[0].ranking()["se_best"].loc[["A1", "A2"]].to_numpy()
    np.testing.assert_allclose(reported, spread[:2], rtol=0.25)
    assert (runs[0].ranking()["se_best"] > 0).all()
    assert (runs[0].rank_errors() > 0).all(axis=None)


def test_effects_are_relative_to_all(posterior):
    summary = posterior.summary()
    np.testing.assert_allclose(summary["mean"], np.mean(MEANS, axis=0), atol=0.01)


def test_sentences_keep_new_data_sets_and_the_average_apart():
    posterior = bootstrap(MEANS, rope=0.02, seed=1)
    text = posterior.explain("paper")
    assert "Probability of being best on a new data set: A2 " in text
    assert "Probability of being best on average over data sets: A1 " in text
    assert "within 0.02 of the best on a new data set: A1 >0.999" in text
    (best_set,) = describe_top_set(posterior, 0.5)
    assert best_set.startswith("A1 and A2 are all within 0.02 of the best on a new data set at")
    none = describe_top_set(bootstrap(MEANS, rope=0.0001, seed=1), 0.9)
    assert none[0].startswith("No algorithm is within 0.0001 of the best on a new data set")


def test_multiplicity_is_explained_with_a_reference():
    for shrinks in [True, False]:
        text = MULTIPLICITY[shrinks]
        assert "Gelman, Hill & Yajima 2012" in text
        assert REFERENCES["gelman2012"][1]["year"] == "2012"
        assert ("does not shrink" in text) is not shrinks


@pytest.fixture
def of_folds(scores_of):
    return bootstrap(scores_of(9, 5, 4), rho=0.2, rope=0.01, seed=1)


def assert_same(one, other):
    """The same but for the last bits: of several pairs at once, sums run in another order."""
    assert (one.names, one.rope, one.decision) == (other.names, other.rope, other.decision)
    for part in ("probabilities", "errors", "expected", "location"):
        assert getattr(one, part) == pytest.approx(getattr(other, part), rel=1e-12, abs=1e-15)


def test_verdicts_are_the_pairs_own(of_folds):
    actual = of_folds.verdicts()
    assert list(actual) == of_folds.pairs
    assert_same(actual["A2", "A4"], of_folds.verdict("A2", "A4"))
    frame = of_folds.frame.set_index(["first", "second"])
    verdict = actual["A1", "A4"]
    row = frame.loc[("A1", "A4")]
    assert row["p_right"] == verdict.p_right  # copies
    assert row["predictive_rope"] == verdict.expected["rope"]


def test_the_three_probabilities_are_kept_apart(of_folds):
    verdict = of_folds.verdict("A1", "A4")
    difference = of_folds.averages[:, 3] - of_folds.averages[:, 0]
    assert verdict.location["right"] == np.mean(difference > 0.01)
    assert verdict.target == "a new data set"
    for part in (verdict.probabilities, verdict.expected, verdict.location):
        assert sum(part.values()) == pytest.approx(1)
    low, high = verdict.mean_interval[0]
    assert np.mean((low < difference) & (difference < high)) == pytest.approx(0.95, abs=0.001)


def test_a_wider_rope_never_refits(of_folds):
    wide = of_folds.verdict("A1", "A4", rope=0.5)
    assert wide.decision == "equivalent"
    assert_same(of_folds.verdicts(0.5)["A1", "A4"], wide)
    with pytest.raises(bc.InputError, match="second must differ from first"):
        of_folds.verdict("A1", "A1")


def test_overview_has_both_targets_side_by_side(of_folds):
    table = of_folds.overview()
    assert table["p_next"].to_dict() == pytest.approx(of_folds.best())
    assert table["p_average"].to_dict() == pytest.approx(of_folds.best("average"))
    assert (table.filter(like="se_") > 0).all(axis=None)


def test_the_ladder_is_in_the_order_of_expected_ranks_and_says_what_verdicts_say(of_folds):
    ladder = of_folds.ladder()
    assert list(ladder.names) == list(of_folds.ranking("next").sort_values("expected_rank").index)
    words = {"first": "better", "equivalent": "equivalent", "second": "worse"}
    for rung, upper, lower in zip(ladder.rungs, ladder.names, ladder.names[1:], strict=False):
        verdict = of_folds.verdict(upper, lower)
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


def test_a_level_of_rank_intervals_is_between_0_and_1():
    for level in [0, float("nan"), "0.9"]:
        with pytest.raises(bc.InputError, match="level"):
            bootstrap(MEANS, rope=0.01, seed=1).rank_intervals(level)


def test_rank_intervals_of_means_are_those_of_adjusted_t_tests():
    """SciPy's paired t tests at 0.05 / 10 pairs: an algorithm is above those that it beats."""
    rng = np.random.default_rng(4)
    means = rng.normal([0.80, 0.81, 0.90, 0.70, 0.82], 0.02, (9, 5))
    beats = np.array(
        [
            [
                i != j
                and stats.ttest_rel(means[:, i], means[:, j]).pvalue < 0.05 / 10
                and means[:, i].mean() > means[:, j].mean()
                for j in range(5)
            ]
            for i in range(5)
        ]
    )
    got = bootstrap(means, rope=0.01, draws=8, seed=1).rank_intervals()
    assert got["low"].tolist() == (1 + beats.sum(axis=0)).tolist()
    assert got["high"].tolist() == (5 - beats.sum(axis=1)).tolist()
    assert 0 < beats.sum() < 10
