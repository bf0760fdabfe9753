"""The whole loop while the network, the server and the token fail: what is there in the end is there once, and as people left it."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

from annotate.label_studio import connection, delivery
from annotate.label_studio.client import LabelStudio
from annotate.label_studio.local import LocalServer, start
from annotate.store import Store
from annotate.workflow.labelling import pull as labelling_pull
from annotate.workflow.labelling import push as labelling_push
from annotate.workflow.labelling.push import PushRequest
from proxy.errors import LabelStudioError
from support.fault_proxy import Fault, FaultProxy
from support.label_studio import Expert, as_expert
from support.loop import made_up, right, submit, wrong
from support.store import NOW, Assay

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("impatient")]

DRAWS, BATCH = 12, 5
ATTEMPTS = 15
ANNOTATORS = PushRequest(annotators=("ann", "ben"), overlap=0.5)
UNSURE = [{"from_name": "verdict", "to_name": "answer", "type": "choices", "value": {"choices": ["unsure"]}}]
Done = TypeVar("Done")


@pytest.fixture(autouse=True)
def small_batches(impatient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several requests of each kind for a few tasks, and time limits that a busy server keeps."""
    monkeypatch.setattr(connection, "READ_SECONDS", 10.0)
    monkeypatch.setattr(delivery, "IMPORT_SECONDS", 10.0)
    monkeypatch.setattr(delivery, "BATCH", BATCH)
    monkeypatch.setattr(labelling_push, "PUSH_BATCH", BATCH)
    monkeypatch.setattr(labelling_pull, "PULL_BATCH", BATCH)


@pytest.fixture
def drawn(assay: Assay) -> Assay:
    assay("ingest", assay.write("traffic.jsonl", made_up(DRAWS)))
    assert assay.json("sample", "--labels", str(DRAWS), "--seed", "7")["drawn"] == DRAWS
    return assay


class Team:
    """One store, a server behind a proxy, and two people who answer at the server itself."""

    def __init__(self, db: Path, proxy: FaultProxy, token: str, people: dict[str, httpx.Client]) -> None:
        self.db, self.proxy, self.token, self.people = db, proxy, token, people
        self.errors: list[str] = []

    def push(self, request: PushRequest = ANNOTATORS) -> labelling_push.Pushed:
        return self._until(lambda store, studio: labelling_push.push(store, studio, self.proxy.url, request, now=NOW))

    def pull(self) -> labelling_pull.Pulled:
        return self._until(lambda store, studio: labelling_pull.pull(store, studio, self.proxy.url, now=NOW))

    def _until(self, work: Callable[[Store, LabelStudio], Done]) -> Done:
        for _ in range(ATTEMPTS):
            try:
                return self.once(work)
            except LabelStudioError as error:
                self.errors.append(str(error))
        pytest.fail(f"not done after {ATTEMPTS} runs: {self.errors}")

    def once(self, work: Callable[[Store, LabelStudio], Done]) -> Done:
        """One run of a command, which begins with a store and a connection of its own."""
        with closing(Store(self.db)) as store, LabelStudio.connect(self.proxy.url, self.token) as studio:
            return work(store, studio)

    def projects(self) -> dict[str, int]:
        with closing(Store(self.db)) as store:
            return {
                project.annotator: project.number
                for project in store.labels.outbox.projects(self.proxy.url, in_use=True)
            }

    def held(self, annotator: str) -> list[dict[str, Any]]:
        """A fresh export of an annotator's project, not through the proxy."""
        query = {"exportType": "JSON", "download_all_tasks": "true"}
        path = f"/api/projects/{self.projects()[annotator]}/export"
        tasks = self.people["ann"].get(path, params=query).raise_for_status().json()
        return sorted(tasks, key=lambda task: str(task["data"]["external_id"]))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.db)) as database:
            return database.execute(query).fetchall()

    def answer(self) -> list[tuple[str, int]]:
        """Each annotator answers what waits: right, wrong, unsure, skipped, in turn; ben begins elsewhere. The annotations."""
        made = []
        for shift, (annotator, api) in enumerate(self.people.items()):
            for place, task in enumerate(task for task in self.held(annotator) if not task["annotations"]):
                turn = (place + shift) % 4
                result = [right(), wrong("incomplete", "Room 7."), UNSURE, []][turn]
                made.append((annotator, submit(api, task["id"], result, skipped=turn == 3)))
        return made

    def change(self, made: list[tuple[str, int]]) -> None:
        """Of what was answered, every third is edited to wrong, and every fifth deleted."""
        for place, (annotator, number) in enumerate(made):
            api, path = self.people[annotator], f"/api/annotations/{number}/"
            if place % 5 == 4:
                api.delete(path).raise_for_status()
            elif place % 3 == 0:
                body = {"result": wrong("unfaithful", None), "was_cancelled": False}
                api.patch(path, json=body).raise_for_status()


@pytest.fixture
def team(
    drawn: Assay, fault_proxy: FaultProxy, label_studio_server: LocalServer, expert: Expert, colleague: Expert
) -> Team:
    return Team(drawn.db, fault_proxy, label_studio_server.token, {"ann": expert.api, "ben": colleague.api})


def check(team: Team) -> None:
    """Each draw once with each annotator who has it, each annotation once in the log, and the labels that the exports come to."""
    exports = {annotator: team.held(annotator) for annotator in team.people}
    keys = {annotator: Counter(task["data"]["external_id"] for task in tasks) for annotator, tasks in exports.items()}
    assert {count for counts in keys.values() for count in counts.values()} == {1}
    assert set(keys["ann"]) | set(keys["ben"]) == {key for (key,) in team.rows("SELECT task_key FROM draws")}

    there = {
        (f":{team.projects()[annotator]}", f"{task['data']['external_id']}:{annotation['id']}")
        for annotator, tasks in exports.items()
        for task in tasks
        for annotation in task["annotations"]
    }
    log = team.rows("SELECT source, id, is_deleted FROM annotations ORDER BY sequence")
    newest = {(source[source.rindex(":") :], name): is_deleted for source, name, is_deleted in log}
    assert {key for key, is_deleted in newest.items() if not is_deleted} == there
    twice = "SELECT 1 FROM annotations GROUP BY source, id, judgement, reference, causes, at, is_deleted HAVING count(*) > 1"
    assert team.rows(twice) == []
    rows = team.rows("SELECT d.task_key, l.judgement FROM labels l JOIN draws d ON d.key = l.draw")
    assert dict(rows) == labels(exports)
    assert not [error for error in team.errors if "\n" in error or team.token in error or "Room" in error]


def labels(exports: dict[str, list[dict[str, Any]]]) -> dict[str, str]:
    """The majority of right and wrong among the annotators of each draw; a tie, or only unsure, is unsure."""
    said: dict[str, list[str]] = defaultdict(list)
    for task in (task for tasks in exports.values() for task in tasks):
        for annotation in task["annotations"]:
            if not annotation["was_cancelled"]:
                said[task["data"]["external_id"]] += annotation["result"][0]["value"]["choices"]
    lead = {key: words.count("right") - words.count("wrong") for key, words in said.items()}
    return {key: "right" if lead[key] > 0 else "wrong" if lead[key] < 0 else "unsure" for key in said}


@pytest.mark.parametrize("seed", range(3))
def test_after_random_faults_everything_is_there_once(team: Team, seed: int) -> None:
    """About one request in four goes wrong, in one of six ways, while two people answer, edit and delete."""
    for number, fault in enumerate((Fault.DROP_BEFORE, Fault.DROP_AFTER, Fault.THRESHOLD, Fault.REPEAT, Fault.FAIL)):
        team.proxy.fail(fault, rate=0.05, seed=seed * 10 + number, status=(500, 502, 503)[seed])
    team.proxy.fail(Fault.DELAY, rate=0.05, seed=seed, seconds=0.3)
    for fault in (Fault.DROP_AFTER, Fault.REPEAT):
        team.proxy.fail(fault, method="POST", rate=0.2, seed=seed)
    team.push()
    made = team.answer()
    team.pull()
    team.change(made)
    team.pull()
    team.push()
    team.answer()
    team.pull()
    assert len({fault for fault, *_ in team.proxy.struck}) > 3
    team.proxy.heal()

    team.push()
    team.pull()
    check(team)
    again = team.pull()
    assert (again.added, again.revised, again.deleted, again.gone, again.lost) == (0, 0, 0, 0, 0)


@pytest.fixture
def own(
    label_studio_home: Path, label_studio_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], LocalServer]]:
    """What starts a server of this test alone; calling it again starts it anew, on the same data and port."""
    monkeypatch.setenv("ASSAY_LABEL_STUDIO_TEMPLATE", str(label_studio_template))
    running: list[LocalServer] = []

    def begin() -> LocalServer:
        for server in running:
            server.stop()
        running[:] = [start(label_studio_home, tmp_path / "own")]
        return running[0]

    yield begin
    for server in running:
        server.stop()


def test_a_server_that_restarts_and_a_token_that_is_revoked_in_the_middle(
    drawn: Assay, own: Callable[[], LocalServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is one line that says what to do; the same command goes on after it, and nothing is there twice."""
    server = own()
    email, token, url = server.email, server.token, server.url
    monkeypatch.setenv("LABEL_STUDIO_URL", url)
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", token)
    real = delivery._import

    def dies(*args: Any) -> Any:
        monkeypatch.setattr(delivery, "_import", real)
        server.stop()
        return real(*args)

    monkeypatch.setattr(delivery, "_import", dies)
    failed = drawn("push", status=1).stderr
    assert failed == f"assay: No Label Studio answers at {url}: start it with `assay up`, or check the URL\n"
    assert own().url == url
    with as_expert(email, token, url).api as api:
        moved = drawn.json("push")
        assert (moved["sent"], moved["there"]) == (DRAWS, 0)
        query = {"project": moved["project"], "fields": "all", "page_size": 100}
        tasks = api.get("/api/tasks/", params=query).json()["tasks"]
        assert len({task["data"]["external_id"] for task in tasks}) == len(tasks) == DRAWS
        for task in tasks:
            submit(api, task["id"], right())

        reading = LabelStudio.everything

        def revoked(studio: LabelStudio, project: int) -> Iterator[dict[str, object]]:
            batches = reading(studio, project)
            if project == moved["project"]:
                yield next(batches)
                fresh = api.post("/api/current-user/reset-token/").raise_for_status().json()["token"]
                monkeypatch.setenv("LABEL_STUDIO_API_KEY", fresh)
                monkeypatch.setattr(LabelStudio, "everything", reading)
            yield from batches

        monkeypatch.setattr(LabelStudio, "everything", revoked)
        failed = drawn("pull", status=1).stderr
        assert failed.startswith(f"assay: Label Studio at {url} refused the token (401): copy it anew")
        assert failed.count("\n") == 1
        assert token not in failed
        pulled = drawn.json("pull")
        assert drawn.sql("SELECT count(*), count(DISTINCT id) FROM annotations") == [(DRAWS, DRAWS)]
        assert (pulled["labelled"], drawn.json("pull")["added"]) == (DRAWS, 0)


def test_a_project_that_is_deleted_in_the_middle(team: Team) -> None:
    """Its labels stay, the pull goes on with the other annotator's, the push says what to do, and that sends what is open."""
    team.push()
    for task in team.held("ann")[:3]:
        submit(team.people["ann"], task["id"], right())
    team.pull()
    submit(team.people["ben"], team.held("ben")[0]["id"], right())
    team.people["ann"].delete(f"/api/projects/{team.projects()['ann']}/").raise_for_status()

    pulled = team.pull()
    assert (pulled.lost, pulled.deleted, pulled.added) == (1, 0, 1)
    with pytest.raises(LabelStudioError, match="assay push --new-project"):
        team.once(lambda store, studio: labelling_push.push(store, studio, team.proxy.url, ANNOTATORS, now=NOW))
    team.push(ANNOTATORS._replace(is_fresh=True))
    for annotator, api in team.people.items():
        for task in team.held(annotator):
            submit(api, task["id"], right())
    pulled = team.pull()
    assert (pulled.lost, pulled.deleted) == (0, 0)
    assert team.rows("SELECT judgement, count(*) FROM labels GROUP BY 1") == [("right", DRAWS)]
    # Half of the draws are read twice, each reading once: what ann and ben had answered was not asked again.
    assert team.rows("SELECT count(*) FROM annotations") == [(DRAWS * 3 // 2,)]


def test_a_copy_that_arrives_late_is_taken_out_by_the_next_push(team: Team) -> None:
    """A request that the network repeats after the push has ended, when nothing is left to send."""
    team.push()
    [task, *_] = team.held("ann")
    path = f"/api/projects/{team.projects()['ann']}/import"
    team.people["ann"].post(path, json=[{"data": task["data"]}]).raise_for_status()
    team.push()

    check(team)
