"""Predicted chances come true: as many verdicts are decided as plans claim."""

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.study.planning.deciding import TrueDifferences, run_all

pytestmark = pytest.mark.calibration

STUDIES = 300
#: Of the likeliest outcome's probability before the plan: what was seen has no part in the error
#: of a chance that was simulated, as that chance itself has.
RANGES = ((0, 0.7), (0.7, 0.85), (0.85, 0.95), (0.95, 0.99), (0.99, 1), (0, 1))
#: Simulations of a study, of folds and of means. The latter are many studies of few: their own
#: truths' scatter is what blurs the comparison, not the error of each chance.
OF_FOLDS, OF_MEANS, MANY = 40, 8, 600
#: Studies of which another simulation tells the chance as well, and its own.
OTHERS, OF_OTHERS = 15, 400


def likeliest(verdict):
    return max(verdict.probabilities.values())


def study(rng, seed):
    """Ten data sets: the chance that twelve more decide, whether they do, and how sure one is."""
    truth = TrueDifferences(rng.normal(0, 0.02), rng.uniform(0.002, 0.015), 10.0, 0.02, 0.1, 10)
    seen, whole = truth.simulate(10, [8, seed]), truth.simulate(22, [8, seed])
    posterior = bc.bayesian.hierarchical_t(seen, rope=0.01, engine="quadrature", seed=1)
    plan = posterior.plan(datasets=[12], simulations=OF_FOLDS, seed=seed, progress=False)
    later = bc.bayesian.hierarchical_t(whole, rope=0.01, engine="quadrature", seed=1)
    decided = later.verdict().decision != "undecided"
    return plan.frame["decided"].iloc[0], decided, likeliest(posterior.verdict())


def compare_with_decided(studies, simulations, evidence, table, **what):
    """A row for each range of what was seen.

    The largest deviation of a range or of the whole is one that is exceeded with a probability of
    at most 0.05, and so is the sum of the ranges' squares. With k simulations p̂(1 − p̂) is
    (k − 1)/k of p(1 − p) on average, and p̂'s error is another 1/k.
    """
    predicted, decided, seen = np.array(studies).T
    squares = []
    for low, high in RANGES:
        here = (seen >= low) & ((seen < high) | (high == 1))
        p, share, n = predicted[here].mean(), decided[here].mean(), here.sum()
        spread = (predicted[here] * (1 - predicted[here])).sum()
        error = np.sqrt(spread * (simulations + 1) / (simulations - 1) + 0.25) / n
        row = {"low": low, "high": high, "studies": n, "predicted": p, "decided": share}
        evidence(table, **what, **row, **({"error": error} if what else {}))
        print(f"\n{low:.2f} to {high:.2f}: {n:3d} studies, predicted {p:.3f}, decided {share:.3f}")
        squares.append(((p - share) / error) ** 2)
    assert max(squares) < stats.chi2(1).ppf(1 - 0.05 / len(squares))
    squares.pop()  # of the whole
    assert sum(squares) < stats.chi2(len(squares)).ppf(0.95)


def test_predicted_chances_come_true(evidence):
    rng = np.random.default_rng(8)
    studies = [study(rng, seed) for seed in range(STUDIES)]
    compare_with_decided(studies, OF_FOLDS, evidence, "plans")


def signed_rank(z):
    return bc.bayesian.signed_rank(z, rope=0.01, seed=1)


def sign(z):
    return bc.bayesian.sign(z, rope=0.01, seed=1)


def bootstrap(z):
    return bc.bayesian.bootstrap(np.column_stack([0 * z, z]), rope=0.01, seed=1)


def means_of_the_prior(rng):
    """Twenty-two means of a truth that is drawn from the prior under which plans are made.

    Its δ0 and σ0 are flat without a bound that matters. Here they have one, and only those studies
    are planned whose ten means seen lie so that it does not matter: a choice by what was seen
    leaves chances as they are.
    """
    while True:
        nu = 1 + rng.gamma(rng.uniform(0.5, 5)) / rng.uniform(0.05, 0.15)
        z = rng.uniform(-0.05, 0.05) + rng.uniform(0, 0.06) * rng.standard_t(nu, 22)
        if z[:10].std() < 0.02 and abs(z[:10].mean()) < 0.03:
            return z


def study_of_means(test, z, seed):
    """As `study`, of ten means of a Student-t."""
    pair, posterior = () if test is not bootstrap else ("A1", "A2"), test(z[:10])
    plan = posterior.plan(*pair, datasets=[12], simulations=OF_MEANS, seed=seed, progress=False)
    decided = likeliest(test(z).verdict(*pair)) >= 0.95
    return plan.frame["decided"].iloc[0], decided, likeliest(posterior.verdict(*pair))


def weigh_truths(z):
    """A grid of δ0, log σ0 and ν, and their probabilities given means that are known exactly."""
    nu = 1 + np.geomspace(0.02, 300, 60)
    shape, rate, over = np.meshgrid(
        np.linspace(0.5, 5, 60), np.linspace(0.05, 0.15, 40), nu - 1, indexing="ij"
    )
    prior = stats.gamma.pdf(over, shape, scale=1 / rate).mean(axis=(0, 1)) * (nu - 1)
    spread = z.std()
    delta0 = np.linspace(z.mean() - 12 * spread, z.mean() + 12 * spread, 241)
    delta0 = delta0[np.abs(delta0) < 1.05 * np.abs(z).max()]
    log_sigma0 = np.linspace(np.log(spread / 50), np.log(30 * spread), 140)
    axes = np.meshgrid(delta0, log_sigma0, nu, indexing="ij")
    sigma0 = np.exp(axes[1])
    density = stats.t.logpdf((z - axes[0][..., None]) / sigma0[..., None], axes[2][..., None])
    log_p = density.sum(axis=-1) - (len(z) - 1) * axes[1] + np.log(prior)
    p = np.exp(log_p - log_p.max()).ravel()
    return axes, p / p.sum()


def is_decided(z, rng):
    """Whether the signed-rank test with a prior of 0.5 in the rope decides, by its definition."""
    z = np.append(0.0, z)
    w = rng.dirichlet(np.append(0.5, np.ones(len(z) - 1)), 3000)
    total = z[:, None] + z
    left, right = (((w @ m) * w).sum(axis=1) for m in (total < -0.02, total > 0.02))
    likeliest = np.argmax([left, 1 - left - right, right], axis=0)
    return np.bincount(likeliest).max() >= 0.95 * len(w)


def test_told_chances_are_those_of_another_simulation():
    """Truths drawn from a grid, means from SciPy's t, the test by its definition."""
    rng, off, errors = np.random.default_rng(77), [], []
    for seed in range(OTHERS):
        z = means_of_the_prior(rng)[:10]
        options = {"datasets": [12], "simulations": 1500, "seed": seed, "progress": False}
        chance = signed_rank(z).plan(**options).frame["decided"].iloc[0]
        axes, p = weigh_truths(z)
        drawn = rng.choice(p.size, OF_OTHERS, p=p)
        truths = [axis.ravel()[drawn] for axis in axes]
        made = [
            is_decided(np.append(z, d + np.exp(s) * rng.standard_t(nu, 12)), rng)
            for d, s, nu in zip(*truths, strict=True)
        ]
        off.append(chance - np.mean(made))
        errors.append(np.sqrt(chance * (1 - chance) * (1 / 1500 + 1 / OF_OTHERS) + 1e-5))
    print(f"\ntold less simulated {np.mean(off):+.4f} ± {np.hypot.reduce(errors) / OTHERS:.4f}")
    assert abs(np.sum(off)) < 2 * np.hypot.reduce(errors)
    assert np.sum(np.square(off) / np.square(errors)) < stats.chi2(OTHERS).ppf(0.95)


@pytest.mark.parametrize("test", [signed_rank, sign, bootstrap])
def test_chances_from_means_come_true(test, evidence):
    rng = np.random.default_rng(9)
    tasks = [(test, means_of_the_prior(rng), seed) for seed in range(MANY)]
    studies = run_all(study_of_means, tasks, n_jobs=2, title="studies", progress=False)
    compare_with_decided(studies, OF_MEANS, evidence, "plans_means", test=test.__name__)
