"""The one place that knows ArviZ, whose 0.x has InferenceData and whose 1.x has DataTree."""

from __future__ import annotations

import importlib
import io
import math
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from bayescmp.errors import InputError
from bayescmp.files import replacing

if TYPE_CHECKING:
    import h5netcdf
    import xarray
    from arviz import InferenceData

__all__ = ["ess", "from_groups", "psis", "read", "rhat", "write"]


#: Arrays up to this many bytes are read whatever the size of their file; larger ones only if they
#: are at most this many times as large as the file, as draws of a sampler always are.
SMALL, MOST_COMPRESSED = 2**25, 16


def _arviz() -> ModuleType:
    with warnings.catch_warnings():
        # 0.23 announces 1.0 on import; this module is what makes both work
        warnings.simplefilter("ignore")
        import arviz
    return arviz


def _is_tree(arviz: ModuleType) -> bool:
    """Whether this ArviZ has DataTree (asking 1.x for InferenceData warns)."""
    return int(arviz.__version__.split(".")[0]) >= 1


def rhat(draws: np.ndarray) -> float:
    """Rank-normalised split r-hat of draws of shape (chain, draw) (Vehtari et al. 2021)."""
    return _scalar(_arviz().rhat(_dataset(draws)))


def ess(draws: np.ndarray, method: str = "bulk") -> float:
    """Effective sample size, "bulk", "tail" or "mean", of draws of shape (chain, draw)."""
    return _scalar(_arviz().ess(_dataset(draws), method=method))


def psis(log_ratios: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights of draws under another density, Pareto-smoothed, and k-hat.

    Parameters
    ----------
    log_ratios : ndarray of shape (chain, draw)
        Log of the other density over the one that was drawn from, up to a constant.

    Returns
    -------
    weights : ndarray of shape (chain, draw)
        They sum to one.
    k_hat : float
        Shape of the ratios' tail; averages with the weights can be relied on up to about 0.7.

    References
    ----------
    Vehtari, Simpson, Gelman, Yao & Gabry (2024), Journal of Machine Learning Research 25(72).
    """
    arviz = _arviz()
    if _is_tree(arviz):
        array_stats = importlib.import_module("arviz_stats.base").array_stats
        smoothed, k_hat = array_stats.psislw(log_ratios.ravel())
    else:
        smoothed, k_hat = arviz.psislw(log_ratios.ravel())
    weights = np.exp(np.asarray(smoothed) - np.max(smoothed))
    return (weights / weights.sum()).reshape(log_ratios.shape), float(k_hat)


def _dataset(draws: np.ndarray) -> xarray.Dataset:
    import xarray

    return xarray.Dataset({"x": (("chain", "draw"), np.asarray(draws, dtype=float))})


def _scalar(result: xarray.Dataset) -> float:
    return float(np.asarray(result["x"]))


def from_groups(
    groups: Mapping[str, Mapping[str, np.ndarray]],
    *,
    coords: Mapping[str, Sequence[str]],
    dims: Mapping[str, Sequence[str]],
    attrs: Mapping[str, str],
) -> InferenceData | xarray.DataTree:
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
        log_prior = kept.pop("log_prior", None)  # from_dict has no place for it
        made = arviz.from_dict(**kept, **options)
        if log_prior is not None:
            made.add_groups(log_prior=arviz.dict_to_dataset(log_prior, **options))
    else:
        made = arviz.from_dict(kept, **options)
    made["posterior"].attrs.update(attrs)
    return made


def write(data: InferenceData | xarray.DataTree, path: Path) -> None:
    """Write netCDF.

    HDF5 works in memory, and the finished bytes are written: where a disk fills up beneath HDF5
    itself, it takes the interpreter with it.
    """
    import h5netcdf
    from xarray.backends import H5NetCDFStore

    whole = io.BytesIO()
    with h5netcdf.File(whole, "w") as file:
        for name, group in _groups_of(data).items():
            encoding = {n: {"zlib": True} for n, v in group.variables.items() if _is_numeric(v)}
            group.dump_to_store(H5NetCDFStore(file, group=name, mode="a"), encoding=encoding)
    with replacing(path) as part:
        part.write_bytes(whole.getbuffer())


def _groups_of(data: InferenceData | xarray.DataTree) -> dict[str, xarray.Dataset]:
    """The groups of an InferenceData or DataTree as Datasets."""
    names = data.children if hasattr(data, "children") else data.groups()
    return {n: data[n].to_dataset() if hasattr(data, "children") else data[n] for n in names}


def _is_numeric(variable: xarray.Variable) -> bool:
    return variable.dtype.kind in "biuf"


def read(path: Path) -> dict[str, xarray.Dataset]:
    """Read the groups of a netCDF file as xarray Datasets, wholly into memory.

    The file is opened once, so that all is of one version of it, whoever replaces it meanwhile.

    Raises
    ------
    InputError
        If what it declares goes beyond what it holds: a small file could fill the memory.
    """
    import h5netcdf
    import xarray
    from xarray.backends import H5NetCDFStore

    with h5netcdf.File(path, "r") as file:
        _check_contents(file, path.stat().st_size)
        return {
            name: xarray.open_dataset(H5NetCDFStore(file, group=name, mode="r")).load()
            for name in file.groups
        }


def _check_contents(file: h5netcdf.File, size: int) -> None:
    """Refuse arrays that are larger than the file can hold, or lie in other files."""
    import h5py

    links: list[tuple[str, object]] = []
    with h5py.File(file.filename, "r") as hdf5:
        hdf5.visititems_links(lambda name, link: links.append((name, link)))
        declared = 0
        for name, link in links:
            if not isinstance(link, h5py.HardLink):
                raise InputError(f"{name!r} is a link elsewhere; accepted: arrays in the file")
            declared += _declared(name, hdf5[name])
            if declared > max(SMALL, MOST_COMPRESSED * size):
                raise InputError(
                    f"{name!r} has shape {hdf5[name].shape}: with it the arrays take "
                    f"{declared:.3g} bytes, and the file has {size}"
                )


def _declared(name: str, array: object) -> int:
    """Bytes that an array would take in memory; 0 for a group."""
    import h5py

    if not isinstance(array, h5py.Dataset):
        return 0
    if array.external or array.is_virtual:
        raise InputError(f"{name!r} lies in another file; accepted: arrays in the file")
    size = math.prod(array.shape or ())
    if size == 0:
        raise InputError(f"{name!r} is empty, of shape {array.shape}")
    return int(size * array.dtype.itemsize)
