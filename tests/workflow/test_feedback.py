"""Thumbs in every encoding of the field, once each, whichever comes first: the thumb or its item."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from annotate.domain.feedback import Feedback
from annotate.store import Store
from annotate.traffic.feedback_rows import NoFeedback, read_feedback
from proxy.errors import InputError
from support.migrations import rows
from support.store import NOW, Assay, traffic_row

DOWN = [
    *(
        -1,
        "-1",
        0,
        "0",
        False,
        "false",
        "False",
        -1.0,
        "down",
        "thumbs_down",
        "Thumbs Down",
        "thumbs-down",
        ":thumbsdown:",
    ),
    *(
        "no",
        "negative",
        "👎",
        "👎🏽",
        ":-1:",
        "bad",
        "not helpful",
        "1/5",
        "2 of 5",
        "3/10",
        "★☆☆☆☆",
        "2 out of 5 stars",
    ),
]
UP = [
    *(1, "1", "+1", True, "true", "TRUE", 1.0, "up", "thumbs_up", "thumbs up", "yes", "positive", "👍", "👍🏿", ":+1:"),
    *("Helpful", "4/5", "5 of 5", "8/10", "★★★★☆", "5/5 stars"),
]


def read(**row: object) -> Feedback:
    (feedback,) = read_feedback({"item_id": "a", **row}, {})
    assert isinstance(feedback, Feedback)
    return feedback


@pytest.mark.parametrize(("values", "sign"), [(DOWN, -1), (UP, 1)], ids=["down", "up"])
def test_every_encoding_of_a_thumb_has_its_sign(values: list[object], sign: int) -> None:
    """-1/1, 0/1, truth values, words and marks; the raw value is kept beside the sign, and 0 is never taken for no vote."""
    given = [read(value=value) for value in values]

    assert [(thumb.value, thumb.sign) for thumb in given] == [(str(value), sign) for value in values]


@pytest.mark.parametrize("value", [None, "", "None", "no vote", float("nan"), "neutral"], ids=repr)
def test_no_vote_with_words_is_a_comment_and_without_it_nothing(value: object) -> None:
    """What a user wrote is kept without a sign; an absent vote is no thumb down, and no fault of the row."""
    assert read(value=value, comment="too long").sign == 0
    assert read(value=value, correction="In March.").sign == 0
    assert read_feedback({"item_id": "a", "value": value}, {}) == (NoFeedback.NO_VOTE,)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"value": "maybe"}, "expected a thumb"),
        ({"value": 250}, "expected a thumb"),
        ({"value": "7/5"}, "expected a thumb"),
        ({"value": float("inf")}, "expected a thumb"),
        ({"value": [1]}, "expected a thumb"),
        ({}, "no value"),
        ({"item_id": None, "value": 1}, "no item_id"),
    ],
    ids=repr,
)
def test_an_odd_value_is_refused_not_guessed(row: Mapping[str, object], reason: str) -> None:
    """What is no vote on any scale is quarantined with the reason."""
    with pytest.raises(InputError, match=reason):
        read_feedback({"item_id": "a", **row}, {})


# By hand: the worst and best mark of each scale, and the middle fifth is neither.
SCALES = {
    "thumbs from 0": ([0, 1], {"0": -1, "1": 1}),
    "thumbs from -1": ([-1, 0, 1], {"-1": -1, "0": 0, "1": 1}),
    "shares": ([0.0, 0.5, 0.9], {"0.0": -1, "0.5": 0, "0.9": 1}),
    "stars from 1": ([1, 2, 3, 4, 5], {"1": -1, "2": -1, "3": 0, "4": 1, "5": 1}),
    "stars from 0": ([0, 1, 2, 3, 4], {"0": -1, "1": -1, "2": 0, "3": 1, "4": 1}),
    "six marks": ([0, 1, 2, 3, 4, 5], {"0": -1, "1": -1, "2": 0, "3": 0, "4": 1, "5": 1}),
    "out of ten": ([1, 4, 5, 6, 7, 10], {"1": -1, "4": -1, "5": 0, "6": 0, "7": 1, "10": 1}),
    "per cent": ([10, 50, 95], {"10": -1, "50": 0, "95": 1}),
}


@pytest.mark.parametrize("turned", [False, True], ids=["in order", "turned round"])
@pytest.mark.parametrize("kind", SCALES)
def test_a_number_is_read_on_the_scale_of_its_source(kind: str, turned: bool, tmp_path: Path) -> None:
    """1 is up among thumbs and down among stars, whichever of them came first, one file each; another source is not touched."""
    values, signs = SCALES[kind]
    path = tmp_path / "assay.db"
    with closing(Store(path)) as store, store.atomic():
        store.traffic.feedback.keep([Feedback(item_id="other", value="1", sign=1, source="thumbs")], now=NOW)
        for number, value in enumerate(reversed(values) if turned else values):
            store.traffic.feedback.keep([read(item_id=str(number), value=value, source="app")], now=NOW)

    assert dict(rows(path, "SELECT value, sign FROM feedback WHERE source = 'app'")) == signs
    assert rows(path, "SELECT sign FROM feedback WHERE source = 'thumbs'") == [(1,)]


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
    imported = assay.json("feedback", assay.write("t.csv", "item_id,value\na,-1\nb,odd\nc,1\n"), status=4)

    assert (imported["new"], imported["quarantined"]) == (2, 1)
    (row,) = assay.quarantine()
    assert (row["stage"], row["line"]) == ("feedback", 3)
    assert "'odd'" in row["reason"]


@pytest.mark.parametrize("is_first", [True, False], ids=["thumb first", "spans first"])
def test_feedback_on_a_span_goes_to_the_answer_of_its_trace(assay: Assay, is_first: bool) -> None:
    """A tool that annotates a span names no trace; sent again it is no second thumb."""
    attributes = {"openinference.span.kind": "CHAIN", "input.value": "Q?", "output.value": "A."}
    root = {"context": {"trace_id": "a" * 32, "span_id": "b" * 16}, "parent_id": None, "attributes": attributes}
    spans = assay.write("spans.jsonl", [root])
    thumb = {"span_id": "b" * 16, "name": "user feedback", "annotator_kind": "HUMAN", "result": {"score": 0}}
    thumbs = assay.write("thumbs.jsonl", [thumb])
    for command in [("feedback", thumbs), ("ingest", spans)] if is_first else [("ingest", spans), ("feedback", thumbs)]:
        assay(*command)

    again = assay.json("feedback", thumbs)

    assert (again["new"], again["thumbs_down"], again["unmatched"]) == (0, 1, 0)
