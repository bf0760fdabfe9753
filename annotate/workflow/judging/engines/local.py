"""Score on the cores of this machine: in this process where there is little to do, else in worker processes."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotate.domain.child_environment import MACHINE, PYTHON, kept
from annotate.plugins import is_of_package
from annotate.workflow.judging.engines.engine import StayedHere
from proxy.judges.base import Judge
from proxy.scoring import Block, score_block
from proxy.workers.pool import ScoredBlock, WorkerPool

# Chosen: workers take about 0.3 s to start, in which one process judges some 100 to 200 items.
FEWEST_ITEMS = 500
# What a container may use, "max" or microseconds, and of how many.
CPU_LIMIT = Path("/sys/fs/cgroup/cpu.max")


@dataclass
class LocalEngine:
    """The default engine.

    Attributes
    ----------
    workers
        Processes that score; 1 is this one alone. None: one for each core that this process may use, this one alone for fewer
        than 500 items; judges of other packages stay in this process, as they may hold a model or count what they see.
    """

    workers: int | None = None
    stayed_here: list[StayedHere] = field(default_factory=list)

    def score(self, blocks: Iterable[Block], judges: Sequence[Judge], *, items: int) -> Generator[ScoredBlock]:
        """Score every block once, in their order."""
        self.stayed_here = []
        others = [place for place, judge in enumerate(judges) if is_of_package(judge.signature)]
        stay = others if self.workers is None else []
        count = self._count(items)
        if count > 1:
            self.stayed_here = [StayedHere(judges[place].name) for place in stay]
        if count == 1 or len(stay) == len(judges):
            yield from (ScoredBlock(block, score_block(block, judges)) for block in blocks)
            return
        environment = _environment(has_others=len(others) > len(stay))
        with WorkerPool(judges, count, stay=stay, environment=environment) as pool:
            self.stayed_here += [StayedHere(judges[place].name, fault) for place, fault in sorted(pool.faults.items())]
            yield from pool.score(blocks)

    def _count(self, items: int) -> int:
        if self.workers is not None:
            return max(1, min(self.workers, items))
        return cores() if items >= FEWEST_ITEMS else 1


def cores() -> int:
    """Return how many cores this process may use, at least 1."""
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(own, _allowed(own)))


def _allowed(otherwise: int) -> int:
    """Return the whole cores that the container may use, where it has a limit."""
    try:
        quota, period = CPU_LIMIT.read_text(encoding="ascii").split()
        return int(quota) // int(period)
    except (OSError, ValueError):
        return otherwise


def _environment(*, has_others: bool) -> Mapping[str, str]:
    """Return the variables that workers get: judges of other packages those that they would find in this process."""
    return dict(os.environ) if has_others else kept(os.environ, (*MACHINE, *PYTHON))
