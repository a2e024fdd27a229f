"""Several models on the same questions: against the closed form of a pair, and loops."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.bayesian import cluster_bootstrap, question_bootstrap
from bayescmp.bayesian.paired.clusters import Units


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


@pytest.mark.parametrize("clustered", [False, True])
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
    units = Units.from_numbers(pair.x[:, None], pair.cluster, pair.judge)
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
    assert "On new questions, before other judges, " in text
    assert f"{pair.delta.size} independent draws" in text
    assert not [word for word in ("data set", "fold", "closed form") if word in text]
    with pytest.raises(bc.InputError, match="part of this variance is the judges'"):
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
        with pytest.raises(bc.InputError, match="the items have several judges"):
            ask()
    with pytest.raises(bc.InputError, match="more questions leave as it is"):
        bc.compare(items, "a", "b", rope=0.1, seed=1).plan()


def test_judges_that_are_too_few_or_missing():
    two = bc.Items(judged(judges=2), **JUDGED)
    with pytest.raises(bc.InputError, match="x has 2 judges; accepted: at least 3"):
        bc.compare(two, "a", "b", rope=0.1)
    with pytest.raises(bc.InputError, match="x has 2 judges; accepted: at least 3"):
        question_bootstrap(two.group(), rope=0.1)
    assert any("3 judges" in n for n in bc.compare(
        bc.Items(judged(judges=3), **JUDGED), "a", "b", rope=0.1).notes)  # fmt: skip
    gone = judged().iloc[:-1]
    with pytest.raises(bc.InputError, match=r"item '29' .* before judge 5 has a score of 'a'"):
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
    assert posterior.frame()["p_left"].tolist() == [
        v.p_left for v in posterior.verdicts().values()
    ]


def test_lower_is_better_turns_everything():
    x = right(n=40, L=3)
    table = pd.DataFrame(1 - x, columns=list("abc")).rename_axis("item").reset_index()
    wrong = table.melt("item", var_name="model", value_name="errors")
    items = bc.Items(wrong, lower_is_better=["errors"])
    posterior = bc.compare(items, rope=0.02, test="question_bootstrap", seed=1)
    assert posterior.best() == question_bootstrap(x, rope=0.02, names=[*"abc"], seed=1).best()


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        (np.zeros(9), {}, r"x has shape \(9,\); accepted: \(n, L\)"),
        (np.full((9, 2), np.nan), {}, "x"),
        (np.zeros((5, 2)), {}, "x has 5 questions; accepted: at least 6"),
        (np.zeros((9, 2)), {"clusters": np.arange(9) // 3}, "x has 3 clusters of 9 questions"),
        (np.zeros((9, 2)), {"clusters": np.arange(8)}, r"clusters has shape \(8,\)"),
        (np.zeros((9, 2)), {"rope": (-0.1, 0.2)}, "rope"),
        (np.zeros((9, 2)), {"draws": 3}, "draws=3"),
        (np.zeros((9, 2)), {"names": ["a"]}, "names"),
    ],
)
def test_bad_input(x, options, message):
    with pytest.raises(bc.InputError, match=message):
        question_bootstrap(x, **{"rope": 0.1, **options})


def test_it_says_that_it_is_drawn():
    posterior = question_bootstrap(np.eye(9)[:, :3], rope=0.1, draws=40, seed=1)
    for text in (str(posterior), posterior.explain("full"), posterior.explain("paper")):
        assert "closed form" not in text
    assert "40 independent draws" in str(posterior).replace("\n", " ")


def test_a_group_has_its_own_names():
    items = bc.Items(judged(judges=1), **JUDGED)
    with pytest.raises(bc.InputError, match="an ItemGroup has its own"):
        question_bootstrap(items.group(), rope=0.1, names=["x", "y"])
