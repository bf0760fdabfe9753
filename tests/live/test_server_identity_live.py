"""A real Label Studio under several addresses, moved, restored from a copy of its folder, with its project deleted.

After each pull the store's labels are those that the server's own export gives, each annotation stands once, and all of them in one
source a project.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from annotate.label_studio.local import TEMPLATE_VARIABLE, LocalServer, start
from annotate.label_studio.local.environment import DATABASE
from annotate.store import Store
from support.fault_proxy import FaultProxy
from support.label_studio import as_expert, post, verdict
from support.store import Assay, draw

pytestmark = [pytest.mark.live, pytest.mark.filterwarnings("ignore:The `parse_obj` method is deprecated")]
# What belongs to the server that runs on a folder, not to its data.
RUNNING = ("lock", "owner", "port", "name", "address.json")


class Server:
    """A server of the test's own, that can be stopped, moved and copied."""

    def __init__(self, home: Path, data: Path) -> None:
        self._home, self._data = home, data
        self._start(None)

    def _start(self, port: int | None) -> None:
        self.running: LocalServer = start(self._home, self._data, port)
        self.url = self.running.url
        self.api = as_expert(self.running.email, self.running.token, self.url).api

    def move(self) -> None:
        """Stop, and start on another port."""
        self.stop()
        (self._data / "port").unlink()
        self._start(None)

    def copied(self, data: Path) -> Path:
        """Copy the folder of a server that runs, as docs/deployment.md has it."""
        shutil.copytree(self._data, data, ignore=shutil.ignore_patterns(*RUNNING, f"{DATABASE}*"))
        with (
            closing(sqlite3.connect(self._data / DATABASE)) as here,
            closing(sqlite3.connect(data / DATABASE)) as there,
        ):
            here.backup(there)
        return data

    def stop(self) -> None:
        self.api.close()
        self.running.stop()


Starts = Callable[[Path], Server]


@pytest.fixture
def starts(label_studio_home: Path, label_studio_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Starts]:
    """Start servers of the test's own."""
    monkeypatch.setenv(TEMPLATE_VARIABLE, str(label_studio_template))
    monkeypatch.delenv("LABEL_STUDIO_URL", raising=False)
    servers: list[Server] = []

    def begin(data: Path) -> Server:
        servers.append(Server(label_studio_home, data))
        monkeypatch.setenv("LABEL_STUDIO_API_KEY", servers[-1].running.token)
        return servers[-1]

    yield begin
    for server in servers:
        server.stop()


def tasks(server: Server, project: int) -> dict[str, int]:
    """The number of each task by its key."""
    rows = server.api.get("/api/tasks/", params={"project": project, "page_size": 100, "fields": "all"}).json()["tasks"]
    return {row["data"]["external_id"]: row["id"] for row in rows}


def on_server(server: Server, *projects: int) -> dict[str, str]:
    """The verdict of each task with one, by its key, as the server exports it."""
    verdicts = {}
    for project in projects:
        rows = (
            server.api.get(f"/api/projects/{project}/export", params={"exportType": "JSON"}).raise_for_status().json()
        )
        for row in rows:
            for annotation in row["annotations"]:
                [choice] = annotation["result"][0]["value"]["choices"]
                verdicts[row["data"]["external_id"]] = choice
    return verdicts


def in_store(assay: Assay) -> dict[str, str]:
    """The label of each draw, by its key, after a look that each annotation stands once, and the store is sound."""
    store = Store(assay.db)
    keys = {drawn.item_id: drawn.task_key for drawn in store.sampling.waves.all_draws()}
    standing = [entry.annotation for entry in store.labels.every(revisions=False) if not entry.annotation.deleted]
    labels = {keys[label.item_id]: label.judgement.value for _, label in store.labels.read()}
    problems = store.check()
    store.close()
    assert max(Counter(annotation.id for annotation in standing).values(), default=1) == 1
    assert problems == []
    return labels


def test_one_server_under_several_addresses_and_moved(starts: Starts, loaded: Assay, tmp_path: Path) -> None:
    """127.0.0.1, localhost, a proxy on another port, and the server itself on another port, edited and deleted between."""
    draw(loaded, 8)
    server = starts(tmp_path / "data")
    project = loaded.json("push", "--url", server.url)["project"]
    ids = list(tasks(server, project).values())
    made = [post(server.api, number, verdict("right")) for number in ids[:5]]
    loaded("pull", "--url", server.url)
    assert in_store(loaded) == on_server(server, project)
    proxy = FaultProxy(server.url)
    addresses = [server.url.replace("127.0.0.1", "localhost"), proxy.url, f"{server.url}/"]
    try:
        for url, gone, edited in zip(addresses, made, made[1:], strict=False):
            server.api.delete(f"/api/annotations/{gone}/").raise_for_status()
            server.api.patch(f"/api/annotations/{edited}/", json={"result": verdict("wrong")}).raise_for_status()
            assert loaded.json("pull", "--url", url)["deleted"] == 1
            assert in_store(loaded) == on_server(server, project)
            assert loaded.json("push", "--url", url)["sent"] == 0
    finally:
        proxy.refuse()
    old = server.url
    server.move()
    post(server.api, ids[6], verdict("unsure"))
    pulled = loaded.json("pull", "--url", server.url)

    assert server.url != old
    assert (pulled["moved_from"], pulled["added"]) == (old, 1)
    assert in_store(loaded) == on_server(server, project)
    assert len(in_store(loaded)) == 3
    assert server.api.get("/api/projects/").json()["count"] == 1
    assert len(tasks(server, project)) == 8


def test_a_copy_of_its_folder_beside_the_original_and_in_its_place(
    starts: Starts, loaded: Assay, tmp_path: Path
) -> None:
    """Both alive: the copy is refused once the original went on. In its place, by command, its labels are the server's."""
    draw(loaded, 8)
    original = starts(tmp_path / "data")
    project = loaded.json("push", "--url", original.url)["project"]
    ids = list(tasks(original, project).values())
    post(original.api, ids[0], verdict("right"))
    post(original.api, ids[1], verdict("wrong"))
    loaded("pull", "--url", original.url)
    folder = original.copied(tmp_path / "copy")
    post(original.api, ids[2], verdict("right"))
    loaded("pull", "--url", original.url)
    copy = starts(folder)
    post(copy.api, ids[3], verdict("wrong"))
    before = in_store(loaded)

    refused = loaded("pull", "--url", copy.url, status=1).output
    assert f"assay server moved {original.url} {copy.url}" in refused
    assert loaded("push", "--url", copy.url, status=1).output == refused
    assert in_store(loaded) == before == on_server(original, project)
    assert loaded.json("pull", "--url", original.url)["moved_from"] is None

    loaded("server", "moved", original.url, copy.url, "--dry-run")
    assert loaded.json("pull", "--url", original.url)["moved_from"] is None
    loaded("server", "moved", original.url, copy.url)
    pulled = loaded.json("pull", "--url", copy.url)
    assert (pulled["added"], pulled["deleted"]) == (1, 1)
    assert in_store(loaded) == on_server(copy, project)
    assert "copy" in loaded("pull", "--url", original.url, status=1).output


def test_a_copy_in_the_place_of_the_original_is_taken_up_by_itself(
    starts: Starts, loaded: Assay, tmp_path: Path
) -> None:
    """Restored with all that was read, a mark edited away, and a task and an annotation deleted since: nothing is asked."""
    draw(loaded, 8)
    original = starts(tmp_path / "data")
    project = loaded.json("push", "--url", original.url)["project"]
    ids = list(tasks(original, project).values())
    made = [post(original.api, number, verdict("right")) for number in ids[:4]]
    loaded("pull", "--url", original.url)
    folder = original.copied(tmp_path / "copy")
    original.stop()
    restored = starts(folder)
    restored.api.patch(f"/api/projects/{project}/", json={"description": "Ours now"}).raise_for_status()
    restored.api.delete(f"/api/annotations/{made[0]}/").raise_for_status()
    restored.api.delete(f"/api/tasks/{ids[1]}/").raise_for_status()

    pulled = loaded.json("pull", "--url", restored.url)
    assert (pulled["moved_from"], pulled["deleted"]) == (original.url, 2)
    assert in_store(loaded) == on_server(restored, project)
    assert "assay:" in restored.api.get(f"/api/projects/{project}/").json()["description"]


def test_a_project_that_was_deleted_and_made_anew(starts: Starts, loaded: Assay, tmp_path: Path) -> None:
    """What it held stays as labels; what is open goes to a new project, which is found under another address too."""
    draw(loaded, 8)
    server = starts(tmp_path / "data")
    first = loaded.json("push", "--url", server.url)["project"]
    for number in list(tasks(server, first).values())[:2]:
        post(server.api, number, verdict("right"))
    loaded("pull", "--url", server.url)
    kept = on_server(server, first)
    server.api.delete(f"/api/projects/{first}/").raise_for_status()
    assert loaded.json("pull", "--url", server.url)["lost"] == 1
    second = loaded.json("push", "--new-project", "--url", server.url)["project"]
    post(server.api, min(tasks(server, second).values()), verdict("wrong"))
    other = server.url.replace("127.0.0.1", "localhost")

    assert loaded.json("pull", "--url", other)["moved_from"] == server.url
    assert in_store(loaded) == kept | on_server(server, second)
    assert len(tasks(server, second)) == 6


def test_two_stores_on_one_server(starts: Starts, loaded: Assay, tmp_path: Path) -> None:
    """Each has its own project; neither takes the other's for its own, whatever the address."""
    server = starts(tmp_path / "data")
    other = Assay(tmp_path, tmp_path / "other.db")
    rows = [{"id": name, "question": f"{name}?", "answer": "Yes.", "contexts": []} for name in ("y", "z")]
    other("ingest", other.write("other.jsonl", rows))
    draw(loaded, 4)
    draw(other, 2)
    projects = [assay.json("push", "--url", server.url)["project"] for assay in (loaded, other)]
    for project, word in zip(projects, ("right", "wrong"), strict=True):
        for number in tasks(server, project).values():
            post(server.api, number, verdict(word))
    address = server.url.replace("127.0.0.1", "localhost")

    for assay, project in zip((loaded, other), projects, strict=True):
        assay("pull", "--url", server.url)
        assay("pull", "--url", address)
        assert in_store(assay) == on_server(server, project)


def test_up_finds_its_own_server_on_another_port(starts: Starts, loaded: Assay, tmp_path: Path) -> None:
    """The address file says only where it is; the store knows it by its project."""
    from annotate.label_studio.address import address_file
    from annotate.label_studio.local import private

    draw(loaded, 3)
    server = starts(tmp_path / "data")
    path = address_file(loaded.db)
    path.parent.mkdir(parents=True)

    def noted() -> None:
        private.write(path, f'{{"url": "{server.url}", "token": "{server.running.token}"}}')

    noted()
    project = loaded.json("push")["project"]
    made = [post(server.api, number, verdict("right")) for number in tasks(server, project).values()]
    loaded("pull")
    server.move()
    noted()
    httpx.delete(
        f"{server.url}/api/annotations/{made[0]}/",
        headers={"Authorization": f"Token {server.running.token}"},
        trust_env=False,
    ).raise_for_status()

    assert loaded.json("pull")["deleted"] == 1
    assert in_store(loaded) == on_server(server, project)
