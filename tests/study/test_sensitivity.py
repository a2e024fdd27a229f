"""Each row of a table of sensitivity is the verdict of a fit under that assumption."""

import dataclasses
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.base.typing import Reweighted
from bayescmp.bayesian import (
    HierarchicalPrior,
    bootstrap,
    bradley_terry,
    confusion,
    correlated_t,
    friedman,
    groups,
    hierarchical_multivariate_t,
    hierarchical_t,
    joint_t,
    multivariate_t,
    robust_t,
    sampling,
    sign,
    signed_rank,
    two_sample_t,
)
from bayescmp.bayesian.hierarchical.answers import masses_of
from bayescmp.bayesian.hierarchical_multivariate.posterior import changes as multivariate_changes
from bayescmp.bayesian.hierarchical_multivariate.posterior import (
    refit_posterior as refitted_multivariate,
)
from bayescmp.bayesian.joint.fit import fit_again as refit_joint
from bayescmp.bayesian.joint.fit import list_changes as list_joint_changes
from bayescmp.bayesian.regions import membership
from bayescmp.results.posterior import all_probabilities
from bayescmp.results.sensitivity import PairsSensitivity, Sensitivity
from bayescmp.results.verdict import winners
from bayescmp.scores.rope import as_rope
from bayescmp.study.sensitivity import pair_refits, show_progress
from tests.bayesian.hierarchical.data import simulated
from tests.rows import each_row

# Each row of a table over pairs is the verdict of a fit under that assumption.


X = [[0.04, 0.05, 0.03], [0.05, 0.04, 0.05], [0.06, 0.03, 0.05]]


def test_rows_pass_through(capsys):
    assert list(show_progress(iter("abc"), False)) == ["a", "b", "c"]
    assert capsys.readouterr().err == ""
    assert list(show_progress(iter("abc"), True)) == ["a", "b", "c"]
    assert "variations" in capsys.readouterr().err


def test_every_sensitivity_can_show_it(capsys):
    for posterior in (
        correlated_t(X[0], rho=0.3, rope=0.01),
        hierarchical_t(X, rho=0.3, rope=0.01, engine="quadrature"),
        bootstrap([[0.8, 0.9], [0.7, 0.6]], rope=0.01, seed=1, draws=100),
    ):
        posterior.sensitivity(datasets=False)
        assert capsys.readouterr().err == ""
        posterior.sensitivity(datasets=False, progress=True)
        assert "variations" in capsys.readouterr().err


@pytest.fixture(scope="module")
def verdict():
    x = np.random.default_rng(1).normal(0.03, 0.01, (4, 5))
    post = hierarchical_t(x, rho=0.2, rope=0.01, engine="quadrature", names=("knn", "gbm"))
    return post.verdict()


def row(question, setting, p, decision, own=(0.0, 0.02, 0.98)):
    change = float(np.abs(np.subtract(p, own)).max())
    return {
        "question": question,
        "setting": setting,
        "p_left": p[0],
        "p_rope": p[1],
        "p_right": p[2],
        "decision": decision,
        "change": change,
        "changes": decision != "second",
        "k_hat": np.nan,
    }


def made(verdict, *rows):
    fit = row("fit", "as fitted", (0.0, 0.02, 0.98), "second")
    return Sensitivity(pd.DataFrame([fit, *rows]), verdict)


def test_a_decision_that_changes(verdict):
    many = [row("without", f"d{i}", (0.0, 0.2, 0.8), "undecided") for i in range(5)]
    result = made(verdict, row("rope", "2 times", (0.0, 0.99, 0.01), "equivalent"), *many)
    assert not result.holds
    text = result.explain()
    assert (
        "The verdict changes with the ROPE (±0.02: equivalent) and single data sets left" in text
    )
    assert "(d0: undecided; d1: undecided; d2: undecided; and 2 others)" in text
    assert "does not change" not in text


METRICS = np.random.default_rng(1).normal(0.012, 0.02, (10, 2))
Z = np.random.default_rng(1).normal(0.012, 0.02, 7)


def p_of(posterior, rope=None):
    return list(posterior.verdict_without_limits(rope).probabilities.values())


def rows_of(posterior):
    frame = posterior.sensitivity().frame
    columns = [c for c in frame.columns if c.startswith("p_")]
    return {(r.question, r.setting): [getattr(r, c) for c in columns] for r in frame.itertuples()}


def test_one_data_set():
    rows = rows_of(correlated_t(METRICS[:, 0], rho=0.1, rope=0.01))
    for rho in (0, 0.2, 0.5):
        wanted = p_of(correlated_t(METRICS[:, 0], rho=rho, rope=0.01))
        assert rows["rho", f"{rho:g}"] == pytest.approx(wanted, abs=1e-12)
    for m in (0.5, 1, 2):
        wanted = p_of(correlated_t(METRICS[:, 0], rho=0.1, rope=0.01 * m))
        assert rows["rope", f"{m:g} times"] == pytest.approx(wanted, abs=1e-12)
    assert rows["threshold", "0.99"] == rows["fit", "as fitted"]


def test_several_metrics():
    posterior = multivariate_t(METRICS, rho=0.1, rope=0.01, metrics=["tpr", "auc"], seed=1)
    rows = rows_of(posterior)
    wanted = p_of(multivariate_t(METRICS, rho=0.5, rope=0.01, metrics=["tpr", "auc"], seed=1))
    assert rows["rho", "0.5"] == pytest.approx(wanted, abs=1e-12)
    assert rows["rope", "2 times"] == pytest.approx(p_of(posterior, 0.02), abs=1e-12)
    text = posterior.sensitivity().explain()
    assert "unchanged in " in text
    assert posterior.sensitivity().plot().get_yticklabels()[0].get_text() == "as fitted"


def test_settings_can_be_read_beside_long_names_of_several_metrics():
    x = np.random.default_rng(3).normal(0.02, 0.03, (10, 2))
    posterior = bc.bayesian.multivariate_t(
        x, rho=0.1, rope=0.01, names=("gradient-boosting-tuned", "support-vector-machine"), seed=1
    )
    sensitivity = posterior.sensitivity()
    rho = sensitivity.frame["question"] == "rho"
    sensitivity.frame.loc[rho, ["k_hat", "can_refit"]] = 0.78, True  # as of a sampler
    lines = str(sensitivity).splitlines()
    for setting in sensitivity.frame.loc[rho, "setting"]:
        assert any(
            line.startswith(f"rho {setting} (k-hat 0.78, needs a refit)  ") for line in lines
        )
    assert max(map(len, lines)) <= 80


@each_row("test", [sign, signed_rank])
def test_means_of_data_sets(test):
    options = {"rope": 0.01, "seed": 1, "draws": 2000}
    posterior = test(Z, **options)
    rows = rows_of(posterior)
    double = f"weight {2 * posterior.prior:g}"
    assert rows["prior", double] == p_of(test(Z, prior=2 * posterior.prior, **options))
    assert rows["prior", "on the right"] == p_of(test(Z, place="right", **options))
    assert rows["without", "3"] == p_of(test(np.delete(Z, 2), **options))
    assert rows["rope", "0.5 times"] == p_of(test(Z, **{**options, "rope": 0.005}))
    assert len([1 for question, _ in rows if question == "without"]) == len(Z)
    assert "without" not in set(posterior.sensitivity(datasets=False).frame["question"])


def test_the_robust_test_reweights_and_rescales(fake):
    """Against weighted means of the draws, and the transform that another rho is."""
    posterior = robust_t(METRICS[:, 0], rho=0.1, rope=0.01, engine="fake", seed=4)
    frame = posterior.sensitivity().frame.set_index("question")
    d = posterior.draws
    weights = np.exp(
        -(d["nu"] - 1) * (1 / 10 - 1 / 29)
    )  # exponential densities of means 10 and 29
    prior = frame.loc["prior"].iloc[0]
    assert prior["setting"] == "mean of ν − 1 10"
    assert prior["k_hat"] < 0.7
    right = (posterior._masses(posterior.rope)[..., 2] * weights).sum() / weights.sum()
    assert prior["p_right"] == pytest.approx(right, abs=0.01)  # the largest weights are smoothed
    independent = frame.loc["rho"].iloc[0]
    assert independent["setting"] == "0"
    assert independent["p_right"] == (d["centre"] > 0.01).mean()
    one_half = posterior._with_rho(0.5)
    np.testing.assert_allclose(
        one_half.draws["sigma"] * np.sqrt(0.5), d["sigma"] * np.sqrt(0.9), rtol=1e-12
    )


#: So few draws that no weights of them can be relied on.
FEW = {"rho": 0.1, "rope": 0.01, "engine": "fake", "seed": 4, "chains": 3, "draws": 6}


@pytest.mark.filterwarnings("ignore::bayescmp.DiagnosticWarning")
def test_weights_that_cannot_be_relied_on_are_fitted_again(fake):
    posterior = robust_t(METRICS[:, 0], **FEW)
    prior = posterior.sensitivity().frame.set_index("question").loc["prior"].iloc[0]
    assert tuple(prior[["setting", "k_hat", "refitted"]]) == ("mean of ν − 1 10", np.inf, True)
    again = robust_t(METRICS[:, 0], nu_mean=10.0, **FEW)
    assert prior["p_right"] == again.verdict().p_right


@pytest.mark.filterwarnings("ignore::bayescmp.DiagnosticWarning")
def test_a_refit_is_of_the_same_scores_and_settings(fake):
    """Its program is the one that the test itself would be given, but for the prior of ν."""
    noisy = {**FEW, "noise": "t"}
    x = np.round(METRICS, 2)
    fits = [
        partial(robust_t, x[:, 0], resolution=0.05, **FEW),
        partial(multivariate_t, x, resolution=[0.05, 0.01], lkj=3.0, **noisy),
        partial(groups, [0 * x, x, 2 * x[::-1]], resolution=[0.05, 0.01], lkj=3.0, **noisy),
    ]
    for fit in fits:
        fake.requests.clear()
        frame = fit().sensitivity().frame
        refitted = set(frame.loc[frame["refitted"] & (frame["k_hat"] == np.inf), "setting"])
        assert refitted == {"mean of ν − 1 10", "mean of ν − 1 100"}
        first, *others = fake.requests[::2]  # chains of so few draws disagree: each twice
        assert [r.data["nu_mean"] for r in others] == [10, 100]
        for again in others:
            assert again.settings.draws == first.settings.draws
            for name in set(first.data) - {"nu_mean"}:
                np.testing.assert_array_equal(again.data[name], first.data[name])


def test_other_priors_of_confusion_counts():
    """By SciPy's Beta: the second's accuracy less the first's, 40 of 50 and 45 of 50 right."""
    counts = (20, 5, 5, 20), (22, 3, 2, 23)
    posterior = confusion(*counts, "accuracy", rope=0.02, seed=1)
    rows = {s: p for q, s, p in posterior.variations() if q == "prior"}
    assert list(rows) == ["0.5 in each cell", "2 in each cell"]
    for setting, weight in (("0.5 in each cell", 0.5), ("2 in each cell", 2.0)):
        a, b = (stats.beta(right + 2 * weight, 50 - right + 2 * weight) for right in (40, 45))
        grid = (np.arange(4000) + 0.5) / 4000
        wanted = np.mean([b.sf(a.ppf(grid) + 0.02), b.cdf(a.ppf(grid) - 0.02)], axis=1)
        assert rows[setting][[2, 0]] == pytest.approx(wanted, abs=4 * 0.5 / np.sqrt(50_000))
    text = posterior.sensitivity().explain()
    assert "the prior (0.5 in each cell and 2 in each cell)" in text


def test_metrics_of_the_users_own_are_varied_until_they_are_saved(tmp_path):
    counts = (20, 5, 5, 20), (22, 3, 2, 23)
    named, own = (
        confusion(*counts, metric, rope=0.02, seed=1)
        for metric in ("accuracy", lambda tp, fn, fp, tn: (tp + tn) / (tp + fn + fp + tn))
    )
    wanted = [p for _, _, p in named.variations()]
    np.testing.assert_array_equal([p for _, _, p in own.variations()], wanted)
    for posterior, count in ((named, 2), (own, 0)):
        posterior.save(tmp_path / "p.npz")
        again = bc.load(tmp_path / "p.npz")
        rows = [p for _, _, p in again.variations()]
        assert len(rows) == count
        np.testing.assert_array_equal(rows, wanted[:count])
        assert ("prior" in again.fixed) == (not count)


def test_a_comparisons_result_has_it_too(table):
    scores = bc.Scores(table)
    single = bc.compare(scores, "knn", "gbm", "accuracy", rope=0.05, dataset=scores.datasets[0])
    assert {"fit", "rho"} <= set(single.sensitivity().frame["question"])


def test_no_rope_no_question_of_ropes():
    posterior = correlated_t(METRICS[:, 0], rho=0.1, rope=0.0)
    assert "rope" not in set(posterior.sensitivity().frame["question"])


def test_two_samples():
    """Equal variances by SciPy's t; a run left out is a fit without it."""
    first, second = METRICS[:, 0], METRICS[:7, 1] + 0.01
    posterior = two_sample_t(first, second, rope=0.01, names=("old", "new"))
    rows = rows_of(posterior)
    df = len(first) + len(second) - 2
    pooled = ((len(first) - 1) * first.var(ddof=1) + (len(second) - 1) * second.var(ddof=1)) / df
    scale = np.sqrt(pooled * (1 / len(first) + 1 / len(second)))
    student = stats.t(df, second.mean() - first.mean(), scale)
    wanted = [student.cdf(-0.01), student.cdf(0.01) - student.cdf(-0.01), student.sf(0.01)]
    assert rows["model", "equal variances"] == pytest.approx(wanted, abs=1e-10)
    wanted = p_of(two_sample_t(first, np.delete(second, 3), rope=0.01))
    assert rows["runs", "new 4"] == pytest.approx(wanted, abs=1e-12)
    assert "single runs left out" in posterior.sensitivity().explain()
    assert not [q for q, _ in rows if q == "without"]


def test_what_cannot_be_varied_is_named():
    text = two_sample_t([1, 2, 3], [3, 4, 6], rope=0.5).sensitivity().explain("paper")
    assert "and the correlation of folds (runs are independent)." in text
    text = correlated_t(METRICS[:, 0], rho=0.1, rope=0.01).sensitivity().explain("paper")
    assert "Not varied: the prior (p(δ, σ) ∝ 1/σ has nothing to set)." in text


def test_several_metrics_with_t_noise(fake):
    options = {"rho": 0.1, "rope": 0.01, "noise": "t", "engine": "fake", "seed": 4}
    posterior = multivariate_t(METRICS, **options)
    rows = rows_of(posterior)
    prior = rows["prior", "mean of ν − 1 10"]
    weights = np.exp(-(posterior.draws["nu"] - 1) * (1 / 10 - 1 / 29))
    shares = membership(posterior.draws["delta"], posterior.ropes())
    wanted = (weights[..., None] * shares).sum(axis=(0, 1)) / weights.sum()
    assert prior == pytest.approx(wanted, abs=0.01)  # the largest weights are smoothed
    centre = posterior.draws["centre"]
    assert rows["rho", "0"] == list(membership(centre, posterior.ropes()).mean(axis=(0, 1)))
    moved = posterior.fit.move("delta", 0.1, to=0.5, seed=4).draws
    shared = np.linalg.solve(
        np.linalg.cholesky(moved["Sigma"]), (centre - moved["delta"])[..., None]
    )[..., 0]
    size = (shared**2).sum(axis=-1) / 2 / 0.5  # F with 2 and ν degrees of freedom
    assert (
        stats.kstest(stats.f.cdf(size, 2, posterior.draws["nu"]).ravel(), "uniform").pvalue > 1e-4
    )


NAMES = ["d1", "d2", "d3", "d4", "d5", "d6"]


def differences(rows, rho=0.1):
    names = [f"d{i + 1}" for i in range(len(rows))]
    return bc.Differences(rows, rho=rho, metric="accuracy", names=("knn", "gbm"), datasets=names)


def fitted(rows, rope=0.01, rho=0.1, **options):
    return hierarchical_t(
        differences(rows, rho), rope=rope, engine="quadrature", seed=1, **options
    )


@pytest.fixture(scope="module")
def rows():
    return simulated(q=6, seed=4)


@pytest.fixture(scope="module")
def posterior(rows):
    return fitted(rows)


@pytest.fixture(scope="module")
def hierarchical_table(posterior):
    frame = posterior.sensitivity().frame
    return frame.set_index(["question", "setting"])[["p_left", "p_rope", "p_right"]]


def test_every_question_has_its_rows(posterior):
    counts = posterior.sensitivity().frame["question"].value_counts().to_dict()
    assert counts == {"fit": 1, "prior": 4, "rho": 3, "rope": 3, "without": 6, "threshold": 3}


def test_a_left_out_data_set_is_a_fit_without_it(rows, hierarchical_table):
    for i, name in enumerate(NAMES):
        wanted = p_of(fitted(np.delete(rows, i, axis=0)))
        assert hierarchical_table.loc[("without", name)].tolist() == pytest.approx(
            wanted, abs=1e-9
        )


def test_other_settings_are_fits_with_them(rows, posterior, hierarchical_table):
    assert hierarchical_table.loc[("fit", "as fitted")].tolist() == pytest.approx(
        p_of(posterior), abs=1e-12
    )
    for rho in (0.0, 0.2, 0.5):
        wanted = p_of(fitted(rows, rho=rho))
        assert hierarchical_table.loc[("rho", f"{rho:g}")].tolist() == pytest.approx(
            wanted, abs=1e-9
        )
    for times in (0.5, 1.0, 2.0):
        wanted = p_of(fitted(rows, rope=0.01 * times))
        assert hierarchical_table.loc[("rope", f"{times:g} times")].tolist() == pytest.approx(
            wanted, abs=1e-9
        )
    wanted = p_of(fitted(rows, prior=HierarchicalPrior.benavoli2017()))
    assert hierarchical_table.loc[("prior", "benavoli2017")].tolist() == pytest.approx(
        wanted, abs=1e-9
    )
    bound = float(np.abs(rows).max())  # of differences whose range is not known
    wide = dataclasses.replace(posterior.prior, delta0_bound=10 * bound)
    wanted = p_of(fitted(rows, prior=wide))
    assert hierarchical_table.loc[("prior", "δ0 ten times as wide")].tolist() == pytest.approx(
        wanted, abs=1e-9
    )


def test_the_half_t_prior_is_a_reweighting_of_the_draws(rows, posterior, hierarchical_table):
    """Importance weights on draws of σ0, in units of the metric: another way to the same."""
    d = posterior.upper_draws
    scale = 2.5 * np.std([r.mean() for r in rows], ddof=1)
    w = (1 + (d["sigma0"] / scale) ** 2 / 3) ** -2
    shares = winners(masses_of(d, as_rope(0.01)))
    wanted = (w[..., None] * shares).sum(axis=(0, 1)) / w.sum()
    assert hierarchical_table.loc[("prior", "half-t(3, 2.5 sd) of σ0")].tolist() == pytest.approx(
        wanted, abs=0.015
    )  # ten thousand quasi-random draws


def test_there_is_no_half_t_without_a_spread_of_the_means(rows):
    """Its scale is that spread: of data sets whose means tie there is none."""
    tied = [np.asarray(r) - np.mean(r) + 0.005 for r in rows]
    frame = fitted(tied).sensitivity(datasets=False).frame
    assert not frame["setting"].str.startswith("half-t").any()
    assert frame.filter(like="p_").notna().all(axis=None)


def test_normal_data_sets_are_those_of_a_large_nu(rows, hierarchical_table):
    large = HierarchicalPrior(alpha=(900.0, 900.0), beta=(0.3, 0.3))  # ν about 3000
    wanted = p_of(fitted(rows, prior=large))
    assert hierarchical_table.loc[("prior", "ν about 1000 (normal)")].tolist() == pytest.approx(
        wanted, abs=2e-3
    )


def test_thresholds_change_decisions_only(posterior):
    own = posterior.verdict()
    largest = max(own.probabilities.values())
    asked = posterior.sensitivity(
        thresholds=[largest - 0.01, min(largest + 0.01, 0.999)], datasets=False, ropes=[1.0]
    ).frame
    asked = asked[asked["question"] == "threshold"]
    assert asked["change"].tolist() == [0, 0]
    assert (asked["decision"] != "undecided").tolist() == [True, False]


def test_two_data_sets_and_no_rope():
    two = fitted(simulated(q=2, seed=1), rope=0.0)
    questions = set(two.sensitivity().frame["question"])
    assert questions == {"fit", "prior", "rho", "threshold"}


@each_row(
    ("options", "message"),
    [
        ({"rhos": [1.5]}, "rho must be"),
        ({"thresholds": [2.0]}, "threshold must be"),
        ({"threshold": 0.2}, "threshold must be"),
    ],
)
def test_bad_options(posterior, options, message):
    with pytest.raises(bc.InputError, match=message):
        posterior.sensitivity(**options, datasets=False)


ALGORITHMS = np.random.default_rng(1).normal([[0.70], [0.71], [0.75]], 0.02, (3, 10))
PAIR = ("A1", "A3")


def rows_of_a_pair(posterior, pair=PAIR, **options):
    frame = posterior.sensitivity(**options)[pair].frame
    columns = [c for c in frame.columns if c.startswith("p_")]
    return {(r.question, r.setting): [getattr(r, c) for c in columns] for r in frame.itertuples()}


def p_of_a_pair(posterior, rope=None):
    return all_probabilities(posterior, rope)[PAIR].tolist()


@each_row(("variances", "other"), [("equal", "own"), ("own", "equal")])
def test_groups_are_fitted_again(variances, other):
    options = {"rope": 0.01, "seed": 3}
    rows = rows_of_a_pair(groups(ALGORITHMS, rho=0.1, variances=variances, **options))
    for rho in (0.0, 0.2, 0.5):
        wanted = p_of_a_pair(groups(ALGORITHMS, rho=rho, variances=variances, **options))
        assert rows["rho", f"{rho:g}"] == pytest.approx(wanted, abs=1e-12)
    wanted = p_of_a_pair(groups(ALGORITHMS, rho=0.1, variances=other, **options))
    assert rows["model", f"{other} variances"] == pytest.approx(wanted, abs=1e-12)
    wanted = p_of_a_pair(groups(ALGORITHMS, rho=0.1, variances=variances, rope=0.02, seed=3))
    assert rows["rope", "2 times"] == pytest.approx(wanted, abs=1e-12)


def test_two_algorithms_have_one_variance_only():
    assert list(pair_refits(groups(ALGORITHMS[:2], rho=0.1, rope=0.01, seed=1))) == []
    assert list(pair_refits(bootstrap([[0.8, 0.9], [0.7, 0.6]], rope=0.01, draws=100))) == []


MEANS = np.random.default_rng(2).normal([0.70, 0.71, 0.75], 0.02, (6, 3))
WIDTH = np.log(0.55 / 0.45)  # of abilities, for a chance of winning of 0.55


def test_groups_of_several_metrics():
    x = np.random.default_rng(1).normal([0.7, 0.8], 0.01, size=(3, 10, 2))
    posterior = groups(x, ["tpr", "auc"], rho=0.1, rope=0.01, seed=1)
    rows = rows_of_a_pair(posterior)
    wanted = p_of_a_pair(groups(x, ["tpr", "auc"], rho=0.5, rope=0.01, seed=1))
    assert rows["rho", "0.5"] == pytest.approx(wanted, abs=1e-12)


@each_row("test", [bootstrap, friedman])
def test_a_data_set_left_out_is_a_fit_without_it(test):
    options = {"rope": 0.01, "seed": 1, "draws": 400}
    rows = rows_of_a_pair(test(MEANS, **options))
    names = [setting for question, setting in rows if question == "without"]
    assert len(names) == len(MEANS)
    assert rows["without", names[2]] == p_of_a_pair(test(np.delete(MEANS, 2, axis=0), **options))
    assert not [
        q for q, _ in rows_of_a_pair(test(MEANS, **options), datasets=False) if q == "without"
    ]


def test_the_prior_of_friedmans_test():
    rows = rows_of_a_pair(friedman(MEANS, seed=1, draws=400))
    for weight in (0, 2):
        wanted = p_of_a_pair(friedman(MEANS, prior=weight, seed=1, draws=400))
        assert rows["prior", f"weight {weight}"] == wanted


def test_abilities_under_a_wider_prior_and_with_ties_counted_otherwise():
    wins = np.array([[0, 7, 2], [3, 0, 2], [1, 1, 0]])
    frame = pd.DataFrame(
        [("A1", "A2", 7, 3, 2), ("A1", "A3", 2, 1, 1), ("A2", "A3", 2, 1, 0)],
        columns=["first", "second", "win1", "win2", "ties"],
    )
    posterior = bradley_terry(frame, seed=1)
    assert posterior.outcomes.wins.tolist() == wins.tolist()
    rows = rows_of_a_pair(posterior)
    # Wider, by the own draws' weights: normal densities of log σ with sd 1 and 0.5
    log_sigma = np.log(posterior.sigma).ravel()
    weights = np.exp(-0.5 * log_sigma**2 * (1 - 4))
    gap = posterior.abilities.reshape(-1, 3)[:, 2] - posterior.abilities.reshape(-1, 3)[:, 0]
    shares = np.stack([gap < -WIDTH, abs(gap) <= WIDTH, gap > WIDTH], axis=1)
    wanted = weights @ shares / weights.sum()
    error = np.sqrt(weights**2 @ (shares - wanted) ** 2) / weights.sum()
    away = abs(np.array(rows["prior", "σ ~ LogNormal(0, 1)"]) - wanted)
    np.testing.assert_array_less(away, 4 * error + 0.01)
    assert rows["model", "ties: forget"] == p_of_a_pair(
        bradley_terry(frame, ties="forget", seed=1)
    )


def test_several_algorithms_with_t_noise(fake):
    """Against weighted draws, and draws that are the centre itself where folds are independent."""
    posterior = groups(ALGORITHMS, rho=0.1, rope=0.01, noise="t", engine="fake", seed=4)
    rows = rows_of_a_pair(posterior)
    nu, tau = posterior.draws["nu"], posterior.draws["tau"]
    weights = np.exp(-(nu - 1) * (1 / 10 - 1 / 29))
    gap = tau[..., 2, 0] - tau[..., 0, 0]
    prior = rows["prior", "mean of ν − 1 10"]
    assert prior[2] == pytest.approx((weights * (gap > 0.01)).sum() / weights.sum(), abs=0.01)
    centre = posterior.draws["centre"]
    apart = centre[..., 2, 0] - centre[..., 0, 0]
    assert rows["rho", "0"][2] == (apart > 0.01).mean()
    moved = posterior.fit.move("tau", 0.1, to=0.5, seed=4).draws
    np.testing.assert_allclose(moved["tau"].sum(axis=-2), centre.sum(axis=-2), atol=1e-12)
    np.testing.assert_allclose(0.5 * moved["Sigma"], 0.9 * posterior.draws["Sigma"])


def test_all_pairs_of_a_comparison(table):
    scores = bc.Scores(table)
    options = {"metric": "accuracy", "rope": 0.05, "test": "sign", "seed": 1, "progress": False}
    kept = bc.compare_all(scores, keep_posteriors=True, **options)
    result = kept.sensitivity(datasets=False)
    assert isinstance(result, PairsSensitivity)
    pair = next(iter(kept.results))
    wanted = kept[pair].posterior.sensitivity(datasets=False).frame
    pd.testing.assert_frame_equal(result[pair].frame, wanted)
    refitted = bc.compare_all(scores, **options).sensitivity(datasets=False)[pair]
    pd.testing.assert_frame_equal(refitted.frame, wanted)
    with pytest.raises(bc.InputError, match="pair"):
        result["knn", "nobody"]


def test_in_words_and_pictures():
    result = groups(ALGORITHMS, rho=0.1, rope=0.01, variances="equal", seed=3).sensitivity()
    assert not result.holds
    text = result.explain()
    assert text.startswith(
        "1 of 3 verdicts is unchanged in all settings. Unchanged in all settings: A1"
    )
    assert "A1 and A3 (A3 better): the verdict changes with the correlation of folds" in text
    firm = PairsSensitivity({("A1", "A2"): result["A1", "A2"]})
    assert "as fitted" not in str(firm)  # the head of a table without rows
    paper = result.explain("paper")
    assert paper.startswith(text)
    assert "Not varied: the prior (Jeffreys' has nothing to set)." in paper
    changed = result.changed()
    assert set(zip(changed["first"], changed["second"], strict=True)) == {PAIR, ("A2", "A3")}
    assert str(result).split("\n\n")[2].count("\n") == len(changed)
    assert "<table" in result._repr_html_()


# Reweighted draws against fits under the other assumption, by Stan.


RNG = np.random.default_rng(3)
XS = RNG.normal([0.012, 0.008], 0.015, (8, 1, 2)) + RNG.normal(0, 0.02, (8, 10, 2))
SCORES = RNG.normal([0.70, 0.71, 0.72], 0.015, (8, 1, 3)) + RNG.normal(0, 0.02, (8, 10, 3))
FOLDS = np.array([0.3, 0.5, 0.1, 0.45, 0.2, 0.38, 0.6, 0.28, 0.33, 0.41])
#: Of other correlations, and of data sets left out, one is fitted: the others take as long.
RHO = "0.2"


@pytest.fixture
def kept(monkeypatch):
    """Draws that were weighted, and the share of them that the weights are worth (Kish)."""
    each, psis = [], sampling.psis

    def remembered(ratios):
        weights, k_hat = psis(ratios)
        each.append((ratios.size, 1 / np.sum(weights**2) / ratios.size))
        return weights, k_hat

    monkeypatch.setattr(sampling, "psis", remembered)
    return each


def kept_rows(variations, kept):
    """By question and setting: with k-hat, the probabilities, how many draws they are made of.

    What another correlation only rescales has no weights.
    """
    rows = {}
    for question, setting, p in variations:
        exact = isinstance(setting, str)
        weights = Reweighted(setting, -np.inf) if exact else setting
        rows[question, weights.setting] = weights, p, (np.inf, 1.0) if exact else kept[-1]
    return rows


def parts(verdict):
    """Probabilities of the regions, and their standard errors."""
    return (np.array([*x.values()]) for x in (verdict.probabilities, verdict.errors))


def wanted_of(rows):
    """What is fitted besides other priors: one correlation, and without one of the data sets.

    The first whose weights can be relied on.
    """
    without = (s for (q, s), row in rows.items() if q == "without" and not row[0].can_refit)
    return {("rho", RHO), ("without", next(without))}


def check(rows, verdicts, fit):
    """All that can be relied on is within three standard errors of a fit; of which questions.

    The weighted draws are as many independent ones as those of the fit are, less what the weights
    cost.
    """
    questions = set()
    p, error = parts(fit)
    independent = np.clip(p * (1 - p), 1e-3, None) / error**2
    print()
    for (question, setting), verdict in verdicts.items():
        weights, own, (draws, share) = rows[question, setting]
        p, error = parts(verdict)
        size = share * np.minimum(draws, independent)
        z = np.abs(own - p) / np.hypot(np.sqrt(np.clip(p * (1 - p), 1 / size, None) / size), error)
        named = f"{question:8s}{weights.setting:52s}"
        print(f"{named}{own.round(3)} fitted: {p.round(3)}, z {z.round(1)}")
        if not weights.can_refit:
            assert z.max() < 3
            questions.add(question)
    return questions


@pytest.mark.stan
@pytest.mark.slow
def test_the_hierarchical_multivariate_test(stan_engine, kept):
    posterior = hierarchical_multivariate_t(XS, rho=0.1, rope=0.01, engine=stan_engine, seed=1)
    rows = kept_rows(posterior.variations(), kept)
    wanted, verdicts = wanted_of(rows), {}
    for change in multivariate_changes(posterior, posterior.observed, datasets=True):
        key = change.question, change.setting
        if change.question == "prior" or key in wanted:
            other = refitted_multivariate(posterior, change.observed, change.prior)
            verdicts[key] = other.verdict()
    assert check(rows, verdicts, posterior.verdict()) == {"prior", "rho", "without"}


@pytest.mark.stan
@pytest.mark.slow
def test_the_joint_test(stan_engine, kept):
    """Another correlation also by the test itself."""
    options = {"rope": 0.01, "engine": stan_engine, "seed": 1, "draws": 2000}
    posterior = joint_t(SCORES, rho=0.1, **options)
    pair = posterior.pairs[1]
    variations = ((q, s, p[pair]) for q, s, p in posterior.pair_variations())
    rows = kept_rows(variations, kept)
    wanted, verdicts = wanted_of(rows), {}
    for change in list_joint_changes(posterior.contrasts, posterior.datasets):
        key = change.question, change.setting
        if change.question == "prior" or key in wanted:
            verdicts[key] = refit_joint(posterior, change.contrasts).verdict(*pair)
    own = posterior.verdict(*pair)
    assert check(rows, verdicts, own) == {"prior", "rho", "without"}
    verdicts = {("rho", RHO): joint_t(SCORES, rho=float(RHO), **options).verdict(*pair)}
    assert check(rows, verdicts, own) == {"rho"}


@pytest.mark.stan
@pytest.mark.slow
def test_the_robust_test(stan_engine, kept):
    options = {"rope": 0.3, "engine": stan_engine, "seed": 1}
    posterior = robust_t(FOLDS, rho=0.1, **options)
    rows = kept_rows(posterior.variations(), kept)
    verdicts = {
        ("prior", f"mean of ν − 1 {m:g}"): robust_t(FOLDS, rho=0.1, nu_mean=m, **options).verdict()
        for m in (10.0, 100.0)
    }
    verdicts["rho", RHO] = robust_t(FOLDS, rho=float(RHO), **options).verdict()
    assert check(rows, verdicts, posterior.verdict()) == {"prior", "rho"}
