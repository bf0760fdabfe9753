"""Judge the answers of a DataFrame: a column of scores for each judge, ready for `proxy.measure`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from proxy.errors import UsageError
from proxy.frames import checks
from proxy.frames.items import items
from proxy.judges import offline
from proxy.judges.base import Judge
from proxy.judges.base import checked as checked_judges
from proxy.records import FailureKind, Item, JudgeFailure, Score
from proxy.scoring import Block, score_batch
from proxy.workers.pool import WorkerPool

if TYPE_CHECKING:
    import pandas as pd

REASON = "_reason"
BLOCK = 50


def judge(
    frame: pd.DataFrame, judges: Sequence[Judge] | None = None, *, reasons: bool = False, workers: int = 1
) -> pd.DataFrame:
    """Score each row's answer.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row an answer: `question`, `answer`, `contexts` (a list of passages: texts, or mappings with `text` and, where
        known, `id`, `title` and `score`), and where there are such `id`, `reference`, `history` (turns with `role` and `text`
        or `content`), `system`, `group`, `language` and `timestamp`. Every other column is the item's metadata, as it is for
        `assay ingest`.
    judges : sequence of Judge, optional
        Those of your own, as objects: ``judges=[MyJudge()]``. Without them the offline judges run, which need no network;
        installed plug-ins never run unless they are passed here.
    reasons : bool
        Add a column with the reason beside each judge's scores, which says why a row has none, too.
    workers : int
        In how many processes of this machine; the scores are the same. A judge that cannot be sent to another process, such as
        one that is defined in a notebook, runs in this one.

    Returns
    -------
    pandas.DataFrame
        With the index of the frame and a column of scores in [0, 1] for each judge, by its name; NaN where a judge gave none.

    Raises
    ------
    InputError
        For a column that is not there, or a cell that is no text or list; the message names the column and the row.
    UsageError
        For `judges` that are no list of judges of different names.

    Warns
    -----
    UserWarning
        Once for each judge that raised, or returned something that is no score: for how many rows, and why in the first of them.
    """
    import pandas as pd

    chosen = offline() if judges is None else checked_judges(judges)
    answers = items(checks.checked(frame))
    outcomes = _outcomes(answers, chosen, workers)
    columns: dict[str, list[object]] = {}
    for place, asked in enumerate(chosen):
        given = [row[place] for row in outcomes]
        _warn_of_errors(asked, given, list(frame.index))
        columns[asked.name] = [outcome.value if isinstance(outcome, Score) else math.nan for outcome in given]
        if reasons:
            columns[asked.name + REASON] = [outcome.reason for outcome in given]
    return pd.DataFrame(columns, index=frame.index)


def _outcomes(answers: Sequence[Item], judges: Sequence[Judge], workers: int) -> list[list[Score | JudgeFailure]]:
    """Score the answers in this process, or in several."""
    if workers < 1:
        raise UsageError(f"workers is {workers}: at least 1 process judges")
    if workers == 1:
        return score_batch(answers, judges)
    blocks = list(_blocks(answers, tuple(range(len(judges)))))
    with WorkerPool(judges, max(1, min(workers, len(blocks)))) as pool:
        return [outcomes for scored in pool.score(blocks) for outcomes in scored.outcomes]


def _blocks(answers: Sequence[Item], judges: tuple[int, ...]) -> Iterator[Block]:
    """Divide the answers among blocks; all of these judges score each."""
    for start in range(0, len(answers), BLOCK):
        items = tuple(answers[start : start + BLOCK])
        rows = tuple(range(start, start + len(items)))
        yield Block(rows=rows, items=items, places=(judges,) * len(items))


def _warn_of_errors(asked: Judge, given: Sequence[Score | JudgeFailure], rows: Sequence[object]) -> None:
    """Warn where a judge broke, because the scores alone do not show why they are missing."""
    errors = [
        (row, outcome.reason)
        for row, outcome in zip(rows, given, strict=True)
        if isinstance(outcome, JudgeFailure) and outcome.kind is FailureKind.ERROR
    ]
    if errors:
        row, reason = errors[0]
        warnings.warn(
            f"the judge {asked.name} gave no score for {len(errors):,} of {len(given):,} rows because it failed; "
            f"row {checks.shown(row)}: {reason} (reasons=True adds a column with every reason)",
            stacklevel=3,
        )
