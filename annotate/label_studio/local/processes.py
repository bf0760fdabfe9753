"""Label Studio's commands as processes: scrubbed of the caller's settings, private in what they write, ended by us."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from annotate.domain.child_environment import MACHINE, PYTHON, kept
from annotate.label_studio.local import hardening
from annotate.progress.stopping import stops_wait

Progress = Callable[[str], None]

LOG = "label-studio.log"
PROGRESS_SECONDS = 10.0
STOP_SECONDS = 10.0

_SETTINGS = {
    "LABEL_STUDIO_SENTRY_DSN": "",
    "LABEL_STUDIO_FRONTEND_SENTRY_DSN": "",
    "LABEL_STUDIO_COLLECT_ANALYTICS": "false",
    "LABEL_STUDIO_LATEST_VERSION_CHECK": "false",
    "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
    "LABEL_STUDIO_LS_CSP_REPORT_ONLY": "false",
    "LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED": "false",
    "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
    # "12 of 60" over each task; without it the place among those that were opened since the page was.
    "fflag_fix_all_optic_79_task_count_is_wrong_short": "true",
}


def label_studio(
    environment: Path, data: Path, arguments: Sequence[str], settings: Mapping[str, str], *descriptors: int
) -> subprocess.Popen[bytes]:
    """Start a Label Studio command on a data folder, in a group that Ctrl+C does not reach; it logs to the folder.

    `settings` come on top of those that are always set; the `descriptors` stay open in it.
    """
    # Through its interpreter: a console script keeps the path of the folder it was installed in.
    program = [str(environment / "bin" / "python"), str(environment / "bin" / "label-studio")]
    descriptor = os.open(data / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "ab") as out:
        return subprocess.Popen(
            [*program, *arguments, "--log-level", "ERROR", "--data-dir", str(data)],
            # It reads each setting also under its bare name (HOST, DEBUG, USERNAME ...), so only the machine's come through.
            env={
                **kept(os.environ, MACHINE),
                **_SETTINGS,
                **hardening.settings(data),
                "LABEL_STUDIO_BASE_DATA_DIR": str(data),
                **settings,
            },
            cwd=data,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            umask=0o077,
            pass_fds=descriptors,
        )


def watch(process: subprocess.Popen[bytes], data: Path) -> subprocess.Popen[bytes]:
    """Have the group of a command ended when we end, however that is, by a process of its own that Ctrl-C does not reach.

    It waits for the end of its standard input, which only we can write to; `dismiss` sends it away.
    """
    program = Path(__file__).with_name("watching.py")
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(program), str(process.pid), str(data)],
        env=kept(os.environ, (*MACHINE, *PYTHON)),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def dismiss(watcher: subprocess.Popen[bytes]) -> None:
    """Dismiss the watcher of a command that has ended; harmless when it has gone."""
    if watcher.poll() is None:
        with suppress(BrokenPipeError):
            watcher.communicate(b"done")


def run(start: Callable[[], subprocess.Popen[bytes]], progress: Progress, doing: str) -> int:
    """Start a command in a group of its own and wait for its exit status, telling every ten seconds that it goes on.

    An interrupt ends it, with all it started.
    """
    began = time.monotonic()
    process: subprocess.Popen[bytes] | None = None
    try:
        with stops_wait():
            process = start()
        while True:
            try:
                return process.wait(PROGRESS_SECONDS)
            except subprocess.TimeoutExpired:
                progress(f"{doing}: {time.monotonic() - began:.0f} s")
    finally:
        if process is not None and process.returncode is None:
            _kill(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ask a process group to end, and insist after ten seconds, or at once when we are interrupted in waiting.

    What the command started and left behind ends with it. Harmless when the command has ended before.
    """
    if process.poll() is not None:
        return
    try:
        _signal(process, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_SECONDS)
    finally:
        _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a command that runs or has ended just now, with all that is left of its group."""
    _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process: subprocess.Popen[bytes], sign: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # the latter on macOS, where only zombies are left
        os.killpg(process.pid, sign)
