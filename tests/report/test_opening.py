"""The first screen: who leads, what stays open, what cannot be trusted; several metrics."""

import html
import json
import re
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.report import build
from bayescmp.report import opening as opening_of
from bayescmp.report.content import gather
from bayescmp.report.opening import diagnostics, setting, summarise_pairs, versions
from bayescmp.report.pairs import describe_several_metrics
from bayescmp.scores.pairing import NOT_PAIRED
from bayescmp.scores.rope import Rope
from bayescmp.study.comparisons import ADVICE, headline
from bayescmp.study.crosscheck import TWINS
from bayescmp.wording.text import format_count, format_pvalue
from tests.report.conftest import QUIET, embedded, plan_of, scores_of

pytestmark = pytest.mark.usefixtures("without_pictures")


# The first screen: who leads, what stays open, what cannot be trusted.


def _data(text):
    match = re.search(r'<script type="application/json" id="bayescmp-data">(.*?)</script>', text)
    return json.loads(match.group(1))


def test_the_decisions_are_counted(text):
    data = _data(text)
    decisions = [part["verdict"]["decision"] for pair in data["pairs"] for part in pair["parts"]]
    assert data["brief"]["failed"] == 0
    assert data["brief"]["undecided"] == decisions.count("undecided")


def test_versions_name_this_package(text):
    assert _data(text)["versions"]["bayescmp"] == bc.__version__


def pairs_of(*decisions):
    """Pairs of one metric that were decided so; the second disagrees with the frequentist test."""
    return [
        {
            "id": f"pair-{i + 1}",
            "first": "a",
            "second": f"b{i}",
            "parts": [
                {
                    "metric": "auc",
                    "disagrees": i == 1,
                    "words": f"words {i}",
                    "agreement": "open",
                    "engine": f"engine{i % 2}",
                    "engine_version": "2.0",
                    **({} if d == "failed" else {"verdict": {"decision": d}}),
                }
            ],
        }
        for i, d in enumerate(decisions)
    ]


def test_decisions_of_every_kind_are_counted():
    kinds = ["first"] * 2 + ["second"] * 3 + ["equivalent"] * 4 + ["undecided"] * 5
    kinds += ["borderline"] * 6 + ["failed"] * 7 + ["not worse"] * 8
    counts = summarise_pairs(pairs_of(*kinds))
    assert {k: v for k, v in counts.items() if k != "disagreements"} == {
        "total": 35,
        "better": 5,
        "equivalent": 4,
        "not_worse": 8,
        "undecided": 11,
        "failed": 7,
    }
    assert counts["disagreements"] == [
        {
            "id": "pair-2",
            "first": "a",
            "second": "b1",
            "metric": "auc",
            "words": "words 1",
            "agreement": "open",
        }
    ]


def test_diagnostics_are_a_row_a_fit():
    rows = diagnostics(pairs_of("first", "failed"))
    assert [r["id"] for r in rows] == ["pair-1", "pair-2"]
    assert rows[0]["engine"] == "engine0"
    assert rows[0]["notes"] is None


def test_every_engine_has_its_version():
    known = versions(pairs_of("first", "second", "first"))
    assert list(known)[-2:] == ["engine engine0", "engine engine1"]
    assert known["engine engine1"] == "2.0"
    assert "engine" not in " ".join(versions([{"parts": [{}]}]))


def test_the_setting_is_that_of_the_scores(text, plain):
    data = re.search(r'<script type="application/json" id="bayescmp-data">(.*?)</script>', text)
    setting = json.loads(data.group(1))["setting"]
    assert setting["datasets"] == list(plain.datasets)
    assert setting["algorithms"] == list(plain.algorithms)
    assert setting["uneven"] == []
    assert (
        f"{plain.differences(*plain.algorithms[:2], 'accuracy').rho[0]:g}" in setting["resampling"]
    )


def test_every_setting_is_the_plans(gathered, plain):
    setting = gathered["setting"]
    ropes = {m: (r["low"], r["high"], r["phrase"]) for m, r in setting["ropes"].items()}
    assert ropes == {
        "accuracy": (-0.02, 0.02, "ROPE ±0.02"),
        "log_loss": (-0.03, 0.03, "ROPE ±0.03"),
    }
    assert setting["measured"] == ["accuracy (higher is better)", "log_loss (lower is better)"]
    assert (setting["folds"], setting["rows"]) == ([10], len(plain.frame))
    assert (setting["threshold"], setting["alpha"], setting["adjust"]) == (0.95, 0.05, "holm")
    assert (setting["seed"], setting["prior"]) == (1, "")


def test_algorithms_that_are_not_compared_are_not_counted(plain):
    frame = plain.frame
    short = frame[~((frame.algorithm == "knn") & (frame.dataset == "iris") & (frame.fold > 3))]
    for algorithms, folds, rows in ((["gbm", "svm"], [10], 80), (["knn", "svm"], [6, 10], 76)):
        question = plan_of(bc.Scores(short), "accuracy", 0.02, algorithms=algorithms)
        known = setting(question)
        assert (known["folds"], known["rows"]) == (folds, rows)
        uneven = [{"dataset": "iris", "algorithm": "knn", "scores": 6, "of": 10}]
        assert known["uneven"] == (uneven if "knn" in algorithms else [])


def test_ropes_are_worded_on_their_scale(plain):
    ropes = {"accuracy": (-0.01, 0.02), "log_loss": 0}
    known = setting(plan_of(plain, ["accuracy", "log_loss"], ropes, threshold=0.9, alpha=0.1))
    assert known["ropes"] == {
        "accuracy": {
            "low": -0.01,
            "high": 0.02,
            "text": "[−0.01, 0.02]",
            "empty": False,
            "one_sided": False,
            "sides": {"left": "first better", "rope": "equivalent", "right": "second better"},
            "phrase": "ROPE [−0.01, 0.02]",
        },
        "log_loss": {
            "low": 0,
            "high": 0,
            "text": "no region (rope = 0)",
            "empty": True,
            "one_sided": False,
            "sides": {"left": "first better", "right": "second better"},
            "phrase": "no ROPE",
        },
    }
    assert (known["threshold"], known["alpha"]) == (0.9, 0.1)
    assert known["joint"] == ["accuracy", "log_loss"]
    ratios = setting(plan_of(plain, "accuracy", "1%", scale="log_ratio"))
    assert ratios["ropes"]["accuracy"]["phrase"].endswith("(0.99 to 1.01 times)")


def test_where_an_algorithm_has_fewer_scores_than_another(plain):
    frame = plain.frame
    gone = (frame.algorithm == "gbm") & (frame.dataset == "wine")
    gone |= (frame.algorithm == "svm") & (frame.dataset == "digits") & (frame.fold == 5)
    known = setting(plan_of(bc.Scores(frame[~gone]), "accuracy", 0.02))
    assert known["uneven"] == [
        {"dataset": "wine", "algorithm": "gbm", "scores": 0, "of": 10},
        {"dataset": "digits", "algorithm": "svm", "scores": 8, "of": 10},
    ]
    assert (known["folds"], known["rows"]) == ([8, 10], 108)


def test_how_folds_were_drawn_is_of_the_first_pair_that_can_be_compared(plain):
    frame = plain.frame
    first = frame.algorithm == plain.algorithms[0]
    assert setting(plan_of(bc.Scores(frame[~(first & (frame.fold == 1))]), "accuracy", 0.02))[
        "resampling"
    ].startswith("rho 0.2: 5 folds")
    given = setting(plan_of(plain, "accuracy", 0.02, rho=0.3))
    assert given["resampling"] == "rho 0.3: as given"
    apart = frame[frame.fold == frame.algorithm.map({"knn": 1, "gbm": 2, "svm": 3})]
    assert setting(plan_of(bc.Scores(apart), "accuracy", 0.02))["resampling"] == ""


def test_runs_that_do_not_pair_have_no_correlation(plain):
    runs = plain.frame[plain.frame.dataset == "iris"]
    known = setting(plan_of(bc.Scores(runs), "accuracy", 0.02, paired=False))
    assert (known["pairing"], known["resampling"]) == (NOT_PAIRED, "")


def test_a_prior_that_was_given_is_named(plain):
    prior = bc.bayesian.HierarchicalPrior.benavoli2017()
    known = setting(plan_of(plain, "accuracy", 0.02, options={"prior": prior}))
    assert known["prior"] == str(prior)


@pytest.fixture(scope="module")
def check(plain):
    return bc.crosscheck(plain, "accuracy", 0.02, **QUIET)


def test_the_leader_is_set_against_each_other_as_the_verdicts_say(text, check):
    comparisons = check.comparisons["accuracy"]
    leader, *others = comparisons.order
    opening = embedded(text)["metrics"][0]["opening"]
    words = {"first": "better than", "equivalent": "equivalent to", "second": "worse than"}
    assert opening["leads"].startswith(f"{leader} leads. ")
    for name in others:
        decision = comparisons.verdict(leader, name).decision
        phrase = next(p for p in opening["leads"].split(".") if name in p)
        assert words.get(decision, "Undecided: ") in phrase
    best = comparisons.best.ranking("next").index[0]
    assert f"best on a new data set: {best} " in opening["best"]
    assert comparisons.ladder().chosen.explain() in opening["best"]


def test_the_two_best_by_rank_say_under_what_their_verdict_holds(text, plain):
    holds = embedded(text)["metrics"][0]["opening"]["holds"]
    ranks = bc.frequentist.average_ranks(plain.means("accuracy")).frame.index
    assert {holds["first"], holds["second"]} == set(ranks[:2])
    assert "The verdict changes with" in holds["text"]
    assert re.search(r"Without \d of \d data sets", holds["text"])
    assert holds["text"] in html.unescape(text)


def test_open_pairs_stand_under_their_cause_with_advice(text, check):
    opening = embedded(text)["metrics"][0]["opening"]
    undecided = check.pairs[check.pairs["decision"] == "undecided"]
    shown = {(p["first"], p["second"]): o["cause"] for o in opening["open"] for p in o["pairs"]}
    assert shown == {(r.first, r.second): r.cause for r in undecided.itertuples()}
    assert all(o["advice"] == ADVICE[o["cause"]] and o["advice"] in text for o in opening["open"])


def test_what_can_not_be_trusted_is_said_in_every_format(plain, tmp_path):
    """Chains that are too short: the terminal warned of them, and the page has to."""
    files = [tmp_path / f"r.{kind}" for kind in ("html", "md", "tex")]
    options = {"rope": 0.02, "metric": "accuracy", "algorithms": ["knn", "svm"], "seed": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        with unconverged():
            bc.report(plain, files, progress=False, engine="quadrature", **options)
    for file in files:
        assert "1 of 1 pair failed" in file.read_text(encoding="utf-8")
    assert "the grid is too coarse" in files[0].read_text(encoding="utf-8")


def unconverged():
    """Every posterior by the grid reports a failure."""
    from unittest import mock

    from bayescmp.study.comparisons import PairResult

    return mock.patch.object(
        PairResult, "trouble", property(lambda _: ("the grid is too coarse",))
    )


def test_an_order_in_which_nothing_is_decided_is_no_lead(plain):
    check = bc.crosscheck(plain, "accuracy", 0.02, datasets=["iris"], threshold=0.9999, **QUIET)
    comparisons = check.comparisons["accuracy"]
    assert not any(r.verdict.decided for r in comparisons.results.values())
    lead = headline(comparisons)
    assert lead.startswith(f"No lead is decided: {comparisons.order[0]} comes first")


def test_each_metric_has_a_ladder_of_its_own(gathered):
    ladders = [metric["opening"]["ladder"]["svg"] for metric in gathered["metrics"]]
    assert [f'"ladder-{i + 1}-title"' in svg for i, svg in enumerate(ladders)] == [True, True]
    for svg in ladders:
        assert "Ladder of 3 algorithms: " in svg
        assert " of 3 pairs decided." in svg
    assert "From best to worst: svm, gbm, knn." in ladders[0]


def test_open_pairs_link_to_themselves(gathered, crosschecked):
    for metric in gathered["metrics"]:
        pairs = {(p["first"], p["second"]): p["id"] for p in gathered["pairs"]}
        opening = metric["opening"]
        shown = [p for o in opening["open"] for p in o["pairs"]]
        assert all(pairs[p["first"], p["second"]] == p["id"] for p in shown)
        counts = [format_count(len(o["pairs"]), "pair") for o in opening["open"]]
        assert [o["count"] for o in opening["open"]] == counts
        assert (opening["untrusted"], opening["warning"]) == ([], "")


def undecided(*chances, q=10, threshold=0.95):
    """Pairs on q data sets whose likeliest outcome has these probabilities."""
    return [
        SimpleNamespace(
            datasets=q,
            verdict=SimpleNamespace(
                probabilities={"left": (1 - p) / 2, "rope": (1 - p) / 2, "right": p},
                threshold=threshold,
            ),
        )
        for p in chances
    ]


def more_by_a_z_test(p, q=10, threshold=0.95):
    """Data sets beyond q at which a z test of the same estimate reaches the threshold."""
    return int(np.ceil(q * (stats.norm.ppf(threshold) / stats.norm.ppf(p)) ** 2)) - q


def test_how_many_data_sets_would_decide_a_pair():
    for p, noun in [(0.9, "sets"), (0.8, "sets"), (0.943, "set")]:
        more = more_by_a_z_test(p)
        assert (more == 1) == (noun == "set")
        assert opening_of.extrapolate_pairs(undecided(p)) == (
            f"By extrapolation, about {more} more data {noun} like these would decide it"
        )


def test_a_pair_at_the_threshold_needs_one_more_at_least():
    assert "about 1 more data set " in opening_of.extrapolate_pairs(undecided(0.95 + 1e-9))


def test_how_many_pairs_more_data_sets_would_decide():
    """Twice, four and fifteen times as many, and one that no number would decide."""
    chances = [stats.norm.cdf(stats.norm.ppf(0.95) / np.sqrt(k)) for k in (2.001, 1.999, 4, 15)]
    text = opening_of.extrapolate_pairs(undecided(*chances, 0.4))
    assert text == (
        "By extrapolation, twice as many data sets like these would decide 1 of 5, ten times as "
        "many 3"
    )
    ten = [stats.norm.cdf(stats.norm.ppf(0.95) / np.sqrt(k)) for k in (9.99, 10.01)]
    assert opening_of.extrapolate_pairs(undecided(*ten)).endswith(
        "decide 0 of 2, ten times as many 1"
    )


def test_no_number_of_data_sets_is_given_where_none_is_realistic():
    hopeless = stats.norm.cdf(stats.norm.ppf(0.95) / np.sqrt(21))
    for chances in ([0.45], [hopeless], [0.3, hopeless]):
        assert opening_of.extrapolate_pairs(undecided(*chances)) == (
            "By extrapolation, no realistic number of further data sets like these would decide"
        )


def test_one_data_set_is_not_extrapolated_from():
    assert opening_of.extrapolate_pairs(undecided(0.9, 0.8, q=1)) == ""
    assert opening_of.extrapolate_pairs(undecided(0.9, q=2)) != ""
    assert opening_of.extrapolate_pairs(undecided(0.9, q=2) + undecided(0.9, q=1)) == ""


def test_open_pairs_are_extrapolated_from(gathered, crosschecked):
    """The sentence is about the pairs it stands beside."""
    for metric in gathered["metrics"]:
        comparisons = crosschecked.comparisons[metric["name"]]
        for cause in metric["opening"]["open"]:
            pairs = [(p["first"], p["second"]) for p in cause["pairs"]]
            chances = [max(comparisons.verdict(*pair).probabilities.values()) for pair in pairs]
            assert cause["plan"] == opening_of.extrapolate_pairs(undecided(*chances, q=4))


def test_what_failed_and_what_can_not_be_trusted_is_listed_with_its_reason(plain):
    pairs = [{"id": f"pair-{i}", "first": "a", "second": f"b{i}"} for i in range(4)]
    parts = [
        {"verdict": {}, "ok": True, "trouble": ""},
        {"verdict": {}, "ok": False, "trouble": "chains disagree"},
        {"error": "folds don't pair"},
        {"verdict": {}, "ok": True, "trouble": "", "holds": "it holds"},
    ]
    both = list(zip(pairs, parts, strict=True))
    assert opening_of.list_untrusted(both) == [
        {**pairs[1], "why": "chains disagree"},
        {**pairs[2], "why": "folds don't pair"},
    ]
    question = plan_of(plain, "accuracy", 0.02)
    why = ", the two best by mean rank"
    assert opening_of.describe_leading(question, both) == {
        **pairs[3],
        "why": why,
        "text": "it holds",
    }
    assert opening_of.describe_leading(question, both[:3]) == {}


def test_the_leading_pair_says_by_what_it_leads():
    """The leading pair is that of the first metric, under the others' headings too."""
    for names, datasets, metric, why in [
        ("ab", ("iris", "wine"), "accuracy", ""),
        ("abc", ("iris",), "accuracy", ", the two best"),
        ("abc", ("iris", "wine"), "accuracy", ", the two best by mean rank"),
        (
            "abc",
            ("iris", "wine"),
            ["log_loss", "accuracy"],
            ", the two best by mean rank in log_loss",
        ),
    ]:
        question = plan_of(scores_of(tuple(names), datasets), metric, 0.02)
        assert opening_of.explain_leading(question) == why


# The report's part on several metrics together.


def test_several_metrics(tmp_path):
    rng = np.random.default_rng(2)
    rows = []
    for dataset in ("one", "two"):
        for fold in range(1, 21):
            for name, (tpr, fpr) in {"plain": (0.8, 0.2), "shy": (0.7, 0.1)}.items():
                tp, fp = rng.binomial(50, tpr), rng.binomial(50, fpr)
                counts = {"tp": tp, "fn": 50 - tp, "fp": fp, "tn": 50 - fp}
                rows.append({"dataset": dataset, "algorithm": name, "fold": fold, **counts})
    scores = pd.DataFrame(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        file, markdown, latex = bc.report(
            scores,
            [tmp_path / f"r.{kind}" for kind in ("html", "md", "tex")],
            rope={"error": 0.02, "tpr": 0.02, "fpr": 0.02},
            metric="error",
            metrics=["tpr", "fpr"],
            **QUIET,
        )
        frame = bc.crosscheck(
            scores,
            "error",
            {"error": 0.02, "tpr": 0.02, "fpr": 0.02},
            metrics=["tpr", "fpr"],
            **QUIET,
        ).frame
    text = file.read_text(encoding="utf-8")
    several = embedded(text)["several"]
    assert several["agreement"] == {"both": 0, "joint": 2, "single": 0, "none": 0, "failed": 0}
    assert several["pairs"][0]["trade_off"] == 2
    joint = frame[frame["metric"] == "tpr, fpr"]
    place = several["columns"].index("pvalue")
    assert [r[place] for r in several["rows"]] == list(joint["pvalue"])
    assert "Significant only in tpr and fpr together" in text
    assert "<h1>2 algorithms compared by error, tpr and fpr</h1>" in text
    assert (
        "Differences in error, tpr and fpr within ±0.02 count as practically equivalent." in text
    )
    assert "of folds, taking differences within ±0.02 in tpr and ±0.02 in fpr as" in text
    assert "Hotelling" in text
    assert "Yıldız et al. 2011" in text
    assert "| plain | shy | 0 | 0 | 0 | 2 | 0 | 2 | 2 | 0 |" in markdown.read_text(
        encoding="utf-8"
    )
    assert r"plain & shy & 0 & 0 & 0 & 2 & 0 & 2 \\" in latex.read_text(encoding="utf-8")


def test_metrics_that_are_compared_alone_have_their_ropes_said_once(tmp_path):
    """And the tests that are named are those of several metrics, with their sources."""
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({"fold": np.tile(np.arange(10), 2), "algorithm": ["a"] * 10 + ["b"] * 10})
    frame = frame.assign(**{m: rng.uniform(0.6, 0.9, 20) for m in ("recall", "precision")})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        file = bc.report(
            frame, tmp_path / "r.md", rope=0.02, metrics=["recall", "precision"], **QUIET
        )
    text = file.read_text(encoding="utf-8").replace("\\", "")
    assert (
        "and precision (higher is better), from 10 scores of each (paired by fold, rho 0.1" in text
    )
    assert (
        "On each data set recall and precision were also compared jointly, by the Bayesian "
        "multivariate correlated t test with Hotelling's paired test corrected for the overlap "
        "of folds (Corani & Benavoli 2015; Yıldız et al. 2011; Nadeau & Bengio 2003)."
    ) in text


#: By data set and pair: whether the test of both metrics rejects, those of each, and what that is.
AGREEMENTS = [
    ("one", ("a", "b"), True, (False, True), "both"),
    ("two", ("a", "b"), True, (False, False), "joint"),
    ("one", ("a", "c"), False, (True, False), "single"),
    ("two", ("a", "c"), False, (False, False), "none"),
    ("one", ("b", "c"), None, (True, True), "failed"),
    ("two", ("b", "c"), True, (), "joint"),
]

DECISIONS = {"one": "undecided", "two": "borderline"}


def joint_rows():
    """Rows of a cross-check; tests other than the data set's own reject throughout."""
    twin = next(t for t in TWINS if t.scope == "dataset")
    other = [
        (twin.bayesian, twin.frequentist, "datasets"),
        (twin.bayesian, "wilcoxon", "dataset"),
        (twin.bayesian, "bouckaert", "dataset"),
        ("zero", twin.frequentist, "dataset"),
    ]
    blank = dict.fromkeys(
        ["p_left", "p_rope", "p_right", "p_trade_off", "statistic", "pvalue", "adjusted"], 0.5
    ) | dict.fromkeys(["agreement", "words", "error"], "")
    for dataset, (first, second), joint, single, _ in AGREEMENTS:
        pair = {
            **blank,
            "dataset": dataset,
            "first": first,
            "second": second,
            "decision": DECISIONS[dataset],
        }
        tests = [("multivariate_t", "hotelling_paired", "metrics", "x, y", joint)]
        tests += [
            (twin.bayesian, twin.frequentist, "dataset", m, s)
            for m, s in zip("xy", single, strict=False)
        ]
        tests += [(*test, "x", True) for test in other]
        for bayesian, frequentist, scope, metric, rejects in tests:
            yield {
                **pair,
                "bayesian": bayesian,
                "frequentist": frequentist,
                "scope": scope,
                "metric": metric,
                "significant": rejects,
            }


def test_where_together_and_alone_lead_to_different_answers():
    question = SimpleNamespace(
        joint=("x", "y"),
        joint_name="x, y",
        metrics=("x", "y"),
        twins=TWINS,
        ropes=dict.fromkeys("xy", Rope(-1, 1)),
        pairs=[("a", "b"), ("a", "c"), ("b", "c")],
    )
    actual = describe_several_metrics(question, SimpleNamespace(rows=tuple(joint_rows())))
    kinds = [kind for *_, kind in AGREEMENTS]
    assert actual["agreement"] == {
        kind: kinds.count(kind) for kind in ("both", "joint", "single", "none", "failed")
    }
    assert [(d["dataset"], d["first"], d["second"]) for d in actual["disagreements"]] == [
        (dataset, *pair) for dataset, pair, *_, kind in AGREEMENTS if kind in ("joint", "single")
    ]
    assert [p["id"] for p in actual["pairs"]] == ["pair-1", "pair-2", "pair-3"]
    assert [
        (
            p["first"],
            p["second"],
            p["only_joint"],
            p["only_single"],
            p["significant"],
            p["undecided"],
        )
        for p in actual["pairs"]
    ] == [("a", "b", 1, 0, 2, 2), ("a", "c", 0, 1, 0, 2), ("b", "c", 1, 0, 1, 2)]


def test_metrics_that_were_compared_alone_have_no_part_together():
    assert describe_several_metrics(SimpleNamespace(joint=()), SimpleNamespace(rows=())) is None


def test_rows_of_all_metrics_are_kept_whole_and_plain():
    """Numbers that are none become nothing, and only rows of the metrics together are there."""
    question = SimpleNamespace(
        joint=("x", "y"),
        joint_name="x, y",
        metrics=("x",),
        twins=TWINS,
        ropes=dict.fromkeys("xy", Rope(-1, 1)),
        pairs=[("a", "b")],
    )
    rows = list(joint_rows())
    rows[0] = {**rows[0], "statistic": float("inf"), "pvalue": float("nan"), "adjusted": 0.04}
    whole = describe_several_metrics(question, SimpleNamespace(rows=tuple(rows)))
    table = [dict(zip(whole["columns"], row, strict=True)) for row in whole["rows"]]
    together = [r for r in rows if r["metric"] == "x, y"]
    assert len(table) == len(together) == len(AGREEMENTS)
    assert (table[0]["statistic"], table[0]["pvalue"], table[0]["adjusted"]) == (None, None, 0.04)
    assert table[1] == {k: together[1][k] for k in whole["columns"]}
    assert (whole["metrics"], whole["single"]) == (["x", "y"], ["x"])


def test_outcomes_of_a_pair_are_counted_over_data_sets():
    decisions = [
        "first",
        "equivalent",
        "second",
        "second",
        "trade-off",
        "undecided",
        "borderline",
        "failed",
        "failed",
    ]
    one = next(joint_rows())
    rows = [
        {**one, "dataset": str(i), "decision": d, "significant": d == "second"}
        for i, d in enumerate(decisions)
    ]
    rows.append({**rows[0], "first": "b", "second": "a"})
    question = SimpleNamespace(
        joint=("x", "y"),
        joint_name="x, y",
        metrics=("x",),
        twins=TWINS,
        ropes=dict.fromkeys("xy", Rope(-1, 1)),
        pairs=[("a", "b"), ("b", "a")],
    )
    pair, turned = describe_several_metrics(question, SimpleNamespace(rows=tuple(rows)))["pairs"]
    assert {k: v for k, v in pair.items() if isinstance(v, int)} == {
        "better_first": 1,
        "equivalent": 1,
        "better_second": 2,
        "trade_off": 1,
        "undecided": 2,
        "failed": 2,
        "significant": 2,
        "only_joint": 2,
        "only_single": 0,
    }
    assert (turned["id"], turned["better_first"], turned["undecided"]) == ("pair-2", 1, 0)


def test_with_one_infinite_end_two_outcomes_of_several_metrics_are_counted(tmp_path):
    rope, heads = ((-0.02, np.inf), ["second worse", "second not worse"])
    rng = np.random.default_rng(3)
    rows = [
        (d, a, k, *rng.normal(0.8 + level, 0.005, 2))
        for d in ("iris", "wine")
        for a, level in (("knn", 0.0), ("svm", 0.0), ("nb", -0.1))
        for k in range(10)
    ]
    columns = ["dataset", "algorithm", "fold", "accuracy", "auc"]
    scores = bc.Scores(pd.DataFrame(rows, columns=columns))
    files = [tmp_path / f"a.{kind}" for kind in ("html", "md", "tex")]
    bc.report(scores, files, metrics=["accuracy", "auc"], rope=rope, **QUIET)
    page, plain, latex = (file.read_text(encoding="utf-8") for file in files)
    head, _, *cells = plain.split("Hotelling's test rejects.\n\n")[1].splitlines()[:5]
    shown = [name.strip() for name in head.strip("|").split("|")]
    assert shown[2:4] == heads
    for row in cells:
        counts = [int(cell) for cell in row.strip(" |").split("|")[2:5]]
        assert sum(counts) == 2  # data sets: of either outcome, or undecided
    assert sum(int(row.split("|")[3 + heads.index(heads[-1])]) for row in cells) > 0
    assert f"second & {' & '.join(heads)} & undecided" in latex
    several = page[page.index('id="several"') :]
    assert all(f">{head}</th>" in several for head in heads)
    assert "one algorithm dominates" not in several


# What a report is about: averages over training sets, not this one model.


def test_what_is_estimated_is_said_in_a_sentence():
    for given, words, cites in [
        ({"paired": True, "resampled": True}, "size, not single trained models.", ["bates2024"]),
        ({"paired": True, "resampled": False}, "if each score comes from", ["bates2024"]),
        ({"paired": False, "resampled": True}, "runs like these on the same data", []),
    ]:
        sentence = opening_of.estimand(**given)
        assert words in sentence["text"]
        assert sentence["text"].count(".") == 1
        assert sentence["cites"] == cites


def test_every_format_says_what_is_estimated(gathered):
    sentence = gathered["setting"]["estimand"]["text"]
    assert "over training sets of this size, not single trained models" in sentence
    for kind in ("html", "md", "tex"):
        shown = build.render_report(gathered, kind).replace("~", " ")
        assert sentence.rstrip(".") in shown
    assert "Bates et al. 2024</a>)" in build.render_report(gathered, "html")


# P-values on the first screen: the first in order against the others.


def test_p_values_stand_beside_the_verdicts_of_the_first_in_order(gathered):
    page = build.render_report(gathered, "html")
    brief_section = page[: page.index('<section id="scores"')]
    tables = re.findall(r'<table class="tight against">(.*?)</table>', brief_section, re.S)
    for metric, table in zip(gathered["metrics"], tables, strict=True):
        leader, *others = metric["order"]
        rows = re.findall(r"<tr><th scope=\"row\".*?</tr>", table, re.S)
        assert len(rows) == len(others)
        for other, row in zip(others, rows, strict=True):
            (pair,) = (
                p for p in gathered["pairs"] if {p["first"], p["second"]} == {leader, other}
            )
            adjusted = pair["parts"][metric["place"]]["adjusted"]
            shown = [html.escape(format_pvalue(adjusted[t])) for t in metric["twins"][:2]]
            cells = re.findall(r'<td class="n[^"]*">([^<]*)</td>', row)
            assert cells == shown
            assert f'title="{other}"' in row


def test_the_same_rope_of_all_metrics_is_said_once(plain):
    content = gather(
        plan_of(plain, ["accuracy", "log_loss"], 0.02, options={"engine": "quadrature"}),
        title="T",
        progress=False,
        most=0,
        pictures=False,
    )
    page = build.render_report(content, "html")
    assert page.count("count as practically equivalent") == 2  # in the page and in its data
    assert "Differences in accuracy and log_loss within ±0.02 count" in page
