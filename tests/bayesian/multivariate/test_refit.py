"""A verdict under other ropes is that of a fit with them, also where metrics have no spread."""

from __future__ import annotations

import warnings

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp.bayesian import groups, multivariate_t

few = settings(max_examples=8)


def probabilities(verdict):
    return np.array(list(verdict.probabilities.values()))


@few
@given(
    st.integers(0, 10_000),
    st.integers(1, 3),
    st.integers(0, 2),
    st.sampled_from([0.0, 0.02]),
    st.booleans(),
)
def test_of_two_algorithms(seed, p, constant, at, known):
    """Constant metrics at zero lend their spread from the rope, others from the step seen."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(0.01, 0.02, (9, p)), 2)
    x[:, : min(constant, p)] = at
    given_ropes = [np.round(rng.uniform(0.01, 0.05, p), 3) for _ in range(2)]
    options = {"rho": 0.1, "seed": 1} | ({"resolution": 0.01} if known else {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)  # the rope lends the resolution
        own, other = (multivariate_t(x, rope=list(r), **options) for r in given_ropes)
    asked = own.verdict(list(given_ropes[1]))
    np.testing.assert_allclose(probabilities(asked), probabilities(other.verdict()), atol=1e-9)
    for a, b in zip(asked.mean_interval, other.verdict().mean_interval, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


@few
@given(st.integers(0, 10_000), st.integers(1, 2), st.sampled_from(["equal", "own"]), st.booleans())
def test_of_several_algorithms(seed, p, variances, constant):
    """The last metric has no errors: all algorithms' scores move alike from fold to fold."""
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(0.8, 0.02, (3, 8, p + 1)), 2)
    if constant:
        x[..., -1] = np.round(rng.normal(0.8, 0.02, 8), 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.DiagnosticWarning)  # the rope may lend the resolution
        own, other = (
            groups(x, rho=0.1, rope=r, variances=variances, seed=1) for r in (0.01, 0.03)
        )
    for pair in own.pairs:
        asked, wanted = own.verdict(*pair, rope=0.03), other.verdict(*pair)
        np.testing.assert_allclose(probabilities(asked), probabilities(wanted), atol=1e-9)
