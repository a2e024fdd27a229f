"""What follows from draws: summaries, kernel estimates, warnings."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.bayesian import bootstrap, friedman, groups
from bayescmp.errors import DiagnosticWarning, InputError
from bayescmp.results.posterior import PairsPosterior, all_probabilities


def test_a_doubtful_posterior_warns_at_the_users_line():
    posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
    doubtful = dataclasses.replace(
        posterior,
        diagnostics=dataclasses.replace(posterior.diagnostics, messages=("chains disagree",)),
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DiagnosticWarning)
        doubtful.warn_if_doubtful()
        posterior.warn_if_doubtful()
    (warning,) = caught
    assert warning.filename == __file__
    assert "of first and second: chains disagree" in str(warning.message)


def test_a_curve_has_the_verdicts_own_numbers():
    posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
    curve = posterior.rope_curve([0.0, 0.02])
    assert list(curve) == ["p_left", "p_rope", "p_right", "se_left", "se_rope", "se_right"]
    assert curve.loc[0.02, "p_rope"] == posterior.verdict(0.02).p_rope
    assert curve.filter(like="p_").sum(axis=1).to_numpy() == pytest.approx(1)
    for bad in (-1, np.nan, [], "wide"):
        with pytest.raises(InputError, match="widths="):
            posterior.rope_curve(bad)


# -- direction and resampling ------------------------------------------------------------------


def _losses():
    """Errors of two algorithms on three data sets, 2 x 5 folds; the second is better."""
    rng = np.random.default_rng(0)
    rows = [
        {"dataset": d, "algorithm": a, "repeat": r, "fold": f, "rmse": base + 0.01 * rng.random()}
        for d in "xyz"
        for a, base in (("old", 0.3), ("new", 0.1))
        for r in (1, 2)
        for f in range(5)
    ]
    return bc.Scores(pd.DataFrame(rows))


@pytest.mark.parametrize("test", ["hierarchical_t", "signed_rank", "sign"])
def test_direction_and_resampling_are_printed_and_saved(test, tmp_path):
    options = {"engine": "quadrature"} if test == "hierarchical_t" else {}
    posterior = bc.compare(_losses(), "old", "new", rope=0.01, test=test, seed=1, **options)
    assert "on rmse ↓, rope" in str(posterior)
    sentence = "rho 0.2: 5 folds, 2 repeats" if test == "hierarchical_t" else ""
    assert posterior.resampling == sentence
    assert ("resampling   rho 0.2: 5 folds, 2 repeats" in str(posterior)) == bool(sentence)
    posterior.save(tmp_path / "posterior.nc")
    again = bc.load(tmp_path / "posterior.nc")
    assert (again.directions, again.resampling) == (posterior.directions, posterior.resampling)
    verdict = posterior.verdict()
    assert verdict.p_right > verdict.p_left  # the smaller error


def test_pairs_print_direction_and_resampling():
    result = bc.compare_all(
        _losses(), rope=0.01, test="hierarchical_t", engine="quadrature", progress=False
    )
    assert str(result).startswith(
        "1 comparison on rmse ↓, rope ±0.01\nrho 0.2: 5 folds, 2 repeats"
    )
    row = result.frame.iloc[0]
    assert (row["better"], row["resampling"]) == ("lower", "rho 0.2: 5 folds, 2 repeats")


def test_assumed_directions_are_marked():
    scores = bc.Scores(_losses().frame.rename(columns={"rmse": "foo"}))
    with pytest.warns(bc.DirectionWarning):
        posterior = bc.compare(scores, "old", "new", rope=0.01, test="sign")
    assert "on foo ↑ (assumed), rope" in str(posterior)


def test_bare_numbers_have_neither():
    posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
    assert (posterior.measured, posterior.directions) == ("", ())
    assert posterior.resampling == "rho 0.1: as given"


@pytest.mark.parametrize("plot", ["plot_rope_curve", "plot_density"])
def test_axes_say_the_direction(plot):
    posterior = bc.compare(_losses(), "old", "new", rope=0.01, dataset="x")
    ax = getattr(bc.plots, plot)(posterior)
    assert any("rmse ↓" in text for text in (ax.get_xlabel(), ax.get_ylabel()))


def test_several_metrics_say_their_directions():
    rng = np.random.default_rng(0)
    blocks = bc.Blocks(rng.normal(0.5, 0.1, (2, 20, 2)), rho=0.1, metrics=["tpr", "fpr"])
    pair = bc.bayesian.multivariate_t(blocks, rope=0.01)
    assert str(pair).splitlines()[0].endswith("A1 vs A2 on tpr ↑, fpr ↓")
    three = bc.Blocks(rng.normal(0.5, 0.1, (3, 20, 2)), rho=0.1, metrics=["tpr", "fpr"])
    assert "tpr ↑, fpr ↓" in str(bc.bayesian.groups(three, rope=0.01, variances="equal"))
    bare = bc.bayesian.multivariate_t(rng.normal(size=(20, 2)), rho=0.1, rope=0.01)
    assert "↑" not in str(bare)


MEANS = np.random.default_rng(2).normal([0.70, 0.71, 0.75], 0.02, (6, 3))


def test_which_they_are():
    for posterior in (
        groups(MEANS.T, rho=0.1, rope=0.01, seed=1),
        bootstrap(MEANS, rope=0.01, seed=1, draws=100),
        friedman(MEANS, seed=1, draws=100),
    ):
        assert isinstance(posterior, PairsPosterior)
        numbers = all_probabilities(posterior)
        assert list(numbers) == posterior.pairs == list(posterior.verdicts())
        for pair, verdict in posterior.verdicts().items():
            assert numbers[pair].tolist() == list(verdict.probabilities.values())


def test_what_cannot_be_varied_is_a_question_with_a_reason():
    posterior = bootstrap(MEANS, rope=0.01, seed=1, draws=100)
    assert set(posterior.fixed) == {"prior", "rho"}
