"""Every frequentist result of labelled scores has the direction, and the resampling of folds."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.scores.blocks import scores_blocks

NAMES = ("knn", "svm", "gbm")


def scores(*metrics, n=10):
    """Ten folds of three algorithms on one data set, in each of the metrics."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        [(name, fold) for name in NAMES for fold in range(n)], columns=["algorithm", "fold"]
    ).assign(dataset="iris")
    for metric in metrics:
        table[metric] = rng.uniform(0.1, 0.3, len(table))
    return bc.Scores(table, resampling="10-fold")


def blocks(*metrics):
    return scores_blocks(scores(*metrics), metrics=list(metrics), dataset="iris")


ERROR = {"metric": "error", "better": "lower", "evidence": "known"}
ODD = {"metric": "wobble", "better": "higher", "evidence": "assumed"}
RHO = "rho 0.1: 10 folds, as declared"


@pytest.mark.parametrize(
    "test",
    [f.anova, f.tukey, f.pairwise_t, lambda x: f.dunnett(x, control="svm")],
    ids=["anova", "tukey", "pairwise_t", "dunnett"],
)
def test_several_algorithms_on_one_data_set(test):
    """As with the plain numbers, and rho and the direction given."""
    x = blocks("error")
    result = test(x)
    assert result.measured == "error ↓"
    assert result.resampling == RHO
    assert " on error ↓" in str(result).splitlines()[0]
    assert str(result).endswith(RHO)
    assert "error ↓" in result._repr_html_()
    assert RHO in result._repr_html_()
    with pytest.raises(bc.InputError, match="x holds 2 metrics"):
        test(blocks("error", "tpr"))


def test_blocks_are_their_bare_numbers_with_rho_and_direction():
    x = blocks("error")
    bare = {"rho": 0.1, "names": NAMES}
    labelled, plain = f.tukey(x), f.tukey(x.x[..., 0], lower_is_better=True, **bare)
    names = [labelled.names[i] for i in labelled.order]
    assert set(names) == set(NAMES)
    assert f.tukey(x.select(algorithms=NAMES)).pvalue == pytest.approx(
        f.tukey(x.select(algorithms=NAMES).x[..., 0], lower_is_better=True, **bare).pvalue
    )
    assert labelled.difference == pytest.approx(plain.difference)
    assert labelled.low_is_best
    assert f.anova(x).means == pytest.approx(x.x.mean(axis=1).ravel())  # in its own direction
    assert f.anova(x).pvalue == pytest.approx(f.anova(x.x[..., 0], rho=0.1).pvalue)
    assert f.tukey(x, rho=0.3).resampling == "rho 0.3: as given"
    assert plain.resampling == "rho 0.1: as given"
    assert f.tukey(x.x[..., 0]).resampling == ""
    with pytest.raises(bc.InputError, match="x says that higher is better for 'accuracy'"):
        f.tukey(blocks("accuracy"), lower_is_better=True)


@pytest.mark.filterwarnings("ignore::bayescmp.errors.DirectionWarning")
@pytest.mark.parametrize(
    ("test", "pair"),
    [
        (f.hotelling_paired, True),
        (f.hotelling_two_sample, True),
        (f.manova, False),
        (f.pairwise_hotelling, False),
        (lambda x: f.manova(x).pairwise(), False),
    ],
    ids=["paired", "two-sample", "manova", "pairwise", "after manova"],
)
def test_several_metrics(test, pair):
    x = blocks("error", "wobble")
    result = test(x.pair("knn", "svm") if pair else x)
    assert " on error ↓, wobble ↑ (assumed)" in str(result).splitlines()[0]
    assert str(result).endswith(f"\n  {RHO}")
    assert "error ↓, wobble ↑ (assumed)" in result._repr_html_()
    assert RHO in result._repr_html_()
    plain = json.loads(json.dumps(result.to_dict()))
    assert plain["directions"] == [ERROR, ODD]
    assert plain["resampling"] == RHO


def test_one_metric_of_several_has_its_own_direction():
    result = f.pairwise_hotelling(blocks("error", "tpr"))
    assert result.univariate("tpr").measured == "tpr ↑"
    assert result.univariate("error").measured == "error ↓"
    assert result.univariate("tpr").resampling == RHO


def test_a_learned_measure_has_no_better_side():
    measures = f.learned_measures(blocks("error", "tpr"))
    for result in (measures.anova(1), measures.tukey(1)):
        assert result.directions == ()
        assert result.resampling == RHO


def test_a_rho_of_ones_own_is_given():
    x = blocks("error", "tpr")
    assert f.manova(x, rho=0.3).resampling == "rho 0.3: as given"
    assert f.hotelling_paired(x.pair(0, 1), rho=0.3).resampling == "rho 0.3: as given"
    assert f.hotelling_paired([[1, 2], [2, 1], [1, 1], [4, 5]]).directions == ()


@pytest.mark.parametrize(
    ("test", "resampling"), [(f.cohens_d, RHO), (f.rank_biserial, "")], ids=["d", "r"]
)
def test_effect_sizes(test, resampling):
    result = test(scores("error").differences("knn", "svm"))
    assert " on error ↓ " in str(result)
    plain = result.to_dict()
    assert (plain["directions"], plain["resampling"]) == ([ERROR], resampling)


def test_areas():
    table = scores("error", "auc", "auc_pr")
    result = f.area_tests_of_scores(table, "knn", "svm")
    assert str(result).splitlines()[0].endswith("knn vs svm on error ↓, auc ↑, auc_pr ↑")
    assert str(result).endswith(RHO)
    assert result.corrected["error"].measured == "error ↓"
    assert result.corrected["auc"].resampling == RHO
    assert result.plain["auc"].resampling == ""


def means(metric):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.uniform(0.1, 0.3, (8, 3)), columns=list(NAMES))
    return bc.Scores.from_means(frame, metric=metric).means()


@pytest.mark.parametrize("test", ["friedman", "aligned", "wilcoxon", "sign"])
def test_pairs_by_ranks(test):
    result = f.posthoc(means("error"), test=test, lower_is_better=True)
    assert " on error ↓, all pairs" in str(result).splitlines()[0]
    assert result.to_dict()["directions"][0]["better"] == "lower"
    assert result.resampling == ""
    assert f.posthoc(means("error").to_numpy()).directions == ()


def test_signs_against_a_control():
    result = f.multiple_sign(means("error"), control="svm", lower_is_better=True)
    assert result.measured == "error ↓"
