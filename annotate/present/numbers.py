"""How numbers are written on every page: a number in, the digits that people read out.

The rule: a kind of number has one precision. Shares are `percent`: whole, with a decimal near 0 and 100; coefficients have two
decimals; errors and movements of a score have three; values and cuts have three figures; points are whole, with one figure where
rounding would put them on 0. The minus is the keyboard's, as in every sentence and command.
"""

from __future__ import annotations

from proxy.text import language


def coefficient(value: float | None, sign: str = "") -> str:
    """Kappa, AUROC, a mean grade and the like."""
    return "—" if value is None else language.two_decimals(value, sign)


def fine(value: float | None, sign: str = "") -> str:
    """A mean error, a movement of a score, one score."""
    return "—" if value is None else f"{round(value, 3) + 0.0:{sign}.3f}"


def cut(value: float) -> str:
    """A value of a rule, or a cut."""
    return f"{value:.3g}"


def points(share: float | None, sign: str = "") -> str:
    """A share in points of a hundred."""
    return "—" if share is None else language.points(share, sign)


def per_thousand(value: float | None) -> str:
    """Answers of 1,000: whole ones, a decimal where they are few."""
    if value is None:
        return "—"
    return f"{value:.0f}" if value >= 10 or value == 0 else f"{value:.1f}"


def p_value(value: float | None) -> str:
    """A p-value without a leading zero."""
    if value is None:
        return "—"
    return "< .001" if value < 0.001 else f"{value:.3f}".removeprefix("0") if value < 1 else "1"
