"""What `assay compare` says to do next: never a label that is not there, open draws first, in words and as commands."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from annotate.analysis.next_step.commands import FILES
from annotate.domain.sampling.outcomes import ToLabel
from annotate.domain.selection import Selection
from annotate.store import Store
from support.scored import open_ids
from support.store import Assay, label, traffic_row


def rows(systems: Sequence[str] = ("a", "b"), count: int = 20, **more: object) -> list[dict[str, object]]:
    """The same questions to each system."""
    return [
        traffic_row(f"{system}-{n}", system=system, question=f"Where is room {n}?", **more)
        for system in systems
        for n in range(count)
    ]


def answer(assay: Assay) -> None:
    """Label every open draw: every third is wrong."""
    names = open_ids(assay)
    labels = [label(name, "wrong" if int(name.split("-")[-1]) % 3 == 0 else "right") for name in names]
    assay("labels", "import", assay.write("labels.jsonl", labels))


@pytest.fixture
def partly(assay: Assay) -> Assay:
    """Two systems on 20 questions, 30 of the 40 answers drawn and labelled."""
    assay("ingest", assay.write("traffic.jsonl", rows()))
    assay("judge")
    assay("compare", "a", "b", "--draw", "30", "--seed", "1")
    answer(assay)
    return assay


@pytest.mark.slow
def test_a_pair_is_asked_for_no_more_than_is_left_then_for_what_waits_then_for_further_questions(partly: Assay) -> None:
    """The rest of 40 answers, named as all of them; drawn they wait and come first; labelled there is nothing left to ask for."""
    (left,) = partly.sql("SELECT 40 - count(*) FROM draws")[0]
    assert left in (8, 10, 12)
    [step] = partly.json("compare", "a", "b")["next"]
    assert step["words"] == f"Draw all {left} that are left for labelling."
    assert step["commands"] == [f"assay compare a b --draw {left}", FILES.send]
    partly("compare", "a", "b", "--draw", str(left), "--seed", "2")
    [step] = partly.json("compare", "a", "b")["next"]
    assert step["words"].startswith(f"Label the {left} open draws of these first")
    assert step["commands"] == [*FILES.commands]
    answer(partly)
    [step] = partly.json("compare", "a", "b")["next"]
    assert step["words"].startswith("Nothing of these is left to label")
    assert step["commands"] == ["assay ingest FILE"]


@pytest.mark.slow
def test_windows_are_asked_for_no_more_than_is_left(assay: Assay) -> None:
    """Two months with other questions, 20 of 40 labelled: hundreds of labels would tell, and the 20 that are left are asked for."""
    for month in ("01", "02"):
        given = [
            traffic_row(f"{month}-{n}", system="a", timestamp=f"2026-{month}-{n + 1:02d}T08:00:00Z") for n in range(20)
        ]
        assay("ingest", assay.write(f"{month}.jsonl", given))
    assay("judge")
    assay("sample", "--labels", "20", "--seed", "1")
    answer(assay)
    names = ("@..2026-02-01", "@2026-02-01..")
    comparison = assay.json("compare", *names)
    (drawn,) = assay.sql("SELECT count(*) FROM draws")[0]

    assert comparison["more_labels_for_5_points"] > 100
    (first,) = comparison["next"]
    assert first["words"] == f"Draw all {40 - drawn} that are left for labelling."
    assert first["commands"] == [f"assay sample --labels {40 - drawn}", FILES.send]


@pytest.mark.slow
def test_systems_of_different_questions_are_better_asked_the_same(assay: Assay) -> None:
    """Pairs need fewer labels where their labels go together; the answers have to be brought in first."""
    rows = [
        traffic_row(f"{system}-{n}", question=f"{system} {n}?", system=system) for system in "ab" for n in range(20)
    ]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay("judge")
    assay("sample", "--labels", "20", "--seed", "1")
    answer(assay)

    step = assay.json("compare", "a", "b")["next"][-1]

    assert step["words"].startswith("Where both answer the same questions, fewer labels usually tell the same")
    assert step["commands"] == ["assay ingest FILE"]


def next_commands(assay: Assay, *names: str) -> list[str]:
    comparison = assay.json("compare", *(names or ("a", "b", "c")))
    return [command for step in comparison["next"] for command in step["commands"]]


@pytest.mark.slow
def test_a_ranking_asks_for_no_more_than_is_left(assay: Assay) -> None:
    """Three alike systems of 8 answers: all 24, then what waits, then further questions."""
    assay("ingest", assay.write("traffic.jsonl", rows("abc", 8)))
    assert next_commands(assay) == ["assay compare a b c --draw 24", FILES.send]
    assay("compare", "a", "b", "c", "--draw", "24", "--seed", "1")
    assert next_commands(assay) == [*FILES.commands]
    answer(assay)
    assert next_commands(assay) == ["assay ingest FILE"]


@pytest.mark.slow
def test_a_ranking_and_its_pairs_do_not_contradict_each_other(assay: Assay) -> None:
    """A pair not told apart for all in the long run says nothing of it; one that is says so; each interval has its head."""
    assay("ingest", assay.write("traffic.jsonl", rows("abc", 60)))
    right = {"a": 54, "b": 44, "c": 10}
    labels = [label(f"{name}-{n}", "right" if n < right[name] else "wrong") for name in right for n in range(60)]
    assay("labels", "import", assay.write("labels.jsonl", labels))
    page, comparison = assay("compare", "a", "b", "c").output, assay.json("compare", "a", "b", "c")

    assert {pair["is_clear"] for pair in comparison["pairs"]} == {True}
    assert {pair["is_clear_long_run"] for pair in comparison["pairs"]} == {
        pair["p_value_long_run"] <= 0.05 for pair in comparison["pairs"]
    }
    lasting = sum(pair["is_clear_long_run"] for pair in comparison["pairs"])
    assert f"3 of 3 pairs are told apart on these answers, {lasting} of them also in the long run." in page
    first = next(line for line in page.splitlines() if line.startswith("1 "))
    assert "exact" in first, "every answer is labelled"
    assert first.count(" to ") == 1


def test_one_name_says_what_to_run(assay: Assay) -> None:
    """With another system in the store: compare with it; without: bring one."""
    assay("ingest", assay.write("one.jsonl", rows(["a"], 3)))
    assert next_commands(assay, "a") == ["assay ingest FILE"]
    assay("ingest", assay.write("two.jsonl", rows(["b b"], 3)))
    assert next_commands(assay, "a") == ["assay compare a 'b b'"]


def test_two_empty_windows_have_no_answers(partly: Assay) -> None:
    """Grammar, and no command where there is none to run."""
    comparison = partly.json("compare", "@2030-01-01..2030-02-01", "@2030-02-01..")
    assert "no answers of @2030-01-01..2030-02-01, @2030-02-01.." in comparison["difference"]["reason"]
    assert [step["commands"] for step in comparison["next"]] == [[]]


@pytest.mark.slow
def test_no_minus_stands_before_a_zero(assay: Assay) -> None:
    """A judge's means that differ by a thousandth: +0.00, not -0.00."""
    assay("ingest", assay.write("traffic.jsonl", rows(count=4)))
    scores = [{"item_id": f"{s}-{n}", "judge": "s", "value": 0.5 - 0.001 * (s == "b")} for s in "ab" for n in range(4)]
    assay("scores", "import", assay.write("scores.jsonl", scores))
    page = assay("compare", "a", "b", "--score", "s", "--full").output
    assert "Difference: +0.00" in page
    assert "-0.00" not in page


@pytest.mark.slow
def test_what_is_left_leaves_out_what_cannot_be_labelled(partly: Assay) -> None:
    """An open draw whose answer changed since no longer waits; an answer to a question of one system alone is in no pair."""
    partly("compare", "a", "b", "--draw", "4", "--seed", "2")
    alone = traffic_row("a-99", system="a", question="Where is the exit?")
    changed = partly.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item WHERE d.wave = 2 LIMIT 1")[0][0]
    system, number = changed.split("-")
    again = traffic_row(changed, system=system, question=f"Where is room {number}?", answer="Upstairs.")
    partly("ingest", partly.write("more.jsonl", [alone, again]))
    (drawn,) = partly.sql("SELECT count(*) FROM draws")[0]
    sides = [Selection(system="a"), Selection(system="b")]
    store = Store(partly.db)
    try:
        both, shared = store.traffic.selections.to_label(sides), store.traffic.selections.to_label(sides, shared=True)
    finally:
        store.close()

    # 41 current answers; the changed one counts as undrawn again.
    assert both == ToLabel(undrawn=41 - (drawn - 1), waiting=3)
    assert shared == both._replace(undrawn=both.undrawn - 1)


@pytest.mark.slow
def test_one_point_is_one(assay: Assay) -> None:
    """50 and 51 of 100 right, all labelled: one point in the ranking."""
    assay("ingest", assay.write("traffic.jsonl", rows("abc", 100)))
    right = {"a": 50, "b": 51, "c": 50}
    labels = [label(f"{name}-{n}", "right" if n < right[name] else "wrong") for name in right for n in range(100)]
    assay("labels", "import", assay.write("labels.jsonl", labels))
    assert "+1 (exact, all labelled)" in assay("compare", "a", "b", "c").output
