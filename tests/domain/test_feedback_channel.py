"""Which traffic could not have been rated: what chance explains stays in."""

from __future__ import annotations

import math

from annotate.domain.feedback_channel import RARE, RatedWeek, Unrated, without_channel


def weeks(system: str | None, *counts: tuple[int, int]) -> list[RatedWeek]:
    """Weeks from 2026-10-05 on, each with its items and how many were rated."""
    days = ("2026-10-05", "2026-10-12", "2026-10-19", "2026-10-26", "2026-11-02")
    return [RatedWeek(system, day, *count) for day, count in zip(days, counts, strict=False)]


def test_a_system_without_any_feedback_is_left_out_where_chance_would_have_given_some() -> None:
    """At 4 % of the others' answers rated, e^(-.04 n) falls below 1 in 1,000 at n = 173."""
    rated = weeks("a", (500, 20), (500, 20))
    enough = math.ceil(math.log(1 / RARE) / 0.04)

    assert without_channel([*rated, *weeks("b", (enough, 0))]) == [Unrated("b", None, None, enough)]
    assert without_channel([*rated, *weeks("b", (enough - 1, 0))]) == []


def test_the_weeks_before_a_button_are_left_out_and_a_thin_week_is_not() -> None:
    """Two weeks of 300 before the first thumb at 4 %: 24 were to be expected. A later week of 30 may have none by chance."""
    unrated = without_channel(weeks("a", (300, 0), (300, 0), (300, 12), (30, 0), (300, 12)))

    assert unrated == [Unrated("a", "2026-10-05", "2026-10-12", 600)]


def test_where_nobody_gave_feedback_nothing_is_left_out() -> None:
    """The report says that there is none; no system stands out."""
    assert without_channel([*weeks("a", (5000, 0)), *weeks(None, (5000, 0))]) == []
    assert without_channel([]) == []


def test_answers_without_a_time_belong_to_their_system() -> None:
    """They are no week that could be silent, and they count in a silent system."""
    undated = RatedWeek("a", None, 5000, 0)
    assert without_channel([*weeks("a", (300, 12)), undated]) == []
    assert without_channel([*weeks("a", (300, 12)), undated._replace(system=None)]) == [Unrated(None, None, None, 5000)]
