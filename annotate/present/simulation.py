"""Build the document of a simulated sample: how wide the intervals would be, and how often they held what was assumed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from annotate.analysis.planning.simulate import Simulated, SimulatedQuantity
from annotate.domain.message import Kind, Message, Number, Step, Value, message, share
from annotate.present.document import Block, Column, Document, Section, Status, Table
from annotate.present.planning import width_words
from annotate.present.quantity import kind_of

ROUNDING = 0.005  # half of what is shown


def document(simulated: Simulated, steps: Sequence[Step] = ()) -> Document:
    """Build the document of a simulation; `steps` are what to do next."""
    return Document(
        answer=_answer(simulated),
        status=Status.DONE if simulated.quantities[0].measured else Status.UNMEASURABLE,
        sections=(Section(None, tuple(_blocks(simulated))),),
        notes=tuple(_scale(simulated)),
        next=tuple(steps),
    )


def _answer(simulated: Simulated) -> Message:
    """The width for the first quantity."""
    outcome = simulated.quantities[0]
    quantity = message(f"measures.{outcome.quantity}")
    labels = simulated.request.labels
    if outcome.width is None:
        return message("simulation.unmeasured", labels=labels, quantity=quantity, count=outcome.repetitions)
    if outcome.assured is None:
        return message(
            "simulation.seldom",
            labels=labels,
            quantity=quantity,
            measured=outcome.measured,
            count=outcome.repetitions,
        )
    return message(
        "simulation.answer",
        labels=labels,
        quantity=quantity,
        width=width_words(outcome.quantity, outcome.assured),
        assurance=share(simulated.request.assurance),
        count=outcome.repetitions,
    )


def _beside(outcome: SimulatedQuantity, labels: int) -> Iterator[Message]:
    """What a plain random sample gives, how often the interval held the assumed value, and how sure the width is."""
    plain = outcome.plain
    if plain.assured is not None:
        key = {1: "plain_wider", 0: "plain_same", -1: "plain_narrower"}[plain.difference]
        wider = share(abs(plain.wider or 0.0))
        width = width_words(outcome.quantity, plain.assured)
        yield message(f"simulation.{key}", labels=labels, width=width, wider=wider)
    if outcome.coverage is not None:
        error = Number(outcome.error, Kind.POINTS)
        yield message("simulation.coverage", coverage=share(outcome.coverage), error=error, count=outcome.measured)
    if outcome.assured_error >= ROUNDING:
        yield message("simulation.unsure", error=width_words(outcome.quantity, outcome.assured_error))


def _blocks(simulated: Simulated) -> Iterator[Block]:
    yield from (message("simulation.basis", basis=words) for words in simulated.stage.basis)
    if simulated.stage.labels:
        yield message("simulation.alone", count=simulated.stage.labels)
    yield from _beside(simulated.quantities[0], simulated.request.labels)
    columns = (
        Column(message("values.quantity"), is_wide=True),
        *(
            Column(message(f"simulation.{name}"), is_number=True)
            for name in ("truth", "width", "assured", "plain", "held", "error", "measurable")
        ),
    )
    yield Table(
        columns,
        tuple(map(_row, simulated.quantities)),
        message("simulation.columns", assurance=share(simulated.request.assurance)),
        "quantities",
    )


def _row(outcome: SimulatedQuantity) -> tuple[Value, ...]:
    return (
        message(f"measures.{outcome.quantity}"),
        Number(outcome.truth, kind_of(outcome.quantity)),
        _width(outcome, outcome.width),
        _width(outcome, outcome.assured),
        _width(outcome, outcome.plain.width),
        share(outcome.coverage),
        Number(outcome.error, Kind.POINTS),
        share(outcome.measured / outcome.repetitions),
    )


def _width(outcome: SimulatedQuantity, width: float | None) -> Value:
    return None if width is None else width_words(outcome.quantity, width)


def _scale(simulated: Simulated) -> Iterator[Message]:
    """What standing in for more items changes."""
    shown, items, labels = len(simulated.stage.right), simulated.stage.items, simulated.request.labels
    if shown == items:
        return
    if labels >= shown:
        yield message("simulation.stand_for_all", shown=shown, items=items)
        return
    wider = math.sqrt((1 - labels / items) / (1 - labels / shown)) - 1
    yield message("simulation.stand_for", shown=shown, items=items, wider=share(wider))
