"""Saves posteriors with bayescmp 0.1.0, to be read by later versions."""

import warnings
from pathlib import Path

import numpy as np
import xarray as xr

import bayescmp as bc
from bayescmp import bayesian as b

warnings.simplefilter("ignore")
out = Path(__file__).parent / "saved_0.1"
rng = np.random.default_rng(1)
few = {"chains": 2, "warmup": 200, "draws": 60, "engine": "pystan", "seed": 1}
x = bc.Differences(
    rng.normal(0.01, 0.02, (4, 10)),
    rho=0.1,
    names=("knn", "gbm"),
    metric="accuracy",
    datasets=("iris", "wine", "digits", "glass"),
)
row = x.row("wine")
xs = [rng.normal(0.01, 0.02, (12, 2)) for _ in range(4)]
scores = rng.normal(0.8, 0.05, (3, 10, 2))
made = {
    "correlated_t": b.correlated_t(row, rope=0.01),
    "robust_t": b.robust_t(row, rope=0.01, **few),
    "hierarchical_t_grid": b.hierarchical_t(x, rope=0.01, engine="quadrature", seed=1),
    "hierarchical_t_draws": b.hierarchical_t(x, rope=0.01, **few),
    "sign": b.sign(x, rope=0.01, seed=1, draws=200),
    "signed_rank": b.signed_rank(x, rope=0.01, draws=200, seed=1),
    "multivariate_t": b.multivariate_t(xs[0], rho=0.1, rope=0.01, seed=1),
    "multivariate_t_draws": b.multivariate_t(xs[0], rho=0.1, rope=0.01, noise="t", **few),
    "hierarchical_multivariate_t": b.hierarchical_multivariate_t(xs, rho=0.1, rope=0.01, **few),
    "groups": b.groups(scores, rho=0.1, rope=0.01, seed=1),
    "groups_draws": b.groups(scores, rho=0.1, rope=0.01, noise="t", **few),
    "confusion": b.confusion([50, 5, 4, 60], [48, 7, 2, 62], rope=0.01, seed=1, draws=200),
}
for name, posterior in made.items():
    posterior.save(out / f"{name}.nc")
    print(name, posterior.kind, (out / f"{name}.nc").stat().st_size)

# Closed forms and grids keep 10,000 draws for ArviZ, which `load` does not read: 20 a chain stay.
for path in out.glob("*.nc"):
    groups = xr.open_datatree(path).load()
    groups.close()
    if groups["posterior"].sizes["draw"] > 200:
        cut = groups["posterior"].to_dataset().isel(draw=slice(20))
        cut.attrs = groups["posterior"].attrs
        groups["posterior"] = xr.DataTree(cut)
        groups.to_netcdf(path, engine="h5netcdf", mode="w")
