"""Open what a caller hands in, files and DataFrames alike, as sources to take in."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

from annotate.files.frames import write_frame
from annotate.workflow.ingest.batches import Source

if TYPE_CHECKING:
    import pandas as pd

FRAME = "DataFrame"


@contextmanager
def opened_sources(
    sources: Iterable[pd.DataFrame | str | Path], fields: Mapping[str, str] | None
) -> Iterator[list[Source]]:
    """Files as they are, frames as JSON lines in a nameless file."""
    with ExitStack() as stack:
        opened = []
        for source in sources:
            if isinstance(source, (str, Path)):
                opened.append(Source(str(source), paths=fields or {}))
            else:
                stream = stack.enter_context(tempfile.TemporaryFile())
                write_frame(source, stream)
                opened.append(Source(FRAME, "jsonl", fields or {}, cast("io.BufferedReader", stream)))
        yield opened
