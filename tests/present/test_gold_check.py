"""What is said of a check against the gold set: a claim only with its paired interval, the same in every language and medium."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from annotate.analysis.gold.regression import Checked
from annotate.analysis.next_step.gold import after_gold_check
from annotate.domain.gate_limits import GoldCheckLimits
from annotate.domain.gold.matching import GoldQuestion, MatchedAnswers
from annotate.domain.gold.regression import CheckOutcome, Comparison, JudgeAgainstAnnotators, Said, SaidBy, check
from annotate.present.document import Status
from annotate.present.gold import check as gold_check
from annotate.present.messages import text
from annotate.present.schemas.gold import check as schema
from proxy.records import Judgement, Label
from proxy.stats.agreement.rogan_gladen import Count
from support.documents import check as check_document
from support.documents import check_model

HARMED, HARMFUL = 1_007, Label(item_id="n1007", judgement=Judgement.WRONG, harm="serious")
HOSTILE = "new\x1b[31m<i>|_*駅"
CHECKED, UNCHECKED = (JudgeAgainstAnnotators(Count(x=19 * n, n=20 * n), Count(x=18 * n, n=20 * n)) for n in (1, 0))


def comparisons(
    count: int, was_right: bool | None, is_right: bool | None, by: SaidBy = SaidBy.ANNOTATOR, *, start: int = 0
) -> list[Comparison]:
    """So many questions, with what is said of the old answer and of the new one; None in place of the new one is no answer."""
    judgement = {True: Judgement.RIGHT, False: Judgement.WRONG, None: Judgement.UNSURE}[was_right]
    return [
        Comparison(
            entry=GoldQuestion(
                gold_id=f"g{k:03}", item=k, question=f"Question {k}? {HOSTILE}", reference="R", flag="f"
            ),
            label=Label(item_id=str(k), judgement=judgement),
            old_answer="Old.",
            new_id=None if is_right is None else f"n{k}",
            new_answer=None if is_right is None else HOSTILE,
            new_label=HARMFUL if k == HARMED and is_right is False else None,
            verdict=None if is_right is None else Said(is_right, by, f"because {HOSTILE}"),
            old_passes=was_right,
        )
        for k in range(start, start + count)
    ]


def checked(entries: Sequence[Comparison], judge: JudgeAgainstAnnotators = CHECKED) -> Checked:
    return Checked(
        system=HOSTILE,
        check=check(entries, judge),
        matched=MatchedAnswers({}, {"n1": ("g001", "g500")}, frozenset({"g501"})),
        without_role=3,
        flagged=1_234,
        judge="judge|v1",
        threshold=0.5,
        is_default_threshold=True,
        limits=GoldCheckLimits(allow_broken=0),
        is_fooled=True,
    )


KEPT = comparisons(60, True, True, start=100)
BROKE = comparisons(20, True, False, start=1_001)
MENDED = comparisons(20, False, True, start=20)
GONE = comparisons(30, True, None, start=40)
BY_JUDGE = comparisons(9, True, False, SaidBy.JUDGE, start=300)
CASES: dict[str, tuple[CheckOutcome, Status, Checked]] = {
    "empty": (CheckOutcome.EMPTY, Status.UNMEASURABLE, checked([])),
    "unchecked": (CheckOutcome.UNCHECKED, Status.OPEN, checked(KEPT + BY_JUDGE, UNCHECKED)),
    "uncompared": (CheckOutcome.UNCOMPARED, Status.UNMEASURABLE, checked(comparisons(2, None, True))),
    "worse": (CheckOutcome.WORSE, Status.MISSED, checked(KEPT + BROKE[:5] + BROKE[7:])),
    "worse by the judge": (CheckOutcome.WORSE, Status.MISSED, checked(BY_JUDGE)),
    "better": (CheckOutcome.BETTER, Status.MET, checked(KEPT + MENDED)),
    "few": (CheckOutcome.FEW, Status.OPEN, checked(comparisons(4, True, False))),
    "missing": (CheckOutcome.MISSING, Status.OPEN, checked(KEPT + MENDED + GONE)),
    "open": (CheckOutcome.OPEN, Status.MISSED, checked(KEPT + BROKE + MENDED)),
    "nothing moved": (CheckOutcome.OPEN, Status.OPEN, checked(KEPT)),
}


@pytest.mark.parametrize("case", CASES)
def test_a_check_is_told_alike_in_every_language_and_medium(case: str) -> None:
    """Every number of the English text is in the others; the JSON holds to its schema."""
    standing, status, result = CASES[case]
    document = gold_check.document(result, after_gold_check(result))

    assert (result.check.standing, document.status) == (standing, status)
    assert "\x1b" not in check_document(document)
    check_model(schema.GoldCheckModel.read(result, document))


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("worse", "is worse than before: -23 points (-32 to -13, n = 78) on the gold questions."),
        ("better", "is better than before: +25 points (+14 to +34, n = 80) on the gold questions."),
        (
            "few",
            "is not shown better or worse: -100 points (-100 to -7, n = 4), but so few questions leave it to chance",
        ),
        ("missing", "looks better, by +25 points (+14 to +34, n = 80), but not if the 30 questions without an answer"),
        ("open", "is not shown better or worse than before: 0 points (-12 to +12, n = 100)"),
        ("uncompared", "cannot be compared with before"),
    ],
)
def test_better_and_worse_are_said_with_the_paired_interval(case: str, words: str) -> None:
    """And only where it lies beside 0, by more than chance, whatever the questions without an answer are."""
    assert words in text(gold_check.answer(CASES[case][2]))


def test_the_gate_says_no_more_than_the_sentence() -> None:
    """Four of four lost may be chance: the gate still fails, the JSON calls nothing worse, and both say why."""
    result = CASES["few"][2]
    gate = gold_check.gate(result.check, result.limits)
    model = schema.GoldCheckModel.read(result, gold_check.document(result)).to_dict()

    assert gate.passed is False
    assert any(reason.startswith("it looks worse: -100 points (-100 to -7, n = 4); so few") for reason in gate.reasons)
    assert model["worse"] is False


def test_what_is_not_measured_is_a_dash_with_its_reason() -> None:
    """Nothing is right or wrong both before and now: no difference, and a share of the new answers alone."""
    full = check_document(gold_check.document(CASES["uncompared"][2]))

    assert re.search("Difference as counted +—", full)
    assert "Difference as counted: no question can be compared" in full


@pytest.mark.slow
def test_what_is_seriously_wrong_comes_first() -> None:
    """Whatever the difference is: the entry is named, and the gate names it too."""
    result = CASES["open"][2]
    document = gold_check.document(result)

    assert "seriously harmful: g1007" in check_document(document).splitlines()[3]
    assert (
        "wrong on entries with a wrong answer marked seriously harmful: g1007"
        in gold_check.gate(result.check, result.limits).reasons
    )


@pytest.mark.parametrize(
    ("case", "commands"),
    [
        ("empty", [("assay gold review",)]),
        ("missing", [("assay ingest FILE",)]),
        ("unchecked", [("assay labels import FILE",)]),
        ("worse", [("assay diagnose",)]),
        ("nothing moved", []),
    ],
)
def test_what_comes_next_is_what_is_missing(case: str, commands: list[tuple[str, ...]]) -> None:
    """Answers before labels, labels before a look at what broke; nothing where all is right."""
    assert [step.commands for step in after_gold_check(CASES[case][2])] == commands
