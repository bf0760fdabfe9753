"""A gold entry is flagged when a passage behind it comes in with another text: from files and live, once, until a person decides."""

from __future__ import annotations

import json

import pytest

from annotate.domain.gold import GoldSource, GoldStatus
from annotate.domain.gold.sources import source_doubt, text_hash, where_they_differ
from annotate.store import Store
from annotate.workflow.gold import review, writing
from annotate.workflow.gold.review import Actor
from proxy.records import Context, Item
from support.store import Assay, traffic_row

OLD, NEW = "Room 7 is on the ground floor.", "Room 7 is on the second floor."
FLAG = "its source changed: passage d1 came in with another text"
NOON = [f"2026-11-21T12:0{n}:00.000Z" for n in range(10)]
LEAD = Actor("lead", NOON[1])


def answer(name: str, *passages: tuple[str | None, str], timestamp: str | None = None) -> Item:
    contexts = tuple(Context(text=text, id=identity) for identity, text in passages)
    return Item(id=name, question=f"Where is {name}?", answer="There.", contexts=contexts, timestamp=timestamp)


def add(store: Store, item: Item, now: str) -> None:
    with store.atomic():
        store.traffic.items.add([item], now=now)


def accepted(store: Store, item: Item) -> str:
    """An accepted entry of this item."""
    add(store, item, NOON[0])
    (key,) = store.traffic.items.keys([item.id]).values()
    gold_id = writing.write(store, [key], "Upstairs.", GoldSource.APP, LEAD)
    review.set_status(store, {gold_id: None}, GoldStatus.ACCEPTED, LEAD)
    return gold_id


def flag(store: Store, gold_id: str) -> str | None:
    entry = store.gold.get(gold_id)
    assert entry is not None
    return entry.flag


def test_another_text_under_the_id_flags_and_the_old_one_takes_it_back(store: Store) -> None:
    """With both texts and the item that brought the new one; nothing is changed by itself."""
    gold_id = accepted(store, answer("a", ("d1", OLD), ("d2", "Coffee.")))
    add(store, answer("b", ("d1", NEW), ("d2", "Coffee.")), NOON[2])

    assert flag(store, gold_id) == FLAG
    assert store.gold.sources.changes([gold_id]) == {gold_id: (("d1", OLD, NEW, "b"),)}
    add(store, answer("c", ("d1", OLD)), NOON[3])
    assert (flag(store, gold_id), store.gold.sources.changes([gold_id])) == (None, {})
    assert [step.status for step in store.gold.revisions(gold_id)][1:] == [GoldStatus.ACCEPTED] * 3


@pytest.mark.parametrize(
    "item",
    [
        answer("b", ("d1", f"  {OLD.replace(' ', chr(10))} ")),
        answer("b", ("d9", NEW)),
        answer("b", (None, NEW)),
        answer("b", ("d1", NEW), ("d1", OLD)),
        answer("b", ("d1", NEW), timestamp="2026-01-01T00:00:00Z"),
    ],
    ids=["white space", "another id", "no id", "the old text beside it", "traffic from before"],
)
def test_what_is_no_change(store: Store, item: Item) -> None:
    """Neither is a text whose id names a whole document of several passages."""
    gold_id = accepted(store, answer("a", ("d1", OLD), timestamp="2026-11-01T00:00:00Z"))
    add(store, item, NOON[2])

    assert flag(store, gold_id) is None


def test_an_id_of_a_whole_document_tells_nothing(store: Store) -> None:
    """Two texts had it when the entry was accepted: a third one is another part of the document."""
    gold_id = accepted(store, answer("a", ("doc", OLD), ("doc", "Coffee is served on the roof.")))
    add(store, answer("b", ("doc", NEW)), NOON[2])

    assert flag(store, gold_id) is None
    assert store.gold.sources.without_ids() == 1


def test_kept_it_knows_both_texts_and_a_third_flags_again(store: Store) -> None:
    """Keeping is deciding: neither text says anything new. Retired, it is watched no more."""
    gold_id = accepted(store, answer("a", ("d1", OLD)))
    add(store, answer("b", ("d1", NEW)), NOON[2])
    assert review.keep(store, gold_id, Actor("lead", NOON[3]))
    add(store, answer("c", ("d1", NEW)), NOON[4])
    assert flag(store, gold_id) is None
    add(store, answer("d", ("d1", "Room 7 was closed.")), NOON[5])

    assert store.gold.sources.changes([gold_id])[gold_id][0][1:3] == (NEW, "Room 7 was closed.")
    review.set_status(store, {gold_id: None}, GoldStatus.RETIRED, Actor("lead", NOON[6]))
    assert store.gold.sources.changed(gold_id) == []


def test_feedback_on_older_traffic_is_no_news(store: Store) -> None:
    """The other text was there before the entry was accepted; that somebody rates it today changes nothing."""
    from annotate.domain.feedback import Feedback

    add(store, answer("b", ("d1", NEW)), "2026-11-20T00:00:00.000Z")
    gold_id = accepted(store, answer("a", ("d1", OLD)))
    with store.atomic(durable=True):
        store.traffic.feedback.keep([Feedback(item_id="b", value="-1", sign=-1)], now=NOON[4])

    assert flag(store, gold_id) is None


def test_its_own_item_with_a_new_revision_says_both(store: Store) -> None:
    """The entry's item comes in again with another passage."""
    gold_id = accepted(store, answer("a", ("d1", OLD)))
    add(store, answer("a", ("d1", NEW)), NOON[2])

    assert flag(store, gold_id) == f"a newer revision of the item came in; {FLAG}"


@pytest.mark.slow
def test_the_commands_say_it_and_one_key_decides(assay: Assay) -> None:
    """`review` and `list`, in words and JSON; what has no ids is said once."""
    with_ids = [{"id": "d1", "text": OLD}]
    assay("ingest", assay.write("t.jsonl", [traffic_row("a", contexts=with_ids), traffic_row("n"), traffic_row("m")]))
    labels = [{"item_id": name, "label": "right", "annotator": "ann"} for name in "anm"]
    assay("labels", "import", assay.write("l.jsonl", labels))
    assay("gold", "accept", "--all")
    assay("ingest", assay.write("u.jsonl", [traffic_row("b", contexts=[{"id": "d1", "text": NEW}])]))
    (waiting,) = [entry for entry in assay.json("gold", "review")["waiting"] if entry["status"] == "accepted"]
    listed = assay.json("gold", "list")
    shown = " ".join(assay("gold", "list", "--full").stdout.split())

    assert waiting["doubts"][0] == FLAG
    assert waiting["source_changes"] == [{"passage": "d1", "before": OLD, "now": NEW, "item_id": "b"}]
    assert [len(entry["source_changes"]) for entry in listed["gold"] if entry["item_id"] == "a"] == [1]
    assert listed["without_passage_ids"] == 2
    assert shown.count("cannot be told") == 1
    assert NEW in shown
    assay("gold", "keep", waiting["gold_id"], "--why", "the reference still holds")
    assert [entry for entry in assay.json("gold", "review")["waiting"] if entry["status"] == "accepted"] == []
    assert assay.json("doctor")["problems"] == []


def test_what_was_forgotten_leaves_no_hash(assay: Assay) -> None:
    assay("ingest", assay.write("t.jsonl", [traffic_row("a", contexts=[{"id": "d1", "text": OLD}])]))
    assay("labels", "import", assay.write("l.jsonl", [{"item_id": "a", "label": "right", "annotator": "ann"}]))
    assay("gold", "accept", "--all")
    assert assay.sql("SELECT passage FROM gold_sources") == [("d1",)]
    assay("forget", "--item", "a", "--yes")

    assert assay.sql("SELECT count(*) FROM gold_sources") == [(0,)]


def test_words_for_what_changed() -> None:
    """A few passages by name; long texts around the difference."""
    long = "x" * 200
    before, now = where_they_differ(f"{long} first {long}", f"{long} second {long}")

    assert source_doubt([]) is None
    assert (
        source_doubt(["a", "b", "c", "d"]) == "its source changed: passage a, b, c and 1 more came in with another text"
    )
    assert (before[0], before[-1], " first " in before, " second " in now) == ("…", "…", True, True)
    assert len(before) < 140
    assert where_they_differ("", "new") == ("", "new")
    assert where_they_differ("aXa", "aXXa")[1] == "aXXa"
    assert text_hash("e\u0301 x") == text_hash("\u00e9  x")
    assert json.dumps(before)
