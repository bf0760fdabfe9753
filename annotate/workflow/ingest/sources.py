"""Open what a caller hands in, files and DataFrames alike, as sources to take in."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

from annotate.files import DataFile, data_files, rereadable
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
    """Open files as they are, the files of folders in order, and frames as JSON lines in a nameless file.

    Parameters
    ----------
    sources
        Frames, files or folders; ``-`` is standard input.
    fields
        Where our fields lie in them.
    file_format
        jsonl, json, csv, parquet, arrow or excel; auto looks at the content.
    copies
        A folder for copies of what can be read only once.

    Raises
    ------
    UsageError
        For a file that is not there, or a folder without files.
    FileError
        For a folder with files of several formats, and where there is no row at all.
    """
    with ExitStack() as stack:
        opened: list[Source] = []
        for source in sources:
            if isinstance(source, (str, Path)):
                files = [
                    Source(path, file_format, fields or {}, stack.enter_context(rereadable(path, copies)))._replace(
                        partition=partition, folder=str(source) if Path(source).is_dir() else None
                    )
                    for path, partition in _files(str(source), file_format)
                ]
            else:
                frame = stack.enter_context(tempfile.TemporaryFile())
                write_frame(source, frame)
                files = [Source(FRAME, "jsonl", fields or {}, cast("io.BufferedReader", frame))]
            check_rows(str(source) if isinstance(source, (str, Path)) else FRAME, files)
            opened += files
        yield opened


@contextmanager
def opened_source(
    source: pd.DataFrame | str | Path, fields: Mapping[str, str] | None, file_format: str = AUTO, *, copies: Path
) -> Iterator[Source]:
    """Open what must be one file or frame; UsageError for a folder with several files."""
    with opened_sources([source], fields, file_format, copies=copies) as opened:
        if len(opened) > 1:
            raise UsageError(f"{source} holds {len(opened):,} files: bring them in one by one")
        yield opened[0]


def _files(path: str, file_format: str) -> list[DataFile]:
    if path != "-" and Path(path).is_dir():
        return data_files(path, file_format)
    if path != "-" and not Path(path).exists():
        raise UsageError(f"there is no file {path}")
    return [DataFile(path, {})]
