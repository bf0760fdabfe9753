"""What is said of a diagnosis: a stage only with what shows it, else what would tell; alike in every language and medium."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from annotate.analysis import diagnosis
from annotate.analysis.diagnosis import Diagnoses, Thresholds
from annotate.analysis.next_step.commands import FILES
from annotate.analysis.next_step.diagnosis import after_diagnosis
from annotate.domain.message import Message, Step
from annotate.domain.sampling.outcomes import ToLabel
from annotate.present import diagnosis as present_diagnosis
from annotate.present.document import Status
from annotate.present.messages import LANGUAGES, text
from annotate.present.schemas import diagnosis as schema
from annotate.store import Store
from proxy.diagnosis.causes import SUSPECTS
from support.diagnosis import given, scored
from support.documents import check, check_model
from support.store import Assay, label, traffic_row

HOSTILE = "s\x1b[31m<i>|_*駅"


def build(assay: Assay) -> Diagnoses:
    store = Store(assay.db)
    try:
        return diagnosis.build(store, thresholds=Thresholds())
    finally:
        store.close()


def parted(assay: Assay, *, wrong_is_low: bool = True) -> None:
    """80 answers, half with low-scored passages: these are wrong, or wrong and right ones are alike; two systems."""
    names = [f"i{n}" for n in range(80)]
    rows = [traffic_row(name, system=HOSTILE if n % 4 < 2 else "b") for n, name in enumerate(names)]
    scores = [row for n, name in enumerate(names) for row in scored(name, 0.1 if n % 2 else 0.9, 0.9)]
    words = ["wrong" if (n % 2 if wrong_is_low else n // 2 % 2) else "right" for n in range(80)]
    labels = [
        label(name, word, causes=["retrieval_missed"] if word == "wrong" else [])
        for name, word in zip(names, words, strict=True)
    ]
    given(assay, rows, scores, labels)


def missed(assay: Assay) -> None:
    """Twelve answers that score high on both judges, half of them wrong: the proxy's own misses."""
    names = [f"i{n}" for n in range(12)]
    rows = [traffic_row(name, answer="It is <b>there</b>.", contexts=["Here."]) for name in names]
    scores = [row for name in names for row in scored(name, 0.9, 0.8)]
    labels = [label(name, "right" if n % 2 else "wrong", harm="serious") for n, name in enumerate(names)]
    given(
        assay,
        rows,
        scores,
        [{k: v for k, v in row.items() if row["label"] == "wrong" or k != "harm"} for row in labels],
    )


def without_passages(assay: Assay) -> None:
    names = "abcdef"
    given(assay, [traffic_row(n, contexts=[]) for n in names], [], [label(n, "wrong") for n in names])


def unlabelled(assay: Assay) -> None:
    given(assay, [traffic_row("a")], [], [])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "status", "begins", "command"),
    [
        (
            parted,
            Status.DONE,
            "Look at retrieval first: answers from low-scored passages are wrong more often: +100 points (+",
            5,
        ),
        (missed, Status.UNMEASURABLE, "No stage can be named: no answer has passages that score at most 0.500", 1),
        (
            without_passages,
            Status.UNMEASURABLE,
            "No stage can be named: 6 of 6 labelled wrong answers have no passages",
            0,
        ),
        (unlabelled, Status.UNMEASURABLE, "There is nothing to diagnose yet: no answer has a label.", 2),
    ],
)
def test_a_diagnosis_is_told_alike_in_every_language_and_medium(
    assay: Assay, make: Callable[[Assay], None], status: Status, begins: str, command: int
) -> None:
    """A stage with its difference, own misses, nothing to tell by, no label; the JSON holds to its schema."""
    make(assay)
    result = build(assay)
    document = present_diagnosis.document(result, after_diagnosis(result, FILES))
    full = check(document)

    assert document.status is status
    assert text(document.answer).startswith(begins)
    assert "\x1b" not in full
    assert sum(len(step.commands) for step in document.next) == command
    check_model(schema.MODEL.read(result, document))


@pytest.mark.slow
def test_no_stage_is_named_where_the_interval_holds_0(assay: Assay) -> None:
    """Wrong as often with low-scored passages as with others: the difference so far, no advice, and what would tell."""
    parted(assay, wrong_is_low=False)
    result = build(assay)
    full = " ".join(check(present_diagnosis.document(result, after_diagnosis(result, FILES))).split())

    assert full.startswith("No stage can be named: ")
    assert "first:" not in full
    assert "Try" not in full
    assert "likely" not in full.lower()
    assert "not shown to be above 0" in full


@pytest.mark.slow
def test_an_objection_names_no_stage(assay: Assay) -> None:
    """The labels part the two sides perfectly, and annotators do not agree: the reason stands in place of a name."""
    parted(assay)
    result = build(assay)
    objected = [
        replace(diagnosed, naming=replace(diagnosed.naming, objections=("annotators do not agree",)))
        for diagnosed in result.each
    ]
    result = replace(result, whole=replace(result.whole, objections=("annotators do not agree",)), each=objected)
    document = present_diagnosis.document(result, after_diagnosis(result, FILES))

    assert text(document.answer) == "No stage can be named: the labels support no conclusion."
    assert document.status is Status.OPEN
    assert "The reason: annotators do not agree." in check(document)
    assert document.next[0].commands == ("assay labels disagreements",)


def test_nothing_is_drawn_where_nothing_is_left(assay: Assay) -> None:
    """Without a label and without an answer to draw, new traffic comes next; with some, they are drawn."""
    unlabelled(assay)
    result = build(assay)
    steps = [after_diagnosis(replace(result, left=left), FILES) for left in (ToLabel(0, 0), ToLabel(9, 0))]

    assert [step.commands[0] for (step,) in steps] == ["assay ingest FILE", "assay sample --labels 9"]


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_every_cause_and_remedy_is_translated(language: str) -> None:
    """Also those that nothing speaks for."""
    suspects = [suspect for of_stage in SUSPECTS.values() for suspect in of_stage]
    words = [words for suspect in suspects for words in (suspect.name, suspect.remedy)]

    assert [word for word in words if text(word, language) == word] == []


@pytest.mark.slow
def test_causes_are_in_the_reader_s_language(assay: Assay) -> None:
    """What speaks for a cause and what to do are translated like all else."""
    parted(assay)
    section = present_diagnosis.document(build(assay)).section("diagnosis.likely")

    assert section is not None
    (cause, *_) = section.blocks
    assert isinstance(cause, Message)
    said = [text(cause, language) for language in LANGUAGES]
    assert all("20" in words for words in said)
    assert ["knowledge" in words for words in said] == [True, False, False]


@pytest.mark.slow
def test_open_draws_are_labelled_before_further_questions_are_asked_for(assay: Assay) -> None:
    """No label can show a stage here: what waits is labelled all the same, and only what is left of nothing is called nothing."""
    missed(assay)
    result = build(assay)

    def step(undrawn: int, waiting: int) -> Step:
        return after_diagnosis(replace(result, left=ToLabel(undrawn=undrawn, waiting=waiting)), FILES)[-1]

    assert step(5, 33).commands == FILES.commands
    assert "33" in text(step(0, 33).message)
    assert text(step(5, 0).message).startswith("Put further questions")
    assert text(step(0, 0).message).startswith("Nothing of these is left")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("unsure", "shown", "hidden"),
    [
        (0, "There are too few answers to show a difference of 20 points.", "right or wrong yet"),
        (40, "40 draws have no right or wrong yet, and most of the interval's width", "too few answers"),
    ],
)
def test_a_wide_interval_says_which_of_two_causes_it(assay: Assay, unsure: int, shown: str, hidden: str) -> None:
    """80 answers, all drawn: with every label the interval is still wide; where half of them are unsure, these make it wide."""
    names = [f"i{n:03}" for n in range(80)]
    scores = [row for n, name in enumerate(names) for row in scored(name, 0.1 if n % 2 else 0.9, 0.9)]
    verdicts = ["unsure" if n < unsure else "wrong" if n // 2 % 2 else "right" for n in range(80)]
    given(
        assay,
        [traffic_row(name) for name in names],
        scores,
        [label(name, verdict) for name, verdict in zip(names, verdicts, strict=True)],
    )
    diagnosis = " ".join(assay("diagnose", "--full").stdout.split())

    assert shown in diagnosis
    assert hidden not in diagnosis
