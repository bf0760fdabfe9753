"""A judge's scores on the answers of two selections: the store in, means and their difference with the questions' texts out.

The rule: both sides are read under one signature, the one with most answers on the side that has fewer, and it is a judge's word.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotate.store import Store
from annotate.store.traffic.selections import Graded, Selection, Signed
from proxy.comparison.graded import GRADERS, GradesCompared, Scored, compared, scale_of
from proxy.errors import UsageError

LISTED, NAMED = 20, 40


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgesWord:
    """What a judge gave both, `questions` the texts by key of the first NAMED, `others` signatures it also has."""

    found: GradesCompared
    questions: Mapping[str, str]
    others: int


def judges_word(store: Store, sides: tuple[Selection, Selection], judge: str | None) -> JudgesWord | None:
    """The scores of this judge, or a GRADER's where there are any; UsageError where a named judge has none on a side."""
    for name in (judge,) if judge else GRADERS:
        if (found := _word_of(store, sides, name)) and (judge or found.found.scale.top):
            return found
    if judge is None:
        return None
    known = ", ".join(store.scores.signatures()) or "none yet"
    raise UsageError(
        f"no signature of the judge {judge} has scored answers of both: the judges with scores are {known}"
    )


def _word_of(store: Store, sides: tuple[Selection, Selection], judge: str) -> JudgesWord | None:
    """The scores of this judge, where a signature of it has scored both."""
    first, second = (store.selections.signatures(judge, one) for one in sides)
    shared = [(one, min(one.scored, other.scored)) for one in first for other in second if one.key == other.key]
    if not shared:
        return None
    # The newest of those that scored as many.
    signed = max(shared, key=lambda one: (one[1], one[0].key))[0]
    rows = [store.selections.scored(signed.key, one) for one in sides]
    scale = scale_of(judge, _right_from(signed), [row.value for side in rows for row in side])
    found = compared(judge, signed.signature, scale, (_by_question(rows[0]), _by_question(rows[1])))
    return JudgesWord(
        found=found,
        questions=_texts(store, rows[0], [one.question for one in found.questions[:NAMED]]),
        others=len({one.key for one in (*first, *second)}) - 1,
    )


def _right_from(signed: Signed) -> int | None:
    """The least grade that counts as right, where a model's judge of grades has one."""
    value = json.loads(signed.settings).get("right_from")
    return value if isinstance(value, int) else None


def _by_question(rows: Sequence[Graded]) -> Mapping[str, Scored]:
    found = defaultdict[str, list[Graded]](list)
    for one in rows:
        found[one.question].append(one)
    return {
        question: Scored([one.value for one in each], frozenset(one.group for one in each))
        for question, each in found.items()
    }


def _texts(store: Store, rows: Sequence[Graded], questions: Sequence[str]) -> Mapping[str, str]:
    """The text of each of these questions."""
    item = {row.question: row.item for row in reversed(rows)}
    items = store.items.read([item[question] for question in questions])
    return {question: items[item[question]].question for question in questions}
