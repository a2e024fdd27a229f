"""Two models on the same items: paired, counted, differenced, and how much of that is noise."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.items.pair import contributions, totals
from tests.items.tables import TWO, answers
from tests.rows import each_row


def clustered_error(x: np.ndarray, cluster: np.ndarray) -> float:
    """Miller 2024, eq. 4, as written: sums over pairs of items within clusters."""
    residual = x - x.mean()
    inside = cluster[:, None] == cluster[None]
    return float(np.sqrt((residual[:, None] * residual[None] * inside).sum()) / len(x))


def test_contributions_have_the_mean_and_the_clustered_error():
    rng = np.random.default_rng(1)
    cluster = rng.integers(0, 9, 60)
    x = rng.normal(size=60) + rng.normal(size=9)[cluster]
    y = contributions(x[:, None], cluster)[:, 0]
    K = len(y)
    assert y.mean() == pytest.approx(x.mean(), rel=1e-12)
    error = y.std(ddof=1) / np.sqrt(K)
    assert error == pytest.approx(clustered_error(x, cluster) * np.sqrt(K / (K - 1)), rel=1e-12)


def test_clusters_of_one_item_are_the_items():
    x = np.array([[0.1, 0.2], [0.4, 0.3]])
    assert contributions(x, np.array([5, 2])) is x
    assert contributions(x, None) is x


def test_totals():
    sums, sizes = totals(np.array([1.0, 2.0, 4.0]), np.array([3, 1, 3]))
    assert (sums.tolist(), sizes.tolist()) == ([2.0, 5.0], [1.0, 2.0])
    sums, sizes = totals(np.array([1.0, 2.0]), None)
    assert (sums.tolist(), sizes.tolist()) == ([1.0, 2.0], [1.0, 1.0])


def test_counts_are_those_of_a_table_of_right_and_wrong():
    pair = bc.Items(answers({"a": [1, 1, 0, 0, 0], "b": [1, 0, 1, 1, 0]})).pair("a", "b")
    assert pair.counts().tolist() == [[1, 1], [2, 1]]
    assert bc.frequentist.mcnemar(pair.counts()).n == 3


def test_of_errors_a_one_is_wrong():
    wrong = answers({"a": [0, 0, 1], "b": [0, 1, 0]})
    pair = bc.Items(wrong, lower_is_better=["score"]).pair("a", "b")
    assert pair.counts().tolist() == [[1, 1], [1, 0]]
    assert pair.x.tolist() == [0.0, -1.0, 1.0]


def test_graded_scores_are_not_counted():
    pair = bc.Items(answers({"a": [0.5, 1], "b": [1, 0]})).pair("a", "b")
    with pytest.raises(bc.InputError, match="got graded scores, or averages over epochs"):
        pair.counts()


def test_differences_are_rows_of_independent_items():
    pair = bc.Items(TWO).pair("a", "b")
    x = pair.differences()
    assert [row.tolist() for row in x.x] == [[1, 0, 0], [-1, 0, 0]]
    assert (x.rho.tolist(), x.datasets, x.resolution.tolist()) == ([0, 0], ("x", "y"), [1, 1])
    assert x.rho_sentence == "rho 0: independent units, as declared"


def test_rows_of_clusters_have_the_mean_of_the_items():
    items = bc.Items(TWO.assign(cluster=["p", "p", "q"] * 4))
    x = items.pair("a", "b").differences()
    assert x.n.tolist() == [2, 2]
    np.testing.assert_allclose(x.means, [1 / 3, -1 / 3])


def test_one_benchmark_of_it():
    pair = bc.Items(TWO.assign(cluster=["p", "p", "q"] * 4)).pair("a", "b").on("y")
    assert (pair.benchmarks, pair.x.tolist(), pair.clustered) == (("y",), [-1, 0, 0], True)
    with pytest.raises(bc.InputError, match=r"benchmark must be .*\(got 'z'\)"):
        pair.on("z")


def test_clusters_of_one_item_each_are_none():
    pair = bc.Items(TWO.assign(cluster=range(12)).assign(cluster=[*range(6)] * 2)).pair("a", "b")
    assert not pair.clustered


def test_the_span_is_known_where_the_metric_keeps_to_it():
    inside = answers({"a": [0.5, 1], "b": [1, 0]}).rename(columns={"score": "exact_match"})
    assert bc.Items(inside).pair("a", "b").span == 1
    assert bc.Items(inside.assign(exact_match=[50, 100, 100, 0])).pair("a", "b").span is None


# What several epochs tell: the models' own noise, and how often k answers are right.


def epochs(scores: dict[str, list[list[float]]], **columns: list[object]) -> pd.DataFrame:
    """One row per model, item and epoch, from lists of the epochs of each item."""
    rows = [
        (model, item, epoch, score, *(values[item] for values in columns.values()))
        for model, items in scores.items()
        for item, own in enumerate(items)
        for epoch, score in enumerate(own)
    ]
    return pd.DataFrame(rows, columns=["model", "item", "epoch", "correct", *columns])


def drawn(seed: int, n: int, K: int, spread: float = 1.5) -> pd.DataFrame:
    """Two models' right and wrong answers, of questions of differing difficulty."""
    rng = np.random.default_rng(seed)
    p = 1 / (1 + np.exp(-spread * rng.normal(size=(2, n))))
    y = rng.random((2, n, K)) < p[..., None]
    return epochs({m: y[i].astype(float).tolist() for i, m in enumerate("ab")})


# All of k answers right, or any of them.


@each_row(
    ("c", "K", "k", "every", "some"),
    [(3, 4, 2, 3 / 6, 1.0), (0, 5, 2, 0.0, 0.0), (1, 5, 1, 0.2, 0.2)],
)
def test_known_values(c, K, k, every, some):
    items = bc.Items(epochs({"a": [[1.0] * c + [0.0] * (K - c)]}))
    assert items.pass_hat(k).answers.score[0] == pytest.approx(every)
    assert items.pass_at(k).answers.score[0] == pytest.approx(some)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.data())
def test_against_enumeration(right, data):
    """All choices of k epochs, as itertools gives them."""
    k = data.draw(st.integers(1, len(right)))
    items = bc.Items(epochs({"a": [list(map(float, right))]}))
    chosen = list(combinations(right, k))
    assert items.pass_hat(k).answers.score[0] == pytest.approx(np.mean([*map(all, chosen)]))
    assert items.pass_at(k).answers.score[0] == pytest.approx(np.mean([*map(any, chosen)]))


def test_of_errors_a_zero_is_right():
    table = epochs({"a": [[0.0, 0.0, 0.0, 1.0]]})
    items = bc.Items(table, lower_is_better=["correct"]).pass_hat(2)
    assert items.answers.score[0] == pytest.approx(0.5)
    assert not items.direction.lower


def test_epochs_of_unequal_number_are_counted_each():
    items = bc.Items(epochs({"a": [[1, 1, 0], [1, 0]]})).pass_hat(2)
    assert items.answers.score.tolist() == pytest.approx([1 / 3, 0.0])


@each_row(
    ("scores", "k", "message"),
    [
        ([[1.0, 0.5]], 1, "scores must be 0 or 1 .got 0.5"),
        ([[1.0, 0.0], [1.0]], 2, "k must be at most 1 .*Model 'a' has 1 epoch of item '1'"),
        ([[1.0, 0.0]], 1.5, "k must be"),
    ],
)
def test_what_has_no_answer_is_refused(scores, k, message):
    items = bc.Items(epochs({"a": scores}))
    for ask in (items.pass_hat, items.pass_at):
        with pytest.raises(bc.InputError, match=message):
            ask(k)


def test_every_verdict_takes_them():
    table = pd.concat([drawn(1, 60, 4), drawn(2, 60, 4).replace({"model": {"a": "c", "b": "d"}})])
    items = bc.Items(table).pass_hat(2)
    pair = items.pair("a", "b")
    assert str(pair.direction) == "pass^2 ↑"
    assert pair.span == 1.0
    one = bc.compare(items, "a", "b", rope=0.02)
    assert one.estimate == pytest.approx(pair.x.mean())
    assert bc.gate(items, "a", "b", margin="45%").outcome == "pass"
    several = bc.compare(items, rope=0.02, seed=1)
    assert len(several.verdicts()) == 6
    assert len(several.ladder().names) == 4


# The models' own noise.


def test_the_split_is_that_of_a_one_way_analysis_of_variance():
    """Of one model against one that is always wrong: σ²_w is the mean square within questions,
    σ²_b the component between them, (MSB − MSW)/K (Searle, Casella & McCulloch 1992, section 3.6).
    """
    table = drawn(3, 40, 5)
    table.loc[table["model"] == "a", "correct"] = 0.0
    noise = bc.Items(table).noise("a", "b", seed=1)
    y = table[table["model"] == "b"]["correct"].to_numpy().reshape(40, 5)
    within = y.var(axis=1, ddof=1).mean()
    between = (5 * y.mean(axis=1).var(ddof=1) - within) / 5
    assert noise.within == pytest.approx(within)
    assert noise.between == pytest.approx(between)
    assert noise.share == pytest.approx(within / 5 / (within / 5 + between))
    assert noise.interval[0] < noise.between < noise.interval[1]


def test_of_clusters_the_variance_is_that_of_the_clustered_mean():
    table = drawn(4, 40, 4).assign(passage=lambda t: t["item"] // 4)
    noise = bc.Items(table).noise("a", "b", seed=1)
    pair = bc.Items(table).pair("a", "b")
    y = pair.differences().x[0]
    variance = np.var(y, ddof=1) / len(y)
    assert 40 * variance == pytest.approx(noise.between + noise.within / 4)


@pytest.mark.slow
def test_the_interval_covers_the_truth():
    """σ²_b of independent p ~ logistic-normal, by a million draws; 200 benchmarks."""
    rng = np.random.default_rng(0)
    p = 1 / (1 + np.exp(-1.5 * rng.normal(size=(2, 1_000_000))))
    truth = float(np.var(p[1] - p[0]))
    hits, centres = 0, []
    for seed in range(200):
        noise = bc.Items(drawn(seed + 100, 150, 3)).noise("a", "b", seed=1)
        hits += noise.interval[0] <= truth <= noise.interval[1]
        centres.append(noise.between)
    assert np.mean(centres) == pytest.approx(truth, abs=3 * np.std(centres) / np.sqrt(200))
    assert 0.9 <= hits / 200 <= 0.99


def test_epochs_that_share_their_noise_pair_only_when_asked():
    noise = np.random.default_rng(1).normal(size=(30, 6))
    scores = {"a": (noise * 0.1 + 0.5).tolist(), "b": (noise * 0.1 + 0.6).tolist()}
    items = bc.Items(epochs(scores), metric="correct")
    assert items.noise("a", "b", paired=True, seed=1).within == pytest.approx(0, abs=1e-15)
    both = items.noise("a", "b", seed=1)
    assert both.within == pytest.approx(2 * 0.1**2 * noise.var(axis=1, ddof=1).mean())
    assert both.between == 0.0
    assert "paired by name" in str(items.noise("a", "b", paired=True, seed=1))


def test_paired_epochs_have_the_variance_of_their_differences():
    a, b = np.random.default_rng(2).normal(size=(2, 30, 4))
    items = bc.Items(epochs({"a": a.tolist(), "b": b.tolist()}), metric="correct")
    noise = items.noise("a", "b", paired=True, seed=1)
    assert noise.within == pytest.approx((b - a).var(axis=1, ddof=1).mean())


def test_what_there_is_to_say():
    table = drawn(5, 80, 4)
    noise = bc.Items(table).noise("a", "b", seed=1)
    text, own = noise.explain(), round(100 * noise.share)
    assert 0 < own < 50
    assert text.startswith(f"{100 - own}% of the variance is between questions, {own}% is the")
    assert f"would shrink to {(1 - noise.share) ** 0.5:.2f} of its width" in text
    assert "80 questions, 4 epochs" in str(noise)
    assert not {"fold", "data set"} & set(text.split())


@each_row(
    ("scores", "options", "message"),
    [
        (
            {"a": [[1], [0]], "b": [[1], [1]]},
            {},
            "model 'a' must have at least two epochs .*got 1 of item '0'",
        ),
        ({"a": [[1, 0]], "b": [[1, 1]]}, {}, "at least two questions, .*got 1"),
        (
            {"a": [[1, 0, 1], [0, 1]], "b": [[1, 1], [1, 0]]},
            {"paired": True},
            "different epochs of some item",
        ),
        ({"a": [[1, 0]] * 2, "b": [[1, 1]] * 2}, {"paired": 3}, "paired must be"),
    ],
)
def test_noise_that_cannot_be_told_is_refused(scores, options, message):
    items = bc.Items(epochs(scores))
    with pytest.raises(bc.InputError, match=message):
        items.noise("a", "b", **options)


# Which items flipped.


def test_flips_are_the_discordant_cells_of_mcnemar():
    pair = bc.Items(drawn(6, 200, 1).drop(columns="epoch")).pair("a", "b")
    flips = pair.flips()["flip"].value_counts()
    (_, harmful), (beneficial, _) = pair.counts()
    assert (flips["harmful"], flips["beneficial"]) == (harmful, beneficial)


def test_totals_are_sums_of_clusters():
    table = answers({"a": [0, 0.5, 1], "b": [0.5, 1, 0.25]}, cluster=["p", "p", "q"])
    sums, sizes = bc.Items(table).pair("a", "b").totals()
    assert (sums.tolist(), sizes.tolist()) == ([1, -0.75], [2, 1])


def test_flips_of_epochs_are_those_of_most():
    table = epochs(
        {"a": [[1, 1, 0], [1, 0, 0], [1, 1, 1]], "b": [[0, 0, 1], [1, 0, 0], [0, 0, 0]]}
    )
    flips = bc.Items(table).pair("a", "b").flips()
    assert flips["item"].tolist() == [2, 0]
    assert flips["first"].tolist() == pytest.approx([1, 2 / 3])
    assert flips["flip"].tolist() == ["harmful", "harmful"]


def test_graded_scores_do_not_flip():
    table = epochs({"a": [[0.3], [0.4]], "b": [[0.7], [0.1]]}).drop(columns="epoch")
    with pytest.raises(bc.InputError, match="must be right or wrong on each item"):
        bc.Items(table).pair("a", "b").flips()


# Clusters within clusters.


def test_of_clusters_within_clusters_the_outermost_are_taken_whole():
    table = drawn(7, 60, 1).assign(family=lambda t: t["item"] % 8, task=lambda t: t["item"] % 24)
    levels = bc.Items(table, columns={"cluster": ["family", "task"]})
    whole = bc.Items(table.drop(columns="task"), columns={"cluster": "family"})
    assert np.array_equal(levels.pair("a", "b").cluster, whole.pair("a", "b").cluster)
    assert levels.renamed["task"] == "cluster 2"
    other = table.rename(columns={"task": "part"})
    with pytest.raises(bc.InputError, match="must have the outermost clusters first"):
        bc.Items(other, columns={"cluster": ["part", "family"]})
    with pytest.raises(bc.InputError, match="column"):
        bc.Items(table, columns={"cluster": ["family", "tasks"]})
