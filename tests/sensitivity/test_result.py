"""What a sensitivity result says and shows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayescmp.bayesian import hierarchical_t
from bayescmp.sensitivity import Sensitivity


@pytest.fixture(scope="module")
def verdict():
    x = np.random.default_rng(1).normal(0.03, 0.01, (4, 5))
    post = hierarchical_t(x, rho=0.2, rope=0.01, engine="quadrature", names=("knn", "gbm"))
    return post.verdict()


def row(question, setting, p, decision, own=(0.0, 0.02, 0.98)):
    change = float(np.abs(np.subtract(p, own)).max())
    return {"question": question, "setting": setting, "p_left": p[0], "p_rope": p[1],
            "p_right": p[2], "decision": decision, "change": change,
            "changes": decision != "second"}  # fmt: skip


def made(verdict, *rows):
    fit = row("fit", "as fitted", (0.0, 0.02, 0.98), "second")
    return Sensitivity(pd.DataFrame([fit, *rows]), verdict)


def test_a_decision_that_holds(verdict):
    result = made(
        verdict,
        row("prior", "benavoli2017", (0.0, 0.03, 0.97), "second"),
        row("without", "iris", (0.0, 0.01, 0.99), "second"),
        row("without", "wine", (0.0, 0.04, 0.96), "second"),
    )
    assert result.holds
    assert result.explain() == (
        'Sensitivity of the decision "gbm is practically better": it holds under every change of '
        "the prior (benavoli2017) and single data sets left out (iris and wine). Of all data sets "
        'wine matters most: without it the probability of "gbm better" is 0.960 instead of 0.980.'
    )


def test_a_decision_that_changes(verdict):
    many = [row("without", f"d{i}", (0.0, 0.2, 0.8), "undecided") for i in range(5)]
    result = made(verdict, row("rope", "2 times", (0.0, 0.99, 0.01), "equivalent"), *many)
    assert not result.holds
    text = result.explain()
    assert "it changes with the rope (2 times: equivalent) and single data sets left out" in text
    assert "(d0: undecided; d1: undecided; d2: undecided; and 2 others)" in text
    assert "holds" not in text


def test_in_brief_another_decision_names_the_algorithm(verdict):
    result = made(
        verdict,
        row("prior", "benavoli2017", (0.5, 0.01, 0.49), "borderline"),
        row("rope", "2 times", (0.99, 0.0, 0.01), "first"),
    )
    assert result.brief() == (
        '"gbm is practically better"; it changes with the prior (benavoli2017: borderline) and '
        "the rope (2 times: knn is practically better)"
    )


def test_a_borderline_decision_is_explained(verdict):
    fit = row("fit", "as fitted", (0.0, 0.05, 0.95), "borderline")
    other = {**row("rope", "2 times", (0.0, 0.06, 0.94), "borderline"), "changes": False}
    text = Sensitivity(pd.DataFrame([fit, other]), verdict).explain()
    assert text.startswith('Sensitivity of the decision "borderline"')


def test_shown_as_text_and_html(verdict):
    result = made(verdict, row("rope", "2 times", (0.0, 0.99, 0.01), "equivalent"))
    lines = str(result).splitlines()
    assert lines[0].startswith("Sensitivity: ")
    assert lines[1].split()[:2] == ["question", "setting"]
    assert "<0.001" in lines[2]
    assert lines[3].split()[-1] == "changes"
    assert "<table" in result._repr_html_()
