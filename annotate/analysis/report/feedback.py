"""Measure what end users' thumbs tell of right and wrong, on the labels of all waves.

A thumb that was there when a wave was drawn put its answer into a stratum of its own; one that came later is a mark of an answer
that had its chance before. Both are known of every answer and neither depends on who was drawn, so both are read alike.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotate.analysis.evidence import Traffic, sampled
from annotate.analysis.report.holdout import never_drawn
from annotate.analysis.selected_items import SelectedItems
from annotate.domain.feedback import NO_FEEDBACK
from annotate.domain.feedback_channel import Unrated, without_channel
from annotate.store import Store
from annotate.store.scores.totals import MarkCount
from annotate.store.traffic.thumbs import Thumb
from proxy.evaluation.domains import Evidence
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.feedback import FeedbackQuality, feedback_quality
from proxy.evaluation.ledger import DECIDED, Total
from proxy.evaluation.nonresponse import speaking
from proxy.records import Judgement, Verdict

# A mark of no thumb: outside of the part of the traffic that is measured.
OUTSIDE = 255
DOWN = {Thumb.DOWN: Verdict.FAIL, Thumb.UP: Verdict.PASS, Thumb.NONE: Verdict.PASS, Thumb.UNRATED: Verdict.UNSCORED}
# The thumbs and the judgements of the labels that each quantity rests on.
RATEABLE = frozenset({Thumb.DOWN, Thumb.UP, Thumb.NONE})
BASES: Mapping[str, tuple[frozenset[Thumb], Collection[Judgement]]] = {
    "down_precision": (frozenset({Thumb.DOWN}), DECIDED),
    "down_recall": (RATEABLE, (Judgement.WRONG,)),
    "up_precision": (frozenset({Thumb.UP}), DECIDED),
    "up_recall": (RATEABLE, (Judgement.RIGHT,)),
}
UP = {**DOWN, Thumb.DOWN: Verdict.FAIL, Thumb.UP: Verdict.PASS, Thumb.NONE: Verdict.FAIL}


@dataclass(frozen=True, kw_only=True, slots=True)
class FeedbackReport:
    """Precision and recall of thumbs, with the counts of answers that could have been rated: `down`, `up`, neither.

    `left_out` are the systems and weeks without any feedback, which are in neither.
    """

    quality: FeedbackQuality
    rateable: int
    down: int
    up: int
    left_out: tuple[Unrated, ...]

    @property
    def has_thumbs(self) -> bool:
        """Whether any answer has a thumb."""
        return self.down + self.up > 0


def feedback_report(store: Store, traffic: Traffic, within: SelectedItems | None = None) -> FeedbackReport:
    """Measure the thumbs on the labels of this traffic, which leaves none out; `within` are its items where it is a part.

    Who could not have given feedback is told from all traffic.
    """
    left_out = tuple(without_channel(store.traffic.thumbs.weeks()))
    thumbs = store.traffic.thumbs.of_items(left_out)
    if within is not None:
        left_out = _inside(store, left_out, within)
        thumbs = np.where(np.isin(np.arange(len(thumbs)), within.rows), thumbs, np.uint8(OUTSIDE))
    rules = [measured.rule for measured in traffic.rules]
    reach = speaking(list(traffic.drawings))
    counted = store.scores.totals.by_mark(rules, traffic.last, reach, traffic.levels, thumbs)
    marked = [part for part in counted if part.mark != OUTSIDE]
    sizes = {thumb: sum(part.size for part in marked if part.mark == thumb) for thumb in Thumb}
    marks = [Thumb(int(thumbs[draw.item])) for draw in traffic.drawn]
    if sizes[Thumb.DOWN] + sizes[Thumb.UP]:
        quality = feedback_quality(_evidence(traffic, marked, marks, DOWN), _evidence(traffic, marked, marks, UP))
    else:
        unknown = Estimate(estimate=None, reason=NO_FEEDBACK)
        quality = FeedbackQuality(down_precision=unknown, down_recall=unknown, up_precision=unknown, up_recall=unknown)
    return FeedbackReport(
        quality=never_drawn(quality, traffic),
        rateable=sum(sizes.values()) - sizes[Thumb.UNRATED],
        down=sizes[Thumb.DOWN],
        up=sizes[Thumb.UP],
        left_out=left_out,
    )


def labels_behind(store: Store, traffic: Traffic, quantity: str) -> list[int]:
    """Return the rows of the labels of this traffic that a quantity of feedback rests on."""
    wanted, judgements = BASES[quantity]
    thumbs = store.traffic.thumbs.of_items(tuple(without_channel(store.traffic.thumbs.weeks())))
    return [
        draw.item for draw in traffic.drawn if draw.judgement in judgements and Thumb(int(thumbs[draw.item])) in wanted
    ]


def _inside(store: Store, left_out: Sequence[Unrated], within: SelectedItems) -> tuple[Unrated, ...]:
    """Return the runs without feedback that have items in the part, with the number of those."""
    counts = [int(within.has(store.traffic.thumbs.of_run(run)).sum()) for run in left_out]
    return tuple(run._replace(items=count) for run, count in zip(left_out, counts, strict=True) if count)


def _evidence(
    traffic: Traffic, marked: Sequence[MarkCount], marks: Sequence[Thumb], verdicts: Mapping[Thumb, Verdict]
) -> Evidence:
    """Return the ledger with a thumb in the place of the rule's verdict."""
    whole = traffic.evidence(traffic.rules[0])
    levels = [item.level for item in whole.sample]
    sample = [
        sampled(draw, verdicts[mark], level) for draw, mark, level in zip(traffic.drawn, marks, levels, strict=True)
    ]
    return replace(
        whole.with_sample(sample),
        totals=[
            Total(part.stratum, verdicts[Thumb(part.mark)], part.size, part.level, part.is_reachable)
            for part in marked
            if part.stratum is not None
        ],
        columns=whole.arrays,
    )
