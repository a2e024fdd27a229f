"""Which test `compare` takes of one metric or several, and how it is called."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import (
    bootstrap,
    cluster_bootstrap,
    correlated_t,
    groups,
    hierarchical_t,
    multivariate_t,
    signed_rank,
)
from bayescmp.catalogue import named_test
from bayescmp.errors import DiagnosticWarning, InputError
from bayescmp.frequentist.signs import sign_test_of_means
from bayescmp.scores.rope import region_of
from bayescmp.study.compare import PairedScores
from bayescmp.study.question import region_of_table
from tests.items.tables import TWO
from tests.rows import each_row

# Which test is taken, and what it is given.


def test_a_rope_wider_than_the_scores_warns():
    assert region_of(0.01, "difference", 1.0, None, "accuracy") == bc.Rope(-0.01, 0.01)
    with pytest.warns(DiagnosticWarning, match="ROPE ±5 is over half of the span"):
        region_of(5, "difference", None, (0.1, 0.9), "accuracy")


def test_the_region_of_a_table_is_that_of_its_scores():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "dataset": "d",
            "algorithm": np.repeat(["a", "b"], 5),
            "fold": np.tile(range(5), 2),
            "accuracy": rng.uniform(0.8, 0.9, 10),
        }
    )
    scores = bc.Scores(frame)
    assert region_of_table((-0.01, 0.02), scores, "accuracy") == bc.Rope(-0.01, 0.02)


def test_what_a_scale_says():
    table = {"a": [0.5, 0.25, 0.4], "b": [1.0, 0.5, 0.8]}
    scores = bc.Scores.read(table, metric="accuracy", resampling="3-fold")
    ratios = PairedScores(scores.differences("a", "b", scale="log_ratio"))
    (ratio,) = ratios.notes
    assert "the observed accuracy of b is 100% larger" in ratio
    assert PairedScores(scores.differences("a", "b")).notes == ()


def test_the_standardised_scale_is_noted():
    table = {"a": [0.5, 0.25, 0.4], "b": [0.9, 0.5, 0.8]}
    scores = bc.Scores.read(table, metric="accuracy", resampling="3-fold")
    (note,) = PairedScores(scores.differences("a", "b", scale="standardised")).notes
    assert "in standard deviations" in note


RNG = np.random.default_rng(1)
SIZES = {"x": 40, "y": 30, "z": 50}


def table(*models: str, graded: bool = False) -> pd.DataFrame:
    """Answers of models, each a bit better than the one before, on three benchmarks."""
    rows = [
        {
            "model": m,
            "benchmark": b,
            "item": i,
            "cluster": i // 4,
            "score": RNG.random() if graded else float(RNG.random() < 0.5 + 0.1 * k),
        }
        for k, m in enumerate(models)
        for b, n in SIZES.items()
        for i in range(n)
    ]
    return pd.DataFrame(rows)


PLAIN = table("a", "b").drop(columns="cluster")


def p_of(posterior):
    return dict(posterior.verdict().probabilities)


def rows(frame: pd.DataFrame) -> list[np.ndarray]:
    """Differences b − a on each benchmark, by pandas alone."""
    wide = frame.pivot(index=["benchmark", "item"], columns="model", values="score")
    return [(part["b"] - part["a"]).to_numpy() for _, part in wide.groupby(level=0)]


def test_several_benchmarks_are_the_hierarchical_test_of_the_same_rows():
    own = bc.compare(bc.Items(PLAIN), rope=0.02, seed=1, engine="quadrature")
    rows_ = hierarchical_t(rows(PLAIN), rho=0, rope=0.02, seed=1, engine="quadrature")
    assert own.kind == "hierarchical_t"
    assert p_of(own) == p_of(rows_)
    assert own.summary().loc["delta0"].tolist() == rows_.summary().loc["delta0"].tolist()
    assert own.verdict().target == "a new benchmark"
    assert (
        own.notes[0]
        == "chosen test: hierarchical_t (120 questions of 3 benchmarks, right or wrong)"
    )


def test_clusters_of_several_benchmarks_are_its_units():
    items = bc.Items(table("a", "b"))
    own = bc.compare(items, rope=0.02, seed=1, engine="quadrature")
    x = items.pair("a", "b").differences()
    assert x.n.tolist() == [10, 8, 13]
    assert p_of(own) == p_of(hierarchical_t(x, rope=0.02, seed=1, engine="quadrature"))


def test_right_and_wrong_answers_to_one_benchmark_are_counted():
    own = bc.compare(bc.Items(PLAIN), rope=0.02, dataset="y")
    x = rows(PLAIN)[1]
    assert own.kind == "paired_proportions"
    assert (own.counts[1, 0], own.counts[0, 1]) == ((x > 0).sum(), (x < 0).sum())
    assert (
        own.notes[0]
        == "chosen test: paired_proportions (30 questions of 1 benchmark, right or wrong)"
    )


@each_row(
    ("frame", "words"),
    [
        (table("a", "b"), "30 questions of 1 benchmark in 8 clusters, right or wrong"),
        (
            table("a", "b", graded=True).drop(columns="cluster"),
            "30 questions of 1 benchmark, graded",
        ),
    ],
)
def test_clustered_or_graded_items_are_bootstrapped(frame, words):
    items = bc.Items(frame)
    own = bc.compare(items, rope=0.02, dataset="y")
    assert own.notes[0] == f"chosen test: cluster_bootstrap ({words})"
    assert p_of(own) == p_of(cluster_bootstrap(items.pair("a", "b").on("y"), rope=0.02))


def test_means_over_epochs_are_graded():
    twice = pd.concat([PLAIN.assign(epoch=1), PLAIN.assign(epoch=2, score=1.0)])
    own = bc.compare(bc.Items(twice), rope=0.02, dataset="x")
    assert (
        own.notes[0]
        == "chosen test: cluster_bootstrap (40 questions of 1 benchmark, means over epochs)"
    )


def test_other_tests_by_name():
    items = bc.Items(PLAIN)
    x = rows(PLAIN)[0]
    own = bc.compare(items, rope=0.02, dataset="x", test="correlated")
    assert p_of(own) == p_of(bc.bayesian.correlated_t(x, rho=0, rope=0.02))
    assert bc.compare(items, rope=0.02, dataset="x", test="cluster_bootstrap").kind == (
        "cluster_bootstrap"
    )
    assert bc.compare(items, rope=0.02, test="signed_rank", seed=1).kind == "signed_rank"


def test_all_models_of_one_benchmark_are_groups():
    items = bc.Items(table("a", "b", "c").drop(columns="cluster"))
    own = bc.compare(items, rope=0.02, dataset="y", seed=1)
    same = groups(items.blocks("y"), rope=0.02, seed=1)
    assert own.verdict("a", "c").probabilities == same.verdict("a", "c").probabilities


def test_all_models_of_a_hundred_questions_are_resampled_together():
    """Fewer, or fewer clusters, are left to `groups`; the two agree where errors are alike."""
    rng = np.random.default_rng(1)
    right = (rng.random((120, 3)) < [0.5, 0.55, 0.6]).astype(float)
    rows = pd.DataFrame(
        {
            "model": np.tile(["a", "b", "c"], 120),
            "item": np.repeat(np.arange(120), 3),
            "correct": right.ravel(),
        }
    )
    own = bc.compare(bc.Items(rows), rope=0.02, seed=1)
    assert own.kind == "question_bootstrap"
    assert own.notes[0] == "chosen test: question_bootstrap (3 models on 1 benchmark)"
    other = bc.compare(bc.Items(rows), rope=0.02, seed=1, test="groups")
    for pair, verdict in own.verdicts().items():
        same = other.verdict(*pair)
        assert list(verdict.probabilities.values()) == pytest.approx(
            list(same.probabilities.values()), abs=0.03
        )
    few = bc.Items(rows[rows["item"] < 99])
    clustered = bc.Items(rows.assign(cluster=rows["item"] // 2))
    assert {bc.compare(x, rope=0.02, seed=1).kind for x in (few, clustered)} == {"groups"}


def test_all_models_of_several_benchmarks():
    items = bc.Items(table("a", "b", "c"))
    own = bc.compare(items, rope=0.02, test="bootstrap", seed=1)
    assert own.best() == bootstrap(items.scores(), rope=0.02, seed=1).best()


def test_models_and_items_are_called_so(tmp_path):
    """In what is printed, in sentences and in pairs, also after saving."""
    items = bc.Items(table("a", "b", "c").drop(columns="cluster"))
    one = bc.compare(items, rope=0.02, dataset="y", seed=1)
    one.save(tmp_path / "one.npz")
    for posterior in (one, bc.load(tmp_path / "one.npz")):
        heading = posterior.full()
        assert "3 models on" in heading
        assert f"{posterior.x.shape[1]} questions (y)" in heading
        assert "3 models, questions as blocks" in posterior.pair("a", "b").method
    over = bc.compare(items, rope=0.02, test="bootstrap", seed=1)
    assert f"3 models on {len(items.benchmarks)} benchmarks" in str(over)
    assert f"3 models on {len(items.benchmarks)} benchmarks" in over.explain("paper")
    assert "on a new benchmark" in over.explain()
    assert over.verdict("a", "b").target == "a new benchmark"
    for text in (one.full(), over.explain(), one.verdict("a", "b").explain()):
        assert "algorithm" not in text
        assert "fold" not in text


def test_a_rope_in_percent_is_of_the_range():
    assert bc.compare(bc.Items(PLAIN), rope="2%", dataset="y").rope.high == 0.02
    three = bc.Items(table("a", "b", "c"))
    assert bc.compare(three, rope="2%", dataset="y", seed=1).rope.ends[0][1] == 0.02


@each_row(
    ("options", "message"),
    [
        ({"metric": "bleu"}, "metric must be 'accuracy', by which the items are scored"),
        ({"rho": 0.1}, "rho must be 0 for items, which are independent units"),
        ({"scale": "log_ratio"}, "scale must be 'difference' for items"),
        ({"first": "a"}, r"first must be given with second, or neither\. The table has"),
        ({"first": "a", "second": "c"}, r"model must be .*\(got 'c'\)"),
        ({"test": "nothing"}, r"Bayesian test must be .*\(got 'nothing'\)"),
        ({"dataset": "w"}, r"benchmark must be .*\(got 'w'\)"),
        ({"test": "paired_proportions"}, "x must have one benchmark for paired_proportions"),
        ({"concentration": 1}, r"option of hierarchical_t must be .*\(got 'concentration'\)"),
    ],
)
def test_bad_arguments_are_refused(options, message):
    with pytest.raises(bc.InputError, match=message):
        bc.compare(bc.Items(TWO), **{"rope": 0.05, **options})


def test_one_model_is_no_comparison():
    with pytest.raises(bc.InputError, match="scores must have at least two models"):
        bc.compare(bc.Items(TWO[TWO["model"] == "a"]), rope=0.05)


def test_a_single_item_is_too_few_for_the_bootstrap():
    one = pd.DataFrame({"model": ["a", "b"], "item": [1, 1], "score": [0.5, 0.7]})
    with pytest.raises(
        bc.InputError,
        match=r"enough for a test .got 1 question of 1",
    ):
        bc.compare(bc.Items(one), rope=0.05)


def test_several_data_sets_with_folds_are_hierarchical(scores):
    result = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, seed=1, engine="quadrature")
    x = scores.differences("knn", "gbm", "accuracy")
    assert result.kind == "hierarchical_t"
    assert result.notes[0] == "chosen test: hierarchical_t (3 data sets, with 10 scores on each)"
    own = hierarchical_t(x, rope=0.05, seed=1, engine="quadrature")
    assert p_of(result) == p_of(own)


def test_one_data_set_is_correlated(scores, table):
    result = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, dataset="iris")
    x = scores.differences("knn", "gbm", "accuracy").row("iris")
    assert result.notes[0] == "chosen test: correlated_t (one data set, with 10 scores)"
    assert p_of(result) == p_of(correlated_t(x, rope=0.05))
    alone = table[table.dataset == "iris"]
    assert p_of(bc.compare(alone, "knn", "gbm", "accuracy", 0.05)) == p_of(result)


def test_means_are_signed_rank(means):
    result = bc.compare(means, "knn", "svm", rope=0.01, seed=1)
    assert (
        result.notes[0] == "chosen test: signed_rank (14 data sets, with a single score on each)"
    )
    wide = means.means()
    assert p_of(result) == p_of(signed_rank(wide["svm"] - wide["knn"], rope=0.01, seed=1))


def test_some_single_scores_are_signed_rank():
    x = bc.Differences([[0.1, 0.2], [0.3], [0.1]], rho=0.1)
    result = bc.compare(x, rope=0.01, seed=1)
    assert "2 of which with a single score" in result.notes[0]
    assert p_of(result) == p_of(signed_rank([0.15, 0.3, 0.1], rope=0.01, seed=1))


def test_one_single_score_is_no_comparison():
    with pytest.raises(bc.InputError, match="scores must have folds, or several data sets"):
        bc.compare(bc.Differences([[0.1]], rho=0.1), rope=0.01)


@each_row("name", ["sign", "signed_rank", "signed-rank"])
def test_a_named_test_needs_no_note(scores, name):
    result = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, test=name, seed=1)
    assert result.kind == name.replace("-", "_")
    assert result.notes == ()


def test_short_names_of_tests(scores):
    result = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, test="correlated", dataset="wine")
    assert result.kind == "correlated_t"


def test_tests_on_means_need_no_rho():
    frame = pd.DataFrame(
        {
            "dataset": list("xyz") * 4,
            "algorithm": ["a"] * 6 + ["b"] * 6,
            "repeat": ([1] * 3 + [2] * 3) * 2,
            "accuracy": np.linspace(0.5, 0.9, 12),
        }
    )
    with pytest.raises(bc.InputError, match="do not show their correlation"):
        bc.compare(frame, rope=0.01)
    # three wins and the rope's weight of one: P(Beta(3, 1) > 1/2) = 7/8
    assert bc.compare(frame, rope=0.01, test="sign").verdict().p_right == pytest.approx(7 / 8)


def test_options_reach_the_test(scores, means):
    prior = bc.HierarchicalPrior.benavoli2017()
    result = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, prior=prior, engine="quadrature")
    assert result.prior is prior
    assert bc.compare(means, "knn", "gbm", rope=0.01, draws=10).masses().shape == (1, 10, 3)
    given_rho = bc.compare(scores, "knn", "gbm", "accuracy", 0.05, dataset="iris", rho=0.3)
    assert given_rho.rho == 0.3


def test_lower_is_better_is_known(scores, table):
    loss = bc.compare(scores, "knn", "gbm", "log_loss", 0.01, dataset="iris")
    own = table[(table.dataset == "iris")].groupby("algorithm")["log_loss"].mean()
    assert loss.location == pytest.approx(own["knn"] - own["gbm"])


@each_row(
    ("options", "message"),
    [
        (
            {"test": "correlate"},
            r"test must be .*\(got 'correlate'\)\. Did you mean 'correlated_t'",
        ),
        ({"first": None}, r"first must be given with second\. The table has the algorithms"),
        ({"second": "gmb"}, "Did you mean 'gbm'"),
        ({"dataset": "iri"}, "Did you mean 'iris'"),
        ({"test": "sign", "engine": "pystan"}, r"option of sign must be .*\(got 'engine'\)"),
        ({"test": "sign", "drawz": 5}, "Did you mean 'draws'"),
        ({"test": "correlated"}, "x must have one data set for this test"),
    ],
)
def test_bad_input(scores, options, message):
    given = {"first": "knn", "second": "gbm", "metric": "accuracy", "rope": 0.01, **options}
    with pytest.raises(bc.InputError, match=message):
        bc.compare(scores, **given)


def test_other_things_than_scores():
    with pytest.raises(bc.InputError, match="scores must be Scores"):
        bc.compare([[1, 2]], rope=0.01)
    x = bc.Differences([[0.1, 0.2]], rho=0.1, names=("a", "b"))
    with pytest.raises(bc.InputError, match="first must be 'a', and second 'b'"):
        bc.compare(x, "b", "a", rope=0.01)
    with pytest.raises(bc.InputError, match="Differences are of one pair"):
        bc.compare_all(x, rope=0.01)


# `compare` with several metrics.


@pytest.fixture
def counts():
    """Three data sets, three algorithms, 2 x 5 folds of confusion counts."""
    rng = np.random.default_rng(7)
    rows = []
    for d in ("iris", "wine", "zoo"):
        for i, a in enumerate(("knn", "gbm", "svm")):
            for r in (1, 2):
                for f in range(1, 6):
                    tp, fp = rng.binomial(30, 0.6 + 0.1 * i), rng.binomial(30, 0.2)
                    rows.append((d, a, r, f, tp, 30 - tp, fp, 30 - fp))
    columns = ["dataset", "algorithm", "repeat", "fold", "tp", "fn", "fp", "tn"]
    return bc.Scores(pd.DataFrame(rows, columns=columns))


def test_one_data_set_takes_the_multivariate_test(counts):
    result = bc.compare(counts, "knn", "gbm", ["tpr", "fpr"], 0.02, dataset="iris", seed=1)
    assert result.kind == "multivariate_t"
    assert result.notes[0] == (
        "chosen test: multivariate_t (one data set, with 10 scores of 2 metrics)"
    )
    blocks = bc.scores_blocks(
        counts, metrics=["tpr", "fpr"], dataset="iris", algorithms=["knn", "gbm"]
    )
    direct = multivariate_t(blocks, rope=0.02, seed=1)
    assert result.verdict() == direct.verdict()
    assert result.rho == pytest.approx(0.2)
    assert result.verdict().metrics == ("tpr", "fpr")


def test_ropes_by_metric_and_rho(counts):
    result = bc.compare(
        counts,
        "knn",
        "svm",
        ("tpr", "fpr"),
        {"fpr": 0.05, "tpr": 0.01},
        dataset="wine",
        rho=0.3,
        seed=1,
        test="multivariate",
    )
    assert result.rope[1].high == 0.05
    assert result.rho == 0.3
    assert not any(n.startswith("test ") for n in result.notes)


def test_one_metric_in_a_list_is_one_metric(counts):
    alone = bc.compare(counts, "knn", "gbm", ["tp"], 0.5, dataset="iris", seed=1)
    assert alone.kind == "correlated_t"


@pytest.fixture
def one_constant():
    """Scores of two algorithms that differ by the same in every fold, in one of two metrics."""
    rng = np.random.default_rng(1)
    base = rng.integers(10, 20, 10)
    rows = [
        {
            "dataset": "d",
            "algorithm": a,
            "fold": f,
            "acc": base[f] / 20 + 0.05 * i,
            "auc": rng.random(),
        }
        for i, a in enumerate("ab")
        for f in range(10)
    ]
    return bc.Scores(pd.DataFrame(rows))


def test_constant_metrics_get_the_smallest_step_seen(one_constant):
    result = bc.compare(one_constant, "a", "b", ["acc", "auc"], 0.01, seed=1)
    c = 1 / 10 + 0.1 / 0.9
    assert result.marginal("acc").scale == pytest.approx(np.sqrt(c * 10 * 0.05**2 / 12 / 8))
    assert any("resolution, h = 0.05" in n for n in result.notes)


@each_row(
    ("options", "message"),
    [
        ({"metric": []}, "metric must be a metric, or several"),
        ({"metric": ["tpr", "fprr"]}, r"metric must be .*\(got 'fprr'\)"),
        ({"rope": [0.1, 0.1, 0.1]}, "got 3 for 2"),
        ({"test": "sign"}, r"test of several metrics must be"),
        (
            {"test": "multivariate", "dataset": None},
            "scores must have one data set for test='multivariate_t'",
        ),
        ({"dataset": "iriss"}, r"data set must be"),
        ({"first": None}, r"first must be given with second\. The table has the algorithms"),
        ({"chains": 3}, r"option .*must be"),
    ],
)
def test_bad_input_of_several_metrics(counts, options, message):
    given = {
        "first": "knn",
        "second": "gbm",
        "metric": ["tpr", "fpr"],
        "rope": 0.02,
        "dataset": "iris",
        **options,
    }
    with pytest.raises(bc.InputError, match=message):
        bc.compare(counts, **given)


def test_differences_are_of_one_metric(counts):
    d = counts.differences("knn", "gbm", "tp")
    with pytest.raises(bc.InputError, match="metric must be one, as in the differences"):
        bc.compare(d, metric=["tpr", "fpr"], rope=0.1)


def test_names_of_tests():
    assert named_test("multivariate-t", metrics=2).name == "multivariate_t"
    assert named_test("hierarchical", metrics=2).name == "hierarchical_multivariate_t"
    assert named_test("robust", metrics=2).name == "robust_multivariate_t"
    assert named_test("auto", metrics=2) is None


@pytest.mark.slow
@pytest.mark.stan
def test_several_data_sets_take_the_hierarchical_test(counts, stan_engine):
    result = bc.compare(counts, "knn", "svm", ["tpr", "fpr"], 0.02, seed=1, engine=stan_engine)
    assert result.kind == "hierarchical_multivariate_t"
    assert sum(result.verdict().probabilities.values()) == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.stan
def test_robust_on_one_data_set(counts, stan_engine):
    result = bc.compare(
        counts,
        "knn",
        "svm",
        ["tpr", "fpr"],
        0.02,
        seed=1,
        engine=stan_engine,
        dataset="iris",
        test="robust",
    )
    assert result.fit.noise == "t"
    exact = bc.compare(counts, "knn", "svm", ["tpr", "fpr"], 0.02, seed=1, dataset="iris")
    # medians of folds without outliers are close to their means
    np.testing.assert_allclose(
        result.summary().loc["tpr", "mean"], exact.summary().loc["tpr", "mean"], atol=0.05
    )


# How tests are called on scores.


QUIET = {"seed": 1, "progress": False}


def test_wilcoxon_and_sign_test_take_the_means():
    rng = np.random.default_rng(2)
    x = bc.Differences(rng.normal(0.02, 0.05, (12, 10)), rho=0.1)
    wilcoxon, won = bc.frequentist.wilcoxon(x), int((x.means > 0).sum())
    assert wilcoxon.pvalue == pytest.approx(stats.wilcoxon(x.means).pvalue, rel=1e-10)
    signs = sign_test_of_means(x)
    assert signs.pvalue == pytest.approx(stats.binomtest(won, 12).pvalue, rel=1e-10)


def test_means_that_are_zero_but_for_rounding_are_ties():
    rows = [[0.1, 0.2, -0.3], [0.3, -0.1, -0.2], [0.1, 0.1, 0.1], [0.2, 0.2, 0.2]]
    assert abs(np.mean(rows[0])) > 0
    tied = sign_test_of_means(bc.Differences(rows, rho=0.1))
    assert tied.pvalue == bc.frequentist.sign_test(2, 0, 2).pvalue


def test_tests_of_answers_take_items_and_blocks():
    answers = np.array([[1, 1, 0, 1, 0, 1], [1, 0, 0, 1, 1, 0], [0, 0, 1, 0, 1, 0]])
    rows = {"model": np.repeat(["a", "b"], 6), "item": [*range(6)] * 2}
    items = bc.Items(pd.DataFrame({**rows, "correct": answers[:2].ravel()}))
    mcnemar = bc.frequentist.mcnemar(items.pair("a", "b"))
    # alone right: a on items 1 and 5, b on item 4
    assert mcnemar.pvalue == pytest.approx(stats.binomtest(1, 3).pvalue, rel=1e-12)
    assert mcnemar.names == ("a", "b")
    blocks = bc.Blocks(answers[..., None], rho=0, algorithms=["a", "b", "c"], metrics=["correct"])
    right, items_right = answers.sum(axis=1), answers.sum(axis=0)
    spread = 3 * right.sum() - (items_right**2).sum()  # Cochran (1950)
    q = 2 * (3 * (right**2).sum() - right.sum() ** 2) / spread
    assert bc.frequentist.cochran_q(blocks).statistic == pytest.approx(q, rel=1e-12)


def test_what_makes_a_test_of_the_catalogue_is_not_an_option(counts):
    asked = {"dataset": "iris", "test": "robust_multivariate_t", "noise": "normal"}
    with pytest.raises(
        InputError, match=r"option of robust_multivariate_t must be .*\(got 'noise'\)"
    ):
        bc.compare(counts, "knn", "svm", ["tpr", "fpr"], 0.02, **asked)


def test_dominance_of_the_same_differences_does_not_depend_on_the_way_in(one_constant):
    """`compare` and the cross-check take constant metrics by the same smallest step."""
    own = bc.compare(one_constant, "a", "b", ["acc", "auc"], 0.01, seed=1).verdict()
    frame = bc.crosscheck(one_constant, rope=0.01, metrics=["acc", "auc"], **QUIET).frame
    row = frame[frame["bayesian"] == "multivariate_t"].iloc[0]
    assert row["p_trade_off"] == own.probabilities["trade_off"]


def test_models_that_are_all_right_are_equally_probable_to_be_better():
    table = pd.DataFrame({"model": ["a"] * 8 + ["b"] * 8, "item": [*range(8)] * 2, "correct": 1})
    text = bc.compare(bc.Items(table), rope=0.02).verdict().explain()
    assert "a is practically better and b is practically better have the same" in text
