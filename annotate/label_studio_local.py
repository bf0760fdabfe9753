"""A Label Studio of one's own on this machine, for `assay up`: folders in, a running server with its credentials out.

The server lives in an environment of its own, since its pins fight ours, and keeps all it holds in one data folder.
The rule: it listens on 127.0.0.1 alone, calls nobody, reads no setting from the caller's environment, and what it
writes is readable by its owner only.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from proxy.errors import LabelStudioError

VERSION = "1.23.2"
TEMPLATE_VARIABLE = "ASSAY_LABEL_STUDIO_TEMPLATE"

_EMAIL = "expert@assay.local"
_MARKER = ".assay-complete"
_MIGRATED = "migrated"
_LOG = "label-studio.log"
_START_SECONDS = 300.0
_STOP_SECONDS = 10.0
_PROGRESS_SECONDS = 10.0

# Label Studio reads each setting also under its bare name (HOST, DEBUG, USERNAME ...), so only these come through.
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
_SETTINGS = {
    "LABEL_STUDIO_SENTRY_DSN": "",
    "LABEL_STUDIO_FRONTEND_SENTRY_DSN": "",
    "LABEL_STUDIO_COLLECT_ANALYTICS": "false",
    "LABEL_STUDIO_LATEST_VERSION_CHECK": "false",
    "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
    "LABEL_STUDIO_LS_CSP_REPORT_ONLY": "false",
    "LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED": "false",
    "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
}

Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Credentials:
    """The one account of a local server; kept in its data folder, never printed in an error."""

    email: str
    password: str
    token: str


def ensure_environment(home: Path, progress: Progress) -> Path:
    """The folder of an environment with the pinned Label Studio; installs it when it is missing or was cut short."""
    environment = home / f"label-studio-{VERSION}"
    if (environment / _MARKER).exists():
        return environment
    home.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(environment, ignore_errors=True)
    log = home / f"label-studio-{VERSION}.log"
    progress(f"Installing Label Studio {VERSION}, once: about 1 GB and 3 minutes")
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--disable-pip-version-check"]
    for command in ([sys.executable, "-m", "venv", str(environment)], [*pip, f"label-studio=={VERSION}"]):
        with log.open("ab") as out:
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            status = _wait(process, progress, "Installing Label Studio")
        if status:
            raise LabelStudioError(f"Label Studio could not be installed: see the end of {log}, then run it again")
    (environment / _MARKER).write_text(VERSION, encoding="ascii")
    return environment


def start(home: Path, data: Path, port: int | None = None, progress: Progress = lambda line: None) -> LocalServer:
    """A server that answers, on `port`, or the port of last time, or a free one; the first start takes a minute."""
    environment = ensure_environment(home, progress)
    data = data.absolute()
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = _lock(data)
    try:
        credentials = _prepare(environment, data, progress)
        server = LocalServer(environment, data, _choose_port(data, port), credentials, lock)
    except BaseException:
        lock.close()
        raise
    try:
        server.wait(progress)
    except BaseException:
        server.stop()
        raise
    return server


class LocalServer:
    """A running Label Studio in a process group of its own; leaving the context stops it."""

    def __init__(self, environment: Path, data: Path, port: int, credentials: Credentials, lock: IO[str]) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.email, self.password, self.token = credentials.email, credentials.password, credentials.token
        self.log = data / _LOG
        self._lock = lock
        command = [*_program(environment), "start", "--no-browser", "--log-level", "ERROR"]
        command += ["--internal-host", "127.0.0.1", "--port", str(port)]
        settings = _settings(data) | {"LABEL_STUDIO_HOST": self.url}
        # The server holds the lock too: a server that outlived a killed `assay up` still guards its folder.
        self._process = _run(command, settings, data, lock.fileno())
        _write_private(Path(lock.name), json.dumps({"pid": self._process.pid, "url": self.url}))
        _write_private(data / "port", str(port))

    def wait(self, progress: Progress) -> None:
        """Return once the server answers; raise when it stops or takes longer than five minutes."""
        began = told = time.monotonic()
        while not _healthy(self.url):
            now = time.monotonic()
            if self._process.poll() is not None:
                raise LabelStudioError(f"Label Studio stopped while starting: see the end of {self.log}")
            if now - began > _START_SECONDS:
                raise LabelStudioError(f"Label Studio did not answer within {_START_SECONDS:.0f} s: see {self.log}")
            if now - told > _PROGRESS_SECONDS:
                told = now
                progress(f"Starting Label Studio: {now - began:.0f} s")
            time.sleep(0.2)

    def stop(self) -> None:
        """Ask the server's process group to end, and insist after ten seconds; harmless when it has ended."""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            if self._process.poll() is None:
                os.killpg(self._process.pid, sign)
                try:
                    self._process.wait(_STOP_SECONDS)
                except subprocess.TimeoutExpired:
                    continue
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _prepare(environment: Path, data: Path, progress: Progress) -> Credentials:
    """The folder's credentials, after its database and account exist: from the template, from before, or made now."""
    template = os.environ.get(TEMPLATE_VARIABLE)
    if template and not (data / "credentials.json").exists():
        _copy_template(Path(template), data)
    credentials = _credentials(data)
    if not (data / _MIGRATED).exists():
        account = {
            "LABEL_STUDIO_USERNAME": credentials.email,
            "LABEL_STUDIO_PASSWORD": credentials.password,
            "LABEL_STUDIO_USER_TOKEN": credentials.token,
        }
        command = [*_program(environment), "init", "--quiet", "--log-level", "ERROR"]
        progress("Preparing Label Studio's database, once: 1 to 2 minutes")
        status = _wait(_run(command, _settings(data) | account, data), progress, "Preparing Label Studio's database")
        if status:
            raise LabelStudioError(f"Label Studio's database could not be made: see the end of {data / _LOG}")
        (data / _MIGRATED).write_text(VERSION, encoding="ascii")
    return credentials


def _credentials(data: Path) -> Credentials:
    """The credentials kept in the folder, or new ones, kept before anything is made with them."""
    path = data / "credentials.json"
    try:
        return Credentials(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        made = Credentials(email=_EMAIL, password=secrets.token_urlsafe(12), token=secrets.token_hex(20))
        _write_private(path, json.dumps(asdict(made)))
        return made
    except (ValueError, TypeError):
        raise LabelStudioError(f"{path} cannot be read: restore it, or move {data} away to start anew") from None


def _copy_template(template: Path, data: Path) -> None:
    """Copy a migrated folder, without its port, lock and log, which belong to the server that ran there."""
    if not (template / _MIGRATED).exists() or not (template / "credentials.json").exists():
        raise LabelStudioError(f"{TEMPLATE_VARIABLE} names {template}, which holds no prepared Label Studio: unset it")
    shutil.copytree(template, data, dirs_exist_ok=True, ignore=shutil.ignore_patterns("port", "lock", _LOG))
    data.chmod(0o700)


def _lock(data: Path) -> IO[str]:
    """The folder's lock, held; two servers on one SQLite file would lose labels."""
    path = data / "lock"
    path.touch(mode=0o600)
    lock = path.open("r", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = lock.read() or "{}"
        lock.close()
        running = json.loads(holder)
        where = f" at {running['url']}, process {running['pid']}" if running else ""
        raise LabelStudioError(f"Label Studio already runs on {data}{where}: use that one, or stop it first") from None
    return lock


def _choose_port(data: Path, asked: int | None) -> int:
    """The port asked for, else the one of last time, so that links stay valid, else any free one."""
    if asked is not None:
        if not _free(asked):
            raise LabelStudioError(f"Port {asked} is taken: stop what uses it, or choose another port")
        return asked
    try:
        before = int((data / "port").read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError):
        before = 0
    if before and _free(before):
        return before
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _free(port: int) -> bool:
    """Whether a server could listen on the port; one that is only in TIME_WAIT counts as free."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError):
            return False
        return True


def _healthy(url: str) -> bool:
    """Whether Label Studio answers there, asked without any proxy."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url}/health", timeout=5) as answer:
            return bool(json.load(answer).get("status") == "UP")
    except (OSError, ValueError, AttributeError, urllib.error.URLError):
        return False


def _program(environment: Path) -> list[str]:
    """The command through its interpreter: a console script keeps the path of the folder it was installed in."""
    return [str(environment / "bin" / "python"), str(environment / "bin" / "label-studio")]


def _settings(data: Path) -> dict[str, str]:
    """The whole environment of the server process."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | _SETTINGS | {"LABEL_STUDIO_BASE_DATA_DIR": str(data)}


def _run(command: list[str], settings: dict[str, str], data: Path, *held: int) -> subprocess.Popen[bytes]:
    """Start a Label Studio command that writes to the folder's log, in a group that Ctrl+C does not reach."""
    descriptor = os.open(data / _LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "ab") as out:
        return subprocess.Popen(
            command,
            env=settings,
            cwd=data,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            umask=0o077,
            pass_fds=held,
        )


def _wait(process: subprocess.Popen[bytes], progress: Progress, doing: str) -> int:
    """Wait for a command's exit status, telling every ten seconds that it goes on; an interrupt ends it too."""
    began = time.monotonic()
    try:
        while True:
            try:
                return process.wait(_PROGRESS_SECONDS)
            except subprocess.TimeoutExpired:
                progress(f"{doing}: {time.monotonic() - began:.0f} s")
    except BaseException:
        process.kill()
        process.wait()
        raise


def _write_private(path: Path, text: str) -> None:
    """Write a small file that only its owner can read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
