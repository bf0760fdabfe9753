"""The whole way through a real Label Studio: tasks out, labels made as annotators make them, labels back."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx
import pytest

from annotate.label_studio import LabelStudio
from annotate.label_studio_local import TEMPLATE_VARIABLE, LocalServer, start
from annotate.tasks import task
from fixtures_label_studio import HOSTILE, items, post, pulled, verdict
from proxy.errors import LabelStudioError
from proxy.records import Context, Item, Judgement

pytestmark = pytest.mark.live


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
