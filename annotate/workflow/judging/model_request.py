"""Judge with a model behind an endpoint, as a user asks for it: the run, the check of one call against two, and its event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace

from annotate.store import Store
from annotate.workflow.judging import cost_estimate, model, one_call_check
from annotate.workflow.judging.cost_estimate import CallEstimate
from annotate.workflow.judging.one_call_check import OneCallCheck
from annotate.workflow.judging.runs import ModelJudged, Options
from annotate.workflow.judging.setups import embedding_endpoint, place_of
from proxy.errors import EndpointError, UsageError
from proxy.judges.menu import asks_model, compares_vectors
from proxy.llm.openai_client import OpenAIEndpoint, usual_parameters

EVENT = "judge"


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelRequest:
    """The model to ask and how.

    Attributes
    ----------
    model
        Its name at the endpoint; None where the judges compare vectors and ask no model for words.
    url
        The endpoint, which speaks OpenAI's protocol; None: OpenAI's own.
    options
        Which judges, how they ask, and what the run may cost.
    check_one_call
        How many items are asked in two calls as well, where one call asks for both scores.
    """

    model: str | None = None
    url: str | None = None
    options: Options = field(default_factory=Options)
    check_one_call: int = 0

    def endpoint(self) -> OpenAIEndpoint | None:
        """Return a new connection, where a model is named; nothing is sent yet."""
        if self.model is None:
            return None
        return OpenAIEndpoint(self.model, url=self.url, concurrency=self.options.concurrency)

    def check_key(self) -> None:
        """Raise UsageError where an address is known to require a key and there is none."""
        endpoint = self.endpoint()
        if endpoint is not None and asks_model(self.options.choice):
            endpoint.check_key()
        embedding_endpoint(endpoint, self.options)


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelRun:
    """What a model judged, and how far one call agrees with two, where that was asked for and the run came to its end."""

    judged: ModelJudged
    check: OneCallCheck | None

    @property
    def is_complete(self) -> bool:
        """Whether every item that was begun has a score or an abstention."""
        return not (self.judged.stopped or self.judged.failed)

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each judge that was asked, by its name."""
        return {name: signature for judge in self.judged.judges for name, signature in judge.judges}

    def raise_for_fault(self) -> None:
        """Raise EndpointError where the endpoint's fault stopped the run; what came before that is kept."""
        if self.judged.is_fault:
            raise EndpointError(f"stopped: {self.judged.stopped}")


def estimate(store: Store, request: ModelRequest) -> CallEstimate:
    """Work out what a run would take; nothing is sent."""
    check_budget(request)
    endpoint = request.endpoint()
    return cost_estimate.estimate(store, endpoint, request.options, _usual(endpoint))


def waiting(store: Store, request: ModelRequest) -> list[int]:
    """Return the rows of the items that a run would ask about; nothing is sent."""
    endpoint = request.endpoint()
    return cost_estimate.waiting(store, endpoint, request.options, _usual(endpoint))


def run(store: Store, request: ModelRequest, *, who: str, clock: Callable[[], str]) -> ModelRun:
    """Ask the model for every score that is missing, and log the run."""
    check_budget(request)
    endpoint, place = request.endpoint(), place_of(request.endpoint(), request.options)
    request.check_key()
    with store.only_one("judge"):
        judged = model.judge(store, endpoint, request.options, _usual(endpoint), clock)
        checked = _check_one_call(store, request, judged, clock)
    detail: dict[str, object] = {
        "url": place.url,
        "model": place.model,
        "items": judged.items,
        "scores": judged.scores,
        "stopped": judged.stopped,
    }
    if request.options.embeddings is not None and compares_vectors(request.options.choice):
        detail["embeddings"] = asdict(request.options.embeddings.identity)
    with store.atomic():
        store.audit.events.append(EVENT, detail, who=who, now=clock())
    return ModelRun(judged=judged, check=checked)


def _usual(endpoint: OpenAIEndpoint | None) -> dict[str, object]:
    return usual_parameters(endpoint.url) if endpoint else {}


def check_budget(request: ModelRequest) -> None:
    """Refuse a budget of money where no price is known of a model that is asked."""
    options, embeddings = request.options, request.options.embeddings
    place_of(request.endpoint(), options)
    asked = {request.model: options.prices} if asks_model(options.choice) else {}
    if embeddings is not None and embeddings.function is None and compares_vectors(options.choice):
        asked[embeddings.model] = embeddings.prices
    for name, prices in asked.items():
        if options.most_money is not None and prices is None:
            raise UsageError(
                f'--budget needs prices per million tokens: put [prices."{name}"] with input and output into assay.toml'
            )


def _check_one_call(
    store: Store, request: ModelRequest, judged: ModelJudged, clock: Callable[[], str]
) -> OneCallCheck | None:
    together = next((llm_judge for llm_judge in judged.judges if len(llm_judge.judges) > 1), None)
    if not request.check_one_call or together is None or judged.stopped:
        return None
    left = within_budget(request.options, judged)
    usual = _usual(request.endpoint())
    return one_call_check.check(store, together, request.check_one_call, request.endpoint, left, usual, clock)


def within_budget(options: Options, judged: ModelJudged) -> Options:
    """Return the options with what the run has left of its budget."""
    tokens = sum((used.prompt_tokens or 0) + (used.completion_tokens or 0) for used in judged.used)
    money = sum(used.cost or 0.0 for used in judged.used)
    return replace(
        options,
        most_tokens=None if options.most_tokens is None else max(0, options.most_tokens - tokens),
        most_money=None if options.most_money is None else max(0.0, options.most_money - money),
    )
