"""The page's answer: how many labels differ from the proxy, and what share of traffic they stand for, with its cards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from annotate.analysis.disagreements import Ground, Sided, WeighedDisagreements, sided
from annotate.domain.message import Kind, Name, Number, message
from annotate.pages.disagreements import filters
from annotate.pages.kit import cache, draw, layout, texts
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import say, told
from annotate.pages.kit.privacy import escaped
from annotate.present import disagreements
from annotate.present.quantity import is_whole
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter, DisagreementKind
from proxy.rule import DEFAULT_THRESHOLD

Counted = tuple[str, int, int]


def none(store: Store) -> None:
    """Nothing differs: because nobody has labelled anything, or because all agree."""
    labels = cache.report(store).agreement.counts.labels
    if labels:
        layout.answer(Tone.GOOD, say("disagreements.agree", labels=labels))
        layout.rule_in_force(store)
    else:
        layout.nothing(store, say("disagreements.no_labels"))


def counted(counts: Mapping[DisagreementKind, int]) -> None:
    """What is known at once: the labels at hand."""
    layout.answer(Tone.OPEN, _counted(counts))


def weighed(counts: Mapping[DisagreementKind, int], result: WeighedDisagreements) -> None:
    """The labels at hand and the share of traffic that they stand for."""
    layout.answer(Tone.OPEN, f"{_counted(counts)} {told(disagreements.weighed(result))}")


def _counted(counts: Mapping[DisagreementKind, int]) -> str:
    return told(disagreements.counted(counts[DisagreementKind.MISS], counts[DisagreementKind.FALSE_FAIL]))


def waiting() -> None:
    """The cards while the report is on its way, so that nothing below moves when it comes."""
    draw.cards(disagreements.coming(say("disagreements.coming")))
    st.caption(say("disagreements.coming"))


def cards(store: Store, result: WeighedDisagreements) -> None:
    """The shares with n and interval."""
    draw.cards(disagreements.figures(result, is_exact=is_whole(cache.report(store).agreement)))
    if result.silent:
        st.caption(say("disagreements.silent", count=result.silent))
    layout.rule_in_force(store)


def show(store: Store, ground: Ground, asked: DisagreementFilter) -> None:
    """A table for each."""
    layout.heading("disagreements.shared")
    st.caption(say("disagreements.shared_basis"))
    tables: tuple[tuple[str, Callable[[], Sequence[Counted]]], ...] = (
        ("cause", lambda: _by(store, ground, asked, "cause", filters.cause_words)),
        ("system", lambda: _by(store, ground, asked, "system", _name)),
        ("language", lambda: _by(store, ground, asked, "language", _name)),
        (
            "judge",
            lambda: [
                (texts.others(side.judge), side.misses, side.false_fails) for side in _sided(store, ground, asked)
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
    return cache.kept(store, "disagreements-sided", lambda: sided(store, ground, asked), ground.key, asked)


def _judge_basis(sides: Sequence[Sided]) -> str:
    """At which threshold each judge counts."""
    own = next((judge for judge in sides if judge.is_rule), None)
    if own is None:
        return told(message("disagreements.judge_basis", threshold=Number(DEFAULT_THRESHOLD, Kind.THRESHOLD)))
    threshold, its = (Number(value, Kind.THRESHOLD) for value in (DEFAULT_THRESHOLD, own.threshold))
    return escaped(told(message("disagreements.judge_basis_own", threshold=threshold, judge=Name(own.judge), own=its)))


def _name(value: str) -> str:
    return texts.others(value) if value else say("disagreements.not_given")
