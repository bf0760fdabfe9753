"""A store in which every text of one item and of one person is a canary, and what is left of them in its raw bytes."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from support.store import Assay, label, once, traffic_row

CANARIES = {
    name: f"canary-{name}-{sha256(name.encode()).hexdigest()[:12]}"
    for name in (
        *("question", "answer", "context", "reference", "given", "rationale", "comment", "correction", "annotator"),
        *("reason", "metadata", "title", "turn", "written", "why", "person"),
    )
}


def canaried(name: str) -> dict[str, object]:
    """A row of traffic with a canary in each text."""
    c = CANARIES
    return traffic_row(
        name,
        question=f"{c['question']} {name}?",
        answer=f"Room {name} is {c['answer']}.",
        contexts=[{"text": f"Room {name} is {c['context']}.", "title": c["title"]}],
        reference=c["given"],
        metadata={"note": c["metadata"]},
        history=[{"role": "user", "text": c["turn"]}],
    )


OF_ITEM = [name for name in CANARIES if name not in ("annotator", "person", "why", "written")]


def held(assay: Assay) -> str:
    """The raw bytes of the store and of what SQLite keeps beside it."""
    return "".join(
        path.read_bytes().decode("utf-8", "replace")
        for path in (assay.db, *(assay.folder / f"assay.db{end}" for end in ("-wal", "-shm")))
        if path.exists()
    )


def left(assay: Assay, *names: str) -> set[str]:
    content = held(assay)
    return {name for name in names if CANARIES[name] in content}


def only(name: str) -> dict[str, object]:
    """The item a, alone in the store with its canaries: what others hold cannot hide it."""
    return canaried("a") if name == "a" else traffic_row(name)


@pytest.fixture
def used(assay: Assay) -> Assay:
    """A store in which item `a` alone holds canaries, judged, labelled, in the gold set, with feedback and in quarantine."""
    return once(assay, "used", lambda: fill(assay))


def fill(assay: Assay) -> None:
    """Ingest, judge, draw and label, so that every kind of text of item `a` is in the store."""
    c = CANARIES
    assay("ingest", assay.write("traffic.jsonl", [only(name) for name in "abcdefgh"]))
    revised = canaried("a") | {"answer": f"Room a is {c['turn']}.", "contexts": [f"{c['reason']} Room a is up."]}
    assay("ingest", assay.write("revised.jsonl", [revised]))
    thumbs = [{"item_id": "a", "value": -1, "comment": c["comment"], "correction": c["correction"]}]
    assay("feedback", assay.write("feedback.jsonl", thumbs))
    assay("judge")
    scores = [{"item_id": "a", "judge": "other", "value": 0.5, "reason": c["reason"]}]
    assay("scores", "import", assay.write("scores.jsonl", scores))
    assay("sample", "--labels", "8", "--seed", "1")
    rows = [
        label("a", "wrong", c["annotator"], reference=c["reference"], rationale=c["rationale"], seconds=4.5),
        label("b", "right", c["annotator"]),
        label("b", "right", "bob"),
        label("c", "wrong", c["annotator"], reference=c["written"], rationale=c["why"]),
        *(label(name, "right", "bob") for name in "defgh"),
        {"item_id": "a", "label": c["rationale"], "annotator": c["annotator"]},
    ]
    assay("labels", "import", assay.write("labels.jsonl", rows), status=4)


def measured(assay: Assay) -> dict[str, Any]:
    """The report, the draws and the counts that do not depend on any text."""
    tables = ("items", "scores", "verdicts", "draws", "labels", "annotations", "feedback", "quarantine", "gold")
    return {
        "report": {name: value for name, value in assay.json("report").items() if name not in ("at", "now")},
        "counts": {table: assay.sql(f"SELECT count(*) FROM {table}") for table in tables},
        "labels": assay.sql("SELECT item, draw, judgement, causes, harm, at FROM labels ORDER BY item"),
        "scores": assay.sql("SELECT judge, item, value FROM scores ORDER BY 1, 2"),
    }
