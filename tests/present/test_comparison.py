"""What is said of two systems: the same numbers in every language and medium, the difference in every claim."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from annotate.analysis.comparison.compare import ComparedSystems, compare
from annotate.analysis.next_step.commands import FILES
from annotate.analysis.next_step.comparison import after_comparison
from annotate.domain.sampling.outcomes import ToLabel
from annotate.present import comparison as present_comparison
from annotate.present.messages import text
from annotate.present.schemas import comparison as schema
from annotate.store import Store
from proxy.comparison.comparison import AVERAGED, BONETT_PRICE, CLUSTERED, MOVER, ComparisonStanding, unknown
from proxy.evaluation.evidence_ledger import Doubt, Objection
from support.documents import check, check_model
from support.store import Assay, label, traffic_row

HOSTILE = "b\x1b[31m<i>|_*駅`x`"
OBJECTION = Objection(Doubt.MISSING, "draws without a right-or-wrong label could change this (7 of a)", "label them")


@pytest.fixture(scope="module")
def compared(assay_of_file: Assay) -> ComparedSystems:
    """Two systems on eight questions, all labelled and graded: 6 mended, 1 broke."""
    assay, names = assay_of_file, ("a", HOSTILE)
    rows = [
        traffic_row(f"{place}-{n}", system=name, question=f"Where is room {n}, {HOSTILE}?", answer=f"Floor {n}.")
        for place, name in enumerate(names)
        for n in range(8)
    ]
    assay("ingest", assay.write("traffic.jsonl", rows))
    grades = [
        {"item_id": row["id"], "judge": "correctness_vs_reference", "value": (n % 5) / 4, "signature": "c|1"}
        for n, row in enumerate(rows)
    ]
    assay("scores", "import", assay.write("scores.jsonl", grades))
    assay("judge")
    assay("sample", "--labels", "16", "--seed", "1")
    labels = [label(f"0-{n}", "right" if n < 1 else "wrong") for n in range(8)]
    labels += [label(f"1-{n}", "right" if 0 < n < 7 else "wrong") for n in range(8)]
    assay("labels", "import", assay.write("labels.jsonl", labels))
    store = Store(assay.db)
    try:
        return compare(store, names)
    finally:
        store.close()


def with_standing(result: ComparedSystems, standing: ComparisonStanding, *objections: Objection) -> ComparedSystems:
    return replace(result, comparison=replace(result.comparison, standing=standing, more=1_234), objections=objections)


@pytest.mark.parametrize("standing", list(ComparisonStanding))
@pytest.mark.parametrize("objections", [(), (OBJECTION,)])
def test_a_comparison_is_told_alike_in_every_language_and_medium(
    compared: ComparedSystems, standing: ComparisonStanding, objections: tuple[Objection, ...]
) -> None:
    """Whatever is shown, the answer has the difference with its interval and n, and the JSON holds to its schema."""
    result = with_standing(compared, standing, *objections)
    if standing is ComparisonStanding.UNKNOWN:
        result = replace(result, comparison=unknown("no answers; the store has 16"))
    document = present_comparison.document(result, after_comparison(result, FILES))
    full = check(document)

    assert "\x1b" not in full
    check_model(schema.MODEL.read(result, document))
    if standing is ComparisonStanding.UNKNOWN:
        assert "The reason: no answers; the store has 16." in full
    else:
        # Bonett-Price: shares 7/10 and 2/10 with one more of each, 50 points +- 1.96 sqrt((.9 - .25) / 10) = 49.97.
        assert "+62 points (+0.03 to +100, n = 8)" in text(document.answer)
    if objections and standing is not ComparisonStanding.UNKNOWN:
        assert f"The reason: {OBJECTION.reason}." in " ".join(full.split())


def test_both_answers_of_what_broke_are_shown_in_full(compared: ComparedSystems) -> None:
    """Counts at a glance; texts, verdicts and ids with --full, each name literally."""
    full = check(present_comparison.document(compared))

    assert "Broke: 1; fixed: 6." in full
    assert "a (0-0, proxy: " in full
    assert "By the judge correctness, mean of 5: a " in full


@pytest.mark.parametrize(
    ("is_paired", "more", "words"),
    [
        (True, 3, "More questions to label on both sides that would tell a difference of 5 points: about 3"),
        (True, 5, "about 5 more questions labelled on both sides, and 4 are left."),
        (False, 9, "More labels that would tell a difference of 5 points: about 9"),
        (
            False,
            10,
            "A difference of 5 points cannot be told with these answers: it takes about 10 more labels, and 9 answers",
        ),
    ],
)
def test_a_difference_that_the_answers_cannot_tell_is_said_to_be_out_of_reach(
    compared: ComparedSystems, is_paired: bool, more: int, words: str
) -> None:
    """Of 12 shared questions 8 are labelled on both sides, so 4 are left; of single answers 7 undrawn and 2 open."""
    method = compared.comparison.difference.method if is_paired else MOVER
    comparison = replace(
        compared.comparison,
        standing=ComparisonStanding.NO_DIFFERENCE,
        difference=replace(compared.comparison.difference, method=method),
        more=more,
    )
    shared = replace(compared.shared, expected=np.zeros(12))
    result = replace(compared, comparison=comparison, shared=shared, left=ToLabel(7, 2))
    full = " ".join(check(present_comparison.document(result)).split())

    assert words in full
    assert "may be better or worse than a: +62 points" in text(present_comparison.answer(result))


@pytest.mark.parametrize(("suffix", "repeated"), [("", 0), (CLUSTERED, 0), (CLUSTERED + AVERAGED, 2)])
def test_pairs_stay_pairs_where_they_are_clustered_or_averaged(
    compared: ComparedSystems, suffix: str, repeated: int
) -> None:
    """What the number is made of is told by the method's beginning; repeated questions are counted."""
    measured = compared.comparison.difference
    result = replace(
        compared,
        comparison=replace(compared.comparison, difference=replace(measured, method=BONETT_PRICE + suffix)),
        shared=replace(compared.shared, repeated=repeated),
    )
    full = " ".join(check(present_comparison.document(result)).split())

    assert "question by question, on the 8 questions with both answers labelled" in full
    assert ("so that the mean of these answers counts: 2" in full) is bool(repeated)


def test_no_more_labels_are_asked_for_than_are_left(compared: ComparedSystems) -> None:
    """Where nothing is shown: open draws first, then what is left; else new questions."""
    result = with_standing(compared, ComparisonStanding.NO_DIFFERENCE)
    commands = [
        after_comparison(replace(result, left=left), FILES)[0].commands
        for left in (ToLabel(undrawn=9, waiting=3), ToLabel(undrawn=9, waiting=0), ToLabel(undrawn=0, waiting=0))
    ]

    assert commands[0] == FILES.commands
    assert commands[1][0].endswith("--draw 9")
    assert commands[2] == ("assay ingest FILE",)
