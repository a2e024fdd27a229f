"""Several models on the same questions: against the closed form of a pair, and loops."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import bayescmp as bc
from bayescmp.bayesian import bootstrap, cluster_bootstrap, leaderboard, question_bootstrap
from bayescmp.bayesian.paired.clusters import WeightedUnits
from bayescmp.commands.cli import main
from bayescmp.summaries.chosen import describe_chosen
from tests.rows import each_row


def right(seed: int = 1, n: int = 80, L: int = 4) -> np.ndarray:
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=(n, 1))
    return (rng.random((n, L)) < 1 / (1 + np.exp(hard - np.linspace(0, 0.8, L)))).astype(float)


def judged(seed: int = 1, n: int = 30, judges: int = 5, models: str = "ab") -> pd.DataFrame:
    """Marks of models' answers by judges, who differ in what they think of the last model."""
    rng = np.random.default_rng(seed)
    hard, taste = rng.normal(size=n), rng.normal(0, 0.5, judges)
    rows = [
        (m, i, f"j{j}", hard[i] + rng.normal() + (0.2 + taste[j]) * (m == models[-1]))
        for m in models
        for i in range(n)
        for j in range(judges)
    ]
    return pd.DataFrame(rows, columns=["model", "item", "judge", "mark"])


JUDGED = {"metric": "mark", "higher_is_better": ["mark"]}


@each_row("clustered", [False, True])
def test_pairs_are_those_of_the_closed_form(clustered):
    """P(δ > x) of `cluster_bootstrap` by a contour integral, at the same concentration."""
    x = right()
    passage = np.arange(80) // 4 if clustered else None
    posterior = question_bootstrap(x, rope=0.03, clusters=passage, draws=40_000, seed=1)
    for i, j in ((0, 1), (1, 3)):
        exact = cluster_bootstrap(
            x[:, j] - x[:, i],
            clusters=passage,
            rope=0.03,
            span=1,
            concentration=posterior.concentration,
        )
        own, its = posterior.verdict(f"M{i + 1}", f"M{j + 1}"), exact.verdict()
        for region, p in its.probabilities.items():
            assert own.probabilities[region] == pytest.approx(p, abs=5 * own.errors[region])
        assert own.estimate[0] == pytest.approx(its.estimate[0], abs=0.002)
        assert own.mean_interval[0] == pytest.approx(its.mean_interval[0], abs=0.004)


def test_of_two_models_the_concentration_is_that_of_the_pair():
    x = right(L=2)
    for passage in (None, np.arange(80) // 4, np.arange(80) ** 2 // 700):
        both = question_bootstrap(x, rope=0.03, clusters=passage, seed=1)
        pair = cluster_bootstrap(x[:, 1] - x[:, 0], clusters=passage, rope=0.03)
        assert both.concentration == pytest.approx(pair.concentration, rel=1e-12)


def test_judges_weights_multiply():
    """A loop over questions and judges with the same gamma variables."""
    items = bc.Items(judged(n=7, judges=3), **JUDGED)
    pair = items.pair("a", "b")
    units = WeightedUnits.from_numbers(pair.x[:, None], pair.cluster, pair.judge)
    drawn = units.draw(5, 11)[:, 0]
    rng = np.random.default_rng([11, 0])
    (_, a), (_, b) = units.factors
    g, h = rng.standard_gamma(a, (5, 7)), rng.standard_gamma(b, (5, 3))
    table = judged(n=7, judges=3).pivot(index=["item", "judge"], columns="model", values="mark")
    d = table["b"] - table["a"]
    for k in range(5):
        w = {(i, j): g[k, i] * h[k, int(j[1:])] for i, j in d.index}
        expected = sum(w[at] * d[at] for at in d.index) / sum(w.values())
        assert drawn[k] == pytest.approx(expected, rel=1e-12)


def test_judges_widen_the_interval():
    table = judged()
    pair = bc.compare(bc.Items(table, **JUDGED), "a", "b", rope=0.1, seed=1)
    assert pair.kind == "judged_bootstrap"
    assert pair.size_text == "30 questions before 5 judges"
    text = " ".join(str(pair).split())
    assert "on new questions, before other judges" in text
    assert f"{pair.delta.size} independent draws" in text
    assert not [word for word in ("data set", "fold", "closed form") if word in text]
    with pytest.raises(
        bc.InputError, match=r"There is no plan .* A part of this variance is the judges'"
    ):
        pair.plan()
    mean = table.groupby(["model", "item"], as_index=False)["mark"].mean()
    alone = bc.compare(bc.Items(mean, **JUDGED), "a", "b", rope=0.1)
    assert np.diff(pair.interval) > 1.2 * np.diff(alone.interval)
    several = bc.compare(bc.Items(judged(models="abc"), **JUDGED), rope=0.1, seed=1)
    assert several.data_text == "30 questions before 5 judges"
    assert bc.gate(bc.Items(table, **JUDGED), "a", "b", margin=2.0).outcome == "pass"


def test_what_knows_nothing_of_judges_says_so():
    items = bc.Items(judged(), **JUDGED)
    for ask in (items.scores, items.blocks, items.pair("a", "b").differences):
        with pytest.raises(bc.InputError, match="The items must have one judge"):
            ask()
    with pytest.raises(bc.InputError, match="more questions do not change"):
        bc.compare(items, "a", "b", rope=0.1, seed=1).plan()


def test_judges_that_are_too_few_or_missing():
    two = bc.Items(judged(judges=2), **JUDGED)
    with pytest.raises(bc.InputError, match=r"x must have at least 3 judges, .*got 2"):
        bc.compare(two, "a", "b", rope=0.1)
    with pytest.raises(bc.InputError, match=r"x must have at least 3 judges, .*got 2"):
        question_bootstrap(two.group(), rope=0.1)
    assert any("3 judges" in n for n in bc.compare(
        bc.Items(judged(judges=3), **JUDGED), "a", "b", rope=0.1).notes)  # fmt: skip
    gone = judged().iloc[:-1]
    with pytest.raises(bc.InputError, match=r"item '29' .* before judge 5 with a score of 'a'"):
        bc.Items(gone, **JUDGED).pair("a", "b")
    kept = bc.Items(gone, **JUDGED, missing="common")
    assert kept.pair("a", "b").n == 149
    assert bc.compare(kept, "a", "b", rope=0.1, seed=1).questions == 30
    numbers = judged().assign(judge=lambda t: t["judge"].str[1:].astype(float) / 10)
    assert bc.Items(numbers, columns={"judge": "judge"}, **JUDGED).answers.judge.max() == 4


def test_a_single_judge_is_none():
    one = bc.Items(judged(judges=1), **JUDGED)
    assert one.answers.judge is None
    assert bc.compare(one, "a", "b", rope=0.1).kind == "cluster_bootstrap"


def test_models_that_never_differ_are_decided_as_a_pair():
    x = right(L=3)
    x[:, 2] = x[:, 1]
    posterior = question_bootstrap(x, rope=0.02, seed=1)
    own = posterior.verdict("M2", "M3")
    its = cluster_bootstrap(np.zeros(80), rope=0.02, span=1).verdict()
    assert own.probabilities == its.probabilities
    assert own.p_rope < 1


@settings(max_examples=10, deadline=None)
@given(st.permutations(range(4)), st.floats(0.1, 50))
def test_invariances(order, scale):
    """Other names, another order of questions and another unit say the same."""
    x = right()
    before = question_bootstrap(x, rope=0.02, seed=1)
    after = question_bootstrap(x[:, order] * scale, rope=0.02 * scale, seed=1)
    shares = list(before.best().values())
    assert list(after.best().values()) == pytest.approx([shares[i] for i in order])
    assert after.averages == pytest.approx(before.averages[:, order] * scale)


def test_all_pairs_at_once_are_each_alone():
    posterior = question_bootstrap(right(), rope=0.02, seed=1)
    for (a, b), verdict in posterior.verdicts().items():
        assert posterior.verdict(a, b) == verdict
        assert posterior.verdict(b, a).p_left == verdict.p_right
    assert posterior.frame["p_left"].tolist() == [v.p_left for v in posterior.verdicts().values()]


def test_without_a_rope_every_draw_is_on_a_side():
    x = right()
    x[:, 3] = x[:, 0] + 1
    posterior = question_bootstrap(x, rope=0.02, seed=1, draws=1000)
    for (a, b), verdict in posterior.verdicts(rope=0).items():
        i, j = (posterior.algorithms.index(name) for name in (a, b))
        d = posterior.averages[:, j] - posterior.averages[:, i]
        p = (d > 0).mean()
        assert (verdict.p_left, verdict.p_rope) == pytest.approx((1 - p, 0), abs=1e-12)
        assert verdict.p_right == pytest.approx(p)
        if 0 < p < 1:
            assert verdict.errors["right"] == pytest.approx(np.sqrt(p * (1 - p) / 1000))
    assert verdict.floor == 1 / 1000


@each_row(("models", "rest"), [(15, ""), (16, "1 more model: .ranking()")])
def test_fifteen_models_are_shown(models, rest):
    text = question_bootstrap(right(L=models), rope=0, seed=1, draws=400).full()
    assert ("more model" in text) == bool(rest)
    assert rest in text


def test_lower_is_better_turns_everything():
    x = right(n=40, L=3)
    table = pd.DataFrame(1 - x, columns=list("abc")).rename_axis("item").reset_index()
    wrong = table.melt("item", var_name="model", value_name="errors")
    items = bc.Items(wrong, lower_is_better=["errors"])
    posterior = bc.compare(items, rope=0.02, test="question_bootstrap", seed=1)
    assert posterior.best() == question_bootstrap(x, rope=0.02, names=[*"abc"], seed=1).best()


@each_row(
    ("x", "options", "message"),
    [
        (np.zeros(9), {}, r"of shape \(n, L\) \(got shape \(9,\)"),
        (np.zeros((5, 2)), {}, "x must have at least 6 questions .got 5"),
        (
            np.zeros((9, 2)),
            {"clusters": np.arange(8)},
            r"clusters must .*got shape \(8,\) for 9 questions",
        ),
        (np.zeros((9, 2)), {"rope": (-0.1, 0.2)}, "rope"),
        (np.zeros((9, 2)), {"draws": 3}, "draws must be"),
        (np.zeros((9, 2)), {"names": ["a"]}, "names"),
    ],
)
def test_bad_input(x, options, message):
    with pytest.raises(bc.InputError, match=message):
        question_bootstrap(x, **{"rope": 0.1, **options})


def test_it_says_that_it_is_drawn():
    posterior = question_bootstrap(np.eye(9)[:, :3], rope=0.1, draws=40, seed=1)
    for text in (str(posterior), posterior.explain("paper")):
        assert "closed form" not in text
    assert "40 independent draws" in str(posterior).replace("\n", " ")


def test_a_group_has_its_own_names():
    items = bc.Items(judged(judges=1), **JUDGED)
    with pytest.raises(
        bc.InputError, match="names must be left out, since an ItemGroup has its own"
    ):
        question_bootstrap(items.group(), rope=0.1, names=["x", "y"])


# Averages over given benchmarks, from means and their errors: against normal closed forms.


BENCHMARKS = ["gsm8k", "arc", "mmlu"]
MEANS = pd.DataFrame(
    {"small": [0.61, 0.72, 0.50], "tuned": [0.66, 0.71, 0.52], "large": [0.65, 0.74, 0.51]},
    index=BENCHMARKS,
)
ERRORS = pd.DataFrame(
    {"small": [0.012, 0.02, 0.015], "tuned": [0.013, 0.018, 0.02], "large": [0.011, 0.02, 0.01]},
    index=BENCHMARKS,
)
WEIGHTS = {"mmlu": 1.0, "gsm8k": 2.0, "arc": 0.5}


def test_pairs_are_normal():
    """Σ v_b (m_2b − m_1b) has variance Σ v_b² (e_1b² + e_2b²) where models' errors are apart."""
    for weights in [None, WEIGHTS]:
        board = leaderboard(MEANS, rope=0.01, errors=ERRORS, weights=weights, draws=40_000, seed=1)
        v = np.full(3, 1 / 3) if weights is None else np.array([2.0, 0.5, 1.0]) / 3.5
        for a, b in (("small", "tuned"), ("tuned", "large")):
            middle = float(v @ (MEANS[b] - MEANS[a]))
            delta = stats.norm(middle, np.sqrt(v**2 @ (ERRORS[a] ** 2 + ERRORS[b] ** 2)))
            expected = np.array(
                [delta.cdf(-0.01), np.ptp(delta.cdf([-0.01, 0.01])), delta.sf(0.01)]
            )
            verdict = board.verdict(a, b)
            assert list(verdict.probabilities.values()) == pytest.approx(expected, abs=0.01)
            assert verdict.mean_interval[0] == pytest.approx(delta.interval(0.95), abs=0.001)


def test_first_places_are_those_of_independent_normals():
    board = leaderboard(MEANS, rope=0.01, errors=ERRORS, draws=40_000, seed=2)
    middle, sd = MEANS.mean(), np.sqrt((ERRORS**2).sum()) / 3
    grid = np.linspace(0.5, 0.75, 20_001)
    for name, p in board.best().items():
        others = [other for other in MEANS if other != name]
        below = np.prod([stats.norm(middle[o], sd[o]).cdf(grid) for o in others], axis=0)
        exact = integrate.trapezoid(stats.norm(middle[name], sd[name]).pdf(grid) * below, grid)
        assert p == pytest.approx(exact, abs=5 * np.sqrt(0.25 / 40_000))


def test_questions_are_as_draws_of_jeffreys_posterior():
    right, n = np.array([[60, 66, 90], [10, 12, 0]]), np.array([100, 12])
    board = leaderboard(right / n[:, None], rope=0, questions=n, draws=40_000, seed=3)
    rng = np.random.default_rng(4)
    beta = rng.beta(right + 0.5, n[:, None] - right + 0.5, (400_000, 2, 3))
    np.testing.assert_allclose(board.errors, beta.std(axis=0), rtol=0.01)
    assert (board.errors > 0).all()  # also where all are right, or none
    assert board.averages.std(axis=0) == pytest.approx(beta.mean(axis=1).std(axis=0), rel=0.02)


@pytest.mark.slow
def test_intervals_of_new_questions_cover():
    """500 tables of means of right answers to 80 and 300 questions, that models share not."""
    rng, n, covered = np.random.default_rng(5), np.array([80, 300]), 0
    for seed in range(500):
        p = rng.uniform(0.3, 0.95, (2, 2))
        board = leaderboard(
            rng.binomial(n[:, None], p) / n[:, None], rope=0, questions=n, draws=800, seed=seed
        )
        low, high = board.verdict("A1", "A2").mean_interval[0]
        covered += low <= np.mean(p[:, 1] - p[:, 0]) <= high
    assert covered / 500 == pytest.approx(0.95, abs=0.025)


def test_scores_of_questions_keep_their_pairing():
    """The variance of the average is that of the paired differences: Miller (2024), eq. 7."""
    rng = np.random.default_rng(6)
    hard = rng.normal(size=(400, 1))
    right = rng.random((400, 2)) < 1 / (1 + np.exp(2 * hard - [0.0, 0.3]))
    rows = pd.DataFrame(
        {
            "model": np.tile(["a", "b"], 400),
            "item": np.repeat(np.arange(400), 2),
            "benchmark": np.repeat(np.where(np.arange(400) < 150, "x", "y"), 2),
            "correct": right.ravel(),
        }
    )
    items = bc.Items(rows)
    board = leaderboard(items.scores(), rope=0, weights={"x": 3, "y": 1}, draws=40_000, seed=1)
    d = np.split(right[:, 1].astype(float) - right[:, 0], [150])
    sd = np.sqrt(9 / 16 * d[0].var(ddof=1) / 150 + 1 / 16 * d[1].var(ddof=1) / 250)
    difference = board.averages[:, 1] - board.averages[:, 0]
    assert difference.mean() == pytest.approx(3 / 4 * d[0].mean() + d[1].mean() / 4, abs=0.001)
    assert difference.std() == pytest.approx(sd, rel=0.03)


def test_weights_of_the_bootstrap_multiply_the_benchmarks_own():
    """With u uniform the lead is positive where u·v_1·a > (1 − u)·v_2·b: v_1·a/(v_1·a + v_2·b)."""
    means = [[0.5, 0.6], [0.5, 0.2]]
    posterior = bootstrap(means, rope=0, weights=[6, 1], seed=1, draws=40_000)
    assert posterior.best("average")["A2"] == pytest.approx(0.6 / 0.9, abs=0.01)


def test_errors_of_the_bootstrap_are_normal_on_each_benchmark():
    posterior = bootstrap(MEANS, rope=0.01, errors=ERRORS, seed=1, draws=40_000)
    own = [
        stats.norm(MEANS.loc[b, "tuned"] - MEANS.loc[b, "small"], np.hypot(*ERRORS.loc[b][:2]))
        for b in BENCHMARKS
    ]
    expected = np.mean([delta.sf(0.01) for delta in own])
    assert posterior.verdict("small", "tuned").expected["right"] == pytest.approx(
        expected, abs=0.01
    )


def test_these_benchmarks_and_others_like_them_are_told_apart():
    here = leaderboard(MEANS, rope=0.01, questions=1000, seed=1)
    there = bootstrap(MEANS, rope=0.01, questions=1000, seed=1)
    assert (here.kind, there.kind) == ("leaderboard", "bootstrap")
    assert "best on new questions of these benchmarks: " in here.explain()
    for text in (here.explain(), str(here)):
        assert "ther benchmarks may rank the models differently" in " ".join(text.split())
    assert "best on a new benchmark: " in there.explain()
    assert here.targets == ("average",)
    for text in (
        str(here),
        here.explain("paper").partition("@")[0],
        str(here.verdict("small", "large")),
    ):
        assert "data set" not in text
        assert "fold" not in text
        assert "algorithm" not in text


def test_the_chosen_ones_luck_by_a_closed_form():
    """Of two normals at distance d, the better of a draw is off by τφ(d/τ) on average."""
    two = MEANS[["small", "large"]]
    weights = {"gsm8k": 1, "arc": 1, "mmlu": 2}
    v = np.array([0.25, 0.25, 0.5])
    chosen = leaderboard(
        two, rope=0.01, errors=0.04, weights=weights, draws=40_000, seed=1
    ).chosen()
    observed = v @ two.to_numpy()
    tau = 0.04 * np.sqrt(2 * (v**2).sum())
    luck = tau * stats.norm.pdf(np.diff(observed)[0] / tau)
    assert (chosen.algorithm, chosen.resampled) == ("large", True)
    assert chosen.observed == pytest.approx(observed[1], abs=1e-12)
    assert chosen.expected == pytest.approx(observed[1] - luck, abs=3e-4)
    assert chosen.next_interval is None
    assert "on new questions of these benchmarks is" in chosen.explain()


@pytest.mark.slow
def test_the_chosen_one_of_equals_is_nearer_to_the_truth():
    """300 tables of eight models that all score 0.7: the observed best is too high by .021."""
    rng, off = np.random.default_rng(8), []
    for seed in range(300):
        means = rng.normal(0.7, 0.03, (4, 8))
        chosen = leaderboard(means, rope=0, errors=0.03, draws=400, seed=seed).chosen()
        off.append((chosen.observed - 0.7, chosen.expected - 0.7))
    observed, expected = np.mean(off, axis=0)
    assert observed == pytest.approx(0.03 / 2 * 1.4236, abs=0.002)  # E max of 8 normals, tabulated
    assert abs(expected) < 0.6 * observed


def test_mean_ranks_over_the_given_benchmarks():
    board = leaderboard(MEANS[["small", "large"]], rope=0, errors=0.05, draws=40_000, seed=1)
    lead = (MEANS["large"] - MEANS["small"]).to_numpy()
    behind = stats.norm.sf(lead / np.hypot(0.05, 0.05)).mean()
    ranks = board.mean_ranks()["mean"]
    assert ranks["large"] == pytest.approx(1 + behind, abs=0.01)
    assert ranks["small"] == pytest.approx(2 - behind, abs=0.01)


def test_planned_questions_decide_as_often_as_told():
    """The truth is drawn from today's posterior, nine times as many questions follow."""
    board = leaderboard(MEANS, rope=0.01, questions=100, draws=4000, seed=1)
    plan = board.plan("small", "large", questions=[0, 2700])
    assert plan.frame["total_questions"].tolist() == [300, 3000]
    chance = plan.frame["decided"].iloc[1]
    rng, made = np.random.default_rng(9), []
    for seed in range(400):
        draw = board._true_means.draw_means(1, rng)[0]
        later = (MEANS.to_numpy() * 100 + rng.normal(draw, board.errors / 3) * 900) / 1000
        after = leaderboard(
            pd.DataFrame(later, MEANS.index, MEANS.columns),
            rope=0.01,
            errors=board.errors / np.sqrt(10),
            draws=400,
            seed=seed,
        )
        made.append(after.verdict("small", "large").decided)
    assert np.mean(made) == pytest.approx(chance, abs=0.07)


@each_row(
    ("given", "asked", "message"),
    [
        ({"errors": 0.01}, {}, "The number of questions behind each mean must be known"),
        ({"questions": 100}, {"datasets": [3]}, "datasets must be left out, since the benchmarks"),
        ({"questions": 100}, {"questions": [-1]}, "questions"),
    ],
)
def test_plans_that_have_no_answer_say_why(given, asked, message):
    board = leaderboard(MEANS, rope=0.01, **given, seed=1)
    with pytest.raises(bc.InputError, match=message):
        board.plan("small", "large", **asked)


def test_one_benchmark_is_a_leaderboard():
    one = leaderboard(MEANS.loc[["arc"]], rope=0.01, errors=0.02, draws=40_000, seed=1)
    delta = stats.norm(0.02, np.hypot(0.02, 0.02))
    verdict = one.verdict("small", "large")
    assert list(verdict.probabilities.values())[2] == pytest.approx(delta.sf(0.01), abs=0.01)
    none = leaderboard(
        MEANS, rope=0.01, errors=0.02, weights={"gsm8k": 0, "arc": 1, "mmlu": 0}, draws=40_000
    )
    assert none.verdict("small", "large").estimate[0] == pytest.approx(0.02, abs=0.001)


def test_lower_is_better_also_of_shares():
    wrong = 1 - MEANS
    own = leaderboard(wrong, rope=0.01, questions=1000, lower_is_better=True, seed=1)
    assert own.best() == pytest.approx(
        leaderboard(MEANS, rope=0.01, questions=1000, seed=1).best()
    )


def test_each_benchmark_is_left_out_in_turn():
    board = leaderboard(MEANS, rope=0.01, questions=500, weights=WEIGHTS, seed=1)
    assert {setting for _, setting, _ in board.pair_variations()} == set(BENCHMARKS)


@given(order=st.permutations(range(3)), scale=st.sampled_from([1e-3, 1.0, 100.0]))
@settings(max_examples=10, deadline=None)
def test_invariances_of_a_board(order, scale):
    """Models in another order, and percent: the same verdicts but for other draws."""
    before = leaderboard(MEANS, rope=0.01, errors=ERRORS, seed=1)
    names = [MEANS.columns[i] for i in order]
    after = leaderboard(
        MEANS[names] * scale, rope=0.01 * scale, errors=ERRORS * scale, weights=[5, 5, 5], seed=2
    )
    assert after.best() == pytest.approx(before.best(), abs=0.06)


@each_row(
    ("given", "message"),
    [
        ({}, r"scores must show how precise they are \(got only means\)\. Give questions"),
        (
            {"questions": 9, "errors": 0.1},
            "questions must be left out with errors, which show how",
        ),
        ({"questions": 0}, "questions must be finite and at least 1, .*got 0 or a gap"),
        ({"questions": [1, 2]}, r"questions must .*one for each data set.*shape \(2,\)"),
        ({"errors": ERRORS[["small"]]}, "errors must .* or a gap"),
        ({"errors": "x"}, "errors must hold real numbers"),
        ({"errors": 0.1, "weights": [1, -1, 1]}, r"weights must be a number of at least 0"),
        ({"errors": 0.1, "weights": {"arc": 1}}, "weights must .*got none for 'gsm8k'"),
    ],
)
def test_what_is_refused(given, message):
    with pytest.raises(bc.InputError, match=message):
        leaderboard(MEANS, rope=0.01, seed=1, **given)


def test_percents_and_scores_of_questions_are_refused_with_the_way_out():
    with pytest.raises(
        bc.InputError, match=r"scores must be proportions.*got 50 to 74.*Divide percents by 100"
    ):
        leaderboard(100 * MEANS, rope=1, questions=500)
    assert leaderboard(100 * MEANS / 100, rope=0.01, questions=500, seed=1).best()
    folds = np.random.default_rng(1).random((3, 9, 2))
    with pytest.raises(bc.InputError, match="questions must be left out unless scores has means"):
        leaderboard(folds, rho=0, rope=0.01, questions=500)


def test_by_compare_and_from_the_command_line(tmp_path, capsys):
    rng = np.random.default_rng(1)
    rows = pd.DataFrame(
        [
            (m, b, i, float(rng.random() < 0.5 + 0.1 * k))
            for k, m in enumerate("abc")
            for b in ("x", "y")
            for i in range(100)
        ],
        columns=["model", "benchmark", "item", "correct"],
    )
    items = bc.Items(rows)
    own = bc.compare(items, rope=0.02, test="leaderboard", weights={"x": 2, "y": 1}, seed=1)
    assert own.best() == leaderboard(items.scores(), rope=0.02, weights=[2, 1], seed=1).best()
    path = tmp_path / "board.csv"
    MEANS.rename_axis("benchmark").to_csv(path)
    args = ["rank", str(path), "--metric", "accuracy", "--rope", "0.01", "--seed", "1"]
    of = ["--test", "leaderboard"]
    weighted = ["--weight", "gsm8k=2", "--weight", "arc=0.5", "--weight", "mmlu=1"]
    assert main([*args, *of, "--questions", "900", *weighted]) == 0
    board = leaderboard(MEANS, rope=0.01, questions=900, weights=WEIGHTS, seed=1)
    printed = " ".join(capsys.readouterr().out.split())
    for part in (
        "a group unless the upper one is decided to be better; best: probability of being the "
        "best on new questions of these benchmarks",
        board.caveat,
        describe_chosen(board.chosen()),
    ):
        assert part in printed
    for wrong, message in (
        ([*of, "--questions", "arc=9"], "(got none for 'gsm8k')"),
        ([*of, "--questions", "many"], "--questions must be BENCHMARK=NUMBER (got many)"),
        ([*of, "--weight", "arc=much"], "--weight must be BENCHMARK=NUMBER (got arc=much)"),
        (
            ["--test", "bayesian_friedman", "--questions", "9"],
            "--questions must be used with --test bootstrap or leaderboard",
        ),
        (
            ["--test", "bayesian_friedman", "--weight", "arc=2"],
            "--weight must be used with --test",
        ),
        (["--engine", "exact"], "--engine must be used with --test joint_t"),
    ):
        assert main([*args, *wrong]) == 2
        assert message in capsys.readouterr().err
