"""Plans of items: closed forms against simulated benchmarks, and the cheapest design."""

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.scores.rope import Rope
from bayescmp.study.planning.means import chances

FOUR = {"difference": 0.03, "between": 0.06, "within": 0.24, "rope": 0.01}


def simulated(rng, n, k, difference, between, within, studies):
    """Mean differences and standard errors of studies with n questions and k epochs."""
    d = rng.normal(difference, np.sqrt(between), (studies, n))
    d = d + rng.normal(0, np.sqrt(within / k), (studies, n))
    return d.mean(axis=1), d.std(axis=1, ddof=1) / np.sqrt(n)


@pytest.mark.parametrize(
    ("n", "k"),
    [
        (200, 1),
        (600, 4),
        *(pytest.param(*larger, marks=pytest.mark.slow) for larger in ((600, 1), (2000, 4))),
    ],
)
@pytest.mark.parametrize("rope", [0.0, 0.01, 0.03])
def test_chances_and_width_are_those_of_simulated_studies(n, k, rope):
    """4,000 studies, each decided by the t posterior of its mean: within four errors."""
    plan = bc.plan_items(**{**FOUR, "rope": rope}, questions=[n], epochs=[k]).frame.iloc[0]
    mean, se = simulated(np.random.default_rng([n, k]), n, k, 0.03, 0.06, 0.24, 4000)
    left = stats.t.cdf((-rope - mean) / se, n - 1)
    right = stats.t.sf((rope - mean) / se, n - 1)
    outcomes = {
        "first": left >= 0.95,
        "equivalent": (1 - left - right) >= 0.95,
        "second": right >= 0.95,
    }
    for decision, made in outcomes.items():
        error = np.sqrt(plan[decision] * (1 - plan[decision]) / 4000) + 1e-3
        assert made.mean() == pytest.approx(plan[decision], abs=4 * error + 0.005), decision
    width = 2 * stats.t.ppf(0.975, n - 1) * se.mean()
    assert plan["width"] == pytest.approx(width, rel=0.012)


def test_the_detectable_difference_has_the_power():
    plan = bc.plan_items(**FOUR, questions=[800], epochs=[2], power=0.9)
    detectable = plan.frame["detectable"].iloc[0]
    again = bc.plan_items(**{**FOUR, "difference": detectable}, questions=[800], epochs=[2])
    assert again.frame["second"].iloc[0] == pytest.approx(0.9, abs=1e-12)
    # Miller (2024), section 5: (z_α + z_β) standard errors beyond the margin
    se = np.sqrt((0.06 + 0.24 / 2) / 800)
    assert detectable == pytest.approx(0.01 + (stats.norm.ppf(0.95) + stats.norm.ppf(0.9)) * se)


@pytest.mark.parametrize("costs", [(2.0, 0.5), (0.1, 1.0), (30.0, 0.1), (1.0, 1.0)])
@pytest.mark.parametrize("within", [0.0, 0.02, 0.24, 3.0])
def test_the_cheapest_design_is_that_of_brute_force(costs, within):
    plan = bc.plan_items(**{**FOUR, "within": within})
    best = plan.cheapest(*costs)
    wanted = ((0.03 - 0.01) / (stats.norm.ppf(0.95) + stats.norm.ppf(0.8))) ** 2
    every = []
    for k in range(1, 200):
        n = int(np.ceil((0.06 + within / k) / wanted))
        every.append((n * (costs[0] + k * costs[1]), k))
    cost, _ = min(every)
    assert best.cost == pytest.approx(best.questions * (costs[0] + best.epochs * costs[1]))
    assert cost <= best.cost <= cost * 1.002  # whole questions
    outcomes = bc.plan_items(
        **{**FOUR, "within": within}, questions=[best.questions], epochs=[best.epochs]
    )
    assert outcomes.frame["decided"].iloc[0] >= 0.8


def test_a_decided_difference_stays_within_the_region_for_equivalence():
    """By brute force: the posterior means at which the region holds 0.95."""
    rope, sd = Rope(-0.02, 0.03), 0.009
    x = np.linspace(-0.05, 0.05, 200_001)
    inside = stats.norm.cdf((0.03 - x) / sd) - stats.norm.cdf((-0.02 - x) / sd) >= 0.95
    law = stats.norm(0.012, 0.011)
    wanted = law.cdf(x[inside][-1]) - law.cdf(x[inside][0])
    made = chances(0.012, 0.011**2, sd**2, rope, 0.95)
    assert made["equivalent"] == pytest.approx(wanted, abs=1e-4)
    assert sum(made.values()) == pytest.approx(1)


def answers(n, rng=None):
    """Right and wrong answers of two models, 0.06 apart."""
    rng = rng or np.random.default_rng(6)
    p = rng.beta(2, 2, n)
    return rng.random(n) < p, rng.random(n) < np.clip(p + 0.06, 0, 1)


def test_chances_from_answers_at_hand_come_true():
    """Of further answers drawn with the posterior's own proportions, as many are decided."""
    posterior = bc.bayesian.paired_proportions(*answers(300), rope=0.02, seed=1)
    predicted = posterior.plan(questions=[900]).frame["decided"].iloc[0]
    rng = np.random.default_rng(7)
    theta = rng.dirichlet(posterior.weights.ravel(), 300)
    decided = 0
    for t in theta:
        counts = posterior.counts + rng.multinomial(900, t).reshape(2, 2)
        fit = bc.bayesian.paired_proportions(counts, rope=0.02)
        left, right = fit.tail(-0.02, upper=False)[0], fit.tail(0.02, upper=True)[0]
        decided += max(left, 1 - left - right, right) >= 0.95
    assert decided / 300 == pytest.approx(
        predicted, abs=2 * np.sqrt(predicted * (1 - predicted) / 300) + 0.02
    )


def test_today_and_the_number_of_questions():
    posterior = bc.bayesian.paired_proportions(*answers(300), rope=0.02)
    plan = posterior.plan(questions=[0, 100])
    assert plan.seen == 300
    assert plan.frame["questions"].tolist() == [300, 400]
    decided = posterior.verdict().decision != "undecided"
    assert plan.frame["decided"].iloc[0] == pytest.approx(float(decided), abs=1e-9)
    low, high = posterior.interval
    assert plan.frame["width"].iloc[0] == pytest.approx(high - low, rel=0.01)


def test_more_epochs_take_away_only_what_is_within():
    """K = 2 epochs seen; with many, the width falls to that of the questions alone."""
    rng = np.random.default_rng(8)
    d = rng.normal(0.02, np.sqrt(0.04), 400) + rng.normal(0, np.sqrt(0.2 / 2), 400)
    posterior = bc.bayesian.cluster_bootstrap(d, rope=0.01, seed=1)
    plan = posterior.plan(questions=[0], epochs=[2, 10**6], seen_epochs=2, within=0.2)
    today, many = plan.frame["width"]
    between = d.var(ddof=1) - 0.1
    assert many / today == pytest.approx(np.sqrt(between / (between + 0.1)), rel=0.01)


def test_results_of_compare_plan():
    import pandas as pd

    first, second = answers(200)
    table = pd.DataFrame(
        {
            "model": ["a"] * 200 + ["b"] * 200,
            "item": [*range(200)] * 2,
            "passage": np.tile(np.arange(200) // 4, 2),
            "correct": np.append(first, second).astype(int),
        }
    )
    plain = bc.compare(bc.Items(table.drop(columns="passage")), "a", "b", rope=0.02)
    clustered = bc.compare(bc.Items(table, columns={"cluster": "passage"}), "a", "b", rope=0.02)
    for posterior in (plain, clustered):
        plan = posterior.plan(questions=[0, 1000])
        assert plan.names == ("a", "b")
        assert plan.seen == 200
        assert plan.frame["decided"].is_monotonic_increasing
        assert "1200 questions" in plan.explain()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: bc.plan_items(**{**FOUR, "difference": np.nan}), "difference="),
        (lambda: bc.plan_items(**{**FOUR, "between": -1}), "between=-1"),
        (lambda: bc.plan_items(**{**FOUR, "within": "x"}), "within='x'"),
        (lambda: bc.plan_items(**{**FOUR, "between": 0, "within": 0}), "both 0"),
        (lambda: bc.plan_items(**FOUR, questions=[0]), "questions"),
        (lambda: bc.plan_items(**FOUR, epochs=[0]), "epochs"),
        (lambda: bc.plan_items(**FOUR, power=1), "power=1"),
        (lambda: bc.plan_items(**FOUR, threshold=0.4), "threshold=0.4"),
        (lambda: bc.plan_items(**FOUR).cheapest(0, 1), "cost_question=0"),
        (lambda: bc.plan_items(**FOUR).cheapest(1, np.inf), "cost_answer=inf"),
        (lambda: bc.plan_items(**FOUR).cheapest(1, 1, difference=0.005), "within the region"),
        (lambda: bc.plan_items(**{**FOUR, "between": 0}).cheapest(1, 1), "between is 0"),
        (
            lambda: bc.bayesian.paired_proportions([[4, 1], [3, 2]], rope=0).plan(epochs=[2]),
            "within is not",
        ),
    ],
)
def test_bad_numbers(ask, message):
    with pytest.raises(bc.InputError, match=message):
        ask()


def test_shown_and_for_json():
    plan = bc.plan_items(**FOUR, questions=[500, 1000])
    assert plan.needed(0.99) is None
    assert plan.shown().shape == plan.frame.shape
    assert plan.explain() in " ".join(str(plan).split())
    assert "<table" in plan._repr_html_()
    assert plan.to_dict()["rows"][1]["questions"] == 1000
