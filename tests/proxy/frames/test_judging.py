"""Judge a DataFrame: the items that judges see, what is no judge, and judges that fail."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import pandas as pd
import pytest

import proxy
from annotate.traffic.rows import item_from_row
from proxy.errors import InputError, UsageError
from proxy.judges.base import scored
from proxy.records import Item, JudgeFailure, Score


@dataclass
class Numbers:
    """Keeps the items that it is given, and fails where the answer has no figure."""

    name: str = "numbers"
    signature: str = "numbers|tests|v1"
    items: list[Item] = field(default_factory=list)

    def judge(self, item: Item) -> Score | JudgeFailure:
        """Score 1 / the first figure."""
        self.items.append(item)
        return scored(self, item, 1 / int(item.answer), "a figure")


ROWS: list[dict[str, object]] = [
    {
        "id": "q1",
        "question": "How many?",
        "answer": "2",
        "contexts": ["plain", {"text": "two", "id": "p2", "title": "T", "score": 0.5, "page": 3}],
        "history": [{"speaker": "human", "text": "Hello"}],
        "reference": "two",
        "system": "v1",
        "group": 7,
        "language": "en",
        "timestamp": "2026-05-01T12:00:00+02:00",
        "channel": "web",
    },
    {"id": "q2", "question": "And now?", "answer": "4", "contexts": [], "timestamp": "yesterday"},
]


def test_a_judge_sees_the_items_that_ingest_makes_of_the_same_rows() -> None:
    """Oracle: the items of `assay ingest`. Every field, of passages too; what no field claims is metadata."""
    judge = Numbers()

    proxy.judge(pd.DataFrame(ROWS), [judge])

    assert judge.items == [item_from_row(row, {}) for row in ROWS]
    assert judge.items[0].timestamp == "2026-05-01T10:00:00.000Z"
    assert judge.items[0].contexts[1].score == 0.5


def test_what_is_no_name_or_no_score_of_a_passage_is_refused() -> None:
    """Before any judge is asked, by column and row."""
    with pytest.raises(InputError, match=r"column 'group', row 0: expected text or a whole number, not 0\.5"):
        proxy.judge(pd.DataFrame([{**ROWS[0], "group": 0.5}]), [Numbers()])
    with pytest.raises(InputError, match="row 0: the score of a passage is a number, not 'high'"):
        proxy.judge(pd.DataFrame([{**ROWS[0], "contexts": [{"text": "t", "score": "high"}]}]), [Numbers()])


@pytest.mark.parametrize(
    ("judges", "message"),
    [
        ([Numbers], r"Numbers is a class: pass the object, judges=\[Numbers\(\)\]"),
        (Numbers, r"judges is a list: pass judges=\[Numbers\(\)\]"),
        (Numbers(), r"judges is a list: pass judges=\[Numbers\(\)\]"),
        (["numbers"], r"'numbers' is text: pass the judge itself"),
        ("numbers", "judges is a list of judges"),
        (3, "judges is a list of judges"),
        ([Numbers(), Numbers()], "two judges have the name 'numbers'"),
        ([], "judges is empty"),
        ([object()], "object is no judge: it needs name, signature and judge"),
        ([Numbers(name="")], "Numbers is no judge"),
    ],
)
def test_what_is_no_list_of_judges_is_refused_with_what_to_pass(judges: object, message: str) -> None:
    """By both functions that take judges."""
    with pytest.raises(UsageError, match=message):
        proxy.judge(pd.DataFrame(ROWS), judges)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=message):
        proxy.judge_one("q", ["c"], "a", judges=judges)  # type: ignore[arg-type]


def test_a_judge_that_fails_warns_once_with_the_first_reason() -> None:
    """The two rows without a figure, in one warning; the scores of the other row stand."""
    frame = pd.DataFrame([ROWS[0], ROWS[1] | {"answer": "many"}, ROWS[1] | {"answer": "some", "id": "q3"}])

    with pytest.warns(UserWarning, match="numbers gave no score for 2 of 3 rows.*; row 1: ValueError.*many") as caught:
        scores = proxy.judge(frame, [Numbers()], reasons=True)

    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert scores["numbers"].isna().tolist() == [False, True, True]
    assert "some" in scores.loc[2, "numbers_reason"]


def test_a_judge_that_does_not_apply_does_not_warn() -> None:
    """No passages: an abstention is no fault."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert proxy.judge(pd.DataFrame(ROWS))["faithfulness"].isna().tolist() == [False, True]
