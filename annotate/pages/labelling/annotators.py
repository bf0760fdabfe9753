"""The readers: how far they agree, overall with intervals and in pairs with n, who labels how, what happened to annotations."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.analysis.labelling.status import HumanSide
from annotate.analysis.next_step import EXPORT, IMPORT
from annotate.domain.annotator_activity import Annotator, LogCounts, Pace
from annotate.label_studio import configured
from annotate.pages.kit import layout, quantities, texts
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import say
from annotate.pages.labelling.cards import UNKNOWN, card
from annotate.store import Store
from proxy.evaluation.annotator_agreement import FEWEST_ITEMS, AnnotatorAgreement, AnnotatorPair
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import percent

TWO_READERS = "assay push --reader NAME --reader NAME --overlap 0.2"
PAIR_COLUMNS = ("readers", "answers", "agree", "kappa", "ac1", "say_right")
READER_COLUMNS = ("reader", "labels", "skipped", "unsure", "seconds", "say_right", "alike")
LOG_COLUMNS = ("source", "annotations", "edits", "deleted", "skipped", "by_others")


def show(store: Store, found: HumanSide, who: str) -> None:
    """Agreement, annotators, log."""
    layout.heading("labelling.agree_how_far")
    overlap = found.overlap
    st.caption(say("labelling.overlap", given=overlap.given, read=overlap.read))
    _agreement(store, found.people)
    layout.heading("labelling.who_how")
    _annotators(found.annotators)
    _pace(found.pace)
    if found.log:
        layout.heading("labelling.happened")
        _log(store, found.log)


def _agreement(store: Store, people: AnnotatorAgreement) -> None:
    """Overall as cards with intervals, in pairs as a table."""
    if not people.n:
        is_known = configured.is_known(store.path)
        st.caption(say("labelling.no_overlap" if is_known else "labelling.no_overlap_by_file"))
        layout.commands(store, [TWO_READERS] if is_known else [EXPORT, IMPORT])
        return
    with st.grid(4):
        _estimate("agree_all", people.agreement, is_share=True)
        _estimate("ac1", people.ac1, is_share=False)
        _estimate("alpha", people.alpha, is_share=False)
        _estimate("reader_error", people.error, is_share=True)
    if people.warning:
        st.warning(escaped(f"{quantities.sentence(people.warning)}."))
    if people.n < FEWEST_ITEMS:
        st.caption(say("labelling.few_read", fewest=FEWEST_ITEMS))
    layout.table(
        [_pair(one) for one in people.pairs],
        [say(f"labelling.column_{name}") for name in PAIR_COLUMNS],
        alt=say("labelling.pairs_alt"),
    )


def _estimate(name: str, estimate: Estimate, *, is_share: bool) -> None:
    """An estimate of agreement as a card: its value, its interval, how many answers it rests on, or why there is none."""
    if estimate.estimate is None:
        card(name, UNKNOWN, [quantities.sentence(estimate.reason or UNKNOWN)])
        return
    shown = percent if is_share else _number
    lines = []
    if estimate.low is not None and estimate.high is not None:
        lines.append(say("labelling.interval", span=quantities.span((estimate.low, estimate.high), shown)))
    card(name, shown(estimate.estimate), [*lines, say("labelling.read_by_two", count=estimate.n)])


def _pair(one: AnnotatorPair) -> tuple[object, ...]:
    """A row of the table of pairs."""
    names = say("labelling.pair", first=one.first, second=one.second)
    return (names, one.n, percent(one.agreement), _number(one.kappa), _number(one.ac1), percent(one.prevalence))


def _annotators(found: Sequence[Annotator]) -> None:
    """Who labels how, in the order of the names."""
    if not found:
        st.caption(say("labelling.nobody"))
        return
    rows = [
        (
            *(one.name, one.n, one.skipped, _percent(one.unsure)),
            *(UNKNOWN if one.seconds is None else f"{one.seconds:.0f}", _percent(one.right)),
            say("labelling.alike", share=_percent(one.agreement), count=one.pairs) if one.pairs else UNKNOWN,
        )
        for one in found
    ]
    columns = [say(f"labelling.column_{name}") for name in READER_COLUMNS]
    layout.table(rows, columns, alt=say("labelling.readers_alt"))
    for one in found:
        for note in one.notes:
            st.markdown(f"- {escaped(f'{one.name}: {note}')}")
    st.caption(say("labelling.readers_basis"))


def _pace(found: Pace) -> None:
    """How long a label takes, all readers together."""
    if found.seconds is None:
        st.caption(say("labelling.untimed"))
    else:
        st.caption(say("labelling.pace", seconds=f"{found.seconds:.0f}", count=found.n))


def _log(store: Store, counts: Sequence[LogCounts]) -> None:
    """What happened to the annotations of each source."""
    columns = [say(f"labelling.column_{name}") for name in LOG_COLUMNS]
    layout.table(
        [(texts.others(one.source, "source"), *one[1:]) for one in counts], columns, alt=say("labelling.log_alt")
    )
    st.caption(say("labelling.history"))
    layout.commands(store, ["assay labels history ITEM"])


def _percent(value: float | None) -> str:
    return UNKNOWN if value is None else percent(value)


def _number(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.2f}"
