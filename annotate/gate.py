"""Whether a release may go out: what people say of harm and the trust verdict in, passed or the reasons why not out.

The rule: the gate fails where the label of a current answer says serious harm, where a reader marks serious harm and nobody has
settled it, and where the verdict on the proxy is not yes. A further limit is one more line in `gate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from proxy.trust import Trust, TrustVerdict


class Gate(NamedTuple):
    """The reasons why the gate fails, one line each; none where it passes."""

    reasons: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.reasons


def gate(harmful: Sequence[str], unsettled: Sequence[str], trust: TrustVerdict) -> Gate:
    """The gate over the ids of items labelled seriously harmful, those with an unsettled mark of it, and the verdict."""
    reasons = [f"{item_id}: people mark this answer as seriously harmful" for item_id in harmful]
    reasons += [
        f"{item_id}: a reader marks serious harm and the label does not say so; settle it (`assay labels disputed`)"
        for item_id in unsettled
    ]
    if trust.status is not Trust.YES:
        reasons.append(trust.sentence.removesuffix("."))
    return Gate(tuple(reasons))
