"""A judged store, and what the gate says of it."""

from __future__ import annotations

from support.scored import scored
from support.store import Assay, traffic_row


def judged(assay: Assay, count: int = 300) -> list[str]:
    """Items of which two in three have a score above the threshold, all drawn, and right as the judge says."""
    rows = [traffic_row(f"t{k:03}") for k in range(count)]
    ids = scored(assay, rows, [0.1 if k % 3 == 0 else 0.9 for k in range(count)])
    assay("sample", "--labels", "1000", "--seed", "7")
    said = [
        {"item_id": name, "label": "wrong" if k % 3 == 0 else "right", "annotator": "ann"} for k, name in enumerate(ids)
    ]
    assay("labels", "import", assay.write("labels.jsonl", said))
    return ids


def says(assay: Assay, item: str, word: str, who: str, **more: object) -> None:
    row = {"item_id": item, "label": word, "annotator": who, **more}
    assay("labels", "import", assay.write(f"{item}-{who}.jsonl", [row]))
