"""End users' feedback: the raw value is kept beside its sign; and its rate. Feedback is a hint, never a sample.

-1/1, 0/1, truth values, words, stars and marks out of ten live side by side in the field, and one number means different things:
1 is up among 0 and 1, and the worst of five stars. So numbers are read on the scale that all numbers of their source show.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import NamedTuple

from annotate.domain.timestamps import shown
from proxy.errors import InputError
from proxy.evaluation.estimate import Estimate

COUNTED = "marked down ÷ all answers, counted; users choose what they rate, so it is a hint and no sample"
NO_FEEDBACK = "no feedback yet: bring it in with `assay feedback FILE`"
# Behind those of a vote what finds the answer of a row that does not name it.
FIELDS = (
    *("item_id", "value", "comment", "correction", "source", "at"),
    *("question", "answer", "contexts", "history", "system", "timestamp"),
)
DOWN = {
    "false",
    "no",
    "n",
    "down",
    "thumb_down",
    "thumbs_down",
    "thumbsdown",
    "👎",
    "negative",
    "dislike",
    "disliked",
    "bad",
    "poor",
    "unhelpful",
    "not_helpful",
    "wrong",
    "incorrect",
    "not_useful",
    "useless",
    "unsatisfied",
    "dissatisfied",
    "😞",
    "😡",
    "😠",
    "🙁",
    "☹",
    "😢",
    "💔",
    "❌",
    "✗",
    # As people of other languages press it: German, French, Spanish, Portuguese, Italian, Chinese, Japanese, Korean.
    "nein",
    "non",
    "não",
    "schlecht",
    "mauvais",
    "malo",
    "ruim",
    "否",
    "不",
    "踩",
    "没用",
    "沒用",
    "无用",
    "無用",
    "没有帮助",
    "沒有幫助",
    "不喜歡",
    "不喜欢",
    "差",
    "负面",
    "負評",
    "差评",
    "差評",
    "いいえ",
    "悪い",
    "低評価",
    "아니요",
    "싫어요",
    "나쁨",
}
UP = {
    "true",
    "yes",
    "y",
    "up",
    "thumb_up",
    "thumbs_up",
    "thumbsup",
    "👍",
    "positive",
    "like",
    "liked",
    "good",
    "great",
    "helpful",
    "right",
    "correct",
    "useful",
    "excellent",
    "satisfied",
    "love",
    "heart",
    "😀",
    "😃",
    "😄",
    "😊",
    "🙂",
    "😍",
    "❤",
    "✅",
    "✓",
    "🎉",
    "ja",
    "oui",
    "sí",
    "si",
    "sim",
    "gut",
    "bon",
    "bueno",
    "bom",
    "是",
    "赞",
    "讚",
    "顶",
    "有用",
    "有帮助",
    "有幫助",
    "喜歡",
    "喜欢",
    "好",
    "正面",
    "好评",
    "好評",
    "はい",
    "良い",
    "高評価",
    "いいね",
    "예",
    "네",
    "좋아요",
    "좋음",
}
NEITHER = {
    "",
    "none",
    "null",
    "nan",
    "na",
    "n/a",
    "neutral",
    "no_vote",
    "no_feedback",
    "skipped",
    "unrated",
    "undefined",
    "-",
    "😐",
    "普通",
    "中立",
    "보통",
}
SKIN = re.compile("[\U0001f3fb-\U0001f3ff\ufe0f]")
OF_TOP = re.compile(r"(\d+(?:\.\d+)?)_?(?:/|of|out_of)_?(\d+)(?:_?stars?)?")
STARS = re.compile(r"(★*)(☆*)")
LARGEST = 100.0
# Below and above these shares of a scale a mark is down and up; three of five stars is neither.
DOWN_TO, UP_FROM = 0.4, 0.6


@dataclass(frozen=True, kw_only=True, slots=True)
class Feedback:
    """One end user's feedback on one item: `sign` -1 is down, 1 is up, 0 neither.

    The sign is that of the value by itself; beside other values of its source a number may have another (`Scale`).
    """

    item_id: str
    value: str | None
    sign: int
    comment: str | None = None
    correction: str | None = None
    source: str | None = None
    at: str | None = None


class Scale(NamedTuple):
    """The least and the largest number that a source has given."""

    lowest: float
    highest: float

    def with_number(self, number: float) -> Scale:
        """Return the scale of these numbers and one more."""
        return Scale(min(self.lowest, number), max(self.highest, number))

    @property
    def ends(self) -> tuple[float, float]:
        """The worst and the best mark: -1 and 1, 0 and 1, 1 and 5, 0 and 4, 0 and 5, up to 10, or up to 100."""
        if self.lowest < 0:
            top = max(1.0, -self.lowest, self.highest)
            return -top, top
        if self.highest <= 1:
            return 0.0, 1.0
        worst = min(1.0, self.lowest)
        if self.highest <= 5:  # stars: from 0 they end at 4, as long as nobody has given 5
            return (0.0, max(4.0, self.highest)) if worst < 1 else (1.0, 5.0)
        return (worst, 10.0) if self.highest <= 10 else (0.0, LARGEST)

    def sign(self, number: float) -> int:
        """Return -1 in the lower two fifths of the scale, 1 in the upper two, else 0."""
        worst, best = self.ends
        return _sign((number - worst) / (best - worst))


def _sign(share: float) -> int:
    return -1 if share < DOWN_TO else int(share > UP_FROM)


def read_value(value: object) -> tuple[int, float | None]:
    """Return the sign of a value by itself, and the number where it is one, whose sign depends on its source's scale.

    InputError for what is neither a thumb, a word for one, nor a mark.
    """
    text = SKIN.sub("", "" if value is None else str(value)).strip().strip(":")
    word = text.casefold().replace(" ", "_").replace("-", "_")
    if word in NEITHER:
        return 0, None
    if word in DOWN or word in UP:
        return (-1 if word in DOWN else 1), None
    number = None if isinstance(value, bool) else _number(text)
    if number is not None:
        return Scale(number, number).sign(number), number
    if (mark := OF_TOP.fullmatch(word)) and float(mark[1]) <= float(mark[2]) > 1:
        return _sign((float(mark[1]) - 1) / (float(mark[2]) - 1)), None
    if (stars := STARS.fullmatch(word)) and len(word) > 1:
        return _sign((len(stars[1]) - 1) / (len(word) - 1)), None
    raise InputError(
        f"value: expected a thumb (-1 or 1, 0 or 1, true or false, up or down) or stars, found {shown(value)}"
    )


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and abs(number) <= LARGEST else None


def thumbs_down(down: int, items: int, *, has_feedback: bool) -> Estimate:
    """Count answers that a user marked down ÷ all answers: exact, since counted; none where nobody was asked for a thumb."""
    if not has_feedback or not items:
        return Estimate(estimate=None, reason=NO_FEEDBACK)
    share = down / items
    return Estimate(estimate=share, low=share, high=share, n=items, method=COUNTED)
