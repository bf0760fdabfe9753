"""Plan which tasks to send to each project and which to take back, from the store's draws, readings and outbox.

A draw is taken back where nobody should read it any more: its item was superseded or forgotten, enough annotators have read it,
or its project is not in use. What somebody has worked on is left, unless its item was forgotten.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from annotate.domain.annotation import ADJUDICATION
from annotate.domain.annotator_rules import Taker, UnfitRule, takers_by_draw
from annotate.domain.assignment import EVERYBODY, SECOND, DrawPlace, Given, Outcome, assigned, combined
from annotate.store import Store
from annotate.store.labels.outbox import DrawOutcome, SentDraw, TaskProject, TaskState
from annotate.store.sampling.waves import OpenDraw
from annotate.workflow.labelling import takers as labelling_takers
from proxy.records import Judgement

ANSWERS = (Outcome.DECIDED, Outcome.UNSURE)


class AssignmentPlan(NamedTuple):
    """Draws by annotator: to be sent, and there and still to be read. By project: tasks to take back, and those to erase.

    `handed_on` of those to be sent go on from an annotator whose field they are not, or who skipped them. `left` are draws that
    all who may take them have handed on, `untaken` those that nobody may take.
    `unfit` rules fit none of the draws that can be read.
    """

    to_send: Mapping[str, Sequence[OpenDraw]]
    there: Mapping[str, int]
    to_withdraw: Mapping[int, Sequence[SentDraw]]
    to_erase: Mapping[int, Sequence[SentDraw]]
    handed_on: int
    left: Sequence[OpenDraw]
    untaken: Sequence[OpenDraw]
    unfit: tuple[UnfitRule, ...]


class _Ledger(NamedTuple):
    """The facts about the draws: by draw and project the outcomes of its annotations, and what was sent where.

    `sources` are those of all projects, `annotators` whose each source is, also of projects that are not in use any more.
    """

    outcomes: Mapping[tuple[int, str], Sequence[Outcome]]
    sent: Sequence[SentDraw]
    sources: Mapping[int, str]
    annotators: Mapping[str, str]
    in_use: Mapping[int, str]

    def is_touched(self, draw: int, project: int) -> bool:
        """Whether anybody has worked on it there, be it to skip it."""
        return (draw, self.sources[project]) in self.outcomes

    def touched(self) -> set[tuple[int, int]]:
        """Return the draws that anybody has worked on, with the project in use in which they did."""
        numbers = {self.sources[project]: project for project in self.in_use}
        return {(draw, numbers[source]) for draw, source in self.outcomes if source in numbers}

    def given(self) -> Mapping[int, Sequence[Given]]:
        """Return who has each draw, in the projects in use, and its outcome elsewhere: an annotator is one, whatever the form."""
        by_draw: dict[int, list[Given]] = defaultdict(list)
        serves_everybody = EVERYBODY in self.in_use.values()
        for (draw, source), outcomes in self.outcomes.items():
            if source == ADJUDICATION:
                by_draw[draw].append(Given(source, Outcome.ADJUDICATED))
            else:
                annotator = self.annotators.get(source, source)
                is_everybodys = annotator == EVERYBODY and serves_everybody
                by_draw[draw].append(Given(annotator, combined(outcomes, is_everybodys=is_everybodys)))
        for task in self.sent:
            is_there = task.project in self.in_use and task.state is TaskState.CONFIRMED
            if is_there and not self.is_touched(task.draw, task.project):
                by_draw[task.draw].append(Given(self.in_use[task.project], Outcome.WAITING))
        return by_draw


def plan(
    store: Store, server: str, in_use: Mapping[str, int], takers: Sequence[Taker], overlap: float
) -> AssignmentPlan:
    """Return the plan for the projects in use, by their annotator; `takers` is empty where one project serves everybody."""
    annotators = [taker.annotator for taker in takers]
    draws, readable, forgotten = (
        store.sampling.waves.all_draws(),
        store.sampling.waves.readable_draws(),
        store.sampling.waves.forgotten_draws(),
    )
    ledger = _ledger(store, server, in_use)
    places = [place for place in _places(draws) if place.draw in readable]
    readings_by_draw = ledger.given()
    fitting = labelling_takers.fitting(store, takers, draws)
    may_take = takers_by_draw(takers, {draw.key: draw.item for draw in draws}, fitting) if fitting else None
    asked = store.labels.second_readings.draws()
    annotators_by_draw = assigned(places, readings_by_draw, annotators, overlap, asked, may_take)
    answered = {
        (draw, reading.annotator)
        for draw, known in readings_by_draw.items()
        for reading in known
        if reading.outcome in ANSWERS
    }
    waits = {
        draw: [name for name in names if (draw, name) not in answered] for draw, names in annotators_by_draw.items()
    }
    confirmed = [task for task in ledger.sent if task.state is TaskState.CONFIRMED]
    sent = {(task.draw, task.project) for task in confirmed} | ledger.touched()

    to_send: dict[str, list[OpenDraw]] = defaultdict(list)
    confirmed_counts: dict[str, int] = defaultdict(int)
    names_in_use = set(annotators) or {EVERYBODY, SECOND}
    for draw in draws:
        for annotator in names_in_use.intersection(waits.get(draw.key, ())):
            if (draw.key, in_use.get(annotator)) in sent:
                confirmed_counts[annotator] += 1
            else:
                to_send[annotator].append(draw)
    nobodys = [draw for draw in draws if draw.key in annotators_by_draw and not annotators_by_draw[draw.key]]
    untaken = [draw for draw in nobodys if may_take is not None and not may_take[draw.key]]
    unwanted = [task for task in confirmed if not _is_wanted(task, ledger, waits)]
    return AssignmentPlan(
        to_send=to_send,
        there=confirmed_counts,
        to_withdraw=_by_project(
            task for task in unwanted if task.draw not in forgotten and not ledger.is_touched(task.draw, task.project)
        ),
        to_erase=_by_project(task for task in unwanted if task.draw in forgotten),
        handed_on=sum(_passed_over(readings_by_draw.get(draw.key, ())) for sent in to_send.values() for draw in sent),
        left=[draw for draw in nobodys if draw not in untaken and _passed_over(readings_by_draw.get(draw.key, ()))],
        untaken=[draw for draw in untaken if not _is_adjudicated(readings_by_draw.get(draw.key, ()))],
        unfit=tuple(labelling_takers.unfit(store, takers, [draw for draw in draws if draw.key in readable], fitting)),
    )


def draws_without_annotator(store: Store) -> frozenset[int]:
    """Return the draws that all who may take them have handed on, on every server in use, as the next push counts them."""
    in_use: dict[str, list[TaskProject]] = defaultdict(list)
    for project in store.labels.outbox.all_projects():
        if project.is_in_use:
            in_use[project.server].append(project)
    left = [{draw.key for draw in _plan_as_before(store, server, projects).left} for server, projects in in_use.items()]
    return frozenset(set.intersection(*left)) if left else frozenset()


def _plan_as_before(store: Store, server: str, projects: Sequence[TaskProject]) -> AssignmentPlan:
    """Return the plan for the projects in use of a server, with the rules and the overlap of its last push."""
    takers = [project.taker for project in projects if project.annotator not in (EVERYBODY, SECOND)]
    numbers = {project.annotator: project.number for project in projects}
    return plan(store, server, numbers, takers, store.labels.outbox.overlap(server))


def _passed_over(given: Sequence[Given]) -> bool:
    """Return whether somebody handed a draw on and nobody has answered it."""
    outcomes = {reading.outcome for reading in given}
    return bool(outcomes & {Outcome.HANDED_ON, Outcome.SKIPPED}) and not outcomes & {*ANSWERS, Outcome.ADJUDICATED}


def _is_adjudicated(given: Sequence[Given]) -> bool:
    return any(reading.outcome is Outcome.ADJUDICATED for reading in given)


def _ledger(store: Store, server: str, in_use: Mapping[str, int]) -> _Ledger:
    """Read what the store knows of its draws on this server."""
    outcomes: dict[tuple[int, str], list[Outcome]] = defaultdict(list)
    for draw_outcome in store.labels.outbox.outcomes():
        outcomes[draw_outcome.draw, draw_outcome.source].append(_outcome(draw_outcome))
    projects = store.labels.outbox.projects(server)
    return _Ledger(
        outcomes=outcomes,
        sent=store.labels.outbox.sent(server),
        sources={project.number: project.source for project in projects},
        annotators={project.source: project.annotator for project in projects},
        in_use={number: annotator for annotator, number in in_use.items()},
    )


def _outcome(draw_outcome: DrawOutcome) -> Outcome:
    """Return what an annotation says as what became of the draw."""
    if draw_outcome.judgement is None:
        return Outcome.HANDED_ON if draw_outcome.is_handed_on else Outcome.SKIPPED
    return Outcome.UNSURE if draw_outcome.judgement == Judgement.UNSURE else Outcome.DECIDED


def _places(draws: Sequence[OpenDraw]) -> Iterator[DrawPlace]:
    """Yield each draw by its place in its wave; they come by wave and key."""
    for _, wave in groupby(draws, key=lambda draw: draw.wave):
        members = list(wave)
        yield from (DrawPlace(draw.key, rank, len(members), draw.question) for rank, draw in enumerate(members))


def _is_wanted(task: SentDraw, ledger: _Ledger, waits: Mapping[int, Sequence[str]]) -> bool:
    """Whether a task is with an annotator who has still to answer it."""
    annotator = ledger.in_use.get(task.project)
    return annotator is not None and annotator in waits.get(task.draw, ())


def _by_project(sent: Iterator[SentDraw]) -> Mapping[int, Sequence[SentDraw]]:
    """Group tasks by their project."""
    tasks: dict[int, list[SentDraw]] = defaultdict(list)
    for task in sent:
        tasks[task.project].append(task)
    return tasks
