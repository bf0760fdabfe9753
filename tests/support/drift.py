"""Weeks of answers with their scores and labels, with a drop, a judge that changes, or neither."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from support.store import Assay, label, traffic_row

WEEKS, A_WEEK, CHANGED = 14, 40, 6
FIRST = date(2026, 6, 1)
Truth = Callable[[int, int], bool]
Value = Callable[[int, bool, int], float]


def steady(week: int, number: int) -> bool:
    """Four of five answers are right in every week."""
    return number % 5 > 0


def drop(week: int, number: int) -> bool:
    """From the seventh week on three of five."""
    return number % 5 > (1 if week >= CHANGED else 0)


def fair(week: int, is_right: bool, number: int) -> float:
    """Nine of ten right answers pass, and one of four wrong ones."""
    return 0.9 if (number // 5 % 8 > 0 if is_right else number // 5 % 4 == 0) else 0.2


def week_of(
    week: int, truth: Truth = steady, value: Value = fair
) -> tuple[list[dict[str, object]], list[dict[str, object]], dict[str, bool]]:
    """A week of answers, their scores, and who is right."""
    rows, scores, right = list[dict[str, object]](), list[dict[str, object]](), dict[str, bool]()
    for n in range(A_WEEK):
        name = f"w{week:02}-{n:02}"
        right[name] = truth(week, n)
        at = f"{FIRST + timedelta(days=7 * week + n % 7)}T{n % 24:02}:00:00Z"
        rows.append(traffic_row(name, timestamp=at))
        scores.append({"item_id": name, "judge": "s", "value": value(week, right[name], n), "signature": "s|v1"})
    return rows, scores, right


def fill(
    assay: Assay, truth: Truth = steady, value: Value = fair, weeks: int = WEEKS, *, timed: bool = True
) -> dict[str, bool]:
    """Weeks of answers, all scored; who is right."""
    parts = [week_of(week, truth, value) for week in range(weeks)]
    rows = [row for part in parts for row in part[0]]
    if not timed:
        rows = [{name: value for name, value in row.items() if name != "timestamp"} for row in rows]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay("scores", "import", assay.write("scores.jsonl", [row for part in parts for row in part[1]]))
    assay("rule", "set", "s > 0.5")
    return {name: truth for part in parts for name, truth in part[2].items()}


def label_all(assay: Assay, right: dict[str, bool]) -> None:
    """Every item is drawn and gets the word of one annotator."""
    assay("sample", "--labels", str(len(right)), "--seed", "1")
    say(assay, right)


def say(assay: Assay, right: dict[str, bool]) -> None:
    """The word of one annotator on these."""
    rows = [label(name, "right" if truth else "wrong") for name, truth in right.items()]
    assay("labels", "import", assay.write("labels.jsonl", rows))


AGAIN = "s|v2"


def rescore(assay: Assay, right: dict[str, bool], *, only: int | None = None, harsh: bool = True) -> None:
    """The scores of a new signature: every fourth right answer fails, or all stay as they were."""
    rows = []
    for name, truth in right.items():
        week, n = int(name[1:3]), int(name[-2:])
        value = fair(week, truth, n)
        rows.append(
            {
                "item_id": name,
                "judge": "s",
                "value": 0.3 if harsh and truth and n % 4 == 0 else value,
                "signature": AGAIN,
            }
        )
    assay("scores", "import", assay.write("again.jsonl", rows[:only]))
