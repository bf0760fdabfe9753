"""Say what was drawn to compare systems, or would be, and what the draws can show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotate.domain.message import Code, Kind, Listing, Message, Name, Number, Step, message
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.outcomes import DifferencePower, PairsDrawn
from annotate.present.actions import command_document
from annotate.present.document import Document

TWO = 2


def document(result: PairsDrawn, steps: Sequence[Step] = ()) -> Document:
    """Say what was drawn; `steps` are what to do next."""
    return command_document(answer(result), *lines(result), steps=steps)


def answer(result: PairsDrawn) -> Message:
    """Say how many of which answers were drawn, or would be."""
    key = "pairs.would_draw" if result.is_proposal else "pairs.drew"
    names = tuple(map(Name, result.names))
    return message(
        f"{key}_pairs" if result.design is WaveDesign.PAIRS else key,
        number=result.number,
        count=result.draws,
        size=result.answers,
        systems=Listing(names, "values.and") if len(names) == TWO else Listing(names),
        questions=result.questions,
        seed=Code(str(result.seed)),
    )


def lines(result: PairsDrawn) -> Iterator[Message]:
    """Say how they are drawn, what they can show, why they are fewer than asked for, and what comes first."""
    if result.design is WaveDesign.PAIRS:
        yield message("pairs.both_together", count=result.pairs)
    else:
        yield message("pairs.own_chance")
    if result.power is not None:
        yield from _power(result.power, "pairs" if result.design is WaveDesign.PAIRS else "labels")
    if result.draws < result.asked:
        key = "pairs.fewer_all" if result.draws == result.left else "pairs.fewer_by_chance"
        yield message(key, count=result.draws, asked=result.asked)
    if result.waiting:
        yield message("pairs.waiting", count=result.waiting)


def _power(power: DifferencePower, unit: str) -> Iterator[Message]:
    """Say how often a difference is detected, which is detected nearly always, and what that rests on."""
    points, least = (Number(value, Kind.POINTS) for value in (power.difference, power.detectable))
    yield message("pairs.power", points=points, cases=round(100 * power.share))
    yield message("pairs.detectable", points=least) if power.detectable < 1 else message("pairs.no_power")
    basis = "assumed" if power.is_assumed else "basis" if power.basis else "predicted"
    yield message(f"pairs.{basis}_{unit}", count=power.basis)
