"""Stan programs: their text, what goes into them, and what they report of the sampler.

The text is inside the installed package, else in stan/ beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from bayescmp.errors import EngineError

__all__ = [
    "plain",
    "program_names",
    "program_path",
    "program_text",
    "sample_stats",
]

_PACKAGE = Path(__file__).resolve().parent.parent

#: Statistics of the sampler: our name, Stan's name, and the type of its values.
_STATISTICS = (
    ("diverging", "divergent__", bool),
    ("tree_depth", "treedepth__", float),
    ("energy", "energy__", float),
    ("lp", "lp__", float),
)


def _folder() -> Path:
    """A wheel holds them in bayescmp/stan; an editable install or a checkout has stan/."""
    for folder in (_PACKAGE / "stan", _PACKAGE.parent / "stan"):
        if any(folder.glob("*.stan")):
            return folder
    raise EngineError(
        f"the Stan programs are missing from {_PACKAGE / 'stan'}: reinstall the package"
    )


def program_names() -> list[str]:
    """Names of all programs, without their ending."""
    return sorted(p.stem for p in _folder().glob("*.stan"))


def program_path(model: str) -> Path:
    """File of a program.

    Raises
    ------
    EngineError
        If there is none of that name.
    """
    path = _folder() / f"{model}.stan"
    if not path.is_file():
        raise EngineError(f"no Stan program {model!r}; there are: {', '.join(program_names())}")
    return path


def program_text(model: str) -> str:
    """Text of a program."""
    return program_path(model).read_text(encoding="utf-8")


# -- what goes into a program and comes out of it ----------------------------------------------


def plain(values: Mapping[str, object]) -> dict[str, object]:
    """Data or initial values with arrays as lists, ready for JSON."""
    return {
        k: v.tolist() if isinstance(v, (np.ndarray, np.generic)) else v for k, v in values.items()
    }


def sample_stats(column: Callable[[str], np.ndarray]) -> dict[str, np.ndarray]:
    """Statistics of the sampler under our names, from a reader of Stan's columns."""
    return {ours: column(theirs).astype(kind) for ours, theirs, kind in _STATISTICS}
