"""Reference results of aeon: a header "folds:", one row per data set, one column per resample."""

import pytest

import bayescmp as bc
from tests.readers.layouts import RUNS, long_table

N = RUNS * 3


@pytest.fixture
def files(tmp_path):
    table = long_table()
    for name, part in table.groupby("algorithm"):
        lines = ["folds:," + ",".join(map(str, range(N)))]
        lines += [f"{d}," + ",".join(map(str, u["accuracy"])) for d, u in part.groupby("dataset")]
        (tmp_path / f"{name}_TESTFOLDS.csv").write_text("\n".join(lines) + "\n")
    return [tmp_path / "knn_TESTFOLDS.csv", tmp_path / "svm_TESTFOLDS.csv"]


def test_estimators_are_named_by_their_files(files):
    how = {"iris": "random splits 0.5", "wine": "random splits 0.3"}
    scores = bc.Scores.read(files, resampling=how)
    assert scores.algorithms == ("knn", "svm")
    differences = scores.differences("knn", "svm")
    assert differences.rho.tolist() == [0.5, 0.3]
    expected = bc.Scores(long_table()).differences("knn", "svm")
    for a, b in zip(differences.x, expected.x, strict=True):
        assert a == pytest.approx(b, abs=1e-12)
    named = bc.Scores.read({"A": files[0], "B": files[1]}, resampling=how)
    assert named.algorithms == ("A", "B")


def test_sizes_are_asked_for(files):
    with pytest.raises(bc.InputError, match="random splits of each data set's own sizes"):
        bc.Scores.read(files)


def test_a_frame_does_not_name_its_estimator(files):
    import pandas as pd

    with pytest.raises(bc.InputError, match="does not name it: give the files"):
        bc.Scores.read(pd.read_csv(files[0]))
    means = pd.DataFrame({"Estimators:": ["iris"], "HC2": [0.9], "ROCKET": [0.8]})
    with pytest.raises(bc.InputError, match="one column per estimator, of means"):
        bc.Scores.read(means)
