"""Resolve the server of `assay push` and `assay pull` from the environment and assay.toml."""

from __future__ import annotations

import os
from pathlib import Path

from annotate.label_studio import address
from annotate.label_studio.address import URL_VARIABLE, Server
from annotate.settings import ServerOptions, options
from proxy.errors import UsageError

PUSH, PULL = "push", "pull"


def server(db: Path, command: str = PUSH) -> Server:
    """Return the server of this command; UsageError, which says how to name or start one, where none is known."""
    return address.known(db, named_url(command))


def is_known(db: Path) -> bool:
    """Return whether a push would know where to go; the server itself is not asked."""
    try:
        server(db)
    except UsageError:
        return False
    return True


def named_url(command: str) -> str | None:
    """Return the address that the environment or assay.toml names, in that order; None for the server of `assay up`."""
    return os.environ.get(URL_VARIABLE) or options(command, ServerOptions).url
