"""The built site in a browser: every page on a desk and on a phone, and the search.

sphinx-build -W docs docs/_build && pytest -m site
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.site
BUILT = Path(__file__).parents[2] / "docs" / "_build"
#: Of pages made from docstrings, and of Sphinx's own, a few stand for all.
GENERATED = ("bayescmp.compare.html", "bayescmp.Scores.html", "bayescmp.frequentist.posthoc.html")
WIDTHS = {"desk": 1400, "phone": 375}
#: Elements that stand out of the window and can't be scrolled to by themselves.
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
    page.close()


def test_search_finds_the_rope(browser):
    page = browser.new_page()
    page.goto(f"{(BUILT / 'search.html').as_uri()}?q=rope")
    first = page.locator("#search-results li").first
    first.wait_for(timeout=20_000)
    assert "rope" in page.locator("#search-results").inner_text().lower()
    page.locator("#search-results a", has_text="Choosing a rope").first.click()
    assert page.locator("h1").inner_text().startswith("Choosing a rope")
    page.close()
