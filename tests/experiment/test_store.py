"""Checkpoints: killed at any moment, two writers, a full disk, another experiment."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from threadpoolctl import threadpool_info

import bayescmp as bc
from bayescmp.experiment import run_experiment
from bayescmp.experiment.data import Fold
from bayescmp.experiment.scoring import as_scoring
from bayescmp.experiment.store import (
    LONGEST,
    Checkpoint,
    CheckpointError,
    FoldJob,
    FoldOutcome,
    abbreviate_value,
    run_fold,
    tell_differences,
)
from tests.experiment.fakes import Centroid, FailsOn, numbered
from tests.rows import each_row

X, Y = numbered(30)
FOLD = Fold(1, 1, np.arange(10, 30), np.arange(10), 3)


def job(estimator, keep=False, threads=1):
    return FoldJob(estimator, as_scoring(["accuracy", "tp"], True), 1, keep, threads)


def test_fits_on_training_rows_and_scores_on_test_rows():
    result = run_fold(job(Centroid()), X, Y, FOLD)
    model = Centroid(random_state=3).fit(X[10:], Y[10:])
    assert result.values["accuracy"] == model.score(X[:10], Y[:10])
    assert result.failure == ""
    assert result.responses == {}
    assert result.fit_time > 0
    assert result.score_time > 0


def test_responses_are_kept_on_demand():
    actual = run_fold(job(Centroid(), keep=True), X, Y, FOLD).responses
    assert actual["item"].tolist() == list(range(10))
    assert np.array_equal(actual["truth"], Y[:10])
    assert np.mean(actual["truth"] == actual["predicted"]) > 0.5
    assert "value" not in actual  # it ranks nothing


class Bad(ClassifierMixin, BaseEstimator):
    def __init__(self, in_fit=True):
        self.in_fit = in_fit

    def fit(self, X, y):
        if self.in_fit:
            raise ValueError("long " * 500)
        return self

    def predict(self, X):
        raise MemoryError


@each_row("in_fit", [True, False])
def test_an_error_is_recorded_in_one_short_line(in_fit):
    result = run_fold(job(Bad(in_fit)), X, Y, FOLD)
    assert np.isnan([*result.values.values()]).all()
    assert list(result.values) == ["accuracy", "tp"]
    assert len(result.failure) <= LONGEST
    assert result.failure.startswith("ValueError: long long" if in_fit else "MemoryError")
    assert np.isnan(result.fit_time) == in_fit
    assert np.isnan(result.score_time)


class CountsThreads(Centroid):
    seen: dict

    def fit(self, X, y):
        CountsThreads.seen = {i["num_threads"] for i in threadpool_info()}
        return super().fit(X, y)


def test_threads_of_a_fit():
    before = [i["num_threads"] for i in threadpool_info()]
    run_fold(job(CountsThreads()), X, Y, FOLD)
    assert CountsThreads.seen == {1}
    assert [i["num_threads"] for i in threadpool_info()] == before
    run_fold(job(CountsThreads(), threads=None), X, Y, FOLD)
    assert CountsThreads.seen == set(before)


def test_an_interrupt_is_no_failure():
    class Interrupted(Centroid):
        def fit(self, X, y):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_fold(job(Interrupted()), X, Y, FOLD)


def test_equal_descriptions_do_not_differ():
    assert tell_differences({"seed": 1, "folds": {"d": 3}}, {"seed": 1, "folds": {"d": 3}}) == []


def test_each_kind_of_difference_is_told():
    there = {"seed": 1, "estimators": {"svm": {"C": 1.0}, "nb": {}}, "scoring": {"a": "auc"}}
    here = {"seed": 2, "estimators": {"svm": {"C": 3.0}}, "scoring": {"a": "f1", "b": "tpr"}}
    assert tell_differences(there, here) == [
        "seed is 1 there, 2 here",
        "estimators: 'nb' there only",
        "estimators: 'svm' has C 1.0 there, 3.0 here",
        "scoring: 'b' here only",
        "scoring: 'a' is auc there, f1 here",
    ]


def test_folds_follow_from_the_rest():
    there, here = {"seed": 1, "folds": {"d": 3}}, {"seed": 2, "folds": {"d": 4}}
    assert tell_differences(there, here) == ["seed is 1 there, 2 here"]
    assert tell_differences(there | {"seed": 2}, here) == ["folds: 'd' is 3 there, 4 here"]


def test_more_than_six_are_counted():
    there, here = dict.fromkeys("abcdefgh", 0), dict.fromkeys("abcdefgh", 1)
    assert tell_differences(there, here)[5:] == ["f is 0 there, 1 here", "and 2 more"]


def test_long_values_are_cut():
    assert abbreviate_value(None) == "none"
    assert abbreviate_value("x" * 60) == "x" * 60
    assert abbreviate_value("x" * 61) == "x" * 57 + "..."


ROOT = Path(__file__).parents[2]
forks = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="needs fork"
)


def run(path=None, diary=None, pause=0.0, **options):
    models = {"a": Centroid(diary=diary, pause=pause), "b": Centroid(diary=diary, pause=pause)}
    options = {"cv": 10, "seed": 4, "keep_predictions": True} | options
    return run_experiment(
        models, {"d": numbered(), "e": numbered(seed=1)}, checkpoint=path, **options
    )


@pytest.fixture(scope="module")
def finished_once(tmp_path_factory):
    path = tmp_path_factory.mktemp("finished") / "run"
    run(path)
    return path


@pytest.fixture
def finished(finished_once, tmp_path):
    """The checkpoint of a run that is done, to be damaged."""
    return Path(shutil.copy(finished_once, tmp_path / "run.db"))


def without_times(scores):
    return scores.frame.drop(columns=["fit_time", "score_time"])


def rows_in(path):
    """Finished folds, counted by SQLite itself; 0 before the table is there."""
    if not Path(path).exists():
        return 0
    # Not read-only: what a kill has left half-written is rolled back by whoever looks first.
    with closing(sqlite3.connect(path, timeout=60)) as database:
        tables = database.execute("SELECT name FROM sqlite_master").fetchall()
        if ("scores",) not in tables:
            return 0
        return database.execute("SELECT count(*) FROM scores").fetchone()[0]


def intact(path):
    with closing(sqlite3.connect(path)) as database:
        return database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def fits_in(diary):
    return len(diary.read_text().splitlines()) if diary.exists() else 0


def child(path, diary, pause):
    """A run in a process of its own, which ends without a word."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    run(path, str(diary), pause)


def started(*arguments):
    process = multiprocessing.get_context("fork").Process(target=child, args=arguments)
    process.start()
    return process


def wait_until(condition, process, seconds=60):
    end = time.monotonic() + seconds
    while not condition() and process.is_alive() and time.monotonic() < end:
        time.sleep(0.002)


@pytest.mark.slow
@forks
def test_killed_at_any_moment_and_resumed(tmp_path):
    """SIGKILL, again and again: no fold is lost, and none that was kept is run again."""
    path, diary = tmp_path / "run.parquet", tmp_path / "diary"
    rng = np.random.default_rng(0)
    kills = 0
    for wanted in (0, 1, 4, 5, 11, 17, 25, 33):
        before = rows_in(path)
        process = started(path, diary, 0.002)
        wait_until(lambda: rows_in(path) >= wanted, process)  # noqa: B023
        time.sleep(rng.uniform(0, 0.02))
        process.kill()
        process.join()
        kills += process.exitcode == -signal.SIGKILL
        assert rows_in(path) >= before
    assert kills >= 6
    kept, fitted = rows_in(path), fits_in(diary)
    assert 33 <= kept <= 40
    assert fitted <= kept + kills  # at each kill, one fold at most was begun and not kept
    done = run(path, str(diary), 0.002)
    assert fits_in(diary) - fitted == 40 - kept
    assert intact(path)
    expected = run()
    # The diary and the pause are parameters, but the numbers don't depend on them.
    pd.testing.assert_frame_equal(without_times(done), without_times(expected))
    pd.testing.assert_frame_equal(done.predictions, expected.predictions)
    assert [p.name for p in tmp_path.glob("run*")] == ["run.parquet"]


@pytest.mark.slow
def test_killed_with_worker_processes(tmp_path):
    """The same with two workers: only we are killed, amid their work, and they end with us."""
    path, diary = tmp_path / "run.db", tmp_path / "diary"
    code = (
        "from tests.experiment.test_store import run; "
        f"run({str(path)!r}, {str(diary)!r}, 0.05, n_jobs=2)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, start_new_session=True, stderr=subprocess.DEVNULL
    )
    end = time.monotonic() + 120
    while rows_in(path) < 6 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    workers = group_of(process.pid) - {process.pid}
    assert len(workers) >= 2
    process.kill()
    process.wait()
    end = time.monotonic() + 30
    while group_of(process.pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert group_of(process.pid) == set()
    kept, fitted = rows_in(path), fits_in(diary)
    assert 6 <= kept < 40
    done = run(path, str(diary), 0.05)
    assert fits_in(diary) - fitted == 40 - kept
    pd.testing.assert_frame_equal(without_times(done), without_times(run()))


def group_of(leader: int) -> set[int]:
    """Running processes of a group."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,pgid=,stat="], capture_output=True, text=True)
    rows = [line.split() for line in listed.stdout.splitlines()]
    return {int(pid) for pid, group, state in rows if int(group) == leader and state[0] != "Z"}


@pytest.mark.slow
@forks
def test_two_runs_on_one_checkpoint_share_the_work(tmp_path):
    path, diary = tmp_path / "run", tmp_path / "diary"
    first, second = (started(path, diary, 0.01) for _ in range(2))
    for process in (first, second):
        process.join(120)
    assert (first.exitcode, second.exitcode) == (0, 0)
    assert intact(path)
    assert rows_in(path) == 40
    assert 40 <= fits_in(diary) <= 80
    fitted = fits_in(diary)
    done = run(path, str(diary), 0.01)
    assert fits_in(diary) == fitted
    pd.testing.assert_frame_equal(without_times(done), without_times(run()))


def test_second_writer_of_a_fold_changes_nothing(tmp_path):
    path = tmp_path / "run"
    one, two = Checkpoint(path), Checkpoint(path)
    description = {"seed": 1, "scoring": {"accuracy": "accuracy"}}
    assert one.claim(description, ["accuracy"]) == two.claim(description, ["accuracy"]) == []
    key = ("d", "a", 1, 1)
    one.add(key, FoldOutcome({"accuracy": 0.5}, 1.0, 2.0), {"n_train": 9, "n_test": 1})
    two.add(key, FoldOutcome({"accuracy": 0.9}, 1.0, 2.0), {"n_train": 9, "n_test": 1})
    assert two.has(key)
    assert not two.has(("d", "a", 1, 2))
    assert one.outcomes()[key].values == two.outcomes()[key].values == {"accuracy": 0.5}
    one.close()
    two.close()


def test_every_fold_is_on_the_disk_before_the_next_begins(tmp_path):
    """Another connection, as another process would have it, sees them one by one."""
    seen = []

    class Watching(Centroid):
        def fit(self, X, y):
            seen.append(rows_in(tmp_path / "run"))
            return super().fit(X, y)

    run_experiment({"a": Watching()}, {"d": numbered()}, cv=6, checkpoint=tmp_path / "run")
    assert seen == [0, 1, 2, 3, 4, 5]


# Another experiment, another file.

SVM = {"svm": SVC(C=1.0), "nb": GaussianNB()}


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """An experiment's arguments, and its checkpoint."""
    given = {"estimators": SVM, "datasets": {"d": numbered()}, "cv": 3, "seed": 1}
    path = tmp_path_factory.mktemp("begun") / "run"
    run_experiment(**given, checkpoint=path)
    return given, path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 2}, "seed is 1 there, 2 here"),
        (
            {"estimators": {**SVM, "svm": SVC(C=3.0)}},
            "estimators: 'svm' has C 1.0 there, 3.0 here",
        ),
        (
            {"datasets": {"d": numbered(seed=9)}},
            "datasets: 'd' is 60 x 3, .* there, 60 x 3, .*here",
        ),
        ({"datasets": {"e": numbered()}}, "datasets: 'd' there only; datasets: 'e' here only"),
        ({"cv": 4}, "folds: 'd' is 3 folds, .* there, 4 folds, .* here"),
        ({"scoring": ["accuracy", "auc"]}, "scoring: 'auc' here only"),
        ({"keep_predictions": True}, "keep_predictions is False there, True here"),
    ],
)
def test_checkpoint_of_another_experiment_is_refused(begun, tmp_path, changes, message):
    given, file = begun
    path = Path(shutil.copy(file, tmp_path / "run"))
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match=f"must be of this experiment .* .*{message}"):
        run_experiment(**(given | changes), checkpoint=path)
    assert path.read_bytes() == before


def test_seed_is_taken_from_the_checkpoint(tmp_path):
    first = run_experiment(SVM, {"d": numbered()}, cv=3, checkpoint=tmp_path / "run")
    again = run_experiment(SVM, {"d": numbered()}, cv=3, checkpoint=tmp_path / "run")
    assert again.seed == first.seed
    pd.testing.assert_frame_equal(first.frame, again.frame)  # times too: nothing was run again


def test_other_files_are_left_as_they_are(tmp_path):
    content = b"PAR1" + bytes(500)
    path = tmp_path / "run.parquet"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"file is not a database. Use another file name"):
        run(path)
    assert path.read_bytes() == content


def test_a_file_that_is_refused_is_closed(tmp_path, monkeypatch):
    (tmp_path / "run").write_bytes(b"short" * 100)
    opened, connect = [], sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda *a, **k: opened.append(connect(*a, **k)) or opened[-1]
    )
    with pytest.raises(CheckpointError, match="not a database"):
        Checkpoint(tmp_path / "run")
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        opened[0].execute("SELECT 1")


def test_another_sqlite_file_is_left_as_it_is(tmp_path):
    path = tmp_path / "run.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE mine (a)")
    database.close()
    with pytest.raises(CheckpointError, match="another SQLite file, which was not changed"):
        run(path)
    with pytest.raises(
        bc.InputError, match=r"cannot be read as a table .an SQLite file: .*scores"
    ):
        bc.Scores.read(path)


@each_row(("name", "message"), [("", "a directory"), ("no/run", "no existing directory")])
def test_no_file_name(tmp_path, name, message):
    with pytest.raises(CheckpointError, match=message):
        run(tmp_path / name)


def test_a_number_is_no_file_name():
    with pytest.raises(bc.InputError, match=r"checkpoint must be a file name .got 5"):
        Checkpoint(5)


def test_begun_with_other_versions(finished):
    with sqlite3.connect(finished) as database:
        old = json.dumps({"scikit-learn": "1.0", "numpy": np.__version__})
        database.execute("UPDATE experiment SET value = ? WHERE key = 'versions'", [old])
    database.close()
    with pytest.warns(
        bc.DiagnosticWarning, match="begun with other versions .*scikit-learn' is 1.0"
    ):
        run(finished)


def test_failed_folds_count_as_done_unless_asked_for(tmp_path):
    flag = tmp_path / "mended"

    class Mendable(FailsOn):
        def fit(self, X, y):
            return (Centroid if flag.exists() else FailsOn).fit(self, X, y)

    given = {
        "estimators": {"a": Mendable(5), "b": Centroid()},
        "datasets": {"d": numbered()},
        "cv": 4,
        "seed": 1,
        "checkpoint": tmp_path / "run",
    }
    with pytest.warns(bc.DiagnosticWarning, match="1 of 8 folds failed"):
        first = run_experiment(**given)
    flag.touch()
    with pytest.warns(bc.DiagnosticWarning, match="1 of 8 folds failed"):
        again = run_experiment(**given)
    pd.testing.assert_frame_equal(first.frame, again.frame)
    mended = run_experiment(**given, retry_failed=True)
    assert len(mended.missing) == 0
    kept = first.frame["accuracy"].notna()
    pd.testing.assert_frame_equal(first.frame.drop(columns="failure")[kept], mended.frame[kept])


# A full disk.


@pytest.fixture
def small_disk(tmp_path):
    """A folder with room for 64 kB, and what bounds it while it is written to.

    It is a file system in memory; where mounting is not allowed, files may not grow beyond that.
    """
    mount, umount = shutil.which("mount"), shutil.which("umount")
    folder = tmp_path / "small"
    folder.mkdir()
    command = [mount or "", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if mount and umount and subprocess.run(command, capture_output=True).returncode == 0:
        yield folder, contextlib.nullcontext()
        subprocess.run([umount, str(folder)], check=True)
    else:
        yield folder, small_files()


@contextlib.contextmanager
def small_files():
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.slow
@pytest.mark.parametrize("mounted", [True, False])
def test_full_disk_is_told_and_nothing_is_lost(small_disk, tmp_path, mounted):
    folder, bound = small_disk
    path, bound = (folder / "run", bound) if mounted else (tmp_path / "bounded", small_files())
    with (
        bound,
        pytest.raises(
            CheckpointError, match=r"cannot be written: .*(full|I/O).*Make room and run"
        ),
    ):
        run(path, cv=15)
    kept = rows_in(path)
    assert 0 < kept < 60
    assert intact(path)
    roomy = tmp_path / "run"
    shutil.copy(path, roomy)
    done = run(roomy, cv=15)
    pd.testing.assert_frame_equal(without_times(done), without_times(run(cv=15)))


def test_full_file_is_told_and_nothing_is_lost(tmp_path, monkeypatch):
    """The same where mounting is not allowed: SQLite is told that its file may not grow."""
    opened = Checkpoint.__init__

    def limited(self, path):
        opened(self, path)
        self._database.execute("PRAGMA max_page_count = 14")

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "__init__", limited)
        with pytest.raises(
            CheckpointError, match=r"cannot be written: .*full. The folds finished"
        ):
            run(tmp_path / "run", cv=15)
    kept = rows_in(tmp_path / "run")
    assert 0 < kept < 60
    done = run(tmp_path / "run", cv=15)
    pd.testing.assert_frame_equal(without_times(done), without_times(run(cv=15)))


# Reading.


def test_scores_read_it_whatever_its_name(tmp_path):
    for name in ("run.parquet", "run.csv", "run"):
        scores = run(tmp_path / name, cv=3)
        read = bc.Scores.read(tmp_path / name)
        assert read.metrics == scores.metrics
        differences = read.differences("a", "b", "accuracy")
        assert np.array_equal(differences.matrix, scores.differences("a", "b", "accuracy").matrix)
        assert differences.rho.tolist() == [1 / 3, 1 / 3]


def test_infinite_and_missing_numbers_and_odd_names_survive(tmp_path):
    store = Checkpoint(tmp_path / "run")
    store.claim({"seed": 1}, ['a "b"', "c"])
    values = {'a "b"': np.inf, "c": np.nan}
    store.add(
        ("d", "a;--", 1, 1), FoldOutcome(values, 0.5, np.nan, "c: why"), {"fold_correlation": 0.25}
    )
    actual = store.outcomes()[("d", "a;--", 1, 1)]
    assert actual.values['a "b"'] == np.inf
    assert np.isnan(actual.values["c"])
    assert (actual.fit_time, actual.failure) == (0.5, "c: why")
    store.close()
    frame = bc.Scores.read(tmp_path / "run").frame
    assert frame["fold_correlation"].tolist() == [0.25]
    assert frame["failure"].tolist() == ["c: why"]


@pytest.mark.parametrize("text", ["{", ""])
def test_metadata_that_is_no_json(finished, text):
    with closing(sqlite3.connect(finished)) as database, database:
        database.execute("UPDATE experiment SET value = ? WHERE key = 'seed'", [text])
    for options in ({}, {"seed": None}):
        with pytest.raises(CheckpointError, match="is damaged: 'seed' of its table") as caught:
            run(finished, **options)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("blob", [b"", b"x" * 100])
def test_responses_that_cannot_be_read(finished, blob):
    """NumPy's own message recommends allow_pickle=True, which would run what was planted."""
    with closing(sqlite3.connect(finished)) as database, database:
        database.execute(
            "UPDATE responses SET arrays = ? WHERE fold = 3 AND dataset = 'd'", [blob]
        )
    with pytest.raises(
        CheckpointError, match="responses of 'a' on 'd', repeat 1, fold 3"
    ) as caught:
        run(finished)
    assert "pickle" not in str(caught.value)
