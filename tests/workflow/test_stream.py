"""A stream that is open draws what arrives: each answer has one chance, which nothing that comes later changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from annotate.analysis.next_step.commands import FILES
from annotate.analysis.next_step.labelling import after_stream
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.outcomes import StreamState
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.workflow.judging import rules
from annotate.workflow.live_loop import LiveLoop
from annotate.workflow.sampling.draw import draw_wave
from annotate.workflow.sampling.stream import Arrived, close_stream, draw_arrived, open_stream
from proxy.errors import UsageError
from proxy.records import Score
from support.store import LATER, NOW, Assay, add, item, take_labels
from support.wave_frames import with_frames

RULE = "s > 0.5"
SIGNATURE = "s|imported"


def arrive(store: Store, names: Sequence[str], *, judged: bool = True, now: str = NOW, **changes: Any) -> None:
    """Take answers in, of which every third fails; `judged` ones have the score that the rule reads."""
    add(store, *(item(name, question=f"Where is {name}?", **changes) for name in names), now=now)
    if judged:
        judge(store, names)


def judge(store: Store, names: Sequence[str]) -> None:
    keys = store.traffic.items.keys(list(names))
    with store.atomic():
        store.scores.judge_key("s", SIGNATURE)
        scores = {
            keys[name]: [
                Score(item_id=name, judge="s", signature=SIGNATURE, value=0.1 if int(name[1:]) % 3 == 0 else 0.9)
            ]
            for name in names
        }
        store.scores.keep(scores, now=NOW)


def names(start: int, end: int) -> list[str]:
    return [f"t{number:03}" for number in range(start, end)]


def ruled(store: Store) -> Store:
    """The store with one judged answer from before, and the rule in force."""
    arrive(store, ["t999"])
    rules.set_rule(store, "s", RULE, {}, who="ann", now=NOW)
    return store


def give(store: Store, now: str = NOW) -> Arrived:
    """Give what has arrived its chance."""
    return draw_arrived(store, who="ann", now=now)


def drawn(store: Store) -> dict[str, tuple[float, str, str]]:
    """The chance, stratum and key of each drawn answer."""
    draws = store.sampling.waves.all_draws()
    return {draw.item_id: (draw.inclusion_probability, draw.stratum, draw.task_key) for draw in draws}


def frames(store: Store) -> list[tuple[Any, ...]]:
    """What every frame holds."""
    query = "SELECT i.id, f.stratum, f.probability FROM frames f JOIN items i ON i.key = f.item ORDER BY i.id"
    return with_frames(store._db.conn).execute(query).fetchall()


@pytest.mark.parametrize("together", [1, 7, 60])
def test_a_few_at_a_time_is_what_one_wave_would_draw(store: Store, together: int) -> None:
    """The oracle is a wave of `--rate` over the same answers: the same frame, chances, draws and keys, however they arrive."""
    ruled(store)
    open_stream(store, 0.2, 0.5, 7, who="ann", now=NOW)
    for start in range(0, 60, together):
        arrive(store, names(start, min(60, start + together)))
        give(store)
    at_once = Store(":memory:")
    ruled(at_once)
    arrive(at_once, names(0, 60))
    draw_wave(at_once, ProposalRequest(seed=7, design=WaveDesign.STREAM, rate=0.2, rate_failed=0.5), now=NOW)

    assert drawn(store) == {name: draw for name, draw in drawn(at_once).items() if name != "t999"}
    assert frames(store) == [row for row in frames(at_once) if row[0] != "t999"]
    assert len(drawn(store)) > 10
    sizes = {part.stratum: (part.size, part.drawn) for part in store.sampling.waves.all()[0].strata}
    assert sizes["failed"][0] == 20
    assert sizes["passed"][0] == 40
    assert sum(count for _, count in sizes.values()) == len(drawn(store))
    assert store.check() == []


def test_what_was_there_before_has_no_chance_and_nothing_has_two(store: Store) -> None:
    """Only what arrives after the opening is framed, once; closed, the stream draws no more."""
    ruled(store)
    open_stream(store, 1.0, None, 7, who="ann", now=NOW)
    arrive(store, names(0, 10))
    assert give(store) == Arrived(10, 10)
    assert give(store) == Arrived(0, 0)
    state = close_stream(store, who="ann", now=LATER)
    arrive(store, names(10, 20))

    assert give(store) == Arrived(0, 0)
    assert (state.framed, state.drawn) == (10, 10)
    assert sorted(drawn(store)) == names(0, 10)


def test_an_answer_waits_until_each_judge_of_the_rule_has_tried_it(store: Store) -> None:
    """Its stratum and chance follow from its verdict, so nothing is decided before there is one."""
    ruled(store)
    open_stream(store, 0.01, 1.0, 7, who="ann", now=NOW)
    arrive(store, ["t000", "t003"], judged=False)
    assert give(store) == Arrived(0, 0)
    judge(store, ["t003"])

    assert give(store) == Arrived(1, 1)
    assert drawn(store)["t003"][:2] == (1.0, "failed")
    judge(store, ["t000"])
    assert give(store) == Arrived(1, 1)


def test_a_revision_changes_no_decision(store: Store) -> None:
    """What was drawn stays drawn with its chance, and of the answer as it is now the same is decided: late spans change nothing."""
    ruled(store)
    open_stream(store, 0.3, None, 7, who="ann", now=NOW)
    arrive(store, names(0, 40))
    give(store)
    before, draws = drawn(store), store.sampling.waves.all_draws()
    assert 4 < len(before) < 36

    arrive(store, names(0, 40), answer="Another answer, as a late span has it.")
    assert give(store).framed == 40
    after = store.sampling.waves.all_draws()

    assert set(draws) <= set(after)
    assert {draw.item_id for draw in store.sampling.waves.open_draws()} == set(before)
    assert len(after) == 2 * len(draws)


def test_a_wave_grows_for_a_day_under_one_rule(store: Store) -> None:
    """A new day, another rule or another wave begins a new one; a draw has its own time, not that of its wave."""
    ruled(store)
    open_stream(store, 1.0, None, 7, who="ann", now=NOW)
    arrive(store, names(0, 2))
    give(store)
    arrive(store, names(2, 4))
    give(store, now=NOW.replace("T08", "T09"))
    arrive(store, names(4, 6))
    give(store, now=LATER)
    rules.set_rule(store, "s", "s > 0.2", {}, who="ann", now=LATER)
    arrive(store, names(6, 8))
    give(store, now=LATER)
    draw_wave(store, ProposalRequest(seed=1, labels=1, design=WaveDesign.STRATIFIED), now=LATER)
    arrive(store, names(8, 10))
    give(store, now=LATER)

    waves = {draw.item_id: (draw.wave, draw.drawn_at) for draw in store.sampling.waves.all_draws()}
    assert [waves[name][0] for name in names(0, 10)] == [1, 1, 1, 1, 2, 2, 3, 3, 5, 5]
    assert waves["t002"][1] == NOW.replace("T08", "T09")
    assert store.check() == []


def test_a_label_from_before_its_draw_is_hand_picked(store: Store) -> None:
    """The wave had begun when somebody labelled the answer, but chance had not chosen it yet."""
    ruled(store)
    open_stream(store, 1.0, None, 7, who="ann", now=NOW)
    arrive(store, ["t001"])
    give(store)
    arrive(store, ["t002"], judged=False)
    take_labels(store, [{"item_id": "t002", "label": "right", "annotator": "ann", "at": NOW.replace("T08", "T10")}])
    judge(store, ["t002"])
    give(store, now=NOW.replace("T08", "T12"))

    assert {draw.item_id for draw in store.sampling.waves.open_draws()} == {"t001", "t002"}


def test_one_stream_is_open_at_a_time(store: Store) -> None:
    """A second one is refused with what to do, and so is closing none; what happened is in the log."""
    with pytest.raises(UsageError, match="--stream"):
        close_stream(store, who="ann", now=NOW)
    open_stream(store, 0.1, None, 7, who="ann", now=NOW)
    with pytest.raises(UsageError, match="--close"):
        open_stream(store, 0.2, None, 8, who="ann", now=NOW)
    close_stream(store, who="ann", now=NOW)
    open_stream(store, 0.2, None, 8, who="ann", now=NOW)

    assert [event.what for event in store.audit.events.all()] == ["stream opened", "stream closed", "stream opened"]


@pytest.mark.parametrize(("waiting", "commands"), [(12, FILES.commands), (0, ())])
def test_what_waits_once_a_stream_is_closed_is_of_all_waves(waiting: int, commands: tuple[str, ...]) -> None:
    """The stream drew 7, and 12 wait with those of other waves; nothing is asked for where none waits."""
    closed = StreamState(0.1, 0.1, 1, NOW, NOW, 70, 7)
    steps = after_stream(closed, waiting, FILES)

    assert tuple(command for step in steps for command in step.commands) == commands
    assert [step.message.values["count"] for step in steps] == ([waiting] if waiting else [])


@pytest.mark.parametrize(("typed", "rate"), [("5%", 0.05), ("0.7 %", 0.007), ("100%", 1.0), ("0.05", 0.05)])
def test_a_rate_may_be_given_in_per_cent(assay: Assay, typed: str, rate: float) -> None:
    """The same number, to the last digit."""
    assert assay.json("sample", "--stream", "--rate", typed)["rate"] == rate


@pytest.mark.parametrize("typed", ["0%", "101%", "five%", "%", "nan", "nan%", "5"])
def test_what_is_no_rate_is_wrong_usage(assay: Assay, typed: str) -> None:
    """A bare 5 is not taken for 5 %."""
    assay("sample", "--stream", "--rate", typed, status=2)


def test_rounds_in_which_nothing_arrives_leave_no_event(store: Store) -> None:
    """The log of events does not grow while a stream waits."""
    open_stream(ruled(store), 0.5, None, 1, who="ann", now=NOW)
    arrive(store, names(0, 3))
    loop = LiveLoop(who="ann", clock=lambda: LATER, ticks=lambda: 0.0, idle=0.0)
    loop.round(store)
    before = len(store.audit.events.all())

    for _ in range(5):
        loop.round(store)

    assert len(store.audit.events.all()) == before


def test_the_command_opens_and_closes(assay: Assay) -> None:
    """It says what the chance is and what to run; options that a stream does not take are wrong usage."""
    opened = assay.json("sample", "--stream", "--rate", "0.05", "--rate-failed", "0.2", "--seed", "3")
    closed = assay.json("sample", "--close")

    assert (opened["rate"], opened["rate_failed"], opened["seed"], opened["closed_at"]) == (0.05, 0.2, 3, None)
    assert opened["next"][0]["commands"] == ["assay serve"]
    assert (closed["framed"], closed["drawn"]) == (0, 0)
    for words in (("--stream",), ("--stream", "--rate", "0.1", "--active"), ("--close", "--rate", "0.1")):
        assert "--stream" in assay("sample", *words, status=2).stderr
