"""The app's process over plain HTTP: where it listens, what a page may ask for, and how it ends."""

from __future__ import annotations

import base64
import hashlib
import http.client
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPResponse
from pathlib import Path

import pytest

from annotate.pages.kit import server
from annotate.pages.kit.environment import MORE, app_environment
from annotate.store import Store
from proxy.errors import UsageError
from support.app import walk
from support.secrets import secrets_in, secrets_of, set_secrets

pytestmark = pytest.mark.slow

SIGN_IN = """[signin]
issuer = "https://login.example.org"
client_id = "assay"
address = "https://assay.example.org"
roles_claim = "roles"
lead = "lead"
"""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[server.AppProcess]:
    """The app on the demo, started where secrets of every door are in the environment."""
    db = tmp_path_factory.mktemp("app") / "assay.db"
    store = Store(db)
    walk(store)
    store.close()
    with pytest.MonkeyPatch.context() as patch:
        set_secrets(patch)
        patch.setenv("NOT_FOR_IT", "stray")
        patch.delenv("LABEL_STUDIO_URL", raising=False)
        started = server.start(db, None)
    yield started
    started.process.terminate()
    assert started.process.wait(10) in (0, -15)


@pytest.fixture(scope="module")
def port(app: server.AppProcess) -> int:
    return app.port


def ask(port: int, path: str, host: str | None = None) -> tuple[HTTPResponse, str]:
    """The answer to a request; a connection waits until the imports are done."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers={"Host": host or f"127.0.0.1:{port}"})
    response = connection.getresponse()
    return response, response.read().decode("utf-8", "replace")


def test_it_listens_on_loopback_alone(port: int) -> None:
    """Other addresses of this machine refuse."""
    with socket.socket() as probe:
        probe.settimeout(2)
        assert probe.connect_ex(("127.0.0.2", port)) != 0


def test_every_page_has_the_shell_and_its_policy(port: int) -> None:
    """The address of a page gives Streamlit's page under our title; our one script is the one that the policy lets run."""
    for path in ("/", "/gold", "/calibration?lang=ko"):
        response, page = ask(port, path)
        scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
        policy = response.headers["Content-Security-Policy"]

        assert (response.status, len(scripts)) == (200, 1)
        assert "<title>Assay</title>" in page
        assert f"'sha256-{digest}'" in policy
        assert "http:" not in policy
        assert "https:" not in policy
        assert f"connect-src 'self' ws://127.0.0.1:{port}" in policy
        assert response.headers["X-Frame-Options"] == "DENY"


def test_what_is_no_page_comes_from_below(port: int) -> None:
    """Files, health and the icon are no shell; the icon is ours and local."""
    assert ask(port, "/_stcore/health")[1] == "ok"
    assert ask(port, "/favicon.png")[0].headers["Content-Type"] == "image/svg+xml"
    assert ask(port, "/gold/_stcore/health")[0].status == 404
    assert ask(port, "/manifest.json")[0].headers["Content-Security-Policy"] is None


def test_the_first_page_has_two_addresses(port: int) -> None:
    """Its name leads to the root, with what the address says."""
    response, _ = ask(port, "/overview?lang=ko")

    assert (response.status, response.headers["Location"]) == (307, "/?lang=ko")


def test_other_hosts_are_refused(port: int) -> None:
    """A page of another site whose name was bent to this machine gets nothing."""
    assert ask(port, "/", host="evil.example.org")[0].status == 400
    assert ask(port, "/", host=f"localhost:{port}")[0].status == 200


def test_a_taken_port_is_said(port: int, tmp_path: Path) -> None:
    """Before a process is started, and by the process that comes too late."""
    with pytest.raises(UsageError, match="--port"):
        server.start(tmp_path / "assay.db", port)
    late = subprocess.run(
        [sys.executable, "-m", "annotate.pages.kit.asgi", "127.0.0.1", str(port)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (late.returncode, late.stdout) == (1, "")
    assert "--port" in late.stderr


def test_two_that_start_at_once_get_two_ports(tmp_path: Path) -> None:
    """Neither is told that a port is taken, for neither has asked for one."""
    with ThreadPoolExecutor() as pool:
        started = list(pool.map(lambda name: server.start(tmp_path / name, None), ("a.db", "b.db")))
    for process, _ in started:
        process.terminate()
        process.wait(10)

    assert started[0].port != started[1].port


def test_the_process_gets_no_secret_that_no_setting_uses(app: server.AppProcess) -> None:
    """As the system shows its environment: the pseudonyms' key, which every page needs, and nothing that is not on the list."""
    assert secrets_of([app.process.pid]) == {"ASSAY_PSEUDONYM_KEY"}
    assert b"NOT_FOR_IT" not in Path(f"/proc/{app.process.pid}/environ").read_bytes()


@pytest.mark.parametrize(
    ("settings", "variables", "expected"),
    [
        ("", {"LABEL_STUDIO_URL": "http://labels.test"}, {"LABEL_STUDIO_API_KEY"}),
        ('[pull]\nurl = "http://labels.test"', {}, {"LABEL_STUDIO_API_KEY"}),
        ('[draft]\nmodel = "m"', {}, {"OPENAI_API_KEY"}),
        (SIGN_IN, {}, {"ASSAY_SIGNIN_CLIENT_SECRET", "ASSAY_SIGNIN_COOKIE_SECRET"}),
        ("", {MORE: "DATABASE_URL, HF_HOME"}, {"DATABASE_URL"}),
    ],
)
def test_a_setting_that_uses_a_secret_brings_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: str,
    variables: dict[str, str],
    expected: set[str],
) -> None:
    """A server that is named, a model that drafts, sign-in, and what a recogniser of one's own reads."""
    monkeypatch.chdir(tmp_path)
    Path("assay.toml").write_text(settings)
    monkeypatch.delenv("LABEL_STUDIO_URL", raising=False)
    set_secrets(monkeypatch)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert secrets_in(str(app_environment({}))) == {"ASSAY_PSEUDONYM_KEY", *expected}


def test_an_address_that_is_given_brings_its_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`assay serve --url` hands the address on, and the token is for it."""
    monkeypatch.chdir(tmp_path)
    set_secrets(monkeypatch)
    environment = app_environment({"LABEL_STUDIO_URL": "http://labels.test"})

    assert secrets_in(str(environment)) == {"ASSAY_PSEUDONYM_KEY", "LABEL_STUDIO_API_KEY"}
    assert environment["LABEL_STUDIO_URL"] == "http://labels.test"


def test_nothing_is_sent_home() -> None:
    """Statistics off, no details of errors and no links to elsewhere in the browser, protection against forgery on."""
    settings = server.SETTINGS
    assert settings["browser.gatherUsageStats"] is False
    assert settings["client.showErrorDetails"] == "none"
    assert settings["client.showErrorLinks"] is False
    assert settings["server.enableXsrfProtection"] is True
    assert settings["server.address"] == "127.0.0.1"
    assert Path(server.app_file()).name == "app.py"
