"""Ask for vectors in batches: the texts that several jobs want at the same moment go into one request, each text once.

A vector that is known is not asked for. Where a batch fails for what may be one of its texts, each half is asked by itself, so
that the others have their vectors.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from proxy.judges.llm.embedding import TextsToEmbed, Vector
from proxy.llm.attempt import RequestOutcome
from proxy.llm.embeddings import EmbeddingEndpoint
from proxy.llm.requesting import OF_A_PART, BatchTooLarge, EndpointState, GaveUp, PendingRequest, Requester, RunStopped

MOST_TEXTS = 64
MOST_CHARACTERS = 100_000
# For jobs that are led at the same time to ask together; far below the time that a request takes.
GATHERING_SECONDS = 0.005


class VectorKeeper(Protocol):
    """Where vectors are kept; `item` and `items` are the jobs' keys, whose texts they are of."""

    def known(self, texts: Sequence[str], item: int | None) -> Mapping[str, Vector]:
        """Return the vectors that are kept, and note that they are of this item's texts too."""
        ...

    def keep(self, exchange: RequestOutcome, vectors: Mapping[str, tuple[Vector, Collection[int]]]) -> None:
        """Keep a request, and its vectors with the items of each text."""
        ...


@dataclass
class _Wanted:
    """A text whose vector is asked for: who waits for it, and the items that it is of."""

    vector: asyncio.Future[Vector]
    items: set[int] = field(default_factory=set)


class EmbeddingBatches:
    """The vectors of a run."""

    def __init__(
        self,
        endpoint: EmbeddingEndpoint,
        state: EndpointState,
        requester: Requester,
        keeper: VectorKeeper,
        deadline: float,
        start: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self._endpoint, self._state, self._requester, self._keeper = endpoint, state, requester, keeper
        self._deadline, self._start = deadline, start
        self._wanted: dict[str, _Wanted] = {}
        self._waiting: list[str] = []
        self._timer: asyncio.TimerHandle | None = None

    async def vectors(self, request: TextsToEmbed, item: int | None) -> tuple[Vector, ...]:
        """Return the vector of each text.

        Raises
        ------
        GaveUp
            Where one of them has none.
        RunStopped
            Where the run was stopped before.
        """
        known = self._keeper.known(request.texts, item)
        wanted = {text: self._want(text, item) for text in request.texts if text not in known}
        try:
            if wanted:
                await asyncio.wait({want.vector for want in wanted.values()})
        except asyncio.CancelledError:
            self._drop_waiting()
            raise
        given = {**known, **{text: want.vector.result() for text, want in wanted.items()}}
        return tuple(given[text] for text in request.texts)

    def _want(self, text: str, item: int | None) -> _Wanted:
        want = self._wanted.get(text)
        if want is None:
            want = self._wanted[text] = _Wanted(asyncio.get_running_loop().create_future())
            # What nobody waits for any more, since another text of the same item failed, is no error of its own.
            want.vector.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._waiting.append(text)
            self._send_when_full()
        if item is not None:
            want.items.add(item)
        return want

    def _send_when_full(self) -> None:
        if len(self._waiting) >= MOST_TEXTS or sum(map(len, self._waiting)) >= MOST_CHARACTERS:
            self._send()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(GATHERING_SECONDS, self._send)

    def _send(self) -> None:
        """Ask for what has gathered."""
        if texts := self._drop_waiting():
            self._start(self._asked(TextsToEmbed(tuple(texts))))

    def _drop_waiting(self) -> list[str]:
        """Return what has gathered and begin anew; a run that is cancelled begins no request."""
        if self._timer is not None:
            self._timer.cancel()
        texts, self._waiting, self._timer = self._waiting, [], None
        return texts

    async def _asked(self, batch: TextsToEmbed) -> None:
        """Ask for a batch, and hand every vector or the failure to those who wait."""
        try:
            exchange = await self._requester.answered(self._request(batch))
        except BatchTooLarge:
            self._halve(batch)
        except GaveUp as gave_up:
            if len(batch.texts) > 1 and gave_up.exchange.outcome in OF_A_PART:
                self._halve(batch)
            else:
                self._settle(batch, gave_up)
        except RunStopped as stop:
            self._settle(batch, stop)
        except asyncio.CancelledError:
            for text in batch.texts:
                self._wanted.pop(text).vector.cancel()
            raise
        else:
            pairs = list(zip(batch.texts, exchange.vectors, strict=True))
            self._keeper.keep(exchange, {text: (vector, self._wanted[text].items) for text, vector in pairs})
            for text, vector in pairs:
                self._wanted.pop(text).vector.set_result(vector)

    def _halve(self, batch: TextsToEmbed) -> None:
        middle = len(batch.texts) // 2
        for half in (batch.texts[:middle], batch.texts[middle:]):
            self._start(self._asked(TextsToEmbed(half)))

    def _settle(self, batch: TextsToEmbed, failure: Exception) -> None:
        for text in batch.texts:
            self._wanted.pop(text).vector.set_exception(failure)

    def _request(self, batch: TextsToEmbed) -> PendingRequest:
        return PendingRequest(
            ask=batch,
            most=0,
            state=self._state,
            send=lambda: self._endpoint.embed(batch, self._deadline),
            keep=lambda exchange: self._keeper.keep(exchange, {}),
            is_divisible=len(batch.texts) > 1,
        )
