"""Thumbs-down by answer: what users said, and how far annotators are with it.

A thumb is a hint, never a sample: what it points at is drawn at its own known rate with the next wave, and only the label of such
a draw counts. So an answer waits until a wave has drawn it, somebody has labelled it by hand, or somebody has looked at the
complaint and set it aside, which changes no chance and is no label.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from annotate.domain.feedback import Feedback
from proxy.records import Judgement


class ComplaintState(StrEnum):
    """State of an answer with a thumb down."""

    WAITING = "waiting"
    OPEN = "open"
    LABELLED = "labelled"
    SEEN = "seen"
    UNKNOWN = "unknown"
    FORGOTTEN = "forgotten"


class Aside(NamedTuple):
    """Note of who looked at a complaint and set it aside, when, and why nothing is to be done for it."""

    who: str
    at: str
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Complaint:
    """An answer with thumbs down: how many, the newest of them first, and the wave and label that it has by now.

    `item` is the row of its content as it is now, None where no answer of this id came in. `aside` is told where it was set
    aside, as it is now and with all the thumbs that it has.
    """

    item_id: str
    item: int | None
    state: ComplaintState
    thumbs: int
    newest: tuple[Feedback, ...]
    wave: int | None
    judgement: Judgement | None
    aside: Aside | None = None


class ComplaintTally(NamedTuple):
    """Answers with thumbs down by what became of them; `right`, `wrong` and `unsure` are the labels of those that have one."""

    waiting: int = 0
    open: int = 0
    labelled: int = 0
    seen: int = 0
    unknown: int = 0
    forgotten: int = 0
    right: int = 0
    wrong: int = 0
    unsure: int = 0

    @property
    def all(self) -> int:
        """Every answer with a thumb down."""
        return self.waiting + self.open + self.labelled + self.seen + self.unknown + self.forgotten

    def of(self, state: ComplaintState) -> int:
        """Return how many are in this state."""
        return int(getattr(self, state.value))
