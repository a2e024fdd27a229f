"""What a report says is what the API gives, in LaTeX as in HTML."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from html import escape

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.commands.cli import main
from bayescmp.present.paper import split_paragraphs
from bayescmp.report import content
from bayescmp.report.content import gather
from bayescmp.study.crosscheck import TWINS
from bayescmp.study.crosscheck.rows import AGREEMENTS, DISAGREE
from bayescmp.summaries.sensitivity import describe_changes, describe_fragility
from bayescmp.wording.text import format_probability
from tests.items.test_pair import drawn
from tests.report.conftest import HOSTILE, QUIET, embedded, plan_of, scores_of
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("without_pictures")


# What a report says is what the API gives.


def rows_of(table):
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def test_embedded_numbers_are_the_apis(text, plain):
    data = embedded(text)
    for pair in data["pairs"]:
        part = pair["parts"][0]
        post = bc.compare(
            plain, pair["first"], pair["second"], "accuracy", 0.02, seed=1, engine="quadrature"
        )
        assert part["verdict"]["probabilities"] == dict(post.verdict().probabilities)
        assert part["verdict"]["decision"] == post.verdict().decision
        table = post.by_dataset()
        for row in rows_of(part["datasets"]):
            own = table.loc[row["dataset"]]
            assert (row["observed"], row["mean"]) == (own["observed"], own["mean"])
            assert (row["low"], row["p_right"]) == (own["2.5%"], own["p_right"])


def test_embedded_twins_are_the_crosschecks(text, plain):
    data = embedded(text)
    frame = bc.crosscheck(plain, "accuracy", 0.02, **QUIET).frame
    for pair in data["pairs"]:
        actual = frame[(frame["first"] == pair["first"]) & (frame["second"] == pair["second"])]
        over = actual[actual["scope"].isin(["datasets", "table"])]
        rows = rows_of(pair["parts"][0]["twins"])
        assert [r["pvalue"] for r in rows] == list(over["pvalue"])
        assert [r["adjusted"] for r in rows] == list(over["adjusted"])
        assert [r["words"] for r in rows] == list(over["words"])
        alone = actual[actual["bayesian"] == "correlated_t"]
        assert [r["pvalue"] for r in rows_of(pair["parts"][0]["alone"])] == list(alone["pvalue"])


def test_embedded_scores_and_ranks_are_the_apis(text, plain):
    metric = embedded(text)["metrics"][0]
    means = plain.means("accuracy")
    assert np.array_equal([r["values"] for r in metric["means"]], means.to_numpy())
    ranks = bc.frequentist.average_ranks(means).frame
    assert [r["mean_rank"] for r in metric["ranks"]] == list(ranks["mean_rank"])
    assert metric["omnibus"]["pvalue"] == bc.frequentist.iman_davenport(means).pvalue
    assert metric["best"] == list(means.max(axis=1))
    assert metric["overall"] == list(means.mean())
    assert metric["counted"] is True  # the data sets have tests of their own


def test_every_fit_has_its_diagnostics(text):
    section = text[text.index('<section id="diagnostics"') : text.index('<section id="methods"')]
    assert section.count("from other starts") == 3
    assert section.count("<tr>") == 4


def test_means_alone(plain, tmp_path):
    wide = bc.Scores.from_means(plain.means("accuracy"), metric="accuracy")
    file = bc.report(wide, tmp_path / "means.html", rope=0.02, seed=1, progress=False)
    part = embedded(file.read_text(encoding="utf-8"))["pairs"][0]["parts"][0]
    assert part["test"] == "signed_rank"
    assert part["datasets"]["rows"] == []
    assert embedded(file.read_text(encoding="utf-8"))["metrics"][0]["counted"] is False
    text = file.read_text(encoding="utf-8")
    assert "from a single score of each on every data set (paired by data set)." in text
    two = "the average of two new data sets"  # which is what the signed-rank test is about
    assert f"is the most probable one on {two}. The deeper" in text
    assert f"− worse; most probable on {two}." in text
    assert "most probable on a new data set" not in text
    assert "If there are several tests, the first one counts (Wilcoxon)." in text


def matrix(text):
    """What a screen reader says of each cell of the matrix of verdicts."""
    return re.findall(r'<a class="t-[^>]* aria-label="([^"]*): ([^"]*)"', text)


def test_the_matrix_has_every_verdict_both_ways(tmp_path):
    level = 0.7 + np.random.default_rng(4).uniform(0, 0.1, 12)
    means = pd.DataFrame({"knn": level, "gbm": level + 0.001, "svm": level + 0.1})
    scores = bc.Scores.from_means(means, metric="accuracy")
    file = bc.report(scores, tmp_path / "means.html", rope=0.02, seed=1, progress=False)
    assert dict(matrix(file.read_text(encoding="utf-8"))) == dict.fromkeys(
        [
            "knn equivalent to gbm",
            "gbm equivalent to knn",
            "knn worse than svm",
            "svm better than knn",
            "gbm worse than svm",
            "svm better than gbm",
        ],
        "&gt;0.999",
    )


def test_a_pair_that_fails_is_reported(plain, tmp_path):
    frame = plain.frame
    gap = (frame.dataset == "wine") & (frame.algorithm == "svm") & (frame.fold == 2)
    with pytest.warns(bc.DiagnosticWarning, match="2 of 3 pairs could not"):
        file = bc.report(frame[~gap], tmp_path / "gap.html", rope=0.02, metric="accuracy", **QUIET)
    text = file.read_text(encoding="utf-8")
    assert "not compared: both algorithms must have the same folds" in text
    assert embedded(text)["brief"]["failed"] == 2
    errors = [pair["parts"][0].get("error", "") for pair in embedded(text)["pairs"]]
    assert [error.split(" (")[0] for error in errors] == [
        "",
        *["both algorithms must have the same folds"] * 2,
    ]
    assert "2 of 3 pairs could not be compared" in text
    assert "svm on wine 8 of 10" in text
    uneven = {"dataset": "wine", "algorithm": "svm", "scores": 8, "of": 10}
    assert embedded(text)["setting"]["uneven"] == [uneven]


def test_every_format_says_what_is_missing(plain, tmp_path):
    frame = plain.frame
    gap = (frame.dataset == "wine") & (frame.algorithm == "knn")
    with pytest.warns(bc.DiagnosticWarning):
        html, file = bc.report(
            frame[~gap],
            [tmp_path / "r.html", tmp_path / "r.md"],
            rope=0.02,
            metric="accuracy",
            adjust="shaffer",
            threshold=1.0,
            alpha=1e-9,
            **QUIET,
        )
    shown = html.read_text(encoding="utf-8")
    assert "Here they agree on all pairs that could be compared" in shown
    assert "replaces shaffer" in shown
    assert set(dict(matrix(shown))) == {"gbm worse than svm", "svm better than gbm"}
    text = file.read_text(encoding="utf-8")
    assert "undecided in" in text
    assert ", not compared 2." in text
    assert "knn on wine 0 of 10" in text
    assert "replaces shaffer" in text
    assert "Shaffer's method" in text
    assert "Holm's method if a p-value of the pairs is missing" in text.replace("\\", "")
    # The first pair has no folds in common: the correlation is told from one that has.
    assert "(paired by fold, rho 0.2: 5 folds, 2 repeats)" in text.replace("\\", "")


def test_two_algorithms_have_no_empty_columns(plain, tmp_path):
    files = [tmp_path / "r.html", tmp_path / "r.md"]
    bc.report(plain, files, rope=0.02, metric="accuracy", algorithms=["knn", "gbm"], **QUIET)
    for file in files:
        assert "Friedman" not in file.read_text(encoding="utf-8")
    assert 'id="ladder-1' not in files[0].read_text(encoding="utf-8")


def test_a_report_needs_verdicts_on_pairs(plain, tmp_path):
    twins = [t for t in TWINS if t.scope == "dataset"]
    with pytest.raises(bc.InputError, match="twins must give a verdict by 'accuracy' on a pair"):
        bc.report(plain, tmp_path / "r.html", rope=0.02, metric="accuracy", twins=twins, **QUIET)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("without_pictures")
def test_averages_over_data_sets_are_on_the_scale_of_the_comparison(tmp_path):
    """Ratios have a geometric mean; numbers in standard deviations of their own have none."""
    rng = np.random.default_rng(2)
    rows = [
        (d, a, k, (100**i) * rng.uniform(1, 2))
        for i, d in enumerate("pqr")
        for a in ("knn", "svm")
        for k in range(5)
    ]
    scores = bc.Scores(pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "rmse"]))
    pages = {}
    for scale, rope in (("log_ratio", "1%"), ("standardised", 0.1)):
        file = bc.report(scores, tmp_path / f"{scale}.html", rope=rope, scale=scale, **QUIET)
        pages[scale] = file.read_text(encoding="utf-8")
    cells = scores.frame.groupby(["algorithm", "dataset"])["rmse"].apply(stats.gmean)
    metric = embedded(pages["log_ratio"])["metrics"][0]
    expected = cells.groupby("algorithm").apply(stats.gmean)
    assert metric["overall"] == pytest.approx(list(expected))
    assert [r["average"] for r in metric["ranks"]] == pytest.approx(
        [expected[r["algorithm"]] for r in metric["ranks"]]
    )
    assert '<tfoot><tr><th scope="row">geometric mean</th>' in pages["log_ratio"]
    assert "Geometric mean of rmse ↓ on each data set" in pages["log_ratio"]
    assert embedded(pages["standardised"])["metrics"][0]["overall"] == []
    assert "<tfoot>" not in pages["standardised"]
    assert (
        "the improvement of svm over knn in rmse (standard deviations) ↓"
        in (pages["standardised"])
    )


def test_each_metric_has_its_own_facts(gathered, plain, crosschecked):
    places = {"accuracy": (0, False, "max"), "log_loss": (1, True, "min")}
    for metric in gathered["metrics"]:
        name = metric["name"]
        place, lower, best = places[name]
        means = plain.means(name)
        assert (metric["place"], metric["lower_is_better"]) == (place, lower)
        assert metric["direction"] == f"{name} {'↓' if lower else '↑'}"
        assert metric["best"] == list(getattr(means, best)(axis=1))
        assert metric["order"] == list(crosschecked.comparisons[name].order)
        assert metric["label"] == f"{name.replace('_', '-')}-{place + 1}"
        assert metric["tests"] == ["hierarchical t"]
        assert metric["average"] == "mean"
        assert (metric["no_rope"], metric["sensitive"]) == (False, False)
        assert metric["prior"] == ""  # its bounds are those of each pair's data
        assert [r["name"] for r in metric["means"]] == list(plain.datasets)
        assert [r["datasets"] for r in metric["ranks"]] == [4, 4, 4]
        parts = [pair["parts"][place] for pair in gathered["pairs"]]
        assert metric["effects"] == sum(len(part["effects"]) for part in parts) > 0
        assert metric["twins"] == list(parts[0]["adjusted"])


def test_the_matrix_is_the_verdicts(gathered, crosschecked):
    """Row against column: each pair twice, turned, nothing against itself."""
    turned = {"left": "right", "rope": "rope", "right": "left"}
    for metric in gathered["metrics"]:
        comparisons, cells = crosschecked.comparisons[metric["name"]], metric["cells"]
        for i, (first, second) in enumerate(comparisons.results):
            verdict = comparisons.verdict(first, second)
            top = verdict.ranked[0]
            cell, other = cells[first][second], cells[second][first]
            assert (cell["region"], other["region"]) == (top, turned[top])
            assert cell["id"] == other["id"] == f"pair-{i + 1}"
            assert cell["p"] == other["p"] == verdict.probabilities[top]
            assert cell["decided"] is other["decided"] is verdict.decided
        assert all(cells[name][name] == {} for name in cells)


def test_pairs_have_what_the_crosscheck_says(gathered, crosschecked):
    rows = crosschecked.pairs.set_index(["metric", "first", "second"])
    alone = crosschecked.frame[crosschecked.frame["scope"] == "dataset"]
    for i, pair in enumerate(gathered["pairs"]):
        assert (pair["id"], pair["full"]) == (f"pair-{i + 1}", False)
        for part in pair["parts"]:
            key = part["metric"], pair["first"], pair["second"]
            row = rows.loc[key]
            assert (part["words"], part["agreement"]) == (row["words"], row["agreement"])
            assert part["disagrees"] == (row["agreement"] in DISAGREE)
            assert part["wins"] == row[["for_first", "for_second", "neither"]].to_dict()
            assert part["adjusted"] == pytest.approx({t: row[t] for t in part["adjusted"]})
            own = alone.set_index(["metric", "first", "second"]).sort_index(kind="stable").loc[key]
            own = own.drop_duplicates("dataset")
            for column in ("dataset", "statistic", "pvalue", "adjusted", "significant", "favours"):
                assert [r[column] for r in part["alone"]] == list(own.reset_index()[column])
            verdict = crosschecked.comparisons[key[0]].verdict(*key[1:])
            assert part["region"] == verdict.ranked[0]
            assert (part["ok"], part["trouble"]) == (True, "")
            assert not {"figures", "explained", "labels", "odds"} & set(part)


def test_pairs_in_the_tables_say_of_their_verdict_what_pairs_in_full_do(gathered, plain):
    """All but what takes draws; p-values are the same, answers that were not asked are empty."""
    ropes = {"accuracy": 0.02, "log_loss": 0.03}
    question = plan_of(plain, ["accuracy", "log_loss"], ropes, options={"engine": "quadrature"})
    whole = gather(question, title="Two metrics", progress=False, pictures=False)
    for brief, full in zip(gathered["pairs"], whole["pairs"], strict=True):
        assert (brief["full"], full["full"]) == (False, True)
        for part, more in zip(brief["parts"], full["parts"], strict=True):
            assert {k: v for k, v in part["verdict"].items() if k not in ("spread", "known")} == {
                k: v for k, v in more["verdict"].items() if k not in ("spread", "known")
            }
            for key in ("words", "agreement", "adjusted", "effects", "alone", "summary", "wins"):
                assert part[key] == more[key], key
            assert more["diagnostics"].startswith(part["diagnostics"])
            for row, other in zip(part["twins"], more["twins"], strict=True):
                kept = {"hierarchical_t": other["bayesian"]}.get(other["bayesian"], "")
                assert row["bayesian"] == kept
                assert (row["p_left"] is None) == (kept == "")
                assert (row["pvalue"], row["adjusted"]) == (other["pvalue"], other["adjusted"])
            assert len(more["datasets"]) == len(plain.datasets)


def test_effects_are_each_tests_once_in_its_place(gathered):
    for pair in gathered["pairs"]:
        for part in pair["parts"]:
            names = [row["frequentist"] for row in part["effects"]]
            having = [r for r in part["twins"] if r["effect"] or r["tost"] is not None]
            assert names == list(dict.fromkeys(r["frequentist"] for r in having))
            for row in part["effects"]:
                first = next(r for r in having if r["frequentist"] == row["frequentist"])
                assert row["effect_size"] == first["effect_size"]


def test_one_data_set_has_no_ranks_and_no_counts(plain, tmp_path):
    files = [tmp_path / "r.html", tmp_path / "r.md"]
    bc.report(plain, files, rope=0.02, metric="accuracy", datasets=["iris"], **QUIET)
    html, text = (file.read_text(encoding="utf-8") for file in files)
    metric = embedded(html)["metrics"][0]
    assert metric["counted"] is False
    assert metric["label"] == "accuracy"
    assert metric["prior"] == "p(δ, σ) ∝ 1/σ"
    assert "### Ranks" not in text


def test_pictures_are_named_for_pair_metric_and_kind(text):
    """One metric: pairs 1 to 3, each with its simplex and its data sets."""
    names = re.findall(r'aria-labelledby="(pair-[^" ]*)-title', text)
    assert {f"pair-{i}-1-{kind}" for i in (1, 2, 3) for kind in "sh"} <= set(names)
    assert all(name.split("-")[2] == "1" for name in names)
    for pair in embedded(text)["pairs"]:
        title = f"{pair['first']} against {pair['second']}, accuracy</title>"
        assert f"Simplex: {title}" in text
        assert f"On each data set: {title}" in text
        part = pair["parts"][0]
        shown = (format_probability(p) for p in part["verdict"]["probabilities"].values())
        words = (f"{pair['first']} better", "equivalent", f"{pair['second']} better")
        outcomes = "; ".join(f"{word} {p}" for word, p in zip(words, shown, strict=True))
        assert escape(outcomes) in text


def test_ranks_have_the_averages_that_there_are():
    means = pd.DataFrame({"knn": [0.7, 0.6, 0.8], "gbm": [0.8, 0.9, 0.9], "svm": [0.9, 0.7, 0.85]})
    ranks = content.rank_rows(means, False, {"gbm": 0.9})
    assert [(r["algorithm"], r["average"]) for r in ranks] == [
        ("gbm", 0.9),
        ("svm", None),
        ("knn", None),
    ]
    assert "mean_score" not in ranks[0]


def test_the_whole_is_the_plans(gathered, planned, crosschecked):
    assert gathered["title"] == "Two metrics"
    assert list(gathered["agreements"]) == list(AGREEMENTS)
    assert gathered["notes"] == list(crosschecked.notes)
    assert gathered["several"]["metrics"] == ["accuracy", "log_loss"]
    assert gathered["rule"].startswith("No pair in accuracy, of 3 in all, is shown in full")
    assert gathered["brief"]["total"] == len(gathered["diagnostics"]) == 6
    assert [(p["first"], p["second"]) for p in gathered["pairs"]] == planned.pairs
    json.dumps(gathered, allow_nan=False)


def test_what_a_verdict_holds_under_is_said_of_the_leading_pair_alone(gathered, plain):
    """By the first metric; a paragraph on each pair only where it is asked for."""
    leading = set(bc.frequentist.average_ranks(plain.means("accuracy")).frame.index[:2])
    for pair in gathered["pairs"]:
        for part in pair["parts"]:
            assert bool(part["holds"]) == ({pair["first"], pair["second"]} == leading)
            assert part["sensitivity"] == ""


def test_kinds_of_probabilities_are_named(gathered, plain):
    kinds = {"probabilities": "most probable outcome", "predictive": "predictive", "mean": "mean"}
    assert [m["kinds"] for m in gathered["metrics"]] == [kinds, kinds]
    alone = plan_of(plain, "accuracy", 0.02, datasets=["iris"])
    whole = gather(alone, title="T", progress=False, most=0)
    assert whole["metrics"][0]["kinds"] == {"probabilities": "mean difference"}
    # Of one data set the tests on it are those that stand in the table of twins.
    rows = whole["pairs"][0]["parts"][0]["twins"]
    assert (rows[0]["bayesian"], rows[0]["frequentist"]) == ("correlated_t", "corrected_t")
    pair = whole["pairs"][0]
    first, second = plain.pairing.align([pair["first"], pair["second"]], "iris")[0]
    own = plain.values("accuracy")
    d = own[second] - own[first]
    t = d.mean() / np.sqrt((1 / 10 + 1 / 4) * d.var(ddof=1))  # Nadeau & Bengio 2003: five folds
    assert rows[0]["pvalue"] == pytest.approx(2 * stats.t.sf(abs(t), 9))
    means = bc.Scores.from_means(plain.means("accuracy"), metric="accuracy")
    signs = gather(plan_of(means, "accuracy", 0.02), title="T", progress=False, most=0)
    assert list(signs["metrics"][0]["kinds"]) == ["probabilities", "predictive"]


def test_labels_differ_between_metrics_that_look_alike(plain):
    frame = plain.frame.rename(columns={"accuracy": "F1 (macro)"}).assign(f1_macro=0.5)
    frame["f1_macro"] = frame["F1 (macro)"] ** 2
    scores = bc.Scores(frame[frame.dataset == "iris"].drop(columns="log_loss"))
    both = ["F1 (macro)", "f1_macro"]
    question = plan_of(scores, both, 0.02, algorithms=["knn", "svm"])
    whole = gather(question, title="T", progress=False, most=0)
    assert [m["label"] for m in whole["metrics"]] == ["f1-macro-1", "f1-macro-2"]
    assert [m["no_rope"] for m in whole["metrics"]] == [False, False]
    one = gather(
        plan_of(scores, both[0], 0, algorithms=["knn", "svm"]), title="T", progress=False, most=0
    )["metrics"][0]
    assert (one["label"], one["no_rope"]) == ("f1-macro", True)


# LaTeX that compiles, fits the text of the class article, and says what is decided.


MAIN = r"""\documentclass{article}
\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}
\usepackage{booktabs,longtable,graphicx,natbib}
\begin{document}
\input{report}
\end{document}
"""


def compiled(folder) -> str:
    """The log of pdflatex; its absence fails the run where BAYESCMP_REQUIRE_ALL=1."""
    if shutil.which("pdflatex") is None:
        if os.environ.get("BAYESCMP_REQUIRE_ALL") == "1":
            pytest.fail("pdflatex is missing, and BAYESCMP_REQUIRE_ALL=1")
        pytest.skip("no pdflatex")
    (folder / "main.tex").write_text(MAIN, encoding="utf-8")
    run = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main"],
        cwd=folder,
        capture_output=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stdout[-2000:].decode(errors="replace")
    return (folder / "main.log").read_text(errors="replace")


def overfull(log: str) -> list[float]:
    """By how many points boxes are too wide, in tables and around them."""
    return [float(w) for w in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]


@pytest.mark.slow
def test_long_tables_fit_the_text(tmp_path):
    """Fifteen pairs have three rows each: a table that runs over pages."""
    scores = scores_of([f"RandomForest({i}00)" for i in range(1, 7)], ("iris", "wine"))
    options = {"rope": 0.02, "metric": "accuracy", "latex": "full", **QUIET}
    bc.report(scores, tmp_path / "report.tex", **options)
    text = (tmp_path / "report.tex").read_text(encoding="utf-8")
    assert text.count(r"\begin{longtable}") == 1
    assert max(overfull(compiled(tmp_path)), default=0.0) < 1.0


@pytest.mark.usefixtures("without_pictures")
def test_hostile_names_are_escaped_in_the_matrix(hostile, tmp_path):
    file = bc.report(hostile, tmp_path / "r.tex", rope=0.02, metric="accuracy", **QUIET)
    text = file.read_text(encoding="utf-8")
    matrix = text[text.index("row against column") :].split(r"\end{tabular}")[0]
    rows = [line for line in matrix.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 1 + len(HOSTILE)
    separators = {len(re.findall(r"(?<!\\)&", row)) for row in rows}
    assert separators == {2 + len(HOSTILE)}  # no name ends its cell
    assert r"\input" not in matrix
    assert "<" not in matrix.replace("$<$", "")


@pytest.mark.slow
@pytest.mark.parametrize("names", [HOSTILE[:3], HOSTILE], ids=["rows", "matrix"])
def test_hostile_names_compile(hostile, names, tmp_path):
    bc.report(
        hostile, tmp_path / "report.tex", rope=0.02, metric="accuracy", algorithms=names, **QUIET
    )
    assert "Output written on main.pdf" in compiled(tmp_path)


def test_what_is_decided_is_bold_and_captions_say_by_what(plain, plain_reports):
    text = plain_reports[2].read_text(encoding="utf-8")
    check = bc.crosscheck(plain, "accuracy", 0.02, **QUIET)
    for pair in check.pairs.to_dict(orient="records"):
        row = next(
            line
            for line in text.splitlines()
            if line.startswith(f"{pair['first']} & {pair['second']} & most")
        )
        assert (r"\textbf" in row) == (pair["decision"] in ("first", "equivalent", "second"))
        words = {"first": "first better", "second": "second better"}
        assert row.endswith(rf"& {words.get(pair['decision'], pair['decision'])} \\")
    (caption,) = re.findall(r"\\caption\{(Verdicts.*)\}\\label\{tab:verdicts-accuracy\}", text)
    assert r"by the hierarchical t: ROPE $\pm$0.02, threshold 0.95" in caption
    for label in ("tests", "effects", "means"):
        assert rf"\label{{tab:{label}-accuracy}}" in text


# The page on models' answers: what it says is what the package says, to the letter.


def text_of(page) -> str:
    """The text of a page, without its markup."""
    text = page.read_text(encoding="utf-8")
    body = re.sub(r"(?s)<(style|svg).*?</\1>", " ", text)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


@pytest.fixture
def items() -> bc.Items:
    return bc.Items(drawn(5, 120, 3))


def test_two_models_have_verdict_noise_flips_and_sentences(items, tmp_path):
    page = bc.report(items, tmp_path / "pair.html", rope=0.02, seed=1)
    text, post = text_of(page), bc.compare(items, rope=0.02, seed=1)
    for part in split_paragraphs(post.explain("paper")):
        assert part in text
    assert items.noise("a", "b", seed=1).explain() in text
    for sentence in describe_changes(post.sensitivity(), briefly=True):
        assert sentence in text
    for sentence in describe_fragility(post.fragility()):
        assert sentence in text
    kinds = items.pair("a", "b").flips()["flip"].value_counts()
    assert f"harmful {kinds['harmful']}, beneficial {kinds['beneficial']}." in text
    assert "<title>a and b on " in page.read_text()
    assert page.read_text().count("<svg") == 1
    for word in ("fold", "data set", "algorithm"):
        assert word not in text


def test_single_epochs_have_no_noise_and_graded_ones_no_flips(tmp_path):
    one = drawn(5, 60, 1)
    text = text_of(bc.report(bc.Items(one), tmp_path / "one.html", rope=0.02, seed=1))
    assert "Which answers flipped" in text
    assert "Noise" not in text
    graded = one.assign(correct=np.random.default_rng(1).random(len(one)))
    text = text_of(bc.report(bc.Items(graded), tmp_path / "graded.html", rope=0.02, seed=1))
    assert "flipped" not in text


def test_several_models_stand_in_order_with_all_pairs(tmp_path):
    third = drawn(6, 120, 3).query("model == 'a'").assign(model="c<i>")
    several = bc.Items(pd.concat([drawn(5, 120, 3), third]))
    page = bc.report(several, tmp_path / "all.html", rope=0.02, seed=1, title="Ours")
    post = bc.compare(several, rope=0.02, seed=1)
    assert post.kind == "question_bootstrap"
    for part in split_paragraphs(post.explain("paper")):
        assert part in text_of(page)
    assert "c<i>" not in page.read_text()
    assert page.read_text().count("<svg") == 2
    assert text_of(page).startswith("Ours Ours")


def test_several_models_on_few_questions_are_groups_with_their_sentences(tmp_path):
    few = pd.concat([drawn(5, 30, 1), drawn(6, 30, 1).query("model == 'a'").assign(model="c")])
    text = text_of(bc.report(bc.Items(few), tmp_path / "few.html", rope=0.02, seed=1))
    post = bc.compare(bc.Items(few), rope=0.02, seed=1)
    assert post.kind.startswith("groups")
    assert "All pairs" in text
    for part in split_paragraphs(post.explain("paper")):
        assert part in text


@pytest.mark.filterwarnings("ignore:ROPE .* is a tenth of the range")
def test_models_on_few_questions_by_a_margin_have_its_two_outcomes(tmp_path):
    few = pd.concat([drawn(5, 30, 1), drawn(6, 30, 1).query("model == 'a'").assign(model="c")])
    text = text_of(bc.report(bc.Items(few), tmp_path / "few.html", rope=(-0.3, np.inf), seed=1))
    assert "All pairs first second second worse second not worse decision" in text


@each_row(
    ("options", "message"),
    [
        ({"path": "x.md"}, "path must be one file that ends in .html for items"),
        ({"figures": "x"}, "figures must be left out, since a page on items"),
        ({"metric": "bleu"}, "metric must be"),
        ({"algorithms": ["a"]}, r"algorithms must be two models, or all, .*got \['a'\]"),
        ({"rho": 0.1}, "rho must be 0 for items, which are independent units"),
    ],
)
def test_what_a_page_on_items_refuses(items, options, message, tmp_path):
    path = tmp_path / options.pop("path", "x.html")
    with pytest.raises(bc.InputError, match=message):
        bc.report(items, path, **{"rope": 0.02, **options})


def test_from_the_command_line(tmp_path, capsys):
    drawn(5, 120, 3).to_csv(path := tmp_path / "answers.csv", index=False)
    out = tmp_path / "page.html"
    args = ["report", str(path), "--rope", "0.02", "--out", str(out), "--seed", "1"]
    assert main(args) == 0
    own = bc.report(bc.Items.read(path), tmp_path / "own.html", rope=0.02, seed=1)
    assert out.read_text() == own.read_text()
