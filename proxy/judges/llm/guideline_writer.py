"""Have a model write guidelines for a judge from answers on which it and the experts differ.

It is run like a judge, so that a reply is paid for once: its one outcome is a score of 1 whose reason is the guidelines, a line
each. Guidelines are for people to read and edit, and no score is changed by writing them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from proxy.judges.llm.asking import Unreadable
from proxy.judges.llm.base import LlmJudge, Setup, Steps, data, digest_of, not_applicable, scored, unreadable
from proxy.judges.llm.form import Mode, list_form
from proxy.judges.llm.guidance import ANSWER_CHARACTERS, LabelledExample, shown_texts
from proxy.judges.llm.prompts import language_of
from proxy.records import Item

NAME = "guidelines_from_corrections"
KEY = "guidelines"
MOST_GUIDELINES, GUIDELINE_CHARACTERS = 7, 300
# Characters of a judge's task that the writer is shown.
TASK_CHARACTERS = 4_000
REASON_CHARACTERS = 500
_NUMBER = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Correction:
    """A labelled answer, and the score that the judge gave it with its reason."""

    example: LabelledExample
    value: float
    reason: str

    def shown(self) -> dict[str, object]:
        """Return it as the model is shown it."""
        return {**self.example.shown(), **_judged(self.value, self.reason)}


@dataclass(frozen=True, kw_only=True, slots=True)
class UserCorrection:
    """An answer that no expert labelled, what a user wrote in its place, and the score that the judge gave it with its reason."""

    item: Item
    correction: str
    value: float
    reason: str

    def shown(self) -> dict[str, object]:
        """Return it as the model is shown it."""
        texts = shown_texts(self.item)
        return {**texts, "user_correction": self.correction[:ANSWER_CHARACTERS], **_judged(self.value, self.reason)}


def _judged(value: float, reason: str) -> dict[str, object]:
    return {"judge_score": round(value, 2), "judge_reason": reason[:REASON_CHARACTERS]}


@dataclass(frozen=True, kw_only=True)
class GuidelineWriter:
    """What writes guidelines for the judge `name`, told `task`, from these corrections; `given` are those that it has."""

    setup: Setup
    name: str
    task: str
    corrections: Sequence[Correction | UserCorrection]
    given: tuple[str, ...] = ()

    @cached_property
    def judges(self) -> tuple[tuple[str, str], ...]:
        """The one outcome of a run."""
        return ((KEY, self.setup.signature(KEY, NAME, 1, written_for=self.name, cases=self._digest)),)

    @property
    def settings(self) -> Mapping[str, object]:
        """The settings that the signature's digest stands for."""
        return self.setup.settings(NAME, written_for=self.name, cases=self._digest)

    @cached_property
    def _digest(self) -> str:
        return digest_of({"cases": self._shown, "task": self.task, KEY: list(self.given)})

    @cached_property
    def _shown(self) -> list[dict[str, object]]:
        return [correction.shown() for correction in self.corrections]

    def steps(self, item: Item) -> Steps:
        """Ask once, and once more where the reply cannot be read; `item` gives the language."""
        if self.setup.mode is Mode.LAST_LINE:
            return not_applicable(self, item, "this model cannot reply in JSON, which a list needs")
        given = {KEY: list(self.given)} if self.given else {}
        user = data(judge=self.name, task=self.task[:TASK_CHARACTERS], cases=self._shown, **given)
        try:
            readings = yield from self.setup.answered(NAME, language_of(item), list_form(KEY), user)
        except Unreadable as fault:
            return unreadable(self, item, fault)
        lines = cleaned(readings[KEY].entries)
        if not lines:
            return not_applicable(self, item, "the model finds nothing that the cases have in common")
        return (scored(item, self.judges[0], 1.0, "\n".join(lines)),)


def writer_for(
    judge: LlmJudge, setup: Setup, corrections: Sequence[Correction | UserCorrection], given: tuple[str, ...] = ()
) -> GuidelineWriter:
    """Return what writes guidelines for this judge, which is not guided itself.

    Parameters
    ----------
    judge, setup
        The judge, and what it asks.
    corrections
        Answers on which it and the experts differ.
    given
        The guidelines that it was given when it scored them.
    """
    prompt = str(judge.settings["prompt"]).partition(" + ")[0]
    return GuidelineWriter(
        setup=setup,
        name=judge.judges[0][0],
        task=setup.prompts.text(prompt, "en"),
        corrections=corrections,
        given=given,
    )


def cleaned(lines: Sequence[str]) -> tuple[str, ...]:
    """Return guidelines as they are kept: a line each, without numbers, at most so many and so long."""
    plain = (" ".join(_NUMBER.sub("", line).split())[:GUIDELINE_CHARACTERS] for line in lines)
    return tuple(dict.fromkeys(filter(None, plain)))[:MOST_GUIDELINES]
