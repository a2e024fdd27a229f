"""Checks of a user's input: numbers, arrays, names and flags, each checked in one place."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Sized
from functools import wraps
from inspect import signature
from itertools import combinations, repeat
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeGuard, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.base.arguments import arg, must, must_be
from bayescmp.base.magnitudes import HELD, MOST, check_size
from bayescmp.errors import InputError, unknown_name
from bayescmp.wording.text import format_count

if TYPE_CHECKING:
    import pandas as pd


P = ParamSpec("P")
R = TypeVar("R")
Names = TypeVar("Names", bound=Sequence[str])


# Arrays of numbers that a user gives: real, finite, of the right shape.


def read_numbers(x: object, name: str, accepted: str) -> np.ndarray:
    """Copy x as floating-point numbers; `accepted` describes the accepted x in messages."""
    check_real(x, name)
    if isinstance(x, list | tuple) and x and axes_of(x[0]):  # their labels are lost in an array
        for i, row in enumerate(x[1:], start=1):
            check_paired(**{f"{name}[0]": x[0], f"{name}[{i}]": row})
    try:
        return np.array(x, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise must_be(name, f"numbers, in rows of the same length: {accepted}", x) from None


def check_real(x: object, name: str, *, flags: bool = True) -> None:
    """Refuse what numpy would convert with a loss; `flags` allows True and False for 1 and 0."""
    if type(x) is np.ndarray and x.dtype.kind in "fiu":
        return
    if isinstance(x, np.ma.MaskedArray):
        raise InputError(
            f"{name} must be numbers without a mask (got a masked array). Leave out what is "
            "masked, or fill it.",
            name,
        )
    if hasattr(x, "toarray"):
        got = f"a sparse {type(x).__name__}"
        raise InputError(f"{name} must be a dense array (got {got}). Pass x.toarray().", name)
    try:
        kind = np.asarray(x).dtype.kind
    except (TypeError, ValueError):  # rows that differ in length
        return
    kinds = {"c": "complex numbers", "m": "times", "M": "dates", "U": "text", "S": "text"}
    if not flags and any(isinstance(v, bool | np.bool_) for v in np.asarray(x, dtype=object).flat):
        raise must(name, "hold real numbers", "True or False")
    if kind in kinds:
        raise must(name, "hold real numbers", kinds[kind])
    if kind == "O":
        flat = np.asarray(x, dtype=object).ravel()
        odd = [value for value in flat if isinstance(value, str | bytes | complex)]
        if odd:
            raise must(name, "hold real numbers", repr(odd[0]))


def axes_of(x: object) -> list[pd.Index]:
    """Return the labels along each axis of what pandas or xarray made; none for plain numbers."""
    if hasattr(x, "indexes") and hasattr(x, "dims"):
        return [x.indexes.get(dim) for dim in x.dims]
    axes = getattr(x, "axes", None)
    return axes if isinstance(axes, list) else []


def mapping_of(x: object, argument: str) -> dict[str, object] | None:
    """Return what is given by distinct names, as a mapping or a Series; None without names."""
    if isinstance(x, Mapping):
        pairs = [(str(name), value) for name, value in x.items()]
    else:
        axes = axes_of(x)
        if len(axes) != 1 or is_numbered(axes[0]):
            return None
        pairs = list(zip(map(str, axes[0]), np.asarray(x).tolist(), strict=True))
    distinct_names(argument, [name for name, _ in pairs])
    return dict(pairs)


def is_numbered(axis: pd.Index | None) -> bool:
    """Whether an axis has no labels but the places 0, 1, ... that pandas numbers it by."""
    return axis is None or list(axis) == list(range(len(axis)))


def along_rows(x: object) -> object:
    """Return the row names of a table, for `check_paired`; any other object unchanged."""
    return x.index.to_series() if len(axes_of(x)) == 2 and hasattr(x, "index") else x


def along_columns(x: object) -> object:
    """Return the column names of a table, for `check_paired`; any other object unchanged."""
    return along_rows(x.T) if len(axes_of(x)) == 2 and hasattr(x, "T") else x


def check_paired(**given: object) -> None:
    """Refuse arrays, by argument, that are paired by place if their (last) labels do not agree."""
    for (one, x), (other, y) in combinations(given.items(), 2):
        if isinstance(x, list | tuple) or isinstance(y, list | tuple):
            for i, (v, w) in enumerate(zip(_parts(x), _parts(y), strict=False)):
                if not (axes_of(v) and axes_of(w)):
                    break
                at, place = (f"[{i}]" if isinstance(s, list | tuple) else "" for s in (x, y))
                check_paired(**{f"{one}{at}": v, f"{other}{place}": w})
            continue
        for a, b in zip(axes_of(x)[::-1], axes_of(y)[::-1], strict=False):
            if a is None or b is None or len(a) != len(b) or a.equals(b):
                continue
            labels = enumerate(zip(a.tolist(), b.tolist(), strict=True))
            differing = [(i, v, w) for i, (v, w) in labels if v != w]
            if not differing:  # apart from their type
                continue
            i, label, its = differing[0]
            raise InputError(
                f"{one} and {other} must have the same labels in the same order, since they are "
                f"paired by place (got {label!r} and {its!r} at place {i}). You can also give "
                "numbers without labels (.to_numpy()).",
                other,
            )


def _parts(x: object) -> Iterable[object]:
    """Return what a list holds; anything else over and over."""
    return x if isinstance(x, list | tuple) else repeat(x)


def check_diagonal(wins: np.ndarray) -> None:
    """Refuse a square table in which something beats itself."""
    own = np.flatnonzero(np.diag(wins))
    if len(own):
        i = int(own[0])
        raise InputError(
            f"wins must have zeros in the diagonal (got {wins[i, i]:g} at [{i}, {i}]). Nothing "
            "is compared with itself.",
            "wins",
        )


def check_finite(values: np.ndarray, what: str, where: Callable[[tuple[int, ...]], str]) -> None:
    """Refuse missing and infinite numbers of `what`, and name the place (`where`) of the first."""
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        place = tuple(int(i) for i in bad[0])
        more = f", and {len(bad) - 1} more" if len(bad) > 1 else ""
        raise must(what, "be finite", f"{values[place]} for {where(place)}{more}")


#: Advice for functions that only use ranks.
BEYOND_ALL = (
    "replace an infinite score by any number beyond all others, which does not change the ranks"
)


def check_vector(
    x: object, *, name: str = "x", least: int = 2, test: str = "the test", ranked: bool = False
) -> np.ndarray:
    """Copy a vector of at least `least` finite numbers, (n,), whose squares are in range."""
    values = read_numbers(x, name, "(n,), one number per fold or data set")
    if values.ndim != 1:
        raise must(name, "have shape (n,)", f"shape {values.shape}")
    if len(values) < least:
        raise must(
            name, f"have at least {format_count(least, 'value')} for {test}", str(len(values))
        )
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        way_out = f"For ranks, {BEYOND_ALL}." if ranked and np.isinf(values).any() else ""
        got = f"{values[bad[0]]} at place {bad[0]}"
        raise must(name, "hold finite numbers", got, way_out)
    check_size(values, name.rstrip(","))
    return values


# Arguments that many functions share, each checked in one place with one message.


T = TypeVar("T")

#: The seed argument of public functions.
Seed: TypeAlias = int | np.random.Generator | None

#: The correlation of folds: one number for all data sets, or one per data set.
RhoLike: TypeAlias = ArrayLike | Mapping[str, float]

ALTERNATIVES = ("two-sided", "less", "greater")

RHO_MISSING = (
    "rho must be given for plain numbers, which do not show how strongly folds overlap. Give "
    "rho=1/folds for (repeated) cross-validation, e.g. rho=0.1 for 10-fold. Give "
    "n_test/(n_train + n_test) for random splits, and rho=0 for independent test sets."
)


# The correlation of folds.


def check_rho(value: object, q: int | None = None) -> np.ndarray:
    """Check one or q correlations of folds in [0, 1), shape () or (q,)."""
    accepted = "at least 0 and below 1, one number or one per data set"
    try:
        check_real(value, "rho", flags=False)
        values = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise must_be("rho", accepted, value) from None
    if values.ndim > 1 or (values.ndim == 1 and q is not None and len(values) != q):
        for_datasets = "" if q is None else f" for {format_count(q, 'data set')}"
        raise InputError(
            f"rho must be {accepted} (got shape {values.shape}{for_datasets}).", "rho"
        )
    outside = ~((values >= 0) & (values < 1))
    if outside.any():
        raise must_be("rho", accepted, values[outside].flat[0])
    return values


def one_rho(value: object) -> float:
    """Check a correlation of folds that has to be one number in [0, 1)."""
    values = check_rho(value)
    if values.ndim:
        raise must_be("rho", "one number, at least 0 and below 1", value)
    return float(values)


def require_rho(value: object) -> float:
    """Check the correlation of folds, which plain numbers cannot do without."""
    if value is None:
        raise InputError(RHO_MISSING, "rho")
    return one_rho(value)


# Names.

#: Line breaks and other control characters, and halves of characters, which no file can hold.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def check_label(value: object, what: str) -> str:
    """Check a name: one line of text, or a number or the like; `what` names its place."""
    text = str(value)
    missing = not isinstance(value, str) and text in ("None", "nan", "NaT", "<NA>")
    if missing or not text.strip():
        raise must(what, "hold names that are not empty", repr(value))
    if isinstance(value, bytes):
        raise must(what, "hold names as text, not bytes", repr(value))
    if _UNPRINTABLE.search(text):
        raise must(what, "hold names on one line, without control characters", repr(text))
    return text


def as_names(names: str | Iterable[object] | None, argument: str = "names") -> list[str]:
    """Return names as a list of text: one string is one name, and None is an empty list.

    Examples
    --------
    >>> from bayescmp.base.checks import as_names
    >>> as_names("rmse"), as_names(("rmse", "auc")), as_names([1, 2]), as_names(None)
    (['rmse'], ['rmse', 'auc'], ['1', '2'], [])
    """
    if names is None or isinstance(names, str):
        return [] if names is None else [names]
    check_ordered(argument, names)
    if not isinstance(names, Iterable) or isinstance(names, bytes):
        raise must_be(argument, "a name, or several in a list", names)
    return [str(name) for name in names]


def check_names(value: Iterable[object] | None) -> tuple[str, str]:
    """Check the names of two algorithms, which differ; "first" and "second" if not given."""
    both = ("first", "second") if value is None else value
    check_ordered("names", both)
    given = () if isinstance(both, str | Mapping) else items_of(both)
    if len(given) != 2 or not all(isinstance(n, str | int | float | np.generic) for n in given):
        raise must_be("names", "two names, first and second", value)
    pair = tuple(check_label(n, "names") for n in given)
    if pair[0] == pair[1]:
        raise must("names", "be of two different algorithms", repr(value))
    return pair[0], pair[1]


def check_labels(
    what: str, given: Iterable[object] | str | None, size: int, prefix: str = ""
) -> tuple[str, ...]:
    """Check `size` distinct names (one string is one), by default `prefix` and 1, 2, ..."""
    if given is None:
        return tuple(f"{prefix}{i + 1}" for i in range(size))
    check_ordered(what, given)
    several = (given,) if isinstance(given, str) else items_of(given)
    if len(several) != size:
        accepted = "one name" if size == 1 else f"{size} different names"
        raise must_be(what, accepted, given)
    return distinct_names(what, tuple(check_label(g, what) for g in several))


def distinct_names(what: str, names: Names) -> Names:
    """Refuse a name that is given twice."""
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise InputError(f"{what} must have different names (got {twice!r} twice).", what)
    return names


def items_of(given: object) -> tuple[object, ...]:
    """Return the items of a list or another iterable; nothing for any other object."""
    try:
        return tuple(given)  # type: ignore[arg-type]
    except TypeError:
        return ()


def check_ordered(what: str, given: object) -> None:
    """Refuse a set for an argument whose order counts."""
    if isinstance(given, set | frozenset):
        raise must_be(what, "a list or a tuple", given, "A set has no order.")


def are_swapped(given: Iterable[object] | None, own: tuple[str, str]) -> bool:
    """Whether names reverse the pair (`own`) that the data bring; other names are refused.

    Examples
    --------
    >>> from bayescmp.base.checks import are_swapped
    >>> are_swapped(("knn", "svm"), ("knn", "svm")), are_swapped(("svm", "knn"), ("knn", "svm"))
    (False, True)
    """
    pair = own if given is None else check_names(given)
    if sorted(pair) != sorted(own):
        accepted = f"{own[0]!r} and {own[1]!r}, in either order"
        raise must_be("names", accepted, pair, "The numbers follow the order.")
    return pair != own


def find_places(
    what: str, given: Iterable[object] | str, own: Sequence[str], argument: str = ""
) -> list[int]:
    """Return places of names of `what` ("algorithm") in the data's; refuse repeats."""
    argument = argument or f"{what}s"
    wanted = as_names(given, argument)
    for name in wanted:
        check_choice(what, name, own, argument)
        if wanted.count(name) > 1:
            raise InputError(f"{what} must have different names (got {name!r} twice).", argument)
    return [list(own).index(name) for name in wanted]


def by_name(
    what: str, value: T, names: Sequence[str], known: Sequence[str] | None = None
) -> T | list[float]:
    """Return one number per name from a mapping or a Series; any other value unchanged."""
    named = mapping_of(value, what)
    if named is None:
        return value
    known = names if known is None else known
    for name in named:
        check_choice(f"name in {what}", name, known, what)
    absent = [name for name in names if name not in named]
    if absent:
        raise InputError(
            f"{arg(what)} must be one number, or one for each of {', '.join(names)} (got none for "
            f"{absent[0]!r}).",
            what,
        )
    return [cast(float, named[name]) for name in names]


def check_flags(**given: object) -> None:
    """Refuse arguments that are neither True nor False; NumPy's own will do."""
    for name, value in given.items():
        if not isinstance(value, bool | np.bool_):
            raise must_be(name, "True or False", value)


def check_unused(because: str, **given: object) -> None:
    """Refuse an option (not None) that would not be used, `because` of a reason in words."""
    for name, value in given.items():
        if value is not None:
            raise must_be(name, f"left out, since {because}", value)


def flags_of(name: str, value: object, names: Sequence[str]) -> tuple[bool, ...]:
    """Return a flag per name, from one flag for all, a sequence in order, or a mapping by name."""
    check_ordered(name, value)
    value = by_name(name, value, names)
    if isinstance(value, Iterable) and not isinstance(value, str):
        flags = list(value)
    else:
        flags = [value] * len(names)
    if len(flags) != len(names):
        raise InputError(
            f"{name} must be True or False, one for all or one per metric (got {len(flags)} for "
            f"{format_count(len(names), 'metric')}).",
            name,
        )
    for flag in flags:
        check_flags(**{name: flag})
    return tuple(map(bool, flags))


def check_choice(
    name: str, value: object, known: Iterable[str], argument: str | None = None
) -> str:
    """Check an option that is one of a few words; suggest the nearest to `argument`."""
    if not isinstance(value, str) or value not in known:
        raise unknown_name(name, value, known, argument)
    return value


# Numbers.


def is_number(value: object) -> TypeGuard[float]:
    """Whether this is one real number that a float holds; True and False are not."""
    if isinstance(value, bool | np.timedelta64):  # which NumPy counts as whole
        return False
    if isinstance(value, int):
        return abs(value) <= sys.float_info.max
    return isinstance(value, float | np.integer | np.floating)


def check_whole(
    name: str, value: object, least: int = 1, each: int = 1, most: float = MOST
) -> int:
    """Check a whole number from ``least`` to ``most``; `each` is how much memory one takes."""
    most = min(most, HELD // each if each > 1 else most)
    if is_number(value) and least <= value <= most and value % 1 == 0:
        return int(value)
    too_many = is_number(value) and value > most
    to = f"from {least} to {most:,}" if too_many else f"of at least {least}"
    raise must_be(name, f"a whole number {to}", value)


def check_wholes(
    name: str, values: object, least: int = 1, each: int = 1, most: float = MOST
) -> list[int]:
    """Check whole numbers, as `check_whole` does each; return the distinct ones, sorted."""
    several = values if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    numbers = sorted({check_whole(name, value, least, each, most) for value in several})
    if not numbers:
        raise must_be(name, f"one whole number or more, from {least} on", values)
    return numbers


#: The most processes at a time.
PROCESSES = 1000


def check_processes(name: str, n_jobs: object) -> int | None:
    """Check a number of processes; None leaves it to the caller, -1 means one per core."""
    if n_jobs is None:
        return None
    most = PROCESSES
    if is_number(n_jobs) and n_jobs != 0 and abs(n_jobs) <= most and n_jobs % 1 == 0:
        return int(n_jobs)
    raise must_be(name, f"a number of processes, -1 for one per core, at most {most:,}", n_jobs)


def check_positive(name: str, value: object, most: float = 1e9) -> float:
    """Check a number over 0 that is not absurdly large."""
    if not is_number(value) or not 0 < value <= most:
        raise must_be(name, f"a number over 0, at most {most:g}", value)
    return float(value)


def positive_of_any_size(value: object, name: str) -> float:
    """Check a finite number over 0."""
    if not is_number(value) or not 0 < value < float("inf"):
        raise must_be(name, "a positive number", value)
    return float(value)


def check_bounds(value: object, name: str) -> tuple[float, float]:
    """Check the lower and upper bound of a range of positive numbers; one number is both."""
    ends: tuple[Any, ...] = (value, value) if is_number(value) else items_of(value)
    if len(ends) != 2 or not all(map(is_number, ends)) or not 0 < ends[0] <= ends[1] < np.inf:
        raise must_be(name, "0 < low <= high, or one number > 0", value)
    return float(ends[0]), float(ends[1])


def check_level(value: object, name: str = "level") -> float:
    """Check a probability strictly between 0 and 1: a level, a share of an interval."""
    if not is_number(value) or not 0 < value < 1:
        raise must_be(name, "a number between 0 and 1, exclusive", value)
    return float(value)


def check_steps(
    resolution: object, shape: tuple[int, ...], each: str = "one per metric"
) -> np.ndarray:
    """Check smallest steps that broadcast to ``shape``; `each` is how many are accepted."""
    accepted = f"a positive step, one or {each} (NaN where unknown)"
    try:
        if np.asarray(resolution).dtype.kind in "bUSmM":
            raise TypeError
        values = np.asarray(np.nan if resolution is None else resolution, dtype=float)
        values = np.array(np.broadcast_to(values, shape))
    except (TypeError, ValueError, OverflowError):
        raise must_be("resolution", accepted, resolution) from None
    if np.any(values <= 0) or np.any(np.isinf(values)):
        raise must_be("resolution", accepted, resolution)
    return values


def seed_of(seed: object) -> int:
    """Return an integer seed, 0 <= seed < 2**31: given, a Generator's next, or a random one."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1)[0] >> 1)
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**31))
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and 0 <= seed < 2**31:
        return int(seed)
    raise must_be("seed", f"None, an integer from 0 to {2**31 - 1} or a numpy Generator", seed)


def make_generator(seed: object) -> np.random.Generator:
    """Return a Generator from None or an integer >= 0; a Generator is returned unchanged."""
    if isinstance(seed, np.random.Generator):
        return seed
    if seed is None:
        return np.random.default_rng()
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and seed >= 0:
        return np.random.default_rng(int(seed))
    raise must_be("seed", "None, an integer >= 0 or a numpy Generator", seed)


# Validation of the parameters of public functions: declared above a function and checked before it
# runs. A kind of parameter is a function of the argument's name and value. It returns the value in
# the form that the body needs, or raises an `InputError` that lists the accepted values.


INFINITY = float("inf")

Kind: TypeAlias = Callable[[str, object], object]


def validate_params(**kinds: Kind) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Check what a function is given before it runs; what is left out keeps its default.

    `kinds` has the kind of each parameter, by its name.

    Examples
    --------
    >>> from bayescmp.base.checks import count, validate_params
    >>> @validate_params(folds=count(2))
    ... def share_of_tests(folds=10):
    ...     return 1 / folds
    >>> share_of_tests(), share_of_tests(5.0)
    (0.1, 0.2)
    >>> share_of_tests(folds=1)
    Traceback (most recent call last):
    bayescmp.errors.InputError: folds must be a whole number of at least 2 (got 1).
    """
    return _check_calls(kinds)


def one_table(**kinds: Kind) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Validate as `validate_params`, for a test that takes one table of differences."""
    return _check_calls(kinds, one_table=True)


#: Calls for two arrays or more, of a test that takes one.
DIFFERENCES = "an array of differences, second minus first", "{name}(second - first)"
COLUMNS = "one table with a column per algorithm", "{name}(numpy.column_stack([first, second]))"
ROWS = "one table with a row per algorithm", "{name}([first, second])"


def one_array(advice: tuple[str, str]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Refuse several arrays in a call of a test that takes one, and show the call to write."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        (accepted, call), name = advice, getattr(function, "__name__", "test")
        first = next(iter(signature(function).parameters))

        @wraps(function)
        def checked(*args: P.args, **options: P.kwargs) -> R:
            if len(args) > 1:
                hint = f"Write {call.format(name=name)}."
                raise must(first, f"be {accepted}", f"{len(args)} arrays", hint)
            return function(*args, **options)

        return checked

    return decorate


def _check_calls(
    kinds: Mapping[str, Kind], *, one_table: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        places = {name: i for i, name in enumerate(signature(function).parameters)}
        declared = [(places[name], name, kind) for name, kind in kinds.items()]

        @wraps(function)
        def checked(*args: P.args, **options: P.kwargs) -> R:
            if one_table:
                _check_one_table(getattr(function, "__name__", "test"), args, options)
            given = list(args)
            for place, name, kind in declared:
                if name in options:
                    options[name] = kind(name, options[name])
                elif place < len(given):
                    given[place] = kind(name, given[place])
            return function(*given, **options)  # type: ignore[arg-type]

        return checked

    return decorate


def _check_one_table(name: str, args: Sized, options: Container[str]) -> None:
    """Refuse two arrays or ``runs`` in the call of a test, and show the call to write instead."""
    if len(args) > 1 or "runs" in options:
        raise InputError(
            f"{name} must have differences, second minus first, as its only array, and rho "
            f"instead of runs. Use {name}(bc.Differences.from_arrays(a, b, runs=10), "
            f"{arg('rope', 0.01)}), where each row holds 10 runs of cross-validation.",
            "x",
        )


def flag(name: str, value: object) -> bool:
    """Accept True or False."""
    check_flags(**{name: value})
    return bool(value)


def text(name: str, value: object) -> str:
    """Accept a name, which has to be text."""
    if isinstance(value, str) and _UNPRINTABLE.search(value):
        check_label(value, name)
    if isinstance(value, str):
        return value
    raise must_be(name, "a name, as text", value)


def sided(name: str, value: object) -> str:
    """Accept an alternative."""
    return check_choice(name, value, ALTERNATIVES)


#: Accept a number of processes, and a number over 0.
jobs, positive = check_processes, check_positive


def share(name: str, value: object) -> float:
    """Accept a number between 0 and 1, exclusive: a level, a threshold of probability."""
    return check_level(value, name)


def count(least: int = 1, most: float = MOST) -> Kind:
    """Accept a whole number."""
    return lambda name, value: check_whole(name, value, least, most=most)


def number(least: float = -INFINITY, most: float = INFINITY) -> Kind:
    """Accept a finite number between two bounds, both included."""
    ends = "" if least == -INFINITY else f" from {least:g}"
    ends += "" if most == INFINITY else f" to {most:g}"

    def check(name: str, value: object) -> float:
        if not is_number(value) or not least <= value <= most or abs(value) == INFINITY:
            raise must_be(name, f"a finite number{ends}", value)
        return value

    return check


def correlation(name: str, value: object) -> float:
    """Accept one correlation of folds."""
    return one_rho(value)


def names(name: str, value: object) -> list[str]:
    """Accept a name, or several in order."""
    given = as_names(value, name)  # type: ignore[arg-type]
    if not given:
        raise must_be(name, "a name, or several in a list", value)
    return given


def one_of(*known: str) -> Kind:
    """Accept one of a few words; the message suggests the nearest."""
    return lambda name, value: check_choice(name, value, known)


def optional(kind: Kind) -> Kind:
    """Accept what the kind accepts, or None."""
    return lambda name, value: None if value is None else kind(name, value)


def several(kind: Kind) -> Kind:
    """Accept a value that the kind accepts, or a sequence of these values."""

    def check(name: str, value: object) -> object:
        if isinstance(value, list | tuple | np.ndarray):
            return [kind(name, one) for one in value]
        return kind(name, value)

    return check


def each(kind: Kind) -> Kind:
    """Accept a sequence of what the kind accepts."""

    def check(name: str, value: object) -> object:
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            raise must_be(name, "one or more, in a list", value)
        return [kind(name, one) for one in value]

    return check


def instance(accepted: str, *homes: str) -> Kind:
    """Accept an object of these classes ("module:name"), `accepted` in the message."""

    def check(name: str, value: object) -> object:
        for home in homes:
            module, _, kind = home.partition(":")
            if module in sys.modules and isinstance(value, getattr(sys.modules[module], kind)):
                return value
        raise must_be(name, accepted, value)

    return check


#: Accept a table of scores.
SCORES = instance("Scores", "bayescmp.scores.scores:Scores")
