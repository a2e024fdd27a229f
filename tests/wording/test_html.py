"""Small HTML for notebooks: everything escaped, numbers short, nothing from elsewhere."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from bayescmp.wording import html as _html
from bayescmp.wording.regions import COLOURS

BAD = '<img src=x onerror="alert(1)">&\''


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


@pytest.mark.parametrize(
    "html",
    [
        _html.titled(BAD, _html.facts({BAD: BAD})),
        _html.table(pd.DataFrame({BAD: [BAD, 1.0], "b": [BAD, None]})),
        _html.table(pd.DataFrame({"a": [1.0]}, index=[BAD]), index=True),
        _html.bars([(BAD, BAD, 0.5, BAD)]),
    ],
    ids=["facts", "table", "index", "bars"],
)
def test_everything_is_escaped(html):
    tags = parsed(html)
    assert "img" not in tags.seen
    assert BAD in tags.text


def test_numbers_are_short_and_missing_ones_empty():
    frame = pd.DataFrame({"x": [1 / 3, np.nan, 2.0], "yes": [True, False, True], "n": [1, 2, 3]})
    assert [t for t in parsed(_html.table(frame)).text if t] == [
        "x",
        "yes",
        "n",
        "0.3333",
        "yes",
        "1",
        "no",
        "2",
        "2",
        "yes",
        "3",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "yes"),
        (np.bool_(False), "no"),
        (None, ""),
        (float("nan"), ""),
        (0.123456, "0.1235"),
        (7, "7"),
        ("a<b", "a&lt;b"),
    ],
)
def test_cells(value, text):
    assert _html.number(value) == text


def test_long_tables_and_texts_are_cut():
    frame = pd.DataFrame({"a": range(_html.MOST_ROWS + 5)})
    assert "… and 5 more rows" in _html.table(frame)
    assert len(_html.number("x" * 500)) == _html.MOST_TEXT


def test_bars_are_as_long_as_probabilities():
    html = _html.bars([("left", "A better", 0.25, "0.2500"), ("rope", "equivalent", 1.5, ">1")])
    assert "width:25.0%" in html
    assert "width:100.0%" in html
    assert COLOURS["left"] in html


def test_empty_facts_are_left_out():
    assert parsed(_html.facts({"a": "", "b": None, "c": 0})).text == ["c", "0"]
