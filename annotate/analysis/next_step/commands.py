"""The commands that steps name, and how draws come to annotators and labels come back."""

from __future__ import annotations

from typing import NamedTuple

SAMPLE = "assay sample --labels"
DRAW = f"{SAMPLE} 100"
INGEST, JUDGE = "assay ingest FILE", "assay judge"
NEW_TRAFFIC = (INGEST, JUDGE)
STREAM, DRIFT = "assay sample --rate 0.02", "assay drift"
PUSH, PULL = "assay push", "assay pull"
EXPORT, IMPORT = "assay draws export FILE --blind", "assay labels import FILE"
DISAGREEMENTS, REVIEW, LABELS = "assay labels disagreements", "assay gold review", "assay labels import FILE"
SET_RULE, LEARN = "assay rule set EXPRESSION", "assay rule learn"
REPORT, CALIBRATE, PLAN = "assay report", "assay calibrate", "assay plan"
SLICES, DIAGNOSE = "assay slices", "assay diagnose"


class Way(NamedTuple):
    """How draws come to annotators, and how their labels come back."""

    send: str
    fetch: str

    @property
    def commands(self) -> tuple[str, str]:
        """Both commands, in their order."""
        return self.send, self.fetch


LABEL_STUDIO, FILES = Way(PUSH, PULL), Way(EXPORT, IMPORT)
