"""The evidence ledger from a store: what became of the draws, who chose, what judges could do, and what speaks against a claim."""

from __future__ import annotations

from contextlib import closing

import pytest

from annotate.analysis.evidence_ledger import evidence_ledger, objections
from annotate.analysis.rule_in_force import rule_in_force
from annotate.store import Store
from proxy.evaluation.evidence_ledger import Doubt, EvidenceLedger, SilentShare, can_turn
from support.missing_answers import passes, says, traffic
from support.scored import open_ids
from support.store import Assay

pytestmark = pytest.mark.slow


def ledger(assay: Assay) -> EvidenceLedger:
    with closing(Store(assay.db)) as store:
        key, rule = rule_in_force(store)
        return evidence_ledger(store, key, rule)


def test_what_became_of_the_draws(assay: Assay) -> None:
    """Unsure, passed over and waiting draws are counted apart, by verdict, with shares that add up."""
    traffic(assay)
    assay("sample", "--labels", "100", "--seed", "3")
    names = open_ids(assay)
    says(assay, names[:70], unsure=names[70:85])
    account = ledger(assay)

    whole = account.draws
    assert (whole.drawn, whole.answered, whole.unsure, whole.unanswered, whole.pending) == (100, 70, 15, 0, 15)
    assert account.passed.drawn + account.failed.drawn == 100
    assert account.passed.unsure == sum(map(passes, names[70:85]))
    assert 0 < whole.unsure_share < 0.4
    assert whole.missing_share == pytest.approx(whole.unsure_share + whole.pending_share)
    assert (
        account.worst("correctness").estimate
        < account.among.correctness.estimate
        < account.best("correctness").estimate
    )  # type: ignore[operator]
    assert account.pending_waves == ()


def test_a_wave_that_nobody_has_begun_takes_nothing_away(assay: Assay) -> None:
    """It is named as pending; with its first label its other draws count as open in the worst case."""
    traffic(assay)
    assay("sample", "--labels", "100", "--seed", "3")
    says(assay, open_ids(assay))
    assay("sample", "--labels", "60", "--seed", "4")
    before = ledger(assay)
    says(assay, open_ids(assay)[:1])
    after = ledger(assay)

    assert (before.pending_waves, before.draws.missing, before.cases) == ((2,), 0, None)
    assert (after.pending_waves, after.draws.pending) == ((), 59)
    assert after.draws.doubt is Doubt.PENDING


def test_unsure_answers_turn_what_they_could_turn(assay: Assay) -> None:
    """All answered passes are right: a width that holds only without the unsure answers has an objection."""
    traffic(assay)
    assay("sample", "--labels", "160", "--seed", "3")
    names = open_ids(assay)
    unsure = [name for name in names if passes(name)][:12]
    says(assay, [name for name in names if name not in unsure], unsure=unsure)
    account = ledger(assay)
    low = account.worst("pass_precision").long_run

    assert account.spanned("pass_precision").long_run == (low.low, 1.0)
    assert [objection.doubt for objection in account.against(quantity="correctness", width=0.05)] == [Doubt.MISSING]


def test_annotators_at_chance_speak_against_any_claim(assay: Assay) -> None:
    """Two annotators who toss coins."""
    traffic(assay)
    assay("sample", "--labels", "160", "--seed", "3")
    names = open_ids(assay)
    for who, bit in (("ann", 1), ("bob", 2)):
        rows = [
            {"item_id": name, "label": "right" if k & bit else "wrong", "annotator": who}
            for k, name in enumerate(names)
        ]
        assay("labels", "import", assay.write(f"{who}.jsonl", rows))
    account = ledger(assay)

    assert [objection.doubt for objection in account.against()] == [Doubt.ANNOTATORS]
    with closing(Store(assay.db, reads_only=True)) as store:
        assert objections(store) == account.against()


def test_judges_items_and_groups_are_counted(assay: Assay) -> None:
    """What was scored, what applies to no judge, what has no passages, and how many groups stand behind the labels."""
    traffic(assay)
    assay("judge", "--judges", "context_relevance,s2", status=2)
    assay("judge", "--judges", "context_relevance")
    assay("sample", "--labels", "200", "--seed", "3")
    says(assay, open_ids(assay))
    account = ledger(assay)
    judges = {judge.judge: judge for judge in account.judges}

    assert (account.items, account.without_passages) == (300, 30)
    assert 0 < account.labelled_without_passages <= 30
    assert judges["s"].scored == 300
    relevance = judges["context_relevance"]
    assert relevance.scored + relevance.failed + relevance.abstained == 300
    assert 100 <= account.clusters.groups <= 150
    assert account.clusters.effective <= account.clusters.groups


def test_a_difference_that_missing_answers_could_turn() -> None:
    """.9 against .8 with an interval of .02 to .18: the bias of 1 % missing is .9 * .01 + .2 * .01 = .011, that of 2 % is .022."""

    def both(missing: float) -> tuple[SilentShare, SilentShare]:
        return SilentShare(0.9, missing), SilentShare(0.8, missing)

    assert not can_turn(0.02, *both(0.01))
    assert can_turn(0.02, *both(0.02))
    assert not can_turn(0.0, *both(0.0)), "nothing is missing: nothing can turn"
    assert can_turn(0.0, *both(0.001)), "an interval that touches 0 is turned by anything"
