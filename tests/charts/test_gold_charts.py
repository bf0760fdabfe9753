"""The pictures of the gold page: every series and state is told by more than its colour."""

from __future__ import annotations

from datetime import date

from annotate.charts.coverage import CoverageBar, SeriesCount, coverage, growth


def test_each_line_has_its_own_dashes_points_and_colour() -> None:
    """Three series, three of each; the counts stand in the chart as they were given."""
    counts = [
        SeriesCount(date(2026, 1, day), name, 10 * day) for name in ("test", "examples", "waiting") for day in (1, 2)
    ]
    content = growth(counts, day="Day", entries="Entries", series="What").to_dict()
    lines, points = (layer["encoding"] for layer in content["layer"])

    for channel in (lines["strokeDash"], points["shape"], lines["color"]):
        assert channel["scale"]["domain"] == ["test", "examples", "waiting"]
        assert len({str(value) for value in channel["scale"]["range"]}) == 3
    (rows,) = content["datasets"].values()
    assert [row["entries"] for row in rows] == [10, 20] * 3


def test_each_bar_says_its_count_and_state() -> None:
    """A bar of 0 is said too, and the longest leaves room for its words."""
    bars = [CoverageBar("en", "accepted", 1_200, 1_200), CoverageBar("en", "missing", 0, 1_200)]
    content = coverage(bars, part="Language", state="What", count="Answers", of="Called wrong").to_dict()
    (rows,) = content["datasets"].values()

    assert [row["words"] for row in rows] == ["1,200 accepted", "0 missing"]
    assert content["layer"][0]["encoding"]["x"]["scale"]["domainMax"] > 1_200
