"""Render a text of production as inert HTML: its Markdown as typography, everything else escaped, line by line.

Label Studio's own `<Markdown>` runs scripts of the text, so only tags of ours come out, without attributes but `dir` and
`class`: no link, picture, style or address that a browser would ask for. Nothing of the text is lost: the address of a link
or picture stands beside its words, and a mark within a word stays. A text without Markdown, or of which Markdown would drop a
word, is shown as it was written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from html import escape, unescape
from typing import TYPE_CHECKING

from proxy.text.controls import displayable

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# What makes a text Markdown; one line with a number or a dash before it does not.
_MARKDOWN = re.compile(
    r"\*\*[^\s*](?:[^*\n]*[^\s*])?\*\*|^ {0,3}#{1,6} +\S|^ {0,3}(?:```|~~~)|^ *(?:\| *)?:?-{3,}:? *\||(?<!`)`(?!`)[^`\n]+`(?!`)"
    r"|\]\([^)\s]+\)|^ {0,3}(?:[-*+]|\d{1,3}[.)]) +\S.*\n+ {0,3}(?:[-*+]|\d{1,3}[.)]) +\S",
    re.MULTILINE,
)
# Rules that drop or change what was written: definitions of links, entities, backslashes, indented code, underlined headings.
_NOT_READ = ["reference", "entity", "escape", "autolink", "html_block", "html_inline", "code", "lheading"]
_TAGS = {
    tag: tag
    for tag in ("p", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "strong", "em", "s")
}
_TAGS |= {"h1": "h3", "h2": "h3", "h3": "h4", "h4": "h4", "h5": "h4", "h6": "h4"}
_MARKED = {"strong", "em", "s"}
# Parsing takes longer than a reader would; no answer is as long.
_LONGEST = 20_000
_WORD = re.compile(r"[^\W_]+")
_TAG = re.compile(r"<[^>]*>")
_NUMBER = re.compile(r"^[ >]*\d{1,9}[.)]", re.MULTILINE)


def inert_html(text: str) -> str:
    """Return the text as HTML for a page, each line or block in its own direction."""
    text = displayable(text).replace("\r\n", "\n").replace("\r", "\n")
    if len(text) <= _LONGEST and _MARKDOWN.search(text):
        html = _html(_parser().parse(text))
        # Markdown drops some things, such as a cell too many in a table.
        if Counter(_WORD.findall(_NUMBER.sub(" ", text))) <= Counter(_WORD.findall(unescape(_TAG.sub(" ", html)))):
            return f'<div class="as-md">{html}</div>'
    return "".join(f'<p dir="auto">{escape(line) or "<br>"}</p>' for line in text.split("\n"))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # half of what this file costs; most commands send nothing

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 20})
    return parser.enable(["table", "strikethrough"]).disable(_NOT_READ)


def _html(tokens: Sequence[Token]) -> str:
    """Return tokens in tags of ours; a kind of token that is not known gives its text alone."""
    kept = _kept_marks(tokens)
    return "".join(_element(token, token.markup if place in kept else "") for place, token in enumerate(tokens))


def _element(token: Token, mark: str) -> str:
    """Return one token: text escaped, a tag opened or closed, with the mark that made it where that stays."""
    match token.type:
        case "inline":
            return _html(token.children or ())
        case "softbreak" | "hardbreak":
            return "<br>"
        case "hr":
            return "<hr>"
        case "code_inline":
            return f"<code>{escape(token.content)}</code>"
        case "fence":
            return f'<pre dir="auto">{escape(token.info.strip())}\n{escape(token.content)}</pre>'
        case "image":
            return escape(f"[{token.content}] ({token.attrGet('src')})")
        case "link_close":
            return escape(token.meta.get("address", ""))
    if token.hidden or token.tag not in _TAGS:
        return escape(token.content)
    tag = _TAGS[token.tag]
    if token.nesting < 0:
        return f"{mark}</{tag}>"
    start = token.attrGet("start")
    number = f' start="{int(start)}"' if start is not None else ""
    direction = "" if tag in _MARKED else ' dir="auto"'
    return f"<{tag}{number}{direction}>{mark}"


def _kept_marks(tokens: Sequence[Token]) -> set[int]:
    """Return the places of marks within a word, such as the signs of 2*3*4; hand each link's end its address."""
    kept: set[int] = set()
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token.nesting == 1 and (token.tag in _MARKED or token.type == "link_open"):
            opened.append(place)
        elif token.nesting == -1 and opened and token.tag == tokens[opened[-1]].tag:
            begin = opened.pop()
            if token.type == "link_close":
                token.meta["address"] = f" ({tokens[begin].attrGet('href')})"
            elif _is_word(tokens, begin - 1, -1) or _is_word(tokens, place + 1, 0):
                kept |= {begin, place}
    return kept


def _is_word(tokens: Sequence[Token], place: int, letter: int) -> bool:
    """Return whether the text at a place has a letter or a digit at its begin or end."""
    return 0 <= place < len(tokens) and tokens[place].content[letter : letter + 1 or None].isalnum()
