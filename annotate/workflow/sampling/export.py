"""Write the drawn items as rows for an expert to fill in: the texts, and empty columns for what the expert says.

In a table (CSV) conversation and passages are plain text that can be read in a cell; in JSONL they are lists. All texts are taken
from what may leave the house. A blind row holds nothing that tells the system, the verdict or the sampling, and its id is a key.
"""

from __future__ import annotations

from collections.abc import Iterator

from annotate.domain.privacy.redaction import in_force, outgoing, titles
from annotate.files import write_rows
from annotate.store import Store
from annotate.store.sampling.waves import OpenDraw
from proxy.records import Item

EVENT = "draws export"
TEXTS = ("history", "question", "contexts", "answer")
TO_FILL_IN = ("label", "reference", "causes", "harm", "rationale", "annotator")
BLIND_COLUMNS = ("item_id", *TEXTS, *TO_FILL_IN)
COLUMNS = (
    "wave",
    "item_id",
    "stratum",
    "inclusion_probability",
    *TEXTS,
    "system",
    "timestamp",
    "language",
    *TO_FILL_IN,
)
BATCH = 500


def columns(*, blind: bool) -> tuple[str, ...]:
    """Return the columns of the file."""
    return BLIND_COLUMNS if blind else COLUMNS


def write(store: Store, file: str, *, every: bool, blind: bool, who: str, now: str) -> int:
    """Write the open draws, or every draw, to a file, and log it where the store can be written; return how many."""
    drawn = rows(store, every=every, blind=blind, is_table=file.endswith(".csv"))
    count = write_rows(file, columns(blind=blind), drawn)
    if store.is_writable:
        with store.atomic():
            store.audit.events.append(EVENT, {"draws": count}, who=who, now=now)
    return count


def rows(store: Store, *, every: bool, blind: bool, is_table: bool) -> Iterator[dict[str, object]]:
    """Yield a row for each open draw, or for every draw."""
    chosen = store.sampling.waves.all_draws() if every else store.sampling.waves.open_draws()
    for start in range(0, len(chosen), BATCH):
        items = store.traffic.items.read([draw.item for draw in chosen[start : start + BATCH]])
        for draw in chosen[start : start + BATCH]:
            texts = _in_table(items[draw.item]) if is_table else _in_lines(items[draw.item])
            # The caller's id may tell the system; the draw's key tells nothing, and `labels import` knows it.
            about = {"item_id": draw.task_key} if blind else _about(draw, items[draw.item])
            yield {**about, **texts, **dict.fromkeys(TO_FILL_IN)}


def _about(draw: OpenDraw, item: Item) -> dict[str, object]:
    """Return where a drawn item comes from, and with which chance it was drawn."""
    return {
        "wave": draw.wave,
        "item_id": draw.item_id,
        "stratum": draw.stratum,
        "inclusion_probability": draw.inclusion_probability,
        "system": in_force().optional(item.system),
        "timestamp": item.timestamp,
        "language": item.language,
    }


def _in_lines(item: Item) -> dict[str, object]:
    """Return conversation, question, passages and answer for a machine."""
    text = outgoing(item)
    history = [{"role": turn.role, "text": turn.text} for turn in text.history]
    return {"history": history, "question": text.question, "contexts": list(text.contexts), "answer": text.answer}


def _in_table(item: Item) -> dict[str, object]:
    """Return conversation, question, passages and answer for a person: who says what, numbered passages with title."""
    text = outgoing(item)
    turns = [f"{turn.role}: {turn.text}" if turn.role else turn.text for turn in text.history]
    passages = [
        f"[{rank}] {title}\n{passage}" if title else f"[{rank}] {passage}"
        for rank, (title, passage) in enumerate(zip(titles(item), text.contexts, strict=True), 1)
    ]
    return {
        "history": "\n\n".join(turns),
        "question": text.question,
        "contexts": "\n\n".join(passages),
        "answer": text.answer,
    }
