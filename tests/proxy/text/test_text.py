"""Script, sentences, words and display forms of text as production writes it."""

from __future__ import annotations

import time

import pytest

from proxy.text.controls import displayable
from proxy.text.language import language, quoted, script, sentences, without_marks
from proxy.text.tokens import Phrase, content_words, denials, is_number, negated, phrases, words


@pytest.mark.parametrize(
    ("text", "expected_script", "expected_language"),
    [
        ("The capital of France is Paris.", "latin", None),
        ("法国的首都是巴黎。", "han", "zh"),
        ("臺灣的首都是臺北。", "han", "zh"),
        ("日本国憲法は一九四七年に施行された。", "kana", "ja"),
        ("대한민국의 수도는 서울이다.", "hangul", "ko"),
        ("ما هي عاصمة فرنسا؟", "other", None),
        ("使用 Kubernetes Deployment 進行應用部署", "han", "zh"),
        ("42 ...", "other", None),
    ],
)
def test_script_and_language(text: str, expected_script: str, expected_language: str | None) -> None:
    """The dominant script is counted in words, so that English terms do not outvote a Chinese sentence."""
    assert expected_script == script(text)
    assert expected_language == language(text)


def test_words_of_alphabetic_text() -> None:
    """Words are lower-cased, possessives dropped, units split from their numbers."""
    assert words("Don’t give Troye's 5mg of H1N1!") == ["don't", "give", "troye", "5", "mg", "of", "h1n1"]


def test_numbers_are_one_token_in_one_form() -> None:
    """Thousands commas, full-width digits and leading zeros do not make a number another one."""
    assert words("1,000; 5.5; １２; 007") == ["1000", "5.5", "12", "7"]
    assert is_number("5.5")
    assert not is_number("h1n1")


def test_words_of_unspaced_text_are_pairs() -> None:
    """Chinese, Japanese and Korean runs give overlapping pairs; a character alone stays."""
    assert words("北京市 2月") == ["北京", "京市", "2", "月"]
    assert words("서울은") == ["서울", "울은"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the capital of France?", ["capital", "france"]),
        ("台灣的首都是哪裡？", ["台灣", "首都"]),
        ("法国的首都是哪里？", ["法国", "首都"]),
        ("日本の首都はどこですか？", ["日本", "首都"]),
        ("한국의 수도는 어디입니까?", ["한국", "수도"]),
        ("Who is it?", []),
    ],
)
def test_content_words(question: str, expected: list[str]) -> None:
    """Stop words, question words and particles are no content, in each language."""
    assert expected == content_words(question)


def test_phrases_join_pairs_to_the_longest_run() -> None:
    """A person reads the run, not its pairs; what is not wanted splits it."""
    assert phrases("气候变化的原因", {"气候", "候变", "变化"}) == [Phrase("气候变化", "气候变化")]
    assert phrases("气候变化的原因", {"气候", "变化"}) == [Phrase("气候", "气候变化"), Phrase("变化", "气候变化")]
    assert phrases("the capital of France, France", {"france"}) == [Phrase("France", "France")]


def test_a_part_of_a_written_stretch_is_no_word() -> None:
    """“圧薬” is cut out of 降圧薬 (a drug for high blood pressure): a pair that is compared, no word that a person wrote."""
    whole, part = phrases("降圧薬は副作用", {"圧薬", "副作", "作用"})[::-1]
    assert (whole.text, whole.is_fragment, part.text, part.is_fragment) == ("副作用", False, "圧薬", True)


def test_sentences_split_at_lines_bullets_and_stops() -> None:
    """List entries and lines end a sentence, abbreviations do not, marks and citations are gone."""
    text = "# Answer\n- Dr. Smith paid 5.5 dollars [1]. He left.\n2. 第一【3†source】"

    assert sentences(text) == ["Answer", "Dr. Smith paid 5.5 dollars .", "He left.", "第一"]


@pytest.mark.parametrize(
    ("lang", "text", "count"),
    [
        ("zh", "这是第一句。这是第二句！第三句？", 3),
        ("ja", "晴れです。雨です。", 2),
        ("ko", "오늘은 맑다. 내일은 비다.", 2),
    ],
)
def test_sentences_of_other_languages(lang: str, text: str, count: int) -> None:
    """Sentence ends of Chinese, Japanese and Korean are known."""
    assert count == len(sentences(text, lang))


def test_sentences_survive_lone_surrogates() -> None:
    """A lone surrogate, which no encoder takes, becomes the replacement character."""
    assert sentences("a \ud800 b.") == ["a \ufffd b."]


def test_marks_are_stripped() -> None:
    """Citation numbers would otherwise be numbers that the passages lack."""
    assert words("Paris [1, 2] is <b>big</b>【4:0†source】") == ["paris", "is", "big"]
    assert without_marks("a < b and c > d") == "a < b and c > d"


def test_negation_is_seen() -> None:
    """Contracted and written-out denials count, in other scripts too."""
    assert negated(words("It isn't so"))
    assert negated(words("这不是真的"))
    assert not negated(words("It is so, notably"))


def test_denials_name_what_they_deny() -> None:
    """The two content words after a denial within five words; before it in Japanese and Korean; none for no denial."""
    assert denials(words("It was not the very first tower, and it isn't tall")) == [{"very", "first"}, {"tall"}]
    assert denials(words("这不是首都")) == [{"是首", "首都"}]
    assert denials(words("山は高くない")) == [{"くな", "高く"}]
    assert denials(words("It is so")) == []


def test_plain_and_accented_text_give_the_same_words() -> None:
    """The short way for plain text is no other way."""
    plain = "The 1,000 dogs' own vet's 007 h1n1 isn't 5.5% of it's <b>[1]"

    assert words(f"{plain} é") == [*words(plain), "é"]
    assert content_words(f"{plain} é") == [*content_words(plain), "é"]


def test_displayable_shows_what_hides() -> None:
    """Surrogates and NUL are replaced, direction controls spelled out, all else is kept."""
    assert displayable("a\ud800\0\u202eb\u2069 😀é<b>") == "a\ufffd\u2400⟨U+202E⟩b⟨U+2069⟩ 😀é<b>"


def test_quoted_is_one_short_line() -> None:
    """A quotation holds no line break and at most the given number of characters."""
    assert quoted("one\n\n two") == "“one two”"
    assert quoted("a" * 1_000_000, limit=5) == "“aaaa…”"


@pytest.mark.slow
@pytest.mark.parametrize("text", ["'" * 200_000, "<a" * 100_000, "[1," * 60_000, "a" + "\u0301\u0316" * 100_000])
def test_hostile_text_takes_linear_time(text: str) -> None:
    """Quotes, open tags, open citations and piled accents each had a quadratic path somewhere below."""
    start = time.process_time()
    words(text)
    sentences(text)

    assert time.process_time() - start < 1.5
