"""A report's files: formats, places, names, what is escaped and what is refused."""

import base64
import hashlib
import html
import json
import re
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path

import jinja2
import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

import bayescmp as bc
from bayescmp.frequentist import rank_biserial, tost_means
from bayescmp.report import build
from bayescmp.report.build import (
    cut_with_title,
    file_name,
    format_score,
    make_cutter,
    make_environment,
)
from bayescmp.report.content import gather
from bayescmp.study.crosscheck import TWINS
from bayescmp.wording.markup import visible
from bayescmp.wording.text import format_pvalue
from tests.report.conftest import HOSTILE, QUIET, embedded, plan_of, scores_of
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("without_pictures")

# Files: formats, places, what is refused before the work.


SECTIONS = (
    "brief",
    "scores",
    "verdicts",
    "crosscheck",
    "pairs",
    "diagnostics",
    "methods",
    "versions",
)


def filled(template, **values):
    """What a template's expression comes to."""
    return make_environment("html").from_string(f"{{{{ {template} }}}}").render(**values)


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


def test_all_sections_are_there(text):
    for section in SECTIONS:
        assert f'<section id="{section}"' in text
    assert text.count('<section class="pair"') == 3
    # two of each pair, the ladder, critical differences, and a rope curve of the leading pair
    assert text.count("<svg ") == 9


def test_nothing_is_loaded_from_anywhere(text):
    assert not re.search(r"""(src|href)=["'](?!#)""", text)
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)
    assert "http://" not in text.split('<pre id="bibtex">')[0]
    assert "fetch(" not in text


def test_the_policy_allows_the_reports_own_script_alone(text):
    """Nothing is loaded or sent; a script that a name would smuggle in has another hash."""
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert text.index("Content-Security-Policy") < text.index("<style>")


def test_headers_have_scopes_and_pictures_have_texts(text):
    seen = _Accessible()
    seen.feed(text)
    assert seen.unscoped == 0
    assert seen.images == 9
    assert len(set(seen.ids)) == len(seen.ids)
    assert set(seen.labelled) <= set(seen.ids)
    assert '<html lang="en">' in text
    assert text.count("<title id=") == text.count("<desc id=") == 9


def test_shown_numbers_are_the_embedded_ones(text):
    pair = embedded(text)["pairs"][0]
    body = text[text.index('id="pair-1"') : text.index('id="pair-2"')]
    for p in pair["parts"][0]["verdict"]["probabilities"].values():
        shown = "&lt;0.001" if p < 0.001 else "&gt;0.999" if p > 0.999 else f"{p:.3f}"
        assert shown in body


def test_scores():
    for value, shown in [
        (None, "–"),
        (0.81234, "0.8123"),
        (-0.5, "−0.5000"),
        (9.99994, "9.9999"),
        (10.0, "10"),
        (-123.456, "−123.5"),
        (0.0, "0.0000"),
    ]:
        assert format_score(value) == shown


def test_no_cell_that_stays_in_sight_covers_other_columns(text):
    """The first cell of a row stays when a table is scrolled sideways, with all its columns."""
    heads = re.findall(r'<div class="scroll".*?<thead>(.*?)</thead>', text, re.S)
    first = [re.search(r"<t[hd][^>]*>", row).group() for h in heads for row in h.split("<tr>")[1:]]
    assert len(first) > 5
    assert not any("span=" in cell for cell in first)


def test_names_are_cut_to_a_length():
    assert cut_with_title("knn", 4) == "knn"
    assert cut_with_title("forest", 6) == "forest"
    assert cut_with_title("forests", 6) == "fores…"
    assert cut_with_title("x" * 24) == "x" * 24
    assert cut_with_title("x" * 25) == "x" * 23 + "…"


def test_the_omnibus_test_is_read_as_a_sentence(tmp_path):
    gap, shown = (0.1, r"p &lt; 0\.0001")
    noise = np.random.default_rng(3).normal(0, 0.02, (20, 3))
    means = pd.DataFrame(0.7 + noise + gap * np.arange(3), columns=["knn", "gbm", "svm"])
    p = bc.frequentist.iman_davenport(means).pvalue
    assert (p < 0.0001) == (gap == 0.1)
    scores = bc.Scores.from_means(means, metric="accuracy")
    file = bc.report(scores, tmp_path / "r.html", rope=0.02, seed=1, progress=False)
    effect = r"Kendall&#39;s W [\d.]+ \([\d.]+ to [\d.]+\)\."
    assert re.search(
        f"of all algorithms: {shown}, {effect}</caption>", file.read_text(encoding="utf-8")
    )


def test_every_tests_p_value_of_all_algorithms_is_read_with_its_effect():
    """Without an effect size, or one that has no estimate, it is the p-value alone."""
    test = {"method": "Iman-Davenport test", "pvalue": 0.0123, "effect": None}
    line = "Iman-Davenport test of all algorithms: p = 0.012"
    assert filled("x|omnibus", x=test) == line
    effect = {"estimate": 0.4321, "measure": "Kendall's W", "interval": (0.1, 0.777)}
    whole = f"{line}, Kendall's W 0.43 (0.1 to 0.78)"
    assert html.unescape(filled("x|omnibus", x={**test, "effect": effect})) == whole
    assert filled("x|omnibus", x={**test, "effect": {**effect, "estimate": None}}) == line


def test_an_effect_size_stands_with_its_interval():
    for size, low, high, shown in [
        (0.4249, 0.101, 0.8, "Cohen's d 0.42 (0.1 to 0.8)"),
        (-2.0, None, -0.5, "Cohen's d -2 (−∞ to -0.5)"),
        (3.0, 0.5, None, "Cohen's d 3 (0.5 to ∞)"),
        (None, None, None, "–"),
    ]:
        row = {"effect": "Cohen's d", "effect_size": size, "effect_low": low, "effect_high": high}
        assert html.unescape(filled("x|effect", x=row)) == shown


def test_no_effect_and_no_probability_are_a_dash():
    assert filled("x|effect", x={}) == "–"
    assert build.format_probability_or_dash(None) == "–"
    assert build.format_probability_or_dash(0.25) == "0.250"
    assert build.format_probability_or_dash(1.0) == ">0.999"


def test_what_is_embedded_is_all_but_words_and_pictures(gathered):
    """Rows of a table are given by its columns, and come back as they were."""
    data = embedded(build.render_report(gathered, "html"))
    drawn = {"figures", "explained", "sensitivity", "holds", "labels", "odds", "effects"}
    assert set(data) == {
        "title",
        "setting",
        "brief",
        "several",
        "versions",
        "notes",
        "metrics",
        "pairs",
    }
    for metric, own in zip(gathered["metrics"], data["metrics"], strict=True):
        assert set(metric) - set(own) == {"cells", "diagram"}
        assert set(metric["opening"]) - set(own["opening"]) == {"ladder"}
        assert own["means"] == metric["means"]
    for pair, own in zip(gathered["pairs"], data["pairs"], strict=True):
        assert own["id"] == pair["id"]
        for part, compact in zip(pair["parts"], own["parts"], strict=True):
            assert not drawn & set(compact)
            assert set(part) - set(compact) == {"sensitivity", "holds", "effects"}  # a table's
            for name in ("alone", "twins"):
                table = compact[name]
                rows = [dict(zip(table["columns"], r, strict=True)) for r in table["rows"]]
                assert rows == part[name] != []
            assert compact["datasets"] == {"columns": [], "rows": []}  # of pairs in full alone
            assert compact["verdict"] == part["verdict"]


def test_names_cut_short_still_differ():
    names = ["random forest 100", "random forest 200", "knn"]
    short = make_cutter({"setting": {"algorithms": names}})
    cuts = [short(name, 10) for name in names]
    assert len(set(cuts)) == 3
    assert cuts[2] == "knn"
    assert all(len(name) <= 10 for name in cuts)
    assert [short(name, 40) for name in names] == names


def test_what_is_put_into_a_template_is_escaped_in_every_format():
    for kind, shown in [
        ("html", "&lt;b&gt; &amp; 50%"),
        ("md", r"\<b\> \& 50%"),
        ("tex", r"\& 50\%"),
    ]:
        text = make_environment(kind).from_string("{{ x }}\n{% if 1 %}\n  {% endif %}\n")
        lines = text.render(x="<b> & 50%").split("\n")
        assert shown in lines[0]
        assert lines[1:] == [""]  # statements leave no lines, and the last newline stays
        with pytest.raises(jinja2.UndefinedError):
            make_environment(kind).from_string("{{ y }}").render()


def test_embedded_json_is_short_readable_and_has_no_words_for_no_number():
    page = make_environment("html")
    assert page.from_string("{{ x|tojson }}").render(x={"b": "δ", "a": [1, 2.5]}) == (
        '{"b":"δ","a":[1,2.5]}'
    )
    with pytest.raises(ValueError, match="JSON"):
        page.from_string("{{ x|tojson }}").render(x=float("nan"))


def test_the_filters_of_templates_are_the_rules_of_texts():
    assert filled("x|prob", x=0.0001) == "&lt;0.001"
    assert filled("x|p", x=0.00001) == "&lt;0.0001"
    assert filled("x|score", x=0.5) == "0.5000"
    assert filled("x|cut(4)", x="forest") == "for…"
    assert filled("3|counted('pair')") == "3 pairs"
    assert filled("'knn'|improvement('svm')") == "improvement of svm over knn"
    assert filled("'corrected_t'|test") == "corrected t"
    assert filled("x|cite", x="corani2017") == r"\citep{corani2017}"


def test_templates_have_spaces_where_they_are_kept():
    """What is put into Markdown is escaped, and stripped by that."""
    for file in Path(build.__file__).parent.glob("templates/*.md.j2"):
        assert not re.search(r"""\{\{ "(\s|[^"]*\s")""", file.read_text(encoding="utf-8")), (
            file.name
        )


def test_several_formats_from_one_run(plain, tmp_path):
    files = [tmp_path / name for name in ("a.html", "a.md", "a.tex", "a.bib")]
    assert bc.report(plain, files, rope=0.02, metric="accuracy", **QUIET) == files
    markdown, latex, bib = (f.read_text(encoding="utf-8") for f in files[1:])
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    tables = re.split(r"\n\n+", markdown)
    for table in (t for t in tables if t.startswith("|")):
        assert len({row.count("|") for row in table.splitlines()}) == 1
    effects = 2 + 2 * 3  # beside the signed-rank and the sign test, of each of three pairs
    assert len(lines) == 2 + 3 * 3 + effects + 2 + 4 + 2 + 3  # three probabilities of each pair
    assert latex.count(r"\toprule") == latex.count(r"\bottomrule") == 4
    rows = [line for line in latex.splitlines() if line.endswith(r"\\")]
    assert {line.count("&") for line in rows if "better & valent" not in line} == {6, 5, 4, 3}
    assert bib.count("@article{") + bib.count("@inproceedings{") == bib.count("\n}")
    assert "Demšar" in bib


def test_every_format_has_effect_sizes_and_tests_of_equivalence(plain, plain_reports):
    """As the cross-check has them, and as SciPy has Holm's adjustment of TOST's p-values."""
    means = plain.means("accuracy")
    effect = rank_biserial(means["gbm"] - means["knn"])
    low, high = effect.confidence_interval()
    shown = f"rank-biserial correlation {effect.estimate:.2g} ({low:.2g} to {high:.2g})"
    tests = [
        tost_means(means[b] - means[a], rope=0.02, method="wilcoxon").pvalue
        for a, b in combinations(plain.algorithms, 2)
    ]
    p = format_pvalue(multipletests(tests, method="holm")[1][0])
    for file, cell in zip(
        plain_reports, (f"<td>{shown}</td>", f"{shown} | {p} |", f"{shown} & {p}"), strict=True
    ):
        text = re.sub(r"\\(?=[-()+.])", "", file.read_text(encoding="utf-8")).replace("$", "")
        assert cell in text
        assert "two one-sided signed-rank tests of equivalence" in text
        assert "ffect sizes (rank-biserial correlation" in text


def test_latex_of_many_pairs_is_a_matrix_a_metric():
    """Above the diagonal the row against the column, below it the adjusted p-value."""
    scores = scores_of(tuple("abcdef"), ("iris", "wine", "digits"))
    question = plan_of(scores, "accuracy", 0.02, options={"engine": "quadrature"})
    content = gather(question, title="T", progress=False, most=0, pictures=False)
    short, full = (build.render_report(content, "tex", whole=whole) for whole in (False, True))
    (metric,) = content["metrics"]
    assert short.count(r"\toprule") == 2  # the matrix, and means on three data sets
    assert full.count(r"\toprule") > 3
    assert 'latex="full"' in short
    assert 'latex="full"' not in full
    matrix = short[short.index(r"\midrule") : short.index(r"\bottomrule")]
    rows = [line.removesuffix(r" \\").split("&") for line in matrix.splitlines()[1:]]
    assert [row[0].strip() for row in rows] == metric["order"]
    for i, row in enumerate(rows):
        for j, cell in enumerate(row[3:]):
            known = metric["cells"][metric["order"][i]][metric["order"][j]]
            plain = cell.strip().replace("$", "").removeprefix(r"\textbf{").removesuffix("}")
            p = known and known["adjusted"]["wilcoxon"]
            if i == j:
                assert cell.strip() == ""
            elif i < j:
                assert plain == (
                    known["sign"] + build.format_probability_or_dash(known["p"])
                ).replace("−", "-")
                assert (r"\textbf" in cell) == known["decided"]
            else:
                assert plain == build.format_probability_or_dash(p)
                assert (r"\textbf" in cell) == (p <= 0.05)


@pytest.mark.slow
def test_figures_for_a_paper(plain, tmp_path):
    bc.report(
        plain,
        tmp_path / "r.html",
        rope=0.02,
        metric="accuracy",
        algorithms=["knn", "gbm"],
        figures=tmp_path / "figures",
        **QUIET,
    )
    assert sorted(f.name for f in (tmp_path / "figures").iterdir()) == [
        "knn-gbm-accuracy-datasets.pdf",
        "knn-gbm-accuracy-posterior.pdf",
    ]


@pytest.mark.slow
def test_nothing_is_left_beside_the_file(plain, tmp_path):
    bc.report(plain, tmp_path / "r.html", rope=0.02, metric="accuracy", **QUIET)
    assert [f.name for f in tmp_path.iterdir()] == ["r.html"]


@each_row(
    ("change", "message"),
    [
        ({"path": "r.docx"}, r"must end in \.html, \.md, \.tex, \.bib \(got '.*r\.docx'\)"),
        ({"path": "nowhere/r.html"}, "there is no directory"),
        ({"latex": "full"}, "only .tex is LaTeX"),
        ({"latex": "long"}, r"latex must be .*\(got 'long'\)"),
        ({"metric": "acuracy"}, "Did you mean 'accuracy'"),
        ({"engin": "quadrature"}, r"option must be .*\(got 'engin'\)"),
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


def test_paths_are_paths(plain):
    for path in [5, [], [3]]:
        with pytest.raises(bc.InputError, match=r"path must be"):
            bc.report(plain, path, rope=0.02, metric="accuracy")
        with pytest.raises(bc.InputError, match="figures must be the path of a file"):
            bc.report(plain, "r.html", rope=0.02, metric="accuracy", figures=3)


def test_a_file_is_no_folder(plain, tmp_path):
    (tmp_path / "figures").write_text("")
    with pytest.raises(bc.InputError, match=r"figures must be a directory .got the file"):
        bc.report(
            plain, tmp_path / "r.html", rope=0.02, metric="accuracy", figures=tmp_path / "figures"
        )


def test_a_directory_is_no_file(plain, tmp_path):
    (tmp_path / "r.html").mkdir()
    with pytest.raises(bc.InputError, match="a directory"):
        bc.report(plain, tmp_path / "r.html", rope=0.02, metric="accuracy")


@pytest.mark.slow
def test_a_paragraph_on_what_each_decision_hangs_on(plain, tmp_path):
    files = [tmp_path / f"r.{kind}" for kind in ("html", "md", "tex")]
    pair = plain.algorithms[:2]
    options = {"rope": 0.02, "metric": "accuracy", "algorithms": pair, **QUIET}
    bc.report(plain, files, sensitivity=True, **options)
    x = plain.differences(*pair, "accuracy")
    posterior = bc.bayesian.hierarchical_t(x, rope=0.02, engine="quadrature", seed=1)
    paragraph = posterior.sensitivity().explain()
    _, markdown, latex = (file.read_text(encoding="utf-8") for file in files)
    assert f"{pair[0]} and {pair[1]}: {paragraph}" in re.sub(r"\\([().-])", r"\1", markdown)
    assert "Most influential data set:" in latex
    assert all("The verdict does not change with" in f.read_text(encoding="utf-8") for f in files)


# File names from any names of algorithms and metrics.


@pytest.mark.slow
def test_files_have_plain_names(hostile, tmp_path):
    bc.report(
        hostile,
        tmp_path / "r.md",
        rope=0.02,
        metric="accuracy",
        algorithms=HOSTILE[1:4],
        figures=tmp_path / "figures",
        **QUIET,
    )
    names = [f.name for f in (tmp_path / "figures").iterdir()]
    assert len(names) == 2 * 3
    for name in names:
        assert re.fullmatch(r"[a-z0-9-]+\.pdf", name)
        assert len(name) < 150


def test_file_names_are_safe():
    for name in [*HOSTILE, "", "..", "con", "é"]:
        result = file_name(name, ending="svg")
        assert re.fullmatch(r"[a-z0-9-]{1,60}\.svg", result)
        assert not result.startswith("con.")


def test_file_names_differ_where_names_do():
    names = ["a", "A", "a!", "a?", "a b", "a-b", "x" * 200, "x" * 201, "é", "e", "🦊", "🐻", ""]
    assert len({file_name(n, ending="svg") for n in names}) == len(names)


# Names that are markup, formulas, paths, emoji or very long: text everywhere, and file names.


@pytest.fixture(scope="module")
def written(hostile_reports):
    return hostile_reports[0].parent, *(f.read_text(encoding="utf-8") for f in hostile_reports)


def test_html_has_no_markup_of_theirs(written):
    text = written[1]
    assert text.count("<script") == 2  # the embedded numbers and the sorting
    assert text.count("</script>") == 2
    assert "<b>wine" not in text
    assert "<!--" not in text
    assert "&lt;script&gt;alert(&#34;1&#34;)" in text


def test_embedded_json_gives_the_names_back(written):
    match = re.search(r'id="bayescmp-data">(.*?)</script>', written[1])
    setting = json.loads(match.group(1))["setting"]
    assert tuple(setting["algorithms"]) == HOSTILE
    assert setting["datasets"][1] == "<b>wine</b> & \\co_"


def test_marks_that_turn_the_text_are_shown_as_such(written):
    shown = written[1][: written[1].index('id="bayescmp-data"')]
    assert "\u202e" not in shown
    assert visible("a\u202eb\x00") == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"


def test_markdown_tables_keep_their_cells(written):
    for block in re.split(r"\n\n+", written[2]):
        if block.startswith("|"):
            rows = [re.sub(r"\\.", "", line).count("|") for line in block.splitlines()]
            assert len(set(rows)) == 1
    assert "<script" not in written[2].replace(r"\<script", "")


def test_latex_commands_are_text(written):
    text = written[3]
    assert r"\input{" not in text
    body = re.sub(r"%.*", "", re.sub(r"\\[\\%&#_$]", "", text))
    depth = 0
    for c in re.sub(r"\\[{}]", "", body):
        depth += (c == "{") - (c == "}")
        assert depth >= 0
    assert depth == 0
    tables = re.findall(r"\\(?:toprule|endhead)(.*?)\\(?:bottomrule|end\{)", text, flags=re.S)
    assert len(tables) >= 4
    for table in tables:
        rows = [re.sub(r"\\&", "", line) for line in table.splitlines() if line.endswith(r"\\")]
        assert len({row.rstrip("\\").count("&") for row in rows if "caption" not in row}) == 1
    assert r"\texttt{U+1F98A}" in text


def test_reprs_escape(hostile):
    twins = [t for t in TWINS if t.bayesian == "correlated_t"]
    result = bc.crosscheck(hostile, "accuracy", 0.02, twins=twins, seed=1, progress=False)
    shown = result._repr_html_()
    assert "&lt;script" in shown
    assert "<script" not in shown
    assert "<b>" not in shown


def test_one_sided_ropes(tmp_path):
    """Of two algorithms one is asked about: worse, or not worse, in every form."""
    rng = np.random.default_rng(1)
    means = pd.DataFrame(rng.normal([0.80, 0.87], 0.02, (15, 2)), columns=["knn", "svm"])
    scores = bc.Scores.from_means(means, metric="accuracy")
    files = [tmp_path / f"a.{kind}" for kind in ("html", "md", "tex")]
    for rope, asked in (((-0.01, np.inf), "second"), ((-np.inf, 0.01), "first")):
        bc.report(scores, files, rope=rope, seed=1, progress=False)
        page, plain, latex = (file.read_text(encoding="utf-8") for file in files)
        who, than = ("svm", "knn") if asked == "second" else ("knn", "svm")
        is_not = "is not" if asked == "second" else "is"
        for text in (page, plain, latex):
            assert f"{who} {is_not} practically worse than {than}." in text
            assert "equivalent in accuracy" not in text
            assert "by a margin of 0.01 in accuracy" in text or text is latex
            assert "one-sided tests of the margin" in text.replace("\\-", "-") or text is page
            assert "inferiority by the same margin was tested by one" in text
            assert not re.search("TOST|of equivalence", text)
        heads = (
            "second worse | second not worse"
            if asked == "second"
            else "first not worse | first worse"
        )
        assert heads in plain
        assert f"whether {who} is worse than {than} by more than the margin 0.01" in page
        assert ("not practically worse in 1" in plain) == (asked == "second")
        assert "Here they agree." in page
    three = bc.Scores.from_means(means.assign(nb=means["knn"]), metric="accuracy")
    bc.report(three, files, rope=(-0.01, np.inf), seed=1, progress=False)
    page, plain, latex = (file.read_text(encoding="utf-8") for file in files)
    assert "3 pairs: one is better in 2, not practically worse in 1, undecided in 0." in plain
    assert (
        "The question is whether the lower-ranked of every two is worse than the other by" in page
    )
    for text in (page, plain, latex):
        assert "svm leads. svm is practically better than knn and nb." in text
        assert "practically equivalent" not in text


def test_cells_of_a_one_sided_rope_read_both_ways(tmp_path):
    rng = np.random.default_rng(1)
    means = pd.DataFrame(rng.normal([0.80, 0.80], 0.005, (15, 2)), columns=["knn", "svm"])
    scores = bc.Scores.from_means(means, metric="accuracy")
    bc.report(scores, tmp_path / "a.html", rope=(-0.02, np.inf), seed=1, progress=False)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert 'title="knn not better than svm: &gt;0.999"' in page
    assert 'title="svm not worse than knn: &gt;0.999"' in page
