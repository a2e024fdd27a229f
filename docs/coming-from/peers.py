"""What rliable and bbtcomp say of the example scores, for the pages about them.

Both are run in an environment of their own, as neither is needed to build the site::

    pip install rliable bbtcomp "pandas<3" && python docs/coming-from/peers.py

Every call in the left columns of their pages is run, but for those of bbtcomp's model, which needs
CmdStan.
"""

from __future__ import annotations

import json
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from bbtcomp import make_wintable, table_wintable
from calls import calls, run
from rliable import library, metrics

HERE = Path(__file__).parent
PAIR = ("gbm", "svm")


def runs(frame: pd.DataFrame, name: str) -> np.ndarray:
    """Mean accuracy of each run on each data set, (runs, tasks)."""
    rows = frame[frame["algorithm"] == name]
    return rows.pivot_table("accuracy", "repeat", "dataset", sort=False).to_numpy()


def rliable_says(scores: dict[str, np.ndarray]) -> dict[str, object]:
    """Interquartile means with intervals, and the probability of improvement."""
    points, intervals = library.get_interval_estimates(
        scores, lambda x: np.array([metrics.aggregate_iqm(x)]), reps=2000,
        random_state=np.random.RandomState(1),
    )  # fmt: skip
    first, second = PAIR
    return {
        "iqm": {name: float(points[name][0]) for name in PAIR},
        "interval": {name: intervals[name][:, 0].tolist() for name in PAIR},
        "improvement": float(metrics.probability_of_improvement(scores[second], scores[first])),
    }


def bbtcomp_says(means: pd.DataFrame) -> list[dict[str, object]]:
    """Wins of each pair over data sets."""
    wins = make_wintable(means, dbcol=None, lrope=False)
    return table_wintable(wins).to_dict("records")


def ran(scores: dict[str, np.ndarray], table: pd.DataFrame) -> dict[str, list[str]]:
    """The calls of the two pages that were run."""
    first, second = (scores[name] for name in PAIR)
    of_rliable = {"scores": scores, "tau": np.linspace(0, 1, 11), "x": second, "y": first}
    names = {
        "rliable": vars(library) | vars(metrics) | of_rliable,
        "bbtcomp": {"make_wintable": make_wintable, "table": table},
    }
    done = {page: calls(page)[0] for page in names}
    done["bbtcomp"] = [call for call in done["bbtcomp"] if call.startswith("make_wintable")]
    for page, code in done.items():
        run(code, names[page])
    return done


def main() -> None:
    """Write peers.json."""
    frame = pd.read_csv(HERE.parents[1] / "examples" / "data" / "scores.csv")
    means = frame.pivot_table("accuracy", "dataset", "algorithm", sort=False)
    scores = {name: runs(frame, name) for name in PAIR}
    folds = frame.pivot(
        index=["dataset", "repeat", "fold"], columns="algorithm", values="accuracy"
    )
    answers = {
        "date": str(date.today()),
        "versions": {name: version(name) for name in ("rliable", "arch", "bbtcomp")},
        "ran": ran(scores, folds.reset_index().drop(columns=["repeat", "fold"])),
        "rliable": rliable_says(scores),
        "bbtcomp": bbtcomp_says(means[["knn", "gbm", "svm"]]),
    }
    (HERE / "peers.json").write_text(json.dumps(answers, indent=1) + "\n")


if __name__ == "__main__":
    main()
