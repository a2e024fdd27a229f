"""Captions: what a picture shows, from the record of what it draws."""

from dataclasses import replace

import matplotlib.pyplot as plt
import pytest

import bayescmp as bc
from bayescmp import bayesian, frequentist, plots
from bayescmp.plots.captions import Facts
from tests.plots.scenes import NAMES, PAIRS, SCENES, comparisons
from tests.plots.test_snapshots import SELDOM
from tests.rows import each_row

X = [0.01, 0.03, 0.02, 0.00]


def test_of_a_pair_all_that_matters_is_said():
    posterior = bayesian.correlated_t(X, rho=0.2, rope=0.01, names=("knn", "gbm"))
    verdict = posterior.verdict()
    text = plots.caption(plots.plot_verdict_bar(verdict))
    for part in (verdict.method, "knn and gbm", "ROPE ±0.01", "threshold 0.95", verdict.prior):
        assert part in text
    assert plots.caption(posterior.plot()).startswith(
        "Posterior density of the mean difference (Bayesian correlated t test; knn and gbm; 4 fold"
    )
    assert "ROPE ±0.02" in plots.caption(plots.plot_density(posterior, rope=0.02))


def test_of_many_pairs_the_algorithms_are_counted():
    results = comparisons(NAMES["short"](5), datasets=7)
    text = plots.caption(plots.plot_verdicts(results, decided=0.9))
    for part in (
        "5 algorithms",
        "7 data sets",
        "accuracy",
        "threshold 0.9",
        "most probable outcome",
    ):
        assert part in text


def test_of_tests_adjustment_and_level_are_said():
    scores = [[0.81, 0.84, 0.86], [0.74, 0.79, 0.77], [0.90, 0.91, 0.95], [0.6, 0.7, 0.8]]
    result = frequentist.posthoc(scores, adjust="holm")
    text = plots.caption(plots.plot_critical_difference(result, alpha=0.1))
    for part in (
        result.method,
        "adjusted with Holm's method",
        "A1, A2 and A3",
        "n = 4",
        "level 0.1",
    ):
        assert part in text


def test_what_is_not_known_is_left_out():
    assert Facts().sentences("Curves") == "Curves."
    assert Facts(names=("a", "b")).sentences("Curves") == "Curves (a and b)."
    assert Facts(rope="ROPE ±0.1").sentences("Curves") == "Curves. Setting: ROPE ±0.1."


def test_axes_of_others_have_none():
    with pytest.raises(bc.InputError, match="It has no caption"):
        plots.caption(plt.figure().add_subplot())


def test_no_metric_is_said_twice_and_no_prior_of_the_first_pair_for_all():
    results = comparisons(NAMES["short"](4), datasets=7)
    text = plots.caption(plots.plot_verdict_bar(results.results))
    assert text.count("accuracy") == 1
    priors = iter(f"corani2017: σ0 ~ U(0, {k})" for k in range(6))
    own = {
        pair: replace(r, verdict=replace(r.verdict, prior=next(priors)))
        for pair, r in results.results.items()
    }
    text = plots.caption(plots.plot_verdict_bar(own))
    assert "prior: corani2017, with bounds taken from each pair's scores" in text
    assert "U(0" not in text


def test_every_plot_has_a_caption_that_ends_in_a_full_stop():
    """Those that test_snapshots.py seldom draws; of the others it reads the captions."""
    for scene in SELDOM:
        text = plots.caption(SCENES[scene](NAMES["short"](4), 6))
        assert text.endswith("."), scene
        plt.close("all")
        assert ".." not in text.replace("...", ""), scene


@each_row("scene", ["simplex", "shrinkage", "forest", "joint ladder", "wins"])
def test_pictures_have_captions_of_a_sentence_or_two(scene):
    text = plots.caption(SCENES[scene](NAMES["short"](2 if scene in PAIRS else 4), 6))
    assert text.endswith(".")
    assert "\n" not in text
    assert any(name in text for name in ("A1 and A2", "A3 and A4", "4 algorithms"))
