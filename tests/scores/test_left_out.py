"""What a comparison was made without."""

from bayescmp.scores.pairing import LeftOut


def test_of_one_data_set():
    whole = LeftOut(("wine",), {"iris": 2, "digits": 1})
    assert whole.folds == 3
    assert whole.on("iris") == LeftOut((), {"iris": 2})
    assert whole.on("glass") is None
    assert not LeftOut()
    assert str(LeftOut()) == "left out, without a score of both: nothing"


def test_joined_over_tables_of_the_same_folds():
    """A fold that is missing at each of two thresholds is one fold."""
    parts = [LeftOut(("wine",), {"iris": 2}, 3), None, LeftOut(("wine",), {"iris": 1, "glass": 4})]
    result = LeftOut.joined(parts)
    assert (result.datasets, dict(result.by_dataset)) == (("wine",), {"iris": 2, "glass": 4})
    assert str(result) == (
        "left out, without a score of all 3 algorithms: 1 data set ('wine') and 6 folds"
    )
