"""What engines are asked and answer: plain values, with Stan's own defaults."""

from __future__ import annotations

import dataclasses

import pytest

from bayescmp.engines import Availability, Fit, FitRequest, SamplerSettings


def test_settings_are_stans_defaults():
    """Stan reference manual 2.38, table of NUTS' configuration: 1000 + 1000, 0.8, 10."""
    assert dataclasses.asdict(SamplerSettings()) == {
        "chains": 4,
        "warmup": 1000,
        "draws": 1000,
        "adapt_delta": 0.8,
        "max_treedepth": 10,
    }


@pytest.mark.parametrize(
    "value", [Availability(True), FitRequest("model", {}, 1), Fit("fake", "1"), SamplerSettings()]
)
def test_they_are_frozen(value):
    field = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, field, None)


def test_mutable_defaults_are_not_shared():
    first, second = FitRequest("model", {}, 1), FitRequest("model", {}, 1)
    assert first.keep is not second.keep
    assert Fit("fake", "1").draws == {}
    assert Fit("fake", "1").density is None
