"""The roles of people who sign in, and which of them each act on the app needs.

A role includes those before it. This is the one place that says who may do what.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum


class Role(StrEnum):
    """What a person may do, the least first."""

    ANNOTATOR = "annotator"
    ADJUDICATOR = "adjudicator"
    LEAD = "lead"

    def includes(self, other: Role) -> bool:
        """Return whether whoever has this role may do what the other one may."""
        ranks = list(Role)
        return ranks.index(self) >= ranks.index(other)


class Act(StrEnum):
    """What changes the store from a page."""

    WRITE = "write"
    ADJUDICATE = "adjudicate"
    CURATE = "curate"
    RELEASE = "release"
    SET_THRESHOLD = "set_threshold"
    TEACH = "teach"
    DRAW = "draw"
    SEND = "send"


NEEDED: Mapping[Act, Role] = {
    Act.WRITE: Role.ANNOTATOR,  # references with their drafts, causes, notes
    Act.ADJUDICATE: Role.ADJUDICATOR,  # decide an item, ask for a second annotator, set a complaint aside
    Act.CURATE: Role.ADJUDICATOR,  # accept, edit and retire gold entries
    Act.RELEASE: Role.LEAD,  # a release never changes
    Act.SET_THRESHOLD: Role.LEAD,
    Act.TEACH: Role.LEAD,  # write guidelines for a judge, take a version out of force
    Act.DRAW: Role.LEAD,
    Act.SEND: Role.LEAD,  # Label Studio, both ways
}


def highest(roles: Collection[Role]) -> Role | None:
    """Return the role that includes all the others; None without any."""
    return next((role for role in reversed(Role) if role in roles), None)
