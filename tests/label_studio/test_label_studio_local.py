"""Preparing, starting and stopping a local server, with a stand-in program that only says it is healthy."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from annotate.label_studio.local import TEMPLATE_VARIABLE, VERSION, ensure_environment, start
from proxy.errors import LabelStudioError
from support.local_server import seen
from support.secrets import secrets_in, secrets_of, set_secrets
from support.store import ROOT


@pytest.mark.slow
def test_a_server_starts_and_stops(home: Path, tmp_path: Path) -> None:
    """Inside the context the server answers; after it nothing does."""
    with start(home, tmp_path / "data") as server:
        answer = json.load(urllib.request.urlopen(f"{server.url}/health", timeout=5))

    assert answer == {"status": "UP"}

    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"{server.url}/health", timeout=5)


@pytest.mark.slow
def test_the_caller_environment_stays_outside(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings and secrets of the caller's environment reach neither the server nor its watcher; the opt-outs do."""
    for name in ("HOST", "DEBUG", "USERNAME", "HEARTEX_HOST", "LABEL_STUDIO_HOST", "DJANGO_DB"):
        monkeypatch.setenv(name, "stray")
    set_secrets(monkeypatch)
    with start(home, tmp_path / "data") as server:
        call = seen(tmp_path, "start")
        assert server._watcher is not None
        assert secrets_of([server.process.pid, server._watcher.pid]) == set()

    assert "stray" not in call.environment.values()
    assert "stray" not in seen(home, "init").environment.values()
    assert call.environment["LABEL_STUDIO_HOST"] == server.url
    assert call.environment["LABEL_STUDIO_COLLECT_ANALYTICS"] == "false"
    assert call.environment["LABEL_STUDIO_LS_CSP_REPORT_ONLY"] == "false"
    assert call.arguments[call.arguments.index("--internal-host") + 1] == "127.0.0.1"


@pytest.mark.slow
def test_secrets_are_for_the_owner_only(home: Path, tmp_path: Path) -> None:
    """Credentials stay out of command lines, and every file and folder is closed to others, those of the server too."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "from-before").write_text("open to all")
    with start(home, data) as server:
        kept = json.loads((data / "credentials.json").read_text())
        arguments = seen(tmp_path, "start").arguments + seen(home, "init").arguments
        paths = [data, *data.rglob("*"), *home.glob(f"label-studio-{VERSION}-database/*")]

    assert kept == {"email": server.email, "password": server.password, "token": server.token}
    assert server.token not in str(arguments)
    assert server.password not in str(arguments)
    names = {path.name for path in paths}
    assert names >= {"credentials.json", "label-studio.log", "lock", "port", "some.json", "from-before", "migrated"}
    assert [path for path in paths if path.stat().st_mode & 0o077] == []


@pytest.mark.slow
def test_a_second_start_reuses_the_folder_and_the_port(home: Path, tmp_path: Path) -> None:
    """Account and address stay, so that links and tokens stay valid; the account is not made again."""
    data = tmp_path / "data"
    with start(home, data) as first:
        made = seen(tmp_path, "start").environment
    with start(home, data) as second:
        kept = seen(tmp_path, "start").environment

    assert (second.url, second.token, second.password) == (first.url, first.token, first.password)
    assert made["LABEL_STUDIO_USER_TOKEN"] == first.token
    assert not {name for name in kept if "PASSWORD" in name or "TOKEN" in name} - {
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN"
    }
    assert (data / "label_studio.sqlite3").read_text() == "init start start "


@pytest.mark.slow
def test_a_second_store_needs_no_preparation_and_has_its_own_account(home: Path, tmp_path: Path) -> None:
    """The database is migrated once a machine; each folder's password and token are its own."""
    with start(home, tmp_path / "one") as first:
        pass
    (home / "init.json").unlink()
    with start(home, tmp_path / "two") as second:
        pass

    assert not (home / "init.json").exists()
    assert (tmp_path / "two" / "label_studio.sqlite3").read_text() == "init start "
    assert first.token != second.token
    assert first.password != second.password


@pytest.mark.slow
def test_a_taken_port_is_an_error_only_when_asked_for(home: Path, tmp_path: Path) -> None:
    """A stored port that is taken gives way to another; one that was asked for is refused."""
    data = tmp_path / "data"
    with start(home, data) as first:
        pass
    port = int(first.url.rpartition(":")[2])
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen()
        with pytest.raises(LabelStudioError, match=f"Port {port} is taken"):
            start(home, data, port)
        with start(home, data) as second:
            assert second.url != first.url


@pytest.mark.slow
def test_a_program_that_ends_is_an_error_with_its_log(home: Path, tmp_path: Path) -> None:
    """A server that stops while starting is reported at once, and leaves the folder free."""
    (tmp_path / "break-start").touch()
    with pytest.raises(LabelStudioError, match="stopped while starting: see the end of "):
        start(home, tmp_path / "data")
    (tmp_path / "break-start").unlink()

    start(home, tmp_path / "data").stop()


@pytest.mark.slow
def test_a_broken_preparation_is_done_again(home: Path, tmp_path: Path) -> None:
    """A database that was not made to the end is made at the next start, with the same account."""
    data = tmp_path / "data"
    (home / "break-init").touch()
    with pytest.raises(LabelStudioError, match="database could not be made"):
        start(home, data)
    kept = (data / "credentials.json").read_text()
    (home / "break-init").unlink()
    with start(home, data):
        pass

    assert (data / "credentials.json").read_text() == kept


@pytest.mark.slow
def test_a_folder_whose_first_start_failed_is_made_anew(home: Path, tmp_path: Path) -> None:
    """Half an account is not kept: the database is copied again, and the account made in that."""
    data = tmp_path / "data"
    (tmp_path / "break-start").touch()
    with pytest.raises(LabelStudioError):
        start(home, data)
    (data / "label_studio.sqlite3").write_text("half ")
    (tmp_path / "break-start").unlink()
    with start(home, data) as server:
        assert seen(tmp_path, "start").environment["LABEL_STUDIO_USER_TOKEN"] == server.token

    assert (data / "label_studio.sqlite3").read_text() == "init start "


@pytest.mark.slow
def test_a_template_is_copied_with_its_account(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is named to be copied gives its account too; the port is another."""
    with start(home, tmp_path / "template") as first:
        monkeypatch.setenv(TEMPLATE_VARIABLE, str(tmp_path / "template"))
        with start(home, tmp_path / "data") as second:
            assert second.url != first.url

    assert second.token == first.token
    assert (tmp_path / "data" / "label_studio.sqlite3").read_text() == "init start start "


def test_an_interrupted_installation_is_done_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its mark an environment is installed anew, with no secret of ours; a failure names the log and sets no mark."""
    environment = home / f"label-studio-{VERSION}"
    assert ensure_environment(home, print) == environment
    (environment / ".assay-complete").unlink()
    failing = home / "python"
    failing.write_text("#!/bin/sh\necho no room left\nenv\nexit 1\n")
    failing.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(failing))
    set_secrets(monkeypatch)
    monkeypatch.setenv("PIP_RETRIES", "3")
    told: list[str] = []
    with pytest.raises(LabelStudioError, match="could not be installed: see the end of"):
        ensure_environment(home, told.append)

    assert not (environment / ".assay-complete").exists()
    log = (home / f"label-studio-{VERSION}.log").read_text()
    assert "no room left" in log
    assert "PIP_RETRIES=3" in log
    assert secrets_in(log) == set()
    assert told


@pytest.mark.slow
def test_a_run_that_is_killed_leaves_no_server(home: Path, tmp_path: Path) -> None:
    """Its port is free some seconds after SIGKILL, also where the server does not listen to a polite signal."""
    script = (
        "import sys, time; from pathlib import Path; from annotate.label_studio.local import start\n"
        "with start(Path(sys.argv[1]), Path(sys.argv[2])) as server: print(server.url, flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", script, str(home), str(tmp_path / "data")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    ) as run:
        url = run.stdout.readline().strip()
        run.kill()

    until, port = time.monotonic() + 25, int(url.rpartition(":")[2])
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return
        time.sleep(0.1)
    pytest.fail(f"{url} still answers")
