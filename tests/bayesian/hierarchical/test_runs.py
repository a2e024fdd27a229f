"""The hierarchical test of independent runs: by raw runs, by paired rows that are equivalent."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from scipy import special, stats

import bayescmp as bc
from bayescmp.bayesian import hierarchical_t
from bayescmp.bayesian.hierarchical.answers import masses_of
from bayescmp.engines import FitRequest, SamplerSettings, engines
from bayescmp.results.verdict import winners
from bayescmp.scores.differences import SufficientStatistics
from bayescmp.scores.rope import as_rope
from tests.rows import each_row

Q = {"engine": "quadrature", "seed": 1}
#: Three games, with unequal numbers of runs; on the last one of the first algorithm.
FIRST = [[1.20, 1.05, 1.12], [0.30, 0.52, 0.41, 0.47], [2.21]]
SECOND = [[1.49, 1.38, 1.31], [0.55, 0.50], [2.30, 2.61, 2.42]]
ROPE = 0.1


def agents(q: int = 8, n: int = 3, seed: int = 4) -> bc.Runs:
    """Returns of two agents on q games, n runs each, of which nothing pairs."""
    rng = np.random.default_rng(seed)
    level, gain = rng.normal(1, 0.5, q), 0.25 + 0.15 * rng.standard_t(6, q)
    noise = rng.uniform(0.05, 0.2, (q, 1))
    old = level[:, None] + noise * rng.standard_normal((q, n))
    new = (level + gain)[:, None] + noise * rng.standard_normal((q, n))
    return bc.Runs(old, new, names=("dqn", "rainbow"), datasets=[f"g{i}" for i in range(q)])


def by_raw_runs(prior: bc.HierarchicalPrior, bounds: dict[str, float]) -> np.ndarray:
    """Regions' probabilities from the normal densities of the single runs, on plain grids.

    On each game the level, with a flat prior, and σ_i are summed over; then δ_i, and the shares of
    the points (δ0, σ0, ν) at which each region is the most probable one.
    """
    edges = np.linspace(-2, 2.5, 451)
    delta = (edges[1:] + edges[:-1]) / 2
    sigma = bounds["sigma_upper"] * (np.arange(50)[:, None] + 0.5) / 50
    likelihood = []
    for a, b in zip(FIRST, SECOND, strict=True):
        n = len(a) + len(b)
        near = (np.sum(a) + np.sum(b) + (len(a) - len(b)) * delta / 2) / n
        step = sigma / np.sqrt(n) / 2
        total = np.zeros((len(sigma), len(delta)))
        for k in range(-12, 13):
            level = near + k * step
            log_f = sum(stats.norm.logpdf(y, level - delta / 2, sigma) for y in a)
            log_f = log_f + sum(stats.norm.logpdf(y, level + delta / 2, sigma) for y in b)
            total += np.exp(log_f) * step
        likelihood.append(total.sum(axis=0))
    L = np.array(likelihood).T / np.max(likelihood, axis=1)
    assert bounds["delta0_bound"] == pytest.approx(1)
    # edges[j] - delta0[i] depends on j - 2 i only
    delta0 = (np.arange(100) - 49.5) / 50
    apart = edges[0] - delta0[-1] + 0.01 * np.arange(len(edges) + 2 * (len(delta0) - 1))
    u = (np.arange(80) + 0.5) / 80  # σ0 goes as its square
    (shape, _), (rate, _) = prior.alpha, prior.beta
    nus = 1 + stats.gamma.ppf((np.arange(12) + 0.5) / 12, shape, scale=1 / rate)
    p = np.zeros(3)
    for nu, root in product(nus, u):
        s = bounds["sigma0_upper"] * root**2
        masses = np.diff(special.stdtr(nu, apart / s))
        masses = sliding_window_view(masses, len(delta))[::-2]
        weight = root * np.prod(masses @ L, axis=1)
        below = special.stdtr(nu, (-ROPE - delta0) / s)
        above = special.stdtr(nu, (delta0 - ROPE) / s)
        p += weight @ np.eye(3)[np.argmax([below, 1 - below - above, above], axis=0)]
    return p / p.sum()


#: Bounds that plain grids cover, and ν's distribution without its own parameters.
NARROW = bc.HierarchicalPrior(
    alpha=(2, 2), beta=(0.1, 0.1), delta0_bound=1.0, sigma0_factor=0.01, sigma_factor=4.0
)


def test_by_the_single_runs_on_plain_grids():
    """Within 0.003: cells of 0.02 in δ0, and of 1/80 of the root of σ0's bound."""
    posterior = hierarchical_t(bc.Runs(FIRST, SECOND), rope=ROPE, prior=NARROW, **Q)
    p = np.array(list(posterior.verdict().probabilities.values()))
    np.testing.assert_allclose(p, by_raw_runs(NARROW, posterior.prior_bounds), atol=0.003)


def folds_like(s: SufficientStatistics, rho: float) -> list[np.ndarray]:
    """Five differences on each game with the runs' mean, and with their ss less what rho takes."""
    pattern = np.array([-2.0, -1.0, 0.0, 1.0, 2.0]) / np.sqrt(10)
    return [m + np.sqrt(ss * (1 - rho)) * pattern for m, ss in zip(s.mean, s.ss, strict=True)]


def test_paired_rows_with_the_same_kernel_give_the_same_posterior():
    """3 and 3 runs: ss with 4 degrees of freedom, 1/3 + 1/3. Five folds at rho 7/12 have the same.

    (5·2/3 - 1)/(5 - 1) = 7/12; what σ_i means differs by √(1 - rho), and so has its bound. Folds
    without correlation are another problem, with a variance of the mean 0.3 times as large.
    """
    runs, rho = agents(), 7 / 12
    prior = bc.HierarchicalPrior(delta0_bound=2.0)
    like = bc.HierarchicalPrior(delta0_bound=2.0, sigma_factor=1000 / np.sqrt(1 - rho))
    own = hierarchical_t(runs, rope=ROPE, prior=prior, **Q)
    rows = folds_like(runs.statistics(), rho)
    same = hierarchical_t(rows, rho=rho, rope=ROPE, prior=like, **Q)
    assert own.verdict().probabilities == pytest.approx(same.verdict().probabilities, abs=1e-9)
    for name in ("delta0", "sigma0", "nu"):
        probs = [0.025, 0.5, 0.975]
        np.testing.assert_allclose(own.quantile(name, probs), same.quantile(name, probs), 1e-7)
    other = hierarchical_t(folds_like(runs.statistics(), 0), rho=0, rope=ROPE, prior=prior, **Q)
    assert abs(own.verdict().p_right - other.verdict().p_right) > 0.02


@each_row("scale", [1e-6, 1e6])
def test_order_units_and_sides_do_not_matter(scale):
    runs = agents()
    verdict = hierarchical_t(runs, rope=ROPE, **Q).verdict()
    order = [3, 1, 0, 2, 7, 6, 5, 4]
    mixed = bc.Runs(
        [scale * runs.first[i][::-1] for i in order], [scale * runs.second[i] for i in order]
    )
    other = hierarchical_t(mixed, rope=scale * ROPE, **Q).verdict()
    assert list(other.probabilities.values()) == pytest.approx(
        list(verdict.probabilities.values()), abs=1e-6
    )
    back = hierarchical_t(runs.swapped(), rope=ROPE, **Q).verdict()
    assert back.p_left == pytest.approx(verdict.p_right, abs=1e-12)
    named = hierarchical_t(runs, rope=ROPE, names=("rainbow", "dqn"), **Q).verdict()
    assert named.names == ("rainbow", "dqn")
    assert named.p_left == pytest.approx(verdict.p_right, abs=1e-12)


def test_statistics_of_groups_by_hand():
    s = bc.Runs(FIRST, SECOND).statistics()
    np.testing.assert_allclose(
        s.mean, [1.39333 - 1.12333, 0.525 - 0.425, 2.44333 - 2.21], atol=1e-5
    )
    ss = [0.01127 + 0.01647, 0.02690 + 0.00125, 0.04887]  # each by hand, to five digits
    np.testing.assert_allclose(s.ss, ss, atol=1e-5)
    np.testing.assert_array_equal(s.n - 1, [4, 4, 2])  # n₁ + n₂ - 2
    np.testing.assert_allclose(s.factor, [2 / 3, 3 / 4, 4 / 3])
    np.testing.assert_allclose(bc.Runs(FIRST, SECOND).largest, [0.44, 0.25, 0.40])


@each_row(
    ("first", "second", "message"),
    [
        ([[1.0, 2.0]], [[1.5, 1.7]], "at least two data sets.*two_sample_t"),
        ([[1.0], [1.0, 2.0]], [[2.0], [1.5]], "single run of each on data set '1', 1 in all"),
        ([[1.0, 2.0]], [[1.0], [2.0]], "a row for each data set .got 1 and 2"),
        ([[1.0], []], [[1.0], [2.0]], "first must have at least one score on data set '2'"),
    ],
)
def test_what_cannot_be_compared_is_refused(first, second, message):
    with pytest.raises(bc.InputError, match=message):
        hierarchical_t(bc.Runs(first, second), rope=ROPE, **Q)


def test_independent_runs_take_no_rho():
    with pytest.raises(bc.InputError, match="rho must be left out for independent runs"):
        hierarchical_t(agents(), rho=0.1, rope=ROPE, **Q)


def test_a_game_without_spread_has_that_of_rounding():
    """Both agents always score the same on one game: ss is 6·h²/12, h the metric's step."""
    runs = agents()
    flat = bc.Runs([[0.5] * 3, *runs.first[1:]], [[0.7] * 3, *runs.second[1:]], resolution=0.01)
    posterior = hierarchical_t(flat, rope=ROPE, **Q)
    assert posterior.statistics.ss[0] == pytest.approx(6 * 0.01**2 / 12)
    assert "1 data set with no spread between an algorithm's runs (1)" in posterior.notes[0]
    assert posterior.by_dataset()["mean"].iloc[0] == pytest.approx(0.2, abs=0.01)


def test_everything_that_a_posterior_offers(tmp_path):
    runs = agents(6)
    posterior = hierarchical_t(runs, rope=ROPE, **Q)
    verdict = posterior.verdict()
    table = posterior.by_dataset()
    assert list(table[["n_first", "n_second"]].to_numpy().ravel()) == [3] * 12
    middle = posterior.quantile("delta0", 0.5)  # towards which the estimates move
    moved = (table["mean"] - middle) / (table["observed"] - middle)
    assert moved.between(0, 1.5).all()
    assert moved.min() < 0.8
    sensitivity = posterior.sensitivity(datasets=True)
    assert "rho" not in set(sensitivity.frame["question"])
    assert "independent" in sensitivity.fixed["rho"]
    without = bc.Runs(runs.first[1:], runs.second[1:])
    first = sensitivity.frame.query("question == 'without'").iloc[0]
    own = hierarchical_t(without, rope=ROPE, **Q).verdict().p_right
    assert first["p_right"] == pytest.approx(own, abs=0.01)
    plan = posterior.plan(datasets=[0, 6], folds=4, simulations=8, progress=False)
    assert plan.frame["decided"].is_monotonic_increasing
    with pytest.raises(bc.InputError, match="more_folds must be 0 for runs that do not pair"):
        posterior.plan(more_folds=3)
    posterior.save(tmp_path / "runs.posterior")
    again = bc.load(tmp_path / "runs.posterior")
    assert again.verdict().probabilities == verdict.probabilities
    np.testing.assert_array_equal(again.statistics.runs, runs.sizes)
    paper = posterior.explain("paper")
    stated = ("equal variances", "6 data sets with 3 runs of each algorithm", "independent runs")
    assert all(words in paper for words in stated)
    assert posterior.fragility().frame["left_out"].iloc[0] == 0
    data = posterior.to_arviz()
    assert data["log_likelihood"]["differences"].shape[-1] == 6
    spread = np.median(data["posterior_predictive"]["sd_of_folds"], axis=(0, 1))
    assert np.all(np.abs(np.log(spread / runs.statistics().within)) < np.log(2))


#: The model of the raw runs, level and σ on each game: nothing is integrated out.
RAW = """
data {
  int q; int N; array[N] int game; vector[N] side; vector[N] y;
  real delta0_bound; real sigma0_upper; real sigma_upper;
}
parameters {
  vector[q] level; vector<lower=0, upper=sigma_upper>[q] sigma;
  real<lower=-delta0_bound, upper=delta0_bound> delta0;
  real<lower=0, upper=sigma0_upper> sigma0;
  real<lower=1> nu; real<lower=0.5, upper=5> alpha; real<lower=0.05, upper=0.15> beta;
  vector[q] z; vector<lower=0>[q] tau;
}
transformed parameters {
  vector[q] delta = delta0 + sigma0 * z ./ sqrt(tau);
}
model {
  nu - 1 ~ gamma(alpha, beta);
  z ~ std_normal();
  tau ~ gamma(nu / 2, nu / 2);
  y ~ normal(level[game] + side .* delta[game], sigma[game]);
}
"""


@pytest.mark.stan
@pytest.mark.slow
def test_stan_agrees_on_the_raw_runs(stan_engine, monkeypatch):
    runs = agents(6)
    posterior = hierarchical_t(runs, rope=ROPE, **Q)
    rows = [
        (i + 1, side, y)
        for i in range(runs.q)
        for side, x in ((-0.5, runs.first[i]), (0.5, runs.second[i]))
        for y in x
    ]
    game, side, y = zip(*rows, strict=True)
    data = {"q": runs.q, "N": len(rows), "game": game, "side": side, "y": y}
    start = {"level": [1.0] * 6, "sigma": [0.1] * 6, "delta0": 0.2, "sigma0": 0.2, "nu": 8.0,
             "alpha": 2.0, "beta": 0.1, "z": [0.0] * 6, "tau": [1.0] * 6}  # fmt: skip
    monkeypatch.setattr("bayescmp.engines.chains.program_text", lambda model: RAW)
    request = FitRequest(
        "hierarchical_correlated_t", {**data, **posterior.prior_bounds}, 5,
        dict.fromkeys(("delta0", "sigma0", "nu"), True), [start] * 4,
        SamplerSettings(chains=4, warmup=2000, draws=5000, adapt_delta=0.95),
    )  # fmt: skip
    draws = engines()[stan_engine].fit(request).draws
    p = winners(masses_of(draws, as_rope(ROPE))).mean(axis=(0, 1))
    own = list(posterior.verdict().probabilities.values())
    # 20,000 draws, of which a few thousand are effective: three standard errors.
    np.testing.assert_allclose(p, own, atol=0.02)
    for name in ("delta0", "sigma0"):
        middle = np.quantile(draws[name], [0.25, 0.5, 0.75])
        np.testing.assert_allclose(posterior.quantile(name, [0.25, 0.5, 0.75]), middle, atol=0.015)


@pytest.mark.stan
def test_stan_agrees_on_the_statistics(stan_engine):
    runs = bc.Runs([*agents(5).first, [0.5]], [*agents(5).second, [0.8, 0.9]])
    posterior = hierarchical_t(runs, rope=ROPE, **Q)
    assert posterior.verify(engine=stan_engine, seed=3).agrees
