"""Answers with imported scores and labels, for the tests of diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from support.store import Assay, draw


def scored(item: str, relevance: float | None, faithfulness: float | None) -> list[dict[str, object]]:
    values = {"context_relevance": relevance, "faithfulness": faithfulness}
    return [
        {"item_id": item, "judge": judge, "value": value, "reason": f"{judge} of {item}", "signature": "post"}
        for judge, value in values.items()
        if value is not None
    ]


def given(
    assay: Assay,
    rows: Sequence[dict[str, Any]],
    scores: Sequence[dict[str, object]],
    labels: Sequence[dict[str, object]],
    *,
    is_drawn: bool = True,
) -> None:
    """Traffic with imported scores, all of it drawn and then labelled; hand-picked where it is not drawn."""
    assay("ingest", assay.write("traffic.jsonl", rows))
    if scores:
        assay("scores", "import", assay.write("scores.jsonl", scores))
    if is_drawn:
        draw(assay, len(rows))
    if labels:
        assay("labels", "import", assay.write("labels.jsonl", labels))


def pointed(diagnosis: dict[str, Any]) -> list[str]:
    """The stages that wrong answers of the first system point to, however few they are."""
    return [finding["stage"] for finding in diagnosis["systems"][0]["findings"] if finding["wrong"]]
