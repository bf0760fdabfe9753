"""`assay compare A B C` on a real store: the sentence, the table, what is told apart, what comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from annotate.store import Store
from proxy.evaluation.trust import percent
from support.scored import open_ids
from support.store import Assay, kept, traffic_row

QUESTIONS = 60
RIGHT: Mapping[str, int] = {"top-k-8": 54, "rerank-2": 51, "top-k-3": 15}


def ingested(assay: Assay, systems: Mapping[str, int] = RIGHT, questions: int = QUESTIONS) -> None:
    """Each system on the same questions, right on the first so many; the judge mostly sees it."""
    rows, scores = [], []
    for system, right in systems.items():
        for n in range(questions):
            rows.append(traffic_row(f"{system}/{n}", question=f"Where is room {n}?", system=system))
            value = 0.7 if (n < right) != (n % 7 == 0) else 0.3
            scores.append({"item_id": f"{system}/{n}", "judge": "s", "value": value + n / 1000})
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay("scores", "import", assay.write("scores.jsonl", scores))
    assay("rule", "set", "s > 0.5")


def answer(assay: Assay, systems: Mapping[str, int] = RIGHT) -> None:
    """Label every open draw."""
    names = open_ids(assay)
    assay("labels", "import", assay.write("labels.jsonl", [said(name, systems) for name in names]))


def said(name: str, systems: Mapping[str, int]) -> dict[str, object]:
    """The label of an answer."""
    system, number = name.split("/")
    return {"item_id": name, "label": "right" if int(number) < systems[system] else "wrong", "annotator": "ann"}


@kept
def ranked(assay: Assay) -> Assay:
    """Three systems with 60 labels drawn to rank them."""
    ingested(assay)
    assay("compare", *RIGHT, "--draw", "60", "--seed", "1")
    answer(assay)
    return assay


@pytest.mark.slow
def test_the_tie_at_the_top_comes_first_and_the_next_command_draws_for_it(ranked: Assay) -> None:
    """Two that cannot be told apart, one that is clearly worse than both, with intervals, ranks and the next wave."""
    lines = ranked("compare", *RIGHT).stdout.splitlines()

    assert lines[0].endswith("cannot be told apart: any of them may be the best on these questions.")
    assert "top-k-8" in lines[0]
    assert "rerank-2" in lines[0]
    assert sum(line.startswith("1 to 2") for line in lines) == 2
    assert sum(line.startswith("3 ") for line in lines) == 1
    assert sum(line.endswith(" yes") and " top-k-3 " in line for line in lines) == 2
    [step] = ranked.json("compare", *RIGHT)["next"]
    assert step["commands"] == ["assay compare top-k-8 rerank-2 --draw 40", "assay draws export FILE --blind"]
    page = "\n".join(lines)
    assert "2 of 3 pairs are told apart on these answers, 2 of them also in the long run." in page
    assert "All pairs are asked at once" in ranked("compare", *RIGHT, "--full").stdout
    assert "These answers, 95 %  Long run, 95 %" in page


@pytest.mark.slow
def test_the_truth_lies_in_the_intervals(ranked: Assay) -> None:
    """54, 51 and 15 of 60 right; JSON has the same ranks as the text, and both p-values of each pair."""
    comparison = ranked.json("compare", *RIGHT)
    by_name = {system["system"]: system for system in comparison["systems"]}

    for name, right in RIGHT.items():
        correctness = by_name[name]["correctness"]
        assert correctness["low"] <= right / QUESTIONS <= correctness["high"]
        assert correctness["low"] >= by_name[name]["correctness_long_run"]["low"]
        assert by_name[name]["answers"] == QUESTIONS
    assert (by_name["top-k-3"]["best_rank"], by_name["top-k-3"]["worst_rank"]) == (3, 3)
    assert sum(system["labels"] for system in by_name.values()) == 60
    clear = {(pair["better"], pair["worse"]) for pair in comparison["pairs"] if pair["is_clear"]}
    assert clear == {("top-k-8", "top-k-3"), ("rerank-2", "top-k-3")}
    assert (comparison["questions"], comparison["shared_questions"], comparison["is_census"]) == (60, 60, False)


@pytest.mark.slow
def test_a_winner_is_named(assay: Assay) -> None:
    """One that is clearly better than every other."""
    systems = {"new": 58, "old": 20, "older": 10}
    ingested(assay, systems)
    assay("compare", *systems, "--draw", "90", "--seed", "1")
    answer(assay, systems)
    comparison = assay.json("compare", *systems)
    rate = comparison["systems"][0]["correctness"]
    assert comparison["answer"].startswith(f"new is the best, with {percent(rate['estimate'])} (")
    assert comparison["answer"].endswith("right: clearly better than every other, on further questions too.")
    assert f"n = {rate['n']}" in comparison["answer"]


@pytest.mark.slow
def test_before_any_label_it_says_what_to_draw(assay: Assay) -> None:
    """No wave: words, and the command that draws; then a wave without labels: that it is to be labelled."""
    ingested(assay)
    for words in (
        "next: Draw 60 more answers for labelling. assay compare top-k-8 rerank-2 top-k-3 --draw 60",
        "next: Label the 30 open draws of these first, and bring the labels back. assay draws export FILE",
    ):
        page = assay("compare", *RIGHT).stdout
        assert page.startswith("None of these systems can be ranked yet: too few of their drawn answers have a label.")
        assert words in " ".join(page.split())
        assay("compare", *RIGHT, "--draw", "30", "--seed", "1")


@pytest.mark.slow
def test_all_ties_are_called_so(assay: Assay) -> None:
    """Systems that are right on the same answers: nobody is clearly better."""
    systems = dict.fromkeys(("a", "b", "c"), 30)
    ingested(assay, systems)
    assay("compare", *systems, "--draw", "60", "--seed", "1")
    answer(assay, systems)
    lines = assay("compare", *systems).stdout.splitlines()
    assert lines[0].startswith("No system is clearly better than another on these questions: ")
    assert " cannot be told apart." in " ".join(lines[:2])
    assert sum(line.startswith("1 to 3") for line in lines) == 3


@pytest.mark.slow
def test_systems_of_different_questions_are_warned_of(assay: Assay) -> None:
    """Nothing is shared: they are ranked by their own questions, and a note says what that may mean."""
    rows = [traffic_row(f"{s}{n}", question=f"{s} {n}?", system=s) for s in "abc" for n in range(20)]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay("compare", "a", "b", "c", "--draw", "30", "--seed", "1")
    store = Store(assay.db)
    labels = [
        {"item_id": draw.item_id, "label": "right", "annotator": "ann"} for draw in store.sampling.waves.open_draws()
    ]
    store.close()
    assay("labels", "import", assay.write("labels.jsonl", labels))
    out = " ".join(assay("compare", "a", "b", "c", "--full").stdout.split())
    assert "only 0 of 60 questions were answered by all: the order may be that of the questions" in out
    assert (
        "have no score by the rule's judges (context_relevance has not tried 60 of all answers: run `assay judge`)"
        in out
    )


@pytest.mark.slow
def test_a_system_that_no_wave_reached_is_not_measured(ranked: Assay) -> None:
    """It comes last with the reason, the others keep their ranks, and the next wave is drawn for it, too."""
    rows = [traffic_row(f"late/{n}", question=f"Where is room {n}?", system="late") for n in range(QUESTIONS)]
    ranked("ingest", ranked.write("late.jsonl", rows))
    comparison = ranked.json("compare", *RIGHT, "late")
    last = comparison["systems"][-1]
    assert "late" not in comparison["answer"]
    assert (last["system"], last["best_rank"]) == ("late", None)
    assert last["correctness"]["reason"] == "not measurable: no drawing reached its 60 answers; draw some of them"
    assert "late --draw" in comparison["next"][0]["commands"][0]


@pytest.mark.slow
def test_labels_of_everything_count_however_they_came(assay: Assay) -> None:
    """Every answer labelled by hand is a census: exact on these questions; but one less, and they count for nothing."""
    ingested(assay)
    labels = [said(f"{system}/{n}", RIGHT) for system in RIGHT for n in range(QUESTIONS)]
    assay("labels", "import", assay.write("labels.jsonl", labels[:-1]))
    assert "179 labels of answers that no wave drew were picked by hand" in assay.json("compare", *RIGHT)["notes"][-1]
    assay("labels", "import", assay.write("labels.jsonl", labels[-1:]))
    comparison = assay.json("compare", *RIGHT)
    assert [system["system"] for system in comparison["systems"]] == ["top-k-8", "rerank-2", "top-k-3"]
    assert [system["correctness"]["low"] for system in comparison["systems"]] == pytest.approx([0.9, 0.85, 0.25])
    assert [system["correctness"]["high"] for system in comparison["systems"]] == pytest.approx([0.9, 0.85, 0.25])
    assert [system["best_rank"] for system in comparison["systems"]] == [1, 2, 3]
    last = {(pair["better"], pair["worse"]): pair["is_clear_long_run"] for pair in comparison["pairs"]}
    assert last == {("top-k-8", "rerank-2"): False, ("top-k-8", "top-k-3"): True, ("rerank-2", "top-k-3"): True}


@pytest.mark.slow
def test_the_gate_fails_where_a_later_system_is_worse_than_the_first(ranked: Assay) -> None:
    """Exit status 3 and the reason; in the other order the first is the worst, and the gate passes."""
    assert "top-k-3 is clearly worse than top-k-8" in ranked("compare", *RIGHT, "--gate", status=3).output
    ranked("compare", "top-k-3", "rerank-2", "top-k-8", "--gate")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "words"),
    [(("top-k-8", "rerank-2", "nobody"), "no item is of the system nobody"), (("top-k-8",) * 3, "named twice")],
)
def test_names_are_checked(ranked: Assay, names: tuple[str, ...], words: str) -> None:
    """Wrong usage, in one line."""
    assert words in ranked("compare", *names, status=2).stderr


@pytest.mark.slow
def test_by_a_criterion_an_answer_fails_where_its_cause_is_named(assay: Assay) -> None:
    """Every answer labelled: the rate is 1 less the share wrong for that cause, exactly; `reader` is wrong for other causes alone."""
    wrong = {
        "top": {"unfaithful": 2},
        "reader": {"misread_question": 9, "incomplete": 3},
        "inventor": {"unfaithful": 14},
    }
    rows = [
        traffic_row(f"{system}/{n}", question=f"Where is room {n}?", system=system)
        for system in wrong
        for n in range(20)
    ]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay("judge")
    labels = []
    for system, causes in wrong.items():
        named = [cause for cause, count in causes.items() for _ in range(count)]
        for n in range(20):
            verdict = {"label": "wrong", "causes": [named[n]]} if n < len(named) else {"label": "right"}
            labels.append({"item_id": f"{system}/{n}", "annotator": "ann", **verdict})
    assay("labels", "import", assay.write("labels.jsonl", labels))

    ranking = assay.json("compare", *wrong, "--criterion", "faithfulness")
    rates = {system["system"]: system["correctness"]["estimate"] for system in ranking["systems"]}
    assert rates == pytest.approx({"top": 0.9, "reader": 1.0, "inventor": 0.3})
    assert ranking["criterion"] == "faithfulness"
    assert ranking["is_census"]
    assert ranking["answer"].startswith("By faithfulness: ")
    two = assay.json("compare", "top", "reader", "--criterion", "answer_relevance")
    assert [system["correctness"]["estimate"] for system in two["systems"]] == pytest.approx([1.0, 11 / 20])
    assert "call it wrong and name the cause misread_question" in assay.words(
        "compare", "top", "reader", "--criterion", "answer_relevance"
    )


@pytest.mark.slow
def test_by_a_criterion_wrong_answers_without_causes_give_no_rate(ranked: Assay) -> None:
    """Without causes nobody knows which of the wrong ones fail it, so naming them is next; once all are named for it, it ranks as
    right and wrong do.
    """
    drawn = [name for (name,) in ranked.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item")]
    plain = ranked.json("compare", *RIGHT)
    unknown = ranked.json("compare", *RIGHT, "--criterion", "faithfulness")
    wrong = Counter(name.split("/")[0] for name in drawn if said(name, RIGHT)["label"] == "wrong")
    rates = {system["system"]: system["correctness"] for system in unknown["systems"]}
    assert {name for name, rate in rates.items() if rate["estimate"] is None} == set(wrong)
    assert not unknown["pairs"]
    (step,) = unknown["next"]
    assert f"for the {wrong.total()} wrong answers without one" in step["words"]
    shown = ranked.words("compare", *RIGHT, "--criterion", "faithfulness", "--full")
    system, count = wrong.most_common(1)[0]
    assert f"none of its {count} wrong answers has a named cause" in shown

    one = next(name for name in drawn if name.startswith(f"{system}/") and said(name, RIGHT)["label"] == "wrong")
    ranked("labels", "import", ranked.write("one.jsonl", [{**said(one, RIGHT), "causes": ["incomplete"]}]))
    partly = ranked.json("compare", *RIGHT, "--criterion", "faithfulness")
    assert partly["missing"][system] == count - 1

    named = [{**said(name, RIGHT), "causes": ["incomplete", "unfaithful"]} for name in drawn]
    ranked("labels", "import", ranked.write("named.jsonl", named))
    known = ranked.json("compare", *RIGHT, "--criterion", "faithfulness")
    for part in ("systems", "pairs", "missing"):
        assert known[part] == plain[part]


def test_what_a_criterion_does_not_go_with(assay: Assay) -> None:
    """Drawing makes no ranking, and a judge's means stand beside pairs."""
    assert "--criterion" in assay("compare", "a", "b", "--criterion", "faithfulness", "--draw", "9", status=2).stderr
    assert "--score" in assay("compare", "a", "b", "--criterion", "faithfulness", "--score", "s", status=2).stderr
