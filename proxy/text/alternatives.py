"""Split a reference into its alternatives, any of which is right: `1889 | in 1889` are two, and so are those of a list.

An alternative may have several lines. A table is one reference, bars included, and so is a block of code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from proxy.errors import InputError
from proxy.text.written_lists import read_list

_DELIMITER_ROW = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)+\|?")
# Between lines a bar is a separator only where it stands by itself: `P(A|B)` in a long text is one word.
_BAR = re.compile(r"(?<!\S)\|(?!\S)")


def alternatives(reference: str) -> list[str]:
    """Return the alternatives of a reference; blank ones are left out.

    Parameters
    ----------
    reference : str
        One answer; several with bars between them; or a list of them, as JSON or Python writes it.
    """
    text = reference.strip()
    if (listed := _listed(text)) is not None:
        return listed
    if is_table(text) or "```" in text:
        return [text]
    parts = _BAR.split(text) if "\n" in text else text.split("|")
    return [part.strip() for part in parts if part.strip()]


def joined(references: Sequence[str]) -> str:
    """Return one text whose alternatives are these: with bars between them where that reads back, else as a JSON list."""
    kept = [text.strip() for text in references if text.strip()]
    plain = " | ".join(kept)
    return plain if alternatives(plain) == kept else json.dumps(kept, ensure_ascii=False)


def is_table(text: str) -> bool:
    """Return whether a text is a table: a row within bars, a row of dashes, or as many columns in every line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if any((line[0] == "|" and line.count("|") > 1) or _DELIMITER_ROW.fullmatch(line) for line in lines):
        return True
    counts = {line.strip("|").count("|") for line in lines}
    return len(lines) > 1 and len(counts) == 1 and counts != {0}


def _listed(text: str) -> list[str] | None:
    """Return the texts of a written list; None where it is none."""
    if not text.startswith("["):
        return None
    try:
        values = read_list(text)
    except InputError:
        return None
    if values is None or not all(isinstance(value, str) for value in values):
        return None
    return [value.strip() for value in values if isinstance(value, str) and value.strip()]
