"""Every plot, drawn and measured: no text leaves a figure or covers another; it has a caption.

All combinations are many: a few stand for them here, chosen so that each plot is drawn with names
that are hard, every second one as a slow test; the rest is measured with ``-m exhaustive``.
"""

from contextlib import ExitStack
from itertools import product

import matplotlib.pyplot as plt
import pytest

from bayescmp.plots import caption
from bayescmp.plots.drawing import fixed_width
from tests.plots.measuring import boxes, outside, overlapping
from tests.plots.scenes import MANY, NAMES, PAIRS, SCENES
from tests.plots.test_drawing import fonts

#: Ranks and critical differences need three algorithms.
LEAST = {
    "critical difference",
    "critical difference on a line",
    "critical difference, control",
    "p-values",
    "p-values, control",
}
#: Drawn by the code of another, or seldom: with ``-m exhaustive`` only.
SELDOM = {
    "ladder with probabilities",
    "verdicts on a control",
    "critical difference on a line",
    "critical difference, control",
    "p-values, control",
    "precision-recall",
    "top sets",
    "ellipses and histograms",
    "ranks",
    "permutation power",
}
KINDS, STYLES, WIDTHS, COUNTS, DATASETS = (
    [*NAMES],
    ["default", "dark_background", "grayscale"],
    [3.3, 6.5],
    [2, 8, 30],
    [3, 60],
)


def check(scene, kind, count, datasets, style, width, pdf):
    count = max(count, 3) if scene in LEAST else count
    with ExitStack() as stack:
        stack.enter_context(plt.style.context(style))
        stack.enter_context(fixed_width(width))
        ax = SCENES[scene](NAMES[kind](count), datasets)
        figure, text = ax.figure, caption(ax)
        assert text.endswith(".")
        assert ".." not in text.replace("...", "")
        drawn = boxes(figure)
        assert drawn
        assert outside(drawn, figure) == []
        assert overlapping(drawn) == []
        assert figure.get_figwidth() == width
        assert figure.get_figheight() <= 14
        if pdf is not None:
            with plt.rc_context({"pdf.fonttype": 42}):
                figure.savefig(pdf)
            assert "/Type3" not in fonts(pdf)


def chosen():
    """A width, a style and a kind of names for each plot, in turn."""
    for k, scene in enumerate(scene for scene in SCENES if scene not in SELDOM):
        count = 2 if scene in PAIRS else 9 if scene in ("ellipses", "projection") else 4
        yield scene, KINDS[k % 4], count, (3, 20)[k % 2], STYLES[k % 3], WIDTHS[k % 3 == 1]


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case[0], marks=[pytest.mark.slow] * (k % 2))
        for k, case in enumerate(chosen())
    ],
)
def test_texts_keep_to_the_figure_and_off_each_other(case):
    check(*case, None)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("scene", "kind"), list(product(SCENES, KINDS)))
def test_all_combinations(scene, kind, tmp_path):
    """Of a plot and a kind of names in one test: thousands of tests are slow to collect."""
    counts = COUNTS if scene in MANY else [2]
    failed = {}
    for case in product(counts, DATASETS, STYLES, WIDTHS):
        try:
            check(scene, kind, *case, tmp_path / "a.pdf")
        except AssertionError as error:
            failed[case] = error
        plt.close("all")
    assert failed == {}
