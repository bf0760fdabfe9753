"""The whole way through a real Label Studio: tasks out, labels made as annotators make them, labels back."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from annotate import tasks
from annotate.label_studio import LabelStudio
from annotate.label_studio_local import TEMPLATE_VARIABLE, LocalServer, start
from annotate.labels import Annotation
from annotate.tasks import task
from proxy.errors import LabelStudioError
from proxy.records import Context, Item, Judgement

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.live

HOSTILE = (
    "<script>window.hacked=1</script><img src=x onerror='window.hacked=1'><svg onload='window.hacked=1'>"
    "<iframe srcdoc='<script>parent.hacked=1</script>'></iframe> {{idx}} $answer **bold**"
)


def items(count: int) -> list[Item]:
    """Items that carry what an expert must not see."""
    return [
        Item(
            id=f"item-hidden-{n}",
            question=f"Question {n}?",
            answer=f"Answer {n}.",
            contexts=(Context(text="A passage.", id="doc-hidden", title="title-hidden", score=0.5),),
            system="system-hidden",
            metadata={"score": "score-hidden", "verdict": "verdict-hidden", "stratum": "stratum-hidden"},
        )
        for n in range(count)
    ]


def verdict(value: str, *more: Mapping[str, object]) -> list[Mapping[str, object]]:
    """A result as the form posts it."""
    part: Mapping[str, object] = {
        "from_name": "verdict",
        "to_name": "answer",
        "type": "choices",
        "value": {"choices": [value]},
    }
    return [part, *more]


@pytest.fixture
def connection(label_studio_server: LocalServer) -> LabelStudio:
    """A connection to the real server."""
    return LabelStudio.connect(label_studio_server.url, label_studio_server.token)


@pytest.fixture
def project(connection: LabelStudio) -> int:
    """A new project with the form."""
    return connection.ensure_project(f"Test {uuid.uuid4().hex[:8]}")


@pytest.fixture
def api(label_studio_server: LocalServer) -> Iterator[httpx.Client]:
    """The API as a browser uses it."""
    headers = {"Authorization": f"Token {label_studio_server.token}"}
    with httpx.Client(base_url=label_studio_server.url, headers=headers, timeout=60, trust_env=False) as client:
        yield client


def post(api: httpx.Client, task_id: int, result: Sequence[Mapping[str, object]], **more: object) -> int:
    """Submit an annotation and give its id."""
    answer = api.post(f"/api/tasks/{task_id}/annotations/", json={"result": result, "lead_time": 4.5, **more})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def pulled(connection: LabelStudio, project: int) -> tuple[dict[str, list[Annotation]], list[str]]:
    """All records of a project by the key of their task, and all reasons."""
    annotators = connection.annotators()
    records: dict[str, list[Annotation]] = {}
    reasons: list[str] = []
    for raw in connection.pull(project):
        key = str(raw["data"]["external_id"])  # type: ignore[index]
        records[key], odd = tasks.annotations(raw, annotators, f"label-studio:{project}", key)
        reasons += odd
    return records, reasons


def test_pushing_ten_twice_leaves_ten(connection: LabelStudio, project: int) -> None:
    """The second push gives the same ids, and the server holds ten tasks in order."""
    made = [task(f"w1-{item.id}", item) for item in items(10)]
    first = connection.push(project, made)
    second = connection.push(project, made)
    held = list(connection.pull(project))

    assert first == second
    assert [raw["id"] for raw in held] == sorted(first.values())
    assert len(held) == 10


def test_the_server_holds_nothing_that_anchors(connection: LabelStudio, project: int, api: httpx.Client) -> None:
    """Neither the tasks nor the project hold a score, verdict, stratum, system, title or id of the item."""
    connection.push(project, [task(f"k{n}", item) for n, item in enumerate(items(3))])
    held = json.dumps(list(connection.pull(project))) + api.get(f"/api/projects/{project}/").text
    exported = api.get(f"/api/projects/{project}/export", params={"exportType": "JSON", "download_all_tasks": "true"})

    assert "Question 2?" in held
    assert "Question 2?" in exported.text
    assert "hidden" not in held + exported.text
    assert api.get(f"/api/projects/{project}/").json()["show_collab_predictions"] is False


def test_labels_come_back_and_pulling_twice_is_the_same(
    connection: LabelStudio, project: int, api: httpx.Client, label_studio_server: LocalServer
) -> None:
    """Right, wrong with all fields, unsure and a skip are read as they were made, every time."""
    ids = connection.push(project, [task(f"k{n}", item) for n, item in enumerate(items(5))])
    causes = {"from_name": "causes", "to_name": "answer", "type": "choices", "value": {"choices": ["incomplete"]}}
    reference = {"from_name": "reference", "to_name": "answer", "type": "textarea", "value": {"text": ["Better."]}}
    post(api, ids["k0"], verdict("right"))
    post(api, ids["k1"], verdict("wrong", causes, reference))
    post(api, ids["k2"], verdict("unsure"))
    post(api, ids["k3"], [], was_cancelled=True)

    records, reasons = pulled(connection, project)

    assert (records, reasons) == pulled(connection, project)
    assert reasons == []
    judgements = [[record.judgement for record in records[f"k{n}"]] for n in range(5)]
    assert judgements == [[Judgement.RIGHT], [Judgement.WRONG], [Judgement.UNSURE], [None], []]
    [wrong] = records["k1"]
    assert (wrong.causes, wrong.reference, wrong.seconds) == (("incomplete",), "Better.", 4.5)
    assert wrong.annotator == label_studio_server.email
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", str(wrong.at))


def test_edits_and_deletions_show_at_the_next_pull(connection: LabelStudio, project: int, api: httpx.Client) -> None:
    """An edit is the same annotation with another verdict and a later time; a deleted one is gone."""
    ids = connection.push(project, [task(f"k{n}", item) for n, item in enumerate(items(2))])
    edited, deleted = post(api, ids["k0"], verdict("right")), post(api, ids["k1"], verdict("right"))
    before, _ = pulled(connection, project)
    api.patch(f"/api/annotations/{edited}/", json={"result": verdict("wrong")}).raise_for_status()
    api.delete(f"/api/annotations/{deleted}/").raise_for_status()
    after, _ = pulled(connection, project)

    [old], [new] = before["k0"], after["k0"]
    assert (old.id, old.judgement) == (str(edited), Judgement.RIGHT)
    assert (new.id, new.judgement) == (str(edited), Judgement.WRONG)
    assert str(new.at) > str(old.at)
    assert (len(before["k1"]), after["k1"]) == (1, [])


def test_odd_annotations_become_reasons(connection: LabelStudio, project: int, api: httpx.Client) -> None:
    """The server takes results that no form makes; they spoil nothing else."""
    ids = connection.push(project, [task("k0", items(1)[0])])
    good = post(api, ids["k0"], verdict("right"))
    odd = [post(api, ids["k0"], verdict("maybe")), post(api, ids["k0"], [])]
    records, reasons = pulled(connection, project)

    assert [record.id for record in records["k0"]] == [str(good)]
    assert sorted(reasons) == [
        f"annotation {odd[0]} holds an unknown verdict maybe",
        f"annotation {odd[1]} holds no verdict",
    ]


def test_texts_arrive_as_they_were(connection: LabelStudio, project: int) -> None:
    """Markup, addresses, long and empty texts are stored letter by letter; what cannot be stored is replaced."""
    texts = [HOSTILE, "s3://bucket/key", "http://127.0.0.1/x.png", "", "한국어 هل 👩", "x" * 60_000, "a\0\ud800b"]
    made = [
        task(f"k{n}", Item(id=str(n), question=text, answer=text, contexts=(Context(text=text),)))
        for n, text in enumerate(texts)
    ]
    connection.push(project, made)
    held = {raw["id"]: raw["data"] for raw in connection.pull(project)}

    assert list(held.values()) == [dict(each.data) for each in made]


def test_a_project_of_ones_own_is_used_if_it_has_the_form(
    connection: LabelStudio, project: int, api: httpx.Client
) -> None:
    """A given project is taken when it asks for a verdict, made blind, and refused when it asks for something else."""
    api.patch(f"/api/projects/{project}/", json={"show_collab_predictions": True}).raise_for_status()
    other = api.post("/api/projects/", json={"title": "Other"}).json()["id"]

    assert connection.ensure_project("unused", project) == project
    assert api.get(f"/api/projects/{project}/").json()["show_collab_predictions"] is False
    with pytest.raises(LabelStudioError, match="another form"):
        connection.ensure_project("unused", other)
    with pytest.raises(LabelStudioError, match="Project 999999 is not at"):
        connection.ensure_project("unused", 999_999)
    with pytest.raises(LabelStudioError, match="Project 999999 is not at"):
        list(connection.pull(999_999))


@pytest.mark.filterwarnings("ignore:The `parse_obj` method is deprecated")
def test_a_personal_access_token_works_too(label_studio_server: LocalServer, api: httpx.Client) -> None:
    """Both kinds of token open the same door; a wrong one is refused with advice."""
    api.post("/api/jwt/settings", json={"api_tokens_enabled": True, "legacy_api_tokens_enabled": True})
    token = api.post("/api/token/").json()["token"]
    assert len(token) > 100

    assert LabelStudio.connect(label_studio_server.url, token).annotators()[1] == label_studio_server.email
    with pytest.raises(LabelStudioError, match="refused the token"):
        LabelStudio.connect(label_studio_server.url, token[:-4] + "AAAA")


def test_a_restart_keeps_account_address_and_labels(
    label_studio_home: Path, label_studio_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After stopping and starting, the same link and token lead to the same tasks."""
    monkeypatch.setenv(TEMPLATE_VARIABLE, str(label_studio_template))
    with start(label_studio_home, tmp_path) as first:
        connection = LabelStudio.connect(first.url, first.token)
        project = connection.ensure_project("Kept")
        ids = connection.push(project, [task("k0", items(1)[0])])
    with start(label_studio_home, tmp_path) as second:
        kept = LabelStudio.connect(second.url, second.token).known(project, ["k0"])

    assert second.url == first.url
    assert kept == ids


@pytest.fixture
def page(chromium: Browser, label_studio_server: LocalServer) -> Iterator[Page]:
    """A page of a laptop's size, logged in."""
    with chromium.new_page(viewport={"width": 1366, "height": 768}) as page:
        page.goto(f"{label_studio_server.url}/user/login/")
        page.fill("input[name=email]", label_studio_server.email)
        page.fill("input[name=password]", label_studio_server.password)
        page.click("button[type=submit]")
        page.wait_for_url(lambda url: "login" not in url)
        yield page


def open_stream(page: Page, server: LocalServer, project: int) -> None:
    """Open the label stream, which is the page that an expert gets."""
    page.goto(f"{server.url}/projects/{project}/data?labeling=1")
    page.get_by_text("Is the answer right?").wait_for()


@pytest.mark.browser
def test_hostile_texts_are_shown_as_text(
    page: Page, connection: LabelStudio, project: int, label_studio_server: LocalServer
) -> None:
    """Markup in question, answer and passage is read, not run, and fetches nothing."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    item = Item(id="1", question=f"Q {HOSTILE}", answer=f"A {HOSTILE}", contexts=(Context(text=f"P {HOSTILE}"),))
    connection.push(project, [task("k0", item)])
    open_stream(page, label_studio_server, project)

    for letter in "QAP":
        page.get_by_text(f"{letter} {HOSTILE}", exact=True).wait_for()
    page.wait_for_timeout(500)
    assert page.evaluate("window.hacked") is None
    assert not [url for url in asked if not url.startswith((label_studio_server.url, "data:", "blob:"))]
    assert not [url for url in asked if url.endswith("/x")]


@pytest.mark.browser
def test_keys_label_and_wrong_asks_without_insisting(
    page: Page, connection: LabelStudio, project: int, label_studio_server: LocalServer
) -> None:
    """One key and Ctrl+Enter make a label; wrong opens causes and reference, and goes through without them."""
    connection.push(project, [task(f"k{n}", item) for n, item in enumerate(items(4))])
    open_stream(page, label_studio_server, project)
    reference, cause = page.locator("textarea[name=reference]"), page.get_by_text("Incomplete")

    page.get_by_text("Question 0?").wait_for()
    assert not reference.is_visible()
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")

    page.get_by_text("Question 1?").wait_for()
    page.keyboard.press("2")
    reference.wait_for()
    assert cause.is_visible()
    page.keyboard.press("Control+Enter")

    page.get_by_text("Question 2?").wait_for()
    page.keyboard.press("2")
    page.keyboard.press("7")
    reference.fill("The better answer.")
    page.get_by_test_id("bottombar-submit-button").click()

    page.get_by_text("Question 3?").wait_for()
    page.keyboard.press("2")
    reference.fill("A second thought.")
    page.get_by_text("Answer 3.").click()
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    page.get_by_text("No More Tasks Left in Queue").wait_for()

    records, reasons = pulled(connection, project)
    made = [(each.judgement, each.causes, each.reference) for n in range(4) for each in records[f"k{n}"]]
    assert reasons == []
    assert made == [
        (Judgement.RIGHT, (), None),
        (Judgement.WRONG, (), None),
        (Judgement.WRONG, ("incomplete",), "The better answer."),
        (Judgement.RIGHT, (), None),
    ]
    assert all(each.seconds is not None and each.seconds > 0 for [each] in records.values())


@pytest.mark.browser
def test_one_glance_is_enough(
    page: Page, connection: LabelStudio, project: int, label_studio_server: LocalServer
) -> None:
    """With long texts, question, answer, verdict and the first passage stand on a laptop's screen without scrolling."""
    long = "A sentence of ordinary length that says something. " * 80
    item = Item(id="1", question=f"Long question? {long}", answer=long, contexts=(Context(text=long),) * 5)
    connection.push(project, [task("k0", item)])
    open_stream(page, label_studio_server, project)

    bottom = page.get_by_test_id("bottombar-submit-button").bounding_box()
    assert bottom is not None
    for text in ("Question", "Answer", "Is the answer right?", "Unsure", "Passage 1"):
        box = page.get_by_text(text, exact=text != "Unsure").first.bounding_box()
        assert box is not None, text
        assert box["y"] >= 0, text
        assert box["y"] + box["height"] <= bottom["y"], text
        assert box["x"] + box["width"] <= 1366, text
    assert "hidden" not in page.inner_text("body")


@pytest.mark.browser
def test_an_item_without_passages_says_so(
    page: Page, connection: LabelStudio, project: int, label_studio_server: LocalServer
) -> None:
    """Where nothing was retrieved the expert is told, and can label all the same."""
    connection.push(project, [task("k0", Item(id="1", question="Q", answer="A"))])
    open_stream(page, label_studio_server, project)
    shown = page.evaluate("getComputedStyle(document.querySelector('.as-read'), '::after').content")

    assert shown == '"No passages were retrieved."'
