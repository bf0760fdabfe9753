"""Errors injected into real answers: how often each kind lowers the faithfulness score. Needs ASSAY_DATA.

Other injections than those of benchmarks/judges.py, with the same floors: every match is changed, not one by chance.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from proxy.judges import OfflineFaithfulness
from proxy.records import Context, Item, Score

NUMBER = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?")
YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
NAME = re.compile(r"(?<=[a-z] )[A-Z][a-z]+(?: [A-Z][a-z]+)*")
DENIABLE = re.compile(r"\b(?:is|are|was|were|has|have|had|can|could|will|would|did|does|do)\b")
FOREIGN = "Penguins breed on antarctic ice during the dark winter."
CHANGED_A_ROW = 3


@cache
def _rows(name: str) -> list[tuple[dict[str, Any], float | None]]:
    """Real answers, each with its score as it stands."""
    folder = os.environ.get("ASSAY_DATA")
    if not folder or not (Path(folder) / name).exists():
        pytest.skip(f"set ASSAY_DATA to the folder with {name}")
    rows = [json.loads(line) for line in (Path(folder) / name).read_text(encoding="utf-8").splitlines()]
    return [(row, _value(row, row["answer"])) for row in rows if row["system"] != "human_reference"][:300]


def _value(row: dict[str, Any], answer: str) -> float | None:
    contexts = tuple(Context(text=text) for text in row["contexts"])
    result = OfflineFaithfulness().judge(Item(id="i", question=row["question"], answer=answer, contexts=contexts))
    return result.value if isinstance(result, Score) else None


def _with(text: str, match: re.Match[str], new: str) -> str:
    return text[: match.start()] + new + text[match.end() :]


def _next_digit(answer: str, passages: str) -> Iterator[str]:
    """The last digit of each number that the passages hold goes up by one."""
    held = set(NUMBER.findall(passages))
    for match in NUMBER.finditer(answer):
        new = match.group()[:-1] + str((int(match.group()[-1]) + 1) % 10)
        if match.group() in held and new not in held:
            yield _with(answer, match, new)


def _other_year(answer: str, passages: str) -> Iterator[str]:
    """Each year that the passages hold becomes one ten years on."""
    for match in YEAR.finditer(answer):
        if match.group() in passages and (new := str(int(match.group()) + 10)) not in passages:
            yield _with(answer, match, new)


def _other_name(answer: str, passages: str) -> Iterator[str]:
    """Each name within a sentence that the passages hold becomes the passages' next one that the answer lacks."""
    names = list(dict.fromkeys(NAME.findall(passages)))
    for match in NAME.finditer(answer):
        others = [name for name in names if name not in answer and match.group() not in name]
        if match.group() in names and others:
            yield _with(answer, match, others[match.start() % len(others)])


def _denied(word: str) -> Callable[[str, str], Iterator[str]]:
    """The word follows each auxiliary."""

    def inject(answer: str, passages: str) -> Iterator[str]:
        for match in DENIABLE.finditer(answer):
            yield _with(answer, match, f"{match.group()}{word}")

    return inject


def _foreign(answer: str, passages: str) -> Iterator[str]:
    """A sentence about something else stands at either end."""
    yield f"{answer} {FOREIGN}"
    yield f"{FOREIGN} {answer}"


def _lowered(
    rows: Sequence[tuple[dict[str, Any], float | None]], inject: Callable[[str, str], Iterator[str]]
) -> list[bool]:
    """Whether each changed answer scores lower, at most `CHANGED_A_ROW` a row."""
    falls = []
    for row, before in rows:
        changed = [
            text
            for _, text in zip(range(CHANGED_A_ROW), inject(row["answer"], " ".join(row["contexts"])), strict=False)
        ]
        values = [_value(row, text) for text in changed]
        falls += [value < before for value in values if value is not None and before is not None]
    return falls


@pytest.mark.slow
@pytest.mark.parametrize("file", ["clapnq_rag.jsonl", "qafeedback.jsonl"])
@pytest.mark.parametrize(
    ("inject", "floor"),
    [
        (_next_digit, 0.80),
        (_other_year, 0.80),
        (_other_name, 0.75),
        (_denied(" not"), 0.70),
        (_denied("n't"), 0.70),
        (_denied(" never"), 0.70),
        (_foreign, 0.97),
    ],
    ids=["digit", "year", "name", "not", "n't", "never", "foreign"],
)
def test_injected_errors_lower_the_score(file: str, inject: Callable[[str, str], Iterator[str]], floor: float) -> None:
    """Numbers in 80 % of pairs, names from the same passages in 75 %, denials in 70 %, foreign sentences in 97 %."""
    falls = _lowered(_rows(file), inject)

    assert len(falls) >= 50
    assert sum(falls) / len(falls) >= floor
