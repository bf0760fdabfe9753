"""Ask versions of a judge about labelled answers within one budget; what they say is kept as it comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotate.analysis.aligned_judges.alignment import DecidedDraw
from annotate.analysis.aligned_judges.corrections import scores_of
from annotate.store import Store
from annotate.workflow.judging import model
from annotate.workflow.judging.model_request import ModelRequest, within_budget
from annotate.workflow.judging.runs import ModelJudged, Options
from proxy.evaluation.candidates import JudgeKey
from proxy.judges.llm.base import LlmJudge, Setup
from proxy.judges.llm.guidance import Guidance, GuidedJudge
from proxy.judges.menu import build
from proxy.llm.openai_client import usual_parameters
from proxy.records import FailureKind

Version = Callable[[Setup], LlmJudge]


class AskingStopped(Exception):
    """A model that was not asked about all answers; the message says why."""


@dataclass
class VersionAsker:
    """The model that versions of a judge ask, and what they have used so far.

    Attributes
    ----------
    store, request, clock
        Where all is kept, what is asked of which model, and what gives the time.
    tokens, cost
        Used so far; the cost None without prices.
    """

    store: Store
    request: ModelRequest
    clock: Callable[[], str]
    tokens: int = 0
    cost: float | None = None
    _left: Options = field(init=False)

    def __post_init__(self) -> None:
        self._left = replace(self.request.options, most_items=None)

    def in_force_on(self, draws: Sequence[DecidedDraw]) -> JudgeKey:
        """Have the judge in force score these answers like any other, and return it."""
        judged = self._ask(replace(self._left, rows=[draw.item for draw in draws]))
        name, signature = judged.judges[0].judges[0]
        return JudgeKey(judge=name, signature=signature)

    def scores_in_force(self, base: JudgeKey, draws: Sequence[DecidedDraw]) -> dict[int, float]:
        """Return the scores that the judge in force has given to these answers."""
        return scores_of(self.store, base, [draw.item for draw in draws])

    def on_trial(self, version: Version, rows: Sequence[int]) -> LlmJudge:
        """Have a version score these items, on trial, and return it."""
        return self._ask(replace(self._left, rows=list(rows), versions=lambda setup: (version(setup),))).judges[0]

    def trial_values(self, version: LlmJudge) -> dict[int, float]:
        """Return the scores that a version on trial has given, by item."""
        return {item: score.value for item, score in self.store.scores.trials.scores(version.judges[0][1]).items()}

    def plain(self, setup: Setup) -> LlmJudge:
        """Return the judge without guidance."""
        (judge,) = build(setup, self._left.choice)
        return judge

    def guided(self, guidance: Guidance) -> Version:
        """Return what makes the judge with this guidance."""
        return lambda setup: GuidedJudge(judge=self.plain(setup), setup=setup, guidance=guidance)

    def _ask(self, options: Options) -> ModelJudged:
        """Ask what is missing, out of what is left of the budget."""
        endpoint = self.request.endpoint()
        usual: Mapping[str, object] = usual_parameters(endpoint.url) if endpoint else {}
        judged = model.judge(self.store, endpoint, options, usual, self.clock)
        self._left = replace(within_budget(self._left, judged), probes_again=False)
        self.tokens += sum((used.prompt_tokens or 0) + (used.completion_tokens or 0) for used in judged.used)
        costs = [used.cost for used in judged.used if used.cost is not None]
        if costs:
            self.cost = sum(costs, self.cost or 0.0)
        if judged.stopped:
            raise AskingStopped(judged.stopped)
        if unanswered := judged.failures.get(FailureKind.UNANSWERED, 0):
            raise AskingStopped(
                f"the endpoint left {unanswered} requests unanswered: run the same command again to go on"
            )
        return judged
