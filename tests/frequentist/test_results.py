"""How results show themselves, and what they promise: unrounded, frozen, without side effects."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
import bayescmp.frequentist as f

SCORES = pd.DataFrame(
    [[0.91, 0.93, 0.90], [0.85, 0.88, 0.86], [0.70, 0.71, 0.75], [0.64, 0.69, 0.60],
     [0.99, 0.99, 0.97]],
    columns=["svm", "gbm", "knn"], index=["a", "b", "c", "d", "e"],
)  # fmt: skip

RESULTS = {
    "friedman": lambda: f.friedman(SCORES),
    "unanimous": lambda: f.iman_davenport([[1, 2, 3], [2, 3, 4]]),
    "skillings_mack": lambda: f.skillings_mack(SCORES),
    "posthoc": lambda: f.posthoc(SCORES),
    "nemenyi": lambda: f.nemenyi(SCORES),
    "paired_t": lambda: f.paired_t(SCORES["gbm"] - SCORES["svm"]),
    "wilcoxon": lambda: f.wilcoxon(SCORES["gbm"] - SCORES["svm"]),
    "sign_test": lambda: f.sign_test(4, 0, 1),
    "tukey": lambda: f.tukey(SCORES.T),
}


@pytest.mark.parametrize("name", RESULTS)
def test_json_pickle_and_html(name):
    result = RESULTS[name]()
    text = json.dumps(result.to_dict(), allow_nan=False)
    assert json.loads(text)["method"] == result.method
    again = pickle.loads(pickle.dumps(result))
    assert str(again) == str(result)
    assert "<" in result._repr_html_()
    with pytest.raises(AttributeError):
        result.method = "another"


def test_text_of_a_rank_test():
    """By hand: gbm 1+1+2+1+1.5 = 6.5, svm 2+3+3+2+1.5 = 11.5, knn 3+2+1+3+3 = 12, over 5."""
    text = str(f.friedman(SCORES))
    assert "mean ranks: gbm 1.300, svm 2.300, knn 2.400" in text
    assert "n = 5" in text
    assert "ties, corrected for" in text
    assert "exact" in text  # few data sets: points to the exact p-value


def test_tables_show_themselves():
    table = f.anova(SCORES.T)
    assert list(table.frame.index) == ["algorithm", "block", "error", "total"]
    assert table.df == (2, 8)
    assert table.mean_square_error == table.frame.loc["error", "mean_square"]
    assert "<table" in table._repr_html_()
    ranks = f.average_ranks(SCORES)
    assert "<table" in ranks._repr_html_()
    assert ranks.frame.loc["gbm", "times_best"] == 3.5
    wins = f.WinsTable.from_counts(pd.DataFrame([[0, 2], [1, 0]], list("ab"), list("ab")), 4)
    assert "<table" in wins._repr_html_()
    assert wins.names == ("a", "b")


def test_vanishing_p_is_not_shown_as_zero():
    assert "p < 1e-10" in str(f.paired_t([0.5, 0.5, 0.5]))


def test_frames_and_arrays_give_the_same():
    for test in (f.friedman, f.quade, f.friedman_aligned_ranks):
        assert test(SCORES).statistic == test(SCORES.to_numpy()).statistic
        assert test(SCORES.to_numpy().tolist()).statistic == test(SCORES).statistic
    assert np.array_equal(f.posthoc(SCORES).adjusted, f.posthoc(SCORES.to_numpy()).adjusted)


def test_import_loads_no_engine_and_no_plotting():
    code = (
        "import sys, bayescmp.frequentist; "
        "print([m for m in ('matplotlib', 'arviz', 'cmdstanpy', 'stan') if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


ACCURACY = {"knn": [0.8, 0.82, 0.79, 0.83], "svm": [0.85, 0.9, 0.84, 0.86]}
LABELLED = bc.Scores(
    pd.DataFrame(
        [
            (name, fold, 1 - v)
            for name, values in ACCURACY.items()
            for fold, v in enumerate(values)
        ],
        columns=["algorithm", "fold", "error"],
    ).assign(dataset="iris"),
    resampling="4-fold",
).differences("knn", "svm")


@pytest.mark.parametrize(
    ("test", "options", "folds"),
    [
        (f.paired_t, {}, False),
        (f.corrected_t, {}, True),
        (f.tost_paired, {"rope": 0.01}, True),
        (f.wilcoxon, {}, False),
    ],
)
def test_results_of_labelled_scores_say_the_direction_and_the_resampling(test, options, folds):
    result = test(LABELLED, **options)
    assert ": knn vs svm on error ↓\n" in str(result)
    assert result.to_dict()["directions"] == [
        {"metric": "error", "better": "lower", "evidence": "known"}
    ]
    reason = "rho 0.25: 4 folds, as declared" if folds else ""
    assert result.resampling == result.to_dict()["resampling"] == reason
    assert (f"\n  {reason}" in str(result)) == bool(folds) or not folds
    assert "error ↓" in result._repr_html_()
    assert (
        result.pvalue == test(LABELLED.x[0], **options, **({"rho": 0.25} if folds else {})).pvalue
    )


def test_a_rho_of_ones_own_has_its_own_reason():
    result = f.corrected_t(LABELLED, rho=0.5)
    assert result.resampling == "rho 0.5: as given"
    assert result.directions == (LABELLED.direction,)


def test_bare_numbers_have_no_direction():
    result = f.paired_t([0.1, 0.2, 0.15])
    assert result.to_dict()["directions"] == []
    assert result.to_dict()["left_out"] is None
    assert str(result).splitlines()[0] == "paired t test: first vs second"


def test_rank_tests_say_the_direction_of_a_table_of_means():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.uniform(0.1, 0.3, (8, 3)), columns=["knn", "svm", "gbm"])
    means = bc.Scores.from_means(frame, metric="error").means()
    result = f.friedman(means, lower_is_better=True)
    assert str(result).startswith("Friedman test on error ↓\n")
    with pytest.warns(bc.DirectionWarning, match="'error', for which lower is better"):
        upside_down = f.friedman(means)
    assert upside_down.pvalue == pytest.approx(result.pvalue)
    assert f.friedman(frame).directions == ()
