"""The prompt files: all there in four languages, chosen by tag or script, replaced by a team's own, named by a digest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proxy.errors import UsageError
from proxy.judges.llm.base import REPLIES
from proxy.judges.llm.form import Mode
from proxy.judges.llm.prompts import ENGLISH, LANGUAGES, Prompts, language_of, standard, with_own
from proxy.judges.menu import JUDGES
from proxy.judges.metrics.catalogue import model_metrics
from proxy.records import Support
from support.llm import every_judge, item, setup

OF_METRICS = {prompt for metric in model_metrics().values() for prompt in metric.prompts}
OF_QUESTIONS = ("question_from_passage", "question_from_passages", "answer_from_passages")
OTHERS = {
    "context_relevance_and_faithfulness",
    "aspect",
    "reference_draft",
    "repair",
    *("guidelines", "examples", "guidelines_from_corrections"),
    *REPLIES.values(),
    *OF_METRICS,
    *OF_QUESTIONS,
}
PLACES = {
    "aspect": "{aspect}",
    "unieval": "{aspect}",
    "reply_json": "{schema}",
    "reply_last_line": "{line}",
    "repair": "{fault}",
    "guidelines": "{guidelines}",
}
TRADITIONAL = "這座塔有多高？它有三百三十公尺高，於一八八九年完工。"
SIMPLIFIED = "这座塔有多高？它有三百三十米高，于一八八九年完工。"
KOREAN = "탑의 높이는 얼마입니까? 330미터입니다."
JAPANESE = "塔の高さはどれくらいですか。三百三十メートルです。"
TAGS = [
    ("en", ENGLISH), ("en-US", ENGLISH), ("EN_gb", ENGLISH), ("de", ENGLISH), ("ja", ENGLISH), ("ja-JP", ENGLISH), ("kok", ENGLISH),
    ("ko", "ko"), ("ko-KR", "ko"), ("KO_kr", "ko"), ("kor", "ko"),
    ("zh-TW", "zh-Hant"), ("zh_tw", "zh-Hant"), ("zh-HK", "zh-Hant"), ("zh-MO", "zh-Hant"), ("zh-Hant", "zh-Hant"), ("zh-Hant-TW", "zh-Hant"), ("zh-Hant-CN", "zh-Hant"),
    ("zh-CN", "zh-Hans"), ("zh-SG", "zh-Hans"), ("zh-Hans", "zh-Hans"), ("zh-hans-cn", "zh-Hans"), ("zh-Hans-HK", "zh-Hans"),
]  # fmt: skip


def own(folder: Path, **texts: str) -> Path:
    """A folder with these files; `__` in a name stands for a dot."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name.replace('__', '.')}.txt").write_text(text, encoding="utf-8")
    return folder


def test_every_prompt_exists_in_every_language() -> None:
    """The judges on the menu, both at once, aspects, metrics, questions, three ways to reply, and the repair; each its own."""
    texts = standard().texts

    assert set(texts) == {(name, tag) for name in {*JUDGES, *OTHERS} for tag in LANGUAGES}
    assert len(set(texts.values())) == len(texts)
    assert all(text == text.strip() != "" for text in texts.values())


@pytest.mark.parametrize("tag", LANGUAGES)
def test_places_to_fill_in_are_where_they_belong_and_nowhere_else(tag: str) -> None:
    """Each once, in every language."""
    for name in {*JUDGES, *OTHERS}:
        places = re.findall(r"\{[^}]*\}", standard().text(name, tag))
        assert places == ([PLACES[name]] if name in PLACES else [])


@pytest.mark.parametrize("tag", LANGUAGES)
def test_keys_and_verdict_words_are_the_same_in_every_language(tag: str) -> None:
    """The code reads them: what is translated is what explains them."""
    for name in {*JUDGES, *OTHERS} - {"repair"}:
        words = set(re.findall(r"`([A-Za-z_]+)`", standard().text(name, ENGLISH)))
        assert words == set(re.findall(r"`([A-Za-z_]+)`", standard().text(name, tag))), name
    assert {support.value for support in Support} <= set(re.findall(r"`(\w+)`", standard().text("faithfulness", tag)))


@pytest.mark.parametrize(("tag", "language"), TAGS)
def test_the_items_tag_chooses_the_language(tag: str, language: str) -> None:
    """Whatever the text is written in; English where there is no prompt."""
    for text in (SIMPLIFIED, TRADITIONAL, "How tall is it?"):
        assert language_of(item(text, question=text, language=tag)) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (TRADITIONAL, "zh-Hant"), (SIMPLIFIED, "zh-Hans"), (KOREAN, "ko"), (JAPANESE, ENGLISH),
        ("How tall is it?", ENGLISH), ("Combien mesure-t-elle ?", ENGLISH), ("Какая высота?", ENGLISH), ("330", ENGLISH), ("", ENGLISH),
        ("人口一千三百万。", "zh-Hans"), ("人口一千三百萬。", "zh-Hant"), ("人口三千。", "zh-Hans"), ("\ud800", ENGLISH),
    ],
)  # fmt: skip
def test_without_a_tag_the_script_chooses_the_language(text: str, language: str) -> None:
    """Traditional where characters of it outnumber simplified ones; simplified where neither tells."""
    for tag in (None, ""):
        assert language_of(item(text, question=text, language=tag)) == language


@pytest.mark.parametrize(("text", "language"), [(TRADITIONAL, "zh-Hant"), (SIMPLIFIED, "zh-Hans"), ("330", "zh-Hans")])
def test_a_tag_for_chinese_alone_leaves_the_script_to_the_characters(text: str, language: str) -> None:
    """The tag zh says neither."""
    assert language_of(item(text, question=text, language="zh")) == language


def test_the_chosen_language_reaches_the_model() -> None:
    """Task and form of the reply are both in it."""
    for text, tag in ((TRADITIONAL, "zh-Hant"), (SIMPLIFIED, "zh-Hans"), (KOREAN, "ko"), ("It is 330 m.", ENGLISH)):
        for judge in every_judge(Mode.JSON_SCHEMA):
            ask = next(judge.steps(item(text, question=text, reference="r")))
            assert ask.system.endswith(standard().text("reply_schema", tag))


def test_a_folder_of_ones_own_replaces_what_it_holds_and_nothing_else(tmp_path: Path) -> None:
    """By language too."""
    prompts = with_own(own(tmp_path, faithfulness__en="Mine.", repair__ko="{fault} 다시"))

    assert prompts.text("faithfulness", "en") == "Mine."
    assert prompts.text("repair", "ko") == "{fault} 다시"
    changed = {("faithfulness", "en"), ("repair", "ko")}
    assert {key for key, text in prompts.texts.items() if standard().texts[key] != text} == changed


def test_the_highest_version_wins(tmp_path: Path) -> None:
    """By number, not by letters; a file without a version is above them all."""
    folder = own(tmp_path, aspect__en__v2="2 {aspect}", aspect__en__v10="10 {aspect}", aspect__en__v9="9 {aspect}")
    assert with_own(folder).text("aspect", "en") == "10 {aspect}"

    own(tmp_path, aspect__en="none {aspect}")
    assert with_own(folder).text("aspect", "en") == "none {aspect}"


def test_a_byte_order_mark_is_no_part_of_a_prompt(tmp_path: Path) -> None:
    """Editors on Windows write one."""
    (tmp_path / "faithfulness.en.txt").write_bytes("Mine.\r\n".encode("utf-8-sig"))

    assert with_own(tmp_path).text("faithfulness", "en") == "Mine."


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("faithfullness__en", "x", "faithfullness.en"),
        ("faithfulness__fr", "x", "faithfulness.fr"),
        ("faithfulness__zh", "x", "faithfulness.zh"),
        ("faithfulness", "x", "faithfulness.txt"),
        ("Faithfulness__en", "x", "Faithfulness.en.txt"),
        ("aspect__en", "Is it so?", "aspect.en lacks {aspect}"),
        ("reply_json__ko", "JSON", "reply_json.ko lacks {schema}"),
        ("reply_last_line__en", "{lines}", "reply_last_line.en lacks {line}"),
        ("repair__zh-Hans", "重来", "repair.zh-Hans lacks {fault}"),
        ("faithfulness__en", " \n", "faithfulness.en is empty"),
    ],
)
def test_a_prompt_that_cannot_serve_is_told(tmp_path: Path, name: str, text: str, words: str) -> None:
    """A file that nobody would read, or without the place for the form, is an error before the first call."""
    with pytest.raises(UsageError, match=re.escape(words)):
        with_own(own(tmp_path, **{name: text}))


def test_a_folder_that_holds_nothing_is_told(tmp_path: Path) -> None:
    """Missing, empty, or with a file that is no text."""
    with pytest.raises(UsageError, match="is no folder"):
        with_own(tmp_path / "none")
    with pytest.raises(UsageError, match="holds none"):
        with_own(tmp_path)
    (tmp_path / "faithfulness.en.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="cannot be read"):
        with_own(tmp_path)


def test_the_digest_changes_with_one_letter_in_any_language() -> None:
    """And with nothing but the texts under the names it is asked for."""
    texts = standard().texts
    digest = standard().digest("faithfulness", "repair")
    for key, text in texts.items():
        changed = Prompts({**texts, key: text + "."})
        assert (changed.digest("faithfulness", "repair") != digest) is (key[0] in ("faithfulness", "repair"))
    assert re.fullmatch("[0-9a-f]{8}", digest)
    assert Prompts(dict(reversed(texts.items()))).digest("repair", "faithfulness") == digest


def test_another_letter_is_another_signature(tmp_path: Path) -> None:
    """In the task, the repair or the way to reply that is used; a judge that uses none of them keeps its signature."""
    usual = setup().signature("faithfulness", "faithfulness", 1)
    for name, is_used in (("faithfulness__ko", True), ("repair__ko", True), ("reply_schema__ko", True), ("reply_json__ko", False), ("correctness__ko", False)):  # fmt: skip
        folder = own(tmp_path / name, **{name: "x {fault} {schema}"})
        changed = setup(prompts=with_own(folder)).signature("faithfulness", "faithfulness", 1)
        assert (changed != usual) is is_used
