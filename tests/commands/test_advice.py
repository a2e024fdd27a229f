"""Messages on the command line name options, which are typed here as they stand."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest

import bayescmp as bc
from bayescmp.commands.cli import main
from tests.commands.conftest import argv
from tests.rows import each_row


def _run(capsys, *words):
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def _advised(message, **filled):
    """The options in a message, as a shell reads them; "..." is what the user knows."""
    for placeholder, value in filled.items():
        message = message.replace(f"{placeholder}=...", f"{placeholder}={value}")
    pattern = r"--[a-z][a-z-]* (?!must )(?:'[^']*'(?:=\S+)?|[^\s;)]*[^\s;).,:]|,)"
    return [word for option in re.findall(pattern, message) for word in shlex.split(option)]


def _scores(folds=10, datasets=("iris", "wine")):
    rng = np.random.default_rng(2)
    rows = [(d, a, f) for d in datasets for a in ("knn", "svm") for f in range(folds)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold"])
    return frame.assign(accuracy=rng.uniform(0.7, 0.9, len(frame)).round(3))


def _apart(frame):
    return frame.assign(fold=frame["fold"] + 100 * (frame["algorithm"] == "svm"))


#: A permutation test of few permutations.
CASES_OF = argv("--target label --estimator naive-bayes --test labels --n 19 --repeats 1 --cv 3")

#: The table, what is written, what the message advises.
CASES = {
    "no row": (lambda: _scores().drop(index=3), ["--missing", "common"], {}),
    "an empty cell": (
        lambda: _scores().assign(accuracy=lambda t: t["accuracy"].where(t.index != 3)),
        ["--missing", "common"],
        {},
    ),
    "seeds of their own": (
        lambda: _apart(_scores(datasets=["iris"])),
        ["--test", "two_sample_t"],
        {},
    ),
    "seeds of their own on several data sets": (
        lambda: _apart(_scores(datasets=["a b", "wine"])),
        ["--dataset", "a b", "--test", "two_sample_t"],
        {},
    ),
    "an unknown column of algorithms": (
        lambda: _scores().rename(columns={"algorithm": "way"}).assign(note="a"),
        ["--column", "algorithm=way"],
        {"algorithm": "way"},
    ),
    "thirty folds": (
        lambda: _scores(folds=30, datasets=["iris"]),
        ["--resampling", "3x10-fold"],
        {},
    ),
}


@each_row("name", CASES)
def test_options_that_a_message_names_are_typed_as_they_stand(name, tmp_path, capsys):
    make, expected, filled = CASES[name]
    path = tmp_path / "scores.csv"
    make().to_csv(path, index=False)
    given = ["compare", path, "knn", "svm", "--rope", "0.01"]
    code, _, err = _run(capsys, *given)
    assert code == 2
    assert "Scores(" not in err
    assert "compare(" not in err
    options = _advised(err, **filled)
    assert options == expected
    code, out, err = _run(capsys, *given, *options)
    assert code == 0, err
    assert "svm" in out


def test_a_decimal_comma_or_thousands(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text("dataset;knn;svm\na;9,912;9,951\nb;1,345;1,500\nc;1,000;1,200\n")
    given = ["compare", path, "--metric", "zeta", "--higher-is-better", "zeta", "--rope", "0.01"]
    code, _, err = _run(capsys, *given)
    assert (code, "decimal=" in err) == (2, False)
    assert "--decimal ,. Thousands?" in err
    assert _run(capsys, *given, "--decimal", ",")[0] == 0


def test_a_separator_that_is_not_found(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text("dataset@knn@svm\na@0.5@0.6\nb@0.7@0.8\nc@0.7@0.9\n")
    given = ["compare", path, "--metric", "accuracy", "--rope", "0.01"]
    code, _, err = _run(capsys, *given)
    assert (code, "--sep ... says by which" in err) == (2, True)
    assert _run(capsys, *given, "--sep", "@")[0] == 0


@pytest.mark.usefixtures("without_pictures")
@each_row("command", ["compare", "rank", "report"])
def test_files_of_an_office_are_read_by_every_command(command, tmp_path, capsys):
    path, frame = tmp_path / "scores.csv", _scores()
    third = frame[frame["algorithm"] == "svm"].assign(algorithm="gbm")
    table = pd.concat([frame, third.assign(accuracy=third["accuracy"].round(2))])
    table.to_csv(path, sep=";", decimal=",", index=False)
    more = ["--out", tmp_path / "report.html"] if command == "report" else []
    more += [] if command == "rank" else ["--rope", "0.01"]
    for dialect in ([], ["--sep", ";", "--decimal", ","]):
        code, _, err = _run(capsys, command, path, *more, *dialect)
        assert code == 0, err
        assert "bayescmp: note: fields separated by semicolons, decimal commas\n" in err


def test_a_tab_as_it_is_typed(tmp_path, capsys):
    tab = "tab"
    path, table = tmp_path / "scores.txt", _scores()
    table.to_csv(path, sep="\t", index=False)
    given = ["knn", "svm", "--rope", "0.01"]
    given_tab = _run(capsys, "compare", path, *given, "--sep", tab)
    assert given_tab == _run(capsys, "compare", path, *given)
    assert given_tab[0] == 0


def test_tables_of_predictions_and_of_cases(tmp_path, capsys):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    table = pd.DataFrame({"label": y, "knn": y + rng.normal(0, 1.0, 60), "svm": rng.random(60)})
    table.round(3).to_csv(tmp_path / "dot.csv", index=False)
    table.round(3).to_csv(tmp_path / "comma.csv", index=False, sep=";", decimal=",")
    for words in (["predictions", "--truth", "label"], ["permute", *CASES_OF]):
        answers = [
            _run(capsys, words[0], tmp_path / f, *words[1:]) for f in ("dot.csv", "comma.csv")
        ]
        assert answers[0][:2] == answers[1][:2]
        assert (answers[0][0], answers[0][2]) == (0, "")
        assert "note: fields separated by semicolons, decimal commas" in answers[1][2]


def test_a_search_keeps_its_best(tmp_path, capsys):
    results = {"params": [{"C": i} for i in range(4)]}
    rng = np.random.default_rng(0)
    splits = {f"split{i}_test_score": rng.uniform(0.5, 0.9, 4) for i in range(10)}
    path = tmp_path / "search.csv"
    pd.DataFrame({**results, **splits}).to_csv(path, index=False)
    given = ["compare", path, "--rope", "0.01", "--read-option", "best=2"]
    code, _, err = _run(capsys, *given)
    assert code == 2
    options = _advised(err)
    assert options == ["--resampling", "10-fold"]
    code, out, err = _run(capsys, *given, *options)
    assert code == 0, err
    best = bc.Scores.read(path, resampling="10-fold", best=2).algorithms
    assert all(name in out for name in best)


def test_a_row_a_question(tmp_path, capsys):
    path = tmp_path / "items.csv"
    pd.DataFrame(
        {
            "model": ["knn"] * 6 + ["svm"] * 6,
            "question_id": [*range(6)] * 2,
            "correct": [1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1],
        }
    ).to_csv(path, index=False, sep=";")
    code, out, err = _run(capsys, "compare", path, "--rope", "0.05")
    assert code == 0, err
    assert "on new questions" in " ".join(out.split())
    assert _run(capsys, "compare", path, "--rope", "0.05", "--sep", ";")[1] == out
    code, _, err = _run(capsys, "rank", path)
    assert code == 2
    code, again, err = _run(capsys, *shlex.split(re.search(r"`bayescmp (compare .*)`", err)[1]))
    assert code == 0, err
    assert "on new questions" in " ".join(again.split())


def test_a_note_names_an_option_that_can_be_given(tmp_path, capsys):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((5, 3)).round(3), columns=["knn", "svm", "gbm"])
    table.to_csv(path := tmp_path / "wide.csv", index_label="dataset")
    given = ["rank", path, "--higher-is-better", "score"]
    assert "only: --method exact gives the exact one" in " ".join(_run(capsys, *given)[1].split())
    code, exact, _ = _run(capsys, *given, "--method", "exact")
    assert (code, "exact permutation p-value" in exact) == (0, True)


# Tables that each command refuses, and the option, or the other command, that its message names.


def _four(datasets="uvwxyz", **columns):
    """Scores of four algorithms on several data sets."""
    rng = np.random.default_rng(1)
    rows = [(d, a, f) for d in datasets for a in ("knn", "svm", "rf", "nb") for f in range(10)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold"])
    return frame.assign(accuracy=rng.normal(0.8, 0.03, len(frame)).round(3), **columns)


def _hole():
    """One algorithm has no scores on one data set."""
    return _four().query("dataset != 'z' or algorithm != 'nb'")


def _separate_seeds():
    """No two algorithms have a run in common."""
    frame = _four()
    codes = frame["algorithm"].map({"knn": 0, "svm": 1, "rf": 2, "nb": 3})
    return frame.assign(fold=frame["fold"] + 100 * codes).rename(columns={"fold": "seed"})


def _many():
    """Nine algorithms, whose rankings are too many to enumerate."""
    rng = np.random.default_rng(1)
    rows = [(d, a, 0) for d in range(5) for a in "abcdefghi"]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold"])
    return frame.assign(accuracy=rng.uniform(0.7, 0.9, len(frame)))


#: The table, the command, what its message names, and the command that follows the advice.
FOLLOWED = {
    "ranks with a hole": (
        _hole,
        "rank TABLE --diagram FILE",
        ["--missing common"],
        "rank TABLE --diagram FILE --missing common",
    ),
    "ranks of all scores": (
        _hole,
        "rank TABLE",
        ["--missing common --test skillings-mack"],
        "rank TABLE --missing common --test skillings-mack",
    ),
    "a test without pairs has no diagram": (
        _hole,
        "rank TABLE --missing common --test skillings-mack --diagram FILE",
        ["Leave out --test", "--missing common"],
        "rank TABLE --missing common --diagram FILE",
    ),
    "a pair with a hole": (
        _hole,
        "compare TABLE knn nb --rope 0.01",
        ["--missing common"],
        "compare TABLE knn nb --rope 0.01 --missing common",
    ),
    "the best of separate seeds": (
        _separate_seeds,
        "rank TABLE --rope 0.01",
        ["`bayescmp compare` --dataset u --test two_sample_t"],
        "compare TABLE --dataset u --test two_sample_t knn nb --rope 0.01",
    ),
    "the best of separate seeds that have nothing in common": (
        _separate_seeds,
        "rank TABLE --rope 0.01 --missing common",
        ["`bayescmp rank`"],
        "rank TABLE",
    ),
    "folds are not questions": (
        _four,
        "compare TABLE --column model=algorithm --rope 0.01",
        ["`bayescmp compare`"],
        "compare TABLE knn nb --rope 0.01",
    ),
    "questions whose column has another name": (
        _four,
        "compare TABLE knn svm --rope 0.01 --pass-hat 2",
        ["--column item=..."],
        "compare TABLE knn svm --rope 0.01 --column item=fold",
    ),
    "a test that ranks": (
        _four,
        "compare TABLE --rope 0.01 --test bootstrap",
        ["Use `bayescmp rank"],
        "rank TABLE --test bootstrap --rope 0.01",
    ),
    "several metrics without a test set": (
        lambda: _four(auc=0.8).assign(auc=lambda t: t["accuracy"] + t.index % 7 / 50),
        "compare TABLE --metric accuracy --metric auc --rope 0.01",
        ["--dataset must be given", "scores.csv --metric accuracy --metric auc --rope 0.01`"],
        "crosscheck TABLE --metric accuracy --metric auc --rope 0.01",
    ),
    "a margin of half of the range": (
        _four,
        "gate TABLE --baseline knn --candidate svm --margin 0.5 --undecided pass",
        ["--margin must be", "0.005 or 0.5%", "50%"],
        "gate TABLE --baseline knn --candidate svm --margin 50%",
    ),
    "runs that do not pair have no rho": (
        lambda: _separate_seeds().query("dataset == 'u'"),
        "crosscheck TABLE --unpaired --rho 0.1 --rope 0.01",
        ["--unpaired must be without --rho and --scale, which apply to differences"],
        "crosscheck TABLE --unpaired --rope 0.01",
    ),
    "a test of one data set": (
        _four,
        "compare TABLE knn nb --rope 0.01 --test correlated_t",
        ["--dataset ..."],
        "compare TABLE knn nb --rope 0.01 --test correlated_t --dataset u",
    ),
    "too many data sets for an exact p-value": (
        _many,
        "rank TABLE --method exact",
        ["--method permutation"],
        "rank TABLE --method permutation",
    ),
}

#: What only Python has: arguments with values, calls, methods.
PYTHON = re.compile(r"\b[a-z_]+=['\[{(\dTF]|\b\w+\(\.\.\.|\.\w+\(|\bbc\.")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("without_pictures")
@pytest.mark.parametrize("name", FOLLOWED)
def test_the_advice_of_a_command_works_when_typed(name, tmp_path, capsys):
    make, refused, named, followed = FOLLOWED[name]
    make().to_csv(tmp_path / "scores.csv", index=False)

    def run(line):
        words = line.replace("TABLE", "scores.csv").replace("FILE", "figure.png").split()
        there = ("scores.csv", "figure.png")
        return _run(capsys, *(tmp_path / word if word in there else word for word in words))

    code, _, err = run(refused)
    assert code == 2
    assert [words for words in named if words not in err] == []
    assert PYTHON.findall(err) == []
    code, out, err = run(followed)
    assert (code in (0, 1, 3), "error" in err) == (True, False), err
    assert PYTHON.findall(out + err) == []


def test_ranks_tell_which_data_sets_were_left_out(tmp_path, capsys):
    _hole().to_csv(path := tmp_path / "scores.csv", index=False)
    code, out, err = _run(capsys, "rank", path, "--missing", "common")
    assert code == 0
    assert "n = 5" in out
    assert "left out 1 data set without a score of every algorithm: z" in err


def test_all_pairs_with_a_hole_keep_those_that_can_be_compared(tmp_path, capsys):
    """The mean of nb over five data sets is marked; its pairs say what to type."""
    table = _hole()
    table.to_csv(path := tmp_path / "scores.csv", index=False)
    code, out, _ = _run(capsys, "compare", path, "--rope", "0.01", "--n-jobs", "2")
    assert code == 0
    assert "3 of 6 pairs could not be compared" in out
    mean = table.query("algorithm == 'nb'")["accuracy"].mean()  # as many folds on each data set
    assert f"{mean:.3f}*" in out
    assert "*: mean over fewer data sets (nb 5)" in out
    assert " ".join(out.split()).count("what one of them lacks: --missing common") == 3
    assert PYTHON.findall(out) == []


def test_errors_in_python_carry_the_argument_and_name_no_options():
    for call, argument in [
        (lambda t: bc.gate(t, "knn", "svm", margin=0.5), "margin"),
        (lambda t: bc.crosscheck(t, rope=0.01, threshold=3), "threshold"),
        (lambda t: bc.compare_all(t, rope=0.01, n_jobs=0), "n_jobs"),
    ]:
        with pytest.raises(bc.InputError) as caught:
            call(bc.Scores(_four()))
        assert caught.value.argument == argument
        assert "--" not in str(caught.value)
