"""The table of the page: where the labels lie, and the wrong answers of all traffic there."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.analysis.diagnosis import Corner, Diagnoses, Diagnosis
from annotate.analysis.diagnosis.diagnose import ALWAYS
from annotate.present.diagnosis.words import INDENT, hundred, is_exact
from proxy.text.language import several


def table(found: Diagnoses, one: Diagnosis) -> Iterator[str]:
    """Where the labels lie, and the wrong answers of all traffic there."""
    cuts = found.cuts
    yield f"Relevant above {cuts.relevance:g}, faithful above {cuts.faithfulness:g}"
    measured = any(each.share.estimate is not None for each in one.corners if each.answers)
    head = f"{INDENT}{'':<40}{'right':>6}{'wrong':>7}"
    yield head + (f"{'answers':>10}   wrong per 100 of all (95 %)   wrong in all" if measured else "")
    for place, corner in enumerate(one.corners):
        if place < ALWAYS or corner.answers or corner.right or corner.wrong:
            yield f"{INDENT}{corner.name:<40}{corner.right:>6}{corner.wrong:>7}" + (
                _weights(one, corner) if measured else ""
            )
    if measured:
        left_out = one.answers - one.framed
        yield (
            f"{INDENT}Per 100 of all {several(one.framed, 'answer')}, weighted by how the labels were drawn; each row and stage "
            "is estimated by itself, so they add up only about."
            + (f" Left out: {several(left_out, 'answer')} that came since." if left_out else "")
        )


def _weights(one: Diagnosis, corner: Corner) -> str:
    """The part of a row that speaks of all traffic."""
    share = corner.share
    if share.estimate is None:
        return f"{corner.answers:>10,}   — ({share.reason})"
    low, high = one.framed * (share.low or 0.0), one.framed * (share.high or 0.0)
    number = f"{round(one.framed * share.estimate):,}"
    wide = "" if is_exact(share) else f" ({round(low):,} to {round(high):,})"
    return f"{corner.answers:>10,}   {hundred(share):<28}{number}{wide}"
