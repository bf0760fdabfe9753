"""The list of what the proxy and annotators see differently: against a count without the store, for every filter."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from annotate.analysis import disagreements
from annotate.analysis.disagreements import EXPORTED, Ground
from annotate.analysis.report import report
from annotate.domain.annotation import Annotation
from annotate.domain.feedback import Feedback
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter, DisagreementKind, Shared
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.workflow.judging import rules
from proxy.evaluation.agreement import _nothing_drawn
from proxy.records import Judgement
from support.disagreements import NOW, Told, differ, differing, item, labelled, scores, told

Keep = Callable[[Told], bool]
EVERY = told()
SINCE, UNTIL = "2026-03-01T00:00:00+00:00", "2026-07-01T00:00:00+00:00"


@pytest.fixture
def own(store: Store) -> tuple[Store, Ground]:
    """The store with the answers, and what the list stands on."""
    differing(store)
    return store, disagreements.ground(store)


@pytest.fixture(scope="module")
def made() -> Iterator[tuple[Store, Ground]]:
    """The same for all tests that only read."""
    with closing(Store(":memory:")) as store:
        differing(store)
        yield store, disagreements.ground(store)


def ids(store: Store, ground: Ground, asked: DisagreementFilter, size: int = 1000, page: int = 1) -> list[str]:
    return [row.item_id for row in disagreements.listed(store, ground, asked, page=page, size=size).rows]


FILTERS: tuple[tuple[dict[str, object], Keep], ...] = (
    ({}, lambda case: True),
    ({"kind": DisagreementKind.MISS}, lambda case: case.kind == "miss"),
    ({"kind": DisagreementKind.FALSE_FAIL}, lambda case: case.kind == "false_fail"),
    ({"system": "old"}, lambda case: case.system == "old"),
    ({"system": ""}, lambda case: case.system is None),
    ({"language": "ko"}, lambda case: case.language == "ko"),
    ({"language": ""}, lambda case: case.language is None),
    ({"annotator": "dr-kim"}, lambda case: case.annotator == "dr-kim"),
    ({"annotator": "nobody"}, lambda case: False),
    ({"cause": "unfaithful"}, lambda case: "unfaithful" in case.causes),
    ({"cause": ""}, lambda case: not case.causes),
    ({"harm": "serious"}, lambda case: case.harm == "serious"),
    ({"harm": ""}, lambda case: case.harm is None),
    ({"text": "lift Q7?"}, lambda case: case.item_id == "q7"),
    ({"text": "it runs AT night"}, lambda case: True),
    ({"text": "%_"}, lambda case: False),
    ({"words": "the LIFT"}, lambda case: "the lift" in case.reason.lower()),
    ({"words": "'; DROP TABLE labels; --%_"}, lambda case: False),
    ({"since": SINCE}, lambda case: case.month >= 3),
    ({"until": UNTIL}, lambda case: case.month < 7),
    ({"labelled_since": SINCE, "labelled_until": UNTIL}, lambda case: 3 <= case.labelled < 7),
)


@pytest.mark.parametrize(("asked", "keep"), FILTERS)
def test_each_filter_keeps_what_a_count_by_hand_keeps(
    made: tuple[Store, Ground], asked: dict[str, object], keep: Keep
) -> None:
    """In the order of need, with the count of each kind."""
    store, ground = made
    judges = tuple(judge.key for judge in ground.judges)
    wanted = DisagreementFilter(**{"judges": judges, **asked})  # type: ignore[arg-type]

    assert ids(store, ground, wanted) == differ(EVERY, keep)
    kinds = Counter(case.kind for case in EVERY if case.kind and keep(case))
    assert store.labels.disagreements.count(ground.key, wanted) == {
        kind: kinds[kind.value] for kind in DisagreementKind
    }


@pytest.mark.slow
def test_filters_go_together(made: tuple[Store, Ground]) -> None:
    """Every two of them keep what both keep."""
    store, ground = made
    judges = tuple(judge.key for judge in ground.judges)
    for (first, keeps), (second, keeps_too) in itertools.combinations(FILTERS, 2):
        if set(first) & set(second):
            continue
        wanted = DisagreementFilter(**{"judges": judges, **first, **second})  # type: ignore[arg-type]
        both = lambda row, keeps=keeps, keeps_too=keeps_too: keeps(row) and keeps_too(row)  # noqa: E731
        assert ids(store, ground, wanted) == differ(EVERY, both), (first, second)


def test_pages_follow_each_other_and_each_knows_its_neighbours(made: tuple[Store, Ground]) -> None:
    """Seven a page: all of the list once, in its order; before and after are those beside it."""
    store, ground = made
    expected = differ(EVERY)
    pages = [ids(store, ground, DisagreementFilter(), size=7, page=number) for number in range(1, 6)]

    assert [item for page in pages for item in page] == expected
    rows = store.traffic.items.keys(expected)
    for number, name in enumerate(expected, start=1):
        stands = disagreements.place(store, ground, DisagreementFilter(), rows[name])
        before, after = ([None, *expected][number - 1], [*expected, None][number])
        assert stands == (number, before, after)
    outside = next(case.item_id for case in EVERY if case.kind and case.system == "new")
    assert disagreements.place(store, ground, DisagreementFilter(system="old"), rows[outside]) is None


def test_labelled_answers_are_those_called_right_or_wrong(made: tuple[Store, Ground]) -> None:
    """All of them judged and labelled: those of which annotators are unsure are left out."""
    store, ground = made
    assert store.labels.disagreements.labelled(ground.key) == sum(case.label != "unsure" for case in EVERY)
    assert store.labels.disagreements.labelled(ground.key + 1) == 0


def test_what_users_said_of_an_answer_comes_with_it(own: tuple[Store, Ground]) -> None:
    """Complaints first, then the newest, with words; of this answer alone, and none where nobody said anything."""
    store, ground = own
    said = [
        Feedback(item_id="q7", value="1", sign=1, at="2026-05-01T00:00:00.000Z", source="web"),
        Feedback(item_id="q7", value="1", sign=1, at="2026-06-01T00:00:00.000Z", comment="ü \ud800"),
        Feedback(item_id="q7", value="-1", sign=-1, at="2026-04-01T00:00:00.000Z", correction="No."),
        Feedback(item_id="q8", value="-1", sign=-1),
    ]
    with store.atomic():
        store.traffic.feedback.keep(said, now=NOW)
    known, other = (disagreements.detail(store, ground, name) for name in ("q7", "q9"))
    assert known is not None
    assert other is not None

    assert [(thumb.sign, thumb.comment, thumb.correction, thumb.source) for thumb in known.feedback] == [
        (-1, None, "No.", None),
        (1, "ü \ud800", None, None),
        (1, None, None, "web"),
    ]
    assert not other.feedback


def test_a_reference_is_needed_where_a_wrong_answer_has_none(made: tuple[Store, Ground]) -> None:
    """No label of this store brings one, so every answer that is called wrong lacks it, and no other."""
    store, ground = made
    needed = [
        case.item_id
        for case in EVERY
        if (known := disagreements.detail(store, ground, case.item_id)) and known.needs_reference
    ]
    assert needed == [case.item_id for case in EVERY if case.label == "wrong"]


@pytest.mark.slow
def test_the_misses_are_those_of_the_report(made: tuple[Store, Ground]) -> None:
    """Same number, and the same 2x2 table, of which the weights are the report's."""
    store, ground = made
    counts = store.labels.disagreements.count(ground.key, DisagreementFilter())
    built = report.build(store)
    weighed = disagreements.weigh(counts, built.agreement)
    cells = built.agreement.counts

    assert counts == {DisagreementKind.MISS: built.missed, DisagreementKind.FALSE_FAIL: cells.right_fail}
    assert weighed.silent == 0
    assert weighed.differ.estimate == pytest.approx(1 - (built.agreement.accuracy.estimate or 0))
    assert (weighed.misses or 0) + (weighed.false_fails or 0) == pytest.approx(weighed.differ.estimate)
    assert weighed.wrong_among_passed.estimate == pytest.approx(
        cells.wrong_pass / (cells.wrong_pass + cells.right_pass)
    )


@pytest.mark.slow
def test_what_stands_for_nothing_is_counted_apart(store: Store) -> None:
    """A hand-picked label is in the list and in no share; before any wave no share is known, and the reason is said."""
    differing(store)
    ground = disagreements.ground(store)
    before = store.labels.disagreements.count(ground.key, DisagreementFilter())
    picked = EVERY[0]._replace(item_id="picked", value=0.9, label="wrong")
    with store.atomic():
        store.traffic.items.add([item(picked)], now=NOW)
        row = store.traffic.items.keys(["picked"])["picked"]
        store.scores.keep({row: scores(picked)}, now=NOW)
    rules.follow_scores(store, now=NOW)
    labelled(store, [{"item_id": "picked", "label": "wrong", "annotator": "dr-kim"}])
    ground = disagreements.ground(store)
    counts = store.labels.disagreements.count(ground.key, DisagreementFilter())

    assert counts[DisagreementKind.MISS] == before[DisagreementKind.MISS] + 1
    assert disagreements.weigh(counts, report.build(store).agreement).silent == 1
    nothing = disagreements.weigh(counts, _nothing_drawn())
    assert (nothing.misses, nothing.differ.estimate) == (None, None)
    assert "no wave" in (nothing.differ.reason or "")


def test_what_they_have_in_common_is_counted(made: tuple[Store, Ground]) -> None:
    """By system, language and cause, an answer once for each of its causes; judges by the side that they take at 0.5."""
    store, ground = made
    different = [case for case in EVERY if case.kind]

    def shared(values: Callable[[Told], list[str]]) -> set[Shared]:
        tally = Counter((value, case.kind) for case in different for value in values(case))
        return {Shared(value, tally[value, "miss"], tally[value, "false_fail"]) for value, _ in tally}

    counted = {
        name: store.labels.disagreements.shared(ground.key, DisagreementFilter(), name)
        for name in ("system", "language", "cause")
    }
    assert set(counted["system"]) == shared(lambda case: [case.system or ""])
    assert set(counted["language"]) == shared(lambda case: [case.language or ""])
    assert set(counted["cause"]) == shared(lambda case: list(case.causes) or [""])
    kinds = Counter(case.kind for case in different)
    sides = {
        side.judge: (side.misses, side.false_fails) for side in disagreements.sided(store, ground, DisagreementFilter())
    }
    assert sides == {
        "faithfulness": (kinds["miss"], kinds["false_fail"]),
        "context_relevance": (kinds["miss"], 0),
    }


def test_the_judge_that_the_rule_cuts_alone_counts_at_the_rules_cut(own: tuple[Store, Ground]) -> None:
    """`faithfulness > 0.05`: it says of every miss what the proxy says; the other judge is still cut at 0.5."""
    store, _ = own
    rules.set_rule(store, "low", "faithfulness > 0.05", {}, who="tester", now=NOW)
    ground = disagreements.ground(store)
    misses = sum(case.label == "wrong" and case.value > 0.05 for case in EVERY)
    fails = sum(case.label == "right" and case.value <= 0.05 for case in EVERY)
    sides = {side.judge: side for side in disagreements.sided(store, ground, DisagreementFilter())}

    assert sum(case.label == "wrong" and 0.05 < case.value <= 0.5 for case in EVERY)
    assert sides["faithfulness"] == ("faithfulness", 0.05, True, misses, fails)
    assert sides["context_relevance"] == ("context_relevance", 0.5, False, misses, 0)


def test_slices_are_filters(made: tuple[Store, Ground]) -> None:
    """A field of the caller's own, and what is searched for, under the names of `assay slices`."""
    store, ground = made
    own = disagreements.slices(store, ground, searched=False)

    assert set(own) == {"metadata.channel: app", "metadata.channel: web"}
    assert ids(store, ground, DisagreementFilter(items=own["metadata.channel: web"])) == differ(
        EVERY, lambda case: case.channel == "web"
    )
    assert ids(store, ground, DisagreementFilter(items=())) == []
    assert set(own) <= set(disagreements.slices(store, ground, searched=True))


def test_a_file_holds_the_whole_list(made: tuple[Store, Ground]) -> None:
    """JSONL exact, with the fields of a labels file, so that it can be taken in again; the filter holds."""
    store, ground = made
    rows = [
        json.loads(line)
        for line in disagreements.as_file(store, ground, DisagreementFilter(), "jsonl").decode().splitlines()
    ]
    few = disagreements.as_file(
        store, ground, DisagreementFilter(kind=DisagreementKind.MISS, system="old"), "csv"
    ).decode()

    assert [row["item_id"] for row in rows] == differ(EVERY)
    assert set(rows[0]) == set(EXPORTED)
    truth = {case.item_id: case for case in EVERY}
    for row in rows:
        expected = truth[row["item_id"]]
        assert (row["kind"], row["label"], row["value"]) == (expected.kind, expected.label, expected.value)
        assert (tuple(row["causes"]), row["harm"], row["annotator"]) == (
            expected.causes,
            expected.harm,
            expected.annotator,
        )
        assert [(said["judge"], said["reason"]) for said in row["scores"]][1] == ("faithfulness", expected.reason)
    read = list(csv.DictReader(io.StringIO(few)))
    assert [row["item_id"] for row in read] == differ(EVERY, lambda case: case.kind == "miss" and case.system == "old")


def test_a_cell_of_the_file_is_no_formula(store: Store) -> None:
    """A question that a spreadsheet would run gets a leading quote in CSV, and only there."""
    every = differing(store)
    worst = differ(every)[0]
    with store.atomic():
        row = store.traffic.items.keys([worst])[worst]
        store._db.conn.execute("UPDATE texts SET question = '=HYPERLINK(1)' WHERE key = ?", (row,))
    ground = disagreements.ground(store)

    [first, *_] = csv.DictReader(
        io.StringIO(disagreements.as_file(store, ground, DisagreementFilter(), "csv").decode())
    )
    assert first["question"] == "'=HYPERLINK(1)"
    [line, *_] = disagreements.as_file(store, ground, DisagreementFilter(), "jsonl").decode().splitlines()
    assert json.loads(line)["question"] == "=HYPERLINK(1)"


def test_one_item_with_all_that_is_known(own: tuple[Store, Ground]) -> None:
    """Texts, verdict, label, reading, scores and sentences."""
    store, ground = own
    name = differ(EVERY)[0]
    known = disagreements.detail(store, ground, name)
    case = next(disagreement for disagreement in EVERY if disagreement.item_id == name)

    assert (known.kind, known.value, known.item.system) == (DisagreementKind(case.kind or ""), case.value, case.system)
    assert [(said.judge, said.value) for said in known.judge_results] == [
        ("context_relevance", 0.999),
        ("faithfulness", case.value),
    ]
    assert [said.signature for said in known.judge_results] == ["c|v1", "f|v1"]
    assert [len(told.verdicts) for told in known.sentences] == [3]
    with store.atomic():
        store.scores.keep({known.row: [replace(scores(case)[1], signature="f|v2")]}, now=NOW)
    again = disagreements.detail(store, ground, name)
    assert [(told.signature, told.is_rule) for told in again.sentences] == [("f|v1", True), ("f|v2", False)]
    assert [reading.annotator for reading in known.readings] == [case.annotator]
    assert disagreements.detail(store, ground, "no such") is None


def test_an_item_with_other_content_leaves_the_list_and_says_so(own: tuple[Store, Ground]) -> None:
    """The label was of what it said before."""
    store, ground = own
    name = differ(EVERY)[0]
    with store.atomic():
        store.traffic.items.add(
            [replace(item(next(case for case in EVERY if case.item_id == name)), answer="Another.")], now=NOW
        )
    known = disagreements.detail(store, ground, name)

    assert name not in ids(store, ground, DisagreementFilter())
    assert (known.label, known.kind, known.is_changed, known.item.answer) == (None, None, True, "Another.")


def test_a_forgotten_item_stays_in_the_counts_without_its_texts(own: tuple[Store, Ground]) -> None:
    """Label and scores stay; no text, no reason and no sentence does."""
    store, ground = own
    name = differ(EVERY)[0]
    with store.atomic():
        store.audit.forgetting.forget_items([name], why=None, who="ann", now=NOW)
    known = disagreements.detail(store, ground, name)

    assert ids(store, ground, DisagreementFilter()) == differ(EVERY)
    assert known.is_forgotten
    assert known.item.question == known.item.answer == "(forgotten)"
    assert {said.reason for said in known.judge_results} == {""}
    assert {verdict.sentence for told in known.sentences for verdict in told.verdicts} == {""}


def test_a_label_that_changes_moves_the_item(own: tuple[Store, Ground]) -> None:
    """A second annotator who says the opposite leaves it open: no miss any more, and the link says that they agree or are unsure."""
    store, ground = own
    name = differ(EVERY, lambda case: case.kind == "miss")[0]
    row = store.traffic.items.keys([name])[name]
    annotation = Annotation(source="test", id="x", item_id=name, annotator="eve", judgement=Judgement.RIGHT)
    with store.atomic(durable=True):
        store.labels.keep([PlacedAnnotation(annotation, row, store.labels.disagreements.draw_of_label(row))], now=NOW)
    known = disagreements.detail(store, ground, name)

    assert name not in ids(store, ground, DisagreementFilter())
    assert (known.kind, known.label and known.label.judgement) == (None, Judgement.UNSURE)
    assert {reading.annotator for reading in known.readings} >= {"eve"}
