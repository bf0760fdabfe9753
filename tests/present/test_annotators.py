"""What a report says of annotators: each figure with its interval, in every language."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from annotate.analysis.neighbours import Neighbours
from annotate.analysis.report.report import ProjectReport
from annotate.domain.annotator_activity import TimedJudgement, annotators
from annotate.domain.message import message
from annotate.domain.sampling.outcomes import Overlap
from annotate.present.document import Document, Section, Status
from annotate.present.labels import NOTE_RULE
from annotate.present.messages import LANGUAGES, text
from annotate.present.report.annotators import agreement
from proxy.evaluation.annotator_agreement import Reading, agreement_between
from proxy.evaluation.neighbours import neighbour_effect
from proxy.records import Judgement
from support.documents import check, numbers

RIGHT, WRONG = Judgement.RIGHT, Judgement.WRONG


NOBODY = Neighbours(neighbour_effect([], []), 0, 0)


def shown(readings: list[Reading], neighbours: Neighbours = NOBODY) -> str:
    """The section of a report whose annotators read this."""
    measured = agreement_between(readings)
    report = cast(
        ProjectReport,
        SimpleNamespace(annotator_agreement=measured, overlap=Overlap(20, measured.n), neighbours=neighbours),
    )
    blocks: Any = tuple(agreement(report))
    return " ".join(check(Document(message("report.unlabelled"), Status.MET, (Section(None, blocks),))).split())


def test_the_ceiling_on_a_proxy_has_its_interval() -> None:
    """Eighteen of twenty pairs agree: Wilson .699 to .972, so e = .053 lies in .014 to .185."""
    words = [(RIGHT, RIGHT)] * 12 + [(RIGHT, WRONG), (WRONG, RIGHT)] + [(WRONG, WRONG)] * 6
    readings = [Reading(n, name, word) for n, pair in enumerate(words) for name, word in zip("ab", pair, strict=True)]

    words_shown = shown(readings)

    assert "A perfect proxy would agree with one annotator on 94.7 % (82 to 98.6 %, n = 20) of answers" in words_shown
    assert "with a kappa of 0.88 (" in words_shown


def test_neighbours_are_spoken_of_once_blocks_were_read() -> None:
    """Nothing before; then how many questions are lacking, what cannot be told, and what an interval beyond 0 shows."""
    shares = {
        "few": ([1.0] * 9, [0.0] * 4),
        "open": ([0.5, 0.0] * 20, [0.5, 0.0] * 5),
        "shift": ([1.0] * 40, [0.0] * 9),
    }
    words = {
        name: shown([], Neighbours(neighbour_effect(*arms), len(arms[0]), len(arms[1])))
        for name, arms in shares.items()
    }

    assert "neighbour" not in shown([]).lower()
    assert "9 such questions were read in a block and 4 apart; 5 of each are needed" in words["few"]
    assert (
        "not shown to shift verdicts. How often their verdicts differ, in a block (40 questions) against apart (10): 0 points ("
        in words["open"]
    )
    assert (
        "shift verdicts. How often their verdicts differ, in a block (40 questions) against apart (9): +100 points ("
        in words["shift"]
    )


def test_nobody_who_read_twice_sets_no_ceiling() -> None:
    assert "perfect proxy" not in shown([Reading(1, "a", RIGHT)])


def test_a_note_is_worded_in_every_language() -> None:
    """Ann presses one key 20 times in 2 s each, bob two keys in 20 s: both notes, with the same numbers in each language."""
    own = [TimedJudgement(item, "ann", Judgement.RIGHT, 2.0) for item in range(20)]
    others = [
        TimedJudgement(100 + item, "bob", Judgement.RIGHT if item % 2 else Judgement.WRONG, 20.0) for item in range(40)
    ]
    quicker, same_key = annotators([*own, *others])[0].notes

    assert text(quicker) == (
        "quicker than the others (half of the labels within 2 s, others 20 s): worth a look together"
    )
    assert text(same_key) == ("nearly always the same key (right, 20 of 20; others 20 of 40): worth a look together")
    assert all("476" in text(NOTE_RULE, language) and "510" in text(NOTE_RULE, language) for language in LANGUAGES)
    for note in (quicker, same_key):
        assert len({text(note, language) for language in LANGUAGES}) == len(LANGUAGES)
        assert all(numbers(text(note, language)) == numbers(text(note)) for language in LANGUAGES)
