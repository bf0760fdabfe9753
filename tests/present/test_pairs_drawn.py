"""What is said of draws for a comparison: how often a true difference is detected, and what that rests on."""

from __future__ import annotations

import pytest

from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.outcomes import DifferencePower, PairsDrawn
from annotate.present import pairs_drawn
from annotate.present.schemas import pairs_drawn as schema
from support.documents import check, check_model

DRAWN = PairsDrawn(2, ("a", "b"), WaveDesign.PAIRS, 7, 40, 80, 18, 9, (), 18, 30, 0)
PAIRED = "That follows from 9 labelled pairs and from what the scores predict."
ASSUMED = "That is assumed, as nothing is labelled yet: three of four answers right, errors half in common."


@pytest.mark.parametrize(
    ("design", "basis", "is_assumed", "words"),
    [
        (WaveDesign.PAIRS, 9, False, PAIRED),
        (WaveDesign.PAIRS, 0, False, "No pair has both labels yet, so errors half in common are assumed."),
        (WaveDesign.PAIRS, 0, True, ASSUMED),
        (WaveDesign.ANSWERS, 9, False, "That follows from 9 labels and from what the scores predict."),
        (WaveDesign.ANSWERS, 0, False, "That follows from labels of other answers and the scores"),
        (WaveDesign.ANSWERS, 0, True, "nothing is labelled yet: three of four answers right."),
    ],
)
def test_what_the_power_rests_on_is_said(design: WaveDesign, basis: int, is_assumed: bool, words: str) -> None:
    """Only what is assumed is called so, and errors in common are of pairs alone."""
    result = DRAWN._replace(design=design, power=DifferencePower(0.05, 0.213, 0.12, basis, is_assumed))
    document = pairs_drawn.document(result)
    full = " ".join(check(document).split())

    assert words in full
    assert ("nothing is labelled yet" in full) is is_assumed
    assert ("half in common" in full) is (design is WaveDesign.PAIRS and not basis)
    model = schema.PairsDrawnModel.read(result, document)
    check_model(model)
    assert (model.power.basis, model.power.assumed) == (basis, is_assumed)


def test_the_power_holds_if_every_draw_is_labelled_right_or_wrong() -> None:
    """.213 are 21 of 100; 80 of 100 is the other end of it."""
    full = " ".join(check(pairs_drawn.document(DRAWN._replace(power=DifferencePower(0.05, 0.213, 0.12, 9)))).split())

    assert (
        "If all are labelled right or wrong, a true difference of 5 points is detected in about 21 of 100 cases."
        in full
    )
    assert "A true difference of 12 points or more is detected in at least 80 of 100." in full
