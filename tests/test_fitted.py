"""What every posterior has: warnings, text."""

from __future__ import annotations

import dataclasses
import warnings

import bayescmp as bc
from bayescmp.errors import DiagnosticWarning


def test_a_doubtful_posterior_warns_at_the_users_line():
    posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
    doubtful = dataclasses.replace(
        posterior,
        diagnostics=dataclasses.replace(posterior.diagnostics, messages=("chains disagree",)),
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DiagnosticWarning)
        doubtful.warn_if_doubtful()
        posterior.warn_if_doubtful()
    (warning,) = caught
    assert warning.filename == __file__
    assert "of first and second: chains disagree" in str(warning.message)
