"""Starting and stopping a local server, with a stand-in program that only says it is healthy."""

from __future__ import annotations

import json
import socket
import sys
import urllib.request
from pathlib import Path

import pytest

from annotate.label_studio_local import TEMPLATE_VARIABLE, VERSION, ensure_environment, start
from proxy.errors import LabelStudioError

PROGRAM = """
import http.server, json, os, sys
base = os.environ["LABEL_STUDIO_BASE_DATA_DIR"]
with open(os.path.join(base, sys.argv[1] + ".json"), "w") as out:
    json.dump({"arguments": sys.argv, "environment": dict(os.environ)}, out)
if os.path.exists(os.path.join(base, "break-" + sys.argv[1])):
    sys.exit(3)
class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"status": "UP"}')
if sys.argv[1] == "start":
    port = int(sys.argv[sys.argv.index("--port") + 1])
    http.server.HTTPServer(("127.0.0.1", port), Health).serve_forever()
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose environment is complete and holds the stand-in."""
    monkeypatch.delenv(TEMPLATE_VARIABLE, raising=False)
    programs = tmp_path / "home" / f"label-studio-{VERSION}" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    (programs / "label-studio").write_text(PROGRAM)
    (programs.parent / ".assay-complete").write_text(VERSION)
    return tmp_path / "home"


def test_a_server_starts_and_stops(home: Path, tmp_path: Path) -> None:
    """Inside the context the server answers; after it nothing does."""
    with start(home, tmp_path / "data") as server:
        answer = json.load(urllib.request.urlopen(f"{server.url}/health", timeout=5))

    assert answer == {"status": "UP"}

    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"{server.url}/health", timeout=5)


def test_the_caller_environment_stays_outside(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings that lie in the caller's environment do not reach the server, and the opt-outs do."""
    for name in ("HOST", "DEBUG", "USERNAME", "HEARTEX_HOST", "LABEL_STUDIO_HOST", "DJANGO_DB", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "stray")
    with start(home, tmp_path / "data") as server:
        seen = json.loads((tmp_path / "data" / "start.json").read_text())

    assert "stray" not in seen["environment"].values()
    assert seen["environment"]["LABEL_STUDIO_HOST"] == server.url
    assert seen["environment"]["LABEL_STUDIO_COLLECT_ANALYTICS"] == "false"
    assert seen["arguments"][seen["arguments"].index("--internal-host") + 1] == "127.0.0.1"


def test_secrets_are_for_the_owner_only(home: Path, tmp_path: Path) -> None:
    """Credentials stay out of command lines, and all that is written is private."""
    data = tmp_path / "data"
    with start(home, data) as server:
        kept = json.loads((data / "credentials.json").read_text())
        arguments = [json.loads((data / f"{name}.json").read_text())["arguments"] for name in ("init", "start")]

    assert kept == {"email": server.email, "password": server.password, "token": server.token}
    assert server.token not in str(arguments)
    assert server.password not in str(arguments)
    assert data.stat().st_mode & 0o777 == 0o700
    for name in ("credentials.json", "label-studio.log", "lock", "port", "start.json"):
        assert (data / name).stat().st_mode & 0o077 == 0, name


def test_a_second_start_reuses_the_folder_and_the_port(home: Path, tmp_path: Path) -> None:
    """Account and address stay, so that links and tokens stay valid; the database is not made again."""
    data = tmp_path / "data"
    with start(home, data) as first:
        pass
    (data / "init.json").unlink()
    with start(home, data) as second:
        pass

    assert (second.url, second.token, second.password) == (first.url, first.token, first.password)
    assert not (data / "init.json").exists()


def test_a_taken_port_is_an_error_only_when_asked_for(home: Path, tmp_path: Path) -> None:
    """A stored port that is taken gives way to another; one that was asked for is refused."""
    data = tmp_path / "data"
    with start(home, data) as first:
        pass
    port = int(first.url.rpartition(":")[2])
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        with pytest.raises(LabelStudioError, match=f"Port {port} is taken"):
            start(home, data, port)
        with start(home, data) as second:
            assert second.url != first.url


def test_one_folder_has_one_server(home: Path, tmp_path: Path) -> None:
    """A second server on the same folder is refused with the address of the first."""
    with start(home, tmp_path / "data") as server, pytest.raises(LabelStudioError, match="already runs on") as caught:
        start(home, tmp_path / "data")

    assert server.url in str(caught.value)


def test_a_program_that_ends_is_an_error_with_its_log(home: Path, tmp_path: Path) -> None:
    """A server that stops while starting is reported at once, and leaves the folder free."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "break-start").touch()
    with pytest.raises(LabelStudioError, match="stopped while starting: see the end of "):
        start(home, data)
    (data / "break-start").unlink()

    start(home, data).stop()


def test_a_broken_preparation_is_done_again(home: Path, tmp_path: Path) -> None:
    """A database that was not made to the end is made at the next start, with the same account."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "break-init").touch()
    with pytest.raises(LabelStudioError, match="database could not be made"):
        start(home, data)
    kept = (data / "credentials.json").read_text()
    (data / "break-init").unlink()
    with start(home, data):
        pass

    assert (data / "credentials.json").read_text() == kept


def test_a_template_saves_the_preparation(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new folder is a copy of the template's, on a port of its own."""
    with start(home, tmp_path / "template") as first:
        monkeypatch.setenv(TEMPLATE_VARIABLE, str(tmp_path / "template"))
        (tmp_path / "template" / "init.json").unlink()
        with start(home, tmp_path / "data") as second:
            assert second.url != first.url

    assert second.token == first.token
    assert not (tmp_path / "data" / "init.json").exists()


def test_an_interrupted_installation_is_done_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its mark an environment is removed and installed anew; a failure names the log and sets no mark."""
    environment = home / f"label-studio-{VERSION}"
    assert ensure_environment(home, print) == environment
    (environment / ".assay-complete").unlink()
    failing = home / "python"
    failing.write_text("#!/bin/sh\necho no room left\nexit 1\n")
    failing.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(failing))
    told: list[str] = []
    with pytest.raises(LabelStudioError, match="could not be installed: see the end of"):
        ensure_environment(home, told.append)

    assert not (environment / ".assay-complete").exists()
    assert "no room left" in (home / f"label-studio-{VERSION}.log").read_text()
    assert told
