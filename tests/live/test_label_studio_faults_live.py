"""Whatever the network does between us and a real Label Studio, after another run each draw is one task in one project."""

from __future__ import annotations

import uuid

import pytest

from annotate.label_studio import connection, delivery
from annotate.label_studio.local import LocalServer
from support.fault_proxy import Fault, FaultProxy
from support.faults import PLACES, check, until_done

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("impatient")]

# A busy machine answers late by itself.
PATIENCE = 8.0


@pytest.fixture(autouse=True)
def patience(impatient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time limits that a real server keeps."""
    monkeypatch.setattr(connection, "READ_SECONDS", PATIENCE)
    monkeypatch.setattr(delivery, "IMPORT_SECONDS", PATIENCE)


@pytest.fixture
def mark() -> str:
    return f"assay:{uuid.uuid4().hex}:everybody"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("fault", [Fault.DROP_AFTER, Fault.THRESHOLD, Fault.REPEAT])
def test_after_a_fault_and_another_run_each_key_is_one_task(
    fault_proxy: FaultProxy, label_studio_server: LocalServer, mark: str, fault: Fault, place: str
) -> None:
    """What goes wrong after a request has reached the server leaves one project with each task once.

    Of the other faults the real server sees nothing: tests/label_studio has all of them.
    """
    method, path = PLACES[place]
    fault_proxy.fail(fault, method=method, path=path)
    check(fault_proxy, label_studio_server.token, mark, until_done(fault_proxy, label_studio_server.token, mark))

    assert [struck[:2] for struck in fault_proxy.struck] == [(fault, method)]


@pytest.mark.parametrize("place", ["the making of the project", "an import"])
def test_a_request_that_arrives_after_we_gave_up_is_found(
    fault_proxy: FaultProxy, label_studio_server: LocalServer, mark: str, place: str
) -> None:
    """The server does the work when nobody waits for its answer any more: nothing is made twice."""
    method, path = PLACES[place]
    fault_proxy.fail(Fault.DELAY, method=method, path=path, seconds=PATIENCE + 1)

    check(fault_proxy, label_studio_server.token, mark, until_done(fault_proxy, label_studio_server.token, mark))


@pytest.mark.parametrize("seed", range(3))
def test_a_network_that_fails_at_random_changes_nothing_in_the_end(
    fault_proxy: FaultProxy, label_studio_server: LocalServer, mark: str, seed: int
) -> None:
    """One request in four goes wrong in one of five ways, of writes more, until a run comes through: the same holds."""
    for number, fault in enumerate((Fault.DROP_BEFORE, Fault.DROP_AFTER, Fault.THRESHOLD, Fault.REPEAT, Fault.FAIL)):
        fault_proxy.fail(fault, rate=0.05, seed=seed * 10 + number)
    for fault in (Fault.DROP_AFTER, Fault.REPEAT):
        fault_proxy.fail(fault, method="POST", rate=0.2, seed=seed)

    check(fault_proxy, label_studio_server.token, mark, until_done(fault_proxy, label_studio_server.token, mark))
    assert fault_proxy.struck
