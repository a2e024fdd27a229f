"""Frames of scores: metrics are told by their names, not by their places."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.base.whitening import whiten
from bayescmp.errors import InputError
from bayescmp.frequentist.multivariate.hotelling import hotelling_all_pairs
from bayescmp.frequentist.multivariate.samples import Dependence, hotelling_f


def test_each_kind_has_its_sentence():
    """b is -2a and d is constant: two of the four metrics are left."""
    a, c = np.random.default_rng(4).normal(size=(2, 10))
    x = np.column_stack([a, -2 * a, c, np.zeros(10)])
    x -= x.mean(axis=0)
    dependence = Dependence.of(x, whiten(x, np.ones(4)), ("a", "b", "c", "d"))
    assert (dependence.constant, dependence.dependent, dependence.rank) == (("d",), ("b",), 2)
    assert dependence.notes == ("'d' does not vary", "'b' is a linear combination of 'a' and 'c'")
    assert dependence.notes_with_rank[2] == "tested in the subspace of rank 2 of 4 metrics"


def test_several_of_a_kind_are_named_together():
    x = np.column_stack([np.arange(4.0), 3 * np.arange(4.0), -np.arange(4.0), *np.zeros((2, 4))])
    x -= x.mean(axis=0)
    dependence = Dependence.of(x, whiten(x, np.ones(5)), tuple("abcde"))
    assert dependence.notes[0] == "'d' and 'e' do not vary"
    assert dependence.notes[1] == "'b' and 'c' are each a linear combination of 'a'"


def test_nothing_is_said_of_independent_metrics():
    x = np.random.default_rng(0).normal(size=(9, 3))
    x -= x.mean(axis=0)
    dependence = Dependence.of(x, whiten(x, np.ones(3)), tuple("abc"))
    assert dependence.notes == dependence.notes_with_rank == ()


def test_f_of_t2():
    """Hotelling's own case: one metric is t², and rank 0 says all or nothing."""
    t2, rank = np.array([4.0, 0.0, np.inf, 7.0]), np.array([1, 0, 0, 3])
    f, below, p = hotelling_f(t2, rank, 9)
    assert p[0] == pytest.approx(2 * stats.t.sf(2, 9))
    assert p[1:3].tolist() == [1, 0]
    assert (f[3], below[3]) == (pytest.approx(7 * 7 / 27), 7)
    assert p[3] == pytest.approx(stats.f.sf(49 / 27, 3, 7))


def test_all_pairs_at_once(counts):
    tp, fp = counts[:, :, 0], counts[:, :, 1]
    x = np.stack([tp, 20 - tp, fp, counts[:, :, 2]], axis=-1)
    t2, pvalue, rank = hotelling_all_pairs(x, rho=0.1)
    places = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    for k, (i, j) in enumerate(places):
        one = f.hotelling_paired(x[j] - x[i], rho=0.1)
        assert t2[k] == pytest.approx(one.statistic, rel=1e-10)
        assert pvalue[k] == pytest.approx(one.pvalue, rel=1e-10)
        assert rank[k] == one.rank == 3


RNG = np.random.default_rng(4)
X, Y = RNG.normal(size=(9, 2)), RNG.normal([1.0, 3.0], size=(7, 2))
LEFT, RIGHT = (pd.DataFrame(v, columns=["tpr", "fpr"]) for v in (X, Y))


def test_metrics_of_a_frame_are_selected_by_name():
    swapped = f.hotelling_paired(LEFT, metrics=["fpr", "tpr"])
    assert swapped.metrics == ("fpr", "tpr")
    assert swapped.mean == pytest.approx(X.mean(axis=0)[::-1])
    one = f.hotelling_paired(LEFT, metrics=(m for m in ["fpr"]))
    assert one.mean == pytest.approx(X[:, 1].mean())
    assert f.mardia(LEFT, metrics=["fpr"]).metrics == ("fpr",)
    with pytest.raises(InputError, match="unknown metric 'auc': known: 'tpr', 'fpr'"):
        f.hotelling_paired(LEFT, metrics=["tpr", "auc"])


def test_two_frames_are_matched_by_name():
    expected = f.hotelling_two_sample(X, Y)
    result = f.hotelling_two_sample(LEFT, RIGHT[["fpr", "tpr"]])
    assert result.metrics == ("tpr", "fpr")
    assert result.mean == pytest.approx(Y.mean(axis=0) - X.mean(axis=0))
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-12)
    with pytest.raises(InputError, match="y has the metrics tpr, fpr, auc, the first sample"):
        f.hotelling_two_sample(LEFT, RIGHT.assign(auc=1.0))


def test_frames_of_several_algorithms_are_matched_by_name():
    one = f.manova([X, Y, X + 1], block=False)
    other = f.manova([LEFT, RIGHT[["fpr", "tpr"]], LEFT + 1], block=False)
    assert other.metrics == ("tpr", "fpr")
    assert other.means == pytest.approx(one.means)
    assert other.pvalue == pytest.approx(one.pvalue, rel=1e-12)
    some = f.manova([LEFT, RIGHT, LEFT + 1], metrics=["fpr"], block=False)
    assert some.means[:, 0] == pytest.approx(one.means[:, 1])


@pytest.mark.parametrize("x", [{"a": X, "b": X}, LEFT, LEFT["tpr"], "scores", 3.0, None, []])
def test_what_holds_no_algorithms(x):
    with pytest.raises(InputError, match="x is not an array of scores of several algorithms"):
        f.manova(x, block=False)


def test_blocks_and_arrays_are_read_as_before():
    x = RNG.normal(size=(3, 6, 2))
    assert f.manova(bc.Blocks(x), block=False).pvalue == pytest.approx(
        f.manova(x.tolist(), block=False).pvalue
    )


def test_a_difference_without_error_is_not_said_to_be_left_out():
    x = np.concatenate([RNG.normal(size=(3, 6, 1)), np.ones((3, 6, 1))], axis=-1)
    x[1, :, 1] = 2.0
    for result in (f.manova(x, block=False), f.hotelling_paired(x[1] - x[0])):
        assert result.pvalue == 0
        assert not any("subspace" in note for note in result.notes)
        assert "infinite" in result.notes[-1]
