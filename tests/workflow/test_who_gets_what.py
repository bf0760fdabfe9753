"""Answers to one question come together, to whom the rules say, and go on from whose field they are not: real store, server in memory."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import groupby, pairwise

import pytest

from annotate.present.answer import answer_of
from annotate.present.labelling import Started, started
from annotate.present.labelling import pushed as pushed_document
from annotate.present.terminal import render
from annotate.store import Store
from annotate.workflow.labelling import push as labelling_push
from annotate.workflow.labelling import sync
from annotate.workflow.labelling.push import PushRequest
from proxy.errors import LabelStudioError, UsageError
from support.store import NOW, Assay, kept, report_of, traffic_row
from support.studio import Studio, again, named, pulled, pushed

QUESTIONS, SYSTEMS = 12, ("old", "new", "fast")
DRAWN = QUESTIONS * len(SYSTEMS)


def rows(questions: range) -> list[dict[str, object]]:
    """Three systems answer each question; every fourth question is Korean."""
    return [
        traffic_row(
            f"{system}-{number}",
            question=f"Where is room {number}?",
            system=system,
            language="ko" if number % 4 == 0 else "en",
            ward="b" if number % 2 else "a",
        )
        for number in questions
        for system in SYSTEMS
    ]


@kept
def asked(assay: Assay) -> Assay:
    """Three systems' answers to twelve questions, all drawn."""
    assay("ingest", assay.write("traffic.jsonl", rows(range(QUESTIONS))))
    assay("judge")
    assay("sample", "--labels", str(DRAWN), "--audit", "0.5", "--seed", "2")
    return assay


@pytest.fixture
def drawn(asked: Assay) -> Iterator[Store]:
    with closing(Store(asked.db)) as store:
        yield store


def item_ids(store: Store, studio: Studio, project: int = 1) -> list[str]:
    """What a project holds, in the order in which Label Studio shows it."""
    names = {draw.task_key: draw.item_id for draw in store.sampling.waves.all_draws()}
    return [names[key] for key in studio.task_keys(project)]


def question_of(item_id: str) -> str:
    return item_id.partition("-")[2]


def by_question(store: Store, studio: Studio, projects: Mapping[str, int]) -> dict[str, set[str]]:
    """Who has tasks of each question."""
    names: dict[str, set[str]] = {}
    for annotator, project in projects.items():
        for item_id in item_ids(store, studio, project):
            names.setdefault(question_of(item_id), set()).add(annotator)
    return names


def test_answers_to_a_question_come_one_after_the_other(drawn: Store, studio: Studio) -> None:
    """The server has them in the order of the ledger: one run a question but for the spread ones; draws stay as they were."""
    before = drawn.sampling.waves.all_draws()
    pushed(drawn, studio)
    order = drawn.labels.outbox.order(named(drawn, studio), 1)
    keys = {draw.key: draw.task_key for draw in before}

    places = sorted(order.values(), key=lambda place: place.position)
    assert [keys[place.draw] for place in places] == studio.task_keys()
    spread = {draw.question for draw in before if order[draw.key].is_spread}
    runs = Counter(question for question, _ in groupby(map(question_of, item_ids(drawn, studio))))
    assert sum(count > 1 for count in runs.values()) <= len(spread)
    assert drawn.sampling.waves.all_draws() == before
    assert again(drawn, studio) == (0, DRAWN, 0)
    assert drawn.labels.outbox.order(named(drawn, studio), 1) == order


def test_a_push_that_was_cut_short_goes_on_in_the_same_order(
    drawn: Store,
    studio: Studio,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second of several batches fails; after the next push the order is the one that an unbroken push would have made."""
    other = Studio()
    pushed(drawn, other)
    expected = other.task_keys()
    with drawn.atomic():
        drawn._db.conn.execute("DELETE FROM tasks")
        drawn._db.conn.execute("DELETE FROM projects")
        drawn._db.conn.execute("DELETE FROM servers")
    monkeypatch.setattr(labelling_push, "PUSH_BATCH", 7)

    def fail() -> None:
        raise LabelStudioError("lost")

    studio.before_answer = [lambda: None, lambda: None, fail]
    with pytest.raises(LabelStudioError):
        pushed(drawn, studio)
    assert 0 < len(studio.task_keys()) < DRAWN
    again(drawn, studio)

    assert studio.task_keys() == expected


def test_what_is_drawn_later_stands_behind_and_goes_to_who_has_the_question(
    asked: Assay,
    studio: Studio,
) -> None:
    """A fourth system answers the questions; its answers come last, each to the annotator of the question."""
    with closing(Store(asked.db)) as store:
        projects = pushed(store, studio, annotators=("ann", "ben"))
        first = by_question(store, studio, projects)
        assert all(len(names) == 1 for names in first.values())
        assert Counter(str(*names) for names in first.values()) == {"ann": 6, "ben": 6}
    late = [
        row | {"id": f"late-{row['id'].partition('-')[2]}", "system": "late"} for row in rows(range(QUESTIONS))[::3]
    ]  # type: ignore[attr-defined]
    asked("ingest", asked.write("late.jsonl", late))
    asked("judge")
    asked("sample", "--labels", str(QUESTIONS), "--audit", "0.5", "--seed", "4")

    with closing(Store(asked.db)) as store:
        assert again(store, studio)[0] == QUESTIONS
        assert by_question(store, studio, projects) == first
        for project in projects.values():
            assert all(name.startswith("late") for name in item_ids(store, studio, project)[18:])


def test_rules_say_who_takes_what_and_are_remembered(asked: Assay, studio: Studio) -> None:
    """Kim takes Korean, lee one system and a field of the team's own; ann shares the rest. A later push needs no rules."""
    with closing(Store(asked.db)) as store:
        rules = ("kim:language=ko", "lee:system=fast", "lee:ward=b", "ann")
        projects = pushed(store, studio, annotators=rules)
        of = {name: set(item_ids(store, studio, project)) for name, project in projects.items()}
        every = {draw.item_id for draw in store.sampling.waves.all_draws()}
        korean = {name for name in every if int(question_of(name)) % 4 == 0}
        lees = {name for name in every if name.startswith("fast") or int(question_of(name)) % 2}

        assert of["kim"] | of["lee"] == korean | lees
        assert of["kim"] >= korean - lees
        assert of["lee"] >= lees - korean
        assert of["ann"] == every - korean - lees
        assert again(store, studio) == (0, DRAWN, 0)
        assert again(store, studio, annotators=("kim", "lee", "ann:language=en"))[0] > 0


def test_a_rule_that_fits_nothing_is_said_with_the_values_that_there_are(drawn: Store, studio: Studio) -> None:
    """A value that no drawn answer has, and a field that none has; who gets how many stands there too."""
    rules = ("kim:language=de", "kim:month=2026-01", "lee")
    done = labelling_push.push(drawn, studio, named(drawn, studio), PushRequest(annotators=rules), now=NOW)  # type: ignore[arg-type]
    assert [(delivery.annotator, delivery.sent) for delivery in done.deliveries] == [("kim", 0), ("lee", DRAWN)]
    result = sync.PushResult("http://ls", done, "http://ls/up")
    account = Started("http://ls", done, "http://ls/up", "a@b.c", "secret", "http://app")
    for document in (pushed_document(result), started(account)):
        shown = " ".join(render(document).split())
        assert f"kim: language=de fits none of the {DRAWN} drawn answers; their values: en, ko." in shown
        assert f"kim: month=2026-01 fits none of the {DRAWN} drawn answers; none of them has the field month." in shown
        assert "Each annotator (kim, lee) needs an account of their own" in shown
        assert "sign up at http://ls/up" in shown
    assert f"Label (lee, {DRAWN} answers): " in shown
    assert "Label (kim, 0 answers): " in shown
    model = answer_of("labelling.pushed", "a.db", result).to_dict()
    assert [(row["field"], row["values"]) for row in model["unfit"]] == [("language", ["en", "ko"]), ("month", [])]


def test_a_preview_shows_the_division_and_sends_nothing(asked: Assay, studio: Studio) -> None:
    """It is what the push then sends, also after it; a field that no answer has is refused there too."""
    options = ["--annotator", "kim:language=ko", "--annotator", "cem:language=de", "--annotator", "lee"]
    with closing(Store(asked.db)) as store:
        before = asked.json("push", "--preview", *options)
        assert store.labels.outbox.all_projects() == []
        projects = pushed(store, studio, annotators=tuple(options[1::2]))
        sent = [{"annotator": name, "answers": len(studio.task_keys(number))} for name, number in projects.items()]
    assert (before["division"], before["items"]) == (sent, DRAWN)
    after = asked.json("push", "--preview")
    assert (after["division"], after["items"], after["looked_at"]) == (sent, 0, 0), "what is there does not leave again"
    assert f"cem: language=de fits none of the {DRAWN} drawn answers" in " ".join(
        asked("push", "--preview").stdout.split()
    )
    error = asked("push", "--preview", "--annotator", "kim:langage=ko", "--annotator", "lee", status=2).stderr
    assert "no answer has the field 'langage'" in error


def test_a_field_that_no_answer_has_is_refused_before_anything_is_sent(drawn: Store, studio: Studio) -> None:
    """The error names the fields that are there."""
    with pytest.raises(
        UsageError, match=r"no answer has the field 'langage'; .*: system, language, ward, slice. Nothing was sent"
    ):
        pushed(drawn, studio, annotators=("kim:langage=ko", "lee"))
    assert not studio.markers


def test_an_answer_that_nobody_may_take_is_said_before_anything_is_sent(asked: Assay, studio: Studio) -> None:
    """Rules that leave some out are refused; what comes in later and fits none waits, and is counted."""
    with closing(Store(asked.db)) as store:
        with pytest.raises(
            UsageError, match=r"27 drawn answers fit no rule.*fast-1, fast-10, fast-11, ….*Nothing was sent"
        ):
            pushed(store, studio, annotators=("kim:language=ko",))
        assert not studio.markers
        pushed(store, studio, annotators=("kim:language=ko", "ann:language=en"))
    asked(
        "ingest", asked.write("de.jsonl", [row | {"id": f"{row['id']}-de", "language": "de"} for row in rows(range(1))])
    )
    asked("judge")
    asked("sample", "--labels", "3", "--audit", "0.5", "--seed", "4")

    with closing(Store(asked.db)) as store:
        done = labelling_push.push(store, studio, named(store, studio), PushRequest(), now=NOW)  # type: ignore[arg-type]
        assert (done.sent, done.there, done.untaken) == (0, DRAWN, 3)


def test_a_slice_is_a_rule_too(drawn: Store, studio: Studio) -> None:
    """By its name in `assay slices`; a name that there is not is refused with those that there are."""
    projects = pushed(drawn, studio, annotators=("kim:slice=language: ko", "ann"))
    assert {int(question_of(name)) % 4 for name in item_ids(drawn, studio, projects["kim"])} == {0}
    with pytest.raises(UsageError, match="there is no slice 'language: xx'"):
        pushed(drawn, studio, annotators=("kim:slice=language: xx", "ann"))


def test_what_is_not_ones_field_goes_on_until_nobody_is_left(drawn: Store, studio: Studio, asked: Assay) -> None:
    """Ann hands an answer on to ben, who hands it on: that is said, counts as unanswered, and no chance changes."""
    chances = [draw.inclusion_probability for draw in drawn.sampling.waves.all_draws()]
    projects = pushed(drawn, studio, annotators=("ann", "ben"))
    key, *_ = studio.task_keys(projects["ann"])
    studio.annotate(studio.task_of(key, projects["ann"]), "not_my_field", 1)
    assert pulled(drawn, studio).added == 1
    done = sync._push(
        drawn, studio, sync.identify(drawn, studio, takes_new=False, who="t", now=NOW), PushRequest(), who="t", now=NOW
    )  # type: ignore[arg-type]
    assert (done.sent, done.handed_on, done.left) == (1, 1, 0)
    assert (
        asked.json("labels", "disagreements")["second_annotator"],
        asked.json("labels", "disagreements")["left"],
    ) == (1, 0)
    assert key in studio.task_keys(projects["ben"])

    studio.annotate(studio.task_of(key, projects["ben"]), "not_my_field", 2)
    pulled(drawn, studio)
    done = labelling_push.push(drawn, studio, named(drawn, studio), PushRequest(), now=NOW)  # type: ignore[arg-type]
    assert (done.sent, done.there, done.left) == (0, DRAWN - 1, 1)
    words = render(pushed_document(sync.PushResult("http://ls", done, None)))
    assert "1 answer was handed on, and no annotator is left for it" in " ".join(words.split())
    waiting = asked.words("labels", "disagreements")
    assert "1 answer was handed on, and no annotator is left for it" in waiting
    assert "could go to a second annotator" not in waiting
    assert [draw.inclusion_probability for draw in drawn.sampling.waves.all_draws()] == chances
    assert drawn.sampling.waves.progress().labelled == 0
    [event] = asked.sql("SELECT detail FROM events WHERE what = 'push'")
    assert json.loads(event[0])["handed_on"] == 1
    [name] = [draw.item_id for draw in drawn.sampling.waves.all_draws() if draw.task_key == key]
    assert asked.words("labels", "history", name).count("handed on: not their field") == 2

    assert again(drawn, studio, annotators=("ann", "ben", "cem"))[0] == 1


def test_the_question_of_a_block_is_read_once(drawn: Store, studio: Studio) -> None:
    """Who labels an answer right after another one to its question knows the question; where the lot spread them, nobody does."""
    pushed(drawn, studio)
    for key in studio.task_keys():
        studio.annotate(studio.task_of(key), "right")
    pulled(drawn, studio)
    order = drawn.labels.outbox.order(named(drawn, studio), 1)
    spread = {draw.item_id for draw in drawn.sampling.waves.all_draws() if order[draw.key].is_spread}
    read = item_ids(drawn, studio)
    after = {later for before, later in pairwise(read) if question_of(before) == question_of(later)} - spread

    knows = [work.item for work in drawn.labels.work() if work.knows_question]

    assert spread
    assert sorted(drawn.traffic.items.ids(knows)) == sorted(after)
    assert len(after) == 2 * (QUESTIONS - len(spread) / len(SYSTEMS))


def test_blocks_change_no_estimate(drawn: Store, studio: Studio) -> None:
    """The report on the same labels, with the order and without it, differs in what it says of neighbours alone."""
    pushed(drawn, studio)
    for number, key in enumerate(studio.task_keys()):
        studio.annotate(studio.task_of(key), "wrong" if number % 4 == 0 else "right")
    pulled(drawn, studio)
    with_blocks = report_of(drawn)
    with drawn.atomic():
        drawn._db.conn.execute("UPDATE tasks SET position = NULL, block = NULL, is_spread = NULL")
    without = report_of(drawn)

    neighbours = with_blocks["inter_annotator_agreement"].pop("neighbours")
    untold = without["inter_annotator_agreement"].pop("neighbours")
    assert (neighbours["n"], untold["n"]) == (QUESTIONS, 0)
    assert with_blocks == without


def test_a_task_that_somebody_deleted_has_the_place_where_it_is_read(drawn: Store, studio: Studio) -> None:
    """It is sent behind all others, and the ledger says so; what was read keeps its place."""
    pushed(drawn, studio)
    key, read, *_ = studio.task_keys()
    studio.annotate(studio.task_of(read), "right")
    for gone in (key, read):
        del studio.tasks[studio.task_of(gone)]
    pulled(drawn, studio, full=True)
    again(drawn, studio)

    keys = {draw.key: draw.task_key for draw in drawn.sampling.waves.all_draws()}
    order = sorted(drawn.labels.outbox.order(named(drawn, studio), 1).values(), key=lambda place: place.position)
    assert [keys[place.draw] for place in order if keys[place.draw] in studio.task_keys()] == studio.task_keys()


def test_a_task_that_was_answered_twice_has_one_verdict_in_its_block(drawn: Store, studio: Studio) -> None:
    """The last one; two annotations of a person on one task are no neighbours."""
    pushed(drawn, studio)
    for key in studio.task_keys():
        studio.annotate(studio.task_of(key), "right")
        studio.annotate(studio.task_of(key), "wrong")
    pulled(drawn, studio)

    read = drawn.labels.outbox.read_in_order()
    assert (len(read), {reading.judgement for reading in read}) == (DRAWN, {"wrong"})
