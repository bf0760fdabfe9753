"""The JSON of a file that was written."""

from __future__ import annotations

from annotate.present.schemas.base import ActionModel


class ExportedModel(ActionModel, schema="assay/exported/1"):
    """A file that was written, and how many rows it has."""

    file: str
    rows: int


MODELS = {"exported": ExportedModel}
