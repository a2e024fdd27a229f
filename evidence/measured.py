"""Tables of evidence: rows as CSV, and above them the date, command and versions of their run.

The scripts of this folder and the calibration tests write them, the site shows them.
"""

from __future__ import annotations

import platform
import shlex
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path

import pandas as pd

import bayescmp

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent
#: Which show the tables.
PAGES = ROOT / "docs" / "evidence"


def command() -> str:
    """The command of this process, as it is typed in the root of the repository."""
    spec = sys.modules["__main__"].__spec__
    if spec is None:
        program = ["python", Path(sys.argv[0]).resolve().relative_to(ROOT).as_posix()]
    else:
        program = ["python", "-m", spec.name.removesuffix(".__main__")]
    return shlex.join([*program, *sys.argv[1:]])


def head(*packages: str) -> str:
    """Comment lines that say when, how and with what; `packages` besides NumPy and SciPy."""
    versions = [f"Python {platform.python_version()}", f"bayescmp {bayescmp.__version__}"]
    versions += [f"{name} {version(name)}" for name in ("numpy", "scipy", *packages)]
    return (
        f"# date: {date.today().isoformat()}\n"
        f"# command: {command()}\n"
        f"# versions: {', '.join(versions)}\n"
    )


def write(path: Path, frame: pd.DataFrame, *packages: str, digits: int = 6) -> None:
    """Write a table with its record."""
    rows = frame.to_csv(index=False, float_format=f"%.{digits}g", lineterminator="\n")
    path.write_text(head(*packages) + rows, encoding="utf-8")


def record(path: Path) -> dict[str, str]:
    """Date, command and versions of a table; empty if its run recorded none."""
    lines = path.read_text(encoding="utf-8").splitlines()
    comments = (line[2:].partition(": ") for line in lines if line.startswith("# "))
    return {key: value for key, _, value in comments}


def read(path: Path) -> pd.DataFrame:
    """The rows of a table, as text, so that they are shown as they were written."""
    return pd.read_csv(path, comment="#", dtype=str, keep_default_na=False)
