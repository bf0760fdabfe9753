"""Two days in one field: the first and the last, as the address has them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import streamlit as st

from annotate.pages.kit import reruns, url_state

Keep = Callable[[str | None, str | None], None]


def choose(label: str, name: str, span: tuple[date | None, date | None], keep: Keep, *, help_words: str) -> None:
    """The field; what is chosen goes to `keep`, as texts."""
    key = url_state.show(name, tuple(day for day in span if day is not None))
    st.date_input(label, key=key, on_change=_chosen, args=(key, keep), format="YYYY-MM-DD", help=help_words)


@reruns.whole
def _chosen(key: str, keep: Keep) -> None:
    """Callback: the days to whoever keeps them."""
    days = list(st.session_state.get(key) or ())
    first, last = (days[place].isoformat() if len(days) > place else None for place in (0, 1))
    keep(first, last)
