"""Read a time of any kind as ISO 8601 in UTC."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

# Seconds, milliseconds, microseconds or nanoseconds since 1970 as text, as CSV holds them; eight digits would be a date.
EPOCH = re.compile(r"(\d{9,11}|\d{13}|\d{16}|\d{19})(\.\d+)?")
# Seconds reach the first limit in the year 5138, milliseconds reached it in 1973; and so on a thousandfold.
EPOCH_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
# As most programs write it: to format the moment anew would take longer than all else that is done with a row's fields.
IN_UTC = re.compile(r"(\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\d)(?:\.(\d{3})\d{0,6})?(?:Z|\+00:00)", re.ASCII)
# As spreadsheets and logs of East Asia and of Go write it: the year comes first.
YEAR_FIRST = re.compile(r"(\d{4})([/.])(\d{1,2})\2(\d{1,2})(?:[ T](?=\d)(\d(?=:))?)?", re.ASCII)
BEFORE_ZONE = re.compile(r" (?=[+-]\d\d:?\d\d$)", re.ASCII)
# As HTTP and mail write it, with a zone that says how far it is from UTC; the names of others differ from place to place.
MAIL = re.compile(
    r"(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d(?::\d\d)? (?:GMT|UTC|UT|[+-]\d{4})", re.ASCII
)


def parse(value: object) -> str:
    """Return a time of any kind in ISO 8601, UTC; ValueError, OverflowError or OSError where it is none.

    A time without a zone is taken as UTC, a number as seconds, milliseconds, microseconds or nanoseconds since 1970.
    """
    if isinstance(value, str) and (written := IN_UTC.fullmatch(value)):
        seconds, milliseconds = written.groups()
        datetime.fromisoformat(seconds)  # ValueError for what no calendar has
        return f"{seconds}.{milliseconds or '000'}Z"
    if isinstance(value, str) and EPOCH.fullmatch(value):
        value = float(value)
    if isinstance(value, str) and MAIL.fullmatch(value):
        from email.utils import parsedate_to_datetime  # slow to import, and hardly ever needed

        moment = parsedate_to_datetime(value)
    elif isinstance(value, str):
        moment = datetime.fromisoformat(_as_iso(value))
    elif isinstance(value, datetime):
        moment = value
    elif isinstance(value, date):
        moment = datetime(value.year, value.month, value.day, tzinfo=UTC)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        unit = next((unit for least, unit in EPOCH_UNITS if abs(value) >= least), 1.0)
        moment = datetime.fromtimestamp(value / unit, UTC)
    else:
        raise ValueError(value)
    return iso(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def _as_iso(text: str) -> str:
    """Return a written time with the dashes of ISO 8601, and without what BigQuery and Go put behind it."""
    text = BEFORE_ZONE.sub("", text.removesuffix(" UTC"))
    if (start := YEAR_FIRST.match(text)) is None:
        return text
    year, _, month, day, hour = start.groups()
    rest = text[start.end() :]
    return f"{year}-{month:0>2}-{day:0>2}{f' 0{hour}' if hour else ' ' if rest else ''}{rest}"


def now() -> str:
    """Return the time in ISO 8601, UTC, to the millisecond."""
    return iso(datetime.now(UTC))


def iso(moment: datetime) -> str:
    """Return a moment in ISO 8601, UTC, to the millisecond."""
    utc = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")
