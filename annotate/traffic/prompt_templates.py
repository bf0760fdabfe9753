"""Take filled prompts apart into question and passages, where that can be done exactly; every other prompt stays whole.

Known are the default prompts of LangChain, LlamaIndex and Haystack by their words, and prompts of a common shape: one section of
context and one with the question, marked by headings or by tags, and nothing behind them but an empty section for the answer.
Where a text could be taken apart in two ways, since a passage or the question holds a heading too, it stays whole.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

LONGEST_PROMPT = 200_000
# Blocks of a prompt that hold what was retrieved.
TAG = re.compile(r"<(/?)(contexts?|documents?|docs?|sources?|passages?)\b[^<>]{0,200}>", re.IGNORECASE)
QUESTION_TAG = re.compile(r"<(/?)(question|query|user_question|user_query|user_input)>", re.IGNORECASE)
HEADINGS = re.compile(
    r"^[ \t]{0,8}(?P<mark>#{1,6}[ \t]{0,4}|\*\*)?(?:"
    r"(?P<context>(?:(?:retrieved|relevant|the) )?(?:contexts?|documents|sources|passages)(?: information)?)"
    r"|(?P<question>(?:(?:user(?:'s)?|the|current) )?(?:question|query))"
    r"|(?P<answer>(?:(?:helpful|final|your|the) )?(?:answer|response)))"
    r"(?P<end>\*\*:|:\*\*|:|\*\*(?=[ \t]*$)|(?=[ \t]*$))[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
NUMBERED = re.compile(
    r"^[ \t]{0,8}(?:\[(\d{1,3})\]|(?:document|doc|passage|source|context)[ \t]?\[?(\d{1,3})\]?[.:])[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
# What opens a prompt of the system that goes on with passages alone: "Use this context:", "Kontext:".
OPENING = re.compile(
    r"\s{0,200}(?:[^\n:：]{0,200}?[^\w\n])??"
    r"(?:(?:contexts?|documents?|passages?|sources?|excerpts?|snippets?|search results|kontext)\b"
    r"|(?:retrieved|following|this) information\b|上下文|參考資料|参考资料|문맥|참고 자료)[^\n:：.]{0,60}[:：]",
    re.IGNORECASE,
)
# What is longer and goes on in the same line is a sentence.
LONGEST_NAME = 40
# Lines that part passages, whatever stands before and after them.
RULED = re.compile(r"^[ \t]{0,8}(?:-{3,200}|={3,200}|\*{3,200}|#{3,200})[ \t]{0,8}$", re.MULTILINE)
RULE = "---------------------"
NO_IDEA = "If you don't know the answer, just say that you don't know"
PIECES = "Use the following pieces of retrieved context to answer the question."
ASSISTANT = f"You are an assistant for question-answering tasks. {PIECES}"
MADE_UP = "don't try to make up an answer."
SHORT = "Use three sentences maximum and keep the answer concise."
STUFF = "Use the following pieces of context to answer the"
KNOWING = "Given the context information and not prior knowledge,"
BELOW = f"Context information is below.\n{RULE}\n{{context}}\n{RULE}\n{KNOWING}"
PROVIDED = f"We have provided context information below.\n{RULE}\n{{context}}\n{RULE}\nGiven this information,"
HEADED = "Context:\n{context}\n\nQuestion: {question}\nAnswer:"
TEMPLATES = (
    (
        "LangChain",
        f"{STUFF} question at the end. {NO_IDEA}, {MADE_UP}\n\n{{context}}\n\nQuestion: {{question}}\nHelpful Answer:",
    ),
    ("LangChain", f"{ASSISTANT} {NO_IDEA}. {SHORT}\nQuestion: {{question}} \nContext: {{context}} \nAnswer:"),
    ("LangChain", "Answer the question based only on the following context:\n{context}\n\nQuestion: {question}"),
    ("LlamaIndex", f"{BELOW} answer the query.\nQuery: {{question}}\nAnswer:"),
    ("LlamaIndex", f"{BELOW} answer the question: {{question}}"),
    ("LlamaIndex", f"{PROVIDED} please answer the question: {{question}}"),
    ("Haystack", f"Given the following information, answer the question.\n\n{HEADED}"),
    (
        "Haystack",
        "Given these documents, answer the question.\nDocuments:\n{context}\nQuestion: {question}\nAnswer:",
    ),
)
# What LangChain tells a chat model: the question is the turn of the user.
OF_SYSTEM = (
    f"{STUFF} user's question. \n{NO_IDEA}, {MADE_UP}\n----------------\n",
    f"{ASSISTANT} If you don't know the answer, say that you don't know. {SHORT}\n\n",
)


class FilledPrompt(NamedTuple):
    """The question and the passages that a prompt was filled with, and whose template it is."""

    question: str
    passages: tuple[str, ...]
    title: str


def taken_apart(prompt: str) -> FilledPrompt | None:
    """Return what a prompt was filled with; None where it is no such prompt, or could be taken apart otherwise too."""
    if len(prompt) > LONGEST_PROMPT:
        return None
    text = prompt.strip()
    begun = [(template, start.end()) for template in _TEMPLATES if (start := template.start.match(text))]
    for template, place in begun:
        if filled := template.fill(text[place:]):
            return filled
    return None if begun else _by_tags(prompt) or _by_headings(prompt)


def take_apart(values: dict[str, tuple[object, str]]) -> None:
    """Take the prompt apart that stands for the question of a row without passages."""
    prompt, path = values.get("question", (None, ""))
    filled = taken_apart(prompt) if isinstance(prompt, str) and "contexts" not in values else None
    if filled is not None:
        values["question"] = filled.question, in_prompt_of(path, filled)
        values["contexts"] = list(filled.passages), in_prompt_of(path, filled)


def in_prompt_of(path: str, filled: FilledPrompt) -> str:
    """Return the path of what stands in a prompt, with the kind of the prompt."""
    return f"{path}, in a prompt ({filled.title})"


def context_of_system(prompt: str) -> tuple[str, ...]:
    """Return the passages in what LangChain tells a chat model by default; nothing for any other text."""
    text = prompt.strip()
    start = next((start for way in _SYSTEM if (start := way.match(text))), None)
    return numbered(text[start.end() :].strip()) if start else ()


def opened_context(prompt: str) -> tuple[str, ...]:
    """Return the passages of a prompt of the system that opens by naming them; nothing for any other text."""
    opening = OPENING.match(prompt)
    if opening is None:
        return ()
    rest = prompt[opening.end() :]
    is_line = rest.lstrip(" \t").startswith("\n") or len(opening[0].strip()) <= LONGEST_NAME
    return separated(rest.strip()) if is_line else ()


def separated(context: str) -> tuple[str, ...]:
    """Return the passages of a context that parts them itself, by ruled lines or numbers; any other context is one passage."""
    parts = [part.strip() for part in RULED.split(context)]
    if len(parts) > 1:
        return tuple(filter(None, parts))
    return numbered(context)


def tagged_passages(prompt: str) -> list[str]:
    """Return what stands between tags that hold no others, in one pass: a prompt may have any number of tags."""
    blocks: list[str] = []
    opened: list[tuple[str, int, int]] = []  # name, end of the tag, blocks before it
    depths: Counter[str] = Counter()
    for tag in TAG.finditer(prompt):
        name = tag[2].lower()
        if not tag[1]:
            opened.append((name, tag.end(), len(blocks)))
            depths[name] += 1
        elif depths[name]:
            while True:
                inner, start, before = opened.pop()
                depths[inner] -= 1
                if inner == name:
                    break
            block = prompt[start : tag.start()].strip()
            if block and before == len(blocks):
                blocks.append(block)
    return blocks


def _by_tags(prompt: str) -> FilledPrompt | None:
    """Take a prompt apart that marks its question by a tag, behind or before the passages and not among them."""
    tags = list(QUESTION_TAG.finditer(prompt))
    if (
        [(tag[1], tag[2].lower()) for tag in tags] != [("", tags[0][2].lower()), ("/", tags[0][2].lower())]
        if tags
        else True
    ):
        return None
    before, after = prompt[: tags[0].start()], prompt[tags[1].end() :]
    blocks = [tagged_passages(before), tagged_passages(after)]
    is_among = len(tagged_passages(before + after)) != sum(map(len, blocks))
    if is_among or all(blocks) or not any(blocks):
        return None
    return _filled(prompt[tags[0].end() : tags[1].start()], tuple(blocks[0] or blocks[1]), "tags")


def _by_headings(prompt: str) -> FilledPrompt | None:
    """Take a prompt apart that has one section of context, one with the question, and an empty one for the answer, if any."""
    headings = [heading for heading in HEADINGS.finditer(prompt) if heading["end"].strip() or heading["mark"]]
    kinds = [_kind(heading) for heading in headings]
    ends = [*(heading.start() for heading in headings), len(prompt)][1:]
    sections = [prompt[heading.end() : end].strip() for heading, end in zip(headings, ends, strict=True)]
    if kinds and kinds[-1] == "answer" and not sections[-1]:
        kinds, sections = kinds[:-1], sections[:-1]
    if sorted(kinds) != ["context", "question"]:
        return None
    texts = dict(zip(kinds, sections, strict=True))
    return _filled(texts["question"], texts["context"], "headings") if "\n" not in texts["question"] else None


def _kind(heading: re.Match[str]) -> str:
    return next(name for name in ("context", "question", "answer") if heading[name])


def _filled(question: str, context: str | tuple[str, ...], title: str) -> FilledPrompt | None:
    passages = numbered(context.strip()) if isinstance(context, str) else context
    return FilledPrompt(question.strip(), passages, title) if question.strip() and passages else None


def numbered(context: str) -> tuple[str, ...]:
    """Return the passages of a context that numbers all of them from 1 on; any other context is one passage."""
    marks = list(NUMBERED.finditer(context))
    numbers = [int(mark[1] or mark[2]) for mark in marks]
    if not marks or marks[0].start() or numbers != list(range(1, len(marks) + 1)):
        return (context,) if context else ()
    ends = [*(mark.start() for mark in marks), len(context)][1:]
    passages = tuple(context[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True))
    return passages if all(passages) else (context,)


class _Template(NamedTuple):
    """A template in pieces: what it starts with, what stands between its two fields, and its end."""

    title: str
    start: re.Pattern[str]
    middle: re.Pattern[str]
    end: str
    is_context_first: bool

    @classmethod
    def of(cls, title: str, template: str) -> _Template:
        """Return the pieces of a template; blanks and line breaks within them may be any."""
        start, first, middle, _, end = re.split(r"\{(context|question)\}", template)
        return cls(
            title, _words(start), re.compile(r"\n[ \t]*" + _words(middle).pattern), end.strip(), first == "context"
        )

    def fill(self, text: str) -> FilledPrompt | None:
        """Return what stands in the fields of the text behind the start; None where a field could end at several places."""
        middles = list(self.middle.finditer(text))
        if len(middles) != 1 or not text.endswith(self.end):
            return None
        fields = text[: middles[0].start()], text[middles[0].end() : len(text) - len(self.end)]
        context, question = fields if self.is_context_first else fields[::-1]
        return _filled(question, context, self.title)


def _words(text: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(map(re.escape, text.split())))


_TEMPLATES = [_Template.of(*template) for template in TEMPLATES]
_SYSTEM = [_words(template) for template in OF_SYSTEM]
