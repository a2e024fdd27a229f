"""Every way out that a message names is gone here, on the input that the message is about.

What a message writes as code is found in it and run as it stands: only "..." stands for what the
user knows, and is filled in.
"""

import re

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from tests.rows import each_row

KEYS = ["dataset", "algorithm", "fold"]


def _table(datasets=("iris", "wine"), algorithms=("knn", "svm"), folds=10, **columns):
    rng = np.random.default_rng(2)
    rows = [(d, a, f) for d in datasets for a in algorithms for f in range(folds)]
    frame = pd.DataFrame(rows, columns=KEYS)
    return frame.assign(**(columns or {"accuracy": rng.uniform(0.7, 0.9, len(frame)).round(3)}))


def _message(call, *args, **options):
    with pytest.raises(bc.InputError) as caught:
        call(*args, **options)
    return str(caught.value)


def _options(message, filled="..."):
    """The arguments that a message names, ``name=value``, as a dict of each that can be given."""
    named = re.findall(r"\b(\w+)=('[^']*'|\[[^][]*\]|\{[^{}]*\}|\d+)", message)
    return {name: eval(value.replace("...", filled)) for name, value in named}


def _code(message, pattern, **scope):
    """What a message writes as code, run."""
    return eval(re.search(pattern, message)[0], {"bc": bc, "pandas": pd, "pd": pd, **scope})


def _compared(frame, **options):
    return bc.compare(frame, "knn", "svm", rope=0.01, seed=1, **options).verdict()


# Scores that are missing, or do not pair.


HOLES = {
    "an empty cell": lambda t: t.assign(accuracy=t["accuracy"].where(t.index != 3)),
    "no row": lambda t: t.drop(index=3),
    "no rows on a data set": lambda t: t[(t["dataset"] != "iris") | (t["algorithm"] != "svm")],
}


@each_row("name", HOLES)
def test_what_both_have_is_compared(name):
    frame = HOLES[name](_table())
    message = _message(_compared, frame)
    options = _options(message)
    assert options == {"missing": "common"}
    _compared(bc.Scores(frame, **options))


@each_row("datasets", [["iris"], ["iris", "wine"]])
@each_row("missing", ["error", "common"])
def test_seeds_of_their_own_are_compared_as_such(datasets, missing):
    """missing='common' would leave nothing, and is not named; what is named compares them."""
    frame = _table(datasets, folds=5)
    frame["fold"] += 100 * (frame["algorithm"] == "svm")
    seeds = bc.Scores(frame.rename(columns={"fold": "seed"}), missing=missing)
    assert _compared(seeds).pairing == "not paired: independent runs"
    scores = bc.Scores(frame, missing=missing)
    message = _message(_compared, scores)
    assert "missing=" not in message
    call = re.search(r"compare\(\.\.\., (.*)\)", message)[1]
    options = eval(f"dict({call})")
    assert options["test"] == "two_sample_t"
    verdict = _compared(scores, **options)
    assert verdict.names == ("knn", "svm")


def test_the_same_folds_under_other_labels():
    """The other way that this message names: labels that are the same for the same folds."""
    frame = _table(["iris"])
    apart = frame.assign(fold=frame["fold"] + 100 * (frame["algorithm"] == "svm"))
    assert "Give equal labels to equal folds" in _message(_compared, apart)
    mended = apart.assign(fold=apart["fold"] % 100)
    assert _compared(mended).probabilities == _compared(frame).probabilities


def test_data_sets_of_one_algorithm_each():
    frame = _table().query("(dataset == 'iris') == (algorithm == 'knn')")
    for missing in ("error", "common"):
        message = _message(_compared, bc.Scores(frame, missing=missing))
        assert "=" not in message.partition("none in common")[2]
        assert "Complete the runs" in message
    _compared(_table())


def test_an_infinite_score():
    """Where it is asked for, missing='common' does not help as long as the cell is infinite."""
    frame = _table()
    frame.loc[3, "accuracy"] = np.inf
    message = _message(_compared, frame)
    assert "leave its cell empty and compare the folds that both" in message
    emptied = frame.replace(np.inf, np.nan)
    _compared(bc.Scores(emptied, **_options(message)))


def test_an_algorithm_without_any_score():
    frame = _table()
    frame.loc[frame["algorithm"] == "svm", "accuracy"] = np.nan
    message = _message(_compared, frame)
    assert "missing='common'" not in message
    assert "have to be completed" in message


# Tables that are read only with a word from the user.


def test_a_column_that_is_not_known_for_the_algorithms():
    frame = _table().rename(columns={"algorithm": "way"}).assign(note="a")
    message = _message(bc.Scores, frame)
    options = eval(
        re.search(r"columns=\{.*?\}", message)[0].replace("columns=", "").replace("...", "'way'")
    )
    assert bc.Scores(frame, columns=options).algorithms == ("knn", "svm")


def test_a_variant_beside_the_labels():
    frame = pd.concat([_table().assign(variant=v) for v in "ab"], ignore_index=True)
    message = _message(bc.Scores, frame)
    assert "'variant'. Make it part of a label, or keep one" in message
    bc.Scores(frame[frame["variant"] == "a"])
    joined = frame["algorithm"] + " " + frame["variant"]
    assert len(bc.Scores(frame.assign(algorithm=joined)).algorithms) == 4


def test_a_row_a_question():
    frame = pd.DataFrame(
        {
            "model": ["knn"] * 4 + ["svm"] * 4,
            "task": "gsm8k",
            "question_id": [1, 2, 3, 4] * 2,
            "correct": [1, 0, 0, 1, 1, 1, 0, 1],
        }
    )
    message = _message(bc.Scores, frame)
    assert "got questions, since each score is one answer" in message
    items = _code(message, r"bc\.Items\(frame\)", frame=frame)
    assert items.means().loc["gsm8k"].tolist() == [0.5, 0.75]


def test_means_without_names():
    frame = pd.DataFrame({"knn": [0.8, 0.7, 0.6], "svm": [0.9, 0.7, 0.7]})
    message = _message(bc.Scores, frame)
    assert _code(message, r"Scores\.from_means\(frame\)", frame=frame, Scores=bc.Scores).datasets
    bc.Scores(frame.assign(dataset=list("abc")))
    bc.Scores(frame.set_index(pd.Index(list("abc"))))
    bc.Scores(frame.assign(fold=[1, 2, 3]))


def test_metrics_for_algorithms():
    frame = _table(["iris"], folds=3).assign(f1=0.5).drop(columns="algorithm")
    message = _message(bc.Scores, frame.drop(columns="fold").assign(dataset=list("abcdef")))
    assert "'accuracy', a metric by its name" in message
    means = frame.drop(columns=["fold", "dataset"]).set_index(pd.Index(list("abcdef")))
    scores = _code(message, r"Scores\.from_means\(frame\)", frame=means, Scores=bc.Scores)
    assert scores.algorithms == ("accuracy", "f1")


def test_a_transposed_table():
    frame = pd.DataFrame({"algorithm": ["knn", "svm"], "one": [0.8, 0.9], "two": [0.7, 0.6]})
    message = _message(bc.Scores, frame)
    turned = eval(
        re.search(r"Scores\.read\(.*?\)", message)[0], {"Scores": bc.Scores, "frame": frame}
    )
    assert turned.datasets == ("one", "two")
    assert bc.Scores(frame, lower_is_better=["one", "two"]).metrics == ("one", "two")


def test_levels_without_names():
    table = _table()
    long = table.set_index(KEYS).rename_axis([None] * 3)
    wide = table.pivot(index=["dataset", "fold"], columns="algorithm", values="accuracy")
    for frame in (long, wide.rename_axis(index=[None, None], columns=None)):
        mended = _code(_message(bc.Scores, frame), r"frame\.rename_axis\(\[.*?\]\)", frame=frame)
        assert bc.Scores(mended).algorithms == ("knn", "svm")


def test_columns_of_several_levels():
    table = _table(folds=2).pivot(
        index=["dataset", "fold"], columns="algorithm", values=["accuracy"]
    )
    frame = table.rename_axis(columns=[None, None])
    mended = _code(_message(bc.Scores, frame), r"frame\.rename_axis\(.*\)", frame=frame)
    assert bc.Scores(mended).metrics == ("accuracy",)


TWO = "dataset,accuracy,accuracy,f1,f1\n,knn,svm,knn,svm\niris,.9,.92,.8,.82\nwine,.8,.85,.7,.7\n"


def test_two_rows_of_header(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(TWO)
    message = _message(bc.Scores, pd.read_csv(path))
    frame = _code(message, r"pandas\.read_csv\(path.*?algorithm'\]\)", path=path)
    assert bc.Scores(frame).metrics == ("accuracy", "f1")
    half = pd.read_csv(path, header=[0, 1], index_col=0)
    again = _code(_message(bc.Scores, half), r"frame\.rename_axis\(.*\]\)", frame=half)
    assert bc.Scores(again).differences("knn", "svm", "f1").means == pytest.approx([0.02, 0])


def test_an_index_that_contradicts_a_column():
    frame = _table().set_index(_table()["dataset"].to_numpy()[::-1]).rename_axis("dataset")
    assert "Drop one of them" in _message(bc.Scores, frame)
    bc.Scores(frame.reset_index(drop=True))
    bc.Scores(frame.drop(columns="dataset"))


def test_a_series():
    series = _table().set_index(KEYS)["accuracy"]
    frame = _code(_message(bc.Scores, series), r"series\.to_frame\('auc'\)", series=series)
    assert bc.Scores(frame).metrics == ("auc",)


def test_sparse_numbers():
    frame = _table().astype({"accuracy": "Sparse[float]"})
    mended = _code(_message(bc.Scores, frame), r"frame\.astype\(\{.*?\}\)", frame=frame)
    assert _compared(mended).probabilities == _compared(_table()).probabilities


def test_numbers_in_text():
    frame = _table().astype({"accuracy": str})
    to_number = _code(_message(bc.Scores, frame), r"pandas\.to_numeric")
    mended = frame.assign(accuracy=to_number(frame["accuracy"]))
    assert _compared(mended).probabilities == _compared(_table()).probabilities


def test_columns_that_are_no_algorithms():
    means = pd.DataFrame({"dataset": list("abc"), "knn": [0.5, 0.6, 0.8], "svm": [0.7, 0.6, 0.5]})
    for beside in ({"knn_std": 0.1}, {"knn.1": means["knn"]}, {"size": [3, 4, 5]}):
        frame = means.assign(**beside)
        message = _message(bc.Scores, frame)
        assert re.search("left out|Leave it out", message)
        assert bc.Scores(frame.drop(columns=list(beside))).algorithms == ("knn", "svm")


# Files.


def test_a_decimal_comma_or_thousands(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("dataset;knn;svm\niris;0,912;0,951\nwine;12,345;1,000\n".replace("0,9", "9,9"))
    message = _message(bc.Scores.read, path)
    options = _options(message)
    assert options == {"decimal": ","}
    assert bc.Scores.read(path, **options).means().loc["wine"].tolist() == [12.345, 1.0]
    assert "Thousands? Leave out what separates them" in message
    path.write_text(path.read_text().replace(",", ""))
    assert bc.Scores.read(path).means().loc["wine"].tolist() == [12345, 1000]


def test_a_separator_that_is_not_found(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("dataset@knn@svm\niris@0.5@0.6\nwine@0.7@0.8\n")
    assert "sep=... says by which" in _message(bc.Scores.read, path)
    options = {"sep": "@"}
    assert bc.Scores.read(path, **options).algorithms == ("knn", "svm")


@each_row(
    ("ending", "write"),
    [
        (".json", lambda t, p: t.to_json(p)),
        (".pkl", lambda t, p: t.to_pickle(p)),
        (".feather", lambda t, p: t.to_feather(p)),
    ],
)
def test_files_that_pandas_reads(ending, write, tmp_path):
    path = tmp_path / f"scores{ending}"
    write(_table(), path)
    message = _message(bc.Scores.read, path)
    frame = _code(message, r"pandas\.read_\w+\(.*?\)(?= and give the frame to Scores)", path=path)
    expected = pytest.approx(_compared(_table()).probabilities)
    assert _compared(frame).probabilities == expected
    assert "Save it as CSV" in message


# How folds were drawn.


@each_row("folds", [10, 20])
def test_arrays_of_scores(folds):
    rng = np.random.default_rng(0)
    arrays = {"knn": rng.uniform(0.5, 0.9, folds), "svm": rng.uniform(0.5, 0.9, folds)}
    message = _message(bc.Scores.read, arrays)
    assert _options(message)["resampling"] == "10-fold"
    _compared(bc.Scores.read(arrays, **_options(message)))


def _validated(n=10, **more):
    rng = np.random.default_rng(1)
    return {a: {"test_score": rng.uniform(0.7, 0.9, n), **more} for a in ("knn", "svm")}


@each_row("n", [5, 7, 10])
def test_results_of_cross_validate(n):
    """Handed to compare as they are, the message names the call that takes them."""
    results = _validated(n)
    for call in (bc.Scores.from_cv_results, _compared):
        message = _message(call, results)
        words = re.search(rf"'({n}-fold)'", message)[1]
        code = re.search(r"Scores\.read\(results, resampling=\.\.\.\)", message)[0]
        scores = eval(code.replace("...", repr(words)), {"Scores": bc.Scores, "results": results})
        _compared(scores)


def test_results_with_their_indices_need_no_more():
    """What return_indices=True gives is enough, as the message says."""
    from sklearn.model_selection import KFold

    trains, tests = zip(*KFold(5).split(np.zeros(50)), strict=True)
    results = _validated(5, indices={"train": list(trains), "test": list(tests)})
    assert "return_indices=True" in _message(_compared, _validated(5))
    verdict, posterior = _compared(results), bc.compare(results, "knn", "svm", rope=0.01)
    assert verdict.names == ("knn", "svm")
    theirs = bc.compare(bc.Scores.from_cv_results(results), "knn", "svm", rope=0.01)
    assert posterior.verdict().probabilities == theirs.verdict().probabilities
    assert len(bc.compare_all(results, rope=0.01, progress=False).frame) == 1


def test_a_mapping_that_is_no_results():
    assert "'a' must be a file of scores" in _message(_compared, {"knn": "a", "svm": "b"})


def test_two_arrays_of_scores():
    rng = np.random.default_rng(3)
    first, second = 0.8 + 0.1 * rng.uniform(size=(2, 10))
    scope = {"compare": bc.compare, "Differences": bc.Differences, "folds": 10}
    code = r"compare\(Differences.*?\)\)"
    advised = _code(_message(bc.compare, first, second), code, first=first, second=second, **scope)
    other = bc.bayesian.correlated_t(second - first, rho=0.1)
    assert advised.verdict().probabilities == other.verdict().probabilities


def test_two_results_of_cross_validate_without_names():
    one, other = _validated(10, fit_time=np.ones(10), score_time=np.ones(10)).values()
    named = _code(_message(bc.compare, one, other), r"\{.*?\}", one=one, other=other)
    scores = bc.Scores.read(named, resampling="10-fold")
    assert scores.algorithms == ("first", "second")


def test_a_loss_that_may_have_been_negated():
    """Each of the two declarations that the message names is one that is read."""
    arrays = {"knn": [-1.0, 0.5, 0.2], "svm": [-0.5, 0.4, 0.1]}
    given = {"metric": "nll", "resampling": "3-fold"}
    options = _options(_message(bc.Scores.read, arrays, **given))
    assert options == {"higher_is_better": ["nll"], "lower_is_better": ["nll"]}
    for way, names in options.items():
        scores = bc.Scores.read(arrays, **given, **{way: names})
        assert scores.lower_is_better("nll") == (way == "lower_is_better")


@each_row(
    ("columns", "filled"),
    [
        ({"n_train": np.tile(np.arange(20, 220, 20), 2), "n_test": 20}, "0.3"),
        ({"n_train": 100, "n_test": np.tile([36, 40, 33, 37, 35, 36, 30, 41, 38, 36], 2)}, "0.4"),
    ],
)
def test_folds_whose_correlation_is_not_established(columns, filled):
    frame = _table(["iris"]).assign(**columns)
    message = _message(_compared, frame)
    options = _options(message, filled)
    assert f"rho {filled}" in options["resampling"]
    _compared(bc.Scores(frame, **options))
    _compared(frame, rho=float(filled))  # "give rho"


@each_row("declared", ["3x10-fold", "random splits 0.33", "seeds", "independent"])
def test_many_folds_of_one_run(declared):
    frame = _table(["iris"], folds=30)
    message = _message(_compared, frame)
    assert declared in message
    _compared(bc.Scores(frame, resampling=declared))
    assert _options(message)["resampling"] == "3x10-fold"


# Items.


def test_items_that_one_model_lacks():
    table = pd.DataFrame(
        {
            "model": ["knn"] * 5 + ["svm"] * 5,
            "item": [*range(5)] * 2,
            "correct": [0, 1, 1, 0, 1] * 2,
        }
    )
    holes = {"no row": table.drop(index=2), "empty": table.astype({"correct": float})}
    holes["empty"].loc[2, "correct"] = np.nan
    for frame in holes.values():
        options = _options(_message(lambda f: bc.compare(bc.Items(f), rope=0.05), frame))
        assert options == {"missing": "common"}
        bc.compare(bc.Items(frame, **options), rope=0.05)
    apart = table.assign(item=range(10))
    message = _message(lambda f: bc.compare(bc.Items(f), rope=0.05), apart)
    assert "missing=" not in message


def test_attempts_at_an_item():
    table = pd.DataFrame(
        {"model": ["a"] * 4 + ["b"] * 4, "item": [1, 1, 2, 2] * 2, "nr": [1, 2] * 4, "correct": 1}
    )
    message = _message(bc.Items, table, columns={"score": "correct"})
    options = eval(re.search(r"\{'epoch': \.\.\.\}", message)[0].replace("...", "'nr'"))
    assert bc.Items(table, columns={"score": "correct", **options}).answers.epochs.max() == 2


def test_several_columns_of_scores():
    table = pd.DataFrame({"model": ["a", "b"], "item": 1, "style": [1.0, 0.0], "truth": [0, 1]})
    assert "Name one with metric=..." in _message(bc.Items, table)
    assert bc.Items(table, metric="truth").direction.metric == "truth"


@each_row("label", ["paper", "algorithm"])
def test_means_with_errors_of_one_row_each(label):
    """A table as papers print it, whose column is named for a summary."""
    frame = pd.DataFrame({label: ["ours", "theirs"], "mean": [0.81, 0.83], "se": [0.01, 0.012]})
    means = _code(_message(bc.compare, frame), r"bc\.Means\(.*\)", frame=frame)
    assert means.scores.algorithms == ("ours", "theirs")
    assert means.errors.to_numpy().ravel().tolist() == [0.01, 0.012]


def test_algorithms_may_be_named_as_metrics_of_cross_validate_are():
    results = {f"test_{name}": result for name, result in _validated(10).items()}
    message = _message(bc.compare, results)
    assert "resampling must be given" in message
    assert bc.Scores.read(results, resampling="10-fold").algorithms == ("test_knn", "test_svm")
