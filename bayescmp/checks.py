"""Arguments that many functions share, each checked in one place with one message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.arrays import check_real, finite, numbers, vector
from bayescmp.errors import InputError, unknown_name
from bayescmp.text import counted

__all__ = [
    "ALTERNATIVES",
    "RHO_MISSING",
    "RhoLike",
    "Seed",
    "as_names",
    "check_real",
    "choice",
    "finite",
    "generator",
    "labels",
    "level",
    "names",
    "numbers",
    "one_rho",
    "positive",
    "processes",
    "require_rho",
    "rho",
    "seed_of",
    "steps",
    "vector",
    "whole",
]

#: What public functions take as a seed.
Seed: TypeAlias = int | np.random.Generator | None

#: What public functions take as the correlation of folds: one for all data sets, or one each.
RhoLike: TypeAlias = ArrayLike | Mapping[str, float]

ALTERNATIVES = ("two-sided", "less", "greater")

RHO_MISSING = (
    "rho is missing: plain numbers do not say how strongly folds overlap. Give rho=1/folds for "
    "(repeated) cross-validation, e.g. rho=0.1 for 10-fold, or n_test/(n_train + n_test) for "
    "random splits; rho=0 for independent test sets"
)


# -- the correlation of folds ------------------------------------------------------------------


def rho(value: object, q: int | None = None) -> np.ndarray:
    """Check a correlation of folds: one number, or one for each of q data sets.

    Parameters
    ----------
    value : float or array_like of shape (q,)
    q : int, optional
        Number of data sets; not checked if not given.

    Returns
    -------
    ndarray of shape () or (q,)

    Raises
    ------
    InputError
        If it is not a number, has another shape, or lies outside [0, 1).
    """
    accepted = "accepted: 0 <= rho < 1, one number or one per data set"
    try:
        values = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"rho={value!r} is not a number; {accepted}") from None
    if values.ndim > 1 or (values.ndim == 1 and q is not None and len(values) != q):
        of = "" if q is None else f" for {counted(q, 'data set')}"
        raise InputError(f"rho has shape {values.shape}{of}; {accepted}")
    outside = ~((values >= 0) & (values < 1))
    if outside.any():
        raise InputError(f"rho={values[outside].flat[0]:g} is outside [0, 1); {accepted}")
    return values


def one_rho(value: object) -> float:
    """Check a correlation of folds that has to be one number.

    Raises
    ------
    InputError
        If it is not one number in [0, 1).
    """
    values = rho(value)
    if values.ndim:
        raise InputError(f"rho={value!r}; accepted: one number, 0 <= rho < 1")
    return float(values)


def require_rho(value: object) -> float:
    """Check the correlation of folds of plain numbers, which can't do without it.

    Raises
    ------
    InputError
        If it is missing, or not one number in [0, 1).
    """
    if value is None:
        raise InputError(RHO_MISSING)
    return one_rho(value)


# -- names -------------------------------------------------------------------------------------


def as_names(names: str | Iterable[object] | None, argument: str = "names") -> list[str]:
    """Names as a list of text; one string is one name, None is none.

    Parameters
    ----------
    names : str or iterable, optional
    argument : str
        What the argument is called, for the message.

    Raises
    ------
    InputError
        For what is neither a name nor several.

    Examples
    --------
    >>> from bayescmp.checks import as_names
    >>> as_names("rmse"), as_names(("rmse", "auc")), as_names([1, 2]), as_names(None)
    (['rmse'], ['rmse', 'auc'], ['1', '2'], [])
    """
    if names is None or isinstance(names, str):
        return [] if names is None else [names]
    if not isinstance(names, Iterable):
        raise InputError(f"{argument}={names!r}; accepted: a name, or several in a list")
    return [str(name) for name in names]


def names(value: Iterable[object] | None) -> tuple[str, str]:
    """Check the names of two algorithms; "first" and "second" if not given.

    Raises
    ------
    InputError
        If there are not two, or they are the same.
    """
    both = ("first", "second") if value is None else value
    if isinstance(both, str | Mapping) or not isinstance(both, Iterable):
        raise InputError(f"names={value!r}; accepted: two names, first and second")
    given = tuple(both)
    if len(given) != 2 or not all(isinstance(n, str | int | float | np.generic) for n in given):
        raise InputError(f"names={value!r}; accepted: two names, first and second")
    pair = tuple(str(n) for n in given)
    if pair[0] == pair[1]:
        raise InputError(f"names={value!r}: an algorithm can't be compared with itself")
    return pair[0], pair[1]


def labels(
    what: str, given: Iterable[object] | str | None, size: int, prefix: str = ""
) -> tuple[str, ...]:
    """Check names of rows or columns.

    Parameters
    ----------
    what : str
        The argument ("metrics", "datasets", ...).
    given : iterable, optional
        The names; one string is one name.
    size : int
        How many there have to be.
    prefix : str
        Names are this and 1, 2, ... if not given.

    Returns
    -------
    tuple of str

    Raises
    ------
    InputError
        If their number differs from ``size``, or two are the same.
    """
    if given is None:
        return tuple(f"{prefix}{i + 1}" for i in range(size))
    texts = (given,) if isinstance(given, str) else tuple(str(g) for g in given)
    if len(texts) != size:
        accepted = "one name" if size == 1 else f"{size} different names"
        raise InputError(f"{what}={given!r}; accepted: {accepted}")
    if len(set(texts)) < size:
        twice = next(n for n in texts if texts.count(n) > 1)
        raise InputError(f"{what} names {twice!r} twice; names have to differ")
    return texts


def choice(name: str, value: str, known: Sequence[str]) -> str:
    """Check an option that is one of a few words.

    Parameters
    ----------
    name : str
        The argument.
    value : str
        What was given.
    known : sequence of str
        What is accepted.

    Raises
    ------
    InputError
        If it is another word; the message suggests the nearest.
    """
    if not isinstance(value, str) or value not in known:
        raise unknown_name(name, value, known)
    return value


# -- numbers -----------------------------------------------------------------------------------


def _is_number(value: object) -> TypeGuard[float]:
    number = isinstance(value, int | float | np.integer | np.floating)
    return number and not isinstance(value, bool)


def whole(name: str, value: object, least: int = 1, most: float = np.inf) -> int:
    """Check a whole number of ``least`` to ``most``; floats without a fraction are accepted.

    Raises
    ------
    InputError
        For anything else.
    """
    if not _is_number(value) or not np.isfinite(value) or value % 1 or value < least:
        raise InputError(f"{name}={value!r}; accepted: a whole number of at least {least}")
    if value > most:
        raise InputError(f"{name}={value!r}; accepted: a whole number of at most {most}")
    return int(value)


def processes(n_jobs: object) -> int | None:
    """Check a number of processes; None leaves it to the caller, -1 is one per core.

    Raises
    ------
    InputError
        For zero, and for what is no whole number.
    """
    if n_jobs is None:
        return None
    if not _is_number(n_jobs) or not np.isfinite(n_jobs) or n_jobs % 1 or n_jobs == 0:
        raise InputError(
            f"n_jobs={n_jobs!r}; accepted: a number of processes, -1 for one per core"
        )
    return int(n_jobs)


def positive(value: object, name: str, most: float = 1e9) -> float:
    """Check a number over 0 that is not absurdly large.

    Raises
    ------
    InputError
        For anything else.
    """
    if not _is_number(value) or not 0 < value <= most:
        raise InputError(f"{name}={value!r}; accepted: a number over 0, at most {most:g}")
    return float(value)


def level(value: object, name: str = "level") -> float:
    """Check a probability strictly between 0 and 1: a level, a share of an interval.

    Raises
    ------
    InputError
        For anything else.
    """
    if not _is_number(value) or not 0 < value < 1:
        raise InputError(f"{name}={value!r}; accepted: a number between 0 and 1, exclusive")
    return float(value)


def steps(resolution: object, shape: tuple[int, ...], each: str = "one per metric") -> np.ndarray:
    """Check the smallest steps that metrics can take.

    Parameters
    ----------
    resolution : float or array_like, optional
        One step, or as many as broadcast to ``shape``; NaN where a step is not known.
    shape : tuple of int
        Shape of the result.
    each : str
        What the steps belong to, for the message.

    Returns
    -------
    ndarray of shape ``shape``
        NaN throughout if not given.

    Raises
    ------
    InputError
        If a step is not positive, or infinite, or their shape does not fit.
    """
    accepted = f"accepted: a positive step, one or {each} (NaN where unknown)"
    try:
        if np.asarray(resolution).dtype.kind in "bUSmM":
            raise TypeError
        values = np.asarray(np.nan if resolution is None else resolution, dtype=float)
        values = np.array(np.broadcast_to(values, shape))
    except (TypeError, ValueError):
        raise InputError(f"resolution={resolution!r}; {accepted}") from None
    if np.any(values <= 0) or np.any(np.isinf(values)):
        raise InputError(f"resolution={resolution!r}; {accepted}")
    return values


def seed_of(seed: object) -> int:
    """An integer seed from None, an integer or a Generator.

    Parameters
    ----------
    seed : None, int or numpy.random.Generator
        None draws one from the operating system; a Generator gives its next one.

    Returns
    -------
    int
        0 <= seed < 2**31, to be reported with the result.

    Raises
    ------
    InputError
        For anything else, or a negative number.
    """
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1)[0] >> 1)
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**31))
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and seed >= 0:
        return int(seed) % 2**31
    raise InputError(f"seed={seed!r}; accepted: None, an integer >= 0 or a numpy Generator")


def generator(seed: object) -> np.random.Generator:
    """A Generator from None, an integer >= 0, or a Generator, which is used as it is.

    Raises
    ------
    InputError
        For anything else.
    """
    if isinstance(seed, np.random.Generator):
        return seed
    if seed is None:
        return np.random.default_rng()
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and seed >= 0:
        return np.random.default_rng(int(seed))
    raise InputError(f"seed={seed!r}; accepted: None, an integer >= 0 or a numpy Generator")
