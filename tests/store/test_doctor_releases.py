"""What doctor finds in releases: entries taken away or added, texts that are others than they were; what was forgotten is no fault."""

from __future__ import annotations

import pytest

from annotate.store.gold.releases import NEXT
from support.doctor import problems_of, unguarded
from support.store import Assay, kept, label, traffic_row


@kept
def released(assay: Assay) -> Assay:
    """A store with a release v1 of three entries: two references for items, one that was imported by itself."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(name) for name in "abc"]))
    rows = [label(name, "wrong", reference=f"Room {name} is upstairs.") for name in "ab"]
    assay("labels", "import", assay.write("labels.jsonl", rows))
    assay("gold", "import", assay.write("gold.jsonl", [{"question": "Where do I pay?", "reference": "At the desk."}]))
    assay("gold", "accept", "--all")
    assay("gold", "release", "v1")
    assert assay.sql("SELECT entries FROM releases") == [(3,)]
    assert assay.json("doctor")["problems"] == []
    return assay


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM release_entries WHERE gold_id = (SELECT min(gold_id) FROM release_entries)",
        "UPDATE release_entries SET role = CASE role WHEN 'test' THEN 'examples' ELSE 'test' END",
        "UPDATE release_entries SET role = 'no such role'",
        "UPDATE release_entries SET lacks_knowledge = 1",
        "UPDATE release_entries SET content_hash = content_hash || '0'",
        "UPDATE releases SET hash = upper(hash) || '0'",
        "UPDATE releases SET entries = 4",
    ],
)
def test_a_release_that_is_not_what_it_was_made_of_is_named(released: Assay, change: str) -> None:
    """Any column that its hash covers, an entry more or fewer, the hash itself."""
    unguarded(released.db, change)

    assert f"release v1: its entries are not those it was made of: {NEXT}" in problems_of(released)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE gold_revisions SET reference = reference || '.'",
        "UPDATE texts SET question = 'Where?'",
        "UPDATE texts SET contexts = '[\"another\"]'",
        "UPDATE texts SET contexts = '[\"cut'",
        "UPDATE gold SET question = 'Where?' WHERE item IS NULL",
        "UPDATE gold SET contexts = '[\"more\"]' WHERE item IS NULL",
    ],
)
def test_a_text_that_is_another_than_when_it_was_released_is_named(released: Assay, change: str) -> None:
    """Question, passages or reference, of an item's entry or an imported one: by its gold id."""
    released.sql(change)

    # What the chain of events says of the same rows is tested with the seals.
    problems = [estimate for estimate in problems_of(released) if estimate.startswith("release ")]

    entries = [row[0] for row in released.sql("SELECT gold_id FROM gold")]
    assert problems
    for problem in problems:
        assert problem.endswith(f"was changed after it was made: {NEXT}")
        assert sum(entry in problem for entry in entries) == 1


@pytest.mark.slow
def test_what_was_forgotten_is_no_fault(released: Assay) -> None:
    """An item, and then everything a person wrote: the release keeps its hash, and doctor finds nothing."""
    before = released.sql("SELECT * FROM release_entries"), released.sql("SELECT * FROM releases")

    released("forget", "--yes", "--item", "a")
    assert released.json("doctor")["problems"] == []
    released("forget", "--yes", "--annotator", "ann", "--references")

    assert released.json("doctor")["problems"] == []
    assert (released.sql("SELECT * FROM release_entries"), released.sql("SELECT * FROM releases")) == before
