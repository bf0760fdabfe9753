"""Compare a judge's scores on the answers of two selections: means, their difference, and the texts of the questions.

Both are read under one signature: the one with most answers in the selection that has fewer. The result is the judge's
opinion, not the annotators'.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotate.domain.selection import Selection
from annotate.store import Store
from annotate.store.traffic.selections import Graded, Signed
from proxy.comparison.graded import GRADERS, GradesCompared, ScoredAnswers, compared, scale_of
from proxy.errors import UsageError
from proxy.records import Item

# Chosen: what a screen of a terminal and a table of the page hold; the texts of more are not read.
LISTED, NAMED = 20, 40


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeGrades:
    """A judge's scores of both, `questions` the texts by key of the first NAMED, `others` signatures it also has."""

    grades: GradesCompared
    questions: Mapping[str, str]
    others: int


def judge_grades(store: Store, selections: tuple[Selection, Selection], judge: str | None) -> JudgeGrades | None:
    """Return the scores of this judge, or a GRADER's where there are any; UsageError where a named judge has none on a side."""
    for name in (judge,) if judge else GRADERS:
        if (scores := _scores_of(store, selections, name)) and (judge or scores.grades.scale.top):
            return scores
    if judge is None:
        return None
    known = ", ".join(store.scores.signatures()) or "none yet"
    raise UsageError(
        f"no signature of the judge {judge} has scored answers of both: the judges with scores are {known}"
    )


class GradedAnswers(NamedTuple):
    """The answers of both to a question that a judge graded."""

    question: str
    first: Sequence[Item]
    second: Sequence[Item]


def graded_answers(
    store: Store, selections: tuple[Selection, Selection], grades: GradesCompared, questions: Sequence[str]
) -> list[GradedAnswers]:
    """Read what was graded of these questions, by their keys: each has an answer of both."""
    signed = (grades.judge, grades.signature)
    key = store.scores.known_keys([signed])[signed]
    by_question = [defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)]
    for rows, selection in zip(by_question, selections, strict=True):
        for row in store.traffic.selections.scored(key, selection):
            rows[row.question].append(row.item)
    items = store.traffic.items.read([row for rows in by_question for name in questions for row in rows[name]])
    both = [[[items[row] for row in rows[name]] for rows in by_question] for name in questions]
    return [GradedAnswers(first[0].question, first, second) for first, second in both]


def _scores_of(store: Store, selections: tuple[Selection, Selection], judge: str) -> JudgeGrades | None:
    """Return the scores of this judge, where a signature of it has scored both."""
    first, second = (store.traffic.selections.signatures(judge, selection) for selection in selections)
    shared = [
        (candidate, min(candidate.scored, other.scored))
        for candidate in first
        for other in second
        if candidate.key == other.key
    ]
    if not shared:
        return None
    # The newest of those that scored as many.
    signed = max(shared, key=lambda pair: (pair[1], pair[0].key))[0]
    rows = [store.traffic.selections.scored(signed.key, selection) for selection in selections]
    scale = scale_of(judge, _right_from(signed), [row.value for scored in rows for row in scored])
    grades = compared(judge, signed.signature, scale, (_by_question(rows[0]), _by_question(rows[1])))
    return JudgeGrades(
        grades=grades,
        questions=_texts(store, rows[0], [question.question for question in grades.questions[:NAMED]]),
        others=len({candidate.key for candidate in (*first, *second)}) - 1,
    )


def _right_from(signed: Signed) -> int | None:
    """Return the least grade that counts as right, where a model's judge of grades has one."""
    value = json.loads(signed.settings).get("right_from")
    return value if isinstance(value, int) else None


def _by_question(rows: Sequence[Graded]) -> Mapping[str, ScoredAnswers]:
    by_question = defaultdict[str, list[Graded]](list)
    for row in rows:
        by_question[row.question].append(row)
    return {
        question: ScoredAnswers([row.value for row in graded], frozenset(row.group for row in graded))
        for question, graded in by_question.items()
    }


def _texts(store: Store, rows: Sequence[Graded], questions: Sequence[str]) -> Mapping[str, str]:
    """Return the text of each of these questions."""
    item = {row.question: row.item for row in reversed(rows)}
    items = store.traffic.items.read([item[question] for question in questions])
    return {question: items[item[question]].question for question in questions}
