"""Refusals told from answers, in English, Simplified and Traditional Chinese, Korean and Japanese."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from proxy.text.refusals import declines, is_refusal

REFUSALS = [
    "I'm unable to provide that information.",
    "I'm just an AI and can't give medical advice.",
    "The answer is not in the passages.",
    "Cannot be determined from the passages.",
    "很抱歉，提供的文本中没有提到该信息。",
    "目前沒有足夠的資訊可以回答。",
    "정확한 답을 모르겠습니다.",
    "申し訳ありませんが、わかりかねます。",
    "I don't know.",
    "I don’t know the answer to that.",
    "I'm sorry, but I can't assist with that.",
    "I’m sorry, but I can’t help with that request.",
    "Sorry, I cannot help.",
    "As an AI language model, I cannot provide medical advice.",
    "As an AI, I cannot answer this question.",
    "I cannot find the answer in the passages.",
    "I could not find any information about this in the provided documents.",
    "The document does not provide information about the exact kind of varnish with which the old boatmen sealed their oars.",
    "The provided context doesn't mention when it was built.",
    "There is no information in the passages about the founder.",
    "No answer found.",
    "Not mentioned in the context.",
    "The date of birth is not mentioned in the passages.",
    "Unfortunately, I do not have enough information to answer this question.",
    "Based on the provided documents, I am unable to determine who wrote the song.",
    "I'm not sure.",
    "I am not able to answer this.",
    "Unanswerable.",
    "None of the passages mention this.",
    "The answer cannot be determined from the given text.",
    "It is not possible to determine this from the context.",
    "I apologize, but I don't have access to real-time data.",
    "My apologies, but I must decline.",
    "Sure, I'd be happy to help! However, the document does not mention the price.",
    "I have no idea.",
    "I won't be able to help with that.",
    "Insufficient information to answer.",
    "The passages do not contain the answer.",
    "I do not have information on that topic.",
    "I can't say based on the context.",
    "很抱歉，我无法回答这个问题。",
    "很抱歉，我無法回答這個問題。",
    "抱歉，我不知道。",
    "我不知道。",
    "对不起，根据提供的资料，我找不到相关信息。",
    "對不起，根據提供的資料，我找不到相關資訊。",
    "根据所给的上下文，无法确定答案。",
    "文中没有提到这一点。",
    "文件中未提及此資訊。",
    "作为一个人工智能助手，我不能提供医疗建议。",
    "作為AI，我無法提供協助。",
    "资料不足，无法回答。",
    "提供的文档中没有相关信息。",
    "很遗憾，我没有足够的信息来回答您的问题。",
    "죄송하지만 해당 요청에는 도움을 드릴 수 없습니다.",
    "죄송합니다. 잘 모르겠습니다.",
    "모르겠습니다.",
    "제공된 문서에서 해당 정보를 찾을 수 없습니다.",
    "문서에는 이 내용이 언급되어 있지 않습니다.",
    "죄송합니다만, 저는 AI로서 의학적 조언을 제공할 수 없습니다.",
    "정보가 부족하여 답변하기 어렵습니다.",
    "답변드릴 수 없습니다.",
    "알 수 없습니다.",
    "申し訳ありませんが、お答えできません。",
    "申し訳ございませんが、その質問にはお答えすることができません。",
    "わかりません。",
    "提供された文書には情報がありません。",
    "文脈にその記載は見つかりませんでした。",
    "すみません、分かりません。",
    "申し訳ありませんが、そのリクエストには対応できません。",
]
ANSWERS = [
    "The results do not include 2020, but show a growth of 3 %.",
    "There is no information desk at Terminal 2.",
    "資料は2020年に作られました。",
    "情報システム部はありません。",
    "정보 보호 책임자는 홍길동이다.",
    "该公司没有提供股息。",
    "The Eiffel Tower is 330 metres tall.",
    'The song "I Don\'t Know" was released in 1976.',
    "Paris is the capital of France. I don't know its population.",
    "Do not take this medicine with alcohol; it is not safe.",
    "No, you should not take aspirin.",
    "No. The vaccine does not contain live virus.",
    "The vaccine does not contain eggs.",
    "Sorry is a song by Justin Bieber released in 2015.",
    "The drug is not available in the United States.",
    "There is no evidence that vaccines cause autism.",
    "He said that he cannot help them.",
    "As a child, I could not have known: the tower was built in 1889.",
    "You cannot be refused treatment for that reason.",
    "No information was leaked by the minister in 1974.",
    "I Can't Get No Satisfaction was written by Jagger and Richards.",
    "Unknown Pleasures is the first album by Joy Division.",
    "Based on the document, the tower is 330 metres tall.",
    "I can't help but notice that the tower is tall.",
    "It is not a vegetable.",
    "法国的首都是巴黎。",
    "不可以，阿司匹林不能与华法林同服。",
    "没有证据表明疫苗会导致自闭症。",
    "这种药不能提供长期保护。",
    "孕妇不能服用此药。",
    "我国的首都是北京。",
    "没有，他于1999年去世。",
    "無線網路的密碼在路由器背面。",
    "서울은 대한민국의 수도이다.",
    "이 약은 술과 함께 복용할 수 없습니다.",
    "우주의 끝은 알 수 없는 영역으로 남아 있다.",
    "환불은 7일 이내에만 가능합니다.",
    "미안마의 수도는 네피도이다.",
    "東京は日本の首都です。",
    "この薬はアルコールと一緒に服用できません。",
    "犬にチョコレートを与えてはいけません。",
    "いいえ、富士山は活火山です。",
    "残念賞は三等です。",
]
DECLINED = [
    "I'm sorry, but I can't assist with that.",
    "I can’t help with that.",
    "As an AI, I cannot evaluate this.",
    "I cannot judge this content.",
    "很抱歉，我无法…",
    "很抱歉，我無法協助。",
    "我无法完成这项请求。",
    "죄송하지만…",
    "요청을 처리할 수 없습니다.",
    "申し訳ありませんが",
]
REPLIES = [
    '{"verdict": "not_found"}',
    "The passages do not mention it.",
    "not found",
    "No, the answer is not supported.",
    "Verdict: unsure. I cannot find it.",
    "资料中没有提到。",
    "문서에는 정보가 없습니다.",
    "",
]
CAVEAT = (
    "However, the document mentions that the 8th Battalion was amalgamated with the 1st Battalion in January 1944. "
)


@pytest.mark.parametrize(
    ("phrase_of", "text"),
    [*((is_refusal, text) for text in REFUSALS), *((declines, text) for text in DECLINED)],
)
def test_a_refusal_is_seen(phrase_of: Callable[[str], str | None], text: str) -> None:
    """The phrase that refuses is a part of the text; in place of a verdict an apology or a stated inability is one."""
    phrase = phrase_of(text)

    assert phrase
    assert phrase in text


@pytest.mark.parametrize(
    ("phrase_of", "text"),
    [*((is_refusal, text) for text in ANSWERS), *((declines, text) for text in REPLIES)],
)
def test_an_answer_is_no_refusal(phrase_of: Callable[[str], str | None], text: str) -> None:
    """Negations, titles, quotations and prohibitions are answers; finding nothing in the passages is a verdict."""
    assert phrase_of(text) is None


def test_a_long_answer_with_a_caveat_is_no_refusal() -> None:
    """What is said beside the refusal decides, be it before or after it."""
    assert is_refusal("I don't know the 4th Battalion.") == "I don't know"
    assert is_refusal("I don't know the 4th Battalion. " + CAVEAT * 4) is None
    assert is_refusal(CAVEAT * 4 + "I don't know the rest.") is None
    assert (
        is_refusal("我不知道具体日期。" + "不过文件提到该营于一九四四年一月与第一营合并，并参加了意大利战役。" * 4)
        is None
    )


def test_markup_and_greetings_before_a_refusal_do_not_hide_it() -> None:
    """Models decorate."""
    assert is_refusal("**Answer:** Hello! Thank you for your question. Unfortunately, I can't answer that.")
    assert is_refusal("\n> 您好！很抱歉，根据提供的资料，我无法回答。")


@pytest.mark.parametrize(
    "unit",
    [
        "I ",
        "the ",
        "no ",
        "sorry ",
        "n't not ",
        "in the text ",
        "information ",
        "i can't",
        " ",
        "\n",
        "'",
        "我",
        "文没",
        "정보 ",
        "情報",
        "\ud800",
        "\0",
    ],
)
def test_hostile_text_takes_no_longer_when_longer(unit: str) -> None:
    """Only the opening is read: a thousand times the text takes less than ten times as long."""

    def seconds(count: int) -> float:
        text = "x" + unit * count if unit.isspace() else unit * count
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            is_refusal(text)
            declines(text)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(1_000_000) < 10 * seconds(1_000) + 0.001
