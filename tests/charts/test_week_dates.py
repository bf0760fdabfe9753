"""The dates below the week charts: at the points' own days, and never so many that they overlap."""

from __future__ import annotations

import re
from datetime import date, timedelta
from itertools import pairwise

import pytest

from annotate.charts.course import CourseDot, course
from annotate.charts.days import thinned
from support.drift import fill, label_all
from support.store import Assay

MONDAY = date(2026, 6, 1)


def weeks(count: int) -> list[str]:
    return [(MONDAY + timedelta(weeks=number)).isoformat() for number in range(count)]


@pytest.mark.parametrize("count", [1, 2, 7, 11, 26])
def test_dates_are_days_of_points_and_apart(count: int) -> None:
    """The first is there, all are Mondays of the course, and at most one more than asked for."""
    dates = thinned(weeks(count), 6)

    assert dates[0] == weeks(count)[0]
    assert set(dates) <= set(weeks(count))
    assert len(dates) <= 7
    assert len(dates) >= min(count, 4)


def test_a_gap_in_the_weeks_does_not_push_dates_together() -> None:
    """By distance in time, not by number: 20 weeks after the first, only one of three neighbours has room."""
    days = [weeks(23)[0], *weeks(23)[20:]]

    assert thinned(days, 6) == [days[0], days[1]]


@pytest.mark.slow
def test_the_chart_has_its_ticks_at_mondays_in_utc() -> None:
    """Vega's own week ticks are Sundays."""
    chart = course(
        [CourseDot("right", day, 0.8, 0.7, 0.9, 40) for day in weeks(6)], [], date="Week", count="Labels"
    ).to_dict()
    axes = [layer["encoding"]["x"]["axis"] for layer in chart["layer"] if "axis" in layer["encoding"]["x"]]

    assert axes
    for axis in axes:
        assert all(value["utc"] for value in axis["values"])
        days = [date(value["year"], value["month"], value["date"]).isoformat() for value in axis["values"]]
        assert days == weeks(6)


@pytest.mark.slow
def test_the_dates_of_the_page_do_not_overlap(assay: Assay) -> None:
    """Eleven weeks: the dates of the picture are more than a date's width (10 signs) apart."""
    label_all(assay, fill(assay, weeks=11))
    text = assay("report", "--html", "-").stdout
    places = [float(x) for x in re.findall(r'<text x="([\d.]+)"[^>]*>\d{4}-\d\d-\d\d</text>', text)]

    assert len(places) > 3
    assert min(after - before for before, after in pairwise(places)) >= 80
