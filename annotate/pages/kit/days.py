"""Two days in one field: the first and the last, as the address has them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import streamlit as st

from annotate.pages.kit import reruns

Keep = Callable[[str | None, str | None], None]


def choose(label: str, key: str, span: tuple[date | None, date | None], keep: Keep, *, help_words: str) -> None:
    """The field; what is chosen goes to `keep`, as texts. It is a new one where the address says other days than it did."""
    days: list[Any] = [day for day in span if day is not None]
    number, before = st.session_state.get(key, (0, days))
    if before != days:
        number += 1
    st.session_state[key] = number, days
    st.date_input(
        label, value=days, key=f"{key}-{number}", on_change=_chosen, args=(key, number, keep), help=help_words
    )


@reruns.whole
def _chosen(key: str, number: int, keep: Keep) -> None:
    """Callback: the days to whoever keeps them."""
    days = list(st.session_state.get(f"{key}-{number}") or ())
    st.session_state[key] = number, days
    first, last = (days[place].isoformat() if len(days) > place else None for place in (0, 1))
    keep(first, last)
