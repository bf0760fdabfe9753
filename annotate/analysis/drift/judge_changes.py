"""Compare each judge version with the one before it, on labelled answers that both scored.

A judge with a new model, prompt or version has a new signature and scores all items again, the labelled ones among them: those
are the anchors. Their answers and labels stay, so what differs is the judge's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.analysis.excluded_draws import excluded_from_judges
from annotate.analysis.labelled_draws import AnswerGround, LabelledDraw
from annotate.store import Store
from proxy.drift.judge_changes import JudgeComparison, compare, share_of
from proxy.evaluation.threshold import threshold_for
from proxy.rule import Rule, evaluate, judges_of

Numbers = NDArray[np.float64]
Scores = Mapping[tuple[str, str], Numbers]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeChange:
    """A judge, or the rule as a whole, before and after a change; `comparison` is None with too few `anchors`.

    `before` and `after` are signatures. `is_read` says whether the rule in force reads this judge; `labels` is how many labelled
    draws there are to be anchors.
    """

    judge: str
    before: str
    after: str
    at: str | None
    is_rule: bool
    is_read: bool
    anchors: int
    labels: int
    comparison: JudgeComparison | None

    @property
    def is_alarm(self) -> bool:
        """Whether a judge that the rule in force reads is shown to have changed."""
        return self.is_read and self.comparison is not None and self.comparison.is_shown


class _Step(NamedTuple):
    """A change as the store has it: when the new signature first scored a drawn item."""

    at: str
    judge: str
    before: str
    after: str


def changes_of(store: Store, basis: AnswerGround, false_alarms: float, since: str) -> tuple[JudgeChange, ...]:
    """Return every change since then, oldest first, then the rule's own change if it reads several judges."""
    rule, rows = basis.rule, basis.labelled.rows
    every = sorted(
        _Step(store.traffic.windows.first_scored(judge, after) or "", judge, before, after)
        for judge, signatures in store.scores.signatures().items()
        for before, after in pairwise(signatures)
    )
    # A change keeps its number, and so its share of the false alarms, whatever part of the past is looked at.
    numbered = [(number, step) for number, step in enumerate(every, 1) if step.at >= since]
    steps = [step for _, step in numbered]
    if not steps:
        return ()
    pairs = {(step.judge, signature) for step in steps for signature in (step.before, step.after)} | set(
        rule.signatures.items()
    )
    scores = store.scores.of_drawn([row.about.item for row in rows], sorted(pairs))
    rule_judges = judges_of(rule.expression)[0]
    judges = [
        _change(
            step,
            _anchors(store, rows, (step.before, step.after)),
            (scores[step.judge, step.before], scores[step.judge, step.after]),
            threshold_for(rule, step.judge),
            share_of(number, false_alarms / 2),
            is_read=step.judge in rule_judges,
        )
        for number, step in numbered
    ]
    anchors = _anchors(store, rows, [*rule.signatures.values(), *(step.before for step in steps)])
    return (*judges, *_of_rule(rule, steps, anchors, scores, share_of(len(every), false_alarms / 2)))


class _Anchors(NamedTuple):
    """The labelled draws, and which of them may compare these judges: none that taught one of them."""

    rows: Sequence[LabelledDraw]
    allowed: NDArray[np.bool_]


def _anchors(store: Store, rows: Sequence[LabelledDraw], signatures: Sequence[str]) -> _Anchors:
    excluded = excluded_from_judges(store, signatures)
    return _Anchors(rows, np.array([row.about.draw not in excluded for row in rows], dtype=np.bool_))


def _of_rule(rule: Rule, steps: Sequence[_Step], anchors: _Anchors, scores: Scores, share: float) -> list[JudgeChange]:
    """Compare the rule in force with itself under the signatures that came before those it reads."""
    rule_judges, ranked = judges_of(rule.expression)
    changed = [
        change for change in steps if change.judge in rule_judges and rule.signatures[change.judge] == change.after
    ]
    # percentiles were frozen for the new scores: the rule says nothing of the old ones
    if len(rule_judges) < 2 or not changed or any(change.judge in ranked for change in changed):
        return []
    column = {judge: scores[judge, signature] for judge, signature in rule.signatures.items() if judge in rule_judges}
    older = column | {change.judge: scores[change.judge, change.before] for change in changed}
    values = [
        evaluate(
            rule, {(judge, rule.signatures[judge]): numbers for judge, numbers in part.items()}, len(anchors.rows)
        )[1]
        for part in (older, column)
    ]
    step = _Step(
        changed[-1].at,
        rule.expression,
        ", ".join(f"{change.judge} {change.before}" for change in changed),
        ", ".join(f"{change.judge} {change.after}" for change in changed),
    )
    return [_change(step, anchors, (values[0], values[1]), rule.threshold, share, is_read=True, is_rule=True)]


def _change(
    step: _Step,
    anchors: _Anchors,
    values: tuple[Numbers, Numbers],
    threshold: float,
    false_alarms: float,
    *,
    is_read: bool,
    is_rule: bool = False,
) -> JudgeChange:
    has_both = ~np.isnan(values[0]) & ~np.isnan(values[1]) & anchors.allowed
    right = np.array([row.is_right for row in anchors.rows], dtype=np.bool_)
    return JudgeChange(
        judge=step.judge,
        before=step.before,
        after=step.after,
        at=step.at or None,
        is_rule=is_rule,
        is_read=is_read,
        anchors=int(has_both.sum()),
        labels=int(anchors.allowed.sum()),
        comparison=compare(values[0][has_both], values[1][has_both], right[has_both], threshold, false_alarms),
    )
