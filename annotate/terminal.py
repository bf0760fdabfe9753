"""What may reach a terminal: every character that would steer it is shown as a sign in its place.

Texts, names and reasons come from anybody. All that a command writes to standard output and error passes through `shown_safely`,
so no command needs to think of it; JSON escapes what it holds, and comes through unchanged.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_C0 = tuple(code for code in range(0x20) if chr(code) not in "\n\t")
_DELETE, _C1, _SURROGATES = 0x7F, range(0x80, 0xA0), range(0xD800, 0xE000)
_SHOWN = {
    **{code: chr(0x2400 + code) for code in _C0},
    _DELETE: "\u2421",
    **{code: f"⟨U+{code:04X}⟩" for code in (*_C1, *_BIDI)},
    **dict.fromkeys(_SURROGATES, "\ufffd"),
}
# What JSON would let through as it is.
_ESCAPED = {code: f"\\u{code:04x}" for code in (_DELETE, *_C1, *_BIDI)}
REWRITE = "\r\x1b[K"


def safe(text: str) -> str:
    """The text with nothing in it that steers a terminal; line ends and tabs stay."""
    return text if text.isprintable() else text.translate(_SHOWN)


def as_json(value: object, *, is_ascii: bool = True) -> str:
    """One line of JSON that steers no terminal, and reads back as exactly the value."""
    return json.dumps(value, ensure_ascii=is_ascii, allow_nan=False).translate(_ESCAPED)


class _Safe:
    """A text stream whose `write` lets nothing through that steers a terminal."""

    # Without it nobody can write past us.
    buffer = None

    def __init__(self, stream: IO[str]) -> None:
        self.raw = stream

    def write(self, text: str) -> int:
        self.raw.write(safe(text))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


@contextmanager
def shown_safely() -> Iterator[None]:
    """Standard output and error are safe while the context lasts."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Safe(sys.stdout), _Safe(sys.stderr)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def write(plain: str, coloured: Callable[[], str]) -> None:
    """Write an answer to standard output, coloured where that is a terminal that wants colours (NO_COLOR)."""
    stream = sys.stdout.raw if isinstance(sys.stdout, _Safe) else sys.stdout
    if stream.isatty() and not os.environ.get("NO_COLOR"):
        # Only the renderer's own sequences pass: what is shown has been made safe before.
        stream.write(coloured())
    else:
        sys.stdout.write(plain)


def rewrite(line: str = "") -> None:
    """Put a line in the place of the last one on standard error, which is a terminal."""
    stream = sys.stderr.raw if isinstance(sys.stderr, _Safe) else sys.stderr
    stream.write(REWRITE + safe(line))
    stream.flush()
