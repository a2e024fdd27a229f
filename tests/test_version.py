"""One version, wherever it is written."""

from __future__ import annotations

import re
from pathlib import Path

import bayescmp
from bayescmp._version import __version__, built_in

ROOT = Path(__file__).parents[1]


def test_the_version_is_the_same_everywhere():
    assert bayescmp.__version__ == __version__
    project = (ROOT / "pyproject.toml").read_text()
    assert re.search(r'^version = "(.+)"$', project, re.MULTILINE).group(1) == __version__
    citation = (ROOT / "CITATION.cff").read_text()
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE).group(1) == __version__


def test_results_without_an_engine_name_the_package():
    posterior = bayescmp.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
    assert posterior.engine_version == built_in() == f"built in, bayescmp {__version__}"
