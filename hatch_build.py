"""On request, puts compiled Stan programs into the wheel: ``BAYESCMP_BUNDLE_STAN=1 pip wheel .``.

The wheel is then one for this platform. The programs are linked to find the TBB library beside
them by a relative rpath, and contain the C++ library, so that they need no toolchain. ``auditwheel
repair`` tells from which glibc on they run, and tags the wheel accordingly.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: What the toolchain of the package imports, and the Stan that it compiles with.
NEEDS = ["filelock>=3.9", "httpstan>=4.12", "numpy>=1.24", "platformdirs>=3.0", "tqdm>=4.64"]
TARGET = "bayescmp/_programs"


def wanted() -> bool:
    """Whether compiled programs were asked for."""
    return os.environ.get("BAYESCMP_BUNDLE_STAN", "0") not in ("", "0")


class BundleStan(BuildHookInterface):
    """Compiles every program and adds it to the wheel."""

    def dependencies(self) -> list[str]:
        """What the build needs besides hatchling."""
        return NEEDS if wanted() and self.target_name == "wheel" else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tell the wheel of the files and of its platform."""
        if not wanted() or self.target_name != "wheel" or version == "editable":
            return
        self.folder = Path(tempfile.mkdtemp(prefix="bayescmp-bundle-"))
        bundle(Path(self.root), self.folder)
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["force_include"][str(self.folder)] = TARGET

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled: the wheel holds it."""
        shutil.rmtree(getattr(self, "folder", ""), ignore_errors=True)


def bundle(root: Path, folder: Path) -> None:
    """Put programs, library and the version of Stan into a folder."""
    sys.path.insert(0, str(root))
    try:
        from bayescmp.engines import pystan
        from bayescmp.engines.chains import program_names, program_text
    finally:
        sys.path.remove(str(root))
    with tempfile.TemporaryDirectory(prefix="bayescmp-link-") as place:
        for model in program_names():
            program = pystan.link_portable(model, program_text(model), Path(place))
            shutil.copy2(program, folder)
    shutil.copy2(pystan.tbb(), folder)
    (folder / "VERSION").write_text(f"{pystan.stan_version()}, compiled in\n", encoding="utf-8")
