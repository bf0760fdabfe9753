"""Annotations of any shape to records or reasons."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from annotate.domain import labelling_task
from annotate.domain.annotation import HARMS, Annotation
from annotate.domain.passage_relevance import PassageRelevance
from proxy.records import Judgement

ANNOTATORS = {1: "ann@example.org", 2: "bob@example.org"}
VERSION = "labelling.v1.en"
RIGHT_ALONE = Annotation(
    source="label-studio:5",
    id="7",
    item_id="item-1",
    annotator="ann@example.org",
    judgement=Judgement.RIGHT,
    form_version=VERSION,
    seconds=12.5,
    at="2026-11-21T07:00:00.123Z",
)


def choice(control: str, *values: object) -> dict[str, object]:
    """A part of a result as the server holds a choice."""
    return {"from_name": control, "to_name": "answer", "type": "choices", "value": {"choices": list(values)}}


def typed(control: str, *texts: object) -> dict[str, object]:
    """A part of a result as the server holds typed text."""
    return {"from_name": control, "to_name": "answer", "type": "textarea", "value": {"text": list(texts)}}


def row(*result: object, **changes: object) -> dict[str, object]:
    """An annotation as the server holds it."""
    return {
        "id": 7,
        "completed_by": 1,
        "updated_by": 1,
        "was_cancelled": False,
        "lead_time": 12.5,
        "created_at": "2026-11-20T08:00:00.000001Z",
        "updated_at": "2026-11-21T07:00:00.123456Z",
        "result": list(result),
        **changes,
    }


def read(*rows: object) -> tuple[list[Annotation], list[str]]:
    """The records and reasons of a task with these annotations."""
    return labelling_task.annotations(
        {"id": 3, "annotations": list(rows)}, ANNOTATORS, "label-studio:5", "item-1", VERSION
    )


def test_a_right_answer() -> None:
    """One key makes a full record; what was typed before the verdict changed is left out."""
    records, reasons = read(row(choice("verdict", "right"), typed("reference", "left over"), choice("causes", "other")))

    assert (records, reasons) == ([RIGHT_ALONE], [])


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (
            (
                choice("verdict", "wrong"),
                choice("causes", "incomplete", "retrieval_missed"),
                typed("reference", "  What holds.\n"),
                typed("rationale", "Old guideline"),
            ),
            {
                "judgement": Judgement.WRONG,
                "causes": ("retrieval_missed", "incomplete"),
                "reference": "What holds.",
                "rationale": "Old guideline",
            },
        ),
        ((choice("verdict", "wrong"), typed("reference", " \n ")), {"judgement": Judgement.WRONG}),
        *(
            ((choice("verdict", "wrong"), choice("harm", harm)), {"judgement": Judgement.WRONG, "harm": harm})
            for harm in HARMS
        ),
        ((choice("verdict", "right"), choice("harm", "serious")), {}),
        ((choice("verdict", "unsure"), choice("harm", "odd")), {"judgement": Judgement.UNSURE}),
        # A lone surrogate or NUL reaches no database; direction marks that a person typed stay.
        (
            (choice("verdict", "wrong"), typed("reference", "a\ud800\0\u202bb")),
            {"judgement": Judgement.WRONG, "reference": "a?\u202bb"},
        ),
    ],
)
def test_what_was_picked_and_typed_is_kept(result: tuple[object, ...], said: dict[str, Any]) -> None:
    """Trimmed, causes in the form's order; wrong alone is enough, and harm is for wrong answers only."""
    assert read(row(*result)) == ([replace(RIGHT_ALONE, **said)], [])


@pytest.mark.parametrize(
    ("part", "kept", "reason"),
    [
        (choice("harm", "death"), {}, "annotation 7 names an unknown harm death"),
        (choice("harm", None), {}, "annotation 7 names an unknown harm None"),
        (choice("harm", "none", "serious"), {}, "annotation 7 holds several harms: none, serious"),
        (
            choice("causes", "incomplete", "bad luck"),
            {"causes": ("incomplete",)},
            "annotation 7 names an unknown cause 'bad luck'",
        ),
    ],
)
def test_an_odd_harm_or_cause_costs_no_label(part: object, kept: dict[str, Any], reason: str) -> None:
    """The verdict stays, and with it what is known; the reason says what was found."""
    expected = replace(RIGHT_ALONE, judgement=Judgement.WRONG, **kept)

    assert read(row(choice("verdict", "wrong"), part)) == ([expected], [reason])


def on_passages(*result: object, asked: int = 3) -> tuple[PassageRelevance | None, list[str]]:
    """What a right answer's annotation says about the passages that its task asks about."""
    raw = {
        "id": 3,
        "data": {"passages": [{}] * 3, "asked": [{}] * asked},
        "annotations": [row(choice("verdict", "right"), *result)],
    }
    [record], reasons = labelling_task.annotations(raw, ANNOTATORS, "label-studio:5", "item-1", VERSION)
    return record.passages, reasons


def test_answers_about_passages_are_read() -> None:
    """By rank, with None for a passage that was passed over; a skip says nothing, nor does a draw that is not asked."""
    assert on_passages(choice("relevant_2", "not_relevant"), choice("relevant_0", "relevant")) == (
        PassageRelevance(relevant=(True, None, False)),
        [],
    )
    assert on_passages(choice("sufficient", "missing")) == (
        PassageRelevance(relevant=(None,) * 3, is_sufficient=False),
        [],
    )
    assert on_passages(choice("sufficient", "sufficient"), asked=0) == (None, [])
    assert on_passages() == (None, [])
    skipped = row(choice("relevant_0", "relevant"), was_cancelled=True)
    raw = {"id": 3, "data": {"asked": [{}]}, "annotations": [skipped]}
    assert labelling_task.annotations(raw, ANNOTATORS, "s", "i", VERSION)[0][0].passages is None


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        (choice("relevant_0", "maybe"), "annotation 7 names an unknown answer about passages maybe"),
        (
            choice("relevant_1", "relevant", "not_relevant"),
            "annotation 7 says both relevant and not_relevant of passages",
        ),
        (choice("sufficient", None), "annotation 7 names an unknown answer about passages None"),
    ],
)
def test_an_odd_answer_about_passages_costs_no_label(part: object, reason: str) -> None:
    """The verdict stays and the odd answer counts as none; a passage that was not shown is passed over."""
    assert on_passages(part, choice("relevant_2", "relevant"), choice("relevant_9", "relevant")) == (
        PassageRelevance(relevant=(None, None, True)),
        [reason],
    )


@pytest.mark.parametrize(
    ("completed_by", "updated_by", "expected"),
    [
        (1, 1, None),
        (1, None, None),
        (1, {"id": 1}, None),
        ({"id": 1, "email": "ann@example.org"}, 1, None),
        ({"email": "ann@example.org"}, 1, None),
        (1, "nonsense", None),
        (1, [{"user_id": 2}], None),
        (1, True, None),
        (1, 2, "bob@example.org"),
        (1, {"id": 2, "email": "bob@new.example.org"}, "bob@new.example.org"),
        ({"id": 1, "email": "ann@example.org"}, 9, "user 9"),
    ],
)
def test_another_hand_is_named(completed_by: object, updated_by: object, expected: str | None) -> None:
    """Who wrote the revision stands beside the author where the server names another account, and only there."""
    [record], reasons = read(row(choice("verdict", "right"), completed_by=completed_by, updated_by=updated_by))

    assert (record.annotator, record.edited_by, reasons) == ("ann@example.org", expected, [])


def test_two_annotations_by_one_person_are_both_kept() -> None:
    """Which of them counts is decided later, from all of them."""
    records, reasons = read(row(choice("verdict", "right")), row(choice("verdict", "wrong"), id=8))

    assert [(record.id, record.annotator, record.judgement) for record in records] == [
        ("7", "ann@example.org", Judgement.RIGHT),
        ("8", "ann@example.org", Judgement.WRONG),
    ]
    assert reasons == []


def test_a_skip_has_no_judgement() -> None:
    """A skipped task is recorded as a skip, whatever had been picked before."""
    skipped = row(choice("verdict", "right"), was_cancelled=True)

    assert read(skipped) == ([replace(RIGHT_ALONE, judgement=None)], [])


def test_drafts_and_predictions_are_no_annotations() -> None:
    """What was not submitted, and what a model predicted, makes no record."""
    raw = {
        "annotations": [],
        "drafts": [row(choice("verdict", "right"))],
        "predictions": [row(choice("verdict", "right"))],
    }

    assert labelling_task.annotations(raw, ANNOTATORS, "s", "i", VERSION) == ([], [])


@pytest.mark.parametrize(
    ("completed_by", "expected"),
    [
        (2, "bob@example.org"),
        ({"id": 2, "email": "x@example.org"}, "x@example.org"),
        ({"id": 2}, "bob@example.org"),
        (9, "user 9"),
        ({"id": 9, "email": " "}, "user 9"),
    ],
)
def test_the_annotator_is_named_by_address_or_number(completed_by: object, expected: str) -> None:
    """A user id or a user object names the annotator; an unknown id stays recognizable."""
    [record], _ = read(row(choice("verdict", "right"), completed_by=completed_by))

    assert record.annotator == expected


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (row(choice("verdict", "maybe")), "annotation 7 holds an unknown verdict maybe"),
        (row(choice("verdict", "right", "wrong")), "annotation 7 holds several verdicts: right, wrong"),
        (
            row(choice("verdict", "right"), choice("verdict", "wrong")),
            "annotation 7 holds several verdicts: right, wrong",
        ),
        (row(choice("verdict", {"a": 1})), "annotation 7 holds an unknown verdict {'a': 1}"),
        (row(), "annotation 7 holds no verdict"),
        (row(typed("rationale", "only words")), "annotation 7 holds no verdict"),
        (row(result=None), "annotation 7 has no result"),
        (row(choice("verdict", "right"), id=None), "annotation None has no id"),
        (row(choice("verdict", "right"), completed_by=None), "annotation 7 does not say who made it"),
        ("text", "an annotation is not an object"),
    ],
)
def test_an_odd_annotation_has_a_reason(odd: object, reason: str) -> None:
    """What makes no record is named with its reason, and spares the annotations beside it."""
    records, reasons = read(odd, row(choice("verdict", "unsure"), id=8))

    assert reasons == [reason]
    assert [record.id for record in records] == ["8"]


@pytest.mark.parametrize("raw", [None, [], "x", {}, {"annotations": None}, {"annotations": {"id": 1}}])
def test_a_task_without_a_list_of_annotations(raw: object) -> None:
    """A payload that is no task is a reason."""
    assert labelling_task.annotations(raw, ANNOTATORS, "s", "i", VERSION) == (
        [],
        ["the task has no list of annotations"],
    )


@pytest.mark.parametrize("lead_time", [None, -1, float("nan"), float("inf"), 10**400, True, "12"])
def test_a_time_that_no_clock_shows_is_none(lead_time: object) -> None:
    """The time taken is optional: an odd one never costs the label."""
    [record], reasons = read(row(choice("verdict", "right"), lead_time=lead_time))

    assert (record.seconds, reasons) == (None, [])


@pytest.mark.parametrize(
    ("updated", "expected"),
    [
        ("2026-11-21T09:00:00+02:00", "2026-11-21T07:00:00.000Z"),
        ("2026-11-21T07:00:00", "2026-11-21T07:00:00.000Z"),
        ("yesterday", "2026-11-20T08:00:00.000Z"),
        (None, "2026-11-20T08:00:00.000Z"),
        ("0001-01-01T00:00:00+10:00", "2026-11-20T08:00:00.000Z"),
    ],
)
def test_the_time_is_in_utc(updated: object, expected: str) -> None:
    """The last edit counts, else the creation, in one format whose text order is time order."""
    [record], _ = read(row(choice("verdict", "right"), updated_at=updated))

    assert record.at == expected


@pytest.mark.slow
def test_any_json_is_read_without_an_error() -> None:
    """Whatever stands in the place of whatever, reading ends in records and reasons."""
    rng = random.Random(7)
    leaves: list[Any] = [None, True, 0, -1, 1e300, 10**400, "", "right", "wrong", "\ud800\0", [], {}]

    def anything(depth: int) -> Any:
        kind = rng.randrange(3) if depth else 0
        if kind == 0:
            return rng.choice(leaves)
        if kind == 1:
            return [anything(depth - 1) for _ in range(rng.randrange(3))]
        names = ("id", "from_name", "value", "choices", "text", "email")
        return {name: anything(depth - 1) for name in names if rng.random() < 0.5}

    for _ in range(3000):
        fields: Mapping[str, object] = row(choice("verdict", "wrong"), typed("reference", "x"))
        changed = {name: anything(3) if rng.random() < 0.3 else value for name, value in fields.items()}
        records, reasons = read(changed)

        assert len(records) + len(reasons) >= 1
        assert all(isinstance(reason, str) and len(reason) < 200 for reason in reasons)
