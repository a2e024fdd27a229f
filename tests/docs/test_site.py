"""The site: every public name is in the reference, links lead somewhere, in a browser too."""

from __future__ import annotations

import ast
import html
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

import bayescmp as bc
from bayescmp.commands.cli import main
from bayescmp.present.paper import split_paragraphs

# The site: every public name is in the reference, links lead somewhere, its pages solve tasks.


DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(
    p for p in DOCS.rglob("*.md") if not {"_build", "generated"} & set(p.relative_to(DOCS).parts)
)
AUTOSUMMARY = re.compile(
    r"\.\. currentmodule:: (\S+)\n\n\.\. autosummary::\n(?:   :\S.*\n)*\n((?:   \S+\n)+)"
)
#: Modules of `bayescmp` that are public, and those of their names that are no one's to call.
MODULES = ("bayesian", "catalogue", "curves", "engines", "experiment", "frequentist", "plots")
CELL = re.compile(r"```\{code-cell\} python\n(?::tags:[^\n]*\n)?(.*?)```", re.DOTALL)
CONSTANTS = {
    "bayescmp.catalogue": {
        "ANY",
        "BAYESIAN",
        "FREQUENTIST",
        "GROUP",
        "ONE",
        "OWN",
        "SCOPES",
        "SEVERAL",
        "Span",
        "TWO",
    }
}


def referenced() -> set[str]:
    """Names that the reference pages list, in full."""
    names = set()
    for page in (DOCS / "reference").glob("*.md"):
        for module, block in AUTOSUMMARY.findall(page.read_text(encoding="utf-8")):
            names |= {f"{module}.{name}" for name in block.split()}
    return names


def public() -> set[object]:
    """Every public function and class, each once."""
    objects = [getattr(bc, n) for n in bc.__all__ if n not in MODULES]
    for name in (*MODULES, "sklearn"):
        module = getattr(bc, name)
        skipped = CONSTANTS.get(module.__name__, set())
        objects += [getattr(module, n) for n in module.__all__ if n not in skipped]
    return {o for o in objects if callable(o)}


def test_every_public_name_is_in_the_reference():
    listed = {_at(name) for name in referenced()}
    assert {o.__qualname__ for o in public() - listed} == set()


def test_the_reference_lists_each_name_once():
    listed = [_at(name) for name in referenced()]
    assert len(listed) == len(set(listed)) > 100


def _at(name: str) -> object:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def test_docstrings_keep_their_indentation():
    """numpydoc dedents a method's source; a line continued at the margin makes that fail."""
    continued = re.compile(r"\\\n\S")
    for path in Path(str(bc.__file__)).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        nodes = ast.walk(ast.parse(text)) if continued.search(text) else ()
        for node in nodes:
            if isinstance(node, ast.FunctionDef) and node.col_offset and ast.get_docstring(node):
                segment = str(ast.get_source_segment(text, node.body[0]))
                assert not continued.search(segment), f"{path}: {node.name}"


def test_links_lead_to_pages():
    for page in PAGES:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)", text):
            if not target.startswith(("http", "mailto:")):
                assert (page.parent / target).exists(), (page, target)


def run(page: str, monkeypatch) -> dict:
    """What the cells of a page leave behind, run in one namespace as the site runs them."""
    monkeypatch.chdir(DOCS.parent)
    names: dict = {}
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    for number, code in enumerate(CELL.findall(text)):
        exec(compile(code, f"{page}.md, cell {number}", "exec"), names)
    plt.close("all")
    return names


def words(capsys) -> str:
    """What was printed, with one space between words."""
    return " ".join(capsys.readouterr().out.split())


# Things that a newcomer comes with, each solved by a page whose code is run. RECIPES has the rest.


def test_task_two_runs_of_cross_validate(monkeypatch, capsys):
    names = run("guide/experiments", monkeypatch)
    assert names["scores"].algorithms == ("bayes", "logistic")
    assert bc.Scores.from_cv_results(names["results"]).resampling.of("data").rho == 0.1
    printed = words(capsys)
    assert "logistic is practically better than bayes" in printed
    assert "other items in split 1, on which 'bayes' and 'logistic' test" in printed
    assert names["pairs"].algorithms == ("bayes", "logistic")
    assert "tree and knn: undecided, there is not enough data" in printed


def test_task_a_grid_search(monkeypatch):
    names = run("guide/experiments", monkeypatch)
    search, scores = names["search"], names["best"]
    assert search.best_params_ == {"max_depth": 4}
    best = search.cv_results_["params"][search.cv_results_["mean_test_score"].argmax()]
    assert scores.algorithms[0] == f"max_depth={best['max_depth']}"
    assert len(scores.algorithms) == 2


def test_task_a_wide_table_a_messy_long_one_and_percent(monkeypatch):
    names = run("guide/tables", monkeypatch)
    assert names["post"].verdict().probabilities == names["same"].verdict().probabilities
    assert names["scores"].algorithms == ("knn", "svm", "forest")
    assert names["scores"].direction("accuracy").arrow == "↑"
    assert names["common"].on_missing == "common"


def test_task_sixty_algorithms_on_fifty_data_sets(monkeypatch):
    names = run("guide/several-algorithms", monkeypatch)
    assert names["table"].shape == (50, 60)
    assert len(names["many"].algorithms) == 60
    average = names["many"].best(on="average")
    assert max(average, key=average.get) == names["table"].mean().idxmax()


def test_task_seeds_means_and_items(monkeypatch, capsys):
    names = run("guide/no-cross-validation", monkeypatch)
    assert names["seeds"].resampling.of("cifar").design == "seeds"
    assert names["scores"].has_folds is False
    printed = words(capsys)
    assert printed.count("vit is practically better than resnet") == 2
    assert "paired by seed" in printed
    assert "not paired: independent runs" in printed


def test_task_a_benchmarks_questions(monkeypatch):
    names = run("language-models/items", monkeypatch)
    assert names["items"].benchmarks == ("gsm8k", "arc", "reading")
    assert names["posterior"].kind == "paired_proportions"


def test_task_from_logs_to_a_sentence(monkeypatch, tmp_path, capsys):
    """The three commands as they stand there, then the page's Python."""
    monkeypatch.chdir(DOCS.parent)
    typed = re.findall(r"^\$ bayescmp (.*)$", page_text("language-models/logs"), re.MULTILINE)
    commands = [line.replace("page.html", str(tmp_path / "page.html")).split() for line in typed]
    assert [line[0] for line in commands] == ["compare", "report", "gate"]
    assert [main(line) for line in commands] == [0, 0, 0]
    printed = capsys.readouterr().out
    assert "tuned is practically better than base" in printed
    assert "pass: tuned is not practically worse than base" in printed
    post = run("language-models/logs", monkeypatch)["post"]
    page = html.unescape((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert split_paragraphs(post.explain("paper"))[0] in page


def test_task_a_leaderboard(monkeypatch):
    names = run("language-models/leaderboards", monkeypatch)
    assert names["board"].top_set(0.5) == ("large", "tuned")
    assert names["weighted"].importance.tolist() == pytest.approx([1 / 6, 1 / 6, 1 / 6, 1 / 2])
    assert set(names["swe"].models) == {"agent-a", "agent-b", "agent-c"}
    assert names["arena"].top_set(0.5)[0] in ("m-70b", "other")


def test_task_agents_with_separate_seeds_on_ten_games(monkeypatch, capsys):
    names = run("language-models/agents", monkeypatch)
    assert names["post"].verdict().decision == "second"
    assert "rainbow is practically better than dqn" in words(capsys)


def test_task_a_gate_in_a_shell_script(monkeypatch):
    """The lines of the page, as a shell runs them."""
    (script,) = re.findall(r"```bash\n(.*?)```", page_text("guide/gate"), re.DOTALL)
    script = script.replace("bayescmp", f"{sys.executable} -m bayescmp")
    env = {**os.environ, "PYTHONPATH": str(DOCS.parent)}
    for candidate, end in (("svm", "release"), ("gbm", "collect more data")):
        lines = script.replace("--candidate svm", f"--candidate {candidate}")
        command = ["bash", "-c", lines]
        done = subprocess.run(command, cwd=DOCS.parent, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == end


def test_task_equivalence_of_a_quantised_model(monkeypatch):
    names = run("guide/gate", monkeypatch)
    assert names["gate"].outcome == "pass"
    assert names["post"].verdict().decision == "undecided"
    assert len(names["flips"]) == 52


def test_task_errors_on_unlike_scales(monkeypatch):
    post = run("guide/unlike-scales", monkeypatch)["post"]
    assert post.verdict().decision == "second"


def test_task_tpr_and_fpr_with_hotelling_manova_and_the_bayesian_answer(monkeypatch, capsys):
    names = run("guide/several-metrics", monkeypatch)
    assert sum(names["post"].verdict().probabilities.values()) == pytest.approx(1)
    assert names["rope"] == {"accuracy": 0.01, "price": 0.5}
    printed = words(capsys)
    for line in (
        "knn dominates",
        "paired Hotelling T² test",
        "MANOVA, folds as blocks",
        "svm dominates nb",
    ):
        assert line in printed


def test_task_which_rho(monkeypatch):
    scores = run("guide/rho", monkeypatch)["scores"]
    assert scores.resampling.of("iris").rho == pytest.approx(1 / 3)


def test_task_a_paragraph_bibtex_and_a_report(monkeypatch):
    names = run("guide/paper", monkeypatch)
    page, table, works = (path.read_text(encoding="utf-8") for path in names["files"])
    assert "<html" in page[:400]
    assert r"\begin{tabular}" in table
    assert "@article{corani2017," in works
    assert "@article{corani2017," in names["post"].explain("paper")


@pytest.mark.slow
def test_task_doubts_about_a_verdict(monkeypatch, capsys):
    names = run("guide/robust", monkeypatch)
    assert names["post"].verdict().decision == "second"
    printed = words(capsys)
    assert (
        "Without 1 of 14 data sets (cancer_error), the two are practically equivalent." in printed
    )


def test_task_a_notebook(monkeypatch):
    names = run("start", monkeypatch)
    assert names["pairs"].verdict("tree", "svm").decision == "second"
    assert "<table" in names["pairs"]._repr_html_()


#: What each recipe finds, on data whose better one is known or that are too few to decide.
RECIPES = {
    "spreadsheet": (
        "'Glas', algorithm 'Netz', repeat 1, fold 7",
        "left out: 1 fold, without a score of both",
        "Netz is practically better than Wald",
    ),
    "questions": (
        "large is practically better than base, small and old. Undecided: large against tuned.",
        "base and tuned: undecided, there is not enough data",
    ),
    "counts": (
        "old and new: undecided, there is not enough data",
        "old new undecided 0.29 0.29 0.45",
        "new is practically better than old and small",
    ),
    "papers": (
        "ours is better than theirs",
        "theirs and ours: undecided, there is not enough data",
    ),
    "one-model": (
        "17/20 0.850 0.651 0.956",
        "svm: mean accuracy 0.94 (95% credible interval 0.89 to 0.99)",
        "tuned: mean accuracy 0.69 (95% credible interval 0.62 to 0.76)",
        "tuned: mean pass^3 0.41",
    ),
    "roc": (
        "corrected resampled t test",
        "DeLong test, areas under ROC curves",
        "Most probable outcome on other items of this kind, for models of this training set",
    ),
    "permutation": (
        "GaussianNB: significant at 0.05 (p = 0.01)",
        "GaussianNB: not significant at 0.05 (p = 1.00)",
    ),
}


def test_all_recipes_are_tested():
    assert {page.stem for page in (DOCS / "recipes").glob("*.md")} == {"index", *RECIPES}


@pytest.mark.slow
@pytest.mark.parametrize("page", RECIPES)
def test_a_recipe_prints_what_its_data_show(page, monkeypatch, capsys):
    run(f"recipes/{page}", monkeypatch)
    assert page_text(f"recipes/{page}").split("\n# ")[1].startswith("I have ")
    printed = words(capsys)
    for line in RECIPES[page]:
        assert line in printed


@pytest.mark.slow
def test_the_first_commands_of_the_command_line_run(monkeypatch, tmp_path, capsys):
    """As they stand there, except for the folder that they write to."""
    monkeypatch.chdir(DOCS.parent)
    text = page_text("guide/command-line").replace("\\\n", "")
    lines = re.findall(r"^\$ bayescmp (.*examples/data.*)$", text, re.MULTILINE)
    assert len(lines) == 3
    for line in lines:
        capsys.readouterr()
        assert main(re.sub(r"(--out|--ladder) ", rf"\1 {tmp_path}/", line).split()) == 0
    assert json.loads(capsys.readouterr().out)["verdict"]["decision"] == "second"
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {"ladder.pdf", "report.html", "tables.tex", "works.bib"}


def test_the_first_page_claims_what_the_evidence_says():
    """Other figures are taken from the tables by the page itself."""
    ours, theirs = re.search(
        r"takes (\S+) s, without a compiler. baycomp 1.0.3\s+takes (\S+) s", page_text("index")
    ).groups()
    job = "| hierarchical test, 50 data sets x 100 folds: verdict and draws, built in |"
    assert f"{job} baycomp 1.0.3: {theirs} s | {ours} s |" in page_text("evidence/speed")


def page_text(page: str) -> str:
    """Its source."""
    return (DOCS / f"{page}.md").read_text(encoding="utf-8")


# The built site in a browser: every page on a desk and on a phone, and the search.
#
# sphinx-build -W docs docs/_build && pytest -m site


BUILT = Path(__file__).parents[2] / "docs" / "_build"
#: Of pages made from docstrings, and of Sphinx's own, a few stand for all.
GENERATED = ("bayescmp.compare.html", "bayescmp.Scores.html", "bayescmp.frequentist.posthoc.html")
WIDTHS = {"desk": 1400, "phone": 375}
#: Elements that stand out of the window and cannot be scrolled to by themselves.
OVERFLOWING = """() => [...document.querySelectorAll('.bd-article *')].filter(e =>
    e.getBoundingClientRect().right > innerWidth + 2
    && !e.closest('pre, table, .headerlink, mjx-container, .math')).map(e => e.outerHTML)"""


def pages() -> list[str]:
    """Addresses of the pages, within the site."""
    built = [p.relative_to(BUILT) for p in sorted(BUILT.rglob("*.html"))]
    return [
        str(p)
        for p in built
        if not p.parts[0].startswith(("_", "genindex", "py-modindex", "search"))
        and ("generated" not in p.parts or p.name in GENERATED)
    ]


#: Pictures without words for those who cannot see them.
UNTOLD = """() => [...document.querySelectorAll('.bd-article img')].map(i => i.alt)
    .filter(a => !a || /\\.(png|svg)$/.test(a))"""
#: How many pictures there are for light pages, and for dark ones.
DRAWN = """() => ['light', 'dark'].map(s => document.querySelectorAll(`img.only-${s}`).length)"""


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None or not BUILT.is_dir():
        assert os.environ.get("BAYESCMP_REQUIRE_BROWSER") != "1", "no chromium, or no built site"
        pytest.skip("no chromium, or no built site")
    with sync_playwright() as play:
        running = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.mark.site
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("window", WIDTHS)
def test_no_page_overflows_or_complains(browser, window, scheme):
    page = browser.new_page(viewport={"width": WIDTHS[window], "height": 900}, color_scheme=scheme)
    complaints = []
    page.on("console", lambda m: m.type == "error" and complaints.append(m.text))
    page.on("pageerror", lambda e: complaints.append(str(e)))
    assert len(pages()) > 50
    for name in pages():
        page.goto((BUILT / name).as_uri())
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert (name, wide) <= (name, WIDTHS[window])
        assert (name, page.evaluate(OVERFLOWING)) == (name, [])
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        assert (name, complaints) == (name, [])
        assert (name, page.evaluate(UNTOLD)) == (name, [])
        light, dark = page.evaluate(DRAWN)
        assert (name, light) == (name, dark)
        if "generated" not in name:
            assert page.locator("meta[name=description]").get_attribute("content"), name
            assert page.locator('meta[property="og:title"]').get_attribute("content"), name
    page.close()


@pytest.mark.site
def test_the_gallery_has_a_thumbnail_for_each_picture(browser):
    page = browser.new_page()
    page.goto((BUILT / "gallery" / "index.html").as_uri())
    links = page.locator(".thumbnails a")
    assert links.count() > 20
    for i in range(links.count()):
        shown = links.nth(i).locator("img.only-light")
        assert shown.count() == 1
        assert shown.evaluate("i => i.complete && i.naturalWidth > 50")
    page.close()


@pytest.mark.site
def test_search_finds_the_rope(browser):
    page = browser.new_page()
    page.goto(f"{(BUILT / 'search.html').as_uri()}?q=rope")
    first = page.locator("#search-results li").first
    first.wait_for(timeout=20_000)
    assert "rope" in page.locator("#search-results").inner_text().lower()
    page.locator("#search-results a", has_text="Choosing a ROPE").first.click()
    assert page.locator("h1").inner_text().startswith("Choosing a ROPE")
    page.close()


@pytest.mark.site
def test_search_finds_each_command(browser):
    """Each command of the table is found on its page, or on a page about it."""
    page = browser.new_page()
    table = page_text("guide/command-line")
    commands = re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)
    assert len(commands) > 15
    for command in commands:
        page.goto(f"{(BUILT / 'search.html').as_uri()}?q={command}")
        page.locator("#search-results li").first.wait_for(timeout=20_000)
        page.locator(".search-summary", has_text="found").wait_for(timeout=20_000)
        assert "Command line" in page.locator("#search-results").inner_text(), command
    page.close()
