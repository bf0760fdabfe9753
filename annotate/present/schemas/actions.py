"""The JSON of a file that was written."""

from __future__ import annotations

from typing import ClassVar

from annotate.present.schemas.base import ActionModel


class ExportedModel(ActionModel):
    """A file that was written, and how many rows it has."""

    SCHEMA: ClassVar[str] = "assay/exported/1"

    file: str
    rows: int


MODELS = {"exported": ExportedModel}
