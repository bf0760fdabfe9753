"""Say what to do next about a judge that alone agrees better with annotators than the rule in force."""

from __future__ import annotations

import shlex

from annotate.analysis.next_step.commands import SAMPLE, Way
from annotate.analysis.report.better_judge import BetterJudge, BetterJudgeClaim
from annotate.domain.message import Code, Step, message
from proxy.rule import Rule


def put_in_force(rule: Rule) -> str:
    """Return the command that puts this rule in force."""
    return f"assay rule set {shlex.quote(rule.expression)} --name {shlex.quote(rule.name)}"


def confirm_or_use(better: BetterJudge | None, way: Way, at_least: int = 0) -> Step | None:
    """Say how a fresh wave of `at_least` so many draws confirms the judge, or that it is confirmed; None where nothing is to do.

    A wave that is out has its draws labelled first, like any other; one that did not confirm it asks for nothing.
    """
    if better is None:
        return None
    judge = Code(better.rule.expression)
    if better.claim is BetterJudgeClaim.CONFIRMED:
        return Step(message("steps.use_judge", wave=better.wave, judge=judge), (put_in_force(better.rule),))
    if better.claim is BetterJudgeClaim.SHOWN and better.draws and not better.open:
        count = max(better.draws, at_least)
        return Step(message("steps.confirm_judge", count=count, judge=judge), (f"{SAMPLE} {count}", way.send))
    return None
