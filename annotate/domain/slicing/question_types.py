"""Classify questions by their words: who, when, where, why, how, how many, yes or no, or other.

English, Chinese in both scripts and Korean are read; a question in another language is `other`.
"""

from __future__ import annotations

import re

from proxy.text.language import script

OTHER = "other"
_ASKS = "is|are|was|were|am|do|does|did|can|could|will|would|should|shall|may|might|must|has|have|had"
# The first that is found names the kind; "how many" before "how", and what stands anywhere before what must come first.
_ENGLISH = (
    (
        "how many",
        re.compile(r"\bhow (?:many|much|often|long|old|far|big|tall|high)\b|\bwhat (?:number|percentage|share)\b"),
    ),
    ("who", re.compile(r"\bwho(?:m|se)?\b")),
    (
        "when",
        re.compile(rf"\bwhen (?:{_ASKS})\b|\bwhat (?:year|date|day|time|month)\b"),
    ),
    ("where", re.compile(r"\bwhere\b|\b(?:what|which) (?:country|city|place|state)\b")),
    ("why", re.compile(r"\bwhy\b|\bhow come\b")),
    ("how", re.compile(r"\bhow\b")),
    (
        "yes-no",
        re.compile(
            rf"^(?:(?:and|but|so|please|hi|hello)[, ]+)*(?:{_ASKS})(?:n't)?\b"
            rf"|[,;] (?:{_ASKS}) (?:it|i|we|you|they|he|she|this|that|there)\b"
        ),
    ),
)
_CHINESE = (
    ("how many", re.compile("多少|几[个位天次年月岁点种]|幾[個位天次年月歲點種]|多[久长長大高远遠]")),
    ("who", re.compile("谁|誰|哪位|何人")),
    ("when", re.compile("什么时候|什麼時候|甚麼時候|何时|何時|哪[一]?[年天日]|几时|幾時")),
    ("where", re.compile("哪里|哪裡|哪裏|哪儿|哪兒|在哪|何处|何處|什么地方|什麼地方")),
    ("why", re.compile("为什么|為什麼|为何|為何|为啥|為啥|怎么会|怎麼會")),
    ("how", re.compile("怎么|怎麼|怎样|怎樣|如何")),
    ("yes-no", re.compile("[吗嗎]|是否|是不是|能不能|可不可以|可否|能否|有没有|有沒有|要不要|会不会|會不會")),
)
_KOREAN = (
    ("how many", re.compile("얼마|몇")),
    ("who", re.compile("누구|누가")),
    ("when", re.compile("언제")),
    ("where", re.compile("어디")),
    ("why", re.compile("왜|무엇 때문|어째서")),
    ("how", re.compile("어떻게|어떡|방법")),
    (
        "yes-no",
        re.compile(
            r"^(?!.*(?:무엇|뭐|무슨|어떤|어느|뭔)).*(?:나요|까요|가요|습니까|ㅂ니까|되나|될까|인가|니까|해요)\s*[?？.]*\s*$"
        ),
    ),
)
_PATTERNS = {"latin": _ENGLISH, "han": _CHINESE, "hangul": _KOREAN}
_READ = 2_000


def question_kind(question: str) -> str:
    """Return the kind of a question, in the words of this module."""
    text = question[:_READ].strip()
    patterns = _PATTERNS.get(script(text), ())
    lower = text.lower().replace("’", "'")
    return next((kind for kind, pattern in patterns if pattern.search(lower)), OTHER)
