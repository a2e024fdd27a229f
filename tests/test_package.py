"""The package as a whole: light to import, easy to look about in, one version, clear warnings."""

from __future__ import annotations

import importlib
import linecache
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import bayescmp
import bayescmp as bc
from bayescmp import errors
from bayescmp.base.version import __version__, built_in
from bayescmp.errors import DiagnosticWarning, InputError, locate_errors, unknown_name, warn_user
from tests.rows import each_row

# `import bayescmp` is fast and loads nothing heavy; every public name is there.


HEAVY = ("arviz", "matplotlib.pyplot", "cmdstanpy", "stan", "httpstan", "sklearn", "joblib")


def _output(code: str, *options: str) -> str:
    done = subprocess.run(
        [sys.executable, *options, "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout + done.stderr


def test_import_is_light():
    lines = _output("import bayescmp", "-X", "importtime").splitlines()
    modules = {line.split("|")[2].strip() for line in lines if line.count("|") == 2}
    assert "bayescmp" in modules
    assert [m for m in HEAVY if m in modules] == []


def test_import_is_fast():
    """In seconds of the processor: those of the clock depend on what runs beside it."""
    code = "import time; t = time.process_time(); import bayescmp; print(time.process_time() - t)"
    assert min(float(_output(code)) for _ in range(3)) < 0.35


def test_a_verdict_takes_no_more_than_it_needs(tmp_path):
    """From the command to the verdict: only its own test, and of SciPy the special functions."""
    table = tmp_path / "scores.csv"
    rows = [
        f"{dataset},{name},{fold},{0.8 + 0.01 * ((fold * (7 + (name == 'b')) + dataset) % 5)}"
        for dataset in range(8)
        for name in "ab"
        for fold in range(6)
    ]
    table.write_text("\n".join(["dataset,algorithm,fold,accuracy", *rows]))
    code = (
        "import sys, scipy.special; own = [*sys.modules]\n"  # 1.18 loads linalg
        "from bayescmp.commands.cli import main\n"
        f"main(['compare', {str(table)!r}, '--rope', '0.01', '--engine', 'quadrature'])\n"
        "print(*own); print(*sys.modules)"
    )
    own, modules = (line.split() for line in _output(code).splitlines()[-2:])
    assert "bayescmp.bayesian.hierarchical.fit" in modules
    unneeded = (
        "scipy.stats",
        "scipy.optimize",
        "scipy.interpolate",
        "scipy.linalg",
        "scipy.sparse",
        "matplotlib",
        "arviz",
        "joblib",
        "sklearn",
        "bayescmp.frequentist",
        "bayescmp.bayesian.joint",
        "bayescmp.report",
        "bayescmp.commands.plan",
    )
    drawn = [m for m in modules if m.startswith("bayescmp.plots.")]
    assert [m for m in unneeded if m in modules and m not in own] + drawn == []


def test_all_pairs_take_no_more_than_they_need():
    code = (
        "import sys; from bayescmp.commands.cli import main\n"
        "main(['compare', 'examples/data/scores.csv', 'svm', 'gbm', 'nb', '--metric', 'auc'])\n"
        "print(*sys.modules)"
    )
    modules = _output(code).splitlines()[-1].split()
    assert "bayescmp.study.comparisons" in modules
    unneeded = ("scipy.stats", "scipy.interpolate", "matplotlib", "jinja2", "bayescmp.plots.")
    assert [m for m in modules if m.startswith(unneeded)] == []


def test_the_first_comparison_of_models_takes_no_more_than_it_needs():
    code = (
        "import sys, pandas as pd, bayescmp as bc\n"
        "rows = [(m, i, (i * k) % 7 < 4) for k, m in enumerate('abc', 2) for i in range(120)]\n"
        "items = bc.Items(pd.DataFrame(rows, columns=['model', 'item', 'correct']))\n"
        "best = bc.compare(items, rope=0.02, seed=1)\n"
        "best.best(), best.top_set(), best.ladder(), best.frame\n"
        "print(*sys.modules)"
    )
    modules = _output(code).splitlines()[-1].split()
    assert "bayescmp.items.items" in modules
    unneeded = ("scipy.stats", "scipy.optimize", "scipy.interpolate", "matplotlib", "sklearn")
    assert [m for m in modules if m.startswith((*unneeded, "bayescmp.plots."))] == []


def test_every_public_name_is_there():
    for name in bayescmp.__all__:
        assert getattr(bayescmp, name) is not None
    assert set(bayescmp.__all__) <= set(dir(bayescmp))


# What a newcomer at the prompt is shown: names, a map, advice that works.


ROOT = Path(__file__).parents[1]
MODULES = (bc, bc.bayesian, bc.frequentist, bc.plots)
PACKAGES = sorted(
    ".".join(file.parent.relative_to(ROOT).parts)
    for file in (ROOT / "bayescmp").rglob("__init__.py")
)


def test_dir_shows_what_is_public_and_nothing_else():
    for name in (*PACKAGES, "bayescmp.sklearn"):
        module = importlib.import_module(name)
        if hasattr(module, "__all__"):
            assert dir(module) == sorted(module.__all__), name
            assert all(not n.startswith("_") or n == "__version__" for n in dir(module))
            assert all(getattr(module, n) is not None for n in dir(module))


def test_the_map_names_what_there_is():
    named = re.findall(r"``([A-Za-z_]+)``", str(bc.__doc__))
    offered = {name for module in MODULES for name in module.__all__}
    assert set(named) <= offered
    assert {"bayesian", "frequentist", "plots", "compare", "report"} <= set(named)


def test_methods_of_the_map_are_those_of_a_posterior():
    methods = re.findall(r"``\.([a-z_]+)\(\)``", str(bc.__doc__))
    assert len(methods) > 4
    assert all(callable(getattr(bc.bayesian.HierarchicalPosterior, name)) for name in methods)


def test_advice_to_install_works_from_a_clone():
    """bayescmp itself may not be in an index: advice names the packages that are missing."""
    known = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    advice = [
        (path.name, named)
        for path in (ROOT / "bayescmp").rglob("*.py")
        for line in re.findall(r"pip install ([a-z' \[\]-]+)", path.read_text(encoding="utf-8"))
        for named in line.split()
    ]
    assert len(advice) > 5
    assert [a for a in advice if a[1] != "zstandard" and f'"{a[1]}>=' not in known] == []


# One version, wherever it is written.


def test_the_version_is_the_same_everywhere():
    assert bayescmp.__version__ == __version__
    project = (ROOT / "pyproject.toml").read_text()
    assert re.search(r'^version = "(.+)"$', project, re.MULTILINE).group(1) == __version__
    citation = (ROOT / "CITATION.cff").read_text()
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE).group(1) == __version__
    recipe = (ROOT / ".ci" / "conda-forge" / "recipe.yaml").read_text()
    assert f'version: "{__version__}"' in recipe


def test_the_recipe_needs_what_the_package_needs():
    project = (ROOT / "pyproject.toml").read_text()
    needed = re.search(r"^dependencies = \[(.*?)^\]", project, re.MULTILINE | re.DOTALL).group(1)
    recipe = (ROOT / ".ci" / "conda-forge" / "recipe.yaml").read_text()
    listed = re.findall(r"^    - ([a-z0-9-]+?)(?:-base)? (>=\S+)$", recipe, re.MULTILINE)
    names = {name + bound for name, bound in listed} - {"python>=${{"}
    assert {*re.findall(r'"(\S+)"', needed)} == names - {"hatchling>=1.27"}
    assert 'requires = ["hatchling>=1.27"]' in project


def test_results_without_an_engine_name_the_package():
    posterior = bayescmp.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
    assert posterior.engine_version == built_in() == f"built in, bayescmp {__version__}"


# Warnings point at the user's line; unknown names come with the nearest known ones.


def _module_of_the_package(text: str) -> dict:
    """Functions compiled as if they stood in a module of the package."""
    namespace = {"warn_user": warn_user}
    exec(compile(text, str(Path(errors.__file__).with_name("some_module.py")), "exec"), namespace)
    return namespace


def _line_of(function, *arguments) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*arguments)
    (warning,) = caught
    assert issubclass(warning.category, DiagnosticWarning)
    return linecache.getline(warning.filename, warning.lineno).strip()


DEEP = """
def deep(n):
    warn_user("doubtful") if n == 0 else deep(n - 1)
def through(call):
    call(deep)
"""


@each_row("depth", [0, 1, 5])
def test_a_warning_points_at_the_caller_of_the_package(depth):
    deep = _module_of_the_package(DEEP)["deep"]

    def users_own():
        deep(depth)  # the user's line

    assert _line_of(users_own) == "deep(depth)  # the user's line"


def test_a_library_in_between_is_passed_over():
    """As a progress bar or a parallel job, which calls back into the package."""
    through = _module_of_the_package(DEEP)["through"]

    def users_own():
        through(lambda deep: deep(2))  # the user's line

    assert _line_of(users_own) == "through(lambda deep: deep(2))  # the user's line"


def test_nearest_names():
    error = unknown_name("metric", "acuracy", ["accuracy", "rmse"])
    assert str(error) == (
        "metric must be 'accuracy' or 'rmse' (got 'acuracy'). Did you mean 'accuracy'?"
    )


def test_located():
    with (
        pytest.raises(InputError, match=r"^on data set 'iris': no$"),
        locate_errors("on data set 'iris'"),
    ):
        raise InputError("no")


# Thousands of calls: memory, open files and threads stay what they were.


#: Runs in a process of its own; prints growth of memory in MB, of open files, and of threads.
JOB = """
import ctypes, gc, os, sys, threading
import numpy as np, pandas as pd
import bayescmp as bc

rng = np.random.default_rng(1)
names = pd.MultiIndex.from_product([range(30), ["a", "b"], range(5)],
                                   names=["dataset", "algorithm", "fold"])

def call():
    x = 0.01 + 0.02 * rng.standard_normal((30, 5))
    posterior = bc.bayesian.hierarchical_t(x, rho=0.2, rope=0.01, engine="quadrature", seed=1)
    posterior.verdict(), posterior.summary()
    table = pd.Series(0.8 + 0.02 * rng.standard_normal(len(names)), names, name="accuracy")
    bc.compare(table.reset_index(), "a", "b", rope=0.01, engine="quadrature", seed=1).verdict()

def state():
    gc.collect()
    if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)  # what is free goes back to the system, whatever lies above it
    pages = int(open("/proc/self/statm").read().split()[1])
    return np.array([pages * os.sysconf("SC_PAGE_SIZE") / 1e6, len(os.listdir("/proc/self/fd")),
                     threading.active_count()])

for _ in range(int(sys.argv[1]) // 4):  # imports, and caches that have an end
    call()
before = state()
for _ in range(int(sys.argv[1])):
    call()
print(*(state() - before))
"""


def _growth(calls: int) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", JOB, str(calls)], capture_output=True, text=True, check=True
    )
    return [float(v) for v in done.stdout.split()]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.slow
def test_after_a_few_calls():
    megabytes, files, threads = _growth(8)
    assert (files, threads) == (0, 0)
    assert megabytes < 5  # posteriors that were kept would take three times as much


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.exhaustive
def test_after_two_thousand_calls():
    megabytes, files, threads = _growth(2000)
    print(f"\n2,000 calls of hierarchical_t and of compare: {megabytes:.1f} MB more")
    assert (files, threads) == (0, 0)
    assert megabytes < 20
