"""Pictures of the site: on a light and on a dark page, with their captions, and as thumbnails.

For IPython, in which the pages' code runs: a cell that has drawn is drawn again on a dark page, by
its last statement. For Sphinx: each picture is shown where the page is as light or dark as it was
drawn for, a screen reader gets its caption, and ``thumbnails`` shows those of other pages, each
with the section that it is from.
"""

from __future__ import annotations

import ast
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
    from matplotlib.figure import Figure
    from sphinx.application import Sphinx

#: The theme's dark page.
DARK = "#14181e"
SCHEMES = ("only-light", "only-dark")


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Show what a cell has drawn, when it has run."""
    shell.events.register("post_run_cell", lambda result: show_drawn(shell, result))


def show_drawn(shell: InteractiveShell, result: ExecutionResult) -> None:
    """Show the figures that are open, and those that the cell's last statement draws on dark."""
    import matplotlib.pyplot as plt

    if not plt.get_fignums():
        return
    show_open("only-light")
    last = ast.parse(shell.transform_cell(result.info.raw_cell)).body[-1:]
    page = {f"{part}.facecolor": DARK for part in ("figure", "axes", "savefig")}
    with plt.style.context(["dark_background", page]):
        exec(compile(ast.Module(last, []), "dark", "exec"), shell.user_ns)
        show_open("only-dark")


def show_open(scheme: str) -> None:
    """Show and close the figures that are open: SVG that says what it is and for which page."""
    import matplotlib.pyplot as plt
    from IPython.display import display

    for number in plt.get_fignums():
        figure, stream = plt.figure(number), io.StringIO()
        says = {"Title": caption_of(figure), "Keywords": [scheme], "Date": None}
        with plt.rc_context({"svg.hashsalt": "bayescmp"}):
            figure.savefig(stream, format="svg", bbox_inches="tight", metadata=says)
        display({"image/svg+xml": stream.getvalue()}, raw=True)
        plt.close(figure)


def caption_of(figure: Figure) -> str:
    """What a figure shows."""
    from bayescmp.errors import InputError
    from bayescmp.plots import caption

    for ax in figure.axes:
        try:
            return caption(ax)
        except InputError:
            continue
    return "Scores, drawn by the code above"


def describe(app: Sphinx, doctree: nodes.document) -> None:
    """Give each picture of a cell its page and its caption; one that was stored, its code."""
    for output in doctree.findall(nodes.container):
        if "cell_output" not in output["classes"]:
            continue
        for image in output.findall(nodes.image):
            path = Path(app.srcdir, image["uri"])
            text = path.read_text(encoding="utf-8") if path.suffix == ".svg" else ""
            scheme = re.search("only-(light|dark)", text)
            if scheme and (title := re.search("<title>(.*?)</title>", text, re.DOTALL)):
                image["classes"].append(scheme[0])
                image["alt"] = title[1]
            elif source := next(output.parent.findall(nodes.literal_block), None):
                image["alt"] = f"Drawn by {source.astext().splitlines()[-1]}"


class thumbnails(nodes.General, nodes.Element):  # noqa: N801
    """Where the pictures of other pages go."""


def insert_thumbnails(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the first picture of each section of the pages named, with its title, as a link."""
    for place in doctree.findall(thumbnails):
        grid = nodes.container(classes=["thumbnails"])
        page = app.env.get_doctree(place["page"])
        uri = app.builder.get_relative_uri(docname, place["page"])
        for section in page.findall(nodes.section):
            if isinstance(section.parent, nodes.document):
                continue
            link = nodes.reference("", "", refuri=f"{uri}#{section['ids'][0]}", internal=True)
            for scheme in SCHEMES:
                drawn = [i for i in section.findall(nodes.image) if scheme in i["classes"]]
                link += [image.deepcopy() for image in drawn[:1]]
            link += nodes.inline("", section.next_node(nodes.title).astext())
            grid += nodes.paragraph("", "", link)
        place.replace_self(grid)


def setup(app: Sphinx) -> dict[str, bool]:
    """Join the build of the site."""
    from docutils.parsers.rst import Directive

    class Thumbnails(Directive):
        required_arguments = 1

        def run(self) -> list[nodes.Node]:
            page = self.arguments[0]
            env = self.state.document.settings.env
            env.note_dependency(env.doc2path(page))
            return [thumbnails(page=page)]

    app.add_node(thumbnails)
    app.add_directive("thumbnails", Thumbnails)
    app.connect("doctree-read", describe, priority=900)
    app.connect("doctree-resolved", insert_thumbnails)
    return {"parallel_read_safe": True}
