"""What `assay diagnose` says where one side of the relevance threshold has no answers, or no labels: advice that can work."""

from __future__ import annotations

import pytest

from proxy.diagnosis import ReachedScore, reach
from support.diagnosis import given, scored
from support.store import Assay, draw, label, traffic_row

AGREE = "Annotators and the scores do not contradict each other"


def all_on_one_side(assay: Assay, lowest: float, *, drawn: int = 28) -> None:
    """28 answers that score from `lowest` upwards in steps of 0.01; every third of the drawn ones is wrong."""
    names = [f"i{n}" for n in range(28)]
    rows = [row for n, name in enumerate(names) for row in scored(name, round(lowest + n / 100, 2), 0.9)]
    given(assay, [traffic_row(name) for name in names], rows, [], is_drawn=False)
    draw(assay, drawn)
    taken = [name for (name,) in assay.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item ORDER BY i.key")]
    words = [label(name, "right" if n % 3 else "wrong") for n, name in enumerate(taken)]
    assay("labels", "import", assay.write("labels.jsonl", words))


@pytest.mark.slow
@pytest.mark.parametrize("drawn", [28, 12])
@pytest.mark.parametrize(
    ("lowest", "words", "threshold"),
    [
        (0.10, "no answer has passages that score above 0.500 (the highest is 0.37)", "0.23"),
        (0.60, "no answer has passages that score at most 0.500 (the lowest is 0.60)", "0.73"),
        (0.24, "only 1 answer has passages that score above 0.500 (the highest is 0.51)", "0.37"),
    ],
)
def test_an_empty_side_is_named_with_a_cut_that_has_both(
    assay: Assay, lowest: float, words: str, threshold: str, drawn: int
) -> None:
    """No labels are asked for, however many are undrawn; the threshold advised does compare; the report says the same."""
    all_on_one_side(assay, lowest, drawn=drawn)
    page, diagnosis = " ".join(assay("diagnose", "--full").stdout.split()), assay.json("diagnose")

    assert diagnosis["answer"] == f"No stage can be named: {words}."
    assert f"A threshold of {threshold}0 leaves answers on both sides" in page
    assert diagnosis["systems"][0]["naming"]["obstacle"] == "one_sided"
    assert [step["commands"] for step in diagnosis["next"]] == [[f"assay diagnose --relevance-threshold {threshold}"]]
    assert diagnosis["answer"] in " ".join(assay("report", "--full").stdout.split())
    assert "label about" not in page
    assert "assay sample" not in page
    assert AGREE not in page

    again = assay.json("diagnose", "--relevance-threshold", threshold)["systems"][0]["naming"]
    assert again["tested"]["retrieval"]["difference"]["estimate"] is not None


@pytest.mark.slow
def test_labels_are_asked_for_only_where_they_lack(assay: Assay) -> None:
    """One side has plenty, the other waits for its labels: two more there, of the draws that wait; then of none."""
    names = [f"i{n}" for n in range(20)]
    scores = [row for n, name in enumerate(names) for row in scored(name, 0.1 if n < 12 else 0.9, 0.9)]
    low = [label(name, "wrong" if n % 2 else "right") for n, name in enumerate(names[:12])]
    given(assay, [traffic_row(name) for name in names], scores, low)
    page, diagnosis = " ".join(assay("diagnose").stdout.split()), assay.json("diagnose")

    assert "label at least 2 more with passages that score above 0.500" in page
    assert "more with passages that score at most" not in page
    commands = ["assay draws export FILE --blind", "assay labels import FILE"]
    assert [step["commands"] for step in diagnosis["next"]] == [commands]

    unsure = [label(name, "unsure") for name in names[12:]]
    assay("labels", "import", assay.write("more.jsonl", unsure))
    page, diagnosis = " ".join(assay("diagnose").stdout.split()), assay.json("diagnose")

    assert "too few drawn labels to compare both sides of the threshold (6 wrong, 6 right)" in page
    assert "label about" not in page
    assert [step["commands"] for step in diagnosis["next"]] == [["assay ingest FILE"]]


@pytest.mark.slow
def test_systems_on_different_sides_are_not_compared_with_each_other(assay: Assay) -> None:
    """One has low scores, the other high ones: each is told its own, and all together that none has both."""
    names = [f"i{n}" for n in range(16)]
    rows = [traffic_row(name, system="low" if n < 8 else "high") for n, name in enumerate(names)]
    scores = [row for n, name in enumerate(names) for row in scored(name, n / 100 + (0.1 if n < 8 else 0.8), 0.9)]
    given(assay, rows, scores, [label(name, "wrong" if n % 2 else "right") for n, name in enumerate(names)])
    diagnosis = assay.json("diagnose")

    assert (
        "no system has enough answers on both sides of 0.500, and systems are only compared with themselves"
        in diagnosis["answer"]
    )
    assert [system["naming"]["obstacle"] for system in diagnosis["systems"]] == ["one_sided", "one_sided"]
    assert AGREE not in assay("diagnose", "--full").stdout


def test_a_cut_is_advised_only_where_it_leaves_answers_on_both_sides() -> None:
    """Never one that puts fewer than two answers on a side, nor one where no answer has a score."""

    def threshold(*values: float) -> float | None:
        reached = reach({None: [ReachedScore(value, is_decided=False, is_open=True) for value in values]}, 0.5)
        return reached.threshold if reached else None

    assert threshold() is None
    assert threshold(0.2, 0.2, 0.2, 0.2, 0.2) is None
    assert threshold(0.1, 0.2, 0.3) is None
    assert threshold(0.1, 0.2, 0.3, 0.3) == 0.2
    assert threshold(0.1, 0.1, 0.3, 0.3, 0.3, 0.3) == 0.1
    assert threshold(0.0, 0.0, 0.001, 0.001) == 0.0
    assert threshold(0.1231, 0.1232, 0.1233, 0.1234) == 0.1232
