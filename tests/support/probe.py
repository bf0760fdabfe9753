"""Wrong answers about towers whose passages hold the right one, and scripted models whose ability to read these is known."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from support.diagnosis import given, scored
from support.endpoint import Endpoint
from support.questions import NOISE
from support.replies import Policy, Ruling, lexical
from support.store import Assay, label, traffic_row

NAMES = ("Amber", "Birch", "Cedar", "Dusk", "Elm", "Flint", "Grove", "Heath", "Iron", "Jade", "Kelp", "Larch")
# Whether a model answers a question, from the question and the passages that it is given.
Reads = Callable[[str, list[str]], bool]


def tower(name: str) -> str:
    place = NAMES.index(name)
    return f"The {name} Tower was completed in {1900 + place}. The {name} Tower is {100 + 7 * place} metres tall."


def failed_answers(assay: Assay, *names: str, noise: int = 0, **row: Any) -> None:
    """An answer about each tower, wrong though its passages are relevant; `noise` passages stand before the tower's."""
    rows, scores, labels = [], [], []
    for name in names or NAMES:
        rows.append(
            traffic_row(
                name,
                question=f"Who built the {name} Tower?",
                answer="Nobody knows.",
                contexts=[*NOISE[:noise], tower(name)],
                **row,
            )
        )
        scores += scored(name, 0.9, 0.1)
        labels.append(label(name, "wrong"))
    given(assay, rows, scores, labels, is_drawn=False)


def reader(reads: Reads) -> Policy:
    """A model that answers from the passages where it `reads` them, else with a year of its own."""

    def policy(key: str, choices: tuple[str, ...], data: dict[str, Any], body: dict[str, Any]) -> str | Ruling:
        if "answered" not in choices:
            return lexical(key, choices, data, body)
        question, passages = str(data["question"]), [str(text) for text in data["passages"]]
        if not reads(question, passages):
            return Ruling("answered", text="It was 1666.")
        (name,) = re.findall(r"(\w+) Tower", question)
        (text,) = [text for text in passages if text.startswith(f"The {name} Tower")]
        pattern = r"completed in (\d+)" if "year" in question else r"(\d+ metres)"
        match = re.search(pattern, text)
        assert match
        return Ruling("answered", text=match[1])

    return policy


def probing(endpoint: Endpoint, *more: str) -> tuple[str, ...]:
    return ("diagnose", "--probe", "--model", "m", "--base-url", endpoint.url, *more)
