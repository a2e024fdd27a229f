"""McNemar's test and Cochran's Q: R, statsmodels, symmetries, an experiment, bad input."""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats import contingency_tables

import bayescmp.frequentist as f
from bayescmp.errors import InputError
from tests.rows import each_row

SIDES = {"two-sided": "two.sided", "less": "less", "greater": "greater"}
TABLES = {"items1": (5, 14), "items2": (1, 3), "items3": (31, 22)}


def test_mcnemar_as_in_r(tr):
    """R 4.2.2, mcnemar.test(correct), binom.test(c, b + c); mid-p by its definition."""
    for name in TABLES:
        b, c = TABLES[name]
        table = [[40, b], [c, 25]]
        for correction, key in ((False, "chi2"), (True, "corrected")):
            result = f.mcnemar(table, method="chi2", correction=correction)
            assert [result.statistic, result.pvalue] == pytest.approx(tr[f"{name}_{key}"])
        for side, theirs in SIDES.items():
            result = f.mcnemar(table, alternative=side)
            expected = tr[f"{name}_{theirs}"]
            assert [result.pvalue, *result.confidence_interval()] == pytest.approx(expected)
        assert f.mcnemar(table, method="midp").pvalue == pytest.approx(tr[f"{name}_midp"][0])


def test_answers_and_their_table():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, size=(2, 90)).astype(bool)
    table = pd.crosstab(~a, ~b).to_numpy()  # rows: first right, wrong
    expected = contingency_tables.mcnemar(table, exact=True)
    for result in (f.mcnemar(a, b), f.mcnemar(table)):
        assert result.pvalue == pytest.approx(expected.pvalue)
        assert result.statistic == np.sum(b & ~a)
        assert result.n == np.sum(a != b)
    turned = f.mcnemar(b, a, alternative="less", method="midp")
    assert turned.pvalue == pytest.approx(
        f.mcnemar(a, b, alternative="greater", method="midp").pvalue
    )


def test_mid_p_of_sides_and_of_a_draw():
    """P(X > won) + P(X = won)/2, n = 5 and won = 4: (1 + 5/2)/32; a draw has p = 1."""
    result = f.mcnemar([[0, 1], [4, 0]], alternative="greater", method="midp")
    assert result.pvalue == pytest.approx(3.5 / 32)
    assert f.mcnemar([[9, 3], [3, 9]], method="midp").pvalue == 1


def test_no_item_tells():
    for method in ("exact", "midp", "chi2"):
        result = f.mcnemar([1, 1, 0], [1, 1, 0], method=method)
        assert (result.pvalue, result.n, result.estimate) == (1, 0, 0.5)


def test_cochran_as_in_r_and_statsmodels(tr):
    """R 4.2.2, friedman.test of the answers, which is Q; statsmodels, cochrans_q."""
    x = tr["cochran_items"].reshape(20, 4)
    result = f.cochran_q(x)
    assert [result.statistic, result.df, result.pvalue] == pytest.approx(tr["cochran"])
    expected = contingency_tables.cochrans_q(x)
    assert [result.statistic, result.pvalue] == pytest.approx(
        [expected.statistic, expected.pvalue]
    )
    assert result.n == np.sum((x.sum(axis=1) > 0) & (x.sum(axis=1) < 4))


def test_cochran_of_two_is_mcnemar():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 2, size=(40, 2))
    expected = f.mcnemar(x[:, 0], x[:, 1], method="chi2")
    result = f.cochran_q(pd.DataFrame(x, columns=["knn", "svm"]))
    assert [result.statistic, result.pvalue] == pytest.approx(
        [expected.statistic, expected.pvalue]
    )
    assert result.names == ("knn", "svm")
    assert f"svm {x[:, 1].mean():.3f}" in result.notes[0]


def test_few_items_are_permuted_exactly():
    """All permutations of each item's answers; of two algorithms, McNemar's exact test."""
    for algorithms in [2, 3]:
        x = np.array([[0, 1, 1], [0, 0, 1], [0, 1, 1], [0, 0, 1], [1, 1, 1]])[:, -algorithms:]
        x = x if algorithms == 3 else np.c_[x[:, 0] * 0, x[:, 1]]
        result = f.cochran_q(x)
        columns = [np.sum(case, axis=0) for case in product(*map(list, map(permutations, x)))]
        spread = np.var(columns, axis=1)
        expected = np.mean(spread >= x.sum(axis=0).var() - 1e-9)
        assert result.pvalue == pytest.approx(expected, rel=1e-12)  # sums in another order
        if algorithms == 2:
            assert result.pvalue == pytest.approx(f.mcnemar(x[:, 0], x[:, 1]).pvalue, rel=1e-12)
        many = f.cochran_q(np.r_[[np.arange(9) == 0]])
        assert "approximate p-value, from 1 item only" in many.notes


def predictions():
    rng = np.random.default_rng(1)
    rows = [
        {
            "dataset": d,
            "algorithm": a,
            "repeat": r,
            "fold": i % 2,
            "item": i,
            "truth": i % 3,
            "predicted": int(rng.integers(3)),
        }
        for d in ("iris", "wine")
        for a in ("svm", "knn")
        for r in (1, 2)
        for i in range(12)
    ]
    return pd.DataFrame(rows).astype({"dataset": "category", "algorithm": "category"})


def test_answers_of_an_experiment():
    """The columns that `run_experiment` keeps; one data set and one repeat."""
    frame = predictions().sample(frac=1, random_state=0)
    result = f.correct_items(frame, dataset="wine", repeat=2)
    part = frame[(frame.dataset == "wine") & (frame["repeat"] == 2) & (frame.algorithm == "knn")]
    part = part.sort_values("item")
    assert result["knn"].tolist() == (part.truth == part.predicted).tolist()
    assert result.shape == (12, 2)
    first = f.correct_items(frame, dataset="wine")
    assert not first.equals(result)


@each_row(
    ("call", "message"),
    [
        (
            lambda: f.mcnemar([1, 0], [1, 0, 1]),
            r"second must have as many items .*2 \(got 3\)",
        ),
        (lambda: f.mcnemar([1, 2], [1, 0]), r"first must be 1 for right or 0 for wrong \(got 2\)"),
        (lambda: f.mcnemar([[1, 2]]), "first must be a table of counts"),
        (lambda: f.mcnemar([1, 0], [0, 1], method="chi2", alternative="less"), "no direction"),
        (lambda: f.mcnemar([1, 0], [0, 1], method="wald"), "method"),
        (
            lambda: f.cochran_q([[1], [0]]),
            "correct must have at least 2 columns for cochran_q, one per",
        ),
        (
            lambda: f.cochran_q([[1, 1], [0, 0]]),
            "correct must have an item that only some algorithms get right",
        ),
        (lambda: f.cochran_q([1, 0]), r"\(n, L\)"),
        (lambda: f.correct_items([[1, 0]]), "predictions must be a DataFrame"),
        (
            lambda: f.correct_items(predictions()),
            r"dataset must be given if there are several\. predictions",
        ),
        (lambda: f.correct_items(predictions().drop(columns="truth")), "'truth'"),
        (
            lambda: f.correct_items(pd.concat([predictions()] * 2), dataset="wine", repeat=2),
            "each item once for each algorithm",
        ),
        (
            lambda: f.correct_items(predictions().iloc[:-1], dataset="wine", repeat=2),
            "got 1 item without one",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InputError, match=message):
        call()
