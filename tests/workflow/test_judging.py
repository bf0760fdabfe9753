"""Judging resumes where it stopped, scores belong to their signature, and a rule stays what it was when it was set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from annotate.analysis.rule_in_force import built_in
from annotate.store import Store
from annotate.workflow.judging import offline, rules
from proxy.errors import RuleError
from proxy.records import Context, FailureKind, Item, JudgeFailure, Score, Verdict
from proxy.rule import DEFAULT_EXPRESSION
from support.store import LATER, NOW, Assay, traffic_row


@dataclass(frozen=True)
class Counting:
    """A judge that scores an item by its number over 100, abstains on `none-` items, and notes whom it saw."""

    name: str = "counting"
    signature: str = "counting|test|v1"
    seen: Counter[str] = field(default_factory=Counter, compare=False)
    breaks_after: int = 10**9

    def judge(self, item: Item) -> Score | JudgeFailure:
        if self.seen.total() >= self.breaks_after:
            raise KeyboardInterrupt
        self.seen[item.id] += 1
        identity: dict[str, Any] = {"item_id": item.id, "judge": self.name, "signature": self.signature}
        if item.id.startswith("none"):
            return JudgeFailure(**identity, kind=FailureKind.NOT_APPLICABLE, reason="nothing to judge")
        return Score(**identity, value=int(item.id.split("-")[1]) / 100)


def fill(store: Store, numbers: Sequence[int], prefix: str = "item") -> None:
    items = [Item(id=f"{prefix}-{n}", question=f"Q {prefix} {n}?", answer="A.") for n in numbers]
    with store.atomic():
        store.traffic.items.add(items, now=NOW)


def verdicts(store: Store, key: int) -> dict[str, Verdict]:
    query = "SELECT i.id, v.verdict FROM verdicts v JOIN items i ON i.key = v.item WHERE v.rule = ? ORDER BY v.item"
    return {name: Verdict(verdict) for name, verdict in store._db.conn.execute(query, (key,))}


def test_judging_again_judges_nothing(store: Store) -> None:
    """Neither what was scored nor what a judge could not judge; only what came since."""
    judge = Counting()
    fill(store, range(5))
    fill(store, range(2), "none")

    assert offline.judge(store, [judge], now=NOW)[:4] == (7, 5, 2, 0)
    assert offline.judge(store, [judge], now=LATER)[:4] == (0, 0, 0, 0)
    fill(store, range(5, 7))
    assert offline.judge(store, [judge], now=LATER).items == 2
    assert set(judge.seen.values()) == {1}
    assert len(judge.seen) == 9


def test_an_interrupted_run_keeps_whole_batches_and_goes_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed in the third batch of 10: 20 are kept, and the next run sees the other 15 only."""
    monkeypatch.setattr(offline, "BATCH_ITEMS", 10)
    fill(store, range(35))
    with pytest.raises(KeyboardInterrupt):
        offline.judge(store, [Counting(breaks_after=25)], now=NOW)
    rest = Counting()
    done = offline.judge(store, [rest], now=NOW)

    assert (done.items, done.scores) == (15, 15)
    assert len(rest.seen) == 15
    assert sum(judge.scored for judge in store.scores.by_judge()) == 35


def test_a_second_judge_sees_what_it_has_not_seen(store: Store) -> None:
    """Items that one judge has scored still go to the other, and to nobody twice."""
    first, second = Counting(), Counting(name="second", signature="second|test|v1")
    fill(store, range(3))
    offline.judge(store, [first], now=NOW)
    fill(store, range(3, 5))

    assert offline.judge(store, [first, second], now=NOW).scores == 7
    assert first.seen == second.seen == Counter({f"item-{n}": 1 for n in range(5)})


def test_another_signature_is_another_score(store: Store) -> None:
    """A new version judges everything anew, and the old scores stay beside."""
    fill(store, range(4))
    offline.judge(store, [Counting()], now=NOW)
    offline.judge(store, [Counting(signature="counting|test|v2")], now=NOW)

    assert store.scores.signatures() == {"counting": ["counting|test|v1", "counting|test|v2"]}
    assert [judge.scored for judge in store.scores.by_judge()] == [4, 4]


def test_a_new_revision_is_judged_and_the_old_one_is_not_judged_again(store: Store) -> None:
    """Another answer under the same id is another item to a judge."""
    judge = Counting()
    fill(store, range(2))
    offline.judge(store, [judge], now=NOW)
    with store.atomic():
        store.traffic.items.add([Item(id="item-1", question="Q?", answer="Changed.")], now=LATER)
    offline.judge(store, [judge], now=LATER)

    assert judge.seen == Counter({"item-0": 1, "item-1": 2})
    assert [judge.scored for judge in store.scores.by_judge()] == [2]


@pytest.mark.slow
def test_imported_scores_stand_beside_the_built_in_ones(assay: Assay) -> None:
    """The same judge's name under another signature: both are kept, and the default rule reads the built-in one."""
    names = [f"t{k}" for k in range(4)]
    assay("ingest", assay.write("t.jsonl", [traffic_row(name) for name in names]))
    assay("judge")
    rows = [{"item_id": name, "judge": "faithfulness", "value": 0.0, "signature": "mine|v1"} for name in names]
    assay("scores", "import", assay.write("s.jsonl", rows))
    judges = [row for row in assay.json("report")["judges"] if row["judge"] == "faithfulness"]

    assert [row["scored"] for row in judges] == [4, 4]
    assert {row["signature"] for row in judges} == {"mine|v1", built_in()["faithfulness"].signature}
    assert assay.json("report")["rule"]["signatures"]["faithfulness"] != "mine|v1"
    assay("rule", "set", "faithfulness > 0.5", "--signature", "faithfulness=mine|v1")
    assert assay.json("report")["rule"]["signatures"] == {"faithfulness": "mine|v1"}
    assert assay.json("report")["pass_rate"]["estimate"] == 0


def test_without_a_rule_the_default_is_in_force(store: Store) -> None:
    """It reads the built-in judges and says that its threshold is not calibrated."""
    _, rule = rules.follow_scores(store, now=NOW)

    assert (rule.name, rule.version, rule.expression) == ("default", 1, DEFAULT_EXPRESSION)
    assert rule.signatures == {name: built_in()[name].signature for name in rule.signatures}
    assert rule.basis == "default threshold, not calibrated on your traffic"
    assert rules.follow_scores(store, now=LATER)[1] == rule
    assert len(store.scores.rules.history()) == 1


def old_scores(store: Store, signature: str) -> None:
    """Scores of every judge of the default rule under an earlier offline signature, on one item."""
    with store.atomic():
        row = store.traffic.items.keys(["item-0"])["item-0"]
        for name in ("context_relevance", "faithfulness"):
            score = Score(item_id="item-0", judge=name, signature=f"{name}|offline|{signature}", value=0.9)
            store.scores.keep({row: [score]}, now=NOW)


def test_the_default_rule_follows_the_built_in_judges(store: Store) -> None:
    """Scores of an older version are read until the new ones are there; then the rule gets a new version."""
    context = Context(text="Room 7 is on the ground floor.")
    with store.atomic():
        store.traffic.items.add(
            [Item(id="item-0", question="Where is room 7?", answer=context.text, contexts=(context,))], now=NOW
        )
    old_scores(store, "v0")
    key, rule = rules.follow_scores(store, now=NOW)
    assert set(rule.signatures.values()) == {"context_relevance|offline|v0", "faithfulness|offline|v0"}
    assert verdicts(store, key) == {"item-0": Verdict.PASS}
    offline.judge(store, list(built_in().values()), now=LATER)
    _, later = rules.follow_scores(store, now=LATER)

    assert (later.name, later.version) == ("default", rule.version + 1)
    assert later.signatures == {name: built_in()[name].signature for name in later.signatures}
    assert [rule.version for rule, _, _ in store.scores.rules.history()] == [1, 2]


def test_a_rule_that_a_person_set_stays(store: Store) -> None:
    """New judges and new signatures do not move it, and its verdicts come with the scores of its own signature."""
    fill(store, range(4))
    offline.judge(store, [Counting()], now=NOW)
    key, rule = rules.set_rule(store, "mine", "counting > 0.015", {}, who="tester", now=NOW)
    offline.judge(store, [Counting(signature="counting|test|v2")], now=LATER)
    fill(store, range(4, 6))

    assert rules.follow_scores(store, now=LATER) == (key, rule)
    assert len(verdicts(store, key)) == 4
    offline.judge(store, [Counting()], now=LATER)
    assert rules.follow_scores(store, now=LATER) == (key, rule)
    assert verdicts(store, key) == {f"item-{n}": Verdict.PASS if n > 1 else Verdict.FAIL for n in range(6)}


def test_a_rule_that_a_person_called_default_stays_too(store: Store) -> None:
    """What was set on purpose is never put back in silence."""
    fill(store, range(4))
    offline.judge(store, [Counting()], now=NOW)
    _, rule = rules.set_rule(store, "default", "counting > 0.015", {}, who="tester", now=NOW)

    assert rules.follow_scores(store, now=LATER)[1] == rule


def test_the_same_rule_again_is_no_new_version(store: Store) -> None:
    """Another expression under the name is."""
    fill(store, range(4))
    offline.judge(store, [Counting()], now=NOW)
    versions = [
        rules.set_rule(store, "mine", expression, {}, who="tester", now=NOW)[1].version
        for expression in ("counting > 0.01", "counting > 0.01", "counting > 0.02", "counting > 0.01")
    ]

    assert versions == [1, 1, 2, 3]
    assert [(rule.name, is_in_force) for rule, _, is_in_force in store.scores.rules.history()] == [
        *(("default", False), ("mine", False), ("mine", False), ("mine", True))
    ]


def test_percentiles_stay_frozen_when_new_items_come(store: Store) -> None:
    """Ranks of 0, .01, .02 and .03 are 1/8, 3/8, 5/8 and 7/8; a hundred low newcomers change none of them."""
    fill(store, range(4))
    judge = Counting()
    offline.judge(store, [judge], now=NOW)
    key, rule = rules.set_rule(store, "ranked", "pct(counting) > 0.5", {}, who="tester", now=NOW)
    frozen = {"counting": ((0.0, 0.125), (0.01, 0.375), (0.02, 0.625), (0.03, 0.875))}
    assert rule.percentiles == frozen
    with store.atomic():
        row = store.traffic.items.count()
        store.traffic.items.add([Item(id=f"low-{0}-{n}", question=f"{n}?", answer="A.") for n in range(100)], now=LATER)
    offline.judge(store, [judge], now=LATER)
    again_key, again = rules.follow_scores(store, now=LATER)

    assert (again_key, again.percentiles, again.version) == (key, frozen, 1)
    by_item = verdicts(store, key)
    assert len(by_item) == row + 100
    assert {name for name, verdict in by_item.items() if verdict is Verdict.PASS} == {"item-2", "item-3"}
    # Set anew, it ranks against all traffic: now three quarters of the passes go further up.
    _, anew = rules.set_rule(store, "ranked", "pct(counting) > 0.5", {}, who="tester", now=LATER)
    assert anew.version == 2
    assert dict(anew.percentiles["counting"])[0.03] == pytest.approx(103.5 / 104)


def test_a_rule_without_scores_to_rank_is_refused(store: Store) -> None:
    """And the message says what to run."""
    with pytest.raises(RuleError, match="assay judge"):
        rules.set_rule(store, "ranked", "pct(faithfulness) > 0.3", {}, who="tester", now=NOW)
    assert store.scores.rules.in_force() is None


def test_a_rule_on_an_unknown_judge_is_refused_with_the_judges_there_are(store: Store) -> None:
    """A misspelt name would leave every item unscored."""
    with pytest.raises(RuleError, match="faithfulness"):
        rules.set_rule(store, "mine", "faithfulnes > 0.5", {}, who="tester", now=NOW)


@pytest.mark.parametrize("chosen", [{"counting": "counting|test|v9"}, {"faithfulness": "x"}, {"counting": ""}])
def test_a_signature_that_nobody_scored_under_is_refused(store: Store, chosen: dict[str, str]) -> None:
    """So is one of a judge that the rule does not read: both are slips, and would leave the old numbers or none."""
    fill(store, range(4))
    offline.judge(store, [Counting()], now=NOW)
    with pytest.raises(RuleError, match=r"counting\|test\|v1"):
        rules.set_rule(store, "mine", "counting > 0.5", chosen, who="tester", now=NOW)


def test_verdicts_need_every_score_of_the_rule(store: Store) -> None:
    """An item that one judge could not judge is unscored, not failed."""
    fill(store, range(3))
    fill(store, range(2), "none")
    second = Counting(name="other", signature="other|test|v1")
    offline.judge(store, [Counting(), second], now=NOW)
    key, _ = rules.set_rule(store, "mine", "min(counting, other) > 0.015", {}, who="tester", now=NOW)

    assert store.scores.rules.counts(key) == {Verdict.PASS: 1, Verdict.FAIL: 2, Verdict.UNSCORED: 2}
