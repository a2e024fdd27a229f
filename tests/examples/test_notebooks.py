"""Each notebook in examples/ runs; what is stored of its outputs is small and still true."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from jupyter_client import KernelClient, KernelManager
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "examples"
NOTEBOOKS = (
    "five_minutes",
    "from_logs_to_paper",
    "full_study",
    "several_algorithms_and_metrics",
    "when_tests_disagree",
)
#: Its scores depend on scikit-learn's version.
FITTED = ("full_study",)
#: Bytes of a notebook with its pictures.
MOST = 150_000


def test_all_notebooks_are_tested():
    assert sorted(p.stem for p in FOLDER.glob("*.ipynb")) == list(NOTEBOOKS)


def test_stored_outputs():
    for name in NOTEBOOKS:
        path = FOLDER / f"{name}.ipynb"
        assert path.stat().st_size < MOST
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        cells = [c for c in notebook.cells if c.cell_type == "code"]
        assert [c.execution_count for c in cells] == list(range(1, len(cells) + 1))
        outputs = [o for c in cells for o in c.outputs]
        assert outputs
        assert all(o.output_type != "error" and o.get("name") != "stderr" for o in outputs)
        assert "/tmp/" not in json.dumps(notebook)
        assert "/home/" not in json.dumps(notebook)


def test_the_site_lists_all_of_them():
    page = FOLDER.parent / "docs" / "notebooks" / "index.md"
    listed = page.read_text(encoding="utf-8").split("```")[1].split()[3:]
    assert sorted(listed) == list(NOTEBOOKS)


@pytest.fixture(scope="module")
def kernel() -> Iterator[tuple[KernelManager, KernelClient]]:
    """One kernel for all of them: a new one takes seconds to start and to import.

    What is stored is what "auto" says where CmdStan is not installed.
    """
    env = {**os.environ, "CMDSTAN": str(FOLDER / "none")}
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(FOLDER), env=env)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_runs(name, kernel):
    manager, channels = kernel
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    stored = [_text(c) for c in notebook.cells if c.cell_type == "code"]
    fresh = "%reset -f\nimport matplotlib.pyplot\nmatplotlib.pyplot.close('all')\n%reset -f"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(fresh))
    client = NotebookClient(notebook, km=manager, timeout=300)
    client.kc = channels
    client.execute(cleanup_kc=False)
    del notebook.cells[0]
    shown = [_text(c) for c in notebook.cells if c.cell_type == "code"]
    if name not in FITTED:
        assert shown == stored


def _text(cell):
    """What a cell printed and showed as text, without pictures and memory addresses.

    A kernel may send one cell's printing in any number of pieces, at its own pace.
    """
    pieces = (o.get("text") or _plain(o) for o in cell.outputs)
    return " ".join("".join(pieces).split())


def _plain(output):
    text = output.get("data", {}).get("text/plain", "")
    return "" if text.startswith("<Figure") else f"\n{text}\n"
