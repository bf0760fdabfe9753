"""Join the traces whose spans came in, and make the items they hold; a trace that is not whole yet waits in the store."""

from __future__ import annotations

from annotate.domain.timestamps import Times
from annotate.store import Store
from annotate.store.traffic.items import Added
from annotate.store.traffic.spans import JOINED, KeptSpan
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


def kept(span: Span) -> KeptSpan:
    """Return a span as the store keeps it: ranked by its end, and of two that ended together by how much they hold."""
    parts = sum(map(bool, (span.question, span.answer, span.passages or span.prompt)))
    return KeptSpan(span.trace, span.id, f"{span.end or ''} {parts}", span.to_json())


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
