"""Mutants of some modules at random, each run under those modules' own tests (cosmic-ray).

    pip install cosmic-ray
    python tests/mutation/run.py verdict --mutants 30 --seed 1

Mutants are written into the working tree, one after the other: run it in a clean clone. What
survives is printed, to be killed by a test or argued to be equivalent.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

#: Modules, and the tests that have to notice a change in them.
TARGETS = {
    "verdict": (
        ["results/verdict.py", "wording/text.py"],
        [
            "wording/test_text.py",
            "results/test_verdict.py",
            "results/test_one_sided.py",
            "results/test_quoted.py",
        ],
    ),
    "crosscheck": (["study/crosscheck/rows.py"], ["study/crosscheck"]),
    "posthoc": (
        ["frequentist/rank_pairs.py", "frequentist/incomplete.py"],
        ["frequentist/test_rank_pairs.py", "frequentist/test_incomplete.py"],
    ),
    "report": (
        [
            "report/methods.py",
            "report/build.py",
            "report/content.py",
            "report/pairs.py",
            "report/pictures.py",
            "report/opening.py",
        ],
        ["report"],
    ),
    "scores": (
        ["scores/scores.py", "scores/pairing.py"],
        [
            "scores/test_scores.py",
            "scores/test_pairing.py",
            "scores/test_differences.py",
            "scores/test_rope.py",
            "scores/test_advice.py",
        ],
    ),
}
#: Annotations are no code: a mutant of X | None in one is no mutant.
ANNOTATIONS = "core/ReplaceBinaryOperator_BitOr_"


def config(modules: list[str], tests: list[str]) -> str:
    """What cosmic-ray is told."""
    paths = ", ".join(f'"bayescmp/{m}"' for m in modules)
    command = f"{sys.executable} -m pytest -q -x -n0 -p no:cacheprovider " + " ".join(
        f"tests/{t}" for t in tests
    )
    return (
        f"[cosmic-ray]\nmodule-path = [{paths}]\ntimeout = 300.0\nexcluded-modules = []\n"
        f'test-command = "{command}"\n[cosmic-ray.distributor]\nname = "local"\n'
    )


def sample(session: Path, mutants: int, seed: int) -> int:
    """Keep so many of a session's mutants at random; how many there were."""
    from cosmic_ray.work_db import WorkDB, use_db

    with use_db(str(session), WorkDB.Mode.open) as db:
        items = [
            item
            for item in db.work_items
            if not item.mutations[0].operator_name.startswith(ANNOTATIONS)
        ]
        items.sort(key=_place)
        kept = random.Random(seed).sample(items, min(mutants, len(items)))
        db.clear()
        db.add_work_items(kept)
    return len(items)


def _place(item: object) -> tuple[str, ...]:
    """By which mutants are ordered before they are drawn, so that a seed gives the same ones."""
    m = item.mutations[0]  # type: ignore[attr-defined]
    return str(m.module_path), str(m.start_pos), m.operator_name, str(m.occurrence)


def survivors(session: Path) -> tuple[int, list[str]]:
    """How many died, and what of the others differs."""
    from cosmic_ray.work_db import WorkDB, use_db

    with use_db(str(session), WorkDB.Mode.open) as db:
        results = [result for _, result in db.results]
    alive = [str(r.diff) for r in results if not r.is_killed]
    return len(results) - len(alive), alive


def main() -> None:
    """Make, sample and run the mutants of a target."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--mutants", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings, session = Path(folder, "settings.toml"), Path(folder, "session.sqlite")
        settings.write_text(config(*TARGETS[given.target]), encoding="utf-8")
        cosmic_ray = [sys.executable, "-m", "cosmic_ray.cli"]
        subprocess.run([*cosmic_ray, "init", str(settings), str(session)], check=True)
        total = sample(session, given.mutants, given.seed)
        # Tests that fail without a mutant would have all of them die.
        subprocess.run([*cosmic_ray, "baseline", str(settings)], check=True)
        subprocess.run([*cosmic_ray, "exec", str(settings), str(session)], check=True)
        dead, alive = survivors(session)
    print(f"{given.target}: {dead} of {dead + len(alive)} mutants died ({total} possible)")
    for diff in alive:
        print(diff)


if __name__ == "__main__":
    main()
