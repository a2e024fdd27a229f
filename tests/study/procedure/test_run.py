"""The procedure: beside R, the thesis's printed examples, and single tests."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.errors import InputError
from bayescmp.study.procedure import procedure, scores_at_thresholds
from tests.rows import each_row
from tests.study.procedure.cases import (
    counts_of,
    declared,
    exact_sample,
    frame_of,
    many,
    scores_of,
)


@pytest.fixture(scope="module")
def result():
    frame, _ = many(q=3, L=3, n=10, p=1, spread=2.0)
    return procedure(declared(frame), metrics="m0")


def test_the_tests_of_a_data_set_are_found_by_its_name(result):
    table = result.posthoc("d1")
    here = result.pairwise[result.pairwise["dataset"] == "d1"]
    assert table.adjusted == pytest.approx(here["adjusted"].to_numpy())
    assert table.names == result.algorithms
    assert table.measured == "m0 ↑"
    assert table.resampling == result.resampling == "rho 0.1: 10 folds"


def test_names_that_are_not_there(result):
    with pytest.raises(InputError, match="Did you mean 'd1'"):
        result.posthoc("D1")
    with pytest.raises(
        InputError, match=r"dataset must be given if there are several\. There are 'd0',"
    ):
        result.posthoc()
    with pytest.raises(InputError, match="threshold"):
        result.posthoc("d1", threshold=0.3)


def test_text_holds_every_data_set_and_algorithm(result):
    text = result.full()
    for name in (*result.datasets, *result.ranking.index):
        assert name in text
    assert "A1" in result._repr_html_()


def test_json_has_the_numbers_of_the_frames(result):
    read = json.loads(json.dumps(result.to_dict()))
    assert [row["pvalue"] for row in read["omnibus"]] == pytest.approx(
        result.omnibus["pvalue"].tolist()
    )
    assert len(read["pairwise"]) == len(result.pairwise) == 9
    assert read["datasets"] == ["d0", "d1", "d2"]


# R 4.2.2 on the first repeat of cv_confusion_sklearn.csv, classifiers lr, lda, nb, dt, knn10:
#   manova(cbind(tpr, fpr) ~ algorithm + fold), summary(., test = "Wilks"): Wilks, df, p
WILKS = {
    "breast_cancer": (0.400217177979409, 8, 70, 5.31056583680309e-05),
    "wine_class1": (0.40927999207202, 8, 70, 7.44447418488115e-05),
    "digits_8": (0.00142277161465474, 8, 70, 1.1411076293479e-46),
}
#   paired T² of (tpr, fpr), lr and lda: T², p
PAIRED = {
    "breast_cancer": (51.4725237707136, 0.000490611430216506),
    "wine_class1": (1.0, 0.6561),
    "digits_8": (0.571978911122766, 0.78156140566967),
}
#   aov(error ~ algorithm + fold): F of algorithm, p
ANOVA = {
    "breast_cancer": (7.8195760106166, 0.000121159711364317),
    "wine_class1": (3.77444437244865, 0.0115562799597794),
    "digits_8": (2254.65295500535, 1.16654809617652e-42),
}
#   TukeyHSD of it, "p adj"
TUKEY = {
    ("breast_cancer", "lr", "lda"): 0.331669363634918,
    ("breast_cancer", "lr", "nb"): 0.0102674151815567,
    ("breast_cancer", "lda", "dt"): 0.034461544760279,
    ("breast_cancer", "dt", "knn10"): 0.00278172232910634,
    ("wine_class1", "lr", "dt"): 0.0302428652297546,
    ("wine_class1", "lda", "dt"): 0.0172829601544379,
    ("digits_8", "lr", "knn10"): 0.000302770398456609,
}
DATASETS = list(WILKS)


@pytest.fixture(scope="module")
def confusion(reference_dir):
    frame = pd.read_csv(reference_dir / "cv_confusion_sklearn.csv")
    return declared(frame[frame["repeat"] == 1])


def test_manova_and_hotelling_beside_r(confusion):
    r = procedure(confusion, metrics=("tpr", "fpr"), datasets=DATASETS, corrected=False)
    assert str(r.kind) == "several metrics, several algorithms, several data sets, one threshold"
    omnibus = r.omnibus.set_index("dataset")
    pairs = r.pairwise.set_index(["dataset", "first", "second"])
    for d in DATASETS:
        wilks, df1, df2, p = WILKS[d]
        assert omnibus.loc[d, "statistic"] == pytest.approx(wilks, rel=1e-8)
        assert (omnibus.loc[d, "df1"], omnibus.loc[d, "df2"]) == (df1, df2)
        assert omnibus.loc[d, "pvalue"] == pytest.approx(p, rel=1e-6)
        t2, p = PAIRED[d]
        row = pairs.loc[(d, "lr", "lda")]
        assert row["statistic"] == pytest.approx(t2, rel=1e-8)
        assert row["pvalue"] == pytest.approx(p, rel=1e-6)
        assert row["adjusted"] == pytest.approx(min(1, 10 * p), rel=1e-6)


def test_anova_and_tukey_beside_r(confusion):
    r = procedure(confusion, metrics="error", datasets=DATASETS, corrected=False)
    omnibus = r.omnibus.set_index("dataset")
    pairs = r.pairwise.set_index(["dataset", "first", "second"])
    for d in DATASETS:
        assert omnibus.loc[d, "statistic"] == pytest.approx(ANOVA[d][0], rel=1e-8)
        assert omnibus.loc[d, "pvalue"] == pytest.approx(ANOVA[d][1], rel=1e-6)
    for key, p in TUKEY.items():
        assert pairs.loc[key, "adjusted"] == pytest.approx(p, rel=1e-5)
        rows = confusion.frame.query("dataset == @key[0]")
        error = (rows["fp"] + rows["fn"]) / (rows["tp"] + rows["fn"] + rows["fp"] + rows["tn"])
        wrong = error.groupby(rows["algorithm"]).mean()
        if p <= 0.05:
            better = key[1] if wrong[key[1]] < wrong[key[2]] else key[2]
            assert pairs.loc[key, "winner"] == better
        else:
            assert pairs.loc[key, "winner"] == ""


# Aslan (2009), tables 5.1 to 5.6: mean differences of FP and FN, their pooled covariance, the
# mean difference of the error, and whether Hotelling's test (two samples of 30 folds, Bonferroni
# over 10 pairs) and the test on the error reject.
REPORT = ([0.4558, -0.4531], [[0.1388, -0.1554], [-0.1554, 0.2062]], 0.0027, (True, False))
PAGEBLOCK = ([0.0362, 0.1888], [[0.0399, -0.0395], [-0.0395, 0.1074]], 0.2251, (False, True))


def five_algorithms(difference, covariance):
    """Two algorithms with the printed moments, three more with the same covariance."""
    covariance = np.asarray(covariance)
    shift = np.array([difference, [0, 0], [3, 3], [-3, 3], [0, 6]], float)
    z = [exact_sample(30, s, covariance, seed=i) for i, s in enumerate(shift)]
    return counts_of(np.array(z) + np.array([20.0, 10.0]), positives=80.0, negatives=120.0)


@each_row("case", [REPORT, PAGEBLOCK], ids=["report", "pageblock"])
def test_the_disagreements_of_the_thesis(case):
    """Chapter 5: MANOVA sees what the error hides on report, and the reverse on pageblock."""
    difference, covariance, error, rejects = case
    x = five_algorithms(difference, covariance)
    scores = scores_of(x, ["tp", "fn", "fp", "tn"])
    options = {"corrected": False, "datasets": ["d"]}
    several = procedure(scores, pairwise="two-sample", **options)
    row = several.pairwise.iloc[0]
    s = np.asarray(covariance)
    t2 = 15 * np.asarray(difference) @ np.linalg.solve(s, np.asarray(difference))
    assert row["statistic"] == pytest.approx(t2, rel=1e-8)
    p = stats.f.sf(57 / (2 * 58) * t2, 2, 57)
    assert row["pvalue"] == pytest.approx(p, rel=1e-7)
    assert bool(row["different"]) is rejects[0]
    assert several.omnibus["rank"].tolist() == [2]  # of tp, fn, fp and tn
    one = procedure(scores, metrics="error", pairwise="t", **options).pairwise.iloc[0]
    assert abs(one["difference"]) * 200 == pytest.approx(error, abs=1.5e-4)
    assert bool(one["different"]) is rejects[1]


def test_the_report_example_to_the_digits_of_its_note():
    """D² = 1.598391, T² = 23.975861, F(2, 57) = 11.781242, p = 5.21972e-05."""
    scores = scores_of(five_algorithms(*REPORT[:2]), ["tp", "fn", "fp", "tn"])
    row = procedure(scores, pairwise="two-sample", corrected=False).pairwise.iloc[0]
    assert row["statistic"] == pytest.approx(23.975861, abs=1e-6)
    assert row["pvalue"] == pytest.approx(5.21972e-05, rel=1e-5)
    assert row["adjusted"] == pytest.approx(5.21972e-04, rel=1e-5)


def test_two_algorithms_one_metric_is_the_paired_t():
    frame, x = many(q=3, L=2, p=1)
    rho = 0.2
    r = procedure(declared(frame), rho=rho)
    assert str(r.kind) == "one metric, two algorithms, several data sets, one threshold"
    for d in range(3):
        delta = x[d, 1, :, 0] - x[d, 0, :, 0]
        expected = f.corrected_t(delta, rho=rho)
        assert r.omnibus["statistic"][d] == pytest.approx(expected.statistic, rel=1e-10)
        assert r.omnibus["pvalue"][d] == pytest.approx(expected.pvalue, rel=1e-9)
        assert r.pairwise["difference"][d] == pytest.approx(delta.mean(), rel=1e-10)
    plain = procedure(declared(frame), corrected=False)
    for d in range(3):
        both = stats.ttest_rel(x[d, 1, :, 0], x[d, 0, :, 0])
        assert plain.pairwise["statistic"][d] == pytest.approx(both.statistic, rel=1e-10)
        assert plain.pairwise["pvalue"][d] == pytest.approx(both.pvalue, rel=1e-9)
    assert np.all(plain.rho == 0)
    assert r.dimensions is None


def test_corrected_by_the_folds_unless_said_otherwise():
    frame, _ = many(q=2, L=3)
    r = procedure(declared(frame), metrics=("m0", "m1"))
    assert r.rho == pytest.approx([1 / 12, 1 / 12])
    loose = procedure(declared(frame), metrics=("m0", "m1"), corrected=False)
    # T² is smaller by n(1/n + rho/(1-rho)) = 1 + 12/11
    assert r.pairwise["statistic"].to_numpy() * (1 + 12 / 11) == pytest.approx(
        loose.pairwise["statistic"].to_numpy(), rel=1e-10
    )


def test_the_omnibus_test_can_veto():
    """Two of ten algorithms differ a little: some pair is different where MANOVA rejects not."""
    for seed in range(400):
        frame, _ = many(q=1, L=6, n=8, p=2, seed=seed, spread=0.35)
        options = {
            "metrics": ("m0", "m1"),
            "costs": {"m0": 1},
            "corrected": False,
            "adjust": "none",
        }
        free = procedure(declared(frame), require_omnibus=False, **options)
        if free.pairwise["different"].any() and not free.omnibus["reject"][0]:
            break
    else:
        pytest.fail("no such case among the seeds")
    strict = procedure(declared(frame), **options)
    assert not strict.pairwise["different"].any()
    assert (strict.pairwise["winner"] == "").all()
    assert free.won.any()
    assert not strict.won.any()


def test_risks_are_costs_times_counts():
    rng = np.random.default_rng(4)
    x = counts_of(rng.uniform(1, 6, size=(3, 10, 2)))
    scores = scores_of(x, ["tp", "fn", "fp", "tn"], algorithms=["a", "b", "c"])
    costs = {"fp": 1, "fn": 5, "tp": -0.5}
    r = procedure(scores, metrics=("fp", "fn"), costs=costs, corrected=False)
    mean = x.mean(axis=1)
    risk = mean[:, 2] + 5 * mean[:, 1] - 0.5 * mean[:, 0]
    assert r.risk[["a", "b", "c"]].to_numpy()[0] == pytest.approx(risk)
    assert r.costs == {"fp": 1.0, "fn": 5.0, "tp": -0.5}
    assert r.pairwise["difference"].to_numpy() == pytest.approx(
        [risk[0] - risk[1], risk[0] - risk[2], risk[1] - risk[2]]
    )
    errors = procedure(scores, corrected=False)
    assert errors.metrics == ("tp", "fn", "fp", "tn")
    assert errors.costs == {"fp": 1.0, "fn": 1.0}
    assert errors.risk[["a", "b", "c"]].to_numpy()[0] == pytest.approx(mean[:, 2] + mean[:, 1])


def test_a_metric_of_which_lower_is_better():
    frame, _ = many(q=4, L=3, p=1, spread=3.0)
    high = procedure(declared(frame.rename(columns={"m0": "reward"})))
    low = procedure(declared(frame.assign(error=9 - frame["m0"]).drop(columns="m0")))
    assert high.won.any()
    assert np.array_equal(high.won, low.won)
    assert list(high.ranking.index) == list(low.ranking.index)
    assert high.pairwise["statistic"].to_numpy() == pytest.approx(
        low.pairwise["statistic"].to_numpy()
    )


def test_without_costs_no_one_wins():
    frame, _ = many(q=3, L=3)
    r = procedure(declared(frame), metrics=("m0", "m1"))
    assert r.wins is r.ranking is r.sign_tests is r.won is r.risk is None
    assert any("no costs were given" in note for note in r.notes)
    assert (r.pairwise["winner"] == "").all()
    assert r.pairwise["difference"].isna().all()
    assert r.posthoc("d1").names == r.algorithms


# Thresholds.


def sweep(seed=5, q=4, L=3, n=20, size=400):
    """Counts at 21 thresholds of classifiers that are the better the later they come."""
    rng = np.random.default_rng(seed)
    at = np.linspace(0, 1, 21)
    counts = np.zeros((q, L, 21, n, 4))
    for d, a in np.ndindex(q, L):
        positive = rng.random((n, size)) < 0.4
        score = 1 / (
            1 + np.exp(-((0.6 + 1.2 * a) * (positive - 0.4) + rng.normal(size=(n, size))))
        )
        for t, threshold in enumerate(at):
            chosen = score > threshold
            counts[d, a, t] = np.stack(
                [
                    (chosen & positive).sum(1),
                    (~chosen & positive).sum(1),
                    (chosen & ~positive).sum(1),
                    (~chosen & ~positive).sum(1),
                ],
                axis=-1,
            )
    return counts, at


def test_thresholds_step_by_step():
    counts, at = sweep()
    tables = scores_at_thresholds(counts, thresholds=at)
    r = procedure(tables, corrected=False, threshold_adjust="none")
    assert (
        str(r.kind) == "several metrics, several algorithms, several data sets, several thresholds"
    )
    assert r.thresholds == pytest.approx(tuple(at))
    assert len(r.omnibus) == 4 * 21
    assert len(r.pairwise) == 4 * 21 * 3
    assert r.costs is None
    # each place is the procedure on that table alone, with the costs of the threshold
    for t in (0, 3, 10, 17, 20):
        alone = procedure(
            tables[at[t]],
            datasets=["D2"],
            corrected=False,
            costs={"fp": 2 * at[t], "fn": 2 * (1 - at[t])},
        )
        here = r.pairwise[(r.pairwise["dataset"] == "D2") & (r.pairwise["threshold"] == at[t])]
        pd.testing.assert_frame_equal(
            here.drop(columns="threshold").reset_index(drop=True), alone.pairwise
        )
    # wins over thresholds, tested right-tailed, become wins on the data set
    grid = r.pairwise.groupby(["dataset", "first", "second"])["winner"].value_counts()
    for row in r.over_thresholds.itertuples():
        place = grid.loc[row.dataset, row.first, row.second]
        assert row.wins_first == place.get(row.first, 0)
        assert row.wins_second == place.get(row.second, 0)
        d = r.datasets.index(row.dataset)
        i, j = r.algorithms.index(row.first), r.algorithms.index(row.second)
        assert r.won[d, i, j] == (row.winner == row.first)
        assert r.won[d, j, i] == (row.winner == row.second)
    assert list(r.ranking.index) == ["A3", "A2", "A1"]
    assert r.wins.wins[2, 0] == 4
    assert any("thresholds takes them as independent" in note for note in r.notes)


def test_where_all_predict_alike_nothing_is_tested():
    """At θ = 0 every item is called positive: no difference, no error, p = 1."""
    counts, at = sweep(q=1)
    assert np.array_equal(counts[:, 0, 0], counts[:, 1, 0]) is False  # other items, other folds
    counts[:, :, 0] = counts[:, :1, 0]
    r = procedure(scores_at_thresholds(counts, thresholds=at), corrected=False)
    first = r.omnibus.iloc[0]
    assert (first["threshold"], first["pvalue"], first["rank"]) == (0.0, 1.0, 0)
    assert first["method"] == "all scores are equal"
    assert r.dimensions["dimension"][0] == 0
    assert (r.pairwise.query("threshold == 0")["pvalue"] == 1).all()
    assert r.sign_tests is None


def test_thresholds_on_one_metric_and_two_algorithms():
    counts, at = sweep(q=1, L=2)
    r = procedure(scores_at_thresholds(counts, thresholds=at), metrics="error", corrected=False)
    assert str(r.kind) == "one metric, two algorithms, one data set, several thresholds"
    assert r.costs == {"error": 1.0}
    assert list(r.over_thresholds["winner"]) == ["A2"]
    assert list(r.ranking["won"]) == [1, 0]


# Symmetries.


@settings(max_examples=12)
@given(seed=st.integers(0, 10**6), pairwise=st.sampled_from([None, "two-sample"]))
def test_order_of_folds_algorithms_and_data_sets_does_not_matter(seed, pairwise):
    frame, _ = many(q=3, L=4, n=10, seed=seed % 1000)
    rng = np.random.default_rng(seed)
    options = {"metrics": ("m0", "m1", "m2"), "costs": {"m0": 1, "m1": -2}, "pairwise": pairwise}
    r = procedure(declared(frame), **options)
    a = list(rng.permutation(list(r.algorithms)))
    s = procedure(
        declared(frame.sample(frac=1, random_state=seed % 2**31)), algorithms=a, **options
    )
    places = [s.algorithms.index(name) for name in r.algorithms]
    days = [s.datasets.index(name) for name in r.datasets]
    assert np.array_equal(s.won[np.ix_(days, places, places)], r.won)
    left = r.omnibus.set_index("dataset")["pvalue"]
    assert s.omnibus.set_index("dataset")["pvalue"].loc[left.index].to_numpy() == pytest.approx(
        left.to_numpy(), rel=1e-7
    )
    assert s.ranking.loc[r.ranking.index, "mean_rank"].to_numpy() == pytest.approx(
        r.ranking["mean_rank"].to_numpy()
    )


# Results and bad input.


def test_the_result_as_text_and_json():
    frame, _ = many(q=6, L=4, spread=2.0)
    r = procedure(declared(frame), metrics=("m0", "m1"), costs={"m0": 1})
    text = str(r)
    assert str(r.kind) in " ".join(text.split())
    assert "blocked MANOVA → Pairwise paired Hotelling" in " ".join(text.split())
    differ = int(r.pairwise["different"].sum())
    assert f"{differ} of 36 comparisons of pairs differ at 0.05" in " ".join(text.split())
    assert f"{r.ranking.index[0]} comes first" in text
    assert "<table" in r._repr_html_()
    document = json.loads(json.dumps(r.to_dict(), allow_nan=False))
    assert document["kind"] == str(r.kind)
    assert len(document["pairwise"]) == 36
    assert document["ranking"][0]["algorithm"] == r.ranking.index[0]
    assert len(document["wins"]) == 4


def test_cliques_of_one_data_set():
    frame, x = many(q=2, L=5, n=15, spread=2.0)
    r = procedure(declared(frame), metrics=("m0", "m1", "m2"), costs={"m0": 1})
    pairs = r.posthoc("d1")
    blocks = bc.Blocks(x[1], rho=1 / 15, lower_is_better=[False] * 3)
    expected = f.pairwise_hotelling(blocks)
    assert pairs.adjusted == pytest.approx(expected.adjusted, rel=1e-9)
    assert {frozenset(c) for c in r.cliques("d1")} == {
        frozenset(expected.names[i] for i in map(expected.names.index, c))
        for c in expected.cliques(0.05)
    }
    assert pairs.underline().splitlines()[0].split() == [
        r.algorithms[i] for i in np.argsort(r.risk.iloc[1, 1:].to_numpy(float))
    ]


def test_too_few_data_sets_for_the_sign_test_are_noted():
    frame, _ = many(q=5, L=3)
    r = procedure(declared(frame), metrics="m0")
    # 2/2^5, times 3 pairs
    assert any("5 data sets and 3 pairs" in n and "0.188" in n for n in r.notes)
    frame, _ = many(q=8, L=3)
    assert procedure(declared(frame), metrics="m0").notes == ()


FRAME, _ = many(q=2, L=3)
MEANS = pd.DataFrame({"dataset": ["x", "y"], "a": [0.1, 0.2], "b": [0.3, 0.1]})


@each_row(
    ("options", "message"),
    [
        ({}, r"metrics must be given if the table has several\. It has 'm0',"),
        ({"metrics": "m0", "algorithms": ["A1", "A1"]}, "'A1' twice"),
        ({"metrics": "m0", "datasets": []}, "datasets must have at least 1"),
        ({"metrics": ("m0", "m1"), "pairwise": "tukey"}, "pairwise test for several metrics"),
        ({"metrics": "m0", "adjust": "bonferoni"}, "bonferroni"),
        ({"metrics": "m0", "kind": "one metric"}, r"kind must be"),
        ({"metrics": "m0", "costs": {"m0": float("nan")}}, "finite numbers"),
        ({"metrics": "m0", "costs": {"m0": "much"}}, "costs must be"),
        (
            {"metrics": "m0", "costs": lambda t: {"m0": t}},
            "costs must be {metric: cost}, as there is no threshold",
        ),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(InputError, match=message):
        procedure(declared(FRAME), **options)


def test_bad_scores():
    with pytest.raises(
        InputError, match=r"scores must have folds.*\(got none\).*frequentist\.friedman"
    ):
        procedure(bc.Scores(MEANS))
    with pytest.raises(InputError, match=r"scores must be Scores, or a mapping .*DataFrame"):
        procedure(FRAME)
    with pytest.raises(InputError, match=r"thresholds from 0 to 1 \(got 1\.5\)"):
        procedure({1.5: declared(FRAME)})
    with pytest.raises(InputError, match=r"scores must be Scores, .*DataFrame"):
        procedure({0.5: FRAME})
    counts, _ = sweep(q=1)
    tables = scores_at_thresholds(counts[:, :, [5, 20]], thresholds=[0.25, 1.0])
    with pytest.raises(
        InputError, match=r"at threshold 1: .*'precision' must be defined .*0/0 .*'A1'"
    ):
        procedure(tables, metrics=("precision", "recall"))


def test_more_metrics_than_folds_names_what_to_drop():
    x = np.random.default_rng(0).normal(size=(2, 3, 4))
    with pytest.raises(InputError, match=r"on data set 'd': .*Drop"):
        procedure(scores_of(x, list("abcd")), costs={"a": 1}, metrics=list("abcd"))


def test_folds_that_do_not_pair():
    frame = frame_of(np.random.default_rng(0).normal(size=(3, 5, 2)), ["a", "b"])
    with pytest.raises(InputError, match="must have the same folds"):
        procedure(declared(frame.drop(index=7)), metrics=("a", "b"), rho=0.1)


def test_the_metric_is_shown_as_it_was_measured(result):
    """A risk of -0.8 is an accuracy of 0.8: the text has the metric, the frame the risk."""
    (metric,) = result.metrics
    assert result.costs == {metric: -1.0}
    shown = result.frame
    assert shown[f"mean {metric}"].tolist() == (-result.ranking["mean_risk"]).tolist()
    first = str(result).splitlines()[0]
    assert first.startswith(f"{result.ranking.index[0]} comes first; the algorithms ")


@each_row(("costs", "shown"), [(None, None), ({"m0": -3}, "mean risk")])
def test_what_is_no_metric_is_not_shown_as_one(costs, shown):
    """Two metrics without costs have no order; of other costs than 1 the risk is no metric."""
    frame, _ = many(q=3, L=3, n=10, p=2, spread=2.0)
    metrics = ("m0", "m1") if costs is None else "m0"
    result = procedure(declared(frame), metrics=metrics, costs=costs)
    first, text = str(result).splitlines()[0], str(result)
    assert ("comes first" in first) == (shown is not None)
    assert re.search(r"[Aa]lgorithms differ on \d of 3 data sets", first)
    assert (shown is None) == ("mean risk" not in text)
