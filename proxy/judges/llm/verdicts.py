"""Ask a model for a verdict on each of several texts, thirty a call, such as whether passages support statements."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

from proxy.judges.llm.asking import Ask, Reply
from proxy.judges.llm.form import Question
from proxy.judges.llm.reading import QuestionAnswer
from proxy.judges.llm.sentences import BLOCK
from proxy.judges.llm.shown_item import ShownItem
from proxy.judges.llm.statements import STATEMENTS

STATEMENT_VERDICTS = "statement_verdicts"
SUPPORTED = "supported"
_SUPPORT = ("not_supported", SUPPORTED)


def verdicts(
    shown: ShownItem,
    prompt: str,
    name: str,
    texts: Sequence[str],
    choices: tuple[str, ...],
    beside: Mapping[str, object],
) -> Generator[Ask, Reply, tuple[str, ...]]:
    """Ask for one of the choices for each of the texts, which are `name` in the prompt; `beside` is shown with each block.

    The keys are numbered through, after the first letter of the name: s1, s2.
    """
    keyed = {f"{name[0]}{number}": text for number, text in enumerate(texts, start=1)}
    keys, readings = list(keyed), dict[str, QuestionAnswer]()
    for start in range(0, len(keys), BLOCK):
        block = keys[start : start + BLOCK]
        questions = tuple(Question(key=key, choices=choices) for key in block)
        asked = {**beside, name: {key: keyed[key] for key in block}}
        readings |= yield from shown.asked(prompt, questions, asked)
    return tuple(readings[key].verdict for key in keys)


def supported(
    shown: ShownItem, statements: Sequence[str], texts: Sequence[str]
) -> Generator[Ask, Reply, tuple[bool, ...]]:
    """Ask for each statement whether the texts support it."""
    beside = {"texts": list(texts)}
    given = yield from verdicts(shown, STATEMENT_VERDICTS, STATEMENTS, statements, _SUPPORT, beside)
    return tuple(verdict == SUPPORTED for verdict in given)
