"""Push draws to Label Studio: one task for each draw and each annotator who should have it, however often this is repeated.

What is to be sent is written down before it is sent and confirmed with the server's task id after; the draw's key is in the task,
so that a push that was killed half-way finds what it had already sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from annotate.domain import labelling_task
from annotate.domain.annotator_rules import Taker, parsed
from annotate.domain.assignment import EVERYBODY, SECOND, check
from annotate.domain.label_studio_sync import AnnotatorShare, Delivery, Division, Pushed
from annotate.domain.labelling_form import ASKED, Form, form_of
from annotate.domain.reading_order import ToPlace, reading_order
from annotate.label_studio.client import LabelStudio
from annotate.label_studio.errors import NotOnServer
from annotate.progress import ProgressCounter
from annotate.store import Store
from annotate.store.labels.outbox import TaskProject, TaskState
from annotate.store.sampling.waves import OpenDraw
from annotate.workflow import masking_policy
from annotate.workflow.labelling import passage_questions, takers
from annotate.workflow.labelling.assign import AssignmentPlan, plan
from annotate.workflow.labelling.server_identity import mark_of, next_mark
from proxy.errors import UsageError

PUSH_BATCH = 500
TITLE = "Assay"


class PushRequest(NamedTuple):
    """The request for a push; None and no annotators mean: as the last time. `guide` is HTML for the experts.

    `annotators` are names, alone or with a rule for what they take: `kim:language=ko`.

    `share` is that of the draws that a form which asks about passages asks of.

    `is_for_everybody` ends the time of annotators with projects of their own.
    """

    title: str = TITLE
    project: int | None = None
    is_fresh: bool = False
    annotators: tuple[str, ...] = ()
    overlap: float | None = None
    language: str | None = None
    asks_harm: bool | None = None
    guide: str | None = None
    is_for_everybody: bool = False
    asks_passages: bool | None = None
    share: float | None = None

    def asking(self, what: str | None, share: float | None) -> PushRequest:
        """Return the request with what is asked after the verdict, a key of ASKED, and of which share; None: as before."""
        if what is not None and what not in ASKED:
            raise UsageError(f"what is asked after the verdict is one of {', '.join(ASKED)}, not {what!r}")
        return self._replace(
            asks_passages=self.asks_passages if what is None else ASKED[what],
            share=self.share if share is None else share,
        )


def push(store: Store, studio: LabelStudio, server: str, request: PushRequest, *, now: str) -> Pushed:
    """Send every draw that an annotator should have and has not; take back what nobody should read any more.

    `server` is the name that the store keeps it under. A push that is under way is waited for: two that look first and then
    send would both send.
    """
    masking_policy.hold(store, now=now)
    with store.alone():
        return _Push(store, studio, server, request, now).run()


class _Push:
    """A push, with what all its steps need."""

    def __init__(self, store: Store, studio: LabelStudio, server: str, request: PushRequest, now: str) -> None:
        self._store, self._studio, self._server, self._now = store, studio, server, now
        self._request = request
        self._used = {used.annotator: used for used in store.labels.outbox.projects(server, in_use=True)}
        self._takers, self._overlap, self._is_remembered = _readers(store, server, request)
        self._annotators = tuple(taker.annotator for taker in self._takers)
        if request.project is not None and self._annotators:
            raise UsageError(
                "--project is one project for everybody: add --everybody where annotators have had their own, and no --annotator"
            )
        self._form = _form(request, next(iter(self._used.values()), None))
        passage_questions.check(request.share, is_asked=self._form.asks_passages)
        self._share = store.labels.outbox.passage_share(server) if request.share is None else request.share
        self._asked: set[int] = set()
        self._asking = 0

    def run(self) -> Pushed:
        """Make the projects, take back, send.

        Rules that leave drawn answers to nobody are refused when they are given. What comes later and fits none waits, and is
        counted: one odd answer must not stop those that go out by themselves.
        """
        if not self._is_remembered:
            takers.check_fields(self._store, self._takers, self._store.sampling.waves.all_draws())
            unsent = plan(self._store, self._server, {}, self._takers, self._overlap)
            if unsent.untaken:
                takers.refuse(unsent.untaken)
        in_use = {annotator: self._project(annotator) for annotator in self._annotators or (EVERYBODY,)}
        second = self._used.get(SECOND)
        is_of_this_form = second is not None and second.form_version == self._form.version
        if not self._annotators and is_of_this_form and not self._request.is_fresh:
            in_use[SECOND] = self._project(SECOND)
        self._use(in_use)
        assignment = plan(self._store, self._server, in_use, self._takers, self._overlap)
        if SECOND in assignment.to_send and SECOND not in in_use:
            in_use[SECOND] = self._project(SECOND)
            self._use(in_use)
        withdrawn = self._withdraw(assignment)
        if self._form.asks_passages:
            to_send = {draw for draws in assignment.to_send.values() for draw in draws}
            self._asked = passage_questions.decide(self._store, sorted(to_send), self._share, now=self._now)
        doubled = sum(
            self._send(project, assignment.to_send.get(annotator, ())) for annotator, project in in_use.items()
        )
        return Pushed(
            deliveries=tuple(
                Delivery(
                    annotator, project, len(assignment.to_send.get(annotator, ())), assignment.there.get(annotator, 0)
                )
                for annotator, project in in_use.items()
            ),
            withdrawn=withdrawn,
            doubled=doubled,
            asked=self._asking,
            handed_on=assignment.handed_on,
            left=len(assignment.left),
            untaken=len(assignment.untaken),
            unfit=assignment.unfit,
        )

    def _use(self, in_use: Mapping[str, int]) -> None:
        """Note the projects that tasks go to from now on."""
        with self._store.atomic():
            self._store.labels.outbox.use(self._server, in_use, self._form.version, self._takers, now=self._now)
            self._store.labels.outbox.set_overlap(self._server, self._overlap)
            if self._form.asks_passages:
                self._store.labels.outbox.set_passage_share(self._server, self._share)

    def _project(self, annotator: str) -> int:
        """Return an annotator's project: the one named, the one in use if it has this form, or a new one."""
        request, used = self._request, self._used.get(annotator)
        number = request.project if annotator == EVERYBODY else None
        if number is None and used is not None and used.form_version == self._form.version and not request.is_fresh:
            number = used.number
        if number is not None:
            known = [p for p in self._store.labels.outbox.projects(self._server) if p.number == number]
            marker = mark_of(self._store, known[0]) if known else next_mark(self._store, annotator, self._form.version)
            self._studio.check_project(number, guide=request.guide, marker=marker)
            return number
        title = f"{request.title}: {annotator}" if annotator else request.title
        marker = next_mark(self._store, annotator, self._form.version)
        made = self._studio.ensure_project(title, self._form, marker=marker, guide=request.guide)
        with self._store.atomic():  # a server that was set up anew at the address gives its numbers again
            self._store.labels.servers.begin_anew(self._server, made, self._form.version)
        return made

    def _withdraw(self, assignment: AssignmentPlan) -> int:
        """Take back what is not wanted; a task that somebody works on meanwhile stays, and its answer counts."""
        count = 0
        for is_erased, by_project in ((False, assignment.to_withdraw), (True, assignment.to_erase)):
            for project, tasks_there in by_project.items():
                draws = {task.task_id: task.draw for task in tasks_there if task.task_id is not None}
                try:
                    gone = self._studio.remove(project, list(draws), even_annotated=is_erased)
                except NotOnServer:  # the whole project is gone, and its tasks with it
                    gone = set(draws)
                with self._store.atomic():
                    self._store.labels.outbox.withdrawn(
                        [draws[task] for task in gone], self._server, project, now=self._now
                    )
                count += len(gone)
        return count

    def _send(self, project: int, draws: Sequence[OpenDraw]) -> int:
        """Queue all, then send and confirm batch by batch; return how many tasks stand twice there and were both answered.

        Where there is nothing to send, copies are looked for all the same: a repeated request may arrive late.
        """
        outbox, doubled = self._store.labels.outbox, 0
        doubtful = {
            task.draw
            for task in outbox.sent(self._server)
            if task.project == project and task.state is not TaskState.CONFIRMED
        }
        task_ids = outbox.confirmed_tasks(self._server, project)
        if not (draws or task_ids):
            return 0
        after = max(task_ids.values(), default=0)
        # More than we know of: a store that was put back to a backup may have sent any of these before.
        is_known = not (draws and task_ids) or self._studio.size(project).tasks <= len(task_ids)
        keys = {draw.key: draw.task_key for draw in self._store.sampling.waves.all_draws()}
        draw_of = {task_key: draw for draw, task_key in keys.items()}
        own_tasks = {keys[draw] for draw in task_ids}
        draws = self._queue(project, draws)
        with ProgressCounter("sending", len(draws)) as progress:
            for start in range(0, len(draws) or 1, PUSH_BATCH):
                batch = draws[start : start + PUSH_BATCH]
                items = self._store.traffic.items.read([draw.item for draw in batch])
                tasks = [
                    labelling_task.task(draw.task_key, items[draw.item], self._form, is_asked=draw.key in self._asked)
                    for draw in batch
                ]
                self._asking += sum(bool(task.data.get("asked")) for task in tasks)
                unsure = {draw.task_key for draw in batch if draw.key in doubtful or not is_known}
                done = self._studio.push(project, tasks, after=after, doubtful=unsure, confirmed=own_tasks)
                confirmed = {draw_of[key]: task for key, task in done.ids.items()}
                with self._store.atomic():
                    outbox.confirm(confirmed, self._server, project, now=self._now)
                after = max([after, *confirmed.values()])
                doubled += done.doubled
                progress.advance(len(batch))
        return doubled

    def _queue(self, project: int, draws: Sequence[OpenDraw]) -> list[OpenDraw]:
        """Write down what is to be sent; return it in the order in which it is read.

        What a push that was cut short had queued keeps its place; what is new comes after all that had one.
        """
        outbox = self._store.labels.outbox
        with self._store.atomic():
            known = outbox.order(self._server, project)
            queued = {
                task.draw
                for task in outbox.sent(self._server)
                if task.project == project and task.state is TaskState.QUEUED
            }
            new = [
                ToPlace(draw.key, draw.wave, draw.question, draw.task_key, draw.salt, draw.is_pair)
                for draw in draws
                if draw.key not in known or draw.key not in queued
            ]
            last = max((place.position for place in known.values()), default=0)
            places = known | {place.draw: place for place in reading_order(new, last)}
            ordered = sorted(draws, key=lambda draw: places[draw.key].position)
            outbox.queue([places[draw.key] for draw in ordered], self._server, project, now=self._now)
        return ordered


class _Readers(NamedTuple):
    """Who reads, and the overlap; `is_remembered` where the annotators and their rules are as the last time."""

    takers: list[Taker]
    overlap: float
    is_remembered: bool


def _readers(store: Store, server: str, request: PushRequest) -> _Readers:
    """Return who reads; what was not said is as it was."""
    if request.annotators and request.is_for_everybody:
        raise UsageError("--everybody is one project for all: leave --annotator out, also in assay.toml")
    used = [] if request.is_for_everybody else store.labels.outbox.projects(server, in_use=True)
    # Of two projects of an annotator the later counts, in the place of the first.
    by_annotator = {project.annotator: project for project in used if project.annotator not in (EVERYBODY, SECOND)}
    before = [project.taker for project in by_annotator.values()]
    chosen = parsed(request.annotators) or before
    remembered = 0.0 if request.is_for_everybody else store.labels.outbox.overlap(server)
    overlap = remembered if request.overlap is None else request.overlap
    check([taker.annotator for taker in chosen], overlap)
    return _Readers(chosen, overlap, chosen == before)


def division(store: Store, server: str, request: PushRequest) -> Division:
    """Return what a push would give to each annotator; sends and writes nothing, and refuses what a push refuses."""
    chosen, overlap, is_remembered = _readers(store, server, request)
    names = [taker.annotator for taker in chosen] or [EVERYBODY, SECOND]
    in_use = {
        project.annotator: project.number
        for project in store.labels.outbox.projects(server, in_use=True)
        if project.annotator in names
    }
    if not is_remembered:
        takers.check_fields(store, chosen, store.sampling.waves.all_draws())
    assignment = plan(store, server, in_use, chosen, overlap)
    if not is_remembered and assignment.untaken:
        takers.refuse(assignment.untaken)
    counts = {name: len(assignment.to_send.get(name, ())) + assignment.there.get(name, 0) for name in names}
    return Division(
        shares=tuple(
            AnnotatorShare(name, count) for name, count in counts.items() if count or name not in (EVERYBODY, SECOND)
        ),
        to_send=tuple(dict.fromkeys(draw.item for draws in assignment.to_send.values() for draw in draws)),
        left=len(assignment.left),
        untaken=len(assignment.untaken),
        unfit=assignment.unfit,
    )


def _form(request: PushRequest, used: TaskProject | None) -> Form:
    """Return the form asked for; what was not said is as it was."""
    before = form_of(used.form_version) if used is not None else Form()
    return Form(
        language=before.language if request.language is None else request.language,
        asks_harm=before.asks_harm if request.asks_harm is None else request.asks_harm,
        asks_passages=before.asks_passages if request.asks_passages is None else request.asks_passages,
    )
