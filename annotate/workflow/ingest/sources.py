"""Open what a caller hands in, files and DataFrames alike, as sources to take in."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

from annotate.files import AUTO, DataFile, FileRow, check_encoding, data_files, guessed_encoding, rereadable
from annotate.files.frames import write_frame
from annotate.files.json_cells import JsonColumns, json_columns
from annotate.traffic.detection import detect
from annotate.traffic.formats import BY_NAME, NAMES
from annotate.traffic.near_names import FIRST_ROWS
from annotate.workflow.ingest.batches import FRAME, Source
from annotate.workflow.ingest.check import check_rows
from annotate.workflow.ingest.check_paths import check_paths
from proxy.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd


@contextmanager
def opened_sources(
    sources: Iterable[pd.DataFrame | str | Path],
    fields: Mapping[str, str] | None,
    file_format: str = AUTO,
    *,
    copies: Path,
    encoding: str = AUTO,
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
    encoding
        Of files of text; auto goes by their content.

    Raises
    ------
    UsageError
        For a file that is not there, or a folder without files.
    FileError
        For a folder with files of several formats, and where there is no row at all.
    """
    check_encoding(encoding)
    with ExitStack() as stack:
        opened: list[Source] = []
        for source in sources:
            if isinstance(source, (str, Path)):
                folder = str(source) if Path(source).is_dir() else None
                files = [
                    _decoded(
                        Source(
                            file.path,
                            file_format,
                            fields or {},
                            stack.enter_context(rereadable(file.path, copies)),
                            partition=file.partition,
                            folder=folder,
                            encoding=encoding,
                        )
                    )
                    for file in _files(str(source), file_format)
                ]
            else:
                frame = stack.enter_context(tempfile.TemporaryFile())
                write_frame(source, frame)
                files = [Source(FRAME, "jsonl", fields or {}, cast("io.BufferedReader", frame))]
            check_rows(str(source) if isinstance(source, (str, Path)) else FRAME, files)
            opened += _alike(files)
        yield opened


@contextmanager
def opened_source(
    source: pd.DataFrame | str | Path,
    fields: Mapping[str, str] | None,
    file_format: str = AUTO,
    *,
    copies: Path,
    encoding: str = AUTO,
) -> Iterator[Source]:
    """Open what must be one file or frame.

    UsageError for a folder with several files, FileError where `fields` has a path that leads to nothing.
    """
    with opened_sources([source], fields, file_format, copies=copies, encoding=encoding) as opened:
        if len(opened) > 1:
            raise UsageError(f"{source} holds {len(opened):,} files: bring them in one by one")
        check_paths(opened, fields or {})
        yield opened[0]


def _decoded(source: Source) -> Source:
    """Return the source with the encoding that its content tells, where the user names none, and with its columns of JSON."""
    guessed = guessed_encoding(source.path, source.stream) if source.encoding == AUTO else None
    decoded = source._replace(encoding=guessed.name, guessed=guessed) if guessed else source
    return decoded._replace(json=_json_columns(decoded))


def _alike(parts: list[Source]) -> list[Source]:
    """Return the parts of a table with what any of them tells of columns of JSON: one row may be too little to tell it."""
    known = {column for part in parts for column in part.json.columns}
    return [
        part
        if known <= {*part.json.columns}
        else part._replace(json=json_columns(part._replace(json=JsonColumns()).raw_rows(), known))
        for part in parts
    ]


def _json_columns(source: Source) -> JsonColumns:
    """Return the columns with texts written as JSON; all of the table is read only where its first rows have some.

    Spans are left to their own readers, which know what their tool writes so.
    """
    first = list(islice(source.raw_rows(), FIRST_ROWS))
    if not any(json_columns(first)):
        return JsonColumns()
    if source.file_format in NAMES:
        source_format = BY_NAME.get(source.file_format)
    else:
        source_format = detect(row.fields for row in first if isinstance(row, FileRow)).source_format
    return JsonColumns() if source_format and source_format.has_spans else json_columns(source.raw_rows())


def _files(path: str, file_format: str) -> list[DataFile]:
    if path != "-" and Path(path).is_dir():
        return data_files(path, file_format)
    if path != "-" and not Path(path).exists():
        raise UsageError(f"there is no file {path}")
    return [DataFile(path, {})]
