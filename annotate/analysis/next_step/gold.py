"""Say what to do next with the gold set."""

from __future__ import annotations

from annotate.analysis.gold.regression import Checked
from annotate.analysis.next_step.commands import INGEST, LABELS, REVIEW
from annotate.domain.gold.outcomes import Accepted, Exported
from annotate.domain.gold.regression import Fate
from annotate.domain.message import Step, message


def after_gold_check(result: Checked) -> tuple[Step, ...]:
    """Bring the answers that are missing, have those labelled that nobody can tell, and read what is wrong."""
    check, steps = result.check, list[Step]()
    if not check.comparisons:
        return (Step(message("steps.gold_accept"), (REVIEW,)),)
    if missing := len(check.of(Fate.NO_ANSWER)):
        steps.append(Step(message("steps.gold_ask", count=missing), (INGEST,)))
    if untold := len(check.of(Fate.UNCHECKED, Fate.CANNOT_TELL)):
        steps.append(Step(message("steps.gold_label", count=untold), (LABELS,)))
    if steps:
        return tuple(steps)
    key = "steps.read_broken" if check.of(Fate.BROKE) else "steps.still_wrong"
    return (Step(message(key), ("assay diagnose",)),) if check.of(Fate.BROKE, Fate.STILL_WRONG) else ()


TO_REVIEW = Step(message("steps.gold_review"), (REVIEW,))


def after_gold_add(gold_id: str) -> tuple[Step, ...]:
    """Have the new candidate accepted."""
    return (Step(message("steps.gold_accept_it"), (f"assay gold accept {gold_id}",)),)


def after_gold_accept(result: Accepted) -> tuple[Step, ...]:
    """Review what could not be accepted unseen."""
    return (TO_REVIEW,) if result.corrections or result.own or result.withheld else ()


def after_gold_export(result: Exported) -> tuple[Step, ...]:
    """Review the candidates that were left out."""
    return (TO_REVIEW,) if result.candidates else ()


def after_gold_release(left: int) -> tuple[Step, ...]:
    """Review what was left out of a release."""
    return (TO_REVIEW,) if left else ()


def after_gold_review(count: int) -> tuple[Step, ...]:
    """Decide each entry that waits."""
    names = ("accept GOLD_ID", "edit GOLD_ID --reference TEXT", "keep GOLD_ID --why TEXT", "retire GOLD_ID")
    commands = tuple(f"assay gold {name}" for name in names)
    return (Step(message("steps.gold_decide"), commands),) if count else ()
