"""Join the traces whose spans came in, and make the items they hold; a trace that is not whole yet waits in the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from annotate.domain.timestamps import Times
from annotate.store import Store
from annotate.store.traffic.items import Added
from annotate.store.traffic.spans import JOINED, KeptSpan, OutrankedSpan
from annotate.traffic.how_read import ReadingTally
from annotate.traffic.joining import WaitReason, join
from annotate.traffic.rows import item_from_row
from annotate.traffic.source_format import TrafficRow
from annotate.traffic.spans import Span
from annotate.workflow.ingest.batches import IngestTally
from annotate.workflow.ingest.field_readers import field_readers
from annotate.workflow.ingest.question_answers import REASON, QuestionAnswers
from proxy.errors import InputError
from proxy.records import Item

BATCH_TRACES = 500
BATCH_BYTES = 8_000_000


# Sorts after every time.
ABOVE_TIMES = "~"


def kept(span: Span, *, corrected_at: str | None = None) -> KeptSpan:
    """Return a span as the store keeps it: ranked by its end, and of two that ended together by how much they hold.

    One of an import that corrects what is here ranks above all that came before it.
    """
    parts = sum(map(bool, (span.question, span.answer, span.passages or span.prompt)))
    above = f"{ABOVE_TIMES}{corrected_at} " if corrected_at else ""
    return KeptSpan(span.trace, span.id, f"{above}{span.end or ''} {parts}", span.to_json())


class SpansTaken(NamedTuple):
    """How many spans were new or a later state, and how many say something else than the state that stays."""

    changed: int
    outranked: int


def keep_spans(store: Store, spans: Sequence[Span], *, now: str, corrects: bool = False) -> SpansTaken:
    """Keep the spans that are new or a later state; call inside a transaction.

    Two whole states with one end and different answers are as two of one rank: the last one counts, whichever holds more.
    """
    states = (kept(span, corrected_at=now if corrects else None) for span in spans)
    changed, outranked = store.traffic.spans.keep(states, now=now)
    others = [state for state in outranked if _differs(state)]
    last = [state.new for state in others if _is_as_late(state)]
    store.traffic.spans.replace(last, now=now)
    return SpansTaken(changed + len(last), len(others) - len(last))


def _differs(state: OutrankedSpan) -> bool:
    """Return whether a state says something else, and not merely less, as that of a call that has only begun."""
    new, here = Span.from_json(state.new.content), Span.from_json(state.content)
    pairs = ((new.question, here.question), (new.answer, here.answer), (new.passages, here.passages))
    return any(ours and theirs and ours != theirs for ours, theirs in pairs)


def _is_as_late(state: OutrankedSpan) -> bool:
    """Return whether a state ended with the one that is kept, and has a question and an answer where that has them."""
    new, here = Span.from_json(state.new.content), Span.from_json(state.content)
    is_whole = bool(new.question) >= bool(here.question) and bool(new.answer) >= bool(here.answer)
    return is_whole and new.end == here.end and (new.question, new.answer) != (here.question, here.answer)


def join_changed(
    store: Store, tally: IngestTally, times: Times, joined: ReadingTally, *, now: str, quiet_since: str | None = None
) -> Added:
    """Join every trace that changed since it was joined last, and not after `quiet_since`; each batch is one transaction."""
    added, questions = Added(), QuestionAnswers(store)
    while traces := store.traffic.spans.changed(BATCH_TRACES, quiet_since or now):
        states: list[tuple[str, str]] = []
        answers: list[tuple[TrafficRow, Item]] = []
        refused: list[tuple[str, str]] = []
        with store.atomic():
            size = 0
            for trace, contents in store.traffic.spans.of(traces):
                size += sum(map(len, contents))
                rows = join([Span.from_json(content) for content in contents])
                states.append((trace, rows.value if isinstance(rows, WaitReason) else JOINED))
                for row in () if isinstance(rows, WaitReason) else rows:
                    try:
                        item = item_from_row(row.fields, {}, times)
                    except InputError as error:
                        refused.append((trace, str(error)))
                        continue
                    if reason := REASON if questions.is_answer(item) else tally.masking.count(item):
                        refused.append((trace, reason))
                    else:
                        answers.append((row, item))
                if size > BATCH_BYTES:
                    break
            items = [item for _, item in answers]
            added = added.plus(store.traffic.items.add(items, now=now, readers=field_readers(store)))
            store.traffic.spans.mark(states, now=now)
            tally.close_traces([item for _, item in answers], refused)
        joined.add(answers)
    return added
