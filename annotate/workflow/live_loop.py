"""An answer's way through the live loop: its spans are joined, judges score it, it has its chance, and is drawn or not.

Nothing of it is remembered here: what is still to be done is what the store lacks, so that a process that is killed anywhere
does the rest after its next start, and nothing twice. It is the nightly run's work, done for the few answers that are new.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from annotate.analysis.rule_in_force import is_model, rule_in_force
from annotate.store import Store
from annotate.workflow.ingest.live import join_quiet
from annotate.workflow.judging import model_request, offline
from annotate.workflow.judging.model_request import ModelRequest, within_budget
from annotate.workflow.judging.rule_after_import import NO_EFFECT, RuleAfterImport
from annotate.workflow.sampling.stream import draw_arrived
from proxy.errors import AssayError
from proxy.records import FailureKind

# Asked of a model in one go: those that are judged by then have their chance before the next are asked.
MOST_ASKED = 50
# A run has costs of its own (its test answers), so a model is asked no more often; after each failure in a row half as often.
ASK_SECONDS, LONGEST_PAUSE = 10.0, 900.0


class Round(NamedTuple):
    """What one round did: new and revised answers, answers that had their chance, draws, and why a model was not asked.

    `effect` is what scores of tools that came with the answers are to the rule.
    """

    joined: int = 0
    framed: int = 0
    drawn: int = 0
    trouble: str | None = None
    effect: RuleAfterImport = NO_EFFECT


@dataclass
class LiveLoop:
    """Does rounds. Without a `model` offline judges alone are run; answers wait for scores that only others can give.

    Attributes
    ----------
    who
        In whose name answers are drawn.
    clock
        The time, ISO 8601 in UTC; `ticks` are seconds that only grow.
    idle
        A trace is joined once it was quiet for so many seconds.
    model
        What to ask a model for, with the budget for the life of this loop.
    """

    who: str
    clock: Callable[[], str]
    ticks: Callable[[], float]
    idle: float
    model: ModelRequest | None = None
    _done: int = 0  # up to this row every answer has had its chance
    _failures: int = 0
    _paused_until: float = 0.0

    def round(self, store: Store) -> Round:
        """Join what is quiet and, while a stream is open, judge what is new and give it its chance."""
        added, effect = join_quiet(store, seconds=self.idle, now=self.clock())
        result = Round(added.added + added.revised, effect=effect)
        stream = store.sampling.streams.current()
        if stream is None:
            return result
        after = max(self._done, stream.after)
        offline.judge(store, offline.by_default(store), now=self.clock(), after=after)
        trouble = self._ask_model(store, after)
        framed, drawn = 0, 0
        while (arrived := draw_arrived(store, who=self.who, now=self.clock(), after=after)).framed:
            framed, drawn = framed + arrived.framed, drawn + arrived.drawn
        self._done = store.sampling.streams.done_up_to(after)
        return result._replace(framed=framed, drawn=drawn, trouble=trouble)

    def _ask_model(self, store: Store, after: int) -> str | None:
        """Ask for the scores that the rule in force reads of a model; return why that could not be done."""
        read = [pair for pair in rule_in_force(store)[1].signatures.items() if is_model(pair[1])]
        if self.model is None or not read or self.ticks() < self._paused_until:
            return None
        keys = list(store.scores.known_keys(read).values())
        rows = store.sampling.streams.waiting(after, keys, MOST_ASKED)
        if not rows:
            return None
        asked = replace(self.model, options=replace(self.model.options, rows=rows), check_one_call=0)
        try:
            judged = model_request.run(store, asked, who=self.who, clock=self.clock).judged
        except AssayError as error:
            return self._pause(str(error))
        self.model = replace(self.model, options=within_budget(self.model.options, judged))
        unanswered = judged.failures.get(FailureKind.UNANSWERED)
        return self._pause(judged.stopped or (next(iter(judged.reasons), None) if unanswered else None))

    def _pause(self, trouble: str | None) -> str | None:
        """Leave the model alone for a while; return the trouble."""
        self._failures = self._failures + 1 if trouble else 0
        self._paused_until = self.ticks() + min(LONGEST_PAUSE, ASK_SECONDS * 2.0 ** min(self._failures, 30))
        return trouble
