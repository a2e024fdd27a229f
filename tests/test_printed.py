"""What people read of all kinds of results: the direction, the rounding, pages in a notebook."""

from __future__ import annotations

import json
import re
import warnings
from functools import cache
from html.parser import HTMLParser
from inspect import signature

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
import bayescmp.bayesian as b
import bayescmp.frequentist as f
from bayescmp.scores.blocks import scores_blocks
from tests.rows import each_row

NAMES = ("knn", "svm", "gbm")
DATASETS = "pqrs"
QUICK = {"rope": 0.01, "seed": 1}


def places(folds=5):
    """Data set, algorithm and fold of each row."""
    rows = [(d, a, k) for d in DATASETS for a in NAMES for k in range(folds)]
    return pd.DataFrame(rows, columns=["dataset", "algorithm", "fold"])


def results_of(scores):
    """Kind to a function without arguments that makes it, of scores in rmse and auc."""

    def pair(dataset=None):
        x = scores.differences("knn", "svm", "rmse")
        return x if dataset is None else x.row(dataset)

    def blocks(*metrics, dataset="p"):
        return scores_blocks(scores, metrics=list(metrics), dataset=dataset)

    def means():
        return scores.means("rmse")

    def ranked(test, **options):
        return lambda: test(means(), lower_is_better=True, **options)

    def fit():
        return b.hierarchical_t(pair(), engine="quadrature", **QUICK)

    def wins():
        return f.wins_table({d: blocks("rmse", dataset=d) for d in DATASETS})

    return {
        "Differences": pair,
        "Scores": lambda: scores,
        "paired_permutation": lambda: f.paired_permutation(pair("p"), n=99, seed=1),
        "corrected_t": lambda: f.corrected_t(pair("p")),
        "tost_means": lambda: f.tost_means(pair(), rope=0.1),
        "wilcoxon": lambda: f.wilcoxon(pair()),
        "cohens_d": lambda: f.cohens_d(pair("p")),
        "average_ranks": ranked(f.average_ranks),
        "contrast_estimation": ranked(f.contrast_estimation),
        "friedman": ranked(f.friedman),
        "posthoc": ranked(f.posthoc),
        "multiple_sign": ranked(f.multiple_sign, control="svm"),
        "wins_table": wins,
        "sign_tests": lambda: wins().sign_tests(),
        "anova": lambda: f.anova(blocks("rmse")),
        "mauchly": lambda: f.mauchly(blocks("rmse")),
        "tukey": lambda: f.tukey(blocks("rmse")),
        "manova": lambda: f.manova(blocks("rmse", "auc")),
        "pairwise_hotelling": lambda: f.pairwise_hotelling(blocks("rmse", "auc")),
        "learned_measures": lambda: f.learned_measures(blocks("rmse", "auc")),
        "correlated_t": lambda: b.correlated_t(pair("p"), **QUICK),
        "hierarchical_t": fit,
        "verdict": lambda: fit().verdict(),
        "sensitivity": lambda: fit().sensitivity(),
        "sign": lambda: b.sign(pair(), **QUICK),
        "signed_rank": lambda: b.signed_rank(pair(), draws=4000, **QUICK),
        "groups": lambda: b.groups(blocks("rmse", "auc"), rope=[0.01, 0.01], seed=1),
        "friedman, Bayesian": lambda: b.friedman(scores, metric="rmse", seed=1),
        "bootstrap": lambda: b.bootstrap(scores, metric="rmse", **QUICK),
        "bradley_terry": lambda: b.bradley_terry(scores, metric="rmse", seed=1),
        "plackett_luce": lambda: b.plackett_luce(scores, metric="rmse", seed=1),
    }


def shown(result):
    """Text, page, sentences and JSON of a result, and its tables as they are printed."""
    yield "text", str(result)
    yield "page", result._repr_html_() if hasattr(result, "_repr_html_") else str(result)
    for name in ("explain", "to_latex", "to_markdown"):
        if hasattr(result, name):
            full = (
                {"form": "paper"} if "form" in signature(getattr(result, name)).parameters else {}
            )
            yield name, getattr(result, name)(**full)
    if hasattr(result, "to_dict"):
        yield "JSON", json.dumps(result.to_dict(), default=str, ensure_ascii=False)
    if hasattr(result, "summary"):
        yield "summary", result.summary().to_string()
    frame = getattr(result, "frame", None)
    if isinstance(frame, pd.DataFrame) and not isinstance(result, bc.Scores):
        yield "frame", frame.to_string()


# Whatever is computed from a labelled metric prints which way it is better.


def errors_and_areas():
    """Errors and areas of three algorithms, five folds of each of four data sets."""
    rng = np.random.default_rng(3)
    rmse, auc = rng.uniform(1, 2, 60), rng.uniform(0.6, 0.9, 60)
    return bc.Scores(places().assign(rmse=rmse, auc=auc))


SCORES = errors_and_areas()
RESULTS = results_of(SCORES)


@each_row("name", RESULTS)
def test_lower_is_better_is_printed_everywhere(name):
    printed = dict(shown(RESULTS[name]()))
    expected = {
        "to_latex": (r"rmse $\downarrow$",),
        "page": ("rmse ↓", "lower"),
        "JSON": ("lower",),
        "explain": ("rmse ↓", "(lower", "lower is better"),
    }
    for part, text in printed.items():
        assert any(words in text for words in expected.get(part, ["rmse ↓"])), part


def test_tables_of_bare_numbers_have_no_direction():
    assert f.average_ranks(SCORES.means("rmse").to_numpy()).frame.columns.name is None
    assert f.contrast_estimation(SCORES.means("rmse").to_numpy()).directions == ()
    assert "wins over 5 data sets" in str(f.WinsTable.from_counts([[0, 3], [1, 0]], 5))


def test_differences_say_who_improves_on_whom():
    """They are flipped: minus would turn them round."""
    text = repr(SCORES.differences("knn", "svm", "rmse"))
    assert "of rmse ↓: improvement of svm over knn" in text
    assert "minus" not in text
    blocks = scores_blocks(SCORES, metrics=["rmse", "auc"], dataset="p")
    hotelling = f.hotelling_paired(blocks.select(algorithms=["knn", "svm"]))
    assert "difference: improvement of svm over knn" in str(hotelling)
    assert "improvement of svm over knn" in hotelling._repr_html_()
    means = SCORES.means("rmse")
    gain = -(means["svm"] - means["knn"]).median()  # of the two, where lower is better
    contrasts = f.contrast_estimation(means, lower_is_better=True)
    assert contrasts.medians[0, 1] == pytest.approx(gain)


# Whatever is printed keeps to one rule of rounding, and counts in the singular and the plural.


#: Zero, one or an error that was rounded away, rounding of the machine, a signed zero, a wrong
#: plural.
BADLY = re.compile(
    r"(?<![\d.])[01]\.000+(?![\d])|±\s*0(?:\.0*)?(?![\d.])|[\d.]e-(?:1[1-9]|[2-9]\d|\d{3})"
    r"|[-−]0(?:\.0*)?(?![\d.])|(?<![\d.,])1 (?:data sets|folds|repeats|pairs|draws|items|questions"
    r"|runs|tasks|rows|algorithms|comparisons|matches|simulated tables|differences)\b"
)
RNG = np.random.default_rng(1)


@cache
def scene(name):
    """Scores that are certain: far apart, nearly alike, the same, or equal but in their order."""
    rng = np.random.default_rng(3)
    table = places()
    which = table["algorithm"].map({"knn": 0, "svm": 1, "gbm": 2}).to_numpy()
    fold, noise = table["fold"].to_numpy(), rng.normal(0, 0.002, len(table))
    auc = {
        "apart": 0.3 * which + 0.3 + noise,
        "alike": 0.7 + 0.01 * fold + noise,
        "same": 0.7 + 0.013 * fold,
        "shuffled": 0.7 + 0.02 * ((fold + 2 * which) % 5),
    }[name]
    return bc.Scores(table.assign(rmse=1.1 - auc + noise[::-1] * (name != "same"), auc=auc))


def more(scores):
    """Kinds that have no metric's direction to print, or take longer."""
    x = scores.differences("knn", "svm", "rmse")
    runs = {a: scores.means("auc")[[a]].to_numpy() for a in ("knn", "svm")}
    same = [True] * 30
    all_of = {"metric": "rmse", "engine": "quadrature", "progress": False, **QUICK}
    return {
        "compare": lambda: bc.compare(scores, "knn", "gbm", metric="rmse", **QUICK),
        "compare_all": lambda: bc.compare_all(scores, **all_of),
        "crosscheck": lambda: bc.crosscheck(scores, **all_of),
        "plan": lambda: b.hierarchical_t(x, engine="quadrature", **QUICK).plan(
            datasets=[0, 3], simulations=5, seed=1
        ),
        "bc.plan": lambda: bc.plan(
            delta0=0.03, sigma0=0.003, rope=0.01, rho=0.1, datasets=[3, 12], simulations=10
        ),
        "calibrate": lambda: bc.calibrate(
            rope=0.01, rho=0.1, datasets=[3], delta0=[0.03], sigma0=[0.001], simulations=5, seed=1
        ),
        "two_sample_t": lambda: b.two_sample_t([0.1, 0.1, 0.1], [0.9, 0.9, 0.9], **QUICK),
        "paired_proportions": lambda: b.paired_proportions(same, same, **QUICK),
        "cluster_bootstrap": lambda: b.cluster_bootstrap(
            np.repeat(0.5, 12), clusters=np.arange(12) // 2, **QUICK
        ),
        "mcnemar": lambda: f.mcnemar(same, [False] * 30),
        "aggregate_runs": lambda: f.aggregate_runs(runs, resamples=50, seed=1),
        "tost_paired": lambda: f.tost_paired(x.row("p"), rope=0.01),
        "joint_t": lambda: b.joint_t(
            scores, metric="rmse", rho=0.2, engine="fake", draws=250, **QUICK
        ),
        "hierarchical_multivariate_t": lambda: b.hierarchical_multivariate_t(
            [np.full((5, 2), 0.5) + 1e-3 * RNG.normal(size=(5, 2)) for _ in range(3)],
            rho=0.2,
            engine="fake",
            draws=250,
            **QUICK,
        ),
        "multivariate_t": lambda: b.multivariate_t(
            np.full((9, 2), -0.5) + 1e-3 * RNG.normal(size=(9, 2)), rho=0.1, **QUICK
        ),
        "confusion": lambda: b.confusion([50, 0, 0, 50], [0, 50, 50, 0], **QUICK),
        "mardia": lambda: f.mardia(np.random.default_rng(1).normal(size=(20, 2))),
    }


#: Ranks keep their digits; sensitivity takes longer.
RANKS_OR_SLOW = {"average_ranks", "sensitivity"}
#: All kinds of scores that are far apart; a few of the others.
CASES = [
    *((kind, "apart") for kind in results_of(scene("apart")) if kind not in RANKS_OR_SLOW),
    *((kind, "apart") for kind in more(scene("apart"))),
    *((kind, "same") for kind in ("wilcoxon", "tukey", "manova", "hierarchical_t", "bootstrap")),
    *((kind, "alike") for kind in ("corrected_t", "hierarchical_t", "tukey", "groups")),
    *((kind, "shuffled") for kind in ("friedman", "posthoc", "wilcoxon", "bootstrap")),
]


@each_row(("kind", "name"), CASES)
def test_what_is_printed_is_rounded_by_the_rule(kind, name, fake):
    make = {**results_of(scene(name)), **more(scene(name))}[kind]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bc.DiagnosticWarning)
            result = make()
            printed = dict(shown(result))
    except bc.InputError:
        assert name in ("same", "shuffled")  # there is nothing to rank, no variance to estimate
        return
    for part, text in printed.items():
        if part not in ("JSON", "summary", "frame"):  # those are not rounded
            assert badly_rounded(text) == [], part


def badly_rounded(text):
    """Lines with a number against the rule; styles and mean ranks keep their digits."""
    text = re.sub(r"(?i)mean ranks:(?: \w+ [\d.]+,?)+", "", text)
    lines = re.split(r"\n|</t[dhr]>", re.sub(r'style="[^"]*"', "", text))
    return [line for line in lines if BADLY.search(line)]


@pytest.mark.usefixtures("without_pictures")
def test_reports_are_rounded_by_the_rule(tmp_path):
    files = [tmp_path / f"report.{kind}" for kind in ("html", "md", "tex")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)
        bc.report(
            scene("apart"), files, metric="auc", engine="quadrature", progress=False, **QUICK
        )
    for file in files:
        text = re.sub(r"(?s)<(script|svg|style).*?</\1>", "", file.read_text(encoding="utf-8"))
        assert badly_rounded(text) == [], file.suffix


@each_row("text", ["p 0.000,", "2.1e-300", "(1 folds"])
def test_the_pattern_sees_what_it_is_for(text):
    assert BADLY.search(text)


# What a notebook shows of scores, posteriors and verdicts: escaped, with the numbers.


BAD = "<img src=x onerror=alert(1)> & \"B\" 'b'"
VOID = {"br", "img", "hr"}


class Page(HTMLParser):
    """Reads a page, and fails where a tag is closed that was not opened."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data + "\n"


@pytest.fixture(scope="module")
def hostile_scores() -> bc.Scores:
    rng = np.random.default_rng(3)
    rows = [
        {
            "dataset": d,
            "algorithm": a,
            "repeat": 1,
            "fold": f,
            "accuracy": rng.random(),
            "auc": rng.random(),
        }
        for d in (BAD, "iris", "wine")
        for a in (BAD, "knn", "svm")
        for f in range(1, 11)
    ]
    return bc.Scores(pd.DataFrame(rows))


def posteriors(hostile_scores: bc.Scores) -> dict:
    x = hostile_scores.differences(BAD, "knn", "accuracy")
    blocks = bc.scores_blocks(hostile_scores, metrics=["accuracy", "auc"], dataset="iris")
    return {
        "hierarchical_t": bc.bayesian.hierarchical_t(x, rope=0.01, engine="quadrature"),
        "correlated_t": bc.bayesian.correlated_t(x.row("iris"), rope=0.01),
        "sign": bc.bayesian.sign(x, rope=0.01),
        "signed_rank": bc.bayesian.signed_rank(x, rope=0.01, draws=1000),
        "multivariate_t": bc.bayesian.multivariate_t(
            bc.scores_blocks(
                hostile_scores,
                metrics=["accuracy", "auc"],
                dataset="iris",
                algorithms=[BAD, "knn"],
            ),
            rope=0.01,
        ),
        "groups": bc.bayesian.groups(blocks, rope=0.01),
        "confusion": bc.bayesian.confusion(
            (9, 1, 2, 8), (8, 2, 3, 7), metric="accuracy", rope=0.01, names=(BAD, "knn")
        ),
    }


def test_scores(hostile_scores):
    page = Page(hostile_scores._repr_html_())
    assert BAD in page.text
    assert "3 data sets x 10 folds, 3 algorithms, 90 rows" in page.text
    assert "img" not in page.seen


@pytest.mark.filterwarnings("ignore::bayescmp.DiagnosticWarning")
def test_posteriors_and_verdicts(hostile_scores):
    for name, post in posteriors(hostile_scores).items():
        page = Page(post._repr_html_())
        assert "img" not in page.seen, name
        assert BAD in page.text, name
        assert post.engine_version in page.text, name
        if name == "groups":
            verdict = post.verdict(BAD, "knn")
            assert f"{post.ranking()['expected_rank'].iloc[0]:.1f}" in page.text
        else:
            verdict = post.verdict()
            assert f"{max(verdict.probabilities.values()):.3f}" in page.text, name
        page = Page(verdict._repr_html_())
        assert "0.01" in page.text, name  # no probability of equivalence without its rope
        assert "img" not in page.seen, name
        assert verdict.decision.split("-")[0] in page.text or "better" in page.text, name
        for p in verdict.probabilities.values():
            assert f"{p:.3f}" in page.text or p < 1e-3 or p > 0.999, name
