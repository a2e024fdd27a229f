"""How posteriors are saved: declared with each field, written and read only here.

A field is an attribute of the file, unless its metadata say otherwise: an array of a group with
its dimensions, a whole group, the labels of a dimension, or what two functions make of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, TypeVar

import numpy as np

from bayescmp.base.typing import Json
from bayescmp.errors import InputError
from bayescmp.results.diagnostics import Diagnostics
from bayescmp.scores.metrics import Direction
from bayescmp.scores.pairing import LeftOut
from bayescmp.scores.rope import rope_from_ends

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = [
    "Contents",
    "array",
    "attribute",
    "contents_of",
    "group",
    "labels",
    "needed_arrays",
    "part",
    "record",
    "restore",
    "saved_fields",
    "unless_empty",
]


#: What a field holds: anything.
Value: TypeAlias = Any


@dataclass
class Contents:
    """What a file holds of a posterior.

    Attributes
    ----------
    attributes : dict
        What JSON can hold.
    groups : dict of str to dict of str to ndarray
        Arrays by name, group by group.
    dims : dict of str to list of str
        Dimensions of arrays, beyond chain and draw.
    labels : dict of str to list
        Labels along each dimension.
    model : Model
        What is known of the test, where a file is read.
    """

    attributes: Json
    groups: dict[str, dict[str, np.ndarray]]
    dims: dict[str, list[str]]
    labels: dict[str, Value]
    model: Value = None


class Way(Protocol):
    """How a field is written to a file, and read again."""

    def write(self, name: str, value: Value, file: Contents) -> None:
        """Put the value there."""

    def read(self, name: str, file: Contents) -> Value:
        """Return the value; KeyError where it is not there."""


@dataclass(frozen=True)
class Attribute:
    """A field that JSON can hold, as two functions convert it."""

    put: Callable[[Value], Value] = lambda value: value
    get: Callable[[Value], Value] = lambda value: value
    always: bool = True

    def write(self, name: str, value: Value, file: Contents) -> None:
        if self.always or (value is not None and value != ()):
            file.attributes[name] = self.put(value)

    def read(self, name: str, file: Contents) -> Value:
        return self.get(file.attributes[name])


@dataclass(frozen=True)
class Array:
    """A field that is an array of a group, or None where there is none."""

    group: str
    dims: tuple[str, ...]
    name: str
    flags: bool

    def write(self, name: str, value: Value, file: Contents) -> None:
        if value is None:
            return
        values = np.asarray(value)
        own = self.name or name
        file.groups.setdefault(self.group, {})[own] = values.astype(int) if self.flags else values
        file.dims[own] = list(self.dims)
        sizes = values.shape[values.ndim - len(self.dims) :]
        for dim, size in zip(self.dims, sizes, strict=True):
            file.labels.setdefault(dim, list(range(size)))

    def read(self, name: str, file: Contents) -> Value:
        values = file.groups[self.group][self.name or name]
        return values.astype(bool) if self.flags else values


@dataclass(frozen=True)
class WrittenField:
    """A field that a function writes, if any, and another one reads."""

    put: Callable[[Value, Contents], None] | None
    get: Callable[[Contents], Value]
    needs: tuple[str, ...]

    def write(self, name: str, value: Value, file: Contents) -> None:
        if self.put is not None:
            self.put(value, file)

    def read(self, name: str, file: Contents) -> Value:
        return self.get(file)


@dataclass(frozen=True)
class Record:
    """A field that is a dataclass, saved as its own fields; None where there is none."""

    made: type[DataclassInstance] | None

    def kind(self, model: Value) -> type[DataclassInstance]:
        """Return the dataclass, which the model of a test may name."""
        made: type[DataclassInstance] = self.made or model.answer
        return made

    def write(self, name: str, value: Value, file: Contents) -> None:
        if value is not None:
            _write_fields(value, file)

    def read(self, name: str, file: Contents) -> Value:
        made = self.kind(file.model)
        return made(**_read_fields(made, file))


class Savable(Protocol):
    """A posterior, as far as saving it goes."""

    __dataclass_fields__: ClassVar[dict[str, Field[Value]]]

    @property
    def model(self) -> Value:
        """The test, as data: it has the dimensions of variables that are no field of their own."""

    @property
    def draws(self) -> Mapping[str, np.ndarray]:
        """Draws of each variable, shape (chain, draw, ...)."""

    @property
    def labels(self) -> dict[str, Value]:
        """Labels along dimensions of arrays, where no field has them."""


S = TypeVar("S", bound=Savable)

#: Metadata of a field.
Saved: TypeAlias = dict[str, Way]


def array(*dims: str, group: str = "constant_data", name: str = "", flags: bool = False) -> Saved:
    """Declare a field that is saved as an array.

    `dims` are its dimensions, for draws those beyond chain and draw; `name` is its name in the
    group, if that is not the field's; `flags` are true or false, and saved as 1 or 0.
    """
    return {"saved": Array(group, dims, name, flags)}


def record(made: type[DataclassInstance] | None = None) -> Saved:
    """Declare a field that is None or a dataclass, whose fields are each saved in their way.

    Without `made` the dataclass is the model's ``answer``.
    """
    return {"saved": Record(made)}


def group(name: str) -> Saved:
    """Declare a field that is a mapping of arrays, and saved as a whole group."""
    return part(
        lambda value, file: file.groups.update({name: dict(value)}),
        lambda file: file.groups.get(name, {}),
    )


def attribute(put: Callable[[Value], Value], get: Callable[[Value], Value]) -> Saved:
    """Declare a field that two functions turn into what JSON can hold, and back."""
    return {"saved": Attribute(put, get)}


def unless_empty() -> Saved:
    """Declare a field that is saved where it says something, and otherwise has its default."""
    return {"saved": Attribute(get=_tuple, always=False)}


def labels(dim: str) -> Saved:
    """Declare a field that is saved as the names along a dimension; none where no array has it."""
    return part(
        lambda value, file: file.labels.update({dim: list(value)}),
        lambda file: tuple(map(str, file.labels.get(dim, ()))),
    )


def part(
    put: Callable[[Value, Contents], None] | None,
    get: Callable[[Contents], Value],
    needs: tuple[str, ...] = (),
) -> Saved:
    """Declare a field that one function adds to the file's `Contents`, and another reads there.

    Without `put` others write all that is needed; `needs` are arrays of "constant_data" without
    which the field cannot be read.
    """
    return {"saved": WrittenField(put, get, needs)}


#: Fields of all posteriors that JSON cannot hold as they are.
COMMON: dict[str, Way] = {
    "rope": Attribute(lambda rope: rope.ends, rope_from_ends),
    "directions": Attribute(
        lambda directions: [asdict(d) for d in directions],
        lambda directions: tuple(Direction(**d) for d in directions),
    ),
    # its kind tells which class and which test
    "model": WrittenField(None, lambda file: None, ()),
    "left_out": Attribute(
        lambda value: None if value is None else value.to_dict(),
        lambda value: None if value is None else LeftOut.from_dict(value),
    ),
    "diagnostics": Attribute(
        asdict, lambda facts: Diagnostics(**{k: _tuple(v) for k, v in facts.items()})
    ),
}


#: Fields that stand along dimensions, of which some have a twin for square arrays.
NAMED = {
    "names": ("algorithm", "algorithm_", "opponent"),
    "metrics": ("metric",),
    "sampled": ("sampled", "sampled_"),
}


def _tuple(value: Value) -> Value:
    return tuple(value) if isinstance(value, list) else value


def _way_of(f: Field[Value]) -> Way:
    """Return how a field is saved."""
    way: Way | None = f.metadata.get("saved", COMMON.get(f.name))
    return way or Attribute(get=_tuple if str(f.type).startswith("tuple") else lambda v: v)


def contents_of(posterior: Savable) -> Contents:
    """Collect what is saved of a posterior: its draws, and every field in its way."""
    dims = {name: list(its) for name, its in posterior.model.dims.items()}
    file = Contents({}, {}, dims, posterior.labels)
    file.groups["posterior"] = dict(posterior.draws)
    _write_fields(posterior, file)
    return file


def _write_fields(holder: DataclassInstance, file: Contents) -> None:
    for f in fields(holder):
        value = getattr(holder, f.name)
        file.labels |= {dim: list(value) for dim in NAMED.get(f.name, ())}
        _way_of(f).write(f.name, value, file)


def _read_fields(made: type[DataclassInstance], file: Contents) -> dict[str, Value]:
    """Read a dataclass's fields from a file; those that its version did not know are left out."""
    values = {}
    for f in fields(made):
        try:
            values[f.name] = _way_of(f).read(f.name, file)
        except KeyError:
            if f.default is MISSING:
                raise
    return values


def restore(made: type[S], file: Contents, model: Value) -> S:
    """Make a posterior from what was saved of it, and its model; a missing field is refused."""
    file.model = model
    try:
        values = _read_fields(made, file)
    except KeyError as error:
        raise InputError(f"field {error.args[0]!r} is missing") from error
    return made(**values | {"model": model})


def saved_fields(made: type[DataclassInstance], model: Value) -> Iterator[Field[Value]]:
    """Yield all fields of a class, those of its records in place of the records."""
    for f in fields(made):
        way = f.metadata.get("saved")
        yield from saved_fields(way.kind(model), model) if isinstance(way, Record) else [f]


def needed_arrays(made: type[DataclassInstance], model: Value) -> dict[str, list[str]]:
    """Name, group by group, the arrays without which a saved posterior cannot be restored."""
    needed = {"posterior": list(model.stored)}
    for f in fields(made):
        way = f.metadata.get("saved")
        if isinstance(way, Record) and f.default is MISSING:
            for name, more in needed_arrays(way.kind(model), model).items():
                needed.setdefault(name, []).extend(more)
        elif isinstance(way, Array) and f.default is MISSING:
            needed.setdefault(way.group, []).append(way.name or f.name)
        elif isinstance(way, WrittenField):
            needed.setdefault("constant_data", []).extend(way.needs)
    return needed
