"""Two scores side by side: a judge against people or another judge, on what both have judged. `show(store)` is a part of a page.

Each number has its interval and says what it rests on; what the labels cannot tell stands there with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from annotate.analysis.judges import score_agreement as service
from annotate.analysis.judges.score_agreement import PERIODS, SideBySide
from annotate.analysis.report.report import JudgeReport
from annotate.pages.judges import agreement_charts as pictures
from annotate.pages.kit import cache, layout, texts, url_state
from annotate.pages.kit.messages import marked, say
from annotate.pages.kit.quantities import sentence, span
from annotate.present import numbers
from annotate.store import Store
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.score_agreement import LANDIS_KOCH, badge
from proxy.evaluation.trust import percent

PEOPLE = "people"
FIRST, SECOND, BY = "j1", "j2", "jby"
FROM_ASSOCIATIONS = ("pearson", "spearman", "kendall", "mae", "rmse", "mse")
FROM_AGREEMENT = ("auroc", "kappa", "accuracy", "f1")
FINE = ("mae", "rmse", "mse")


@st.fragment
def show(store: Store) -> None:
    """Choose two scores, then how they go together in numbers and pictures."""
    layout.heading("side_by_side.heading")
    report = cache.report(store)
    judges = _named(report.judges)
    others = [*([PEOPLE] if report.progress.labelled else []), *judges]
    if not judges or len(others) < 2:
        st.caption(say("side_by_side.too_few"))
        return
    first, second, by = _choose(list(judges), others)
    with st.spinner(say("side_by_side.working")):
        found = _found(store, judges, first, second, by)
    names = first, (say("side_by_side.mean_label") if found.second is None else second)
    _basis(found)
    _numbers(found)
    if not found.matched:
        return
    pictures.spread(found, names)
    pictures.tables(found, names)
    pictures.trend(found, names)
    _worst(store, found, names)


def _named(judges: Sequence[JudgeReport]) -> Mapping[str, JudgeReport]:
    """Each judge by its name, with its signature where several share the name."""
    every = [one.totals.judge for one in judges]
    return {
        texts.others(
            one.totals.judge if every.count(one.totals.judge) == 1 else f"{one.totals.judge} · {one.totals.signature}"
        ): one
        for one in judges
    }


def _choose(judges: Sequence[str], others: Sequence[str]) -> tuple[str, str, str]:
    """What is compared with what, and by which periods; kept in the address."""
    one, other, period = st.columns([3, 3, 2], vertical_alignment="bottom")
    with one:
        first = url_state.select(say("side_by_side.first"), {name: name for name in judges}, FIRST, default=judges[0])
    left = {name: say("side_by_side.people") if name == PEOPLE else name for name in others if name != first}
    with other:
        second = url_state.select(say("side_by_side.second"), left, SECOND, default=next(iter(left)))
    with period:
        periods = {name: say(f"side_by_side.{name}") for name in PERIODS}
        by = url_state.segmented(say("side_by_side.period"), periods, BY, default="week")
    return first, second, by


def _found(store: Store, judges: Mapping[str, JudgeReport], first: str, second: str, by: str) -> SideBySide:
    one = judges[first]
    if second == PEOPLE:
        return cache.kept(store, "side by side", lambda: service.with_people(store, one, by=by), one.totals.key, by)
    other = judges[second].totals
    return cache.kept(
        store,
        "side by side of judges",
        lambda: service.with_judge(store, one.totals, other, by=by),
        one.totals.key,
        other.key,
        by,
    )


def _basis(found: SideBySide) -> None:
    """How many are matched, what was left out, and what the labels cannot speak of."""
    if found.second is None:
        counts = {"matched": found.matched, "labelled": found.labelled, "scored": found.first.scored}
        st.markdown(marked("side_by_side.matched_people", **counts))
    elif found.is_sample:
        words = say("side_by_side.sampled", matched=found.matched, whole=found.whole, seed=found.seed)
        layout.answer(layout.Tone.OPEN, words, say("side_by_side.sample_word"))
    else:
        scored = {"first": found.first.scored, "second": found.second.scored}
        st.markdown(marked("side_by_side.matched_judges", matched=found.matched, **scored))
    if found.reason:
        layout.answer(layout.Tone.UNKNOWN, f"{sentence(found.reason)}.", say("side_by_side.unseen"))


def _numbers(found: SideBySide) -> None:
    """Every measure as a card, and the wording of kappa."""
    with st.grid(5):
        for name in (*FROM_ASSOCIATIONS, *FROM_AGREEMENT):
            if name == "mse" and found.second is not None:
                continue
            one = getattr(found.associations, name) if name in FROM_ASSOCIATIONS else found.agreement[name]
            _card(name, one, found)
    if words := badge(found.agreement["kappa"]):
        word, low, high = (say(f"side_by_side.{part.replace(' ', '_')}") for part in words)
        st.badge(word, icon=":material/balance:", color="gray")
        st.caption(marked("side_by_side.badge", word=word, low=low, high=high, source=LANDIS_KOCH))


def _card(name: str, one: Estimate, found: SideBySide) -> None:
    with st.container(border=True, height="stretch", gap="xsmall"):
        st.metric(say(f"side_by_side.{name}"), _number(name, one.estimate), help=say(f"side_by_side.{name}_help"))
        texts.small([sentence(line) for line in _lines(name, one, found)])


def _lines(name: str, one: Estimate, found: SideBySide) -> list[str]:
    """The intervals, or why there is none, and what the number rests on."""
    if one.estimate is None:
        return [one.reason or "—"]
    lines = [one.reason] if one.reason else []
    if found.second is not None and not found.is_sample:
        lines.append(say("side_by_side.exact", n=one.n))
    elif one.low is not None and one.high is not None:
        lines.append(f"{say('measures.window')}: {_span(name, one.low, one.high)}")
    if one.long_run:
        lines.append(f"{say('measures.long_run')}: {_span(name, *one.long_run)}")
    if found.second is None:
        lines.append(say("measures.basis", n=one.n))
    elif found.is_sample:
        lines.append(say("side_by_side.drawn", n=one.n, whole=found.whole))
    return lines


def _number(name: str, value: float | None) -> str:
    if value is None:
        return "—"
    if name == "accuracy":
        return percent(value)
    return numbers.fine(value) if name in FINE else numbers.coefficient(value)


def _span(name: str, low: float, high: float) -> str:
    return span((low, high), lambda value: _number(name, value))


def _worst(store: Store, found: SideBySide, names: tuple[str, str]) -> None:
    """The matched answers furthest apart; one can be read."""
    texts.heading(say("side_by_side.worst"))
    if not found.worst:
        st.caption(say("side_by_side.no_worst"))
        return
    st.caption(say("side_by_side.worst_note"))
    labels = say("side_by_side.wrong"), say("side_by_side.right")
    rows = [
        (
            one.item_id,
            numbers.fine(one.first),
            labels[int(one.second)] if found.second is None else numbers.fine(one.second),
            numbers.fine(one.distance),
        )
        for one in found.worst
    ]
    second = say("side_by_side.label") if found.second is None else names[1]
    columns = [say("side_by_side.item"), names[0], second, say("side_by_side.distance")]
    place = layout.table(rows, columns, alt=say("side_by_side.worst"), select="side-by-side-worst")
    if place is None:
        return
    row = found.worst[place].item
    item = store.traffic.items.read([row])[row]
    with st.container(border=True):
        texts.show_conversation(item.history, "side-by-side-before")
        texts.heading(say("side_by_side.question"))
        texts.show(item.question, "side-by-side-question")
        texts.heading(say("side_by_side.answer"))
        texts.show(item.answer, "side-by-side-answer")
