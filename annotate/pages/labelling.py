"""What do people say? How far the labelling is, what waits for a decision, how far readers agree, and who labels how."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from annotate.annotators import RULE, Annotator, LogCounts, annotators
from annotate.pages import acting, adjudicating, texts
from annotate.pages.steps import for_store, next_step
from annotate.report import build
from annotate.store import Store
from annotate.store.cases import Overlap, WaveProgress
from proxy.people import FEWEST_ITEMS, Pair, People, agreement_between
from proxy.text import displayable
from proxy.trust import percent

SHOWN_SETTLED = 10


def show(store: Store) -> None:
    """The page."""
    title, name = st.columns([3, 1], vertical_alignment="bottom")
    title.title("What do people say?")
    with name:
        who = acting.ask_who()
    acting.say_news()
    waves, work = store.cases.by_wave(), store.labels.work()
    if not waves and not work:
        _begin(store)
        return
    _progress(waves, len(store.cases.second_readings()), store)
    st.subheader("Waiting for a decision", anchor=False)
    adjudicating.show(store, who)
    _settled(store, who)
    _agreement(agreement_between(store.labels.readings()), store.cases.overlap())
    _annotators(annotators(work))
    _log(store.labels.log_counts(), store)


def _begin(store: Store) -> None:
    """What to do where nothing was drawn and nobody has labelled anything."""
    st.info("No answer is drawn for labelling yet, and nobody has labelled one.", title="Nothing here yet")
    step = next_step(build(store, now=acting.now()))
    st.markdown(texts.escaped(step.words))
    st.code("\n".join(for_store(command, store.path) for command in step.commands), language=None)


def _progress(waves: Sequence[WaveProgress], second: int, store: Store) -> None:
    """How far the labelling of each wave is."""
    st.subheader("How far is the labelling?", anchor=False)
    if not waves:
        st.caption("No answer is drawn for labelling yet; the labels here are hand-picked. This draws some:")
        st.code(for_store("assay sample --labels 100", store.path), language=None)
        return
    rows = [(one.wave, one.drawn, one.right, one.wrong, one.unsure, one.open, one.skipped) for one in waves]
    names = ["Wave", "Drawn", "Right", "Wrong", "Unsure", "Open", "Skipped by somebody"]
    st.dataframe(
        pd.DataFrame(rows, columns=names), hide_index=True, alt="What became of the drawn answers of each wave"
    )
    if second:
        st.caption(
            f"Drawn answers that were read or passed over, and that nobody has called right or wrong: {second:,}. They may go to "
            "a second reader, or be settled below where somebody was unsure."
        )
    if any(one.open for one in waves):
        st.caption("Open answers wait in Label Studio; these commands send them there and bring the labels back:")
        st.code("\n".join(for_store(one, store.path) for one in ("assay push", "assay pull")), language=None)


def _settled(store: Store, who: str) -> None:
    """What was settled."""
    found = store.cases.settled()
    if found:
        with st.expander(f"Settled by a person: {len(found):,}"):
            if len(found) > SHOWN_SETTLED:
                st.caption(f"The newest {SHOWN_SETTLED}.")
            adjudicating.settled(store, who, found[:SHOWN_SETTLED])


def _agreement(people: People, overlap: Overlap) -> None:
    """How far readers agree, overall and in pairs."""
    st.subheader("How far do readers agree?", anchor=False)
    st.caption(
        f"Of {overlap.given:,} drawn answers with a second reader, {overlap.read:,} have been read by two. Right and wrong "
        "count, unsure does not; who settles an answer is no reader of it."
    )
    if not people.n:
        st.caption(
            "No answer has two readings that say right or wrong yet; this gives a fifth of the answers to a second reader:"
        )
        st.code("assay push --reader NAME --reader NAME --overlap 0.2", language=None)
        return
    names = ["Readers", "Answers", "Agree on", "Kappa", "AC1", "Say right"]
    every = ("All readers", people.n, _percent(people.agreement.estimate), "—", _number(people.ac1.estimate))
    shown = [(*every, _percent(people.prevalence)), *(_pair(one) for one in people.pairs)]
    st.dataframe(pd.DataFrame(shown, columns=names), hide_index=True, alt="Agreement of all readers and of each two")
    alpha = people.alpha
    if alpha.estimate is not None:
        span = f" ({alpha.low:.2f} to {alpha.high:.2f})" if alpha.low is not None and alpha.high is not None else ""
        st.caption(f"Krippendorff's alpha over all readers: {alpha.estimate:.2f}{span}.")
    if people.warning:
        st.caption(texts.escaped(f"{people.warning[:1].upper()}{people.warning[1:]}."))
    if people.n < FEWEST_ITEMS:
        st.caption(f"Under {FEWEST_ITEMS} answers say little of how far readers agree.")


def _pair(one: Pair) -> tuple[str, int, str, str, str, str]:
    """A row of the table of pairs."""
    shares = (_percent(one.agreement), _number(one.kappa), _number(one.ac1), _percent(one.prevalence))
    return (displayable(f"{one.first} and {one.second}"), one.n, *shares)


def _annotators(found: Sequence[Annotator]) -> None:
    """Who labels how, in the order of the names."""
    st.subheader("Who labels how?", anchor=False)
    if not found:
        st.caption("Nobody has labelled an answer yet.")
        return
    rows = [
        (
            *(displayable(one.name), one.n, one.skipped, _percent(one.unsure)),
            *("—" if one.seconds is None else f"{one.seconds:.0f}", _percent(one.right)),
            f"{_percent(one.agreement)} of {one.pairs:,}" if one.pairs else "—",
        )
        for one in found
    ]
    names = ["Reader", "Labels", "Skipped", "Unsure", "Seconds a label", "Say right", "Agree with others"]
    st.dataframe(pd.DataFrame(rows, columns=names), hide_index=True, alt="What each reader did, by name")
    for one in found:
        for note in one.notes:
            st.markdown(f"- {texts.escaped(f'{one.name}: {note}')}")
    st.caption(
        "By name; readers get different answers, so numbers differ without anybody being at fault. Seconds are the middle of "
        f"all labels. {RULE}"
    )


def _log(counts: Sequence[LogCounts], store: Store) -> None:
    """What happened to annotations."""
    if not counts:
        return
    st.subheader("What happened to annotations?", anchor=False)
    rows = [(displayable(one.source), *one[1:]) for one in counts]
    names = ["Source", "Annotations", "Edits", "Deleted", "Skipped", "By another account"]
    st.dataframe(pd.DataFrame(rows, columns=names), hide_index=True, alt="Edits, deletions and skips of each source")
    st.caption("Every revision is kept; this shows those of one answer:")
    st.code(for_store("assay labels history ITEM", store.path), language=None)


def _percent(value: float | None) -> str:
    return "—" if value is None else percent(value)


def _number(value: float | None) -> str:
    return "—" if value is None else f"{value:.2f}"
