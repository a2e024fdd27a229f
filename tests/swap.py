"""A test of the catalogue with another function, for the time of one test."""

from __future__ import annotations

import dataclasses

from bayescmp.catalogue import BAYESIAN, FREQUENTIST


def swap(monkeypatch, name, function):
    """Put ``function`` in the place of a Bayesian test's, or of a frequentist (name, scope)."""
    tests = BAYESIAN if isinstance(name, str) else FREQUENTIST
    monkeypatch.setitem(tests, name, dataclasses.replace(tests[name], function=function))
