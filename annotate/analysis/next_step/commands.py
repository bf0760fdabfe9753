"""The commands that next steps suggest, and the ways to exchange draws and labels with annotators."""

from __future__ import annotations

from typing import NamedTuple

SAMPLE = "assay sample --labels"
# Chosen: a share of 80 % is then known to 8 points.
USUAL_DRAW = 100
DRAW = f"{SAMPLE} {USUAL_DRAW}"
SERVE = "assay serve"
INGEST, JUDGE = "assay ingest FILE", "assay judge"
JUDGE_BY = f"{JUDGE} --judges NAMES"
NEW_TRAFFIC = (INGEST, JUDGE)
STREAM, DRIFT = "assay sample --rate 0.02", "assay drift"
PUSH, PULL, UP = "assay push", "assay pull", "assay up"
EXPORT, IMPORT = "assay draws export FILE --blind", "assay labels import FILE"
DISAGREEMENTS, REVIEW, LABELS = "assay labels disagreements", "assay gold review", "assay labels import FILE"
ACCEPT_ALL, RELEASE = "assay gold accept --all", "assay gold release NAME"
SET_RULE, LEARN = "assay rule set EXPRESSION", "assay rule learn"
REPORT, CALIBRATE, PLAN = "assay report", "assay calibrate", "assay plan"
SLICES, DIAGNOSE = "assay slices", "assay diagnose"


class Way(NamedTuple):
    """The command that sends draws to annotators, and the command that fetches their labels, which may be one."""

    send: str
    fetch: str

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands, in the order in which they are run."""
        return tuple(dict.fromkeys(self))


LABEL_STUDIO, STOPPED, FILES = Way(PUSH, PULL), Way(UP, UP), Way(EXPORT, IMPORT)
