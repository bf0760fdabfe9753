"""What is said of the effective labels: the numbers add up, and nothing is credited to the judges that is not shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotate.domain.message import Message
from annotate.present.document import Block, Table
from annotate.present.effective_labels import sentence, shares
from annotate.present.messages import LANGUAGES, text
from proxy.evaluation.effective_labels import ALL, TOO_LITTLE_LEFT, EffectiveLabels, JudgeShare
from proxy.evaluation.estimate import Estimate
from support.documents import numbers

FEW = "it takes 5 wrong answers among the labels"


def added(judge: str, estimate: float, low: float, high: float) -> JudgeShare:
    """What a judge adds."""
    return JudgeShare(judge, Estimate(estimate=estimate, low=low, high=high, n=150))


SHOWN = EffectiveLabels(
    n=150,
    estimate=220.6,
    low=181.2,
    high=259.0,
    scores=added(ALL, 88.7, 54.0, 119.0),
    judges=(added("faithfulness", 76.0, 46.0, 104.0),),
)
SILENT = replace(SHOWN, scores=added(ALL, 2.0, -4.0, 9.0))
NONE = replace(SHOWN, scores=None, judges=())
UNTOLD = replace(SHOWN, scores=JudgeShare(ALL, Estimate(estimate=None, n=150, reason=TOO_LITTLE_LEFT)), judges=())
UNKNOWN = EffectiveLabels(estimate=None, n=12, reason=FEW)


def told(labels: EffectiveLabels, language: str = "en") -> list[str]:
    return [text(block, language) for block in shares(labels) if isinstance(block, Message)]


def test_what_scores_add_and_what_is_left_without_them_make_the_effective_labels() -> None:
    """132 + 89 = 221, which is 220.6 rounded."""
    assert told(SHOWN) == [
        "Your 150 labels tell as much as 221 labels of a plain random sample (95 %: 181 to 259).",
        "Without what the judges' scores tell, these labels would tell as much as 132: the scores add 89 (95 %: 54 to 119).",
    ]


@pytest.mark.parametrize(("labels", "is_credited"), [(SHOWN, True), (SILENT, False), (NONE, False)])
def test_judges_are_credited_only_where_their_part_is_shown(labels: EffectiveLabels, is_credited: bool) -> None:
    first = text(sentence(labels))

    assert first.startswith("Your 150 labels tell as much as 221 labels of a plain random sample (95 %: 181 to 259).")
    assert ("It is not shown that the judges' scores add" in first) is not is_credited
    assert any("the scores add" in words for words in told(labels)) is is_credited


def test_what_scores_add_may_be_more_than_can_be_told() -> None:
    """Then nothing says that they are not shown to add, and no number stands for them."""
    assert "not shown" not in text(sentence(UNTOLD))
    assert [numbers(words) for words in told(UNTOLD)] == [numbers(told(SHOWN)[0]), numbers("")]
    assert TOO_LITTLE_LEFT in told(UNTOLD)[1]


def test_what_is_not_known_has_its_reason_and_no_number_of_labels() -> None:
    blocks: list[Block] = list(shares(UNKNOWN))

    assert [FEW in words for words in told(UNKNOWN)] == [True]
    assert not any(isinstance(block, Table) for block in blocks)


@pytest.mark.parametrize("labels", [SHOWN, SILENT, NONE, UNTOLD, UNKNOWN])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_the_same_numbers(labels: EffectiveLabels, language: str) -> None:
    assert numbers(" ".join(told(labels, language))) == numbers(" ".join(told(labels)))
    assert numbers(text(sentence(labels), language)) == numbers(text(sentence(labels)))
