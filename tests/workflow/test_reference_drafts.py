"""Drafts of references: kept by question and annotator, never written over unseen, gone with the reference, the item or the person."""

from __future__ import annotations

import random
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from annotate.analysis.gold.proposals import proposals
from annotate.domain.feedback import Feedback
from annotate.domain.gold import GoldSource
from annotate.domain.gold.answers import UncorrectedAnswer
from annotate.domain.gold.drafts import COMPARED, ProposalOrigin, ReferenceDraft, edit_distance
from annotate.store import Store
from annotate.workflow.gold import drafts
from annotate.workflow.gold.review import Actor
from proxy.errors import UsageError
from proxy.records import Item, Judgement, Turn
from support.gold import label
from support.store import NOW

ANN, BOB = Actor("ann", NOW), Actor("bob", NOW)


def texts(store: Store, row: int) -> list[tuple[str, str]]:
    """Whose drafts there are and what they say, by text."""
    return sorted((kept.annotator, kept.draft.text) for kept in store.gold.drafts.of_question(row))


@pytest.fixture
def row(store: Store) -> int:
    """A wrong answer with a correction and a reference of the traffic, beside answers to the same question and to others."""
    before = (Turn(role="user", text="Hello."),)
    items = [
        Item(id="a", question="How many?", answer="Six.", system="new", reference=" Three. "),
        Item(id="old", question="how  many?", answer="Three a day.", system="old"),
        Item(id="same", question="How many?", answer="six.", system="old"),
        Item(id="wrong", question="How many?", answer="Nine.", system="old"),
        Item(id="other", question="How many?", answer="Four.", history=before),
    ]
    with store.atomic(durable=True):
        store.traffic.items.add(items, now=NOW)
        store.traffic.feedback.keep(
            [Feedback(item_id="a", value="-1", sign=-1, correction=text) for text in ("Three!", "Two.")], now=NOW
        )
    for name in ("old", "same", "other"):
        label(store, name, Judgement.RIGHT)
    for name in ("a", "wrong"):
        label(store, name, Judgement.WRONG)
    return store.traffic.items.key("a")


def test_a_draft_is_written_over_by_who_has_seen_it_alone(store: Store, row: int) -> None:
    """Another window of the same person, and another person, get a draft of their own; nothing is there twice."""
    first = drafts.keep(store, row, ReferenceDraft(text="One."), ANN, None)
    second = drafts.keep(store, row, ReferenceDraft(text="Two."), ANN, None)
    assert drafts.keep(store, row, ReferenceDraft(text="One."), ANN, None) == first, "the same text is the same draft"
    later = drafts.keep(store, row, ReferenceDraft(text="One more."), ANN, first)
    assert drafts.keep(store, row, ReferenceDraft(text="One less."), ANN, first) not in (first, later)
    drafts.keep(store, row, ReferenceDraft(text="Mine."), BOB, second)
    assert texts(store, row) == [("ann", "One less."), ("ann", "One more."), ("ann", "Two."), ("bob", "Mine.")]

    drafts.keep(store, row, ReferenceDraft(text=" "), ANN, first)
    assert len(texts(store, row)) == 4, "who empties a draft that has gone on elsewhere empties nothing"
    drafts.keep(store, row, ReferenceDraft(text=" "), ANN, later)
    assert texts(store, row) == [("ann", "One less."), ("ann", "Two."), ("bob", "Mine.")]
    with pytest.raises(UsageError, match="give your name"):
        drafts.keep(store, row, ReferenceDraft(text="Nobody's."), Actor(" ", NOW), None)


def test_any_text_comes_back_as_it_was(store: Store, row: int) -> None:
    """Half a character and a zero byte too, with the note, the mark and where it began."""
    draft = ReferenceDraft(
        text="a\ud800\0b",
        note="p. 3\udfff",
        lacks_knowledge=True,
        left_out=(UncorrectedAnswer(row, "why\ud800"),),
        origin=ProposalOrigin(GoldSource.CORRECTION, row),
    )
    version = drafts.keep(store, row, draft, ANN, None)

    (kept,) = store.gold.drafts.of_question(row)
    assert (kept.version, kept.draft) == (version, draft)


def test_saving_keeps_what_the_text_began_as_and_deletes_the_drafts_that_were_seen(store: Store, row: int) -> None:
    """From "Three!" to "Three. Ask." it is 6: one character replaced, five added; a colleague's draft stays."""
    draft = ReferenceDraft(text="Three. Ask.", origin=ProposalOrigin(GoldSource.CORRECTION, row))
    seen = drafts.keep(store, row, draft, ANN, None)
    drafts.keep(store, row, ReferenceDraft(text="Elsewhere."), ANN, None)
    drafts.keep(store, row, ReferenceDraft(text="Bob's."), BOB, None)
    assert store.gold.drafts.overtaken("ann") == []
    assert seen is not None
    gold_id = drafts.save(store, [row, store.traffic.items.key("wrong")], draft, ANN, [seen])

    taken = store.gold.taken_proposal(gold_id)
    assert taken is not None
    assert (taken.origin, taken.edit_distance) == (draft.origin, 6)
    assert texts(store, row) == [("ann", "Elsewhere."), ("bob", "Bob's.")]
    assert store.gold.drafts.overtaken("ann") == store.gold.drafts.overtaken("bob") == [row]
    drafts.drop(store, row, BOB)
    assert texts(store, row) == [("ann", "Elsewhere.")]
    assert store.check() == []


def test_a_reference_of_its_own_began_as_nothing(store: Store, row: int) -> None:
    """Neither did one whose entry is unknown."""
    gold_id = drafts.save(store, [row], ReferenceDraft(text="Mine.", note="Page 3"), ANN, [])

    assert store.gold.taken_proposal(gold_id) is None
    assert store.gold.taken_proposal("gold-none") is None
    assert store.gold.revisions(gold_id)[-1].why == "Page 3"


def test_proposals_are_what_somebody_holds_to_be_right(store: Store, row: int) -> None:
    """The first correction, the traffic's reference, answers labelled right to the same question; the wrong answer never."""
    offered = proposals(store, [row])

    assert [(each.origin.source, each.text, each.system) for each in offered] == [
        (GoldSource.CORRECTION, "Three!", None),
        (GoldSource.TRAFFIC, "Three.", None),
        (GoldSource.RIGHT_ANSWER, "Three a day.", "old"),
    ]
    assert offered[2].origin.item == store.traffic.items.key("old")


def test_what_is_forgotten_takes_its_drafts_along(tmp_path: Path) -> None:
    """An item, an item whose answer a draft began as, and a person; no byte of them is left, and none is written after."""
    path = tmp_path / "assay.db"
    with closing(Store(path)) as store:
        with store.atomic(durable=True):
            store.traffic.items.add([Item(id=name, question=f"{name}?", answer="A.") for name in "abc"], now=NOW)
        rows = {name: store.traffic.items.key(name) for name in "abc"}
        drafts.keep(store, rows["a"], ReferenceDraft(text="QUINCE-1"), ANN, None)
        copied = ReferenceDraft(text="QUINCE-2", origin=ProposalOrigin(GoldSource.RIGHT_ANSWER, rows["a"]))
        drafts.keep(store, rows["b"], copied, ANN, None)
        drafts.keep(store, rows["b"], ReferenceDraft(text="QUINCE-3"), Actor("DR-MEDLAR", NOW), None)
        drafts.keep(store, rows["c"], ReferenceDraft(text="Stays."), ANN, None)
        assert "DR-MEDLAR" in store.audit.events.everybody(), "redaction knows who is behind a draft"
        store.audit.forgetting.forget_items(["a"], why=None, who="lead", now=NOW)
        store.audit.forgetting.forget_annotator("DR-MEDLAR", references=False, why=None, who="lead", now=NOW)
        assert drafts.keep(store, rows["a"], ReferenceDraft(text="QUINCE-4"), ANN, None) is None

        assert [texts(store, row) for row in rows.values()] == [[], [], [("ann", "Stays.")]]
    assert not [word for word in (b"QUINCE", b"DR-MEDLAR") if word in path.read_bytes()]


def plainly(first: str, second: str) -> int:
    """The distance by its definition, without a table."""
    if not first or not second:
        return len(first) + len(second)
    return min(
        plainly(first[1:], second) + 1,
        plainly(first, second[1:]) + 1,
        plainly(first[1:], second[1:]) + (first[0] != second[0]),
    )


def test_the_edit_distance_is_that_of_its_definition() -> None:
    """All pairs of texts of up to three of two letters, random longer ones, and texts of any script."""
    short = ["".join(letters) for length in range(4) for letters in product("ab", repeat=length)]
    draw = random.Random(7)
    long = [("".join(draw.choices("abc", k=6)), "".join(draw.choices("abc", k=5))) for _ in range(50)]
    for first, second in (*product(short, short), *long):
        assert edit_distance(first, second) == plainly(first, second)
    assert edit_distance("kitten", "sitting") == 3
    assert edit_distance("每日三次", "每日兩次。") == 2


def test_texts_that_are_too_long_have_no_distance() -> None:
    """What they share at both ends does not count."""
    assert edit_distance("x" * 10 * COMPARED + "a", "x" * 10 * COMPARED + "b") == 1
    assert edit_distance("a" * (COMPARED + 1), "b") is None
