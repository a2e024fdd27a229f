"""The formats of tables of items, and the choice between them."""

from __future__ import annotations

import pytest

import bayescmp as bc
from bayescmp.readers.items import read_items
from tests.items.tables import TWO


@pytest.mark.parametrize("suffix", ["csv", "parquet", "csv.gz"])
def test_tables_in_files(tmp_path, suffix):
    path = tmp_path / f"items.{suffix}"
    TWO.to_parquet(path) if suffix == "parquet" else TWO.to_csv(path, index=False)
    items = bc.Items.read(path)
    assert items.pair("a", "b").x.tolist() == bc.Items(TWO).pair("a", "b").x.tolist()
    assert items.recognised == ""


def test_files_that_belong_together(tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in ("a", "b")]
    for path, (_, part) in zip(paths, TWO.groupby("model"), strict=True):
        part.to_csv(path, index=False)
    assert bc.Items.read(paths).models == ("a", "b")
    with pytest.raises(bc.InputError, match="one model only"):
        bc.compare(bc.Items.read(paths[:1]), rope=0.1)


def test_options_of_the_table_are_passed_on():
    table = TWO.rename(columns={"item": "number", "score": "loss"})
    items = bc.Items.read(table, columns={"item": "number"}, metric="loss")
    assert items.direction.lower


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nothing.csv", "does not exist"),
        ("nothing.jsonl", "does not exist"),
        (7, "items are int, which no reader knows"),
        ([], "items are list, which no reader knows"),
        (None, "items are NoneType"),
    ],
)
def test_what_is_no_table_is_refused(source, message):
    with pytest.raises(bc.InputError, match=message):
        bc.Items.read(source)


def test_a_folder_without_samples_is_refused(tmp_path):
    with pytest.raises(bc.InputError, match="holds no items that a reader knows"):
        bc.Items.read(tmp_path)


def test_formats_by_name():
    assert read_items(TWO, "table")[0].frame is TWO
    with pytest.raises(bc.InputError, match="unknown format 'lm_eval'"):
        bc.Items.read(TWO, "lm_eval")
    with pytest.raises(bc.InputError, match="not in the format 'lm-eval'"):
        bc.Items.read(TWO, "lm-eval")


def test_an_unreadable_file_is_named(tmp_path):
    path = tmp_path / "empty.csv"
    path.write_text("")
    with pytest.raises(bc.InputError, match=r"empty\.csv.*is empty"):
        bc.Items.read(path)
    path.write_text("model,score\na,1\n")
    with pytest.raises(bc.InputError, match=r"empty\.csv.*no column for the item"):
        bc.Items.read(path)
