"""Fixtures of the whole suite: reference tables, engines, small tables of scores."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, settings

from tests import parallel
from tests.engines.fake import FakeEngine
from tests.reference.tables import rebuild

HERE = Path(__file__).parent
REFERENCE = HERE.parent.parent / "shared" / "reference"

os.environ.setdefault("MPLBACKEND", "Agg")

#: On a busy machine an example takes as long as it takes; CI checks a commit by the same examples
#: each time, a run by hand looks for new ones. Most examples are fits, and few of them do.
settings.register_profile(
    "house",
    max_examples=40,
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")

BUILDS = pytest.StashKey[subprocess.Popen[bytes]]()


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """A run of the whole suite uses all cores; xdist reads these options next.

    A worker has a whole stretch of files, so that what a module's tests share is made once, and
    one that is done takes over from the end of another's.
    """
    parallel.keep_bytecode()
    option = config.option
    if parallel.is_distributable(config):
        option.numprocesses = min(parallel.cores(), parallel.MOST_WORKERS)
        parallel.keep_cores()
        parallel.read_news_of_arviz()
    if getattr(option, "numprocesses", 0) and option.dist == "no":
        option.dist = "worksteal"


def pytest_itemcollected(item):
    """What takes a Stan engine needs Stan, whether or not it is marked: ``-m "not stan"``."""
    if parallel.needs_stan(item):
        item.add_marker("stan")


@pytest.hookimpl(trylast=True)  # after -m: nothing is compiled for what is not run
def pytest_collection_modifyitems(config, items):
    """Files that need Stan come last; the first worker has the programs compiled meanwhile.

    What only CmdStan can show is no test where it is not installed.
    """
    if "cmdstan" not in stan_engines():
        theirs = [item for item in items if item.get_closest_marker("cmdstan")]
        config.hook.pytest_deselected(items=theirs)
        items[:] = [item for item in items if item not in theirs]
    first = getattr(config, "workerinput", {}).get("workerid") == "gw0"
    if parallel.stan_last(items) and first:
        fast = "not slow" in config.option.markexpr
        config.stash[BUILDS] = parallel.start_builds(HERE.parent, *(parallel.FAST if fast else ()))


@pytest.hookimpl(tryfirst=True)
def pytest_collection():
    gc.disable()


def pytest_collection_finish(session):
    """Thousands of tests stay to the end: what is collected need not be searched for garbage."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 20, 20)  # tables and figures are many small objects


def pytest_unconfigure(config):
    if BUILDS in config.stash:
        parallel.stop(config.stash[BUILDS])


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Where BAYESCMP_REQUIRE_ALL=1 a test that is skipped fails."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("BAYESCMP_REQUIRE_ALL") == "1":
        report.outcome = "failed"
        report.longrepr = f"skipped, and BAYESCMP_REQUIRE_ALL=1: {call.excinfo.value}"


def beside_the_checkout() -> Path | None:
    """The reference data, where they stand beside the checkout."""
    if (REFERENCE / "data").is_dir():
        return REFERENCE
    if os.environ.get("BAYESCMP_REQUIRE_REFERENCE") == "1":
        pytest.fail(f"the reference tables are missing: {REFERENCE}")
    return None


@pytest.fixture(scope="session")
def reference_dir(tmp_path_factory) -> Path:
    """Folder of score tables: those beside the checkout, else rebuilt from tests/reference."""
    reference = beside_the_checkout()
    return reference / "data" if reference else rebuild(tmp_path_factory.mktemp("reference"))


@pytest.fixture(scope="session")
def restated() -> dict:
    """Published facts on the hierarchical test, restated with their sources."""
    return json.loads((HERE / "reference" / "hierarchical_published.json").read_text())


def stan_engines() -> list[str]:
    """Names of the Stan engines that are installed."""
    from bayescmp.engines import engines

    return [n for n in ("pystan", "cmdstan") if engines()[n].available().ok]


@pytest.fixture(params=stan_engines() or [None])
def stan_engine(request) -> str:
    """Each Stan engine in turn; a run without any fails where BAYESCMP_REQUIRE_STAN=1."""
    if request.param is None:
        if os.environ.get("BAYESCMP_REQUIRE_STAN") == "1":
            pytest.fail("no Stan engine is installed, and BAYESCMP_REQUIRE_STAN=1")
        pytest.skip("no Stan engine is installed")
    return request.param


@pytest.fixture
def without_cmdstan(monkeypatch, tmp_path) -> None:
    """What is documented is what "auto" says where CmdStan is not installed."""
    if "cmdstan" in stan_engines():
        monkeypatch.setenv("CMDSTAN", str(tmp_path / "none"))


@pytest.fixture
def no_stan(monkeypatch, tmp_path) -> None:
    """A machine without Stan, with a C++ compiler and make."""
    monkeypatch.delenv("CMDSTAN", raising=False)
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("shutil.which", {"g++": "/g++", "make": "/make"}.get)


@pytest.fixture
def fake() -> Iterator[FakeEngine]:
    """The fake engine, registered while the test runs."""
    from bayescmp.engines import register

    engine = FakeEngine()
    remove = register("fake", lambda: engine)
    yield engine
    remove()


@pytest.fixture(autouse=True)
def _no_figures() -> Iterator[None]:
    """Figures that a test opens are closed after it."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


#: Rooms whose tests are about what the built-in engine computes, how soon, and what is kept of it;
#: all others ask about the same few tables again and again.
OF_ENGINES = {"base", "bayesian", "benchmarks", "calibration", "engines"}
SOLVED: dict[tuple[object, ...], object] = {}


@pytest.fixture(autouse=True, scope="module")
def solved_once(request) -> Iterator[None]:
    """Above the engines, what the built-in one has solved in this process it knows by heart."""
    room, *_ = request.path.relative_to(HERE).parts
    if room in OF_ENGINES:
        yield
        return
    from bayescmp.bayesian.hierarchical import answers
    from bayescmp.engines import base

    anew = base.solve

    def solve(problem, *, settings=None):
        parts = (np.asarray(getattr(problem, part.name)).tobytes() for part in fields(problem))
        key = (settings, *parts)
        if key not in SOLVED:
            SOLVED[key] = anew(problem, settings=settings)
            if len(SOLVED) > 150:  # of a few megabytes each
                SOLVED.pop(next(iter(SOLVED)))
        return SOLVED[key]

    with pytest.MonkeyPatch.context() as patched:
        for module in (answers, base):
            patched.setattr(module, "solve", solve)
        yield


@pytest.fixture
def without_pictures(monkeypatch) -> None:
    """Reports whose pictures are blank: drawing takes longer than all else that they do."""
    from bayescmp.report import content, opening, pictures

    def blank(draw, size, *, name, title, description=""):
        return {"svg": f'<svg id="{name}" role="img"></svg>', "caption": ""}

    for module in (pictures, opening, content):
        monkeypatch.setattr(module, "picture", blank)


@pytest.fixture
def table() -> pd.DataFrame:
    return small_table()


def small_table() -> pd.DataFrame:
    """Three data sets, three algorithms, 2 x 5 folds; deterministic, accuracy and log_loss."""
    rng = np.random.default_rng(7)
    rows = [
        {"dataset": d, "algorithm": a, "repeat": r, "fold": f}
        for d in ("iris", "wine", "digits")
        for a in ("knn", "gbm", "svm")
        for r in (1, 2)
        for f in range(1, 6)
    ]
    frame = pd.DataFrame(rows)
    frame["accuracy"] = rng.integers(30, 51, len(frame)) / 50
    frame["log_loss"] = rng.random(len(frame)).round(4)
    return frame
