"""Leaderboards of questions: means, leads, tie groups, and the questions that would decide."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.power import NormalIndPower

import bayescmp as bc
from bayescmp.results.posterior import Fitted
from tests.rows import each_row

NAMES = ("small", "tuned", "large", "old")


def answers(n: int = 300, seed: int = 3, skills: tuple[float, ...] = (0.3, 0.9, 1.0, 0.2)):
    """Right and wrong answers, (n, L), to questions that are hard for all models or for none."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(0, 1.5, (n, 1))
    return (rng.random((n, len(skills))) < 1 / (1 + np.exp(hard - skills))).astype(int)


def items(n: int = 300, clusters: np.ndarray | None = None) -> bc.Items:
    x = answers(n)
    rows = [
        (name, i, int(x[i, k])) + (() if clusters is None else (int(clusters[i]),))
        for k, name in enumerate(NAMES)
        for i in range(n)
    ]
    columns = ["model", "item", "correct"] + ([] if clusters is None else ["cluster"])
    return bc.Items(pd.DataFrame(rows, columns=columns))


@each_row("size", [1, 3])
def test_means_and_leads_are_those_of_a_bootstrap(size):
    """Rubin's bootstrap in NumPy over questions, or clusters of three, with 20,000 weights."""
    n, cluster = 300, np.arange(300) // size
    x = answers(n)
    board = bc.compare(items(n, cluster), rope=0.0, seed=1).scoreboard()
    rng = np.random.default_rng(5)
    w = np.repeat(rng.dirichlet(np.ones(n // size), 20_000), size, axis=1)
    drawn = pd.DataFrame(w @ x / w.sum(axis=1, keepdims=True), columns=NAMES)
    leader = board.index[0]
    for name, row in board.iterrows():
        assert row["mean"] == pytest.approx(x[:, NAMES.index(name)].mean(), abs=1e-12)
        # a quantile at 0.025 of 4,000 draws has a standard error of 0.042 standard deviations;
        # concentrations of 0.95 to 1 change the width by 2.5%
        near = 0.2 * drawn[name].std()
        assert [row["low"], row["high"]] == pytest.approx(
            drawn[name].quantile([0.025, 0.975]).tolist(), abs=near
        )
        if name == leader:
            assert np.isnan(row["lead"])
            continue
        lead = drawn[leader] - drawn[name]
        assert row["lead"] == pytest.approx(board["mean"][leader] - row["mean"], abs=1e-12)
        assert [row["lead_low"], row["lead_high"]] == pytest.approx(
            lead.quantile([0.025, 0.975]).tolist(), abs=0.2 * lead.std()
        )


def test_means_of_few_questions_are_those_of_student():
    """`scipy.stats.ttest_1samp(x).confidence_interval()`, SciPy 1.16, for each model."""
    board = bc.compare(items(60), rope=0.02, seed=1).scoreboard()
    for k, name in enumerate(NAMES):
        known = stats.ttest_1samp(answers(60)[:, k], 0.0).confidence_interval()
        assert board.loc[name, ["low", "high"]].tolist() == pytest.approx([*known], abs=1e-12)


def test_means_of_few_unbounded_scores_are_those_of_student():
    """Not cut at the lowest and the highest score: SciPy's interval, for losses and rewards."""
    rng = np.random.default_rng(2)
    for metric, sign, shift in (("reward", 1, -3.0), ("log_loss", -1, 4.0)):
        x = shift + rng.integers(0, 2, (6, 3)) + 0.01 * rng.normal(size=(6, 3))
        table = pd.DataFrame(x, columns=list("abc")).rename_axis("item")
        wide = table.melt(var_name="model", value_name=metric, ignore_index=False).reset_index()
        turned = {"lower_is_better": [metric]} if sign < 0 else {"higher_is_better": [metric]}
        board = bc.compare(bc.Items(wide, **turned), rope=0.02, seed=1, test="groups").scoreboard()
        for k, name in enumerate("abc"):
            known = stats.ttest_1samp(x[:, k], 0.0).confidence_interval(0.95)
            assert board.loc[name, ["low", "high"]].tolist() == pytest.approx([*known], abs=1e-12)
        assert board["mean"].is_monotonic_decreasing == (sign > 0)
        lead = board.iloc[1:]
        assert ((lead["lead_low"] < lead["lead"]) & (lead["lead"] < lead["lead_high"])).all()


def test_a_group_joins_neighbours_that_are_undecided():
    posterior = bc.compare(items(), rope=0.02, seed=1)
    board = posterior.scoreboard()
    assert board["mean"].is_monotonic_decreasing
    order, group = list(board.index), board["group"].tolist()
    for k, (above, below) in enumerate(pairwise(order)):
        apart = posterior.verdict(above, below).decision == "first"
        assert group[k + 1] - group[k] == apart
        assert board["decision"][below] == posterior.verdict(order[0], below).decision
    strict = posterior.scoreboard(rope=0.5)
    assert set(strict["decision"].iloc[1:]) == {"equivalent"}
    assert set(strict["group"]) == {1}


def test_without_a_rope_the_direction_is_judged():
    board = bc.compare(items(), rope=0.0, seed=1).scoreboard()
    assert set(board["decision"].iloc[1:]) <= {"first", "undecided"}


# Further questions.


def test_planned_questions_have_the_power_of_a_z_test():
    """`NormalIndPower(ddof=0).solve_power(d, power=.8, alpha=.05, ratio=0)`, statsmodels 0.14."""
    for difference in [0.01, 0.03, 0.2]:
        plan = bc.plan_items(difference=difference, between=0.3, rope=0.0, questions=[500])
        size, power = difference / np.sqrt(0.3), NormalIndPower(ddof=0)
        known = {"alpha": 0.05, "ratio": 0, "alternative": "larger"}
        wanted = power.solve_power(size, power=0.8, **known)
        assert plan.further() == pytest.approx(np.ceil(wanted), abs=1)  # it counts both directions
        assert plan.frame["second"].iloc[0] == pytest.approx(power.power(size, 500, **known))


def test_further_and_total_questions_are_separate_columns():
    posterior = bc.compare(items(), rope=0.0, seed=1)
    plan = posterior.plan("large", "tuned", questions=[0, 700])
    assert plan.frame[["further_questions", "total_questions"]].to_numpy().tolist() == [
        [0, 300],
        [700, 1000],
    ]
    further = plan.further()
    assert further == posterior.scoreboard()["further_questions"].iloc[1]
    text = " ".join(str(plan).split())
    assert f"{further} further questions ({further + 300} in total)" in text
    enough = posterior.plan("large", "tuned", questions=[further - 1, further]).frame["decided"]
    assert enough.iloc[0] < 0.8 <= enough.iloc[1]


def test_each_result_about_questions_has_a_plan_of_two_models():
    several = bc.Items(
        pd.concat(
            [
                pd.DataFrame(answers(120, seed), columns=NAMES)
                .rename_axis("item")
                .melt(var_name="model", value_name="correct", ignore_index=False)
                .reset_index()
                .assign(benchmark=f"b{seed}")
                for seed in range(3)
            ]
        )
    )
    for posterior in (
        bc.compare(items(), "small", "tuned", rope=0.02),
        bc.compare(items(300, np.arange(300) // 3), "small", "tuned", rope=0.02),
        bc.compare(items(), rope=0.02, seed=1),
        bc.compare(items(60), rope=0.02, seed=1),
        bc.compare(several, rope=0.02, test="leaderboard", seed=1),
    ):
        plan = posterior.plan("tuned", "small")
        assert set(plan.names) == {"small", "tuned"}
        assert {"further_questions", "total_questions"} <= set(plan.frame)
        assert ".plan(" in str(posterior)
        with pytest.raises(bc.InputError, match="algorithm"):
            posterior.plan("tuned", "nobody")
        with pytest.raises(bc.InputError, match="second must differ from first"):
            posterior.plan("tuned", "tuned")
    benchmarks = bc.compare(several, "small", "tuned", rope=0.02, seed=1)
    few = {"datasets": [2], "simulations": 4, "progress": False}
    assert len(benchmarks.plan("tuned", "small", **few).frame) == 1


def test_every_posterior_without_a_plan_says_why_and_what_to_do():
    assert [getattr(bc.bayesian, name) for name in bc.bayesian.__all__]  # imports all
    assert len(Fitted.kinds) > 20
    for kind, (cls, model) in Fitted.kinds.items():
        if kind.startswith("test"):  # of a test's own
            continue
        has_own = cls.plan is not Fitted.plan
        assert has_own or model.unplanned.endswith("."), kind


def test_hints_of_refused_plans_work():
    folds = bc.bayesian.correlated_t([0.1, 0.2, 0.15], rho=0.1, rope=0.01)
    with pytest.raises(bc.InputError, match=r"no plan .* correlation allows \(rho 0.1\)"):
        folds.plan()
    for alone in (
        bc.bayesian.correlated_t([0.1, 0.2, 0.15], rho=0.0, rope=0.01),
        bc.bayesian.two_sample_t([1, 2, 3], [3, 4, 6], rope=0.5),
    ):
        assert ".plan()" not in str(alone)
        with pytest.raises(bc.InputError, match="independent") as refused:
            alone.plan("a", "b")
        hint = str(refused.value).split(": ", 1)[1].split(" plans")[0]
        plan = eval(hint, {"bayescmp": bc})
        assert plan.further() > 0
    clustered = bc.compare(items(60, np.arange(60) // 5), rope=0.02, seed=1)
    assert clustered.data_text == "12 clusters"
    assert clustered.scoreboard()["further_questions"].isna().all()
    with pytest.raises(bc.InputError, match="not how many questions are in each"):
        clustered.plan("small", "tuned")
    group = items(60, np.arange(60) // 5).group()
    assert bc.bayesian.question_bootstrap(group, rope=0.02, seed=1).plan().seen == 60
    means = bc.bayesian.leaderboard([[0.6, 0.7, 0.8]], rope=0.01, errors=0.02, seed=1)
    assert means.scoreboard()["further_questions"].isna().all()
    with pytest.raises(bc.InputError, match="A scoreboard must be of mean scores"):
        bc.bayesian.bootstrap([[0.6, 0.7], [0.5, 0.6]], rope=0.01, seed=1).scoreboard()


# Hostile tables.


def hostile() -> bc.Items:
    """Two models that tie exactly, two with all answers right, and names with commas."""
    x = answers(120)[:, 1]
    table = pd.DataFrame({"a, b": x, "a": x, "all, right": 1, "always": 1, "{x}": 1 - x})
    return bc.Items(table.rename_axis("question"))


@each_row("test", ["question_bootstrap", "groups"])
def test_ties_and_perfect_scores(test):
    posterior = bc.compare(hostile(), rope=0.0, test=test, seed=1)
    board = posterior.scoreboard()
    assert set(board.index[:2]) == {"all, right", "always"}
    perfect, tied = board.loc[["all, right", "always"]], board.loc[["a", "a, b"]]
    # Jeffreys: scipy.stats.beta(120.5, 0.5).ppf(0.025) is 0.97942, SciPy 1.16
    known = stats.beta(120.5, 0.5).ppf(0.025)
    assert perfect["low"].tolist() == pytest.approx([known, known], abs=0.003)
    assert (perfect["high"] <= 1).all()
    assert (perfect["low"] < perfect["mean"]).all()
    assert tied["mean"].nunique() == 1
    assert tied["group"].nunique() == 1
    assert board["decision"].iloc[1] == "undecided"
    text = " ".join(str(posterior).split())
    assert "tie for the best mean" in text
    assert all(name in text for name in posterior.algorithms)
    assert max(map(len, str(posterior).splitlines())) <= 80


def test_clusters_of_one_are_questions():
    plain, single = items(), items(300, np.arange(300))
    boards = [bc.compare(x, rope=0.02, seed=1).scoreboard() for x in (plain, single)]
    pd.testing.assert_frame_equal(*boards)


def test_lower_is_better_keeps_its_numbers_and_turns_the_leads():
    loss = pd.DataFrame(answers() + 0.5, columns=NAMES).rename_axis("question")
    wide = loss.melt(var_name="model", value_name="loss", ignore_index=False).reset_index()
    table = bc.Items(wide.rename(columns={"question": "item"}), lower_is_better=["loss"])
    board = bc.compare(table, rope=0.02, seed=1).scoreboard()
    assert board["mean"].is_monotonic_increasing
    assert (board["lead"].iloc[1:] >= 0).all()
    assert (board["low"] < board["mean"]).all()


def test_centred_effects_are_not_called_means():
    """In full, a model that scores .727 is not listed with a mean of .063."""
    text = bc.compare(items(60), rope=0.02, seed=1).full()
    effects = text.split("diagnostics: ok")[1].split("\n\n")[1]
    assert "estimate" in effects.splitlines()[0]
    assert "mean" not in effects.splitlines()[0]
    assert "not of its score" in " ".join(effects.split())


@pytest.mark.calibration
def test_the_named_number_of_questions_decides_with_its_power():
    """New questions from populations that the posterior draws: 400 studies, within 2.5 errors."""
    for rope in [0.0, 0.02]:
        posterior = bc.compare(items(), rope=rope, seed=1)
        first, second = posterior.scoreboard().index[:2]
        plan = posterior.plan(first, second)
        further, rng = plan.further(), np.random.default_rng(11)
        x = answers()[:, [NAMES.index(first), NAMES.index(second)]]
        d, decided = x[:, 1] - x[:, 0], 0
        for _ in range(400):
            new = rng.choice(d, further, p=rng.dirichlet(np.ones(len(d))))
            later = bc.bayesian.cluster_bootstrap(np.append(d, new), rope=rope, span=1)
            decided += later.verdict().decided
        error = np.sqrt(0.8 * 0.2 / 400)
        print(f"\nROPE {rope}: {further} further questions, decided in {decided / 400:.3f}")
        assert decided / 400 == pytest.approx(0.8, abs=2.5 * error)
