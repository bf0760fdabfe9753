"""What actions on the gold set came to, and its lists: the same numbers in every language, texts of others literally."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from annotate.analysis.gold.review import GoldEntries, MissingReference, NearDuplicates, WaitingEntry
from annotate.analysis.next_step.gold import after_gold_accept, after_gold_review
from annotate.domain.gold import GoldSource, GoldStatus
from annotate.domain.gold.conflicts import NearPair
from annotate.domain.gold.entries import GoldRevision
from annotate.domain.gold.outcomes import (
    Accepted,
    Edited,
    Exported,
    KeptEntry,
    MarkedEntries,
    Retired,
    TeamPolicy,
    WrittenReference,
)
from annotate.domain.gold.release import Difference, Release
from annotate.domain.gold.sources import SourceChange
from annotate.present.answer import Answer
from annotate.present.gold.lists import History
from annotate.present.messages import text
from annotate.workflow.gold.release import ReleaseResult
from proxy.records import Turn
from support.documents import answer_of, check, check_model
from support.gold import made_entry

HOSTILE = "x\x1b[31m<i>|_*駅"
COUNTS = {GoldStatus.CANDIDATE: 1_203, GoldStatus.ACCEPTED: 4, GoldStatus.RETIRED: 0}
ENTRIES = [
    made_entry("g1", reference=HOSTILE, item_id=HOSTILE, flag="the label says wrong", lacks_knowledge=True),
    made_entry("g2", status=GoldStatus.CANDIDATE, source=GoldSource.CORRECTION),
]
ASKED = {"g1": f"Where? {HOSTILE}", "g2": "When?"}
BEFORE = {"g1": (Turn(role="user", text="The lift."),)}
RELEASE = Release(name=f"v1 {HOSTILE}", at="2026-11-23T08:00:00.000Z", who=HOSTILE, hash="ab" * 32, entries=1_204)
CHANGE = SourceChange("d1", f"Before. {HOSTILE}", f"Now. {HOSTILE}", HOSTILE)
WAITING = [
    WaitingEntry(
        entry=entry,
        question=ASKED[entry.gold_id],
        history=BEFORE.get(entry.gold_id, ()),
        doubts=[HOSTILE],
        changes=[CHANGE],
    )
    for entry in ENTRIES
]
WITHHELD = Accepted(changed=1, counts=COUNTS, corrections=2, own=3, withheld={"g9": f"asks the same as {HOSTILE}"})
ANSWERS: Mapping[str, Answer[object]] = {
    "added": answer_of("gold.actions.added", WrittenReference("g1", (HOSTILE, "w2"))),
    "accepted": answer_of("gold.actions.accepted", WITHHELD, steps=after_gold_accept(WITHHELD)),
    "retired": answer_of("gold.actions.retired", Retired(changed=2, counts=COUNTS, test_questions=COUNTS)),
    "edited": answer_of("gold.actions.edited", Edited("g1", True, GoldStatus.CANDIDATE)),
    "edited to the same": answer_of("gold.actions.edited", Edited("g1", False, GoldStatus.ACCEPTED)),
    "kept": answer_of("gold.actions.kept", KeptEntry("g1", True)),
    "not flagged": answer_of("gold.actions.kept", KeptEntry("g1", False)),
    "marked": answer_of("gold.actions.marked", MarkedEntries(1, 7)),
    "policy": answer_of("gold.actions.policy", TeamPolicy(second_person=True, traffic_references=False)),
    "released": answer_of(
        "gold.actions.released",
        ReleaseResult(release=RELEASE, same_as="v0", roles={"between roles": 3, "test": 5}, flagged=2, conflicting=6),
    ),
    "exported": answer_of("gold.actions.exported", Exported(HOSTILE, 1_204, 2, 3, 4, 5, 6)),
    "entries": answer_of(
        "gold.lists.entries",
        GoldEntries(
            entries=ENTRIES,
            questions=ASKED,
            histories=BEFORE,
            missing=[MissingReference(question=HOSTILE, history=BEFORE["g1"], item_ids=(HOSTILE, "w2"))],
            changes={ENTRIES[0].gold_id: [CHANGE]},
            without_ids=7,
            lacking=1,
            corrects={"g1": [HOSTILE]},
        ),
    ),
    "waiting": answer_of("gold.lists.waiting", WAITING, steps=after_gold_review(2)),
    "duplicates": answer_of(
        "gold.lists.duplicates",
        NearDuplicates(
            pairs=[NearPair(first="g1", other="g2", is_conflict=True)],
            entries={entry.gold_id: entry for entry in ENTRIES},
            questions=ASKED,
            histories=BEFORE,
        ),
    ),
    "history": answer_of(
        "gold.lists.history",
        History("g1", [GoldRevision(RELEASE.at, GoldStatus.ACCEPTED, HOSTILE, HOSTILE, HOSTILE, GoldSource.APP)]),
    ),
    "releases": answer_of("gold.lists.releases", [RELEASE]),
    "difference": answer_of(
        "gold.lists.difference", Difference(("g1",), (), ("g2", "g3"), (), ("g4",)), before="v0", after=RELEASE.name
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_what_was_done_is_told_alike_in_every_language_and_medium(name: str) -> None:
    """Every number of the English text is in the others, nothing steers a terminal, and the JSON holds to its schema."""
    answer = ANSWERS[name]

    assert "\x1b" not in check(answer.document)
    check_model(answer.model)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("accepted", "The gold set has 4 accepted, 1,203 candidates and 0 retired."),
        ("accepted", "1 needs a look of its own:\ng9: asks the same as"),
        ("added", "Other wrong answers to this question still need a reference"),
        ("edited", "g1 is changed, candidate."),
        ("edited to the same", "g1 says that already."),
        ("policy", "Second person: yes. References of the traffic become candidates: no."),
        ("released", "Left out: 2 flagged, 6 in conflict."),
        ("exported", "3 candidates are not among them."),
        ("entries", "questions that need a reference: 1 (wrong answers: 2)."),
        ("entries", "accepted, flagged, knowledge base lacks this"),
        ("waiting", "    assay gold keep GOLD_ID --why TEXT"),
        ("duplicates", "Conflict: nearly the same question, different references"),
        ("releases", "ab" * 32),
        ("difference", "1 added, 0 removed, 2 changed, 0 another role, 1 another mark."),
    ],
)
def test_each_says_what_matters(name: str, words: str) -> None:
    """In full, in English."""
    assert words in ANSWERS[name].to_text(full=True)


def test_an_entry_that_waits_is_shown_with_its_place() -> None:
    """As the review on a terminal shows one after the other."""
    from annotate.present.gold import lists as gold_lists

    shown = check(gold_lists.candidate(WAITING[0], 1, 2))

    assert shown.startswith("1 of 2\n")
    assert "Question: Where?" in shown
    assert "(after “The lift.”)" in shown
    assert text(gold_lists.reviewed(1, 1).answer) == "1 decided; 1 wait."
