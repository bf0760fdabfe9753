"""Score items of the store with LLM judges: ask only for what is missing, and keep each reply as it comes.

A reply and what it led to are one transaction, so a run that is killed has lost nothing but what was in flight.
"""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from annotate.domain.privacy.redaction import for_model
from annotate.progress import ProgressCounter
from annotate.progress.stopping import STOPS, Stopped, handlers_kept
from annotate.store import Store
from annotate.store.scores.calls import Attempt
from annotate.workflow import masking_policy
from annotate.workflow.judging.gold_references import GoldReferences, forget_outdated, reads_reference
from annotate.workflow.judging.guided import judges_of
from annotate.workflow.judging.kept_vectors import KeptVectors
from annotate.workflow.judging.rules import follow_scores
from annotate.workflow.judging.runs import ModelJudged, Options, canary_result
from annotate.workflow.judging.setups import NOTHING_TO_KNOW, embedding_endpoint, known_to, place_of, setup_of
from proxy.errors import EndpointError
from proxy.judges.llm.base import LlmJudge, Outcome
from proxy.judges.llm.canaries import canary, watched
from proxy.judges.menu import asks_model
from proxy.llm.attempt import RequestOutcome
from proxy.llm.budget import Endpoint, OutOfBudget, Prices, Spending
from proxy.llm.probing import Capability, probe
from proxy.llm.runner import Embeddings, Job, JobEvent, RequestSettings, call
from proxy.records import FailureKind, Item

BATCH_ITEMS = 50
GRACE = 10.0
BY_HAND = "stopped by hand: run the same command again to go on"


def judge(
    store: Store, endpoint: Endpoint | None, options: Options, usual: Mapping[str, object], clock: Callable[[], str]
) -> ModelJudged:
    """Ask the endpoint for every score that is missing; `usual` are the parameters to begin a first probe with.

    `endpoint` is None where the judges compare vectors and ask no model for words. The verdicts follow, also where the run is
    stopped.
    """
    masking_policy.hold(store, now=clock())
    try:
        with handlers_kept():
            return asyncio.run(_judge(store, endpoint, options, usual, clock))
    except asyncio.CancelledError as stop:
        raise Stopped(stop.args[0] if stop.args else signal.SIGINT) from None
    finally:
        follow_scores(store, now=clock())


async def _judge(
    store: Store, endpoint: Endpoint | None, options: Options, usual: Mapping[str, object], clock: Callable[[], str]
) -> ModelJudged:
    run = _Run(store, endpoint, options, clock)
    try:
        capability = await run.capability(usual)
        await run.judge(capability)
    except asyncio.CancelledError:
        run.result.stopped = BY_HAND
        raise
    except (OutOfBudget, EndpointError) as error:
        run.result.stopped = str(error)
        if isinstance(error, EndpointError):
            raise
    finally:
        run.end()
        await run.close()
    return run.result


def missing(
    store: Store, judges: Sequence[LlmJudge], keys: Mapping[tuple[str, str], int], options: Options
) -> Iterator[Job]:
    """Yield a job for each judge and item without an outcome, with the replies that an earlier run has paid for."""
    remaining, gold = options.most_items, None
    if any(reads_reference(name) for llm_judge in judges for name, _ in llm_judge.judges):
        gold = GoldReferences(store)
    for batch in _batches(store, list(keys.values()), options):
        rows = list(batch)[:remaining]
        done = _done(store, rows, judges, keys, options)
        replies = store.scores.calls.open_replies(rows)
        for row in rows:
            item = replace(for_model(batch[row]), group=batch[row].group)  # which is not sent
            filled = replace(for_model(gold.filled(batch[row])), group=item.group) if gold else item
            for llm_judge in judges:
                if any((identity, row) not in done for identity in llm_judge.judges):
                    yield Job(
                        key=row,
                        item=filled if any(reads_reference(name) for name, _ in llm_judge.judges) else item,
                        judge=llm_judge,
                        replies=tuple(replies.get((row, signatures(llm_judge)), ())),
                    )
        if remaining is not None:
            remaining -= len(rows)
            if remaining <= 0:
                return


def _done(
    store: Store,
    rows: Sequence[int],
    judges: Sequence[LlmJudge],
    keys: Mapping[tuple[str, str], int],
    options: Options,
) -> set[tuple[tuple[str, str], int]]:
    """Return the (judge and signature, item) pairs among these that have a last word."""
    identities = [identity for llm_judge in judges for identity in llm_judge.judges]
    if options.versions is not None:
        return {(identity, row) for identity in identities for row in store.scores.trials.done(rows, identity[1])}
    known = store.scores.done(rows, list(keys.values()), retries=options.asks_failed_again)
    return {(identity, row) for identity in identities for row in rows if (keys[identity], row) in known}


def _batches(store: Store, keys: Sequence[int], options: Options) -> Iterator[dict[int, Item]]:
    """Yield the items that lack an outcome, or those asked for, in batches."""
    if options.rows is None:
        yield from store.traffic.items.without_outcome(keys, BATCH_ITEMS, retries=options.asks_failed_again)
        return
    for start in range(0, len(options.rows), BATCH_ITEMS):
        yield store.traffic.items.read(options.rows[start : start + BATCH_ITEMS])


def signatures(judge: LlmJudge) -> str:
    """Return the judge as its attempts name it."""
    return " + ".join(signature for _, signature in judge.judges)


class _Run:
    """A run: its row in the store, and the record of what it did."""

    def __init__(self, store: Store, endpoint: Endpoint | None, options: Options, clock: Callable[[], str]) -> None:
        self.store, self.endpoint, self.options, self.clock = store, endpoint, options, clock
        self.place = place_of(endpoint, options)
        self.embeddings = embedding_endpoint(endpoint, options)
        self.key: int | None = None
        self.result = ModelJudged()
        self._spending = Spending(prices=options.prices, most_money=options.most_money, most_tokens=options.most_tokens)
        self._progress = ProgressCounter("asking the model")

    async def capability(self, usual: Mapping[str, object]) -> Capability:
        """Return what is known of the endpoint, or what a probe finds; the user's parameters are not dropped silently."""
        if self.endpoint is None or not asks_model(self.options.choice):
            return NOTHING_TO_KNOW
        url, model = self.endpoint.url, self.endpoint.model
        known = None if self.options.probes_again else self.store.scores.calls.capability(url, model)
        if known is None:
            parameters = {**usual, **self.options.parameters}
            sys.stderr.write(f"finding out what {model} at {url} can do …\n")
            known = await probe(self.endpoint, parameters, self.options.deadline, self._keep_probe, self._spending)
            refused = [name for name in self.options.parameters if name not in known.parameters]
            # What the user asks for holds for this run alone.
            own = {name: usual.get(name) for name in self.options.parameters if name in known.parameters}
            known_parameters = {name: value for name, value in {**known.parameters, **own}.items() if value is not None}
            known = Capability(mode=known.mode, parameters=known_parameters)
            with self.store.atomic():
                self.store.scores.calls.remember(url, model, known, now=self.clock())
            if refused:
                raise EndpointError(f"{model} does not take {refused[0]}: leave --parameter {refused[0]} out")
        return known_to(known, self.options)

    async def judge(self, capability: Capability) -> None:
        """Do what is missing, canaries first."""
        judges = judges_of(self.store, setup_of(self.place, capability, self.options), self.options)
        self.result.judges = tuple(judges)
        keys = self._keys(judges)
        jobs = missing(self.store, judges, keys, self.options)
        first = next(jobs, None)
        if first is None:
            return
        number = self._row()
        canaries = (
            Job(key=None, item=item, judge=llm_judge)
            for llm_judge in (() if self._is_trial else judges)
            if (item := canary(llm_judge, number))
        )
        limits = self.options
        settings = RequestSettings(
            parameters=capability.parameters,
            concurrency=limits.concurrency,
            deadline=limits.deadline,
            attempts=limits.attempts,
        )
        rng = random.Random(number)  # noqa: S311
        self._progress = ProgressCounter("asking the model", self._items(keys) * len(judges))
        work = chain(canaries, (first,), jobs)
        with self._progress:
            ended = await call(
                work, self.endpoint, settings, self._spending, self._keep, rng, _by_hand, self._embeddings()
            )
        self.result.stopped, self.result.is_fault = ended.stopped, ended.is_fault

    @property
    def _is_trial(self) -> bool:
        return self.options.versions is not None

    def _keys(self, judges: Sequence[LlmJudge]) -> dict[tuple[str, str], int]:
        """Return the row of each judge and signature; versions on trial have none."""
        if self._is_trial:
            return {}
        with self.store.atomic():
            keys = {
                identity: self.store.scores.describe(*identity, llm_judge.settings)
                for llm_judge in judges
                for identity in llm_judge.judges
            }
            forget_outdated(self.store, {name: key for (name, _), key in keys.items()})
        return keys

    def _items(self, keys: Mapping[tuple[str, str], int]) -> int:
        """Return how many items a judge is asked about at most."""
        if self.options.rows is not None:
            return len(self.options.rows)
        retries = self.options.asks_failed_again
        return self.options.most_items or self.store.traffic.items.count_without_outcome(
            list(keys.values()), retries=retries
        )

    def _embeddings(self) -> Embeddings | None:
        """Return the embedding model with what is kept of it, paid from the same budget."""
        asked = self.options.embeddings
        if asked is None or self.embeddings is None:
            return None
        if self.options.probes_again:
            with self.store.atomic():
                self.store.scores.vectors.forget_model(asked.identity)

        def keep(attempt: Attempt, exchange: RequestOutcome) -> None:
            self._keep_exchange(attempt, exchange, asked.prices)

        return Embeddings(
            endpoint=self.embeddings,
            spending=Spending(prices=asked.prices, beside=self._spending),
            keeper=KeptVectors(store=self.store, model=asked.identity, keep_exchange=keep, clock=self.clock),
        )

    async def close(self) -> None:
        """Close the connections."""
        for endpoint in (self.endpoint, self.embeddings):
            if endpoint is not None:
                await endpoint.close()

    def end(self) -> None:
        """Write down how the run ended; where it made no request there is nothing to write."""
        if self.key is None:
            return
        with self.store.atomic():
            self.store.scores.calls.end(self.key, self.result.stopped, now=self.clock())
        self.result.used = self.store.scores.calls.used(self.key)
        self.result.attempts = self.store.scores.calls.outcomes(self.key)

    def _row(self) -> int:
        """Return the run's row, made with its first request."""
        if self.key is None:
            with self.store.atomic():
                self.key = self.store.scores.calls.start(self.place.url, self.place.model, now=self.clock())
        return self.key

    def _keep_probe(self, exchange: RequestOutcome) -> None:
        with self.store.atomic():
            self._keep_exchange(Attempt("probe", "", None, 0, is_open=False), exchange, self.options.prices)

    def _keep(self, kept: JobEvent) -> None:
        """Keep the request, and what it led to, in one transaction."""
        job, outcomes = kept.job, kept.outcomes
        with self.store.atomic():
            if kept.exchange is not None:
                is_open = outcomes is None and kept.exchange.reply is not None and job.key is not None
                purpose = "canary" if job.key is None else "item"
                attempt = Attempt(purpose, signatures(job.judge), job.key, kept.step, is_open=is_open)
                self._keep_exchange(attempt, kept.exchange, self.options.prices)
            if outcomes is not None and job.key is not None:
                self._keep_outcomes(kept, job.key, outcomes)
                self.result.count(outcomes)
            elif outcomes is not None:
                self._keep_canaries(job.judge, outcomes)

    def _keep_canaries(self, judge: LlmJudge, outcomes: tuple[Outcome, ...]) -> None:
        """Keep a judge's result on its canary."""
        self.result.canaries += [canary_result(outcome) for outcome in outcomes if watched(outcome.judge, judge)]
        rows = [
            {"signature": result.signature, "value": result.value, "fooled": result.is_fooled, "reason": result.reason}
            for result in self.result.canaries
        ]
        self.store.scores.calls.keep_canaries(self._row(), rows)

    def _keep_exchange(self, attempt: Attempt, exchange: RequestOutcome, prices: Prices | None) -> None:
        cost = prices.cost(exchange.usage) if prices and exchange.usage else None
        self.store.scores.calls.keep(self._row(), attempt, exchange, cost, now=self.clock())

    def _keep_outcomes(self, kept: JobEvent, row: int, outcomes: tuple[Outcome, ...]) -> None:
        """Keep the judge's outcomes on an item; what it was paid for is history once it is said."""
        seconds = kept.exchange.seconds if kept.exchange else None
        timed = [replace(outcome, seconds=seconds) for outcome in outcomes]
        if self._is_trial:
            self.store.scores.trials.keep(row, timed, now=self.clock())
        else:
            self.store.scores.keep({row: timed}, now=self.clock(), retries=self.options.asks_failed_again)
        is_said = all(getattr(outcome, "kind", None) is not FailureKind.UNANSWERED for outcome in outcomes)
        if is_said and (kept.step or kept.job.replies):
            self.store.scores.calls.close(row, signatures(kept.job.judge))
        self._progress.advance(1)


def _by_hand(stop: Callable[[str], object]) -> None:
    """Let the first signal end the run when what is in flight, and paid for, has come back; a second one, or time, cuts it."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    before = {number: handler for number in STOPS if (handler := signal.getsignal(number)) is not signal.SIG_IGN}

    def on_signal(number: int) -> None:
        for stop_signal, handler in before.items():
            loop.remove_signal_handler(stop_signal)
            signal.signal(stop_signal, handler)
        stop(BY_HAND)
        sys.stderr.write(f"\nwaiting {GRACE:g} seconds for what is in flight (Ctrl-C again cuts it)\n")
        if task is not None:
            loop.call_later(GRACE, task.cancel, number)

    with suppress(NotImplementedError, RuntimeError, ValueError):  # not in the main thread, or not on this system
        for stop_signal in before:
            loop.add_signal_handler(stop_signal, on_signal, stop_signal)
