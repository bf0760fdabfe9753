"""How long texts take to read: words by spaces, and characters where a language has none."""

from __future__ import annotations

import pytest

from annotate.domain.reading_time import reading_seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("word " * 238, 60),
        ("don't stop, 1,000 mg/day", 60 * 5 / 238),
        ("讀" * 255, 60),
        ("읽기" * 51, 60 * 102 / 255),
        ("用 paracetamol 治療", 60 * (3 / 255 + 1 / 238)),
        ("", 0),
    ],
)
def test_seconds_follow_from_the_length(text: str, seconds: float) -> None:
    """238 words or 255 Chinese, Japanese or Korean characters are a minute; several texts add up."""
    assert reading_seconds(text) == pytest.approx(seconds)
    assert reading_seconds(text, text) == pytest.approx(2 * seconds)
