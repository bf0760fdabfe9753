"""Which entries a check asks about: of a role, of a release as it was made, without an item, flagged, and odd ones."""

from __future__ import annotations

from typing import Any

import pytest

from support.gold_check import RIGHT, WRONG, answers, checked, entry, fate, gold_set, known
from support.store import NASTY, Assay, kept, label


@kept
def two_entries(assay: Assay) -> Assay:
    """One right answer, one wrong with a reference, both gold."""
    gold_set(
        assay,
        answers("old", {"a": RIGHT, "b": WRONG}),
        [label("old-a"), label("old-b", "wrong", reference=RIGHT)],
    )
    return assay


def judged(assay: Assay, *args: str, status: int = 0) -> dict[str, Any]:
    """The check of what is ingested already."""
    return assay.json("gold", "check", "--system", "new", *args, status=status)


@pytest.mark.slow
def test_an_imported_reference_without_an_old_answer_counts_in_the_new_share_alone(two_entries: Assay) -> None:
    """Nothing can be mended or broken where nobody had answered before."""
    rows = [{"question": "How is medicine c taken?", "reference": RIGHT}]
    two_entries("gold", "import", two_entries.write("references.jsonl", rows))
    two_entries("gold", "accept", "--all")
    known(two_entries)

    check = checked(two_entries, answers("new", {"a": RIGHT, "b": RIGHT, "c": "Ask elsewhere."}))

    assert fate(check, "c") == "no_old"
    assert (check["pairs"]["n"], check["new_share"]["n"]) == (2, 3)
    assert check["new_share"]["estimate"] == pytest.approx(2 / 3)


@pytest.mark.slow
def test_a_release_is_checked_as_it_was_made(two_entries: Assay) -> None:
    """The reference of b is replaced after the release: the release still asks for what it held."""
    two_entries("gold", "release", "first", "--test", "1", "--calibration", "0", "--examples", "0")
    two_entries("gold", "edit", entry(two_entries, "old-b"), "--reference", "Do not take it at all, ever.")
    two_entries("gold", "accept", entry(two_entries, "old-b"))
    known(two_entries)

    assert fate(checked(two_entries, answers("new", {"a": RIGHT, "b": RIGHT}), "--release", "first"), "b") == "mended"
    assert fate(judged(two_entries), "b") == "still_wrong"


def test_an_unknown_release_names_those_there_are(two_entries: Assay) -> None:
    """Status 2, also where there is none."""
    checked(two_entries, answers("new", {"a": RIGHT, "b": RIGHT}))
    assert "there is none yet" in two_entries("gold", "check", "--system", "new", "--release", "x", status=2).stderr

    two_entries("gold", "release", "first")

    assert (
        "the releases are first" in two_entries("gold", "check", "--system", "new", "--release", "x", status=2).stderr
    )


@pytest.mark.slow
def test_examples_of_a_prompt_are_no_test(two_entries: Assay) -> None:
    """All entries became examples: there is nothing to test with, unless it is asked for."""
    two_entries("gold", "release", "first", "--test", "0", "--calibration", "0", "--examples", "1")
    check = checked(two_entries, answers("new", {"a": RIGHT, "b": RIGHT}))

    assert check["entries"] == 0
    assert judged(two_entries, "--role", "examples")["entries"] == judged(two_entries, "--role", "all")["entries"] == 2
    assert judged(two_entries, "--role", "all", "--release", "first")["without_role"] == 0


def test_entries_without_a_role_are_tests_and_said(two_entries: Assay) -> None:
    """Before the first release nobody has used them for anything else."""
    assert checked(two_entries, answers("new", {"a": RIGHT, "b": RIGHT}))["without_role"] == 2
    assert "2 entries have no role yet and count as test" in two_entries("gold", "check", "--system", "new").stdout


def test_what_annotators_say_now_of_the_old_answer_counts_and_the_flag_is_said(two_entries: Assay) -> None:
    """A right answer is called wrong after it was accepted: the entry is flagged, and the same words are still wrong."""
    two_entries(
        "labels", "import", two_entries.write("later.jsonl", [label("old-a", "wrong", at="2026-12-01T00:00:00Z")])
    )

    check = checked(two_entries, answers("new", {"a": RIGHT, "b": RIGHT}))

    assert check["flagged"] == 1
    assert fate(check, "a") == "still_wrong"


@pytest.mark.slow
def test_hostile_text_is_compared_and_shown_harmlessly(assay: Assay) -> None:
    """Lone surrogates, NUL, direction marks and markup in question, answers and reference: judged, and escaped on a terminal."""
    old = answers("old", {"a": NASTY})[0] | {"question": f"What is a ? {NASTY}"}
    gold_set(assay, [old], [label("old-a", "wrong", reference=f"It is seven. {NASTY}")])

    check = checked(assay, [old | {"id": "n", "system": "new", "answer": f"It is seven. {NASTY}"}])

    assert fate(check, "a") in ("mended", "cannot_tell")
    shown = assay("gold", "check", "--system", "new").stdout
    assert "\u202e" not in shown
    assert "\0" not in shown


def test_an_answer_in_another_script_could_not_be_judged(two_entries: Assay) -> None:
    """The offline judge does not compare Chinese with English words: it says so, and the status is 4."""
    check = checked(
        two_entries, answers("new", {"a": "每天早上服用一片五毫克的药片，用水送服。", "b": RIGHT}), status=4
    )

    assert fate(check, "a") == "not_judged"
    assert next(item["reason"] for item in check["items"] if item["fate"] == "not_judged")


def test_an_unknown_judge_is_named(two_entries: Assay) -> None:
    """Status 2, with those there are."""
    assert (
        "correctness_vs_reference"
        in two_entries("gold", "check", "--system", "old", "--judge", "nobody", status=2).stderr
    )


@pytest.mark.slow
def test_what_the_judge_cannot_tell_does_not_make_a_system_look_worse(assay: Assay) -> None:
    """Of 20 right answers 6 broke; of 20 wrong ones the judge passes 17, and the 3 that it fails were mended: -3 of 23 as seen.

    In the gold set half were wrong, so it is .5 x 3/3 - .5 x 6/20 = +.35 if the 17 were mended as often, and nothing is shown
    worse.
    """
    right, wrong = [f"r{n}" for n in range(20)], [f"w{n}" for n in range(20)]
    unseen = dict.fromkeys(wrong[:17], f"Do not: {RIGHT}")
    gold_set(
        assay,
        answers("old", {**dict.fromkeys(right, RIGHT), **unseen, **dict.fromkeys(wrong[17:], WRONG)}),
        [label(f"old-{name}") for name in right] + [label(f"old-{name}", "wrong", reference=RIGHT) for name in wrong],
    )
    known(assay)
    new = {**dict.fromkeys(right, RIGHT), **dict.fromkeys(right[:6], WRONG), **dict.fromkeys(wrong, f"{RIGHT} Daily.")}

    check = checked(assay, answers("new", new))

    assert (check["pairs"]["n"], check["untold"]) == (23, 17)
    assert check["difference"]["estimate"] == pytest.approx(-3 / 23)
    assert check["composed"]["estimate"] == pytest.approx(0.35)
    assert check["worse"] is False
    assert "17 questions whose old answer the judge gets wrong" in assay("gold", "check", "--system", "new").stdout


@pytest.mark.slow
def test_what_the_knowledge_base_lacks_is_marked(two_entries: Assay) -> None:
    """No pipeline can answer it; whoever reads the list ought to know."""
    two_entries("gold", "mark", entry(two_entries, "old-b"), "--knowledge-base-lacks")
    known(two_entries)

    check = checked(two_entries, answers("new", {"a": RIGHT, "b": "Ask elsewhere."}))

    assert [item["lacks_knowledge"] for item in check["items"]] == [False, True]
    assert "still wrong  not in the knowledge base" in two_entries("gold", "check", "--system", "new").stdout


def test_what_was_forgotten_since_the_release_is_not_asked(two_entries: Assay) -> None:
    """No question is left to answer: neither a gap nor a mistake of the new system."""
    two_entries("gold", "release", "first", "--test", "1", "--calibration", "0", "--examples", "0")
    two_entries("forget", "--yes", "--item", "old-b")

    check = checked(two_entries, answers("new", {"a": RIGHT}), "--release", "first")

    assert (check["entries"], check["fates"]["kept"], check["fates"]["no_answer"]) == (1, 1, 0)


@pytest.mark.slow
def test_only_people_or_a_checked_judge_show_a_system_worse(assay: Assay) -> None:
    """All 12 right answers break by a judge that no label has checked: not decidable; by annotators' labels it is worse."""
    names = [f"q{n}" for n in range(12)]
    gold_set(assay, answers("old", dict.fromkeys(names, RIGHT)), [label(f"old-{name}") for name in names])
    checked(assay, answers("new", dict.fromkeys(names, WRONG)))

    said = assay("gold", "check", "--system", "new", "--gate")
    assert "worse" not in said.output
    assert "gate: not decidable: 12 of 12 gold questions" in said.stderr

    labels = [label(f"new-{name}", "wrong") for name in names]
    assay("labels", "import", assay.write("new_labels.jsonl", labels))
    said = assay("gold", "check", "--system", "new", "--gate", status=3)
    assert said.stdout.startswith("new is worse than before: -100 points (-100 to -59, n = 12)")
    assert "the whole interval lies below 0" in said.stderr


def test_a_system_whose_answers_are_in_the_gold_set_is_held_against_the_others(assay: Assay) -> None:
    """What it answered itself and was not asked again is left out, and is no missing answer; the others are compared."""
    old, new = answers("old", {"a": WRONG, "b": RIGHT}), answers("new", dict.fromkeys("abc", RIGHT))
    assay("ingest", assay.write("traffic.jsonl", [*old, *new]))
    said = [label("old-a", "wrong", reference=RIGHT), label("old-b"), label("new-c")]
    assay("labels", "import", assay.write("labels.jsonl", said))
    assay("gold", "accept", "--all")

    check = assay.json("gold", "check", "--system", "new")
    assert (check["entries"], check["own"]) == (2, 1)
    assert (check["fates"]["no_answer"], check["fates"]["mended"], check["fates"]["kept"]) == (0, 1, 1)
