"""The site: ``pip install ".[docs]" && sphinx-build -W docs docs/_build``."""

from __future__ import annotations

import html
import os
import shutil
import sys
from pathlib import Path

from docutils import nodes
from jupyter_cache import get_cache
from sphinx.application import Sphinx

from bayescmp import __version__

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "evidence"))
# The notebooks are shown as they are stored: tests/examples holds that they still say that.
for notebook in (HERE.parent / "examples").glob("*.ipynb"):
    shutil.copy2(notebook, HERE / "notebooks")
sys.path.insert(0, str(HERE))
# Pages run in the repository's root, and pictures.py shows what they draw: see _ipython.
os.environ["IPYTHONDIR"] = str(HERE / "_ipython")
os.environ["MPLBACKEND"] = "agg"
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
    "pictures",
]
templates_path = ["_templates"]
exclude_patterns = [
    "_build",
    "_ipython",
    ".jupyter_cache",
    "jupyter_execute",
    "**/.ipynb_checkpoints",
]
html_static_path = ["_static", "ladder.png"]
html_baseurl = os.environ.get("READTHEDOCS_CANONICAL_URL", "")
html_css_files = ["site.css"]

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings give them, in words
default_role = "autolink"  # a name in a docstring leads to its page
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
nb_code_prompt_show, nb_code_prompt_hide = "Show its data", "Hide its data"
nb_output_stderr = "remove"  # bars of progress; pages print the warnings that they are about
copybutton_exclude = ".linenos, .gp, .go"
highlight_language = "none"  # what names no language is no Python

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
# Pages without pages below them have no sidebar.
ALONE = "index start reading which-call extending contributing glossary bibliography"
html_sidebars: dict[str, list[str]] = {page: [] for page in ALONE.split()}


def add_description(
    app: Sphinx, page: str, template: str, context: dict[str, object], tree: nodes.document | None
) -> None:
    """Say what a page is about, where it is found or linked to: its title and first paragraph."""
    if tree is None:
        return
    first = next((p.astext() for p in tree.findall(nodes.paragraph)), "")
    text = html.escape(" ".join(first.split())[:300])
    about = {
        "og:type": "website",
        "og:site_name": project,
        "og:title": html.escape(next(tree.findall(nodes.title)).astext()),
        "og:description": text,
        "og:image": f"{html_baseurl}_static/ladder.png",
    }
    tags = [f'<meta name="description" content="{text}" />']
    tags += [f'<meta property="{name}" content="{value}" />' for name, value in about.items()]
    context["metatags"] = "\n".join([str(context.get("metatags", "")), *tags])


def create_cache(app: Sphinx) -> None:
    """Create the cache of executed pages, which parallel readers would all try to create."""
    get_cache(Path(app.outdir).parent / ".jupyter_cache").list_cache_records()


def setup(app: Sphinx) -> None:
    """Join the build."""
    app.connect("builder-inited", create_cache)
    app.connect("html-page-context", add_description)
