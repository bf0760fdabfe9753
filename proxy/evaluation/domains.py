"""Estimate P(right) in a part of the traffic, the items with given verdicts, or say why there is no estimate.

What no drawing could have reached, or nobody answered for, is never guessed: it makes the part Unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.evaluation.ledger import Drawing, PlacedDraws, SampledItem, Total, by_stratum, cells_of, draws_of
from proxy.evaluation.predictor import PredictorSource
from proxy.reason import Reason
from proxy.records import Verdict
from proxy.stats.sampling.survey import Draws, PostStrata, Proportion, proportion

# The rule of three: where none of 30 labels is wrong, at most a tenth are, at 95 %.
AUDIT_NEEDED = 30
# A variance needs two.
FEWEST_LABELS = 2
UNLABELLED = "not measurable: no drawn item has a label yet; label what was drawn"
NOT_JUDGED = {
    Verdict.PASS: "annotators could not judge any passed item",
    Verdict.FAIL: "annotators could not judge any failed item",
}
LABEL_MORE = {
    Verdict.PASS: (
        "not measurable: label {count} items above the threshold ({missing} of {size} have no label that speaks for them)"
    ),
    Verdict.FAIL: (
        "not measurable: label {count} items below the threshold ({missing} of {size} have no label that speaks for them)"
    ),
}
LABEL_DRAWN = {
    Verdict.PASS: (
        "not measurable: label the drawn items above the threshold first ({waiting} wait), then draw more if it takes more "
        "({missing} of {size} have no label that speaks for them)"
    ),
    Verdict.FAIL: (
        "not measurable: label the drawn items below the threshold first ({waiting} wait), then draw more if it takes more "
        "({missing} of {size} have no label that speaks for them)"
    ),
}


@dataclass(frozen=True, kw_only=True)  # without slots: what follows from the fields is worked out once
class Evidence:
    """The ledger under one rule: stratum totals, every draw of a current item, and the drawings they came from.

    `grouping` is sum m^2 / sum m over the sizes m of the groups of all items; 1 where every item stands alone. `columns` are
    the draws that came back as arrays, where another rule's evidence on the same sample has worked them out, and `places` their
    verdicts and strata, where these are numbered already; `whole` is the evidence that this is a part of. `source` is what gave
    the levels, None where nothing predicts.
    """

    totals: Sequence[Total]
    sample: Sequence[SampledItem]
    drawings: Sequence[Drawing]
    grouping: float = 1.0
    columns: Draws | None = None
    places: PlacedDraws | None = None
    whole: Evidence | None = None
    source: PredictorSource | None = None

    @property
    def predictor(self) -> PredictorSource | None:
        """What predicts the unlabelled items; a part asks the whole."""
        return self.source if self.whole is None else self.whole.predictor

    @cached_property
    def undecided(self) -> frozenset[str]:
        """The strata from which only a few unsure labels came back; a part asks the whole."""
        if self.whole is not None:
            return self.whole.undecided
        returned, decided = (by_stratum(draws.counts()) for draws in (self.placed, self.placed.only(self.decided)))
        sizes = Counter[str]()
        for total in self.totals:
            sizes[total.stratum] += total.size
        return frozenset(name for name, n in returned.items() if name not in decided and n < sizes[name])

    @cached_property
    def returned(self) -> list[SampledItem]:
        """The draws that came back, `unsure` among them."""
        return [item for item in self.sample if item.judgement is not None]

    @cached_property
    def placed(self) -> PlacedDraws:
        """The verdict and stratum of each draw that came back."""
        return PlacedDraws.of(self.returned) if self.places is None else self.places

    @cached_property
    def is_returned(self) -> NDArray[np.bool_]:
        """Which of the draws came back."""
        return np.array([item.judgement is not None for item in self.sample], dtype=np.bool_)

    @property
    def decided(self) -> NDArray[np.bool_]:
        """Which of the draws that came back are right or wrong."""
        return self.arrays.judged > 0

    @cached_property
    def out_of_reach(self) -> list[Total]:
        """The totals that no drawing with labels could reach, and those of strata with only a few unsure labels."""
        return [
            total for total in self.totals if total.size and (not total.is_reachable or total.stratum in self.undecided)
        ]

    def with_sample(self, sample: Sequence[SampledItem]) -> Evidence:
        """Return the same with other labels or verdicts of its draws: nothing that follows from these is kept."""
        return replace(self, sample=sample, columns=None, places=None)

    def part(self, totals: Sequence[Total], rows: NDArray[np.bool_]) -> Evidence:
        """Return the evidence on these totals and the draws in these rows of the sample."""
        returned = rows[self.is_returned]
        return Evidence(
            totals=totals,
            sample=list(compress(self.sample, rows)),
            drawings=self.drawings,
            columns=self.arrays.only(returned),
            places=self.placed.only(returned),
            whole=self,
        )

    @cached_property
    def arrays(self) -> Draws:
        """The draws that came back as arrays; no rule changes them."""
        return draws_of(self.returned, self.drawings) if self.columns is None else self.columns


class Unknown(NamedTuple):
    """A part that has items but cannot be estimated: `missing` of its items are out of reach of the `n` labels."""

    reason: str
    n: int
    missing: int


Part = Proportion | Unknown | None


class Sampled(NamedTuple):
    """The draws that speak for a part, with its cells; `rows` are their places among those that came back."""

    draws: Draws
    cells: PostStrata
    rows: NDArray[np.bool_]


def part(evidence: Evidence, verdicts: Collection[Verdict]) -> Part:
    """Estimate P(right) among the items with these verdicts that labels can speak for; None where there are no such items."""
    known = sampled(evidence, verdicts)
    return proportion(known.draws, known.cells) if isinstance(known, Sampled) else known


def sampled(evidence: Evidence, verdicts: Collection[Verdict]) -> Sampled | Unknown | None:
    """Return what `part` estimates from; Unknown where that is too little, None where there are no such items."""
    missing = {id(total) for total in out_of_reach(evidence, verdicts)}
    totals = [
        total for total in evidence.totals if total.verdict in verdicts and total.size and id(total) not in missing
    ]
    strata = {total.stratum for total in totals}
    known = np.array([verdict in verdicts and name in strata for verdict, name in evidence.placed.keys], dtype=np.bool_)
    rows = known[evidence.placed.of_draw]
    size, count, decided = sum(total.size for total in totals), int(rows.sum()), int(evidence.decided[rows].sum())
    if not size:
        return None
    if decided >= FEWEST_LABELS or (decided and count >= size):
        draws, cells = evidence.arrays.only(rows), cells_of(totals, evidence.placed.only(rows))
        # What was seen whole cannot speak for what chance left without a draw.
        if cells.total(np.ones(count)).all():
            return Sampled(draws, cells, rows)
    return Unknown("", decided, size - count)


def of_verdict(evidence: Evidence, verdict: Verdict) -> Part:
    """Estimate P(right) among all items with this verdict."""
    if not evidence.returned:
        return Unknown(UNLABELLED, 0, 0)
    out_of_reach = unreachable(evidence, (verdict,))
    known = part(evidence, (verdict,))
    match known:
        case Unknown(n=n, missing=missing):
            pass
        case Proportion(n=n) if out_of_reach:
            missing = out_of_reach
        case None if out_of_reach:
            n, missing = 0, out_of_reach
        case _:
            return known
    missing = max(missing, out_of_reach)
    if not missing:
        return Unknown(NOT_JUDGED[verdict], n, 0)
    size = sum(total.size for total in evidence.totals if total.verdict is verdict)
    if waiting := _waiting(evidence, verdict, everywhere=isinstance(known, Unknown)):
        return Unknown(Reason(LABEL_DRAWN[verdict], waiting=waiting, missing=missing, size=size), n, missing)
    reason = Reason(LABEL_MORE[verdict], count=min(missing, AUDIT_NEEDED), missing=missing, size=size)
    return Unknown(reason, n, missing)


def _waiting(evidence: Evidence, verdict: Verdict, *, everywhere: bool) -> int:
    """Count the draws with this verdict that wait for a label: all, or those where the labels at hand cannot reach."""
    strata = {total.stratum for total in out_of_reach(evidence, (verdict,))}
    return sum(
        item.judgement is None and item.verdict is verdict and (everywhere or item.stratum in strata)
        for item in evidence.sample
    )


def unreachable(evidence: Evidence, verdicts: Collection[Verdict]) -> int:
    """Count the items with these verdicts that the labels cannot speak for."""
    return sum(total.size for total in out_of_reach(evidence, verdicts))


def out_of_reach(evidence: Evidence, verdicts: Collection[Verdict]) -> list[Total]:
    """List the totals with these verdicts that labels cannot speak for."""
    return [total for total in evidence.out_of_reach if total.verdict in verdicts]
