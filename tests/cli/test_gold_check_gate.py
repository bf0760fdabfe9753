"""`assay gold check --gate`: why a system must not go out, on standard error, in JSON and as exit status 3."""

from __future__ import annotations

import pytest

from support.gold_check import RIGHT, WRONG, answers, checked, entry, gold_set, known
from support.store import Assay, label


def held(assay: Assay, *args: str, status: int = 0) -> tuple[str, list[str]]:
    """What `assay gold check --gate` says on standard error, and the reasons in its JSON."""
    said = assay("gold", "check", "--system", "new", "--gate", *args, status=status)
    gate = assay.json("gold", "check", "--system", "new", "--gate", *args, status=status)["gate"]
    assert gate["passed"] is not bool(gate["reasons"])
    return said.stderr, gate["reasons"]


@pytest.mark.slow
def test_the_gate_fails_on_more_broken_answers_than_allowed(six: Assay) -> None:
    """One right answer broke: with 0 allowed that is status 3, with 1 it is not, and without a limit neither."""
    new = answers("new", {**dict.fromkeys("ab", RIGHT), "c": "Ask elsewhere.", **dict.fromkeys("def", RIGHT)})

    six("ingest", six.write("new.jsonl", new))
    six("labels", "import", six.write("more.jsonl", [label("new-c", "wrong")]))
    assert checked(six, new)["fates"]["broke"] == 1
    assert held(six) == ("", [])
    six.write("assay.toml", "[gate.gold_check]\nallow_broken = 1\n")
    assert held(six) == ("", [])
    six.write("assay.toml", "[gate.gold_check]\nallow_broken = 0\n")
    reason = "1 right answer broke, 0 are allowed"
    assert held(six, status=3) == (f"gate failed: {reason}\n", [reason])
    assert checked(six, new)["gate"] == {"passed": False, "reasons": [reason], "undecided": []}


@pytest.mark.slow
def test_the_gate_fails_when_the_system_is_shown_worse(assay: Assay) -> None:
    """Of 12 right answers all broke: (0 - 13 / 14 + 1 / 14) + 1.96 se < 0. Without --gate that is said, and the status is 0."""
    names = [f"m{n}" for n in range(12)]
    gold_set(assay, answers("old", dict.fromkeys(names, RIGHT)), [label(f"old-{name}") for name in names])

    known(assay)

    check = checked(assay, answers("new", dict.fromkeys(names, "Ask elsewhere.")))

    assert check["worse"] is True
    assert check["difference"]["estimate"] == -1
    assert check["difference"]["high"] < 0
    assert "the whole interval lies below 0" in held(assay, status=3)[1][0]


@pytest.mark.slow
def test_a_seriously_harmful_answer_that_is_wrong_again_fails_the_gate(assay: Assay) -> None:
    """Whatever the interval says; it is listed first."""
    gold_set(
        assay,
        answers("old", {"a": WRONG, "b": WRONG}),
        [label("old-a", "wrong", reference=RIGHT), label("old-b", "wrong", reference=RIGHT, harm="serious")],
    )

    check = checked(assay, answers("new", {"a": WRONG, "b": WRONG}))

    assert check["serious"] == [entry(assay, "old-b")]
    assert [item["serious"] for item in check["items"]] == [True, False]
    assert "seriously harmful" in held(assay, status=3)[1][0]


@pytest.mark.slow
def test_a_gate_that_nothing_can_be_held_against_fails(six: Assay) -> None:
    """Only an answer to another question: six gaps are status 4, and with --gate status 3 with what to do."""
    check = checked(six, answers("new", {"x": RIGHT}), status=4)

    assert check["gaps"] == ["6 gold questions have no answer"]
    said, reasons = held(six, status=3)
    assert said.splitlines()[0] == check["gaps"][0]
    assert len(reasons) == 1
    assert reasons[0].startswith("not measurable: nothing can be compared")


def test_an_empty_gold_set_lets_nothing_pass(assay: Assay) -> None:
    """Nothing was checked: status 0 without --gate, 3 with it."""
    checked(assay, answers("new", {"a": RIGHT}))

    assert "nothing can be compared" in held(assay, status=3)[1][0]
