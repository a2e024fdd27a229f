"""Ellipsoids of the multivariate tests cover when folds correlate at rho: why rho matters."""

import numpy as np
import pytest

from bayescmp.bayesian import groups, multivariate_t

RUNS = 4000
#: 3 standard errors of a share of 0.95 in so many runs; the claim is 0.015.
CLOSE = 3 * np.sqrt(0.95 * 0.05 / RUNS)


def noise(rng, shape, rho, root):
    """Noise of shape (..., n, p): folds correlate at rho, metrics as ``root`` makes them."""
    own = rng.normal(size=shape)
    shared = rng.normal(size=(*shape[:-2], 1, shape[-1]))
    return (np.sqrt(1 - rho) * own + np.sqrt(rho) * shared) @ root.T


@pytest.mark.calibration
@pytest.mark.parametrize(
    ("n", "p", "rho"), [(10, 2, 0.1), (100, 2, 0.1), (30, 3, 1 / 3), (10, 5, 0.1)]
)
def test_ellipsoids_cover_with_the_true_rho_and_not_without(n, p, rho, evidence):
    rng = np.random.default_rng([n, p])
    root, truth = rng.normal(size=(p, p)), rng.normal(size=p)
    hits = np.zeros(2)
    for x in truth + noise(rng, (RUNS, n, p), rho, root):
        for k, assumed in enumerate((rho, 0.0)):
            posterior = multivariate_t(x, rho=assumed, rope=0, seed=0)
            hits[k] += posterior.contains(truth)
    right, naive = hits / RUNS
    evidence(
        "multivariate_coverage",
        posterior="multivariate_t",
        folds=n,
        metrics=p,
        rho=rho,
        simulations=RUNS,
        covered=right,
        covered_with_rho_0=naive,
    )
    print(f"\nn = {n}, p = {p}, rho = {rho:.2f}: covered {right:.4f}, with rho = 0 {naive:.4f}")
    assert right == pytest.approx(0.95, abs=CLOSE)
    assert naive < 0.95 - 2 * 0.015


@pytest.mark.calibration
@pytest.mark.parametrize(("variances", "runs"), [("equal", RUNS), ("own", 400)])
def test_contrasts_of_groups_cover_with_the_true_rho_and_not_without(variances, runs, evidence):
    """Each algorithm has noise of its own where the model says so, drawn from the prior."""
    L, n, p, rho = 4, 10, 2, 0.2
    rng = np.random.default_rng(3)
    root, effects = rng.normal(size=(p, p)), rng.normal(size=(L, 1, p))
    truth = effects[3, 0] - effects[1, 0]
    hits = np.zeros(2)
    for _ in range(runs):
        own = np.ones(L) if variances == "equal" else rng.dirichlet(np.ones(L)) ** -0.5
        errors = own[:, None, None] * noise(rng, (L, n, p), rho, root)
        x = effects + errors + rng.normal(size=(1, n, p))
        for k, assumed in enumerate((rho, 0.0)):
            fit = groups(x, rho=assumed, rope=0, variances=variances, seed=0)
            hits[k] += fit.pair("A2", "A4").contains(truth)
    right, naive = hits / runs
    evidence(
        "multivariate_coverage",
        posterior=f"groups, {variances} variances",
        folds=n,
        metrics=p,
        rho=rho,
        simulations=runs,
        covered=right,
        covered_with_rho_0=naive,
    )
    print(f"\n{variances} variances, rho = {rho}: covered {right:.4f}, with rho = 0 {naive:.4f}")
    assert right == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / runs))
    assert naive < 0.95 - 2 * 0.015


@pytest.mark.calibration
def test_probabilities_of_the_regions_are_calibrated(evidence):
    # truths from a flat prior, as the model has it: of the cases in which a region gets about P,
    # a share of about P has its truth there
    rng = np.random.default_rng(5)
    n, p, rho = 12, 2, 0.1
    root = np.array([[0.03, 0.0], [0.015, 0.025]])
    from bayescmp.bayesian.regions import classify

    stated, happened = [], []
    for _ in range(2500):
        truth = rng.uniform(-0.15, 0.15, p)
        x = truth + noise(rng, (n, p), rho, root)
        posterior = multivariate_t(x, rho=rho, rope=[0.02, 0.03], seed=0)
        stated.append(list(posterior.verdict(points=2048).probabilities.values()))
        happened.append(np.eye(4)[classify(truth, posterior.ropes())])
    stated, happened = np.array(stated).ravel(), np.array(happened).ravel()
    for low, high in ((0.02, 0.1), (0.1, 0.3), (0.3, 0.7), (0.7, 0.9), (0.9, 0.98)):
        some = (stated >= low) & (stated < high)
        share, expected = happened[some].mean(), stated[some].mean()
        evidence(
            "four_regions", low=low, high=high, claims=some.sum(), claimed=expected, true=share
        )
        print(f"\nclaimed {low}-{high}: {expected:.3f}, true {share:.3f} of {some.sum()}")
        assert abs(share - expected) < 4 * np.sqrt(expected * (1 - expected) / some.sum())
