"""Mark one answer to a test item as RGB does, and with the faults of its reference code fixed.

RGB's `evalue.py` at commit 65ec39e finds texts as substrings. Its faults, each of which changes published numbers:

1. "insufficient information" and "factual errors" are looked for in small letters only; expected answers are not.
2. An expected 18 is found in 1889, and an expected "no" in "not".
3. A refusal anywhere overrides an answer: "there is insufficient information on the rest, but it opened in 1889" is a refusal.
4. With passages that are all noise its total counts an answer that holds the expected text as well. The paper's rejection rate
   does not, and neither do the marks here.
5. "There are no factual errors" counts as a detected error.
6. A correction is whatever holds no wrong part, so that a refusal is a correction; and where nothing was detected the rate is 0.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from proxy.questions.additions import adds_facts
from proxy.questions.records import Expected
from proxy.text.language import HAN, HANGUL, KANA
from proxy.text.refusals import is_refusal

RGB_REJECTION = ("信息不足", "insufficient information")
RGB_DETECTION = ("事实性错误", "factual errors")
_UNSPACED = re.compile(f"[{HAN}{KANA}]")
_SPACES_INSIDE = re.compile(rf"(?<=[{HAN}{KANA}])\s+(?=[{HAN}{KANA}\d])|(?<=\d)\s+(?=[{HAN}{KANA}])")
# Korean particles follow a word without a space, so a word ends there only where a Latin letter or a digit does not go on.
_WORD = rf"[^\W{HAN}{KANA}{HANGUL}]"
_REJECTING = re.compile(
    "insufficient information|not enough information|信息不足|資訊不足|资讯不足|資料不足|资料不足"
    "|情報が不足|정보가 부족|정보 부족"
)
_DETECTING = re.compile(
    r"factual(?:ly)? (?:errors?|incorrect|inaccura\w+|mistakes?)"
    r"|事实性?错误|事實性?錯誤|사실(?:과 다른|적 오류|관계 오류| 오류)|사실과 다(?:르|릅)"
)
_DENYING = re.compile(
    r"(?:\bno|\bnot|\bcannot|n['’]t|\bnever|\bwithout|\bfree of|\bunable to|\bfail(?:s|ed)? to)(?: \w+){0,3} $"
    r"|(?:没有|沒有|未发现|未發現|未能|找不到|并无|並無|不存在|无|無)[^，。]{0,6}$"
)
_DENIED_AFTER = re.compile(r"^[^.。,，]{0,10}?(?:없|아니|않|못|是?不存在)")
_CLAUSES = re.compile(r"(?<=[.!?;,。！？；，\n])")


class Marking(StrEnum):
    """How answers are marked: as RGB's reference code does, or with its faults fixed."""

    RGB = "rgb"
    FIXED = "fixed"


class AnswerMarks(NamedTuple):
    """The marks of one answer: a label for each group of expected texts, and what the answer says of the passages.

    RGB gives a refusal the single label -1.
    """

    labels: tuple[int, ...]
    is_rejection: bool
    is_detection: bool

    @property
    def is_right(self) -> bool:
        """Whether every group is answered."""
        return bool(self.labels) and all(label == 1 for label in self.labels)


def rgb_marks(answer: str, expected: Expected) -> AnswerMarks:
    """Mark an answer as RGB's reference code does, its faults included."""
    # RGB takes spaces out for its Chinese data sets; here the expected answers tell which those are.
    text = answer.replace(" ", "") if _UNSPACED.search("".join(group[0] for group in expected)) else answer
    is_rejection = any(phrase in text for phrase in RGB_REJECTION)
    labels = (-1,) if is_rejection else rgb_labels(text, expected)
    return AnswerMarks(labels, is_rejection, any(phrase in text for phrase in RGB_DETECTION))


def rgb_labels(answer: str, expected: Expected) -> tuple[int, ...]:
    """Return 1 for each group of which a text stands in the answer, in small letters, else 0."""
    plain = answer.lower()
    return tuple(int(any(text.lower() in plain for text in group)) for group in expected)


def rgb_is_corrected(marks: AnswerMarks) -> bool:
    """Return whether RGB counts a detected error as corrected: no label is 0."""
    return 0 not in marks.labels


def fixed_marks(answer: str, expected: Expected, known: Sequence[str] = ()) -> AnswerMarks:
    """Mark an answer with the faults fixed: whole words in any case, and refusals and detected errors as they are meant.

    `known` are the question and the passages: a refusal that states a fact beyond them is none.
    """
    text = normal(answer)
    labels = tuple(int(any(holds(text, alias) for alias in group)) for group in expected)
    is_rejection = _refuses(answer) and not any(labels) and not adds_facts(answer, known)
    return AnswerMarks(labels, is_rejection, _detects(text))


def _refuses(answer: str) -> bool:
    """Return whether an answer refuses; that it finds no error is no refusal."""
    kept = "".join(clause for clause in _CLAUSES.split(answer) if not _denies_errors(normal(clause)))
    return bool(_REJECTING.search(normal(kept))) or is_refusal(kept) is not None


def holds(text: str, expected: str) -> bool:
    """Return whether a normalised text holds the expected one as whole words; digits never in the middle of a number."""
    wanted = normal(expected).strip(" .。")
    return bool(wanted) and re.search(whole_words(wanted), text) is not None


def whole_words(text: str) -> str:
    """Return the pattern of a text as whole words; where it begins or ends in a script without spaces, anything may go on."""
    before = rf"(?<!{_WORD})(?<!\d[.,])" if re.match(_WORD, text) else ""
    after = rf"(?!{_WORD})(?![.,]\d)" if re.search(rf"{_WORD}$", text) else ""
    return before + re.escape(text) + after


def normal(text: str) -> str:
    """Return a text in one form: compatibility characters, case and white space alike, none inside Chinese and Japanese."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", _SPACES_INSIDE.sub("", plain))


def _detects(text: str) -> bool:
    return any(not _is_denied(text, match) for match in _DETECTING.finditer(text))


def _denies_errors(text: str) -> bool:
    return any(_is_denied(text, match) for match in _DETECTING.finditer(text))


def _is_denied(text: str, error: re.Match[str]) -> bool:
    return bool(_DENYING.search(text[: error.start()]) or _DENIED_AFTER.search(text[error.end() :]))


def all_hold(texts: Sequence[str], expected: Expected) -> bool:
    """Return whether the texts together hold every group of an expected answer."""
    plain = [normal(text) for text in texts]
    return all(any(holds(text, alias) for text in plain for alias in group) for group in expected)
