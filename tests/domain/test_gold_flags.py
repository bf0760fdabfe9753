"""What changes behind an accepted entry is said on it, and only a person takes it off again."""

from __future__ import annotations

import pytest

from annotate.domain.gold import GoldEntry, GoldSource, GoldStatus
from annotate.domain.gold.flags import (
    ANOTHER,
    DELETED,
    SUPERSEDED,
    WITHDRAWN,
    ItemState,
    basis,
    digest,
    doubt,
    standing,
)
from annotate.store import Store
from annotate.workflow.gold import review
from annotate.workflow.gold.review import Actor
from proxy.errors import UsageError
from proxy.records import Item, Judgement, Label
from support.gold import ANSWER, Say, ask_for_second_person, decide, entry, last, made_entry, steps
from support.store import LATER, NOW

RIGHT, WRONG, UNSURE = Judgement
CANDIDATE, ACCEPTED, RETIRED = GoldStatus
AT = "2026-11-21T10:00:00.000Z"


def wrong(reference: str = "") -> ItemState:
    return ItemState(WRONG, digest(reference))


@pytest.mark.parametrize(
    ("before", "now", "flag"),
    [
        (ItemState(RIGHT), ItemState(RIGHT), None),
        (ItemState(RIGHT), ItemState(WRONG), "the label says wrong since 2026-11-21"),
        (ItemState(RIGHT), wrong("Another."), "the label says wrong since 2026-11-21"),
        (ItemState(RIGHT), ItemState(UNSURE), "the label says unsure since 2026-11-21"),
        (ItemState(RIGHT), ItemState(), DELETED),
        (wrong("R"), ItemState(RIGHT), "the label says right since 2026-11-21"),
        (wrong("R"), ItemState(), DELETED),
        (wrong("R"), wrong("Another."), ANOTHER),
        (wrong("R"), wrong(), WITHDRAWN),
        (wrong("Another."), wrong("R"), None),  # the annotator now writes what the entry says
        (wrong(), wrong("R"), None),
        (wrong(), wrong("Another."), ANOTHER),
        (ItemState(), ItemState(RIGHT), None),  # no label spoke for it, so a label alone does not speak against it
        (ItemState(), wrong(), None),
        (ItemState(), wrong("Another."), ANOTHER),
        (ItemState(RIGHT), ItemState(RIGHT, "", True), SUPERSEDED),
        (ItemState(RIGHT, "", True), ItemState(RIGHT, "", True), None),
        (ItemState(RIGHT), ItemState(None, "", True), f"{DELETED}; {SUPERSEDED}"),
    ],
)
def test_what_counts_as_a_change(before: ItemState, now: ItemState, flag: str | None) -> None:
    """Every pair of what stood behind an entry and what stands there now, for an entry that says R."""
    assert doubt(made_entry("g"), before, now, "2026-11-21") == flag


def test_what_stands_behind_an_entry_survives_the_store() -> None:
    """Kept and read again it is the same; a right label's own reference does not count."""
    for item_state in (ItemState(), ItemState(RIGHT, "", True), wrong("R")):
        assert basis(made_entry("g", basis=item_state.kept()), ItemState()) == item_state
    assert standing(Label(item_id="a", judgement=RIGHT, reference="R"), is_current=True) == ItemState(RIGHT)
    assert standing(Label(item_id="a", judgement=WRONG, reference="R"), is_current=False) == wrong("R")._replace(
        is_superseded=True
    )


def test_from_label_to_kept_every_state_is_right(store: Store, say: Say) -> None:
    """Label, candidate, accepted, annotation edited, flagged, kept: and what is kept is not flagged again."""
    say("a", WRONG, reference="First.", at=AT)
    assert (entry(store).status, entry(store).flag) == (CANDIDATE, None)
    decide(store, ACCEPTED)
    assert entry(store).basis == wrong("First.").kept()

    say("a", WRONG, reference="Second.", at=AT)
    gold_entry = entry(store)
    assert (gold_entry.reference, gold_entry.status, gold_entry.flag) == ("First.", ACCEPTED, ANOTHER)
    assert last(store) == ("accepted", "assay", f"flagged: {ANOTHER}")
    assert [kept_entry.gold_id for kept_entry in store.gold.flagged()] == [gold_entry.gold_id]

    with store.atomic(durable=True):
        assert review.keep(store, gold_entry.gold_id, Actor("lead", LATER), why="the first is better")
    assert (entry(store).flag, entry(store).status, entry(store).reference) == (None, ACCEPTED, "First.")
    assert last(store) == ("accepted", "lead", "kept: the first is better")
    say("a", WRONG, reference="Second.", harm="serious", at=AT)
    assert entry(store).flag is None
    say("a", WRONG, reference="Third.", at=AT)
    assert entry(store).flag == ANOTHER


def test_an_edit_settles_a_flag(store: Store, say: Say) -> None:
    """What the editor wrote stands on the label as it was then."""
    say("a", RIGHT)
    decide(store, ACCEPTED)
    say("a", WRONG, reference="Better.", at=AT)
    assert entry(store).flag == "the label says wrong since 2026-11-21"
    with store.atomic(durable=True):
        review.edit(store, entry(store).gold_id, "Better.", GoldSource.APP, Actor("lead", LATER))

    gold_entry = entry(store)
    assert (gold_entry.reference, gold_entry.status, gold_entry.flag, gold_entry.annotator) == (
        "Better.",
        ACCEPTED,
        None,
        "lead",
    )
    assert gold_entry.basis == wrong("Better.").kept()


def test_a_deleted_annotation_flags_and_the_entry_stays(store: Store, say: Say) -> None:
    """Label, accepted, annotation deleted: nothing shrinks, and a person retires it with a reason."""
    say("a", RIGHT)
    decide(store, ACCEPTED)
    say("a", None, deleted=True)
    assert (entry(store).flag, entry(store).status, entry(store).reference) == (DELETED, ACCEPTED, ANSWER)
    say("a", None, deleted=True)
    assert len(steps(store, entry(store).gold_id)) == 3

    decide(store, RETIRED, why="nobody vouches for it")
    assert (entry(store).status, entry(store).flag) == (RETIRED, None)


def test_a_flag_comes_off_when_the_label_is_what_it_was(store: Store, say: Say) -> None:
    """Right, wrong and right again: both steps are in the history."""
    say("a", RIGHT, at=AT)
    decide(store, ACCEPTED)
    say("a", WRONG, at=AT)
    say("a", RIGHT, at=AT)

    assert entry(store).flag is None
    reasons = [why for _, _, who, why in steps(store, entry(store).gold_id) if who == "assay"]
    assert reasons == [
        "flagged: the label says wrong since 2026-11-21",
        "the flag came off: what stands behind it says again what it said when this was accepted",
    ]


def test_the_day_alone_is_no_new_flag(store: Store, say: Say) -> None:
    """A label without a time is flagged with the day of the pull; the next day's pull adds nothing."""
    say("a", RIGHT)
    decide(store, ACCEPTED)
    say("a", WRONG)
    before = steps(store, entry(store).gold_id)
    with store.atomic(durable=True):
        store.gold.offer([entry(store).item or 0], now="2026-12-24T00:00:00.000Z")

    assert steps(store, entry(store).gold_id) == before


def test_a_newer_revision_of_the_item_flags(store: Store, say: Say) -> None:
    """Other content under the same id: the entry speaks of the old answer, and says so once."""
    say("a", RIGHT)
    decide(store, ACCEPTED)
    with store.atomic(durable=True):
        store.traffic.items.add([Item(id="a", question="Q a?", answer="Another answer.")], now=LATER)
    with store.atomic(durable=True):
        store.gold.sweep(now=LATER)
    assert entry(store).flag == SUPERSEDED
    with store.atomic(durable=True):
        review.keep(store, entry(store).gold_id, Actor("lead", LATER))
        store.gold.recheck(now=LATER)

    assert entry(store).flag is None


@pytest.mark.parametrize(
    ("judgement", "reference", "later", "flag"),
    [
        (RIGHT, None, (RIGHT, None), None),
        (WRONG, "R", (WRONG, "R"), None),
        (RIGHT, None, (WRONG, None), "the label says wrong since 2026-11-21"),
        (WRONG, "R", (WRONG, "Another."), ANOTHER),
    ],
)
def test_entries_accepted_before_this_was_kept_invent_no_flag(
    store: Store,
    say: Say,
    judgement: Judgement,
    reference: str | None,
    later: tuple[Judgement, str | None],
    flag: str | None,
) -> None:
    """Where no basis was kept the source tells it: only a label that has really changed flags."""
    say("a", judgement, reference=reference, at=AT)
    decide(store, ACCEPTED)
    with store.atomic():
        store._db.conn.execute("UPDATE gold SET basis = NULL")
    say("a", later[0], reference=later[1], rationale="said again", at=AT)

    assert entry(store).flag == flag
    assert entry(store).basis is not None


def test_an_entry_written_here_takes_what_stands_as_its_basis() -> None:
    """Nobody knows what the label said when it was accepted, so nothing is held against it."""
    gold_entry = made_entry("g", source=GoldSource.APP)

    assert basis(gold_entry, ItemState(UNSURE)) == ItemState(UNSURE)
    assert doubt(gold_entry, basis(gold_entry, ItemState(UNSURE)), ItemState(UNSURE), "") is None


def test_keeping_is_accepting_anew(store: Store, say: Say) -> None:
    """Where the team asks for a second person, the writer does not take the flag off; and what has no flag is not kept."""
    say("a", WRONG, reference="R", annotator="ann")
    decide(store, ACCEPTED)
    say("a", WRONG, reference="Another.", annotator="ann")
    ask_for_second_person(store)
    gold_entry: GoldEntry = entry(store)
    with pytest.raises(UsageError, match="second person"), store.atomic():
        review.keep(store, gold_entry.gold_id, Actor("Ann ", LATER))
    with store.atomic():
        assert review.keep(store, gold_entry.gold_id, Actor("bob", LATER))
        assert not review.keep(store, gold_entry.gold_id, Actor("bob", LATER))


def test_offering_is_idempotent(store: Store, say: Say) -> None:
    """The same pull twice leaves the gold set as it is, revision by revision."""
    say("a", RIGHT)
    say("b", WRONG, reference="R")
    decide(store, ACCEPTED)
    say("a", WRONG)
    before = store.gold.stamp()
    with store.atomic():
        store.gold.offer(store.traffic.items.keys(list("abcde")).values(), now=NOW)

    assert store.gold.stamp() == before
