"""Times as programs write them, against what Python's own parser makes of them."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta, timezone

import pytest

from proxy.text.times import iso, parse


def test_times_in_utc_are_what_the_parser_makes_of_them() -> None:
    """The form that needs no arithmetic gives the same as the one that does, to the millisecond that is cut off."""
    rng = random.Random(1)
    for _ in range(2000):
        moment = datetime(2000, 1, 1, tzinfo=UTC) + timedelta(microseconds=rng.randrange(10**15))
        for digits in (0, 3, 6):
            text = moment.strftime("%Y-%m-%dT%H:%M:%S") + (f".{moment.microsecond:06d}"[: digits + 1] if digits else "")
            for zone in ("Z", "+00:00"):
                assert parse(text + zone) == iso(datetime.fromisoformat(text + zone))


@pytest.mark.parametrize("text", ["2026-02-30T08:00:00Z", "2026-11-20T08:60:00Z", "2026-11-20T08:00:61.000Z"])
def test_what_no_calendar_has_is_no_time(text: str) -> None:
    """Its form alone does not make it one."""
    with pytest.raises(ValueError, match=r"."):
        parse(text)


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("Fri, 20 Nov 2026 08:00:00 GMT", 0),
        ("Fri, 20 Nov 2026 08:00:00 +0530", 330),
        ("20 Nov 2026 08:00 -0800", -480),
        ("20 Nov 2026 08:00:00 -0000", 0),
    ],
)
def test_times_of_http_and_mail(text: str, offset: int) -> None:
    """RFC 9110 and RFC 5322."""
    moment = datetime(2026, 11, 20, 8, tzinfo=timezone(timedelta(minutes=offset)))

    assert parse(text) == iso(moment)


@pytest.mark.parametrize("zone", ["CEST", "PST", "IST", ""])
def test_a_zone_by_a_name_is_not_guessed(zone: str) -> None:
    """IST is India's, Ireland's and Israel's."""
    with pytest.raises(ValueError, match="isoformat"):
        parse(f"Fri, 20 Nov 2026 08:00:00 {zone}")
