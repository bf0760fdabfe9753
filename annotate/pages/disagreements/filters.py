"""What can be asked for: kind, system, cause and words in sight, the rest behind a button; all of it in the address."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import streamlit as st

from annotate.analysis import disagreements
from annotate.analysis.counted_answers import counted_answers
from annotate.analysis.disagreements import Ground
from annotate.domain.annotation import CAUSES, HARMS
from annotate.domain.selection import Selection
from annotate.pages.kit import cache, days, privacy, reruns, selection, texts, url_state
from annotate.pages.kit.messages import render, say
from annotate.present import naming
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter, DisagreementKind

KIND, LANGUAGE, CAUSE = "kind", "language", "cause"
SLICE, ANNOTATOR, HARM, WORDS, TEXT = "slice", "annotator", "harm", "words", "text"
LABELLED_SINCE, LABELLED_UNTIL = "labelled", "labelled_until"
IN_SIGHT = (KIND, CAUSE, TEXT)
BEHIND = (LANGUAGE, SLICE, ANNOTATOR, HARM, WORDS, LABELLED_SINCE, LABELLED_UNTIL)
ALL = (*IN_SIGHT, *BEHIND)
KINDS, CAUSES_ASKED, HARMS_ASKED = tuple(kind.value for kind in DisagreementKind), ("", *CAUSES), ("", *HARMS)
ITEM, PAGE, COUNTED = "item", "p", "counted"
SEARCHED = "disagreements-searched"
LONGEST, WIDTH, IN_ROW = 200, 560, 150


def ask(store: Store, ground: Ground) -> DisagreementFilter:
    """The widgets, for a row, and what they ask for."""
    _kind()
    _choice(CAUSE, CAUSES_ASKED, cause_words, is_closed=True, is_in_row=True)
    _field(TEXT, is_in_row=True)
    count = sum(url_state.get(name) is not None for name in BEHIND)
    with st.popover(say("disagreements.more", count=count), key="disagreements-more"):
        _behind(store, ground)
    if any(url_state.get(name) is not None for name in (*ALL, COUNTED)):
        st.button(
            say("disagreements.clear"),
            on_click=_clear,
            key="disagreements-clear",
            icon=":material/filter_alt_off:",
            type="tertiary",
        )
    return _asked(store, ground)


def _show(name: str, value: str | None) -> str:
    """Have the widget that asks for it show this; return its key."""
    return url_state.show(f"disagreements-{name}", value)


@reruns.whole
def _keep(name: str, key: str) -> None:
    """Callback of a widget: its value into the address, and the list from its beginning, with its first open.

    The empty text of a choice is a value too: those without one.
    """
    value = st.session_state.get(key)
    asked = None if value is None or (name in (WORDS, TEXT) and not value) else str(value)
    if not url_state.is_echo(name, asked):
        url_state.put(name, asked)
        _begin_anew()


def _begin_anew() -> None:
    """The list from its beginning."""
    for name in (PAGE, ITEM):
        url_state.put(name, None)


@reruns.whole
def _clear() -> None:
    """Callback: nothing is asked for."""
    for name in (*ALL, PAGE, ITEM, COUNTED):
        url_state.put(name, None, by_page=True)


def cause_words(cause: str) -> str:
    """A cause of the label form in the user's language."""
    return render(naming.cause(cause)) if cause else say("disagreements.not_given")


def harm_words(harm: str) -> str:
    """How harmful, in the user's language."""
    return say(f"disagreements.harm_{harm}") if harm else say("disagreements.not_given")


def kind_words(kind: DisagreementKind) -> str:
    """Miss or false fail, with its sign."""
    return say(f"disagreements.kind_{kind.value}")


def _kind() -> None:
    key = _show(KIND, url_state.one_of(KIND, KINDS))
    st.segmented_control(
        say("disagreements.kind"),
        KINDS,
        format_func=lambda kind: kind_words(DisagreementKind(kind)),
        key=key,
        on_change=_keep,
        args=(KIND, key),
        label_visibility="collapsed",
    )


def _choice(
    name: str,
    options: Sequence[str],
    words: Callable[[str], str],
    *,
    is_closed: bool = False,
    is_in_row: bool = False,
    help_words: str | None = None,
) -> None:
    """A choice among the values; a value in the address that is not among them is told of; it stays, and finds nothing."""
    chosen = url_state.get(name)
    if chosen is not None and chosen not in options:
        url_state.not_known(name, chosen)
        options = options if is_closed else [*options, chosen]
    key = _show(name, chosen if chosen in options else None)
    st.selectbox(
        say(f"disagreements.{name}"),
        options,
        index=None,
        placeholder=say(f"disagreements.every_{name}" if is_in_row else "disagreements.all"),
        format_func=lambda value: words(value) if value else say("disagreements.not_given"),
        key=key,
        on_change=_keep,
        args=(name, key),
        help=help_words,
        label_visibility="collapsed" if is_in_row else "visible",
        width=IN_ROW if is_in_row else "stretch",
    )


def _behind(store: Store, ground: Ground) -> None:
    """What is asked for less often, side by side: a box that has to be scrolled hides what it holds."""
    left, right = st.container(width=WIDTH).columns(2)
    with left:
        _choice(LANGUAGE, _options(store, ground, LANGUAGE), texts.others)
        _choice(SLICE, list(_slices(store, ground)), texts.others, help_words=say("disagreements.slice_help"))
        st.toggle(say("disagreements.searched"), key=SEARCHED, help=say("disagreements.searched_help"))
        if not privacy.hides(ANNOTATOR):
            _choice(ANNOTATOR, list(_people(store, ground)), str)
        _choice(HARM, HARMS_ASKED, harm_words, is_closed=True)
    with right:
        days.choose(
            say("disagreements.labelled"),
            f"disagreements-{LABELLED_SINCE}",
            _span(LABELLED_SINCE, LABELLED_UNTIL),
            _keep_days,
            help_words=say("disagreements.days_help", zone=texts.zone_name()),
        )
        _field(WORDS)


def _field(name: str, *, is_in_row: bool = False) -> None:
    """Words that the question or the answer holds, or some judge's reason."""
    key = _show(name, _typed(name))
    st.text_input(
        say(f"disagreements.{name}"),
        key=key,
        max_chars=LONGEST,
        on_change=_keep,
        args=(name, key),
        placeholder=say(f"disagreements.{name}") if is_in_row else None,
        help=None if is_in_row else say(f"disagreements.{name}_help"),
        label_visibility="collapsed" if is_in_row else "visible",
    )


def _typed(name: str) -> str:
    """The words of the address, as many as the field holds."""
    return (url_state.get(name) or "")[:LONGEST]


def _span(since: str, until: str) -> tuple[date | None, date | None]:
    """The first and the last day of the address; a last one counts only after a first one, as in the widget."""
    first, last = url_state.day(since), url_state.day(until)
    if last is not None and (first is None or last < first):
        url_state.not_known(until, last.isoformat())
        last = None
    return first, last


def _keep_days(first: str | None, last: str | None) -> None:
    for name, day in ((LABELLED_SINCE, first), (LABELLED_UNTIL, last)):
        url_state.put(name, day)
    _begin_anew()


def _options(store: Store, ground: Ground, name: str) -> list[str]:
    return cache.kept(
        store, f"disagreements-{name}", lambda: store.labels.disagreements.options(ground.key, name), ground.key
    )


def _people(store: Store, ground: Ground) -> dict[str, str]:
    """Who labels, by what the page calls them: an address is part of a page."""
    return {texts.others(name): name for name in _options(store, ground, ANNOTATOR)}


def _slices(store: Store, ground: Ground) -> dict[str, tuple[int, ...]]:
    """The slices that are offered: those by fields of the caller's own, and the searched ones where they are wanted."""
    own = cache.kept(store, "disagreements-slices", lambda: disagreements.slices(store, ground, searched=False))
    chosen = url_state.get(SLICE)
    if not st.session_state.get(SEARCHED) and (chosen is None or chosen in own):
        return own
    with st.spinner(say("disagreements.searching")):
        return cache.kept(store, "disagreements-searched", lambda: disagreements.slices(store, ground, searched=True))


def _asked(store: Store, ground: Ground) -> DisagreementFilter:
    """What the address asks for."""
    kind, chosen, who = url_state.one_of(KIND, KINDS), url_state.get(SLICE), url_state.get(ANNOTATOR)
    labelled_since, labelled_until = _span(LABELLED_SINCE, LABELLED_UNTIL)
    return replace(
        within(),
        kind=None if kind is None else DisagreementKind(kind),
        language=url_state.get(LANGUAGE),
        annotator=_people(store, ground).get(who, who) if who else who,
        cause=url_state.one_of(CAUSE, CAUSES_ASKED),
        harm=url_state.one_of(HARM, HARMS_ASKED),
        text=_typed(TEXT) or None,
        words=_typed(WORDS) or None,
        judges=tuple(judge.key for judge in ground.judges),
        labelled_since=_start(labelled_since),
        labelled_until=_end(labelled_until),
        items=None if chosen is None else _slices(store, ground).get(chosen, ()),
    )


def behind(store: Store, asked: DisagreementFilter) -> DisagreementFilter:
    """The same of the answers that a number counts which the address names: those on which nobody differs are among them."""
    code = url_state.get(COUNTED)
    if code is None:
        return asked
    items = cache.kept(store, "disagreements-behind", lambda: counted_answers(store, code), code)
    if items is None:
        url_state.not_known(COUNTED, code)
        return asked
    chosen = items if asked.items is None else tuple(sorted({*items} & {*asked.items}))
    return replace(asked, items=chosen, has_agreements=True)


def within() -> DisagreementFilter:
    """The part of the traffic that is chosen in the header, and nothing else."""
    part = selection.current() or Selection()
    return DisagreementFilter(system=part.system, since=part.since, until=part.until)


def _start(day: date | None) -> str | None:
    """When the day begins in the user's time zone, in UTC."""
    return None if day is None else datetime.combine(day, time.min, texts.zone()).astimezone(UTC).isoformat()


def _end(day: date | None) -> str | None:
    """When the day is over."""
    return None if day is None or day == date.max else _start(day + timedelta(days=1))
