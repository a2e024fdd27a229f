"""Reading saved posteriors."""

from __future__ import annotations

import json
import os
from pathlib import Path

from bayescmp import _arviz
from bayescmp.errors import InputError
from bayescmp.posterior import Fitted

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
        If the file does not exist or holds no posterior of this package.

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
    return Fitted.restore(kind, attributes, groups)
