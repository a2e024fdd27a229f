"""Reading saved posteriors: nothing in a file is trusted."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bayescmp import bayesian
from bayescmp.base.arguments import must_be
from bayescmp.base.files import as_path
from bayescmp.base.magnitudes import MOST
from bayescmp.base.typing import Json
from bayescmp.base.version import __version__
from bayescmp.bayesian.joint.bootstrap import BootstrapPosterior
from bayescmp.bayesian.rankings.outcomes import POLICIES
from bayescmp.bayesian.signs import PLACES
from bayescmp.engines import engines
from bayescmp.errors import InputError
from bayescmp.results import arviz
from bayescmp.results.diagnostics import Diagnostics
from bayescmp.results.posterior import Fitted, Posterior
from bayescmp.results.saving import Contents, needed_arrays, restore, saved_fields

if TYPE_CHECKING:
    import xarray


# What the fields of a saved posterior may hold: nothing in a file is trusted.


#: A check of a field, and what passes it in words.
Rule: TypeAlias = tuple[Callable[[object], bool], str]


def _is_a(*types: type) -> Callable[[object], bool]:
    """Return a check for these types; a truth is no number."""
    return lambda v: isinstance(v, types) and (bool in types or not isinstance(v, bool))


def _is_list_of(
    rule: Callable[[object], bool], size: int | None = None
) -> Callable[[object], bool]:
    return lambda v: isinstance(v, list) and all(map(rule, v)) and (size is None or len(v) == size)


_is_text = _is_a(str)
_is_texts = _is_list_of(_is_text)


def _is_number(value: object) -> bool:
    """Whether a value of JSON is a finite number that a float can hold."""
    return _is_a(int, float)(value) and abs(value) < 1e300  # type: ignore[arg-type]


def _is_in(low: float, high: float = math.inf) -> Callable[[object], bool]:
    """Return a check for numbers from low up to, but not, high."""
    return lambda v: _is_number(v) and low <= v < high  # type: ignore[operator]


def _is_whole(low: int, high: int) -> Callable[[object], bool]:
    return lambda v: _is_a(int)(v) and low <= v < high  # type: ignore[operator]


def _is_positive(value: object) -> bool:
    return _is_in(0)(value) and value != 0


def _is_names(value: object) -> bool:
    return isinstance(value, list) and _is_texts(value) and 0 < len(value) == len(set(value))


def _is_pair(value: object) -> bool:
    return (
        isinstance(value, list) and _is_list_of(_is_number, 2)(value) and value[0] <= 0 <= value[1]
    )


def _is_rope(value: object) -> bool:
    return _is_region(value) or (value != [] and _is_list_of(_is_region)(value))


def _is_region(value: object) -> bool:
    """Whether it is a pair of ends, one of which may be infinite: None."""
    if not isinstance(value, list) or value.count(None) > 1:
        return False
    return _is_pair([0.0 if end is None else end for end in value])


def _is_among(known: Iterable[str]) -> Callable[[object], bool]:
    return lambda v: isinstance(v, str) and v in known


def _or_none(rule: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda v: v is None or rule(v)


def _is_direction(value: object) -> bool:
    return (
        isinstance(value, dict)
        and set(value) <= {"metric", "lower", "evidence", "scale"}
        and _is_text(value.get("metric"))
        and isinstance(value.get("lower", False), bool)
        and value.get("evidence", "known") in ("known", "declared", "assumed")
        and value.get("scale", "difference") in ("difference", "log_ratio", "standardised")
    )


def _is_resolution(value: object) -> bool:
    """Whether it is a resolution, or one a metric, as far as they are known."""
    known = _or_none(_is_positive)
    return known(value) or _is_list_of(known)(value)


def _is_left_out(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    units = value.get("units", ["data set", "fold"])
    return (
        _is_texts(value.get("datasets"))
        and isinstance(value.get("folds"), dict)
        and all(map(_is_whole(0, 2**53), value["folds"].values()))
        and _is_whole(1, 2**31)(value.get("algorithms"))
        and _is_list_of(_is_text, 2)(units)
    )


TEXT: Rule = (_is_text, "text")
TEXTS: Rule = (_is_texts, "a list of text")
NAMES: Rule = (_is_names, "a list of different names")
BOOL: Rule = (_is_a(bool), "true or false")
NUMBER: Rule = (_is_number, "a finite number")
OBJECT: Rule = (_is_a(dict), "an object")
POSITIVE: Rule = (_is_positive, "a positive number")
OPTIONAL: Rule = (_or_none(_is_a(float, int)), "a number, or null")
WHOLE: Rule = (_is_whole(0, 2**53), "a whole number of at least 0")
COUNT: Rule = (_or_none(WHOLE[0]), f"{WHOLE[1]}, or null")

WEIGHT: Rule = (_is_in(0), "a number of at least 0")
TWO: Rule = (_is_list_of(_is_in(0), 2), "two numbers of at least 0")
SCALES: Rule = (
    _or_none(lambda v: _is_in(0)(v) or _is_list_of(_is_in(0))(v)),
    "a number of at least 0, a list of them, or null",
)

#: Bounds of the hierarchical test's parameters, in its unit.
BOUNDS = {
    "delta0_bound",
    "sigma0_upper",
    "sigma_upper",
    "nu_offset",
    "alpha_lower",
    "alpha_upper",
    "beta_lower",
    "beta_upper",
}

#: What every kind has.
COMMON: dict[str, Rule] = {
    "names": NAMES,
    "rope": (_is_rope, "[low, high] with low <= 0 <= high, or one for each metric"),
    "engine": (lambda v: _is_text(v) and v != "", "the name of an engine"),
    "engine_version": TEXT,
    "seed": WHOLE,
    "metric": TEXT,
    "notes": TEXTS,
    "diagnostics": OBJECT,
}

#: What kinds may have, by name: a name means one thing in all of them.
MORE: dict[str, Rule] = {
    "left_out": (
        _or_none(_is_left_out),
        "datasets (a list of text), folds (whole numbers by data set) and algorithms, or null",
    ),
    "directions": (_is_list_of(_is_direction), "a list of metrics with their directions"),
    "rho": (_is_in(0, 1), "at least 0 and below 1"),
    "df": (lambda v: _is_positive(v) and v < 2**53, "a positive number"),  # type: ignore[operator]
    "scale": (_is_in(0), "a number of at least 0"),  # 0 where all differences are 0
    "span": (_or_none(_is_positive), "a positive number, or null"),
    "scales": TWO,
    "nu_mean": (lambda v: _is_number(v) and v > 1, "a number over 1"),  # type: ignore[operator]
    "lkj": POSITIVE,
    "resolution": (_is_resolution, "a positive number or null, or a list of them"),
    "size": (_is_whole(1, MOST["draws"] + 4), f"a whole number from 1 to {MOST['draws']:,}"),
    "pareto_k": OPTIONAL,
    "from_rope": BOOL,
    "concentration": POSITIVE,
    "paired": BOOL,
    "named": BOOL,
    "borrowed": (_is_list_of(_is_whole(0, 2**31)), "a list of whole numbers"),
    "order": (_is_list_of(_is_whole(0, 2**31)), "a list of whole numbers"),
    "metrics": NAMES,
    "sampled": NAMES,
    "place": (_is_among(PLACES), f"one of {', '.join(PLACES)}"),
    "ties": (_is_among(POLICIES), f"one of {', '.join(POLICIES)}"),
    "prior": (lambda v: isinstance(v, dict) or _is_in(0)(v), "an object, or a weight"),
    "data": (
        lambda v: isinstance(v, dict) and all(map(_is_in(0), v.values())) and set(v) >= BOUNDS,
        f"an object of numbers of at least 0: {', '.join(sorted(BOUNDS))}",
    ),
}

#: What fields hold by the type that a kind's class declares, beside what their names say.
TYPES: dict[str, Rule] = {
    "str": TEXT,
    "bool": BOOL,
    "int": WHOLE,
    "int | None": (_or_none(WHOLE[0]), f"{WHOLE[1]}, or null"),
    "float": NUMBER,
    "float | None": (_or_none(_is_number), "a finite number, or null"),
    "HierarchicalPrior": OBJECT,
    "MultivariatePrior": OBJECT,
    "tuple[float | None, ...]": (_is_list_of(_or_none(_is_number)), "a list of numbers, or null"),
}

#: Parts of a prior that are not numbers of at least 0.
PRIOR: dict[str, Rule] = {
    "name": TEXT,
    "largest_difference": BOOL,
    **dict.fromkeys(
        ("alpha", "beta"),
        (lambda v: _is_in(0)(v) or TWO[0](v), "one or two numbers of at least 0"),
    ),
    "delta0_bound": (_or_none(WEIGHT[0]), f"{WEIGHT[1]}, or null"),
    **dict.fromkeys(("delta0_sd", "tau_scale", "within_sd"), SCALES),
}

#: What parts of the diagnostics hold by their types.
OF_TYPE = {"bool": BOOL, "float | None": OPTIONAL, "int | None": COUNT}
DIAGNOSTICS = {part.name: OF_TYPE.get(str(part.type), TEXTS) for part in fields(Diagnostics)}


def check_attributes(attributes: object, declared: Mapping[str, object]) -> Json:
    """Check what a file says in JSON.

    `declared` are the fields of the class that it will be, and their types as they are written
    there. A field that is missing or holds what it cannot is refused by name, with what is
    accepted.
    """
    if not isinstance(attributes, dict):
        raise InputError(f"The attributes must be an object (got {show_value(attributes)}).")
    _check(attributes, COMMON, needed=COMMON)
    _check(attributes, MORE)
    _check(attributes, {n: TYPES[t] for n, t in declared.items() if t in TYPES})
    unknown = sorted(set(attributes) - set(COMMON) - set(MORE) - set(declared))
    if unknown:
        raise InputError(f"field {unknown[0]!r} is unknown: a later version may have written it")
    diagnostics = attributes["diagnostics"]
    _check(diagnostics, DIAGNOSTICS, "diagnostics.", ("exact", "messages"))
    unknown = sorted(set(diagnostics) - set(DIAGNOSTICS))
    if unknown:
        raise InputError(f"field 'diagnostics' has an unknown part {unknown[0]!r}")
    _check_engine(attributes["engine"], diagnostics)
    prior = attributes.get("prior")
    if isinstance(prior, dict):
        _check(prior, {name: PRIOR.get(name, WEIGHT) for name in prior}, "prior.")
    return attributes


def _check(
    fields: Mapping[str, object],
    rules: Mapping[str, Rule],
    within: str = "",
    needed: Iterable[str] = (),
) -> None:
    for name in needed:
        if name not in fields:
            raise InputError(f"field {within + name!r} is missing")
    for name, (passes, accepted) in rules.items():
        if name in fields and not passes(fields[name]):
            raise InputError(
                f"field {within + name!r} must be {accepted} (got {show_value(fields[name])})."
            )


def _check_engine(engine: str, diagnostics: Mapping[str, object]) -> None:
    """Refuse draws of a sampler that pose as exact, and exact numbers that pose as draws."""
    known = engines().get(engine)
    independent = engine == "exact" if known is None else known.independent
    if diagnostics["exact"] and not independent:
        raise InputError(
            f"field 'diagnostics.exact' is true, and field 'engine' is {engine!r}, whose "
            "posteriors are drawn by a sampler"
        )
    of_sampler = ["rhat", "ess_bulk", "ess_tail"]
    if diagnostics.get("divergences") is not None:
        of_sampler += ["max_treedepth", "ebfmi"]
    for name in [] if diagnostics["exact"] else of_sampler:
        if diagnostics.get(name) is None:
            raise InputError(f"field 'diagnostics.{name}' is missing, which a sampler has")


def show_value(value: object) -> str:
    """Write a value for a message, cut to 60 characters: "'robust_t'", "list [1, 2]"."""
    text = repr(value) if not isinstance(value, dict | list) else f"{type(value).__name__} {value}"
    return text if len(text) <= 60 else f"{text[:59]}…"


# Arrays.

_Check: TypeAlias = Callable[[np.ndarray], "np.ndarray | np.bool_"]

#: Arrays of data, by name; those that are not named have to be finite numbers.
CONSTANTS: dict[str, tuple[_Check, str]] = {
    "n": (lambda v: (v >= 1) & (v < 2**31), "whole numbers of at least 1"),
    "ss": (lambda v: v >= 0, "numbers of at least 0"),
    "rho": (lambda v: (v >= 0) & (v < 1), "numbers of at least 0 and below 1"),
    "constant": (lambda v: (v == 0) | (v == 1), "0 or 1"),
    "step": (lambda v: np.isnan(v) | (v > 0), "positive numbers, or NaN"),
    "counts": (lambda v: v >= 0, "numbers of at least 0"),
    "prior": (lambda v: v > 0, "positive numbers"),
    "sizes": (lambda v: v > 0, "positive numbers"),
    "times": (lambda v: v >= 1, "numbers of at least 1"),
}


def check_arrays(
    groups: Mapping[str, object], needed: Mapping[str, Sequence[str]], gaps: Sequence[str] = ()
) -> None:
    """Check the arrays of a file: there, numbers, finite, draws by chain and draw.

    `needed` names the variables that each group has to have, `gaps` arrays of data that are NaN
    where there is nothing.
    """
    for group, names in needed.items():
        there = getattr(groups.get(group), "data_vars", {})
        for name in names:
            if name not in there:
                raise InputError(f"array '{group}/{name}' is missing")
    for group, dataset in groups.items():
        for name, variable in getattr(dataset, "data_vars", {}).items():
            _check_array(group, str(name), variable, str(name) in gaps)


def check_names(groups: Mapping[str, object], attributes: Mapping[str, Sequence[str]]) -> None:
    """Check that arrays are of the algorithms and metrics that the attributes name.

    Two data sets of one name are refused too.
    """
    for group, dataset in groups.items():
        for axis, field in (("algorithm", "names"), ("metric", "metrics"), ("dataset", "")):
            if axis not in getattr(dataset, "coords", ()):
                continue
            there = [str(v) for v in np.asarray(dataset.coords[axis])]  # type: ignore[attr-defined]
            if len(set(there)) < len(there) or there != list(attributes.get(field, there)):
                accepted = f"the names of field {field!r}" if field else "different names"
                raise InputError(
                    f"array '{group}/{axis}' must be {accepted} (got {show_value(there)})."
                )


def _check_array(group: str, name: str, variable: object, gaps: bool) -> None:
    values, dims = np.asarray(variable), getattr(variable, "dims", ())
    what = f"array '{group}/{name}'"
    if values.dtype.kind not in "biuf":
        raise InputError(f"{what} must hold numbers (got type {values.dtype}).")
    if group in ("posterior", "sample_stats") and dims[:2] != ("chain", "draw"):
        raise InputError(f"{what} must have the dimensions chain, draw, ... (got {dims}).")
    passes, accepted = CONSTANTS.get(name, (np.isfinite, "finite numbers"))
    if group != "constant_data":
        passes, accepted = np.isfinite, "finite numbers"
    values = values[~np.isnan(values)] if gaps else values
    wrong = ~np.asarray(passes(values))
    if wrong.any():
        raise InputError(f"{what} must hold {accepted} (got {values[wrong].flat[0]}).")


# Reading saved posteriors.


def load(path: str | os.PathLike[str]) -> Fitted:
    """Read a posterior that `Posterior.save` wrote.

    Parameters
    ----------
    path : path-like
        The netCDF file.

    Returns
    -------
    Posterior
        An instance of the class that was saved, with the same numbers.

    Raises
    ------
    InputError
        If the file does not exist, holds no posterior of this package, or one with a field that
        cannot be: the message names the field and the version that wrote the file. Everything in a
        file is checked, and no code in it is run.

    See Also
    --------
    Posterior.save : Writes it.

    Examples
    --------
    >>> import os, tempfile
    >>> import bayescmp as bc
    >>> posterior = bc.bayesian.correlated_t([0.01, 0.03, 0.02], rho=0.1, rope=0.01)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     posterior.save(os.path.join(folder, "posterior.nc"))
    ...     bc.load(os.path.join(folder, "posterior.nc")).names
    ('first', 'second')
    """
    path = as_path("path", path)
    if not path.is_file():
        raise must_be("path", "a saved posterior", str(path), "That file does not exist.")
    try:
        groups = arviz.read(path)
        attrs = groups["posterior"].attrs
        kind, text = str(attrs["bayescmp_kind"]), attrs["bayescmp"]
        version = str(attrs.get("bayescmp_version", "unknown"))[:40]
    except Exception as error:  # a damaged file can fail anywhere in HDF5
        raise InputError(
            f"{str(path)!r} holds no posterior saved by bayescmp: {_reason(error)}"
        ) from error
    try:
        return _restore(kind, text, groups)
    except Exception as error:  # what no field's check foresees
        raise InputError(
            f"{str(path)!r}, saved by bayescmp {version}: {_reason(error)}"
        ) from error


def _restore(kind: str, text: object, groups: Mapping[str, xarray.Dataset]) -> Fitted:
    """Return the posterior, once all that it is made of was checked."""
    for name in bayesian.__all__:  # a class is known when its module was imported
        getattr(bayesian, name)
    if kind not in Fitted.kinds:
        raise InputError(
            f"field 'bayescmp_kind' must be one that bayescmp {__version__} knows (got "
            f"{show_value(kind)}). It knows {', '.join(sorted(Fitted.kinds))}. A later version "
            "may have written the file."
        )
    made, model = Fitted.kinds[kind]
    declared = {field.name: field.type for field in saved_fields(made, model)}
    attributes = check_attributes(json.loads(str(text), parse_int=_number), declared)
    if issubclass(made, Posterior) and len(attributes["names"]) != 2:
        raise InputError(
            f"field 'names' must be two names (got {show_value(attributes['names'])})."
        )
    if isinstance(attributes["rope"][0], list) and "metrics" not in attributes:
        raise InputError("field 'metrics' is missing")
    gaps = ("x",) if issubclass(made, BootstrapPosterior) else ()
    check_arrays(groups, needed_arrays(made, model), gaps)
    check_names(groups, attributes)
    x = groups["constant_data"].get("x") if "constant_data" in groups else None
    if attributes.get("scale") == 0 and (x is None or np.ptp(x.values) > 0):
        raise InputError("field 'scale' must be a positive number (got 0). The differences vary.")
    return restore(made, _contents(attributes, groups), model)


def _contents(attributes: Json, groups: Mapping[str, xarray.Dataset]) -> Contents:
    """Return the contents of a saved file as plain arrays."""
    arrays = {
        group: {str(name): values.to_numpy() for name, values in dataset.data_vars.items()}
        for group, dataset in groups.items()
    }
    labels = {
        str(dim): values.to_numpy()
        for dataset in groups.values()
        for dim, values in dataset.coords.items()
    }
    return Contents(attributes, arrays, {}, labels)


def _number(text: str) -> int | float:
    """Read an integer of JSON, whose digits may be without end."""
    return int(text) if len(text) < 17 else float(text)


def _reason(error: Exception) -> str:
    """Say what is wrong, in a line."""
    if isinstance(error, KeyError):
        return f"{error.args[0]!r} is missing"
    if isinstance(error, RecursionError):
        return "its attributes are nested too deeply"
    return " ".join((str(error) or type(error).__name__).split())
