"""Two models on the same items."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.items.pair import contributions, totals
from tests.items.tables import TWO, answers


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
    with pytest.raises(bc.InputError, match="graded, or averaged over epochs"):
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
    with pytest.raises(bc.InputError, match="unknown benchmark 'z'"):
        pair.on("z")


def test_clusters_of_one_item_each_are_none():
    pair = bc.Items(TWO.assign(cluster=range(12)).assign(cluster=[*range(6)] * 2)).pair("a", "b")
    assert not pair.clustered


def test_the_span_is_known_where_the_metric_keeps_to_it():
    inside = answers({"a": [0.5, 1], "b": [1, 0]}).rename(columns={"score": "exact_match"})
    assert bc.Items(inside).pair("a", "b").span == 1
    assert bc.Items(inside.assign(exact_match=[50, 100, 100, 0])).pair("a", "b").span is None
