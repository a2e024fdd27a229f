"""Run the notebooks of examples/ and store what they print.

``python -m tests.examples.run_notebooks`` runs all; give names to run only these. Pictures are
stored in 64 colours, which is a quarter of the size.
"""

from __future__ import annotations

import base64
import io
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from PIL import Image

FOLDER = Path(__file__).parents[2] / "examples"
COLOURS = 64


def run(path: Path) -> None:
    """Run a notebook and store its outputs; its metadata stay."""
    notebook, stored = (nbformat.read(path, as_version=4) for _ in range(2))
    place = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, timeout=600, record_timing=False, resources=place).execute()
    notebook.metadata = stored.metadata
    for cell, before in zip(notebook.cells, stored.cells, strict=True):
        cell.metadata = before.metadata
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                output["data"]["image/png"] = reduce_colours(output["data"]["image/png"])
    nbformat.write(notebook, path)


def reduce_colours(picture: str) -> str:
    """Write a picture, in base 64, with a palette."""
    written = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(picture))) as image:
        image.quantize(COLOURS, method=Image.Quantize.FASTOCTREE).save(
            written, "PNG", optimize=True
        )
    return base64.b64encode(written.getvalue()).decode()


if __name__ == "__main__":
    for notebook in sorted(FOLDER.glob("*.ipynb")):
        if not sys.argv[1:] or notebook.stem in sys.argv[1:]:
            print(notebook.stem, flush=True)
            run(notebook)
