"""Start a local Label Studio on a data folder, wait for it, and stop it with all it started."""

from __future__ import annotations

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from annotate.label_studio.local import folder, private, processes
from annotate.label_studio.local.claims import FolderClaim, Running
from annotate.label_studio.local.environment import ensure_environment
from annotate.label_studio.local.folder import Credentials
from annotate.label_studio.local.processes import LOG, PROGRESS_SECONDS, Progress
from annotate.progress.stopping import stops_wait
from proxy.errors import LabelStudioError

START_SECONDS = 300.0


def start(home: Path, data: Path, port: int | None = None, progress: Progress = lambda line: None) -> LocalServer:
    """Start a server and wait until it answers, on `port`, or the port of last time, or a free one.

    The first start on a machine takes minutes, the first on a folder seconds. A server that a killed run left over on the
    folder is stopped first.
    """
    environment = ensure_environment(home, progress)
    data = data.absolute()
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    claim = FolderClaim(data, progress)
    release = claim.close
    try:
        credentials, account = folder.prepare(home, environment, data, progress)
        with stops_wait():
            server = LocalServer(environment, data, _choose_port(data, port), credentials, account, claim)
            release = server.stop
        server.wait(progress)
        folder.complete(data)
        private.close_to_others(data)
    except BaseException:
        release()
        raise
    return server


class LocalServer:
    """A running Label Studio in a process group of its own; leaving the context stops it."""

    def __init__(
        self,
        environment: Path,
        data: Path,
        port: int,
        credentials: Credentials,
        account: Mapping[str, str],
        claim: FolderClaim,
    ) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.email, self.password, self.token = credentials.email, credentials.password, credentials.token
        self.log = data / LOG
        self._claim = claim
        arguments = ["start", "--no-browser", "--internal-host", "127.0.0.1", "--port", str(port)]
        settings = {"LABEL_STUDIO_HOST": self.url, **account}
        self.process = processes.label_studio(environment, data, arguments, settings, claim.descriptor)
        self._watcher: subprocess.Popen[bytes] | None = None
        try:
            self._watcher = processes.watch(self.process, data)
            claim.note(Running(self.process.pid, self.url))
            private.write(data / "port", str(port))
        except BaseException:
            self.stop()
            raise

    def wait(self, progress: Progress) -> None:
        """Return once the server answers; raise when it stops or takes longer than five minutes."""
        began = reported = time.monotonic()
        while not _healthy(self.url):
            now = time.monotonic()
            if self.process.poll() is not None:
                raise LabelStudioError(f"Label Studio stopped while starting: see the end of {self.log}")
            if now - began > START_SECONDS:
                raise LabelStudioError(f"Label Studio did not answer within {START_SECONDS:.0f} s: see {self.log}")
            if now - reported > PROGRESS_SECONDS:
                reported = now
                progress(f"Starting Label Studio: {now - began:.0f} s")
            time.sleep(0.2)

    def stop(self) -> None:
        """End the server and all it started; harmless when it has ended."""
        try:
            processes.end(self.process)
            if self._watcher is not None:
                processes.dismiss(self._watcher)
        finally:
            self._claim.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _choose_port(data: Path, port: int | None) -> int:
    """Return the port asked for, else the one of last time, so that links stay valid, else any free one."""
    if port is not None:
        if not _free(port):
            raise LabelStudioError(f"Port {port} is taken: stop what uses it, or choose another port")
        return port
    before = _port_before(data)
    if before and _free(before):
        return before
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _port_before(data: Path) -> int:
    """Return the port of last time, 0 where there was none."""
    try:
        return int((data / "port").read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError):
        return 0


def _free(port: int) -> bool:
    """Return whether a server could listen on the port; one that is only in TIME_WAIT counts as free."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError):
            return False
        return True


def _healthy(url: str) -> bool:
    """Return whether Label Studio answers there, asked without any proxy."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url}/health", timeout=5) as answer:
            return bool(json.load(answer).get("status") == "UP")
    except (OSError, ValueError, AttributeError, urllib.error.URLError):
        return False
