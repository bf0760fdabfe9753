"""`assay compare A B` in a real store: labels and scores in, the sentence, the tables, the listed answers and the gate out."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest

from annotate.analysis.comparison.selections import pairs_of
from annotate.analysis.labelled_draws import ground
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.selection import Selection
from annotate.store import Store
from support.store import Assay, kept, label, traffic_row

QUESTIONS = 8
Truth = Callable[[int], bool]


def answers(system: str, count: int, *, first: int = 0, **more: object) -> list[dict[str, object]]:
    """The system's answers to the questions from `first` on; ids are system-number."""
    numbers = range(first, first + count)
    return [traffic_row(f"{system}-{n}", system=system, question=f"Where is room {n}?", **more) for n in numbers]


def labels_of(system: str, right: Truth, numbers: range) -> list[dict[str, object]]:
    """A label for each of these answers."""
    return [label(f"{system}-{n}", "right" if right(n) else "wrong") for n in numbers]


def filled(assay: Assay, old: Truth, new: Truth, count: int = QUESTIONS, drawn: int | None = None) -> Assay:
    """Two systems on the same questions, judged; `drawn` answers of both drawn and labelled, all if left out."""
    assay("ingest", assay.write("traffic.jsonl", [*answers("old", count), *answers("new", count)]))
    assay("judge")
    assay("sample", "--labels", str(drawn or 2 * count), "--seed", "3")
    by_name = {f"old-{n}": old(n) for n in range(count)} | {f"new-{n}": new(n) for n in range(count)}
    asked = [row[0] for row in assay.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item")]
    rows = [label(name, "right" if by_name[name] else "wrong") for name in asked]
    assay("labels", "import", assay.write("labels.jsonl", rows))
    return assay


@kept
def demo(assay: Assay) -> Assay:
    """The demo's store."""
    assay("demo")
    return assay


def grades() -> str:
    """The demo's recorded grades."""
    return files("annotate").joinpath("demo_data", "grades.jsonl").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_posts_case(demo: Assay) -> None:
    """Top-k 8 mends six of eight and breaks none: 75 points, Bonett-Price .1889 to 1, mid-p 2 / 64 - 1 / 64."""
    comparison = demo.json("compare", "top-k-3", "top-k-8")

    assert comparison["standing"] == "better"
    assert comparison["difference"]["estimate"] == pytest.approx(0.75)
    assert (comparison["difference"]["low"], comparison["difference"]["high"]) == pytest.approx(
        (0.1888745, 1.0), abs=1e-6
    )
    assert comparison["mcnemar_mid_p"] == pytest.approx(1 / 64)
    assert {name: comparison["pairs"][name] for name in ("both", "only_first", "only_second", "neither")} == {
        **{"both": 2, "only_first": 0, "only_second": 6, "neither": 0}
    }
    assert (comparison["first"]["correctness_long_run"]["estimate"], comparison["exact"]) == (0.25, 0.75)
    assert len(comparison["mended"]) == 6
    assert comparison["broke"] == []
    assert comparison["answer"] == "top-k-8 is better than top-k-3: +75 points (+19 to +100, n = 8) in right answers."
    page = " ".join(demo("compare", "top-k-3", "top-k-8").output.split())
    assert "rests on 8 questions with both answers labelled, and speaks of the long run" in page
    assert "McNemar mid-p .016" in page
    assert "On these very questions, all labelled: +75 points exactly" in page


@pytest.mark.slow
def test_the_posts_grades(demo: Assay) -> None:
    """The recorded grades have means 3.125 and 5.0 of 5, and each question's two are listed; the word is called a judge's."""
    demo("scores", "import", demo.write("grades.jsonl", grades()))
    scores = demo.json("compare", "top-k-3", "top-k-8")["scores"]
    text = demo("compare", "top-k-3", "top-k-8", "--full").output

    assert (scores["judge"], scores["of"]) == ("correctness_vs_reference", 5)
    assert tuple(scores[name]["estimate"] for name in ("first", "second", "difference")) == (3.125, 5.0, 1.875)
    assert scores["difference"]["n"] == 8
    assert 0 < scores["difference"]["low"] < 1.875 < scores["difference"]["high"] < 4
    assert [question["second"] for question in scores["questions"]] == [5.0] * 8
    assert sum(question["first"] for question in scores["questions"]) == 25
    assert "By the judge correctness, mean of 5: top-k-3 3.12 (" in text
    # all eight grades are 5: at least .025 ** (1 / 8) = .631 of such answers get a 5, the others at least a 1
    assert scores["second"]["low"] == pytest.approx(5 * 0.025 ** (1 / 8) + 1 - 0.025 ** (1 / 8))
    assert "top-k-8 5.00 (3.52 to 5.00, n = 8)" in " ".join(text.split())
    assert "Grades by a judge, not by annotators: correctness_vs_reference|recorded|v1" in text


def test_the_demos_grades_follow_its_labels() -> None:
    """Right is graded 5 and wrong less, item by item, in a file that the import takes as it stands."""
    import json

    def rows(name: str) -> list[dict[str, Any]]:
        content = files("annotate").joinpath("demo_data", name).read_text(encoding="utf-8")
        return [json.loads(line) for line in content.splitlines()]

    right = {row["item_id"] for row in rows("labels.jsonl") if row["label"] == "right"}

    assert {row["item_id"] for row in rows("grades.jsonl") if row["value"] == 1} == right
    assert len(rows("grades.jsonl")) == 16


@pytest.mark.slow
def test_worse_fails_the_gate(demo: Assay) -> None:
    """The other way round it is worse: exit status 3, the reason on standard error; without --gate 0."""
    result = demo("compare", "top-k-8", "top-k-3", "--gate", status=3)

    assert "top-k-3 is worse than top-k-8: -75 points (-100 to -19, n = 8) in right answers" in result.stdout
    assert "gate failed: top-k-3 is shown worse than top-k-8" in result.stderr
    assert demo.json("compare", "top-k-8", "top-k-3")["gate"]["reasons"]
    assert "Broke: 6; fixed: 0." in result.stdout


@pytest.mark.slow
def test_the_gate_passes_what_is_not_shown_worse_unless_a_drop_is_limited(assay: Assay) -> None:
    """Two alike systems pass; with largest_drop the low end must lie above it, which eight pairs cannot show."""
    filled(assay, lambda n: n % 2 == 0, lambda n: n % 2 == 0)
    assay("compare", "old", "new", "--gate")
    assay.write("assay.toml", "[gate.compare]\nlargest_drop = 0.02\n")
    result = assay("compare", "old", "new", "--gate", status=3)

    assert "by more than the 2 points that largest_drop allows" in result.stderr
    assert "new may be better or worse than old: 0 points (" in result.stdout


def test_what_cannot_be_measured_passes_no_gate(assay: Assay) -> None:
    """Without labels there is no number, but what to do; the gate fails."""
    assay("ingest", assay.write("traffic.jsonl", [*answers("old", 4), *answers("new", 4)]))
    comparison = assay.json("compare", "old", "new")
    result = assay("compare", "old", "new", "--gate", status=3)

    assert (comparison["standing"], comparison["difference"]["estimate"]) == ("not measurable", None)
    assert "new cannot be compared with old yet" in result.stdout
    assert "Draw all 8 that are left for labelling.\n    assay compare old new --draw 8\n" in result.stdout
    assert "gate failed: new cannot be compared with old" in result.stderr


def test_one_system_has_nothing_to_compare_with(assay: Assay) -> None:
    """One name is answered in words, and passes no gate; unknown names and twice the same are wrong usage."""
    assay("ingest", assay.write("traffic.jsonl", answers("old", 4)))

    assert "There is nothing to compare with: old is all that the store has" in assay("compare", "old").output
    assay("compare", "old", "--gate", status=3)
    assert "the systems are old (4)" in assay("compare", "old", "nope", status=2).stderr
    assert "the same" in assay("compare", "old", "old", status=2).stderr
    assert "old (4)" in assay("compare", status=2).stderr


def test_items_without_a_system_are_said(assay: Assay) -> None:
    """Traffic without the field has no systems to name."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row("a")]))

    assert "none: items have a field system" in assay("compare", "x", "y", status=2).stderr


@pytest.mark.slow
@pytest.mark.parametrize("word", ["right", "wrong", "unsure"])
def test_one_class_of_labels(assay: Assay, word: str) -> None:
    """All right, or all wrong: no difference, with a width; unsure alone: nothing can be said."""
    assay("ingest", assay.write("traffic.jsonl", [*answers("old", 6), *answers("new", 6)]))
    assay("judge")
    assay("sample", "--labels", "12", "--seed", "1")
    rows = [label(f"{system}-{n}", word) for system in ("old", "new") for n in range(6)]
    assay("labels", "import", assay.write("labels.jsonl", rows))
    comparison = assay.json("compare", "old", "new")

    if word == "unsure":
        assert comparison["standing"] == "not measurable"
        assert "new cannot be compared with old yet" in assay("compare", "old", "new").output
    else:
        assert (comparison["standing"], comparison["difference"]["estimate"], comparison["exact"]) == (
            "no difference shown",
            0,
            0,
        )
        assert comparison["difference"]["low"] < 0 < comparison["difference"]["high"]


@pytest.mark.slow
def test_a_sample_of_both_is_weighted_and_not_exact(assay: Assay) -> None:
    """Half of the answers are labelled: the pairs among them have chance 1/4 and no claim is made of these very questions."""
    filled(assay, lambda n: n % 4 > 0, lambda n: n % 8 > 0, count=40, drawn=40)
    comparison = assay.json("compare", "old", "new")

    assert 0 < comparison["pairs"]["labelled"] < 40
    assert comparison["exact"] is None
    assert comparison["pairs"]["questions"] == 40
    assert comparison["difference"]["low"] <= 1 / 8 <= comparison["difference"]["high"]


@pytest.mark.slow
def test_labels_that_people_picked_count_only_where_they_are_all(assay: Assay) -> None:
    """Hand-picked labels on three of eight questions say nothing; on all answers there was no choice, and they count."""
    assay("ingest", assay.write("traffic.jsonl", [*answers("old", 8), *answers("new", 8)]))
    some = [*labels_of("old", lambda n: n > 3, range(3)), *labels_of("new", lambda n: True, range(3))]
    assay("labels", "import", assay.write("some.jsonl", some))
    before, words = assay.json("compare", "old", "new"), assay("compare", "old", "new").output
    rest = [*labels_of("old", lambda n: n > 3, range(3, 8)), *labels_of("new", lambda n: True, range(3, 8))]
    assay("labels", "import", assay.write("rest.jsonl", rest))
    after = assay.json("compare", "old", "new")

    assert (before["standing"], before["pairs"]["hand_picked"]) == ("not measurable", 3)
    assert "Hand-picked labels, which do not count: 3" in words
    assert (after["difference"]["estimate"], after["exact"], after["pairs"]["hand_picked"]) == (0.5, 0.5, 0)


@pytest.mark.slow
def test_several_answers_of_one_system_are_averaged(assay: Assay) -> None:
    """Each question counts once: old answers every question twice, right once, new answers it right: half a point each."""
    again = [{**row, "id": f"{row['id']}-again", "answer": "On the roof."} for row in answers("old", 6)]
    assay("ingest", assay.write("traffic.jsonl", [*answers("old", 6), *again, *answers("new", 6)]))
    assay("judge")
    assay("sample", "--labels", "18", "--seed", "1")
    rows = [*labels_of("old", lambda n: True, range(6)), *labels_of("new", lambda n: True, range(6))]
    rows += [label(f"old-{n}-again", "wrong") for n in range(6)]
    assay("labels", "import", assay.write("labels.jsonl", rows))
    comparison = assay.json("compare", "old", "new")

    assert (comparison["pairs"]["questions"], comparison["pairs"]["labelled"]) == (6, 6)
    assert comparison["difference"]["estimate"] == pytest.approx(0.5)


@pytest.mark.slow
def test_any_judges_mean(assay: Assay) -> None:
    """--score names a judge, shown on its own scale; one without scores on a side is wrong usage, and no scores is no block."""
    filled(assay, lambda n: True, lambda n: True)
    scores = assay.json("compare", "old", "new", "--score", "faithfulness")["scores"]

    assert (scores["judge"], scores["of"], scores["difference"]["estimate"]) == ("faithfulness", 1, 0)
    bound = 1 - 0.025 ** (1 / scores["difference"]["n"])  # the most differences that may be other than 0
    assert scores["difference"]["high"] == -scores["difference"]["low"] == pytest.approx(bound)
    assert (
        "Difference: +0.00 (-0.37 to +0.37, n = 8)."
        in assay("compare", "old", "new", "--score", "faithfulness", "--full").output
    )
    assert assay.json("compare", "old", "new")["scores"] is None
    assert "the judges with scores are" in assay("compare", "old", "new", "--score", "nobody", status=2).stderr


@pytest.mark.slow
def test_answers_that_were_drawn_together_have_the_chance_of_both(assay: Assay) -> None:
    """After --draw both answers to a question came with one lot: the pair's chance is the lot's, not a product of two."""
    assay("ingest", assay.write("traffic.jsonl", [*answers("old", 30), *answers("new", 30)]))
    assay("judge")
    assay("compare", "old", "new", "--draw", "24", "--seed", "1")
    asked = assay.sql("SELECT i.id, d.inclusion_probability FROM draws d JOIN items i ON i.key = d.item")
    assay("labels", "import", assay.write("labels.jsonl", [label(name) for name, _ in asked]))
    store = Store(assay.db)
    try:
        key, rule = rule_in_force(store)
        shared = pairs_of(store, ground(store, key, rule), (Selection(system="old"), Selection(system="new"))).shared
    finally:
        store.close()

    assert len(shared.pairs) == len(asked) / 2 > 5
    assert {pair.first.chance for pair in shared.pairs} == {0.0}
    assert sorted(pair.chance for pair in shared.pairs) == pytest.approx(
        sorted(chance for name, chance in asked if name.startswith("old"))
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--seed", "1"), "go with --draw"),
        (("--draw", "4", "--gate"), "one after the other"),
        (("third", "--score", "faithfulness"), "means of two systems"),
    ],
)
def test_options_that_do_not_go_together(loaded: Assay, options: tuple[str, ...], words: str) -> None:
    """Each is wrong usage in one line."""
    assert words in loaded("compare", "old", "new", *options, status=2).stderr


@pytest.mark.slow
def test_names_cannot_steer_a_terminal(assay: Assay) -> None:
    """Controls and direction marks in the names of systems and items do not reach the page."""
    old, new = "old\x07", "new\u202e"
    assay("ingest", assay.write("traffic.jsonl", [*answers(old, 2), *answers(new, 2)]))
    assay("judge")
    assay("sample", "--labels", "4", "--seed", "1")
    rows = [*labels_of(old, lambda _: True, range(2)), *labels_of(new, lambda _: False, range(2))]
    assay("labels", "import", assay.write("labels.jsonl", rows))
    page = assay("compare", old, new, "--score", "faithfulness", "--full").stdout

    assert "broke" in page
    assert not set(page) & {"\x07", "\u202e"}


@pytest.mark.slow
def test_one_question_in_common_does_not_speak_for_many(assay: Assay) -> None:
    """Both answered 20 questions, one of them the same, all labelled: the rates tell, 10 and 90 % right."""
    assay("ingest", assay.write("traffic.jsonl", [*answers("old", 20), *answers("new", 20, first=19)]))
    assay("judge")
    assay("sample", "--labels", "40", "--seed", "1")
    rows = [
        *labels_of("old", lambda n: n > 17, range(20)),
        *labels_of("new", lambda n: n > 20, range(19, 39)),
    ]
    assay("labels", "import", assay.write("labels.jsonl", rows))
    comparison, page = assay.json("compare", "old", "new"), assay("compare", "old", "new").stdout

    assert comparison["standing"] == "better"
    assert comparison["difference"]["estimate"] == pytest.approx(0.8)
    assert "Answered by both: 1;" in page
    assert "all labelled:" not in page


def test_answers_that_name_no_system_are_compared_by_an_empty_name(assay: Assay) -> None:
    """As --system '' of the report: in pairs, ranked and drawn; where there are none, it is refused like any unknown name."""
    filled(assay, lambda _: True, lambda _: False)
    refused = assay("compare", "old", "", status=2).stderr
    nameless = [{**row, "id": f"none-{n}", "system": None} for n, row in enumerate(answers("none", QUESTIONS))]
    assay("ingest", assay.write("nameless.jsonl", nameless))
    assay("judge")

    drawn = assay("compare", "old", "", "--draw", str(QUESTIONS), "--seed", "1")
    assay("labels", "import", assay.write("l.jsonl", labels_of("none", lambda n: n > 5, range(QUESTIONS))))
    pair, ranked = assay.json("compare", "old", ""), assay.json("compare", "old", "new", "")

    assert "no item is of the system '': the systems are new (8), old (8)" in refused
    assert "of old and '' to 8 questions" in " ".join(drawn.stdout.split())
    assert pair["answer"].startswith("'' ")
    assert {system["system"] for system in ranked["systems"]} == {"old", "new", "''"}
