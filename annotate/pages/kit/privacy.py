"""What may reach the browser of a text, a name or an id: all of it, or with redaction on what is left after masking.

Texts of others in, texts out. The rule: an annotator is an annotator with a number, the same one on every page of the store.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from threading import Lock

import streamlit as st

from annotate.domain.privacy import people, redaction
from annotate.pages.kit.store_commands import for_app
from annotate.present.commands import typed_within
from annotate.store import Store
from proxy.errors import StoreError, UsageError

NOBODY: Mapping[str, str] = {}
WATCHED = 4
# Every text that is shown asks for it: Streamlit's own cache would take longer than the masking.
_WATCHERS: dict[tuple[str, int, int], Store] = {}
_LOCK = Lock()
# A command in a sentence stands between words; a backtick among the letters or marks of a name opens no code and closes none.
_CODE = re.compile(r"((?<![A-Za-z0-9_`|*~<>\\])`(?! )[^`\n]+(?<! )`(?![A-Za-z0-9_`|*~<>\\]))")
# A browser's markdown makes a link of every address, also of one whose marks are escaped: an invisible joiner keeps it text.
_LINKS = re.compile(r"(?i)(https?|ftp|www|mailto)(?=[.:])|(?<=\S)(?=@)")
_JOINER = "\u2060"
_MARKS = re.compile(r"([!-/:-@\[-^{-~_`])")


def shown(text: str, *fields: str) -> str:
    """The text as it may reach the browser; `fields` name what it is a value of, where that may be hidden altogether."""
    return redaction.for_page(text, _people() if is_on() else NOBODY, fields=fields)


def hides(field: str) -> bool:
    """Whether no page shows values of this field."""
    return _asked().hides(field)


def is_on() -> bool:
    """Whether anything is masked: asked for, or for want of a readable table."""
    return _asked().is_on


def problem() -> str | None:
    """Why the table cannot be read; None where it can."""
    try:
        redaction.in_force()
    except UsageError as error:
        return str(error)
    return None


def _asked() -> redaction.Redaction:
    """What is in force, with what the store of the app asks for: it is held open, so that it is followed."""
    _opened()
    return redaction.at_least()


def _people() -> Mapping[str, str]:
    """Everybody in the store that the app shows, with what stands for them."""
    if (opened := _opened()) is None:
        return NOBODY
    path, file, watcher = opened
    return _numbered(path, file, watcher.changes(), watcher)


def _opened() -> tuple[str, int, Store] | None:
    """The store of the app, with its path and file; None where there is none yet."""
    path = os.environ.get("ASSAY_DB", "assay.db")
    try:
        file = os.stat(path)  # noqa: PTH116 (asked for every text that is shown)
        return path, file.st_ino, _watcher(path, file.st_dev, file.st_ino)
    except (OSError, StoreError):
        return None  # what is wrong with it is shown by the page


def _watcher(path: str, device: int, file: int) -> Store:
    """A connection that only looks; the number of the file tells a store from one that took its place."""
    asked = path, device, file
    with _LOCK:
        if asked not in _WATCHERS:
            _WATCHERS[asked] = Store(Path(path).resolve(), reads_only=True)
            if len(_WATCHERS) > WATCHED:
                _WATCHERS.pop(next(iter(_WATCHERS))).close()
        return _WATCHERS[asked]


@st.cache_resource(max_entries=4, show_spinner=False)
def _numbered(path: str, file: int, changes: int, _watcher: Store) -> Mapping[str, str]:
    return people.pseudonyms(_watcher.audit.events.everybody())


class Literal(str):
    """A text or name of others: nothing in it is code, whatever marks it has."""

    __slots__ = ()


def escaped(message: str) -> str:
    """The message as markdown that shows it literally, whatever names it holds; `commands` of ours stay code."""
    if isinstance(message, Literal):
        return _literal(shown(message))
    parts = _CODE.split(shown(message))
    with for_app():
        return "".join(typed_within(part) if place % 2 else _literal(part) for place, part in enumerate(parts))


def _literal(words: str) -> str:
    """The words with every mark escaped, and no address that could become a link."""
    return _MARKS.sub(r"\\\1", _LINKS.sub(lambda match: match[0] + _JOINER, words))
