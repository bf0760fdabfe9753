"""`assay compare … --draw` in a real store: what is framed and drawn, at which chance, and what the ledger makes of it later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from annotate.analysis.next_step.commands import FILES
from annotate.store import Store
from proxy.evaluation.ledger import weight_of
from support.scored import gathered_of, open_ids, scored
from support.store import Assay, kept, traffic_row

QUESTIONS = 40


def ingested(assay: Assay, systems: Sequence[str] = ("a", "b"), questions: int = QUESTIONS) -> None:
    """The same questions to each system, with scores of a judge `s` over the whole range and the rule s > 0.5."""
    rows = [
        traffic_row(f"{system}{n}", question=f"Where is room {n}?", system=system)
        for system in systems
        for n in range(questions)
    ]
    scored(assay, rows, [(37 * k % 101 + 0.5) / 102 for k in range(len(rows))])


def answer(assay: Assay, *, without: int = 0) -> None:
    """Label every open draw but the last ones: right where the number of the question is even."""
    rows = [{"item_id": name, "label": "right" if int(name[1:]) % 2 == 0 else "wrong"} for name in open_ids(assay)]
    assay("labels", "import", assay.write("labels.jsonl", rows[: len(rows) - without]))


@kept
def two_systems(assay: Assay) -> Assay:
    """Two systems on 40 questions, and 5 questions that only the first answered."""
    ingested(assay)
    alone = [traffic_row(f"a{n}", question=f"Where is hall {n}?", system="a") for n in range(90, 95)]
    assay("ingest", assay.write("alone.jsonl", alone))
    return assay


def pairs(assay: Assay) -> Iterator[tuple[str, str]]:
    """The drawn answers by question."""
    yield from assay.sql(
        'SELECT group_concat(i.system, \'\'), i."group" FROM draws d JOIN items i ON i.key = d.item GROUP BY i."group"'
    )


@pytest.mark.slow
def test_both_answers_to_a_question_go_out_at_one_chance(two_systems: Assay) -> None:
    """Questions that one system answered alone are not framed; the others have one chance each, and both answers or none."""
    said = two_systems.json("compare", "a", "b", "--draw", "20", "--seed", "1")

    assert (said["design"], said["questions"], said["answers"]) == ("pairs", 40, 80)
    assert said["drawn"] in (18, 20, 22)
    assert said["complete_pairs"] * 2 == said["drawn"]
    assert {"".join(sorted(systems)) for systems, _ in pairs(two_systems)} == {"ab"}
    assert two_systems.sql("SELECT count(*), count(probability) FROM frames") == [(80, 80)]
    query = 'SELECT max(n) FROM (SELECT count(DISTINCT probability) n FROM frames f JOIN items i ON i.key = f.item GROUP BY "group")'
    assert two_systems.sql(query) == [(1,)]
    assert two_systems.sql("SELECT sum(probability) FROM frames")[0][0] == pytest.approx(20)
    assert two_systems.sql("SELECT design, part, labels, seed FROM waves") == [("pairs", "a vs b", 20, 1)]
    assert two_systems.sql("SELECT DISTINCT is_fixed FROM strata") == [(0,)]


def test_the_wave_can_be_shown_before_it_is_drawn(two_systems: Assay) -> None:
    """--dry-run writes nothing, and the same seed then draws what it showed."""
    shown = two_systems.json("compare", "a", "b", "--draw", "20", "--seed", "5", "--dry-run")
    assert two_systems.sql("SELECT count(*) FROM waves") == [(0,)]
    drawn = two_systems.json("compare", "a", "b", "--draw", "20", "--seed", "5")
    changed = {"dry_run", "answer", "next"}
    assert {name: drawn[name] for name in drawn if name not in changed} == {
        name: shown[name] for name in shown if name not in changed
    }
    assert (shown["dry_run"], shown["next"]) == (True, [])
    assert (drawn["dry_run"], drawn["next"][0]["commands"]) == (False, [*FILES.commands])
    assert drawn["answer"].startswith("Wave 1: drew 20 of the 80 answers of a and b")


@pytest.mark.slow
def test_the_partner_of_an_answer_that_was_drawn_before_still_is(two_systems: Assay) -> None:
    """After a first wave no answer is drawn twice, and some questions get their second answer by the wave of pairs alone."""
    two_systems("sample", "--labels", "30", "--seed", "1")
    answer(two_systems)
    two_systems("compare", "a", "b", "--draw", "30", "--seed", "2")
    later = two_systems.sql(
        'SELECT count(*) FROM draws d JOIN items i ON i.key = d.item WHERE wave = 2 AND "group" IN '
        '(SELECT "group" FROM draws JOIN items ON items.key = item WHERE wave = 1)'
    )

    assert two_systems.sql("SELECT count(*) = count(DISTINCT item) FROM draws") == [(1,)]
    assert later[0][0] > 0


@pytest.mark.slow
def test_the_ledger_adds_both_waves_up(two_systems: Assay) -> None:
    """The weights come near the 85 answers, each item knows which of its chances was a lot for two, and the report holds."""
    two_systems("sample", "--labels", "30", "--seed", "1")
    answer(two_systems)
    two_systems("compare", "a", "b", "--draw", "40", "--seed", "2")
    answer(two_systems)
    traffic = gathered_of(two_systems)
    both = [draw for draw in traffic.drawn if len(draw.chances) == 2]

    assert sum(weight_of(draw.chances, draw.own)[0] for draw in traffic.drawn) == pytest.approx(85, rel=0.15)
    assert both
    assert all(draw.joint == (0.0, draw.chances[1]) for draw in both)
    assert traffic.columns.together is not None
    correctness = two_systems.json("report")["correctness"]
    assert correctness["low"] < 0.5 < correctness["high"]


def test_a_wave_that_is_half_answered_lowers_the_chances_of_both(two_systems: Assay) -> None:
    """What did not come back is as if not drawn: with three of four answers in, chances are three quarters of those drawn at."""
    drawn = two_systems.json("compare", "a", "b", "--draw", "40", "--seed", "2")["drawn"]
    answer(two_systems, without=drawn // 4)
    store = Store(two_systems.db)
    try:
        drawings = store.sampling.ledger.drawings(1)
        chances = {draw.item: draw for draw in store.sampling.ledger.drawn(1, drawings)}
    finally:
        store.close()
    planned = dict(two_systems.sql("SELECT item, inclusion_probability FROM draws"))
    shares = [chances[item].joint[0] / chance for item, chance in planned.items()]

    assert all(drawing.is_joint for drawing in drawings)
    assert sum(shares) / len(shares) == pytest.approx(1 - drawn // 4 / drawn, abs=0.02)


@pytest.mark.slow
def test_many_systems_have_each_answer_drawn_by_its_own_lot(assay: Assay) -> None:
    """As many of each system as its chances add up to; all in one wave that names them."""
    ingested(assay, ("a", "b", "c"))
    said = assay.json("compare", "a", "b", "c", "--draw", "45", "--seed", "3")
    counts = dict(assay.sql("SELECT i.system, count(*) FROM draws d JOIN items i ON i.key = d.item GROUP BY 1"))
    expected = dict(
        assay.sql("SELECT i.system, sum(probability) FROM frames f JOIN items i ON i.key = f.item GROUP BY 1")
    )

    assert (said["design"], said["drawn"]) == ("answers", 45)
    assert all(abs(counts[name] - expected[name]) < 1 for name in expected)
    assert assay.sql("SELECT design, part FROM waves") == [("answers", "a vs b vs c")]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("a", "nobody"), "no item is of the system nobody"),
        (("a", "c"), "share no question"),
        (("a",), "name two systems at least"),
        (("a", "@2020-01-01.."), "overlap"),
    ],
)
def test_what_cannot_be_drawn_is_said(two_systems: Assay, names: tuple[str, ...], words: str) -> None:
    """One line on standard error, and no wave."""
    rows = [traffic_row("c1", question="Where is the exit?", system="c", timestamp="2026-01-01T00:00:00Z")]
    two_systems("ingest", two_systems.write("other.jsonl", rows))
    two_systems(
        "ingest",
        two_systems.write(
            "dated.jsonl", [traffic_row("a99", question="Q?", system="a", timestamp="2026-01-01T00:00:00Z")]
        ),
    )
    assert words in two_systems("compare", *names, "--draw", "10", status=2).stderr
    assert two_systems.sql("SELECT count(*) FROM waves") == [(0,)]


def test_when_all_is_drawn_nothing_is(two_systems: Assay) -> None:
    """A wave of everything takes every answer that was framed, and says so; another has nothing left but what waits."""
    words = two_systems("compare", "a", "b", "--draw", "500", "--seed", "1").output
    assert "Wave 1: drew 80 of the 80 answers" in words
    assert "Fewer than the 500 asked for: 80 are all that were left." in words
    said = two_systems("compare", "a", "b", "--draw", "5", status=2).stderr
    assert "has been drawn already: label the 80 open draws of these" in said


@pytest.mark.slow
def test_a_drawing_that_may_draw_nothing_is_refused(two_systems: Assay) -> None:
    """One label is half a question: nothing is written, whatever the lot would say; two labels are one question by every lot."""
    for seed in range(6):
        said = two_systems("compare", "a", "b", "--draw", "1", "--seed", str(seed), status=2).stderr
        assert "1 may draw nothing: both answers to a question go out together; draw 2 at least" in said
        shown = two_systems.json("compare", "a", "b", "--draw", "2", "--seed", str(seed), "--dry-run")
        assert shown["drawn"] == 2
    assert two_systems.sql("SELECT (SELECT count(*) FROM waves), (SELECT count(*) FROM frames)") == [(0, 0)]


@pytest.mark.slow
def test_open_draws_are_said_to_come_first(two_systems: Assay) -> None:
    """What waits of these systems from earlier waves is counted before the drawing, and none of what has its label."""
    first = two_systems("compare", "a", "b", "--draw", "20", "--seed", "1")
    assert "open draw" not in first.output
    second = two_systems("compare", "a", "b", "--draw", "10", "--seed", "2")
    assert "20 open draws of these wait from earlier waves, and come first: label them too" in second.output
    answer(two_systems)
    assert two_systems.json("compare", "a", "b", "--draw", "10", "--seed", "3")["waiting"] == 0


def test_drawing_needs_no_score(assay: Assay) -> None:
    """Unscored answers are as unsure as each other: all questions have one chance."""
    rows = [traffic_row(f"{system}{n}", question=f"Q{n}?", system=system) for system in "ab" for n in range(20)]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assert assay.json("compare", "a", "b", "--draw", "10", "--seed", "1")["drawn"] == 10
    assert assay.sql("SELECT count(DISTINCT round(probability, 9)) FROM frames") == [(1,)]


def test_the_drawing_is_noted_among_the_events(two_systems: Assay) -> None:
    """Who drew what, with its seed."""
    two_systems("compare", "a", "b", "--draw", "20", "--seed", "1")
    (detail,) = two_systems.sql("SELECT detail FROM events WHERE what = 'sample'")[0]
    assert '"part": "a vs b"' in detail
    assert '"seed": 1' in detail
