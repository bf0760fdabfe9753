"""Define what an engine does."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import NamedTuple, Protocol

from proxy.judges.base import Judge
from proxy.scoring import Block
from proxy.workers.pool import ScoredBlock


class StayedHere(NamedTuple):
    """A judge that ran in one process while it could have been shared out; `fault` where it cannot be sent to others."""

    judge: str
    fault: str | None = None


class Engine(Protocol):
    """Scores blocks of items."""

    @property
    def stayed_here(self) -> Sequence[StayedHere]:
        """Which judges of the last run could not be shared out."""
        ...

    def score(self, blocks: Iterable[Block], judges: Sequence[Judge], *, items: int) -> Generator[ScoredBlock]:
        """Score every block once; about so many items come.

        The blocks are read in the thread of the caller, a few ahead of those that are yielded. Scores and failures are those of
        `proxy.scoring.score_block`, whatever the order. Closing the generator ends all that was started.
        """
        ...
