"""Where the Stan programs are: inside the installed package, else in stan/ beside it."""

from __future__ import annotations

from pathlib import Path

from bayescmp.errors import EngineError

__all__ = ["program_names", "program_path", "program_text"]

_PACKAGE = Path(__file__).resolve().parent.parent


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
