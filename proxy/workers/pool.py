"""Share blocks of items among worker processes; the outcomes are those of one process, in the same order.

A few blocks are under way at a time. A worker that dies is replaced, and its block is scored once more as a whole.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain
from queue import SimpleQueue
from threading import Lock
from typing import NamedTuple, Self, cast

from proxy.errors import AssayError
from proxy.judges.base import Judge
from proxy.scoring import Block, score_block
from proxy.workers.division import Outcomes, part, together
from proxy.workers.messages import packed
from proxy.workers.worker import Worker, WorkerDied

# Blocks under way for each worker: the one that it scores, and one that waits for it.
BLOCKS_A_WORKER = 2


class ScoredBlock(NamedTuple):
    """A block and its outcomes, as `score_block` gives them."""

    block: Block
    outcomes: Outcomes


class WorkerPool:
    """Worker processes with the same judges; those that cannot be sent there, or are to stay here, run in this process.

    Use it as a context: at its end, however it comes, no worker is left.

    Parameters
    ----------
    judges : sequence of Judge
        In the order of the places that blocks name.
    workers : int
        How many processes.
    stay : collection of int
        Places of judges that run in this process.
    environment : mapping, optional
        The variables that a worker gets; without it, those of this process.

    Attributes
    ----------
    faults : dict of int to str
        By their places, why judges that were to run in workers cannot.
    """

    def __init__(
        self,
        judges: Sequence[Judge],
        workers: int,
        *,
        stay: Collection[int] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.faults: dict[int, str] = {}
        self._judges = judges
        self._environment = dict(os.environ) if environment is None else environment
        self._sent = [
            self._sendable(place, judge) if place not in stay else packed(None) for place, judge in enumerate(judges)
        ]
        self._here = {*stay, *self.faults}
        self._started: list[Worker] = []
        self._idle: SimpleQueue[Worker] = SimpleQueue()
        self._count = workers
        self._threads = ThreadPoolExecutor(workers)
        self._lock, self._is_closed = Lock(), False

    def _sendable(self, place: int, judge: Judge) -> bytes:
        try:
            return packed(judge)
        except Exception as error:  # noqa: BLE001 - code of others
            self.faults[place] = f"{type(error).__name__}: {error}"
            return packed(None)

    def __enter__(self) -> Self:
        """Start the workers, which find out which judges they can load."""
        try:
            if len(self._here) < len(self._judges):
                self._start_all()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _start_all(self) -> None:
        workers = [self._start() for _ in range(self._count)]
        for worker in workers:
            self._note(self._faults_of(worker))
            self._idle.put(worker)
        self._here |= self.faults.keys()

    def _note(self, faults: Sequence[str | None]) -> None:
        for place, fault in enumerate(faults):
            if fault is not None:
                self.faults.setdefault(place, fault)

    def _start(self) -> Worker:
        """Start a worker, unless all are being ended."""
        with self._lock:
            if self._is_closed:
                raise AssayError("the workers have been ended")
            try:
                worker = Worker(self._sent, self._environment)
            except OSError as error:
                raise AssayError(f"no worker process can be started ({error}): use one, --workers 1") from error
            self._started.append(worker)
            return worker

    @staticmethod
    def _faults_of(worker: Worker) -> list[str | None]:
        try:
            return worker.faults()
        except WorkerDied as death:
            raise AssayError(f"a worker process ended at its start ({death}): use one process, --workers 1") from death

    def score(self, blocks: Iterable[Block]) -> Generator[ScoredBlock]:
        """Score the blocks, and yield them in their order; they are read as they are needed, in the caller's thread.

        Raises
        ------
        AssayError
            Where a block ended two workers.
        """
        under_way: deque[tuple[Block, Future[Outcomes]]] = deque()
        for block in blocks:
            under_way.append((block, self._threads.submit(self._score_away, part(block, self._here, is_here=False))))
            if len(under_way) >= BLOCKS_A_WORKER * self._count:
                yield self._scored(*under_way.popleft())
        while under_way:
            yield self._scored(*under_way.popleft())

    def _scored(self, block: Block, away: Future[Outcomes]) -> ScoredBlock:
        """Score what stays here, and put it beside what comes from a worker in the order of the judges."""
        if not self._here:
            return ScoredBlock(block, away.result())
        here = score_block(part(block, self._here, is_here=True), self._judges)
        return ScoredBlock(block, together(block, self._here, here, away.result()))

    def _score_away(self, block: Block) -> Outcomes:
        """Have a block scored by the next worker that is free; where it dies, by one that takes its place."""
        if not any(block.places):
            return [[] for _ in block.items]
        request = packed(block)
        worker = self._idle.get()
        try:
            try:
                reply = worker.ask(request)
            except WorkerDied:
                worker.close()
                worker = self._replacement()
                reply = worker.ask(request)
        except WorkerDied as death:
            raise AssayError(_twice(block, death)) from death
        finally:
            self._idle.put(worker)
        if isinstance(reply, str):
            raise AssayError(
                f"a worker process cannot send what a judge returned ({reply}): use one process, --workers 1"
            )
        return cast("Outcomes", reply)

    def _replacement(self) -> Worker:
        worker = self._start()
        self._faults_of(worker)
        return worker

    def close(self) -> None:
        """End every worker, and wait until they have ended."""
        with self._lock:
            self._is_closed = True
        for worker in self._started:
            worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._started:
            worker.close()


def _twice(block: Block, death: WorkerDied) -> str:
    """Say which items a worker died on, and what to do."""
    ids = [item.id for item in chain(block.items[:1], block.items[-1:])]
    return (
        f"two worker processes ended while they judged the items {ids[0]} to {ids[1]} ({death}): no score of these is kept; "
        "where memory is short, run it again with fewer workers (--workers 1 is this process alone)"
    )
