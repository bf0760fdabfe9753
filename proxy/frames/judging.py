"""Judge the answers of a DataFrame: a column of scores for each judge, ready for `proxy.measure`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from proxy.errors import InputError
from proxy.frames import checks
from proxy.judges import offline
from proxy.judges.base import Judge
from proxy.records import Context, Item, Score, Turn
from proxy.scoring import score_batch
from proxy.text.turns import with_roles

if TYPE_CHECKING:
    import pandas as pd

REASON = "_reason"
BLOCK = 200


def judge(frame: pd.DataFrame, judges: Sequence[Judge] | None = None, *, reasons: bool = False) -> pd.DataFrame:
    """Score each row's answer.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row an answer: `question`, `answer`, `contexts` (a list of passages: texts, or mappings with `text`), and where
        there is one `reference`, and `history` (turns with `role` and `text` or `content`).
    judges : sequence of Judge, optional
        Those of your own; without them the offline judges, which need no network.
    reasons : bool
        Add a column with the reason beside each judge's scores.

    Returns
    -------
    pandas.DataFrame
        With the index of the frame and a column of scores in [0, 1] for each judge; NaN where a judge gave none.

    Raises
    ------
    InputError
        For a column that is not there, or a cell that is no text or list; the message names the column and the row.
    """
    import pandas as pd

    checks.checked(frame)
    chosen = offline() if judges is None else tuple(judges)
    items = _items(frame)
    columns: dict[str, list[object]] = {}
    for start in range(0, len(items), BLOCK):
        for outcomes in score_batch(items[start : start + BLOCK], chosen):
            for asked, outcome in zip(chosen, outcomes, strict=True):
                value = outcome.value if isinstance(outcome, Score) else math.nan
                columns.setdefault(asked.name, []).append(value)
                if reasons:
                    columns.setdefault(asked.name + REASON, []).append(outcome.reason)
    return pd.DataFrame(columns, index=frame.index)


def _items(frame: pd.DataFrame) -> list[Item]:
    texts = {name: checks.texts(frame, name) for name in ("question", "answer")}
    contexts = checks.lists(frame, "contexts")
    history = checks.lists(frame, "history") if "history" in frame.columns else [()] * len(frame)
    references = checks.texts(frame, "reference", needed=False) if "reference" in frame.columns else [None] * len(frame)
    return [
        Item(
            id=str(row),
            question=question or "",
            answer=answer or "",
            contexts=tuple(_context(cell, row) for cell in passages),
            history=with_roles([_turn(cell, row) for cell in turns]),
            reference=reference,
        )
        for row, question, answer, passages, turns, reference in zip(
            frame.index, texts["question"], texts["answer"], contexts, history, references, strict=True
        )
    ]


def _context(cell: object, row: object) -> Context:
    if isinstance(cell, str):
        return Context(text=cell)
    if isinstance(cell, Mapping) and isinstance(cell.get("text"), str):
        title = cell.get("title")
        return Context(text=cell["text"], title=title if isinstance(title, str) else None)
    raise InputError(
        f"column 'contexts', row {checks.shown(row)}: a passage is text, or a mapping with text, not {checks.shown(cell)}"
    )


def _turn(cell: object, row: object) -> Turn:
    if isinstance(cell, str):
        return Turn(role="", text=cell)
    if isinstance(cell, Mapping):
        text = cell.get("text", cell.get("content"))
        if isinstance(text, str):
            return Turn(role=str(cell.get("role") or ""), text=text)
    raise InputError(
        f"column 'history', row {checks.shown(row)}: a turn is text, or a mapping with role and text, not {checks.shown(cell)}"
    )
