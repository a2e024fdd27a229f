"""Frames of scores: metrics are told by their names, not by their places."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError

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
