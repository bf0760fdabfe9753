"""Find where a question, an answer and its passages may lie deep within a row whose shape nobody has met before.

What is found is proposed and never taken: the user sees the paths, and three answers as they would read them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from annotate.domain.field_mapping import path_below
from annotate.domain.passages import CONTEXT_TEXTS
from annotate.traffic.content import ANSWERS, QUESTIONS, loaded

DEEPEST, MOST, FARTHEST = 7, 400, 2
EVERY, MOST_ELEMENTS = "[*]", 4
# What citations call the text of their source.
CITED_TEXTS = ("abstract", "excerpt", "quote")
# What is called so, alone or as a part of a name, holds what was retrieved.
RETRIEVED = re.compile(
    r"(retriev|document|passage|chunk|context|citation|reference|source|search_?result|knowledge)", re.IGNORECASE
)
# What a person holds to be right was not retrieved, and a citation is called no more than a reference.
RIGHT_ANSWERS = re.compile(
    r"(expected|ground_?truth|gold|ideal|correct|reference_?(response|answer|output|text))", re.IGNORECASE
)
# Names that say nothing of what they hold.
BODIES = frozenset((*CONTEXT_TEXTS, "value", "data"))
# A key that both questions and answers stand under says neither.
SAID_BY_BOTH = frozenset(QUESTIONS) & frozenset(ANSWERS)


class Leaf(NamedTuple):
    """A text within a row: the names of the way to it, and the path that leads there."""

    names: tuple[str, ...]
    path: str
    text: str


def nested_paths(row: Mapping[str, object], field: str, right: tuple[str, ...]) -> list[str]:
    """Return the paths of texts below the columns of a row that may be its question or its answer.

    Parameters
    ----------
    row
        A raw row.
    field
        `question` or `answer`.
    right
        How names begin, without case and separators, under which the right answer stands.

    Returns
    -------
    list of str
        Where a name of the field stands at the end of the way, the surest name and the shortest way first; never within what
        was retrieved, nor under a name of the other field or one under which questions and answers stand alike.
    """
    usual = QUESTIONS if field == "question" else ANSWERS
    others = frozenset(ANSWERS if field == "question" else QUESTIONS) - SAID_BY_BOTH
    leaves = [
        leaf
        for leaf in texts_within(row, "[0]")
        if not any(RETRIEVED.search(name) or _plain(name).startswith(right) for name in leaf.names)
    ]
    ways = [
        (usual.index(name), len(leaf.names), leaf.path)
        for leaf in leaves
        if len(leaf.names) > 1
        and (name := _said_under(leaf.names, usual)) is not None
        and others.isdisjoint(name for name in leaf.names if name not in BODIES)
    ]
    return [path for _, _, path in sorted(ways)]


def nested_passages(row: Mapping[str, object]) -> str | None:
    """Return the path of what was retrieved, with `[*]` for the lists on the way; None where there is none.

    The name that says so stands at most two names before the end: further on a citation also holds what was written from it.
    Objects that are read as passages are taken whole, with their ids and scores.
    """
    ways = [
        (place, len(leaf.names), leaf.path)
        for leaf in texts_within(row, EVERY)
        if leaf.names[-1] in (*CONTEXT_TEXTS, *CITED_TEXTS) and not any(map(RIGHT_ANSWERS.match, leaf.names))
        for place, name in enumerate(reversed(leaf.names[-1 - FARTHEST : -1]))
        if RETRIEVED.search(name)
    ]
    if not ways:
        return None
    path = min(ways)[2]
    whole, _, last = path.rpartition(".")
    return whole if whole.endswith(EVERY) and last in CONTEXT_TEXTS else path


def texts_within(row: Mapping[str, object], of_list: str) -> list[Leaf]:
    """Return the first texts of a row at any depth; of a list its first element, written as `of_list`.

    For `[*]` its first elements, since not each has all that the others have.
    """
    leaves: list[Leaf] = []
    for name, value in row.items():
        for leaf in _below((str(name),), path_below("", str(name)), value, of_list):
            leaves.append(leaf)
            if len(leaves) == MOST:
                return leaves
    return leaves


def _below(names: tuple[str, ...], path: str, value: object, of_list: str) -> Iterator[Leaf]:
    value = loaded(value)
    if isinstance(value, str) and value.strip():
        yield Leaf(names, path, value)
    elif isinstance(value, Sequence) and value and not isinstance(value, str):
        for element in value[: MOST_ELEMENTS if of_list == EVERY else 1]:
            yield from _below(names, f"{path}{of_list}", element, of_list)
    elif isinstance(value, Mapping) and len(names) < DEEPEST:
        for name, inner in value.items():
            yield from _below((*names, str(name)), path_below(path, str(name)), inner, of_list)


def _said_under(names: tuple[str, ...], usual: tuple[str, ...]) -> str | None:
    """Return the name on the way that says what the text is: the last of the way, else the last above those of bodies."""
    last = names[-1]
    if last in usual and last not in SAID_BY_BOTH:
        return last
    if last not in BODIES:
        return None
    above = next((name.removesuffix("s") for name in reversed(names[:-1]) if name not in BODIES), "")
    return above if above in usual else None


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())
