"""`assay compare` asks what speaks against its claim: answers without a right or wrong, and annotators who do not agree."""

from __future__ import annotations

import pytest

from support.store import Assay, label, traffic_row

pytestmark = pytest.mark.slow

QUESTIONS = 60


def compared(assay: Assay, unsure: int, *, better: str = "new") -> Assay:
    """Every answer is drawn: the better system is right on all of its first questions but six, and unsure on the last ones."""
    systems = ("old", "new")
    rows = [
        traffic_row(f"{system}-{n}", system=system, question=f"Where is room {n}?")
        for system in systems
        for n in range(QUESTIONS)
    ]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay("scores", "import", assay.write("s.jsonl", [{"item_id": r["id"], "judge": "s", "value": 0.9} for r in rows]))
    assay("rule", "set", "s > 0.5")
    assay("sample", "--labels", str(len(rows)), "--all-passed")

    def said(system: str, number: int) -> str:
        if number >= QUESTIONS - unsure:
            return "unsure"
        return "right" if (number % 10 if system == better else number % 3) else "wrong"

    labels = [
        label(str(row["id"]), said(*str(row["id"]).split("-")[:1], int(str(row["id"]).split("-")[1]))) for row in rows
    ]
    assay("labels", "import", assay.write("labels.jsonl", labels))
    return assay


def test_with_every_answer_judged_the_claim_is_made(assay: Assay) -> None:
    """Nothing speaks against it."""
    comparison = compared(assay, 0).json("compare", "old", "new")
    assert comparison["standing"] == "better"
    assert comparison["objections"] == []


@pytest.mark.parametrize("better", ["new", "old"])
def test_answers_that_could_turn_it_leave_it_open(assay: Assay, better: str) -> None:
    """A third of either side is unsure: it looks so, the first sentence says why, and no gate passes what may be worse."""
    comparison = compared(assay, 20, better=better).json("compare", "old", "new")
    word = "better" if better == "new" else "worse"

    assert comparison["standing"] == f"looks {word}"
    assert comparison["answer"].startswith(f"new looks {word} than old: ")
    assert (
        "Open: draws without a right-or-wrong label could change this (20 of old, 20 of new)." in (comparison["answer"])
    )
    assert "20 of old, 20 of new" in comparison["objections"][0]["reason"]
    assert [objection["doubt"] for objection in comparison["objections"]] == ["missing"]
    status = 0 if better == "new" else 3
    assay("compare", "old", "new", "--gate", status=status)
    assay.write("assay.toml", "[gate.compare]\nlargest_drop = 0.02\n")
    assay("compare", "old", "new", "--gate", status=3)


def test_a_few_that_cannot_turn_it_do_not_matter(assay: Assay) -> None:
    """Two of sixty on either side."""
    assert compared(assay, 2).json("compare", "old", "new")["standing"] == "better"
