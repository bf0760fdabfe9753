"""`assay gold check` on a real store: what broke, what was mended, what cannot be told, and the exit status that says so."""

from __future__ import annotations

import json

import pytest

from proxy.stats.agreement.rogan_gladen import Count
from proxy.stats.testing.corrected_difference import corrected_difference
from proxy.stats.testing.paired import Pairs
from support.gold_check import RIGHT, WRONG, answers, checked, entry, fate, gold_set, known
from support.store import Assay, label


@pytest.mark.slow
def test_each_entry_is_kept_broken_mended_or_still_wrong(six: Assay) -> None:
    """By hand: a, b kept, c broke, d mended, e and f still wrong; (1 - 1) / 6 = 0 within Bonett and Price's 1.96 sqrt(4/8/8)."""
    known(six)
    new = {"a": RIGHT, "b": f"  {RIGHT.upper()}", "c": "Ask elsewhere.", "d": RIGHT, "e": WRONG, "f": "Ask elsewhere."}

    check = checked(six, answers("new", new))

    assert [fate(check, name) for name in "abcdef"] == ["kept", "kept", "broke", "mended", "still_wrong", "still_wrong"]
    assert check["pairs"] == {"both": 2, "only_first": 1, "only_second": 1, "neither": 2, "n": 6}
    assert check["difference"]["estimate"] == 0
    assert check["difference"]["high"] == pytest.approx(1.959964 * (4 / 8 / 8) ** 0.5, abs=1e-6)
    assert check["mcnemar_mid_p"] == pytest.approx(1 - 0.5 / 2)
    assert check["new_share"]["estimate"] == 0.5
    assert "not of traffic" in check["speaks_of"]


def test_questions_without_an_answer_are_counted_and_never_help(six: Assay) -> None:
    """A pipeline that leaves out c and says nothing on e: status 4, and as wrong answers they make -1/6 of 0/4."""
    new = {"a": RIGHT, "b": RIGHT, "d": WRONG, "e": " \n", "f": WRONG}

    check = checked(six, answers("new", new), status=4)

    assert (fate(check, "c"), fate(check, "e")) == ("no_answer", "no_answer")
    assert check["pairs"]["n"] == 4
    assert check["difference"]["estimate"] == 0
    assert check["if_missing_wrong"]["estimate"] == pytest.approx(-1 / 6)
    lines = six("gold", "check", "--system", "new", status=4)
    assert "2 questions without an answer (before: 1 right, 1 wrong)" in lines.stdout
    assert "2 gold questions have no answer" in lines.stderr


@pytest.mark.slow
def test_a_mistake_that_the_judge_does_not_see_is_not_called_mended(assay: Assay) -> None:
    """The wrong answer has every word of the reference and one more, so it passes: of the new one nothing can be said."""
    old = answers("old", {"a": f"Do not: {RIGHT}"})
    gold_set(assay, old, [label("old-a", "wrong", reference=RIGHT)])
    known(assay)

    check = checked(assay, answers("new", {"a": f"{RIGHT} With water."}))

    assert fate(check, "a") == "cannot_tell"
    assert check["difference"]["estimate"] is None
    assert check["judge_specificity"]["n"] == 21
    assert check["judge_specificity"]["estimate"] == 20 / 21
    assert "cannot tell" in assay("gold", "check", "--system", "new").stdout


@pytest.mark.slow
def test_a_person_who_read_the_new_answer_is_believed_before_the_judge(six: Assay) -> None:
    """The judge fails the new wording of a and passes the one of d; annotators say the opposite."""
    known(six)
    new = answers(
        "new", {"a": "Once daily, before noon.", "b": RIGHT, "c": RIGHT, "d": f"{RIGHT} Never.", "e": WRONG, "f": WRONG}
    )
    assert (fate(checked(six, new), "a"), fate(checked(six, new), "d")) == ("broke", "mended")

    six("labels", "import", six.write("more.jsonl", [label("new-a", "right"), label("new-d", "wrong")]))
    check = checked(six, new)

    assert (fate(check, "a"), fate(check, "d")) == ("kept", "still_wrong")
    assert check["by_basis"] == {"annotator": 2, "same": 4}


def test_a_new_answer_about_which_a_person_is_unsure_was_not_judged(six: Assay) -> None:
    """Unsure is no verdict, and the judge does not overrule it: status 4."""
    new = answers("new", dict.fromkeys("abcdef", RIGHT))
    six("ingest", six.write("new.jsonl", new))
    six("labels", "import", six.write("more.jsonl", [label("new-d", "unsure")]))

    assert fate(checked(six, new, status=4), "d") == "not_judged"


@pytest.mark.slow
def test_entries_that_share_a_question_count_once(assay: Assay) -> None:
    """Two systems were asked the same and both answers are gold: two entries, one answer, one pair."""
    old = [*answers("old", {"a": RIGHT}), *answers("other", {"a": "One tablet, 5 mg, mornings."})]
    gold_set(assay, old, [label("old-a"), label("other-a")])

    check = checked(assay, answers("new", {"a": RIGHT}))

    assert check["entries"] == 2
    assert check["pairs"]["n"] == 1
    assert list(check["several"]) == ["new-a"]
    assert len(check["several"]["new-a"]) == 2


def test_the_newest_answer_counts_and_a_conversation_makes_another_question(six: Assay) -> None:
    """Of three answers to a the newest by its own time is taken; one within a conversation was asked something else."""
    times = ("2026-11-02T00:00:00Z", "2026-11-03T00:00:00Z", "2026-11-01T00:00:00Z")
    texts = (WRONG, RIGHT, WRONG)
    new = [
        answers("new", {"a": text})[0] | {"id": f"n{at}", "timestamp": at}
        for text, at in zip(texts, times, strict=True)
    ]
    new += answers("new", {"b": RIGHT}, history=[{"role": "user", "text": "I mean the drops."}])

    check = checked(six, new, status=4)

    assert fate(check, "a") == "kept"
    assert fate(check, "b") == "no_answer"


def test_an_item_may_name_its_entry(six: Assay) -> None:
    """With the field gold_id the question may be worded otherwise."""
    new = answers("new", {"d": RIGHT})[0] | {"question": "d?", "gold_id": entry(six, "old-d")}

    assert fate(checked(six, [new], status=4), "d") == "mended"


def test_the_answers_that_became_gold_are_no_new_answers(six: Assay) -> None:
    """The old system checked against what was made of its own items has nothing new, until it answers again."""
    check = six.json("gold", "check", "--system", "old", status=4)
    assert check["fates"]["no_answer"] == 6

    again = [answer | {"id": f"again-{answer['id']}"} for answer in answers("old", dict.fromkeys("abcdef", RIGHT))]
    six("ingest", six.write("again.jsonl", again))

    assert six.json("gold", "check", "--system", "old")["fates"]["kept"] == 3


def test_an_unknown_system_names_those_there_are(six: Assay) -> None:
    """Status 2, and the systems with their items."""
    assert "the systems are old (6)" in six("gold", "check", "--system", "nwe", status=2).stderr


def test_an_empty_gold_set_is_said_in_words(assay: Assay) -> None:
    """Nothing to check is no failure, and no number."""
    check = checked(assay, answers("new", {"a": RIGHT}))

    assert (check["entries"], check["difference"]["estimate"], check["new_share"]["estimate"]) == (0, None, None)
    assert "no gold entry to check" in assay("gold", "check", "--system", "new").stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (RIGHT, RIGHT, "No answer changed between right and wrong"),
        (RIGHT, WRONG, "could only lose"),
        (WRONG, RIGHT, "could only gain"),
    ],
)
def test_what_a_set_of_one_kind_can_show_is_said(assay: Assay, old: str, new: str, words: str) -> None:
    """Ties, and sets in which all were right or all wrong."""
    kind = "right" if old == RIGHT else "wrong"
    gold_set(assay, answers("old", {"a": old}), [label("old-a", kind, reference=RIGHT if kind == "wrong" else None)])
    known(assay)
    assay("ingest", assay.write("new.jsonl", answers("new", {"a": new})))

    assert words in assay("gold", "check", "--system", "new").stdout


@pytest.mark.slow
def test_with_enough_known_answers_the_difference_is_freed_of_the_judges_errors(assay: Assay) -> None:
    """20 right answers in other words than the traffic's reference (the judge passes 15), 20 wrong ones (it fails all).

    New: 10 of the once right are the reference itself and 10 unrelated; of the wrong 20, 20 are unrelated. Same words are known,
    the judge speaks of 30: J = .75, so each fail is -.0 / .75 = (0 + 1 - 1) / .75 = 0 right.
    """
    right = {f"r{n}": RIGHT if n < 15 else "Mornings." for n in range(20)}
    wrong = {f"w{n}": WRONG for n in range(20)}
    rows = [answer | {"reference": f"{RIGHT} Yes."} for answer in answers("old", right)] + answers("old", wrong)
    labels = [label(f"old-{name}") for name in right] + [
        label(f"old-{name}", "wrong", reference=RIGHT) for name in wrong
    ]
    gold_set(assay, rows, labels)
    withheld = [entry["gold_id"] for entry in assay.json("gold", "list")["gold"] if entry["status"] == "candidate"]
    assay("gold", "accept", *withheld)  # r15 and its like ask nearly what r14 asks, in other words
    new = {name: text if n % 2 else "Ask elsewhere." for n, (name, text) in enumerate(right.items())}

    check = checked(assay, answers("new", {**new, **dict.fromkeys(wrong, "Ask elsewhere.")}))

    known, judged = Pairs(10, 0, 0, 0), Pairs(0, 10, 0, 20)
    expected = corrected_difference(judged, known, Count(x=15, n=20), Count(x=20, n=20))
    assert check["judge_sensitivity"]["estimate"] == 0.75
    assert check["corrected"]["estimate"] == pytest.approx(-0.25) == pytest.approx(expected.estimate)
    assert (check["corrected"]["low"], check["corrected"]["high"]) == pytest.approx((expected.low, expected.high))
    assert check["corrected"]["n"] == 40


@pytest.mark.slow
def test_a_judge_that_nobody_checked_decides_nothing(six: Assay) -> None:
    """The judge would say that c broke: the first line says that it cannot be said, nothing is counted, and the gate stays open."""
    new = answers("new", {"a": RIGHT, "b": RIGHT, "c": "Ask elsewhere.", "d": RIGHT, "e": WRONG, "f": "Ask elsewhere."})

    check = checked(six, new)
    said = six("gold", "check", "--system", "new", "--gate")

    assert said.stdout.startswith("Whether new broke anything cannot be told: 2 of 6 gold questions rest on a judge ")
    assert "has not been checked against annotators here: it takes 20 right and 20 wrong answers" in said.stdout
    assert (check["fates"]["broke"], check["fates"]["unchecked"], check["decidable"]) == (0, 2, False)
    assert check["gate"]["passed"] is None
    assert "gate: not decidable: 2 of 6 gold questions are left to a judge that was not checked" in said.stderr
    six.write("assay.toml", "[gate.gold_check]\nrequire_checked_judge = true\n")
    assert "gate failed: 2 of 6 gold questions" in six("gold", "check", "--system", "new", "--gate", status=3).stderr


@pytest.mark.slow
def test_a_judge_that_is_shown_not_to_tell_decides_nothing(six: Assay) -> None:
    """Enough known answers, and it passes the wrong ones as well."""
    rows = answers("known", {f"k{n}": f"Do not: {RIGHT}" for n in range(40)}, reference=RIGHT)
    six("ingest", six.write("known.jsonl", rows))
    labels = [label(f"known-k{n}", "right" if n % 2 else "wrong") for n in range(40)]
    six("labels", "import", six.write("known_labels.jsonl", labels))

    check = checked(six, answers("new", dict.fromkeys("abcdef", "Ask elsewhere.")))

    assert check["judge_obstacle"] == "here the judge hardly tells right answers from wrong ones"
    assert (check["fates"]["unchecked"], check["worse"]) == (6, False)


@pytest.mark.slow
def test_what_is_listed_is_what_is_counted(assay: Assay) -> None:
    """Two entries ask the same: one line, one count, and the other one is named as superseded."""
    old = answers("old", {"a": RIGHT}) + answers("older", {"a": RIGHT}) + answers("old", {"b": RIGHT})
    gold_set(assay, old, [label("old-a"), label("older-a"), label("old-b")])
    assay("ingest", assay.write("new.jsonl", answers("new", {"a": "Ask elsewhere.", "b": "Ask elsewhere."})))
    assay("labels", "import", assay.write("more.jsonl", [label("new-a", "wrong"), label("new-b", "wrong")]))

    check = assay.json("gold", "check", "--system", "new")
    lines = assay("gold", "check", "--system", "new").stdout.splitlines()

    assert check["entries"] == 3
    assert check["pairs"]["only_first"] == check["fates"]["broke"] == len(check["items"]) == 2
    assert sum(line.startswith("broke") for line in lines) == 2
    assert len(check["superseded"]) == 1


def test_a_check_is_logged_without_any_text(six: Assay) -> None:
    """Counts and names of what was checked, nothing of what anybody wrote."""
    checked(six, answers("new", dict.fromkeys("abcdef", RIGHT)))

    detail = six.sql("SELECT detail FROM events WHERE what = 'gold check'")[0][0]

    assert json.loads(detail)["entries"] == 6
    assert "tablet" not in detail
