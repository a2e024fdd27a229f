"""Ten answers in JSON, as one Python and NumPy gave them; tests/commands/test_check.py reads them.

Written again, where words or numbers change, by

    python -m tests.reference.answers
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import numpy as np
import pandas as pd

from bayescmp.commands.cli import main

HERE = Path(__file__).with_name("answers")
SCORES = "examples/data/scores.csv"
QUESTIONS = (HERE / "questions.csv").relative_to(Path(__file__).parents[2]).as_posix()
PAIR = "--metric accuracy --rope 0.01"

#: The table of each answer, and what was typed around it.
ANSWERS = {
    "pair": (SCORES, f"compare {{}} gbm svm {PAIR}"),
    "pair_on_one": (SCORES, "compare {} knn svm --metric accuracy --dataset iris --rope 0.01"),
    "pair_by_draws": (SCORES, f"compare {{}} knn svm {PAIR} --test signed_rank --seed 7"),
    "all_pairs": (SCORES, f"compare {{}} gbm knn svm {PAIR} --test signed_rank"),
    "questions": (QUESTIONS, "compare {} --rope 0.05"),
    "counts": (None, "compare old=14/20 new=17/20 --rope 0.02"),
    "estimate": (SCORES, "estimate {} svm knn --metric accuracy"),
    "ranks": (SCORES, "rank {} --metric accuracy"),
    "gate": (SCORES, "gate {} --baseline knn --candidate svm --metric accuracy --margin 0.01"),
    "plan": (None, "plan --difference 0.02 --between 0.2 --rope 0.01 --questions 100"),
}


def typed(name: str) -> list[str]:
    """The words of an answer's command."""
    table, command = ANSWERS[name]
    return [*command.format(table).split(), "--json"]


def answer(name: str) -> str:
    """What the command prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        main(typed(name))
    return out.getvalue()


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    rng = np.random.default_rng(2)
    right = rng.random((2, 80)) < 0.6
    table = pd.DataFrame(
        {
            "model": np.repeat(["small", "large"], 80),
            "question": [*range(80)] * 2,
            "judge": (right | (rng.random((2, 80)) < 0.2)).ravel().astype(int),
            "human": np.where(np.arange(80) % 3 == 0, right, np.nan).ravel(),
        }
    )
    table.to_csv(HERE / "questions.csv", index=False)
    for name in ANSWERS:
        (HERE / f"{name}.json").write_text(answer(name), encoding="utf-8")
