"""The answer in one sentence: as the command says it in English, in the table's words elsewhere."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.comparison.compare import Compared
from annotate.pages.kit import layout
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import language, marked, say
from annotate.pages.kit.texts import others
from annotate.present import comparison, numbers
from proxy.comparison.comparison import ComparisonStanding

LONGEST = 60
TONES = {
    ComparisonStanding.BETTER: Tone.GOOD,
    ComparisonStanding.WORSE: Tone.BAD,
    ComparisonStanding.LOOKS_BETTER: Tone.OPEN,
    ComparisonStanding.LOOKS_WORSE: Tone.OPEN,
    ComparisonStanding.NO_DIFFERENCE: Tone.OPEN,
    ComparisonStanding.UNKNOWN: Tone.UNKNOWN,
}


def show(found: Compared) -> None:
    """The sentence with its word and colour, and the rule that the proxy follows."""
    standing = found.comparison.standing
    layout.answer(TONES[standing], sentence(found), say(f"systems.word_{standing.name.lower()}"))
    rule = found.rule
    st.caption(marked("systems.rule", rule=f"`{rule.expression}`", name=rule.name, version=rule.version))


def sentence(found: Compared) -> str:
    """What is shown of the second against the first."""
    if language() == "en":
        return comparison.sentence(found)
    one, (first, second) = found.comparison, (others(side.name) for side in found.sides)
    difference = one.difference
    estimate = difference.estimate or 0.0
    standing = one.standing.name.lower()
    if found.objections and one.standing in {ComparisonStanding.LOOKS_BETTER, ComparisonStanding.LOOKS_WORSE}:
        standing = standing.replace("looks", "doubted")
    return say(
        f"systems.say_{standing}",
        first=first,
        second=second,
        points=f"{abs(round(100 * estimate))}",
        signed=numbers.points(estimate, "+"),
        reason=others(found.objections[0].reason) if found.objections else difference.reason or "—",
        basis=_basis(found),
    )


def name(text: str) -> str:
    """The name of a system, short enough for a heading."""
    shown = others(text)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"


def names(found: Compared) -> tuple[str, str]:
    """Both names, each with its letter where they are the same as far as they are shown."""
    first, second = (name(side.name) for side in found.sides)
    return (first, second) if first != second else (f"A: {first}", f"B: {second}")


def _basis(found: Compared) -> str:
    one = found.comparison
    sign = "+" if one.standing is ComparisonStanding.NO_DIFFERENCE else ""
    low, high = (numbers.points(end, sign) for end in (one.difference.low, one.difference.high))
    ends = {"low": low, "high": high, "n": one.difference.n}
    if one.is_paired:
        return say("systems.basis_pairs", p=numbers.p_value(one.mid_p), **ends)
    return say("systems.basis_rates", **ends)
