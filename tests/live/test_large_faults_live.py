"""1,300 tasks over a network that breaks half of all requests, with push, pull and serve killed again and again."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from annotate.label_studio.local import LocalServer
from support.fault_proxy import Fault, FaultProxy
from support.label_studio import Expert, verdict
from support.loop import made_up
from support.serving import Serve
from support.store import Assay

pytestmark = [pytest.mark.live, pytest.mark.long]

TASKS = 1300
KILLS = 3
SERVES = 2
CHANGES = 12
ATTEMPTS = 60
SECONDS = 300
RATE = 0.1  # of each of five faults and a delay: nearly one request in two
FAULTS = (Fault.DROP_BEFORE, Fault.DROP_AFTER, Fault.THRESHOLD, Fault.REPEAT, Fault.FAIL)


class Broken:
    """The command behind a bad network, and somebody who labels at the server itself."""

    def __init__(self, assay: Assay, proxy: FaultProxy, api: httpx.Client, seed: int) -> None:
        self.assay, self.proxy, self.api, self.luck = assay, proxy, api, random.Random(seed)
        for number, fault in enumerate(FAULTS):
            proxy.fail(fault, rate=RATE, seed=seed * 10 + number, status=(500, 502, 503)[seed])
        proxy.fail(Fault.DELAY, rate=RATE, seed=seed, seconds=0.3)

    def until_done(self, command: str, kills: int = 0) -> int:
        """Start a command, kill it some times, and start it again until one run succeeds; how many were killed."""
        killed = 0
        for attempt in range(ATTEMPTS):
            process = self.assay.start(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if attempt < kills and self._killed(process):
                killed += 1
            elif process.wait(SECONDS) == 0:
                return killed
        pytest.fail(f"{command} did not end well in {ATTEMPTS} runs")

    def _killed(self, process: subprocess.Popen[bytes]) -> bool:
        """Kill the process in the middle of its requests; False where it ended before."""
        before, wanted = len(self.proxy.seen), self.luck.randint(2, 25)
        while process.poll() is None and len(self.proxy.seen) < before + wanted:
            time.sleep(0.01)
        process.kill()
        return process.wait() == -signal.SIGKILL

    def answer(self, project: int) -> None:
        """Answer every task at once, by the server's own action: right and wrong in turn."""
        path = f"/api/projects/{project}/import/predictions"
        rows = [{"task": task["id"], "result": self.result(task)} for task in self.tasks(project)]
        self.api.post(path, json=rows).raise_for_status()
        query = {"id": "predictions_to_annotations", "project": project}
        body = {"selectedItems": {"all": True, "excluded": []}}
        self.api.post("/api/dm/actions", params=query, json=body).raise_for_status()

    def result(self, task: dict[str, Any]) -> list[Any]:
        return verdict("right" if task["id"] % 3 else "wrong")

    def change(self, project: int) -> None:
        """Of some tasks delete or turn round what was said."""
        answered = [task for task in self.tasks(project) if task["annotations"]]
        for place, task in enumerate(self.luck.sample(answered, CHANGES)):
            path = f"/api/annotations/{task['annotations'][0]['id']}/"
            if place % 3 == 0:
                self.api.delete(path).raise_for_status()
            else:
                self.api.patch(path, json={"result": verdict("unsure"), "was_cancelled": False}).raise_for_status()

    def tasks(self, project: int) -> list[dict[str, Any]]:
        """A fresh export, not through the proxy."""
        query = {"exportType": "JSON", "download_all_tasks": "true"}
        tasks: list[dict[str, Any]] = (
            self.api.get(f"/api/projects/{project}/export", params=query).raise_for_status().json()
        )
        return tasks

    def served(self, serve: Callable[..., Serve]) -> None:
        """Serve in the middle of what happens, and end by a kill."""
        run = serve("--no-app", "--pull-every", "1")
        run.line("labels are pulled")
        self._killed(run.process)


@pytest.fixture
def broken(
    request: pytest.FixtureRequest,
    assay: Assay,
    fault_proxy: FaultProxy,
    expert: Expert,
    label_studio_server: LocalServer,
    monkeypatch: pytest.MonkeyPatch,
) -> Broken:
    """All is drawn, and nothing sent."""
    assay("ingest", assay.write("traffic.jsonl", made_up(TASKS)))
    assert assay.json("sample", "--labels", str(TASKS), "--seed", "7")["drawn"] == TASKS
    monkeypatch.setenv("LABEL_STUDIO_URL", fault_proxy.url)
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio_server.token)
    return Broken(assay, fault_proxy, expert.api, request.param)


@pytest.mark.parametrize("broken", range(3), indirect=True)
def test_each_draw_is_one_task_and_each_annotation_is_kept_once(
    broken: Broken, serve: Callable[..., Serve], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often each command is killed and each request broken: what stands is what the server holds."""
    monkeypatch.setenv("LABEL_STUDIO_URL", broken.proxy.url)
    killed = broken.until_done("push", KILLS)
    project = int(broken.assay.sql("SELECT project FROM projects WHERE is_in_use")[0][0])
    keys = Counter(task["data"]["external_id"] for task in broken.tasks(project))
    assert keys == Counter(key for (key,) in broken.assay.sql("SELECT task_key FROM draws"))

    broken.answer(project)
    killed += broken.until_done("pull", KILLS)
    for _ in range(SERVES):
        broken.change(project)
        broken.served(serve)
    broken.until_done("push")
    broken.until_done("pull")
    assert killed >= KILLS
    assert len({fault for fault, *_ in broken.proxy.struck}) == len(FAULTS) + 1
    broken.proxy.heal()
    broken.assay.json("pull", "--full")

    there = broken.tasks(project)
    assert Counter(task["data"]["external_id"] for task in there) == keys
    assert _kept(broken) == Counter(
        (f"{task['data']['external_id']}:{annotation['id']}", annotation["result"][0]["value"]["choices"][0])
        for task in there
        for annotation in task["annotations"]
    )
    same = "SELECT 1 FROM annotations GROUP BY source, id, judgement, at, is_deleted HAVING count(*) > 1"
    assert broken.assay.sql(same) == []
    assert broken.assay.json("doctor")["problems"] == []


def _kept(broken: Broken) -> Counter[tuple[str, str]]:
    """The annotations that stand in the store, with what they say, each as often as it is kept."""
    newest = "SELECT max(sequence) FROM annotations GROUP BY source, id"
    rows = f"SELECT id, judgement FROM annotations WHERE sequence IN ({newest}) AND NOT is_deleted"
    return Counter(broken.assay.sql(rows))
