"""Every plot refuses what it is not made of by one message, and hides no error of its own."""

from __future__ import annotations

import pytest
from pandas import DataFrame

import bayescmp as bc
from bayescmp.plots._argument import PAIR, made_of

NAMES = [name for name in bc.plots.__all__ if name.startswith("plot_")]


@pytest.fixture(scope="module")
def joint():
    scores = bc.Scores.read("examples/data/scores.csv")
    return bc.bayesian.bootstrap(scores, metric="accuracy", rope=0.01, draws=20, seed=1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("wrong", [None, 3, [[0.1]], {"a": 3}, DataFrame({"a": [1]})], ids=repr)
def test_a_plot_says_what_it_is_made_of(name, wrong):
    with pytest.raises(bc.InputError, match=r"accepted: |needed: |give costs"):
        getattr(bc.plots, name)(wrong)


@pytest.mark.parametrize("name", ["simplex", "density", "histogram", "shrinkage", "rope_curve"])
def test_plots_of_a_pair_refuse_a_posterior_of_many(name, joint):
    with pytest.raises(bc.InputError, match=r"BootstrapPosterior; accepted: .*one pair"):
        getattr(bc.plots, f"plot_{name}")(joint)


@pytest.mark.parametrize("name", ["sensitivity", "pairs_sensitivity", "plan"])
def test_a_posterior_is_no_analysis_of_it(name, joint):
    with pytest.raises(bc.InputError, match="BootstrapPosterior; accepted: "):
        getattr(bc.plots, f"plot_{name}")(joint)


@pytest.mark.parametrize("name", [n for n in NAMES if n != "plot_verdict_bar"])
def test_a_verdict_is_drawn_by_its_own_plot_alone(name, joint):
    with pytest.raises(bc.InputError, match=r"Verdict; accepted: |give costs|has 0 metrics"):
        getattr(bc.plots, name)(joint.verdict("knn", "svm"))


def test_an_error_inside_a_plot_is_not_taken_for_a_wrong_argument():
    @made_of(PAIR)
    def plot_broken(posterior):
        return [].missing

    with pytest.raises(AttributeError, match="missing"):
        plot_broken(3)
