"""What the disagreements stand for and have in common, behind one expander: computed when it is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from annotate.analysis import disagreements
from annotate.analysis.disagreements import Ground, Sided
from annotate.domain.message import Kind, Name, Number, message
from annotate.pages.disagreements import filters
from annotate.pages.kit import cache, draw, layout, selection, texts
from annotate.pages.kit.messages import render, say
from annotate.pages.kit.privacy import escaped
from annotate.present import disagreements as present
from annotate.present.quantity import is_whole
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter, DisagreementKind
from annotate.store.labels.opposite_labels import LabelledItem
from proxy.rule import DEFAULT_THRESHOLD

Counted = tuple[str, int, int]


def show(store: Store, ground: Ground, asked: DisagreementFilter) -> None:
    """The expander; nothing where there is nothing to say."""
    part = filters.within()
    counts = cache.kept(store, "disagreements-all", lambda: store.labels.disagreements.count(ground.key, part), part)
    opposite = cache.kept(store, "opposite-labels", store.labels.opposite_labels.groups)
    if not sum(counts.values()) and not opposite:
        return
    with st.expander(say("disagreements.evidence"), key="disagreements-evidence", on_change="rerun") as rest:
        if not rest.open:
            return
        if sum(counts.values()):
            _shares(store, counts)
            _shared(store, ground, asked)
        _opposite(opposite)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(say("disagreements.next_words"))
            layout.link("systems", say("nav.systems"))
            layout.link("judges", say("nav.judges"))


def _shares(store: Store, counts: Mapping[DisagreementKind, int]) -> None:
    """What share of traffic they stand for, with n and interval."""
    agreement = cache.head(store, selection.current()).agreement
    result = disagreements.weigh(counts, agreement)
    draw.paragraph(present.weighed(result))
    draw.cards(present.figures(result, is_exact=is_whole(agreement)))
    if result.silent:
        st.caption(say("disagreements.silent", count=result.silent))
    layout.rule_in_force(store)


def _shared(store: Store, ground: Ground, asked: DisagreementFilter) -> None:
    """A table for each of what they may have in common."""
    layout.heading("disagreements.shared")
    st.caption(say("disagreements.shared_basis"))
    tables: tuple[tuple[str, Callable[[], Sequence[Counted]]], ...] = (
        ("cause", lambda: _by(store, ground, asked, "cause", filters.cause_words)),
        ("system", lambda: _by(store, ground, asked, "system", _name)),
        ("language", lambda: _by(store, ground, asked, "language", _name)),
        (
            "judge",
            lambda: [
                (texts.others(judge.judge), judge.misses, judge.false_fails) for judge in _sided(store, ground, asked)
            ],
        ),
    )
    for pair in (tables[:2], tables[2:]):
        for column, (name, count) in zip(st.columns(2, gap="large"), pair, strict=True):
            with column:
                texts.heading(say(f"disagreements.by_{name}"))
                layout.table(
                    count(),
                    [say(f"disagreements.{name}"), *(filters.kind_words(kind) for kind in DisagreementKind)],
                    alt=say(f"disagreements.by_{name}"),
                )
    st.caption(_judge_basis(_sided(store, ground, asked)))


def _by(
    store: Store, ground: Ground, asked: DisagreementFilter, name: str, words: Callable[[str], str]
) -> list[Counted]:
    rows = cache.kept(
        store,
        f"disagreements-by-{name}",
        lambda: store.labels.disagreements.shared(ground.key, asked, name),
        ground.key,
        asked,
    )
    return [(words(row.value), row.misses, row.false_fails) for row in rows]


def _sided(store: Store, ground: Ground, asked: DisagreementFilter) -> Sequence[Sided]:
    return cache.kept(
        store, "disagreements-sided", lambda: disagreements.sided(store, ground, asked), ground.key, asked
    )


def _judge_basis(judges: Sequence[Sided]) -> str:
    """At which threshold each judge counts."""
    own = next((judge for judge in judges if judge.is_rule), None)
    if own is None:
        return render(message("disagreements.judge_basis", threshold=Number(DEFAULT_THRESHOLD, Kind.THRESHOLD)))
    threshold, its = (Number(value, Kind.THRESHOLD) for value in (DEFAULT_THRESHOLD, own.threshold))
    return escaped(
        render(message("disagreements.judge_basis_own", threshold=threshold, judge=Name(own.judge), own=its))
    )


def _name(value: str) -> str:
    return texts.others(value) if value else say("disagreements.not_given")


def _opposite(groups: Sequence[tuple[LabelledItem, ...]]) -> None:
    """The same question and answer with opposite labels."""
    if not groups:
        return
    layout.heading("disagreements.opposite", count=len(groups))
    st.caption(say("disagreements.opposite_help"))
    for place, group in enumerate(groups):
        with st.container(border=True, gap="xsmall"):
            for number, judge in enumerate(group):
                judgement = say(f"disagreements.said_{judge.judgement.value}")
                texts.show(f"{judge.item_id} · {judgement} · {judge.annotator or '—'}", f"opposite-{place}-{number}")
