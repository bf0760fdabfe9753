"""Split a reference answer into its alternatives: `1889 | in 1889` are two ways to be right.

A table or a text of several lines is one reference, bars included.
"""

from __future__ import annotations


def alternatives(reference: str) -> list[str]:
    """Return the alternatives; blank ones are left out."""
    text = reference.strip()
    is_table = "\n" in text or text.startswith("|")
    return [text] if is_table else [part.strip() for part in text.split("|") if part.strip()]
