"""Classify a turn: does it ask for a passage, and does it depend on the turn before?

All is told by words alone. "Thanks" and "go on" ask for no passage; "and for children?" is understood by the turn before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from proxy.records import Turn
from proxy.text.tokens import content_words, words
from proxy.text.turns import USER, known_role, with_roles

TURN_LIMIT = 1_000
# A question of so few content words seldom says what it is about.
FEW = 2
# Words that keep a conversation going; a question of nothing else asks for no passage.
_CONTINUING = frozenset(
    """again all alright lots much amazing appreciated awesome bye cheers continue cool detail detailed details elaborate evening
    example examples excellent explain expand fine further give go going good goodbye got great hello hey hi interesting
    keep know lol lot makes morning nice night nope now ok okay one perfect please proceed really right same say see
    sense sorry sure tell thank thanks thx understand understood very well wonderful wow yeah yep yes yup
    danke dankeschön schön vielen dank bitte ja nein weiter hallo super gut mehr erzähl
    merci beaucoup oui non bonjour salut continue continuez plus
    gracias muchas sí si hola vale sigue continúa más
    obrigado obrigada sim não olá continua mais grazie mille ciao continua dank je
    고마워 고마워요 고맙습니다 감사합니다 감사해요 네 예 아니요 안녕 안녕하세요 계속 계속해 계속해요 계속해주세요 알겠습니다
    谢谢 謝謝 多谢 多謝 谢谢你 謝謝你 好 好的 是的 嗯 对 對 不 继续 繼續 请继续 請繼續 你好 您好 再见 再見 明白了
    明白 知道了 继续说 繼續說 ありがとう ありがとうございます はい いいえ 続けて 続けてください もっと こんにちは
    おはよう おはようございます 分かりました わかりました""".split()  # noqa: SIM905 - read as prose
)
# Scripts without spaces are compared by pairs of characters, so the same expressions are listed as their pairs.
_TOKENS = frozenset(token for expression in _CONTINUING for token in words(expression))


_POINTING = re.compile(
    r"\b(?:it|its|that|this|these|those|they|them|their|he|she|him|her|his)\b|^(?:and|but|or|und|et|y|e)\b"
    "|那|它|他|她|这|這|呢|それ|これ|その|그것|그거|이것",
    re.IGNORECASE,
)


def asks_for_nothing(question: str) -> bool:
    """Return whether a turn holds nothing to look up: no word, or only words that keep a conversation going."""
    return all(token in _TOKENS for token in content_words(question))


def hangs_on_before(question: str) -> bool:
    """Return whether a question is likely to depend on the turn before: it has few words, or one that points back."""
    return len(set(content_words(question))) <= FEW or bool(_POINTING.search(question))


def previous_question(question: str, history: Sequence[Turn]) -> str:
    """Return what the user asked last before this question; empty without a history.

    Turns without a role are those of a log of the user's questions. A log that repeats the question as its last turn is read as
    if it did not.
    """
    turns = [turn.text for turn in reversed(with_roles(history)) if known_role(turn.role) in (None, USER)]
    asked = " ".join(question.split())
    return next((text[:TURN_LIMIT] for text in turns if " ".join(text.split()) != asked), "")
