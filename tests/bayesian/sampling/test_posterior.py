"""What sampled posteriors of one data set share: their draws, and coming back from disk."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import SampledMultivariatePosterior
from bayescmp.diagnostics import Diagnostics
from bayescmp.verdict import Rope, Ropes


@pytest.fixture
def posterior():
    rng = np.random.default_rng(1)
    values = {"delta": rng.normal(0.1, 1, (2, 50, 2)), "Sigma": rng.normal(size=(2, 50, 2, 2))}
    stats = {"diverging": np.zeros((2, 50), bool), "energy": rng.normal(size=(2, 50))}
    diagnostics = Diagnostics(rhat=1.0, ess_bulk=900, ess_tail=900, divergences=0,
                              max_treedepth=0, ebfmi=1.0)  # fmt: skip
    return SampledMultivariatePosterior(
        names=("knn", "gbm"), rope=Ropes([Rope(-0.1, 0.1)] * 2), engine="fake",
        engine_version="1", diagnostics=diagnostics, seed=1, metrics=("auc", "f1"), rho=0.1,
        dataset="", x=rng.normal(size=(5, 2)), values=values, noise="normal",
        sampled=("auc", "f1"), prior_words="as you like it", sample_stats=stats,
    )  # fmt: skip


def test_draws_and_prior_are_what_was_given(posterior):
    assert posterior.draws is posterior.values
    assert posterior.prior_text == "as you like it"
    assert posterior.verdict().prior == "as you like it"


def test_arviz_names_the_sampled_metrics(posterior):
    group = posterior.to_arviz()["posterior"]
    assert group["Sigma"].dims == ("chain", "draw", "sampled", "sampled_")
    assert group["Sigma"].coords["sampled"].to_numpy().tolist() == ["auc", "f1"]


def test_it_comes_back_from_disk(posterior, tmp_path):
    posterior.save(tmp_path / "p.nc")
    again = bc.load(tmp_path / "p.nc")
    assert type(again) is SampledMultivariatePosterior
    assert again.verdict(0.3) == posterior.verdict(0.3)
    assert again.sampled == ("auc", "f1")
    assert np.array_equal(again.x, posterior.x)
    assert set(again.sample_stats) == {"diverging", "energy"}
