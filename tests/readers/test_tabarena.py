"""TabArena's results_per_split.csv."""

import pytest

import bayescmp as bc
from tests.readers.layouts import long_table, tabarena


def test_folds_run_through_repeats_of_three():
    scores = bc.Scores.read(tabarena(long_table()))
    assert str(scores.resampling.of("iris")) == "rho 0.333: 3 folds, 2 repeats"


def test_imputed_rows_are_missing_unless_they_are_kept():
    table = tabarena(long_table())
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
    table = tabarena(long_table())
    with pytest.raises(bc.InputError, match="'iris' has folds 1 to 6; TabArena's are counted"):
        bc.Scores.read(table.assign(fold=table["fold"] + 1))
