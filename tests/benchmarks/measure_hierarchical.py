"""One side of the Stan benchmark, in a process of its own; prints JSON.

Run as ``python measure_hierarchical.py ours|baycomp|built_in [--build]``: q = 50 data sets, 100
differences each, 4 chains of 1000 + 1000 draws, through PyStan. With ``--build`` the program is
built and nothing measured, so that neither time nor memory of a measuring process holds a build.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np

Q, N, RHO, CHAINS, DRAWS = 50, 100, 0.1, 4, 1000
MODEL = "hierarchical_correlated_t"


def differences() -> np.ndarray:
    rng = np.random.default_rng(2017)
    mean = 0.005 + 0.02 * rng.standard_t(5, size=Q)
    shared = np.sqrt(RHO) * rng.normal(size=(Q, 1))
    return mean[:, None] + 0.04 * (shared + np.sqrt(1 - RHO) * rng.normal(size=(Q, N)))


class Memory(threading.Thread):
    """Largest memory of this process and all its children together (shared pages counted once).

    To look takes milliseconds of the processor: over minutes, pause for longer.
    """

    def __init__(self, pause: float = 0.05) -> None:
        super().__init__(daemon=True)
        self.peak, self.alone, self.going, self.pause = 0, 0, True, pause

    def run(self) -> None:
        while self.going:
            sizes = [self._pss(pid) for pid in self._tree(os.getpid())]
            self.peak, self.alone = max(self.peak, sum(sizes)), max(self.alone, sizes[0])
            time.sleep(self.pause)

    def _tree(self, pid: int) -> list[int]:
        actual = [pid]
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                actual += [p for child in task.read_text().split() for p in self._tree(int(child))]
            except OSError:
                continue
        return actual

    @staticmethod
    def _pss(pid: int) -> int:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            return 0
        return next(
            (int(x.split()[1]) * 1024 for x in text.splitlines() if x.startswith("Pss:")), 0
        )


def our_fit(x: np.ndarray, draws: int, seed: int):
    from bayescmp.bayesian import hierarchical_t

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hierarchical_t(x, rho=RHO, rope=0.01, engine="pystan", seed=seed, draws=draws)


def ours(x: np.ndarray, memory: Memory):
    our_fit(x, 50, 1)  # loads the program
    memory.start()
    start = time.perf_counter()
    posterior = our_fit(x, DRAWS, 2)
    seconds = time.perf_counter() - start
    return {"sigma0": posterior.draws["sigma0"], "delta0": posterior.draws["delta0"]}, seconds


def their_model(x: np.ndarray):
    """The program and the data of baycomp's HierarchicalTest, with its own scaling and bounds."""
    import aiohttp
    import baycomp.multiple

    import stan

    # PyStan's client gives up on a build after five minutes, which a busy machine needs
    aiohttp.client.DEFAULT_TIMEOUT = aiohttp.ClientTimeout(total=None)
    d = x / np.mean(np.std(x, axis=1))
    data = {
        "x": d,
        "Nsamples": N,
        "q": Q,
        "rho": RHO,
        "deltaLow": -np.abs(d).max(),
        "deltaHi": np.abs(d).max(),
        "lowerAlpha": 1,
        "upperAlpha": 2,
        "lowerBeta": 0.01,
        "upperBeta": 0.1,
        "stdLow": 0,
        "stdHi": 1000 * np.mean(np.std(d, axis=1)),
        "std0Low": 0,
        "std0Hi": 1000 * np.std(d.mean(axis=1)),
    }
    program = Path(baycomp.multiple.__file__).with_name("hierarchical-t-test.stan").read_text()
    return stan.build(program, data=data, random_seed=2)


def baycomp(x: np.ndarray, memory: Memory):
    model = their_model(x)
    memory.start()
    start = time.perf_counter()
    fit = model.sample(num_chains=CHAINS, num_samples=DRAWS)
    seconds = time.perf_counter() - start
    chains = {
        ours: fit[theirs][0].reshape(DRAWS, CHAINS).T
        for ours, theirs in (("sigma0", "std0"), ("delta0", "delta0"))
    }
    return chains, seconds


def build(side: str) -> None:
    """Leave the side's program in its cache."""
    if side == "baycomp":
        their_model(differences())
    elif side == "ours":
        our_fit(differences(), 50, 1)


def built_in(x: np.ndarray) -> float:
    """Median seconds of the built-in engine for what baycomp gives: verdict and draws."""
    import bayescmp as bc
    from bayescmp.bayesian.hierarchical.problem import pose
    from bayescmp.engines import find_engine
    from bayescmp.engines.base import FitRequest

    prior, rope = bc.HierarchicalPrior.corani2017(), bc.Rope(-0.01, 0.01)
    engine, seconds = find_engine("quadrature", MODEL), []
    for seed in range(30):
        start = time.perf_counter()
        problem = pose(bc.Differences(x, rho=RHO), prior, rope)
        density = engine.fit(FitRequest(MODEL, problem.data, seed)).density
        density.verdict(-0.01 / problem.scale, 0.01 / problem.scale)
        density.draws(10_000, seed)
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


def main() -> None:
    if "--build" in sys.argv:
        build(sys.argv[1])
        return
    if sys.argv[1] == "built_in":
        print(json.dumps({"seconds": built_in(differences())}))
        return
    from bayescmp.results.arviz import ess

    memory = Memory()
    draws, seconds = {"ours": ours, "baycomp": baycomp}[sys.argv[1]](differences(), memory)
    memory.going = False
    memory.join()
    sizes = {name: ess(values) for name, values in draws.items()}
    print(
        json.dumps({"seconds": seconds, "ess": sizes, "peak": memory.peak, "alone": memory.alone})
    )


if __name__ == "__main__":
    main()
