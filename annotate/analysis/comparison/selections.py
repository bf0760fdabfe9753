"""Parse the names of systems and windows into selections, and read the answers of two to the questions that both answered.

A name is a system of the store, or NAME@FROM..TO with either end left out (UTC, TO is not in it); @FROM..TO is all systems.

List the systems that can be compared, and the two to begin with: the newest that share questions, never what people wrote. The
system whose answers began earlier comes first, so that the second minus the first is what the newer one changed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from annotate.analysis.labelled_draws import AnswerGround
from annotate.domain.selection import WITHOUT_SYSTEM, Selection
from annotate.store import Store
from proxy.comparison.pairing import LabelChance, PairedQuestions, pair_answers
from proxy.errors import UsageError
from proxy.evaluation.levels import SHARES
from proxy.evaluation.nonresponse import speaking
from proxy.text.times import parse

SPAN = ".."
# Chosen: twelve systems make 66 pairs; each further one makes every p-value of Holm's larger.
MOST = 12
# Two systems are compared on what both answered: a pair with less than this share of the most questions in common tells little.
ENOUGH_IN_COMMON = 0.5
# The words of names under which data sets keep the answers that people wrote, such as human_reference: no system to compare.
WRITTEN_BY_PEOPLE = frozenset({"human", "gold", "reference", "references", "ground", "truth", "expert", "experts"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Names:
    """The systems of the store with their number of answers, and how many answers name none."""

    systems: Mapping[str, int]
    without: int = 0

    @classmethod
    def of(cls, store: Store) -> Names:
        """Read them from the store as they are now."""
        sizes = store.traffic.partitions.sizes("system")
        return cls(
            systems={system: size for system, size in sizes.items() if system is not None},
            without=sizes.get(None, 0),
        )

    @property
    def words(self) -> str:
        """All of them, as words for messages."""
        return (
            ", ".join(f"{system} ({size:,})" for system, size in self.systems.items())
            or "none: items have a field system"
        )


def shown(name: str) -> str:
    """Return a name for a sentence: that of the answers which name no system is empty, and is written as it is typed."""
    return name or Selection(system=WITHOUT_SYSTEM).name


def selection_of(name: str, known: Names) -> Selection:
    """Parse a name into a selection; UsageError for a name that means nothing."""
    if name in known.systems:
        return Selection(system=name)
    if name == WITHOUT_SYSTEM and known.without:
        return Selection(system=WITHOUT_SYSTEM)
    system, at, window = name.rpartition("@")
    if not at or SPAN not in window:
        raise UsageError(f"no item is of the system {shown(name)}: the systems are {known.words}")
    if system and system not in known.systems:
        raise UsageError(f"no item is of the system {system}: the systems are {known.words}")
    since, _, until = window.partition(SPAN)
    selection = Selection(system=system or None, since=_moment(since, name), until=_moment(until, name))
    if selection.since is not None and selection.until is not None and selection.since >= selection.until:
        raise UsageError(f"{name}: the window ends before it begins; write FROM..TO, and TO is not in it")
    return selection


def _moment(text: str, name: str) -> str | None:
    """Parse the end of a window into the form in which items hold times; None where it is left out."""
    try:
        return parse(text.strip()) if text.strip() else None
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(f"{name}: {text} is no date and no time; write 2026-11-01 or 2026-11-01T08:00:00Z") from error


def pairs_of(store: Store, basis: AnswerGround, selections: tuple[Selection, Selection]) -> PairedQuestions:
    """Return the questions that both answered; UsageError where an answer belongs to both."""
    traffic = basis.traffic
    reach = speaking(list(traffic.drawings))
    selected = store.traffic.selections.on_shared_questions(basis.key, selections, traffic.last, reach)
    items = np.concatenate([answers.items for answers in selected])
    if overlapping := len(items) - len(np.unique(items)):
        raise UsageError(f"{overlapping:,} answers are in both: name systems or windows that do not overlap")
    return pair_answers(
        selected,
        {
            draw.item: LabelChance.of(draw.judgement, draw.chances, draw.joint, draw.by_group)
            for draw in traffic.drawn
            if draw.judgement is not None
        },
        by_hand={label.item: label.judgement for label in store.traffic.selections.hand_labelled(items)},
        predicted=[SHARES[traffic.levels.of(answers.items)] for answers in selected],
        source=traffic.levels.source,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Rivals:
    """The systems with their number of answers, and the two to begin with: the newest that share questions.

    `shown` are those that are ranked together: all, or the MOST with most answers.
    """

    systems: Mapping[str, int]
    shown: tuple[str, ...]
    pair: tuple[str, str] | None


def rivals(store: Store) -> Rivals:
    """Return the systems to compare now; no pair where there is one system or none."""
    systems = Names.of(store).systems
    largest = sorted(systems, key=lambda system: (-systems[system], system))[:MOST]
    shown = tuple(system for system in systems if system in largest)
    began = {system: store.traffic.selections.counted(Selection(system=system)).first or "" for system in shown}
    built = [system for system in largest if not _is_written_by_people(system)]
    largest = built if len(built) > 1 else largest
    common = {
        pair: count for pair, count in store.traffic.selections.in_common(shown).items() if set(pair) <= set(largest)
    }
    if common:
        enough = ENOUGH_IN_COMMON * max(common.values())
        pair = max(
            (pair for pair in sorted(common) if common[pair] >= enough),
            key=lambda pair: (*sorted((began[system] for system in pair), reverse=True), common[pair]),
        )
    elif len(largest) > 1:
        pair = (largest[0], largest[1])
    else:
        return Rivals(systems=systems, shown=shown, pair=None)
    first, second = sorted(pair, key=lambda system: (began[system], system))
    return Rivals(systems=systems, shown=shown, pair=(first, second))


def _is_written_by_people(system: str) -> bool:
    words = re.findall(r"[a-z]+", system.casefold())
    return bool(words) and set(words) <= WRITTEN_BY_PEOPLE
