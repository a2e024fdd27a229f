"""`bayescmp check`: honest answers agree, and every altered number, name and setting is found."""

from __future__ import annotations

import copy
import json
from functools import cache

import numpy as np
import pandas as pd
import pytest

from bayescmp.commands.check import _again, _compute
from bayescmp.commands.cli import load_command, main
from bayescmp.commands.recipe import hash_answer, hash_table, list_deviations
from bayescmp.commands.shared import Arguments
from tests.reference.answers import ANSWERS, HERE, SCORES
from tests.rows import each_row

every = pytest.mark.parametrize("name", ANSWERS)


@cache
def given(name):
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


@cache
def recomputed(name):
    """The answer, computed once for all its mutants."""
    args = Arguments(parser=load_command("check")[0], engine=None, sep=None, decimal=None)
    args.table = ANSWERS[name][0]
    return _compute(_again(given(name)["recipe"], args))


def leaves(facts, path=()):
    """The places of all numbers, texts and flags."""
    parts = facts.items() if isinstance(facts, dict) else enumerate(facts)
    for key, value in parts:
        if isinstance(value, dict | list):
            yield from leaves(value, (*path, key))
        elif value is not None:
            yield (*path, key), value


def altered(answer, path, value):
    changed = copy.deepcopy(answer)
    place = changed
    for key in path[:-1]:
        place = place[key]
    if isinstance(value, bool):
        place[path[-1]] = not value
    elif isinstance(value, str):
        place[path[-1]] = f"{value}x"
    else:
        place[path[-1]] = value + 1 if isinstance(value, int) else value * 1.001 + 1e-6
    return changed


def compared(answer, other):
    parts = [{k: v for k, v in one.items() if k != "recipe"} for one in (answer, other)]
    return list_deviations(*parts)


@every
def test_an_honest_answer_agrees_on_every_python_and_numpy(name, capsys):
    """The files were written by Python 3.11, NumPy 2.4 and SciPy 1.17."""
    table = ANSWERS[name][0]
    assert main(["check", str(HERE / f"{name}.json"), *([table] if table else [])]) == 0
    assert "agrees" in capsys.readouterr().out


@each_row("name", ["pair_on_one", "questions", "gate"])
def test_every_altered_fact_is_found_by_computing_it_again(name):
    """Also if its digest was computed again."""
    answer, other = given(name), recomputed(name)
    assert compared(answer, other) == []
    count = 0
    for path, value in leaves({k: v for k, v in answer.items() if k != "recipe"}):
        if path[-1] == "seconds":
            continue
        changed = altered(answer, path, value)
        assert compared(changed, other), path
        assert str(path[-1]) in compared(changed, other)[0], path
        count += 1
    assert count > 15


def test_every_altered_fact_and_setting_changes_the_digest():
    answer = given("counts")
    assert hash_answer(answer) == answer["recipe"]["digest"]
    for path, value in leaves(answer):
        if path != ("recipe", "digest"):
            assert hash_answer(altered(answer, path, value)) != answer["recipe"]["digest"], path


@each_row(
    ("setting", "value"),
    [("threshold", 0.9), ("metric", ["auc"]), ("test", "sign"), ("dataset", "iris")],
)
def test_another_setting_gives_another_answer(setting, value, tmp_path, capsys):
    answer = copy.deepcopy(given("pair_by_draws"))
    answer["recipe"]["options"][setting] = value
    answer["recipe"]["digest"] = hash_answer(answer)
    (tmp_path / "answer.json").write_text(json.dumps(answer))
    assert main(["check", str(tmp_path / "answer.json"), SCORES]) == 1
    assert "deviation" in capsys.readouterr().out


def test_another_way_of_writing_it_is_the_same_answer(tmp_path):
    answer = given("counts")
    (tmp_path / "a.json").write_text(json.dumps(answer, sort_keys=True, separators=(",", ":")))
    assert main(["check", str(tmp_path / "a.json")]) == 0


def test_the_same_table_in_another_file_agrees_and_another_table_does_not(tmp_path, capsys):
    path = str(HERE / "pair_on_one.json")
    table = pd.read_csv(SCORES)
    table[table.columns[::-1]].sample(frac=1, random_state=1).to_parquet(tmp_path / "t.parquet")
    assert main(["check", path, str(tmp_path / "t.parquet")]) == 0
    number = table.columns.get_loc("accuracy")
    table.iloc[-1, number] += 1e-4  # of a data set that is not compared
    table.to_csv(tmp_path / "other.csv", index=False)
    assert main(["check", path, str(tmp_path / "other.csv")]) == 1
    assert "The table is another" in capsys.readouterr().out
    table[table["algorithm"] != "svm"].to_csv(tmp_path / "less.csv", index=False)
    assert main(["check", path, str(tmp_path / "less.csv"), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert not found["agrees"]
    assert "(got 'svm')" in found["deviations"][1]


def test_an_edited_number_is_named_with_what_it_is(tmp_path, capsys):
    text = (HERE / "pair_on_one.json").read_text()
    answer = json.loads(text)
    answer["verdict"]["probabilities"]["right"] = 0.96
    (tmp_path / "a.json").write_text(json.dumps(answer))
    assert main(["check", str(tmp_path / "a.json"), SCORES]) == 1
    out = capsys.readouterr().out
    assert "edited after it was written" in out
    assert "verdict.probabilities.right: 0.96, recomputed" in out


@pytest.mark.usefixtures("fake")
def test_another_engine_must_agree_within_the_stated_errors(capsys):
    path = str(HERE / "pair.json")
    assert main(["check", path, SCORES, "--engine", "quadrature"]) == 0
    assert main(["check", path, SCORES, "--engine", "fake"]) == 1
    assert "verdict.probabilities" in capsys.readouterr().out
    assert main(["check", str(HERE / "ranks.json"), SCORES, "--engine", "quadrature"]) == 2


def test_stated_errors_allow_for_four_of_them():
    one = {"p_right": 0.5, "se_right": 0.003, "exact": True}
    two = {"p_right": 0.519, "se_right": 0.004, "exact": True}
    assert list_deviations(one, two)
    two["se_right"] = one["se_right"] = 0.005
    assert not [d for d in list_deviations(one, two, loose=True) if "p_right" in d]
    assert list_deviations(one, {**two, "p_right": 0.54}, loose=True)


@each_row(
    ("change", "message"),
    [
        (lambda a: a.pop("recipe"), "must have a recipe"),
        (lambda a: a["recipe"].update(command="keep"), "whose answer can be computed"),
        (lambda a: a["recipe"]["options"].update(nope=1), "The options must be those of"),
        (lambda a: a["recipe"]["options"].update(rope=0.01), "'rope' must have a value"),
    ],
)
def test_what_cannot_be_checked_has_another_status(change, message, tmp_path, capsys):
    answer = copy.deepcopy(given("pair_on_one"))
    change(answer)
    (tmp_path / "a.json").write_text(json.dumps(answer))
    assert main(["check", str(tmp_path / "a.json"), SCORES]) == 2
    assert message in capsys.readouterr().err


def test_files_that_cannot_be_read_have_another_status(tmp_path, capsys):
    path = str(HERE / "pair_on_one.json")
    for words in ([path], [path, "none.csv"], ["none.json", SCORES], [SCORES, SCORES]):
        assert main(["check", *words]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_the_hash_is_of_the_contents():
    table = pd.DataFrame({"b": [1, 0], "a": ["x", "ü"], "c": [0.1 + 0.2, np.nan]})
    same = pd.DataFrame({"a": ["ü", "x"], "b": [False, True], "c": [None, 0.3]})
    assert hash_table(table) == hash_table(same)
    for other in (table.assign(b=[1, 2]), table.rename(columns={"a": "A"}), table[:1]):
        assert hash_table(other) != hash_table(table)
