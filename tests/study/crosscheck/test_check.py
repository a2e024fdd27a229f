"""A cross-check: what it refuses, its verdicts beside their twins, its warnings."""

import inspect
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp import bayesian, frequentist
from bayescmp.errors import warn_user
from bayescmp.study.crosscheck import TWINS, Twin, crosscheck
from tests.rows import each_row
from tests.study.conftest import swap

# Bayesian verdicts beside their frequentist twins, from scores to rows.


QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def test_verdicts_are_those_of_the_tests(scores, checked):
    frame = checked.frame
    x = scores.differences("knn", "svm", "accuracy")
    for name in ("hierarchical_t", "signed_rank", "sign"):
        options = {"engine": "quadrature"} if name == "hierarchical_t" else {}
        own = getattr(bayesian, name)(x, rope=0.05, seed=1, **options).verdict()
        row = frame.query("bayesian == @name and second == 'svm' and first == 'knn'").iloc[0]
        assert (row.p_left, row.p_rope, row.p_right) == (own.p_left, own.p_rope, own.p_right)
        assert row.decision == own.decision


def test_its_sentences_keep_the_case_of_names(checked, wide):
    assert checked.explain().startswith("No lead is decided: svm comes first in order. ")
    assert crosscheck(wide, "accuracy", 0.01, **QUIET).explain().startswith("svm leads. ")


def test_on_each_data_set_corrected_t_beside_correlated_t(scores):
    frame = crosscheck(scores, "accuracy", 0.05, adjust="none", **QUIET).frame
    x = scores.differences("knn", "gbm", "accuracy").row("wine")
    row = frame.query(
        "bayesian == 'correlated_t' and dataset == 'wine' and first == 'knn' and second == 'gbm'"
    ).iloc[0]
    d = x.x[0]
    t = d.mean() / np.sqrt((1 / 10 + 0.2 / 0.8) * d.var(ddof=1))  # 2 x 5 folds: rho = 1/5
    assert row.statistic == pytest.approx(t, rel=1e-12)
    assert row.pvalue == pytest.approx(2 * stats.t.sf(abs(t), 9), rel=1e-10)
    scale = d.mean() / t
    assert row.p_left == pytest.approx(stats.t.cdf((-0.05 - d.mean()) / scale, 9), rel=1e-9)


def test_shrunken_data_sets_are_the_hierarchical_tests(scores, checked):
    frame = checked.frame
    x = scores.differences("knn", "gbm", "accuracy")
    posterior = bayesian.hierarchical_t(x, rope=0.05, seed=1, engine="quadrature")
    table = posterior.by_dataset()["p_rope"]
    rows = frame.query(
        "bayesian == 'hierarchical_t' and scope == 'dataset' and first == 'knn'"
        " and second == 'gbm'"
    ).set_index("dataset")
    assert np.array_equal(rows["p_rope"], table[rows.index])


def test_a_test_of_many_pairs_favours_the_better_mean_as_tests_of_one_do(wide):
    frame = crosscheck(wide, "accuracy", 0.01, **QUIET).frame
    means = wide.means("accuracy").mean()
    gap = frame["second"].map(means) - frame["first"].map(means)
    clear = frame[gap.abs() > 0.05]
    assert {"friedman", "quade", "wilcoxon"} <= set(clear["frequentist"])
    assert list(clear["favours"]) == list(np.where(gap[clear.index] > 0, "second", "first"))
    assert list(frame["unadjusted"]) == list(frame["pvalue"] <= 0.05)
    assert 0 < frame["unadjusted"].sum() < len(frame)


@pytest.mark.parametrize(
    ("pair", "margin", "test", "bayes"),
    [
        (("knn", "svm"), 0.01, "not worse (p < 0.0001)", "svm not worse (>0.999)"),
        (("gbm", "knn"), 0.01, "not shown to be not worse (p = 0.", "undecided: knn "),
    ],
)
def test_one_infinite_end_asks_both_who_is_not_worse(wide, pair, margin, test, bayes):
    asked = {"algorithms": pair, "seed": 1, "progress": False}
    words = crosscheck(wide, "accuracy", (-margin, np.inf), **asked).frame["words"][0]
    assert f" One-sided test of the margin: {test}" in words
    assert f" Bayesian verdict: {bayes}" in words


def test_a_pair_that_fails_has_a_row_that_says_so(table):
    gap = (table.dataset == "wine") & (table.algorithm == "svm") & (table.fold == 2)
    with pytest.warns(bc.DiagnosticWarning, match="2 of 3 pairs could not be compared"):
        result = crosscheck(bc.Scores(table[~gap]), "accuracy", 0.05, **QUIET)
    rows = result.frame[result.frame["second"] == "svm"]
    assert set(rows.query("scope == 'datasets'")["agreement"]) == {"failed"}
    assert rows["error"].str.contains("must have the same folds").any()
    assert (result.pairs["decision"] != "failed").sum() == 1


def test_another_test_does_not_stand_in_for_the_main_one(scores, monkeypatch):
    def broken(x, **_):
        raise RuntimeError("no luck")

    swap(monkeypatch, "hierarchical_t", broken)
    with pytest.raises(RuntimeError, match="no luck"):
        crosscheck(scores, "accuracy", 0.05, **QUIET | {"engine": None})


def test_a_test_that_fails_on_a_data_set_is_reported_there(scores, monkeypatch):
    own = frequentist.corrected_t

    def picky(x):
        if x.datasets == ("wine",):
            raise bc.InputError("no wine")
        return own(x)

    swap(monkeypatch, ("corrected_t", "dataset"), picky)
    frame = crosscheck(scores, "accuracy", 0.05, **QUIET).frame
    rows = frame[frame["frequentist"] == "corrected_t"]
    assert set(rows.loc[rows["dataset"] == "wine", "words"]) == {"not compared: no wine"}
    assert (rows.loc[rows["dataset"] != "wine", "error"] == "").all()


def test_an_engine_that_is_not_there_is_an_error(scores, monkeypatch):
    def missing(x, *, rope, seed=None, engine="auto"):
        raise bc.EngineNotFound(f"engine {engine} is not installed")

    swap(monkeypatch, "hierarchical_t", missing)
    with pytest.raises(bc.EngineNotFound, match="cmdstan is not installed"):
        crosscheck(scores, "accuracy", 0.05, **QUIET | {"engine": "cmdstan"})


def test_two_algorithms_have_no_table_to_rank(scores):
    result = crosscheck(scores, "accuracy", 0.05, algorithms=["knn", "svm"], **QUIET)
    assert set(result.frame["scope"]) == {"datasets", "dataset"}
    assert "quade" not in result.pairs
    assert not result.frame["error"].any()


def test_the_tests_that_rank_alone(scores):
    twins = [t for t in TWINS if t.scope == "table"]
    result = crosscheck(scores, "accuracy", 0.05, twins=twins, seed=1, progress=False)
    assert list(result.pairs["test"]) == ["signed_rank"] * 3
    assert {"quade", "friedman"} <= set(result.pairs)


def test_equal_accuracy_different_in_tpr_and_fpr(together):
    rows = together.frame.query("scope == 'metrics' and first == 'plain' and second == 'shy'")
    assert len(rows) == 2
    assert rows["significant"].astype(bool).all()
    assert (rows["decision"] == "trade-off").all()
    assert (
        rows["words"]
        .str.match(r"Significant only in tpr and fpr together\. .*significant .* verdict: better")
        .all()
    )
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
    shown = (row.p_left, row.p_rope, row.p_right, row.p_trade_off, row.pvalue, row.statistic)
    alone = (p["first"], p["equivalent"], p["second"], p["trade_off"])
    assert shown == pytest.approx((*alone, test.pvalue, test.statistic), rel=1e-12, abs=1e-14)
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


def test_metrics_alone_are_compared_each_too(counts):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        result = crosscheck(counts, ["tpr", "fpr"], 0.02, algorithms=["plain", "shy"], **QUIET)
    assert result.metrics == result.joint == ("tpr", "fpr")
    rows = result.frame.query("bayesian == 'correlated_t' and dataset == 'one'").set_index(
        "metric"
    )
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


ANY_ENGINE = {"seed": 1, "progress": False}


def one(values, metric="accuracy", resampling="5-fold"):
    """A table of one data set; values of shape (n, 3)."""
    wide = dict(zip("abc", np.asarray(values, dtype=float).T.tolist(), strict=True))
    return bc.Scores.read(wide, metric=metric, resampling=resampling)


def test_folds_are_blocks():
    """F divided by 1 + nρ/(1-ρ) (Nadeau & Bengio), of the sums of squares by hand."""
    x = np.random.default_rng(3).uniform(0.6, 0.9, (5, 3)).round(3)
    result = crosscheck(one(x), "accuracy", 0.01, **ANY_ENGINE).omnibus["accuracy"]
    left = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
    f = 5 * np.sum((x.mean(axis=0) - x.mean()) ** 2) / 2 / (np.sum(left**2) / 8)
    f /= 1 + 5 * 0.2 / 0.8
    assert (result.statistic, result.df) == (pytest.approx(f), (2, 8))
    assert result.pvalue == pytest.approx(stats.f.sf(f, 2, 8))
    assert result.effect.measure == "partial η²"


def test_items():
    """Cochran's Q is Friedman's test of right and wrong answers (SciPy)."""
    right = np.random.default_rng(4).uniform(size=(40, 3)) < (0.6, 0.7, 0.9)
    scores = one(right, resampling="independent")
    result = crosscheck(scores, "accuracy", 0.05, **ANY_ENGINE)
    test = result.omnibus["accuracy"]
    expected = stats.friedmanchisquare(*right.astype(int).T)
    assert (test.statistic, test.pvalue) == pytest.approx((expected.statistic, expected.pvalue))
    assert test.names == ("a", "b", "c")
    rows = result.frame.query("scope == 'items'")
    for row in rows.itertuples():
        a, b = (right[:, "abc".index(name)] for name in (row.first, row.second))
        won, lost = int(np.sum(b & ~a)), int(np.sum(a & ~b))
        assert row.pvalue == pytest.approx(stats.binomtest(won, won + lost).pvalue)
        assert row.favours == {1: "second", 0: "", -1: "first"}[int(np.sign(won - lost))]


def test_overlapping_folds_are_no_items():
    """Right and wrong only by chance: folds that overlap are not independent items."""
    resampling = "random splits 0.5"
    right = np.random.default_rng(4).uniform(size=(5, 3)) < 0.5
    with_folds = crosscheck(one(right, resampling=resampling), "accuracy", 0.05, **ANY_ENGINE)
    assert "items" not in set(with_folds.frame["scope"])


def test_runs_that_do_not_pair():
    x = np.random.default_rng(5).normal((200, 210, 230), 12, (9, 3)).round(1)
    scores = one(x, metric="reward", resampling="seeds")
    scores = bc.Scores(scores.frame, higher_is_better=["reward"], resampling="seeds")
    result = crosscheck(scores, "reward", 5, paired=False, **ANY_ENGINE)
    test, expected = result.omnibus["reward"], stats.kruskal(*x.T)
    assert (test.statistic, test.pvalue) == pytest.approx((expected.statistic, expected.pvalue))
    assert test.names == ("a", "b", "c")


def test_none_where_an_algorithm_lacks_a_data_set(wide):
    frame = wide.frame
    gap = (frame["dataset"] == frame["dataset"].iloc[0]) & (frame["algorithm"] == "knn")
    with pytest.warns(bc.DiagnosticWarning, match="could not be compared"):
        result = crosscheck(bc.Scores(frame[~gap]), "accuracy", 0.01, **ANY_ENGINE)
    assert result.omnibus == {}


def test_one_row_a_pair_of_twins(checked):
    over = [t for t in TWINS if t.test.paired and t.scope in ("datasets", "table")]
    alone = [t for t in TWINS if t.test.paired and t.scope in ("dataset", "groups")]
    assert len(checked.frame) == 3 * (len(over) + 3 * len(alone))
    assert list(checked.pairs["first"]) == ["knn", "knn", "gbm"]
    assert list(checked.pairs["second"]) == ["gbm", "svm", "svm"]


def test_one_data_set(scores, table):
    result = crosscheck(bc.Scores(table[table.dataset == "iris"]), "accuracy", 0.05, **QUIET)
    assert set(result.frame["bayesian"]) == {"correlated_t", "groups"}
    assert set(result.pairs["test"]) == {"correlated_t"}
    again = crosscheck(scores, "accuracy", 0.05, datasets="iris", **QUIET)
    assert np.array_equal(result.frame["pvalue"], again.frame["pvalue"])
    assert result.omnibus["accuracy"].symbol == "F"  # folds as blocks: test_omnibus.py


def test_means_alone_take_the_tests_on_means(wide):
    result = crosscheck(wide, "accuracy", 0.01, seed=1, progress=False)
    assert set(result.frame["bayesian"]) == {"signed_rank", "sign"}
    assert set(result.pairs["test"]) == {"signed_rank"}
    own = frequentist.iman_davenport(wide.means())
    assert result.omnibus["accuracy"].pvalue == own.pvalue


def test_lower_is_better_is_flipped_for_both(table):
    turned = table.assign(error=1 - table["accuracy"])
    better = crosscheck(bc.Scores(turned), "accuracy", 0.05, **QUIET).frame
    lower = crosscheck(bc.Scores(turned), "error", 0.05, **QUIET).frame
    same = ["p_left", "p_rope", "p_right", "pvalue"]
    assert np.allclose(better[same], lower[same], atol=1e-6)
    assert list(better["favours"]) == list(lower["favours"])
    assert list(better["words"]) == list(lower["words"])


def test_no_pair_at_all_is_an_error(table):
    gap = (table.dataset == "wine") & (table.algorithm == "svm") & (table.fold == 2)
    with pytest.raises(bc.InputError, match="must have the same folds"):
        crosscheck(bc.Scores(table[~gap]), "accuracy", 0.05, algorithms=["knn", "svm"], **QUIET)


def test_posteriors_are_kept_where_asked_for(scores, checked):
    assert checked.comparisons["accuracy"]["knn", "gbm"].posterior is None
    kept = crosscheck(scores, "accuracy", 0.05, keep_posteriors=True, **QUIET)
    assert kept.comparisons["accuracy"]["knn", "gbm"].posterior.kind == "hierarchical_t"


def test_same_seed_same_numbers(scores, checked):
    again = crosscheck(scores, "accuracy", 0.05, **QUIET)
    pd.testing.assert_frame_equal(again.frame, checked.frame)


def test_several_ropes(scores):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        result = crosscheck(
            scores,
            ["accuracy", "log_loss"],
            {"accuracy": 0.05, "log_loss": (-0.1, 0.2)},
            twins=[t for t in TWINS if t.scope == "datasets"],
            **QUIET,
        )
    assert result.metrics == ("accuracy", "log_loss")
    assert result.ropes["log_loss"] == bc.Rope(-0.1, 0.2)


def test_algorithms_left_out_may_lack_scores(table):
    gap = (table.dataset == "wine") & (table.algorithm == "svm")
    broken = table.assign(accuracy=table["accuracy"].mask(gap))
    result = crosscheck(broken, "accuracy", 0.05, algorithms=["knn", "gbm"], **QUIET)
    assert list(result.pairs["agreement"]) != ["failed"]


def test_items_stand_beside_mcnemar_and_cochran():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        [
            {"model": m, "item": i, "correct": float(rng.random() < p)}
            for m, p in (("a", 0.4), ("b", 0.7), ("c", 0.6))
            for i in range(60)
        ]
    )
    items = bc.Items(table)
    check = bc.crosscheck(items, rope=0.02, seed=1, progress=False)
    rows = check.frame.query("frequentist == 'mcnemar'")
    assert len(rows) == 3
    for _, row in rows.iterrows():
        counts = items.pair(row["first"], row["second"]).counts()
        assert row["pvalue"] == bc.frequentist.mcnemar(counts).pvalue
        own = bc.bayesian.paired_proportions(counts, rope=0.02).verdict()
        assert row["p_right"] == own.p_right
    wide = table.pivot(index="item", columns="model", values="correct")
    assert check.omnibus["accuracy"].pvalue == bc.frequentist.cochran_q(wide).pvalue


# What a cross-check refuses before it begins.


def test_a_new_twin_is_one_line(scores):
    twins = (*TWINS, Twin("sign", "wilcoxon", "datasets"))
    before = crosscheck(scores, "accuracy", 0.05, **QUIET)
    result = crosscheck(scores, "accuracy", 0.05, twins=twins, **QUIET)
    assert len(result.frame) == len(before.frame) + 3
    rows = result.frame.query("bayesian == 'sign' and frequentist == 'wilcoxon'")
    wilcoxon = result.frame.query("bayesian == 'signed_rank' and frequentist == 'wilcoxon'")
    assert list(rows["pvalue"]) == list(wilcoxon["pvalue"])


def test_twins_of_runs_are_not_for_scores_that_pair(scores):
    """A row names the test that gave its verdict."""
    names = ("sign", "hierarchical_two_sample_t")
    twins = [Twin(name, "wilcoxon", "datasets") for name in names]
    result = crosscheck(scores, "accuracy", 0.05, twins=twins, **ANY_ENGINE)
    assert set(result.frame["bayesian"]) == {"sign"}


def test_every_twin_exists():
    for twin in TWINS:
        assert callable(twin.test.call)
        public = {
            "hierarchical_two_sample_t": "hierarchical_t"
        }  # which reads runs as it does folds
        assert callable(getattr(bayesian, public.get(twin.bayesian, twin.bayesian)))
        if twin.scope != "table":
            assert callable(getattr(frequentist, twin.frequentist))


@each_row(
    ("names", "message"),
    [
        (
            ("signs", "wilcoxon", "datasets"),
            r"Bayesian test must be .*\(got 'signs'\)\. Did you mean 'sign'",
        ),
        (("sign", "nemenyi", "table"), r"frequentist test must be .*\(got 'nemenyi'\)"),
    ],
)
def test_unknown_tests(names, message):
    with pytest.raises(bc.InputError, match=message):
        Twin(*names)


@each_row(
    ("change", "message"),
    [
        ({"rope": {"auc": 0.1}}, r"metric of rope must be .*\(got 'auc'\)"),
        ({"twins": [("sign", "wilcoxon")]}, "must be at least one"),
        (
            {"twins": [Twin("multivariate_t", "hotelling_paired", "metrics")]},
            "scores must have at least two folds or data sets for a frequentist counterpart",
        ),
        ({"adjust": "hulm"}, r"adjustment must be .*\(got 'hulm'\)"),
        ({"datasets": "iris", "algorithms": ["knn", "svm", "gmb"]}, "Did you mean 'gbm'"),
        ({"algorithms": ["knn"]}, "at least two"),
        ({"datasets": []}, "datasets must name at least one"),
    ],
)
def test_bad_input(scores, change, message):
    arguments = {"metric": "accuracy", "rope": 0.05, **QUIET, **change}
    with pytest.raises(bc.InputError, match=message):
        crosscheck(scores, **arguments)


def test_procedures_for_all_pairs(scores, table):
    frame = crosscheck(scores, "accuracy", 0.05, adjust="shaffer", **QUIET).frame
    rows = frame.query("frequentist == 'wilcoxon' and bayesian == 'signed_rank'")
    own = frequentist.adjust(rows["pvalue"], "shaffer", n_algorithms=3)
    assert np.allclose(rows["adjusted"], own, rtol=1e-12)
    many = pd.concat([table.assign(algorithm=table["algorithm"] + str(i)) for i in range(4)])
    with pytest.raises(bc.InputError, match="for more than 10 algorithms"):
        crosscheck(many, "accuracy", 0.05, adjust="bergmann-hommel", **QUIET)


def test_differences_are_refused(scores):
    x = scores.differences("knn", "gbm", "accuracy")
    with pytest.raises(bc.InputError, match="Differences are of one pair"):
        crosscheck(x, rope=0.05)


# Warnings of the functions that compare point at the line of the user that called them.


@pytest.fixture
def means():
    rng = np.random.default_rng(3)
    values = rng.normal([0.7, 0.72, 0.78], 0.03, (14, 3))
    frame = pd.DataFrame(values, columns=["knn", "gbm", "svm"])
    return bc.Scores.from_means(frame, metric="accuracy")


@pytest.fixture
def _doubtful(monkeypatch):
    """Tests on means whose posteriors warn."""
    for name in ("sign", "signed_rank"):
        function = getattr(bayesian, name)

        def warning(x, *, rope, seed=None, function=function):
            warn_user("the chains disagree")
            return function(x, rope=rope, seed=seed, draws=200)

        swap(monkeypatch, name, warning)


def where(call):
    """File and line of the one warning, and the line of the call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    (warning,) = [w for w in caught if w.category is bc.DiagnosticWarning]
    return (warning.filename, warning.lineno), str(warning.message)


CALLS = {
    "compare": lambda s, _: bc.compare(s, "knn", "gbm", rope=0.01, test="sign"),
    "compare_all, with a bar": lambda s, _: bc.compare_all(
        s, rope=0.01, test="sign", n_jobs=1, progress=True
    ),
    "report": lambda s, folder: bc.report(s, folder / "r.md", rope=0.01, progress=False),
}


@pytest.mark.usefixtures("_doubtful")
@each_row("name", CALLS)
def test_the_users_line(means, tmp_path, name):
    function = CALLS[name]
    lines, first = inspect.getsourcelines(function)
    place, message = where(lambda: function(means, tmp_path))
    assert place[0] == __file__
    assert first <= place[1] < first + len(lines)
    assert "the chains disagree" in message


def test_metrics_together_are_refused():
    options, message = ({"scale": "log_ratio"}, "scale must be 'difference' for metrics together")
    frame = pd.DataFrame(np.random.default_rng(0).random((8, 2)) + 1, columns=["auc", "tpr"])
    labels = {"dataset": "iris", "algorithm": ["a", "b"] * 4, "fold": np.repeat(range(4), 2)}
    with pytest.raises(bc.InputError, match=message):
        crosscheck(frame.assign(**labels), metrics=["auc", "tpr"], rope=0.01, **options)


# In several processes.


@pytest.mark.slow
def test_processes_find_the_same_rows(scores, checked, tmp_path):
    other = crosscheck(scores, "accuracy", 0.05, n_jobs=2, **QUIET)
    pd.testing.assert_frame_equal(other.frame, checked.frame)
    pages = [
        bc.report(scores, tmp_path / f"{n}.md", metric="accuracy", rope=0.05, n_jobs=n, **QUIET)
        for n in (1, 2)
    ]
    assert pages[0].read_text("utf-8") == pages[1].read_text("utf-8")


def test_ranks_over_data_sets(wide):
    result = crosscheck(wide, "accuracy", 0.01, **ANY_ENGINE).omnibus["accuracy"]
    own = frequentist.iman_davenport(wide.means())
    assert result.pvalue == own.pvalue
    assert result.effect.measure == "Kendall's W"


def test_unknown_scope():
    with pytest.raises(bc.InputError, match="scope must be"):
        Twin("sign", "wilcoxon", "folds")


def test_a_number_of_processes_is_checked(scores):
    with pytest.raises(bc.InputError, match="n_jobs must be a number of processes"):
        crosscheck(scores, "accuracy", 0.05, n_jobs=0)
