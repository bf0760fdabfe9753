"""Assign gold entries to the roles test, calibration and examples, so that near questions never have different roles.

Entries whose questions are near, or whose items share a group, form a cluster, and a cluster has one role. An assigned role
never changes. A new entry takes the role of its cluster; an entry near two clusters of different roles gets none, because it
would leak from one to the other. The role of a new cluster is a hash of its name, so that growth of the set changes no other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import fsum
from typing import NamedTuple

from annotate.domain.gold.entries import GoldRole
from proxy.errors import UsageError


@dataclass(frozen=True, kw_only=True, slots=True)
class Shares:
    """The share of clusters that each role gets; the shares sum to 1."""

    test: float = 0.6
    calibration: float = 0.3
    examples: float = 0.1

    def __post_init__(self) -> None:
        parts = (self.test, self.calibration, self.examples)
        if not all(0 <= part <= 1 for part in parts) or abs(fsum(parts) - 1) > 1e-9:
            raise UsageError("the shares of test, calibration and examples lie between 0 and 1 and sum to 1")


class AssignedRole(NamedTuple):
    """An entry's role and the name of its cluster."""

    role: GoldRole
    cluster: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """A gold entry for assignment: the class of its question, the group of its item, and the role that it has already."""

    gold_id: str
    question: int
    group: str | None = None
    assigned: AssignedRole | None = None


def assign_roles(members: Sequence[Member], near: Iterable[tuple[int, int]], shares: Shares) -> dict[str, AssignedRole]:
    """Assign a role and a cluster to each member that has none; `near` are pairs of near classes of questions."""
    neighbours = _Neighbours(members, near)
    fresh = [member for member in members if member.assigned is None]
    around = {member.gold_id: neighbours.assigned_around(member) for member in fresh}
    # An entry near two roles must not join clusters of different roles, so it is left out before clustering.
    joined = [member for member in fresh if len({neighbour.role for neighbour in around[member.gold_id]}) < 2]
    assigned_by_id = {member.gold_id: AssignedRole(GoldRole.BETWEEN, member.gold_id) for member in fresh}
    for cluster in neighbours.clusters(joined):
        known = sorted({neighbour for member in cluster for neighbour in around[member.gold_id]})
        name = known[0].cluster if known else min(member.gold_id for member in cluster)
        if len({neighbour.role for neighbour in known}) < 2:
            assigned = known[0] if known else AssignedRole(role_of(name, shares), name)
            assigned_by_id |= {member.gold_id: assigned for member in cluster}
    return assigned_by_id


def role_of(cluster: str, shares: Shares) -> GoldRole:
    """Return the role of a cluster by a hash of its name: test, then calibration, then examples."""
    place = int.from_bytes(sha256(f"role|{cluster}".encode()).digest()[:8], "big") / 2**64
    if place < shares.test:
        return GoldRole.TEST
    return GoldRole.CALIBRATION if place < shares.test + shares.calibration else GoldRole.EXAMPLES


class _Neighbours:
    """The neighbours of each member: entries of the same or a near class of questions, or of the same group."""

    def __init__(self, members: Sequence[Member], near: Iterable[tuple[int, int]]) -> None:
        self._next: dict[int, set[int]] = defaultdict(set)
        for question, near_question in near:
            self._next[question].add(near_question)
            self._next[near_question].add(question)
        self._at: dict[int | str, list[Member]] = defaultdict(list)
        for member in members:
            for place in (member.question, member.group):
                if place is not None:
                    self._at[place].append(member)
        self._assigned = {
            place: {
                member.assigned for member in here if member.assigned and member.assigned.role is not GoldRole.BETWEEN
            }
            for place, here in self._at.items()
        }

    def _places(self, member: Member) -> list[int | str]:
        """Return the places of a member's neighbours."""
        group: list[int | str] = [] if member.group is None else [member.group]
        return [member.question, *self._next[member.question], *group]

    def assigned_around(self, member: Member) -> set[AssignedRole]:
        """Return the roles and clusters of the neighbours of a member."""
        return {assigned for place in self._places(member) for assigned in self._assigned.get(place, ())}

    def clusters(self, members: Sequence[Member]) -> list[list[Member]]:
        """Return the connected components of these members: neighbours, neighbours of neighbours, and so on."""
        remaining = {member.gold_id: member for member in members}
        visited: set[int | str] = set()
        clusters = []
        while remaining:
            _, first = remaining.popitem()
            cluster, waiting = [], [first]
            while waiting:
                member = waiting.pop()
                cluster.append(member)
                for place in self._places(member):
                    nearby = (
                        [neighbour for neighbour in self._at[place] if neighbour.gold_id in remaining]
                        if place not in visited
                        else []
                    )
                    visited.add(place)
                    waiting.extend(remaining.pop(neighbour.gold_id) for neighbour in nearby)
            clusters.append(cluster)
        return clusters
