"""The page: sections, access, numbers as shown."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


SECTIONS = ("brief", "scores", "verdicts", "crosscheck", "pairs", "diagnostics", "methods",
            "versions")  # fmt: skip


def embedded(text):
    found = re.search(r'<script type="application/json" id="bayescmp-data">(.*?)</script>', text)
    return json.loads(found.group(1))


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
    assert text.count("<svg ") == 6


def test_nothing_is_loaded_from_anywhere(text):
    assert not re.search(r"""(src|href)=["'](?!#)""", text)
    assert "@import" not in text
    assert "url(" not in text
    assert "fetch(" not in text


def test_headers_have_scopes_and_pictures_have_texts(text):
    seen = _Accessible()
    seen.feed(text)
    assert seen.unscoped == 0
    assert seen.images == 6
    assert len(set(seen.ids)) == len(seen.ids)
    assert set(seen.labelled) <= set(seen.ids)
    assert '<html lang="en">' in text
    assert text.count("<title id=") == text.count("<desc id=") == 6


def test_shown_numbers_are_the_embedded_ones(text):
    pair = embedded(text)["pairs"][0]
    body = text[text.index('id="pair-1"') : text.index('id="pair-2"')]
    for p in pair["parts"][0]["verdict"]["probabilities"].values():
        shown = "&lt;0.001" if p < 0.001 else "&gt;0.999" if p > 0.999 else f"{p:.3f}"
        assert shown in body
