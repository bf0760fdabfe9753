"""Filled prompts: those of LangChain, LlamaIndex and Haystack come apart exactly, and what could be read otherwise stays whole."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from annotate import Project
from annotate.traffic.prompt_templates import taken_apart
from support.store import Assay

Q = "When did ward 3 move?"
CONTEXT = "Ward 3 moved in 2019.\n\nIt: was (not) on $5 {floor}."
LINE = "---------------------"
# As these libraries write them; each is filled as they fill it.
STUFF = (
    "Use the following pieces of context to answer the question at the end. If you don't know the answer, just say that you don't "
    f"know, don't try to make up an answer.\n\n{CONTEXT}\n\nQuestion: {Q}\nHelpful Answer:"
)
HUB = (
    "You are an assistant for question-answering tasks. Use the following pieces of retrieved context to answer the question. If "
    "you don't know the answer, just say that you don't know. Use three sentences maximum and keep the answer concise.\nQuestion: "
    f"{Q} \nContext: {CONTEXT} \nAnswer:"
)
TEXT_QA = (
    f"Context information is below.\n{LINE}\n{CONTEXT}\n{LINE}\nGiven the context information and not prior knowledge, answer the "
    f"query.\nQuery: {Q}\nAnswer: "
)
OLD_TEXT_QA = (
    f"Context information is below. \n{LINE}\n{CONTEXT}\n{LINE}\nGiven the context information and not prior knowledge, answer "
    f"the question: {Q}\n"
)
HAYSTACK = f"\nGiven the following information, answer the question.\n\nContext:\n\n    {CONTEXT}\n\n\nQuestion: {Q}\nAnswer:\n"
SYSTEM = (
    "Use the following pieces of context to answer the user's question. \nIf you don't know the answer, just say that you don't "
    f"know, don't try to make up an answer.\n----------------\n{CONTEXT}"
)
APART = {
    "LangChain, stuff": (STUFF, "LangChain"),
    "LangChain, hub": (HUB, "LangChain"),
    "LangChain, expression": (
        f"Answer the question based only on the following context:\n{CONTEXT}\n\nQuestion: {Q}\n",
        "LangChain",
    ),
    "LlamaIndex": (TEXT_QA, "LlamaIndex"),
    "LlamaIndex, older": (OLD_TEXT_QA, "LlamaIndex"),
    "Haystack": (HAYSTACK, "Haystack"),
    "headings": (f"Be kind.\n\nContext: {CONTEXT}\nQuestion: {Q}", "headings"),
    "Markdown": (f"### Context\n{CONTEXT}\n\n### Question\n{Q}\n\n### Answer", "headings"),
    "bold": (f"**Question:** {Q}\n**Context:**\n{CONTEXT}\n**Answer:**", "headings"),
    "tags": (f"Answer from the context.\n<context>\n{CONTEXT}\n</context>\n<question>{Q}</question>", "tags"),
}


@pytest.mark.parametrize(("prompt", "title"), APART.values(), ids=APART)
def test_a_prompt_comes_apart_into_what_it_was_filled_with(prompt: str, title: str) -> None:
    """Letter by letter but for blanks at the ends; several passages in one text are one."""
    assert taken_apart(prompt) == (Q, (CONTEXT,), title)


@pytest.mark.parametrize(
    "marks", [("[1] ", "[2] "), ("Document 1: ", "Document 2: "), ("Document[1]: ", "Document[2]: ")]
)
def test_numbered_passages_are_several(marks: tuple[str, str]) -> None:
    """Where all are numbered from 1 on; a citation within a passage is none."""
    context = f"{marks[0]}Ward 3 moved [2].\n{marks[1]}In 2019."

    filled = taken_apart(f"Context:\n{context}\n\nQuestion: {Q}\nAnswer:")
    unnumbered = taken_apart(f"Context:\n[3] Ward 3 moved.\n[7] In 2019.\n\nQuestion: {Q}")

    assert filled is not None
    assert filled.passages == ("Ward 3 moved [2].", "In 2019.")
    assert unnumbered is not None
    assert unnumbered.passages == ("[3] Ward 3 moved.\n[7] In 2019.",)


WHOLE = {
    "a plain question": Q,
    "a question about contexts": "What is the context of this law? Question: who wrote it?",
    "examples before it": f"Context: a\nQuestion: b\nAnswer: c\n\nContext: {CONTEXT}\nQuestion: {Q}\nAnswer:",
    "a passage with a question": STUFF.replace(
        "Ward 3 moved", "FAQ\nQuestion: Where?\nHelpful Answer: there. Ward 3 moved"
    ),
    "more behind the question": f"Context: {CONTEXT}\nQuestion: {Q}\nAnswer in French, please.",
    "an answer begun": f"Context: {CONTEXT}\nQuestion: {Q}\nAnswer: In",
    "no question": f"### Context\n{CONTEXT}\n### Question\n\n### Answer",
    "no passages": "<context></context><question>Where?</question>",
    "the question among the passages": f"<context>a <question>{Q}</question> b</context>",
    "two questions": f"<context>a</context><question>{Q}</question><question>{Q}</question>",
    "other instructions": STUFF.replace("don't try to make up an answer", "say so"),
    "nothing": "",
}


@pytest.mark.parametrize("prompt", WHOLE.values(), ids=WHOLE)
def test_any_other_prompt_stays_whole(prompt: str) -> None:
    """Nothing is guessed."""
    assert taken_apart(prompt) is None


def test_a_hostile_prompt_is_read_in_time() -> None:
    """Many headings, many blanks, and halves of a template."""
    start = time.process_time()
    for prompt in (
        "Context:\nQuestion: x\n" * 8_000,
        "# " * 90_000,
        " " * 190_000 + "x",
        STUFF.replace("Helpful Answer:", "Question: x\n" * 10_000),
        TEXT_QA[:-8] + f"\n{LINE}" * 8_000,
        "<question>" * 18_000,
    ):
        taken_apart(prompt)

    assert time.process_time() - start < 3


def model_span(messages: list[dict[str, str]]) -> dict[str, Any]:
    """A trace of OpenInference that is one call of a model."""
    attributes = {"openinference.span.kind": "LLM", "output.value": "In 2019."}
    for place, message in enumerate(messages):
        attributes |= {f"llm.input_messages.{place}.message.{name}": text for name, text in message.items()}
    context = {"trace_id": "t1", "span_id": "s1"}
    return {"name": "llm", "context": context, "parent_id": None, "span_kind": "LLM", "attributes": attributes}


USER = {"role": "user", "content": TEXT_QA}
ROWS = {
    "a span": (model_span([USER]), "LlamaIndex"),
    "a span with the context in the system's turn": (
        model_span([{"role": "system", "content": SYSTEM}, {"role": "user", "content": Q}]),
        None,
    ),
    "a log of a chat": ({"messages": [USER, {"role": "assistant", "content": "In 2019."}]}, "LlamaIndex"),
    "a log with the context in the system's turn": (
        {
            "messages": [
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": Q},
                {"role": "assistant", "content": "In 2019."},
            ]
        },
        None,
    ),
    "a prompt and its response": ({"prompt": STUFF, "response": "In 2019."}, "LangChain"),
}


@pytest.mark.parametrize(("row", "title"), ROWS.values(), ids=ROWS)
def test_the_answer_has_the_question_and_its_passages_and_the_screen_says_so(
    assay: Assay, row: dict[str, Any], title: str | None
) -> None:
    """Whatever tool wrote the prompt down."""
    file = assay.write("rows.jsonl", json.dumps(row) + "\n")

    out = " ".join(assay("ingest", file, "--dry-run").stdout.split())
    assay("ingest", file)

    items = Project.open(assay.db).items()
    assert list(items.question) == [Q]
    assert list(items.contexts) == [[CONTEXT]]
    assert f"in a prompt ({title})" in out if title else "contexts ←" in out


def test_passages_of_a_retriever_come_before_those_of_the_prompt(assay: Assay) -> None:
    """A row that has its contexts keeps them, with its prompt as it is."""
    row = {"prompt": STUFF, "response": "In 2019.", "contexts": ["Another."]}

    assay("ingest", assay.write("rows.jsonl", [row]))

    items = Project.open(assay.db).items()
    assert (list(items.question), list(items.contexts)) == ([STUFF], [["Another."]])


OPENED = {
    "ruled": ("Use this context:\nWard 3.\n---\nWard 4.\n", ["Ward 3.", "Ward 4."]),
    "numbered": ("Context:\n[1] Ward 3.\n[2] Ward 4.", ["Ward 3.", "Ward 4."]),
    "paragraphs": ("Context:\nWard 3.\n\nWard 4.", ["Ward 3.\n\nWard 4."]),
    "in one line": ("Context: Ward 3.", ["Ward 3."]),
    "a sentence": ("Be kind. Answer from the following documents only, and be brief:\nWard 3.", ["Ward 3."]),
    "a heading below": ("You are kind.\n\nContext:\nWard 3.\n---\nWard 4.", ["Ward 3.", "Ward 4."]),
    "tags": ("Be kind.\n<context>Ward 3.</context>", ["Ward 3."]),
    "another language": ("Kontext:\nStation 3.", ["Station 3."]),
    "instructions": ("You answer questions on documents of the clinic: be kind, and be brief.", []),
    "rules": ("Be kind. Follow these rules:\n1. Be brief.", []),
    "nothing behind it": ("Context:\n", []),
}


@pytest.mark.parametrize(("prompt", "passages"), OPENED.values(), ids=OPENED)
def test_passages_in_the_system_prompt_of_a_chat_log(assay: Assay, prompt: str, passages: list[str]) -> None:
    """Its opening says that they follow; they are apart where the text shows it, and the screen says where they were."""
    turns = [{"role": "user", "content": Q}, {"role": "assistant", "content": "In 2019."}]
    file = assay.write("t.jsonl", [{"messages": [{"role": "system", "content": prompt}, *turns]}])

    words = " ".join(assay("ingest", file).stdout.split())

    assert list(Project.open(assay.db).items().contexts) == [passages]
    assert ("contexts ← messages, in the system prompt" in words) is bool(passages)


def test_messages_are_no_passages(assay: Assay) -> None:
    """The question would be one of them: the import says what to do, and what it names reads them."""
    system = {"role": "system", "content": "Answer well.\nWard 3.\n---\nWard 4."}
    turns = [{"role": "user", "content": Q}, {"role": "assistant", "content": "In 2019."}]
    file = assay.write("t.jsonl", [{"id": "a", "messages": [system, *turns]}])

    stopped = assay("ingest", file, "--map", "contexts=messages", status=1).stderr
    named = stopped.partition("--map '")[2].partition("'")[0]
    for path in (named, 'contexts=system_prompt.split("\\n---\\n")'):
        assay("ingest", file, "--map", path)
        assert list(Project.open(assay.db).items().contexts) == [["Answer well.\nWard 3.", "Ward 4."]]
    twice = assay("ingest", file, "--map", 'contexts=system_prompt.split("a").split("b")', status=2).stderr

    assert "leads to the messages of a conversation, the question among them" in stopped
    assert "a path is split once" in twice
