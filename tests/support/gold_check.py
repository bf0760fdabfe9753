"""A gold set of six questions, new answers to them, and what a check finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from support.store import Assay, kept, label

Rows = Sequence[Mapping[str, object]]
RIGHT = "Take one tablet of 5 mg in the morning."
WRONG = "Take two tablets at night."


def answers(system: str, given: Mapping[str, str], **more: object) -> list[dict[str, object]]:
    """Traffic: each question with its answer by a system."""
    return [
        {
            "id": f"{system}-{name}",
            "question": f"How is medicine {name} taken?",
            "contexts": ["Leaflet."],
            "answer": text,
            "system": system,
        }
        | more
        for name, text in given.items()
    ]


def gold_set(assay: Assay, old: Rows, labels: Rows) -> None:
    """Old answers with labels, all that they offer accepted."""
    assay("ingest", assay.write("old.jsonl", old))
    assay("labels", "import", assay.write("labels.jsonl", labels))
    assay("gold", "accept", "--all")


def known(assay: Assay, count: int = 20) -> None:
    """Labelled answers with a reference in other words, outside the gold set: they show that the judge tells right from wrong."""
    right, wrong = ({f"{kind}{n}": text for n in range(count)} for kind, text in (("kr", RIGHT), ("kw", WRONG)))
    rows = answers("known", right, reference=f"{RIGHT} Yes.") + answers("known", wrong, reference=RIGHT)
    assay("ingest", assay.write("known.jsonl", rows))
    labels = [label(f"known-{name}") for name in right] + [label(f"known-{name}", "wrong") for name in wrong]
    assay("labels", "import", assay.write("known_labels.jsonl", labels))


def checked(assay: Assay, new: Rows, *args: str, status: int = 0) -> dict[str, Any]:
    """The check of these new answers."""
    assay("ingest", assay.write("new.jsonl", new))
    return assay.json("gold", "check", "--system", "new", *args, status=status)


def fate(check: Mapping[str, Any], name: str) -> str:
    return next(str(item["fate"]) for item in check["items"] if f" {name} " in item["question"])


def entry(assay: Assay, item: str) -> str:
    return str(assay.sql(f"SELECT gold_id FROM gold g JOIN items i ON i.key = g.item WHERE i.id = '{item}'")[0][0])


@kept
def six(assay: Assay) -> Assay:
    """Six questions: a, b and c were answered right, d, e and f wrong, with references of the annotator's own."""
    old = {name: RIGHT if name in "abc" else WRONG for name in "abcdef"}
    labels = [
        label(f"old-{name}", "right" if name in "abc" else "wrong", reference=None if name in "abc" else RIGHT)
        for name in old
    ]
    gold_set(assay, answers("old", old), labels)
    return assay
