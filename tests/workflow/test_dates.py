"""Dates such as 03/11/2026: read where the order of day and month is certain, and never by a guess."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from annotate.domain.timestamps import DateOrder, Times, order_of
from support.store import Assay, traffic_row

DAY_FIRST, MONTH_FIRST = DateOrder
NOVEMBER, MARCH = "2026-11-03T00:00:00.000Z", "2026-03-11T00:00:00.000Z"


@pytest.mark.parametrize(
    ("dates", "order"),
    [
        (["03/11/2026", "25/11/2026"], DAY_FIRST),
        (["03/11/2026", "11/25/2026"], MONTH_FIRST),
        (["03/11/2026", "04/11/2026"], None),
        (["25/11/2026", "11/25/2026"], None),
        (["25.11.2026", "03/11/2026"], DAY_FIRST),
        (["03.11.2026", "04.11.2026"], DAY_FIRST),
        (["03.11.2026", "11.25.2026"], MONTH_FIRST),
        (["03.11.2026", "03/11/2026"], None),
        (["2026-11-25", "", None, 7], None),
        (["3-11-2026 14:05", "25-11-2026 9:00"], DAY_FIRST),
    ],
)
def test_the_order_is_known_where_all_dates_fit_one_alone(dates: Sequence[object], order: DateOrder | None) -> None:
    """A day above 12 tells its place, and that of all others; two that contradict each other tell nothing.

    Dates that are written with dots alone have the day first, unless one of them shows another order.
    """
    assert order_of(dates) is order


@pytest.mark.parametrize(
    ("date", "order", "time"),
    [
        ("03/11/2026", DAY_FIRST, NOVEMBER),
        ("03/11/2026", MONTH_FIRST, MARCH),
        ("03.11.2026", DAY_FIRST, NOVEMBER),
        ("03.11.2026, 14:05", DAY_FIRST, "2026-11-03T14:05:00.000Z"),
        ("11/3/2026 2:05:09 PM", MONTH_FIRST, "2026-11-03T14:05:09.000Z"),
        ("11/3/2026 12:05 am", MONTH_FIRST, "2026-11-03T00:05:00.000Z"),
        ("2026-11-03", MONTH_FIRST, NOVEMBER),
    ],
)
def test_a_date_is_read_in_its_order(date: str, order: DateOrder | None, time: str) -> None:
    """The year first needs no order."""
    assert Times("2026-11-21T08:00:00Z", order).read(date) == time


@pytest.mark.parametrize(
    ("date", "order", "reason"),
    [
        ("03/11/2026", None, "unordered"),
        ("11/25/2026", DAY_FIRST, "unreadable"),
        ("31/02/2026", DAY_FIRST, "unreadable"),
    ],
)
def test_a_date_that_cannot_be_read_is_counted_with_the_reason(date: str, order: DateOrder | None, reason: str) -> None:
    times = Times("2026-11-21T08:00:00Z", order)

    assert times.read(date) is None
    assert [(dropped.reason, dropped.rows) for dropped in times.dropped] == [(reason, 1)]


def rows(*dates: str) -> list[dict[str, object]]:
    return [traffic_row(f"r{place}", timestamp=date) for place, date in enumerate(dates)]


def test_one_date_of_a_file_tells_the_order_of_all_of_them(assay: Assay) -> None:
    """It may stand behind any number of others."""
    assay("ingest", assay.write("t.jsonl", rows(*["03/11/2026"] * 120, "25/10/2026")))

    assert assay.sql("select timestamp, count(*) from items group by 1 order by 1") == [
        ("2026-10-25T00:00:00.000Z", 1),
        (NOVEMBER, 120),
    ]


def test_where_no_date_tells_the_order_the_option_does(assay: Assay) -> None:
    source = assay.write("t.jsonl", rows("03/11/2026"))

    open_ = assay("ingest", source)
    assert assay.sql("select timestamp from items") == [(None,)]
    assay("ingest", source, "--dates", "month-first")

    assert "could be day or month first (for example '03/11/2026')" in " ".join(open_.stderr.split())
    assert assay.sql("select timestamp from items where is_current") == [(MARCH,)]


def test_a_column_of_such_dates_is_proposed_as_the_time(assay: Assay) -> None:
    row = {**traffic_row("a"), "Datum": "25/11/2026"}

    assert "--map timestamp=Datum" in assay("ingest", assay.write("t.jsonl", [row]), status=1).stderr


def test_the_order_changes_no_id(assay: Assay) -> None:
    """The same row without an id is one item, however its date was read."""
    row = {**rows("03/11/2026")[0]}
    del row["id"]
    source = assay.write("t.jsonl", [row])

    for option in ([], ["--dates", "day-first"], ["--dates", "month-first"]):
        assay("ingest", source, *option)

    assert assay.sql("select count(distinct id) from items") == [(1,)]


def test_times_of_thumbs_are_read_by_the_same_rule(assay: Assay) -> None:
    votes = [{"item_id": "a", "value": 1, "at": at} for at in ("03/11/2026", "25/10/2026")]

    assay("feedback", assay.write("t.jsonl", votes))

    assert assay.sql("select at from feedback order by at") == [("2026-10-25T00:00:00.000Z",), (NOVEMBER,)]
