"""Say what aligning a judge would take, and which gain its labels could show, before anything is sent."""

from __future__ import annotations

from dataclasses import dataclass

from annotate.analysis.aligned_judges.alignment import Kinds, alignment_labels, are_few, attempt_of, side_by_side
from annotate.analysis.aligned_judges.corrections import scores_of
from annotate.store import Store
from proxy.evaluation.alignment import smallest_gain
from proxy.evaluation.candidates import JudgeKey
from proxy.evaluation.discrimination import auroc_of
from proxy.evaluation.estimate import Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class AlignmentOutlook:
    """What the labels allow.

    Attributes
    ----------
    judge, share
        The judge, and the share of questions that tune it.
    tuning, measuring
        How many labels of each kind there are for either.
    base
        The AUROC of the judge in force on the measuring labels; without an estimate where it has not scored them.
    smallest_gain
        The smallest gain in AUROC that these would show with a power of 0.8; None where that cannot be said yet.
    """

    judge: str
    share: float
    tuning: Kinds
    measuring: Kinds
    base: Estimate
    smallest_gain: float | None

    @property
    def has_few(self) -> bool:
        """Whether there are too few labels to choose a version, or to measure one."""
        return are_few(self.tuning, self.measuring)

    @property
    def can_show(self) -> bool:
        """Whether an AUROC of at most 1 can be better by as much as these labels would show."""
        gain, base = self.smallest_gain, self.base.estimate
        return gain is not None and base is not None and base + gain <= 1


def outlook(store: Store, judge: str, signature: str, share: float) -> AlignmentOutlook:
    """Return what the labels allow, beside the scores that the judge in force has given already."""
    labels = alignment_labels(store, share)
    base = JudgeKey(judge=judge, signature=signature)
    scores = scores_of(store, base, [draw.item for draw in labels.measuring])
    measured, _ = side_by_side(store, base, scores, tuning=False, share=share)
    return AlignmentOutlook(
        judge=judge,
        share=share,
        tuning=Kinds.of(labels.tuning),
        measuring=Kinds.of(labels.measuring),
        base=auroc_of(measured),
        smallest_gain=smallest_gain(measured, attempt_of(store, judge)),
    )
