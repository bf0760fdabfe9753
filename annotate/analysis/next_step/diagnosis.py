"""Say what to do next with the stage that a diagnosis names, or without one."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from annotate.analysis.diagnosis import Diagnoses
from annotate.analysis.next_step.commands import DIAGNOSE, DISAGREEMENTS, INGEST, JUDGE, NEW_TRAFFIC, SAMPLE, Way
from annotate.analysis.next_step.labelling import USUAL, label_more
from annotate.domain.message import Step, message
from annotate.domain.sampling.outcomes import ToLabel
from proxy.diagnosis import Naming, Obstacle, Stage

# With 15 % wrong, 50 labels on each side show a difference of `contrast.MATTERS` with a power of .8: 7.85 x 2 x .15 x .85 /
# .2^2 = 50.
FOR_A_NAME = 100
PROBE = "assay diagnose --probe --model MODEL --dry-run"
LABELS_HELP = (Obstacle.TOO_FEW, Obstacle.NOT_SEPARATED, Obstacle.ELSEWHERE)


def after_diagnosis(result: Diagnoses, way: Way) -> tuple[Step, ...]:
    """Say how to see whether a change of the named stage helped; else bring what could name one."""
    if not result.each:
        return (label_more(result.left, USUAL, SAMPLE, way),)
    namings = [diagnosis.naming for diagnosis in result.each]
    if named := [naming for naming in (*namings, result.whole) if naming.stage]:
        old = next((naming.system for naming in named if naming.system is not None), "OLD")
        pair = f"assay compare {shlex.quote(old)} NEW"
        mend = Step(message("steps.mend"), (*NEW_TRAFFIC, f"{pair} --draw 100", way.send, pair))
        if any(naming.stage is Stage.SYNTHESIS for naming in named):
            return (Step(message("steps.probe"), (PROBE,)), mend)
        return (mend,)
    return tuple(_for_a_name(result, namings, way))


def _for_a_name(result: Diagnoses, namings: Sequence[Naming], way: Way) -> Iterator[Step]:
    """What could bring a name where there is none: scores, labels, another threshold or more traffic, where each can help."""
    obstacles = {naming.obstacle for naming in namings}
    stuck = [naming for naming in namings if naming.obstacle in LABELS_HELP]
    left = result.left
    helps = any(_labels_help(naming) for naming in stuck) and (left.undrawn or left.waiting)
    reaches = [naming.reach for naming in namings if naming.obstacle is Obstacle.ONE_SIDED and naming.reach]
    threshold = next((reach.threshold for reach in reaches if reach.threshold is not None), None)
    if Obstacle.OBJECTION in obstacles:
        yield Step(message("steps.decide"), (DISAGREEMENTS,))
    if Obstacle.UNSCORED in obstacles and not any(diagnosis.failed for diagnosis in result.each):
        yield Step(message("steps.judge"), (JUDGE,))
    if helps:
        yield label_more(left, FOR_A_NAME, SAMPLE, way)
    if threshold is not None:
        yield Step(message("steps.other_relevance"), (f"{DIAGNOSE} --relevance-threshold {threshold}",))
    elif not helps and (stuck or reaches):
        yield _without_help(left, way)


def _without_help(left: ToLabel, way: Way) -> Step:
    """What comes next where labels that can still be drawn would not show a stage: open draws all the same, else more traffic."""
    if left.waiting or not left.undrawn:
        return label_more(left, FOR_A_NAME, SAMPLE, way)
    return Step(message("steps.further_questions"), (INGEST,))


def _labels_help(naming: Naming) -> bool:
    """Whether there are answers enough for labels to show a difference that matters."""
    return naming.obstacle is Obstacle.ELSEWHERE or naming.tested[Stage.RETRIEVAL].contrast.is_possible
