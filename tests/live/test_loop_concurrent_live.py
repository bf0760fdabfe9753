"""Two at once on one store and a real Label Studio: nothing is doubled and nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier

import pytest

from annotate.label_studio.client import LabelStudio
from annotate.label_studio.local import LocalServer
from annotate.store import Store
from annotate.workflow.labelling import pull
from annotate.workflow.labelling import push as labelling_push
from support.label_studio import Expert
from support.loop import SEED, Loop, made_up, right, submit
from support.store import NOW, Assay

pytestmark = pytest.mark.live


def test_two_pushes_at_once_double_nothing(loop: Loop, assay: Assay, label_studio_server: LocalServer) -> None:
    """A push by hand while `assay up` pushes waits for it: one project, each task once."""
    loop("ingest", assay.write("made_up.jsonl", made_up(120)))
    loop("sample", "--labels", "120", "--seed", SEED)
    ready = Barrier(2)

    def push(place: int) -> labelling_push.Pushed:
        request = labelling_push.PushRequest(title=f"Twice {place}")
        studio = LabelStudio.connect(label_studio_server.url, label_studio_server.token)
        with studio, closing(Store(assay.db)) as store:
            ready.wait()
            return labelling_push.push(store, studio, label_studio_server.url, request, now=NOW)

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(push, range(2))
    [project] = {delivery.project for done in (first, second) for delivery in done.deliveries}
    assert {(done.sent, done.there) for done in (first, second)} == {(120, 0), (0, 120)}
    assert len(loop.held(project)) == 120


def test_what_another_pull_brings_meanwhile_is_not_gone(
    loop: Loop, assay: Assay, expert: Expert, label_studio_server: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow pull that read the server before a label was made does not take that label for deleted."""
    project = loop.drawn(assay.write("made_up.jsonl", made_up(20)), 20)
    task = min(loop.by_item(project).values())
    studio = LabelStudio.connect(label_studio_server.url, label_studio_server.token)
    read_before = list(studio.everything(project))

    def slow(number: int) -> Iterator[dict[str, object]]:
        submit(expert.api, task, right())
        assert loop("pull")["added"] == 1
        yield from read_before

    monkeypatch.setattr(studio, "everything", slow)
    with studio, closing(Store(assay.db)) as store:
        [server] = store.labels.servers.all()
        done = pull.pull(store, studio, server.name, now=NOW, full=True)

    assert (done.added, done.deleted) == (0, 0)
    assert list(loop.labels().values()) == ["right"]
