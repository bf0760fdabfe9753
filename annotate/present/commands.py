"""Write commands as they must be typed for a store: with the --db that names it, wherever they stand.

A command stands in a step, or between backquotes in a sentence of ours. Whoever shows either says for which store (`for_store`).
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple

from annotate.settings import DEFAULT_STORE, settings
from proxy.errors import AssayError

OPTION = "--db"
_NAMES_A_STORE = re.compile(rf" {OPTION}[ =]")
_IN_WORDS = re.compile(r"`(assay [a-z][^`\n]*)`")


class _Target(NamedTuple):
    """The store that commands are written for, and the one that they take without --db; None: that of this folder."""

    store: Path
    default: Path | None

    def option(self, command: str) -> str:
        """Return what a command lacks to run on the store; nothing where it names one."""
        path, here = self.store.resolve(), Path.cwd()
        if _NAMES_A_STORE.search(command) or path == (self.default or usual_store()).resolve():
            return ""
        return f" {OPTION} {shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))}"


_TARGET: ContextVar[_Target | None] = ContextVar("target", default=None)


@contextmanager
def for_store(store: Path, default: Path | None = None) -> Iterator[None]:
    """Write commands for a store, until the end.

    Parameters
    ----------
    store
        The store's file.
    default
        The store that a command without --db takes; None: that of ASSAY_DB, of assay.toml, else the usual one.

    Yields
    ------
    None
        An error that comes through has the commands in its message as they must be typed.
    """
    token = _TARGET.set(_Target(store, default))
    try:
        yield
    except AssayError as error:
        error.args = tuple(typed_within(part) if isinstance(part, str) else part for part in error.args)
        raise
    finally:
        _TARGET.reset(token)


def typed(command: str) -> str:
    """Return a command as it must be typed."""
    target = _TARGET.get()
    return command + target.option(command) if target else command


def typed_within(words: str, *, is_template: bool = False) -> str:
    """Return words of ours with the commands in them as they must be typed; a template is still to be filled by `str.format`."""
    target = _TARGET.get()
    if target is None:
        return words

    def command(match: re.Match[str]) -> str:
        option = target.option(match[1])
        return f"`{match[1]}{option.replace('{', '{{').replace('}', '}}') if is_template else option}`"

    return _IN_WORDS.sub(command, words)


def usual_store() -> Path:
    """Return the store that a command without --db takes."""
    return Path(os.environ.get("ASSAY_DB") or str(settings().get("db", DEFAULT_STORE)))
