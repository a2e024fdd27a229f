"""Data of the joint program, and the data sets' true means given its draws."""

from dataclasses import replace

import arviz
import numpy as np
import pytest
from scipy import integrate, stats

import bayescmp as bc
from bayescmp.bayesian import joint_t
from bayescmp.bayesian.joint.problem import JointPrior, fold_noise, pose, true_means
from bayescmp.bayesian.joint.table import read_table
from tests.rows import each_row


@each_row(
    ("sizes", "columns"), [((3, 50), 1), ((8, 14), 3), ((20, 3), 2), ((4, 2), 1), ((2, 9), 0)]
)
def test_factors_are_no_more_than_there_can_be(sizes, columns):
    assert JointPrior().columns(*sizes) == columns


def test_text_names_everything_that_can_be_set():
    text = str(JointPrior(scale_median=20.0, alpha=(1.0, 2.0)))
    assert "N(log 20, 1.5)" in text
    assert "U(1, 2)" in text


@each_row(
    ("option", "says"),
    [
        ({"scale_sd": 0}, "scale_sd must be"),
        ({"mean_floor": -1}, "mean_floor must be"),
        ({"beta": (0.2, 0.1)}, r"beta must be"),
        ({"factors": -1}, "factors must be"),
    ],
)
def test_bad_priors_are_refused(option, says):
    with pytest.raises(bc.InputError, match=says):
        JointPrior(**option)


@each_row(
    "options",
    [
        {"factors": 1},
        {"scale_median": 30.5},
        {"scale_sd": 1.6},
        {"factor_scale": 1.0},
        {"mean_scale": 9.0},
        {"mean_floor": 0.1},
        {"alpha": (0.5, 4.0)},
        {"beta": (0.05, 0.2)},
        {"nu_offset": 2.0},
    ],
)
def test_every_part_is_printed(options):
    assert str(JointPrior(**options)) != str(JointPrior())


def noise(x, rho=0.1, **options):
    return fold_noise(read_table(x, metric=None, rho=rho, test="it"), **options)


def test_every_pair_has_the_kernel_of_the_test_of_two(scores_of):
    """ss (1 + (n-1) rho) / (n (1-rho) (n-2)) with n - 2 degrees, as hierarchical_correlated_t.stan
    has it, whichever other algorithms there are."""
    x = scores_of(3, 20, 5)
    result = noise(x)
    assert result.weight == 0
    assert result.dof.tolist() == [18] * 3
    B, C = result.B[1], result.C[1]
    for a, b in ((0, 1), (2, 4)):
        d = x[1, :, b] - x[1, :, a]
        direction = B @ (np.eye(5)[b] - np.eye(5)[a])
        expected = d.var() * 20 * (1 + 19 * 0.1) / (20 * 0.9 * 18)
        assert direction @ C @ direction == pytest.approx(expected)
        assert direction @ result.y[1] == pytest.approx(d.mean())
    fewer = noise(x[..., [0, 1, 4]])
    d01 = fewer.B[1] @ [-1, 1, 0]
    assert d01 @ fewer.C[1] @ d01 == pytest.approx(
        (B @ [-1, 1, 0, 0, 0]) @ C @ (B @ [-1, 1, 0, 0, 0])
    )


def test_a_pair_without_spread_has_that_of_rounding():
    """n h² / 12, as in the test of two."""
    rng = np.random.default_rng(1)
    x = np.round(rng.normal(0.8, 0.05, (3, 30, 3)), 2)
    x[1, :, 1] = x[1, :, 0] + 0.02
    result = noise(x)
    direction = result.B[1] @ [-1, 1, 0]
    expected = 30 * 0.01**2 / 12 * (1 + 29 * 0.1) / (30 * 0.9 * 28)
    assert direction @ result.C[1] @ direction == pytest.approx(expected, rel=1e-6)


def test_gaps_are_padding(scores_of):
    x = scores_of(4, 20, 4)
    x[2, :, 1] = np.nan
    result = noise(x)
    assert result.pad[2].tolist() == [0, 0, 1]
    assert not result.B[2, 2].any()
    assert not result.B[2, :, 1].any()
    whole = noise(x[..., [0, 2, 3]])
    np.testing.assert_allclose(result.C[2, :2, :2], whole.C[2])


def test_few_folds_borrow_the_shape_that_data_sets_share():
    """One pair far steadier than the others on all data sets, five folds of twelve algorithms."""
    rng = np.random.default_rng(5)
    sd = np.full(12, 0.03)
    sd[:2] = 0.003
    x = 0.8 + rng.normal(0, 1, (25, 5, 12)) * sd
    result = noise(x, rho=0.0)
    assert result.weight > 0
    assert (np.linalg.eigvalsh(result.C) > 0).all()

    def spread(a, b):
        direction = result.B @ (np.eye(12)[b] - np.eye(12)[a])
        scale = np.einsum("ik,ikl,il->i", direction, result.C, direction)
        return np.sqrt(np.median(scale) * 5)

    assert spread(0, 1) == pytest.approx(0.003 * np.sqrt(2), rel=0.4)
    assert spread(4, 9) == pytest.approx(0.03 * np.sqrt(2), rel=0.3)


def test_pooled_noise_covers_where_its_own_scatter_does_not():
    """Errors of means in units of what is said of them: their mean square is near 1."""
    rng = np.random.default_rng(2)
    x = rng.normal(0, 0.03, (200, 10, 8))  # true means are all zero
    for pool, ratio in ((True, 1.0), (False, 8 / 3)):
        result = noise(x, rho=0.0, pool=pool)
        distance = np.einsum("ik,ikl,il->i", result.y, np.linalg.inv(result.C), result.y) / 7
        expected = ratio * result.dof.mean() / (result.dof.mean() - 2) if pool else None
        if pool:
            assert distance.mean() == pytest.approx(expected, rel=0.15)
        else:
            assert distance.mean() > 2


@each_row("n", [3, 30])
def test_constant_folds_have_the_noise_of_rounding(n):
    """Sum of squares n step² / 24 of each contrast, with few folds and with many."""
    means = np.array([[0.1, 0.2, 0.4, 0.5], [0.3, 0.2, 0.4, 0.6], [0.3, 0.1, 0.2, 0.7]])
    result = noise(np.repeat(means[:, None], n, axis=1))
    inflation = (1 / n + 0.1 / 0.9) / result.dof[0]
    expected = n * 0.1**2 / 24 * (1 if not result.weight else 1 + result.weight / (n - 1))
    for C in result.C:
        np.testing.assert_allclose(C, inflation * expected * np.eye(3), rtol=1e-6, atol=1e-12)


def posed(x, rho=0.1):
    return pose(read_table(x, metric=None, rho=rho, test="it"), JointPrior())


def test_axes_are_orthonormal_and_the_last_is_constant(scores_of):
    x = scores_of(9, 12, 4)
    x[..., 1] = x[..., 0] + 1e-4 * np.random.default_rng(1).normal(size=(9, 12))
    Q = posed(x).data["Q"]
    np.testing.assert_allclose(Q.T @ Q, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(Q[:, -1], 0.5)
    twins = np.array([1, -1, 0, 0]) / np.sqrt(2)  # the narrowest axis is that of the twins
    assert abs(Q[:, 0] @ twins) > 0.99


def test_true_means_have_the_moments_of_normals_given_normals(scores_of):
    x = scores_of(3, 30, 3)
    x[1, :, 2] = np.nan
    x = np.concatenate([x, scores_of(3, 30, 3, seed=2)])
    data = posed(x).data
    rng = np.random.default_rng(1)
    D, L = 40_000, 3
    mu, Sigma = np.array([0.5, -0.5, 0.0]), np.array([[2, 0.5, 0], [0.5, 1, 0], [0, 0, 3.0]])
    draws = {
        "mu": np.tile(mu, (D, 1)),
        "Sigma0": np.tile(Sigma, (D, 1, 1)),
        "kappa": np.full((D, 6), 0.5),
        "lambda": np.full((D, 6), 2.0),
    }
    u = true_means(data, draws, rng)
    for i in (0, 1):
        p = int((1 - data["pad"][i]).sum())
        B, C = data["B"][i, :p], data["C"][i, :p, :p] / 2
        prior = np.linalg.inv(Sigma / 0.5)
        cov = np.linalg.inv(prior + B.T @ np.linalg.inv(C) @ B)
        mean = cov @ (prior @ mu + B.T @ np.linalg.solve(C, data["y"][i, :p]))
        np.testing.assert_allclose(u[:, i].mean(axis=0), mean, atol=0.05)
        np.testing.assert_allclose(np.cov(u[:, i].T), cov, atol=0.06)
    assert u.shape == (D, 6, L)


def test_initial_values_have_the_programs_shapes(scores_of):
    problem = posed(scores_of(6, 12, 5))
    inits = problem.inits(1, 3)
    assert len(inits) == 3
    assert np.shape(inits[0]["raw"]) == (5, problem.data["K"])
    assert np.shape(inits[0]["m"]) == (4,)
    assert inits[0] != inits[1]


RNG = np.random.default_rng(1)
X = RNG.normal([0.75, 0.71, 0.70], 0.02, (4, 1, 3)) + RNG.normal(0, 0.02, (4, 8, 3))
RHO = 0.2
NEW = int(arviz.__version__.split(".")[0]) >= 1


@pytest.fixture
def posterior(fake):
    return joint_t(X, rho=RHO, rope=0.01, engine="fake", seed=1, chains=2, draws=500)


def test_contrasts_are_in_the_order_of_the_table(posterior):
    """Leads are as given, whatever order the program was given."""
    c = posterior.contrasts
    leads = X.mean(axis=1) - X.mean(axis=(1, 2))[:, None]
    np.testing.assert_allclose(np.einsum("qml,qm->ql", c.B, c.y), leads, atol=1e-12)
    np.testing.assert_allclose(np.einsum("qml,qkl->qmk", c.B, c.B), [np.eye(2)] * 4, atol=1e-12)
    scatter = (X[2] - X[2].mean(axis=0)) @ c.B[2].T
    inflation = 1 / 8 + RHO / (1 - RHO)
    np.testing.assert_allclose(c.C[2] * c.dof[2], inflation * scatter.T @ scatter, rtol=1e-6)


def test_a_data_sets_likelihood_by_draws(posterior):
    c, B = posterior.contrasts, posterior.contrasts.B[1]
    mu, Sigma0, nu = (x[1:, 3:4] for x in (posterior.mu, posterior.Sigma0, posterior.nu))
    drawn = stats.multivariate_t.rvs(
        B @ mu[0, 0], B @ Sigma0[0, 0] @ B.T, nu[0, 0], size=200_000, random_state=3
    )
    density = stats.multivariate_t.pdf(c.y[1] - drawn, np.zeros(2), c.C[1], c.dof[1])
    error = density.std() / density.mean() / np.sqrt(len(density))
    computed = c.log_likelihood(mu, Sigma0, nu)[0, 0, 1]
    assert computed == pytest.approx(np.log(density.mean()), abs=4 * error)


def test_averages_are_a_normal_mixture_whose_variance_is_flat(posterior):
    """Stein's prior: of 6 algorithms, 5 contrasts, N(0, t I) over all t alike."""
    c = replace(posterior.contrasts, mean_prior=np.array([1e6, 1e-6]))
    mu = np.outer([0.5, 1.0, 3.0], np.arange(6.0)) * c.scale_prior[-1]
    m2 = np.sum((mu - mu.mean(axis=1, keepdims=True)) ** 2, axis=1)
    mixed = [
        integrate.quad(lambda t, s=s: np.exp(-s / (2 * t)) * (2 * np.pi * t) ** -2.5, 0, np.inf)[0]
        for s in m2 / c.scale_prior[-1] ** 2
    ]
    given = c.log_prior_of_means(mu)
    np.testing.assert_allclose(np.diff(given), np.diff(np.log(mixed)), rtol=1e-6)


def test_replicates_have_the_models_covariance(posterior):
    c, size = posterior.contrasts, (4, 10_000)
    Sigma0 = 1e-3 * np.array([[2, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])
    drawn = c.replicates(
        np.zeros((*size, 3)),
        np.broadcast_to(Sigma0, (*size, 3, 3)),
        np.full(size, 12.0),
        np.random.default_rng(2),
    )
    drawn = drawn[..., 3, :].reshape(-1, 2)
    wanted = c.B[3] @ Sigma0 @ c.B[3].T * 12 / 10 + c.C[3] * c.dof[3] / (c.dof[3] - 2)
    np.testing.assert_allclose(np.cov(drawn.T), wanted, rtol=0.1, atol=5e-5)


def test_weights_are_those_of_the_likelihood(posterior):
    """Without a data set: plain weights where k-hat is small; the largest are smoothed."""
    frame = posterior.sensitivity()["A1", "A2"].frame
    assert frame["question"].value_counts().to_dict() == {
        "fit": 1,
        "prior": 2,
        "rho": 3,
        "without": 4,
        "rope": 3,
        "threshold": 3,
    }
    own = posterior.contrasts.log_likelihood(posterior.mu, posterior.Sigma0, posterior.nu)
    row = frame[(frame["question"] == "without") & (frame["setting"] == "2")].iloc[0]
    left, right = posterior._masses(np.array([[0, 1]]), 0.01)
    best = np.argmax(np.stack([left, 1 - left - right, right]), axis=0).ravel()
    weights = np.exp(own[..., 1].min() - own[..., 1]).ravel()
    plain = weights[best == 2].sum() / weights.sum()
    if row["k_hat"] < 0.5:
        assert row["p_right"] == pytest.approx(plain, abs=0.02)
    assert row[["p_left", "p_rope", "p_right"]].sum() == pytest.approx(1)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Matplotlib, to ArviZ
@pytest.mark.filterwarnings("ignore:Estimated shape parameter:UserWarning")  # draws are made up
def test_arvizs_functions_run(posterior):
    data = posterior.to_arviz()
    assert int(arviz.loo(data).n_data_points) == len(X)
    if NEW:
        arviz.plot_ppc_dist(data, var_names=["mean_contrast"])
    else:
        arviz.plot_ppc(data, num_pp_samples=5)
        for component in ("prior", "likelihood"):
            result = arviz.psens(data, component=component, var_names=["mu"])
            assert np.all(np.isfinite(np.asarray(result)))


def test_it_comes_back_from_disk(posterior, tmp_path):
    posterior.save(tmp_path / "p.npz")
    again = bc.load(tmp_path / "p.npz")
    again, own = (p.sensitivity(datasets=False).frame for p in (again, posterior))
    assert again.equals(own)


def test_a_prior_of_another_size_is_refused(posterior):
    """As a file may hold one."""
    with pytest.raises(bc.InputError, match=r"mean_prior must be an array of shape \(2,\)"):
        replace(posterior.contrasts, mean_prior=np.ones(3))


def test_algorithms_that_were_not_run(fake):
    x = X.copy()
    x[0, :, 2] = np.nan
    posterior = joint_t(x, rho=RHO, rope=0.01, engine="fake", seed=1, chains=2, draws=500)
    data = posterior.to_arviz()
    assert np.isfinite(np.asarray(data["log_likelihood"]["differences"])).all()
    assert not hasattr(data, "observed_data")
