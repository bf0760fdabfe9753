"""Score on Ray: on the cluster that RAY_ADDRESS names, else on the cores of this machine, for the length of the run.

Blocks go out as tasks, and come back in the order in which they are done. Ray itself asks again for a block whose worker or
node was lost.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from annotate.workflow.judging.engines.engine import StayedHere
from annotate.workflow.judging.engines.local import cores
from proxy.errors import AssayError, UsageError
from proxy.judges.base import Judge
from proxy.scoring import Block, score_block
from proxy.workers.division import part, together
from proxy.workers.messages import packed
from proxy.workers.pool import ScoredBlock

ADDRESS = "RAY_ADDRESS"
# Of a block: as often as Ray asks again for one whose worker was lost.
RETRIES = 2
# Blocks under way for each core: the one that it scores, and one that waits for it.
BLOCKS_A_CORE = 2
KNOCK_SECONDS = 10.0


@dataclass
class RayEngine:
    """The engine for more than one machine. Judges that cannot be sent run in this process."""

    stayed_here: list[StayedHere] = field(default_factory=list)

    def score(self, blocks: Iterable[Block], judges: Sequence[Judge], *, items: int) -> Generator[ScoredBlock]:
        """Score every block once, in the order in which they are done.

        Raises
        ------
        UsageError
            Where Ray is not installed.
        AssayError
            Where the cluster cannot be reached, where it cannot load a judge, or where a block is lost again and again.
        """
        faults = _faults(judges)
        self.stayed_here = [StayedHere(judges[place].name, fault) for place, fault in faults.items()]
        with _cluster() as ray:
            yield from _scored(ray, blocks, judges, faults.keys())


def _faults(judges: Sequence[Judge]) -> dict[int, str]:
    """Return why judges cannot be sent, by their places."""
    faults: dict[int, str] = {}
    for place, judge in enumerate(judges):
        try:
            packed(judge)
        except Exception as error:  # noqa: BLE001 - code of others
            faults[place] = f"{type(error).__name__}: {error}"
    return faults


@contextmanager
def _cluster() -> Iterator[Any]:
    """Connect to the cluster, or start one on this machine that ends with this block; what the caller's program has is used."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
    try:
        import ray
    except ImportError as error:
        raise UsageError("--engine ray needs Ray: pip install 'assay[ray]'") from error
    if ray.is_initialized():
        yield ray
        return
    address = os.environ.get(ADDRESS)
    own: dict[str, Any] = {} if address else {"address": "local", "num_cpus": cores(), "include_dashboard": False}
    try:
        _knock(address or "")
        ray.init(**own, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:
        where = f"at {address} ({ADDRESS})" if address else "on this machine"
        raise AssayError(f"there is no Ray cluster {where}: {error}; --engine local needs none") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Raise OSError where nobody listens at the host and port of an address: Ray itself would try for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), KNOCK_SECONDS).close()


def _scored(ray: Any, blocks: Iterable[Block], judges: Sequence[Judge], here: Collection[int]) -> Iterator[ScoredBlock]:
    score = ray.remote(num_cpus=1, max_retries=RETRIES)(score_block)
    sent = ray.put([None if place in here else judge for place, judge in enumerate(judges)])
    most = BLOCKS_A_CORE * max(1, int(ray.cluster_resources().get("CPU", 1)))
    under_way: dict[Any, Block] = {}
    for block in blocks:
        under_way[score.remote(part(block, here, is_here=False), sent)] = block
        if len(under_way) >= most:
            yield _next_done(ray, under_way, judges, here)
    while under_way:
        yield _next_done(ray, under_way, judges, here)


def _next_done(ray: Any, under_way: dict[Any, Block], judges: Sequence[Judge], here: Collection[int]) -> ScoredBlock:
    """Wait for a block, and score what stays here of it."""
    (done, *_), _ = ray.wait(list(under_way))
    block = under_way.pop(done)
    try:
        theirs = ray.get(done)
    except ray.exceptions.RayError as error:
        raise AssayError(_lost(block, error)) from error
    if not here:
        return ScoredBlock(block, theirs)
    ours = score_block(part(block, here, is_here=True), judges)
    return ScoredBlock(block, together(block, here, ours, theirs))


def _lost(block: Block, error: Exception) -> str:
    """Say which items could not be judged on Ray, and what to do."""
    reason = " ".join(str(error).strip().splitlines()[-1:])
    return (
        f"Ray lost the items {block.items[0].id} to {block.items[-1].id} ({type(error).__name__}: {reason}): "
        "no score of these is kept; every node needs this version of assay, and the packages of the judges, and memory enough"
    )
