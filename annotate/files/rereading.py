"""Make what can be read only once, such as standard input or a pipe, readable twice."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from proxy.errors import UsageError


@contextmanager
def rereadable(path: str, folder: Path) -> Iterator[io.BufferedReader | None]:
    """Give a copy of a pipe in a nameless file of `folder`, which nobody else can open; None for a file on disk.

    The store's folder is where the content will be kept anyway; a folder for temporary files may lie in memory.
    """
    if path != "-" and Path(path).is_file():
        yield None
        return
    with tempfile.TemporaryFile(dir=folder) as copy:
        try:
            if path == "-":
                shutil.copyfileobj(sys.stdin.buffer, copy)
            else:
                with Path(path).open("rb") as stream:
                    shutil.copyfileobj(stream, copy)
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
        copy.seek(0)
        yield cast(io.BufferedReader, copy)
