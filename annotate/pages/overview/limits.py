"""Each limit of the team with a sign and what was found, in one line; the table has the rest."""

from __future__ import annotations

from html import escape

import streamlit as st

from annotate.analysis.report.limits import LimitCheck, LimitStatus
from annotate.pages.kit.messages import render
from annotate.present.report.limits import checklist, title

SIGNS = {
    LimitStatus.MET: ("✓", "var(--met)"),
    LimitStatus.MISSED: ("✕", "var(--missed)"),
    LimitStatus.OPEN: ("○", "var(--muted)"),
    LimitStatus.UNMEASURABLE: ("—", "var(--muted)"),
    LimitStatus.UNEXAMINED: ("—", "var(--muted)"),
}


def show(checks: tuple[LimitCheck, ...]) -> None:
    """The list."""
    lines = []
    for check, line in zip(checks, checklist(checks), strict=True):
        sign, colour = SIGNS[check.standing]
        wanted, standing, measured = (escape(render(part), quote=True) for part in line)
        mark = f"<i style='color:{colour}' role='img' aria-label='{standing}' title='{standing}'>{sign}</i>"
        lines.append(f"<li>{mark} {wanted} <small>{measured}</small></li>")
    st.html(f"<ul class='a-checks'><li><b>{escape(render(title(checks)))}</b></li>{''.join(lines)}</ul>")
