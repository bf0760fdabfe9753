"""Take in spans as they arrive: kept at once, and joined to answers once their trace has been quiet for a while.

A span that comes later changes its trace again, which then revises the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from annotate.domain.privacy.redaction import for_page
from annotate.domain.timestamps import Times
from annotate.progress import ProgressCounter
from annotate.store import Store
from annotate.store.traffic.feedback_quarantine import Quarantined
from annotate.store.traffic.items import Added
from annotate.traffic.formats import BY_NAME
from annotate.traffic.how_read import ReadingTally
from annotate.traffic.otlp import Otlp
from annotate.traffic.source_format import Evaluation, Reading, Unread
from annotate.traffic.spans import Span
from annotate.workflow.ingest.batches import IngestTally, Source, raw_of
from annotate.workflow.ingest.joining import join_changed
from annotate.workflow.ingest.joining import keep_spans as keep_states
from annotate.workflow.ingest.recognition import paths_of
from annotate.workflow.ingest.repairs import TRAFFIC
from annotate.workflow.ingest.tool_scores import ToolTally, keep_evaluations, settle
from annotate.workflow.judging.rule_after_import import RuleAfterImport
from proxy.text.times import iso

LIVE = "live"
OUTRANKED = "a span with this id, other content and a later end is here, and stays"


class SpansReceived(NamedTuple):
    """How many spans were new or a later state, and why others could not be read."""

    kept: int
    refused: Sequence[str]


def read_request(request: Mapping[str, object]) -> list[Reading]:
    """Read every span of a request of OTLP, or every evaluation of its log records."""
    if not request.get("resourceSpans") and not request.get("resourceLogs"):
        return []
    return list(BY_NAME[Otlp.name].read(request, paths_of(Otlp.name)))


def keep_spans(store: Store, readings: Sequence[Reading], *, origin: str, now: str) -> SpansReceived:
    """Keep spans that came from `origin`, and in quarantine what is none; call inside a transaction."""
    refused = [reading for reading in readings if isinstance(reading, Unread)]
    store.traffic.quarantine.keep(
        [Quarantined(TRAFFIC, origin, 0, reading.reason, raw_of(reading.fields)) for reading in refused], now=now
    )
    spans = [reading for reading in readings if isinstance(reading, Span)]
    evaluations = [reading.row for reading in readings if isinstance(reading, Evaluation)]
    if evaluations:
        keep_evaluations(store, evaluations, ToolTally(), origin=origin, now=now)
    taken = keep_states(store, spans, now=now)
    reasons = [for_page(reading.reason) for reading in refused]
    return SpansReceived(taken.changed, [*reasons, *[OUTRANKED] * taken.outranked])


class JoinedTraces(NamedTuple):
    """What joining traces added, and what the scores that came with them are to the rule."""

    added: Added
    effect: RuleAfterImport


def join_quiet(store: Store, *, seconds: float, now: str) -> JoinedTraces:
    """Join every trace of which nothing new has come for so many seconds; call inside a transaction or outside of one."""
    quiet_since = iso(datetime.fromisoformat(now) - timedelta(seconds=seconds))
    times = Times(now)
    with ProgressCounter("joining traces") as progress:
        tally = IngestTally(store, TRAFFIC, Source(LIVE), times, progress)
        added = join_changed(store, tally, times, ReadingTally(), now=now, quiet_since=quiet_since)
    return JoinedTraces(added, settle(store, now=now).effect)
