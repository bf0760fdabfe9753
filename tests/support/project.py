"""A project filled from Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from annotate import Answer, Project
from annotate.workflow.ingest.receive import ImportedLabels, Ingested
from support.store import jsonl

Rows = Sequence[Mapping[str, object]]


def written(name: str, rows: Rows) -> str:
    """A file of these rows in the working directory."""
    Path(name).write_text(jsonl(rows), encoding="utf-8")
    return name


def ingest(project: Project, rows: Rows) -> Answer[Ingested]:
    """Take answers in."""
    return project.ingest(written("traffic.jsonl", rows))


def import_labels(project: Project, rows: Rows) -> Answer[ImportedLabels]:
    """Take labels in."""
    return project.import_labels(written("labels.jsonl", rows))


def drawn(project: Project) -> list[str]:
    """The items of open draws, in the order in which they are exported."""
    with project.reading() as store:
        return [draw.item_id for draw in store.sampling.waves.open_draws()]
