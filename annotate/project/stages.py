"""The methods of every stage that a run takes, together."""

from __future__ import annotations

from annotate.project.alignment import AlignmentMethods
from annotate.project.answers import AnswerMethods
from annotate.project.findings import FindingMethods
from annotate.project.imports import ImportMethods
from annotate.project.intake import IntakeMethods
from annotate.project.judging import JudgingMethods
from annotate.project.labelling import LabellingMethods
from annotate.project.quarantine import QuarantineMethods
from annotate.project.reports import ReportMethods
from annotate.project.sampling import SamplingMethods


class StageMethods(
    IntakeMethods,
    ImportMethods,
    QuarantineMethods,
    AnswerMethods,
    JudgingMethods,
    AlignmentMethods,
    SamplingMethods,
    LabellingMethods,
    ReportMethods,
    FindingMethods,
):
    """What can be done with a store, stage by stage."""
