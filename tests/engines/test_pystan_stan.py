"""The pystan engine: what it leaves in the cache, and what it says that it is."""

import os
import re
from dataclasses import replace

import pytest

from bayescmp.engines import engines
from bayescmp.engines import pystan as module
from tests.conftest import stan_engines
from tests.engines.test_contract import request

pytestmark = [
    pytest.mark.stan,
    pytest.mark.skipif(
        "pystan" not in stan_engines() and os.environ.get("BAYESCMP_REQUIRE_STAN") != "1",
        reason="PyStan is not installed",
    ),
]


def test_a_built_program_is_one_file_beside_the_runner():
    program = module.find_or_build(request().model)
    assert os.access(program, os.X_OK)
    assert any(program.parent.glob("chain-*.o"))


def test_the_bar_says_how_far_the_chains_are(capsys):
    settings = replace(request().settings, draws=4000)
    engines()["pystan"].fit(replace(request(), progress=True, settings=settings))
    shown = [tuple(map(int, at)) for at in re.findall(r" (\d+)/(\d+) \[", capsys.readouterr().err)]
    assert {total for _, total in shown} == {settings.chains * (settings.warmup + 4000)}
    assert shown == sorted(shown)
    assert 0 < shown[-1][0] <= shown[-1][1]


def test_it_says_that_it_uses_the_wheels_and_not_pystan():
    version = engines()["pystan"].available().version
    assert version.startswith("Stan from PyStan's wheels, httpstan ")
