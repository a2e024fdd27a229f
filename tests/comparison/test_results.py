"""Results of many pairs: kept, light, shown."""

from __future__ import annotations

import pickle

import pytest

import bayescmp as bc
from bayescmp.comparison import Comparisons


def test_a_result_is_kept_for_each_pair(means):
    outcome = bc.compare_all(means, rope=0.01, seed=5)
    result = outcome["knn", "svm"]
    own = bc.compare(means, "knn", "svm", rope=0.01, seed=5)
    assert result.verdict.to_dict() == own.verdict().to_dict()
    assert result.summary.equals(own.summary())
    assert "signed_rank" in result.notes[0]
    assert result.posterior is None
    assert outcome.verdict("svm", "knn").p_left == outcome.verdict("knn", "svm").p_right
    for wrong in [("svm", "knn"), ("knn", "svm", "nb"), "knn", ()]:
        with pytest.raises(bc.InputError, match="unknown pair"):
            outcome[wrong]
    with pytest.raises(bc.InputError, match="pair=3; accepted"):
        outcome[3]


def test_results_are_light_unless_posteriors_are_asked_for(means):
    light = bc.compare_all(means, rope=0.01, seed=5)
    heavy = bc.compare_all(means, rope=0.01, seed=5, keep_posteriors=True)
    assert len(pickle.dumps(light["knn", "svm"])) < 20_000
    assert heavy["knn", "svm"].posterior.verdict(0.05).rope.high == 0.05


@pytest.mark.parametrize("keep", [True, False])
def test_behind_every_number_is_a_posterior(table, keep):
    """Kept or fitted again, it gives the row's numbers to the last bit."""
    scores, options = bc.Scores(table), {"rope": 0.05, "seed": 5, "engine": "quadrature"}
    outcome = bc.compare_all(scores, "accuracy", keep_posteriors=keep, **options)
    again = pickle.loads(pickle.dumps(outcome))
    for comparisons in (outcome, again):
        for pair, result in comparisons.results.items():
            posterior = comparisons.posterior(*pair)
            assert (posterior is result.posterior) == keep
            assert posterior.verdict().to_dict() == result.verdict.to_dict()
            assert posterior.summary().equals(result.summary)
    with pytest.raises(bc.InputError, match="unknown pair 'svm / knn'"):
        outcome.posterior("svm", "knn")


def test_posteriors_of_a_crosscheck_are_those_it_kept(scores):
    light, kept = (
        bc.crosscheck(scores, "accuracy", 0.05, seed=1, engine="quadrature", keep_posteriors=keep)
        for keep in (False, True)
    )
    pair = ("knn", "svm")
    with pytest.raises(bc.InputError, match="keep_posteriors=True"):
        light.comparisons["accuracy"].posterior(*pair)
    comparisons = kept.comparisons["accuracy"]
    assert comparisons.posterior(*pair) is comparisons[pair].posterior


def test_shown_as_a_table(means):
    result = bc.compare_all(means, rope=0.01, seed=5, control="svm")
    assert isinstance(result, Comparisons)
    assert len(result) == 3
    message = repr(result)
    assert message.startswith("3 comparisons with svm on accuracy ↑, rope ±0.01")
    assert "signed_rank" in message
