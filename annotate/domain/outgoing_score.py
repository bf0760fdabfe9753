"""Our labels, verdicts and scores as they are sent to stand beside the trace of their answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b


class OutgoingKind(StrEnum):
    """What can be sent: the label that annotators came to, the proxy's verdict, and judges' scores."""

    LABELS = "labels"
    VERDICTS = "verdicts"
    JUDGES = "judges"


LABEL_NAME, VERDICT_NAME = "assay_label", "assay_verdict"


@dataclass(frozen=True, kw_only=True, slots=True)
class OutgoingScore:
    """A score of an answer: `value` is a number in [0, 1] where there is one, `label` a word beside or in place of it.

    `at` never changes for an answer, so that a score sent again replaces the former. `span` is known
    where the answer is that of one root among several.
    """

    item_id: str
    is_trace: bool
    kind: OutgoingKind
    name: str
    signature: str
    at: str
    value: float | None = None
    label: str | None = None
    reason: str = ""

    @property
    def trace(self) -> str:
        """The trace of the answer."""
        return self.item_id.partition("/")[0] if self.is_trace else ""

    @property
    def span(self) -> str | None:
        """The span of the answer where its trace has several roots."""
        return (self.item_id.partition("/")[2] or None) if self.is_trace else None

    @property
    def id(self) -> str:
        """An id that the same score of the same answer always has; a new label or verdict has that of the one before."""
        version = self.signature if self.kind is OutgoingKind.JUDGES else ""
        parts = f"{self.item_id}\n{self.kind}\n{self.name}\n{version}"
        return "assay-" + blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
