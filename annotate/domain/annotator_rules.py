"""Rules for which draws an annotator takes: by a field of the item, or by a slice, as `kim:language=ko` says it.

A draw that some rule fits goes to those whose rules fit it, and to nobody else; all others share the rest. An annotator may have
several rules, of which one must fit, and may share the rest besides where the name also stands alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from proxy.errors import UsageError

SLICE = "slice"


class TakerRule(NamedTuple):
    """A field of the item (or SLICE) and the value that it must have; an empty value is that of items without the field."""

    field: str
    value: str


class UnfitRule(NamedTuple):
    """A rule of an annotator that fits none of the drawn `answers`; `values` are those of its field, None for a slice."""

    annotator: str
    rule: TakerRule
    answers: int
    values: tuple[str, ...] | None


class Taker(NamedTuple):
    """An annotator with the rules for what this one takes; `shares_rest` where draws that no rule fits go to them, too."""

    annotator: str
    rules: tuple[TakerRule, ...] = ()
    shares_rest: bool = True


def parsed(texts: Iterable[str]) -> list[Taker]:
    """Return the annotators that options name, in their order; UsageError for a name that stands alone twice."""
    rules: dict[str, list[TakerRule]] = {}
    alone: set[str] = set()
    for text in texts:
        name, _, rule = text.partition(":") if "=" in text.partition(":")[2] else (text, "", "")
        name = " ".join(name.split())
        known = rules.setdefault(name, [])
        if rule:
            field, _, value = rule.partition("=")
            known.append(TakerRule(field.strip(), value.strip()))
        elif name in alone:
            raise UsageError(f"--annotator {name} stands there twice: give each annotator a name of their own")
        else:
            alone.add(name)
    return [Taker(name, tuple(dict.fromkeys(theirs)), name in alone) for name, theirs in rules.items()]


def takers_by_draw(
    takers: Sequence[Taker], items: Mapping[int, int], fitting: Mapping[TakerRule, frozenset[int]]
) -> dict[int, tuple[str, ...]]:
    """Return the annotators who may take each draw; none where no rule fits and nobody shares the rest.

    Parameters
    ----------
    takers : sequence of Taker
        All annotators.
    items : mapping
        The row of the item of each draw.
    fitting : mapping
        By rule, the rows of the items that it fits.

    Returns
    -------
    dict
        By draw, names in the order of `takers`.
    """
    rest = tuple(taker.annotator for taker in takers if taker.shares_rest)
    by_draw = {}
    for draw, item in items.items():
        chosen = tuple(taker.annotator for taker in takers if any(item in fitting[rule] for rule in taker.rules))
        by_draw[draw] = chosen or rest
    return by_draw
