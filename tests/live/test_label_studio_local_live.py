"""A real local Label Studio: its folder, its tokens, and what we say when it goes away or lets us in no more."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from annotate.domain.labelling_task import task
from annotate.label_studio.client import LabelStudio
from annotate.label_studio.local import TEMPLATE_VARIABLE, LocalServer, start
from proxy.errors import LabelStudioError
from support.label_studio import items, made_project, post, verdict
from support.store import ROOT

pytestmark = [
    pytest.mark.live,
    pytest.mark.filterwarnings("ignore:The `parse_obj` method is deprecated"),  # the SDK's own
]
RUN = """
import pathlib, sys, time
from annotate.label_studio.local import start
print(start(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])).url, flush=True)
time.sleep(600)
"""
SETTINGS = "/api/jwt/settings"


class Own:
    """A server of a test's own, which may be stopped, and the API as its account uses it."""

    def __init__(self, home: Path, data: Path) -> None:
        self._home, self.data = home, data
        self.server: LocalServer
        self.start()

    def start(self, progress: Callable[[str], None] = lambda line: None) -> None:
        """Start it, at the address of last time."""
        self.server = start(self._home, self.data, progress=progress)

    def api(self, token: str | None = None) -> httpx.Client:
        """The API with a token of the account, else its legacy token."""
        headers = {"Authorization": token or f"Token {self.server.token}"}
        return httpx.Client(base_url=self.server.url, headers=headers, timeout=60, trust_env=False)


@pytest.fixture(scope="module")
def own(label_studio_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Own]:
    """A server on a new folder, whose account was made for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(TEMPLATE_VARIABLE, raising=False)
        started = Own(label_studio_home, tmp_path_factory.mktemp("own"))
    yield started
    started.server.stop()


def test_each_folder_has_its_own_account(own: Own, label_studio_server: LocalServer) -> None:
    """The token and the password of one local server open no other, nor does its signing key."""
    assert own.server.token != label_studio_server.token
    with pytest.raises(LabelStudioError, match="refused the token"):
        LabelStudio.connect(label_studio_server.url, own.server.token)
    key = (own.data / ".env").read_text()
    assert "SECRET_KEY" in key
    assert key != (Path(label_studio_server.log).parent / ".env").read_text()


def test_everything_in_the_folder_is_private_and_the_policy_is_enforced(own: Own) -> None:
    """Uploads, exports and the database are for their owner only; pages may load nothing from other places."""
    with LabelStudio.connect(own.server.url, own.server.token) as studio, own.api() as api:
        project = made_project(studio)
        post(api, studio.push(project, [task("k0", items(1)[0])]).ids["k0"], verdict("right"))
        api.post(f"/api/projects/{project}/import", files={"file": ("a.json", b'[{"question": "q"}]')})
        api.post(f"/api/projects/{project}/exports/", json={}).raise_for_status()
        assert api.get(f"/api/projects/{project}/export", params={"exportType": "JSON"}).status_code == 200
        page = api.get("/user/login/")

    paths = [own.data, *own.data.rglob("*")]
    assert {".sqlite3", ".json"} <= {path.suffix for path in paths}
    assert [path for path in paths if path.stat().st_mode & 0o077] == []
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "form-action 'self'" in policy
    assert not re.findall(r"\w\.\w", policy)
    assert "Content-Security-Policy-Report-Only" not in page.headers


def test_a_personal_access_token_is_enough_where_legacy_tokens_are_off(own: Own) -> None:
    """With the address and that token alone tasks go out and labels come back; a legacy token is told in one line."""
    with own.api() as api:
        api.post(SETTINGS, json={"api_tokens_enabled": True, "legacy_api_tokens_enabled": True}).raise_for_status()
        personal = api.post("/api/token/").json()["token"]
        switched = api.post(SETTINGS, json={"api_tokens_enabled": True, "legacy_api_tokens_enabled": False})
        assert switched.is_success
    with LabelStudio.connect(own.server.url, personal) as studio:
        project = made_project(studio)
        ids = studio.push(project, [task(f"k{n}", item) for n, item in enumerate(items(3))]).ids
        access = httpx.post(f"{own.server.url}/api/token/refresh/", json={"refresh": personal}).json()["access"]
        with own.api(f"Bearer {access}") as api:
            post(api, ids["k1"], verdict("wrong"))
            assert [len(row["annotations"]) for row in studio.everything(project)] == [0, 1, 0]  # type: ignore[arg-type]
            with pytest.raises(LabelStudioError, match="takes no legacy tokens, they are switched off") as caught:
                LabelStudio.connect(own.server.url, own.server.token)
            assert own.server.token not in str(caught.value)
            api.post("/api/token/blacklist/", json={"refresh": personal}).raise_for_status()
            studio._connection._sdk = studio._connection._signed_in()
            with pytest.raises(LabelStudioError, match="refused the token") as caught:
                studio.size(project)
            assert personal not in str(caught.value)
            api.post(SETTINGS, json={"api_tokens_enabled": True, "legacy_api_tokens_enabled": True}).raise_for_status()
    assert "\n" not in str(caught.value)


def test_a_token_that_is_renewed_in_the_middle_is_told(own: Own) -> None:
    """After the account's token was replaced, the next request says so in one line, and repeats no token."""
    with LabelStudio.connect(own.server.url, own.server.token) as studio, own.api() as api:
        project = made_project(studio)
        new = api.post("/api/current-user/reset-token/").json()["token"]
        with pytest.raises(LabelStudioError, match=r"refused the token \(401\)") as caught:
            studio.push(project, [task("k0", items(1)[0])])
    kept = (own.data / "credentials.json").read_text()
    (own.data / "credentials.json").write_text(kept.replace(own.server.token, new))
    own.server.token = new

    assert "\n" not in str(caught.value)
    assert new not in str(caught.value)


def test_a_restart_is_told_and_then_all_is_as_before(own: Own) -> None:
    """While the server is down there is one clear line; after it the same connection, address and token go on."""
    url, made = own.server.url, [task("k0", items(1)[0])]
    with LabelStudio.connect(url, own.server.token) as studio:
        project = made_project(studio)
        ids = studio.push(project, made)
        own.server.stop()
        with pytest.raises(LabelStudioError, match=f"No Label Studio answers at {url}: start it with"):
            studio.push(project, made)
        own.start()

        assert own.server.url == url
        assert studio.push(project, made) == ids


def test_a_killed_run_does_not_block_the_next(own: Own) -> None:
    """After kill -9 of what started it the server ends and its port is free; the next start finds everything."""
    own.server.stop()
    run = subprocess.Popen(
        [sys.executable, "-c", RUN, os.environ["ASSAY_HOME"], str(own.data)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert run.stdout is not None
    with run.stdout as said:
        url = said.readline().strip()
        with LabelStudio.connect(url, own.server.token) as studio:
            project = made_project(studio)
            ids = studio.push(project, [task("k0", items(1)[0])])
        run.kill()
        run.wait()
    deadline = time.monotonic() + 60
    with httpx.Client(trust_env=False) as client:
        while time.monotonic() < deadline:
            try:
                client.get(url, timeout=5)
            except httpx.ConnectError:
                break
            except httpx.TransportError:
                pass  # it was ended in the middle of this request
            time.sleep(0.2)
        else:
            pytest.fail(f"Label Studio still answers at {url}")
    own.start()

    with LabelStudio.connect(own.server.url, own.server.token) as studio:
        assert studio.push(project, [task("k0", items(1)[0])]) == ids
