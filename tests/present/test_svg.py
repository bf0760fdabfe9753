"""Charts of the printed report, read as the text that they are."""

from __future__ import annotations

import re

from annotate.present import svg
from annotate.present.svg import Course, ShareInterval


def test_no_axis_goes_beyond_all() -> None:
    """Where every week is right throughout, the axis ends at 100 %: above it lies no share."""
    spot = ShareInterval(place=0.5, share=1.0, low=1.0, high=1.0)

    chart = svg.course(Course(series=(("right", (spot,)),), days=(), marks=()), "all right", str)

    assert re.findall(r">([\d.]+ %)<", chart) == ["90 %", "92.5 %", "95 %", "97.5 %", "100 %"]
