"""Define an LLM judge: a generator of asks for one item, under a setup that names all that shapes its scores.

The setup (endpoint, model, prompts, settings) gives signatures and prompts ready to send. Nothing here uses a network,
and an item's texts go only into the user message, as JSON data.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import Any, Protocol

import orjson

from proxy.judges.base import MODEL, QUESTION_LIMIT
from proxy.judges.llm.asking import Ask, ModelRefused, Reply, Unreadable, answered
from proxy.judges.llm.embedding import EmbeddingSettings, TextsToEmbed
from proxy.judges.llm.form import Mode, QuestionForm, last_line, schema_text
from proxy.judges.llm.prompts import Prompts
from proxy.judges.llm.reading import QuestionAnswer
from proxy.records import FailureKind, Item, JudgeFailure, Score
from proxy.text.controls import displayable

REPLIES = {
    Mode.JSON_SCHEMA: "reply_schema",
    Mode.JSON_OBJECT_SCHEMA: "reply_json",
    Mode.JSON_OBJECT: "reply_json",
    Mode.LAST_LINE: "reply_last_line",
}
Outcome = Score | JudgeFailure
# An Ask is answered by a Reply, TextsToEmbed by a tuple with the vector of each.
Steps = Generator[Ask | TextsToEmbed, Any, tuple[Outcome, ...]]
# Characters of passages and turns of a conversation that are sent.
CONTEXT_LIMIT = 48_000
TURNS = 20


@dataclass(frozen=True, kw_only=True)
class Setup:
    """The settings that an endpoint's judges share and that shape their scores.

    `masking` names what was masked in the texts, `embeddings` the model whose vectors are compared, by the judges that do so.
    """

    url: str
    model: str
    mode: Mode
    prompts: Prompts
    parameters: Mapping[str, object] = field(default_factory=dict)
    context_limit: int = CONTEXT_LIMIT
    masking: str = ""
    embeddings: EmbeddingSettings | None = None

    def signature(self, judge: str, prompt: str | tuple[str, ...], version: int, **settings: object) -> str:
        """Build the signature `judge|llm|model|v1|digest`, the digest over everything else.

        Another digest is another score. A judge that asks in several steps has several prompts.
        """
        return f"{judge}{MODEL}{self.model}|v{version}|{self._digest(prompt, settings)}"

    def settings(self, prompt: str | tuple[str, ...], **settings: object) -> dict[str, object]:
        """Return what the digest stands for."""
        names = (prompt,) if isinstance(prompt, str) else prompt
        return {
            "url": self.url,
            "mode": self.mode.value,
            "parameters": dict(self.parameters),
            "context_limit": self.context_limit,
            "prompt": " + ".join(names),
            "prompts": self.prompts.digest(*names, "repair", REPLIES[self.mode]),
            **({"masking": self.masking} if self.masking else {}),
            **settings,
        }

    def _digest(self, prompt: str | tuple[str, ...], settings: Mapping[str, object]) -> str:
        return digest_of(self.settings(prompt, **settings))

    def answered(
        self, prompt: str, language: str, form: QuestionForm, user: str, **places: str
    ) -> Generator[Ask, Reply, Mapping[str, QuestionAnswer]]:
        """Ask the model to fill in the form, with at most one repair; `places` are filled into the prompt."""
        task = self.prompts.text(prompt, language)
        for name, words in places.items():
            task = task.replace(f"{{{name}}}", words)
        system = system_text(task, self.prompts.text(REPLIES[self.mode], language), self.mode, form)
        ask = Ask(system=system, user=user, form=form, mode=self.mode)
        return answered(ask, self.prompts.text("repair", language))


def digest_of(settings: Mapping[str, object]) -> str:
    """Return eight hex digits that stand for the settings in a signature."""
    canonical = json.dumps(settings, sort_keys=True, separators=(",", ":"), default=str)
    return sha256(canonical.encode()).hexdigest()[:8]


@lru_cache(maxsize=512)
def system_text(task: str, reply: str, mode: Mode, form: QuestionForm) -> str:
    """Build the whole system message: the task, and how to reply to it."""
    if mode in (Mode.JSON_OBJECT, Mode.JSON_OBJECT_SCHEMA):
        reply = reply.replace("{schema}", schema_text(form))
    elif mode is Mode.LAST_LINE:
        reply = reply.replace("{line}", last_line(form))
    return f"{task}\n\n{reply}"


class LlmJudge(Protocol):
    """A judge that needs a model; one call may give several scores."""

    @property
    def judges(self) -> tuple[tuple[str, str], ...]:
        """The (judge, signature) of each score of an item, in order."""
        ...

    @property
    def settings(self) -> Mapping[str, object]:
        """The settings that the digest in the signatures stands for."""
        ...

    def steps(self, item: Item) -> Steps:
        """Yield asks, receive replies, return one outcome per judge."""
        ...


def data(**fields: object) -> str:
    """Build the user message: the item's texts as one JSON object; empty ones are left out."""
    filled = {name: value for name, value in fields.items() if value}
    try:
        return orjson.dumps(filled).decode()
    except orjson.JSONEncodeError:  # lone surrogates
        return json.dumps(filled)


def history(item: Item) -> list[dict[str, str]]:
    """Return the last turns before the question."""
    return [{"role": turn.role, "text": turn.text[:QUESTION_LIMIT]} for turn in item.history[-TURNS:]]


def passages(item: Item, limit: int) -> tuple[list[str], str]:
    """Return the passages' texts up to `limit` characters in all, and a note where some were cut."""
    texts: list[str] = []
    left = limit
    for context in item.contexts:
        if left <= 0:
            break
        texts.append(context.text[:left])
        left -= len(context.text)
    cut = left < 0 or len(texts) < len(item.contexts)
    return texts, f"{limit:,} characters of the passages" if cut else ""


def not_applicable(judge: LlmJudge, item: Item, reason: str) -> tuple[JudgeFailure, ...]:
    """Return the outcome of an item that the judge's question does not fit, without a call."""
    return tuple(failed(item, key, FailureKind.NOT_APPLICABLE, reason) for key in judge.judges)


def unreadable(judge: LlmJudge, item: Item, fault: Unreadable) -> tuple[JudgeFailure, ...]:
    """Return the outcome of a reply that gave no verdict, with the raw reply."""
    kind = FailureKind.REFUSED if isinstance(fault, ModelRefused) else FailureKind.INVALID
    return tuple(failed(item, key, kind, str(fault), raw=fault.raw) for key in judge.judges)


def failed(
    item: Item, judge: tuple[str, str], kind: FailureKind, reason: str, *, raw: str | None = None
) -> JudgeFailure:
    """Make a judge's failure on an item."""
    name, signature = judge
    return JudgeFailure(
        item_id=item.id, judge=name, signature=signature, kind=kind, reason=displayable(reason), raw=raw
    )


def scored(item: Item, judge: tuple[str, str], value: float, reason: str) -> Score:
    """Make a judge's score on an item."""
    name, signature = judge
    clipped = min(1.0, max(0.0, value))
    return Score(item_id=item.id, judge=name, signature=signature, value=clipped, reason=displayable(reason))
