"""Open what a caller hands in, files and DataFrames alike, as sources to take in."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

from annotate.files import rereadable
from annotate.files.frames import write_frame
from annotate.workflow.ingest.batches import Source
from annotate.workflow.ingest.check import check_rows
from proxy.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

FRAME = "DataFrame"
AUTO = "auto"


@contextmanager
def opened_sources(
    sources: Iterable[pd.DataFrame | str | Path],
    fields: Mapping[str, str] | None,
    file_format: str = AUTO,
    *,
    copies: Path,
) -> Iterator[list[Source]]:
    """Open files as they are, and frames as JSON lines in a nameless file.

    Parameters
    ----------
    sources
        Frames, or files; ``-`` is standard input.
    fields
        Where our fields lie in them.
    file_format
        jsonl, csv or parquet; auto looks at the content.
    copies
        A folder for copies of what can be read only once.

    Raises
    ------
    UsageError
        For a file that is not there.
    FileError
        For one without a row.
    """
    with ExitStack() as stack:
        opened = []
        for source in sources:
            if isinstance(source, (str, Path)):
                path = _existing(str(source))
                stream = stack.enter_context(rereadable(path, copies))
                opened.append(Source(path, file_format, fields or {}, stream))
            else:
                frame = stack.enter_context(tempfile.TemporaryFile())
                write_frame(source, frame)
                opened.append(Source(FRAME, "jsonl", fields or {}, cast("io.BufferedReader", frame)))
        for each in opened:
            check_rows(each)
        yield opened


def _existing(path: str) -> str:
    if path == "-":
        return path
    if Path(path).is_dir():
        raise UsageError(f"{path} is a folder: name a file")
    if not Path(path).exists():
        raise UsageError(f"there is no file {path}")
    return path
