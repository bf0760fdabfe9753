"""Words for right, wrong and unsure, as tables of labels have them in several languages.

A word is known only where it says one thing in every language that has it. Left out are marks (✓ is a mistake in Japan and in
Scandinavia), grades (good, gut, goed), and words such as `certo`, which is right in Portuguese and certain in Italian. What any
other word of a table means its user says (`--words right=OK,GUT`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from annotate.domain.timestamps import shown
from proxy.errors import InputError, UsageError
from proxy.records import Judgement

_RIGHT = (
    *("right", "correct", "true", "yes", "1"),
    *("正確", "正确", "對", "对", "是", "真"),
    *("맞음", "맞다", "정답", "옳음", "정확", "정확함", "올바름", "참", "예", "네"),
    *("正解", "正しい", "はい"),
    *("richtig", "korrekt", "wahr", "ja"),
    *("juste", "correcte", "exact", "exacte", "vrai", "vraie", "oui"),
    *("correcto", "correcta", "verdadero", "verdadera", "sí", "si"),
    *("correto", "correta", "verdadeiro", "verdadeira", "sim"),
    *("corretto", "corretta", "giusto", "giusta", "esatto", "esatta", "vero", "vera", "sì"),
    *("juist", "waar"),
)
_WRONG = (
    *("wrong", "incorrect", "not correct", "not right", "false", "no", "0"),
    *("錯誤", "错误", "錯", "错", "不正確", "不正确", "不對", "不对", "否", "假"),
    *("틀림", "틀리다", "오답", "그름", "부정확", "부정확함", "거짓", "아니요", "아니오"),
    *("不正解", "誤り", "間違い", "正しくない", "偽", "いいえ"),
    *("falsch", "inkorrekt", "nicht korrekt", "nicht richtig", "nein"),
    *("faux", "fausse", "incorrecte", "inexact", "inexacte", "non"),
    *("incorrecto", "incorrecta", "erróneo", "errónea", "falso", "falsa"),
    *("incorreto", "incorreta", "errado", "errada", "não"),
    *("sbagliato", "sbagliata", "errato", "errata", "non corretto", "non corretta"),
    *("onjuist", "fout", "onwaar", "nee"),
)
_UNSURE = (
    *("unsure", "not sure", "uncertain", "don't know", "i don't know", "cannot tell", "can't tell"),
    *("不確定", "不确定", "不知道", "無法判斷", "无法判断", "無法確定", "无法确定"),
    *("불확실", "불확실함", "모름", "잘 모름", "모르겠음", "판단 불가"),
    *("わからない", "分からない", "判断できない"),
    *("unsicher", "nicht sicher", "weiß nicht", "weiss nicht"),
    *("incertain", "incertaine", "pas sûr", "pas sûre", "je ne sais pas"),
    *("incierto", "no sé", "no lo sé", "no estoy seguro", "no estoy segura"),
    *("incerto", "incerta", "não sei", "não tenho certeza"),
    *("non so", "non lo so"),
    *("onzeker", "weet niet", "weet ik niet"),
)
_SEPARATED = re.compile(r"[\s_]+|(?<=[^\W\d])-(?=[^\W\d])")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None


def plain_label(value: object) -> str:
    """Return a label as words are compared: without what case, width, blanks and underscores differ in; 1.0 is 1."""
    text = _SEPARATED.sub(" ", unicodedata.normalize("NFKC", str(value)).casefold()).strip().replace("’", "'")
    number = _number(text)
    return text if number is None or not number.is_integer() else str(int(number))


MEANINGS: Mapping[str, Judgement] = {
    plain_label(word): judgement
    for judgement, words in ((Judgement.RIGHT, _RIGHT), (Judgement.WRONG, _WRONG), (Judgement.UNSURE, _UNSURE))
    for word in words
}


class TableWords(NamedTuple):
    """What is known of the words of one table: those that its user explained, and whether its numbers are marks on a scale."""

    own: Mapping[str, Judgement] = {}
    has_scale: bool = False

    @property
    def replaces_usual(self) -> bool:
        """Whether a word has another meaning than everywhere else, so that no usual meaning can be relied on."""
        return any(MEANINGS.get(word, judgement) is not judgement for word, judgement in self.own.items())


USUAL = TableWords()


def read_judgement(value: object, words: TableWords = USUAL) -> Judgement:
    """Read right, wrong or unsure from a label.

    Parameters
    ----------
    value
        The label: a word, a number or a truth value.
    words
        What is known of the words of its table. A word of the user's own comes before the usual meanings; where it contradicts
        one of these, none of them counts.

    Returns
    -------
    Judgement
        What the label says.

    Raises
    ------
    InputError
        For a word that is not known, and for 1 and 0 where other numbers of the table show that they are marks on a scale.
    """
    word = plain_label("" if value is None else value)
    if word in words.own:
        return words.own[word]
    if not word or word == "nan":
        raise InputError("label: expected right, wrong or unsure, found nothing")
    judgement = None if words.replaces_usual else MEANINGS.get(word)
    if judgement is not None and not (words.has_scale and _number(word) is not None):
        return judgement
    todo = "say what it means with --words right=WORD, --words wrong=WORD or --words unsure=WORD"
    if judgement is not None:
        raise InputError(f"label: {shown(value)} stands beside other numbers than 1 and 0 in this table: {todo}")
    raise InputError(f"label: {shown(value)} is not known to say right, wrong or unsure: {todo}")


def is_label_word(value: object) -> bool:
    """Return whether a value is a usual label."""
    return plain_label(value) in MEANINGS


def is_on_scale(value: object) -> bool:
    """Return whether a label is a number beyond 0 and 1, so that 0 and 1 beside it are marks too."""
    number = _number(plain_label(value))
    return number is not None and not 0 <= number <= 1


def parse_words(pairs: Iterable[str]) -> dict[str, list[str]]:
    """Parse `right=WORD,WORD` pairs to the words by what they mean."""
    words: dict[str, list[str]] = {}
    for pair in pairs:
        name, _, listed = pair.partition("=")
        words.setdefault(name, []).extend(listed.split(","))
    return words


def own_words(texts: Mapping[str, str | Sequence[str]]) -> dict[str, Judgement]:
    """Return the meanings that a user gives to words: texts with commas or lists of words, by right, wrong and unsure.

    UsageError for another meaning, for none, and for a word with two.
    """
    own: dict[str, Judgement] = {}
    for name, listed in texts.items():
        if name not in {judgement.value for judgement in Judgement}:
            raise UsageError(f"--words {name}: write right=WORD, wrong=WORD or unsure=WORD")
        words = [word for word in _listed(listed) if word]
        if not words:
            raise UsageError(f"--words {name}: write the words that say {name}, such as {name}=WORD,WORD")
        for word in words:
            if own.setdefault(word, Judgement(name)) is not Judgement(name):
                raise UsageError(f"--words: {word!r} cannot say both {own[word].value} and {name}")
    return own


def table_words(own: Mapping[str, Judgement], labels: Iterable[object]) -> TableWords:
    """Return what is known of the words of a table, from what its user says and from all its labels."""
    return TableWords(own, any(map(is_on_scale, own)) or any(map(is_on_scale, labels)))


def _listed(words: str | Sequence[str]) -> Iterable[str]:
    return map(plain_label, words.split(",") if isinstance(words, str) else words)
