"""Measure every line of docs/evidence/speed.md anew, and write its table.

    python tests/benchmarks/peers.py

makes an environment of its own, installs this package and the peers from PyPI into it, runs the
benchmarks that stand beside a peer, one thread for BLAS, and writes the table. ``--environment
FOLDER`` keeps the environment, and the programs of Stan that were built, for the next time;
``--python PYTHON`` takes one that is there, with all of it installed. Programs of Stan are built
before the clock starts, in other processes. The machine should have nothing else to do.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "evidence" / "speed.md"
START, END = "<!-- peers.py writes from here -->", "<!-- to here -->"
#: rliable's dependency arch does not import beside pandas 3.
PACKAGES = ["rliable==1.2.0", "pandas<3", "pytest", "pytest-xdist", "hypothesis"]
FILES = ["hierarchical_stan", "peers"]
#: Packages whose versions the page gives.
VERSIONS = [
    "numpy",
    "scipy",
    "pandas",
    "baycomp",
    "scikit-posthocs",
    "autorank",
    "scikit-learn",
    "rliable",
]
HEAD = ["job", "peer", "bayescmp", "times", "measured by"]


def environment(folder: Path) -> Path:
    """The Python of an environment with the peers, made if it is not there."""
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    ours = f"{ROOT}[peers,pystan,experiments]"
    subprocess.run([str(python), "-m", "pip", "install", "-q", ours, *PACKAGES], check=True)
    return python


def measured(python: Path, lines: Path, cache: Path) -> list[dict[str, object]]:
    """All lines, from one run of the benchmarks in this environment."""
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    own = {"BAYESCMP_SPEED_LINES": str(lines), "XDG_CACHE_HOME": str(cache)}
    env = {**os.environ, **dict.fromkeys(threads, "1"), **own}
    files = [f"tests/benchmarks/test_{name}_speed.py" for name in FILES]
    options = ["-q", "-n0", "-p", "no:cacheprovider", "-m", "benchmark"]
    subprocess.run([str(python), "-m", "pytest", *options, *files], cwd=ROOT, env=env, check=False)
    text = lines.read_text(encoding="utf-8") if lines.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def table(lines: list[dict[str, object]]) -> str:
    """In Markdown, figures to three digits."""
    rows = [
        [
            line["job"],
            f"{line['peer']}: {_figure(line['theirs'])} {line['unit']}",
            f"{_figure(line['ours'])} {line['unit']}",
            _figure(line["times"]),
            f"`{line['file']}`",
        ]
        for line in lines
    ]
    return "\n".join(f"| {' | '.join(map(str, r))} |" for r in [HEAD, ["---"] * len(HEAD), *rows])


def conditions(python: Path, load: float) -> str:
    """When, with what and by which command it was measured, and how busy the machine was."""
    script = "import importlib.metadata as m, sys; print(*(m.version(p) for p in sys.argv[1:]))"
    command = [str(python), "-c", script, *VERSIONS]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    versions = [f"{p} {v}" for p, v in zip(VERSIONS, done.stdout.split(), strict=True)]
    return (
        f"Measured on {date.today()} by `python tests/benchmarks/peers.py`, with "
        f"{', '.join(versions)}; load before it {load:.0f} on {os.cpu_count()} cores."
    )


def _figure(value: object) -> str:
    number = float(f"{float(str(value)):.3g}")
    return f"{number:,.0f}" if number >= 100 else f"{number:g}"


def main() -> int:
    """Measure, and write the page; 1 if a benchmark gave no line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--environment", type=Path, help="the environment's folder, kept")
    parser.add_argument("--python", type=Path, help="a Python that has it all")
    given = parser.parse_args()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    with tempfile.TemporaryDirectory() as folder:
        python = given.python or environment(given.environment or Path(folder, "environment"))
        cache = (given.environment or Path(folder)) / "cache"
        lines = measured(python, Path(folder, "lines.jsonl"), cache)
    absent = [name for name in FILES if f"test_{name}_speed.py" not in {x["file"] for x in lines}]
    if absent:
        print(f"no line of {', '.join(absent)}: the page is left as it is", file=sys.stderr)
        return 1
    before, rest = PAGE.read_text(encoding="utf-8").split(START)
    parts = [START, table(lines), conditions(python, load), END]
    text = before + "\n\n".join(parts) + rest.split(END)[1]
    PAGE.write_text(text, encoding="utf-8")
    print(table(lines))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
