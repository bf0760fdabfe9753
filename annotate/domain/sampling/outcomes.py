"""Record what a wave is asked to be, what was drawn, and what can still be labelled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import ProposalRequest
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.predictor import PredictorSource
from proxy.planning.allocation import StratumPlan


class DrawProgress(NamedTuple):
    """Progress of the draws: answered by a label of each kind, or still open."""

    drawn: int
    right: int
    wrong: int
    unsure: int

    @property
    def labelled(self) -> int:
        """Draws with a label, `unsure` included."""
        return self.right + self.wrong + self.unsure

    @property
    def open(self) -> int:
        """Draws without a label."""
        return self.drawn - self.labelled


class StreamState(NamedTuple):
    """A stream: its rates, when it was open, how many answers had their chance meanwhile, and how many were drawn."""

    rate: float
    rate_failed: float
    seed: int
    opened_at: str
    closed_at: str | None
    framed: int
    drawn: int


class Overlap(NamedTuple):
    """Draws of current items that two annotators were given or have read, and how many of them two have read independently."""

    given: int
    read: int


class ToLabel(NamedTuple):
    """Numbers of what can still be labelled: answers that no wave drew, and open draws."""

    undrawn: int
    waiting: int


class WaveDrawn(NamedTuple):
    """The wave that was drawn, or would be: its number and its strata. The same `token` means the very same draws.

    `size` is the number that a drawing by chance takes: expected, and a range that holds it in 95 % of drawings; None where
    the number of draws is fixed. `audit` is the least share of failed items; `predictor` is what said where labels tell most,
    None before there are any.
    """

    number: int
    strata: tuple[StratumPlan, ...]
    draws: int
    token: str = ""
    size: Estimate | None = None
    audit: float = 0.0
    predictor: PredictorSource | None = None


class Proposed(NamedTuple):
    """A wave, and what it leaves unknown; where it `is_proposal`, nothing is drawn yet and `drawn.token` draws exactly this."""

    request: ProposalRequest
    drawn: WaveDrawn
    notes: tuple[str, ...]
    is_proposal: bool = False


class DifferencePower(NamedTuple):
    """How often labels show a difference of two systems that is there: `share` of cases where it is `difference`.

    `detectable` is the difference that is shown in 8 of 10 cases. Both hold if every draw is labelled right or wrong. `basis`
    counts the labelled pairs, for more than two systems their labels, that tell of the variance. It `is_assumed` how many answers
    are right where no label in the store predicts it.
    """

    difference: float
    share: float
    detectable: float
    basis: int
    is_assumed: bool = False


class PairsDrawn(NamedTuple):
    """The draws that were made, or would be: so many questions and answers, `draws` answers; `pairs` are drawn completely.

    `design` is PAIRS or ANSWERS; `pairs` counts what earlier waves have drawn, too. `asked` is the number wanted, `left` what
    could be drawn, `waiting` the open draws of these systems that were there before. `power` is what all that was drawn is
    expected to show once it is labelled, None where nothing. Where it `is_proposal`, nothing is drawn yet; its `token` draws
    exactly that.
    """

    number: int
    names: tuple[str, ...]
    design: WaveDesign
    seed: int
    questions: int
    answers: int
    draws: int
    pairs: int
    strata: tuple[StratumPlan, ...]
    asked: int
    left: int
    waiting: int
    power: DifferencePower | None = None
    is_proposal: bool = False
    token: str = ""


class Answered(NamedTuple):
    """A wave: its draws of current items, and how many of them have a label."""

    wave: int
    draws: int
    labels: int


def last_counted(waves: Sequence[Answered]) -> int:
    """Return the last wave that estimates speak of: the last with labels on half of its draws, or all while none has; 0 without.

    A wave that has just gone out adds items without labels; until they come, the waves before it tell what they told.
    """
    half = [answered.wave for answered in waves if 2 * answered.labels >= answered.draws]
    return max(half or [answered.wave for answered in waves], default=0)


def last_begun(waves: Sequence[Answered]) -> int:
    """Return the last wave of which any draw has a label, or the last that counts where that is later.

    A wave that nobody has begun tells nothing; one that was begun may have had its easy answers labelled first.
    """
    return max([last_counted(waves), *(answered.wave for answered in waves if answered.labels)])
