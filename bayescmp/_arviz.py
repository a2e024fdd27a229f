"""The one place that knows ArviZ, whose 0.x has InferenceData and whose 1.x has DataTree."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["ess", "from_groups", "read", "rhat", "write"]


def _arviz() -> Any:
    with warnings.catch_warnings():
        # 0.23 announces 1.0 on import; this module is what makes both work
        warnings.simplefilter("ignore")
        import arviz
    return arviz


def _is_tree(arviz: Any) -> bool:
    """Whether this ArviZ has DataTree (asking 1.x for InferenceData warns)."""
    return int(arviz.__version__.split(".")[0]) >= 1


def rhat(draws: np.ndarray) -> float:
    """Rank-normalised split r-hat of draws of shape (chain, draw) (Vehtari et al. 2021)."""
    return _scalar(_arviz().rhat(_dataset(draws)))


def ess(draws: np.ndarray, method: str = "bulk") -> float:
    """Effective sample size, "bulk", "tail" or "mean", of draws of shape (chain, draw)."""
    return _scalar(_arviz().ess(_dataset(draws), method=method))


def _dataset(draws: np.ndarray) -> Any:
    import xarray

    return xarray.Dataset({"x": (("chain", "draw"), np.asarray(draws, dtype=float))})


def _scalar(result: Any) -> float:
    return float(np.asarray(result["x"]))


def from_groups(
    groups: Mapping[str, Mapping[str, np.ndarray]],
    *,
    coords: Mapping[str, Sequence[str]],
    dims: Mapping[str, Sequence[str]],
    attrs: Mapping[str, str],
) -> Any:
    """An InferenceData (ArviZ 0.x) or a DataTree (1.x).

    Parameters
    ----------
    groups : mapping
        Group ("posterior", "sample_stats", "constant_data") to variable to array; those of
        "posterior" and "sample_stats" have shape (chain, draw, ...).
    coords, dims : mapping
        Coordinates, and the dimensions of each variable beyond chain and draw.
    attrs : mapping of str to str
        Attributes of the posterior group.
    """
    arviz = _arviz()
    kept = {name: dict(group) for name, group in groups.items() if group}
    options = {
        "coords": {k: list(v) for k, v in coords.items()},
        "dims": {k: list(v) for k, v in dims.items()},
    }
    if not _is_tree(arviz):
        made = arviz.from_dict(**kept, **options)
    else:
        made = arviz.from_dict(kept, **options)
    made["posterior"].attrs.update(attrs)
    return made


def write(data: Any, path: Path) -> None:
    """Write netCDF."""
    data.to_netcdf(str(path))


def read(path: Path) -> dict[str, Any]:
    """Read the groups of a netCDF file as xarray Datasets, wholly into memory."""
    import h5netcdf
    import xarray

    with h5netcdf.File(path, "r") as file:
        names = list(file.groups)
    groups = {}
    for name in names:
        with xarray.open_dataset(path, group=name, engine="h5netcdf") as group:
            groups[name] = group.load()
    return groups
