"""The Streamlit process that shows the app: which file it runs, and the settings that keep it private.

Loopback only, no usage statistics, no tracebacks in the browser, no remote fonts.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import annotate
from proxy.errors import UsageError

FIRST_PORT = 8501
PORTS = 50
SETTINGS = {
    "server.address": "127.0.0.1",
    "server.headless": "true",
    "server.showEmailPrompt": "false",
    "server.maxUploadSize": "50",
    "server.fileWatcherType": "none",
    "browser.gatherUsageStats": "false",
    "client.toolbarMode": "viewer",
    "client.showErrorDetails": "none",
    "theme.paddingTop": "2rem",
    "theme.primaryColor": "#0072B2",
}


def app_file() -> Path:
    """app.py, which lies beside the packages in a checkout and in an installed wheel alike."""
    path = Path(annotate.__file__).resolve().parent.parent / "app.py"
    if not path.exists():
        raise UsageError(f"app.py is missing beside the installed packages ({path}): install assay anew")
    return path


def free_port(wanted: int | None) -> int:
    """The port asked for, else the first free one from 8501; UsageError if it is taken."""
    for port in [wanted] if wanted else range(FIRST_PORT, FIRST_PORT + PORTS):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise UsageError(f"port {wanted or FIRST_PORT} is taken: name another with --port")


def start(db: Path, port: int) -> subprocess.Popen[bytes]:
    """The app on this store, as a child process."""
    command = [sys.executable, "-m", "streamlit", "run", str(app_file()), "--server.port", str(port)]
    command += [part for name, value in SETTINGS.items() for part in (f"--{name}", value)]
    environment = {**os.environ, "ASSAY_DB": str(db.resolve())}
    # Its banner would stand between our own lines; what goes wrong it says on standard error.
    return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
