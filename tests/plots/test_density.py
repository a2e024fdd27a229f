"""Density: the rope and the masses beside it."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import trapezoid
from scipy.stats import t

import bayescmp as bc
from bayescmp import plots
from bayescmp.bayesian import correlated_t, sign, signed_rank
from bayescmp.plots.density import DASHES
from bayescmp.plots.drawing import fill
from tests.plots.measuring import axes, texts
from tests.rows import each_row


def test_density_marks_the_rope_and_its_masses(posterior):
    ax = bc.plots.plot_density(posterior, ax=axes())
    edges = sorted(
        line.get_xdata()[0]
        for line in ax.lines
        if len(line.get_xdata()) == 2 and len(set(line.get_xdata())) == 1
    )
    assert edges == pytest.approx([-0.01, 0.01])
    text = " ".join(texts(ax))
    for p in posterior.verdict().location.values():
        assert f"{p:.3f}" in text


def test_density_of_the_correlated_t():
    posterior = correlated_t([0.01, 0.03, 0.02, -0.01], rho=0.1, rope=0.01, names=("a", "b"))
    v = posterior.verdict()
    message = " ".join(texts(posterior.plot()))
    for p in v.probabilities.values():
        assert f"{p:.3f}" in message
    point = correlated_t([0.0, 0.0], rho=0.1, rope=0.01, resolution=1e-6)
    assert ">0.999" in " ".join(texts(point.plot()))


def test_the_axis_holds_for_either_direction():
    """Scores of gbm are 0.1 better than those of knn; the density is right of zero."""
    metric = "rmse"
    better = -0.1 if metric == "rmse" else 0.1
    rows = [
        ("iris", name, fold, 0.5 + shift + fold / 100)
        for name, shift in (("knn", 0), ("gbm", better))
        for fold in range(5)
    ]
    rows[0] = (*rows[0][:3], 0.49)
    table = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", metric])
    x = bc.Scores(table, resampling="5-fold").differences("knn", "gbm")
    posterior = correlated_t(x, rope=0.01)
    ax = posterior.plot()
    arrow = "↓" if metric == "rmse" else "↑"
    assert ax.get_xlabel().startswith(f"mean improvement of gbm over knn in {metric} {arrow}\n")
    assert posterior.summary()["mean"].iloc[0] == pytest.approx(0.1, abs=0.01)


@each_row(
    ("metric", "words"),
    [("error", "a's error larger than b's by"), ("accuracy", "b's accuracy larger than a's by")],
)
def test_the_axis_of_ratios_is_in_percent(metric, words):
    """Of b, the better one, the error is half that of a, or the accuracy twice: 100%."""
    rng = np.random.default_rng(2)
    b = rng.uniform(0.2, 0.25, (1, 10))
    a = b * (2 if metric == "error" else 0.5) * rng.uniform(0.95, 1.05, (1, 10))
    rows = [("iris", name, k, v) for name, x in (("a", a), ("b", b)) for k, v in enumerate(x[0])]
    table = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", metric])
    x = bc.Scores(table, resampling="10-fold").differences("a", "b", scale="log_ratio")
    ax = correlated_t(x, rope=0.05).plot()
    assert ax.get_xlabel().startswith(words)
    drawn = [
        float(tick.get_text().replace("−", "-").removesuffix("%")) for tick in ax.get_xticklabels()
    ]
    assert 100 in drawn
    assert ax.get_xticks() == pytest.approx(np.log1p(np.array(drawn) / 100))


def test_mean_and_interval_are_those_of_student_t():
    """Corani & Benavoli (2015): Student's t with mean, scale and n - 1 degrees of freedom."""
    x = np.array([0.010, 0.030, 0.020, -0.010, 0.024, 0.008])
    rho = 0.1
    ax = correlated_t(x, rho=rho, rope=0.01).plot(ax=axes())
    scale = np.sqrt((1 / len(x) + rho / (1 - rho)) * x.var(ddof=1))
    low, high = t(len(x) - 1, x.mean(), scale).interval(0.95)
    (dot,) = [line for line in ax.lines if line.get_marker() == "o"]
    assert dot.get_xdata()[0] == pytest.approx(x.mean(), abs=2e-4)
    assert f"median {x.mean():.3f} (95%: " in ax.get_xlabel()
    (bar,) = [line for line in ax.lines if line.get_linewidth() == 1.4]
    assert bar.get_xdata() == pytest.approx([low, high], abs=5e-4)


def test_histogram_has_the_draws_and_the_verdict():
    posterior = signed_rank([0.01, 0.03, 0.02, -0.01, 0.04], rope=0, seed=1, names=("a", "b"))
    ax = posterior.plot()
    v = posterior.verdict()
    assert f"a\nbetter\n{v.p_left:.3f}" in texts(ax)
    assert f"b\nbetter\n{v.p_right:.3f}" in texts(ax)
    right = posterior.masses()[..., 2].ravel()
    beyond = sum(b.get_height() * b.get_width() for b in ax.patches if b.get_x() >= 0.5 - 1e-9)
    assert beyond == pytest.approx((right >= 0.5).mean(), abs=1e-6)
    colours = {tuple(np.round(b.get_facecolor()[:3], 6)) for b in ax.patches}
    assert colours == {tuple(np.round(fill(r, 0.8)["facecolor"], 6)) for r in ("left", "right")}


def test_histogram_and_simplex_know_their_place():
    posterior = signed_rank([0.01, 0.03, 0.02, -0.01, 0.04], rope=0.01, seed=1)
    assert posterior.plot().get_xlabel() == ""  # the simplex has no axes
    assert "probability that" in posterior.plot(rope=0).get_xlabel()
    with pytest.raises(bc.InputError, match="plot_simplex"):
        plots.plot_histogram(posterior, rope=0.01)
    with pytest.raises(bc.InputError, match="bins must be"):
        plots.plot_histogram(posterior, bins=51)


def test_the_lines_are_the_curve():
    posterior = correlated_t([0.01, 0.03, 0.02, -0.01], rho=0.1, rope=0.01, names=("a", "b"))
    ax = plots.plot_rope_curve(posterior)
    table = posterior.rope_curve()
    lines = {line.get_label(): line for line in ax.lines}
    assert lines["a better"].get_ydata() == pytest.approx(table["p_left"])
    assert lines["b better"].get_ydata() == pytest.approx(table["p_right"])
    # at no rope its probability is 0 by definition: the line starts after that
    assert lines["equivalent"].get_ydata() == pytest.approx(table["p_rope"].iloc[1:])
    assert len({DASHES[r] for r in ("left", "rope", "right")}) == 3
    assert 0.01 in [line.get_xdata()[0] for line in ax.lines]


def test_rope_curve_of_given_widths():
    posterior = sign([0.01, 0.03, 0.02, -0.01], rope=0)
    ax = plots.plot_rope_curve(posterior, widths=[0, 0.01, 0.05])
    assert ax.get_xlim() == (0, 0.05)


def test_a_rope_curve_without_a_rope_marks_the_limits():
    posterior = correlated_t([0.02, 0.03, 0.03, 0.04], rho=0.25, names=("knn", "svm"))
    ax = plots.plot_rope_curve(posterior)
    limits = posterior.rope_limits()
    marked = [line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 2]
    assert {limits.better_up_to, limits.equivalent_from} <= set(marked)
    assert ax.get_xlim()[1] > limits.equivalent_from
    assert "svm better up to 0.015; equivalent from 0.045" in ax.get_xlabel().replace("\n", " ")


def test_long_tails_are_cut_and_the_arrows_say_how_much_is_beyond():
    """A t of two degrees of freedom: the mass beyond the ends, by SciPy's cdf."""
    posterior = bc.bayesian.correlated_t([0.01, 0.05, 0.02], rho=0.3, rope=0.01)
    ax = bc.plots.plot_density(posterior)
    tails = t(2, posterior.location, posterior.scale)
    low, high = ax.get_xlim()
    shown = {w.get_text() for w in ax.texts}
    assert f"← {tails.cdf(low):.3f}" in shown
    assert f"{tails.sf(high):.3f} →" in shown
    assert f"beyond the right edge: {tails.sf(high):.3f}" in bc.plots.caption(ax)
    many = bc.bayesian.correlated_t(np.linspace(0, 0.04, 30), rho=0.1, rope=0.01)
    assert not [w for w in bc.plots.plot_density(many).texts if "→" in w.get_text()]


def test_the_interval_below_the_curve_is_exact_for_few_folds():
    """Student's t by SciPy; a grid that ends in the tails would give a shorter interval."""
    for posterior, df, middle, scale in [
        # mean 1.05, s = 0.2121, variance s² (1/2 + 0.1/0.9)
        (correlated_t([0.9, 1.2], rho=0.1, rope=0.1), 1, 1.05, (0.045 * (1 / 2 + 1 / 9)) ** 0.5),
        (correlated_t([0.9, 1.2, 1.5], rho=0.0, rope=0.1), 2, 1.2, 0.3 / 3**0.5),
    ]:
        ax = plots.plot_density(posterior)
        (line,) = (li for li in ax.lines if li.get_linewidth() == 1.4)
        exact = t(df, middle, scale).ppf([0.025, 0.975])
        assert list(line.get_xdata()) == pytest.approx(list(exact), rel=1e-9)  # closed forms


def test_the_picture_holds_the_whole_interval_and_a_smooth_curve():
    """The t interval by SciPy; of two folds it is 12.7 scales wide, and the tails are longer."""
    scores = [0.8, 1.4]
    posterior = correlated_t(scores, rho=0.2, rope=0.01)
    n = len(scores)
    scale = np.std(scores, ddof=1) * np.sqrt(1 / n + 0.2 / 0.8)
    known = t(n - 1, np.mean(scores), scale)
    low, high = plots.plot_density(posterior).get_xlim()
    assert low < known.ppf(0.025)
    assert high > known.ppf(0.975)
    x, y = posterior.density()
    assert y == pytest.approx(known.pdf(x))
    assert trapezoid(y, x) == pytest.approx(0.999, abs=1e-3)  # what the grid reaches
    assert np.sum(np.abs(x - np.mean(scores)) < scale) > 40


def test_the_density_of_two_samples_reaches_as_far_as_its_quantiles():
    posterior = bc.bayesian.two_sample_t([0.8, 0.81], [0.84, 0.9], rope=0.01)
    x, y = posterior.density()
    assert x[[0, -1]] == pytest.approx(posterior.distribution.quantile([0.0005, 0.9995]))
    assert trapezoid(y, x) == pytest.approx(0.999, abs=1e-3)
    low, high = plots.plot_density(posterior).get_xlim()
    (interval,) = posterior.verdict().mean_interval
    assert low < interval[0] < interval[1] < high
