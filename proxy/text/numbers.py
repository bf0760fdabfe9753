"""Write numbers for display: the only place that does, for results on frames and for the answers of a store.

A kind of number has one precision. Shares are whole percentages, with a decimal near 0 and 100; coefficients have two decimals;
scores, errors and thresholds three; inclusion probabilities have four significant digits; points are whole, with one digit where
rounding would show 0. The minus is the keyboard's, as in every command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum, auto


class Kind(Enum):
    """How a number is displayed."""

    SHARE = auto()  # 84 %
    BARE_SHARE = auto()  # 84, before another share
    POINTS = auto()  # of a hundred, without the sign %
    COEFFICIENT = auto()  # kappa, AUROC: two decimals
    SCORE = auto()  # a mean error, a movement of a score: three decimals
    THRESHOLD = auto()  # three decimals; three significant digits where those would be none
    DIGITS = auto()  # three significant digits: a bound that was chosen, a number of clusters
    PROBABILITY = auto()  # an inclusion probability: four significant digits
    PER_THOUSAND = auto()
    P_VALUE = auto()
    DURATION = auto()  # seconds
    LATENCY = auto()  # seconds of a request, thousandths among them
    MONEY = auto()  # in the currency of the prices: two decimals, four significant digits below 1
    COUNT = auto()  # a count that may be a mean


NONE = "—"
NO_WIDTH = 1e-9
MOST_DIGITS = 12  # beyond what tells two numbers apart that differ by NO_WIDTH
LATENCY_FLOOR = 0.001
LEAST_DECIMAL = 0.001


def written(value: float | None, kind: Kind, *, is_signed: bool = False, limit: float | None = None) -> str:
    """Write a number in the precision of its kind; None is written as —.

    A share or coefficient that is not the `limit` beside it never looks like it: it has as many decimals as that takes.
    """
    if value is None:
        return NONE
    words = _WRITTEN[kind](value, "+" if is_signed else "")
    if (
        limit is None
        or not has_width(*sorted((value, limit)))
        or words != _WRITTEN[kind](limit, "+" if is_signed else "")
    ):
        return words
    return _apart(value, limit, kind)


def _apart(value: float, limit: float, kind: Kind) -> str:
    """Write a share or a coefficient with the fewest decimals at which it differs from a limit that is written like it."""
    scale, sign, first = {Kind.SHARE: (100, " %", 1), Kind.BARE_SHARE: (100, "", 1)}.get(kind, (1, "", 3))
    pairs = ((f"{scale * value:.{digits}f}", f"{scale * limit:.{digits}f}") for digits in range(first, MOST_DIGITS))
    return next(words for words, other in pairs if words != other) + sign


def interval(low: float | None, high: float | None, kind: Kind, *, is_signed: bool = False) -> str:
    """Write both ends of an interval, or one number where it has no width; an interval that is not known is written as —."""
    if low is None or high is None:
        return NONE
    if not has_width(low, high):
        return written(low, kind, is_signed=is_signed)
    first = Kind.BARE_SHARE if kind is Kind.SHARE else kind  # the sign stands once, behind the second
    return f"{written(low, first, is_signed=is_signed)} to {written(high, kind, is_signed=is_signed)}"


def has_width(low: float, high: float) -> bool:
    """Return whether the ends differ by more than the last digits of a float."""
    return high - low > NO_WIDTH * max(1.0, abs(low), abs(high))


def percent(value: float, sign: str = "") -> str:
    """Write a share as a percentage; what is not quite all or nothing never looks like it, and ValueError for no share."""
    if not -NO_WIDTH <= value <= 1 + NO_WIDTH:
        raise ValueError(f"{value} is not a share from 0 to 1")
    value = min(max(value, 0.0), 1.0)
    sign = sign if value > 0 else ""
    rounded = round(100 * value)
    if value in (0.0, 1.0) or (0.1 <= value <= 0.9):
        return f"{sign}{rounded} %"
    return f"{sign}{min(max(100 * value, 0.1), 99.9):.1f} %".replace(".0 %", " %")


def coefficient(value: float | None, sign: str = "") -> str:
    """Write kappa, AUROC, a mean grade and the like."""
    return NONE if value is None else two_decimals(value, sign)


def two_decimals(value: float, sign: str = "") -> str:
    """Write a number with two decimals, and no minus before a zero; `sign` "+" shows the sign of all others too."""
    return f"{round(value, 2) + 0.0:{sign}.2f}"


def three_decimals(value: float | None, sign: str = "") -> str:
    """Write a mean error, a movement of a score, one score."""
    return NONE if value is None else f"{round(value, 3) + 0.0:{sign}.3f}"


def threshold(value: float) -> str:
    """Write a value of a rule, or a threshold: three decimals, so that thresholds stand below each other."""
    return three_decimals(value) if not value or abs(value) >= LEAST_DECIMAL else _digits(value, 3)


def probability(value: float) -> str:
    """Write the chance of an item to be drawn."""
    return _digits(value, 4)


def _digits(value: float, count: int, sign: str = "") -> str:
    """Write a number with so many significant digits, and no exponent."""
    return f"{Decimal(f'{value:.{count}g}'):{sign}f}"


def points(share: float | None, sign: str = "") -> str:
    """Write a share in points of a hundred: whole, with one digit where rounding would give 0."""
    if share is None:
        return NONE
    value = 100 * share
    return f"{value:{sign}.0f}" if abs(value) >= 1 else _digits(value, 1, sign) if value else "0"


def several(count: int, noun: str) -> str:
    """Write a count with its noun, in the plural where the count is not 1."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def per_thousand(value: float | None) -> str:
    """Write answers of 1,000: whole ones, a decimal where they are few."""
    if value is None:
        return NONE
    return f"{value:.0f}" if value >= 10 or value == 0 else f"{value:.1f}"


def p_value(value: float | None) -> str:
    """Write a p-value without a leading zero."""
    if value is None:
        return NONE
    return "< .001" if value < 0.001 else f"{value:.3f}".removeprefix("0") if value < 1 else "1"


def duration(seconds: float) -> str:
    """Write a time: 45 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h".replace(".0 h", " h")


def latency(seconds: float) -> str:
    """Write the seconds that a request took, without their unit."""
    if seconds < LATENCY_FLOOR:
        return f"< {LATENCY_FLOOR}"
    return f"{seconds:.3f}" if seconds < 1 else f"{seconds:.1f}"


def money(value: float) -> str:
    """Write what something costs; of what is less than 1 four significant digits."""
    return f"{value:,.2f}" if value >= 1 or value == 0 else _digits(value, 4)


_WRITTEN: Mapping[Kind, Callable[[float, str], str]] = {
    Kind.SHARE: percent,
    Kind.BARE_SHARE: lambda value, sign: percent(value, sign).removesuffix(" %"),
    Kind.POINTS: points,
    Kind.COEFFICIENT: coefficient,
    Kind.SCORE: three_decimals,
    Kind.THRESHOLD: lambda value, _: threshold(value),
    Kind.DIGITS: lambda value, _: _digits(value, 3),
    Kind.PROBABILITY: lambda value, _: probability(value),
    Kind.PER_THOUSAND: lambda value, _: per_thousand(value),
    Kind.P_VALUE: lambda value, _: p_value(value),
    Kind.DURATION: lambda value, _: duration(value),
    Kind.LATENCY: lambda value, _: latency(value),
    Kind.MONEY: lambda value, _: money(value),
    Kind.COUNT: lambda value, _: f"{value:,.0f}",
}
