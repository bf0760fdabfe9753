"""Judge context relevance without a model: are the passages about what the question asks?

The reason names the question's words that the passages lack, and each passage has a value of its own. The judge sees
whether the passages are on topic, not whether they can answer. In a conversation a short question ("and for children?")
is read together with the user's turn before; a longer one also by itself, and the better fit counts, so that a new
subject is not held against its passages.

Classify a turn: does it ask for a passage, and does it depend on the turn before? All is told by words alone. "Thanks" and
"go on" ask for no passage; "and for children?" is understood by the turn before it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proxy.judges.base import QUESTION_LIMIT, absent, cut_note, cut_question, not_applicable, scaled, scored
from proxy.judges.offline.passages import CONTEXT_LIMIT, Passages, comparable, read_passages, script_mismatch
from proxy.records import Item, JudgeFailure, Score, Turn
from proxy.text.language import script_shares
from proxy.text.tokens import content_words, phrases, words
from proxy.text.turns import USER, known_role, with_roles

# Chosen on synthetic conversations: with more, passages on the same subject without the answer pass; with less, those on
# another subject.
EARLIER, MOST_EARLIER = 0.5, 2.0
NOTHING_ASKED = "the question holds nothing to look up"
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


@dataclass(frozen=True, kw_only=True, slots=True)
class OfflineContextRelevance:
    """(idf coverage of the question's content words + the same in the best three sentences running) / 2, `scaled`.

    Words of the user's turn before have `EARLIER` of their weight, all together at most `MOST_EARLIER` of the question's.
    """

    name: str = "context_relevance"
    signature: str = "context_relevance|offline|v2"

    def judge(self, item: Item) -> Score | JudgeFailure:
        """Measure how much of the question the passages hold, anywhere and in one place."""
        if not any(context.text.strip() for context in item.contexts):
            return not_applicable(self, item, "no passages were retrieved")
        question = item.question[:QUESTION_LIMIT]
        tokens = content_words(question)
        if asks_for_nothing(question):
            return not_applicable(self, item, NOTHING_ASKED)
        passages = read_passages(item.contexts)
        if reason := script_mismatch(
            question, tokens, passages.scripts, passages, ("the question is", "the passages are")
        ):
            return not_applicable(self, item, reason)
        asked = {word: passages.weight(word) for word in tokens}
        readings = _readings(question, asked, previous_question(question, item.history), passages)
        value = max(_fit(weights, passages) for weights in readings)
        missing = {word for word in asked if word not in passages}
        return scored(
            self,
            item,
            scaled(value),
            uncovered(question, missing, "passages") + cut_note(cut_question(item.question), passages.cut),
            passages=_each(item, question, readings, passages),
        )


def _readings(question: str, asked: Mapping[str, float], before: str, passages: Passages) -> list[Mapping[str, float]]:
    """Weight the question's words in each reading: with the turn before, and by itself where it can stand alone."""
    earlier = {word: passages.weight(word) for word in content_words(before) if word not in asked}
    if not earlier:
        return [asked]
    share = min(EARLIER, MOST_EARLIER * math.fsum(asked.values()) / math.fsum(earlier.values()))
    both = dict(asked) | {word: share * weight for word, weight in earlier.items()}
    return [both] if hangs_on_before(question) else [asked, both]


def _fit(weights: Mapping[str, float], passages: Passages) -> float:
    """Average the words' coverage anywhere and in the best window."""
    together = passages.best_window(weights).weight / math.fsum(weights.values())
    return (passages.coverage(weights) + together) / 2


def _each(item: Item, question: str, readings: Sequence[Mapping[str, float]], passages: Passages) -> list[float | None]:
    """Apply the same formula to each passage, with the same weights; None where it is empty, unread or in another script."""
    fits: dict[int, float] = {}
    for weights in readings:
        total = math.fsum(weights.values())
        for rank, content in passages.by_passage(weights).items():
            fits[rank] = max(fits.get(rank, 0.0), (content.coverage + content.window) / 2 / total)
    own = script_shares(question)
    values: list[float | None] = []
    left = CONTEXT_LIMIT
    for rank, context in enumerate(item.contexts, start=1):
        text, left = context.text[: max(0, left)], left - len(context.text)
        if rank in fits:
            values.append(min(1.0, scaled(fits[rank])))
        else:
            values.append(0.0 if text.strip() and comparable(own, script_shares(text)) else None)
    return values


def uncovered(question: str, missing: set[str], where: str) -> str:
    """Say which words of the question are missing, as they stand in it."""
    if not missing:
        return f"all words of the question are found in the {where}"
    return absent(phrases(question, missing), "the question", f"the {where}")


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
