"""Fragility: by brute force, by refits of one's own, and in words."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import bayescmp as bc
from bayescmp.bayesian import (
    cluster_bootstrap,
    correlated_t,
    hierarchical_t,
    multivariate_t,
    paired_proportions,
    robust_t,
    sign,
    signed_rank,
    two_sample_t,
)
from bayescmp.errors import InputError
from bayescmp.study.fragility import all_sets, no_set_undoes, sets_of_kinds
from tests.marks import first_and_slow
from tests.reference.printed_results import by_fake
from tests.rows import each_row


def decision_without(refit, left_out, threshold=0.95):
    p = refit(left_out).probabilities
    best = max(p, key=p.get)
    return best if p[best] >= threshold else "undecided"


def smallest(refit, n, most=3):
    """The size of the smallest set that changes the decision, by trying every one; or None."""
    own = decision_without(refit, [])
    for k in range(1, most + 1):
        if any(decision_without(refit, list(s)) != own for s in combinations(range(n), k)):
            return k
    return None


def test_sixty_of_a_hundred_questions():
    """All 166,750 removals of up to three questions, decided by SciPy's Beta distribution."""
    counts = paired_proportions([[0, 40], [60, 0]], rope=0)
    assert counts.verdict().p_right == pytest.approx(stats.beta(60.5, 40.5).sf(0.5), abs=1e-9)
    assert counts.verdict().p_right == pytest.approx(0.977, abs=6e-4)
    won = np.r_[np.ones(60, int), np.zeros(40, int)]
    least = 1.0
    for k in (1, 2, 3):
        sets = np.array(list(combinations(range(100), k)))
        gone = np.unique(won[sets].sum(axis=1))
        least = min(least, stats.beta(60.5 - gone, 40.5 - (k - gone)).sf(0.5).min())
    assert least > 0.95  # none of them changes the decision
    result = counts.fragility()
    assert (result.size, result.at_least, result.exact) == (4, 4, True)
    assert stats.beta(56.5, 40.5).sf(0.5) < 0.95
    assert result.names == ("right only for second",) * 4
    assert result.frame["p_right"].iloc[3] == pytest.approx(least, abs=1e-9)


@each_row("seed", [1, 4])
def test_folds_as_by_brute_force(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(0.02 + 0.004 * seed, 0.03, 12)
    if seed % 2:
        x = -x
    refit = lambda s: correlated_t(np.delete(x, s), rho=0.1, rope=0.01).verdict()  # noqa: E731
    result = correlated_t(x, rho=0.1, rope=0.01).fragility(most=3)
    assert result.size == smallest(refit, 12)
    assert result.exact
    places = [int(name.removeprefix("fold ")) - 1 for name in result.frame["name"][1:]]
    for i in range(len(places) + 1):
        p = refit(places[:i]).p_right
        assert result.frame["p_right"].iloc[i] == pytest.approx(p, abs=1e-10)


@each_row("rho", [0.0, 0.1])
def test_sorted_influences_rule_out_what_brute_force_does(rho):
    """Where the bound says that no set of k changes the decision, no set does; and it does say."""
    certain = 0
    for seed in range(12):
        a = np.random.default_rng(seed).normal(0.8, 1, 12)
        for k in (1, 2, 3):
            left = np.array([np.delete(a, s) for s in combinations(range(12), k)])
            scale = np.sqrt(left.var(axis=1, ddof=1) * (1 / (12 - k) + rho / (1 - rho)))
            p = stats.t.sf(0, 11 - k, left.mean(axis=1), scale).min()
            if no_set_undoes(a, k, rho, 0.95):
                assert p >= 0.95
                certain += 1
            elif p >= 0.95:
                certain -= 1
    assert certain > 5


def test_many_folds_are_certain_without_every_set():
    x = np.random.default_rng(5).normal(0.03, 0.02, 400)
    result = correlated_t(x, rho=0.1, rope=0.01, names=("a", "b")).fragility()
    assert (result.size, result.tried, result.exact) == (None, 10, True)
    assert "does not change if any 10 of 400 folds are left out" in result.explain()
    assert result.explain().endswith("The search stopped at 10 removals.")


Z = np.array([0.02, 0.03, 0.015, 0.04, 0.018, 0.025, -0.012, 0.031, 0.022, 0.0])


@each_row(("test", "seeded"), [(sign, {}), (signed_rank, {"seed": 1})])
def test_means_as_by_brute_force(test, seeded):
    rope = 0.005
    refit = lambda s: test(np.delete(Z, s), rope=rope, draws=4000, **seeded).verdict()  # noqa: E731
    result = test(Z, rope=rope, draws=4000, **seeded).fragility(most=2)
    assert result.size == smallest(refit, 10, 2)
    assert result.exact


def test_the_sign_test_names_data_sets():
    x = bc.Differences([[z] for z in Z], rho=0, datasets=list("abcdefghij"), names=("old", "new"))
    result = sign(x, rope=0.005).fragility()
    assert set(result.names) <= set("abcdefghij")
    assert result.word == "data set"


def test_the_hierarchical_test_is_fitted_again():
    rng = np.random.default_rng(3)
    x = rng.normal(np.r_[0.03, 0.03, 0.04, 0.035, 0.03, -0.02][:, None], 0.01, (6, 10))
    options = {"rho": 0.1, "rope": 0.01, "engine": "quadrature", "seed": 1}
    fitted = hierarchical_t(bc.Differences(x, rho=0.1, datasets=list("abcdef")), **options)
    result = fitted.fragility(most=2)
    refit = lambda s: hierarchical_t(np.delete(x, s, axis=0), **options).verdict()  # noqa: E731
    assert result.size == smallest(refit, 6, 2)
    left = ["abcdef".index(name) for name in result.frame["name"][1:]]
    last = result.frame.iloc[-1]
    assert last["p_right"] == pytest.approx(refit(left).p_right, abs=1e-6)


def test_a_greedy_size_is_told_as_an_upper_bound():
    rng = np.random.default_rng(8)
    x = rng.normal(rng.normal(0.03, 0.012, 30)[:, None], 0.02, (30, 10))
    fitted = hierarchical_t(x, rho=0.1, rope=0.01, engine="quadrature", seed=1)
    result = fitted.fragility(most=3)
    assert result.tried <= 3
    assert result.at_least == 2
    assert not result.exact
    assert "Larger sets were built step by step" in result.explain()


def test_clusters_as_by_brute_force():
    rng = np.random.default_rng(4)
    x = rng.normal(0.1, 0.25, 40).round(1)
    clusters = np.arange(40) // 4
    keep = lambda s: ~np.isin(clusters, s)  # noqa: E731
    refit = lambda s: cluster_bootstrap(  # noqa: E731
        x[keep(s)], clusters=clusters[keep(s)], rope=0.02
    ).verdict()
    result = cluster_bootstrap(x, clusters=clusters, rope=0.02).fragility(most=3)
    assert result.size == smallest(refit, 10)
    assert result.exact
    assert result.word == "cluster"


def test_clusters_left_out_are_a_fit_without_them():
    x = np.random.default_rng(6).normal(0.1, 0.3, 12)
    posterior = cluster_bootstrap(x, rope=0.02)
    order = np.argsort(x)
    for place in (0, 5, 11):
        own = cluster_bootstrap(np.delete(x, order[place]), rope=0.02).verdict()
        without = posterior.without(np.array([place])).verdict()
        assert without.p_right == pytest.approx(own.p_right, abs=1e-8)


def test_what_has_no_clusters_leaves_none_out():
    posterior = bc.bayesian.paired_proportions([[40, 5], [14, 25]], rope=0.02)
    with pytest.raises(bc.InputError, match=r"no clusters to leave out. Use bayes"):
        posterior.without(np.array([0]))


def test_the_time_is_kept():
    x = np.random.default_rng(8).normal(0.03, 0.02, (200, 10))
    fitted = hierarchical_t(x, rho=0.1, rope=0.01, engine="quadrature", seed=1)
    result = fitted.fragility(most=150, seconds=0.2)
    assert result.stopped == "after 0.2 s"
    assert "stopped after 0.2 s" in result.explain()
    early = fitted.fragility(seconds=1e-9)
    assert "The search stopped after 1e−09 s, before any of 200 data sets" in early.explain()
    assert not result.exact
    assert not early.exact


def test_undecided_becomes_decided():
    result = paired_proportions([[0, 45], [55, 0]], rope=0, names=("old", "new")).fragility()
    k = result.size
    assert stats.beta(55.5, 45.5 - k).sf(0.5) >= 0.95 > stats.beta(55.5, 46.5 - k).sf(0.5)
    assert "The verdict is undecided. Without " in result.explain()
    assert ", new is better." in result.explain()


def test_words_and_forms():
    x = bc.Differences(
        [[z] for z in Z], rho=0, datasets=[f"d{i}" for i in range(10)], names=("old", "new")
    )
    result = signed_rank(x, rope=0.005, seed=1).fragility()
    assert f"Without {result.size} of 10 data sets (d" in result.explain()
    assert "new is practically better" in result.explain()
    text = str(result)
    assert max(map(len, text.splitlines())) <= 80
    assert text.startswith("new is practically better than old; leaving out ")
    assert "old better" in result.to_markdown()
    assert result.to_dict()["names"] == list(result.names)
    assert bool(result.frame["changes"].iloc[-1])


def test_what_has_too_little_to_leave_out():
    result = sign([0.1, 0.2], rope=0.01).fragility()
    assert "None of 2 data sets can be left out." in result.explain()
    assert result.survives
    assert not result.exact


def test_equal_folds_rest_on_no_spread():
    assert not correlated_t([0.1] * 5, rho=0.1, rope=0.01).fragility().tried


@pytest.mark.parametrize("rope", [0.005, (-0.01, np.inf)], ids=["rope", "margin"])
@pytest.mark.parametrize("seed", first_and_slow(*range(3)))
def test_runs_and_folds_of_several_metrics_as_by_brute_force(seed, rope):
    rng = np.random.default_rng(seed)
    first, second = rng.normal(0.80, 0.02, 5), rng.normal(0.82, 0.02, 5)
    runs = two_sample_t(first, second, rope=rope)

    def of_runs(gone):
        rest = np.delete(first, [i for i in gone if i < 5])
        others = np.delete(second, [i - 5 for i in gone if i >= 5])
        if min(len(rest), len(others)) < 2:
            return runs.verdict()
        return two_sample_t(rest, others, rope=rope).verdict()

    x = rng.normal([0.015, 0.01], 0.02, (10, 2))
    options = {"rho": 0.1, "rope": rope, "seed": 1}

    def of_folds(gone):
        return multivariate_t(np.delete(x, gone, axis=0), **options).verdict()

    for posterior, refit in ((runs, of_runs), (multivariate_t(x, **options), of_folds)):
        result, size = posterior.fragility(most=2), smallest(refit, 10, most=2)
        assert (result.size, result.exact) == (size, True)
        assert result.total == 10
        places = [int(name.split()[1]) - 1 + 5 * ("second" in name) for name in result.names]
        if size:
            last = result.frame["p_equivalent" if posterior is not runs else "p_rope"].iloc[-1]
            assert last == pytest.approx(
                list(refit(places).probabilities.values())[0 if posterior is not runs else 1],
                abs=1e-9,
            )


def test_what_takes_a_sampler_is_refused():
    x = np.random.default_rng(1).normal(0.02, 0.01, 10)
    with pytest.raises(InputError, match=r"since it takes a sampler to fit it again. Use"):
        by_fake(robust_t, x, rho=0.1, rope=0.01).fragility()


def test_parts_of_several_metrics_are_refused():
    x = np.random.default_rng(1).normal(size=(12, 2)) + 1
    both = multivariate_t(x, rho=0.1, rope=0.1)
    with pytest.raises(InputError, match="since it is that of one metric out of several"):
        both.marginal("m1").fragility()
    dependent = multivariate_t(x[:, [0, 0]], rho=0.1, rope=0.1)
    with pytest.raises(InputError, match="or its metrics are dependent"):
        dependent.fragility()


def test_runs_that_are_alike_rest_on_no_spread():
    result = two_sample_t([0.1, 0.1, 0.2], [0.3, 0.3, 0.3], rope=0.01, resolution=0.01).fragility()
    assert result.tried <= 2
    assert result.frame["p_right"].notna().all()


@each_row("options", [{"most": 0}, {"seconds": 0}])
def test_wrong_options_are_refused(options):
    with pytest.raises(InputError, match=next(iter(options))):
        sign(Z, rope=0.01).fragility(**options)


def test_sets_of_units_that_are_alike():
    sets = all_sets(np.array([2, 1, 3]), 3)
    assert sorted(map(tuple, sets)) == [
        (0, 0, 1), (0, 0, 2), (0, 1, 2), (0, 2, 2), (1, 2, 2), (2, 2, 2),
    ]  # fmt: skip
    some, complete = sets_of_kinds(np.array([50, 60, 70, 3]), 100)
    assert not complete
    assert {len(set(row)) for row in some} <= {1, 2}
    assert all(np.all(np.bincount(row, minlength=4) <= [50, 60, 70, 3]) for row in some)
