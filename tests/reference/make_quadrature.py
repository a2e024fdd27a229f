"""Write quadrature.csv: what three quantities of a rope are, by a reference of two resolutions.

    python -m tests.reference.make_quadrature [FAMILY ...]

Takes ten seconds a problem; problems that the file has are kept, so that it can be interrupted.
Each line has a rope of a problem of tests.engines.quadrature.families, the probabilities of its
left and right by the finer resolution (the rope has what is left), and the largest disagreement
of the two resolutions. `check` tells whether a seed still gives the same problem.
"""

from __future__ import annotations

import argparse
import platform
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

from tests.engines.quadrature import families, reference

FILE = Path(__file__).with_name("quadrature.csv")
QUANTITIES = ("most_probable", "predictive", "mean")
DRAWS = 20_000


def check(problem) -> float:
    """A number that changes when the problem does."""
    return float(np.log(problem.ss).sum() + problem.xbar @ np.arange(1, problem.q + 1))


def lines(family: str, seed: int) -> list[str]:
    """The lines of a problem."""
    problem = families.make(family, seed)
    coarse = reference.solve(problem, reference.COARSE)
    ropes = families.ropes(family, seed, *coarse.sample(np.random.default_rng(seed), DRAWS))
    fine = reference.solve(problem, reference.FINE)
    written = []
    for low, high in ropes:
        p = reference.three(fine, low, high)
        disagreement = np.abs(p - reference.three(coarse, low, high)).max()
        numbers = [f"{check(problem):.8g}", f"{low:.13g}", f"{high:.13g}"]
        numbers += [f"{x:.6f}" for x in [*p[:, [0, 2]].ravel(), disagreement]]
        written.append(",".join([family, str(seed), *numbers]))
    return written


def head() -> str:
    versions = [f"Python {platform.python_version()}"]
    versions += [f"{name} {version(name)}" for name in ("numpy", "scipy")]
    columns = [f"{quantity}_{side}" for quantity in QUANTITIES for side in ("left", "right")]
    return (
        "# command: python -m tests.reference.make_quadrature\n"
        f"# versions: {', '.join(versions)}\n"
        + ",".join(["family", "seed", "check", "low", "high", *columns, "disagreement"])
        + "\n"
    )


def table(file: Path = FILE) -> pd.DataFrame:
    """The table, a line a rope."""
    return pd.read_csv(file, comment="#")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("family", nargs="*", default=list(families.FAMILIES))
    parser.add_argument("--file", type=Path, default=FILE)
    parser.add_argument("--seeds", type=int, nargs="*", help="instead of all")
    options = parser.parse_args()
    if not options.file.exists():
        options.file.write_text(head(), encoding="utf-8")
    have = table(options.file)
    have = set(zip(have.family, have.seed, strict=True))
    todo = [
        (seed, family)
        for family in options.family
        for seed in options.seeds or families.seeds(family)
        if (family, seed) not in have
    ]
    for seed, family in sorted(todo):  # so that what is there is balanced
        text = "\n".join(lines(family, seed)) + "\n"
        with options.file.open("a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
