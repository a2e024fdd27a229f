"""Texts of marks: each artist of a figure by its own id, those that say nothing left out."""

from __future__ import annotations

from itertools import combinations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from pandas import DataFrame
from pypdf import PdfReader

import bayescmp as bc
from bayescmp import bayesian, plots
from bayescmp.plots.drawing import (
    PAIR,
    facets,
    facets_size,
    fill,
    fixed_width,
    hover,
    ink,
    label_below,
    legend_above,
    legend_columns,
    letters,
    luminance,
    made_of,
    mix_colours,
    named_marks,
    paper,
    pick_text_colour,
    quantity,
    region_ink,
    room,
    row_text,
    shades,
    shorten,
    shorten_all,
    text_width,
    wrap_text,
)
from bayescmp.wording.regions import COLOURS, QUANTITY, QUANTITY_ON_DARK
from tests.plots.measuring import axes, boxes, outside, overlapping
from tests.rows import each_row

PLOTS = [bc.plots.plot_simplex, bc.plots.plot_shrinkage, bc.plots.plot_density]


@each_row("plot", PLOTS)
def test_the_axes_given_are_drawn_on_and_pyplot_is_left_alone(posterior, plot):
    ax = axes()
    assert plot(posterior, ax=ax) is ax
    assert plt.get_fignums() == []


def test_without_axes_one_figure_is_made(posterior):
    before = plt.figure()
    ax = posterior.plot()
    assert len(plt.get_fignums()) == 2
    assert ax.figure is not before
    assert len(ax.figure.axes) == 1


@pytest.mark.parametrize(("ending", "plot"), list(zip(["png", "svg", "pdf"], PLOTS, strict=True)))
def test_pictures_are_written(posterior, plot, ending, tmp_path):
    path = tmp_path / f"picture.{ending}"
    bc.plots.save(plot(posterior, ax=axes()), path)
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert path.read_bytes().startswith(start)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_unknown_format_and_missing_folder(posterior, tmp_path):
    ax = posterior.plot(ax=axes())
    with pytest.raises(bc.InputError, match=r"path must end in .*png.* \(got 'bmp2' of "):
        bc.plots.save(ax, tmp_path / "a.bmp2")
    with pytest.raises(bc.InputError, match="no directory"):
        bc.plots.save(ax, tmp_path / "none" / "a.png")


def density():
    x = [0.01, 0.03, 0.02, 0.00, 0.02]
    return plots.plot_density(bayesian.correlated_t(x, rho=0.2, rope=0.01))


@each_row(
    ("venue", "columns", "points"),
    # jmlr2e.sty, neurips_2026.sty, IEEEtran.cls (21pc, 43pc), beamer.cls (160 mm less 2 x 10)
    [("jmlr", 0.5, 3.0 * 72), ("ieee", 2, 516 * 72 / 72.27)],
)
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


def test_fonts_are_embedded_as_truetype(tmp_path):
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
    with pytest.raises(
        bc.InputError, match=r"venue must be .*\(got 'jmrl'\)\. Did you mean 'jmlr'"
    ):
        plots.style("jmrl")
    with pytest.raises(bc.InputError, match="columns must be over 0, at most 1"):
        plots.style("neurips", columns=2)
    with pytest.raises(bc.InputError, match="columns must be"):
        plots.style("ieee", columns=0)


STYLES = ["default", "dark_background"]
REGIONS = ["first", "equivalent", "second", "trade_off"]


def contrast(one, other) -> float:
    """WCAG 2.2: (lighter + 0.05) / (darker + 0.05)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_luminance_is_that_of_the_standard():
    """WCAG 2.2, relative luminance; the contrast of #777777 on white is 4.48."""
    assert [luminance(c) for c in ("black", "white")] == pytest.approx([0, 1])
    assert luminance("lime") == pytest.approx(0.7152)
    assert contrast("#777777", "white") == pytest.approx(4.48, abs=0.005)


def test_ink_and_paper_are_those_of_the_style():
    assert (ink(), paper()) == ((0, 0, 0), (1, 1, 1))
    assert ink(0.25) == (0.75, 0.75, 0.75)
    with plt.style.context("dark_background"):
        assert (ink(), paper()) == ((1, 1, 1), (0, 0, 0))
        assert shades()(0.0)[:3] == (0, 0, 0)
    assert shades()(1.0)[:3] == to_rgb(QUANTITY)
    with plt.rc_context({"axes.facecolor": "none"}):
        assert paper() == (1, 1, 1)


@each_row("style", STYLES)
def test_texts_and_marks_can_be_read(style):
    with plt.style.context(style):
        for region in REGIONS:
            assert contrast(region_ink(region), paper()) >= 4.5
            assert contrast(COLOURS[region], paper()) >= 3
        assert contrast(quantity(), paper()) >= 4.5
        assert contrast(ink(0.65), paper()) >= 4.5
        assert quantity() == (QUANTITY if style == "default" else QUANTITY_ON_DARK)
    for shade in np.linspace(0, 1, 11):
        assert contrast(pick_text_colour((shade,) * 3), (shade,) * 3) >= 4.5


def test_mixed_is_a_share_of_each():
    assert mix_colours("white", "black", 0.25) == pytest.approx((0.25,) * 3)


def grey(region: str) -> np.ndarray:
    """An area as a printer without colours shows it, by luminance."""
    figure = Figure(figsize=(1, 1), dpi=100)
    ax = figure.add_axes((0, 0, 1, 1))
    ax.axis("off")
    ax.bar(0, 1, width=1, **fill(region))
    ax.set(xlim=(-0.5, 0.5), ylim=(0, 1))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[..., :3] / 255
    return pixels @ np.array(to_rgb("#365d12")) / sum(to_rgb("#365d12"))


def test_areas_of_the_regions_differ_in_grey():
    """By lightness or by pattern: the spectrum of the hatch, whatever its phase."""
    areas = {r: grey(r) for r in REGIONS}
    patterns = {r: np.abs(np.fft.fft2(a - a.mean())) / a.size for r, a in areas.items()}
    for a, b in combinations(REGIONS, 2):
        assert np.linalg.norm(patterns[a] - patterns[b]) > 0.03, (a, b)


def test_a_text_on_a_screen_is_no_wider_than_measured():
    """Letters of 6.5 points at 100 dots an inch are wider than in print."""
    text = "all at or above the bar are practically better than all from the head down"
    ax = axes()
    ax.figure.set_dpi(100)
    drawn = ax.text(0, 0, text, fontsize=6.5)
    assert drawn.get_window_extent().width / 100 <= text_width(text, 6.5)


@each_row("text", ["WWWW", "אלגוריתם", "a\\$b"])
def test_the_width_of_a_text_is_that_which_is_drawn(text):
    ax = axes()
    ax.figure.set_dpi(300)
    drawn = ax.text(0, 0, text, fontsize=8)
    ax.figure.draw_without_rendering()
    inches = drawn.get_window_extent().width / 300
    assert inches <= text_width(text, 8) <= 1.12 * inches + 0.02
    assert text_width(" ", 8) == 0
    assert text_width(f"{text}\ni", 8) == text_width(text, 8)


def test_lines_break_at_spaces_where_they_must():
    text = "probability of the most probable outcome\non a new data set"
    lines = wrap_text(text, 1.5, 8).split("\n")
    assert " ".join(lines) == text.replace("\n", " ")
    assert all(text_width(line, 8) <= 1.5 for line in lines)
    assert wrap_text(text, 9.0, 8) == text
    assert wrap_text("unbreakable", 0.1, 8) == "unbreakable"


def test_rows_and_names_shrink_with_the_room():
    assert [letters(inches, 8) for inches in (0.1, 1.0, 9.0)] == [9, 15, 28]
    assert row_text(0.3) == 7.5
    assert row_text(0.1) == pytest.approx(7.2 / 1.45)


def test_legends_have_the_most_columns_that_fit():
    labels = ["first better", "equivalent", "second better"]
    assert [legend_columns(labels, inches, 7) for inches in (0.5, 2.3, 9.0)] == [1, 2, 3]


def test_labels_and_legends_beside_long_names_stay_in_the_figure():
    inches = 2.0
    figure = Figure(figsize=(inches, 2.5), layout="constrained")
    ax = figure.add_subplot()
    handles = ax.plot([0, 1], [0, 1], [0, 1], [1, 0])
    ax.set_yticks([0, 1], ["gradient boosting", "random forest"])
    label_below(ax, "probability that the second is practically better on a new data set", 8)
    legend_above(ax, handles, ["gradient boosting better", "random forest better"])
    assert room(ax) < inches
    drawn = boxes(figure)
    assert outside(drawn, figure) == []
    assert overlapping(drawn) == []


FORESTS = [f"RandomForestClassifier(n_estimators={n})" for n in (100, 500, 1000)]


def test_a_long_name_keeps_both_its_ends():
    assert shorten(FORESTS[0], 15) == "RandomF…rs=100)"
    assert shorten("knn") == "knn"
    assert shorten("cost$") == r"cost\$"


def test_names_that_begin_and_end_alike_show_where_they_differ():
    names = [f"RandomForestClassifier(n_estimators={n}, random_state=0)" for n in (100, 1000)]
    first, second = shorten_all(names, 20)
    assert "100" in first
    assert "1000" in second


@given(
    st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=8, unique=True),
    st.integers(8, 28),
)
@settings(max_examples=25)
def test_different_names_stay_different_and_short(names, most):
    short = shorten_all(names, most)
    assert len(set(short)) == len(names)
    for name, label in zip(names, short, strict=True):
        assert len(label.replace(r"\$", "$")) <= most
        if len(name) <= most and label != name.replace("$", r"\$"):
            assert "#" in label or "…" in label  # it gave way to a longer one


def test_bars_of_alike_names_are_all_drawn():
    rng = np.random.default_rng(1)
    means = pd.DataFrame(rng.normal([0.8, 0.82, 0.85], 0.02, (12, 3)), columns=FORESTS)
    pairs = bc.compare_all(
        bc.Scores.from_means(means, metric="accuracy"), rope=0.01, seed=1, progress=False
    )
    verdicts = {pair: result.verdict for pair, result in pairs.results.items()}
    ax = bc.plots.plot_verdict_bar(verdicts)
    labels = [t.get_text() for t in ax.get_yticklabels()]
    assert len(set(labels)) == len(labels) == 3
    plt.close("all")


def test_three_forests_at_every_length_that_plots_use():
    for most in [14, 18, 22, 28]:
        short = shorten_all(FORESTS, most)
        assert [f"{n}" in label for n, label in zip((100, 500, 1000), short, strict=True)] == [
            True
        ] * 3


NAMES = [f"algorithm {i}" for i in range(10)]


def test_panels_are_drawn_once_each_and_share_axes():
    inches, columns = (3.3, 3)
    drawn = []

    def draw(panel, i):
        drawn.append(i)
        panel.plot([0, i], [0, 1])

    with fixed_width(inches):
        first = facets(NAMES, draw, "across", "up")
    assert drawn == list(range(10))
    panels = first.figure.axes
    assert [panel.get_title() for panel in panels] == NAMES
    assert first.get_subplotspec().get_gridspec().ncols == columns
    assert {panel.get_xlim() for panel in panels} == {first.get_xlim()}
    assert first.get_xlim()[1] > 9


def test_thirty_fit_a_page():
    with fixed_width(3.3):
        width, height = facets_size(NAMES * 3)
    assert width == 3.3
    assert height < 9


ARGUMENT_NAMES = [name for name in bc.plots.__all__ if name.startswith("plot_")]


@pytest.fixture(scope="module")
def joint():
    scores = bc.Scores.read("examples/data/scores.csv")
    return bc.bayesian.bootstrap(scores, metric="accuracy", rope=0.01, draws=20, seed=1)


def test_a_plot_says_what_it_is_made_of():
    for name in ARGUMENT_NAMES:
        for wrong in (None, [[0.1]], DataFrame({"a": [1]})):
            with pytest.raises(bc.InputError, match=r"must (be|have) |give costs"):
                pytest.fail(f"{wrong!r} is drawn: {getattr(bc.plots, name)(wrong)}")


def test_plots_of_a_pair_refuse_a_posterior_of_many(joint):
    for name in ["simplex", "density", "histogram", "shrinkage", "rope_curve"]:
        with pytest.raises(
            bc.InputError, match=r"must be .*one pair.* \(got a BootstrapPosterior"
        ):
            getattr(bc.plots, f"plot_{name}")(joint)


def test_a_posterior_is_no_analysis_of_it(joint):
    for name in ["sensitivity", "pairs_sensitivity", "plan"]:
        with pytest.raises(bc.InputError, match=r"must be .* \(got a BootstrapPosterior"):
            getattr(bc.plots, f"plot_{name}")(joint)


def test_a_verdict_is_drawn_by_its_own_plot_alone(joint):
    verdict = joint.verdict("knn", "svm")
    for name in {*ARGUMENT_NAMES} - {"plot_verdict_bar"}:
        with pytest.raises(bc.InputError, match=r"\(got a Verdict\)|a procedure with costs"):
            pytest.fail(f"it is drawn: {getattr(bc.plots, name)(verdict)}")


def test_an_error_inside_a_plot_is_not_taken_for_a_wrong_argument():
    @made_of(PAIR)
    def plot_broken(posterior):
        return [].missing

    with pytest.raises(AttributeError, match="missing"):
        plot_broken(3)


def test_texts_are_known_by_the_ids_that_the_artists_get():
    ax = axes()
    points, line, silent = ax.scatter([1, 2], [1, 2]), ax.plot([1, 2])[0], ax.plot([2, 1])[0]
    hover(line, ["a line"])
    hover(points, (text for text in ("one", "two")))
    hover(silent, [])
    marks = named_marks(ax.figure)
    assert marks == {points.get_gid(): ("one", "two"), line.get_gid(): ("a line",)}
    assert silent.get_gid() is None


def test_another_figure_has_its_own():
    hover(axes().plot([1, 2])[0], ["elsewhere"])
    assert named_marks(axes().figure) == {}
