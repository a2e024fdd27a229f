"""What is compared of a table of items."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from tests.items.tables import TWO, answers

THREE = answers({"a": [1, 0, 1, 1], "b": [0, 0, 1, 1], "c": [1, 1, 1, 0]})


def test_a_pair_is_of_two_known_models():
    items = bc.Items(TWO)
    with pytest.raises(bc.InputError, match="both 'a'"):
        items.pair("a", "a")
    with pytest.raises(bc.InputError, match="unknown model 'c'"):
        items.pair("a", "c")


def test_blocks_are_items():
    blocks = bc.Items(THREE).blocks()
    assert blocks.x[..., 0].tolist() == [[1, 0, 1, 1], [0, 0, 1, 1], [1, 1, 1, 0]]
    assert (blocks.rho, blocks.algorithms, blocks.metrics) == (0, ("a", "b", "c"), ("accuracy",))


def test_blocks_are_of_one_benchmark():
    with pytest.raises(bc.InputError, match="benchmark is missing: the table has 2, 'x', 'y'"):
        bc.Items(TWO).blocks()
    assert bc.Items(TWO).blocks("y", ["b", "a"]).x[..., 0].tolist() == [[0, 1, 1], [1, 1, 1]]


def test_models_are_two_or_more_each_once():
    for models in (["a"], ["a", "a"], []):
        with pytest.raises(bc.InputError, match="at least two, each once"):
            bc.Items(THREE).blocks(models=models)


def test_scores_are_of_benchmarks_and_items():
    scores = bc.Items(TWO).scores()
    x = scores.differences("a", "b")
    assert x.datasets == ("x", "y")
    assert [row.tolist() for row in x.x] == [[1, 0, 0], [-1, 0, 0]]
    assert x.rho.tolist() == [0, 0]


def test_scores_of_clusters_have_the_means_of_the_items():
    items = bc.Items(TWO.assign(cluster=["p", "p", "q"] * 4))
    np.testing.assert_allclose(items.scores().means(), items.means())


def test_scores_keep_the_direction():
    scores = bc.Items(TWO.rename(columns={"score": "zzz"}), lower_is_better="zzz").scores()
    assert scores.lower_is_better("zzz")


@pytest.mark.parametrize("odd", [7, 1 + 2j, np.array([1, 2]), {1}], ids=str)
@pytest.mark.parametrize("option", ["columns", "metric", "lower_is_better", "missing"])
def test_odd_options_are_refused(option, odd):
    with pytest.raises(bc.InputError):
        bc.Items(TWO, **{option: odd})


@pytest.mark.parametrize("odd", [7, np.array([1, 2])], ids=str)
def test_odd_names_are_refused(odd):
    items = bc.Items(TWO)
    with pytest.raises(bc.InputError):
        items.pair("a", odd)
    with pytest.raises(bc.InputError):
        items.pair("a", "b", benchmarks=odd)
