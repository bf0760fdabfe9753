"""Build the document of a wave that was drawn, or would be: how many answers, of which strata, and what it leaves unknown."""

from __future__ import annotations

from collections.abc import Sequence

from annotate.domain.message import Code, Kind, Message, Name, Number, Step, Value, message
from annotate.domain.sampling.outcomes import Proposed, StreamState
from annotate.present.document import Column, Document, Section, Table
from proxy.planning.allocation import StratumPlan
from proxy.planning.strata import Stratum
from proxy.planning.strata import kind as kind_of


def document(wave: Proposed, steps: Sequence[Step] = ()) -> Document:
    """Build the document of the wave; `steps` are what to do next."""
    return Document(
        answer=answer(wave),
        sections=(Section(None, (strata(wave.drawn.strata),)),),
        notes=wave.notes,
        next=tuple(steps),
    )


def answer(wave: Proposed) -> Message:
    """Say how many answers were drawn, or would be."""
    drawn, request = wave.drawn, wave.request
    values: dict[str, Value] = {
        "number": drawn.number,
        "count": drawn.draws,
        "size": sum(part.size for part in drawn.strata),
        "failed": sum(part.drawn for part in drawn.strata if part.kind is Stratum.FAILED),
        "seed": Code(str(request.seed)),
    }
    key = "waves.would_draw" if wave.is_proposal else "waves.drawn"
    if request.part is None:
        return message(key, **values)
    return message(f"{key}_of_slice", **values, part=Name(request.part))


def stream(result: StreamState, steps: Sequence[Step] = ()) -> Document:
    """Tell that a stream was opened, or what it drew until it was closed."""
    rates = {name: Number(getattr(result, name), Kind.PROBABILITY) for name in ("rate", "rate_failed")}
    if result.closed_at is None:
        key = "waves.stream_opened" if result.rate == result.rate_failed else "waves.stream_opened_at_two_rates"
        return Document(answer=message(key, **rates, seed=Code(str(result.seed))), next=tuple(steps))
    values: dict[str, Value] = {"count": result.drawn, "framed": result.framed}
    return Document(answer=message("waves.stream_closed", **values), next=tuple(steps))


def strata(parts: Sequence[StratumPlan]) -> Table:
    """What is drawn of each stratum, and by which chance."""
    columns = (
        Column(message("labelling.column_stratum"), is_wide=True),
        *(Column(message(f"labelling.column_{name}"), is_number=True) for name in ("size", "drawn", "chance")),
    )
    rows = tuple((stratum(part.stratum), part.size, part.drawn, chance(_fixed(part))) for part in parts)
    return Table(columns, rows, name="strata")


def stratum(name: str) -> Message:
    """What the items of a stratum are sampled as; `passed_2` is the second band of the passed, 1 holding the lowest values."""
    words, number = message(f"strata.{kind_of(name).value}"), name.rpartition("_")[2]
    return message("strata.band", words=words, number=int(number)) if number.isdigit() else words


def chance(probability: float | None) -> Value:
    """An inclusion probability; in words where each item has its own."""
    return message("labelling.own_chance") if probability is None else Number(probability, Kind.PROBABILITY)


def _fixed(part: StratumPlan) -> float | None:
    return part.inclusion_probability if part.is_fixed else None
