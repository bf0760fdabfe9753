"""Say what to do next with what labels say of the judges."""

from __future__ import annotations

from annotate.analysis.judges.table import JudgesTable
from annotate.analysis.next_step.better_judge import confirm_or_use
from annotate.analysis.next_step.commands import JUDGE_BY
from annotate.analysis.next_step.learned_rule import offered
from annotate.analysis.next_step.loop import StepState, next_step
from annotate.analysis.next_step.trained_judges import offered_trained
from annotate.domain.message import Step, message
from proxy.evaluation.discrimination import Separation

# More labels could still tell of these.
UNDECIDED = (Separation.OPEN, Separation.UNMEASURABLE)


def after_judges(table: JudgesTable, state: StepState) -> Step:
    """Say the one thing that helps most: use or confirm what is shown better, bring another judge, else what is next anyway."""
    report = state.report
    better = [
        *([step] if (step := confirm_or_use(report.better_judge, state.way)) else []),
        *offered_trained(report.trained, report.rule),
        *offered(report.learned),
    ]
    if better:
        return better[0]
    may_tell = any(table.with_separation(verdict) for verdict in (Separation.SEPARATES, *UNDECIDED))
    if may_tell or report.progress.open or not report.progress.labelled:
        return next_step(state)[0]
    return Step(message("steps.another_judge"), (JUDGE_BY,))
