"""A pipeline that is asked the gold questions is checked like ingested answers, and leaves no trace in the store."""

from __future__ import annotations

import pytest

from annotate import Project
from annotate.domain.gold.regression import Fate
from proxy.errors import UsageError
from support.gold_check import RIGHT, WRONG, answers, known
from support.store import Assay

Turns = list[dict[str, str]]


def by_question(question: str, history: Turns) -> str:
    """A pipeline that breaks the answer on b and gives the reference's words on all others."""
    return WRONG if " b " in question else RIGHT


@pytest.mark.slow
def test_a_pipeline_is_checked_as_its_ingested_answers_are(six: Assay) -> None:
    """Every number of the check is the same, but nothing is kept: no item, no event, not a byte."""
    known(six)
    before = six.db.read_bytes()

    asked = Project.open(six.db).gold.check_pipeline(by_question)
    assert six.db.read_bytes() == before

    ingested = answers("new", {name: WRONG if name == "b" else RIGHT for name in "abcdef"})
    six("ingest", six.write("new.jsonl", ingested))
    check = six.json("gold", "check", "--system", "new", status=0)
    figures = asked.to_dict()
    assert check["fates"] == figures["fates"]
    assert (check["pairs"], check["corrected"]) == (figures["pairs"], figures["corrected"])
    assert asked.result.check.pairs._asdict() == {
        name: check["pairs"][name] for name in asked.result.check.pairs._fields
    }
    assert len(asked.result.check.of(Fate.MENDED)) == 3


def test_a_question_is_asked_once_with_what_was_said_before_it(assay: Assay) -> None:
    """Two references to one question are one question; the turns come as files hold them."""
    turns = [{"role": "user", "text": "I take aspirin."}, {"role": "assistant", "text": "Noted."}]
    rows = [
        {"question": "How often?", "history": turns, "reference": "Once."},
        {"question": "how often", "history": turns, "reference": "Once a day."},
        {"question": "How often?", "reference": "Twice."},
    ]
    assay("gold", "import", assay.write("gold.jsonl", rows))
    assay("gold", "accept", *Project.open(assay.db).gold()["gold_id"])
    asked: list[tuple[str, Turns]] = []

    def pipeline(question: str, history: Turns) -> str:
        asked.append((question, history))
        return "Once."

    Project.open(assay.db).gold.check_pipeline(pipeline)

    assert len(asked) == 2
    assert sorted(len(history) for _, history in asked) == [0, 2]
    assert turns in [history for _, history in asked]


def test_what_a_pipeline_raises_names_the_entry(six: Assay) -> None:
    """The error is the pipeline's own; what is no text is refused."""

    def broken(question: str, history: Turns) -> str:
        raise KeyError(question)

    gold = Project.open(six.db).gold
    with pytest.raises(KeyError) as raised:
        gold.check_pipeline(broken)
    assert "gold entry" in raised.value.__notes__[0]
    with pytest.raises(UsageError, match="as text, not dict"):
        gold.check_pipeline(lambda question, history: {"answer": RIGHT})  # type: ignore[arg-type,return-value]
