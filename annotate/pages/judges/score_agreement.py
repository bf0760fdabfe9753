"""A judge against annotators or another judge, on what both have judged. `show(store)` is a part of a page.

Each number has its interval and says what it rests on; what the labels cannot tell stands there with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from annotate.analysis.judges import score_agreement as service
from annotate.analysis.judges.score_agreement import PERIODS, SideBySide
from annotate.analysis.report.compared_rules import JudgeReport
from annotate.domain.message import Name, message
from annotate.pages.judges import agreement_charts
from annotate.pages.kit import cache, draw, layout, sign_in, texts, url_state
from annotate.pages.kit.messages import render, say
from annotate.pages.kit.privacy import escaped
from annotate.present import score_agreement as present_agreement
from annotate.store import Store

ANNOTATORS = "annotators"
FIRST, SECOND, BY = "j1", "j2", "jby"


@sign_in.fragment
def show(store: Store) -> None:
    """Choose two scores, then how they go together in numbers and agreement_charts."""
    layout.heading("side_by_side.heading")
    report = cache.report(store)
    judges = _named(report.judges)
    others = [*([ANNOTATORS] if report.progress.labelled else []), *judges]
    if not judges or len(others) < 2:
        st.caption(say("side_by_side.too_few"))
        return
    first, second, by = _choose(list(judges), others)
    with st.spinner(say("side_by_side.working")):
        result = _result(store, judges, first, second, by)
    names = first, (say("side_by_side.mean_label") if result.second is None else second)
    _basis(result)
    _numbers(result)
    if not result.matched:
        return
    agreement_charts.spread(result, names)
    agreement_charts.tables(result)
    agreement_charts.trend(result, names)
    _worst(store, result, names)


def _named(judges: Sequence[JudgeReport]) -> Mapping[str, JudgeReport]:
    """Each judge by its name, with its signature where several share the name."""
    every = [judge.totals.judge for judge in judges]
    return {
        texts.others(
            judge.totals.judge
            if every.count(judge.totals.judge) == 1
            else f"{judge.totals.judge} · {judge.totals.signature}"
        ): judge
        for judge in judges
    }


def _choose(judges: Sequence[str], others: Sequence[str]) -> tuple[str, str, str]:
    """What is compared with what, and by which periods; kept in the address."""
    left, middle, right = st.columns([3, 3, 2], vertical_alignment="bottom")
    with left:
        first = url_state.select(say("side_by_side.first"), {name: name for name in judges}, FIRST, default=judges[0])
    others_left = {
        name: say("side_by_side.annotators") if name == ANNOTATORS else name for name in others if name != first
    }
    with middle:
        second = url_state.select(say("side_by_side.second"), others_left, SECOND, default=next(iter(others_left)))
    with right:
        periods = {name: say(f"side_by_side.{name}") for name in PERIODS}
        by = url_state.segmented(say("side_by_side.period"), periods, BY, default="week")
    return first, second, by


def _result(store: Store, judges: Mapping[str, JudgeReport], first: str, second: str, by: str) -> SideBySide:
    judge = judges[first]
    if second == ANNOTATORS:
        return cache.kept(store, "side by side", lambda: service.with_labels(store, judge, by=by), judge.totals.key, by)
    other = judges[second].totals
    return cache.kept(
        store,
        "side by side of judges",
        lambda: service.with_judge(store, judge.totals, other, by=by),
        judge.totals.key,
        other.key,
        by,
    )


def _basis(result: SideBySide) -> None:
    """How many are matched, what was left out, and what the labels cannot speak of."""
    words = present_agreement.basis(result)
    if result.second is not None and result.is_sample:
        layout.answer(layout.Tone.WARNING, render(words), say("side_by_side.sample_word"))
    else:
        draw.paragraph(words)
    if result.reason:
        layout.answer(layout.Tone.UNKNOWN, f"{draw.capital(render(result.reason))}.", say("side_by_side.unseen"))


def _numbers(result: SideBySide) -> None:
    """Every measure as a card, and the wording of kappa."""
    draw.cards(present_agreement.figures(result), columns=5)
    if words := present_agreement.kappa_word(result):
        word, whose = words
        st.badge(render(word), icon=":material/balance:", color="gray")
        st.caption(escaped(render(whose)))


def _worst(store: Store, result: SideBySide, names: tuple[str, str]) -> None:
    """The matched answers furthest apart; one can be read."""
    texts.heading(say("side_by_side.worst"))
    if not result.worst:
        st.caption(say("side_by_side.no_worst"))
        return
    st.caption(say("side_by_side.worst_note"))
    table = present_agreement.worst(result, (Name(names[0]), Name(names[1])))
    place = draw.table(table, message("side_by_side.worst"), select="side-by-side-worst")
    if place is None:
        return
    row = result.worst[place].item
    item = store.traffic.items.read([row])[row]
    with st.container(border=True):
        texts.show_conversation(item.history, "side-by-side-before")
        texts.heading(say("side_by_side.question"))
        texts.show(item.question, "side-by-side-question")
        texts.heading(say("side_by_side.answer"))
        texts.show(item.answer, "side-by-side-answer")
