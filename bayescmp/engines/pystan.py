"""The pystan engine: the same programs through PyStan 3, whose wheels bring Stan itself."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import importlib.util
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from bayescmp.engines.base import Availability, Fit, FitRequest, cache_root
from bayescmp.engines.programs import program_names, program_text
from bayescmp.errors import EngineError

__all__ = ["PyStanEngine"]


class PyStanEngine:
    """Stan through PyStan 3."""

    name = "pystan"
    independent = False

    def available(self) -> Availability:
        """PyStan 3 and a C++ compiler."""
        if (
            importlib.util.find_spec("stan") is None
            or importlib.util.find_spec("httpstan") is None
        ):
            return Availability(
                False, needs="PyStan 3; get it with: pip install 'bayescmp[pystan]'"
            )
        if not any(map(shutil.which, (os.environ.get("CXX", "g++"), "g++", "clang++", "c++"))):
            return Availability(False, needs="a C++ compiler (PyStan 3 itself is installed)")
        return Availability(True, f"PyStan {version('pystan')}, httpstan {version('httpstan')}")

    def supports(self, model: str) -> bool:
        """Every program."""
        return model in program_names()

    def fit(self, request: FitRequest) -> Fit:
        """Build the program unless that was done, and sample it."""
        s = request.settings
        built = _built(request)
        sample = {
            "num_chains": s.chains, "num_warmup": s.warmup, "num_samples": s.draws,
            "delta": s.adapt_delta, "max_depth": s.max_treedepth,
            **({"init": [_plain(c) for c in request.inits]} if request.inits else {}),
        }  # fmt: skip
        with _bar(request, s.chains * (s.warmup + s.draws)) as moved:
            draws, stats = _ask(_job(request, built, sample), moved)
        return Fit(self.name, self.available().version, draws, stats)


def _job(request: FitRequest, built: Path, sample: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "text": program_text(request.model), "data": _plain(request.data), "built": str(built),
        "seed": request.seed, "sample": sample, "keep": dict(request.keep),
    }  # fmt: skip


def _plain(values: Any) -> dict[str, Any]:
    return {k: v.tolist() if isinstance(v, (np.ndarray, np.generic)) else v
            for k, v in values.items()}  # fmt: skip


# -- the cache of built programs ---------------------------------------------------------------


def _key(text: str) -> str:
    """Key of a built program: its text, PyStan, and the Python and libraries it is linked to."""
    home = importlib.util.find_spec("httpstan")
    where = home.origin if home is not None else ""
    parts = (text, version("httpstan"), sys.version, sys.platform, str(where))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _built(request: FitRequest) -> Path:
    """Folder of the built program, which is built if it is not in the cache.

    It is built in a temporary folder and moved into the cache in whole: an interrupted build
    leaves nothing behind, and processes that want the same program wait for one of them.
    """
    from filelock import FileLock

    target = cache_root() / "pystan" / f"{request.model}-{_key(program_text(request.model))}"
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{target}.lock"):
        if not target.is_dir():
            _build(request, target)
    return target


def _build(request: FitRequest, target: Path) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="building-", dir=target.parent) as work,
        _bar(request, None),
    ):
        _ask(_job(request, Path(work) / "built", None), lambda _: None)
        os.replace(Path(work) / "built", target)


# -- the worker process ------------------------------------------------------------------------

_worker: subprocess.Popen[bytes] | None = None
_folder: tempfile.TemporaryDirectory[str] | None = None
_lock = threading.Lock()


def _ask(job: dict[str, Any], moved: Callable[[int], None]) -> Any:
    """Have the worker do a job; whatever interrupts it kills the worker and all it started."""
    with _lock:
        try:
            worker = _start()
            assert worker.stdin is not None
            assert worker.stdout is not None
            pickle.dump(job, worker.stdin)
            worker.stdin.flush()
            kind = "progress"
            while kind == "progress":
                kind, payload = pickle.load(worker.stdout)
                if kind == "progress":
                    moved(payload)
        except (EOFError, BrokenPipeError):
            _stop()
            raise EngineError("PyStan's process died (out of memory, or killed)") from None
        except BaseException:
            _stop()
            raise
    if kind == "failed":
        raise EngineError(f"PyStan failed: {payload}")
    return payload


def _start() -> subprocess.Popen[bytes]:
    """The worker: started once and kept, since importing PyStan takes as long as a fit."""
    global _worker, _folder
    if _worker is not None and _worker.poll() is not None:
        _stop()  # it was killed from outside
    if _worker is None:
        _folder = tempfile.TemporaryDirectory(
            prefix="bayescmp-pystan-", ignore_cleanup_errors=True
        )
        _worker = subprocess.Popen(
            [sys.executable, "-m", "bayescmp.engines.pystan_worker", _folder.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # a Ctrl-C is for us to act on
        )
    return _worker


@atexit.register
def _stop() -> None:
    """Kill the worker with the samplers it started."""
    global _worker, _folder
    worker, folder, _worker, _folder = _worker, _folder, None, None
    if worker is None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(worker.pid, signal.SIGKILL)
        worker.kill()
    worker.communicate()
    if folder is not None:
        folder.cleanup()


@contextlib.contextmanager
def _bar(request: FitRequest, total: int | None) -> Any:
    """A tqdm bar over iterations, or for a build one that only tells what goes on."""
    from tqdm.auto import tqdm

    what = "compiling (once)" if total is None else "sampling"
    with tqdm(
        total=total, desc=f"{request.model}: {what}", disable=not request.progress, leave=False
    ) as bar:
        yield lambda done: bar.update(max(0, done - bar.n))
