"""The rows of the tidy table: one for each pair, failed ones included."""

from __future__ import annotations

import math

import bayescmp as bc
from bayescmp.comparison.tidy import PARTS, REGIONS, failed_row, row


def test_failed_pairs_have_the_columns_of_the_others(means):
    result = bc.compare_all(means, rope=0.01, seed=1)["knn", "svm"]
    there = row(("knn", "svm"), result)
    failed = failed_row(("knn", "svm"), bc.InputError("folds don't pair"))
    assert list(failed) == list(there)
    assert failed["error"] == "InputError: folds don't pair"
    assert all(math.isnan(failed[f"{part}_{r}"]) for part in PARTS for r in REGIONS)
    assert (there["error"], there["p_right"]) == ("", result.verdict.p_right)


def test_odds_are_of_the_most_probable_region_over_the_next(means):
    for pair, result in bc.compare_all(means, rope=0.01, seed=1).results.items():
        line, probabilities = row(pair, result), result.verdict.probabilities
        top, following = sorted(probabilities.values())[:-3:-1]
        assert probabilities[line["most_probable"]] == top
        assert math.isclose(line["odds"], top / max(following, result.verdict.floor))
