"""Many problems at shared nodes: the probabilities that each has when it is solved alone."""

import numpy as np
import pytest

from bayescmp.engines.quadrature import AddedRows, Problem, SharedNodes, solve
from tests.marks import first_and_slow

ROPE = (-0.5, 0.5)
STEPS = (2, 6, 12)


def rows_of(rng, k, n, centre, spread):
    mean = centre + spread * rng.standard_t(8, k) + 0.4 * rng.standard_normal(k)
    return mean, (n - 1) * rng.chisquare(n - 1, k) / (n - 1) * 0.9


def problem_of(mean, ss, n):
    return Problem(
        xbar=mean,
        ss=ss,
        n=np.full(len(mean), n),
        rho=np.full(len(mean), 0.1),
        delta0_bound=50.0,
        sigma0_upper=1000.0,
        sigma_upper=1000.0,
    )


def added(mean, ss, n, which, step):
    one = np.ones(len(mean))
    return AddedRows(mean, n * one, ss / 0.9, n / (1 + 0.1 * (n - 1)) * one, which, step)


@pytest.mark.parametrize(
    ("q", "n"), [(5, 10), (14, 100), pytest.param(30, 3, marks=pytest.mark.slow), (12, 2)]
)
@pytest.mark.parametrize("flip", first_and_slow(1, -1))
def test_each_is_as_if_solved_alone(q, n, flip):
    rng = np.random.default_rng([q, n])
    mean, ss = rows_of(rng, q, n, 0.45 * flip, 0.5)
    first = problem_of(mean, ss, n)
    shared = SharedNodes.place_nodes(first, ROPE, q + max(STEPS))
    more = [rows_of(rng, max(STEPS), n, c * flip, 0.5) for c in (0.2, 0.45, 0.7)]
    k, step = max(STEPS), np.searchsorted(STEPS, np.arange(max(STEPS)), side="right")
    means, sums = (np.concatenate(part) for part in zip(*more, strict=True))
    size = len(means)
    rows = added(means, sums, n, np.repeat(np.arange(3), k), np.tile(step, 3))
    p, resolved = shared.probabilities(rows, (3, len(STEPS)))
    np.testing.assert_allclose(p.sum(axis=2), 1)
    assert resolved.mean() > 0.8
    for i, (m, s) in enumerate(more):
        for j, size in enumerate(STEPS):
            alone = solve(problem_of(np.append(mean, m[:size]), np.append(ss, s[:size]), n))
            if resolved[i, j]:  # spreads rounded by up to 2.5%
                assert p[i, j] == pytest.approx(alone.probabilities(*ROPE), abs=0.02)


def test_without_the_rows_seen_only_the_others_count():
    rng = np.random.default_rng(3)
    mean, ss = rows_of(rng, 12, 10, 0.45, 0.5)
    shared = SharedNodes.place_nodes(problem_of(mean, ss, 10), ROPE, 24, depth=16)
    other, sums = rows_of(rng, 12, 10, 0.3, 0.5)
    zeros = np.zeros(12, int)
    rows = added(other, sums, 10, zeros, zeros)
    p, resolved = shared.probabilities(rows, (1, 1), seen=False)
    assert resolved.all()
    alone = solve(problem_of(other, sums, 10)).probabilities(*ROPE)
    assert p[0, 0] == pytest.approx(alone, abs=0.01)


def test_what_the_nodes_do_not_hold_is_told():
    """Rows far from all that was seen move the posterior out of the nodes."""
    rng = np.random.default_rng(4)
    mean, ss = rows_of(rng, 20, 10, 0.45, 0.2)
    shared = SharedNodes.place_nodes(problem_of(mean, ss, 10), ROPE, 60)
    far, sums = rows_of(rng, 40, 10, 30.0, 0.2)
    zeros = np.zeros(40, int)
    rows = added(far, sums, 10, zeros, zeros)
    assert not shared.probabilities(rows, (1, 1))[1].any()
