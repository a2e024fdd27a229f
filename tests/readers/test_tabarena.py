"""TabArena's results_per_split.csv."""

import pytest

import bayescmp as bc
from tests.readers.layouts import long_table, tabarena


def _results():
    """Of two data sets of TabArena-v0.1."""
    return tabarena(long_table().replace({"iris": "anneal", "wine": "churn"}))


def test_folds_run_through_repeats_of_three():
    scores = bc.Scores.read(_results())
    assert str(scores.resampling.of("anneal")) == "rho 0.333: 3 folds, 2 repeats"


def test_data_sets_of_another_arena_ask():
    """BeyondArena writes the same columns for windows in time: fold 0 of nine repeats, say."""
    table = _results().replace({"churn": "hotel_booking_demand"})
    with pytest.raises(bc.InputError, match="'hotel_booking_demand' is not one of TabArena"):
        bc.Scores.read(table)
    scores = bc.Scores.read(table, resampling={"hotel_booking_demand": "windows rho 0.4"})
    differences = scores.differences("knn", "svm", "metric_error")
    assert differences.rho.tolist() == pytest.approx([1 / 3, 0.4])


def test_one_split_of_each_data_set_is_one_score():
    scores = bc.Scores.read(_results().query("fold == 0"))
    differences = scores.differences("knn", "svm", "metric_error")
    assert differences.n.tolist() == [1, 1]
    assert differences.rho_sentence == "rho 0: one score per data set"


def test_imputed_rows_are_missing_unless_they_are_kept():
    table = _results()
    table.loc[0, "imputed"] = True
    scores = bc.Scores.read(table)
    assert "1 imputed rows missing" in scores.recognised
    with pytest.raises(bc.InputError, match=r"missing \(NaN\) for .*\(imputed\)"):
        scores.differences("knn", "svm", "metric_error")
    kept = bc.Scores.read(table, imputed="keep")
    assert len(kept.differences("knn", "svm", "metric_error").x[0]) == 6
    with pytest.raises(bc.InputError, match="imputed='drop'; accepted: 'missing', 'keep'"):
        bc.Scores.read(table, imputed="drop")


def test_other_folds_are_refused():
    table = _results()
    with pytest.raises(bc.InputError, match="'anneal' has folds 1 to 6; TabArena's are counted"):
        bc.Scores.read(table.assign(fold=table["fold"] + 1))
