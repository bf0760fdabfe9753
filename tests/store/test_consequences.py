"""What follows from a write is done with it, in the same unit of work, whoever writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from annotate.domain.adjudication import Decision
from annotate.domain.annotation import Annotation
from annotate.domain.feedback import Feedback
from annotate.domain.gold import GoldSource, GoldStatus
from annotate.store import Store
from annotate.store.labels.resolution import Placed
from annotate.workflow.gold import review
from annotate.workflow.gold.review import Actor
from annotate.workflow.ingest import ingest
from annotate.workflow.ingest.batches import Source
from annotate.workflow.labelling import adjudicate
from proxy.records import Judgement
from support.store import LATER, NOW, add, item, jsonl, label

REFERENCE = "What it should have said."


def kept(store: Store, folder: Path) -> None:
    """An annotation, as a pull keeps it."""
    said = Annotation(
        source="test", id="1", item_id="a", annotator="ann", judgement=Judgement.WRONG, reference=REFERENCE
    )
    with store.atomic():
        store.labels.keep([Placed(said, 1, None)], now=NOW)


def imported(store: Store, folder: Path) -> None:
    """A row of a file."""
    file = folder / "labels.jsonl"
    file.write_text(jsonl([label("a", "wrong", reference=REFERENCE)]))
    ingest.import_labels(store, Source(str(file)), now=NOW)


def adjudicated(store: Store, folder: Path) -> None:
    """A person's decision on a label that was unsure."""
    said = Annotation(source="test", id="1", item_id="a", annotator="ann", judgement=Judgement.UNSURE)
    with store.atomic():
        store.labels.keep([Placed(said, 1, None)], now=NOW)
    assert store.gold.entries() == []
    decision = Decision(judgement=Judgement.WRONG, why="It is.", reference=REFERENCE)
    adjudicate.settle(store, 1, decision, who="eve", now=LATER)


@pytest.mark.parametrize("write", [kept, imported, adjudicated], ids=lambda write: write.__name__)
def test_a_label_written_in_any_way_offers_its_reference(
    store: Store, tmp_path: Path, write: Callable[[Store, Path], None]
) -> None:
    """Whoever writes the label need not think of the gold set."""
    add(store, item())

    write(store, tmp_path)

    [entry] = store.gold.entries()
    assert (entry.item_id, entry.reference, entry.source) == ("a", REFERENCE, GoldSource.WRITTEN)


def test_a_label_whose_consequence_fails_is_not_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are one unit of work: a label never stands beside a gold set that does not know it."""
    add(store, item())
    monkeypatch.setattr(store.gold, "write", lambda *_, **__: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        kept(store, Path())

    assert store.labels.of_item(1) is None


def test_a_correction_is_offered_whichever_came_first(store: Store) -> None:
    """With the feedback where its item is here, else with the item."""
    add(store, item("a"))
    with store.atomic():
        thumbs = [Feedback(item_id=name, value="-1", sign=-1, correction=REFERENCE) for name in "ab"]
        store.traffic.feedback.keep(thumbs, now=NOW)
    assert [entry.item_id for entry in store.gold.entries()] == ["a"]

    add(store, item("b"))
    assert [entry.item_id for entry in store.gold.entries()] == ["a", "b"]


def test_an_accepted_entry_is_flagged_with_the_new_revision_of_its_item(store: Store) -> None:
    """And another item's entry is not looked at."""
    add(store, item("a"), item("b"))
    with store.atomic():
        ids = [review.write(store, row, "a", REFERENCE, GoldSource.APP, Actor("ann", NOW)) for row in (1, 2)]
        review.set_status(store, dict.fromkeys(ids), GoldStatus.ACCEPTED, Actor("eve", NOW))

    add(store, item("a", answer="Another."), now=LATER)

    assert {entry.item_id: entry.flag is not None for entry in store.gold.entries()} == {"a": True, "b": False}
