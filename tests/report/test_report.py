"""The report: its parts, its numbers against the API's, its files and errors."""

from __future__ import annotations

import json
import re
import warnings
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.crosscheck import TWINS

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}
SECTIONS = ("brief", "scores", "verdicts", "crosscheck", "pairs", "diagnostics", "methods",
            "versions")  # fmt: skip


def embedded(text):
    found = re.search(r'<script type="application/json" id="bayescmp-data">(.*?)</script>', text)
    return json.loads(found.group(1))


def rows_of(table):
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


@pytest.fixture(scope="module")
def text(plain, tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "report.html"
    assert bc.report(plain, file, rope=0.02, metric="accuracy", **QUIET) == file
    return file.read_text(encoding="utf-8")


def test_all_sections_are_there(text):
    for section in SECTIONS:
        assert f'<section id="{section}"' in text
    assert text.count('<section class="pair"') == 3
    assert text.count("<svg ") == 6


def test_nothing_is_loaded_from_anywhere(text):
    assert not re.search(r"""(src|href)=["'](?!#)""", text)
    assert "@import" not in text
    assert "url(" not in text
    assert "fetch(" not in text


class _Accessible(HTMLParser):
    """Collects what a screen reader relies on."""

    def __init__(self):
        super().__init__()
        self.ids, self.labelled, self.unscoped, self.images = [], [], 0, 0

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids += [given["id"]] if "id" in given else []
        self.labelled += given.get("aria-labelledby", "").split()
        self.unscoped += tag == "th" and "scope" not in given
        if tag == "svg":
            self.images += 1
            assert given["role"] == "img"
            assert given["aria-labelledby"]


def test_headers_have_scopes_and_pictures_have_texts(text):
    seen = _Accessible()
    seen.feed(text)
    assert seen.unscoped == 0
    assert seen.images == 6
    assert len(set(seen.ids)) == len(seen.ids)
    assert set(seen.labelled) <= set(seen.ids)
    assert '<html lang="en">' in text
    assert text.count("<title id=") == text.count("<desc id=") == 6


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
    found = bc.crosscheck(plain, "accuracy", 0.02, **QUIET).frame
    for pair in data["pairs"]:
        mine = found[(found["first"] == pair["first"]) & (found["second"] == pair["second"])]
        over = mine[mine["scope"].isin(["datasets", "table"])]
        rows = rows_of(pair["parts"][0]["twins"])
        assert [r["pvalue"] for r in rows] == list(over["pvalue"])
        assert [r["adjusted"] for r in rows] == list(over["adjusted"])
        assert [r["words"] for r in rows] == list(over["words"])
        alone = mine[mine["bayesian"] == "correlated_t"]
        assert [r["pvalue"] for r in rows_of(pair["parts"][0]["alone"])] == list(alone["pvalue"])


def test_embedded_scores_and_ranks_are_the_apis(text, plain):
    metric = embedded(text)["metrics"][0]
    means = plain.means("accuracy")
    assert np.array_equal([r["values"] for r in metric["means"]], means.to_numpy())
    ranks = bc.frequentist.average_ranks(means).frame
    assert [r["mean_rank"] for r in metric["ranks"]] == list(ranks["mean_rank"])
    assert metric["omnibus"]["pvalue"] == bc.frequentist.iman_davenport(means).pvalue


def test_shown_numbers_are_the_embedded_ones(text):
    pair = embedded(text)["pairs"][0]
    body = text[text.index('id="pair-1"') : text.index('id="pair-2"')]
    for p in pair["parts"][0]["verdict"]["probabilities"].values():
        shown = "&lt;0.001" if p < 0.001 else "&gt;0.999" if p > 0.999 else f"{p:.3f}"
        assert shown in body


def test_methods_cite_what_was_done(text):
    assert "Corani et al. 2017" in text
    assert "Holm" in text
    assert "@article{corani2017," in text
    assert "corani2017: ν − 1 ~ Gamma(α, β)" in text
    assert "rope" in text
    assert "seed 1" in text


def test_every_fit_has_its_diagnostics(text):
    section = text[text.index('<section id="diagnostics"') : text.index('<section id="methods"')]
    assert section.count("certificate") == 3
    assert section.count("<tr>") == 4


def test_several_formats_from_one_run(plain, tmp_path):
    files = [tmp_path / name for name in ("a.html", "a.md", "a.tex", "a.bib")]
    assert bc.report(plain, files, rope=0.02, metric="accuracy", **QUIET) == files
    markdown, latex, bib = (f.read_text(encoding="utf-8") for f in files[1:])
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    tables = re.split(r"\n\n+", markdown)
    for table in (t for t in tables if t.startswith("|")):
        assert len({row.count("|") for row in table.splitlines()}) == 1
    assert len(lines) == 2 + 3 + 2 + 4 + 2 + 3
    assert latex.count(r"\toprule") == latex.count(r"\bottomrule") == 2
    rows = [line for line in latex.splitlines() if line.endswith(r"\\")]
    assert {line.count("&") for line in rows} == {8, 3}
    assert bib.count("@article{") + bib.count("@inproceedings{") == bib.count("\n}")
    assert "Demšar" in bib


def test_one_data_set_has_densities(plain, tmp_path):
    file = bc.report(
        plain, tmp_path / "one.html", rope=0.02, metric="accuracy", datasets=["iris"], **QUIET
    )
    text = file.read_text(encoding="utf-8")
    assert text.count("Density of the mean difference") == 3
    assert "Simplex plot" not in text
    part = embedded(text)["pairs"][0]["parts"][0]
    assert part["test"] == "correlated_t"
    assert "from 10 scores of each (correlation" in text
    assert "times best" not in text  # ranks on one data set tell nothing
    assert "<tfoot>" not in text
    assert "by Holm&#39;s procedure (Tukey&#39;s by its own)" in text


def test_no_rope_has_densities_instead_of_simplices(plain, tmp_path):
    file = bc.report(plain, tmp_path / "none.html", rope=0, metric="accuracy", **QUIET)
    text = file.read_text(encoding="utf-8")
    assert "Simplex plot" not in text
    assert text.count("Density of the mean difference") == 3
    assert "No difference counts as practically equivalent" in text
    assert "without a region of practical equivalence in accuracy" in text
    assert "The band is practical equivalence" not in text
    assert "Verdicts in accuracy, no rope, threshold" in text
    assert "= equivalent" not in text
    for kind, empty in (("md", "| – |"), ("tex", "& -- &")):
        file = bc.report(plain, tmp_path / f"r.{kind}", rope=0, metric="accuracy", **QUIET)
        text = file.read_text(encoding="utf-8")
        assert text.count(empty) == 3
        assert "o rope" in text


def test_means_alone(plain, tmp_path):
    wide = bc.Scores.from_means(plain.means("accuracy"), metric="accuracy")
    file = bc.report(wide, tmp_path / "means.html", rope=0.02, seed=1, progress=False)
    part = embedded(file.read_text(encoding="utf-8"))["pairs"][0]["parts"][0]
    assert part["test"] == "signed_rank"
    assert part["datasets"]["rows"] == []


def test_a_pair_that_fails_is_reported(plain, tmp_path):
    frame = plain.frame
    gap = (frame.dataset == "wine") & (frame.algorithm == "svm") & (frame.fold == 2)
    with pytest.warns(bc.DiagnosticWarning, match="2 of 3 pairs could not"):
        file = bc.report(frame[~gap], tmp_path / "gap.html", rope=0.02, metric="accuracy", **QUIET)
    text = file.read_text(encoding="utf-8")
    assert "not compared: folds don&#39;t pair" in text
    assert embedded(text)["brief"]["failed"] == 2
    assert "2 of 3 could not be compared" in text
    assert "svm on wine 8 of 10" in text
    uneven = {"dataset": "wine", "algorithm": "svm", "scores": 8, "of": 10}
    assert embedded(text)["setting"]["uneven"] == [uneven]


def test_every_format_says_what_is_missing(plain, tmp_path):
    frame = plain.frame
    gap = (frame.dataset == "wine") & (frame.algorithm == "knn")
    with pytest.warns(bc.DiagnosticWarning):
        html, file = bc.report(
            frame[~gap], [tmp_path / "r.html", tmp_path / "r.md"], rope=0.02, metric="accuracy",
            adjust="shaffer", threshold=1.0, alpha=1e-9, **QUIET,
        )  # fmt: skip
    shown = html.read_text(encoding="utf-8")
    assert "they agree on all pairs that could be compared" in shown
    assert "stands in for shaffer" in shown
    text = file.read_text(encoding="utf-8")
    assert "undecided in" in text
    assert ", not compared 2." in text
    assert "knn on wine 0 of 10" in text
    assert "stands in for shaffer" in text
    assert "shaffer \\(Holm's where a pair's is missing\\)" in text
    # The first pair has no folds in common: the correlation is told from one that has.
    assert "differences 0.2" in text


def test_sentences_are_set_apart_in_markdown(plain, tmp_path):
    file = bc.report(plain, tmp_path / "r.md", rope=0.02, metric="accuracy", **QUIET)
    text = file.read_text(encoding="utf-8")
    methods = text[text.index("## Methods") :]
    assert not re.search(r"[.;,)][A-Z]", methods.replace("NumPy", "numpy"))
    assert "as practically equivalent (Corani et al. 2017; Benavoli et al. 2017). For " in methods
    assert re.search(r"bayescmp [\d.]+, Python", methods)


def test_two_algorithms_have_no_empty_columns(plain, tmp_path):
    files = [tmp_path / "r.html", tmp_path / "r.md"]
    bc.report(plain, files, rope=0.02, metric="accuracy", algorithms=["knn", "gbm"], **QUIET)
    for file in files:
        assert "Friedman" not in file.read_text(encoding="utf-8")


def test_a_report_needs_verdicts_on_pairs(plain, tmp_path):
    twins = [t for t in TWINS if t.scope == "dataset"]
    with pytest.raises(bc.InputError, match="no verdict on any pair"):
        bc.report(plain, tmp_path / "r.html", rope=0.02, metric="accuracy", twins=twins, **QUIET)
    assert list(tmp_path.iterdir()) == []


def test_figures_for_a_paper(plain, tmp_path):
    bc.report(
        plain, tmp_path / "r.html", rope=0.02, metric="accuracy", algorithms=["knn", "gbm"],
        figures=tmp_path / "figures", **QUIET,
    )  # fmt: skip
    assert sorted(f.name for f in (tmp_path / "figures").iterdir()) == [
        "knn-gbm-accuracy-datasets.pdf", "knn-gbm-accuracy-posterior.pdf",
    ]  # fmt: skip


def test_nothing_is_left_beside_the_file(plain, tmp_path):
    bc.report(plain, tmp_path / "r.html", rope=0.02, metric="accuracy", **QUIET)
    assert [f.name for f in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"path": "r.docx"}, r"ends in '\.docx'; accepted: \.html, \.md, \.tex, \.bib"),
        ({"path": "nowhere/r.html"}, "there is no directory"),
        ({"figures": "nowhere/figures"}, "there is no directory"),
        ({"rope": None}, "rope is missing"),
        ({"metric": "acuracy"}, "did you mean 'accuracy'"),
        ({"engin": "quadrature"}, "unknown option 'engin'"),
    ],
)
def test_bad_input_before_any_work(plain, tmp_path, change, message):
    arguments = {"path": "r.html", "rope": 0.02, "metric": "accuracy", **QUIET, **change}
    arguments["path"] = tmp_path / arguments["path"]
    if "figures" in arguments:
        arguments["figures"] = tmp_path / arguments["figures"]
    with pytest.raises(bc.InputError, match=message):
        bc.report(plain, **arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", [5, [], [3]])
def test_paths_are_paths(plain, path):
    with pytest.raises(bc.InputError, match=r"path=.*; accepted"):
        bc.report(plain, path, rope=0.02, metric="accuracy")
    with pytest.raises(bc.InputError, match="figures=3; accepted: a str or Path"):
        bc.report(plain, "r.html", rope=0.02, metric="accuracy", figures=3)


def test_a_file_is_no_folder(plain, tmp_path):
    (tmp_path / "figures").write_text("")
    with pytest.raises(bc.InputError, match="is a file; accepted: a directory"):
        bc.report(plain, tmp_path / "r.html", rope=0.02, metric="accuracy",
                  figures=tmp_path / "figures")  # fmt: skip


def test_a_directory_is_no_file(plain, tmp_path):
    (tmp_path / "r.html").mkdir()
    with pytest.raises(bc.InputError, match="is a directory"):
        bc.report(plain, tmp_path / "r.html", rope=0.02, metric="accuracy")


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
            scores, [tmp_path / f"r.{kind}" for kind in ("html", "md", "tex")],
            rope={"error": 0.02, "tpr": 0.02, "fpr": 0.02},
            metric="error", metrics=["tpr", "fpr"], **QUIET,
        )  # fmt: skip
        found = bc.crosscheck(
            scores, "error", {"error": 0.02, "tpr": 0.02, "fpr": 0.02}, metrics=["tpr", "fpr"],
            **QUIET,
        ).frame  # fmt: skip
    text = file.read_text(encoding="utf-8")
    several = embedded(text)["several"]
    assert several["agreement"] == {"both": 0, "joint": 2, "single": 0, "none": 0, "failed": 0}
    assert several["pairs"][0]["trade_off"] == 2
    joint = found[found["metric"] == "tpr, fpr"]
    place = several["columns"].index("pvalue")
    assert [r[place] for r in several["rows"]] == list(joint["pvalue"])
    assert "difference only in (tpr, fpr)" in text
    assert "<h1>2 algorithms compared by error, tpr, fpr</h1>" in text
    assert "Differences in fpr within ±0.02 count as practically equivalent." in text
    assert "of folds, taking differences within ±0.02 in tpr and ±0.02 in fpr as" in text
    assert "Hotelling" in text
    assert "Yıldız et al. 2011" in text
    assert "| plain | shy | 0 | 0 | 0 | 2 | 0 | 2 | 2 | 0 |" in markdown.read_text(
        encoding="utf-8"
    )
    assert r"plain & shy & 0 & 0 & 0 & 2 & 0 & 2 \\" in latex.read_text(encoding="utf-8")
