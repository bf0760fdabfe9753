"""`assay up` from start to end, with the real Label Studio: links, privacy, labels that flow back, and nothing left behind."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

import httpx
import pytest

from annotate.label_studio.local import TEMPLATE_VARIABLE
from support.secrets import SECRETS, secrets_of, set_secrets
from support.store import ROOT, Assay

pytestmark = [pytest.mark.live, pytest.mark.slow]

START_SECONDS = 240
FLOW_SECONDS = 30
STOP_SECONDS = 40
GONE_SECONDS = 5  # a process that was killed takes a moment to go
STORE = "assay-demo-label.db"
LOOPBACK = "0100007F"
LISTENING = "0A"
Answer = TypeVar("Answer")

RIGHT = {"from_name": "verdict", "to_name": "answer", "type": "choices", "value": {"choices": ["right"]}}


class Links(NamedTuple):
    server: str
    project: int
    app: str


class Up:
    """One run of `assay up` in a folder, in a process group of its own as a terminal gives it."""

    def __init__(self, folder: Path, name: str, *args: str) -> None:
        self._out, self._err = folder / f"{name}.out", folder / f"{name}.err"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "annotate", "up", *args],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        self.seen: set[int] = set()

    def said(self) -> str:
        return self._out.read_text() + self._err.read_text()

    def links(self) -> Links:
        """Wait for the links; both must answer."""
        pattern = r"The app is at (http://\S+)\n(?s:.*)Label \(.*\): (http://\S+)/projects/(\d+)/data\?labeling=1\n"
        match = until(lambda: re.search(pattern, self.running()), START_SECONDS, self.said)
        links = Links(match[2], int(match[3]), match[1])
        until(lambda: answers(f"{links.server}/health"), START_SECONDS, self.said)
        until(lambda: answers(f"{links.app}/_stcore/health"), START_SECONDS, self.said)
        self.seen |= family(self.process.pid)
        return links

    def running_out(self) -> str:
        """What it has written to standard output so far, while it runs."""
        assert self.process.poll() is None, self.said()
        return self._out.read_text()

    def running(self) -> str:
        """What it has said so far, while it runs."""
        assert self.process.poll() is None, self.said()
        return self.said()

    def ends(self, send: Callable[[], None]) -> int:
        """Send a signal and wait until the whole family has gone; the exit status."""
        self.seen |= family(self.process.pid)
        send()
        status = self.process.wait(STOP_SECONDS)
        until(lambda: not any(is_alive(pid) for pid in self.seen), GONE_SECONDS, self.said)
        return status

    def clean_up(self) -> None:
        """End what a failed test left running, each by its id."""
        for pid in sorted(self.seen | family(self.process.pid)):
            if is_alive(pid):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


def until(ask: Callable[[], Answer | None], seconds: float, said: Callable[[], str]) -> Answer:
    end = time.monotonic() + seconds
    while not (answer := ask()):
        assert time.monotonic() < end, said()
        time.sleep(0.2)
    return answer


def answers(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


def status_of(pid: int) -> list[str] | None:
    """The fields of a process's state after its name: state, parent, group and so on; None when there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that only waits to be buried does not."""
    fields = status_of(pid)
    return fields is not None and fields[0] != "Z"


def family(pid: int) -> set[int]:
    """A process and all that descend from it."""
    parents = {int(each.name): status_of(int(each.name)) for each in Path("/proc").iterdir() if each.name.isdigit()}
    pids = {pid}
    while more := {child for child, fields in parents.items() if fields and int(fields[1]) in pids} - pids:
        pids |= more
    return pids


def listening(pids: set[int]) -> set[tuple[str, int]]:
    """The (address in hex, port) of every socket on which these processes listen."""
    inodes = set()
    for pid in pids:
        for link in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                inodes.add(str(link.readlink()))
            except FileNotFoundError:
                continue
    addresses = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *rest = line.split()
            if state == LISTENING and f"socket:[{rest[5]}]" in inodes:
                address, _, port = local.partition(":")
                addresses.add((address, int(port, 16)))
    return addresses


def impatiently(group: int) -> None:
    """Ctrl+C as a terminal sends it, to the whole group, and once more while things are ending."""
    os.killpg(group, signal.SIGINT)
    time.sleep(0.5)
    os.killpg(group, signal.SIGINT)


@pytest.fixture
def up(
    assay: Assay, label_studio_home: Path, label_studio_template: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Up]]:
    """Start `assay up` in the test's folder, without any address or token from outside."""
    monkeypatch.setenv("ASSAY_HOME", str(label_studio_home))
    monkeypatch.setenv(TEMPLATE_VARIABLE, str(label_studio_template))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("LABEL_STUDIO_URL", raising=False)
    monkeypatch.delenv("LABEL_STUDIO_API_KEY", raising=False)
    runs: list[Up] = []

    def start(*args: str) -> Up:
        runs.append(Up(assay.folder, f"up-{len(runs)}", *args))
        return runs[-1]

    yield start
    for run in runs:
        run.clean_up()


@pytest.fixture
def labelling(assay: Assay) -> Assay:
    """The command on the store that `assay up --demo` makes."""
    return Assay(assay.folder, assay.folder / STORE)


def test_up_shows_the_demo_takes_labels_back_and_leaves_nothing(
    up: Callable[..., Up], labelling: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the links to a label in the store by itself, one beside it refused, an end by SIGTERM, a new start, Ctrl+C twice."""
    set_secrets(monkeypatch)
    first = up("--demo")
    links = first.links()
    assert secrets_of({first.process.pid}) == set(SECRETS)
    assert secrets_of(first.seen - {first.process.pid}) == {"ASSAY_PSEUDONYM_KEY"}
    monkeypatch.delenv("LABEL_STUDIO_API_KEY")
    ports = {int(url.rpartition(":")[2]) for url in (links.server, links.app)}
    address = labelling.folder / ".assay" / f"label-studio-{labelling.db.stem}" / "address.json"
    token = json.loads(address.read_text())["token"]
    open_sockets = listening(first.seen)

    assert {port for _, port in open_sockets} == ports
    assert {where for where, _ in open_sockets} == {LOOPBACK}
    assert address.stat().st_mode & 0o777 == 0o600
    assert token not in first.said()
    again = labelling.json("push")
    assert (again["sent"], again["there"], again["server"]) == (0, 4, links.server)

    with httpx.Client(base_url=links.server, headers={"Authorization": f"Token {token}"}, trust_env=False) as api:
        tasks = api.get("/api/tasks/", params={"project": links.project}).raise_for_status().json()["tasks"]
        assert len(tasks) == 4
        posted = api.post(f"/api/tasks/{tasks[0]['id']}/annotations/", json={"result": [RIGHT], "lead_time": 3})
        assert posted.status_code == 201
        began = time.monotonic()
        until(lambda: labelling.json("report")["label_counts"]["open"] == 3, FLOW_SECONDS, first.said)
        assert time.monotonic() - began < FLOW_SECONDS
    pulled = labelling.json("pull")
    assert (pulled["added"], pulled["labelled"], pulled["drawn"]) == (0, 13, 16)
    # Without --url the server of `assay up` is meant, and its own token with it: that of another does not hide it.
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "0" * 40)
    assert labelling.json("pull")["added"] == 0
    monkeypatch.delenv("LABEL_STUDIO_API_KEY")

    refused = up("--db", STORE)
    assert refused.process.wait(START_SECONDS) == 1
    assert "already runs" in refused.said()
    assert links.server in refused.said()
    assert labelling.json("push")["server"] == links.server

    assert first.ends(first.process.terminate) == 0
    assert "Traceback" not in first.said()
    assert not address.exists()
    assert not answers(f"{links.server}/health")
    assert "assay up" in labelling.process("pull", status=2)[1]

    second = up("--db", STORE)
    assert second.links()[:2] == links[:2]
    assert labelling.json("push")["there"] == 3
    assert second.ends(lambda: impatiently(second.process.pid)) == 0
    assert "Traceback" not in second.said()
    assert not address.exists()


@pytest.mark.long
def test_an_app_that_dies_ends_everything(up: Callable[..., Up]) -> None:
    """As a server that dies does, below."""
    run = up("--demo")
    links = run.links()

    [app] = [pid for pid in run.seen if b"annotate.pages.kit.asgi" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert run.ends(lambda: os.kill(app, signal.SIGKILL)) == 1
    assert "the app ended by itself" in run.said()
    assert not answers(f"{links.server}/health")


def test_with_json_the_links_are_one_object_and_a_server_that_dies_ends_everything(up: Callable[..., Up]) -> None:
    """Standard output is one JSON object with the links and the account; without Label Studio there is nothing to go on with."""
    run = up("--demo", "--json")
    said = until(run.running_out, START_SECONDS, run.said)
    links = json.loads(said)
    assert links["projects"][0]["link"] == f"{links['server']}/projects/{links['project']}/data?labeling=1"
    assert links["sent"] == 4
    assert answers(f"{links['server']}/health")
    run.seen |= family(run.process.pid)

    [server] = [pid for pid in run.seen if b"bin/label-studio" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert run.ends(lambda: os.kill(server, signal.SIGKILL)) == 1
    assert "Label Studio ended by itself" in run.said()


def test_an_end_while_starting_leaves_nothing_either(up: Callable[..., Up]) -> None:
    """SIGTERM before Label Studio answers stops it too."""
    run = up("--demo")
    until(lambda: len(family(run.process.pid)) > 1, START_SECONDS, run.said)

    assert run.ends(run.process.terminate) == 0
    assert "Traceback" not in run.said()
    assert "The app is at" not in run.said()
