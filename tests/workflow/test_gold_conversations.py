"""The conversation before a question in the gold set: exports, imports, releases and lists hold it and tell it apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotate.domain.gold.release import content_hash, fits
from annotate.domain.gold.tool_rows import BESIDE
from annotate.store import Store
from proxy.records import Turn
from support.store import Assay, traffic_row

BEFORE = {"adults": "How much ibuprofen may adults take?", "dogs": "May dogs eat chocolate?"}
FOLLOW_UP = "And for children?"


def turns(subject: str) -> list[dict[str, str]]:
    return [{"role": "user", "text": BEFORE[subject]}, {"role": "assistant", "text": "Read the leaflet."}]


@pytest.fixture
def follow_ups(assay: Assay) -> Assay:
    """One follow-up in two conversations and by itself, each answered and labelled wrong with a reference."""
    rows = [
        *(traffic_row(name, question=FOLLOW_UP, history=turns(name)) for name in BEFORE),
        traffic_row("alone", question=FOLLOW_UP),
    ]
    assay("ingest", assay.write("traffic.jsonl", rows))
    labels = [
        {"item_id": name, "label": "wrong", "reference": f"The reference of {name}.", "annotator": "ann"}
        for name in (*BEFORE, "alone")
    ]
    assay("labels", "import", assay.write("labels.jsonl", labels))
    return assay


def accept(assay: Assay) -> None:
    assay("gold", "accept", *[row["gold_id"] for row in assay.json("gold", "list")["gold"]])


@pytest.mark.slow
def test_every_export_holds_the_conversation(follow_ups: Assay, tmp_path: Path) -> None:
    """Three references to one text would contradict each other without what was said before."""
    accept(follow_ups)
    ours, ragas, deepeval = (tmp_path / name for name in ("gold.jsonl", "ragas.jsonl", "deepeval.json"))
    follow_ups("gold", "export", str(ours))
    follow_ups("gold", "export", str(ragas), "--to", "ragas")
    follow_ups("gold", "export", str(deepeval), "--to", "deepeval")
    rows = {row["item_id"]: row for row in map(json.loads, ours.read_text().splitlines())}

    assert [rows[name]["history"] for name in (*BEFORE, "alone")] == [turns("adults"), turns("dogs"), []]
    asked = {json.loads(line)["user_input"] for line in ragas.read_text().splitlines()}
    assert f"user: {BEFORE['dogs']}\nassistant: Read the leaflet.\nuser: {FOLLOW_UP}" in asked
    assert FOLLOW_UP in asked
    goldens = json.loads(deepeval.read_text())
    assert (
        sum(golden["additional_metadata"].get(BESIDE, {}).get("history") == turns("adults") for golden in goldens) == 1
    )


@pytest.mark.slow
def test_an_imported_reference_finds_the_question_in_its_conversation(assay: Assay) -> None:
    """A row with a conversation belongs to that item alone, one of a conversation that nobody had becomes an entry with it."""
    rows = [traffic_row("dogs", question=FOLLOW_UP, history=turns("dogs")), traffic_row("alone", question=FOLLOW_UP)]
    assay("ingest", assay.write("traffic.jsonl", rows))
    references = [
        {"question": FOLLOW_UP, "history": turns("dogs"), "reference": "Never for pups either."},
        {"question": FOLLOW_UP, "history": turns("adults"), "reference": "By weight."},
        {"question": FOLLOW_UP, "reference": "Ask what is meant."},
    ]
    file = assay.write("gold.jsonl", references)
    assay("gold", "import", file)
    listed = {row["reference"]: row for row in assay.json("gold", "list")["gold"]}

    assert [listed[row["reference"]]["item_id"] for row in references] == ["dogs", None, "alone"]
    assert [listed[row["reference"]]["history"] for row in references] == [turns("dogs"), turns("adults"), []]
    assay("gold", "import", file)
    assert len(assay.json("gold", "list")["gold"]) == len(references), "the same file again adds nothing"
    assert assay.json("gold", "duplicates")["pairs"] == []


@pytest.mark.slow
def test_lists_tell_follow_ups_apart(follow_ups: Assay) -> None:
    """What is listed in a line says after what it was asked."""
    for command in ("list", "review"):
        out = " ".join(follow_ups("gold", command, "--full").stdout.split())
        assert f"{FOLLOW_UP} (after “{BEFORE['dogs']}” / “Read the leaflet.”)" in out
    accept(follow_ups)
    follow_ups("gold", "release", "v1")
    store = Store(follow_ups.db)
    held = {text.reference: text.history for text in store.gold.releases.texts("v1")}
    store.close()
    assert held["The reference of dogs."][0] == Turn(role="user", text=BEFORE["dogs"])
    follow_ups("doctor")  # it exits with 1 where a release does not fit its texts


def test_an_earlier_release_still_fits_its_texts() -> None:
    """Releases hashed question, reference and passages alone until conversations were hashed too; changed texts fit neither."""
    history = (Turn(role="user", text="Who?"),)
    earlier, now = content_hash("When?", "In 1987.", ["C"]), content_hash("When?", "In 1987.", ["C"], history)

    assert earlier != now
    assert fits(earlier, "When?", "In 1987.", ["C"], history)
    assert fits(now, "When?", "In 1987.", ["C"], history)
    assert not fits(now, "When?", "In 1987.", ["C"], (Turn(role="user", text="Whom?"),))
    assert not fits(earlier, "When?", "In 1988.", ["C"], history)
