"""Draw answers as they arrive, while a stream is open: each has one chance, as soon as the judges of the rule have tried it.

What `assay sample --rate` decides for all new answers at once is decided here for a few at a time, by the same random numbers.
Each answer's chance is kept in a frame, drawn or not, in the same transaction; an answer in a frame is not decided again. A
wave of a stream covers one day and one rule, so that late labels delay the estimates of that day only.
"""

from __future__ import annotations

from typing import NamedTuple

from annotate.domain.sampling import designs
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.outcomes import StreamState
from annotate.domain.sampling.proposal import ProposalRequest, drawing
from annotate.store import Store
from annotate.store.sampling.streams import Stream
from annotate.store.sampling.waves import Wave
from annotate.workflow.judging.rules import follow_scores
from annotate.workflow.sampling.draw import draws_of, framed, numbers, salt_of
from proxy.errors import UsageError

OPENED = "stream opened"
CLOSED = "stream closed"
DREW = "stream"
# Of one transaction, so that what arrives meanwhile does not wait long; and of a wave, whose frame is sealed as a whole.
MOST_TOGETHER = 500
MOST_OF_A_WAVE = 50_000
ALREADY_OPEN = "a stream is open since {at}: end it with `assay sample --close` first"
NONE_OPEN = "no stream is open: `assay sample --stream --rate 0.02` opens one"


class Arrived(NamedTuple):
    """Counts of answers that had their chance in this call, and of those that were drawn."""

    framed: int = 0
    drawn: int = 0


def open_stream(
    store: Store, rate: float, rate_failed: float | None = None, seed: int | None = None, *, who: str, now: str
) -> StreamState:
    """Open a stream for the answers that arrive from now on; UsageError where one is open."""
    with store.atomic(durable=True):
        if (before := store.sampling.streams.current()) is not None:
            raise UsageError(ALREADY_OPEN.format(at=before.opened_at))
        seed = designs.new_seed() if seed is None else seed
        stream = store.sampling.streams.open(rate, rate if rate_failed is None else rate_failed, seed, now=now)
        detail = {"rate": stream.rate, "rate_failed": stream.rate_failed, "seed": stream.seed}
        store.audit.events.append(OPENED, detail, who=who, now=now)
    return _state(store, stream)


def close_stream(store: Store, *, who: str, now: str) -> StreamState:
    """End the open stream; what it drew stays. UsageError where none is open."""
    with store.atomic(durable=True):
        stream = store.sampling.streams.current()
        if stream is None:
            raise UsageError(NONE_OPEN)
        store.sampling.streams.close(now=now)
        state = _state(store, stream, closed_at=now)
        store.audit.events.append(CLOSED, {"framed": state.framed, "drawn": state.drawn}, who=who, now=now)
    return state


def draw_arrived(store: Store, *, who: str, now: str, after: int = 0) -> Arrived:
    """Give each answer that has arrived, and that the judges of the rule in force have tried, its chance; at most a few hundred.

    Nothing is done where no stream is open. `after` is a row up to which every answer had its chance.
    """
    if store.sampling.streams.current() is None:
        return Arrived()
    follow_scores(store, now=now)
    with store.atomic(durable=True):
        # Again, inside: what came since has its verdict before its stratum is decided.
        key, rule = follow_scores(store, now=now)
        stream = store.sampling.streams.current()
        if stream is None:
            return Arrived()
        judges = list(store.scores.known_keys(list(rule.signatures.items())).values())
        rows = store.sampling.streams.ready(max(after, stream.after), judges, MOST_TOGETHER)
        if not rows:
            return Arrived()
        request = ProposalRequest(
            seed=stream.seed, design=WaveDesign.STREAM, rate=stream.rate, rate_failed=stream.rate_failed
        )
        salt = salt_of(request, 0)
        frame = store.sampling.waves.frame(key, rows=rows)
        drawn = drawing(frame, request, numbers(store, frame, request.design, salt))
        number = _wave(store, stream, key, f"{rule.name} v{rule.version}", salt, now=now)
        draws = draws_of(store, frame, drawn, salt)
        store.sampling.waves.extend(number, drawn.plans, framed(frame, drawn), draws, at=now)
        arrived = Arrived(len(rows), len(draws))
        store.audit.events.append(DREW, {"wave": number, **arrived._asdict()}, who=who, now=now)
    return arrived


def _wave(store: Store, stream: Stream, rule: int, name: str, salt: str, *, now: str) -> int:
    """Return the wave that the stream draws into now, begun where the one before is over."""
    waves = store.sampling.waves
    if stream.wave is not None and waves.grows(stream.wave, rule, day=now[:10], most=MOST_OF_A_WAVE):
        return stream.wave
    number = waves.next_number()
    waves.write(Wave(number, name, stream.seed, 0, 0.0, now, strata=(), design=WaveDesign.STREAM), rule, salt, None, ())
    store.sampling.streams.draw_into(stream.key, number)
    return number


def _state(store: Store, stream: Stream, closed_at: str | None = None) -> StreamState:
    totals = store.sampling.streams.totals(stream)
    return StreamState(stream.rate, stream.rate_failed, stream.seed, stream.opened_at, closed_at, *totals)
