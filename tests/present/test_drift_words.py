"""What `assay drift` says where little or nothing can be measured: an answer in words, never a crash, and no gate passes."""

from __future__ import annotations

import pytest

from annotate.analysis.drift.windows import By, Supply, Thin
from annotate.present.drift import dashes
from proxy.drift.drift import Window
from proxy.evaluation.estimate import Estimate
from support.drift import A_WEEK, fill, label_all, say
from support.store import Assay, label, traffic_row

CANNOT = "Whether quality drifts cannot be said: "


def first(assay: Assay, *options: str) -> str:
    """The first line; the gate fails, and says why, where it says that quality cannot be watched."""
    sentence = str(assay.json("drift", *options)["sentence"])
    cannot = sentence.startswith(CANNOT)
    result = assay("drift", "--gate", *options, status=3 if cannot else 0)
    gate = assay.json("drift", *options)["gate"]

    assert gate["passed"] is not cannot
    assert ("gate failed: whether quality drifts cannot be said: " in result.stderr) is cannot
    assert result.stdout.splitlines()[-1].startswith("Next: `assay")
    return str(result.stdout.splitlines()[0])


@pytest.mark.parametrize(
    ("by", "items", "has_new", "waiting", "has_undrawn", "words"),
    [
        (By.WEEK, 2, True, 9, True, "this week has 2 answers; longer windows have more (`--by month`)"),
        (By.DAY, 4, True, 0, True, "this day has 4 answers; longer windows have more (`--by week`)"),
        (By.MONTH, 1, True, 0, True, "5 labels are needed, and this month has 1 answer"),
        (By.WEEK, 5, True, 9, True, "label 4 more items of this window; `assay sample --rate R`"),
        (By.WEEK, 5, False, 9, False, "label 4 more items of this window; drawn and without"),
        (By.WEEK, 5, False, 0, True, "this window; `assay sample --labels N` draws from"),
        (By.WEEK, 5, False, 0, False, "this window; every answer has been drawn, so only new traffic"),
    ],
)
def test_a_thin_window_is_asked_for_what_there_is(
    by: By, items: int, has_new: bool, waiting: int, has_undrawn: bool, words: str
) -> None:
    """Never for more labels than it has answers, nor for a stream where every answer has had its chance."""
    supply = Supply(has_new=has_new, open=waiting, is_sent=True, has_undrawn=has_undrawn)

    assert words in Thin(by, items, supply).reason(1)


def test_a_dash_has_its_own_reason() -> None:
    """By figure and window; figures that lack the same in the same windows share a line."""
    known, no, other = (
        Estimate(estimate=0.5),
        Estimate(estimate=None, reason="no"),
        Estimate(estimate=None, reason="other"),
    )
    both = {"pass_precision": known, "thumbs_down": known}
    windows = [
        Window(name="a", correctness=no, agreement=no, **both),
        Window(name="b", correctness=known, agreement=other, **both),
    ]

    assert dashes(windows, ["correctness", "agreement", "thumbs_down"]) == [
        (("correctness", "agreement"), "a", "no"),
        (("agreement",), "b", "other"),
    ]


@pytest.mark.slow
def test_days_are_advised_where_they_can_be_watched(assay: Assay) -> None:
    """Two days in one week make no yardstick and a later window: the sentence and the next command leave them out."""
    right = fill(assay, weeks=1)
    assay("sample", "--labels", str(len(right)), "--seed", "1")
    say(assay, {name: truth for n, (name, truth) in enumerate(right.items()) if n % 7 < 2})

    assert first(assay) == f"{CANNOT}all items are of one week (2026-06-01); come back later."
    assert "assay drift --by day" not in assay.json("drift")["next"]


def test_without_timestamps(assay: Assay) -> None:
    """The field is named, and how to map it."""
    label_all(assay, fill(assay, weeks=2, timed=False))

    assert assay.json("drift")["next"] == ["assay ingest FILE --map timestamp=FIELD"]
    assert first(assay).startswith(f"{CANNOT}no item has a timestamp; bring the time of each answer as `timestamp`")
    assert assay.json("drift")["windows"] == []


@pytest.mark.slow
def test_with_some_timestamps(assay: Assay) -> None:
    """What has none is counted and in no window."""
    right = fill(assay, weeks=6)
    assay("ingest", assay.write("more.jsonl", [{"id": "x", "question": "Q", "answer": "A", "contexts": ["C"]}]))
    label_all(assay, right)

    assert "1 of 241 items have no timestamp and are in no window" in assay("drift").stdout


@pytest.mark.slow
def test_of_one_window(assay: Assay) -> None:
    """Shorter windows are offered."""
    label_all(assay, fill(assay, weeks=1))

    assert (
        first(assay)
        == f"{CANNOT}all items are of one week (2026-06-01); try shorter windows with --by day, or come back later."
    )


@pytest.mark.slow
def test_without_labels(assay: Assay) -> None:
    """Before and after a wave is drawn; the pass rate and items are there all the same."""
    fill(assay, weeks=6)
    before = first(assay)
    assay("sample", "--labels", "50", "--seed", "1")
    found = assay.json("drift")

    assert before.startswith(f"{CANNOT}not measurable: no")
    assert found["sentence"].startswith(f"{CANNOT}not measurable: no drawn item")
    assert {one["items"] for one in found["windows"]} == {A_WEEK}
    assert {one["correctness"]["estimate"] for one in found["windows"]} == {None}


@pytest.mark.slow
def test_with_labels_in_one_window_alone(assay: Assay) -> None:
    """It says in which, and to draw later items."""
    right = fill(assay, weeks=6)
    assay("sample", "--labels", str(len(right)), "--seed", "1")
    say(assay, {name: truth for name, truth in right.items() if name.startswith("w02")})

    assert first(assay) == f"{CANNOT}all 40 labels are of one week (2026-06-15); label drawn items of other weeks."


@pytest.mark.slow
def test_with_too_few_labels_a_window(assay: Assay) -> None:
    """A thin window is a dash with what to label; a baseline of too few says how many more, or --good."""
    right = fill(assay, weeks=8)
    assay("sample", "--labels", str(len(right)), "--seed", "1")
    say(assay, {name: truth for name, truth in right.items() if name.endswith(("-05", "-11", "-22"))})
    said = assay("drift").stdout

    assert "windows are worth" in said.splitlines()[0]
    assert "say with --good what rate counts as good" in said.splitlines()[0]
    assert (
        "— right, 2026-06-01 … 2026-07-20 (8): not measurable: label 2 more items of this window; drawn and without"
        in said
    )
    assert said.splitlines()[-2].endswith("new traffic or the 296 drawn answers that wait for a label.")
    assert said.splitlines()[-1].startswith("Next: `assay draws export FILE --blind`, then `assay labels import FILE`")
    assert "cannot be said" not in first(assay, "--good", "0.8")


@pytest.mark.slow
def test_with_labels_on_passed_items_alone(assay: Assay) -> None:
    """What they cannot speak for is asked for; nothing is watched as if they were a sample of all."""
    right = fill(assay, weeks=8)
    assay("sample", "--labels", str(len(right)), "--seed", "1")
    say(assay, {name: truth for name, truth in right.items() if name[-2:] >= "05" and truth})
    found = assay.json("drift")

    assert found["sentence"].startswith(f"{CANNOT}not measurable: label 10 more items among 10 items of failed")
    assert found["quality"]["path"] == []
    assert {one["labels_of_equal_chance"] for one in found["windows"]} == {0}


@pytest.mark.slow
def test_with_no_later_window_than_the_yardstick(assay: Assay) -> None:
    """The first windows are what later ones are held against; a shorter yardstick may be asked for."""
    label_all(assay, fill(assay, weeks=3))

    assert "the first 3 windows with labels are the yardstick, and there is no later one" in first(assay)
    assert first(assay, "--baseline", "2").startswith("Nothing has changed")


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
        other = "wrong" if word == "right" else "right"
        assert (
            f"whether it passes {other} answers more often: not measurable: 0 {other} answers" in assay("drift").stdout
        )
        assert f"not watched whether the proxy passes {other} answers" in assay("drift", "--gate").stderr


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
    assert "not watched whether it passes right answers" in assay("drift", "--baseline", "2").stdout


def test_an_empty_store_is_told_where_to_begin(assay: Assay) -> None:
    """No traffic at all."""
    (assay.folder / "empty.jsonl").write_text("")
    assay("ingest", str(assay.folder / "empty.jsonl"))

    assert "there is no traffic; start with `assay ingest FILE`" in first(assay)


def test_new_traffic_is_asked_for_only_where_nothing_is_left_to_draw(assay: Assay) -> None:
    """Twelve of 28 answers are drawn and labelled: the others come next; then all are drawn."""
    rows = [traffic_row(f"i{n}", timestamp=f"2026-11-{2 + n // 2:02}T08:00:00Z") for n in range(28)]
    assay("ingest", assay.write("t.jsonl", rows))
    assay("judge")
    for labels, is_used_up in ((12, False), (16, True)):
        assay("sample", "--labels", str(labels), "--seed", "1")
        drawn = [name for (name,) in assay.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item")]
        assay("labels", "import", assay.write("l.jsonl", [label(name) for name in drawn]))
        page = assay("drift").stdout

        assert ("Every answer has had its chance in a wave: more labels need new traffic." in page) is is_used_up
        assert ("Next: `assay sample --labels 100`, then `assay drift`." in page) is not is_used_up
