"""Words for right, wrong and unsure: known in several languages, explained by the user, or refused; never guessed."""

from __future__ import annotations

import pytest

from annotate.domain.label_words import MEANINGS, TableWords, own_words, parse_words, read_judgement, table_words
from proxy.errors import InputError, UsageError
from proxy.records import Judgement

RIGHT, WRONG, UNSURE = Judgement.RIGHT, Judgement.WRONG, Judgement.UNSURE


@pytest.mark.parametrize(
    "words",
    [
        ("right", "wrong", "unsure"),
        ("True", "FALSE", "not sure"),
        (True, False, "Uncertain"),
        (1, 0, "don’t know"),
        (1.0, 0.0, "cannot_tell"),
        ("１", "０", "not-sure"),
        ("正確", "錯誤", "不確定"),
        ("正确", "错误", "不确定"),
        ("對", "不對", "無法判斷"),
        ("맞음", "틀림", "불확실"),
        ("정답", "오답", "잘 모름"),
        ("正解", "不正解", "わからない"),
        ("RICHTIG", "falsch", "unsicher"),
        ("Ja", "Nein", "WEISS NICHT"),
        ("vrai", "Faux", "pas sûr"),
        ("correcto", "Incorrecta", "no lo sé"),
        ("Sí", "no", "incierto"),
        ("verdadeiro", "errado", "não sei"),
        ("sim", "Não", "não tenho certeza"),
        ("giusto", "sbagliato", "non so"),
        ("juist", "onjuist", "weet niet"),
    ],
    ids=str,
)
def test_right_wrong_and_unsure_are_known_in_these_words(words: tuple[object, ...]) -> None:
    """In any case, width and form of letters."""
    assert [read_judgement(word) for word in words] == [RIGHT, WRONG, UNSURE]


@pytest.mark.parametrize(
    "word", ["certo", "gut", "goed", "✓", "×", "○", "maybe", "partially", "n", "pass", 2, -1, 0.5, "1,000"]
)
def test_a_word_that_may_mean_several_things_is_not_guessed(word: object) -> None:
    """The reason names the option that explains it."""
    with pytest.raises(InputError, match="--words right=WORD"):
        read_judgement(word)


@pytest.mark.parametrize("empty", [None, "", "  ", float("nan")])
def test_an_empty_label_is_none(empty: object) -> None:
    """It is said so, without an option that would not help."""
    with pytest.raises(InputError, match=r"found nothing$"):
        read_judgement(empty)


def test_zero_and_one_are_marks_beside_other_numbers() -> None:
    """Of 1 to 5 a 1 is the worst, and beside -1 a 0 is neither; words mean what they always do."""
    for labels in ([1, 5], ["0", "-1"], [1, "2.0"]):
        words = table_words({}, labels)
        for number in (0, "1"):
            with pytest.raises(InputError, match="stands beside other numbers"):
                read_judgement(number, words)
        assert read_judgement("wrong", words) is WRONG
    assert read_judgement(1, table_words({}, [0, 1, 0.5, "right"])) is RIGHT


def test_a_user_explains_the_words_of_a_table() -> None:
    """In words with commas or lists; the usual words are known beside them."""
    words = TableWords(own_words({"right": "OK, Passt", "wrong": ["Nope, no way"]}))
    assert [read_judgement(word, words) for word in ("ok", "PASST", "nope, no way", "falsch")] == [
        RIGHT,
        RIGHT,
        WRONG,
        WRONG,
    ]
    numbers = table_words(own_words({"right": "4,5", "wrong": "1,2"}), [])
    assert [read_judgement(number, numbers) for number in (5.0, "4", 1)] == [RIGHT, RIGHT, WRONG]
    with pytest.raises(InputError):
        read_judgement(0, numbers)


def test_no_usual_word_counts_where_one_is_given_another_meaning() -> None:
    """In a column of errors 1 is wrong: then 0 is not wrong as well."""
    words = TableWords(own_words({"wrong": "1"}))
    assert read_judgement(1, words) is WRONG
    for word in (0, "no", "right"):
        with pytest.raises(InputError, match="--words"):
            read_judgement(word, words)


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        (["good=OK"], "right=WORD, wrong=WORD or unsure=WORD"),
        (["right"], "write the words that say right"),
        (["right= , "], "write the words that say right"),
        (["right=ok", "wrong=OK"], "both right and wrong"),
    ],
)
def test_words_that_explain_nothing_are_refused(pairs: list[str], reason: str) -> None:
    """Before a row is read."""
    with pytest.raises(UsageError, match=reason):
        own_words(parse_words(pairs))


def test_several_options_of_one_meaning_add_up() -> None:
    """As --map contexts does."""
    assert own_words(parse_words(["right=a,b", "right=c"])) == {"a": RIGHT, "b": RIGHT, "c": RIGHT}


def test_every_word_is_listed_under_one_meaning() -> None:
    """A word in two lists would silently mean what the later list says."""
    from annotate.domain import label_words

    lists = [label_words._RIGHT, label_words._WRONG, label_words._UNSURE]
    assert len(MEANINGS) == len({label_words.plain_label(word) for words in lists for word in words})
    assert sum(len(set(map(label_words.plain_label, words))) for words in lists) == len(MEANINGS)
