"""Find the passages in values of any shape: in what a retriever gave, beside an answer, and in the prompt of a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from annotate.traffic.content import DEEPEST, MESSAGES, finite, last_question, loaded
from annotate.traffic.prompt_templates import (
    LONGEST_PROMPT,
    context_of_system,
    opened_context,
    separated,
    tagged_passages,
    taken_apart,
)
from proxy.text.written_lists import read_list

# Keys under which apps keep these, the surest first.
PASSAGES = (
    "documents",
    "docs",
    "contexts",
    "context",
    "retrieved_contexts",
    "retrieval_context",
    "source_documents",
    "passages",
    "chunks",
    "sources",
    "nodes",
    "source_nodes",
    "retrieved_documents",
    "results",
    "matches",
    "hits",
    "output",
    "result",
    "data",
)
BESIDE = (
    "contexts",
    "retrieved_contexts",
    "source_documents",
    "documents",
    "docs",
    "context",
    "context_str",
    "passages",
    "sources",
    "source_nodes",
    "chunks",
)
TEXTS = (
    "text",
    "content",
    "page_content",
    "pageContent",
    "passage",
    "chunk",
    "chunk_text",
    "body",
    "snippet",
    "document",
)
IDS = ("id", "document_id", "doc_id", "chunk_id", "passage_id", "node_id", "id_", "_id")
TITLES = ("title", "source", "file_name", "filename", "url", "name")
SCORES = ("score", "relevance_score", "similarity", "similarity_score")
# A line `Context:`, up to the next heading.
HEADING = re.compile(
    r"^[#* \t]{0,8}(?:(?:retrieved |relevant |the )?(contexts?|documents|sources|passages)(?: information)?"
    r"|(?:user |the |current )?(?:question|query|answer|chat history|conversation|input))[* \t]{0,4}:[* \t]{0,4}",
    re.IGNORECASE | re.MULTILINE,
)


def passages(value: object, depth: int = 0) -> tuple[Mapping[str, object], ...]:
    """Return the passages in an output of a retriever, each with its text, and id, title and score where known."""
    value = loaded(value)
    if isinstance(value, str) and (listed := read_list(value)) is not None:
        value = listed
    if isinstance(value, str):
        return ({"text": value},) if value.strip() else ()
    if depth > DEEPEST:
        return ()
    if isinstance(value, list):
        return tuple(passage for inner in value for passage in _listed(inner, depth + 1))
    if isinstance(value, Mapping):
        return _listed(value, depth)
    return ()


def lists_passages(output: object) -> bool:
    """Return whether an output is a list of objects with texts, or holds one under a name of passages."""
    output = loaded(output)
    inner = [loaded(output[name]) for name in PASSAGES if name in output] if isinstance(output, Mapping) else [output]
    lists = (entry for entry in inner if isinstance(entry, list) and entry)
    return any(all(isinstance(entry, Mapping) and passage_of(entry) for entry in entries) for entries in lists)


def _listed(value: object, depth: int) -> tuple[Mapping[str, object], ...]:
    """Return what one element of a list holds: a passage, or a list of them."""
    value = loaded(value)
    if not isinstance(value, Mapping):
        if isinstance(value, list) and len(value) == 2 and isinstance(value[1], (int, float)) and depth:
            return tuple({**passage, "score": value[1]} for passage in _listed(value[0], depth + 1))
        return passages(value, depth) if isinstance(value, (str, list)) else ()
    passage = passage_of(value)
    if passage is not None:
        return (passage,)
    for name in PASSAGES:
        if value.get(name) and (inner := passages(value[name], depth + 1)):
            return inner
    return ()


def passage_of(value: Mapping[str, object], depth: int = 0) -> Mapping[str, object] | None:
    """Return a passage of one object, in our names; None where no text is in it."""
    for wrap in ("document", "node", "kwargs", "payload", "_source"):
        inner = value.get(wrap)
        if isinstance(inner, Mapping) and depth < DEEPEST:
            around = {name: each for name, each in value.items() if name != wrap}
            return passage_of({**around, **inner}, depth + 1)
    value = {str(name).removeprefix("document."): each for name, each in value.items()}
    text = next((value[name] for name in TEXTS if isinstance(value.get(name), str) and value[name]), None)
    metadata = loaded(value.get("metadata"))
    beside = metadata if isinstance(metadata, Mapping) else {}
    # Vector databases keep the text beside the id, in the metadata.
    text = text or next((beside[name] for name in TEXTS if isinstance(beside.get(name), str) and beside[name]), None)
    if text is None:
        return None
    passage = {"text": text}
    for name, candidates in (("id", IDS), ("title", TITLES)):
        named = next(
            (each for source in (value, beside) for key in candidates if _names(each := source.get(key))), None
        )
        if named is not None:
            passage[name] = str(named)
    score = next((number for key in SCORES if (number := finite(value.get(key))) is not None), None)
    return passage if score is None else {**passage, "score": score}


def ids_alone(value: object, depth: int = 0) -> tuple[str, ...]:
    """Return the ids of passages in an output of a retriever of which there is no text."""
    value = loaded(value)
    if depth > DEEPEST:
        return ()
    if isinstance(value, list):
        return tuple(name for inner in value for name in ids_alone(inner, depth + 1))
    if not isinstance(value, Mapping) or passage_of(value) is not None:
        return ()
    inner = value.get("document") or value.get("node")
    if isinstance(inner, Mapping):
        return ids_alone(inner, depth + 1)
    plain = {str(name).removeprefix("document."): each for name, each in value.items()}
    if depth and (own_id := next((plain[key] for key in IDS if _names(plain.get(key))), None)) is not None:
        return (str(own_id),)
    return next((ids for name in PASSAGES if value.get(name) and (ids := ids_alone(value[name], depth + 1))), ())


def _names(value: object) -> bool:
    return (isinstance(value, str) and 0 < len(value) <= 300) or (
        isinstance(value, int) and not isinstance(value, bool)
    )


def in_prompt(value: object) -> tuple[Mapping[str, object], ...]:
    """Return the passages that stand in a model's input: what tools gave it, or blocks that are marked as context."""
    value = loaded(value)
    if isinstance(value, Mapping):
        if beside := beside_answer(value):
            return beside[0]
        inner = next(
            (value[name] for name in (*MESSAGES, "input", "inputs", "prompt", "prompts") if value.get(name)), None
        )
        return () if inner is None else in_prompt(inner)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        return in_prompt(value[0])
    if isinstance(value, str):
        return tuple(_blocks(value))
    exchange = last_question(value) if isinstance(value, list) else None
    if exchange is None:
        texts = value if isinstance(value, list) else []
        return tuple(block for text in texts if isinstance(text, str) for block in _blocks(text))
    if exchange.tools:
        return tuple(passage for text in exchange.tools for passage in passages(text))
    return (*_as_rows(in_system(exchange.system or "")), *_blocks(exchange.question))


def beside_answer(value: object) -> tuple[tuple[Mapping[str, object], ...], str] | None:
    """Return the passages that stand beside a question or an answer in an object, and their key; None where there are none."""
    value = loaded(value)
    if isinstance(value, Mapping):
        for name in BESIDE:
            if value.get(name) and (retrieved := passages(value[name])):
                return retrieved, name
    return None


def in_system(prompt: str) -> tuple[str, ...]:
    """Return the passages in a prompt of the system: of a known template, between tags, or behind what names them."""
    text = prompt[:LONGEST_PROMPT]
    marked = context_of_system(text) or tuple(tagged_passages(text)) or opened_context(text)
    return marked or tuple(passage for block in _blocks(text) for passage in separated(str(block["text"])))


def _as_rows(texts: Iterable[str]) -> Iterator[Mapping[str, object]]:
    return ({"text": text} for text in texts)


def _blocks(text: object) -> Iterator[Mapping[str, object]]:
    """Yield the blocks of a prompt that are marked as context; the innermost tags hold the passages."""
    prompt = str(text)[:LONGEST_PROMPT]
    filled = taken_apart(prompt)
    if blocks := (filled.passages if filled else context_of_system(prompt) or tagged_passages(prompt)):
        yield from _as_rows(blocks)
        return
    headings = list(HEADING.finditer(prompt))
    ends = [*(heading.start() for heading in headings), len(prompt)][1:]
    for heading, end in zip(headings, ends, strict=True):
        block = prompt[heading.end() : end].strip()
        if heading[1] and block:
            yield {"text": block}
