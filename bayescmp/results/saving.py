"""Saved posteriors: one zip file, of arrays as NumPy writes them and everything else as JSON.

A posterior's fields are numbers, text, tuples, mappings, arrays and dataclasses; `pack` and
`unpack` follow their declared types. A value of another type, or outside the bounds in
`bayescmp.base.fields.about`, is refused, and no code in a file is run.
"""

from __future__ import annotations

import io
import json
import math
import types
import typing
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from bayescmp.base.arguments import must, must_be
from bayescmp.base.fields import About, about_field
from bayescmp.base.files import replace_when_whole
from bayescmp.errors import InputError

#: Name of the JSON file inside the zip file.
FACTS = "facts.json"
#: Arrays up to so many bytes are read whatever the size of their file; larger ones only if they
#: are at most so many times as large as the file, as a sampler's draws always are.
SMALL, MOST_COMPRESSED = 2**25, 16

#: The facts about a field without metadata.
UNBOUNDED = About()

Arrays: TypeAlias = dict[str, np.ndarray]

#: Fields with the names along a dimension.
NAMED = {"names": "algorithm", "metrics": "metric", "datasets": "dataset"}


# Taking a dataclass apart, and putting it together again.


def pack(value: Any, arrays: Arrays, path: str = "") -> Any:
    """Return a value as JSON can hold it; arrays go to `arrays`, and their names stay behind."""
    if isinstance(value, np.ndarray):
        arrays[path] = value
        return {"array": path}
    if isinstance(value, np.generic):
        return value.item()
    if is_dataclass(value):
        return pack_fields(value, arrays, path)
    if isinstance(value, Mapping):
        return {str(k): pack(part, arrays, f"{path}.{k}") for k, part in value.items()}
    if isinstance(value, tuple | list):
        return [pack(part, arrays, f"{path}.{at}") for at, part in enumerate(value)]
    return value


def pack_fields(
    record: Any, arrays: Arrays, path: str = "", without: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return the fields of a dataclass, those that are saved, as JSON can hold them."""
    names = [f.name for f in fields(record) if about_field(f).saved and f.name not in without]
    return {name: pack(getattr(record, name), arrays, _join(path, name)) for name in names}


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def unpack(kind: Any, value: Any, arrays: Arrays, path: str, about: About = UNBOUNDED) -> Any:
    """Return a value of the annotated type; refuse another type, or values out of bounds."""
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return _unpack_any(value, arrays, path, about)
    if kind is np.ndarray:
        return _array_at(value, arrays, path, about)
    if is_dataclass(kind):
        made: Any = kind
        return made(**unpack_fields(kind, value, arrays, path))
    if origin in (typing.Union, types.UnionType):
        return _unpack_one_of(inside, value, arrays, path, about)
    if origin is typing.Literal:
        if value not in inside:
            raise must_be(path, f"one of {', '.join(map(repr, inside))}", value)
        return value
    if origin is tuple:
        return _unpack_tuple(inside, value, arrays, path, about)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _unpack_mapping(inside[1], value, arrays, path, about)
    return _plain_value(kind, value, path, about)


def unpack_fields(
    kind: Any,
    facts: Any,
    arrays: Arrays,
    path: str = "",
    given: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the values of a dataclass's fields from JSON; `given` are known."""
    if not isinstance(facts, dict):
        raise must_be(path or "posterior", "an object", facts)
    known = {f.name: f for f in fields(kind) if about_field(f).saved}
    for name in facts:
        if name not in known:
            raise InputError(
                f"{_join(path, name)!r} is not a field of it. A later version may have written "
                "the file."
            )
    made, hints = dict(given), typing.get_type_hints(kind)
    for name, field in known.items():
        if name in given:
            continue
        where = _join(path, name)
        if name in facts:
            made[name] = unpack(hints[name], facts[name], arrays, where, about_field(field))
        elif field.default is MISSING and field.default_factory is MISSING:
            raise InputError(f"{where!r} is missing")
    return made


def _unpack_any(value: Any, arrays: Arrays, path: str, about: About) -> Any:
    """Return what JSON holds, lists as tuples, with the arrays that it names."""
    if isinstance(value, dict) and set(value) == {"array"}:
        return _array_at(value, arrays, path, about)
    return tuple(value) if isinstance(value, list) else value


def _unpack_mapping(kind: Any, value: Any, arrays: Arrays, path: str, about: About) -> Any:
    if not isinstance(value, dict):
        raise must_be(path, "an object", value)
    return {k: unpack(kind, part, arrays, f"{path}.{k}", about) for k, part in value.items()}


def _unpack_one_of(
    kinds: tuple[Any, ...], value: Any, arrays: Arrays, path: str, about: About
) -> Any:
    """Return a value of one of several types: of dataclasses the one that has its fields."""
    if value is None and types.NoneType in kinds:
        return None
    others = [kind for kind in kinds if kind is not types.NoneType]
    if len(others) > 1 and isinstance(value, dict):
        others = [k for k in others if {f.name for f in fields(k)} >= set(value)] or others[:1]
    return unpack(others[0], value, arrays, path, about)


def _unpack_tuple(
    inside: tuple[Any, ...], value: Any, arrays: Arrays, path: str, about: About
) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise must_be(path, "a list", value)
    kinds = [inside[0]] * len(value) if inside[-1] is Ellipsis else list(inside)
    if len(kinds) != len(value):
        raise must_be(path, f"a list of {len(kinds)}", value)
    return tuple(
        unpack(kind, part, arrays, f"{path}.{at}", about)
        for at, (kind, part) in enumerate(zip(kinds, value, strict=True))
    )


#: The JSON value of a plain type, in words.
PLAIN = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a finite number",
}


def _plain_value(kind: Any, value: Any, path: str, about: About) -> Any:
    """Return text, a flag or a number, checked."""
    accepted = float | int if kind is float else kind
    if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
        raise must_be(path, PLAIN[kind], value)
    if kind is float and not (math.isfinite(value) or about.gaps):
        raise must_be(path, PLAIN[kind], value)
    if about.among and value not in about.among:
        raise must_be(path, f"one of {', '.join(map(repr, about.among))}", value)
    if kind in (int, float):
        _check_bounds(np.asarray(float(value)), path, about)
    return float(value) if kind is float else value


def _array_at(value: Any, arrays: Arrays, path: str, about: About) -> np.ndarray:
    """Return the array that a reference names; numbers only, and finite unless gaps are known."""
    if not isinstance(value, dict) or not isinstance(value.get("array"), str):
        raise must_be(path, "an array", value)
    if value["array"] not in arrays:
        raise must_be(path, "an array in the file", value["array"])
    array = arrays[value["array"]]
    if array.dtype.kind not in "biuf":
        raise must_be(path, "an array of numbers", f"type {array.dtype}")
    ndim = len(about.dims or ()) + 2 * (about.group == "posterior")
    if about.dims and array.ndim != ndim:
        raise must_be(path, f"an array of {ndim} dimensions", array)
    _check_bounds(array, path, about)
    return array


def _check_bounds(values: np.ndarray, path: str, about: About) -> None:
    there = values[~np.isnan(values)] if about.gaps else values
    wrong = ~(
        np.isfinite(there) & (there >= about.least) & (there > about.over) & (there < about.below)
    )
    if wrong.any():
        raise must_be(path, about.bounds, float(there[wrong].flat[0]))


# Lengths along dimensions, which arrays share.


def check_draws(record: Any) -> None:
    """Refuse a posterior without the draws that its fields must have; a density needs none."""
    for f in fields(record):
        value = getattr(record, f.name)
        draws: Any = value if isinstance(value, Mapping) else getattr(value, "draws", ())
        needed = about_field(f).variables
        if (draws or not record.exact) and any(name not in draws for name in needed):
            raise must_be(f.name, f"draws of {', '.join(needed)}")


def check_shapes(record: Any) -> None:
    """Refuse arrays of a dataclass, and those inside it, that differ along a dimension."""
    lengths = {d: len(named) for f, d in NAMED.items() if (named := getattr(record, f, ()))}
    for name, dims, array in _arrays_in(record):
        for dim, length in zip(dims, array.shape, strict=False):
            if lengths.setdefault(dim, length) != length:
                raise must(name, f"be of length {lengths[dim]} along {dim}", str(length))


def _arrays_in(record: Any) -> Iterator[tuple[str, tuple[str, ...], np.ndarray]]:
    """Yield the name, dimensions and values of each array whose dimensions are known."""
    for f in fields(record):
        value, about = getattr(record, f.name), about_field(f)
        chains = ("chain", "draw") if about.group in ("posterior", "sample_stats") else ()
        if is_dataclass(value) and not isinstance(value, type):
            yield from _arrays_in(value)
        elif about.dims is not None and isinstance(value, np.ndarray):
            yield f.name, (*chains, *about.dims), value
        elif about.dims is not None and isinstance(value, Mapping):
            for name, array in value.items():
                yield name, chains, array


# The file.


def write(path: Path, facts: Mapping[str, Any], arrays: Arrays) -> None:
    """Write facts and arrays to a file, which takes the place of one that is there when whole."""
    whole = io.BytesIO()
    np.savez_compressed(whole, allow_pickle=False, **arrays)
    with zipfile.ZipFile(whole, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr(FACTS, json.dumps(facts, indent=1, ensure_ascii=False))
    with replace_when_whole(path) as part:
        part.write_bytes(whole.getbuffer())


def read(path: Path) -> tuple[Any, Arrays]:
    """Read a file that `write` wrote; refuse one that declares much more than it contains."""
    whole = path.read_bytes()
    with zipfile.ZipFile(io.BytesIO(whole)) as file:
        declared = sum(member.file_size for member in file.infolist())
        if declared > max(SMALL, MOST_COMPRESSED * len(whole)):
            raise InputError(f"its parts take {declared:.3g} bytes, and the file has {len(whole)}")
        facts = json.loads(file.read(FACTS))
    with np.load(io.BytesIO(whole), allow_pickle=False) as file:
        return facts, {name: file[name] for name in file.files if name != FACTS}


# For ArviZ: groups of arrays, with the names of their dimensions.


def arrays_for_arviz(holder: Any) -> tuple[dict[str, Arrays], dict[str, list[str]]]:
    """Return a dataclass's arrays by group, and their dimensions beyond chain and draw."""
    groups: dict[str, Arrays] = {}
    dims: dict[str, list[str]] = {}
    for f in fields(holder):
        value, about = getattr(holder, f.name), about_field(f)
        if is_dataclass(value) and not isinstance(value, type):
            more, theirs = arrays_for_arviz(value)
            for group, own in more.items():
                groups.setdefault(group, {}).update(own)
            dims |= theirs
        elif isinstance(value, np.ndarray) and about.dims is not None:
            name = about.name or f.name
            numbers = value.astype(int) if value.dtype == bool else value
            groups.setdefault(about.group, {})[name] = numbers
            dims[name] = list(about.dims)
        elif isinstance(value, Mapping) and about.dims is not None:
            groups.setdefault(about.group, {}).update(value)
    return groups, dims
