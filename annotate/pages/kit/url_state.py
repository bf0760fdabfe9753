"""What the user asks for, as it stands in the address: a link opens the same page in any language.

A choice stands there by its code, which no language changes; Streamlit's own binding writes the words that the user sees.
The rule: the address is read before a widget is drawn and written in its callback, so the two never differ, also when the
user goes back or forward. The navigation drops what stands in the address; what was chosen is put there again, and so is
what a click was too quick to have heard of. A value that means nothing is as good as none, and the page says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.pages.kit import reruns, script_requests

KEPT = "address-of-"
UNKNOWN = "address-unknown"
WRITTEN = "address-written"
REPLACED = "address-replaced-"
BETWEEN = ","  # of several codes; a comma, because a parameter is one text wherever it is read


class KeptChoice(NamedTuple):
    """What was chosen, what an address that says nothing means, and the page on which that holds."""

    chosen: str
    silent: str
    page: str | None


class UrlChange(NamedTuple):
    """What was written into the address of this page, over what may still come back, when, and whether by the page."""

    before: frozenset[str | None]
    value: str | None
    page: str | None
    at: float
    by_page: bool

    def is_unheard(self, page: str | None) -> bool:
        """Whether who asked for this run did not know of it yet."""
        return self.page == page and not script_requests.is_going_back() and not reruns.is_heard(self.at)


@dataclass(frozen=True, kw_only=True, slots=True)
class Within:
    """The numbers from low to high, each as a text of it."""

    low: float
    high: float

    def __contains__(self, text: object) -> bool:
        """Whether it is one of them."""
        try:
            return self.low <= float(str(text)) <= self.high
        except ValueError:
            return False


def begin() -> None:
    """Before a page is drawn: everything in the address may be known, and what the browser had not heard of stands in it."""
    st.session_state[UNKNOWN] = {}
    page, written = st.context.url, _written()
    for name, change in list(written.items()):
        if not change.is_unheard(page):
            del written[name]
        elif _last(name) in change.before - {change.value}:
            _write(name, change.value)


def unknown() -> Mapping[str, str]:
    """The values that meant nothing to the page, by the name of their parameter."""
    unknown_values: Mapping[str, str] = st.session_state.get(UNKNOWN) or {}
    return unknown_values


def not_known(name: str, value: str) -> None:
    """Keep for the page's word on it that this value means nothing."""
    st.session_state.setdefault(UNKNOWN, {})[name] = value


def get(name: str) -> str | None:
    """What stands there; None where nothing does, or several that differ, of which none is meant."""
    values = list(dict.fromkeys(st.query_params.get_all(name)))
    if len(values) > 1:
        not_known(name, f"{BETWEEN} ".join(values))
        return None
    return values[0] if values else None


def put(name: str, value: str | None, *, by_page: bool = False) -> None:
    """Write it, or take it away; `by_page` where the page does it, not its user."""
    page, change = st.context.url, _written().get(name)
    unheard = change if change is not None and change.is_unheard(page) else None
    stands = st.query_params.get_all(name) == ([] if value is None else [value])
    if stands and (unheard is None or unheard.value == value):
        return
    earlier = unheard.before | {unheard.value} if unheard else frozenset[str | None]()
    _written()[name] = UrlChange((earlier | {_last(name)}) - {value}, value, page, time.monotonic(), by_page)
    _write(name, value)


def _write(name: str, value: str | None) -> None:
    """Write it also where it stands: the browser may have heard otherwise meanwhile."""
    if value is not None or name not in st.query_params:
        st.query_params[name] = value or ""
    if value is None:
        del st.query_params[name]


def _last(name: str) -> str | None:
    """What stands there, the last of several."""
    return st.query_params.get(name)


def _written() -> dict[str, UrlChange]:
    """What was written of late, by the name of its parameter."""
    changes: dict[str, UrlChange] = st.session_state.setdefault(WRITTEN, {})
    return changes


def one_of(name: str, codes: Collection[str]) -> str | None:
    """The code that stands there; None where none of these does."""
    text = get(name)
    if text is not None and text not in codes:
        not_known(name, text)
    return text if text in codes else None


def day(name: str) -> date | None:
    """A day that stands there; None where none does."""
    text = get(name)
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        not_known(name, text or "")
        return None


def number(name: str) -> int:
    """A number from 1 that stands there; 1 where none does."""
    text = get(name)
    if text is None:
        return 1
    if not (text.isascii() and text.isdigit() and len(text) < 9 and int(text)):
        not_known(name, text)
        return 1
    return int(text)


def chosen(name: str, codes: Container[str] | None, default: str) -> str:
    """The code that is chosen, by the address or by the user before; `codes` None where any text is one.

    Who comes to the page finds what they chose before. While they stay, an address without the parameter means what they
    found, so that going back to it undoes what they chose since.
    """
    kept: KeptChoice | None = st.session_state.get(KEPT + name)
    page, asked = st.context.url, get(name)
    comes = kept is None or kept.page != page or widget_key(name) not in st.session_state
    silent = default if kept is None else kept.chosen if comes else kept.silent
    silent = silent if _is_code(silent, codes) else default
    is_known = asked is not None and _is_code(asked, codes)
    if asked is not None and not is_known:
        not_known(name, asked)
    value = asked if asked is not None and is_known else silent
    if comes and value not in (asked, default):
        put(name, value)
    if kept != (now := KeptChoice(value, silent, page)):
        st.session_state[KEPT + name] = now
    return value


@reruns.whole
def choose(name: str, code: str, default: str) -> None:
    """Choose for the user, in a callback."""
    _choose(name, code, default, by_page=True)


def _choose(name: str, code: str, default: str, *, by_page: bool = False) -> None:
    kept: KeptChoice | None = st.session_state.get(KEPT + name)
    is_default = code == default
    st.session_state[KEPT + name] = KeptChoice(
        code, default if is_default or kept is None else kept.silent, st.context.url
    )
    put(name, None if is_default else code, by_page=by_page)


def widget_key(name: str) -> str:
    """The key of the widget of this name: another one whenever it was replaced."""
    count = st.session_state.get(REPLACED + name, 0)
    return f"{name}-{count}" if count else name


def show(name: str, value: object) -> str:
    """Have the widget of this name show a value, and return its key.

    Where the address says something else than the widget does, a new one takes its place: in a box that is closed the old one
    would not hear of it, and would say with the next click what it said before. It is not told what it says itself: one that
    its user moved on meanwhile would be moved back.
    """
    key = widget_key(name)
    if key in st.session_state and st.session_state[key] != value:
        st.session_state[REPLACED + name] = st.session_state.get(REPLACED + name, 0) + 1
        key = widget_key(name)
    if key not in st.session_state:
        st.session_state[key] = value
    return key


def is_echo(name: str, code: str | None) -> bool:
    """Whether a widget only says what it said before the page chose for the user; `code` as it stands in the address."""
    change = _written().get(name)
    return change is not None and change.by_page and change.is_unheard(st.context.url) and code in change.before


def segmented(label: str, words: Mapping[str, str], name: str, *, default: str, **options: Any) -> str:
    """One of `words` by its code, as a row of buttons; `name` is the parameter, and the key of the widget."""
    ready = _ready(name, list(words), default, options)
    return str(
        st.segmented_control(label, list(words), required=True, format_func=_label_of(words), **ready) or default
    )


def select(label: str, words: Mapping[str, str], name: str, *, default: str, **options: Any) -> str:
    """One of `words` by its code, as a list that opens; with `accept_new_options` any text that the user types."""
    is_open = bool(options.get("accept_new_options"))
    ready = _ready(name, None if is_open else list(words), default, options)
    code = st.selectbox(label, list(words), index=0 if default else None, format_func=_label_of(words), **ready)
    return str(code or default)


def tabs(words: Mapping[str, str], name: str, *, default: str) -> tuple[str, DeltaGenerator]:
    """One of `words` by its code, as tabs: which is open, and the place that it fills."""
    opened = chosen(name, list(words), default)
    key = show(name, words[opened])
    places = st.tabs(list(words.values()), key=key, on_change=_opened, args=(words, name, key, default))
    return opened, places[list(words).index(opened)]


def several(label: str, words: Mapping[str, str], name: str, *, default: Sequence[str]) -> list[str]:
    """Some of `words` by their codes, as buttons that can be pressed together; never none."""
    usual = BETWEEN.join(default)
    wanted = chosen(name, None, usual).split(BETWEEN)
    if strange := [name_asked for name_asked in wanted if name_asked not in words]:
        not_known(name, BETWEEN.join(strange))
    codes = [name_asked for name_asked in wanted if name_asked in words] or list(default)
    key = show(name, codes)
    st.pills(
        label,
        list(words),
        selection_mode="multi",
        format_func=_label_of(words),
        key=key,
        on_change=_pressed,
        args=(name, key, BETWEEN.join(default)),
    )
    return codes


def measured(
    widget: Callable[..., Any], label: str, name: str, within: Within, default: float, **options: Any
) -> float:
    """A number by a slider or a field; an address without it means the default, which may be another one tomorrow."""
    code = chosen(name, within, "")
    key = show(name, float(code) if code else default)
    ends = {"min_value": within.low, "max_value": within.high}
    value = widget(label, key=key, on_change=_measured, args=(name, key, default), **ends, **options)
    return default if value is None else float(value)


@reruns.whole
def _opened(words: Mapping[str, str], name: str, key: str, default: str) -> None:
    """Callback: the tab into the address, by its code."""
    label = st.session_state.get(key)
    code = next((option for option, word in words.items() if word == label), default)
    if not is_echo(name, None if code == default else code):
        _choose(name, code, default)


@reruns.whole
def _pressed(name: str, key: str, usual: str) -> None:
    """Callback: what is pressed into the address; what is usual where nothing is."""
    _choose(name, BETWEEN.join(st.session_state.get(key) or ()) or usual, usual)


@reruns.whole
def _measured(name: str, key: str, default: float) -> None:
    """Callback: the number into the address, in as many digits as it has."""
    value = st.session_state.get(key)
    code = "" if value is None or value == default else f"{value:.10g}"
    if not is_echo(name, code or None):
        _choose(name, code, "")


def _ready(name: str, codes: Collection[str] | None, default: str, options: dict[str, Any]) -> dict[str, Any]:
    """The widget's value from the address, and what else it is given: its key, and how it writes what is chosen."""
    key = show(name, chosen(name, codes, default) or None)
    then: Callable[[], None] | None = options.pop("then", None)
    return {"key": key, "on_change": _changed, "args": (name, key, default, then), **options}


@reruns.whole
def _changed(name: str, key: str, default: str, then: Callable[[], None] | None) -> None:
    """Callback: into the address, then whatever else the page does."""
    code = str(st.session_state.get(key) or default)
    if is_echo(name, None if code == default else code):
        return
    _choose(name, code, default)
    if then:
        then()


def _label_of(words: Mapping[str, str]) -> Callable[[str], str]:
    return lambda code: words.get(code, code)


def _is_code(text: str, codes: Container[str] | None) -> bool:
    return text in codes if codes is not None else bool(text)
