"""One run of an engine, and the second of a sampler that fails."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import bayescmp as bc
from bayescmp.bayesian.sampling.run import checked_settings, sample
from bayescmp.engines import Fit, FitRequest
from bayescmp.engines.base import SamplerSettings


def request(adapt_delta=0.8):
    return FitRequest("a model", {}, 1, settings=SamplerSettings(4, 10, 500, adapt_delta))


class Scripted:
    """Returns the draws it was given, one set a call."""

    name, independent = "scripted", False

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    def available(self):
        raise NotImplementedError

    def supports(self, model):
        return True

    def fit(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        if not isinstance(answer, dict):
            return Fit(self.name, "1", density=answer)
        shape = (4, 500)
        rng = np.random.default_rng(0)
        stats = {"diverging": np.zeros(shape, bool), "tree_depth": np.full(shape, 3),
                 "energy": rng.normal(size=shape)}  # fmt: skip
        return Fit(self.name, "1", answer, stats)


def good(seed=0, shape=()):
    return {"a": np.random.default_rng(seed).normal(size=(4, 500, *shape))}


def stuck(chain=1):
    draws = good()
    draws["a"][chain] += 9
    return draws


def test_a_run_that_passes_is_the_only_one():
    engine = Scripted(good())
    fit, result = sample(engine, request(), ["a"])
    assert result.ok
    assert not result.refitted
    assert np.array_equal(fit.draws["a"], good()["a"])


@pytest.mark.parametrize(("first", "second"), [(0.8, 0.98), (0.9, 0.99), (0.95, 0.995)])
def test_a_run_that_fails_is_repeated_at_a_tenth_of_the_distance(first, second):
    engine = Scripted(stuck(), good(1))
    fit, result = sample(engine, request(first), ["a"])
    assert [r.settings.adapt_delta for r in engine.requests] == pytest.approx([first, second])
    assert result.ok
    assert result.refitted
    assert result.adapt_delta == pytest.approx(second)
    assert np.array_equal(fit.draws["a"], good(1)["a"])


def test_there_is_no_third_run():
    engine = Scripted(stuck(), stuck())
    _, result = sample(engine, request(), ["a"])
    assert not result.ok
    assert result.refitted
    assert len(engine.requests) == 2


def test_every_element_of_a_variable_is_judged():
    draws = good(shape=(2, 3))
    draws["a"][0, :, 1, 2] += 9
    _, result = sample(Scripted(draws, good(shape=(2, 3))), request(), ["a"])
    assert result.refitted


def test_constants_and_the_twins_of_a_symmetric_matrix_are_left_out():
    """A correlation matrix: ones have no r-hat, and would give NaN."""
    r = np.random.default_rng(0).uniform(-0.5, 0.5, (4, 500))
    one = np.ones_like(r)
    draws = {"a": np.stack([np.stack([one, r], -1), np.stack([r, one], -1)], -1)}
    _, result = sample(Scripted(draws), request(), ["a"])
    assert result.ok


def density(sd, warnings=()):
    return SimpleNamespace(
        warnings=warnings,
        certificate=lambda: SimpleNamespace(sd_log_ratio=sd, passed=sd < 0.1),
    )


def test_a_density_is_judged_by_its_certificate_and_computed_once():
    engine = Scripted(density(0.2, ("the grid is coarse",)))
    _, result = sample(engine, request(), ["a"])
    assert len(engine.requests) == 1
    assert result.exact
    assert result.certificate == 0.2
    assert not result.refitted
    assert result.messages[0] == "the grid is coarse"
    assert "a second integration differs by 0.2, over 0.1" in result.messages[1]
    _, result = sample(Scripted(density(0.05)), request(), ["a"])
    assert result.ok


@pytest.mark.parametrize(
    ("given", "name"),
    [((0, 1, 4, 0.8), "chains"), ((1, 0, 4, 0.8), "warmup"), ((1, 1, 3, 0.8), "draws"),
     ((1, 1, 4, 0), "adapt_delta"), ((1, 1, 4, 1), "adapt_delta"),
     ((1, 1, 4, "high"), "adapt_delta")],
)  # fmt: skip
def test_settings_are_checked(given, name):
    with pytest.raises(bc.InputError, match=f"{name}=.*accepted"):
        checked_settings(*given)
    assert checked_settings(1, 1, 4, 0.8) == SamplerSettings(1, 1, 4, 0.8)
