"""Reading saved posteriors."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from bayescmp import _arviz, bayesian
from bayescmp._version import __version__
from bayescmp.bayesian.saved_fields import check_arrays, check_attributes, shown
from bayescmp.errors import InputError
from bayescmp.files import as_path
from bayescmp.fitted import Fitted
from bayescmp.posterior import Posterior

__all__ = ["load"]


def load(path: str | os.PathLike[str]) -> Fitted:
    """Read a posterior that `Posterior.save` wrote.

    Parameters
    ----------
    path : path-like
        The netCDF file.

    Returns
    -------
    Posterior
        Of the class that was saved, with the same numbers.

    Raises
    ------
    InputError
        If the file does not exist, holds no posterior of this package, or one with a field that
        can't be: the message names the field and the version that wrote the file. Everything in a
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
        raise InputError(f"cannot read a posterior from {str(path)!r}: it does not exist")
    try:
        groups = _arviz.read(path)
        attrs = groups["posterior"].attrs
        kind, text = str(attrs["bayescmp_kind"]), attrs["bayescmp"]
        version = str(attrs.get("bayescmp_version", "unknown"))[:40]
    except Exception as error:  # a damaged file can fail anywhere in HDF5
        raise InputError(
            f"{str(path)!r} holds no posterior saved by bayescmp ({_reason(error)})"
        ) from error
    try:
        return _restored(kind, text, groups)
    except Exception as error:  # what no field's check foresees
        raise InputError(
            f"{str(path)!r}, saved by bayescmp {version}: {_reason(error)}"
        ) from error


def _restored(kind: str, text: object, groups: Mapping[str, object]) -> Fitted:
    """The posterior, when all that it is made of was checked."""
    for name in bayesian.__all__:  # a class is known when its module was imported
        getattr(bayesian, name)
    if kind not in Fitted.kinds:
        raise InputError(
            f"field 'bayescmp_kind' is {shown(kind)}, which bayescmp {__version__} does not know; "
            f"accepted: {', '.join(sorted(Fitted.kinds))}. A later version may have written it"
        )
    attributes = check_attributes(json.loads(str(text), parse_int=_number))
    if issubclass(Fitted.kinds[kind], Posterior) and len(attributes["names"]) != 2:
        raise InputError(f"field 'names' is {shown(attributes['names'])}; accepted: two names")
    check_arrays(groups, Fitted.kinds[kind].stored)
    return Fitted.restore(kind, attributes, groups)


def _number(text: str) -> int | float:
    """An integer of JSON, whose digits may be without end."""
    return int(text) if len(text) < 17 else float(text)


def _reason(error: Exception) -> str:
    """What is wrong, in a line."""
    if isinstance(error, KeyError):
        return f"{error.args[0]!r} is missing" if error.args else "a field is missing"
    if isinstance(error, RecursionError):
        return "its attributes are nested too deeply"
    return " ".join((str(error) or type(error).__name__).split())
