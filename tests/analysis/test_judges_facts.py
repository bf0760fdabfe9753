"""What is known of the judges of a store: each by itself, two by two, and how much their scores move."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

from annotate.analysis.judges import repeat_noise, table
from annotate.analysis.judges.repeat_noise import RepeatSource
from annotate.analysis.report import report as reports
from annotate.analysis.signatures import JudgeKind, kind_of, labels, model_of
from annotate.store import Store
from annotate.store.scores.judge_pairs import JudgePairs
from proxy.records import Item
from support.judges import (
    CHANGED,
    COMPLETION,
    COST,
    COUNT,
    FAILED,
    FIRST,
    JUDGE,
    NOW,
    PROMPT,
    SEEDED,
    TWINS,
    items,
    several,
    value,
)
from support.store import report_of


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    """One store for all tests here, none of which writes."""
    copy = Store(":memory:")
    several(copy)
    yield copy
    copy.close()


@pytest.fixture(scope="module")
def rows(store: Store) -> dict[str, table.JudgeRow]:
    return {row.totals.signature: row for row in table.build(store, reports.build(store)).rows}


@pytest.mark.slow
def test_a_judge_is_shown_as_the_report_measures_it(store: Store, rows: dict[str, table.JudgeRow]) -> None:
    """Not one number is measured anew: the table's are those of `assay report --json`."""
    told = report_of(store)["judges"]
    assert isinstance(told, list)

    assert {judge["signature"]: judge["kappa"]["estimate"] for judge in told} == {
        name: row.alone.agreement.kappa.estimate for name, row in rows.items()
    }


@pytest.mark.slow
def test_work_is_counted(rows: dict[str, table.JudgeRow]) -> None:
    """Failures with their share, seconds, money and tokens an answer; offline work costs nothing, unknown money is None."""
    first, offline, seeded = rows[FIRST], rows[f"{JUDGE}|offline|v2"], rows[SEEDED]
    asked = COUNT + TWINS

    assert [(failure.kind, failure.count, failure.share) for failure in first.failures] == [
        ("invalid", FAILED, FAILED / asked)
    ]
    assert (first.span.seconds, first.span.timed) == (2.0, asked - FAILED)
    assert first.cost_an_answer == pytest.approx(COST)
    assert first.tokens_an_answer == pytest.approx(PROMPT + COMPLETION)
    assert first.obeyed == table.Obeyed(obeyed=1, asked=7)
    assert (offline.kind, offline.cost_an_answer, offline.requests) == (JudgeKind.OFFLINE, 0.0, None)
    assert (seeded.cost_an_answer, seeded.tokens_an_answer) == (None, None)


@pytest.mark.slow
def test_the_best_is_the_highest_kappa_of_a_judge_in_use(store: Store, rows: dict[str, table.JudgeRow]) -> None:
    """Judges that need references, older signatures and those asked of a part are not called best."""
    table_rows = table.build(store, reports.build(store))
    in_use = [row for row in rows.values() if row.is_in_use and not row.needs_reference and not row.is_partial]

    assert table_rows.best.row.alone.agreement.kappa.estimate == max(
        judge.alone.agreement.kappa.estimate or -1.0 for judge in in_use
    )
    low = table.reach(table_rows.best.row.alone.agreement.kappa).low
    others = [judge for judge in in_use if judge.totals.key != table_rows.best.row.totals.key]
    assert {rival.label for rival in table_rows.best.rivals} == {
        rival.label for rival in others if table.reach(rival.alone.agreement.kappa).high >= low
    }


def test_without_labels_there_is_no_best() -> None:
    """Nothing drawn: the reason is the report's."""
    from support.judges import unlabelled

    own = Store(":memory:")
    unlabelled(own)
    table_rows = table.build(own, reports.build(own))
    own.close()

    assert table_rows.best is None
    assert "assay sample" in (table_rows.reason or "")


@pytest.mark.slow
def test_pairs_are_counted_on_all_traffic(store: Store, rows: dict[str, table.JudgeRow]) -> None:
    """Any two judges in use by brute force; a version beside the one before it."""
    pairs = table.paired_judges(store, list(rows.values()))
    in_use = [row for row in rows.values() if row.is_in_use]

    assert len(pairs.between) == len(list(combinations(in_use, 2)))
    for pair in pairs.between:
        both = store.scores.pairs(
            (pair.first.totals.judge, pair.first.totals.signature),
            (pair.other.totals.judge, pair.other.totals.signature),
        )
        x, y = np.array(list(both.values())).reshape(-1, 2).T
        assert pair.pair.n == len(both)
        if len(both):
            assert pair.pair.agreement == pytest.approx(np.mean((x > 0.5) == (y > 0.5)))
            assert pair.pair.distance == pytest.approx(np.abs(x - y).mean())
    steps = {
        (version.first.totals.signature, version.other.totals.signature): version.pair for version in pairs.versions
    }
    moved = steps[FIRST, SEEDED]
    assert moved.n == COUNT + TWINS - FAILED
    assert moved.agreement == pytest.approx(1 - np.mean([n % 5 == 0 for n in range(moved.n)]))


def test_small_blocks_change_nothing(
    store: Store, rows: dict[str, table.JudgeRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sums of all traffic do not depend on where it is cut."""
    from annotate.store.scores import judge_pairs

    judges = [judge_pairs.Judged(row.totals.key, 0.5) for row in rows.values()]
    whole = JudgePairs(store._db)._count(judges)
    monkeypatch.setattr(judge_pairs, "BLOCK", 7)

    assert np.array(JudgePairs(store._db)._count(judges), dtype=np.float64) == pytest.approx(
        np.array(whole, dtype=np.float64)
    )


def test_repeats_are_found_where_nothing_but_chance_lies_between(store: Store, rows: dict[str, table.JudgeRow]) -> None:
    """Twins, another seed, a test answer asked twice, and offline judges asked again; another prompt is no repeat."""
    noise = repeat_noise.build(store, list(rows.values()))
    by = {(repeat.row.totals.signature, repeat.source): repeat.moves for repeat in noise.repeats}
    apart = [value(COUNT + n, FIRST) != value(n, FIRST) for n in range(TWINS - FAILED)]

    assert by[FIRST, RepeatSource.TWINS].n == TWINS - FAILED
    assert by[FIRST, RepeatSource.TWINS].flipped.estimate == pytest.approx(np.mean(apart))
    seeded = by[SEEDED, RepeatSource.SEED]
    assert seeded.n == COUNT + TWINS - FAILED
    assert seeded.flipped.estimate == pytest.approx(np.mean([n % 5 == 0 for n in range(seeded.n)]))
    assert (CHANGED, RepeatSource.SEED) not in by
    assert by[FIRST, RepeatSource.TESTS].distance.estimate == pytest.approx(0.6)
    anew = by[f"{JUDGE}|offline|v2", RepeatSource.ANEW]
    assert (anew.distance.estimate, anew.largest) == (0.0, 0.0)
    assert (f"{JUDGE}|offline|v2", RepeatSource.TWINS) in by


def test_a_judge_without_repeats_is_named_with_its_command() -> None:
    """A model asked once of different texts: not measurable, and the command asks it again with another seed."""
    from proxy.records import Score

    own = Store(":memory:")
    item = Item(id="a", question="Where?", answer="Here.")
    with own.atomic():
        own.traffic.items.add([item], now=NOW)
        own.scores.describe(JUDGE, FIRST, {"url": "http://127.0.0.1:1/v1", "parameters": {}})
        own.scores.keep({1: [Score(item_id="a", judge=JUDGE, signature=FIRST, value=0.4)]}, now=NOW)
        own.scores.keep({1: [Score(item_id="a", judge="x", signature="x|v1", value=0.4)]}, now=NOW)
    noise = repeat_noise.build(own, table.build(own, reports.build(own)).rows)
    own.close()

    commands = {row.totals.judge: command for row, command in noise.unknown}
    assert noise.repeats == []
    assert commands == {
        JUDGE: "assay judge --backend openai --model m --base-url http://127.0.0.1:1/v1 --judges faithfulness "
        "--parameter seed=2 --limit 100",
        "x": None,
    }


def test_signatures_have_names_of_their_own() -> None:
    """One signature: the judge's name; several: what tells them apart; who judges is read from the signature."""
    named = labels([("a", "a|v1"), ("f", FIRST), ("f", SEEDED)])

    assert named["a", "a|v1"] == "a"
    assert len(set(named.values())) == 3
    assert (kind_of(JUDGE, FIRST), model_of(FIRST)) == (JudgeKind.MODEL, "m")
    assert (kind_of(JUDGE, f"{JUDGE}|offline|v1"), model_of("x|v1")) == (JudgeKind.OFFLINE, None)
    assert kind_of("mine", "mine|offline|v1") is JudgeKind.OTHER


def test_forgotten_answers_are_not_asked_again() -> None:
    """A blanked text under an old score would look like noise."""
    from annotate.analysis.rule_in_force import built_in
    from annotate.workflow.judging import offline as judging_offline

    own = Store(":memory:")
    with own.atomic():
        own.traffic.items.add(items()[:5], now=NOW)
    judging_offline.judge(own, list(built_in().values()), now=NOW)
    own._db.conn.execute("UPDATE items SET forgotten_at = ? WHERE key = 2", (NOW,))
    key = next(judge_totals.key for judge_totals in own.scores.by_judge() if judge_totals.judge == JUDGE)
    scored = own.scores.judge_pairs.some_scored(key, 40)
    own.close()

    assert 2 not in {item for item, _ in scored}
    assert len(scored) >= 3
