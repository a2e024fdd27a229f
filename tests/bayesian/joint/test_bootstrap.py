"""The Bayesian bootstrap over data sets, against closed forms."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import bootstrap, friedman
from bayescmp.bayesian.joint.bootstrap import TrueMeans
from bayescmp.bayesian.joint.table import read_table


def table(x, rho=0.1):
    return read_table(x, metric=None, rho=rho, test="it")


def test_every_pair_has_its_correlated_t_posterior():
    for n in [4, 12]:
        rng = np.random.default_rng(n)
        x = rng.normal(0.8, 0.02, (2, n, 7))
        u = TrueMeans.from_table(table(x)).draw_means(20_000, rng)
        for a, b in ((0, 1), (2, 6)):
            pair = bc.bayesian.correlated_t(x[1, :, b] - x[1, :, a], rho=0.1, rope=0.01)
            z = (u[:, 1, b] - u[:, 1, a] - pair.location) / pair.scale
            assert stats.kstest(z, stats.t(pair.df).cdf).pvalue > 0.001


def test_without_folds_the_means_are_what_they_are():
    true = TrueMeans.from_table(table([[0.1, 0.2], [0.3, 0.1]]))
    assert true.fixed
    assert true.draw_means(50, np.random.default_rng(1)).tolist() == [[[0.1, 0.2], [0.3, 0.1]]]


def test_a_missing_run_takes_the_lead_of_another_data_set_over_those_run_on_both():
    x = [[0.5, 0.6, np.nan], [0.2, 0.1, 0.4], [0.7, 0.9, 0.1]]
    u = TrueMeans.from_table(table(x)).draw_means(4000, np.random.default_rng(1))
    # leads of the third over the other two: 0.4 - 0.15 and 0.1 - 0.8; on the first they have 0.55
    assert sorted({round(float(v), 6) for v in u[:, 0, 2]}) == [-0.15, 0.8]
    assert np.mean(u[:, 0, 2] > 0) == pytest.approx(0.5, abs=0.04)
    assert (u[:, 0, :2] == x[0][:2]).all()


def test_a_run_that_no_data_set_can_lend_is_named():
    x = [
        [0.5, 0.6, np.nan, np.nan],
        [0.5, 0.6, 0.1, np.nan],
        [np.nan, np.nan, 0.1, 0.3],
        [np.nan, np.nan, 0.1, 0.3],
        [0.5, 0.6, np.nan, np.nan],
    ]
    with pytest.raises(
        bc.InputError,
        match=r"outcomes must link every.*no link of 'A4' with those on '1'\)\. Leave",
    ):
        TrueMeans.from_table(table(x)).draw_means(5, np.random.default_rng(1))


def test_leads_have_the_interval_of_their_contrast():
    rng = np.random.default_rng(3)
    x = rng.normal(0.8, 0.02, (2, 10, 3))
    actual = TrueMeans.from_table(table(x)).leads().loc[("2", "A3")]
    lead = x[1, :, 2] - x[1].mean(axis=1)
    pair = bc.bayesian.correlated_t(lead, rho=0.1, rope=0.01)
    low, high = stats.t(pair.df, pair.location, pair.scale).ppf([0.025, 0.975])
    assert actual.tolist() == pytest.approx([lead.mean(), low, high])


def test_best_on_average_of_two_data_sets_is_a_ratio():
    """The lead on average is w a - (1 - w) b with w uniform: positive with a / (a + b)."""
    posterior = bootstrap([[0.5, 0.6], [0.5, 0.2]], rope=0, seed=1, draws=40_000)
    p = posterior.best("average")["A2"]
    assert p == pytest.approx(0.1 / 0.4, abs=4 * np.sqrt(0.25 * 0.75 / 40_000))
    assert posterior.best()["A2"] == pytest.approx(0.5, abs=0.006)


def test_averages_have_the_moments_of_the_dirichlet():
    rng = np.random.default_rng(1)
    means = rng.random((9, 3))
    actual = bootstrap(means, rope=0, seed=2, draws=40_000).averages
    np.testing.assert_allclose(actual.mean(axis=0), means.mean(axis=0), atol=0.003)
    expected = np.cov(means.T, ddof=0) / 10  # of Σ w_i x_i with w ~ Dirichlet(1, ..., 1): /(q + 1)
    np.testing.assert_allclose(np.cov(actual.T), expected, rtol=0.1, atol=2e-4)


def test_predictive_masses_are_the_mean_of_the_data_sets_own(scores_of):
    """Data set by data set those of the correlated t test, which is closed form."""
    x = scores_of(6, 10, 4)
    verdict = bootstrap(x, rho=0.1, rope=0.02, seed=3, draws=20_000).verdict("A1", "A3")
    assert verdict.floor == 1 / 20_000
    own = []
    for row in x:
        pair = bc.bayesian.correlated_t(row[:, 2] - row[:, 0], rho=0.1, rope=0.02)
        left, right = stats.t(pair.df).cdf(
            (np.array([-0.02, -0.02]) - [1, -1] * np.array(pair.location)) / pair.scale
        )
        own.append([left, 1 - left - right, right])
    assert list(verdict.expected.values()) == pytest.approx(np.mean(own, axis=0), abs=0.01)


def test_pairs_are_coherent(scores_of):
    posterior = bootstrap(scores_of(8, 5, 4), rho=0.2, rope=0, seed=4)
    expected = {k: v.expected["right"] for k, v in posterior.verdicts().items()}
    # three ways round a circle: P(a < b) + P(b < c) + P(c < a) lies between 1 and 2
    for a, b, c in (("A1", "A2", "A3"), ("A2", "A3", "A4")):
        around = expected[a, b] + expected[b, c] + 1 - expected[a, c]
        assert 1 <= around <= 2
    # the best of all is at most as probable as better than each
    for name, p in posterior.best().items():
        for (first, second), right in expected.items():
            if name == second:
                assert p <= right + 1e-12
            if name == first:
                assert p <= 1 - right + 1e-12


def test_the_order_of_algorithms_and_data_sets_does_not_matter(scores_of):
    x = scores_of(7, 1, 4)[:, 0]
    one = bootstrap(x, rope=0.01, seed=5, draws=40_000)
    other = bootstrap(x[::-1, ::-1], rope=0.01, seed=5, draws=40_000)
    mirrored = {f"A{5 - int(name[1])}": p for name, p in other.best().items()}
    assert one.best() == pytest.approx(mirrored, abs=0.01)


def test_all_that_tie_share_the_first_place():
    posterior = bootstrap(np.full((5, 4), 0.7), rope=0.01, seed=1)
    assert list(posterior.best().values()) == pytest.approx([0.25] * 4)  # averages of draws
    assert posterior.top_set(0.99) == ("A1", "A2", "A3", "A4")
    assert posterior.verdict("A1", "A2").decision == "equivalent"


def test_two_algorithms_are_compared_and_the_tests_of_a_pair_named():
    posterior = bootstrap([[0.5, 0.6], [0.5, 0.2], [0.1, 0.2]], rope=0.01, seed=1)
    assert any("tests of a pair" in note for note in posterior.notes)
    assert set(posterior.verdicts()) == {("A1", "A2")}


def test_the_same_seed_gives_the_same_numbers_also_from_a_file(tmp_path, scores_of):
    frame = pd.DataFrame(scores_of(6, 1, 3)[:, 0], columns=["knn", "svm", "gbm"])
    posterior = bootstrap(frame, rope=0.01, seed=6)
    posterior.save(tmp_path / "p.npz")
    again = bc.load(tmp_path / "p.npz")
    assert again.best() == posterior.best() == bootstrap(frame, rope=0.01, seed=6).best()
    assert again.verdict("knn", "gbm") == posterior.verdict("knn", "gbm")
    arviz = posterior.to_arviz()["posterior"]
    assert arviz["p_best"].dims == ("chain", "draw", "algorithm")


@pytest.mark.parametrize("test", [bootstrap, friedman])
def test_gaps_are_saved_and_loaded(test, tmp_path, scores_of):
    """An algorithm that was not run, and a data set with fewer folds; nothing else is missing."""
    x = scores_of(6, 5, 3)
    x[1, :, 2], x[3, 4] = np.nan, np.nan
    posterior = test(x, rho=0.2, rope=0.01, seed=1, draws=400)
    path = tmp_path / "p.npz"
    posterior.save(path)
    assert str(bc.load(path)) == str(posterior)


def test_mean_ranks_of_scores_are_those_that_data_sets_give_them():
    means = [[0.50, 0.51, 0.10], [0.60, 0.61, 0.20], [0.90, 0.40, 0.30]]
    table = bootstrap(means, rope=0, seed=1, draws=40_000).mean_ranks()
    np.testing.assert_allclose(table["mean"], [5 / 3, 4 / 3, 3], atol=0.01)


def test_few_data_sets_are_noted_and_bad_options_refused():
    few, many = (bootstrap([[1, 2], [2, 1]] * k, rope=0.1).notes for k in (9, 10))
    assert any("fewer than 20 the bootstrap is overconfident" in note for note in few)
    assert not any("overconfident" in note for note in many)
    with pytest.raises(bc.InputError, match="draws must be"):
        bootstrap([[1, 2], [2, 1]], rope=0.1, draws=2)
    with pytest.raises(bc.InputError, match=r"on must be .*\(got 'all'\)"):
        bootstrap([[1, 2], [2, 1]], rope=0.1).best("all")
    with pytest.raises(bc.InputError, match=r"algorithm must be"):
        bootstrap([[1, 2], [2, 1]], rope=0.1).verdict("A1", "A9")
