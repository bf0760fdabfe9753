"""Render a guide for experts as safe HTML: headings, lists and bold in plain text become our tags around escaped text.

The rule: nothing of the text becomes markup but `# headings`, `- ` and `1. ` lists and `**bold**`; no link, image or tag of
the text survives, since Label Studio shows a project's instruction as it is.
"""

import html
import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from proxy.text.controls import displayable

# Label Studio's page takes the marks off lists and the space off paragraphs.
_STYLE = (
    "<style>.as-guide h2{font-size:1.25em;font-weight:600}.as-guide h3{font-weight:600;margin:0 0 .2em}.as-guide p,.as-guide ul,"
    ".as-guide ol,.as-guide h2{margin:0 0 .6em}.as-guide ul{list-style:disc}.as-guide ol{list-style:decimal}"
    ".as-guide ul,.as-guide ol{padding-inline-start:1.5em}.as-guide li{margin:0 0 .3em}</style>"
)

_HEADING = re.compile(r"(#{1,6})\s+")
_ITEM = re.compile(r"(?:([-*•])|\d{1,3}[.)])\s+")
_BOLD = re.compile(r"\*\*([^*\s](?:[^*]*[^*\s])?)\*\*")


class _Block(NamedTuple):
    """A heading, a paragraph or an item of a list, by the tag around it."""

    tag: str
    text: str


def guide_from(text: str) -> str:
    """Render a team's own guide as HTML: everything escaped, with headings, paragraphs, lists and bold."""
    parts = []
    for tag, blocks in groupby(_blocks(displayable(text.removeprefix("\ufeff"))), key=lambda block: block.tag):
        inner = "li" if tag in {"ul", "ol"} else tag
        elements = [f'<{inner} dir="auto">{_inline(block.text)}</{inner}>' for block in blocks]
        parts += [f"<{tag}>", *elements, f"</{tag}>"] if inner != tag else elements
    return "\n".join([_STYLE, '<div class="as-guide">', *parts, "</div>"])


def _blocks(text: str) -> Iterator[_Block]:
    """Yield the blocks in order; lines that follow each other are one paragraph or one item."""
    tag, lines = "p", list[str]()
    for line in (*map(str.strip, text.splitlines()), ""):
        heading, item = _HEADING.match(line), _ITEM.match(line)
        if lines and (heading or item or not line):
            yield _Block(tag, " ".join(lines))
            tag, lines = "p", []
        if heading:
            yield _Block("h2" if heading[1] == "#" else "h3", line[heading.end() :].rstrip("# "))
        elif item:
            tag, lines = "ul" if item[1] else "ol", [line[item.end() :]]
        elif line:
            lines.append(line)


def _inline(text: str) -> str:
    """Escape a text, with its bold parts."""
    return _BOLD.sub(r"<strong>\1</strong>", html.escape(text))
