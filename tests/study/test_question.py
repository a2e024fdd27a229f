"""What a comparison takes besides `Scores`: paths, tables without a metric's name, plain lists."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc


def wide():
    rng = np.random.default_rng(0)
    table = {name: rng.normal(mean, 0.02, 10) for name, mean in (("svm", 0.80), ("rf", 0.82))}
    return pd.DataFrame(table, index=pd.Index([f"d{i}" for i in range(10)], name="dataset"))


def probabilities(posterior):
    return posterior.verdict().probabilities


def test_a_path_is_read_as_its_table_is(tmp_path):
    path = tmp_path / "scores.csv"
    wide().to_csv(path)
    of_table = bc.Scores.from_means(wide(), metric="accuracy")
    expected = probabilities(bc.compare(of_table, "svm", "rf", rope=0.01, seed=1))
    for source in (path, str(path), wide()):
        post = bc.compare(source, "svm", "rf", "accuracy", rope="1%", seed=1)
        assert probabilities(post) == expected
        assert post.verdict().metric == "accuracy"
    answers = pd.DataFrame(
        [(m, q, (q + k) % 3 > 0) for k, m in enumerate("ab") for q in range(30)],
        columns=["model", "question", "correct"],
    )
    answers.to_csv(path, index=False)
    of_items = probabilities(bc.compare(bc.Items(answers), seed=1))
    assert probabilities(bc.compare(path, seed=1)) == of_items


@pytest.mark.parametrize("call", [bc.compare_all, bc.crosscheck])
def test_all_pairs_name_the_metric_of_a_wide_table(call):
    shown = str(call(wide(), "accuracy", rope=0.01, seed=1))
    assert "accuracy ↑" in shown


def test_a_metric_that_the_table_names_otherwise_is_refused():
    long = wide().reset_index().melt("dataset", var_name="algorithm", value_name="auc")
    with pytest.raises(bc.InputError, match=r"metric must be 'auc' \(got 'accuracy'\)"):
        bc.compare(long, "svm", "rf", "accuracy")
    with pytest.raises(bc.InputError, match="not a column's name"):
        bc.compare(wide(), "svm", "rf", "svm")


def test_lists_of_scores_are_read_with_the_split_that_the_hint_asks_for():
    lists = {name: column.tolist() for name, column in wide().items()}
    with pytest.raises(bc.InputError, match=r"Scores\.read\(scores, resampling='10-fold'\)"):
        bc.compare(lists)
    post = bc.compare(bc.Scores.read(lists, resampling="10-fold", metric="accuracy"), seed=1)
    plain = bc.bayesian.correlated_t((wide()["rf"] - wide()["svm"]).to_numpy(), rho=0.1)
    assert probabilities(post)["right"] == pytest.approx(
        probabilities(plain)["right"],
        rel=1e-9,  # two orders of the same sums
    )
