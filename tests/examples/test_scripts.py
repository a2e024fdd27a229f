"""The scripts in examples/: their tables are those that are committed, their data and pictures."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from tests.rows import each_row

# The example table: its rows come out again, its columns agree, the folds are paired.


EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPT = EXAMPLES / "make_scores.py"
TABLE = EXAMPLES / "data" / "scores.csv"
README = EXAMPLES / "data" / "README.md"

METRICS = ["accuracy", "auc", "f1", "precision", "recall"]
COUNTS = ["tp", "fn", "fp", "tn"]
COLUMNS = ["dataset", "algorithm", "repeat", "fold", *METRICS, *COUNTS]
HALF_DIGIT = 0.5e-6 + 1e-12  # floats are written with six decimals

# Rows and positives of every task. iris, wine, cancer: the class distributions in scikit-learn's
# descriptions of the data. digits: counted with awk in digits.csv.gz, last column the digit.
# diabetes: `zcat diabetes_target.csv.gz | awk '$1 > 140.5'` (221), `$1 > 211.5` (111);
# sex: `zcat diabetes_data_raw.csv.gz | awk '$2 == 2'` (207).
SIZES = {
    "iris": (100, 50),
    "iris_sepal": (100, 50),
    "wine": (178, 71),
    "wine_basic": (178, 71),
    "cancer": (569, 212),
    "cancer_mean": (569, 212),
    "cancer_error": (569, 212),
    "diabetes": (442, 221),
    "diabetes_high": (442, 111),
    "diabetes_sex": (442, 207),
    "digits_3_8": (357, 174),
    "digits_4_9": (361, 180),
    "digits_odd": (599, 301),
    "digits_high": (599, 309),
}


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_scores", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_scores"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    return pd.read_csv(TABLE)


@pytest.fixture(params=[2, pytest.param(10, marks=pytest.mark.calibration)])
def runs(request, script, monkeypatch) -> int:
    """So many runs of cross-validation only, which take their seeds from their number."""
    monkeypatch.setattr(script, "REPEATS", request.param)
    return request.param


def rows_again(
    script: ModuleType, out: Path, task: str, algorithm: str, runs: int
) -> tuple[list[bytes], list[bytes]]:
    """Lines made now, and those of the table."""
    script.main(["--tasks", task, "--algorithms", algorithm, "--out", str(out)])
    header, *lines = TABLE.read_bytes().splitlines(keepends=True)
    starts = tuple(f"{task},{algorithm},{run},".encode() for run in range(1, runs + 1))
    expected = [line for line in lines if line.startswith(starts)]
    return out.read_bytes().splitlines(keepends=True), [header, *expected]


# The same with scikit-learn 1.3.2 and 1.9.1.
@pytest.mark.parametrize(
    ("task", "algorithm"),
    [("iris", "knn"), ("wine_basic", "nb"), ("diabetes_high", "tree"), ("cancer_mean", "lda")],
)
def test_rows_come_out_again(script, tmp_path, task, algorithm, runs):
    made, expected = rows_again(script, tmp_path / "part.csv", task, algorithm, runs)
    assert made == expected
    assert len(made) == 1 + 10 * runs


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["gbm", "forest", "logistic", "svm"])
def test_rows_come_out_again_with_the_recorded_version(script, tmp_path, algorithm, runs):
    """Of algorithms whose numbers may differ a little between versions of scikit-learn."""
    import sklearn

    recorded = re.search(r"scikit-learn (\d+\.\d+\.\d+)", README.read_text(encoding="utf-8"))
    assert recorded is not None
    made, expected = rows_again(script, tmp_path / "part.csv", "iris", algorithm, runs)
    if sklearn.__version__ == recorded[1]:
        assert made == expected
        return
    # Another version may predict another class for a few cases: the data's README counts them.
    assert len(made) == len(expected)
    assert np.mean([a == b for a, b in zip(made, expected, strict=True)]) >= 0.8


@pytest.mark.slow
def test_jobs_and_order_of_names_change_nothing(script, tmp_path, monkeypatch):
    """Two fresh processes, names in another order and doubled: the same bytes."""
    monkeypatch.setattr(script, "REPEATS", 1)
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    script.main(["--tasks", "iris", "wine", "--algorithms", "knn", "tree", "--out", str(one)])
    one_run = "import make_scores; make_scores.REPEATS = 1; make_scores.main()"
    command = [sys.executable, "-c", one_run, "--jobs", "2", "--out", str(two)]
    names = ["--tasks", "wine", "iris", "iris", "--algorithms", "tree", "knn"]
    subprocess.run([*command, *names], check=True, capture_output=True, timeout=300, cwd=EXAMPLES)
    assert one.read_bytes().count(b"\n") == 41
    assert one.read_bytes() == two.read_bytes()


def test_format():
    content = TABLE.read_bytes()
    assert len(content) < 1_000_000
    assert b"\r" not in content
    decimals = [len(v.partition(b".")[2]) for v in content.replace(b"\n", b",").split(b",")]
    assert max(decimals) == 6


def test_complete_and_unique(script, scores):
    assert list(scores.columns) == COLUMNS
    assert not scores.isna().any().any()
    assert list(script.TASKS) == list(SIZES)
    keys = scores[["dataset", "algorithm", "repeat", "fold"]]
    expected = pd.MultiIndex.from_product(
        [SIZES, script.ALGORITHMS, range(1, 11), range(1, 11)], names=keys.columns
    )
    assert pd.MultiIndex.from_frame(keys).equals(expected)


@each_row("task", SIZES)
def test_every_row_is_tested_once_a_run(scores, task):
    """Counts of the ten folds of a run sum to the data set's class distribution."""
    n, positives = SIZES[task]
    part = scores[scores["dataset"] == task].groupby(["algorithm", "repeat"])[COUNTS].sum()
    assert (part.sum(axis=1) == n).all()
    assert (part["tp"] + part["fn"] == positives).all()


def test_scores_follow_from_counts(scores):
    """Every row, by the definitions of Fawcett 2006, section 2: F1 as a harmonic mean."""
    tp, fn, fp, tn = (scores[c] for c in COUNTS)
    recall = tp / (tp + fn)
    precision = (tp / (tp + fp)).fillna(0)
    f1 = (2 / (1 / precision + 1 / recall)).where(tp > 0, 0)
    expected = {
        "accuracy": 1 - (fp + fn) / (tp + fn + fp + tn),
        "f1": f1,
        "precision": precision,
        "recall": recall,
    }
    for metric, values in expected.items():
        assert (scores[metric] - values).abs().max() <= HALF_DIGIT, metric


def test_scores_agree_with_scikit_learn(scores):
    """Every 25th of the distinct rows, from labels."""
    from sklearn import metrics

    for row in scores.drop_duplicates(COUNTS)[::25].itertuples():
        counts = [row.tp, row.fn, row.fp, row.tn]
        truth, predicted = np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)
        options = {"zero_division": 0}
        assert abs(row.accuracy - metrics.accuracy_score(truth, predicted)) <= HALF_DIGIT
        assert abs(row.f1 - metrics.f1_score(truth, predicted, **options)) <= HALF_DIGIT
        precision = metrics.precision_score(truth, predicted, **options)
        assert abs(row.precision - precision) <= HALF_DIGIT
        assert abs(row.recall - metrics.recall_score(truth, predicted)) <= HALF_DIGIT


def test_auc_counts_pairs(scores):
    """AUC is a number of (positive, negative) pairs, ties counting half: Hanley & McNeil 1982."""
    pairs = (scores["tp"] + scores["fn"]) * (scores["fp"] + scores["tn"])
    halves = 2 * pairs * scores["auc"]
    assert ((halves - halves.round()).abs() <= 2 * pairs * HALF_DIGIT).all()
    assert scores["auc"].between(0, 1).all()
    # The positive class is ranked high, not low, by every algorithm on every task.
    assert (scores.groupby(["dataset", "algorithm"])["auc"].mean() > 0.5).all()


@pytest.mark.parametrize(
    ("task", "algorithm"), [("iris_sepal", "svm"), ("wine", "logistic"), ("diabetes", "nb")]
)
def test_agrees_with_cross_validate(script, scores, task, algorithm):
    """scikit-learn's own loop and scorers over the same splits give the same five scores."""
    from sklearn.model_selection import StratifiedKFold, cross_validate

    X, y = script.TASKS[task].load()
    splits = [
        split
        for repeat in (1, 2)
        for split in StratifiedKFold(
            10, shuffle=True, random_state=script.seeds(task, repeat)[0]
        ).split(X, y)
    ]
    scorers = {m: "roc_auc" if m == "auc" else m for m in METRICS}
    result = cross_validate(script.ALGORITHMS[algorithm], X, y, cv=splits, scoring=scorers)
    expected = np.column_stack([result[f"test_{m}"] for m in METRICS])
    part = scores[(scores["dataset"] == task) & (scores["algorithm"] == algorithm)]
    part = part[part["repeat"] <= 2]
    assert np.abs(part[METRICS].to_numpy() - expected).max() <= HALF_DIGIT


def test_splits_partition_the_rows_and_differ_between_runs(script):
    X, y = script.TASKS["diabetes_high"].load()
    runs = {}
    for fold in script.splits("diabetes_high", X, y):
        assert np.array_equal(np.sort(np.r_[fold.train, fold.test]), np.arange(len(y)))
        runs.setdefault(fold.repeat, []).append(fold.test)
    assert sorted(runs) == list(range(1, 11))
    for folds in runs.values():
        assert np.array_equal(np.sort(np.concatenate(folds)), np.arange(len(y)))
    assert len({tuple(folds[0]) for folds in runs.values()}) == 10


def test_seeds_are_distinct(script):
    seeds = [s for task in script.TASKS for r in range(1, 11) for s in script.seeds(task, r)]
    assert len(set(seeds)) == len(seeds) == 14 * 10 * 11


def test_tasks_hold_what_they_say(script):
    """Features are those named, and no target is among them."""
    from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine

    wine, cancer, digits = load_wine(), load_breast_cancer(), load_digits()
    body = load_diabetes(scaled=False)
    X, y = script.TASKS["wine_basic"].load()
    assert wine.feature_names[:5] == [
        "alcohol",
        "malic_acid",
        "ash",
        "alcalinity_of_ash",
        "magnesium",
    ]
    assert np.array_equal(X, wine.data[:, :5])
    assert set(wine.target_names[wine.target[y]]) == {"class_1"}
    for task, word, position in (("cancer_mean", "mean", 0), ("cancer_error", "error", -1)):
        X, y = script.TASKS[task].load()
        named = [n.split()[position] == word for n in cancer.feature_names]
        assert np.array_equal(X, cancer.data[:, named])
        assert set(cancer.target_names[cancer.target[y].astype(int)]) == {"malignant"}
    X, y = script.TASKS["diabetes_sex"].load()
    others = [name != "sex" for name in body.feature_names]
    assert np.array_equal(X, body.data[:, others])
    assert np.array_equal(y, body.data[:, body.feature_names.index("sex")] == 2)
    for task, positive in (("digits_high", {5, 6, 7, 8, 9}), ("digits_odd", {1, 3, 5, 7, 9})):
        X, y = script.TASKS[task].load()
        assert np.array_equal(X, digits.data[::3])
        assert np.array_equal(y, [digit in positive for digit in digits.target[::3]])
    for task, negative, positive in (("digits_3_8", 3, 8), ("digits_4_9", 4, 9)):
        X, y = script.TASKS[task].load()
        rows = np.isin(digits.target, [negative, positive])
        assert np.array_equal(X, digits.data[rows])
        assert np.array_equal(y, digits.target[rows] == positive)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tasks", "iris"], "a part of the table needs --out"),
        (["--algorithms", "knn"], "a part of the table needs --out"),
        (["--tasks", "irs", "--out", "x.csv"], "invalid choice: 'irs'"),
        (["--algorithms", "xgb", "--out", "x.csv"], "invalid choice: 'xgb'"),
        (["--out", "no/such/folder/x.csv"], "there is no folder"),
        (["--jobs", "0", "--out", "x.csv"], "0 is no number of processes"),
    ],
)
def test_bad_arguments(script, capsys, arguments, message):
    with pytest.raises(SystemExit) as stop:
        script.main(arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_bayescmp_reads_it(scores):
    read = bc.Scores.read(TABLE)
    assert read.datasets == tuple(SIZES)
    assert read.metrics == tuple(COLUMNS[4:])
    differences = read.differences("knn", "gbm", metric="accuracy")
    assert differences.rho == pytest.approx(0.1)
    assert np.shape(differences.x) == (14, 100)
    wide = scores.pivot_table("accuracy", "dataset", "algorithm", sort=False)
    expected = (wide["gbm"] - wide["knn"]).to_numpy()
    assert np.mean(differences.x, axis=1) == pytest.approx(expected, abs=1e-9)


def test_readme_names_every_task_and_algorithm(script):
    text = README.read_text(encoding="utf-8")
    missing = [name for name in (*script.TASKS, *script.ALGORITHMS) if f"`{name}`" not in text]
    assert missing == []


# examples/permutation_power.py: its data, its table, its picture.


POWER = EXAMPLES / "data" / "permutation_power.csv"


@pytest.fixture(scope="module")
def power_script():
    spec = importlib.util.spec_from_file_location(
        "permutation_power", EXAMPLES / "permutation_power.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_data_of_section_4(power_script):
    """Means (1, 0) and (-1, 0), unit variances, the correlation asked for within a class."""
    X = np.concatenate([power_script.two_classes(0.6, seed)[0] for seed in range(200)])
    y = np.concatenate([power_script.two_classes(0.6, seed)[1] for seed in range(200)])
    for label in (1, -1):
        rows = X[y == label]
        assert len(rows) == 20_000
        np.testing.assert_allclose(rows.mean(axis=0), [label, 0], atol=0.03)
        np.testing.assert_allclose(np.cov(rows.T), [[1, 0.6], [0.6, 1]], atol=0.04)


def test_a_small_part_is_made(power_script, capsys):
    table = power_script.power([0.0], 3, 1, None, ["naive Bayes"])
    committed = pd.read_csv(POWER)
    assert list(table.columns) == list(committed.columns)
    same = committed[(committed["rho"] == 0) & (committed["classifier"] == "naive Bayes")]
    np.testing.assert_allclose(table["error"], same["error"], atol=0.011)
    assert "naive Bayes" in capsys.readouterr().out


def test_picture_of_the_committed_table(power_script, tmp_path):
    power_script.main(["--read-only", "--plot", str(tmp_path / "figure3.png")])
    assert (tmp_path / "figure3.png").read_bytes().startswith(b"\x89PNG")
