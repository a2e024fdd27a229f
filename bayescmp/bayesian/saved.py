"""Reading saved posteriors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bayescmp import _arviz
from bayescmp.diagnostics import Diagnostics
from bayescmp.errors import InputError
from bayescmp.posterior import Posterior
from bayescmp.verdict import rope_from_ends

__all__ = ["load"]


def load(path: Any) -> Posterior:
    """Read a posterior that `Posterior.save` wrote.

    Parameters
    ----------
    path : path-like
        The netCDF file.

    Returns
    -------
    Posterior

    Raises
    ------
    InputError
        If the file does not exist or holds no posterior of this package.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"cannot read a posterior from {str(path)!r}: it does not exist")
    try:
        groups = _arviz.read(path)
        attrs = groups["posterior"].attrs
        kind, attributes = attrs["bayescmp_kind"], json.loads(attrs["bayescmp"])
    except (KeyError, ValueError, OSError) as error:
        raise InputError(
            f"{str(path)!r} holds no posterior saved by bayescmp ({error})"
        ) from error
    common = {
        "names": tuple(attributes.pop("names")),
        "rope": rope_from_ends(attributes.pop("rope")),
        "notes": tuple(attributes.pop("notes")),
        "diagnostics": _restore_diagnostics(attributes.pop("diagnostics")),
        **{k: attributes.pop(k) for k in ("engine", "engine_version", "seed", "metric")},
    }
    return Posterior.kinds[kind]._restore(common, attributes, groups)


def _restore_diagnostics(values: dict[str, Any]) -> Diagnostics:
    return Diagnostics(**{**values, "messages": tuple(values["messages"])})
