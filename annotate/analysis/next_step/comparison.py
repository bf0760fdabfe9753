"""Say what to do next with a comparison or a ranking of systems."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence

from annotate.analysis.comparison.compare import Alone, ComparedSystems
from annotate.analysis.comparison.rank import Ranked
from annotate.analysis.next_step.commands import DIAGNOSE, INGEST, REPORT, Way
from annotate.analysis.next_step.labelling import USUAL, label_more
from annotate.domain.message import Step, message
from annotate.domain.sampling.outcomes import ToLabel
from proxy.comparison.comparison import NEEDED, ComparisonStanding

# Chosen: 20 labels a system that may be the best, but at least 30 and at most 200, which is a usual first wave.
TWO, FEWEST_DRAWN, MOST_DRAWN = 2, 30, 200


def after_comparison(result: ComparedSystems, way: Way) -> tuple[Step, ...]:
    """Say what a difference asks for; where none is shown, label on, in pairs where both answered the same questions."""
    comparison = result.comparison
    if not all(side.counted.items for side in result.sides):
        return (Step(message("steps.name_window")),)
    if comparison.standing in {ComparisonStanding.BETTER, ComparisonStanding.WORSE}:
        is_broken = any(listed.is_broken for listed in result.listed)
        return (Step(message("steps.read_broken" if is_broken else "steps.still_wrong"), (DIAGNOSE,)),)
    if result.same_questions:
        names = " ".join(shlex.quote(side.name) for side in result.sides)
        return (label_more(result.left, NEEDED, f"assay compare {names} --draw", way),)
    wanted = USUAL if comparison.more is None else max(20, min(1000, 10 * math.ceil(comparison.more / 10)))
    label = label_more(result.left, wanted, "assay sample --labels", way)
    if any(side.selection.is_window for side in result.sides):
        return (label,)  # what was asked in another week cannot be asked again
    return (label, Step(message("steps.same_questions"), (INGEST,)))


def after_one_system(alone: Alone) -> tuple[Step, ...]:
    """Name another system, or bring its answers."""
    if alone.others:
        names = " ".join(map(shlex.quote, (alone.name, alone.others[0])))
        return (Step(message("steps.name_another"), (f"assay compare {names}",)),)
    return (Step(message("steps.another_system"), (INGEST,)),)


def after_ranking(result: Ranked, way: Way) -> tuple[Step, ...]:
    """Say how to tell apart those that may be the best, or to measure those that could not be."""
    wanted = to_tell_apart(result)
    if len(wanted) < TWO and not result.standings.is_lasting:
        return (Step(message("steps.further_questions"), (INGEST,)),)
    if len(wanted) < TWO:
        return (Step(message("steps.best_still_fails"), (REPORT, DIAGNOSE)),)
    if without_cause := sum(result.systems[number].wrong.without_cause for number in wanted) if result.criterion else 0:
        return (Step(message("steps.name_causes", count=without_cause), ("assay labels import FILE",)),)
    lefts = [result.systems[number].left for number in wanted]
    left = ToLabel(sum(left.undrawn for left in lefts), sum(left.waiting for left in lefts))
    names = " ".join(shlex.quote(result.names[number]) for number in wanted)
    return (label_more(left, labels_wanted(wanted), f"assay compare {names} --draw", way),)


def labels_wanted(systems: Sequence[int]) -> int:
    """Return how many labels to draw of so many systems."""
    return min(MOST_DRAWN, max(FEWEST_DRAWN, 20 * len(systems)))


def to_tell_apart(result: Ranked) -> list[int]:
    """Return the systems, by number, that may be the best or could not be measured; where one leads, those next to it too."""
    standings = result.standings
    leaders = {standing.number for standing in standings.leaders}
    wanted = {standing.number for standing in standings.systems if standing.best is None}
    if len(leaders) == 1 and not wanted:
        worst = max(standing.worst or 0 for standing in standings.leaders)
        wanted = {standing.number for standing in standings.measured if (standing.best or 0) <= worst}
    else:
        wanted |= leaders
    return sorted(wanted)
