"""Tables of scores: what does not fit is named by data set and algorithm."""

import functools
import inspect
import itertools
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError
from bayescmp.frequentist.effects import signed_ranks
from bayescmp.frequentist.signs import normal_pvalue, sum_distribution
from tests.rows import each_row

TESTS = (f.friedman, f.iman_davenport, f.friedman_aligned_ranks, f.quade)


SAME = [[1, 1, 1], [2, 2, 2]]


@each_row(
    ("test", "scores", "words"),
    [
        (
            f.friedman,
            [[1, 2], [2, 1], [1, 3]],
            r"at least 3 algorithms \(columns\) for friedman \(got 2\).*use wilcoxon.*sign_test",
        ),
        (f.quade, [[1, 2, 3]], r"at least 2 data sets \(rows\) for quade \(got 1\).*use anova"),
        (f.iman_davenport, [[1, 2, 3], [np.nan, 2, 3]], "'A1' on data set '2'.*skillings_mack"),
        (f.friedman, [[1, 2, 3], [np.inf, 2, 3]], "infinite one for 'A1' on data set '2'"),
        (f.quade, [[1, 2, 3], [np.inf, 2, 3]], "infinite one for 'A1' on data set '2'"),
        (f.friedman, SAME, "scores must differ between algorithms on a data set"),
        (f.friedman_aligned_ranks, SAME, "scores must differ between algorithms on a data set"),
        (f.quade, SAME, "scores must differ between algorithms on a data set"),
        (f.friedman_aligned_ranks, [1, 2, 3], "shape"),
        (f.friedman, [["a", "b", "c"]] * 2, "must hold real numbers"),
    ],
)
def test_bad_tables(test, scores, words):
    with pytest.raises(InputError, match=words):
        test(scores)


def test_bad_frames_name_their_cells():
    frame = pd.DataFrame(np.eye(3), columns=["svm", "knn", "gbm"], index=["iris", "wine", "zoo"])
    frame.loc["wine", "knn"] = np.nan
    with pytest.raises(InputError, match="'knn' on data set 'wine'"):
        f.friedman(frame)
    with pytest.raises(InputError, match=r"scores must have different names .*'a' twice"):
        f.friedman(pd.DataFrame(np.eye(3), columns=["a", "b", "a"]))


#: Every test of a table of means, as it is called on one.
OF_MEANS = {
    "friedman": f.friedman,
    "iman_davenport": f.iman_davenport,
    "friedman_aligned_ranks": f.friedman_aligned_ranks,
    "quade": f.quade,
    "kendalls_w": f.kendalls_w,
    "page_trend": f.page_trend,
    "average_ranks": f.average_ranks,
    "contrast_estimation": f.contrast_estimation,
    "skillings_mack": f.skillings_mack,
    "posthoc": f.posthoc,
    "nemenyi": f.nemenyi,
    "multiple_sign": functools.partial(f.multiple_sign, control="svm"),
}


def _folds():
    rng = np.random.default_rng(5)
    rows = itertools.product(("iris", "wine", "zoo", "car"), ("svm", "knn", "gbm"), range(4))
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold"])
    level = frame["algorithm"].map({"svm": 0.8, "knn": 0.75, "gbm": 0.82})
    noise = rng.normal(0, 0.1, (2, len(frame)))
    return frame.assign(accuracy=level + noise[0], rmse=level + noise[1])


@each_row("name", OF_MEANS)
def test_scores_are_ranked_by_their_means(name):
    """Of Scores the metric is named, and its direction known: as of the frame of their means."""
    test, scores = OF_MEANS[name], bc.Scores(_folds())
    for metric, lower in (("accuracy", False), ("rmse", True)):
        theirs = test(scores.means(metric), lower_is_better=lower)
        assert str(test(scores, metric=metric)) == str(theirs)
    with pytest.raises(InputError, match="metric must be given if the table has"):
        test(scores)
    with pytest.raises(InputError, match=r"metric must be .*\(got 'auc'\)"):
        test(scores, metric="auc")
    with pytest.raises(
        InputError, match="lower_is_better must be left out with Scores, which know it"
    ):
        test(scores, metric="rmse", lower_is_better=True)
    with pytest.raises(
        InputError, match="metric must be None where scores is a table of one metric"
    ):
        test(scores.means("accuracy"), metric="auc")
    assert str(test(bc.Scores(_folds().drop(columns="accuracy")))) == str(
        test(scores, metric="rmse")
    )


def test_every_test_of_means_takes_scores():
    """Those whose first argument is a table of means, as their signatures say."""
    takes = [
        name
        for name in f.__all__
        if callable(getattr(f, name))
        and not isinstance(getattr(f, name), type)
        and {"scores", "metric"} <= set(inspect.signature(getattr(f, name)).parameters)
    ]
    tables = [
        name
        for name in f.__all__
        if callable(getattr(f, name)) and "(q, L), DataFrame" in (getattr(f, name).__doc__ or "")
    ]
    assert set(tables) <= set(OF_MEANS) <= set(takes)


def test_advice_on_missing_means_of_scores_is_right():
    """Both ways out that the message names are gone, on the scores that it is about."""
    gone = _folds().query("not (dataset == 'wine' and algorithm == 'knn')")
    scores = bc.Scores(gone)
    with pytest.raises(InputError) as caught:
        f.friedman(scores, metric="rmse")
    ways = re.findall(r"(skillings_mack\(.*?\))|\((scores\.select\(.*\))\)", str(caught.value))
    test, rest = ways[0][0], ways[1][1]
    known = {"scores": scores, "skillings_mack": f.skillings_mack}
    assert eval(test, known).pvalue < 1
    complete = eval(rest, known)
    assert complete.datasets == ("iris", "zoo", "car")
    expected = f.friedman(bc.Scores(_folds()[_folds()["dataset"] != "wine"]), metric="rmse")
    assert f.friedman(complete, metric="rmse").pvalue == expected.pvalue


INF = np.inf
#: Running times; infinite where an algorithm never reached the target.
TIMES = [[1e3, 2e3, INF], [3e3, 2e3, INF], [1e3, 2e3, 3e3], [2e3, 1e3, 4e3], [1e3, 3e3, INF]]


def test_a_number_beyond_all_others_replaces_infinite_ones_as_the_message_advises():
    """SciPy 1.17.1, friedmanchisquare, which ranks infinite numbers."""
    for times in [TIMES, [[-x for x in row] for row in TIMES]]:
        x, expected = np.array(times), stats.friedmanchisquare(*np.array(times).T)
        with pytest.raises(InputError, match=r"one for 'A3' on data set '1'.*beyond all others"):
            f.friedman(x, lower_is_better=True)
        mended = f.friedman(np.where(np.isinf(x), np.sign(x) * 5e3, x), lower_is_better=True)
        assert mended.pvalue == pytest.approx(expected.pvalue)


def test_what_to_do_with_infinite_scores():
    for test, words in [
        (lambda x: f.mann_whitney(x[0], x[1]), "does not change the ranks"),
        (lambda x: f.brunner_munzel(x[0], x[1]), "does not change the ranks"),
        (f.kruskal_wallis, "does not change the ranks"),
        (f.skillings_mack, "does not change the ranks"),
        (f.nemenyi, "does not change the ranks"),
        (f.quade, "also uses the sizes"),
        (f.friedman_aligned_ranks, "also uses the sizes"),
    ]:
        with pytest.raises(InputError, match=words):
            test(TIMES)


def test_rounding_noise_makes_no_order():
    """0.1 + 0.2 and 0.3 are the same score; so are differences from a mean that agree."""
    x = np.array([[0.1 + 0.2, 0.3, 0.1], [0.5, 0.4, 0.2], [0.7, 0.9, 0.8]])
    clean = np.array([[0.3, 0.3, 0.1], [0.5, 0.4, 0.2], [0.7, 0.9, 0.8]])
    assert f.friedman(x).estimate == pytest.approx(f.friedman(clean).estimate)
    assert f.friedman(x, tie_tolerance=0).estimate != pytest.approx(f.friedman(clean).estimate)
    # with 0.15 the last row is all tied (.7, .8, .9) and the others' first two scores are
    assert f.friedman(x, tie_tolerance=0.15).estimate == pytest.approx([5 / 3, 5 / 3, 8 / 3])


def test_tiny_scores_are_no_noise():
    """Rounding is relative to the scores: optimisers' errors of 1e-15 and 2e-15 differ."""
    x = np.array([[1e-15, 2e-15, 1.0], [3e-12, 1e-12, 2.0], [1e-9, 2e-9, 3e-9]])
    assert f.average_ranks(x, lower_is_better=True).ranks[0].tolist() == [1, 2, 3]


def test_distribution_by_enumeration():
    ranks = np.array([1.0, 2.5, 2.5, 4, 5.5, 5.5])
    sums = [2 * np.dot(s, ranks) for s in itertools.product([0, 1], repeat=6)]
    expected = np.bincount(np.rint(sums).astype(int)) / 64
    assert sum_distribution(ranks) == pytest.approx(expected, abs=1e-15)


def test_ranks_by_hand():
    """|x| = .1 .2 .2 .5, zeros first in the ranking of Pratt."""
    x = np.array([0.0, 0.2, -0.2, 0.5, -0.1])
    dropped, kept = signed_ranks(x), signed_ranks(x, "pratt")
    assert dropped.ranks.tolist() == [2.5, 2.5, 4, 1]
    assert kept.ranks.tolist() == [3.5, 3.5, 5, 2]
    assert dropped.sums == (6.5, 3.5)
    assert kept.sums == (8.5, 5.5)
    assert (dropped.zeros, kept.zeros) == (1, 1)
    split = signed_ranks(np.append(x, 0.0), "split")
    assert split.sums == (4.5 + 6 + 1.5, 4.5 + 3 + 1.5)


def test_ties_to_a_tolerance():
    x = np.array([0.10, -0.11, 0.30, 0.04])
    assert signed_ranks(x, tolerance=0.02).ranks.tolist() == [2.5, 2.5, 4, 1]
    assert signed_ranks(x, tolerance=0.05).zeros == 1


def test_small_differences_beside_large_ones_are_kept():
    """Losses of optimisers span many orders of magnitude."""
    assert signed_ranks(np.array([1e-9, -2e-9, 1.0])).ranks.tolist() == [1, 2, 3]


def test_the_correction_moves_the_sum_by_a_half():
    ranks = np.arange(1.0, 61)
    plus = 1100.0
    for side, shift in (("greater", -0.5), ("less", 0.5), ("two-sided", -0.5)):
        corrected = normal_pvalue(ranks, plus, side, correction=True)
        assert corrected == pytest.approx(normal_pvalue(ranks, plus + shift, side))


# Average ranks: 1 is the best, missing scores.


def test_rank_one_is_the_best():
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [2.0, 3, 4], "c": [3.0, 4, 5]}, index=list("xyz"))
    table = f.average_ranks(frame)
    assert table.mean_ranks.tolist() == [3, 2, 1]
    assert list(table.frame.index) == ["c", "b", "a"]
    assert table.by_dataset().loc["x", "c"] == 1
    assert table.frame.loc["c", "times_best"] == 3
    assert f.friedman(frame).names == ("a", "b", "c")
    assert f.average_ranks(frame, lower_is_better=True).mean_ranks.tolist() == [1, 2, 3]


def test_average_ranks_with_missing_scores():
    x = [[0.9, np.nan, 0.8], [0.5, 0.6, 0.7]]
    table = f.average_ranks(x)
    assert table.ranks == pytest.approx(np.array([[1, np.nan, 2], [3, 2, 1]]), nan_ok=True)
    assert table.mean_ranks == pytest.approx([2, 2, 1.5])
    assert table.frame.loc["A2", "datasets"] == 1
    assert "2 data sets" in str(table)


def test_as_in_scmamp(rr):
    """scmamp 0.3.2, contrastEstimationMatrix(x), which is row minus column."""
    for name in ["plain", "tied"]:
        result = f.contrast_estimation(rr[name].reshape(12, 5))
        expected = -rr[f"{name}_contrasts"].reshape(5, 5)
        assert result.frame.to_numpy() == pytest.approx(expected, abs=1e-12)


def test_contrasts_add_up_where_medians_do_not():
    x = pd.DataFrame(np.random.default_rng(1).random((9, 4)), columns=list("abcd"))
    table = f.contrast_estimation(x)
    whole = table.contrast("a", "c") + table.contrast("c", "d")
    assert whole == pytest.approx(table.contrast("a", "d"))
    assert table.medians[0, 2] + table.medians[2, 3] != pytest.approx(table.medians[0, 3])


def test_positive_says_that_the_second_is_better():
    x = np.arange(4.0) + np.random.default_rng(2).normal(scale=0.01, size=(5, 4))
    assert f.contrast_estimation(x).contrast("A1", "A4") == pytest.approx(3, abs=0.05)
    turned = f.contrast_estimation(x, lower_is_better=True)
    assert turned.contrast("A1", "A4") == pytest.approx(-3, abs=0.05)


def test_an_outlying_data_set_moves_them_little():
    x = np.tile([0.1, 0.2, 0.3], (9, 1))
    x[0, 2] = 100.0
    assert f.contrast_estimation(x).contrast("A1", "A3") == pytest.approx(0.2)


def test_shown_and_refused():
    table = f.contrast_estimation([[1, 2, 4], [1, 3, 3], [0, 1, 4]])
    title, *_, legend = str(table).splitlines()
    assert title.startswith("A3 comes first, 3 ahead of A1 ")
    assert title.endswith(" 3 data sets")
    assert legend == "improvement of column over row"
    assert "<table" in table._repr_html_()
    with pytest.raises(InputError, match=r"second must be .*\(got 'A9'\)"):
        table.contrast("A1", "A9")
    with pytest.raises(InputError, match="at least 3"):
        f.contrast_estimation([[1, 2], [2, 3]])


def test_a_shared_first_place_is_told_of_all_who_share_it():
    means = pd.DataFrame([[0.8, 0.9], [0.9, 0.8], [0.8, 0.7], [0.7, 0.8]], columns=["knn", "svm"])
    text = f.average_ranks(means).explain()
    assert "Best on 2 and 2 of 4 data sets, ties in equal parts: knn and svm." in text
    only = f.average_ranks(means.iloc[[0, 3, 2]]).explain()
    assert "Best on 2 of 3 data sets, ties in equal parts: svm." in only
