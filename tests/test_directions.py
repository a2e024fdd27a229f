"""Whatever is computed from a labelled metric prints which way it is better."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.scores.blocks import scores_blocks
from tests.kinds import places, results_of, shown


def made():
    """Errors and areas of three algorithms, five folds of each of four data sets."""
    rng = np.random.default_rng(3)
    rmse, auc = rng.uniform(1, 2, 60), rng.uniform(0.6, 0.9, 60)
    return bc.Scores(places().assign(rmse=rmse, auc=auc))


SCORES = made()
RESULTS = results_of(SCORES)


@pytest.mark.parametrize("name", RESULTS)
def test_lower_is_better_is_printed_everywhere(name):
    printed = dict(shown(RESULTS[name]()))
    expected = {
        "to_latex": (r"rmse $\downarrow$",),
        "page": ("rmse ↓", "lower"),
        "JSON": ("lower",),
        "explain": ("rmse ↓", "(lower"),
    }
    for part, text in printed.items():
        assert any(words in text for words in expected.get(part, ["rmse ↓"])), part


def test_tables_of_bare_numbers_have_no_direction():
    assert f.average_ranks(SCORES.means("rmse").to_numpy()).frame.columns.name is None
    assert f.contrast_estimation(SCORES.means("rmse").to_numpy()).directions == ()
    assert str(f.WinsTable.from_counts([[0, 3], [1, 0]], 5)).startswith("Wins over 5 data sets")


def test_differences_say_who_improves_on_whom():
    """They are flipped: minus would turn them round."""
    text = repr(SCORES.differences("knn", "svm", "rmse"))
    assert "of rmse ↓: improvement of svm over knn" in text
    assert "minus" not in text
    blocks = scores_blocks(SCORES, metrics=["rmse", "auc"], dataset="p")
    hotelling = f.hotelling_paired(blocks.select(algorithms=["knn", "svm"]))
    assert "  improvement of svm over knn: rmse " in str(hotelling)
    assert "improvement of svm over knn" in hotelling._repr_html_()
    means = SCORES.means("rmse")
    gain = -(means["svm"] - means["knn"]).median()  # of the two, where lower is better
    contrasts = f.contrast_estimation(means, lower_is_better=True)
    assert contrasts.medians[0, 1] == pytest.approx(gain)
