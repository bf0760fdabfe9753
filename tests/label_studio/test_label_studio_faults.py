"""Whatever the network does to us, each draw is one task in one project after it: against a server in memory, over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from support.fake_server import TOKEN, FakeServer, on_a_port
from support.fault_proxy import Fault, FaultProxy
from support.faults import FAULTS, LATE, MARK, PLACES, check, until_done
from support.tiers import shortly

# What may do the work twice is tried at every place, and every fault at the request that brings the tasks.
TWICE = (Fault.DROP_AFTER, Fault.REPEAT)
TRIED = {*product(TWICE, PLACES), *product(FAULTS, ["an import"])}

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("impatient")]


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


@pytest.fixture
def proxy(server: FakeServer) -> Iterator[FaultProxy]:
    with on_a_port(server) as url:
        between = FaultProxy(url)
        yield between
        between.refuse()


@pytest.mark.parametrize(("fault", "place"), shortly(product(FAULTS, PLACES), *TRIED))
def test_after_a_fault_and_another_run_each_key_is_one_task(
    proxy: FaultProxy, server: FakeServer, fault: Fault, place: str
) -> None:
    """Any fault at any request, at the first or the second of its kind, leaves one project with each task once."""
    method, path = PLACES[place]
    for nth in (1, 2):
        mark = f"{MARK}:{nth}"
        proxy.fail(fault, method=method, path=path, nth=nth, status=500 if nth == 1 else 502)
        check(proxy, TOKEN, mark, until_done(proxy, TOKEN, mark))

        assert sum(mark in row["description"] for row in server.projects.values()) == 1

    assert (fault, method) in {struck[:2] for struck in proxy.struck}


@pytest.mark.parametrize("place", ["the making of the project", "an import", "the deletion", "the list of tasks"])
def test_a_request_that_arrives_after_we_gave_up_is_found(proxy: FaultProxy, server: FakeServer, place: str) -> None:
    """The server does the work when nobody waits for its answer any more: nothing is made twice."""
    method, path = PLACES[place]
    proxy.fail(Fault.DELAY, method=method, path=path, seconds=LATE)
    done = until_done(proxy, TOKEN, MARK)
    check(proxy, TOKEN, MARK, done)

    assert len([row for row in server.projects.values() if MARK in row["description"]]) == 1


@pytest.mark.parametrize("seed", range(6))
def test_a_network_that_fails_at_random_changes_nothing_in_the_end(proxy: FaultProxy, seed: int) -> None:
    """One request in four goes wrong in one of five ways, of writes more, until a run comes through: the same holds."""
    for number, fault in enumerate((Fault.DROP_BEFORE, Fault.DROP_AFTER, Fault.THRESHOLD, Fault.REPEAT, Fault.FAIL)):
        proxy.fail(fault, rate=0.05, seed=seed * 10 + number)
    for fault in (Fault.DROP_AFTER, Fault.REPEAT):
        proxy.fail(fault, method="POST", rate=0.2, seed=seed)

    check(proxy, TOKEN, MARK, until_done(proxy, TOKEN, MARK))
    assert proxy.struck


def test_a_server_that_restarts_is_told_in_one_line(proxy: FaultProxy) -> None:
    """While nobody listens the error names the address and the way out; after that the next run ends the work."""
    proxy.fail(Fault.REFUSE, method="POST", path="/import", nth=2)
    done = until_done(proxy, TOKEN, MARK)
    check(proxy, TOKEN, MARK, done)

    [error] = done.errors
    assert error == f"No Label Studio answers at {proxy.url}: start it with `assay up`, or check the URL"
