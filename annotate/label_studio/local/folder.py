"""Data folder of one local server: its database, its one account, and who is using it.

A new folder copies the migrated database and gets an account of its own at the first start. Until that start has succeeded
the folder holds nobody's work, and is made anew.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from annotate.label_studio.local import private
from annotate.label_studio.local.environment import DATABASE, VERSION, ensure_database
from annotate.label_studio.local.processes import LOG, Progress
from proxy.errors import LabelStudioError

TEMPLATE_VARIABLE = "ASSAY_LABEL_STUDIO_TEMPLATE"

_EMAIL = "expert@assay.local"
_COMPLETE = "migrated"
_CREDENTIALS = "credentials.json"
_OTHER_SERVERS = ("port", "lock", "owner", "address.json", "settings", LOG)


@dataclass(frozen=True, kw_only=True, slots=True)
class Credentials:
    """The one account of a local server; kept in its data folder, never printed in an error."""

    email: str
    password: str
    token: str


def prepare(home: Path, environment: Path, data: Path, progress: Progress) -> tuple[Credentials, Mapping[str, str]]:
    """Return the folder's credentials, and the settings with which the next start makes the account, if it has none yet.

    A folder named by ASSAY_LABEL_STUDIO_TEMPLATE is copied with its account.
    """
    template = os.environ.get(TEMPLATE_VARIABLE)
    if template and not (data / _CREDENTIALS).exists():
        _copy(Path(template), data)
    private.close_to_others(data)
    credentials = _credentials(data)
    if (data / _COMPLETE).exists():
        return credentials, {}
    database = ensure_database(home, environment, progress)
    for leftover in data.glob(f"{DATABASE}*"):
        leftover.unlink()
    shutil.copyfile(database, data / DATABASE)
    (data / DATABASE).chmod(0o600)
    return credentials, {
        "LABEL_STUDIO_USERNAME": credentials.email,
        "LABEL_STUDIO_PASSWORD": credentials.password,
        "LABEL_STUDIO_USER_TOKEN": credentials.token,
    }


def complete(data: Path) -> None:
    """Note that the folder has its database and its account."""
    private.write(data / _COMPLETE, VERSION)


def _credentials(data: Path) -> Credentials:
    """Return the credentials kept in the folder, or new ones, kept before anything is made with them."""
    path = data / _CREDENTIALS
    try:
        return Credentials(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        if (data / _COMPLETE).exists():
            raise LabelStudioError(f"{path} is missing: restore it, or move {data} away to start anew") from None
        credentials = Credentials(email=_EMAIL, password=secrets.token_urlsafe(12), token=secrets.token_hex(20))
        private.write(path, json.dumps(asdict(credentials)))
        return credentials
    except (ValueError, TypeError):
        raise LabelStudioError(f"{path} cannot be read: restore it, or move {data} away to start anew") from None


def _copy(template: Path, data: Path) -> None:
    """Copy a prepared folder, without what belongs to the server that ran there; its credentials come last."""
    if not (template / _COMPLETE).exists() or not (template / _CREDENTIALS).exists():
        raise LabelStudioError(f"{TEMPLATE_VARIABLE} names {template}, which holds no prepared Label Studio: unset it")
    ignore = shutil.ignore_patterns(*_OTHER_SERVERS, _CREDENTIALS)
    shutil.copytree(template, data, dirs_exist_ok=True, ignore=ignore)
    private.write(data / _CREDENTIALS, (template / _CREDENTIALS).read_text(encoding="utf-8"))
