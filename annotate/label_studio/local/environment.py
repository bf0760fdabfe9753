"""Shared parts of all local servers, in one home folder: the pinned environment, and a migrated data folder.

Both take minutes to make and are made once; each appears under its name only when it is complete.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import IO

from annotate.domain.child_environment import MACHINE, NETWORK, PYTHON, kept
from annotate.label_studio.local import private
from annotate.label_studio.local.processes import LOG, Progress, label_studio, run
from proxy.errors import LabelStudioError

# All of tests/live runs on the newest; `make test-all` runs what speaks to a server on the oldest, too (docs/deployment.md).
NEWEST, OLDEST = "1.23.2", "1.21.0"
VERSION = os.environ.get("ASSAY_LABEL_STUDIO_VERSION") or NEWEST
DATABASE = "label_studio.sqlite3"

# Packages that are built while they are installed run code of others.
_INSTALLER = ("CC", "CFLAGS", "CXX", "LDFLAGS", "NETRC", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
_COMPLETE = ".assay-complete"
_WAITING = "Waiting for another `assay up` that prepares Label Studio"


def ensure_environment(home: Path, progress: Progress) -> Path:
    """Return the folder of an environment with the pinned Label Studio; installs it when it is missing or was cut short."""
    environment = home / f"label-studio-{VERSION}"
    if not (environment / _COMPLETE).exists():
        home.mkdir(parents=True, exist_ok=True)
        with private.alone(home / "lock", lambda: progress(_WAITING)) as lock:
            if not (environment / _COMPLETE).exists():
                _install(environment, progress, lock)
    return environment


def ensure_database(home: Path, environment: Path, progress: Progress) -> Path:
    """Return a migrated database without any account, for a new data folder to copy; makes it when it is missing."""
    folder = home / f"label-studio-{VERSION}-database"
    if not (folder / DATABASE).exists():
        with private.alone(home / "lock", lambda: progress(_WAITING)) as lock:
            if not (folder / DATABASE).exists():
                _migrate(environment, folder, progress, lock)
    return folder / DATABASE


def _install(environment: Path, progress: Progress, lock: int) -> None:
    shutil.rmtree(environment, ignore_errors=True)
    log = environment.with_name(f"{environment.name}.log")
    progress(f"Installing Label Studio {VERSION}, once: about 1 GB and 3 minutes")
    install = [*_installer(environment / "bin" / "python"), f"label-studio=={VERSION}"]
    for command in ([sys.executable, "-m", "venv", str(environment)], install):
        with log.open("ab") as out:
            status = run(partial(_installing, command, out, lock), progress, "Installing Label Studio")
        if status:
            raise LabelStudioError(f"Label Studio could not be installed: see the end of {log}, then run it again")
    (environment / _COMPLETE).write_text(VERSION, encoding="ascii")


def _installing(command: Sequence[str], out: IO[bytes], lock: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        env=kept(os.environ, (*MACHINE, *NETWORK, *PYTHON, *_INSTALLER), ("PIP_", "UV_")),
        stdout=out,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        pass_fds=[lock],
    )


def _installer(python: Path) -> list[str]:
    """Return the command that installs packages for this Python: uv where the machine has it, in a sixth of pip's time."""
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--quiet", "--python", str(python)]
    return [str(python), "-m", "pip", "install", "--disable-pip-version-check"]


def _migrate(environment: Path, folder: Path, progress: Progress, lock: int) -> None:
    """Migrate an empty database; without a name and a password no account is made, so each copy gets its own."""
    making = folder.with_name(f"{folder.name}-unfinished")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(mode=0o700)
    progress("Preparing Label Studio's database, once: 1 to 2 minutes")
    start = partial(label_studio, environment, making, ["init", "--quiet"], {}, lock)
    if run(start, progress, "Preparing Label Studio's database") or not (making / DATABASE).exists():
        raise LabelStudioError(f"Label Studio's database could not be made: see the end of {making / LOG}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    (making / DATABASE).rename(folder / DATABASE)
    shutil.rmtree(making)
