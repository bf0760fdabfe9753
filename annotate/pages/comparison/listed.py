"""What broke and what was mended: the questions whose two answers people call differently, and both answers of one."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.comparison.compare import Compared, Listed
from annotate.pages.comparison.sentences import names
from annotate.pages.kit import layout, texts
from annotate.pages.kit.messages import say
from proxy.comparison.comparison import AnsweredQuestion
from proxy.evaluation.trust import percent
from proxy.records import Item

LONGEST = 200


def show(found: Compared) -> None:
    """The table, and below it what was selected."""
    layout.heading("systems.listed")
    if not found.listed:
        st.caption(say("systems.listed_none" if found.shared.pairs else "systems.listed_unlabelled"))
        return
    broke = sum(one.is_broken for one in found.listed)
    st.caption(say("systems.listed_note", broke=broke, mended=len(found.listed) - broke))
    both = names(found)
    rows = [
        (
            say("systems.broke" if one.is_broken else "systems.mended"),
            texts.others(one.first.question)[:LONGEST],
            _said(one.pair.first),
            _said(one.pair.second),
        )
        for one in found.listed
    ]
    columns = [say("systems.what"), say("systems.question"), *both]
    place = layout.table(rows, columns, alt=say("systems.listed"), select="systems-listed")
    if place is not None:
        _read(found.listed[place], both)


def _read(one: Listed, both: tuple[str, str]) -> None:
    """The question with both answers, side by side."""
    with st.container(border=True):
        texts.show_conversation(one.first.history, "systems-before")
        texts.heading(say("systems.question"))
        texts.show(one.first.question, "systems-question")
        sides = ((one.first, one.pair.first), (one.second, one.pair.second))
        for column, label, (item, answered) in zip(st.columns(2), both, sides, strict=True):
            with column:
                _answer(label, item, answered)


def _answer(label: str, item: Item, answered: AnsweredQuestion) -> None:
    texts.small([f"{label} · {texts.others(item.id)}", _said(answered)])
    texts.show(item.answer, f"systems-answer-{label}")


def _said(one: AnsweredQuestion) -> str:
    """What people and the proxy say of it."""
    label = {1.0: say("systems.right"), 0.0: say("systems.wrong")}.get(
        one.right or 0.0, say("systems.partly", share=percent(one.right or 0.0))
    )
    return say("systems.people_say", label=label, verdict=say(f"systems.{one.verdict.value}"))
