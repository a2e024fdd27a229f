"""How the pages' code runs: from the repository's root, pictures on light and on dark pages."""

import os
import sys

sys.path.insert(0, os.path.join(os.environ["BAYESCMP_DOCS_ROOT"], "docs"))

c = get_config()  # noqa: F821
c.InteractiveShellApp.extensions = ["pictures"]
c.InteractiveShellApp.exec_lines = ["import os; os.chdir(os.environ['BAYESCMP_DOCS_ROOT'])"]
