"""Bayesian verdicts beside their frequentist twins: numbers, judgements, errors."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import bayesian, frequentist
from bayescmp.crosscheck import TWINS, Twin, crosscheck
from tests.catalogue.swap import swap

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


@pytest.fixture
def scores(table):
    return bc.Scores(table)


@pytest.fixture
def wide():
    rng = np.random.default_rng(5)
    level = np.array([0.70, 0.705, 0.78])
    values = np.clip(level + rng.normal(0, 0.03, (20, 3)), 0, 1)
    return bc.Scores.from_means(
        pd.DataFrame(values, columns=["knn", "gbm", "svm"]), metric="accuracy"
    )


def test_one_row_a_pair_of_twins(scores):
    found = crosscheck(scores, "accuracy", 0.05, **QUIET)
    over = [t for t in TWINS if t.scope in ("datasets", "table")]
    alone = [t for t in TWINS if t.scope in ("dataset", "groups")]
    assert len(found.frame) == 3 * (len(over) + 3 * len(alone))
    assert list(found.pairs["first"]) == ["knn", "knn", "gbm"]
    assert list(found.pairs["second"]) == ["gbm", "svm", "svm"]


def test_verdicts_are_those_of_the_tests(scores):
    found = crosscheck(scores, "accuracy", 0.05, **QUIET).frame
    x = scores.differences("knn", "svm", "accuracy")
    for name in ("hierarchical_t", "signed_rank", "sign"):
        options = {"engine": "quadrature"} if name == "hierarchical_t" else {}
        own = getattr(bayesian, name)(x, rope=0.05, seed=1, **options).verdict()
        row = found.query("bayesian == @name and second == 'svm' and first == 'knn'").iloc[0]
        assert (row.p_left, row.p_rope, row.p_right) == (own.p_left, own.p_rope, own.p_right)
        assert row.decision == own.decision


def test_p_values_are_scipys_and_adjusted_over_the_pairs(wide):
    found = crosscheck(wide, "accuracy", 0.01, adjust="bonferroni", seed=1, progress=False).frame
    means = wide.means()
    for _, row in found.query("frequentist == 'wilcoxon'").iterrows():
        own = stats.wilcoxon(means[row.second] - means[row.first]).pvalue
        assert row.pvalue == pytest.approx(own, rel=1e-10)
        assert row.adjusted == pytest.approx(min(3 * own, 1), rel=1e-10)
        assert row.significant == (3 * own <= 0.05)
    won = int((means["svm"] > means["knn"]).sum())
    row = found.query("frequentist == 'sign_test' and second == 'svm' and first == 'knn'").iloc[0]
    assert row.pvalue == pytest.approx(stats.binomtest(won, 20).pvalue, rel=1e-10)
    assert row.favours == "second"


def test_on_each_data_set_corrected_t_beside_correlated_t(scores):
    found = crosscheck(scores, "accuracy", 0.05, adjust="none", **QUIET).frame
    x = scores.differences("knn", "gbm", "accuracy").row("wine")
    row = found.query(
        "bayesian == 'correlated_t' and dataset == 'wine' and first == 'knn' and second == 'gbm'"
    ).iloc[0]
    d = x.x[0]
    t = d.mean() / np.sqrt((1 / 10 + 0.2 / 0.8) * d.var(ddof=1))  # 2 x 5 folds: rho = 1/5
    assert row.statistic == pytest.approx(t, rel=1e-12)
    assert row.pvalue == pytest.approx(2 * stats.t.sf(abs(t), 9), rel=1e-10)
    scale = d.mean() / t
    assert row.p_left == pytest.approx(stats.t.cdf((-0.05 - d.mean()) / scale, 9), rel=1e-9)


def test_shrunken_data_sets_are_the_hierarchical_tests(scores):
    found = crosscheck(scores, "accuracy", 0.05, **QUIET).frame
    x = scores.differences("knn", "gbm", "accuracy")
    table = bayesian.hierarchical_t(x, rope=0.05, seed=1, engine="quadrature").by_dataset()
    rows = found.query(
        "bayesian == 'hierarchical_t' and scope == 'dataset' and first == 'knn'"
        " and second == 'gbm'"
    ).set_index("dataset")
    assert np.array_equal(rows["p_rope"], table.loc[rows.index, "p_rope"])


def test_p_values_of_one_data_set_are_adjusted_on_that_data_set(scores):
    found = crosscheck(scores, "accuracy", 0.05, adjust="holm", **QUIET).frame
    rows = found.query("bayesian == 'correlated_t' and dataset == 'iris'")
    own = frequentist.adjust(rows["pvalue"], "holm")
    assert np.allclose(rows["adjusted"], own, rtol=1e-12)


def test_one_data_set(scores, table):
    found = crosscheck(bc.Scores(table[table.dataset == "iris"]), "accuracy", 0.05, **QUIET)
    assert set(found.frame["bayesian"]) == {"correlated_t", "groups"}
    assert set(found.pairs["test"]) == {"correlated_t"}
    again = crosscheck(scores, "accuracy", 0.05, datasets="iris", **QUIET)
    assert np.array_equal(found.frame["pvalue"], again.frame["pvalue"])
    assert found.omnibus == {}


def test_means_alone_take_the_tests_on_means(wide):
    found = crosscheck(wide, "accuracy", 0.01, seed=1, progress=False)
    assert set(found.frame["bayesian"]) == {"signed_rank", "sign"}
    assert set(found.pairs["test"]) == {"signed_rank"}
    own = frequentist.iman_davenport(wide.means())
    assert found.omnibus["accuracy"].pvalue == own.pvalue


def test_lower_is_better_is_flipped_for_both(table):
    turned = table.assign(error=1 - table["accuracy"])
    better = crosscheck(bc.Scores(turned), "accuracy", 0.05, **QUIET).frame
    lower = crosscheck(bc.Scores(turned), "error", 0.05, **QUIET).frame
    same = ["p_left", "p_rope", "p_right", "pvalue"]
    assert np.allclose(better[same], lower[same], atol=1e-6)
    assert list(better["favours"]) == list(lower["favours"])
    assert list(better["words"]) == list(lower["words"])


def test_a_new_twin_is_one_line(scores):
    twins = (*TWINS, Twin("sign", "wilcoxon", "datasets"))
    before = crosscheck(scores, "accuracy", 0.05, **QUIET)
    found = crosscheck(scores, "accuracy", 0.05, twins=twins, **QUIET)
    assert len(found.frame) == len(before.frame) + 3
    rows = found.frame.query("bayesian == 'sign' and frequentist == 'wilcoxon'")
    wilcoxon = found.frame.query("bayesian == 'signed_rank' and frequentist == 'wilcoxon'")
    assert list(rows["pvalue"]) == list(wilcoxon["pvalue"])


@pytest.mark.parametrize("twin", TWINS, ids=lambda t: f"{t.bayesian}-{t.frequentist}")
def test_every_twin_exists(twin):
    assert callable(getattr(bayesian, twin.bayesian))
    if twin.scope != "table":
        assert callable(getattr(frequentist, twin.frequentist))


def test_a_pair_that_fails_has_a_row_that_says_so(table):
    gap = (table.dataset == "wine") & (table.algorithm == "svm") & (table.fold == 2)
    with pytest.warns(bc.DiagnosticWarning, match="2 of 3 pairs could not be compared"):
        found = crosscheck(bc.Scores(table[~gap]), "accuracy", 0.05, **QUIET)
    rows = found.frame[found.frame["second"] == "svm"]
    assert set(rows.query("scope == 'datasets'")["agreement"]) == {"failed"}
    assert rows["error"].str.contains("don't pair").any()
    assert (found.pairs["decision"] != "failed").sum() == 1


def test_another_test_does_not_stand_in_for_the_main_one(scores, monkeypatch):
    def broken(x, **_):
        raise RuntimeError("no luck")

    swap(monkeypatch, "hierarchical_t", broken)
    with pytest.raises(RuntimeError, match="no luck"):
        crosscheck(scores, "accuracy", 0.05, **QUIET | {"engine": None})


def test_a_test_that_fails_on_a_data_set_is_told_there(scores, monkeypatch):
    own = frequentist.corrected_t

    def picky(x):
        if x.datasets == ("wine",):
            raise bc.InputError("no wine")
        return own(x)

    swap(monkeypatch, ("corrected_t", "dataset"), picky)
    found = crosscheck(scores, "accuracy", 0.05, **QUIET).frame
    rows = found[found["frequentist"] == "corrected_t"]
    assert set(rows.loc[rows["dataset"] == "wine", "words"]) == {"not compared: no wine"}
    assert (rows.loc[rows["dataset"] != "wine", "error"] == "").all()


def test_an_engine_that_is_not_there_is_an_error(scores, monkeypatch):
    def missing(x, *, rope, seed=None, engine="auto"):
        raise bc.EngineNotFound(f"engine {engine} is not installed")

    swap(monkeypatch, "hierarchical_t", missing)
    with pytest.raises(bc.EngineNotFound, match="cmdstan is not installed"):
        crosscheck(scores, "accuracy", 0.05, **QUIET | {"engine": "cmdstan"})


def test_no_pair_at_all_is_an_error(table):
    gap = (table.dataset == "wine") & (table.algorithm == "svm") & (table.fold == 2)
    with pytest.raises(bc.InputError, match="don't pair"):
        crosscheck(bc.Scores(table[~gap]), "accuracy", 0.05, algorithms=["knn", "svm"], **QUIET)


def test_posteriors_are_kept_where_asked_for(scores):
    found = crosscheck(scores, "accuracy", 0.05, **QUIET)
    assert found.comparisons["accuracy"]["knn", "gbm"].posterior is None
    kept = crosscheck(scores, "accuracy", 0.05, keep_posteriors=True, **QUIET)
    assert kept.comparisons["accuracy"]["knn", "gbm"].posterior.kind == "hierarchical_t"


def test_same_seed_same_numbers(scores):
    first, again = (crosscheck(scores, "accuracy", 0.05, **QUIET).frame for _ in range(2))
    pd.testing.assert_frame_equal(first, again)


def test_json_holds_everything(scores):
    found = crosscheck(scores, "accuracy", 0.05, **QUIET)
    back = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert len(back["rows"]) == len(found.frame)
    assert back["rows"][0]["p_right"] == found.frame.loc[0, "p_right"]
    assert back["ropes"] == {"accuracy": [-0.05, 0.05]}


def test_text_and_html_escape_names(table):
    bad = "<script>alert(1)</script>"
    frame = table.replace({"algorithm": {"knn": bad}})
    found = crosscheck(bc.Scores(frame), "accuracy", 0.05, **QUIET)
    assert bad in str(found)
    assert "<script" not in found._repr_html_()
    assert "&lt;script&gt;" in found._repr_html_()


def test_several_ropes(scores):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        found = crosscheck(
            scores, ["accuracy", "log_loss"], {"accuracy": 0.05, "log_loss": (-0.1, 0.2)},
            twins=[t for t in TWINS if t.scope == "datasets"], **QUIET,
        )  # fmt: skip
    assert found.metrics == ("accuracy", "log_loss")
    assert found.ropes["log_loss"] == bc.Rope(-0.1, 0.2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rope": None}, "rope is missing"),
        ({"rope": -1}, "negative"),
        ({"rope": {"auc": 0.1}}, "unknown metric of rope 'auc'"),
        ({"metric": "acuracy"}, "did you mean 'accuracy'"),
        ({"alpha": 1}, "alpha=1; accepted"),
        ({"alpha": "low"}, "alpha='low'; accepted"),
        ({"alpha": None}, "alpha=None; accepted"),
        ({"threshold": 0.2}, "threshold=0.2; accepted"),
        ({"threshold": "high"}, "threshold='high'; accepted"),
        ({"twins": "wilcoxon"}, "twins='wilcoxon'; accepted"),
        ({"twins": []}, "accepted: at least one"),
        ({"twins": [("sign", "wilcoxon")]}, "accepted: at least one"),
        ({"twins": [Twin("multivariate_t", "hotelling_paired", "metrics")]}, "not enough for any"),
        ({"adjust": "hulm"}, "unknown adjustment 'hulm'"),
        ({"datasets": "iris", "algorithms": ["knn", "svm", "gmb"]}, "did you mean 'gbm'"),
        ({"algorithms": ["knn"]}, "at least two"),
        ({"algorithms": ["knn", "gmb"]}, "did you mean 'gbm'"),
        ({"datasets": ["irish"]}, "did you mean 'iris'"),
        ({"datasets": []}, "datasets is empty"),
        ({"priors": 1}, "unknown option 'priors'"),
    ],
)
def test_bad_input(scores, change, message):
    arguments = {"metric": "accuracy", "rope": 0.05, **QUIET, **change}
    with pytest.raises(bc.InputError, match=message):
        crosscheck(scores, **arguments)


def test_unknown_scope():
    with pytest.raises(bc.InputError, match="scope='folds'; accepted"):
        Twin("sign", "wilcoxon", "folds")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("signs", "wilcoxon", "datasets"), "unknown Bayesian test 'signs': did you mean 'sign'"),
        (("sign", "wilcoxn", "datasets"), "unknown frequentist test 'wilcoxn': did you mean"),
        (("sign", "nemenyi", "table"), "unknown frequentist test 'nemenyi': known: 'friedman'"),
        (("HierarchicalPrior", "wilcoxon", "datasets"), "unknown Bayesian test"),
    ],
)
def test_unknown_tests(names, message):
    with pytest.raises(bc.InputError, match=message):
        Twin(*names)


def test_two_algorithms_have_no_table_to_rank(scores):
    found = crosscheck(scores, "accuracy", 0.05, algorithms=["knn", "svm"], **QUIET)
    assert set(found.frame["scope"]) == {"datasets", "dataset"}
    assert "quade" not in found.pairs
    assert not found.frame["error"].any()


@pytest.mark.parametrize("scope", ["dataset", "groups"])
def test_tests_of_each_data_set_alone(scores, scope):
    """No test speaks of the pair as a whole: there is no row a pair, and all rows are shown."""
    twins = [t for t in TWINS if t.scope == scope]
    found = crosscheck(scores, "accuracy", 0.05, twins=twins, **QUIET)
    assert set(found.frame["dataset"]) == {"iris", "wine", "digits"}
    assert found.pairs.empty
    assert "words" in found.pairs
    for shown in (str(found), found._repr_html_()):
        assert all(name in shown for name in ("knn", "svm", "iris", "digits"))


def test_the_tests_that_rank_alone(scores):
    twins = [t for t in TWINS if t.scope == "table"]
    found = crosscheck(scores, "accuracy", 0.05, twins=twins, seed=1, progress=False)
    assert list(found.pairs["test"]) == ["signed_rank"] * 3
    assert {"quade", "friedman"} <= set(found.pairs)


def test_holm_stands_in_where_a_pair_is_missing_and_it_is_said(table):
    more = pd.concat([table, table[table.algorithm == "knn"].assign(
        algorithm="nb", accuracy=table["accuracy"].to_numpy()[::-1][:30])])  # fmt: skip
    gap = (more.dataset == "wine") & (more.algorithm == "svm") & (more.fold == 2)
    with (
        pytest.warns(bc.DiagnosticWarning, match="3 of 6 pairs could not"),
        pytest.warns(bc.DiagnosticWarning, match="Holm's procedure stands in for shaffer"),
    ):
        found = crosscheck(more[~gap], "accuracy", 0.05, adjust="shaffer", **QUIET)
    (note,) = found.notes
    assert note in str(found)
    assert "stands in for shaffer" in found._repr_html_()
    assert found.to_dict()["notes"] == [note]
    rows = found.frame.query("frequentist == 'wilcoxon' and bayesian == 'signed_rank'")
    assert len(rows) == 3
    own = frequentist.adjust(rows["pvalue"], "holm")
    assert np.allclose(rows["adjusted"], own, rtol=1e-12)
    assert crosscheck(more, "accuracy", 0.05, adjust="shaffer", **QUIET).notes == ()


def test_algorithms_left_out_may_lack_scores(table):
    gap = (table.dataset == "wine") & (table.algorithm == "svm")
    broken = table.assign(accuracy=table["accuracy"].mask(gap))
    found = crosscheck(broken, "accuracy", 0.05, algorithms=["knn", "gbm"], **QUIET)
    assert list(found.pairs["agreement"]) != ["failed"]


def test_procedures_for_all_pairs(scores, table):
    found = crosscheck(scores, "accuracy", 0.05, adjust="shaffer", **QUIET).frame
    rows = found.query("frequentist == 'wilcoxon' and bayesian == 'signed_rank'")
    own = frequentist.adjust(rows["pvalue"], "shaffer", n_algorithms=3)
    assert np.allclose(rows["adjusted"], own, rtol=1e-12)
    many = pd.concat([table.assign(algorithm=table["algorithm"] + str(i)) for i in range(4)])
    with pytest.raises(bc.InputError, match="for 12 algorithms"):
        crosscheck(many, "accuracy", 0.05, adjust="bergmann-hommel", **QUIET)


def test_differences_are_refused(scores):
    x = scores.differences("knn", "gbm", "accuracy")
    with pytest.raises(bc.InputError, match="differences of one pair"):
        crosscheck(x, rope=0.05)


# -- several metrics ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def counts():
    """Two data sets x 3 x 2 x 10 folds of 100 cases; "shy" trades recall for precision."""
    rng = np.random.default_rng(11)
    chance = {"plain": (0.8, 0.2), "shy": (0.7, 0.1), "same": (0.8, 0.2)}
    rows = []
    for dataset in ("one", "two"):
        for repeat in (1, 2):
            for fold in range(1, 11):
                for name, (tpr, fpr) in chance.items():
                    tp, fp = rng.binomial(50, tpr), rng.binomial(50, fpr)
                    rows.append((dataset, name, repeat, fold, tp, 50 - tp, fp, 50 - fp))
    columns = ["dataset", "algorithm", "repeat", "fold", "tp", "fn", "fp", "tn"]
    frame = pd.DataFrame(rows, columns=columns)
    return bc.Scores(frame.assign(accuracy=(frame["tp"] + frame["tn"]) / 100))


@pytest.fixture(scope="module")
def together(counts):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        return crosscheck(
            counts, "accuracy", {"accuracy": 0.02, "tpr": 0.02, "fpr": 0.02},
            metrics=("tpr", "fpr"), **QUIET,
        )  # fmt: skip


def test_equal_accuracy_different_in_tpr_and_fpr(together):
    rows = together.frame.query("scope == 'metrics' and first == 'plain' and second == 'shy'")
    assert len(rows) == 2
    assert rows["significant"].astype(bool).all()
    assert (rows["decision"] == "trade-off").all()
    assert rows["words"].str.startswith("difference only in (tpr, fpr); significant; better").all()
    accuracy = together.frame.query(
        "bayesian == 'correlated_t' and first == 'plain' and second == 'shy'"
    )
    assert not accuracy["significant"].astype(bool).any()


def test_joint_numbers_are_the_tests(together, counts):
    blocks = bc.scores_blocks(
        counts, metrics=["tpr", "fpr"], dataset="two", algorithms=["plain", "same"]
    )
    verdict = bayesian.multivariate_t(blocks, rope=0.02, seed=1).verdict()
    test = frequentist.hotelling_paired(blocks)
    row = together.frame.query(
        "scope == 'metrics' and dataset == 'two' and first == 'plain' and second == 'same'"
    ).iloc[0]
    p = verdict.probabilities
    assert (row.p_left, row.p_rope) == (p["first"], p["equivalent"])
    assert (row.p_right, row.p_trade_off) == (p["second"], p["trade_off"])
    assert row.pvalue == test.pvalue
    assert row.statistic == test.statistic
    assert row.favours == ""


def test_groups_beside_tukey_and_hotelling(together, counts):
    blocks = bc.scores_blocks(counts, metrics=["accuracy"], dataset="one")
    tukey = frequentist.tukey(blocks.x[:, :, 0], rho=blocks.rho, names=blocks.algorithms)
    rows = together.frame.query("scope == 'groups' and dataset == 'one'")
    assert np.allclose(rows["adjusted"], tukey.adjusted, rtol=1e-12)
    pooled = together.frame.query("scope == 'groups_metrics' and dataset == 'one'")
    both = bc.scores_blocks(counts, metrics=["tpr", "fpr"], dataset="one")
    own = frequentist.pairwise_hotelling(both, pooled=True, adjust="none")
    assert np.allclose(pooled["pvalue"], own.pvalue, rtol=1e-12)


def test_what_is_shown_tells_of_the_metrics_together(together):
    mine = together.frame.query(
        "scope == 'metrics' and first == 'plain' and second == 'shy'"
    )  # fmt: skip
    rejected = int(mine["significant"].astype(bool).sum())
    decided = int((~mine["decision"].isin(["undecided", "failed"])).sum())
    line = (f"tpr, fpr together, plain and shy: significant on {rejected} of {len(mine)} data "
            f"sets, decided on {decided}")  # fmt: skip
    assert rejected > 0
    assert line in str(together)
    assert line in together._repr_html_()


def test_metrics_alone_are_compared_each_too(counts):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        found = crosscheck(counts, ["tpr", "fpr"], 0.02, algorithms=["plain", "shy"], **QUIET)
    assert found.metrics == found.joint == ("tpr", "fpr")
    rows = found.frame.query("bayesian == 'correlated_t' and dataset == 'one'").set_index("metric")
    assert rows.loc["tpr", "p_left"] > 0.9  # "plain" has the higher recall
    assert rows.loc["fpr", "p_right"] > 0.9  # and the higher false positive rate, which is worse
    x = counts.frame
    own = 1 - x["accuracy"]
    error = crosscheck(counts, "error", 0.02, algorithms=["plain", "shy"], datasets="one", **QUIET)
    d = (
        own[(x.algorithm == "plain") & (x.dataset == "one")].to_numpy()
        - own[(x.algorithm == "shy") & (x.dataset == "one")].to_numpy()
    )
    row = error.frame.query("bayesian == 'correlated_t'").iloc[0]
    t = d.mean() / np.sqrt((1 / 20 + 0.1 / 0.9) * d.var(ddof=1))
    assert row.statistic == pytest.approx(t, rel=1e-9)
