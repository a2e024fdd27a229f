"""How the pages' code runs: from the repository's root, warnings shown once, pictures as SVG."""

c = get_config()  # noqa: F821
c.InlineBackend.figure_formats = {"svg"}
c.InlineBackend.print_figure_kwargs = {"bbox_inches": "tight", "facecolor": "white"}
c.InteractiveShellApp.exec_lines = ["import os; os.chdir(os.environ['BAYESCMP_DOCS_ROOT'])"]
