"""What `assay drift` says where little or nothing can be measured: an answer in words, never a crash, and no gate passes."""

from __future__ import annotations

import pytest

from annotate.store import Store
from support.drift import A_WEEK, fill, label_all, say
from support.store import Assay, label

CANNOT = "Whether quality has dropped cannot be told"
TIME = "time brings more, not labels"


def next_commands(assay: Assay) -> list[str]:
    return [command for step in assay.json("drift")["next"] for command in step["commands"]]


def first(assay: Assay, *options: str) -> str:
    """The answer and why quality is not watched; the gate fails, and says why, where that is so and labels or times mend it."""
    drift = assay.json("drift", *options)
    cannot = drift["answer"].startswith(CANNOT)
    waits = TIME in drift["answer"]
    result = assay("drift", "--gate", *options, status=3 if cannot and not waits else 0)

    assert drift["gate"]["passed"] in ([None] if waits else [False] if cannot else [True, None])
    assert (f"gate failed: {CANNOT}" in result.stderr) is (cannot and not waits)
    assert (f"gate: not decidable: {CANNOT}" in result.stderr) is waits
    assert drift["next"][-1]["commands"]
    assert " ".join(result.stdout.split()).startswith(drift["answer"])
    return f"{drift['answer']} {drift['quality']['reason']}"


@pytest.mark.slow
def test_days_are_advised_where_they_can_be_watched(assay: Assay) -> None:
    """Two days in one week make no yardstick and a later window: the sentence and the next command leave them out."""
    right = fill(assay, weeks=1)
    assay("sample", "--labels", str(len(right)), "--seed", "1")
    say(assay, {name: truth for n, (name, truth) in enumerate(right.items()) if n % 7 < 2})

    assert first(assay).startswith(f"{CANNOT}: there is 1 window of a week, and it takes 5; {TIME}.")
    assert "assay drift --by day" not in next_commands(assay)


@pytest.mark.slow
def test_without_timestamps(assay: Assay) -> None:
    """The field is named, and how to map it."""
    label_all(assay, fill(assay, weeks=2, timed=False))

    assert next_commands(assay) == ["assay ingest FILE --map timestamp=FIELD"]
    assert first(assay).startswith(f"{CANNOT}: no answer has a timestamp.")
    assert assay.json("drift")["windows"] == []


@pytest.mark.slow
def test_with_some_timestamps(assay: Assay) -> None:
    """What has none is counted and in no window."""
    right = fill(assay, weeks=6)
    assay("ingest", assay.write("more.jsonl", [{"id": "x", "question": "Q", "answer": "A", "contexts": ["C"]}]))
    label_all(assay, right)

    assert "Answers without a timestamp, in no window: 1 of 241." in assay("drift").stdout


@pytest.mark.slow
def test_of_one_window(assay: Assay) -> None:
    """How many there are and how many it takes, also of the judge; shorter windows are offered. A given rate needs one alone."""
    label_all(assay, fill(assay, weeks=1))
    judge = assay.json("drift")["judge"]

    assert first(assay).startswith(f"{CANNOT}: there is 1 window of a week, and it takes 5; {TIME}.")
    assert {monitor["reason"] for monitor in judge} == {f"not measurable yet: windows so far 1, needed 5; {TIME}"}
    assert first(assay, "--good", "0.8").startswith("Nothing has changed")
    assert next_commands(assay) == ["assay drift --by day"]


@pytest.mark.slow
def test_without_labels(assay: Assay) -> None:
    """Before and after a wave is drawn; the pass rate and items are there all the same."""
    fill(assay, weeks=6)
    before = first(assay)
    assay("sample", "--labels", "50", "--seed", "1")
    drift = assay.json("drift")

    assert before.startswith(f"{CANNOT} yet. not measurable: no")
    assert drift["quality"]["reason"].startswith("not measurable: no drawn item")
    assert {window["items"] for window in drift["windows"]} == {A_WEEK}
    assert {window["correctness"]["estimate"] for window in drift["windows"]} == {None}


@pytest.mark.slow
def test_with_labels_in_one_window_alone(assay: Assay) -> None:
    """It says in which, and to draw later items."""
    right = fill(assay, weeks=6)
    assay("sample", "--labels", str(len(right)), "--seed", "1")
    say(assay, {name: truth for name, truth in right.items() if name.startswith("w02")})

    assert first(assay).startswith(f"{CANNOT}: all 40 labels are of one week (2026-06-15).")
    assert next_commands(assay)[:2] == ["assay draws export FILE --blind", "assay labels import FILE"]


@pytest.mark.slow
def test_with_too_few_labels_a_window(assay: Assay) -> None:
    """A thin window is a dash with what to label; a baseline of too few says how many more, or --good."""
    right = fill(assay, weeks=8)
    assay("sample", "--labels", str(len(right)), "--seed", "1")
    say(assay, {name: truth for name, truth in right.items() if name.endswith(("-05", "-11", "-22"))})
    said = " ".join(assay("drift", "--full").stdout.split())

    assert "windows have 18 effective labels; label 13 more there" in first(assay)
    assert "say with --good what rate counts as good" in first(assay)
    assert (
        "— Right, 2026-06-01 … 2026-07-20 (8): not measurable: label 2 more items of this window; drawn and without"
        in said
    )
    assert "the 296 that wait labelled, or bring in new traffic" in said
    assert next_commands(assay)[:2] == ["assay draws export FILE --blind", "assay labels import FILE"]
    assert not first(assay, "--good", "0.8").startswith(CANNOT)


@pytest.mark.slow
def test_with_labels_on_passed_items_alone(assay: Assay) -> None:
    """What they cannot speak for is asked for; nothing is watched as if they were a sample of all."""
    right = fill(assay, weeks=8)
    assay("sample", "--labels", str(len(right)), "--seed", "1")
    say(assay, {name: truth for name, truth in right.items() if name[-2:] >= "05" and truth})
    drift = assay.json("drift")

    assert drift["quality"]["reason"].startswith("not measurable: label 10 more items among 10 items of failed")
    assert drift["quality"]["path"] == []
    assert {window["labels_of_equal_chance"] for window in drift["windows"]} == {0}


@pytest.mark.slow
def test_with_no_later_window_than_the_yardstick(assay: Assay) -> None:
    """The first windows are what later ones are held against: time brings those; a shorter yardstick may be asked for."""
    label_all(assay, fill(assay, weeks=3))

    assert first(assay).startswith(f"{CANNOT}: there are 3 windows of a week, and it takes 5; {TIME}.")
    assert first(assay, "--baseline", "2").startswith("Nothing has changed")


@pytest.mark.slow
def test_where_later_windows_have_no_label_labels_bring_them(assay: Assay) -> None:
    """Six weeks are there, and the first four have labels: the fifth needs labels, not time; the gate fails until it has them."""
    right = fill(assay, weeks=6)
    assay("sample", "--labels", str(len(right)), "--seed", "1")
    say(assay, {name: truth for name, truth in right.items() if name[:3] < "w04"})

    assert "4 of 6 windows have labels, and it takes 5; label later answers" in first(assay)


@pytest.mark.slow
def test_the_rates_of_the_judge_say_which_labels_they_count(assay: Assay) -> None:
    """All 160 labels of a wave of everything are of equal chance: as many of either kind as the first four weeks have."""
    right = fill(assay, weeks=6)
    label_all(assay, right)
    learnt = [truth for name, truth in right.items() if name[:3] < "w04"]
    words = " ".join(assay("drift", "--full").stdout.split())

    assert f"one to a question: {sum(learnt)} right and {len(learnt) - sum(learnt)} wrong answers of the first" in words
    assert {monitor["before"]["method"] for monitor in assay.json("drift")["judge"]} == {
        "Wilson; of labels of equal chance, one to a question"
    }


@pytest.mark.slow
@pytest.mark.parametrize("word", ["unsure", "right", "wrong"])
def test_with_one_kind_of_label(assay: Assay, word: str) -> None:
    """Only unsure: nothing can be said. Only right or only wrong: steady, and the other side of the judge is not watched."""
    right = fill(assay, weeks=8)
    assay("sample", "--labels", str(len(right)), "--seed", "1")
    assay("labels", "import", assay.write("labels.jsonl", [label(name, word) for name in right]))
    said = first(assay)

    assert said.startswith(CANNOT if word == "unsure" else "Nothing has changed")
    if word != "unsure":
        absent = "wrong" if word == "right" else "right"
        assert (
            f"the rule passes {absent} answers more often: not watched, because not measurable: 0 {absent} answers"
            in assay("drift", "--gate").stderr
        )


@pytest.mark.slow
def test_without_scores(assay: Assay) -> None:
    """Quality is watched without any judge; the judge is not."""
    rows = [
        {
            "id": f"{n:03}",
            "question": f"Q{n}?",
            "answer": "A",
            "contexts": ["C"],
            "timestamp": f"2026-06-{1 + n % 28:02}T08:00:00Z",
        }
        for n in range(200)
    ]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay("sample", "--labels", "200", "--seed", "1")
    say(assay, {str(row["id"]): n % 5 > 0 for n, row in enumerate(rows)})

    assert first(assay, "--baseline", "2").startswith("Nothing has changed")
    assert "the rule passes right answers more often: not watched" in assay("drift", "--baseline", "2", "--gate").stderr


def test_an_empty_store_is_told_where_to_begin(assay: Assay) -> None:
    """No traffic at all."""
    Store(assay.db).close()

    assert first(assay).startswith(f"{CANNOT}: there is no traffic.")
    assert next_commands(assay) == ["assay ingest FILE"]
