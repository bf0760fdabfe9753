"""Thumbs in every encoding of the field, once each, whichever comes first: the thumb or its item."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from annotate.domain.feedback import Feedback, feedback_from_row
from proxy.errors import InputError
from support.store import Assay, traffic_row

DOWN = [-1, "-1", 0, "0", False, "false", "False", -1.0, "down", "thumbs_down", "Thumbs Down", "no", "negative", "👎"]
UP = [1, "1", "+1", True, "true", "TRUE", 1.0, "up", "thumbs_up", "thumbs up", "yes", "positive", "👍"]


def read(**row: object) -> Feedback:
    return feedback_from_row({"item_id": "a", **row}, {})


@pytest.mark.parametrize(("values", "sign"), [(DOWN, -1), (UP, 1)], ids=["down", "up"])
def test_every_encoding_of_a_thumb_has_its_sign(values: list[object], sign: int) -> None:
    """-1/1, 0/1, truth values and words; the raw value is kept beside the sign, and 0 is never taken for no vote."""
    found = [read(value=value) for value in values]

    assert {one.sign for one in found} == {sign}
    assert [one.value for one in found] == [str(value) for value in values]


@pytest.mark.parametrize("value", [None, ""])
def test_no_vote_with_words_is_a_comment(value: object) -> None:
    """What a user wrote is kept without a sign; an absent vote is no thumb down."""
    assert read(value=value, comment="too long").sign == 0
    assert read(value=value, correction="In March.").sign == 0


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"value": 2}, "expected a thumb"),
        ({"value": 0.5}, "expected a thumb"),
        ({"value": "maybe"}, "expected a thumb"),
        ({"value": float("nan")}, "expected a thumb"),
        ({"value": [1]}, "expected a thumb"),
        ({"value": None}, "no value"),
        ({}, "no value"),
        ({"item_id": None, "value": 1}, "no item_id"),
    ],
    ids=repr,
)
def test_an_odd_value_is_refused_not_guessed(row: Mapping[str, object], reason: str) -> None:
    """A star out of five or half a vote has no sign of its own."""
    with pytest.raises(InputError, match=reason):
        feedback_from_row({"item_id": "a", **row}, {})


def test_a_bad_time_costs_the_time_and_not_the_thumb() -> None:
    """An optional field never costs the row."""
    assert read(value=1, at="soon") == read(value=1)


def test_feedback_meets_its_item_whichever_comes_first(assay: Assay) -> None:
    """A thumb that came before the traffic counts as soon as its item is here, and puts it into its stratum."""
    file = assay.write("thumbs.csv", "item_id,value\na,-1\nb,1\nlost,-1\n")
    first = assay.json("feedback", file)
    assay("ingest", assay.write("t.jsonl", [traffic_row(name) for name in "abcdefgh"]))

    again = assay.json("feedback", file)

    assert (first["new"], first["unmatched"]) == (3, 3)
    assert (again["new"], again["unmatched"], again["thumbs_down"], again["thumbs_up"]) == (
        0,
        1,
        1,
        1,
    )  # of items that are here
    plan = assay.json("sample", "--labels", "8", "--dry-run")["strata"]
    assert [(part["stratum"], part["size"]) for part in plan] == [("thumbs_down", 1), ("unscored", 7)]


def test_the_same_thumb_twice_is_one_and_another_is_another(assay: Assay) -> None:
    """Within a file, across files, and with a comment that half a character makes unfit for UTF-8."""
    rows = [
        *({"item_id": "a", "value": -1}, {"item_id": "a", "value": -1}),
        *({"item_id": "a", "value": -1, "comment": "\ud800"}, {"item_id": "a", "value": 1}),
    ]

    assert assay.json("feedback", assay.write("one.jsonl", rows))["new"] == 3
    assert assay.json("feedback", assay.write("two.jsonl", rows))["new"] == 0


def test_odd_thumbs_are_quarantined_and_the_others_kept(assay: Assay) -> None:
    """The exit status tells that some rows were refused."""
    found = assay.json("feedback", assay.write("t.csv", "item_id,value\na,-1\nb,7\nc,1\n"), status=4)

    assert (found["new"], found["quarantined"]) == (2, 1)
    (row,) = assay.quarantine()
    assert (row["stage"], row["line"]) == ("feedback", 3)
    assert "'7'" in row["reason"]
