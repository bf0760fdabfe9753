"""The JSON of a check against the gold set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from annotate.analysis.gold.regression import Checked
from annotate.domain.gold.regression import MIN_KNOWN, CheckOutcome, Comparison, Fate, SaidBy
from annotate.domain.turns import as_rows
from annotate.present.gold import check as gold_check
from annotate.present.messages import text
from annotate.present.schemas.base import AnswerModel, EstimateModel, GateModel, Model, Sentence, read_from
from annotate.present.schemas.keyed import RecordFields
from proxy.stats.testing.paired import Pairs


class CheckedEntryModel(Model):
    """An entry with both answers, what became of it, and who says so."""

    gold_id: str
    fate: Fate
    serious: bool
    lacks_knowledge: bool
    question: str
    history: tuple[dict[str, str], ...]
    old: str | None
    new: str | None
    item_id: str | None
    reference: str
    was_right: bool | None
    is_right: bool | None
    basis: SaidBy | None
    score: float | None
    reason: Sentence | None


class GoldCheckModel(AnswerModel, schema="assay/gold_check/1"):
    """What a system's new answers broke and fixed; differences are new minus old."""

    PARTS = ("check",)

    gate: GateModel
    system: str
    judge: str
    judge_fooled: bool = read_from("is_fooled", "judge_fooled")
    judge_obstacle: str | None
    judge_sensitivity: EstimateModel = read_from("judge.sensitivity", "judge_sensitivity")
    judge_specificity: EstimateModel = read_from("judge.specificity", "judge_specificity")
    min_known: int
    threshold: float
    threshold_is_default: bool = read_from("is_default_threshold", "threshold_is_default")
    entries: int
    fates: dict[Fate, int]
    pairs: Annotated[Pairs, RecordFields("n")]
    difference: EstimateModel
    corrected: EstimateModel
    composed: EstimateModel
    untold: int
    if_missing_wrong: EstimateModel
    mcnemar_mid_p: float | None = read_from("mid_p", "mcnemar_mid_p")
    new_share: EstimateModel
    by_basis: dict[SaidBy, int]
    worse: bool
    decidable: bool = read_from("is_decidable", "decidable")
    broken_at_least: int
    superseded: tuple[str, ...]
    serious: tuple[str, ...]
    several: dict[str, tuple[str, ...]] = read_from("matched.shared", "several")
    without_role: int
    flagged: int
    own: int
    gaps: tuple[str, ...]
    items: tuple[CheckedEntryModel, ...]
    speaks_of: str

    @classmethod
    def computed(cls, result: Checked) -> Mapping[str, object]:
        """Give the gate, who judged, and what became of each entry."""
        check = result.check
        return {
            "gate": gold_check.gate(check, result.limits),
            "judge": result.judge,
            "judge_obstacle": check.judge.obstacle or None,
            "min_known": MIN_KNOWN,
            "entries": len(check.comparisons),
            "fates": {fate: len(check.of(fate)) for fate in Fate},
            "worse": check.standing is CheckOutcome.WORSE,
            "superseded": tuple(comparison.entry.gold_id for comparison in check.superseded),
            "serious": tuple(comparison.entry.gold_id for comparison in check.serious),
            "own": len(result.matched.own),
            "gaps": tuple(map(text, gold_check.gaps(check))),
            "items": tuple(_comparison(comparison) for fate in Fate for comparison in check.of(fate)),
            "speaks_of": text(gold_check.SCOPE),
        }


MODELS = {"document": GoldCheckModel}


def _comparison(comparison: Comparison) -> CheckedEntryModel:
    entry, verdict = comparison.entry, comparison.verdict
    return CheckedEntryModel.of(
        **{name: getattr(entry, name) for name in ("gold_id", "lacks_knowledge", "question", "reference")},
        history=as_rows(entry.history),
        fate=comparison.fate,
        serious=comparison.is_serious,
        old=comparison.old_answer,
        new=comparison.new_answer,
        item_id=comparison.new_id,
        was_right=comparison.was_right,
        is_right=verdict.is_right if verdict else None,
        basis=verdict.by if verdict else None,
        score=verdict.score if verdict else None,
        reason=verdict.reason if verdict else None,
    )
