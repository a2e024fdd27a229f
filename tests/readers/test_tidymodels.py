"""Tables of collect_metrics() (tune and workflowsets on CRAN: columns and rsample's labels)."""

import pandas as pd
import pytest

import bayescmp as bc
from tests.readers.layouts import long_table, tidymodels


def test_the_estimator_is_no_algorithm():
    scores = bc.Scores.read(tidymodels(long_table()))
    assert scores.algorithms == ("knn", "svm")
    assert str(scores.resampling.of("wine")) == "rho 0.333: 3 folds, 2 repeats"


def test_several_metrics_become_columns():
    table = tidymodels(long_table())
    other = table.assign(**{".metric": "brier_class", ".estimate": 0.2})
    scores = bc.Scores.read(pd.concat([table, other]))
    assert [str(scores.direction(m)) for m in scores.metrics] == ["accuracy ↑", "brier_class ↓"]


def test_means_are_refused():
    table = tidymodels(long_table()).rename(columns={".estimate": "mean"})
    with pytest.raises(bc.InputError, match=r"collect_metrics\(summarize = FALSE\)"):
        bc.Scores.read(table)


def test_tuned_configurations_are_algorithms():
    table = tidymodels(long_table()).drop(columns=["wflow_id", "model"])
    table[".config"] = long_table()["algorithm"].map({"knn": "pre0_mod1", "svm": "pre0_mod2"})
    assert bc.Scores.read(table).algorithms == ("pre0_mod1", "pre0_mod2")
    with pytest.raises(bc.InputError, match="holds one model: bind several with a column wflow"):
        bc.Scores.read(table.assign(**{".config": "pre0_mod0"}))


@pytest.mark.parametrize("label", ["Bootstrap", "Slice", "Resample"])
def test_other_resamples_ask(label):
    table = tidymodels(long_table()).drop(columns="id2")
    table["id"] = label + long_table().groupby(["dataset", "algorithm"]).cumcount().astype(str)
    with pytest.raises(bc.InputError, match=f"'{label}0' resamples do not determine rho"):
        bc.Scores.read(table)
    scores = bc.Scores.read(table, resampling="rho 0.4")
    assert scores.differences("knn", "svm").rho.tolist() == [0.4, 0.4]
