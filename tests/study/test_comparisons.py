"""Results of many pairs: kept, light, shown."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from types import SimpleNamespace

import pytest

import bayescmp as bc
from bayescmp.scores.rope import Rope
from bayescmp.study.comparisons import (
    PARTS,
    REGIONS,
    Comparisons,
    best_lines,
    best_of,
    failed_row,
    intransitive,
    leads,
    named,
    open_pairs,
    row,
    setting,
    together,
    warning,
)
from bayescmp.wording.text import probability
from tests.plots.scenes import comparisons


@pytest.fixture
def best_scores(table):
    return bc.Scores(table)


def test_it_is_the_bootstrap_and_its_lines_quote_it(best_scores):
    best = best_of(best_scores, "accuracy", Rope(-0.05, 0.05), 1, None)
    own = bc.bayesian.bootstrap(best_scores, metric="accuracy", rope=0.05, seed=1)
    assert best.overview().equals(own.overview())
    _, following, average, *_ = best_lines(best)
    for line, on in ((following, "next"), (average, "average")):
        name, p = own.ranking(on).index[0], own.ranking(on)["p_best"].iloc[0]
        assert f": {name} {probability(p)}" in line


@pytest.mark.parametrize("rope", [Rope(-0.05, 0.05), Rope(-0.01, 0.05)])
def test_two_algorithms_one_data_set_and_lopsided_ropes_have_no_best(best_scores, rope):
    two, one = best_scores.select(algorithms=["knn", "svm"]), best_scores.select(datasets=["iris"])
    assert best_of(two, "accuracy", rope, 1, None) is None
    assert best_of(one, "accuracy", rope, 1, None) is None
    assert (best_of(best_scores, "accuracy", rope, 1, None) is None) == (rope.low == -0.01)


def test_failed_pairs_have_the_columns_of_the_others(means):
    result = bc.compare_all(means, rope=0.01, seed=1)["knn", "svm"]
    there = row(("knn", "svm"), result, {})
    failed = failed_row(("knn", "svm"), bc.InputError("folds don't pair"), {})
    assert list(failed) == list(there)
    assert failed["error"] == "InputError: folds don't pair"
    assert all(math.isnan(failed[f"{part}_{r}"]) for part in PARTS for r in REGIONS)
    assert (there["error"], there["p_right"]) == ("", result.verdict.p_right)


def test_odds_are_of_the_most_probable_region_over_the_next(means):
    for pair, result in bc.compare_all(means, rope=0.01, seed=1).results.items():
        line, probabilities = row(pair, result, {}), result.verdict.probabilities
        top, following = sorted(probabilities.values())[:-3:-1]
        assert probabilities[line["most_probable"]] == top
        assert math.isclose(line["odds"], top / max(following, result.verdict.floor))


NAMES = ("a", "b", "c", "d")


@pytest.fixture(scope="module")
def result():
    return comparisons(NAMES)


def test_the_leader_and_those_it_is_compared_with(result):
    assert leads(result).startswith("d leads: practically better than ")
    assert all(name in leads(result) for name in NAMES)


def test_open_pairs_are_all_that_are_undecided(result):
    undecided = {p for p, r in result.results.items() if not r.verdict.decided}
    assert {p for o in open_pairs(result) for p in o.pairs} == undecided


def test_counts_add_up_to_all_pairs(result):
    decided = sum(r.verdict.decided for r in result.results.values())
    assert f"Of 6 pairs: one is better in {decided}," in result.explain()
    assert f"undecided {6 - decided}." in result.explain()


def test_a_pair_that_failed_is_a_caution(result):
    results = dict(result.results)
    del results["a", "b"]
    failed = replace(result, results=results, failures={("a", "b"): ValueError("no")})
    assert warning(failed) == "1 of 6 pairs could not be compared"
    assert "Caution: 1 of 6 pairs could not be compared." in failed.explain()
    assert warning(result) == ""


def test_the_setting_names_metric_test_rope_and_threshold(result):
    assert setting(result) == "accuracy by the signed-rank test, rope ±0.01, threshold 0.95"


def test_many_names_are_counted():
    assert named(["a", "b"]) == "a and b"
    assert named([f"a{i}" for i in range(9)]) == "a0, a1, a2, a3, a4, a5 and 3 more"


def decided(*decisions):
    """Comparisons of knn, gbm and svm, in this order, that were decided so."""
    pairs = [("knn", "gbm"), ("gbm", "svm"), ("knn", "svm")]
    results = {
        pair: SimpleNamespace(verdict=SimpleNamespace(decision=d), trouble=())
        for pair, d in zip(pairs, decisions, strict=True)
        if d is not None
    }
    turned = {"first": "second", "second": "first"}

    def verdict(a, b):
        if (a, b) in results:
            return results[a, b].verdict
        decision = results[b, a].verdict.decision
        return SimpleNamespace(decision=turned.get(decision, decision))

    return SimpleNamespace(
        order=("knn", "gbm", "svm"), results=results, verdict=verdict, failures={}
    )


@pytest.mark.parametrize(
    ("decisions", "odd", "words"),
    [
        (("first", "first", "first"), [], "are not a joint statement."),
        (("first", "first", "undecided"), [], "are not a joint statement."),
        (("first", "first", None), [], "are not a joint statement."),
        (("equivalent", "equivalent", "first"), [], "are not a joint statement."),
        (
            ("first", "first", "equivalent"),
            [("knn", "gbm", "svm")],
            "knn is better than gbm and gbm than svm, yet knn is equivalent to svm.",
        ),
        (
            ("first", "first", "second"),
            [("knn", "gbm", "svm")],
            "knn is better than gbm and gbm than svm, yet svm is better than knn.",
        ),
        (
            ("second", "second", "equivalent"),
            [("svm", "gbm", "knn")],
            "svm is better than gbm and gbm than knn, yet svm is equivalent to knn.",
        ),
    ],
)
def test_where_pairs_are_not_transitive(decisions, odd, words):
    comparisons = decided(*decisions)
    assert intransitive(comparisons) == odd
    assert together(comparisons).endswith(words)


def test_that_pairs_are_no_joint_statement_is_said_of_several(result):
    assert "the decisions are not a joint statement." in result.explain()
    first = dict([next(iter(result.results.items()))])
    assert together(replace(result, results=first)) == ""


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
    for each in (outcome, again):
        for pair, result in each.results.items():
            posterior = each.posterior(*pair)
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
