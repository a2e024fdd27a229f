"""Posterior of metrics of two confusion matrices: its density, saved and read again."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import confusion

FIRST, SECOND = (40, 10, 5, 45), (45, 5, 6, 44)


def test_saved_and_loaded(tmp_path):
    for post in (
        confusion(FIRST, SECOND, ["tpr", "fpr"], rope=0.01, seed=1, draws=1000),
        confusion(joint=np.arange(8).reshape(2, 2, 2), metric="f1", rope=0.01, seed=1, draws=1000),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            post.save(tmp_path / "c.nc")
            back = bc.load(tmp_path / "c.nc")
        assert str(back) == str(post)
        assert back.verdict() == post.verdict()
        np.testing.assert_array_equal(back.counts, post.counts)


def test_density_integrates_to_one():
    x, y = confusion(FIRST, SECOND, "f1", rope=0.01, seed=1).density()
    assert np.sum((y[1:] + y[:-1]) / 2 * np.diff(x)) == pytest.approx(1, abs=0.01)
