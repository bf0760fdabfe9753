"""Two annotators label in two real browsers, from the link on: store, report and gold set are right at every step.

Every expected number is counted by hand from what the two did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from annotate.label_studio.local import LocalServer
from support.label_studio import Expert
from support.loop import SEED, Loop, made_up
from support.store import Assay

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.live, pytest.mark.browser, pytest.mark.slow]

DRAWS = 12
END = "No More Tasks Left in Queue"
COLLEAGUE_PASSWORD = "Colleague-pass-1"


class Person:
    """Somebody in a browser of their own who counts the keys that they press."""

    def __init__(self, page: Page, email: str) -> None:
        self.page, self.email = page, email
        self.keys = self.clicks = 0
        self.requests: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))

    def log_in(self, server: LocalServer, password: str) -> Person:
        """As everybody does, with address and password."""
        self.page.goto(f"{server.url}/user/login/")
        self.page.fill("input[name=email]", self.email)
        self.page.fill("input[name=password]", password)
        self.page.click("button[type=submit]")
        self.page.wait_for_url(lambda url: "login" not in url)
        return self

    def follow(self, link: str) -> str:
        """Open the link; the question that stands there."""
        self.page.goto(link)
        return self.question()

    def question(self) -> str:
        """The question on the screen, once there is one, or the end of the queue."""
        self.page.locator(f".as-question, :text('{END}')").first.wait_for()
        shown = self.page.locator(".as-question")
        return shown.inner_text().strip() if shown.count() else END

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)
            self.keys += 1

    def submit(self, *keys: str) -> str:
        """Press keys and Ctrl+Enter; the question that comes next."""
        before = self.question()
        self.press(*keys, "Control+Enter")
        return self._next(before)

    def click(self, name: str) -> str:
        """Click a button of the bottom bar; the question that comes next."""
        before = self.question()
        self.page.get_by_test_id(f"bottombar-{name}-button").click()
        self.clicks += 1
        return self._next(before)

    def _next(self, before: str) -> str:
        self.page.wait_for_function(
            "([before, end]) => { const shown = document.querySelector('.as-question');"
            " return shown ? shown.innerText.trim() !== before : document.body.innerText.includes(end); }",
            arg=[before, END],
        )
        return self.question()


class People(NamedTuple):
    ann: Person
    ben: Person


@pytest.fixture
def people(chromium: Browser, label_studio_server: LocalServer, expert: Expert, colleague: Expert) -> Iterator[People]:
    """Two people, logged in, each with a browser of a laptop's size."""
    size: Any = {"width": 1366, "height": 768}
    with chromium.new_page(viewport=size) as first, chromium.new_page(viewport=size) as second:
        yield People(
            Person(first, expert.email).log_in(label_studio_server, label_studio_server.password),
            Person(second, colleague.email).log_in(label_studio_server, COLLEAGUE_PASSWORD),
        )


def drawn(loop: Loop, assay: Assay, count: int, *push: str, items: int = 60) -> Mapping[str, Any]:
    """Walk to the server with made-up answers; what the push said."""
    loop("ingest", assay.write("made_up.jsonl", made_up(items)))
    loop("judge")
    assert loop("sample", "--labels", str(count), "--audit", "0.25", "--seed", SEED)["drawn"] == count
    return loop("push", *push)


def gold(loop: Loop) -> dict[str, Mapping[str, Any]]:
    return {entry["item_id"]: entry for entry in loop("gold", "list")["gold"]}


def item_of(question: str) -> str:
    """The made-up item that asks this: its id is the number in it."""
    return "".join(letter for letter in question if letter.isdigit())


def test_every_kind_of_answer_from_the_link_on(
    loop: Loop, assay: Assay, people: People, expert: Expert, label_studio_server: LocalServer
) -> None:
    """Right and unsure by keys alone, wrong with and without a reference, skips, changes of mind, edits and deletions."""
    pushed = drawn(loop, assay, DRAWS)
    [project] = pushed["projects"]
    ann, ben = people
    said: dict[str, str] = {}

    shown = ann.follow(project["link"])
    for _ in range(3):
        said[item_of(shown)] = "right"
        before = ann.keys
        shown = ann.submit("1")
        assert ann.keys - before == 2
    said[item_of(shown)] = "unsure"
    shown = ann.submit("3")
    said[item_of(shown)] = "wrong"
    shown = ann.submit("2")
    changed = item_of(shown)
    said[changed] = "right"
    shown = ann.submit("2", "3", "1")
    assert ann.clicks == 0

    shown = ben.follow(project["link"])
    skipped = item_of(shown)
    shown = ben.click("skip")
    written = item_of(shown)
    said[written] = "wrong"
    ben.press("2", "7")
    ben.page.locator("textarea[name=reference]").fill("The room has moved to the roof.")
    shown = ben.click("submit")
    while shown != END:
        said[item_of(shown)] = "right"
        shown = ben.submit("1")
    assert not [url for person in people for url in person.requests if not own(url, label_studio_server)]

    done = loop("pull")
    assert (done["added"], done["odd"], done["labelled"]) == (DRAWS, 0, DRAWS - 1)
    assert loop.labels() == said
    check_counts(loop, said)
    kept = {row["item_id"]: row for row in loop.rows("labels", "export")}
    assert kept[written]["causes"] == ["incomplete"]
    assert {kept[name]["annotator"] for name in said} == {ann.email, ben.email}
    wrong = {name for name, word in said.items() if word == "wrong"}
    assert set(gold(loop)) == {name for name, word in said.items() if word == "right"} | {written}
    missing = loop("gold", "list")["without_reference"]
    assert {item for asked in missing for item in asked["item_ids"]} == wrong - {written}
    assert skipped not in said

    change_after_pull(loop, people, expert, project["project"], said, changed, label_studio_server)


def own(url: str, server: LocalServer) -> bool:
    """Whether a request stayed on the server."""
    return url.startswith((server.url, "data:", "blob:"))


def check_counts(loop: Loop, said: Mapping[str, str]) -> None:
    """The report counts what annotators said, item by item."""
    counts, words = loop("report")["label_counts"], Counter(said.values())
    assert {name: counts[name] for name in ("right", "wrong", "unsure")} == {
        name: words[name] for name in ("right", "wrong", "unsure")
    }


def change_after_pull(
    loop: Loop,
    people: People,
    expert: Expert,
    project: int,
    said: dict[str, str],
    changed: str,
    server: LocalServer,
) -> None:
    """After promotion one annotation is edited in the browser and one deleted: labels follow, entries are flagged."""
    entries = gold(loop)
    deleted = next(name for name, word in said.items() if word == "right" and name != changed)
    loop("gold", "accept", entries[changed]["gold_id"], entries[deleted]["gold_id"])

    page = people.ann.page
    tasks = loop.by_item(project)
    page.goto(f"{server.url}/projects/{project}/data?task={tasks[changed]}")
    page.locator(".as-question").wait_for()
    update = page.get_by_test_id("bottombar-update-button")
    update.wait_for()
    for _ in range(20):  # the form takes keys a moment after it is shown
        people.ann.press("2")
        page.wait_for_timeout(250)
        if update.is_enabled():
            break
    update.click()
    page.wait_for_load_state("networkidle")
    held = {task["id"]: task["annotations"] for task in loop.held(project)}
    [gone] = held[tasks[deleted]]
    expert.api.delete(f"/api/annotations/{gone['id']}/").raise_for_status()

    done = loop("pull")
    assert (done["added"], done["revised"], done["deleted"]) == (0, 1, 1)
    said[changed] = "wrong"
    del said[deleted]
    assert loop.labels() == said
    check_counts(loop, said)
    flagged = {name: entry for name, entry in gold(loop).items() if entry["flag"]}
    assert set(flagged) == {changed, deleted}
    assert all(entry["status"] == "accepted" for entry in flagged.values())
    assert [entries[name]["reference"] for name in flagged] == [entry["reference"] for entry in flagged.values()]
    again = loop("push")
    assert [(project["annotator"], project["sent"], project["there"]) for project in again["projects"]] == [
        ("", 0, 2),
        ("second annotator", 1, 0),
    ]
    assert loop("doctor")["problems"] == []


def test_two_readings_a_disagreement_and_a_person_who_adjudicates_it(loop: Loop, assay: Assay, people: People) -> None:
    """Annotators with projects of their own see empty forms; where they differ the label waits, and a third person decides."""
    pushed = drawn(loop, assay, 6, "--annotator", "ann", "--annotator", "ben", "--overlap", "1", "--harm", items=6)
    links = {project["annotator"]: project["link"] for project in pushed["projects"]}
    assert [project["sent"] for project in pushed["projects"]] == [6, 6]
    assert "/user/signup" in pushed["invitation"]

    ann, ben = people
    shown = ann.follow(links["ann"])
    disputed = item_of(shown)
    while shown != END:
        shown = ann.submit("1")
    shown = ben.follow(links["ben"])
    while shown != END:
        assert not ben.page.locator("input:checked").count()
        shown = ben.submit("2", "s") if item_of(shown) == disputed else ben.submit("1")

    assert loop("pull")["added"] == 12
    labels = loop.labels()
    assert Counter(labels.values()) == {"right": 5, "unsure": 1}
    assert labels[disputed] == "unsure"
    annotators_say = loop("report")["inter_annotator_agreement"]
    assert (annotators_say["items"], annotators_say["agreement"]["estimate"]) == (6, 5 / 6)
    assert loop("report", "--gate", status=3)["gate"]["passed"] is False

    loop("labels", "adjudicate", disputed, "--label", "wrong", "--harm", "serious", "--why", "It has moved.")
    assert loop.labels()[disputed] == "wrong"
    gate = loop("report", "--gate", status=3)["gate"]
    assert any(disputed in reason for reason in gate["reasons"])
    assert loop("report")["inter_annotator_agreement"]["agreement"]["estimate"] == 5 / 6
    assert loop("pull", "--full")["revised"] == 0
    assert (loop("push")["sent"], loop("push")["withdrawn"]) == (0, 0)


def test_answers_to_a_question_follow_each_other_and_go_on_from_whose_field_they_are_not(
    loop: Loop, assay: Assay, chromium: Browser, label_studio_server: LocalServer, expert: Expert
) -> None:
    """The link leads through the login to the first task; the stream has the ledger's order and says how far one is."""
    answers = {
        f"{row['id']}-{n}": row
        | {"id": f"{row['id']}-{n}", "system": f"s{n}", "answer": f"{row['answer']} Answer {row['id']}-{n}."}
        for row in made_up(4)
        for n in range(2)
    }
    loop("ingest", assay.write("systems.jsonl", list(answers.values())))
    loop("judge")
    loop("sample", "--labels", "8", "--audit", "0.25", "--seed", SEED)
    pushed = loop("push", "--annotator", "ann", "--annotator", "ben")
    links = {project["annotator"]: project["link"] for project in pushed["projects"]}
    ledger = assay.sql(
        "SELECT i.id, t.block FROM tasks t JOIN draws d ON d.key = t.draw JOIN items i ON i.key = d.item "
        "JOIN projects p USING (server, project) WHERE p.annotator = 'ann' ORDER BY t.position"
    )
    assert len(ledger) == 4

    with chromium.new_page(viewport={"width": 1366, "height": 768}) as page:
        ann = Person(page, expert.email)
        page.goto(links["ann"])
        page.fill("input[name=email]", expert.email)
        page.fill("input[name=password]", label_studio_server.password)
        page.click("button[type=submit]")
        for place, (item_id, _) in enumerate(ledger):
            page.locator(".as-answer").get_by_text(f"Answer {item_id}.").wait_for()
            page.locator("[class*=task-count]").get_by_text(f"{place + 1} of {len(ledger)}").wait_for()
            ann.press("0" if place == 0 else "1", "Control+Enter")
        page.get_by_text(END).wait_for()
    assert len({block for _, block in ledger}) == len({item_id.partition("-")[0] for item_id, _ in ledger}) == 2

    assert loop("pull")["added"] == 4
    again = loop("push")
    assert (again["sent"], again["handed_on"], again["left"]) == (1, 1, 0)
    assert [project["there"] + project["sent"] for project in again["projects"]] == [0, 5]
