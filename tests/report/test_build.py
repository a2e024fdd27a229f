"""Files: formats, places, what is refused before the work."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from statsmodels.stats.multitest import multipletests

import bayescmp as bc
from bayescmp.frequentist import rank_biserial, tost_means
from bayescmp.text import pvalue

pytestmark = pytest.mark.usefixtures("without_pictures")

QUIET = {"seed": 1, "engine": "quadrature", "progress": False}


def test_several_formats_from_one_run(plain, tmp_path):
    files = [tmp_path / name for name in ("a.html", "a.md", "a.tex", "a.bib")]
    assert bc.report(plain, files, rope=0.02, metric="accuracy", **QUIET) == files
    markdown, latex, bib = (f.read_text(encoding="utf-8") for f in files[1:])
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    tables = re.split(r"\n\n+", markdown)
    for table in (t for t in tables if t.startswith("|")):
        assert len({row.count("|") for row in table.splitlines()}) == 1
    effects = 2 + 2 * 3  # beside the signed-rank and the sign test, of each of three pairs
    assert len(lines) == 2 + 3 * 3 + effects + 2 + 4 + 2 + 3  # three probabilities of each pair
    assert latex.count(r"\toprule") == latex.count(r"\bottomrule") == 4
    rows = [line for line in latex.splitlines() if line.endswith(r"\\")]
    assert {line.count("&") for line in rows if "better & valent" not in line} == {6, 5, 4, 3}
    assert bib.count("@article{") + bib.count("@inproceedings{") == bib.count("\n}")
    assert "Demšar" in bib


def test_every_format_has_effect_sizes_and_tests_of_equivalence(plain, tmp_path):
    """As the cross-check has them, and as SciPy has Holm's adjustment of TOST's p-values."""
    files = [tmp_path / f"a.{kind}" for kind in ("html", "md", "tex")]
    bc.report(plain, files, rope=0.02, metric="accuracy", **QUIET)
    means = plain.means("accuracy")
    effect = rank_biserial(means["gbm"] - means["knn"])
    low, high = effect.confidence_interval()
    shown = f"rank-biserial correlation {effect.estimate:.2g} ({low:.2g} to {high:.2g})"
    tests = [
        tost_means(means[b] - means[a], rope=0.02, method="wilcoxon").pvalue
        for a, b in combinations(plain.algorithms, 2)
    ]
    p = pvalue(multipletests(tests, method="holm")[1][0])
    for file, cell in zip(files, (f"<td>{shown}</td>", f"{shown} | {p} |", f"{shown} & {p}"),
                          strict=True):  # fmt: skip
        text = re.sub(r"\\(?=[-()+.])", "", file.read_text(encoding="utf-8")).replace("$", "")
        assert cell in text
        assert "two one-sided signed-rank tests of equivalence" in text
        assert "ffect sizes (rank-biserial correlation" in text


@pytest.mark.slow
def test_figures_for_a_paper(plain, tmp_path):
    bc.report(
        plain, tmp_path / "r.html", rope=0.02, metric="accuracy", algorithms=["knn", "gbm"],
        figures=tmp_path / "figures", **QUIET,
    )  # fmt: skip
    assert sorted(f.name for f in (tmp_path / "figures").iterdir()) == [
        "knn-gbm-accuracy-datasets.pdf", "knn-gbm-accuracy-posterior.pdf",
    ]  # fmt: skip


@pytest.mark.slow
def test_nothing_is_left_beside_the_file(plain, tmp_path):
    bc.report(plain, tmp_path / "r.html", rope=0.02, metric="accuracy", **QUIET)
    assert [f.name for f in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"path": "r.docx"}, r"ends in '\.docx'; accepted: \.html, \.md, \.tex, \.bib"),
        ({"path": "nowhere/r.html"}, "there is no directory"),
        ({"figures": "nowhere/figures"}, "there is no directory"),
        ({"rope": None}, "rope is missing"),
        ({"metric": "acuracy"}, "did you mean 'accuracy'"),
        ({"engin": "quadrature"}, "unknown option 'engin'"),
    ],
)
def test_bad_input_before_any_work(plain, tmp_path, change, message):
    arguments = {"path": "r.html", "rope": 0.02, "metric": "accuracy", **QUIET, **change}
    arguments["path"] = tmp_path / arguments["path"]
    if "figures" in arguments:
        arguments["figures"] = tmp_path / arguments["figures"]
    with pytest.raises(bc.InputError, match=message):
        bc.report(plain, **arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", [5, [], [3]])
def test_paths_are_paths(plain, path):
    with pytest.raises(bc.InputError, match=r"path=.*; accepted"):
        bc.report(plain, path, rope=0.02, metric="accuracy")
    with pytest.raises(bc.InputError, match="figures=3; accepted: the path of a file"):
        bc.report(plain, "r.html", rope=0.02, metric="accuracy", figures=3)


def test_a_file_is_no_folder(plain, tmp_path):
    (tmp_path / "figures").write_text("")
    with pytest.raises(bc.InputError, match="is a file; accepted: a directory"):
        bc.report(plain, tmp_path / "r.html", rope=0.02, metric="accuracy",
                  figures=tmp_path / "figures")  # fmt: skip


def test_a_directory_is_no_file(plain, tmp_path):
    (tmp_path / "r.html").mkdir()
    with pytest.raises(bc.InputError, match="is a directory"):
        bc.report(plain, tmp_path / "r.html", rope=0.02, metric="accuracy")


@pytest.mark.slow
def test_a_paragraph_on_what_each_decision_hangs_on(plain, tmp_path):
    files = [tmp_path / f"r.{kind}" for kind in ("html", "md", "tex")]
    pair = plain.algorithms[:2]
    options = {"rope": 0.02, "metric": "accuracy", "algorithms": pair, **QUIET}
    bc.report(plain, files, sensitivity=True, **options)
    x = plain.differences(*pair, "accuracy")
    posterior = bc.bayesian.hierarchical_t(x, rope=0.02, engine="quadrature", seed=1)
    paragraph = posterior.sensitivity().explain()
    _, markdown, latex = (file.read_text(encoding="utf-8") for file in files)
    assert f"{pair[0]} and {pair[1]}: {paragraph}" in re.sub(r"\\([().-])", r"\1", markdown)
    assert "Of all data sets" in latex
    assert all("Sensitivity of the decision" in f.read_text(encoding="utf-8") for f in files)
