"""Thumbs from plain files: the raw value is kept beside its sign; and their rate. Feedback is a hint, never a sample.

-1/1, 0/1 and booleans live side by side in the field, and 0 means down in one and nothing in the other; so 0 is down,
as every source with 0 that we know writes it, and an absent vote is absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotate.domain.field_mapping import Fields, missing
from annotate.domain.timestamps import Times, shown
from proxy.errors import InputError
from proxy.evaluation.estimate import Estimate

COUNTED = "marked down ÷ all answers, counted; users choose what they rate, so it is a hint and no sample"
NO_FEEDBACK = "no feedback yet: bring it in with `assay feedback FILE`"
FIELDS = ("item_id", "value", "comment", "correction", "source", "at")
DOWN = {"-1", "-1.0", "0", "0.0", "false", "no", "down", "thumbs_down", "thumbsdown", "negative", "dislike", "👎"}
UP = {"1", "1.0", "+1", "true", "yes", "up", "thumbs_up", "thumbsup", "positive", "like", "👍"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Feedback:
    """One end user's thumb on one item: `sign` -1 is down, 1 is up, 0 a comment without a thumb."""

    item_id: str
    value: str | None
    sign: int
    comment: str | None = None
    correction: str | None = None
    source: str | None = None
    at: str | None = None


def feedback_from_row(row: Mapping[str, object], mapping: Mapping[str, str], times: Times | None = None) -> Feedback:
    """Return the feedback that a row describes."""
    fields = Fields(row, mapping)
    item_id, value = fields.short("item_id"), fields.value("value")
    if item_id is None:
        raise InputError(missing("item_id", row, mapping))
    comment, correction = fields.text("comment"), fields.text("correction")
    if (value is None or value == "") and not comment and not correction:
        raise InputError(missing("value", row, mapping))
    return Feedback(
        item_id=item_id,
        value=None if value is None else str(value),
        sign=_sign(value),
        comment=comment,
        correction=correction,
        source=fields.short("source"),
        at=fields.moment("at", times),
    )


def _sign(value: object) -> int:
    """Return -1 for down, 1 for up, 0 for no thumb."""
    word = "" if value is None else str(value).strip().lower().replace(" ", "_")
    if word in DOWN:
        return -1
    if word in UP:
        return 1
    if word == "":
        return 0
    raise InputError(f"value: expected a thumb (-1 or 1, 0 or 1, true or false), found {shown(value)}")


def thumbs_down(down: int, items: int, *, has_feedback: bool) -> Estimate:
    """Count answers that a user marked down ÷ all answers: exact, since counted; none where nobody was asked for a thumb."""
    if not has_feedback or not items:
        return Estimate(estimate=None, reason=NO_FEEDBACK)
    share = down / items
    return Estimate(estimate=share, low=share, high=share, n=items, method=COUNTED)
