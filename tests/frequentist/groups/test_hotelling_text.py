"""Pairwise Hotelling tests as text, HTML and JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bayescmp.frequentist import pairwise_hotelling
from bayescmp.frequentist.groups.hotelling_text import SHOWN, html, plain, text


@pytest.fixture
def result():
    x = np.random.default_rng(0).normal(size=(3, 8, 2))
    x[2] += 2
    return pairwise_hotelling(x, names=["a", "b", "<c>"], metrics=["tpr", "tnr"])


def test_text_names_pairs_level_and_cliques(result):
    lines = text(result, 0.05).splitlines()
    assert [line.split()[:3] for line in lines[1:4]] == [
        ["a", "→", "b"], ["a", "→", "<c>"], ["b", "→", "<c>"]
    ]  # fmt: skip
    assert lines[4] == f"  cliques at 0.05: {result.bracketed(0.05)}"


def test_long_tables_are_cut():
    x = np.random.default_rng(1).normal(size=(12, 8, 1))
    many = pairwise_hotelling(x)
    assert f"  ... and {66 - SHOWN} more: see .frame" in text(many, 0.05).splitlines()


def test_html_is_escaped(result):
    assert "&lt;c&gt;" in html(result)
    assert "<c>" not in html(result)


def test_json_has_no_infinity():
    x = np.array([[[0.5], [0.5], [0.5]], [[0.6], [0.6], [0.6]]])
    numbers = plain(pairwise_hotelling(x), 0.05)
    assert json.loads(json.dumps(numbers, allow_nan=False))["comparisons"][0]["F"] is None
