"""The whole way through a real Label Studio: tasks out, labels made as annotators make them, labels back."""

from __future__ import annotations

import json
import re
import uuid

import httpx
import pytest

from annotate.domain.labelling_form import LANGUAGES, Form
from annotate.domain.labelling_task import task
from annotate.label_studio.client import LabelStudio
from annotate.label_studio.local import LocalServer
from annotate.workflow.labelling.pull import LONG_AGO
from proxy.errors import LabelStudioError
from proxy.records import Context, Item, Judgement
from support.label_studio import HOSTILE, items, made_project, post, pulled, verdict

pytestmark = pytest.mark.live


def test_pushing_ten_twice_leaves_ten(connection: LabelStudio, project: int) -> None:
    """The second push gives the same ids, and the server holds ten tasks in order."""
    made = [task(f"w1-{item.id}", item) for item in items(10)]
    first = connection.push(project, made).ids
    second = connection.push(project, made).ids
    held = list(connection.everything(project))

    assert first == second
    assert [raw["id"] for raw in held] == sorted(first.values())
    assert len(held) == 10


def test_the_server_holds_nothing_that_anchors(connection: LabelStudio, project: int, api: httpx.Client) -> None:
    """Neither the tasks nor the project hold a score, verdict, stratum, system or id of the item."""
    connection.push(project, [task(f"k{n}", item) for n, item in enumerate(items(3))])
    held = json.dumps(list(connection.everything(project))) + api.get(f"/api/projects/{project}/").text
    exported = api.get(f"/api/projects/{project}/export", params={"exportType": "JSON", "download_all_tasks": "true"})

    assert "Question 2?" in held
    assert "Question 2?" in exported.text
    assert "-hidden" not in held + exported.text
    assert api.get(f"/api/projects/{project}/").json()["show_collab_predictions"] is False


def test_labels_come_back_and_pulling_twice_is_the_same(
    connection: LabelStudio, project: int, api: httpx.Client, label_studio_server: LocalServer
) -> None:
    """Right, wrong with all fields, unsure and a skip are read as they were made, every time."""
    ids = connection.push(project, [task(f"k{n}", item) for n, item in enumerate(items(5))]).ids
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


def test_a_changed_task_holds_all_that_we_read(
    connection: LabelStudio, project: int, api: httpx.Client, label_studio_server: LocalServer
) -> None:
    """The fields are asked for by name, so each has to come, and as the server gives it for a task alone."""
    ids = connection.push(project, [task("k0", items(1)[0])]).ids
    number = post(api, ids["k0"], verdict("right"))
    api.patch(f"/api/annotations/{number}/", json={"result": verdict("wrong")}).raise_for_status()
    api.post(f"/api/tasks/{ids['k0']}/drafts", json={"result": verdict("right"), "lead_time": 1}).raise_for_status()
    [row] = connection.everything(project)
    [annotation] = row["annotations"]  # type: ignore[misc]
    alone = api.get(f"/api/annotations/{number}/").json()

    read = ("id", "result", "was_cancelled", "lead_time", "created_at", "updated_at", "completed_by", "updated_by")
    assert {name: annotation[name] for name in read} == {name: alone[name] for name in read}
    assert (row["id"], row["data"]["external_id"]) == (ids["k0"], "k0")  # type: ignore[index]
    assert row["updated_at"]
    assert row["drafts"]


def test_edits_and_deletions_show_at_the_next_pull(connection: LabelStudio, project: int, api: httpx.Client) -> None:
    """An edit is the same annotation with another verdict and a later time; a deleted one is gone."""
    ids = connection.push(project, [task(f"k{n}", item) for n, item in enumerate(items(2))]).ids
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
    ids = connection.push(project, [task("k0", items(1)[0])]).ids
    good = post(api, ids["k0"], verdict("right"))
    odd = [post(api, ids["k0"], verdict("maybe")), post(api, ids["k0"], [])]
    records, reasons = pulled(connection, project)

    assert [record.id for record in records["k0"]] == [str(good)]
    assert set(reasons) == {
        f"annotation {odd[0]} holds an unknown verdict maybe",
        f"annotation {odd[1]} holds no verdict",
    }
    assert len(reasons) == 2


def test_texts_arrive_as_they_were(connection: LabelStudio, project: int) -> None:
    """Markup, addresses, long and empty texts are stored letter by letter; what cannot be stored is replaced."""
    texts = [HOSTILE, "s3://bucket/key", "http://127.0.0.1/x.png", "", "한국어 هل 👩", "x" * 60_000, "a\0\ud800b"]
    made = [
        task(f"k{n}", Item(id=str(n), question=text, answer=text, contexts=(Context(text=text),)))
        for n, text in enumerate(texts)
    ]
    connection.push(project, made)
    held = {raw["id"]: raw["data"] for raw in connection.everything(project)}

    assert list(held.values()) == [dict(each.data) for each in made]


def test_a_project_of_ones_own_is_used_if_it_has_the_form(
    connection: LabelStudio, project: int, api: httpx.Client
) -> None:
    """A given project is taken when it asks for a verdict, made blind, and refused when it asks for something else."""
    api.patch(f"/api/projects/{project}/", json={"show_collab_predictions": True}).raise_for_status()
    foreign = api.post("/api/projects/", json={"title": "Other"}).json()["id"]
    connection.check_project(project, guide="<p>Ours</p>")

    held = api.get(f"/api/projects/{project}/").json()
    assert (held["show_collab_predictions"], held["show_instruction"]) == (False, False)
    assert held["expert_instruction"] == "<p>Ours</p>"
    with pytest.raises(LabelStudioError, match="another form"):
        connection.check_project(foreign)
    with pytest.raises(LabelStudioError, match="Project 999999 is not at"):
        connection.check_project(999_999)
    with pytest.raises(LabelStudioError, match="Project 999999 is not at"):
        list(connection.everything(999_999))


def test_a_project_is_found_by_its_mark(connection: LabelStudio) -> None:
    """The same mark leads to the same project, in every language of the form; another mark to another."""
    made = {language: made_project(connection, Form(language=language)) for language in LANGUAGES}
    mark = f"assay:test:{uuid.uuid4().hex}"
    number = connection.ensure_project("One", Form(), marker=mark)

    assert connection.ensure_project("Two", Form(), marker=mark) == number
    assert len({*made.values(), number}) == len(LANGUAGES) + 1


def test_whatever_people_do_moves_the_time_of_the_task(
    connection: LabelStudio, project: int, api: httpx.Client
) -> None:
    """Since the newest time seen, a new, edited, skipped, unsubmitted or deleted annotation shows its task; a draft does not."""
    ids = connection.push(project, [task(f"k{n}", item) for n, item in enumerate(items(6))]).ids
    edited, deleted, unsubmitted = (post(api, ids[f"k{n}"], verdict("right")) for n in range(3))
    newest = max(str(raw["updated_at"]) for raw in connection.everything(project))
    api.patch(f"/api/annotations/{edited}/", json={"result": verdict("wrong")}).raise_for_status()
    api.delete(f"/api/annotations/{deleted}/").raise_for_status()
    api.post(f"/api/annotations/{unsubmitted}/convert-to-draft", json={}).raise_for_status()
    post(api, ids["k3"], [], was_cancelled=True)
    api.post(f"/api/tasks/{ids['k4']}/drafts", json={"result": verdict("right"), "lead_time": 1}).raise_for_status()
    later = {task: each for task, each in connection.touched_since(project, newest).items() if each.at > newest}

    assert set(later) == {ids[f"k{n}"] for n in range(4)}
    assert {ids[f"k{n}"] for n in (0, 3)} == {task for task, each in later.items() if each.is_annotated}
    assert {int(str(raw["id"])): raw["updated_at"] for raw in connection.read(project, later)} == {
        task: each.at for task, each in later.items()
    }
    assert connection.has_annotation(str(edited))
    assert not connection.has_annotation(str(deleted))


def test_only_untouched_tasks_are_taken_back(connection: LabelStudio, project: int, api: httpx.Client) -> None:
    """Annotated, skipped and begun tasks stay; what was deleted by hand counts as gone; told to, all go."""
    ids = connection.push(project, [task(f"k{n}", item) for n, item in enumerate(items(6))]).ids
    post(api, ids["k0"], verdict("right"))
    post(api, ids["k1"], [], was_cancelled=True)
    api.post(f"/api/tasks/{ids['k2']}/drafts", json={"result": verdict("right"), "lead_time": 1}).raise_for_status()
    api.delete(f"/api/tasks/{ids['k3']}/").raise_for_status()

    assert connection.remove(project, list(ids.values())) == {ids["k3"], ids["k4"], ids["k5"]}
    assert set(connection.touched_since(project, LONG_AGO)) == {ids["k0"], ids["k1"], ids["k2"]}
    assert connection.size(project).tasks == 3
    assert connection.remove(project, list(ids.values()), even_annotated=True) == set(ids.values())
    assert connection.size(project).tasks == 0


def test_copies_are_put_right(connection: LabelStudio, project: int, api: httpx.Client) -> None:
    """Tasks that were imported once more go again, but for the one that was answered; the double answer is told."""
    made = [task(f"k{n}", item) for n, item in enumerate(items(4))]
    ids = connection.push(project, made).ids
    path = f"/api/projects/{project}/import?return_task_ids=true"
    again = api.post(path, json=[{"data": each.data} for each in made]).json()["task_ids"]
    post(api, again[1], verdict("right"))
    for number in (ids["k2"], again[2]):
        post(api, number, verdict("right"))
    done = connection.push(project, made)

    assert done.ids == ids | {"k1": again[1]}
    assert done.doubled == 1
    assert set(connection.touched_since(project, LONG_AGO)) == {*done.ids.values(), again[2]}


def test_the_invitation_lets_people_sign_up(connection: LabelStudio) -> None:
    """The link opens the form with which a person makes an account."""
    link = connection.invitation()

    assert link is not None
    page = httpx.get(link, trust_env=False)
    assert page.status_code == 200
    assert 'name="password"' in page.text
