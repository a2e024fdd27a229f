"""Pictures of the report, and how a browser shows the page."""

import io
import re
import xml.etree.ElementTree as ElementTree
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from pypdf import PdfReader

import bayescmp as bc
from bayescmp.plots import plot_density
from bayescmp.plots.captions import Facts, note
from bayescmp.plots.drawing import hover
from bayescmp.report import opening
from bayescmp.report import pictures as figures
from bayescmp.report.content import gather
from bayescmp.report.pictures import picture, rank_diagram
from bayescmp.study.question import Twin
from bayescmp.wording.text import format_probability
from tests.report.conftest import QUIET, embedded, plan_of
from tests.report.test_build import SECTIONS

# Pictures of the report: those of `bayescmp.plots`, inside the page.


def draw(ax):
    ax.plot([0, 1], [0, 1], label="a & <b>")
    ax.fill_between([0, 1], [0, 1], clip_on=True)
    ax.legend()
    ax.text(0.5, 0.5, 'id="x" \u202e url(#y)')
    return note(ax, "A line", Facts(test="fake"))


def test_two_pictures_share_a_page():
    """No id twice, text as text, and nothing that turns the page's text."""
    one, two = (picture(draw, (3, 2), name=n, title="<t>", description="d")["svg"] for n in "ab")
    ids = [
        [e.get("id") for e in ElementTree.fromstring(text).iter() if e.get("id")]
        for text in (one, two)
    ]
    assert ids[0]
    assert not set(ids[0]) & set(ids[1])
    assert len(set(ids[0])) == len(ids[0])
    for name, text in zip("ab", (one, two), strict=True):
        root = ElementTree.fromstring(text)
        known = {e.get("id") for e in root.iter()}
        assert set(re.findall(r"(?:url\(#|href=\"#)([^)\"]+)", text)) - {"y"} <= known
        assert (root.tag, root.get("role")) == ("svg", "img")
        assert root.find("title").text == "<t>"
        texts = [e.text for e in root.iter("text")]
        assert "a & <b>" in texts
        assert any(t and t.startswith('id="x"') for t in texts)
        assert "\u202e" not in text
        assert text.count(f'id="{name}-title"') == 1


def test_the_same_plot_is_the_same_picture():
    one, two = (picture(draw, (3, 2), name="a", title="t") for _ in range(2))
    assert one == two


def test_marks_say_their_values_without_a_script():
    def marked(ax):
        hover(ax.scatter([1, 2, 3], [1, 2, 3]), ["one", "two <b>", "three"])
        hover(ax.scatter([], []), [])
        hover(ax.plot([1, 2], [3, 4])[0], ["a line"])
        return note(ax, "Marks", Facts())

    root = ElementTree.fromstring(picture(marked, (3, 2), name="a", title="t")["svg"])
    titles = [use.findtext("title") for use in root.iter("use")]
    assert [t for t in titles if t] == ["one", "two <b>", "three"]
    assert "a line" in [group.findtext("title") for group in root.iter("g")]


def test_areas_of_a_density_and_its_mean_say_their_numbers():
    x = [0.01, 0.03, 0.02, 0.00, 0.02]
    posterior = bc.bayesian.correlated_t(x, rho=0.2, rope=0.01, names=("knn", "svm"))
    svg = picture(partial(plot_density, posterior), (4, 2), name="a", title="t")["svg"]
    titles = [group.findtext("title") for group in ElementTree.fromstring(svg).iter("g")]
    p, mean = posterior.verdict().probabilities, np.mean(x)
    assert f"svm better {format_probability(p['right'])}" in titles
    assert any(t and t.startswith(f"median {mean:.4g}, 95% credible interval ") for t in titles)


def test_a_picture_brings_its_caption():
    shown = picture(draw, (3, 2), name="a", title="t")
    assert shown["caption"] == "A line (fake)."


def test_one_data_set_has_densities(plain, tmp_path):
    file = bc.report(
        plain, tmp_path / "one.html", rope=0.02, metric="accuracy", datasets=["iris"], **QUIET
    )
    text = file.read_text(encoding="utf-8")
    assert text.count("Posterior density of the mean difference") == 3
    assert "Simplex: " not in text
    part = embedded(text)["pairs"][0]["parts"][0]
    assert part["test"] == "correlated_t"
    assert "from 10 scores of each (paired by fold, rho 0.2: 5 folds, 2 repeats)" in text
    assert "times best" not in text  # ranks on one data set tell nothing
    assert "<tfoot>" not in text
    assert "with Holm&#39;s method (Tukey&#39;s test has its own adjustment)" in text


def test_no_rope_has_densities_instead_of_simplices(plain, tmp_path):
    files = [tmp_path / f"none.{kind}" for kind in ("html", "md", "tex")]
    bc.report(plain, files, rope=0, metric="accuracy", **QUIET)
    text, *others = (file.read_text(encoding="utf-8") for file in files)
    assert "Simplex: " not in text
    assert text.count("Posterior density of the mean difference") == 3
    assert "No difference counts as practically equivalent" in text
    assert "without a region of practical equivalence in accuracy" in text
    assert "The band is practical equivalence" not in text
    assert "Verdicts in accuracy ↑, no ROPE, threshold" in text
    assert "= equivalent" not in text
    for text in others:
        assert "equivalent" not in text[text.index("second better") - 40 :].splitlines()[0]
        assert "no ROPE" in text


@pytest.fixture
def pictures(monkeypatch):
    """Pictures are recorded in place of being drawn: by name, what they were asked to be."""
    asked = {}

    def record(draw, size, *, name, title, description=""):
        asked[name] = SimpleNamespace(draw=draw, size=size, title=title, description=description)
        return {"svg": name, "caption": ""}

    for module in (figures, opening):
        monkeypatch.setattr(module, "picture", record)
    return asked


def test_each_picture_shows_its_pair(plain, pictures):
    """Of the leading pair the rope curve, too: to three times the wider side, from nothing."""
    ropes = {"accuracy": (-0.02, 0.01), "log_loss": 0}
    question = plan_of(
        plain,
        ["log_loss", "accuracy"],
        ropes,
        datasets=["iris", "wine", "digits"],
        twins=[
            Twin("hierarchical_t", "wilcoxon", "datasets"),
            Twin("hierarchical_t", "corrected_t", "dataset"),
        ],
    )
    whole = gather(question, title="T", progress=False)
    leading = set(
        bc.frequentist.average_ranks(
            question.scores.means("log_loss"), lower_is_better=True
        ).frame.index[:2]
    )
    for i, pair in enumerate(whole["pairs"], start=1):
        one, two = (part["figures"] for part in pair["parts"])
        curve = {"rope": f"pair-{i}-2-r"} if {pair["first"], pair["second"]} == leading else {}
        assert set(one) == {"density", "shrinkage"}
        assert set(two) == {"simplex", "shrinkage", *curve}
        against = f"{pair['first']} against {pair['second']}"
        assert one["density"]["title"] == f"Density: {against}, log_loss"
        part = pair["parts"][0]
        shown = (
            f"{part['labels'][r]} {format_probability(p)}"
            for r, p in part["verdict"]["probabilities"].items()
        )
        assert one["density"]["description"] == "; ".join(shown)
        assert one["shrinkage"]["title"] == f"On each data set: {against}, log_loss"
        assert [row["whole"] for row in one["shrinkage"]["rows"]] == sorted(
            question.scores.datasets,
            key=lambda d: next(r["mean"] for r in part["datasets"] if r["dataset"] == d),
            reverse=True,
        )
        if curve:
            drawn = pictures[curve["rope"]]
            assert (drawn.title, drawn.size) == (f"Rope curve: {against}, accuracy", (4.2, 2.6))
            widths = drawn.draw.keywords["widths"]
    of_all = {name for name in pictures if not name.endswith("-r")}
    assert of_all == {"ladder-1", "ladder-2", "ranks-1", "ranks-2"}
    assert (widths[0], widths[-1]) == (0, pytest.approx(0.06))
    assert np.diff(widths) == pytest.approx([widths[1]] * (len(widths) - 1))
    assert np.isclose(widths, 0.02).any()  # the report's own is among them


def test_differences_of_ranks_need_three_algorithms_on_two_data_sets(pictures):
    means = pd.DataFrame(
        {"knn": [0.7, 0.6, 0.8], "gbm": [0.8, 0.9, 0.9], "svm": [0.9, 0.7, 0.85]},
        index=list("pqr"),
    )
    assert rank_diagram(means[["knn", "gbm"]], False, 0.1, "few") == {}
    assert rank_diagram(means[:1], False, 0.1, "few") == {}
    assert rank_diagram(means.where(means > 0.6), False, 0.1, "few") == {}
    assert pictures == {}
    for lower, order in ((False, "gbm, svm, knn"), (True, "knn, svm, gbm")):
        assert rank_diagram(means[:2], lower, 0.1, "ranks") == {"svg": "ranks", "caption": ""}
        assert rank_diagram(means, lower, 0.1, "ranks")["svg"] == "ranks"
        diagram = pictures["ranks"]
        assert diagram.draw.keywords["alpha"] == 0.1
        assert diagram.title == "Critical differences of 3 algorithms"
        assert diagram.description == f"From the best mean rank to the worst: {order}."
    more = rank_diagram(means.assign(ada=0.1), False, 0.1, "more")
    assert more["svg"] == "more"


# The report in a browser: no errors, sorting, light and dark, print, a phone's width.


@pytest.fixture(scope="module")
def files(plain_reports, hostile_reports):
    return {"plain": plain_reports[0], "hostile": hostile_reports[0]}


@pytest.fixture
def opened(browser, files):
    """Opens a report and collects what the browser complains of."""
    contexts, complaints = [], []

    def open_(name="plain", **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: complaints.append(m.text))
        page.on("pageerror", lambda e: complaints.append(str(e)))
        page.on("dialog", lambda d: (complaints.append("dialog"), d.dismiss()))
        page.on("request", lambda r: r.url.startswith("file:") or complaints.append(r.url))
        page.goto(files[name].as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plain", "hostile"])
def test_sections_are_there_and_seen(opened, name):
    page = opened(name)
    for section in SECTIONS:
        assert page.locator(f"section#{section}").is_visible()
    pairs = page.locator("section.pair").count()
    assert page.locator("section.pair svg").count() == 2 * pairs + 1  # a rope curve of one


@pytest.mark.slow
def test_cells_that_stay_in_sight_keep_their_rules(opened):
    """Collapsed borders are the table's, which a cell that stays in sight paints over."""
    page = opened(viewport={"width": 375, "height": 812})
    borders = "tables => tables.map(t => getComputedStyle(t).borderCollapse)"
    assert set(page.locator(".scroll > table").evaluate_all(borders)) == {"separate"}


@pytest.mark.slow
def test_hostile_names_are_text(opened):
    page = opened("hostile")
    headings = page.locator("section.pair h3").all_text_contents()
    assert any("</script><!-- | `code` *bold* -->" in heading for heading in headings)
    assert page.locator("b", has_text="wine").count() == 0


@pytest.mark.slow
def test_a_script_of_another_hand_is_not_run(browser, files, tmp_path):
    """Chromium refuses it by the page's own policy, and says so."""
    text = files["plain"].read_text(encoding="utf-8")
    planted = tmp_path / "planted.html"
    planted.write_text(text.replace("</main>", "<script>document.title = 1</script>"))
    page = browser.new_page()
    refused = []
    page.on("console", lambda m: refused.append(m.text))
    page.goto(planted.as_uri())
    title = page.title()
    page.close()
    assert title != "1"
    assert len(refused) == 1
    assert "Content Security Policy" in refused[0]


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1400, 900), (375, 812)])
def test_the_first_screen_answers(opened, size):
    page = opened(viewport={"width": size[0], "height": size[1]})
    lead = page.locator("#brief .lead")
    assert "svm leads." in lead.inner_text()
    wide, holds = size[0] > 1000, page.locator("#brief .holds")
    for answer in (lead, page.locator(".ladder svg"), *([holds] if wide else [])):
        box = answer.bounding_box()
        assert box["y"] + box["height"] < size[1]
    pvalues = page.locator("#brief table.against").bounding_box()
    assert pvalues["y"] + pvalues["height"] < 1400
    assert pvalues["x"] + pvalues["width"] < size[0]


@pytest.mark.slow
def test_on_a_phone_the_ladder_follows_the_lead(opened):
    page = opened(viewport={"width": 390, "height": 844})
    lead, ladder, rest = (
        page.locator(f"#brief {what} >> nth=0").bounding_box()
        for what in (".lead", ".ladder", ".rest")
    )
    assert 0 <= ladder["y"] - (lead["y"] + lead["height"]) < 40
    assert rest["y"] > ladder["y"] + ladder["height"]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_are_as_dark_as_the_page(opened, scheme):
    """By their pixels: the corner is the page's colour, and text contrasts with it."""
    page = opened(color_scheme=scheme)
    shot = Image.open(io.BytesIO(page.locator(".ladder svg").screenshot())).convert("L")
    corner, darkest, lightest = shot.getpixel((1, 1)), *shot.getextrema()
    assert (corner < 40) if scheme == "dark" else (corner > 240)
    assert lightest - darkest > 180
    page.emulate_media(media="print")
    assert page.locator(".ladder svg").evaluate("e => getComputedStyle(e).filter") == "none"


@pytest.mark.slow
def test_a_list_that_scrolls_shows_it(opened):
    page = opened(viewport={"width": 390, "height": 844})
    strip = page.locator("nav > ol")
    assert strip.evaluate("e => e.scrollWidth > e.clientWidth")
    assert "scroll" in strip.evaluate("e => getComputedStyle(e).backgroundAttachment")


@pytest.mark.slow
def test_pairs_are_filtered_by_name_and_decision(opened):
    page = opened()
    rows = page.locator("table.filtered >> tbody tr")
    names = rows.locator("th").all_inner_texts()
    assert len(names) == 3
    page.get_by_label("filter by algorithm").fill("SVM")
    assert page.locator("table.filtered >> tbody tr:visible").count() == 2
    assert page.locator("#crosscheck output").inner_text() == "2 of 3 pairs"
    page.get_by_label("filter by algorithm").fill("")
    for state in ("decided", "undecided"):
        page.get_by_label("filter by decision").select_option(label=state)
        shown = page.locator("table.filtered >> tbody tr:visible").count()
        own = "decided" if state == "decided" else "open"
        assert shown == page.locator(f'table.filtered >> tbody tr[data-is~="{own}"]').count()


@pytest.mark.slow
def test_tables_are_copied_as_csv_and_latex(opened):
    """What is copied is caught on its way to the clipboard."""
    page = opened()
    page.evaluate("""document.execCommand = () => { window.copied = document.activeElement.value;
                                                   return true; }""")
    tools = page.locator("#scores .copies >> nth=0")
    tools.get_by_text("copy as CSV").click()
    lines = page.evaluate("window.copied").splitlines()
    assert lines[0] == "data set,knn,gbm,svm"
    assert len(lines) == 1 + 4 + 1
    tools.get_by_text("copy as LaTeX").click()
    text = page.evaluate("window.copied")
    assert text.startswith("\\begin{tabular}{lrrr}\n\\toprule\ndata set & knn & gbm & svm \\\\\n")


@pytest.mark.slow
def test_tables_sort_on_click_and_by_key(opened):
    page = opened()
    table = "#scores table.sortable >> nth=0"
    head = page.locator(f"{table} >> thead th >> nth=1")
    rows = page.locator(f"{table} >> tbody tr")
    before = rows.all_inner_texts()
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    values = [float(r.split("\t")[1]) for r in rows.all_inner_texts()]
    assert values == sorted(values)
    head.locator("button").press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    values = [float(r.split("\t")[1]) for r in rows.all_inner_texts()]
    assert values == sorted(values, reverse=True)
    assert sorted(rows.all_inner_texts()) == sorted(before)
    names = page.locator(f"{table} >> thead th >> nth=0")
    names.locator("button").click()
    assert head.get_attribute("aria-sort") is None
    actual = [r.split("\t")[0] for r in rows.all_inner_texts()]
    assert actual == sorted(actual)


def _luminance(colour):
    rgb = [int(v) / 255 for v in colour.strip("rgb()").split(",")[:3]]
    linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    a, b = sorted((_luminance(one), _luminance(other)))
    return (b + 0.05) / (a + 0.05)


COLOURS = """() => {
  const of = (name) => {
    const probe = document.createElement('i');
    probe.style.color = `var(--${name})`;
    document.body.appendChild(probe);
    const color = getComputedStyle(probe).color;
    probe.remove();
    return color;
  };
  const names = ['bg', 'ink', 'soft', 'first', 'second', 'rope', 'trade', 'accent', 'warn'];
  return Object.fromEntries(names.map(n => [n, of(n)]));
}"""


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_have_contrast(opened, scheme):
    page = opened(color_scheme=scheme)
    colours = page.evaluate(COLOURS)
    assert (_luminance(colours["bg"]) < 0.1) == (scheme == "dark")
    body = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert body == colours["bg"]
    for name in ("ink", "soft", "first", "second", "rope", "trade", "accent", "warn"):
        assert contrast(colours[name], colours["bg"]) >= 4.5, name


@pytest.mark.slow
def test_print_style(opened):
    page = opened(color_scheme="dark")
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert page.locator("#pair-1 svg >> nth=0").is_visible()
    colours = page.evaluate(COLOURS)
    assert _luminance(colours["bg"]) > 0.9
    pages = PdfReader(io.BytesIO(page.pdf(format="A4"))).pages
    pairs = [page.extract_text().count(" against ") for page in pages]
    assert len(pages) <= 6
    assert max(pairs) >= 2  # pairs flow, two a page


@pytest.mark.slow
def test_a_phone_scrolls_one_way_only(opened):
    page = opened("hostile", viewport={"width": 375, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    wide = "Array.from(document.querySelectorAll('caption, svg text'))"
    wide += ".filter(e => e.getBoundingClientRect().right > innerWidth + 1).length"
    assert page.evaluate(wide) == 0
    size = page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)")
    assert size >= 15


@pytest.mark.slow
def test_names_in_tables_are_not_broken_on_a_phone(opened):
    page = opened("plain", viewport={"width": 375, "height": 800})
    for name in ("knn", "gbm"):
        box = page.locator("#scores table >> nth=1 >> th", has_text=name).first
        lines = """e => { const r = document.createRange(); r.selectNodeContents(e);
                   return new Set(Array.from(r.getClientRects(), b => Math.round(b.top))).size }"""
        assert box.evaluate(lines) == 1, name


def test_contours_of_a_simplex_are_cut_at_its_edge():
    """The triangle that clips is the one that is drawn, whose sides keep their proportions."""
    posterior = bc.bayesian.signed_rank([0.01, 0.02, 0.0, 0.03, 0.01], rope=0.01, seed=1)
    drawn = []

    def draw(ax):
        drawn.append(bc.plots.plot_simplex(posterior, ax=ax))
        return drawn[0]

    picture(draw, (3.2, 2.9), name="s", title="t")
    corners = drawn[0].transData.transform([(0, 0), (0.5, 3**0.5 / 2), (1, 0)])
    clipped = [a.get_clip_path() for a in drawn[0].lines]
    triangles = [
        path.get_fully_transformed_path().vertices for path in clipped if path is not None
    ]
    assert triangles
    for triangle in triangles:
        assert triangle[:3] == pytest.approx(corners, abs=0.01)
