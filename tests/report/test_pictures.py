"""Pictures of the report: those of `bayescmp.plots`, inside the page."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from functools import partial

import numpy as np

import bayescmp as bc
from bayescmp.plots import plot_density
from bayescmp.plots.captions import Facts, note
from bayescmp.plots.hovers import hover
from bayescmp.report.pictures import picture
from bayescmp.text import probability

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def draw(ax):
    ax.plot([0, 1], [0, 1], label="a & <b>")
    ax.fill_between([0, 1], [0, 1], clip_on=True)
    ax.legend()
    ax.text(0.5, 0.5, 'id="x" \u202e url(#y)')
    return note(ax, "A line", Facts(test="fake"))


def test_two_pictures_share_a_page():
    """No id twice, text as text, and nothing that turns the page's text."""
    one, two = (picture(draw, (3, 2), name=n, title="<t>", description="d")["svg"] for n in "ab")
    ids = [[e.get("id") for e in ElementTree.fromstring(text).iter() if e.get("id")]
           for text in (one, two)]  # fmt: skip
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
    assert f"svm better {probability(p['right'])}" in titles
    assert any(t and t.startswith(f"mean {mean:.4g}, 95 % interval ") for t in titles)


def test_a_picture_brings_its_caption():
    shown = picture(draw, (3, 2), name="a", title="t")
    assert shown["caption"] == "A line (fake)."
