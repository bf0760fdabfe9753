"""Name a question by a key: its normalised text and the normalised conversation before it.

Two items with one key ask the same question. Case, width and white space do not count; every other sign does, and so do the
roles (by one word each: `human` is `user`), texts and order of the turns before. The key is stored with each item: a change
of it needs a migration.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

from proxy.records import Turn
from proxy.text.language import composed
from proxy.text.turns import with_roles

PREFIX = "question-"
DIGITS = 16


def question_key(text: str, history: Sequence[Turn] = ()) -> str:
    """Return the key of a question.

    Parameters
    ----------
    text : str
        What was asked, as it was ingested.
    history : sequence of Turn
        The conversation before it, the oldest turn first.

    Returns
    -------
    str
        "question-" and 16 hexadecimal digits.
    """
    if not history:
        return _key_of_parts([normalised(text)])
    parts = [normalised(text)]
    for turn in with_roles(history):
        parts += _role(turn.role), normalised(turn.text)
    return _key_of_parts(parts)


def normalised(text: str) -> str:
    """Return the text in Unicode compatibility form (NFKC), case folded, with runs of white space as one space."""
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(composed(composed(text).casefold()).split())


@lru_cache(maxsize=64)
def _role(name: str) -> str:
    return normalised(name)  # there are few, and they come with every turn


def _key_of_parts(parts: Sequence[str]) -> str:
    """Hash normalised parts, each with its length before it, so that they cannot run into each other."""
    joined = "".join([f"{len(part)}:{part}" for part in parts])
    return PREFIX + blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()[:DIGITS]
