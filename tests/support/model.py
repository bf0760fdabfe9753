"""What tests of model judging share: a command against a scripted endpoint, its ledger of requests, and asks by hand."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from annotate.store import Store
from proxy.judges.llm.asking import Ask, Reply
from proxy.judges.llm.base import LlmJudge, Setup
from proxy.judges.llm.form import Mode, Question, QuestionForm
from proxy.judges.llm.prompts import standard
from proxy.judges.menu import MenuChoice, build
from proxy.llm import probing, requesting
from proxy.llm.attempt import RequestOutcome
from proxy.llm.budget import Spending
from proxy.llm.openai_client import OpenAIEndpoint, usual_parameters
from proxy.llm.runner import Ended, Job, JobEvent, RequestSettings, call
from proxy.records import Context, Item
from support.endpoint import Endpoint
from support.store import Assay, traffic_row

NO_LOGPROBS = ("json_schema", "json_object", "seed", "temperature", "max_completion_tokens")
GOOD = Reply(text='{"answerable": {"reason": "r", "verdict": "yes"}}')


@contextmanager
def quick(pause: float = 0.01) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(requesting, "_FIRST_WAIT", pause)
        patch.setattr(requesting, "_MOST_WAIT", pause)
        patch.setattr(probing, "_FIRST_PAUSE", pause)
        yield


def traffic(count: int, **changes: object) -> list[dict[str, object]]:
    return [traffic_row(f"i{n}", **changes) for n in range(count)]


def ingest(assay: Assay, count: int, **changes: object) -> None:
    assay("ingest", assay.write("traffic.jsonl", traffic(count, **changes)))


def asked(endpoint: Endpoint, *more: str) -> tuple[str, ...]:
    return ("judge", "--backend", "openai", "--model", "m", "--base-url", endpoint.url, *more)


def outcomes(assay: Assay) -> dict[str, int]:
    return dict(assay.sql("SELECT outcome, count(*) FROM attempts GROUP BY 1"))  # type: ignore[arg-type]


def stored(assay: Assay, table: str) -> int:
    """How many rows a table has; of scores those of models, for what they support is compared with its words beside."""
    of_models = "JOIN judges j ON j.key = scores.judge WHERE j.signature LIKE '%|llm|%'" if table == "scores" else ""
    return int(assay.sql(f"SELECT count(*) FROM {table} {of_models}")[0][0])


def kinds(assay: Assay) -> dict[str, int]:
    return dict(assay.sql("SELECT kind, count(*) FROM failures GROUP BY 1"))  # type: ignore[arg-type]


def without_outcome(assay: Assay) -> int:
    """How many pairs of item and judge have neither score nor failure, or both."""
    query = (
        "SELECT count(*) FROM items i, judges j WHERE signature LIKE '%|llm|%' AND "
        "(SELECT count(*) FROM scores WHERE item = i.key AND judge = j.key) + "
        "(SELECT count(*) FROM failures WHERE item = i.key AND judge = j.key) <> 1"
    )
    return int(assay.sql(query)[0][0])


def ask(mode: Mode = Mode.JSON_SCHEMA, **changes: Any) -> Ask:
    form = QuestionForm((Question(key="answerable", choices=("no", "yes")),))
    return Ask(**{"system": "S", "user": '{"question": "Q"}', "form": form, "mode": mode, **changes})


def sent(
    endpoint: Endpoint,
    deadline: float = 5.0,
    request: Ask | None = None,
    parameters: Mapping[str, object] | None = None,
    key: str | None = None,
) -> RequestOutcome:
    """The exchange of one request through openai's client."""

    async def run() -> RequestOutcome:
        client = OpenAIEndpoint("m", url=endpoint.url, key=key)
        known = usual_parameters(client.url) if parameters is None else parameters
        try:
            return await client.send(request or ask(), known, deadline)
        finally:
            await client.close()

    return asyncio.run(run())


class Scripted:
    """An endpoint without a network: answers from a list, the last one for ever; counts and remembers what it was sent."""

    url, model = "http://scripted/v1", "m"

    def __init__(self, answers: Iterable[RequestOutcome], *, seconds: float = 0.0) -> None:
        self.answers, self.seconds = list(answers), seconds
        self.sent: list[tuple[Ask, Mapping[str, object]]] = []
        self.in_flight = self.peak = 0

    async def send(self, ask: Ask, parameters: Mapping[str, object], deadline: float) -> RequestOutcome:
        self.sent.append((ask, dict(parameters)))
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.in_flight -= 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    async def close(self) -> None:
        """Nothing is held."""


def judges(**choice: Any) -> tuple[LlmJudge, ...]:
    setup = Setup(url="http://scripted/v1", model="m", mode=Mode.JSON_SCHEMA, prompts=standard())
    return build(setup, MenuChoice(**choice))


def jobs(count: int, judge: LlmJudge, **changes: Any) -> list[Job]:
    contexts = (Context(text="Room 1 is on the ground floor."),)
    texts = {
        "question": "Where is room 1?",
        "answer": "Room 1 is on the ground floor.",
        "contexts": contexts,
        **changes,
    }
    return [Job(key=n, item=Item(id=str(n), **texts), judge=judge) for n in range(count)]


def called(
    endpoint: Any, work: Sequence[Job], spending: Spending | None = None, **how: Any
) -> tuple[Ended, list[JobEvent]]:
    """How a run without a store ended, and all that it kept."""
    kept: list[JobEvent] = []
    ended = asyncio.run(
        call(
            iter(work),
            endpoint,
            RequestSettings(**{"parameters": {}, **how}),
            spending or Spending(),
            kept.append,
            random.Random(0),
        )
    )
    return ended, kept


def everywhere(folder: Path, word: str) -> list[str]:
    """The files below a folder in which a word stands."""
    return [str(path) for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


@contextmanager
def opened(assay: Assay) -> Iterator[Store]:
    """The store of a command, open."""
    with closing(Store(assay.db)) as store:
        yield store


def form_reply(asking: Ask, verdict: str | None = None) -> Reply:
    """A reply that gives every question the same verdict, or its last choice."""
    quote = "Room 1 is on the ground floor."
    return Reply(
        text=json.dumps({q.key: {q.note: quote, "verdict": verdict or q.choices[-1]} for q in asking.form.questions})
    )
