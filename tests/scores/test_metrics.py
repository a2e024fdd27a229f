"""Directions and ranges of metrics by name."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.errors import InputError
from bayescmp.scores import metrics
from bayescmp.scores.metrics import (
    COUNTS,
    direction,
    find_metric,
    is_time,
    known_range,
    list_derivable,
    lower_is_better,
    near_zero,
    rate,
    rates,
)
from bayescmp.scores.metrics import canonical_rate as rates_canonical
from tests.rows import each_row

WORDS = {kind: words.split() for kind, words in metrics.LISTS["words"].items()}


def test_every_spelling_stands_for_one_metric():
    lists = [metrics.LISTS[title] for title in metrics.LISTS.sections() if title != "words"]
    lines = [[name, *others.split()] for own in lists for name, others in own.items()]
    plain = [{re.sub(r"[^a-z0-9]", "", w) for w in line} for line in [*lines, WORDS["near_zero"]]]
    actual = [w for line in plain for w in line]
    assert sorted(w for w in set(actual) if actual.count(w) > 1) == []


def test_no_word_tells_both_directions_or_is_blurred_too():
    higher, lower = set(WORDS["higher"]), set(WORDS["lower"])
    assert not higher & lower
    assert not (higher | lower) & set(WORDS["blurring"])


def _names(text: str) -> list[str]:
    return text.split()


LOWER = _names("""
loss nll regr.rmse wer miss_rate latency error val_loss mean_test_error RMSE logLoss rmse_test
mae_mean MAPE smape mase nrmse crps log_loss brier cer perplexity fid time cost fall_out fpr fnr
false_discovery_rate hamming ce percent_incorrect classif.ce classif.logloss surv.graf
mmce.test.mean p95_latency latency_ms time_train fit_time Elapsed_Time_training regret risk
UserCPU_Time_testing HammingDistance MeanSquaredError valid_0's_binary_logloss cox-nloglik merror
error@0.7 1-auc one_minus_f1 eval/loss metrics.rmse inference_time_s mean_rank runtime_seconds
rank d_far_err deviance aic ner_error_rate hd95 KLDivergence davies_bouldin_score MeanPinballLoss
error_rate brier_score max_error
""")

HIGHER = _names("""
accuracy ACC AUC roc_auc test_f1_macro neg_log_loss mean_test_neg_root_mean_squared_error r2 R²
Rsquared Kappa Sens Spec prAUC Mean_Pos_Pred_Value bal_accuracy classif.acc classif.bacc regr.rsq
surv.cindex val_acc BinaryAccuracy MulticlassF1Score SSIM PSNR mAP mAP_50 IoU MeanIoU hits@10
precision@5 ndcg@10 recall_at_k pass@1 acc_norm exact_match bleu rougeL Percent_correct
Area_under_ROC Kappa_statistic predictive_accuracy area_under_roc_curve tpr_at_fpr_0.01
negative_predictive_value d2_absolute_error_score explained_variance log_likelihood elpd_loo
1-rmse brier_skill_score -mse f1_weighted Unweighted_macro_avg_F_measure mean_reward win_rate
neg_brier_score neg_negative_likelihood_ratio neg_fit_time hit_rate
""")

NEITHER = _names("""
foo score test_score mean_test_score value x m1 result error_reduction accuracy_drop bias mpe
accuracy_std std_test_score time_to_event survival_time generalization_gap n_features seed size
coverage rate log_score accuracy_loss non_error_rate Genauigkeit survival test train best
""")


def test_lower():
    written = ("Error Rate", "Hamming Loss", "False Positive Rate", "1 - accuracy")
    for name in (*LOWER, *written, "Mean Absolute Error", "my error"):
        assert (direction(name).lower, direction(name).evidence) == (True, "known"), name
        assert lower_is_better(name), name


def test_higher():
    for name in (*HIGHER, "F1 (macro)", "1 - RMSE", "Pos Pred Value"):
        assert (direction(name).lower, direction(name).evidence) == (False, "known"), name


def test_a_name_that_tells_nothing_is_assumed():
    for name in NEITHER:
        result = direction(name)
        assert (result.lower, result.evidence) == (False, "assumed"), name
        assert str(result) == f"{name} ↑ (assumed)"


def test_negated_scores_of_scikit_learn():
    """Every scorer of scikit-learn is higher-is-better by its documentation."""
    from sklearn.metrics import get_scorer_names

    assert [s for s in get_scorer_names() if direction(s).lower or direction(s).assumed] == []


def test_directions_of_scikit_learns_scorers():
    """The sign a scorer gives its metric is the direction of the metric's own name."""
    from sklearn.metrics import get_scorer, get_scorer_names

    for name in get_scorer_names():
        metric = get_scorer(name)._score_func.__name__
        assert direction(metric).lower == (get_scorer(name)._sign < 0), (name, metric)


def test_one_list_for_metrics_and_rates():
    """A rate by any spelling has the direction of its formula: errors shrink as tp and tn grow."""
    lower = {"fnr", "fpr", "fdr", "error"}
    assert {r for r in metrics.rates() if direction(r).lower} == lower
    assert all(find_metric(r) == r and direction(r).evidence == "known" for r in metrics.rates())
    for spelling, own in {
        "miss_rate": "fnr",
        "fall_out": "fpr",
        "Hit Rate": "tpr",
        "false discovery rate": "fdr",
        "classif.ce": "error",
        "false_alarm_rate": "fpr",
    }.items():
        assert metrics.canonical_rate(spelling) == own
        assert direction(spelling).lower == (own in lower)


def test_a_declaration_goes_before_the_name():
    declared = direction("accuracy", lower_is_better=True)
    assert (str(declared), declared.evidence) == ("accuracy ↓", "declared")
    assert declared.to_dict() == {"metric": "accuracy", "better": "lower", "evidence": "declared"}


def test_biases_are_best_near_zero():
    assert all(near_zero(n) for n in ("bias", "regr.bias", "MPE", "mean_bias_error"))
    assert not any(near_zero(n) for n in ("mae", "accuracy", "foo"))


def test_times():
    assert all(map(is_time, ("fit_time", "runtime", "time_train", "train_time_s", "neg_fit_time")))
    assert not any(map(is_time, ("time_to_event", "accuracy", "lifetime_value")))


def test_ranges():
    assert known_range("test_f1_macro") == (0, 1)
    assert known_range("F1 (weighted)") == (0, 1)
    assert known_range("matthews_corrcoef") == (-1, 1)
    assert known_range("rmse") is None
    assert known_range("neg_brier_score") is None


# Tables.

#: Losses of two algorithms on two data sets, five folds: the second is better.
LOSSES = np.array([[0.30, 0.32, 0.35, 0.31, 0.33], [0.10, 0.11, 0.15, 0.12, 0.13]])


def _losses(name: str, sign: float = 1.0) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"dataset": d, "algorithm": a, "fold": f + 1, name: sign * LOSSES[i, f]}
            for d in "xy"
            for i, a in enumerate(("old", "new"))
            for f in range(5)
        ]
    )


@each_row("name", sorted(LOWER)[::8])
def test_the_same_losses_have_one_winner_under_any_name(name):
    differences = bc.Scores(_losses(name)).differences("old", "new", name)
    assert differences.means == pytest.approx([0.2, 0.2])
    assert differences.direction.arrow == "↓"
    assert "↓" in repr(differences)


@each_row("name", NEITHER[:2])
def test_or_a_warning(name):
    scores = bc.Scores(_losses("quantity").rename(columns={"quantity": name}))
    with pytest.warns(bc.DirectionWarning, match=f"{name}.*lower_is_better="):
        scores.differences("old", "new", name)
    declared = bc.Scores(_losses(name), lower_is_better=[name])
    assert declared.differences("old", "new", name).means == pytest.approx([0.2, 0.2])


def test_the_warning_comes_once_a_table():
    scores = bc.Scores(_losses("foo"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores.differences("old", "new")
        scores.differences("new", "old")
        scores.replaced(scores.frame).lower_is_better("foo")
    assert [w.category for w in caught] == [bc.DirectionWarning]
    with pytest.warns(bc.DirectionWarning):  # another table warns again
        bc.Scores(_losses("foo")).lower_is_better("foo")


def test_columns_that_are_not_asked_for_do_not_warn():
    frame = _losses("error").assign(foo=1.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bc.Scores(frame).differences("old", "new", "error")
    assert "error ↓, foo ↑ (assumed)" in repr(bc.Scores(frame))


@each_row("name", ["rmse", "log_loss", "mae"])
def test_a_loss_that_was_negated_in_silence_is_refused(name):
    """scikit-learn's neg_... scores under the loss's own name gave the opposite winner."""
    scores = bc.Scores(_losses(name, sign=-1.0))
    with pytest.raises(bc.InputError, match=f"'{name}' must never be negative.*'neg_{name}'"):
        scores.differences("old", "new")
    renamed = bc.Scores(_losses(f"neg_{name}", sign=-1.0))
    assert renamed.differences("old", "new").means == pytest.approx([0.2, 0.2])
    declared = bc.Scores(_losses(name, sign=-1.0), higher_is_better=[name])
    assert declared.differences("old", "new").means == pytest.approx([0.2, 0.2])


def test_a_negated_name_with_positive_values_is_refused():
    with pytest.raises(bc.InputError, match=r"'neg_rmse' must never be positive.*'rmse'"):
        bc.Scores(_losses("neg_rmse")).differences("old", "new")


def test_cross_validate_turns_losses():
    """Scorers of scikit-learn are higher-is-better, whatever the user's dict calls them."""

    def results(name, sign):
        return {a: {f"test_{name}": sign * LOSSES[i]} for i, a in enumerate(("old", "new"))}

    for name, sign in (("rmse", -1), ("rmse", 1), ("score", -1), ("neg_log_loss", -1)):
        scores = bc.Scores.from_cv_results(results(name, sign), folds=5)
        assert scores.differences("old", "new", name).means == pytest.approx([0.2])
    with pytest.raises(
        bc.InputError, match=r"'nll' must not have negative values.*higher_is_better"
    ):
        bc.Scores.from_cv_results(results("nll", -1), folds=5)
    declared = bc.Scores.from_cv_results(results("nll", -1), folds=5, higher_is_better=["nll"])
    assert declared.differences("old", "new").means == pytest.approx([0.2])


def test_blocks_named_and_unnamed():
    x = np.zeros((2, 3, 1))
    assert bc.Blocks(x).lower_is_better == (False,)
    assert bc.Blocks(x, metrics=["wer"]).lower_is_better == (True,)
    with pytest.warns(bc.DirectionWarning, match="'foo' does not show"):
        bc.Blocks(x, metrics=["foo"])


# One table: tp 30, fn 10, fp 5, tn 55.
TABLE = (30, 10, 5, 55)


def test_definitions():
    for name, value in [
        ("tpr", 30 / 40),
        ("recall", 0.75),
        ("sensitivity", 0.75),
        ("fnr", 0.25),
        ("fpr", 5 / 60),
        ("tnr", 55 / 60),
        ("specificity", 55 / 60),
        ("precision", 30 / 35),
        ("ppv", 30 / 35),
        ("fdr", 5 / 35),
        ("npv", 55 / 65),
        ("accuracy", 0.85),
        ("error", 0.15),
        ("informedness", 0.75 + 55 / 60 - 1),
        ("balanced_accuracy", (0.75 + 55 / 60) / 2),
        ("jaccard", 30 / 45),
        ("f1", 2 / (40 / 30 + 35 / 30)),
    ]:
        assert rate(name, *TABLE) == pytest.approx(value, rel=1e-14)


def test_as_in_scikit_learn():
    from sklearn import metrics as sk

    truth = np.repeat([1, 1, 0, 0], TABLE)
    expected = np.repeat([1, 0, 1, 0], TABLE)
    for name, function in {
        "mcc": sk.matthews_corrcoef,
        "kappa": sk.cohen_kappa_score,
        "f1": sk.f1_score,
        "jaccard": sk.jaccard_score,
        "balanced_accuracy": sk.balanced_accuracy_score,
    }.items():
        assert rate(name, *TABLE) == pytest.approx(function(truth, expected), rel=1e-13), name


def test_undefined_is_nan():
    assert np.isnan(rate("precision", 0, 4, 0, 6))
    assert np.isnan(rate("mcc", 0, 4, 0, 6))
    assert np.isnan(rate("tpr", [0, 2], [0, 2], [1, 1], [1, 1])).tolist() == [True, False]


def test_large_counts_do_not_overflow():
    assert rate("mcc", *(10**5 * np.array(TABLE))) == pytest.approx(float(rate("mcc", *TABLE)))


def test_names():
    assert rates_canonical("Recall") == rates_canonical("test_recall") == "tpr"
    assert rates_canonical("auc") is None
    with pytest.raises(InputError, match=r"metric must be .*\(got 'precison'\)\. .*'precision'"):
        rate("precison", *TABLE)


def test_derivable():
    assert set(list_derivable([*COUNTS, "auc"])) == set(rates())
    assert list_derivable(["accuracy"]) == ("error",)
    assert list_derivable(["error"]) == ("accuracy",)
    assert list_derivable(["tp", "fn"]) == ()
