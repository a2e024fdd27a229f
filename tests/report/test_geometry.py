"""A pair's figures as numbers, which the page draws."""

import re
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from scipy import stats

import bayescmp as bc
from bayescmp.report import geometry
from tests.rows import each_row


def test_hexagons_count_as_matplotlibs_do():
    """With 30 across, matplotlib's grid has 15 rows of each lattice in the triangle's height."""
    rng = np.random.default_rng(1)
    points = rng.dirichlet([2, 3, 4], 2000) @ [[0, 0], [0.5, 3**0.5 / 2], [1, 0]]
    centres, counts = geometry.count_in_hexagons(points, 30)
    drawn = (
        plt.figure()
        .add_subplot()
        .hexbin(*points.T, gridsize=(30, 15), mincnt=1, extent=(0, 1, 0, 3**0.5 / 2))
    )
    own = {(round(x, 6), round(y, 6)): n for (x, y), n in zip(centres, counts, strict=True)}
    theirs = zip(drawn.get_offsets(), drawn.get_array(), strict=True)
    assert own == {(round(x, 6), round(y, 6)): n for (x, y), n in theirs}


def test_texts_are_no_wider_than_their_bound():
    """DejaVu Sans is among the widest fonts that a page falls back to."""
    font = FontProperties(family="DejaVu Sans", size=geometry.SIZE)
    texts = [
        "svm",
        "WWWWMMMM",
        "micro-mass mmm",
        "Gradient Boosting (v2.0)",
        "ÉLECTRICITÉ",
        "100%",
    ]
    for text in texts:
        width, _, _ = text_to_path.get_text_width_height_descent(text, font, False)
        assert width <= geometry.text_width(text) < 2 * width


def test_each_name_is_cut_no_more_than_it_has_to_be():
    names = ["W" * 40, "W" * 39 + "V", "a name that fits", "数据" * 20, "数据" * 20 + "库"]
    short = geometry.cut_to_width(names, 172.0)
    assert short[2] == names[2]
    assert len(set(short)) == len(names)
    assert all(geometry.text_width(text) <= 172.0 for text in short)


def area(path):
    points = np.array(re.findall(r"(-?[\d.]+) (-?[\d.]+)", path), dtype=float)
    x, y = points.T
    return abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2


def test_areas_of_a_density_are_its_probabilities():
    """One data set: Student's t of the mean with the corrected standard error."""
    x = np.array([0.01, 0.03, 0.02, 0.00, 0.02])
    posterior = bc.bayesian.correlated_t(x, rho=0.2, rope=0.01, names=("knn", "svm"))
    drawn = geometry.draw_density(posterior, posterior.verdict())
    scale = np.sqrt((1 / 5 + 0.2 / 0.8) * x.var(ddof=1))
    low, high = stats.t(4, x.mean(), scale).cdf([-0.01, 0.01])
    areas = {a["region"]: area(a["path"]) for a in drawn["areas"]}
    inside = sum(areas.values())
    for region, p in {"left": low, "rope": high - low, "right": 1 - high}.items():
        assert areas[region] / inside == pytest.approx(p, abs=0.01)  # of which tails are cut off
    assert drawn["estimate"][1] == pytest.approx(np.mean(drawn["estimate"][::2]), abs=0.1)


@each_row("count", [2, 60])
def test_rows_are_where_the_axis_says(count):
    names = [f"set {i} " + "W" * 40 for i in range(count)]
    x = np.random.default_rng(1).normal(0.02, 0.05, (count, 10))
    differences = bc.Differences(x, rho=0.1, names=("a", "b"), datasets=names)
    posterior = bc.bayesian.hierarchical_t(differences, rope=0.01, engine="quadrature", seed=1)
    table = posterior.by_dataset()
    drawn = geometry.draw_estimates(table, posterior, posterior.verdict())
    rows = drawn["rows"]
    assert [row["whole"] for row in rows] == list(table["mean"].sort_values().index[::-1])
    zero, ticks = drawn["zero"], drawn["ticks"]
    far = max(ticks, key=lambda tick: abs(tick["x"] - zero))
    scale = (far["x"] - zero) / float(far["text"].replace("−", "-"))
    for row in rows:
        of_set = table.loc[row["whole"]]
        for mark, column in {"mean": "mean", "low": "2.5%", "observed": "observed"}.items():
            assert row[mark] == pytest.approx(zero + scale * of_set[column], abs=0.5)
            assert drawn["start"] <= row[mark] <= geometry.WIDE
    assert drawn["start"] < geometry.WIDE / 2
    assert len(ticks) >= 2
    for one, other in pairwise(ticks):
        assert one["x"] + one["half"] <= other["x"] - other["half"]
