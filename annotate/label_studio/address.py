"""Resolve which Label Studio to use: the one that was named, or the one that `assay up` started beside this store.

In come the store's path and the address that a command, the environment or assay.toml names, out comes a server or a connection
to it. The rule: the token of `assay up` goes to its own server alone, and that of the environment only to a named one.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.label_studio.client import LabelStudio


from annotate.settings import ServerSettings, options

URL_VARIABLE = "LABEL_STUDIO_URL"
TOKEN_VARIABLE = "LABEL_STUDIO_API_KEY"  # noqa: S105 (the name, not a token)
DATA_FOLDER = ".assay"
PUSH, PULL = "push", "pull"


class Server(NamedTuple):
    """A server: where it is now, and the token for it; `is_own` is one of `assay up`."""

    url: str
    token: str
    is_own: bool


def data_folder(db: Path) -> Path:
    """Return where the local Label Studio of this store keeps its data."""
    return db.resolve().parent / DATA_FOLDER / f"label-studio-{db.stem}"


def address_file(db: Path) -> Path:
    """Return where `assay up` writes the address of the server that it started."""
    return data_folder(db) / "address.json"


def known(db: Path, url: str | None) -> Server:
    """Return the server, without asking it; UsageError, which says how to name or start one, where none is known."""
    if url is None:
        return _local(db)
    token = os.environ.get(TOKEN_VARIABLE)
    if not token:
        raise UsageError(f"no token for {url}: put one into {TOKEN_VARIABLE} (Label Studio, Account & Settings)")
    return Server(url, token, is_own=False)


def connect(db: Path, url: str | None) -> LabelStudio:
    """Return a connection that works."""
    from annotate.label_studio.client import LabelStudio

    server = known(db, url)
    return LabelStudio.connect(server.url, server.token)


def _local(db: Path) -> Server:
    """Return the server of `assay up`; a token in the environment is another server's."""
    path = address_file(db)
    if not path.exists():
        raise UsageError(f"name a Label Studio with --url or {URL_VARIABLE}, or start one with `assay up`")
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
        url, token = str(settings["url"]), str(settings["token"])
    except (OSError, ValueError, TypeError, KeyError):
        raise UsageError(f"{path} cannot be read: start `assay up` again, or name a Label Studio with --url") from None
    if not token:
        raise UsageError(f"no token for {url}: put one into {TOKEN_VARIABLE} (Label Studio, Account & Settings)")
    return Server(url, token, is_own=True)


def server(db: Path, command: str = PUSH) -> Server:
    """Return the server of this command; UsageError, which says how to name or start one, where none is known."""
    return known(db, named_url(command))


def is_known(db: Path) -> bool:
    """Return whether a push would know where to go; the server itself is not asked."""
    try:
        server(db)
    except UsageError:
        return False
    return True


def named_url(command: str) -> str | None:
    """Return the address that the environment or assay.toml names, in that order; None for the server of `assay up`."""
    return os.environ.get(URL_VARIABLE) or options(command, ServerSettings).url
