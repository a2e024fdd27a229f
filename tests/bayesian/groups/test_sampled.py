"""Sampling the blocked MANOVA: closed form, two algorithms, recovery, edges."""

import warnings

import numpy as np
import pytest
from scipy import stats
from scipy.linalg import helmert

import bayescmp as bc
from bayescmp.bayesian import groups
from bayescmp.bayesian.groups.posterior import sample_groups
from bayescmp.bayesian.multivariate.problem import sample_multivariate
from tests.bayesian.multivariate.cases import near
from tests.rows import each_row


def scores(L=4, n=12, p=2, seed=0):
    rng = np.random.default_rng(seed)
    tau = 0.02 * rng.normal(size=(L, 1, p))
    root = np.array([[1, 0.8, 0.2], [0, 0.4, 0.3], [0, 0, 1]])[:p, :p]
    return 0.8 + tau + 0.2 * rng.normal(size=(1, n, p)) + 0.03 * rng.normal(size=(L, n, p)) @ root


def sampled(x, **options):
    return sample_groups(x, **{"rho": 0.1, "engine": "fake", "seed": 4, **options})


def errors_of(x):
    """Scatter matrix of the blocked errors, algorithm and fold means taken out."""
    e = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean(axis=(0, 1))
    return np.einsum("ijk,ijl->kl", e, e)


# Without Stan.


def test_what_the_program_is_given(fake):
    x = scores()
    sampled(x, noise="normal")
    data = fake.requests[0].data
    W = errors_of(x)
    unit = np.sqrt(np.diag(W) / (3 * 11))
    assert data["scatter"] == pytest.approx(W / np.outer(unit, unit))
    assert data["eta"] == -0.5
    effects = np.sort((x.mean(axis=1) - x.mean(axis=(0, 1)))[:, 0] / unit[0])
    assert np.sort((helmert(4).T @ data["xbar"])[:, 0]) == pytest.approx(effects)
    assert data["root"] @ data["root"].T == pytest.approx(data["scatter"] / 33 / 0.9)


@each_row("noise", ["normal", "t"])
def test_order_of_algorithms_and_folds_and_the_folds_effects_cannot_matter(fake, noise):
    x = scores()
    actual = sampled(x, noise=noise).draws["tau"]
    assert actual.mean(axis=(0, 1))[:, 0] == pytest.approx(
        (x.mean(axis=1) - x.mean(axis=(0, 1)))[:, 0], abs=0.05
    )
    perm = [2, 0, 3, 1]
    again = sampled(x[perm][:, ::-1], noise=noise).draws["tau"]
    assert again == pytest.approx(actual[:, :, perm], abs=1e-9)
    moved = sampled(x + np.arange(12.0)[None, :, None], noise=noise).draws["tau"]
    assert moved == pytest.approx(actual, abs=1e-9)


def test_draws_of_other_metrics(fake, tmp_path):
    """Linear maps of the draws are the draws of the maps; they are not fitted again."""
    posterior = groups(scores(), rho=0.1, rope=0.01, noise="t", engine="fake", seed=4)
    sums = posterior.transform([[1, 2], [0, 1]], metrics=["m1", "m2"], rope=0.02)
    np.testing.assert_allclose(sums.draws["tau"][..., 0], posterior.draws["tau"] @ [1, 2])
    pair = sums.pair("A1", "A3")
    np.testing.assert_allclose(pair.draws["delta"][..., 1], _gap(posterior, 0, 2)[..., 1])
    questions = {question for question, _, _ in sums.pair_variations()}
    assert questions == {"prior"}
    sums.save(tmp_path / "s.npz")
    assert bc.load(tmp_path / "s.npz").verdicts() == sums.verdicts()
    one = posterior.select("m2")
    assert one.verdict("A1", "A3").rope == posterior.rope[1]
    assert one.draws["tau"].shape == (*posterior.draws["tau"].shape[:-1], 1)
    learned = posterior.learned(1, rope=0.5)
    assert learned.metrics == ("M1",)
    assert learned.within.ravel() == pytest.approx(1)


def _gap(posterior, i, j):
    tau = posterior.draws["tau"]
    return tau[..., j, :] - tau[..., i, :]


# With Stan.


@pytest.mark.slow
@pytest.mark.stan
@pytest.mark.parametrize(("L", "n", "p", "rho"), [(4, 5, 2, 0.2), (3, 20, 1, 0.1)])
def test_normal_noise_and_jeffreys_prior_have_the_closed_form(stan_engine, L, n, p, rho):
    """τ_i - τ_k ~ t_v(difference of means, 2 c W/v), v = (L-1)(n-1) - p + 1."""
    x = scores(L, n, p, seed=1)
    posterior = sample_groups(x, rho=rho, noise="normal", engine=stan_engine, seed=1, draws=2500)
    assert posterior.diagnostics.ok
    assert posterior.diagnostics.divergences == 0
    assert posterior.draws["tau"].sum(axis=2) == pytest.approx(0, abs=1e-9)
    c, v = 1 / n + rho / (1 - rho), (L - 1) * (n - 1) - p + 1
    inverse = np.linalg.inv(2 * c * errors_of(x) / v)
    for i, k in ((0, 1), (1, 2), (0, L - 1)):
        away = posterior.draws["tau"][:, :, i] - posterior.draws["tau"][:, :, k]
        away = away - (x[i] - x[k]).mean(axis=0)
        d2 = np.einsum("cdi,ij,cdj->cd", away, inverse, away) / p
        for prob in (0.1, 0.5, 0.9):
            below = np.mean(d2 <= stats.f(p, v).ppf(prob))
            assert below == pytest.approx(prob, abs=4 * np.sqrt(prob * (1 - prob) / 5000) + 0.002)
        assert np.mean(away[..., 0] <= 0) == pytest.approx(0.5, abs=0.03)


@pytest.mark.slow
@pytest.mark.stan
def test_two_algorithms_are_the_test_of_their_differences(stan_engine):
    """t noise: the same posterior as the other program's, Σ halved."""
    x = scores(2, 15, 2, seed=2)
    x[0, 3] += 0.5
    ours = sample_groups(x, rho=0.1, engine=stan_engine, seed=1, draws=2500)
    theirs = sample_multivariate(x[1] - x[0], rho=0.1, engine=stan_engine, seed=2, draws=2500)
    delta = ours.draws["tau"][:, :, 1] - ours.draws["tau"][:, :, 0]
    pairs = [(delta[..., k], theirs.draws["delta"][..., k]) for k in (0, 1)]
    pairs.append((ours.draws["nu"], theirs.draws["nu"]))
    pairs.append((2 * ours.draws["Sigma"][..., 0, 1], theirs.draws["Sigma"][..., 0, 1]))
    for a, b in pairs:
        for prob in (0.1, 0.5, 0.9):
            assert np.mean(a <= np.quantile(b, prob)) == pytest.approx(prob, abs=0.035)


@pytest.mark.slow
@pytest.mark.stan
@pytest.mark.parametrize("noise", ["normal", "t"])
def test_known_effects_are_recovered(stan_engine, noise):
    rng = np.random.default_rng(7)
    L, n, rho = 5, 60, 0.1
    tau = np.array([[0.03, 0.0], [0.0, 0.02], [-0.03, 0.0], [0, -0.02], [0, 0]])
    heavy = np.sqrt(rng.chisquare(4, (1, n + 1, 1)) / 4) if noise == "t" else 1.0
    z = rng.normal(size=(L, n + 1, 2)) / heavy
    root = np.array([[0.02, 0], [0.015, 0.01]])
    e = (np.sqrt(rho) * z[:, :1] + np.sqrt(1 - rho) * z[:, 1:]) @ root.T
    x = 0.7 + tau[:, None] + 0.3 * rng.normal(size=(1, n, 2)) + e
    posterior = sample_groups(x, rho=rho, noise=noise, engine=stan_engine, seed=1)
    assert posterior.diagnostics.ok
    assert posterior.diagnostics.divergences == 0
    mean = posterior.draws["tau"].mean(axis=(0, 1))
    sd = posterior.draws["tau"].std(axis=(0, 1))
    assert np.all(np.abs(mean - tau) < 3.5 * sd)
    assert sd.max() < 0.02
    sigma = posterior.draws["Sigma"]
    away = (sigma.mean(axis=(0, 1)) - root @ root.T) / sigma.std(axis=(0, 1))
    assert np.abs(away).max() < 3.5
    if noise == "t":
        low, high = np.quantile(posterior.draws["nu"], [0.005, 0.995])
        assert low < 4 < high


@pytest.mark.calibration
@pytest.mark.slow
@pytest.mark.stan
@pytest.mark.parametrize("metrics", [("tpr", "fpr"), ("auc", "error")])
@pytest.mark.parametrize("noise", ["normal", "t"])
def test_no_divergence_on_the_confusion_data(stan_engine, reference_dir, metrics, noise):
    table = bc.Scores.read(reference_dir / "cv_confusion_sklearn.csv")
    refitted = 0
    for dataset in table.datasets:
        blocks = bc.scores_blocks(table, dataset=dataset, metrics=metrics)
        posterior = sample_groups(
            blocks.oriented, rho=blocks.rho, noise=noise, engine=stan_engine, seed=1
        )
        assert posterior.diagnostics.ok, dataset
        assert posterior.diagnostics.divergences == 0
        refitted += posterior.diagnostics.refitted
    print(f"\n{metrics}, {noise} noise: {len(table.datasets)} data sets, {refitted} refitted")


@pytest.mark.slow
@pytest.mark.stan
def test_groups_by_sampling(stan_engine, tmp_path):
    rng = np.random.default_rng(1)
    x = 0.7 + rng.normal(size=(3, 1, 2)) * 0.02 + rng.normal(size=(1, 15, 2)) * 0.05
    x = x + rng.normal(size=(3, 15, 2)) * 0.02
    exact = groups(x, rho=0.1, rope=0.01, seed=1)
    drawn = groups(x, rho=0.1, rope=0.01, seed=1, engine=stan_engine)
    for pair in exact.pairs:
        near(drawn.verdict(*pair), exact.verdict(*pair))
    assert drawn.p_best() == pytest.approx(exact.p_best(), abs=0.06)
    np.testing.assert_allclose(
        drawn.intervals(), exact.intervals(), atol=0.2 * drawn.effects.std(axis=0).max()
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn.save(tmp_path / "g.npz")
        back = bc.load(tmp_path / "g.npz")
    assert back.verdicts() == drawn.verdicts()


@pytest.mark.slow
@pytest.mark.stan
def test_groups_of_one_metric_with_t_noise(stan_engine):
    rng = np.random.default_rng(1)
    x = 0.7 + rng.normal(size=(3, 20)) * 0.02
    drawn = groups(x, rho=0.1, rope=0.01, seed=1, noise="t", engine=stan_engine)
    v = drawn.verdict("A1", "A2")
    assert set(v.probabilities) == {"left", "rope", "right"}
    near(v.swapped(), drawn.verdict("A2", "A1"))
    exact = groups(x, rho=0.1, rope=0.01, seed=1).verdict("A1", "A2")
    assert v.p_rope == pytest.approx(exact.p_rope, abs=0.12)
