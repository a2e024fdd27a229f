"""`bayescmp experiment`: runs, goes on, writes, refuses."""

import json
import os
import signal
import struct
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
import bayescmp.frequentist as f
from bayescmp.commands import permute
from bayescmp.commands.cli import main
from bayescmp.errors import InputError
from tests.commands.conftest import argv, call
from tests.rows import each_row

RNG = np.random.default_rng(1)
Y = np.arange(40) % 2
SCORES = {name: Y * lead + RNG.normal(size=40) for name, lead in (("a", 0.5), ("b", 1), ("c", 1))}
TABLE = pd.DataFrame({"truth": Y, **SCORES})


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "predictions.csv"
    TABLE.to_csv(file, index=False)
    return str(file)


def test_areas_and_pairs(path, capsys):
    assert main(["predictions", path, "--json", "--adjust", "shaffer"]) == 0
    document = json.loads(capsys.readouterr().out)
    own = f.delong(Y, SCORES["c"])
    assert document["areas"][2] == pytest.approx(
        dict(
            zip(
                ("algorithm", "auc", "low", "high"),
                ("c", own.estimate, *own.confidence_interval()),
                strict=True,
            )
        )
    )
    tests = [f.delong(Y, SCORES[p], SCORES[q]) for p, q in ("ab", "ac", "bc")]
    assert [row["z"] for row in document["pairs"]] == pytest.approx([t.statistic for t in tests])
    adjusted = f.adjust([t.pvalue for t in tests], "shaffer", n_algorithms=3)
    assert [row["adjusted"] for row in document["pairs"]] == pytest.approx(adjusted)


def test_printed(path, tmp_path, capsys):
    assert main(["predictions", path]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "has the largest area under its ROC curve" in lines[0]
    assert lines[0].endswith("AUC ↑, 40 test items")
    tests = [f.delong(Y, SCORES[p], SCORES[q]) for p, q in ("ab", "ac", "bc")]
    assert min(f.adjust([t.pvalue for t in tests], "holm")) > 0.05
    assert "DeLong's test: none of 3 pairs differs at 0.05." in lines
    assert "DeLong's test of each pair, adjusted with Holm's method" in lines
    assert main(["predictions", path, "a"]) == 0
    assert "DeLong" not in capsys.readouterr().out


@each_row(
    ("options", "message"),
    [
        (["--truth", "label"], "(got 'label')"),
        (["--positive", "2"], "--positive must be one of the labels"),
        (["--adjust", "nothing"], "nothing"),
    ],
)
def test_bad_input_is_one_line(path, options, message, capsys):
    assert main(["predictions", path, *options]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert message in captured.err


def test_the_data_set_is_named_where_there_are_several(tmp_path, capsys):
    file = tmp_path / "p.csv"
    pd.concat([TABLE.assign(dataset="x"), TABLE.assign(dataset="y")]).to_csv(file, index=False)
    assert main(["predictions", str(file)]) == 2
    assert "--dataset must be given (got a table of 2" in capsys.readouterr().err
    assert main(["predictions", str(file), "--dataset", "y"]) == 0


def test_an_area_without_spread_is_noted(tmp_path, capsys):
    file = tmp_path / "p.csv"
    TABLE.assign(perfect=Y + 0.5).to_csv(file, index=False)
    assert main(["predictions", str(file)]) == 0
    assert "note: perfect has no interval" in capsys.readouterr().out


def test_a_pair_without_variance_has_no_p_value(tmp_path, capsys):
    file = tmp_path / "p.csv"
    TABLE.assign(perfect=Y + 0.5, worst=-Y).to_csv(file, index=False)
    assert main(["predictions", str(file), "--json"]) == 0
    pairs = {(p["first"], p["second"]): p for p in json.loads(capsys.readouterr().out)["pairs"]}
    without = pairs["perfect", "worst"]
    assert [without[k] for k in ("low", "high", "z", "pvalue", "adjusted")] == [None] * 5
    of_three = [p["adjusted"] for p in pairs.values() if p is not without]
    assert all(0 < p <= 1 for p in of_three)


def test_names_are_those_that_the_file_writes(tmp_path, capsys):
    file = tmp_path / "predictions.csv"
    table = pd.concat(
        [
            pd.DataFrame(
                {
                    "dataset": "07",
                    "algorithm": name,
                    "item": [f"0{i}" for i in range(40)],
                    "truth": Y,
                    "value": SCORES[key],
                }
            )
            for name, key in (("1.10", "a"), ("1.1", "b"))
        ]
    )
    table.to_csv(file, index=False)
    assert main(["predictions", str(file), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["dataset"] == "07"
    assert [row["algorithm"] for row in document["areas"]] == ["1.10", "1.1"]


@pytest.fixture
def csv(tmp_path):
    """60 cases, two features that tell the classes each, a name, gaps, and a label of text."""
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=60) + 3 * y,
            "b": rng.normal(size=60) + 3 * y,
            "colour": np.where(rng.random(60) < 0.5, "red", "blue"),
            "id": np.arange(60),
            "kind": np.where(y == 1, "yes", "no"),
        }
    )
    frame.loc[::9, "a"] = np.nan
    frame.loc[4, "colour"] = None
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    return path


def run(*words):
    return call("permute", *words)


QUICK = ("--n", 19, "--cv", 3, "--repeats", 2)


@pytest.mark.slow
def test_the_call_of_the_issue(csv, tmp_path, capsys):
    picture = tmp_path / "null.png"
    code = run(
        *argv(f"{csv} --target kind --estimator tree --test both --drop id"),
        *QUICK,
        "--plot",
        picture,
    )
    out = capsys.readouterr().out
    assert code == 0
    assert "test 1 (labels permuted)" in out
    assert "test 2 (columns permuted within classes)" in out
    assert "DecisionTreeClassifier" in out
    assert "(p = 0.05)" in out  # 1/20: no labels permuted at random did as well
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_estimators(csv, capsys):
    name = "naive-bayes"
    run(csv, "--target", "kind", "--estimator", name, "--test", "labels", *QUICK, "--json")
    (actual,) = json.loads(capsys.readouterr().out)["results"]
    assert actual["statistic"] < 0.2
    assert actual["pvalue"] == pytest.approx(1 / 20)
    assert len(actual["null"]) == 19


def test_every_named_estimator_can_be_made(csv):
    features = pd.read_csv(csv).drop(columns="kind")
    for name in permute.ESTIMATORS:
        assert hasattr(permute.make_estimator(name, features), "fit")
    numbers = features[["b", "id"]]
    assert type(permute.make_estimator("tree", numbers)).__name__ == "DecisionTreeClassifier"


def test_options_reach_the_test(csv, capsys):
    common = (csv, "--target", "kind", "--estimator", "tree", "--json", "--test", "columns")
    run(
        *common,
        "--n",
        30,
        "--cv",
        3,
        "--repeats",
        1,
        *argv("--stop besag-clifford --scoring balanced_accuracy --nominal id"),
    )
    (actual,) = json.loads(capsys.readouterr().out)["results"]
    assert actual["metric"] == "balanced_accuracy"
    assert actual["stop"] == "besag-clifford"


def test_interrupted(csv, capsys, monkeypatch):
    from bayescmp.frequentist import permuting as permutation_run

    real, calls = permutation_run.run_block, iter(range(100))

    def block(*arguments):
        if next(calls) == 5:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(permutation_run, "run_block", block)
    with pytest.warns(UserWarning, match="interrupted after 3 of 19"):
        code = run(csv, *argv("--target kind --estimator tree --n-jobs 1"), *QUICK)
    assert code == 130
    assert "3 permutations of 19, " in " ".join(capsys.readouterr().out.split())


@each_row(
    ("words", "message"),
    [
        (["--target", "kin", "--estimator", "tree"], "'kind'"),
        (
            ["--target", "kind", "--estimator", "tree", "--cv", "ten"],
            "--cv must be a number of folds, or loo .got 'ten'",
        ),
        (["--target", "a", "--estimator", "tree"], "got 53 different numbers"),
        (["--target", "kind", "--estimator", "tree", "--plot", "/no/such/x.png"], "no directory"),
        (
            ["--target", "kind", "--estimator", "tree", "--plot", "x.xyz"],
            "--plot must be a figure .*'x.xyz'",
        ),
        (
            argv("--target kind --estimator tree --drop a --drop b --drop colour --drop id"),
            "must have columns of features",
        ),
    ],
)
def test_bad_input(csv, words, message):
    with pytest.raises(InputError, match=message):
        run(csv, *words)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal")
@pytest.mark.parametrize("on_terminal", [True, False])
def test_progress_is_shown_on_a_terminal_alone(tmp_path, on_terminal):
    import fcntl
    import termios

    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(24, 2)), columns=["a", "b"]).assign(y=[0, 1] * 12)
    frame.to_csv(tmp_path / "data.csv", index=False)
    command = argv(
        f"permute {tmp_path}/data.csv --target y --estimator naive-bayes --n 9 --cv 3 "
        "--repeats 1 --test labels"
    )
    ours, theirs = os.openpty() if on_terminal else os.pipe()
    if on_terminal:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    subprocess.run(
        [sys.executable, "-m", "bayescmp.commands.cli", *command],
        stderr=theirs,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    os.write(theirs, b"end\n")
    shown = b""
    while b"end" not in shown:  # a terminal hands over a line at a time
        shown += os.read(ours, 10_000)
    os.close(theirs)
    os.close(ours)
    assert (b"permuted labels" in shown) == on_terminal


CONFIG = """
seed = 3
scoring = ["accuracy", "auc"]
cv = {folds = 3, repeats = 2}

[estimators.tree]
class = "sklearn.tree.DecisionTreeClassifier"
max_depth = 2

[estimators.nb]
class = "sklearn.naive_bayes.GaussianNB"

[datasets.cancer]
loader = "load_breast_cancer"
"""


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text(CONFIG)
    return path


def experiment_run(capsys, *words):
    code = main(["experiment", *map(str, words)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_experiment_the_call_of_the_issue(config, tmp_path, capsys):
    checkpoint, out = tmp_path / "run.parquet", tmp_path / "scores.csv"
    code, message, _ = experiment_run(capsys, config, "--checkpoint", checkpoint, "--out", out)
    assert code == 0
    assert "<Scores: 1 data set x 6 folds, 2 algorithms, 12 rows>" in message
    assert "seed: 3" in message
    assert f"written      {out}" in message
    read = bc.Scores.read(out)
    assert read.differences("tree", "nb", "auc").rho == pytest.approx(1 / 3)
    kept = bc.Scores.read(checkpoint)
    # Rows are kept in the order in which they were finished, so that sums may round differently.
    pd.testing.assert_frame_equal(kept.means("auc"), read.means("auc"), rtol=1e-14)
    # Going on: nothing is run again, so that even the times are the same.
    again = tmp_path / "again.parquet"
    assert experiment_run(capsys, config, "--checkpoint", checkpoint, "--out", again)[0] == 0
    assert pd.read_parquet(again)["fit_time"].tolist() == pytest.approx(
        pd.read_csv(out)["fit_time"].tolist()
    )


def test_other_commands_read_the_checkpoint(config, tmp_path, capsys):
    checkpoint = tmp_path / "run.parquet"
    experiment_run(capsys, config, "--checkpoint", checkpoint)
    pair = ["tree", "nb", "--metric", "auc", "--rope", "0.01"]
    assert main(["compare", str(checkpoint), *pair]) == 0
    assert "nb is practically better than tree" in capsys.readouterr().out


@pytest.mark.slow
def test_jobs_and_seed(config, tmp_path, capsys):
    tables = []
    for words in (["--seed", "3"], ["--n-jobs", "2"], ["--seed", "4"]):
        out = tmp_path / "scores.csv"
        assert experiment_run(capsys, config, "--out", out, *words)[0] == 0
        tables.append(pd.read_csv(out).drop(columns=["fit_time", "score_time"]))
    assert tables[0].equals(tables[1])
    assert not tables[0].equals(tables[2])


def test_failed_folds_are_told(config, capsys):
    text = CONFIG.replace("max_depth = 2", "max_depth = -2")
    config.write_text(text)
    code, message, err = experiment_run(capsys, config)
    assert code == 0
    assert "6 of 12 folds failed, e.g. tree on cancer, repeat 1, fold 1:" in err
    assert "missing: 6 folds" in message


@each_row(
    ("words", "message"),
    [
        (["none.toml"], "must be a file"),
        (["CONFIG", "--out", "no/such/scores.csv"], "'no/such/scores.csv': there is no dir"),
        (["CONFIG", "--checkpoint", "."], "--checkpoint must be a file"),
        (["CONFIG", "--checkpoint", "CONFIG"], "must not overwrite the input"),
        (["CONFIG", "--checkpoint", "OTHER"], "file is not a database"),
    ],
)
def test_refused(config, capsys, words, message):
    other = config.with_name("other.db")
    other.write_text("x" * 1000)
    places = {"CONFIG": str(config), "OTHER": str(other)}
    words = [places.get(w, w) for w in words]
    code, _, err = experiment_run(capsys, *words)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_packages_have_to_be_allowed(config, capsys):
    config.write_text(
        CONFIG.replace("sklearn.naive_bayes.GaussianNB", "tests.experiment.fakes.Centroid")
    )
    code, _, err = experiment_run(capsys, config)
    assert code == 2
    assert "of an allowed package, sklearn" in err
    assert experiment_run(capsys, config, "--allow", "tests")[0] == 0


@pytest.fixture
def heeded():
    """A shell that runs tests in the background has them ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded")
def test_interrupted_run_ends_with_130(config, tmp_path, capsys):
    config.write_text(
        CONFIG.replace(
            'class = "sklearn.naive_bayes.GaussianNB"',
            f'class = "tests.experiment.fakes.InterruptsOn"\nrow = -1\npid = {os.getpid()}',
        )
    )
    checkpoint = tmp_path / "run"
    code, message, err = experiment_run(
        capsys, config, *argv("--allow tests --n-jobs 1 --checkpoint"), checkpoint
    )
    assert code == 130
    assert "interrupted: 6 of 12 folds are done" in err
    assert "missing: 6 folds" in message
    assert len(bc.Scores.read(checkpoint).frame) == 6


def test_two_models_by_a_metric_of_the_whole(tmp_path, capsys):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 240)
    labels = [(y + rng.normal(0, s, 240) > 0.5).astype(int) for s in (1.2, 0.7)]
    table = pd.DataFrame({"truth": y, "small": labels[0], "large": labels[1]})
    table.to_csv(path := tmp_path / "predictions.csv", index=False)
    args = ["predictions", str(path), "--metric", "f1", "--rope", "0.02", "--seed", "1"]
    assert main([*args, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    own = bc.bayesian.metric_by_weights(
        y, labels, "f1", rope=0.02, seed=1, names=("small", "large")
    )
    assert printed["verdict"]["decision"] == own.verdict().decision == "second"
    assert printed["verdict"]["probabilities"] == own.verdict().probabilities
    assert (
        main([*args, "--plot", str(tmp_path / "f1.svg"), "--save", str(tmp_path / "f1.npz")]) == 0
    )
    assert "large is practically better than small" in capsys.readouterr().out
    assert bc.load(tmp_path / "f1.npz").verdict() == own.verdict()
    assert main([*args[:4], "--seed", "1"]) == 0  # no ROPE is needed
    assert "large is better than small" in capsys.readouterr().out
    assert main([*args[:3], "f7", *args[4:]]) == 2
    assert "(got 'f7'). Did you mean 'f1'" in capsys.readouterr().err
