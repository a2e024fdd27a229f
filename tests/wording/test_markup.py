"""Text and tables in Markdown, LaTeX and HTML: whole and escaped."""

from __future__ import annotations

import importlib
import pkgutil
import re
import string
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp import bayesian
from bayescmp import frequentist as f
from bayescmp.bayesian import JointPrior
from bayescmp.present.forms import Summarised, as_html, as_latex, as_markdown
from bayescmp.present.summary import Cells, Column, Summary
from bayescmp.wording.markup import (
    LONGEST,
    MOST_ROWS,
    MOST_TEXT,
    add_title,
    begin,
    end,
    html_bars,
    html_facts,
    html_table,
    latex,
    latex_table,
    markdown,
    markdown_table,
)
from bayescmp.wording.regions import COLOURS
from tests.rows import each_row
from tests.test_printed import BAD, Page

# Text and tables in Markdown and LaTeX.


HEAD, RIGHT = ["name", "p"], [False, True]


def test_every_special_character_is_escaped_in_latex():
    plain = "".join(c for c in string.punctuation if latex(c) == c)
    assert plain == "!'()*+,-./:;=?@[]"


def test_every_special_character_is_escaped_in_markdown():
    for special in "\\`*_{}[]<>()#+!|~$&-":
        assert markdown(f"a{special}b") == f"a\\{special}b"
    assert markdown("two\nlines") == "two lines"


def test_letters_that_latex_sets_and_those_it_does_not():
    assert latex("Šidák ſ") == "Šidák ſ"
    assert latex("ƀ") == r"\texttt{U+0180}"
    assert latex("漢") == r"\texttt{U+6F22}"
    assert latex("η² λ₁ ≤ ∞") == r"$\eta$² $\lambda$$_1$ $\leq$ $\infty$"


def test_every_symbol_of_a_prior_or_an_effect_is_set_in_latex():
    x = RNG.normal(size=(3, 8))
    texts = [
        bayesian.two_sample_t(x[0], x[1], rope=0.1).explain("paper"),
        bayesian.groups(x, rho=0.1, rope=0.1, variances="own").explain("paper"),
        str(JointPrior()),
        f.partial_eta_squared(x).to_latex(),
        f.mauchly(x).to_latex(),
        f.manova(FOLDS, **NAMES).explain("paper"),
    ]
    assert not [text for text in texts if "U+" in latex(text)]


def test_a_table_of_latex_has_a_caption_a_label_and_as_many_cells_as_columns():
    rows = [[("a & b", False), ("0.97", True)], [("c_d", False), ("0.20", False)]]
    text = latex_table(HEAD, rows, RIGHT, caption="P & q.", label="x")
    assert r"\caption{P \& q.}\label{tab:x}" in text
    assert r"a \& b & \textbf{0.97} \\" in text
    assert r"\begin{tabular}{@{}lr@{}}" in text
    assert text.count(r"\toprule") == text.count(r"\midrule") == text.count(r"\bottomrule") == 1


@each_row(("rows", "kind"), [(LONGEST, "table"), (LONGEST + 1, "longtable")])
def test_long_tables_run_over_pages(rows, kind):
    assert rf"\begin{{{kind}}}" in begin(rows, "l", "a", "b", "c")
    assert end(rows).rstrip("}\n").endswith(rf"\end{{{kind}")


def test_a_table_of_markdown_escapes_its_cells():
    lines = markdown_table(HEAD, [[("a|b", False), ("0.97", True)]], RIGHT).splitlines()
    assert lines == ["| name | p |", "|---|---:|", "| a\\|b | **0.97** |"]


RNG = np.random.default_rng(1)
MEANS = pd.DataFrame(RNG.normal([0.80, 0.82, 0.90], 0.02, (8, 3)), columns=["k_nn", BAD, "svm"])
FOLDS = RNG.normal(size=(3, 9, 2))
NAMES = {"names": ["k_nn", BAD, "svm"], "metrics": ["tpr", "fpr"]}
ROWS = [[0.02, 0.03, 0.01, 0.04], [0.00, 0.01, 0.02, -0.01]]


def results() -> dict[str, Summarised]:
    scores = bc.Scores.from_means(MEANS, metric="accuracy")
    x = bc.Differences(ROWS, rho=0.25, names=("k_nn", BAD), metric="accuracy")
    return {
        "comparisons": bc.compare_all(scores, rope=0.01, seed=1, test="signed_rank", draws=1000),
        "differences": x,
        "friedman": f.friedman(MEANS),
        "page": f.page_trend(MEANS),
        "one pair": f.corrected_t(x.row("1")),
        "one-sided": f.sign_test(9, 2, alternative="greater"),
        "equivalence": f.tost_paired(x.row("1"), rope=0.05),
        "post-hoc": f.posthoc(MEANS, test="friedman"),
        "control": f.posthoc(MEANS, control="svm", adjust="none"),
        "ranks": f.average_ranks(MEANS),
        "contrasts": f.contrast_estimation(MEANS),
        "wins": f.wins_table(
            MEANS.to_numpy()[:, :, None] + RNG.normal(0, 0.01, (8, 3, 5)),
            names=list(MEANS.columns),
            rho=0.2,
        ),
        "effect": f.cohens_d(ROWS[0]),
        "pairs by several": f.pairwise_hotelling(FOLDS, **NAMES),
        "manova": f.manova(FOLDS, **NAMES),
        "measures": f.learned_measures(FOLDS, **NAMES),
        "pair by several": f.hotelling_paired(FOLDS[1] - FOLDS[0], metrics=["tpr", "fpr"]),
        "mardia": f.mardia(FOLDS[0], metrics=["tpr", "fpr"]),
    }


@pytest.fixture(scope="module")
def shown() -> dict[str, Summarised]:
    return results()


SPEAKING = [
    "comparisons",
    "differences",
    "friedman",
    "page",
    "one pair",
    "one-sided",
    "equivalence",
    "post-hoc",
    "control",
    "ranks",
    "contrasts",
    "wins",
    "effect",
]
KINDS = [*SPEAKING, "pairs by several", "manova", "measures", "pair by several", "mardia"]


def test_all_kinds_are_tried(shown):
    assert list(shown) == KINDS


@each_row(
    "name",
    ["comparisons", "differences", "post-hoc", "ranks", "wins", "manova", "measures", "mardia"],
)
def test_every_format_has_the_whole_table_and_escapes_it(name, shown):
    result = shown[name]
    page, text, tex = Page(result._repr_html_()), result.to_markdown(), result.to_latex()
    assert {"img"}.isdisjoint(page.seen)
    assert "<img" not in re.sub(r"\\.", "", text)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1
    cells = [row for row in tex.splitlines() if row.endswith(r"\\")]
    assert len(cells) == len(rows) - 1  # Markdown has a rule below its head
    assert len({len(re.findall(r"(?<!\\)&", row)) for row in cells}) == 1
    assert tex.count(r"\caption{") == tex.count(r"\label{tab:") == 1


@each_row("name", ["comparisons", "page", "equivalence", "wins", "effect"])
def test_it_explains_itself_in_sentences(name, shown):
    text = shown[name].explain()
    assert text[-1] == "."
    assert ".." not in text
    assert "  " not in text


def test_captions_and_labels_can_be_given(shown):
    tex = shown["friedman"].to_latex(caption="Mine & yours.", label="my label")
    assert r"\caption{Mine \& yours.}\label{tab:my-label}" in tex


def test_a_caption_keeps_the_case_of_names():
    pair = bc.Differences([ROWS[0]], rho=0.1, names=("k_nn", "svm"), metric="accuracy")
    fitted = bayesian.correlated_t(pair, rope=0.001)
    named = (fitted, fitted.verdict(), fitted.sensitivity(), fitted.fragility(), f.cohens_d(pair))
    starts = [each.to_latex().split(r"\caption{")[1].split()[0] for each in named]
    assert starts == ["svm"] * len(named)


def test_what_is_decided_is_bold(shown):
    result = shown["comparisons"]
    verdict = result.verdict("k_nn", "svm")
    assert verdict.decision == "second"
    row = next(r for r in result.to_latex().splitlines() if r.startswith(r"k\_nn & svm"))
    assert r"& \textbf{" in row
    assert row.endswith(r"& second better \\")
    assert result.to_latex().count(r"\textbf") == sum(
        r.verdict.decided for r in result.results.values()
    )


def test_a_level_decides_what_is_rejected(shown):
    result = shown["friedman"]
    assert "is rejected" in result.explain("paper")
    assert "is not rejected" in result.explain("paper", alpha=result.pvalue / 2)


def test_differences_are_counted_on_each_side(shown):
    assert f"By the means, {BAD} is ahead on 2 and k_nn on 0." in shown["differences"].explain()
    assert "2 data sets of 4 scores" in shown["differences"].explain()


def test_columns_are_called_as_asked_in_every_format():
    columns = {"p_left": Column(Cells.PROBABILITY, "first better")}
    summary = Summary("t", pd.DataFrame({"p_left": [0.0]}), columns)
    for text in (as_html(summary), as_markdown(summary), as_latex(summary, None, None)):
        assert "first better" in text
        assert "p_left" not in text
        assert "0.001" in text


def test_facts_stand_above_the_notes_in_every_format():
    facts = {"metrics": "tpr ↑", "adjusted by": "<holm>"}
    summary = Summary("t", pd.DataFrame({"p": [0.5]}), notes=["a note"], facts=facts)
    lines = Page(as_html(summary)).text.split("\n")
    assert lines[1:7] == ["metrics", "tpr ↑", "adjusted by", "<holm>", "notes", "a note"]
    assert as_markdown(summary).split("\n\n")[1:4] == [
        "metrics: tpr ↑",
        r"adjusted by: \<holm\>",
        "a note",
    ]
    assert as_latex(summary, None, None).splitlines()[:3] == [
        r"% metrics: tpr $\uparrow$",
        "% adjusted by: $<$holm$>$",
        "% a note",
    ]


# Small HTML for notebooks: everything escaped, numbers short, nothing from elsewhere.


HOSTILE = '<img src=x onerror="alert(1)">&\''


class _Tags(HTMLParser):
    """Open and closed tags, and the text."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.text = [], set(), []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.add(tag)
        assert set(dict(attrs)) <= {"style", "scope", "aria-hidden"}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def parsed(html):
    tags = _Tags()
    tags.feed(html)
    assert tags.open == []
    return tags


@each_row(
    "html",
    [
        add_title(HOSTILE, html_facts({HOSTILE: HOSTILE})),
        html_table(pd.DataFrame({HOSTILE: [HOSTILE, 1.0], "b": [HOSTILE, None]})),
        html_table(pd.DataFrame({"a": [1.0]}, index=[HOSTILE]).reset_index()),
        html_bars([(HOSTILE, HOSTILE, 0.5, HOSTILE)]),
    ],
    ids=["facts", "table", "index", "bars"],
)
def test_everything_is_escaped(html):
    tags = parsed(html)
    assert "img" not in tags.seen
    assert HOSTILE in tags.text


def test_numbers_are_short_and_missing_ones_empty():
    frame = pd.DataFrame({"x": [1 / 3, np.nan, 2.0], "yes": [True, False, True], "n": [1, 2, 3]})
    texts = [t for t in parsed(html_table(frame)).text if t]
    assert texts == ["x", "yes", "n", "0.3333", "yes", "1", "no", "2", "2", "yes", "3"]


def test_long_tables_and_texts_are_cut():
    frame = pd.DataFrame({"a": range(MOST_ROWS + 5)})
    assert "… and 5 more rows" in html_table(frame)
    assert "… and 1 more row<" in html_table(frame.head(MOST_ROWS + 1))
    assert len(parsed(html_table(pd.DataFrame({"a": ["x" * 500]}))).text[-1]) == MOST_TEXT


def test_bars_are_as_long_as_probabilities():
    html = html_bars([("left", "A better", 0.25, "0.2500"), ("rope", "equivalent", 1.5, ">1")])
    assert "width:25.0%" in html
    assert "width:100.0%" in html
    assert COLOURS["left"] in html


def test_empty_facts_are_left_out():
    assert parsed(html_facts({"a": "", "b": None, "c": 0})).text == ["c", "0"]


def classes():
    """All classes of the package."""
    for info in pkgutil.walk_packages(bc.__path__, "bayescmp."):
        module = importlib.import_module(info.name)
        yield from (c for c in vars(module).values() if getattr(c, "__module__", "") == info.name)


def test_whatever_explains_itself_is_shown_in_every_form():
    """One way for all: its text, in full, for a notebook, Markdown and LaTeX; a frame; a line."""
    telling = [c for c in classes() if isinstance(c, type) and hasattr(c, "explain")]
    assert len(telling) > 50
    for each in telling:
        assert issubclass(each, Summarised), each
        fields = {name for c in each.__mro__ for name in vars(c).get("__annotations__", {})}
        assert (
            each is Summarised
            or each.__name__ == "ComparedPairs"
            or (hasattr(each, "frame") or "frame" in fields)
        ), each
