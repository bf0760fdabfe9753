"""The Streamlit process that shows the app: which file it runs, and the settings that keep it private.

Loopback only, no usage statistics, no tracebacks in the browser, no remote fonts.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from proxy.errors import UsageError

FIRST_PORT = 8501
PORTS = 50
BACKLOG = 128
FIRST_PAGE = "overview"
# Set for an app that is to end with its parent, which holds the other end of its standard input.
PARENT = "ASSAY_ENDS_WITH_STDIN"
HOSTS = ("127.0.0.1", "localhost")
# Each in light and in dark. Amber is a warning, red an error or a limit that is missed, green one that is met, and nothing else.
COLOURS: Mapping[str, tuple[str, str]] = {
    "primaryColor": ("#0B62A8", "#56B4E9"),
    "backgroundColor": ("#FFFFFF", "#0F1317"),
    "secondaryBackgroundColor": ("#F4F6F8", "#191E24"),
    "textColor": ("#15181E", "#E8EBEF"),
    "borderColor": ("#DFE3E8", "#2B323A"),
    "linkColor": ("#0B62A8", "#7CC0F2"),
    "grayTextColor": ("#55606B", "#A3ADB8"),
    "greenTextColor": ("#00714F", "#4CC79B"),
    "orangeTextColor": ("#8A5A00", "#F2B84B"),
    "redTextColor": ("#B3261E", "#FF8F86"),
}
SETTINGS: Mapping[str, object] = {
    "server.address": "127.0.0.1",
    "server.allowedHosts": list(HOSTS),
    "server.headless": True,
    "server.showEmailPrompt": False,
    "server.maxUploadSize": 50,
    "server.fileWatcherType": "none",
    # A new run would begin beside the one that still counts, on the same connection: within its transaction.
    "runner.fastReruns": False,
    "server.enableXsrfProtection": True,
    "server.enableCORS": True,
    "browser.gatherUsageStats": False,
    "logger.enableRich": False,  # it writes to standard output, where nobody looks
    "logger.hideWelcomeMessage": True,
    "client.toolbarMode": "viewer",
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "runner.magicEnabled": False,  # it prints a bare expression on the page
    # Sizes alone stand here: a single colour beside them would fix one theme, and the user could choose no other.
    "theme.baseFontSize": 14,
    "theme.baseRadius": "0.5rem",
    "theme.buttonRadius": "0.4rem",
    "theme.headingFontSizes": ["1.6rem", "1.1rem", "1rem", "1rem", "1rem", "1rem"],
    "theme.headingFontWeights": [650, 620, 600, 600, 600, 600],
    "theme.metricValueFontSize": "1.6rem",
    "theme.paddingTop": "0.7rem",
    **{f"theme.light.{name}": colour for name, (colour, _) in COLOURS.items()},
    **{f"theme.dark.{name}": colour for name, (_, colour) in COLOURS.items()},
}


def app_file() -> Path:
    """app.py, which is beside the packages in a checkout and in an installed wheel alike."""
    path = Path(__file__).resolve().parents[3] / "app.py"
    if not path.exists():
        raise UsageError(f"app.py is missing beside the installed packages ({path}): install assay anew")
    return path


def free_port(wanted: int | None) -> int:
    """The port asked for, else the first free one from 8501; UsageError if it is taken."""
    with listening(wanted) as taken:
        return int(taken.getsockname()[1])


def listening(wanted: int | None) -> socket.socket:
    """A socket that has the port asked for, else the first free one from 8501; UsageError if it is taken."""
    for port in [wanted] if wanted else range(FIRST_PORT, FIRST_PORT + PORTS):
        with suppress(OSError):
            return socket.create_server(("127.0.0.1", port), backlog=BACKLOG)
    raise UsageError(f"port {wanted or FIRST_PORT} is taken: name another with --port")


class AppProcess(NamedTuple):
    """The app's process, and the port that it has taken."""

    process: subprocess.Popen[bytes]
    port: int


def start(db: Path, wanted: int | None, more: Mapping[str, str] | None = None) -> AppProcess:
    """The app on this store, as a child process that has its port already; UsageError if it did not get one.

    `more` is what it finds in its environment beside ours.
    """
    if wanted:
        free_port(wanted)  # said before a process is started
    command = [sys.executable, "-m", "annotate.pages.kit.asgi", *([str(wanted)] if wanted else [])]
    environment = {**os.environ, **(more or {}), "ASSAY_DB": str(db.resolve()), PARENT: "1"}
    # It takes the port itself, or another process could be quicker; what goes wrong it says on standard error. Its standard input
    # says nothing, and ends with us however we end.
    process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        line = _first_line(process)
    except BaseException:  # whoever ends us meanwhile ends the child too
        process.terminate()
        raise
    if not line:
        process.wait()
        raise UsageError("the app could not start: the lines above say why")
    return AppProcess(process, int(line))


def _first_line(process: subprocess.Popen[bytes]) -> bytes:
    """What the process writes first; empty if it ends before."""
    if process.stdout is None:
        raise ValueError("a process that was started with a pipe")
    with process.stdout as said:
        return said.readline()
