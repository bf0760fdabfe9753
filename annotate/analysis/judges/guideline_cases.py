"""Gather the cases that a model writes guidelines from: labelled answers on which a judge and the experts differ."""

from __future__ import annotations

from collections.abc import Sequence

from annotate.analysis.judges.alignment import DecidedDraw, examples_of
from annotate.analysis.judges.corrections import FAR_OFF, distance, reason_of, scores_of
from annotate.store import Store
from proxy.evaluation.candidates import JudgeKey
from proxy.judges.llm.guideline_writer import Correction

# Chosen: as many answers as show a pattern, and no more than a prompt holds.
MOST_CASES, FEWEST_CASES = 12, 2


def guideline_cases(store: Store, base: JudgeKey, draws: Sequence[DecidedDraw]) -> dict[int, Correction]:
    """Return, by item, the answers on which judge and experts differ most, those with a reason first; none where they are few."""
    values = scores_of(store, base, [draw.item for draw in draws])
    off = {draw.item: distance(base.judge, values[draw.item], draw) for draw in draws if draw.item in values}
    far = examples_of(store, [draw for draw in draws if off.get(draw.item, 0.0) > FAR_OFF])
    if len(far) < FEWEST_CASES:
        return {}
    order = sorted(far, key=lambda item: (not far[item].why, -off[item], item))[:MOST_CASES]
    return {
        item: Correction(example=far[item], value=values[item], reason=reason_of(store, item, base.signature))
        for item in order
    }


def likely_cases(store: Store, base: JudgeKey, draws: Sequence[DecidedDraw]) -> dict[int, Correction]:
    """Return these cases; before the judge has scored any of these answers, as many of them as a prompt holds."""
    if scores_of(store, base, [draw.item for draw in draws]):
        return guideline_cases(store, base, draws)
    examples = examples_of(store, draws[:MOST_CASES])
    return {item: Correction(example=example, value=0.0, reason="") for item, example in examples.items()}
