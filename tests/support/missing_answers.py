"""Traffic of which some is labelled, and what the report says of what is missing."""

from __future__ import annotations

from collections.abc import Sequence

from support.scored import scored
from support.store import Assay, traffic_row


def traffic(assay: Assay, count: int = 300, *, first: int = 0, **more: object) -> list[str]:
    """Items of which three in four pass, two to a group; every tenth has no passages."""
    ids = [f"t{k:03}" for k in range(first, first + count)]
    rows = [
        traffic_row(name, group=f"g{k // 2}", **({"contexts": []} if k % 10 == 0 else {}), **more)
        for k, name in enumerate(ids, first)
    ]
    return scored(assay, rows, [0.1 if k % 4 == 0 else 0.9 for k in range(first, first + count)])


def passes(name: str) -> bool:
    return int(name[1:]) % 4 != 0


def says(assay: Assay, names: Sequence[str], *, unsure: Sequence[str] = (), who: str = "ann") -> None:
    """Labels as the judge has it; `unsure` ones beside."""
    rows = [{"item_id": name, "label": "right" if passes(name) else "wrong", "annotator": who} for name in names]
    rows += [{"item_id": item, "label": "unsure", "annotator": who} for item in unsure]
    assay("labels", "import", assay.write(f"labels-{who}.jsonl", rows))
