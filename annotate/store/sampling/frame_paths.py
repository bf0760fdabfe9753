"""Work out the chances of drawn items from the waves that framed them, once for all that were framed alike."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from proxy.evaluation.ledger import Drawing
from proxy.evaluation.nonresponse import still_waiting


class Framing(NamedTuple):
    """A wave that framed an item, the stratum that it put it in, and the item's own chance where the stratum does not tell it."""

    wave: int
    stratum: str
    own: float | None


class FramePath(NamedTuple):
    """The waves that framed an item, oldest first, with its chances; `stratum` is that of the last."""

    waves: tuple[int, ...]
    stratum: str
    chances: tuple[float, ...]
    joint: tuple[float, ...]
    by_group: tuple[float, ...]


class FramePaths:
    """The drawings with the share of each that came back: what makes the chances of an item from the waves that framed it.

    Most items of a stratum were framed alike, so what was made once is kept.
    """

    def __init__(self, drawings: Sequence[Drawing], response: Sequence[float]) -> None:
        self._drawings, self._response = drawings, response
        self.number = {(drawing.wave, drawing.stratum): n for n, drawing in enumerate(drawings)}
        self._joint = {drawing.wave for drawing in drawings if drawing.is_joint and not drawing.is_by_group}
        self._by_group = {drawing.wave for drawing in drawings if drawing.is_by_group}
        self._paths: dict[Sequence[Framing], FramePath] = {}

    def path(self, framings: tuple[Framing, ...]) -> FramePath:
        """Return the path of an item that these waves framed."""
        if framings not in self._paths:
            self._paths[framings] = self._path([framing for framing in framings if framing[:2] in self.number])
        return self._paths[framings]

    def _path(self, framings: Sequence[Framing]) -> FramePath:
        waves, chances, waiting = tuple(framing.wave for framing in framings), list[float](), 1.0
        for wave, stratum, own in framings:
            drawing = self.number[wave, stratum]
            chance = self._drawings[drawing].chance if own is None else own
            answered = self._response[drawing] * chance * waiting
            chances.append(answered)
            waiting *= still_waiting(chance, answered)

        def within(drawn_so: Collection[int]) -> tuple[float, ...]:
            return tuple(chance if wave in drawn_so else 0.0 for wave, chance in zip(waves, chances, strict=True))

        stratum = framings[-1].stratum if framings else ""
        return FramePath(waves, stratum, tuple(chances), within(self._joint), within(self._by_group))
