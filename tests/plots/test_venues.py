"""Styles of journals: widths to the point, fonts that they accept, and nothing left behind."""

from __future__ import annotations

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from pypdf import PdfReader

import bayescmp as bc
from bayescmp import bayesian, plots


def density():
    x = [0.01, 0.03, 0.02, 0.00, 0.02]
    return plots.plot_density(bayesian.correlated_t(x, rho=0.2, rope=0.01))


@pytest.mark.parametrize(
    ("venue", "columns", "points"),
    # jmlr2e.sty, neurips_2026.sty, IEEEtran.cls (21pc, 43pc), beamer.cls (160 mm less 2 x 10)
    [("jmlr", 1, 6.0 * 72), ("jmlr", 0.5, 3.0 * 72), ("neurips", 1, 5.5 * 72),
     ("ieee", 1, 252 * 72 / 72.27), ("ieee", 2, 516 * 72 / 72.27),
     ("slides", 1, 140 / 25.4 * 72)],
)  # fmt: skip
def test_the_file_is_exactly_as_wide_as_the_column(venue, columns, points, tmp_path):
    with plots.style(venue, columns=columns) as settings:
        ax = density()
        plots.save(ax, tmp_path / "a.pdf")
        ax.figure.savefig(tmp_path / "b.pdf")
    assert settings.width * 72 == pytest.approx(points)
    for name in ("a.pdf", "b.pdf"):
        box = PdfReader(tmp_path / name).pages[0].mediabox
        assert float(box.width) == pytest.approx(points, abs=0.01)


def fonts(path) -> list[str]:
    """Kinds of the fonts in a file, of composite ones those of their parts."""
    kinds = []
    for page in PdfReader(path).pages:
        for font in page["/Resources"].get_object().get("/Font", {}).values():
            font = font.get_object()
            kinds.append(font["/Subtype"])
            kinds += [part.get_object()["/Subtype"] for part in font.get("/DescendantFonts", [])]
    return kinds


def test_widths_of_ieee_are_those_that_its_author_center_rounds():
    """IEEE Author Center, size requirements for graphics: 3.5 and 7.16 inches, 21 and 43 picas."""
    for columns, inches in ((1, 3.5), (2, 7.16)):
        width = plots.style("ieee", columns=columns).width
        assert inches - 0.025 < width < inches  # no wider than a column of IEEEtran


@pytest.mark.parametrize("venue", ["jmlr", "slides", None])
def test_fonts_are_embedded_as_truetype(venue, tmp_path):
    if venue is None:
        plots.save(density(), tmp_path / "a.pdf")
    else:
        with plots.style(venue):
            plots.save(density(), tmp_path / "a.pdf")
    embedded = fonts(tmp_path / "a.pdf")
    assert "/CIDFontType2" in embedded
    assert "/Type3" not in embedded


def test_nothing_is_left_behind_and_dark_styles_stay():
    before = dict(mpl.rcParams)
    with plt.style.context("dark_background"), plots.style("slides"):
        assert mpl.rcParams["text.color"] == "white"
    assert dict(mpl.rcParams) == before
    assert density().figure.get_figwidth() == pytest.approx(3.4)
    with pytest.raises(ZeroDivisionError), plots.style("ieee"):
        raise ZeroDivisionError
    assert dict(mpl.rcParams) == before


def test_a_style_is_a_dictionary_of_settings_and_can_be_entered_within_another():
    settings = plots.style("ieee")
    assert set(settings) <= set(mpl.rcParams)
    with plots.style("jmlr"):
        with settings, settings:
            assert density().figure.get_figwidth() == pytest.approx(252 / 72.27)
        assert density().figure.get_figwidth() == pytest.approx(6.0)


def test_what_there_is_not_is_named():
    with pytest.raises(bc.InputError, match="unknown venue 'jmrl': did you mean 'jmlr'"):
        plots.style("jmrl")
    with pytest.raises(bc.InputError, match="columns=2; accepted: over 0, at most 1"):
        plots.style("neurips", columns=2)
    with pytest.raises(bc.InputError, match="columns=0"):
        plots.style("ieee", columns=0)
