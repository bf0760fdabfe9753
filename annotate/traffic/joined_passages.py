"""Passages that were joined in one text, as evaluation tools keep them: split where the text itself shows how.

That is where it numbers all of them from 1 on, or has each between tags. Any other separator may stand within a passage too, so
that it is proposed and not used.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence

from annotate.traffic.prompt_templates import TAG, numbered, tagged_passages

# A line of signs alone, and the end of a paragraph.
RULED = re.compile(r"\n[ \t]*([-=*_#~+]{3,})[ \t]*\n")
PARAGRAPH = "\n\n"
# Chosen: the share of texts that must hold what may separate passages.
SHARE = 0.5


def split_passages(text: str) -> tuple[str, ...]:
    """Return the passages of a text that numbers or tags all of them; any other text is one passage."""
    blocks = tagged_passages(text)
    if len(blocks) > 1 and _are_all(blocks, text):
        return tuple(blocks)
    return numbered(text.strip())


def _are_all(blocks: Sequence[str], text: str) -> bool:
    """Return whether nothing stands outside of tags."""
    rest = TAG.sub("", text)
    for block in blocks:
        rest = rest.replace(block, "", 1)
    return not rest.strip()


def likely_separator(texts: Sequence[str]) -> str | None:
    """Return what may separate passages within texts, by which most of them would be several; None where nothing may."""
    ruled = Counter(f"\n{mark}\n" for text in texts for mark in {match[1] for match in RULED.finditer(text)})
    paragraphs = sum(PARAGRAPH in text.strip() for text in texts)
    for separator, count in (*ruled.most_common(1), (PARAGRAPH, paragraphs)):
        if texts and count >= SHARE * len(texts):
            return separator
    return None


def split_path(path: str, separator: str) -> str:
    """Return the path that splits the text at another."""
    return f"{path}.split({json.dumps(separator, ensure_ascii=False)})"
