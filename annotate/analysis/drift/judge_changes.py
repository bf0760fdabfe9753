"""The store in, every change of a judge's signature out, held against people's word on the answers that both have scored.

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

from annotate.analysis.labelled_draws import Ground, LabelledDraw
from annotate.store import Store
from proxy.drift.judge_changes import Comparison, compare, share_of
from proxy.rule import Rule, evaluate, judges_of

USUAL_CUT = 0.5
Numbers = NDArray[np.float64]
Scores = Mapping[tuple[str, str], Numbers]


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A judge, or the rule as a whole, before and after a change; `found` is None with too few `anchors`.

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
    found: Comparison | None

    @property
    def is_alarm(self) -> bool:
        """Whether a judge that the rule in force reads is shown to have changed."""
        return self.is_read and self.found is not None and self.found.is_shown


class _Step(NamedTuple):
    """A change as the store has it: when the new signature first scored a drawn item."""

    at: str
    judge: str
    before: str
    after: str


def changes_of(store: Store, found: Ground, false_alarms: float, since: str) -> tuple[Change, ...]:
    """Every change since then, oldest first; last the rule's, by what it read before, where it reads several judges."""
    rule, rows = found.rule, found.labelled.rows
    steps = sorted(
        _Step(store.windows.first_scored(judge, after) or "", judge, before, after)
        for judge, signatures in store.scores.signatures().items()
        for before, after in pairwise(signatures)
    )
    steps = [one for one in steps if one.at >= since]
    if not steps:
        return ()
    pairs = {(one.judge, each) for one in steps for each in (one.before, one.after)} | set(rule.signatures.items())
    scores = store.scores.of_drawn([row.about.item for row in rows], sorted(pairs))
    read = judges_of(rule.expression)[0]
    judges = [
        _change(
            one,
            rows,
            (scores[one.judge, one.before], scores[one.judge, one.after]),
            _cut(rule, one.judge),
            share_of(number, false_alarms / 2),
            is_read=one.judge in read,
        )
        for number, one in enumerate(steps, 1)
    ]
    return (*judges, *_of_rule(rule, steps, rows, scores, false_alarms / 2))


def _of_rule(
    rule: Rule, steps: Sequence[_Step], rows: Sequence[LabelledDraw], scores: Scores, false_alarms: float
) -> list[Change]:
    """The rule in force against itself with the signatures that came before those it reads."""
    read, ranked = judges_of(rule.expression)
    changed = [one for one in steps if one.judge in read and rule.signatures[one.judge] == one.after]
    # percentiles were frozen for the new scores: the rule says nothing of the old ones
    if len(read) < 2 or not changed or any(one.judge in ranked for one in changed):
        return []
    column = {judge: scores[judge, signature] for judge, signature in rule.signatures.items() if judge in read}
    older = column | {one.judge: scores[one.judge, one.before] for one in changed}
    values = [
        evaluate(rule, {(judge, rule.signatures[judge]): each for judge, each in part.items()}, len(rows))[1]
        for part in (older, column)
    ]
    step = _Step(
        changed[-1].at,
        rule.expression,
        ", ".join(f"{one.judge} {one.before}" for one in changed),
        ", ".join(f"{one.judge} {one.after}" for one in changed),
    )
    share = share_of(len(steps), false_alarms)
    return [_change(step, rows, (values[0], values[1]), rule.cut, share, is_read=True, is_rule=True)]


def _change(
    step: _Step,
    rows: Sequence[LabelledDraw],
    values: tuple[Numbers, Numbers],
    cut: float,
    false_alarms: float,
    *,
    is_read: bool,
    is_rule: bool = False,
) -> Change:
    both = ~np.isnan(values[0]) & ~np.isnan(values[1])
    right = np.array([row.is_right for row in rows], dtype=np.bool_)
    return Change(
        judge=step.judge,
        before=step.before,
        after=step.after,
        at=step.at or None,
        is_rule=is_rule,
        is_read=is_read,
        anchors=int(both.sum()),
        labels=len(rows),
        found=compare(values[0][both], values[1][both], right[both], cut, false_alarms),
    )


def _cut(rule: Rule, judge: str) -> float:
    """The rule's cut where it reads this judge alone, else that of the judged scales."""
    return rule.cut if rule.expression.rpartition(">")[0].strip() == judge else USUAL_CUT
