"""The JSON of what judges and metrics tell of right and wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotate.analysis.judges.metric_coverage import MetricCoverage
from annotate.analysis.judges.table import JudgeRow, JudgesTable
from annotate.domain.reasons import RefusalReason
from annotate.present.schemas.base import AnswerModel, Model
from annotate.present.schemas.compared_rules import AurocModel, auroc
from annotate.present.schemas.keyed import FieldsOf
from proxy.evaluation.discrimination import Separation


class MeasuredJudgeModel(Model):
    """A judge or metric against annotators; `separation` is read from the AUROC's interval `for_all_rules`.

    It is "unmeasurable" where `own_references` of its scores rest on a reference that was written with the answer's own label.
    Where `lower_is_better`, the AUROC is of 1 - score.
    """

    judge: str
    signature: str
    separation: Separation
    auroc: AurocModel
    scored: int
    own_references: int
    reasons: tuple[FieldsOf[RefusalReason], ...]
    needs_reference: bool
    lower_is_better: bool
    in_use: bool
    read_by_rule: bool


class MeasuredJudgesModel(AnswerModel, schema="assay/judges/1"):
    """Which judges and metrics tell right from wrong, of `items` answers."""

    items: int
    judges: tuple[MeasuredJudgeModel, ...]
    without_scores: tuple[FieldsOf[MetricCoverage], ...]
    objections: tuple[str, ...]
    hand_picked: int

    @classmethod
    def computed(cls, result: JudgesTable) -> Mapping[str, object]:
        """Give every judge with its verdict."""
        return {"judges": tuple(map(_judge, result.rows))}


MODELS = {"measured": MeasuredJudgesModel}


def _judge(row: JudgeRow) -> Mapping[str, Any]:
    return {
        "judge": row.totals.judge,
        "signature": row.totals.signature,
        "separation": row.separation,
        "auroc": auroc(row.alone.auroc, row.auroc_of_all),
        "scored": row.totals.scored,
        "own_references": row.own_references,
        "reasons": row.reasons,
        "needs_reference": row.needs_reference,
        "lower_is_better": row.is_lower_better,
        "in_use": row.is_in_use,
        "read_by_rule": row.is_read,
    }
