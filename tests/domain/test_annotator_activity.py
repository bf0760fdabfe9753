"""Summaries of annotators by hand, and notes only where chance would not do the same."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from scipy.stats import hypergeom

from annotate.domain.annotator_activity import FewestSeconds, TimedJudgement, annotators, at_least
from annotate.domain.message import Kind, Number
from proxy.records import Judgement

RIGHT, WRONG, UNSURE = Judgement


def by_hand() -> list[TimedJudgement]:
    return [
        *(
            TimedJudgement(1, "bob", RIGHT, 10.0),
            TimedJudgement(1, "ann", RIGHT, 20.0),
            TimedJudgement(1, "eve", WRONG, None),
        ),
        *(
            TimedJudgement(2, "bob", WRONG, 30.0),
            TimedJudgement(2, "ann", WRONG, 40.0),
            TimedJudgement(3, "bob", UNSURE, 20.0),
        ),
        *(
            TimedJudgement(3, "ann", RIGHT, 60.0),
            TimedJudgement(4, "bob", None, 99.0),
            TimedJudgement(1, "eve", RIGHT, 1.0),
        ),
    ]


def test_a_summary_by_hand() -> None:
    """Bob: 3 labels, 1 skip, one of three unsure, half right, 20 s; alike with ann twice and with eve's last word once."""
    ann, bob, eve = annotators(by_hand())

    assert (ann.name, bob.name, eve.name) == ("ann", "bob", "eve")
    assert (bob.n, bob.skipped, bob.unsure, bob.right, bob.seconds, bob.timed) == (
        *(3, 1, pytest.approx(1 / 3), pytest.approx(1 / 2), 20.0, 3),
    )
    assert (bob.agreement, bob.pairs) == (1.0, 3)
    assert (eve.n, eve.right, eve.agreement, eve.pairs) == (1, 1.0, 1.0, 2)
    assert ann.notes == bob.notes == eve.notes == ()


def test_nobody_and_one_alone_are_no_error() -> None:
    """Without work there is no summary, without others there is no note and no agreement."""
    assert annotators([]) == []
    (alone,) = annotators([TimedJudgement(k, "ann", RIGHT, 1.0) for k in range(40)])
    assert (alone.notes, alone.agreement, alone.pairs) == ((), None, 0)
    (skips,) = annotators([TimedJudgement(1, "ann", None, None)])
    assert (skips.n, skips.skipped, skips.unsure, skips.right, skips.seconds) == (0, 1, None, None, None)


@pytest.mark.parametrize(
    ("hits", "drawn", "marked", "size"), [(0, 5, 3, 9), (3, 5, 3, 9), (20, 20, 25, 40), (9, 9, 9, 9)]
)
def test_the_tail_is_the_hypergeometric_one(hits: int, drawn: int, marked: int, size: int) -> None:
    """Against scipy, and against exact fractions."""
    exact = sum(
        Fraction(math.comb(marked, k) * math.comb(size - marked, drawn - k), math.comb(size, drawn))
        for k in range(hits, min(drawn, marked) + 1)
    )

    assert at_least(hits, drawn, marked, size) == pytest.approx(float(exact), rel=1e-9)
    assert at_least(hits, drawn, marked, size) == pytest.approx(hypergeom.sf(hits - 1, size, marked, drawn), rel=1e-9)


def works(times: dict[str, float], each: int = 20) -> list[TimedJudgement]:
    """Annotators of `each` items with these times, two in three right; nobody reads what another does."""
    return [
        TimedJudgement(100 * place + k, name, RIGHT if k % 3 else WRONG, seconds + k % 4)
        for place, (name, seconds) in enumerate(times.items())
        for k in range(each)
    ]


@pytest.mark.parametrize(("seconds", "note"), [(4.0, "quicker"), (70.0, "slower"), (10.0, None), (40.0, None)])
def test_much_quicker_or_slower_than_the_others_is_said_gently(seconds: float, note: str | None) -> None:
    """A third or three times the others' median of 21.5 s; half or twice as long is nobody's business."""
    (eve,) = [
        annotator
        for annotator in annotators(works({"ann": 20.0, "bob": 20.0, "eve": seconds}))
        if annotator.name == "eve"
    ]

    assert [remark.key for remark in eve.notes] == ([f"labels.note_{note}"] if note else [])
    assert [remark.values for remark in eve.notes] == (
        [{"seconds": Number(seconds + 1.5, Kind.DURATION), "others": Number(21.5, Kind.DURATION)}] if note else []
    )


def test_few_timed_labels_say_nothing_of_the_pace() -> None:
    """Nine labels, however quick."""
    quick = works({"eve": 1.0}, each=9)
    slow = works({"ann": 60.0, "bob": 60.0})

    assert all(not annotator.notes for annotator in annotators([*quick, *slow]))


@pytest.mark.parametrize(
    ("own", "others", "is_noted"),
    [
        ([RIGHT] * 20, [RIGHT, WRONG] * 20, True),
        ([RIGHT] * 20, [RIGHT] * 19 + [WRONG], False),
        ([RIGHT] * 19, [RIGHT, WRONG] * 20, False),
        ([UNSURE] * 19 + [RIGHT], [RIGHT, WRONG] * 20, True),
        ([RIGHT] * 17 + [WRONG] * 3, [RIGHT, WRONG] * 20, False),
    ],
)
def test_nearly_always_the_same_key(own: list[Judgement], others: list[Judgement], is_noted: bool) -> None:
    """Twenty or more labels, nineteen in twenty alike, where the others do otherwise; all alike where all are right is nothing."""
    work = [TimedJudgement(k, "ann", word, None) for k, word in enumerate(own)]
    work += [TimedJudgement(1000 + k, "bob", word, None) for k, word in enumerate(others)]
    notes = {annotator.name: annotator.notes for annotator in annotators(work)}

    assert bool(notes["ann"]) is is_noted
    assert [note.key for note in notes["ann"]] == ["labels.note_same_key"] * is_noted
    for note in notes["ann"]:
        counts = (len(own), max(own.count(key) for key in Judgement), len(others))
        assert (note.values["labels"], note.values["times"], note.values["others_labels"]) == counts
    assert notes["bob"] == ()


@pytest.mark.slow
def test_among_annotators_who_do_alike_hardly_anybody_gets_a_note() -> None:
    """200 teams of 5 with one urn and one clock: under a true rate of 1 % a team, more than 8 would be a 1 in 1,000 case."""
    rng = random.Random(9)
    noted = 0
    for _ in range(200):
        work = [
            TimedJudgement(
                100 * place + k, f"r{place}", RIGHT if rng.random() < 0.93 else WRONG, rng.lognormvariate(3, 1)
            )
            for place in range(5)
            for k in range(25)
        ]
        noted += any(annotator.notes for annotator in annotators(work))

    assert noted <= 8


def test_a_note_holds_for_all_tests_and_all_annotators() -> None:
    """20 of 20 against 27 of 40 has P = C(47, 20) / C(60, 20) = .0023: under 1 % / 2 people, not under 1 % / 2 people / 5 tests."""
    by_chance = math.comb(47, 20) / math.comb(60, 20)
    assert 0.01 / 10 < by_chance < 0.01 / 2
    ann = [TimedJudgement(k, "ann", RIGHT, None) for k in range(20)]
    for right, is_noted in ((27, False), (24, True)):
        bob = [TimedJudgement(100 + k, "bob", RIGHT if k < right else WRONG, None) for k in range(40)]
        assert bool(annotators([*ann, *bob])[0].notes) is is_noted


def test_labels_faster_than_reading_are_counted_beside_the_others() -> None:
    """Bob's 10 s on an item that takes 15, not his 30; a skip, an untimed label and an item without a length count nowhere."""
    ann, bob, eve = annotators(by_hand(), {1: FewestSeconds(5, 10), 2: FewestSeconds(5, 20), 4: FewestSeconds(0, 1000)})

    assert (ann.faster_than_reading, bob.faster_than_reading, eve.faster_than_reading) == (0, 1, 1)
    [note] = bob.notes
    values = dict(note.values)
    assert note.key == "labels.note_reading"
    assert [values[name] for name in ("count", "timed", "others", "others_timed")] == [1, 2, 1, 3]
    assert annotators(by_hand())[1].notes == ()


def test_a_question_that_was_just_read_takes_no_time() -> None:
    """Within a block it is read once: 10 seconds are enough for the answer, not for both."""
    work = [TimedJudgement(1, "ann", RIGHT, 10.0), TimedJudgement(2, "ann", RIGHT, 10.0, knows_question=True)]
    least = FewestSeconds(question=5, answer=8)
    (ann,) = annotators(work, {1: least, 2: least})
    assert ann.faster_than_reading == 1
