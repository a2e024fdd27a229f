"""Write operating_characteristics.csv: how often each verdict is given and wrong.

    python evidence/operating_characteristics.py [PROCESSES]

About three minutes of one core. A test makes a part of the table again, by another seed.
"""

from __future__ import annotations

import sys
from typing import Any

import measured

import bayescmp as bc

TABLE = measured.FOLDER / "operating_characteristics.csv"
SETTINGS: dict[str, Any] = {
    "rope": 0.01, "rho": 0.1, "datasets": [5, 10, 20, 54], "folds": 10,
    "delta0": [0.0, 0.01, 0.02], "sigma0": [0.0025, 0.02], "nu": 10.0, "noise": 0.02,
    "simulations": 200, "seed": 2026,
}  # fmt: skip


def main() -> None:
    """Simulate, and write the table."""
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    table = bc.calibrate(**SETTINGS, n_jobs=jobs, progress=True)
    measured.write(TABLE, table.frame)


if __name__ == "__main__":
    main()
