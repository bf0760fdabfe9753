"""Send labels, verdicts and judges' scores to where the traces are: a tracer's API, an OTLP endpoint, or a file of OTLP."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass

from annotate.analysis.outgoing_scores import outgoing_scores
from annotate.domain.outgoing_score import OutgoingKind, OutgoingScore
from annotate.files import write_rows
from annotate.store import Store
from annotate.traffic import otlp_scores
from annotate.traffic.langfuse_api import LangfuseApi
from proxy.errors import UsageError

EVENT = "scores export"
LANGFUSE, OTLP = f"{LangfuseApi.name}:", "otlp:"


@dataclass(kw_only=True, slots=True)
class SentScores:
    """The scores that were sent, and how many answers' scores were not because no trace of theirs came here."""

    destination: str
    sent: int = 0
    without_trace: int = 0

    def counted(self, scores: Iterator[OutgoingScore], *, needs_trace: bool) -> Iterator[OutgoingScore]:
        """Yield what is sent, and count it."""
        for score in scores:
            if needs_trace and not score.is_trace:
                self.without_trace += 1
            else:
                self.sent += 1
                yield score


def is_destination(name: str) -> bool:
    """Return whether this names a program or OTLP, and no file of our own rows."""
    return name == LANGFUSE or name.startswith(OTLP)


def send(store: Store, destination: str, kinds: Collection[OutgoingKind], *, who: str, now: str) -> SentScores:
    """Send scores and log it: to `langfuse:`, `otlp:http://HOST:4318`, `otlp:` (as OpenTelemetry's variables say) or `otlp:FILE`.

    Sent again they take their own places. UsageError for another destination, SourceError where they are not taken.
    """
    done = SentScores(destination=destination)
    if destination == LANGFUSE:
        scores = outgoing_scores(store, kinds, but_of=LangfuseApi.name)
        with closing(LangfuseApi()) as langfuse:
            langfuse.send(done.counted(scores, needs_trace=True))
    else:
        _send_otlp(store, destination.removeprefix(OTLP), kinds, done)
    with store.atomic():
        detail = {"scores": done.sent, "kinds": sorted(kinds)}
        store.audit.events.append(EVENT, detail, who=who, now=now)
    return done


def _send_otlp(store: Store, place: str, kinds: Collection[OutgoingKind], done: SentScores) -> None:
    scores = done.counted(outgoing_scores(store, kinds, but_of="opentelemetry"), needs_trace=False)
    if not place or place.startswith(("http://", "https://")):
        otlp_scores.post(scores, place)
    elif place == "-" or place.endswith(".jsonl"):
        write_rows(place, ("resourceLogs",), otlp_scores.requests(scores))
    else:
        raise UsageError(f"otlp:{place}: name an endpoint, http://HOST:4318, or a file that ends in .jsonl")
