"""Configurations: what they may name, and what is refused."""

from contextlib import suppress
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.cluster import FeatureAgglomeration
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GroupKFold, RepeatedKFold, RepeatedStratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import bayescmp as bc
from bayescmp.experiment.config import arguments_of, files_of, read_config
from tests.rows import each_row

TREE = {"class": "sklearn.tree.DecisionTreeClassifier"}
IRIS = {"loader": "load_iris"}


def built(estimator):
    return arguments_of({"estimators": {"e": estimator}, "datasets": {"d": IRIS}})["estimators"][
        "e"
    ]


def data(given, folder=None):
    config = {"estimators": {"e": TREE}, "datasets": {"d": given}}
    return arguments_of(config, folder=folder)["datasets"]["d"]


def layout(cv):
    return arguments_of({"estimators": {"e": TREE}, "datasets": {"d": IRIS}, "cv": cv})["cv"]


def test_estimators():
    svm = built({"class": "sklearn.svm.SVC", "C": 10, "kernel": "linear"})
    assert isinstance(svm, SVC)
    assert (svm.C, svm.kernel) == (10, "linear")
    steps = built({"steps": [{"class": "sklearn.preprocessing.StandardScaler"}, TREE]})
    assert isinstance(steps, Pipeline)
    assert isinstance(steps[-1], DecisionTreeClassifier)
    bag = built(
        {"class": "sklearn.ensemble.BaggingClassifier", "estimator": TREE | {"max_depth": 2}}
    )
    assert isinstance(bag, BaggingClassifier)
    assert bag.estimator.max_depth == 2


@each_row(
    ("estimator", "message"),
    [
        ({"class": "os.system"}, "of an allowed package, sklearn .*'os.system'"),
        ({"class": "__import__('os').system"}, "of an allowed package"),
        (
            {"class": "sklearn.svm.SVX"},
            r"class in sklearn.svm .* must be .*\(got 'SVX'\)\. Did you mean .*'SVC'",
        ),
        ({"class": "sklearn.svn.SVC"}, r"must have a class that is installed .*'sklearn.svn.SVC'"),
        ({"class": "sklearn.utils.Bunch"}, "must have an estimator, transformer or splitter"),
        ({"class": "sklearn.svm.SVC", "c": 1}, r"\[estimators.e\]: .*unexpected keyword .*'c'"),
        ({"steps": [TREE], "C": 1}, "must have steps as a list, without any other key"),
        ({"C": 1}, r"\[estimators.e\] must be class.*{'C': 1}"),
    ],
)
def test_estimators_that_are_refused(estimator, message):
    with pytest.raises(bc.InputError, match=message):
        built(estimator)


def test_a_name_that_an_allowed_package_has_imported_is_not_its_own():
    """sklearn.pipeline has islice and defaultdict from the standard library."""
    for path in ("sklearn.pipeline.defaultdict", "sklearn.pipeline.Bunch"):
        with pytest.raises(bc.InputError, match="must have an estimator, transformer or splitter"):
            built({"class": path})


def test_parameters_that_a_class_refuses_at_once():
    with pytest.raises(bc.InputError, match=r"\[cv\]: .*n_splits=1"):
        layout({"class": "sklearn.model_selection.KFold", "n_splits": 1})


def test_keep_predictions_is_true_or_false():
    parts = {"estimators": {"e": TREE}, "datasets": {"d": IRIS}}
    with pytest.raises(bc.InputError, match=r"keep_predictions must be true or false .got 'no'"):
        arguments_of(parts | {"keep_predictions": "no"})


def test_made_data_are_the_same_when_a_run_goes_on():
    one, two = (data({"loader": "make_moons", "noise": 0.1}) for _ in range(2))
    np.testing.assert_array_equal(one.X, two.X)
    other = data({"loader": "make_moons", "noise": 0.1, "random_state": 1})
    assert not np.array_equal(one.X, other.X)


def test_more_packages_may_be_allowed():
    config = {
        "estimators": {"e": {"class": "tests.experiment.fakes.Centroid", "pause": 1.0}},
        "datasets": {"d": IRIS},
    }
    with pytest.raises(bc.InputError, match="of an allowed package"):
        arguments_of(config)
    actual = arguments_of(config, allowed=("sklearn", "tests"))["estimators"]["e"]
    assert actual.pause == 1.0


def test_data_sets(tmp_path):
    assert data(IRIS).X.shape == (150, 4)
    made = data({"loader": "make_classification", "n_samples": 30, "random_state": 1})
    assert made.X.shape == (30, 20)
    text = "a,b,id,who,y\n" + "".join(
        f"{i},{2 * i},{i},g{i % 3},{['no', 'yes'][i % 2]}\n" for i in range(8)
    )
    (tmp_path / "mine.csv").write_text(text)
    given = {"file": "mine.csv", "target": "y", "groups": "who", "drop": "id", "positive": "no"}
    result = data(given, tmp_path)
    assert list(result.X.columns) == ["a", "b"]
    assert (result.positive, list(result.groups[:3])) == ("no", ["g0", "g1", "g2"])
    assert np.unique(result.y).tolist() == ["no", "yes"]


@each_row(
    ("given", "message"),
    [
        ({"loader": "load_irs"}, r"loader of .* must be .*Did you mean 'load_iris'"),
        ({"loader": "os.system"}, r"loader"),
        ({"loader": "load_iris", "nothing": 1}, r"\[datasets.d\]: .*unexpected keyword"),
        ({"file": "none.csv", "target": "y"}, "must name a file of data"),
        (
            {"file": "x.csv", "targt": "y"},
            r"option of .* must be .*\(got 'targt'\)\. Did you mean 'target'",
        ),
        ({"file": "x.csv", "target": "z"}, r"column of .* must be .*\(got 'z'\)"),
        ({"target": "y"}, "must be loader"),
    ],
)
def test_data_sets_that_are_refused(tmp_path, given, message):
    (tmp_path / "x.csv").write_text("a,y\n1,2\n3,4\n")
    with pytest.raises(bc.InputError, match=message):
        data(given, tmp_path)


def test_groups_are_names(tmp_path):
    """07 and 7 are two groups; whole numbers stay numbers, in the order that splitters know."""
    given = {"file": "mine.csv", "target": "y", "groups": "who"}
    for who, expected in (("07 7", ["07", "7"]), ("10 9", [10, 9])):
        rows = "".join(f"{i},{g},{i % 2}\n" for i, g in enumerate(who.split() * 6))
        (tmp_path / "mine.csv").write_text("x,who,y\n" + rows)
        assert list(data(given, tmp_path).groups[:2]) == expected


def test_layouts():
    default = layout({})
    assert isinstance(default, RepeatedStratifiedKFold)
    assert default.get_n_splits() == 100
    plain = layout({"layout": "kfold", "folds": 5, "repeats": 2})
    assert isinstance(plain, RepeatedKFold)
    assert plain.get_n_splits() == 10
    held = layout({"layout": "holdout", "folds": 12, "test_size": 0.25})
    assert held == bc.HoldoutResample(test_size=0.25, folds=12)
    groups = layout({"class": "sklearn.model_selection.GroupKFold", "n_splits": 4})
    assert isinstance(groups, GroupKFold)
    assert layout(7) == 7


@each_row(
    ("cv", "message"),
    [
        ({"layout": "holdut"}, r"layout of .* must be .*Did you mean 'holdout'"),
        ({"layout": "holdout", "repeats": 3}, r"option of .* must be"),
        ({"repeats": 0}, r"\[cv\]: "),
        ({"layout": "holdout", "test_size": "x"}, r"\[cv\]: test_size must be"),
        ("10x10", "cv must be .*got '10x10'"),
    ],
)
def test_layouts_that_are_refused(cv, message):
    with pytest.raises(bc.InputError, match=message):
        layout(cv)


@each_row(
    ("text", "message"),
    [
        ("[estimators", "must be valid TOML"),
        ("[estimators.a]\nclass = 'sklearn.svm.SVC'", r"\[datasets.NAME\] must be given"),
        ("[estimator.a]\nclass = 'x'", r"part of the configuration must be .*\(got 'estimator'\)"),
    ],
)
def test_files_that_are_refused(tmp_path, text, message):
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(bc.InputError, match=rf"configuration '.*config.toml'.*{message}"):
        read_config(path)


def test_no_file(tmp_path):
    with pytest.raises(bc.InputError, match="must be a file"):
        read_config(tmp_path / "none.toml")


CACHED = {"class": "sklearn.cluster.FeatureAgglomeration", "memory": "./mem"}


@each_row(
    "estimator",
    [
        {"class": "sklearn.ensemble.BaggingClassifier", "estimator": CACHED},
        {"steps": [{"class": "sklearn.cluster.OPTICS", "memory": "mem"}]},
    ],
)
def test_caches_are_refused(estimator):
    with pytest.raises(
        bc.InputError, match=r"memory\] must be left out.*A configuration cannot name caches"
    ):
        built(estimator)


def test_pickles_are_refused():
    text = ["x", {"y": "z.npy"}]
    with pytest.raises(bc.InputError, match=r"\[estimators.e.init\] must not name pickles"):
        built({"class": "sklearn.ensemble.GradientBoostingClassifier", "init": text})


class Planted:
    """Reading its pickle makes a file."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


AGGLOMERATION = """
[estimators.e]
class = "sklearn.cluster.FeatureAgglomeration"
memory = "./mem"
[datasets.iris]
loader = "load_iris"
"""


def test_a_planted_pickle_is_not_read(tmp_path, monkeypatch, capsys):
    """joblib unpickles what stands under the key of a call in its folder: so did a run."""
    from bayescmp.commands.cli import main

    monkeypatch.chdir(tmp_path)
    mark = tmp_path / "read"
    X, _ = load_iris(return_X_y=True)
    FeatureAgglomeration(memory="./mem").fit(X)
    kept = list((tmp_path / "mem").rglob("output.pkl"))
    for path in kept:
        joblib.dump(Planted(mark), path)
    assert kept
    with suppress(Exception):
        FeatureAgglomeration(memory="./mem").fit(X)
    assert mark.exists(), "the trap does not work"
    mark.unlink()
    (tmp_path / "study.toml").write_text(AGGLOMERATION)
    assert main(["experiment", "study.toml"]) == 2
    assert "cannot name caches" in capsys.readouterr().err
    assert not mark.exists()


def test_the_help_says_what_a_configuration_may_name(capsys):
    from bayescmp.commands.cli import main

    with pytest.raises(SystemExit):
        main(["experiment", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "nothing that could run code" in text
    assert "Caches (memory = ...) and pickles are refused" in text


def test_files_that_a_configuration_reads(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text('[datasets.a]\nfile = "a.csv"\n[datasets.b]\nloader = "load_iris"\n')
    assert files_of(path) == [path, tmp_path / "a.csv"]
    path.write_text("datasets = 3")
    assert files_of(path) == [path]
    with pytest.raises(bc.InputError, match="must be a file"):
        files_of(tmp_path / "none.toml")
