"""Sentences whose counts lead to the answers that they count, as HTML of ours: markdown would open a link in a new session."""

from __future__ import annotations

import re
from collections.abc import Iterable

import streamlit as st
from markupsafe import Markup, escape

from annotate.domain.message import Code, Command, Name, Quote, Value
from annotate.pages.kit import links, privacy
from annotate.pages.kit.messages import language
from annotate.present.messages import Writer

_CODE = re.compile(r"`([^`\n]+)`")


def has_links(lines: Iterable[Value]) -> bool:
    """Whether a count in one of these leads to its answers."""
    return any(links.behind(line) for line in lines)


def show(lines: Iterable[Value]) -> None:
    """Draw messages in small letters, a line each, their counts as links."""
    writer = _LinkedWriter(language())
    written = Markup("").join(Markup("<p class='a-line'>{}</p>").format(writer.write(line)) for line in lines)
    st.html(f"<div class='a-linked'>{written}</div>")


class _LinkedWriter(Writer):
    """Escapes all that is put into our words; a count of answers is a link to them."""

    def template(self, words: str) -> str:
        return Markup(_CODE.sub(r"<code>\1</code>", str(escape(words))))  # noqa: S704 # escaped here

    def shown(self, value: Value, words: str) -> str:
        if isinstance(words, Markup):  # a sentence or an interval, whose parts came through here
            return words
        if isinstance(value, Code | Command):
            return Markup("<code>{}</code>").format(privacy.shown(words))
        if isinstance(value, Name | Quote):  # of others: in its own direction, which may be another than ours
            return Markup("<bdi>{}</bdi>").format(privacy.shown(words))
        return self.template(privacy.shown(words)) if type(value) is str else escape(privacy.shown(words))

    def count(self, value: int) -> object:
        link = links.answers(value)
        return super().count(value) if link is None else _LinkedCount(value, links.href(link))


class _LinkedCount:
    """A count as a link, written as the sentence asks for it."""

    def __init__(self, count: int, address: str) -> None:
        self._count, self._address = count, address

    def __html_format__(self, spec: str) -> Markup:
        return Markup('<a class="a-go" href="{}">{}</a>').format(self._address, format(int(self._count), spec or ","))
