"""However the same scores are handed in, the verdict is the same."""

import itertools
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescmp as bc
from tests.rows import each_row
from tests.scores.readers.layouts import LAYOUTS, long_table

RUNS, FOLDS, ROPE = 2, 3, 0.02
KEYS = ["dataset", "algorithm", "repeat", "fold"]
DECLARED = {"resampling": f"{RUNS}x{FOLDS}-fold"}
NAMED = {"metric": "accuracy"}


@st.composite
def tables(draw):
    """Accuracies of knn and svm in ten-thousandths, on two data sets, in any order of rows."""
    count = 2 * 2 * RUNS * FOLDS
    cells = draw(st.lists(st.integers(1, 9999), min_size=count, max_size=count))
    places = itertools.product(
        ("iris", "wine"), ("knn", "svm"), range(1, RUNS + 1), range(1, FOLDS + 1)
    )
    rows = [(*p, c / 10_000) for p, c in zip(places, cells, strict=True)]
    return pd.DataFrame(rows, columns=[*KEYS, "accuracy"])


def _verdicts(scores, independent=False):
    """Both data sets' probabilities; SciPy is the judge of the long table elsewhere."""
    d = scores.differences("knn", "svm", scores.sole_metric)
    rho = 0.0 if independent else 1 / FOLDS
    assert d.rho == pytest.approx([rho] * d.q, abs=1e-15)
    verdicts = {}
    for name in d.datasets:
        row = bc.Differences(d.row(name).x, rho=1 / FOLDS, resolution=1e-4)
        v = bc.bayesian.correlated_t(row, rope=ROPE).verdict()
        verdicts |= {
            (name, "left"): v.p_left,
            (name, "rope"): v.p_rope,
            (name, "right"): v.p_right,
        }
    return verdicts


def _of(expected, dataset):
    return pytest.approx([expected[dataset, r] for r in ("left", "rope", "right")], abs=1e-12)


def _wide(t, columns):
    rows = [k for k in KEYS if k not in columns]
    return t.pivot(index=rows, columns=columns, values="accuracy")


def _search(t):
    """What a search of scikit-learn holds in ``cv_results_``, of one data set."""
    results = {"params": [{"model": "knn"}, {"model": "svm"}]}
    for i, (_, split) in enumerate(t.groupby(["repeat", "fold"])):
        by = split.set_index("algorithm")["accuracy"]
        results[f"split{i}_test_accuracy"] = np.array([by["knn"], by["svm"]])
    return results


HANDED_IN = {
    "long": lambda t: bc.Scores(t),
    "any order": lambda t: bc.Scores(t.sample(frac=1, random_state=1)),
    "levels of the index": lambda t: bc.Scores(t.set_index(KEYS)),
    "one level of the index": lambda t: bc.Scores(t.set_index("algorithm")),
    "wide": lambda t: bc.Scores(_wide(t, ["algorithm"]), **NAMED),
    "wide, labels in columns": lambda t: bc.Scores(_wide(t, ["algorithm"]).reset_index(), **NAMED),
    "wide, rows are folds": lambda t: bc.Scores(
        _wide(t, ["algorithm"]).droplevel(["repeat", "fold"]), **NAMED, **DECLARED
    ),
    "levels of the columns": lambda t: bc.Scores(_wide(t, ["algorithm", "fold"]), **NAMED),
    "all but data sets in columns": lambda t: bc.Scores(_wide(t, KEYS[1:]), **NAMED),
    "a column a fold": lambda t: bc.Scores(_wide(t, ["fold"]), **NAMED),
    "a column a data set": lambda t: bc.Scores(_wide(t, ["dataset"]), **NAMED),
    "its own frame": lambda t: bc.Scores(bc.Scores(t).frame),
    "error in its place": lambda t: bc.Scores(t.assign(error=1 - t["accuracy"])[[*KEYS, "error"]]),
    "negated error": lambda t: bc.Scores(
        t.assign(neg_error=t["accuracy"] - 1)[[*KEYS, "neg_error"]]
    ),
}


@given(table=tables())
@settings(max_examples=8)
def test_tables(table):
    expected = _verdicts(bc.Scores(table))
    for name, read in HANDED_IN.items():
        assert _verdicts(read(table)) == pytest.approx(expected, abs=1e-12), name


@pytest.mark.slow
@given(table=tables())
@settings(max_examples=8)
def test_layouts_of_every_reader(table):
    expected = _verdicts(bc.Scores(table))
    for name, (layout, options, independent) in LAYOUTS.items():
        actual = _verdicts(bc.Scores.read(layout(table), **options), independent)
        assert actual == pytest.approx(expected, abs=1e-12), name


def _skore(t):
    """A column an estimator's split, a row a metric: of one data set."""
    cells = t.sort_values(["algorithm", "repeat", "fold"])
    number = ((cells["repeat"] - 1) * FOLDS + cells["fold"] - 1).astype(str)
    names = cells["algorithm"] + "_split_" + number
    return pd.DataFrame([cells["accuracy"].to_numpy()], index=["accuracy"], columns=list(names))


def _aeon(t, folder):
    """A file an algorithm, a row a data set, a column a resample."""
    paths = {}
    for name, own in t.groupby("algorithm"):
        number = (own["repeat"] - 1) * FOLDS + own["fold"] - 1
        wide = own.assign(number=number).pivot(
            index="dataset", columns="number", values="accuracy"
        )
        paths[name] = Path(folder) / f"{name}_TESTFOLDS.csv"
        wide.rename_axis("folds:").to_csv(paths[name])
    return paths


@given(table=tables())
@settings(max_examples=4)
def test_one_data_set_or_one_algorithm_a_table(table):
    expected = _verdicts(bc.Scores(table))
    with tempfile.TemporaryDirectory() as folder:
        scores = bc.Scores.read(_aeon(table, folder), resampling=1 / FOLDS)
        assert _verdicts(scores) == pytest.approx(expected, abs=1e-12)
    for name, own in table.groupby("dataset"):
        scores = bc.Scores.read(_skore(own), dataset=name, **DECLARED)
        assert scores.recognised == "a comparison of skore"
        verdicts = _verdicts(scores)
        assert verdicts == pytest.approx({k: expected[k] for k in verdicts}, abs=1e-12)


@given(table=tables())
@settings(max_examples=8)
def test_what_scikit_learn_returns(table):
    expected = _verdicts(bc.Scores(table))
    for name, own in table.groupby("dataset"):
        search = bc.Scores.read(_search(own), **DECLARED)
        assert search.algorithms == ("model=knn", "model=svm")
        first, second = search.algorithms
        x = search.differences(first, second, search.sole_metric)
        row = bc.Differences(x.x, rho=1 / FOLDS, resolution=1e-4)
        v = bc.bayesian.correlated_t(row, rope=ROPE).verdict()
        assert [v.p_left, v.p_rope, v.p_right] == _of(expected, name)
    arrays = {
        d: {a: u["accuracy"].to_numpy() for a, u in own.groupby("algorithm")}
        for d, own in table.groupby("dataset")
    }
    pairs = {(d, a): {"test_accuracy": x} for d, row in arrays.items() for a, x in row.items()}
    for actual in (
        bc.Scores.from_cv_results(pairs, **DECLARED),
        bc.Scores.read(arrays, **NAMED, **DECLARED),
    ):
        assert _verdicts(actual) == pytest.approx(expected, abs=1e-12)
    one = arrays["iris"]
    d = bc.Differences.from_arrays(one["knn"], one["svm"], runs=RUNS)
    row = bc.Differences(d.x, rho=d.rho, resolution=1e-4)
    v = bc.bayesian.correlated_t(row, rope=ROPE).verdict()
    assert [v.p_left, v.p_rope, v.p_right] == _of(expected, "iris")


#: Names that pandas would take for numbers, two of which it would take for the same one.
NUMBERS = {"iris": "1.10", "wine": "1.1", "knn": "07", "svm": "7"}


@each_row("name", sorted(set(LAYOUTS) - {"cross_validate", "cross_val_score"}))
def test_names_in_files_of_every_reader_are_as_they_are_written(name, tmp_path):
    layout, options, _ = LAYOUTS[name]
    path, text = tmp_path / "scores.csv", layout(long_table()).to_csv(index=False)
    for word, number in NUMBERS.items():
        text = text.replace(word, number)
    path.write_text(text)
    scores = bc.Scores.read(path, **options)
    assert sorted(scores.datasets) == ["1.1", "1.10"]
    assert sorted(a.partition("(")[0] for a in scores.algorithms) == ["07", "7"]
    expected = bc.Scores(long_table()).differences("knn", "svm").row("iris").x[0]
    first, second = sorted(scores.algorithms)
    actual = scores.differences(first, second, scores.sole_metric).row("1.10").x[0]
    assert sorted(actual) == pytest.approx(sorted(expected), abs=1e-12)


@each_row(
    ("name", "column"), [("mlr3", "learner_id"), ("moabb", "subject"), ("sktime", "model_id")]
)
def test_an_empty_cell_of_a_reader_is_no_name(name, column):
    layout, options, _ = LAYOUTS[name]
    table = layout(long_table()).reset_index(drop=True).astype({column: object})
    table.loc[1, column] = None
    with pytest.raises(
        bc.InputError, match=f"column {column!r} must have a name in every row .*row 1"
    ):
        bc.Scores.read(table, **options)
