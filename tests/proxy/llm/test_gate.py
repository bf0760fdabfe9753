"""The gate: never more inside than the pace allows, nobody overtaken, no place lost."""

from __future__ import annotations

import asyncio
import random

import pytest

from proxy.llm.concurrency import RequestGate


def test_who_waits_gets_in_before_those_who_come_back() -> None:
    """Two workers that never pause cannot keep a third out: places go round in turn.

    With 2 places and 3 callers a place is handed over at each exit, so the third is in after at most 2 exits, and no caller is
    ever more than one turn ahead of another.
    """

    async def run() -> list[int]:
        gate, turns = RequestGate(2), [0, 0, 0]

        async def work(number: int) -> None:
            for _ in range(30):
                async with gate:
                    turns[number] += 1
                    assert max(turns) - min(turns) <= 2
                    await asyncio.sleep(0)

        await asyncio.gather(*map(work, range(3)))
        assert (gate.active, gate.most) == (0, 2)
        return turns

    assert asyncio.run(run()) == [30, 30, 30]


def test_places_are_given_in_the_order_in_which_they_were_asked_for() -> None:
    """First come, first in, with one place."""

    async def run() -> list[int]:
        gate, order = RequestGate(1), list[int]()

        async def work(number: int) -> None:
            async with gate:
                order.append(number)
                await asyncio.sleep(0)

        await asyncio.gather(*map(work, range(10)))
        return order

    assert asyncio.run(run()) == list(range(10))


@pytest.mark.parametrize("seed", range(5))
def test_cancellation_leaks_no_place(seed: int) -> None:
    """Callers cancelled inside, waiting, or in the very moment in which a place is handed to them leave all places free."""

    async def run() -> None:
        rng, gate = random.Random(seed), RequestGate(3)

        async def work() -> None:
            async with gate:
                assert gate.active <= 3
                for _ in range(rng.randrange(4)):
                    await asyncio.sleep(0)

        tasks = [asyncio.create_task(work()) for _ in range(200)]
        while any(not task.done() for task in tasks):
            rng.choice(tasks).cancel()
            if rng.random() < 0.7:
                await asyncio.sleep(0)
        assert not [task for task in tasks if not task.cancelled() and task.exception()]
        assert gate.active == 0
        assert not gate._waiting
        async with gate, gate, gate:
            assert gate.active == 3

    asyncio.run(asyncio.wait_for(run(), 20))


def test_a_grown_limit_lets_several_in_at_once() -> None:
    """One exit after the limit went from 1 to 4 lets the four that wait in together."""

    async def run() -> int:
        gate, free = RequestGate(8), asyncio.Event()
        gate.pace.limit = 1

        async def work() -> None:
            async with gate:
                await free.wait()

        async with gate:
            tasks = [asyncio.create_task(work()) for _ in range(6)]
            await asyncio.sleep(0)
            gate.pace.limit = 4
        await asyncio.sleep(0)
        inside = gate.active
        free.set()
        await asyncio.gather(*tasks)
        return inside

    assert asyncio.run(run()) == 4
