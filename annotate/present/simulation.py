"""Tell rehearsals of a sample: how wide the intervals would be, and how often they held the truth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from annotate.analysis.planning.simulate import Rehearsed, Simulated
from annotate.domain.message import Kind, Message, Number, Step, Value, message, share
from annotate.present.document import Block, Column, Document, Section, Status, Table
from annotate.present.planning import width_words
from annotate.present.quantity import kind_of


def document(simulated: Simulated, steps: Sequence[Step] = ()) -> Document:
    """Tell the rehearsals; `steps` are what to do next."""
    return Document(
        answer=_answer(simulated),
        status=Status.DONE if simulated.quantities[0].measured else Status.UNMEASURABLE,
        sections=(Section(None, tuple(_blocks(simulated))),),
        notes=tuple(_scale(simulated)),
        next=tuple(steps),
    )


def _answer(simulated: Simulated) -> Message:
    """The width for the first quantity, and whether its interval can be believed."""
    rehearsed = simulated.quantities[0]
    quantity = message(f"measures.{rehearsed.quantity}")
    labels = simulated.request.labels
    if rehearsed.width is None:
        return message("simulation.unmeasured", labels=labels, quantity=quantity, count=rehearsed.repetitions)
    return message(
        "simulation.answer",
        labels=labels,
        quantity=quantity,
        width=width_words(rehearsed.quantity, rehearsed.width),
        coverage=share(rehearsed.coverage),
        count=rehearsed.measured,
    )


def _blocks(simulated: Simulated) -> Iterator[Block]:
    if simulated.stage.labels:
        yield message("simulation.alone", count=simulated.stage.labels)
    columns = (
        Column(message("values.quantity"), is_wide=True),
        *(
            Column(message(f"simulation.{name}"), is_number=True)
            for name in ("truth", "width", "held", "error", "measurable")
        ),
    )
    yield Table(columns, tuple(map(_row, simulated.quantities)), message("simulation.columns"), "quantities")
    yield from (message("simulation.basis", basis=words) for words in simulated.stage.basis)


def _row(rehearsed: Rehearsed) -> tuple[Value, ...]:
    return (
        message(f"measures.{rehearsed.quantity}"),
        Number(rehearsed.truth, kind_of(rehearsed.quantity)),
        width_words(rehearsed.quantity, rehearsed.width) if rehearsed.width is not None else None,
        share(rehearsed.coverage),
        Number(rehearsed.error, Kind.POINTS),
        share(rehearsed.measured / rehearsed.repetitions),
    )


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
