"""One of our own messages in, markdown out that shows it literally."""

from __future__ import annotations

import re

from annotate.pages.kit.privacy import shown

# A command in a sentence stands between words; a backtick among the letters or marks of a name opens no code and closes none.
_CODE = re.compile(r"((?<![A-Za-z0-9_`|*~<>\\])`(?! )[^`\n]+(?<! )`(?![A-Za-z0-9_`|*~<>\\]))")
# A browser's markdown makes a link of every address, also of one whose marks are escaped: an invisible joiner keeps it text.
_LINKS = re.compile(r"(?i)(https?|ftp|www|mailto)(?=[.:])|(?<=\S)(?=@)")
_JOINER = "\u2060"
_MARKS = re.compile(r"([!-/:-@\[-^{-~_`])")


class Literal(str):
    """A text or name of others: nothing in it is code, whatever marks it has."""

    __slots__ = ()


def escaped(message: str) -> str:
    """The message as markdown that shows it literally, whatever names it holds; `commands` of ours stay code."""
    if isinstance(message, Literal):
        return _literal(shown(message))
    parts = _CODE.split(shown(message))
    return "".join(part if place % 2 else _literal(part) for place, part in enumerate(parts))


def _literal(words: str) -> str:
    """The words with every mark escaped, and no address that could become a link."""
    return _MARKS.sub(r"\\\1", _LINKS.sub(lambda found: found[0] + _JOINER, words))
