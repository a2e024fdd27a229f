"""The report in a browser: no errors, sorting, light and dark, print, a phone's width."""

from __future__ import annotations

import io

import pytest
from pypdf import PdfReader

from tests.report.test_build import SECTIONS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def files(plain_report, hostile_reports):
    return {"plain": plain_report, "hostile": hostile_reports[0]}


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


@pytest.mark.parametrize("name", ["plain", "hostile"])
def test_sections_are_there_and_seen(opened, name):
    page = opened(name)
    for section in SECTIONS:
        assert page.locator(f"section#{section}").is_visible()
    pairs = page.locator("section.pair").count()
    assert page.locator("section.pair svg").count() == 2 * pairs + 1  # a rope curve of one


def test_cells_that_stay_in_sight_keep_their_rules(opened):
    """Collapsed borders are the table's, which a cell that stays in sight paints over."""
    page = opened(viewport={"width": 375, "height": 812})
    borders = "tables => tables.map(t => getComputedStyle(t).borderCollapse)"
    assert set(page.locator(".scroll > table").evaluate_all(borders)) == {"separate"}


def test_hostile_names_are_text(opened):
    page = opened("hostile")
    headings = page.locator("section.pair h3").all_text_contents()
    assert any("</script><!-- | `code` *bold* -->" in heading for heading in headings)
    assert page.locator("b", has_text="wine").count() == 0


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


@pytest.mark.parametrize("size", [(1400, 900), (375, 812)])
def test_the_first_screen_answers(opened, size):
    page = opened(viewport={"width": size[0], "height": size[1]})
    lead = page.locator("#brief .lead")
    assert " leads: " in lead.inner_text()
    for answer in (lead, page.locator("#brief .holds")):
        box = answer.bounding_box()
        assert box["y"] + box["height"] < size[1]
    if size[0] > 1000:
        ladder = page.locator(".ladder svg").bounding_box()
        assert ladder["y"] + ladder["height"] < size[1]


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_have_contrast(opened, scheme):
    page = opened(color_scheme=scheme)
    colours = page.evaluate(COLOURS)
    assert (_luminance(colours["bg"]) < 0.1) == (scheme == "dark")
    body = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert body == colours["bg"]
    for name in ("ink", "soft", "first", "second", "rope", "trade", "accent", "warn"):
        assert contrast(colours[name], colours["bg"]) >= 4.5, name


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


def test_a_phone_scrolls_one_way_only(opened):
    page = opened("hostile", viewport={"width": 375, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    wide = "Array.from(document.querySelectorAll('caption, svg text'))"
    wide += ".filter(e => e.getBoundingClientRect().right > innerWidth + 1).length"
    assert page.evaluate(wide) == 0
    size = page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)")
    assert size >= 15


def test_names_in_tables_are_not_broken_on_a_phone(opened):
    page = opened("plain", viewport={"width": 375, "height": 800})
    for name in ("knn", "gbm"):
        box = page.locator("#scores table >> nth=1 >> th", has_text=name).first
        lines = """e => { const r = document.createRange(); r.selectNodeContents(e);
                   return new Set(Array.from(r.getClientRects(), b => Math.round(b.top))).size }"""
        assert box.evaluate(lines) == 1, name
