"""Read what context recall and precision tell of wrong answers, where passages are known to be relevant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from annotate.analysis.diagnosis.weights import Spot, faithfulness_side, relevance_side, scales, scales_as_drawn
from annotate.domain.selection import WITHOUT_SYSTEM
from annotate.store import Store
from annotate.store.scores.stage_scores import Quartered
from proxy.diagnosis import StageEvidence, contrast
from proxy.diagnosis.retrieval_metrics import (
    COMPARISONS,
    WELL_RETRIEVED,
    RetrievalMetrics,
    RetrievalThresholds,
    halving,
)
from proxy.rule import Rule

RECALL, PRECISION = "id_context_recall", "id_context_precision"
BOTH_HIGH = StageEvidence(True, True)
# A field passes above its thresholds; what lies on a bound is within it.
JUST_BELOW = 1e-9


def build(
    store: Store, key: int, rule: Rule, signatures: Mapping[str, str], objections: Sequence[str], system: str | None
) -> RetrievalMetrics | None:
    """Compare wrong answers by recall and by precision, of all systems or of one.

    Parameters
    ----------
    store : Store
        Labels, scores and waves.
    key, rule : int, Rule
        The rule in force, and its row.
    signatures : mapping
        The signature that is read, by judge.
    objections : sequence of str
        What forbids any claim from these labels.
    system : str or None
        The system; None for all.

    Returns
    -------
    RetrievalMetrics or None
        None where one of the metrics has no scores, or the same on every answer.
    """
    if not {RECALL, PRECISION} <= signatures.keys():
        return None
    rows = store.scores.known_keys([(name, signatures[name]) for name in (RECALL, PRECISION)])
    recall, precision = rows[RECALL, signatures[RECALL]], rows[PRECISION, signatures[PRECISION]]
    low = [halving(_counts(store, judge)) for judge in (recall, precision)]
    if low[0] is None or low[1] is None:
        return None
    thresholds = RetrievalThresholds(low[0], low[1])
    # The same two cuts as of the stages: recall in the place of relevance, precision in that of faithfulness.
    field = Quartered(
        relevance=recall,
        faithfulness=precision,
        relevance_threshold=thresholds.recall,
        faithfulness_threshold=thresholds.precision,
        kind="retrieval metrics",
    )
    labelled = scales(store, key, rule, field)
    drawn = scales_as_drawn(store, key, rule, field, labelled)

    def is_known(spot: Spot) -> bool:
        place = spot.place
        is_scored = place.is_relevant is not None and place.is_faithful is not None and not place.is_empty
        return is_scored and system in (None, spot.system or WITHOUT_SYSTEM)

    well = replace(
        field,
        relevance_threshold=WELL_RETRIEVED.recall - JUST_BELOW,
        faithfulness_threshold=WELL_RETRIEVED.precision - JUST_BELOW,
        kind="well retrieved",
    )
    known, drawn = labelled.among(is_known), drawn.among(is_known)
    return RetrievalMetrics(
        thresholds=thresholds,
        answers=known.size(),
        recall=contrast(drawn.sides(relevance_side), COMPARISONS),
        precision=contrast(drawn.sides(faithfulness_side), COMPARISONS),
        well_retrieved=scales(store, key, rule, well).among(is_known).of_wrong(lambda place: place == BOTH_HIGH),
        objections=tuple(objections),
    )


def _counts(store: Store, judge: int) -> Mapping[float, int]:
    values, counts = np.unique(store.scores.matched.values(judge), return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))
