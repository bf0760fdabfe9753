"""Write to a terminal: every character that would steer it is shown as a sign in its place.

Texts, names and reasons come from anybody. All that a command writes to standard output and error passes through `shown_safely`,
so no command needs to think of it; JSON escapes what it holds, and comes through unchanged.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from proxy.text.controls import safe

REWRITE = "\r\x1b[K"


class _Safe:
    """A text stream whose `write` lets nothing through that steers a terminal."""

    # Without it nobody can write past us.
    buffer = None

    def __init__(self, stream: IO[str]) -> None:
        self.raw = stream

    def write(self, text: str | bytes) -> int:
        # Bytes are click's own: the script for a shell that completes commands.
        self.raw.write(safe(text.decode() if isinstance(text, bytes) else text))
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
