"""What a scripted model says: a chat request in, the completion of a well-behaved or a faulty model out.

The questions are read from the request itself: from its JSON schema, from the schema on the last such line of the system
message, or from a last line `VERDICTS: s1=<supported|not_found>`. A policy rules on each. Everything is a function of the
request and the fault's name, so a test can foretell every reply.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

ENOUGH = 0.6
CHARACTERS_A_TOKEN = 4
DEEP = 100_000
PAIRED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
TOKEN = re.compile(r" ?[^\W\d_]+|_[^\W\d_]+|\d+| ?[^\w\s]|\s|_")
TEMPLATE = re.compile(r"([^\s;=]+)=<([^>]*)>")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
EIGHT_WORDS = re.compile(r"\S+(?:\s+\S+){0,7}")
written = json.JSONEncoder(ensure_ascii=False).encode


class Question(NamedTuple):
    """What one key of the reply asks: its choices, and its fields, none where the value is the verdict itself."""

    key: str
    choices: tuple[str, ...]
    fields: tuple[str, ...]


class Ruling(NamedTuple):
    """What a policy says on one question, the probability its verdict gets among the log-probabilities, and a text."""

    verdict: str
    quote: str = ""
    probability: float = 0.8
    text: str = "scripted"


class Entry(NamedTuple):
    """One key of the reply as it will be written."""

    key: str
    value: Any
    choices: tuple[str, ...]
    probability: float


# The vector of a text, as it is written into the reply: what is no list of numbers too.
Vectors = Callable[[str], object]
Policy = Callable[[str, tuple[str, ...], dict[str, Any], dict[str, Any]], str | Ruling]


@lru_cache(maxsize=4096)
def units(text: str, pairs: bool) -> frozenset[str]:
    """The words of a text in lower case, or its pairs of neighbouring characters."""
    if not pairs:
        return frozenset(re.findall(r"[^\W_]+", text.lower()))
    letters = "".join(re.findall(r"[^\W_]+", text.lower()))
    return frozenset(letters[at : at + 2] for at in range(max(1, len(letters) - 1)) if letters)


def overlap(claim: str, text: str) -> float:
    """Share of the claim's units that occur in the text; 0 for a claim without any."""
    pairs = bool(PAIRED.search(claim))
    said = units(claim, pairs)
    return len(said & units(text, pairs)) / len(said) if said else 0.0


def opening(text: str) -> str:
    """The first 8 words of a text, or 20 characters where words are not spaced, as they stand."""
    text = text.strip()
    match = None if PAIRED.search(text) else EIGHT_WORDS.match(text)
    return match.group() if match else text[:20]


def passages(data: Mapping[str, Any]) -> list[str]:
    given = data.get("passages") or data.get("texts") or []
    return [str(text) for text in (given.values() if isinstance(given, dict) else given)]


@lru_cache(maxsize=4096)
def sentences(text: str) -> list[str]:
    return [part for part in SENTENCE_END.split(text) if part.strip()]


@lru_cache(maxsize=4096)
def ruled(claim: str, texts: tuple[str, ...]) -> Ruling:
    """Supported by the passage that covers a claim best, with the opening of its best sentence, or by none."""
    shares = [overlap(claim, text) for text in texts]
    if not shares or max(shares) < ENOUGH:
        return Ruling("not_found")
    best = sentences(texts[shares.index(max(shares))])
    return Ruling("supported", opening(max(best, key=lambda part: overlap(claim, part))))


def lexical(key: str, choices: tuple[str, ...], data: dict[str, Any], body: dict[str, Any]) -> Ruling:
    """Supported where one passage holds 60 % of the sentence's words, else not found; yes to every other question."""
    claim = (data.get("sentences") or data.get("statements") or {}).get(key)
    if claim is not None and "supported" in choices:
        ruling = ruled(claim, tuple(passages(data)))
        return ruling if ruling.verdict in choices else Ruling("not_supported")
    return Ruling("yes" if "yes" in choices else choices[-1], opening(next(iter(passages(data)), "")))


def obedient(key: str, choices: tuple[str, ...], data: dict[str, Any], body: dict[str, Any]) -> Ruling:
    """The best verdict on everything, whatever the text: what an injected model would say."""
    verdict = next((word for word in ("supported", "yes") if word in choices), choices[-1])
    return Ruling(verdict, opening(next(iter(passages(data)), "")))


POLICIES: dict[str, Policy] = {"lexical": lexical, "obedient": obedient}


def question(key: str, schema: Mapping[str, Any]) -> Question:
    """What a schema asks under one key."""
    inner = schema.get("properties")
    verdict = schema if inner is None else inner.get("verdict", {})
    return Question(key, tuple(verdict.get("enum", ())), tuple(inner or ()))


@lru_cache(maxsize=256)
def last_line(text: str, start: str) -> str:
    """The last line of a text that starts so, blanks aside; empty without one."""
    lines = (line.strip() for line in reversed(text.splitlines()))
    return next((line for line in lines if line.replace(" ", "").startswith(start)), "")


def message(body: Mapping[str, Any], role: str) -> str:
    return next((str(said["content"]) for said in reversed(body["messages"]) if said["role"] == role), "")


def questions(body: Mapping[str, Any]) -> list[Question]:
    wanted = body.get("response_format") or {"type": "text"}
    system = message(body, "system")
    if wanted["type"] == "text":
        line = last_line(system, "VERDICTS:")
        return [Question(key, tuple(choices.split("|")), ("verdict",)) for key, choices in TEMPLATE.findall(line)]
    if wanted["type"] == "json_schema":
        schema = wanted["json_schema"]["schema"]
    else:
        schema = json.loads(last_line(system, '{"type":"object"') or "{}")
    return [question(key, part) for key, part in schema.get("properties", {}).items()]


def user_data(body: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON object of the user's message; empty where it is none."""
    try:
        data = json.loads(message(body, "user"))
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def entry(asked: Question, policy: Policy, data: dict[str, Any], body: dict[str, Any]) -> Entry:
    if not asked.choices:
        return Entry(asked.key, "scripted", (), 1.0)
    if "entries" in asked.fields and data.get("cases"):  # guidelines are whatever the policy says of the cases
        said = policy(asked.key, asked.choices, data, body)
        lines = sentences(said.text) if isinstance(said, Ruling) else []
        return Entry(asked.key, {"entries": lines, "verdict": "listed" if lines else "none"}, asked.choices, 1.0)
    if "entries" in asked.fields:  # a list is made of the sentences of what it is asked for
        texts = sentences(str(data.get("text") or " ".join(passages(data))))
        return Entry(asked.key, {"entries": texts, "verdict": "listed" if texts else "none"}, asked.choices, 1.0)
    said = policy(asked.key, asked.choices, data, body)
    ruling = said if isinstance(said, Ruling) else Ruling(said, lexical(asked.key, asked.choices, data, body).quote)
    known = {"verdict": ruling.verdict, "quote": ruling.quote, "text": ruling.text}
    value = {field: known.get(field, "scripted") for field in asked.fields} if asked.fields else ruling.verdict
    return Entry(asked.key, value, asked.choices, ruling.probability)


def with_verdict(entry: Entry, verdict: Any) -> Entry:
    return entry._replace(value={**entry.value, "verdict": verdict} if isinstance(entry.value, dict) else verdict)


def wrong_keys(entries: Sequence[Entry], fault: str | None) -> list[Entry]:
    """The entries as a model writes them that errs in its keys or its values."""
    if not (entries and fault):
        return list(entries)
    first, *rest = entries
    contrary = next((word for word in first.choices if word not in str(first.value)), "perhaps")
    changed = {
        "wrong_enum": [with_verdict(first, "perhaps"), *rest],
        "missing": entries[:-1],
        "extra": [*entries, first._replace(key="unasked")],
        "duplicate": [*entries, with_verdict(first, contrary)],
        "nan": [with_verdict(first, math.nan), *rest],
        "number": [with_verdict(first, 7), *rest],
    }
    return list(changed.get(fault, entries))


def json_text(entries: Sequence[Entry]) -> str:
    """A JSON object that may say a key twice."""
    return "{" + ", ".join(f"{written(e.key)}: {written(e.value)}" for e in entries) + "}"


def plain_text(entries: Sequence[Entry]) -> str:
    """A sentence of prose and the line of verdicts."""
    verdicts = "; ".join(f"{e.key}={e.value['verdict'] if isinstance(e.value, dict) else e.value}" for e in entries)
    return f"Each sentence was held against the passages.\nVERDICTS: {verdicts}"


def spoilt(content: str, fault: str | None) -> str | None:
    """The content as a model writes it that forgets the form, or stops, or says nothing."""
    if fault == "surrogate":
        return content.replace("scripted", "scripted \\ud800") if "scripted" in content else content + " \ud800"
    if fault == "length":
        return content[: len(content) // 2]
    if fault == "fenced":
        return f"```json\n{content}\n```"
    whole: dict[str, Callable[[], str | None]] = {
        "prose": lambda: "The answer seems mostly right to me, with some reservations.",
        "text_refusal": lambda: "I'm sorry, but I can't assist with that.",
        "surrogate_body": lambda: content + " \ud800",
        "empty": lambda: "",
        "filter": lambda: "",
        "null": lambda: None,
        "refusal": lambda: None,
        "nested": lambda: '{"s1":' * DEEP + "1" + "}" * DEEP,
        "huge": lambda: "very long " * 200_000,
    }
    return whole[fault]() if fault in whole else content


def first_token(text: str) -> str:
    """How a verdict begins, as the tokens are cut."""
    return (TOKEN.findall(text) or [""])[0]


def alternatives(entry: Entry, token: str) -> list[tuple[str, float]]:
    """The tokens a verdict could have begun with and their log-probabilities, the one said first."""
    verdict = str(entry.value["verdict"] if isinstance(entry.value, dict) else entry.value)
    others = [word for word in entry.choices if word != verdict]
    chances = {token: entry.probability if others else 1.0}
    for word in others:
        begin = first_token(word)
        chances[begin] = chances.get(begin, 0.0) + (1 - entry.probability) / len(others)
    return [(begin, math.log(max(chance, 1e-9))) for begin, chance in chances.items()]


def verdict_places(content: str, entries: Sequence[Entry]) -> dict[int, Entry]:
    """Where each verdict begins in the content."""
    matches = re.finditer(r'"verdict": "', content)
    places = [match.end() for match in matches]
    if not places:
        line = content.rfind("VERDICTS:")
        places = [match.end() for match in re.finditer("=", content) if match.start() > line >= 0]
    return dict(zip(places, (e for e in entries if e.choices), strict=False))


def token_logprobs(content: str, entries: Sequence[Entry], top: int) -> list[dict[str, Any]]:
    """The content in tokens; where a verdict begins, with its alternatives, else certain."""
    places = verdict_places(content, entries)
    tokens, at = [], 0
    for token in TOKEN.findall(content):
        chances = alternatives(places[at], token) if at in places else [(token, 0.0)]
        listed = [{"token": text, "logprob": logprob} for text, logprob in chances]
        tokens.append({**listed[0], "top_logprobs": listed[:top]})
        at += len(token)
    return tokens


def usage(body: Mapping[str, Any], content: str) -> dict[str, Any]:
    """Tokens counted as characters / 4."""
    read = sum(len(str(given["content"])) for given in body["messages"]) // CHARACTERS_A_TOKEN
    said = len(content) // CHARACTERS_A_TOKEN + 1
    return {
        "prompt_tokens": read,
        "completion_tokens": said,
        "total_tokens": read + said,
        "prompt_tokens_details": {"cached_tokens": 0},
    }


def completion(body: dict[str, Any], policy: Policy, fault: str | None, number: int) -> dict[str, Any]:
    data = user_data(body)
    entries = wrong_keys([entry(asked, policy, data, body) for asked in questions(body)], fault)
    structured = (body.get("response_format") or {}).get("type", "text") != "text"
    content = spoilt(json_text(entries) if structured else plain_text(entries), fault)
    reasons = {"filter": "content_filter", "length": "length"}
    wanted = body.get("logprobs")
    logprobs = {"content": token_logprobs(content or "", entries, body.get("top_logprobs") or 0)} if wanted else None
    refusal = "I can't help with that." if fault == "refusal" else None
    choice = {
        "index": 0,
        "finish_reason": reasons.get(fault or "", "stop"),
        "message": {"role": "assistant", "content": content, "refusal": refusal},
        "logprobs": logprobs,
    }
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": body.get("model", "scripted"),
        "system_fingerprint": "fp_scripted",
        "choices": [] if fault == "no_choices" else [choice],
        "usage": usage(body, content or ""),
    }


def embedding_list(body: Mapping[str, Any], vectors: Vectors, fault: str | None) -> dict[str, Any]:
    """The vectors of the texts, the last one first: their order is in `index` alone."""
    texts = body["input"]
    data = [{"object": "embedding", "index": place, "embedding": vectors(text)} for place, text in enumerate(texts)][
        ::-1
    ]
    tokens = sum(map(len, texts)) // CHARACTERS_A_TOKEN + 1
    return {
        "object": "list",
        "model": body.get("model", "scripted"),
        "data": data[1:] if fault == "missing" else data,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }
