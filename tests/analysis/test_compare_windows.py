"""`assay compare` of windows and of different questions: what a name means, corrected rates by MOVER, and what is said beside."""

from __future__ import annotations

from contextlib import closing

import pytest

from annotate.analysis.comparison.compare import compare
from annotate.analysis.comparison.rank import rank
from annotate.analysis.comparison.selections import Names, selection_of
from annotate.analysis.labelled_draws import evidence_within, ground
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.selection import Selection
from annotate.store import Store
from proxy.comparison.comparison import MOVER
from proxy.errors import UsageError
from proxy.evaluation.agreement import correctness_of
from support.store import Assay, kept, label, traffic_row

KNOWN = Names(systems={"app": 3, "app@v2": 2, "it's": 1})
NEW_YEAR = "2026-01-01T00:00:00.000Z"


def month_of_answers(assay: Assay, right: int, month: str, count: int = 20) -> list[dict[str, object]]:
    """So many answers of one month, to questions of their own; the first `right` are right."""
    rows = [
        traffic_row(f"{month}-{n}", system="app", timestamp=f"2026-{month}-{n + 1:02d}T08:00:00Z") for n in range(count)
    ]
    assay("ingest", assay.write(f"{month}.jsonl", rows))
    return [label(f"{month}-{n}", "right" if n < right else "wrong") for n in range(count)]


@kept
def months(assay: Assay) -> Assay:
    """Two months of one system, 18 and 8 of 20 right, all labelled."""
    rows = [*month_of_answers(assay, 18, "01"), *month_of_answers(assay, 8, "02")]
    assay("judge")
    assay("sample", "--labels", "40", "--seed", "1")
    assay("labels", "import", assay.write("labels.jsonl", rows))
    return assay


@pytest.mark.parametrize(
    ("name", "system", "since", "until"),
    [
        ("app", "app", None, None),
        ("app@v2", "app@v2", None, None),
        ("app@v2@2026-01-01..", "app@v2", NEW_YEAR, None),
        ("@..2026-01-01", None, None, NEW_YEAR),
        ("app@2025-12-31T23:00:00-01:00..2026-02-01", "app", NEW_YEAR, "2026-02-01T00:00:00.000Z"),
        ("it's@..2026-01-01T00:00", "it's", None, NEW_YEAR),
    ],
)
def test_what_a_name_means(name: str, system: str | None, since: str | None, until: str | None) -> None:
    """A system's own name first, also with an @ in it; then a window, whose ends are times in UTC."""
    assert selection_of(name, KNOWN) == Selection(system=system, since=since, until=until)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nope", "the systems are app (3)"),
        ("nope@2026-01-01..", "no item is of the system nope"),
        ("app@soon..", "soon is no date"),
        ("app@2026-02-01..2026-01-01", "ends before it begins"),
    ],
)
def test_names_that_mean_nothing_are_refused(name: str, words: str) -> None:
    """Each with what to write."""
    with pytest.raises(UsageError) as refused:
        selection_of(name, KNOWN)
    assert words in str(refused.value)


@pytest.mark.slow
def test_two_windows_are_compared_by_their_rates(months: Assay) -> None:
    """18 and 8 of 20 on other questions: MOVER from the two long-run intervals, whose ends the rates show, and a word of warning."""
    comparison = months.json("compare", "app@..2026-02-01", "app@2026-02-01..")
    first, second = (comparison[side]["correctness_long_run"] for side in ("first", "second"))

    assert (first["estimate"], second["estimate"]) == pytest.approx((0.9, 0.4))
    assert comparison["difference"]["method"] == MOVER
    assert comparison["difference"]["low"] == pytest.approx(
        -0.5 - ((0.4 - second["low"]) ** 2 + (first["high"] - 0.9) ** 2) ** 0.5
    )
    assert comparison["standing"] == "worse"
    assert comparison["pairs"]["questions"] == 0
    assert "different questions (0 in common)" in months("compare", "@..2026-02-01", "@2026-02-01..").output
    months("compare", "app@..2026-02-01", "app@2026-02-01..", "--gate", status=3)


def test_a_window_has_the_evidence_of_its_items_alone(months: Assay) -> None:
    """January's 20 items, none of February's, whatever the system is called; a month as a window is the month as a field."""
    with closing(Store(months.db)) as store:
        key, rule = rule_in_force(store)
        labelled_ground = ground(store, key, rule)
        january = evidence_within(store, labelled_ground, Selection(until="2026-02-01T00:00:00.000Z"))
        nothing = evidence_within(store, labelled_ground, Selection(system="x' OR 1 --"))
        whole = evidence_within(store, labelled_ground, Selection(system="app"))

    assert (sum(total.size for total in january.totals), len(january.sample)) == (20, 20)
    assert correctness_of(january).estimate == pytest.approx(0.9)
    assert (list(nothing.totals), list(nothing.sample)) == ([], [])
    assert sum(total.size for total in whole.totals) == 40


def test_windows_that_overlap_are_refused(months: Assay) -> None:
    """An answer cannot be compared with itself."""
    said = months("compare", "app", "app@2026-02-01..", status=2).stderr

    assert "20 answers are in both" in said


def test_an_empty_window_is_said_with_the_times_that_there_are(months: Assay) -> None:
    """No crash and no number; the gate fails."""
    result = months("compare", "app@2030-01-01..", "app@..2026-02-01", "--gate", status=3)

    assert (
        "no answers of app@2030-01-01..; the store has 40, those with a timestamp run from 2026-01-01T08"
        in " ".join(result.stdout.split())
    )


def test_traffic_without_timestamps_has_no_windows(assay: Assay) -> None:
    """Every window is empty, and it is said why."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row("a", system="app")]))

    assert "none has a timestamp" in assay("compare", "@..2026-01-01", "@2026-01-01..").output


@pytest.mark.slow
def test_pairs_and_ranking_count_unscored_answers_alike(assay: Assay) -> None:
    """Of each system's 20 answers the last 8 came after the wave; 3 of those have no passages, so no score: both say 3 of 20."""

    def rows(start: int, stop: int) -> list[dict[str, object]]:
        return [
            traffic_row(f"{s}{n}", question=f"question {n}?", system=s) | ({"contexts": []} if n >= 17 else {})
            for s in "ab"
            for n in range(start, stop)
        ]

    assay("ingest", assay.write("first.jsonl", rows(0, 12)))
    assay("judge")
    assay("sample", "--labels", "24", "--seed", "1")
    assay("labels", "import", assay.write("labels.jsonl", [label(f"{s}{n}") for s in "ab" for n in range(12)]))
    assay("ingest", assay.write("second.jsonl", rows(12, 20)))
    assay("judge")
    with closing(Store(assay.db)) as store:
        names = ("a", "b")
        sides, ranking = compare(store, names), rank(store, names)

    assert [side.unscored for side in sides.sides] == [system.unscored for system in ranking.systems] == [3, 3]
    assert "3 of the 20 answers of a have no score" in " ".join(sides.notes)


@pytest.mark.slow
def test_another_judge_on_one_side_is_said(months: Assay) -> None:
    """Scores of March come under another signature: its answers have no verdict of the rule, and both are named."""
    rows = [traffic_row(f"03-{n}", system="app", timestamp="2026-03-02T08:00:00Z", contexts=[]) for n in range(5)]
    months("ingest", months.write("march.jsonl", rows))
    scores = [
        {"item_id": f"03-{n}", "judge": judge, "value": 0.9, "signature": f"{judge}|other|v9"}
        for judge in ("context_relevance", "faithfulness")
        for n in range(5)
    ]
    months("scores", "import", months.write("scores.jsonl", scores))
    months("sample", "--labels", "5", "--seed", "2")
    months("labels", "import", months.write("march_labels.jsonl", [label(f"03-{n}") for n in range(5)]))
    sides = ("app@..2026-03-01", "app@2026-03-01..")
    notes = " ".join(months.json("compare", *sides)["warnings"])
    months("judge")
    judged = " ".join(months.json("compare", *sides)["warnings"])

    assert "5 of the 5 answers of app@2026-03-01.. have no score by the rule's judges" in notes
    assert "has not tried" in notes
    assert "(each was tried, and a judge gives no score there)" in judged, "without passages none can be given"
    assert "faithfulness is not the same judge on both" in notes
    assert "faithfulness|other|v9 on app@2026-03-01.." in notes


@pytest.mark.slow
def test_one_system_twice_on_the_same_questions_is_paired(assay: Assay) -> None:
    """A test set that is asked again a month later is the same questions: pairs, not rates."""
    rows = [
        traffic_row(f"{month}-{n}", system="app", question=f"Q{n}?", timestamp=f"2026-{month}-02T08:00:00Z")
        for month in ("01", "02")
        for n in range(10)
    ]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay("judge")
    assay("sample", "--labels", "20", "--seed", "1")
    labels = [
        label(f"{month}-{n}", "right" if month == "02" or n < 4 else "wrong")
        for month in ("01", "02")
        for n in range(10)
    ]
    assay("labels", "import", assay.write("labels.jsonl", labels))
    comparison = assay.json("compare", "app@..2026-02-01", "app@2026-02-01..")

    assert (comparison["pairs"]["labelled"], comparison["difference"]["estimate"]) == (10, pytest.approx(0.6))
    assert comparison["standing"] == "better"
