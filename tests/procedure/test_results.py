"""What a procedure's result answers: places by name, text, JSON."""

from __future__ import annotations

import json

import pytest

from bayescmp.errors import InputError
from bayescmp.procedure import procedure
from tests.procedure.cases import declared, many


@pytest.fixture(scope="module")
def result():
    frame, _ = many(q=3, L=3, n=10, p=1, spread=2.0)
    return procedure(declared(frame), metrics="m0")


def test_the_tests_of_a_data_set_are_found_by_its_name(result):
    table = result.posthoc("d1")
    here = result.pairwise[result.pairwise["dataset"] == "d1"]
    assert table.adjusted == pytest.approx(here["adjusted"].to_numpy())
    assert table.names == result.algorithms
    assert table.measured == "m0 ↑"
    assert table.resampling == result.resampling == "rho 0.1: 10 folds"


def test_names_that_are_not_there(result):
    with pytest.raises(InputError, match="did you mean 'd1'"):
        result.posthoc("D1")
    with pytest.raises(InputError, match="dataset is missing: there are several"):
        result.posthoc()
    with pytest.raises(InputError, match="threshold"):
        result.posthoc("d1", threshold=0.3)


def test_text_holds_every_data_set_and_algorithm(result):
    text = str(result)
    for name in (*result.datasets, *result.ranking.index):
        assert name in text
    assert "A1" in result._repr_html_()


def test_json_has_the_numbers_of_the_frames(result):
    read = json.loads(json.dumps(result.to_dict()))
    assert [row["pvalue"] for row in read["omnibus"]] == pytest.approx(
        result.omnibus["pvalue"].tolist()
    )
    assert len(read["pairwise"]) == len(result.pairwise) == 9
    assert read["datasets"] == ["d0", "d1", "d2"]
