"""The engine against a reference that shares no code with it, on 950 problems of six ropes each.

    python -m tests.engines.quadrature.screen [FAMILY ...] [--worst 20] [--processes 1]

The problems are those of `families`, by seed; the reference's answers stand in
tests/reference/quadrature.csv, with the disagreement of its two resolutions. Verdicts at which
they disagree by more than 1e-4 are left out, and counted.
"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd

from bayescmp.engines.quadrature import GridPosterior, solve
from tests.engines.quadrature import families
from tests.reference.make_quadrature import QUANTITIES, check, table

UNRESOLVED = 1e-4
ROUNDING = 1e-6  # of the file
LIMITS = {"3e_5": 3e-5, "8e_4": 8e-4, "2e_3": 2e-3}


def answers(posterior: GridPosterior, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """The three quantities, (3, 3), and their stated errors; NaN where none is stated."""
    parts = [of(low, high) for of in (posterior.verdict, posterior.predictive, posterior.location)]
    return np.array([part.p for part in parts]), np.array([part.error for part in parts])


def failed(posterior: GridPosterior) -> bool:
    """Whether the engine says itself that it failed."""
    return bool(posterior.warnings) or not posterior.certificate().passed


def reference(line) -> np.ndarray:
    """The three quantities of a line of the table, (3, 3)."""
    sides = [(line[f"{name}_left"], line[f"{name}_right"]) for name in QUANTITIES]
    return np.array([(left, 1 - left - right, right) for left, right in sides])


def screen(family: str, seed: int, lines: pd.DataFrame) -> pd.DataFrame:
    """A row for each rope and quantity of a problem.

    "off" is the largest error of the three probabilities; "excess" the largest ratio to what was
    stated, after what the reference does not know itself.
    """
    problem = families.make(family, seed)
    assert np.isclose(check(problem), lines.check.iloc[0], rtol=1e-6), (
        f"{family} {seed} is another problem"
    )
    posterior = solve(problem)
    flag, rows = failed(posterior), []
    for _, line in lines.iterrows():
        p, error = answers(posterior, line.low, line.high)
        off = np.abs(p - reference(line))
        excess = np.maximum(off - line.disagreement - ROUNDING, 0) / error
        for k, quantity in enumerate(QUANTITIES):
            rows.append(
                {
                    "family": family,
                    "seed": seed,
                    "low": line.low,
                    "high": line.high,
                    "quantity": quantity,
                    "off": off[k].max(),
                    "stated": error[k].max(),
                    "excess": excess[k].max(),
                    "failed": flag,
                    "resolved": line.disagreement <= UNRESOLVED,
                }
            )
    return pd.DataFrame(rows)


def screen_all(lines: pd.DataFrame, processes: int = 1) -> pd.DataFrame:
    """All problems of a table."""
    from joblib import Parallel, delayed

    groups = list(lines.groupby(["family", "seed"], sort=False))
    screened = Parallel(processes)(delayed(screen)(*key, group) for key, group in groups)
    return pd.concat(screened, ignore_index=True)


def summary(screened: pd.DataFrame) -> pd.DataFrame:
    """A line for each family and quantity, and for each quantity over all of them."""
    known = screened[screened.resolved]
    known = known.assign(problem=known.family + " " + known.seed.astype(str))
    whole = known.assign(family="all")
    parts = pd.concat([known, whole]).groupby(["family", "quantity"], sort=False)
    return pd.DataFrame(
        [
            {"family": family, "quantity": quantity, **_summarised(part)}
            for (family, quantity), part in parts
        ]
    )


def _summarised(part: pd.DataFrame) -> dict[str, float]:
    excess = part.excess.dropna()
    silent = part[~part.failed]
    problems = part.drop_duplicates("problem")
    return {
        "problems": len(problems),
        "verdicts": len(part),
        **{f"within_{name}": (part.off <= limit).mean() for name, limit in LIMITS.items()},
        "worst": part.off.max(),
        "worst_not_failed": silent.off.max() if len(silent) else 0.0,
        "silent_over_2e_3": int((silent.off > LIMITS["2e_3"]).sum()),
        "exceeded": (excess > 1).mean() if len(excess) else np.nan,
        "exceeded_twice": (excess > 2).mean() if len(excess) else np.nan,
        "silent_twice": (silent.excess > 2).sum() if len(excess) else np.nan,
        "largest_excess": excess.max() if len(excess) else np.nan,
        "failed": int(problems.failed.sum()),
    }


def silent(screened: pd.DataFrame) -> pd.DataFrame:
    """What the engine did not call failed, where the reference knows the answer."""
    return screened[screened.resolved & ~screened.failed]


def worst(screened: pd.DataFrame, count: int) -> pd.DataFrame:
    """The worst verdict of each of the worst problems, by error and by excess in turn."""
    known = screened[screened.resolved]
    orders = [
        known.sort_values(by, ascending=False).drop_duplicates(["family", "seed"]).head(count)
        for by in ("off", "excess")
    ]
    return pd.concat(orders).drop_duplicates(["family", "seed"]).sort_values("off")[::-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("family", nargs="*", default=list(families.FAMILIES))
    parser.add_argument("--worst", type=int, default=20)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    lines = table()
    screened = screen_all(lines[lines.family.isin(options.family)], options.processes)
    with pd.option_context("display.width", 250, "display.max_columns", 30):
        print(summary(screened).to_string(index=False, float_format="%.3g"))
        print(f"\nleft out, not resolved by the reference: {(~screened.resolved).sum() // 3}\n")
        print(worst(screened, options.worst).to_string(index=False, float_format="%.4g"))


if __name__ == "__main__":
    main()
