"""Every frequentist result of labelled scores has the direction, and the resampling of folds."""

import json
import pickle
import subprocess
import sys
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError
from bayescmp.frequentist.results import index_of, pairs_of
from bayescmp.scores.blocks import scores_blocks
from tests.rows import each_row

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


@each_row(
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
    assert " on error ↓" in str(result)
    assert RHO in str(result)
    assert "error ↓" in result._repr_html_()
    assert RHO in result._repr_html_()
    with pytest.raises(bc.InputError, match="x must have one metric for"):
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
    with pytest.raises(
        bc.InputError, match="lower_is_better must be False, since in x higher is better for"
    ):
        f.tukey(blocks("accuracy"), lower_is_better=True)


@pytest.mark.filterwarnings("ignore::bayescmp.errors.DirectionWarning")
def test_several_metrics():
    for test, pair in [
        (f.hotelling_paired, True),
        (f.hotelling_two_sample, True),
        (f.manova, False),
        (f.pairwise_hotelling, False),
        (lambda x: f.manova(x).pairwise(), False),
    ]:
        x = blocks("error", "wobble")
        result = test(x.pair("knn", "svm") if pair else x)
        assert "on error ↓, wobble ↑ (assumed)" in " ".join(str(result).split())
        assert str(result).endswith(f"note: paired by fold, {RHO}")
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


def test_effect_sizes():
    for test, resampling in [(f.cohens_d, RHO), (f.rank_biserial, "")]:
        result = test(scores("error").differences("knn", "svm"))
        assert " on error ↓" in str(result)
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


def test_pairs_by_ranks():
    for test in ["aligned", "wilcoxon", "sign"]:
        result = f.posthoc(means("error"), test=test, lower_is_better=True)
        assert " on error ↓, all pairs" in str(result)
        assert result.to_dict()["directions"][0]["better"] == "lower"
        assert result.resampling == ""
        assert f.posthoc(means("error").to_numpy()).directions == ()


def test_signs_against_a_control():
    result = f.multiple_sign(means("error"), control="svm", lower_is_better=True)
    assert result.measured == "error ↓"


# How results show themselves, and what they promise: unrounded, frozen, without side effects.


# Demsar 2006, table 6: AUC of variants of C4.5 on the first six data sets
TABLE = pd.DataFrame(
    [
        [0.763, 0.768, 0.798],
        [0.599, 0.591, 0.569],
        [0.954, 0.971, 0.967],
        [0.628, 0.661, 0.657],
        [0.882, 0.888, 0.898],
        [0.936, 0.931, 0.931],
    ],
    columns=["C4.5", "C4.5+m", "C4.5+m+cf"],
)
APART = pd.DataFrame(np.arange(30.0).reshape(10, 3) % 3, columns=["a", "b", "c"])


def test_the_hypothesis_is_that_of_the_test():
    for result, null in [
        (f.paired_t([0.1, 0.2, 0.15]), "the hypothesis of no difference"),
        (f.tost_paired([0.1, 0.2, 0.15], rope=0.5, rho=0), "lies outside the ROPE"),
        (f.page_trend(TABLE), "the hypothesis of no trend"),
        (f.friedman(TABLE), "the hypothesis that no algorithm differs from another"),
        (f.mauchly(np.random.default_rng(1).normal(size=(9, 3)).T), "the null hypothesis"),
    ]:
        assert null in result.explain("paper")


def test_pairs_that_differ_are_named_with_the_better_first():
    text = f.posthoc(APART, adjust="holm").explain("paper")
    assert "c is better than a (p < 0.0001)" in text
    assert "a is better than" not in text
    assert "From best to worst by mean rank: c, b, a." in text


def test_the_level_is_named_by_what_it_controls():
    for adjust, words in [
        ("holm", "at the family-wise level 0.05, adjusted with Holm's method"),
        ("none", "at the level 0.05 for each pair, not adjusted"),
        ("fdr", "at the false discovery rate 0.05"),
    ]:
        assert words in f.posthoc(TABLE, adjust=adjust).explain("paper")


SCORES = pd.DataFrame(
    [
        [0.91, 0.93, 0.90],
        [0.85, 0.88, 0.86],
        [0.70, 0.71, 0.75],
        [0.64, 0.69, 0.60],
        [0.99, 0.99, 0.97],
    ],
    columns=["svm", "gbm", "knn"],
    index=["a", "b", "c", "d", "e"],
)

RESULTS = {
    "friedman": lambda: f.friedman(SCORES),
    "unanimous": lambda: f.iman_davenport([[1, 2, 3], [2, 3, 4]]),
    "skillings_mack": lambda: f.skillings_mack(SCORES),
    "posthoc": lambda: f.posthoc(SCORES),
    "nemenyi": lambda: f.nemenyi(SCORES),
    "paired_t": lambda: f.paired_t(SCORES["gbm"] - SCORES["svm"]),
    "wilcoxon": lambda: f.wilcoxon(SCORES["gbm"] - SCORES["svm"]),
    "sign_test": lambda: f.sign_test(4, 0, 1),
    "tukey": lambda: f.tukey(SCORES),
}


def test_json_pickle_and_html():
    for name in RESULTS:
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
    assert "ties, corrected for" in text
    assert "exact" in text  # few data sets: points to the exact p-value


def test_tables_show_themselves():
    table = f.anova(SCORES)
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
    assert "<0.0001" in str(f.paired_t([0.5, 0.5, 0.5]))


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


def test_results_of_labelled_scores_say_the_direction_and_the_resampling():
    for test, options, folds in [
        (f.paired_t, {}, False),
        (f.corrected_t, {}, True),
        (f.tost_paired, {"rope": 0.01}, True),
        (f.wilcoxon, {}, False),
    ]:
        result = test(LABELLED, **options)
        assert str(result).startswith("knn and svm: ")
        assert " on error ↓\n" in str(result)
        assert result.to_dict()["directions"] == [
            {"metric": "error", "better": "lower", "evidence": "known"}
        ]
        reason = "rho 0.25: 4 folds, as declared" if folds else ""
        assert result.resampling == result.to_dict()["resampling"] == reason
        assert (f", {reason}" in str(result)) == bool(folds) or not folds
        assert "error ↓" in result._repr_html_()
        assert (
            result.pvalue
            == test(LABELLED.x[0], **options, **({"rho": 0.25} if folds else {})).pvalue
        )


def test_a_rho_of_ones_own_has_its_own_reason():
    result = f.corrected_t(LABELLED, rho=0.5)
    assert result.resampling == "rho 0.5: as given"
    assert result.directions == (LABELLED.direction,)


def test_bare_numbers_have_no_direction():
    result = f.paired_t([0.1, 0.2, 0.15])
    assert result.to_dict()["directions"] == []
    assert result.to_dict()["left_out"] is None
    first = str(result).splitlines()[0]
    assert (first[:16], first[-13:]) == ("first and second", "paired t test")


def test_rank_tests_say_the_direction_of_a_table_of_means():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.uniform(0.1, 0.3, (8, 3)), columns=["knn", "svm", "gbm"])
    means = bc.Scores.from_means(frame, metric="error").means()
    result = f.friedman(means, lower_is_better=True)
    assert str(result).splitlines()[0].endswith("  Friedman test on error ↓")
    with pytest.warns(bc.DirectionWarning, match="'error', for which lower is better"):
        upside_down = f.friedman(means)
    assert upside_down.pvalue == pytest.approx(result.pvalue)
    ways = [d.evidence for r in (result, upside_down) for d in r.directions]
    assert ways == ["known", "declared"]
    assert f.friedman(frame).directions == ()


def test_all_pairs_in_order():
    for size in [2, 3, 7]:
        assert pairs_of(size).tolist() == [list(pair) for pair in combinations(range(size), 2)]


def test_each_with_a_control_which_is_the_first():
    assert pairs_of(4, 2).tolist() == [[2, 0], [2, 1], [2, 3]]


def test_a_control_by_name_and_by_number():
    names = ["knn", "gbm", "svm"]
    assert index_of("gbm", names) == index_of(np.int64(1), names) == 1


@each_row(
    ("wrong", "message"),
    [(3, "a column, 0 to 2"), ("gmb", "Did you mean 'gbm'"), (True, r"control must be")],
)
def test_no_such_control(wrong, message):
    with pytest.raises(InputError, match=message):
        index_of(wrong, ["knn", "gbm", "svm"])


def scores_of(seed, n, k, ties=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, k)) + 2 * rng.normal(size=(n, 1)) + 0.3 * np.arange(k)
    return np.round(x, 0) if ties else x


def test_many_cliques_are_quick():
    """Nemenyi with 60 algorithms: an interval graph, with at most as many cliques."""
    result = f.nemenyi(scores_of(8, 40, 60))
    cliques = result.cliques()
    assert 2 <= len(cliques) <= 60
    apart = result.matrix().to_numpy() <= 0.05
    for clique in cliques:
        at = [result.names.index(name) for name in clique]
        assert not apart[np.ix_(at, at)].any()


def test_groups_that_are_no_neighbours():
    """b is between a and c in mean rank, and differs from both; a and c don't."""
    result = f.PosthocResult(
        method="test",
        adjust="none",
        names=("c", "b", "a"),
        pairs=np.array([[0, 1], [0, 2], [1, 2]]),
        difference=np.zeros(3),
        statistic=np.zeros(3),
        pvalue=np.array([0.01, 0.5, 0.01]),
        adjusted=np.array([0.01, 0.5, 0.01]),
        centres=np.array([3.0, 2.0, 1.0]),
    )
    assert result.cliques() == (("a", "c"),)
    assert result.underline(digits=1) == "a    b    c\n1.0  2.0  3.0\n───       ───"


def test_group_of_a_control():
    x = pd.DataFrame(scores_of(3, 30, 4) * 0.3, columns=list("abcd"))
    x["d"] += 3
    (group,) = f.posthoc(x, control="c").cliques()
    assert "c" in group
    assert "d" not in group
    assert f.posthoc(x, control="d").cliques() == ()


def test_tables():
    result = f.posthoc(scores_of(1, 9, 3))
    assert list(result.frame.columns) == [
        "first",
        "second",
        "difference",
        "statistic",
        "pvalue",
        "adjusted",
    ]
    matrix = result.matrix()
    assert np.array_equal(matrix, matrix.T)
    assert np.diag(matrix).tolist() == [1, 1, 1]
    assert result.matrix().loc["A1", "A3"] == result.adjusted[1]
    against = f.posthoc(scores_of(1, 9, 3), control="A2").matrix()
    assert np.isnan(against.loc["A1", "A3"])
    text = str(result)
    assert "\nA   B " in text
    assert "\nA1  A2 " in text
    assert "Holm" in text
    assert result.to_dict()["comparisons"][0]["first"] == "A1"


def test_a_paper_cites_the_test_and_its_adjustment():
    scores = np.random.default_rng(5).normal(size=(8, 4))
    methods, *entries = (
        bc.frequentist.posthoc(scores, adjust="holm").explain("paper").split("\n\n")[1:]
    )
    assert "n = 8 (Demšar 2006; Holm 1979)." in methods
    assert [entry.partition(",")[0] for entry in entries] == [
        "@article{demsar2006",
        "@article{holm1979",
        "@software{bayescmp",
    ]
    several = bc.frequentist.hotelling_paired(scores[:, :2], rho=0.1).explain("paper")
    assert "rho = 0.1 on m1, m2 (Yıldız et al. 2011; Nadeau & Bengio 2003)." in several
    other = bc.frequentist.posthoc(scores, test="aligned", adjust="bergmann")
    assert "n = 8 (García et al. 2010; García & Herrera 2008)." in other.explain("paper")
