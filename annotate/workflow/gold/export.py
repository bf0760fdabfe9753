"""Export the gold set as files: its entries as they stand or as a release holds them, in the form of any tool.

The result is rows, or the bytes of a file. The command and the app write the same bytes.
"""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from annotate.analysis.gold import release as gold_release
from annotate.domain.gold import GoldStatus
from annotate.domain.gold.release import export_row
from annotate.store import Store
from annotate.workflow.gold.export_formats import write
from annotate.workflow.leaving import masked_rows

# A zip with the time of each file in it would differ from one minute to the next.
NO_TIME = (1980, 1, 1, 0, 0, 0)


class Target(NamedTuple):
    """A form that the gold set can take: its name in `--to`, the ending of its file; a folder is packed as .zip."""

    name: str
    ending: str
    mime: str
    is_folder: bool = False


TARGETS = (
    Target("jsonl", ".jsonl", "application/jsonl"),
    Target("csv", ".csv", "text/csv"),
    Target("ragas", ".jsonl", "application/jsonl"),
    Target("deepeval", ".json", "application/json"),
    Target("langfuse", ".jsonl", "application/jsonl"),
    Target("langsmith", ".jsonl", "application/jsonl"),
    Target("phoenix", ".jsonl", "application/jsonl"),
    Target("promptfoo", ".yaml", "application/yaml"),
    Target("openai", ".jsonl", "application/jsonl"),
    Target("hf", ".zip", "application/zip", is_folder=True),
)


def rows(store: Store, status: GoldStatus | None) -> Iterator[Mapping[str, object]]:
    """Yield the entries as they stand, all or with one status."""
    entries = store.gold.entries(status)
    labels, corrects = store.labels.by_item(), store.gold.answers.corrected([entry.gold_id for entry in entries])
    for entry, item in store.gold.with_items(entries):
        label = labels.get(entry.item) if entry.item else None
        yield export_row(entry, item, label, corrects.get(entry.gold_id, ()))


def content(store: Store, target: Target, release: str | None = None) -> bytes:
    """Return the accepted entries, or a release's, as `assay gold export --to` writes them; a folder as a zip of its files."""
    chosen = rows(store, GoldStatus.ACCEPTED) if release is None else gold_release.rows(store, release, None)
    entries = masked_rows(store, chosen)
    form = "jsonl" if target.name == "csv" else target.name
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("gold" if target.is_folder else f"gold{target.ending}")
        write(str(path), form, entries)
        return _packed(path) if target.is_folder else path.read_bytes()


def _packed(folder: Path) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.iterdir()):
            entry = zipfile.ZipInfo(f"{folder.name}/{file.name}", NO_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())
    return buffer.getvalue()
