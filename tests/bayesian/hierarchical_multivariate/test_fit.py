"""The hierarchical multivariate test without Stan: what the program is given, and what is made."""

from __future__ import annotations

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian import MultivariatePrior
from bayescmp.text import probability
from tests.bayesian.hierarchical_multivariate.cases import fitted, simulated


def test_a_verdict_that_hangs_on_the_resolution_warns(fake):
    """The fake draws a location in units of the mean spread, which the resolution makes here."""
    xs = [np.zeros((20, 2)) for _ in range(6)]
    xs[0], xs[1] = xs[0] + [0.01, 0.02], xs[1] - [0.009, 0.012]
    with pytest.warns(bc.DiagnosticWarning, match="depends on it, give the metrics' true resol"):
        posterior = fitted(xs, resolution=0.05, rope=0.001)
    assert "6 data sets with metrics" in posterior.notes[-1]


def test_a_failed_run_is_repeated_with_smaller_steps(fake):
    fake.stuck = 1
    posterior = fitted(simulated())
    assert [r.settings.adapt_delta for r in fake.requests] == pytest.approx([0.95, 0.995])
    assert posterior.diagnostics.refitted
    assert posterior.diagnostics.ok


def test_a_run_that_fails_twice_warns(fake):
    fake.stuck = 2
    with pytest.warns(bc.DiagnosticWarning, match="hierarchical multivariate.*r-hat"):
        fitted(simulated())


def test_two_data_sets_warn(fake):
    with pytest.warns(bc.DiagnosticWarning, match="two data sets: the answer is driven"):
        posterior = fitted(simulated(q=2))
    assert "driven by the prior" in posterior.notes[0]


def test_the_built_in_engine_cannot():
    with pytest.raises(bc.EngineError, match="does not fit the model 'hierarchical_multi"):
        fitted(simulated(), engine="quadrature")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"draws": 0}, "draws=0; accepted"),
        ({"draws": "a"}, "draws='a'; accepted"),
        ({"chains": 0}, "chains=0; accepted"),
        ({"warmup": 1.5}, "warmup=1.5; accepted"),
        ({"adapt_delta": 2}, "adapt_delta=2; accepted"),
        ({"prior": "weak"}, "prior is str; accepted: a MultivariatePrior"),
        ({"prior": bc.HierarchicalPrior.corani2017()}, "prior is HierarchicalPrior"),
    ],
)
def test_settings_refused(fake, options, message):
    with pytest.raises(bc.InputError, match=message):
        fitted(simulated(), **options)


def test_few_data_sets_say_what_another_prior_makes_of_them(fake):
    for q, prior, message in (
        (5, None, "[2.5 × the larger of the means' sd and standard error]"),
        (4, MultivariatePrior.weakly_informative(), "[1000 × the larger of the means' sd and"),
    ):
        post = fitted(simulated(q), prior=prior)
        note = post.notes[-1]
        assert note.startswith(f"{q} data sets leave much to the prior; with δ0 ~ N(0, sd (0.")
        assert message in note
        beside = MultivariatePrior() if prior else MultivariatePrior.weakly_informative()
        verdict = fitted(simulated(q), prior=beside).verdict()
        shown = {r: probability(p, verdict.floor) for r, p in verdict.probabilities.items()}
        parts = [f"{verdict.label(r)} {p}" for r, p in shown.items()]
        assert note.endswith(f": {', '.join(parts)}")
    assert not any("leave much to the prior" in n for n in fitted(simulated(6)).notes)
