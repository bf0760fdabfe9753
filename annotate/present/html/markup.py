"""Pieces of HTML: plain text in, markup out.

The rule: a `str` is somebody's text and is escaped wherever it is put in; only what was built here is `Markup` and is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from annotate.domain.privacy.redaction import for_page
from proxy.text.language import displayable

EMPTY = frozenset({"meta", "line", "rect", "circle", "path", "polygon", "polyline"})
NONE = "—"
SAID = frozenset({"aria_label", "title", "alt"})
_CODE = re.compile(r"(`[^`\n]+`)")


class Markup(str):
    """HTML that was built here."""

    __slots__ = ()


def inner(*parts: str) -> Markup:
    """The parts one after the other, texts escaped."""
    return Markup("".join(one if isinstance(one, Markup) else escape(for_page(one)) for one in parts))


def tag(name: str, /, *parts: str, **attributes: object) -> Markup:
    """An element; `class_` is class, and a `_` within a name is a hyphen, as in `aria_label`."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_attribute(key, value))}"' for key, value in attributes.items()
    )
    return Markup(f"<{name}{shown}/>" if name in EMPTY else f"<{name}{shown}>{inner(*parts)}</{name}>")


def _attribute(name: str, value: object) -> str:
    """What stands for a picture may hold names of others; numbers of a drawing are ours."""
    return for_page(str(value)) if name in SAID else displayable(str(value))


def prose(words: str) -> Markup:
    """A sentence of ours, in which `commands` are code."""
    parts = _CODE.split(words)
    return inner(*(tag("code", part[1:-1]) if place % 2 else part for place, part in enumerate(parts)))


def joined(parts: Iterable[Markup]) -> Markup:
    """Markup one after the other."""
    return Markup("\n".join(parts))


def number(value: float | None, words: str, field: str) -> Markup:
    """A number as people read it, with its exact value for machines under the name of its field in the JSON contract."""
    if value is None:
        return Markup(NONE)
    return tag("data", words, value=repr(value), class_=field)


def table(head: Sequence[str], rows: Iterable[Markup], caption: str, class_: str = "") -> Markup:
    """A table with its caption; the rows are built by `row`."""
    top = tag("tr", *(tag("th", one, scope="col") for one in head))
    parts = (tag("caption", caption), tag("thead", top), tag("tbody", joined(rows)))
    return tag("table", *parts, class_=class_) if class_ else tag("table", *parts)


def row(name: str, *cells: str, id_: str | None = None) -> Markup:
    """A row whose first cell names it; `id_` is its name in the JSON contract."""
    attributes = {} if id_ is None else {"data-name": id_}
    inside = inner(tag("th", name, scope="row"), *(tag("td", one) for one in cells))
    return tag("tr", inside, **attributes)


def section(title: str, *parts: str) -> Markup:
    """A part of the page under its heading."""
    return tag("section", tag("h2", title), *parts)


def bullets(lines: Iterable[str]) -> Markup:
    """A list with a point for each line."""
    return tag("ul", joined(tag("li", prose(one)) for one in lines))
