"""The site: ``pip install ".[docs]" && sphinx-build -W docs docs/_build``."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from bayescmp import __version__

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "evidence"))
# The notebooks are shown as they are stored: tests/examples holds that they still say that.
for notebook in (HERE.parent / "examples").glob("*.ipynb"):
    shutil.copy2(notebook, HERE / "notebooks")
# Pages run in the repository's root, with pictures as vectors: see _ipython.
os.environ["IPYTHONDIR"] = str(HERE / "_ipython")
os.environ["BAYESCMP_DOCS_ROOT"] = str(HERE.parent)

project = "bayescmp"
author = "The bayescmp developers"
project_copyright = "2026, the bayescmp developers"
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_nb",
    "sphinx_copybutton",
    "sphinx_design",
    "directive",
]
templates_path = ["_templates"]
exclude_patterns = [
    "_build",
    "_ipython",
    ".jupyter_cache",
    "jupyter_execute",
    "**/.ipynb_checkpoints",
]
html_static_path = ["_static"]
html_css_files = ["site.css"]

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings give them, in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_validation_checks = {"GL03"}

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = os.environ.get("BAYESCMP_DOCS_EXECUTE", "cache")
nb_execution_excludepatterns = ["notebooks/*"]
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "pydata_sphinx_theme"
html_title = "bayescmp"
html_show_sourcelink = False
html_context = {"default_mode": "auto"}  # dark where the reader's system is
html_theme_options = {
    "show_toc_level": 2,
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "friendly",
    "pygments_dark_style": "github-dark",
}
html_sidebars = {"index": [], "start": [], "glossary": [], "bibliography": []}
