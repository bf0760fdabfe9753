"""The labelling page against the real Label Studio that `assay up` would have started: draw, send, label there, fetch."""

from __future__ import annotations

import json
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotate.label_studio.address import address_file
from annotate.label_studio.local import LocalServer
from annotate.store import Store
from support.app import in_store, judged
from support.browser import page_on, settled, until
from support.label_studio import Expert
from support.labelling_browser import open_labelling, part
from support.loop import right, submit, wrong

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.live, pytest.mark.browser]

NOBODY = "http://127.0.0.1:9"


def note(db: Path, url: str, token: str) -> None:
    """What `assay up` writes beside a store."""
    address_file(db).parent.mkdir(parents=True, exist_ok=True)
    address_file(db).write_text(json.dumps({"url": url, "token": token, "name": url}), encoding="utf-8")


def test_from_the_plan_to_the_labels_by_clicks(
    chromium: Browser,
    tmp_path: Path,
    label_studio_server: LocalServer,
    expert: Expert,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Twelve draws become twelve tasks, sent twice or not; labels given there are here; a server that is gone is one message."""
    for name in ("LABEL_STUDIO_URL", "LABEL_STUDIO_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    db = tmp_path / "assay.db"
    note(db, label_studio_server.url, label_studio_server.token)
    with page_on(chromium, db, judged, own=True) as (page, watch):
        open_labelling(page)
        part(page, "Plan and draw", "draw")
        page.get_by_role("spinbutton", name="Labels").fill("12")
        page.get_by_role("button", name="Show what would be drawn").click()
        page.get_by_role("button", name="Draw wave 1").click()
        page.get_by_text("Wave 1: drew 12 of 16 answers").wait_for()
        page.get_by_text("started by assay up").wait_for()

        page.get_by_role("button", name="Send open draws").click()
        link = page.get_by_role("link", name="Label as everybody")
        link.wait_for()
        project = int(str(link.get_attribute("href")).split("/projects/")[1].split("/")[0])
        page.get_by_text("to be sent: 0").wait_for()
        page.get_by_role("button", name="Send open draws").click()
        page.get_by_text("0 tasks sent").wait_for()

        query = {"exportType": "JSON", "download_all_tasks": "true"}
        tasks = expert.api.get(f"/api/projects/{project}/export", params=query).raise_for_status().json()
        assert len({task["data"]["external_id"] for task in tasks}) == len(tasks) == 12
        for task in tasks[:3]:
            submit(expert.api, int(task["id"]), right())
        submit(expert.api, int(tasks[3]["id"]), wrong("incomplete", "Better."))
        page.get_by_role("button", name="Fetch labels").click()
        page.get_by_text("4 new, ").wait_for()
        page.get_by_text("4 of 12 drawn answers are labelled").wait_for()
        settled(page)

        note(db, NOBODY, label_studio_server.token)
        page.get_by_role("button", name="Fetch labels").click()
        refused = page.get_by_text("No Label Studio answers at")
        refused.wait_for()
        # A word joiner keeps an address from becoming a link.
        until(page, lambda: NOBODY in refused.inner_text().replace("\u2060", ""))
        settled(page)
        assert label_studio_server.token not in page.locator("[data-testid=stApp]").inner_text()
        watch.assert_clean(page)
    assert urllib.request.urlopen(f"{label_studio_server.url}/health", timeout=10).status == 200
    labels = in_store(db, lambda store: sorted(label.judgement.value for _, label in store.labels.read()))
    assert labels == ["right", "right", "right", "wrong"]
    with closing(Store(db)) as store:
        problems = store.check()
    assert problems == []
