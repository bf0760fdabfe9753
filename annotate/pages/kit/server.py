"""The Streamlit process that shows the app: which file it runs, and the settings that keep it private.

Loopback only unless people sign in, no usage statistics, no tracebacks in the browser, no remote fonts.
"""

from __future__ import annotations

import errno
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from annotate.domain.sign_in.settings import SignInSettings, sign_in_settings
from annotate.pages.kit.environment import app_environment
from annotate.progress.stopping import stops_wait
from annotate.settings import SETTINGS as FILE
from annotate.settings import SIGNIN
from proxy.errors import UsageError

FIRST_PORT = 8501
PORTS = 50
BACKLOG = 128
FIRST_PAGE = "overview"
# Set for an app that is to end with its parent, which holds the other end of its standard input.
PARENT = "ASSAY_ENDS_WITH_STDIN"
HOSTS = ("127.0.0.1", "localhost")
HOST = HOSTS[0]
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
    "theme.headingFontWeights": [650, 600, 600, 600, 600, 600],
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


def settings_with(sign_in: SignInSettings | None, port: int) -> dict[str, object]:
    """The settings of the server; where people sign in, it also answers under the address that they open."""
    if sign_in is None:
        return {**SETTINGS, "server.port": port}
    return {
        **SETTINGS,
        "server.port": port,
        "server.allowedHosts": hosts(sign_in),
        "browser.serverAddress": sign_in.host,
        "server.corsAllowedOrigins": [sign_in.address.rstrip("/")],
        "server.trustedUserHeaders": {},  # they would win over the cookie
    }


def hosts(sign_in: SignInSettings | None) -> list[str]:
    """The names under which the server answers."""
    return list(HOSTS) if sign_in is None else list(dict.fromkeys([*HOSTS, sign_in.host]))


def free_port(wanted: int | None) -> int:
    """The port that `listening` would take."""
    with listening(wanted) as taken:
        return int(taken.getsockname()[1])


def listening(wanted: int | None, host: str = HOST) -> socket.socket:
    """A socket that has the port asked for, else that of the address at which people sign in, else a free one from 8501.

    UsageError where it is taken, or where others could reach the app without signing in.
    """
    sign_in = sign_in_settings()
    if sign_in is None and host not in HOSTS:
        raise UsageError(
            f"--host {host} would show every answer to whoever reaches this machine: have people sign in, by [{SIGNIN}] in "
            f"{FILE}, or leave it out and open the app through an SSH tunnel"
        )
    wanted = wanted or (sign_in.own_port if sign_in else None)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for port in [wanted] if wanted else range(FIRST_PORT, FIRST_PORT + PORTS):
        try:
            return socket.create_server((host, port), family=family, backlog=BACKLOG)
        except socket.gaierror as error:
            raise UsageError(f"--host {host} is no address of this machine ({error.strerror})") from error
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                raise UsageError(f"--host {host} is no address of this machine: 0.0.0.0 means all of them") from error
    raise UsageError(f"port {wanted or FIRST_PORT} is taken: name another with --port")


class AppProcess(NamedTuple):
    """The app's process, and the port that it has taken."""

    process: subprocess.Popen[bytes]
    port: int

    @property
    def address(self) -> str:
        """Where people open the app."""
        sign_in = sign_in_settings()
        return sign_in.address if sign_in else f"http://{HOST}:{self.port}"


def start(db: Path, wanted: int | None, more: Mapping[str, str] | None = None, *, host: str = HOST) -> AppProcess:
    """The app on this store, as a child process that has its port already; UsageError if it did not get one.

    `more` is what it finds in its environment beside what it needs of ours.
    """
    if wanted or host != HOST:
        listening(wanted, host).close()  # said before a process is started
    command = [sys.executable, "-m", "annotate.pages.kit.asgi", host, *([str(wanted)] if wanted else [])]
    environment = {**app_environment(more or {}), "ASSAY_DB": str(db.resolve()), PARENT: "1"}
    # It takes the port itself, or another process could be quicker; what goes wrong it says on standard error. Its standard input
    # says nothing, and ends with us however we end.
    process: subprocess.Popen[bytes] | None = None
    try:
        with stops_wait():
            process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = _first_line(process)
    except BaseException:  # whoever ends us meanwhile ends the child too
        if process is not None:
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
    with process.stdout as output:
        return output.readline()
