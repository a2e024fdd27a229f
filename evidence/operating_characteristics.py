"""Write operating_characteristics.csv and .md: how often each verdict is given and wrong.

    python evidence/operating_characteristics.py [PROCESSES]

About three minutes of one core. A test makes a part of the table again, by another seed.
"""

from __future__ import annotations

import sys
from typing import Any

import measured
import pandas as pd

import bayescmp as bc
from bayescmp.wording.text import format_share

TABLE = measured.FOLDER / "operating_characteristics.csv"
PAGE = measured.PAGES / "operating_characteristics.md"
SETTINGS: dict[str, Any] = {
    "rope": 0.01, "rho": 0.1, "datasets": [5, 10, 20, 54], "folds": 10,
    "delta0": [0.0, 0.01, 0.02], "sigma0": [0.0025, 0.02], "nu": 10.0, "noise": 0.02,
    "simulations": 200, "seed": 2026,
}  # fmt: skip
HEAD = """# Operating characteristics of the decision rule

How often is each verdict given at the threshold of 0.95, and how often is it wrong? The tables are
simulated: differences in accuracy on 5 to 54 data sets, with ten folds each (rho 0.1, a standard
deviation of 0.02 per fold) and a rope of ±0.01. The data sets' means are δ0 + σ0·t with ten
degrees of freedom, where δ0 is inside the rope, at its edge or outside it, and σ0 is small or
large. Each row is from {simulations} tables. Shares have Monte Carlo standard errors,
√(p(1 − p)/n) at p = (k + ½)/(n + 1) for k of n tables, or are given as bounds where they are none
or all of the tables.

*hierarchical_t* is wrong where it decides for an outcome that is not the most probable one on the
next data set. *wilcoxon* (null hypothesis: no difference; level 0.05) knows nothing of the rope:
it is wrong where it names a side that δ0 is not on. *tost_means* (null hypothesis: δ0 outside the
rope; level 0.05) can only find equivalence: it is wrong where δ0 is not inside the rope. The
column "right" is the correct decision.

In no row is any test wrong in a larger share of the tables than {wrong:.3f}; the hierarchical
test, whose threshold does not promise this, is wrong in at most {hierarchical:.3f}. At the edge of
the rope with a small σ0, two outcomes are almost equally probable, so even many data sets seldom
decide. With five data sets, Wilcoxon's test cannot reach the level.

`bayescmp calibrate --rope 0.01 --rho 0.1` makes such a table for a design of your own.

```{{measured}} operating_characteristics.csv
```
"""


def page(frame: pd.DataFrame) -> str:
    """The page: the text, and a table for each truth."""
    wrong, simulations = frame.groupby("test")["wrong"].max(), SETTINGS["simulations"]
    parts = [
        HEAD.format(
            simulations=simulations,
            wrong=wrong.max(),
            hierarchical=wrong["hierarchical_t"],
        )
    ]
    for (delta0, sigma0), rows in frame.groupby(["delta0", "sigma0"]):
        parts.append(f"## δ0 = {delta0:g}, σ0 = {sigma0:g}\n")
        columns = ["first", "equivalent", "second", "undecided", "wrong"]
        lines = ["| data sets | test | right | " + " | ".join(columns) + " |"]
        lines.append("|" + " --- |" * 3 + " ---: |" * 5)
        for _, row in rows.iterrows():
            cells = [format_share(row[c], row[f"se_{c}"], simulations) for c in columns]
            lines.append(f"| {row.datasets} | {row.test} | {row.right} | {' | '.join(cells)} |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def main() -> None:
    """Simulate, and write both files."""
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    table = bc.calibrate(**SETTINGS, n_jobs=jobs, progress=True)
    measured.write(TABLE, table.frame)
    PAGE.write_text(page(pd.read_csv(TABLE, comment="#")))


if __name__ == "__main__":
    main()
