"""Say which questions, or groups, are for training: their labels and references choose rules and judges, and never score them.

The role of each is a keyed hash, given before it has a label. For rules, roles are by question where a question stands in several
groups, else by group, which holds whole questions. For judges they are always by question: a reference may teach before the
traffic asks its question, when no group is known.
"""

from __future__ import annotations

from typing import NamedTuple

from annotate.store import Store
from proxy.evaluation.alignment import tunes
from proxy.evaluation.learned_rule import is_training_unit


class DrawRoles(NamedTuple):
    """The keys of all draws that count, and of those whose question, or whose group, is for training."""

    keys: tuple[int, ...]
    training_draws: frozenset[int]
    is_by_question: bool


def draw_roles(store: Store, last: int) -> DrawRoles:
    """Return which draws of waves up to `last` are for training."""
    by_question = store.scores.predicted.is_by_question()
    described = store.traffic.partitions.described(last)
    training_draws = (
        about.draw for about in described if is_training_unit(about.question if by_question else about.group)
    )
    return DrawRoles(tuple(about.draw for about in described), frozenset(training_draws), by_question)


def teaching_draws(store: Store) -> frozenset[int]:
    """Return the draws of all waves, also of those that do not count yet, whose question may teach judges."""
    described = store.traffic.partitions.described(store.sampling.waves.next_number() - 1)
    return frozenset(about.draw for about in described if is_training_unit(about.question))


def tuning_draws(store: Store, share: float) -> frozenset[int]:
    """Return the draws of all waves whose question tunes judges of which this share of the questions does."""
    described = store.traffic.partitions.described(store.sampling.waves.next_number() - 1)
    return frozenset(about.draw for about in described if tunes(about.question, share))
