"""Which Label Studio to talk to: the one named, or the one that `assay up` started beside this store."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.label_studio import LabelStudio

TOKEN_VARIABLE = "LABEL_STUDIO_API_KEY"  # noqa: S105 (the name, not a token)
DATA_FOLDER = ".assay"


def data_folder(db: Path) -> Path:
    """Where the local Label Studio of this store keeps its data."""
    return db.resolve().parent / DATA_FOLDER / f"label-studio-{db.stem}"


def address_file(db: Path) -> Path:
    """Where `assay up` writes the address of the server that it started."""
    return data_folder(db) / "address.json"


def connect(db: Path, url: str | None) -> tuple[LabelStudio, str]:
    """A connection that works, and what the store knows the server by: its address, or that of its first start."""
    from annotate.label_studio import LabelStudio

    url, token, name = (url, os.environ.get(TOKEN_VARIABLE), url) if url is not None else _local(db)
    if not token:
        raise UsageError(f"no token for {url}: put one into {TOKEN_VARIABLE} (Label Studio, Account & Settings)")
    return LabelStudio.connect(url, token), name.rstrip("/")


def _local(db: Path) -> tuple[str, str, str]:
    """The address, token and name of the server of `assay up`; a token in the environment is another server's."""
    path = address_file(db)
    if not path.exists():
        raise UsageError("name a Label Studio with --url or LABEL_STUDIO_URL, or start one with `assay up`")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return str(found["url"]), str(found["token"]), str(found.get("name", found["url"]))
    except (OSError, ValueError, TypeError, KeyError):
        raise UsageError(f"{path} cannot be read: start `assay up` again, or name a Label Studio with --url") from None
