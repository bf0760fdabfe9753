"""Gold: labels offer candidates, people decide, and nothing that was written is lost."""

from __future__ import annotations

import pytest

from annotate.domain.gold import GoldEntry, GoldSource, GoldStatus, gold_id
from annotate.domain.gold.release import EXPORT_COLUMNS, export_row
from annotate.store import Store
from annotate.workflow.gold import review, writing
from annotate.workflow.gold.review import Actor
from proxy.errors import UsageError
from proxy.records import Context, Item, Judgement, Label, Turn
from support.gold import ANSWER, Say, decide, entry, steps
from support.store import LATER, NOW

RIGHT, WRONG, UNSURE = Judgement
CANDIDATE, ACCEPTED, RETIRED = GoldStatus


def test_a_gold_id_is_stable_and_tells_revisions_apart() -> None:
    """The same item and revision give the same id on any machine."""
    assert gold_id("a", 1) == gold_id("a", 1)
    assert len({gold_id("a", 1), gold_id("a", 2), gold_id("b", 1), gold_id("a|1", 1)}) == 4
    assert gold_id("a\ud800", 1).startswith("gold-")


def test_labels_become_candidates_once(store: Store, say: Say) -> None:
    """One entry an item, whoever repeats what."""
    assert say("a", WRONG, reference="Better.") == 1
    assert say("b", RIGHT) == 1
    assert say("c", WRONG) == 0
    assert say("d", UNSURE, reference="Perhaps.") == 0
    assert say("a", WRONG, reference="Better.") == 0

    entries = {
        entry.item_id: (entry.reference, entry.status, entry.source, entry.annotator) for entry in store.gold.entries()
    }
    assert entries == {
        "a": ("Better.", CANDIDATE, GoldSource.WRITTEN, "ann"),
        "b": (ANSWER, CANDIDATE, GoldSource.RIGHT_ANSWER, "ann"),
    }
    assert store.gold.counts() == {CANDIDATE: 2, ACCEPTED: 0, RETIRED: 0}


def test_a_candidate_follows_its_label(store: Store, say: Say) -> None:
    """Nobody accepts by accident what was right yesterday, and what an expert writes then is offered; the history keeps it."""
    say("a", RIGHT)
    say("a", WRONG)
    assert entry(store).status is RETIRED
    say("a", WRONG, reference="First.")
    say("a", WRONG, reference="Second.")
    assert (entry(store).reference, entry(store).status) == ("Second.", CANDIDATE)
    say("a", RIGHT)
    assert (entry(store).reference, entry(store).source) == (ANSWER, GoldSource.RIGHT_ANSWER)

    assert [(status, who, why) for _, status, who, why in steps(store, entry(store).gold_id)] == [
        ("candidate", "ann", ""),
        ("retired", "assay", "the label no longer offers it"),
        ("candidate", "ann", "the label offers one again"),
        ("candidate", "ann", "label changed"),
        ("candidate", "ann", "label changed"),
    ]


@pytest.mark.parametrize("blank", [" ", "\n\t ", "\u3000"])
def test_a_reference_of_spaces_alone_is_none(store: Store, say: Say, blank: str) -> None:
    """Nothing is offered, and the wrong answer still waits for somebody to write one."""
    say("a", WRONG, reference=blank)

    assert store.gold.entries() == []
    assert [item.id for item in store.traffic.items.read(store.gold.without_reference()).values()] == ["a"]


def test_what_a_person_retired_stays_retired(store: Store, say: Say) -> None:
    """However the label changes after."""
    say("a", RIGHT)
    decide(store, RETIRED, why="ambiguous question")
    say("a", WRONG)
    say("a", WRONG, reference="Better.")
    say("a", RIGHT)

    assert (entry(store).reference, entry(store).status) == (ANSWER, RETIRED)


@pytest.mark.parametrize("later", [(WRONG, "Better."), (WRONG, None), (UNSURE, None), (None, None)])
def test_what_a_person_accepted_never_changes_with_the_label(
    store: Store, say: Say, later: tuple[Judgement | None, str | None]
) -> None:
    """Releases are built on it: it is flagged, and stays what it is."""
    say("a", RIGHT)
    decide(store, ACCEPTED)
    before = entry(store)
    say("a", later[0], reference=later[1])

    after = entry(store)
    assert after.flag
    assert (after.reference, after.status, after.source) == (before.reference, ACCEPTED, before.source)


@pytest.mark.parametrize("source", [GoldSource.APP, GoldSource.COMMAND])
def test_a_reference_that_a_person_wrote_here_does_not_follow_the_label(
    store: Store, say: Say, source: GoldSource
) -> None:
    """Written in the app or on the command line, it stays what it is when labels come and go."""
    row = store.traffic.items.keys(["a"])["a"]
    say("a", WRONG)
    with store.atomic(durable=True):
        identity = writing.write(store, [row], "  Written by hand. ", source, Actor("lead", NOW))
    say("a", WRONG, reference="From the form.")
    say("a", UNSURE)

    after = entry(store)
    assert (after.gold_id, after.reference, after.status) == (identity, "Written by hand.", CANDIDATE)
    assert (after.source, after.annotator) == (source, "lead")


def test_an_empty_reference_and_an_unsure_item_are_refused(store: Store, say: Say) -> None:
    """Neither is something that a person holds to be correct."""
    row = store.traffic.items.keys(["a"])["a"]
    with pytest.raises(UsageError, match="empty"), store.atomic():
        writing.write(store, [row], " \n ", GoldSource.APP, Actor("lead", NOW))
    say("a", UNSURE)
    with pytest.raises(UsageError, match="unsure"), store.atomic():
        writing.write(store, [row], "Something.", GoldSource.APP, Actor("lead", NOW))
    assert not store.gold.entries()


def test_accepting_and_retiring_keep_who_and_why(store: Store, say: Say) -> None:
    """Every step is a revision; doing the same again is none."""
    say("a", WRONG, reference="Better.")
    assert decide(store, ACCEPTED) == 1
    assert decide(store, ACCEPTED) == 0
    assert decide(store, RETIRED, why="outdated") == 1
    assert decide(store, ACCEPTED, why="checked again") == 1

    assert steps(store, entry(store).gold_id) == [
        (NOW, "candidate", "ann", ""),
        (LATER, "accepted", "lead", ""),
        (LATER, "retired", "lead", "outdated"),
        (LATER, "accepted", "lead", "checked again"),
    ]
    assert (entry(store).reference, entry(store).annotator) == ("Better.", "ann")


def test_an_unknown_id_changes_nothing(store: Store, say: Say) -> None:
    """One wrong id among right ones: all or none."""
    say("a", RIGHT)
    with pytest.raises(UsageError, match="gold-nothing"), store.atomic():
        review.set_status(store, dict.fromkeys([entry(store).gold_id, "gold-nothing"]), ACCEPTED, Actor("lead", LATER))

    assert entry(store).status is CANDIDATE


def test_wrong_items_without_a_reference_wait_in_order(store: Store, say: Say) -> None:
    """Serious harm first, then the oldest; what has a reference or is right does not wait."""
    say("a", WRONG, at="2026-11-03T00:00:00.000Z")
    say("b", WRONG, at="2026-11-02T00:00:00.000Z", harm="minor")
    say("c", WRONG, at="2026-11-04T00:00:00.000Z", harm="serious")
    say("d", WRONG, at="2026-11-01T00:00:00.000Z", reference="Better.")
    say("e", RIGHT)
    rows = store.traffic.items.keys(list("abcde"))

    assert store.gold.without_reference() == [rows["c"], rows["b"], rows["a"]]

    with store.atomic(durable=True):
        writing.write(store, [rows["b"]], "Written.", GoldSource.APP, Actor("lead", NOW))
    assert store.gold.without_reference() == [rows["c"], rows["a"]]


def test_pages_hold_every_entry_once_with_written_references_first(store: Store, say: Say) -> None:
    """What a person wrote is reviewed before answers that only need a nod."""
    for name in "abc":
        say(name, RIGHT)
    for name in "de":
        say(name, WRONG, reference=f"Better {name}.")
    pages = [store.gold.page(CANDIDATE, start=start, size=2) for start in (0, 2, 4, 6)]

    assert ["".join(entry.item_id for entry in page) for page in pages] == ["de", "ab", "c", ""]


def test_a_new_revision_of_an_item_has_an_entry_of_its_own(store: Store, say: Say) -> None:
    """The old one speaks of the old answer and stays."""
    say("a", RIGHT)
    decide(store, ACCEPTED)
    with store.atomic():
        store.traffic.items.add([Item(id="a", question="Q a?", answer="Another answer.")], now=LATER)
    say("a", RIGHT, annotator="bob")

    entries = {entry.gold_id: (entry.reference, entry.status) for entry in store.gold.entries()}
    assert entries == {gold_id("a", 1): (ANSWER, ACCEPTED), gold_id("a", 2): ("Another answer.", CANDIDATE)}


def test_an_export_row_says_where_everything_comes_from() -> None:
    """Reference, its source and writer, the label's wave and time, the item and its contexts."""
    entry = GoldEntry(
        gold_id="gold-1",
        item=1,
        item_id="a",
        reference="In 1987.",
        status=ACCEPTED,
        source=GoldSource.WRITTEN,
        annotator="ann",
        updated_at=LATER,
    )
    item = Item(
        id="a",
        question="When?",
        answer="1988",
        contexts=(Context(text="C", id="7"),),
        system="v2",
        language="en",
        history=(Turn(role="user", text="Who built it?"),),
    )
    label = Label(item_id="a", judgement=WRONG, wave=3, at=NOW)
    row = export_row(entry, item, label, ["b"])

    assert tuple(row) == EXPORT_COLUMNS
    assert row == {
        "history": [{"role": "user", "text": "Who built it?"}],
        **{"gold_id": "gold-1", "question": "When?", "reference": "In 1987.", "contexts": ["C"], "item_id": "a"},
        "corrects": ["b"],
        **{"system": "v2", "annotator": "ann", "role": None, "release": None, "status": "accepted"},
        **{
            "source": "written by an annotator",
            "wave": 3,
            "label": "wrong",
            "label_at": NOW,
            "updated_at": LATER,
            "language": "en",
        },
        **{"lacks_knowledge": False, "flag": None, "content_hash": None, "forgotten": False},
    }
    unlabelled = export_row(entry, item, None, [])
    assert (unlabelled["wave"], unlabelled["label_at"]) == (None, None)


def test_a_label_whose_consequence_fails_is_not_kept(store: Store, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are one unit of work: a label never stands beside a gold set that does not know it."""
    monkeypatch.setattr(store.gold, "write", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        say("a", WRONG, reference="Better.")

    assert store.labels.of_item(store.traffic.items.keys(["a"])["a"]) is None
