"""Short names stay different, whatever they have in common."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.plots._names import shorten, shorten_all

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
@settings(max_examples=200)
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
    pairs = bc.compare_all(bc.Scores.from_means(means, metric="accuracy"), rope=0.01, seed=1,
                           progress=False)  # fmt: skip
    verdicts = {pair: result.verdict for pair, result in pairs.results.items()}
    ax = bc.plots.plot_verdict_bar(verdicts)
    labels = [t.get_text() for t in ax.get_yticklabels()]
    assert len(set(labels)) == len(labels) == 3
    plt.close("all")


@pytest.mark.parametrize("most", [14, 18, 22, 28])
def test_three_forests_at_every_length_that_plots_use(most):
    short = shorten_all(FORESTS, most)
    assert [f"{n}" in label for n, label in zip((100, 500, 1000), short, strict=True)] == [
        True
    ] * 3
