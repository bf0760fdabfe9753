"""What is said of a ranking: the same numbers in every language and medium, names of others literally."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotate.analysis.comparison.rank import Ranked, rank
from annotate.analysis.next_step.commands import FILES
from annotate.analysis.next_step.comparison import after_ranking
from annotate.present import ranking
from annotate.present.document import Status
from annotate.present.messages import text
from annotate.present.schemas import ranking as schema
from annotate.store import Store
from proxy.evaluation.evidence_ledger import Doubt, Objection
from proxy.evaluation.trust import percent
from support.documents import check, check_model
from support.store import Assay, label, traffic_row

HOSTILE = "b\x1b[31m<i>|_*駅"


def ranked(assay: Assay, right: dict[str, int], labels: int = 60) -> Ranked:
    """These systems on 60 questions, right on the first so many, that many labels each; hand-picked but for a census."""
    names = list(right)
    rows = [
        traffic_row(f"{place}-{n}", system=name, question=f"Where is room {n}?")
        for place, name in enumerate(names)
        for n in range(60)
    ]
    assay("ingest", assay.write("traffic.jsonl", rows))
    given = [
        label(f"{place}-{n}", "right" if n < right[name] else "wrong")
        for place, name in enumerate(names)
        for n in range(labels)
    ]
    assay("labels", "import", assay.write("labels.jsonl", given))
    store = Store(assay.db)
    try:
        return rank(store, names)
    finally:
        store.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "labels", "status", "begins"),
    [
        ({"a": 54, HOSTILE: 30, "c": 10}, 60, Status.MET, "a is the best, with 90 % ("),
        ({"a": 60, HOSTILE: 59}, 60, Status.OPEN, "a leads on these answers, with 100 % ("),
        ({"a": 30, HOSTILE: 30, "c": 30}, 60, Status.OPEN, "No system is clearly better than another"),
        ({"a": 54, HOSTILE: 30, "c": 10}, 5, Status.UNMEASURABLE, "None of these systems can be ranked yet"),
    ],
)
def test_a_ranking_is_told_alike_in_every_language_and_medium(
    assay: Assay, right: dict[str, int], labels: int, status: Status, begins: str
) -> None:
    """A winner with its rate, a lead of one answer of 60, a tie, and nothing measured; the JSON holds to its schema."""
    result = ranked(assay, right, labels)
    document = ranking.document(result, after_ranking(result, FILES))
    full = check(document)

    assert document.status is status
    assert full.startswith(begins)
    assert "\x1b" not in full
    assert ("a, c: equal" in full) is (len(set(right.values())) == 1)
    for standing in result.standings.measured:
        assert percent(standing.correctness.estimate or 0.0) in full
    check_model(schema.MODEL.read(result, document))


@pytest.mark.slow
def test_an_objection_forbids_a_winner(assay: Assay) -> None:
    """Whatever the rates are: the answer names nobody, and the reason stands below."""
    objection = Objection(Doubt.MISSING, "annotators do not agree", "clear up the guide")
    result = replace(ranked(assay, {"a": 54, "b": 30, "c": 10}), objections=(objection,))

    assert text(ranking.answer(result)) == "No system can be called better than another."
    assert "The reason: annotators do not agree; clear up the guide." in check(ranking.document(result))
