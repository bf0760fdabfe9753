"""What is said of the coverage of the gold set: the same numbers in every language, a dash where nothing can be counted."""

from __future__ import annotations

import pytest

from annotate.analysis.gold.coverage import Coverage, ReferenceState, TrafficPart
from annotate.domain.gold import GoldRole
from annotate.present.document import Document, Section, Status
from annotate.present.gold import coverage as gold_coverage
from annotate.present.messages import text
from annotate.store.gold.statistics import RoleCount
from support.documents import check

HOSTILE = "b\x1b[31m<i>|_*駅"
STATES = {ReferenceState.ACCEPTED: 1_203, ReferenceState.REVIEW: 2, ReferenceState.MISSING: 3, ReferenceState.ASIDE: 4}


def part(value: str | None, items: int | None = None, covered: int | None = None) -> TrafficPart:
    return TrafficPart(value, items, covered, 1_212, STATES)


@pytest.mark.parametrize(
    ("questions", "missing", "status", "words"),
    [
        (
            0,
            3,
            Status.UNMEASURABLE,
            "No question has an accepted reference yet; questions that need one: 3 (wrong answers: 3)",
        ),
        (5, 3, Status.OPEN, "in 400 of the 9,000 answers of the traffic (4.4 %)"),
        (5, 0, Status.MET, "needing one: 0 (wrong answers: 3)."),
    ],
)
def test_the_answer_says_how_much_is_covered(questions: int, missing: int, status: Status, words: str) -> None:
    """Of how many questions and how much of the traffic, and what is missing; no question is no share."""
    coverage = Coverage(questions=questions, whole=part(None, 9_000, 400), parts={})
    document = gold_coverage.document(coverage, missing=missing, flagged=0, candidates=1_204)

    assert document.status is status
    assert words in check(document).replace("\n", " ")


@pytest.mark.parametrize(
    ("parts", "field", "names"),
    [
        ([part(None, 0, 0)], gold_coverage.WHOLE, ["everything"]),
        ([part(HOSTILE, 9_000, 4), part(None, 7, 7)], "system", [HOSTILE, "not given"]),
        ([part("incomplete"), part(HOSTILE), part(None)], "cause", ["Incomplete", HOSTILE, "not said"]),
        ([part("long", 9_000, 4)], "length of the question", ["long"]),
    ],
)
def test_the_parts_of_a_field_are_told_alike_in_every_language(
    parts: list[TrafficPart], field: str, names: list[str]
) -> None:
    """With their share of the traffic where the field divides it; names of others literally."""
    table = gold_coverage.parts(parts, field)
    full = check(Document(gold_coverage.field_name(field), sections=(Section(None, (table,)),)))

    assert [text(row[0]) for row in table.rows] == names
    assert ("Covered" in [text(column.label) for column in table.columns]) == (parts[0].items is not None)
    assert "\x1b" not in full


def test_what_has_no_traffic_or_no_clusters_is_a_dash() -> None:
    """Never 0 %."""
    [row] = gold_coverage.parts([part(None, 0, 0)], gold_coverage.WHOLE).rows
    [none, test] = gold_coverage.roles([RoleCount(None, 7, 0), RoleCount(GoldRole.TEST, 5, 2)]).rows

    assert text(row[3]) == text(none[2]) == "—"
    assert [text(value) for value in test] == ["test", "5", "2"]
