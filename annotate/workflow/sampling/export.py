"""Write the drawn items as rows for an expert to fill in: the texts, and empty columns for what the expert says.

In a table (CSV) conversation and passages are plain text that can be read in a cell; in JSONL they are lists, a passage with
title, date or source as an object. All texts are taken from what may leave the house. A blind row holds nothing that tells the
system, the verdict or the sampling, and its id is a key.

With a share the file asks about passages as well: by chance, of the draws that nobody has answered, as a push does
(`workflow.labelling.passage_questions`). The decision is kept, so that the answers that come back count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from annotate.domain.passage_relevance import PASSAGE_COLUMNS
from annotate.domain.passages import PassageName
from annotate.domain.privacy.redaction import in_force, outgoing, passage_names
from annotate.files import write_rows
from annotate.store import Store
from annotate.store.sampling.waves import OpenDraw
from annotate.workflow.labelling import passage_questions
from proxy.records import Item

EVENT = "draws export"
TEXTS = ("history", "question", "contexts", "answer")
TO_FILL_IN = ("label", "reference", "causes", "harm", "rationale", "annotator")
# Whether the passages of this row are asked about; only these answers count.
ASKED, YES, NO = "ask_passages", "yes", "no"
_NO_ANSWER: dict[str, object] = dict.fromkeys(PASSAGE_COLUMNS)
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


def columns(*, blind: bool, asks_passages: bool = False) -> tuple[str, ...]:
    """Return the columns of the file."""
    known = BLIND_COLUMNS if blind else COLUMNS
    return (*known, ASKED, *PASSAGE_COLUMNS) if asks_passages else known


def write(store: Store, file: str, *, every: bool, blind: bool, share: float | None = None, who: str, now: str) -> int:
    """Write the open draws, or every draw, to a file, and log it where the store can be written; return how many.

    Of a `share` of the open draws it asks about their passages; None: of none.
    """
    passage_questions.check(share, is_asked=True)
    asked = None
    if share is not None:
        asked = passage_questions.decide(store, store.sampling.waves.open_draws(), share, now=now)
    drawn = rows(store, every=every, blind=blind, is_table=file.endswith(".csv"), asked=asked)
    count = write_rows(file, columns(blind=blind, asks_passages=asked is not None), drawn)
    if store.is_writable:
        with store.atomic():
            store.audit.events.append(EVENT, {"draws": count}, who=who, now=now)
    return count


def rows(
    store: Store, *, every: bool, blind: bool, is_table: bool, asked: Collection[int] | None = None
) -> Iterator[dict[str, object]]:
    """Yield a row for each open draw, or for every draw; `asked` are the draws that are asked about passages."""
    chosen = store.sampling.waves.all_draws() if every else store.sampling.waves.open_draws()
    for start in range(0, len(chosen), BATCH):
        items = store.traffic.items.read([draw.item for draw in chosen[start : start + BATCH]])
        for draw in chosen[start : start + BATCH]:
            texts = _in_table(items[draw.item]) if is_table else _in_lines(items[draw.item])
            # The caller's id may tell the system; the draw's key tells nothing, and `labels import` knows it.
            about = {"item_id": draw.task_key} if blind else _about(draw, items[draw.item])
            passages = {} if asked is None else {ASKED: YES if draw.key in asked else NO, **_NO_ANSWER}
            yield {**about, **texts, **dict.fromkeys(TO_FILL_IN), **passages}


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
    contexts = [_passage(name, passage) for name, passage in zip(passage_names(item), text.contexts, strict=True)]
    return {"history": history, "question": text.question, "contexts": contexts, "answer": text.answer}


def _passage(name: PassageName, text: str) -> str | dict[str, str]:
    """Return a passage as traffic has it: its text, with title, date and source where it has any of them."""
    known = {"title": name.title, "date": name.date, "source": name.source}
    beside = {field: value for field, value in known.items() if value}
    return {"text": text} | beside if beside else text


def _in_table(item: Item) -> dict[str, object]:
    """Return conversation, question, passages and answer for a person: who says what; passages by number and name."""
    text = outgoing(item)
    turns = [f"{turn.role}: {turn.text}" if turn.role else turn.text for turn in text.history]
    passages = [
        f"[{rank}] {name.line}\n{passage}" if name.line else f"[{rank}] {passage}"
        for rank, (name, passage) in enumerate(zip(passage_names(item), text.contexts, strict=True), 1)
    ]
    return {
        "history": "\n\n".join(turns),
        "question": text.question,
        "contexts": "\n\n".join(passages),
        "answer": text.answer,
    }
