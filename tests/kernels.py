"""Run a command with other kernels than this processor's best: its last bits are those of another.

    python tests/kernels.py pytest tests/bayesian

OpenBLAS computes with an old kernel, NumPy without the vector instructions that it chooses at run
time, the C library without fused multiplication and addition, as far as the processor has them.
What is switched is printed; unless all of it is, nothing is run and the exit status is 1.
"""

import json
import math
import os
import platform
import subprocess
import sys
from pathlib import Path

import scipy.linalg  # noqa: F401  # loads SciPy's BLAS
from threadpoolctl import threadpool_info

try:
    from numpy._core import _multiarray_umath as umath
except ImportError:  # NumPy 1
    from numpy.core import _multiarray_umath as umath

BLAS = "Prescott" if platform.machine() in ("x86_64", "AMD64") else "ARMV8"


def features() -> list[str]:
    """Return the vector instructions that NumPy chooses at run time and this processor has."""
    return [name for name in umath.__cpu_dispatch__ if umath.__cpu_features__[name]]


def kernels() -> dict[str, str]:
    """Return what each library computes with."""
    libraries = {
        f"BLAS of {Path(library['filepath']).parent.name}": library["architecture"]
        for library in threadpool_info()
        if library["user_api"] == "blas"
    }
    if umath.__cpu_features__.get("FMA3") or "GLIBC_TUNABLES" in os.environ:
        bits = sum(hash(math.exp(x / 1000)) for x in range(20_000))
        libraries["C library"] = f"exponentials ending in {bits % 10**6:06}"
    return libraries | {"NumPy": " ".join(features()) or "no more than its baseline"}


def others() -> dict[str, str]:
    """Return the environment of the command."""
    disabled = {"NPY_DISABLE_CPU_FEATURES": " ".join(features())} if features() else {}
    tunables = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable"
    return {**os.environ, "OPENBLAS_CORETYPE": BLAS, "GLIBC_TUNABLES": tunables, **disabled}


def main(command: list[str]) -> None:
    """Print the kernels, or run the command with others."""
    own = kernels()
    if not command:
        print(json.dumps(own))
        return
    read = subprocess.check_output([sys.executable, __file__], env=others(), text=True)
    switched = json.loads(read)
    for name, kernel in own.items():
        print(f"{name}: {kernel} -> {switched[name]}", flush=True)
    kept = [name for name in own if own[name] == switched[name]]
    if kept:
        sys.exit(f"not switched: {', '.join(kept)}")
    os.execvpe(command[0], command, others())


if __name__ == "__main__":
    main(sys.argv[1:])
