"""Detect refusals: texts that open by saying that they cannot or will not answer, and then say little else.

The text is an answer, or a model's reply, in English, Chinese, Japanese or Korean. Only the opening is read, so that a
text of any size takes the same time, and an answer with a caveat is no refusal.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

# The refusal must begin after greetings only and leave little beside it; an East Asian character counts three times.
_OPENING, _REST, _EAST_ASIAN = 400, 300, 3
_MOST_LEAD_INS = 8

# Patterns are read without their line breaks and indents; VERBS stands for what is declined.
_NOT = r"(?:n['’]t| ?not)"
_SAME = r"[^.!?;\n]"
_DOCUMENT = r"""
    \b(?:documents?|passages?|contexts?|texts?|sources?|articles?|information|data|(?:search )?results?
    |excerpts?|materials?|knowledge base|paragraphs?|snippets?|files?|content)\b
"""
_KNOWING = r"""
    know|find|locate|determine|tell|say|verify|confirm|see|sure|certain|information|idea|knowledge|access
    |context|opinions?
"""
_DOING = r"""
    answer|provide|give|help(?! but)|assist|comply|discuss|respond|fulfill?|create|generate|engage|continue|judge
    |evaluate|assess|rate|grade|score|share|support|complete|process|participate|advise|do (?:that|this)|offer
    |perform
"""
_UNABLE = rf"""
    (?:(?:do|did|could|would|wo|will|ca|can|am|['’]m|are|['’]re|was|were){_NOT}|unable to|decline|refuse
    |have(?: to)? (?:no|decline)|rather not)
"""
_ENGLISH_SELF = rf"""
    (?:i|we)\b(?:['’](?:m|re|ve|d)\b)?(?: \w+)?? ?{_UNABLE}\b[^.!?;,\n]{{0,25}}?\b(?:VERBS)\b|(?:i|we) (?:must|have to
    |need to)(?: \w+)? (?:decline|refuse)\b
"""
_ENGLISH_CANNOT = _ENGLISH_SELF.replace("VERBS", f"{_KNOWING}|{_DOING}")
_ENGLISH = rf"""
    {_ENGLISH_CANNOT}
    |{_SAME}{{0,80}}?{_DOCUMENT}{_SAME}{{0,40}}? (?:do|does|did){_NOT}(?: \w+){{0,3}}? (?:provide|contain|mention
        |include(?= (?:any|enough|the|this|that|information|details))|say|specify|state|answer|give|have|address
        |discuss|indicate|list|cover|offer|tell|describe|explain)\b
    |none of the{_SAME}{{0,40}}?{_DOCUMENT}
    |(?:{_SAME}{{0,120}}?\b)??(?:is|are|was|were|been|be|can|could)?{_NOT}(?: \w+){{0,2}}? (?:mentioned|provided|stated
        |specified|given|included|found|available|discussed|answered|determined)\b{_SAME}{{0,20}}? (?:in|from|by
        |within|with)\b{_SAME}{{0,40}}?{_DOCUMENT}
    |there (?:is|are|was|were)(?: no| insufficient|{_NOT} (?:enough|any))(?: \w+){{0,3}}? (?:information|mention
        |answers?|details|context)(?= (?:in|on|about|regarding|of|to|for|available|provided|given|that|as)\b|[.,!]|$)
    |(?:no|not enough|insufficient)(?: \w+){{0,2}}? (?:information|answer|context|details)(?= ?[.!]?\s*$
        | (?:\w+ ){{0,2}}?(?:available|found|provided)\b|{_SAME}{{0,60}}? (?:in|from
        |to)\b{_SAME}{{0,40}}?(?:{_DOCUMENT}|answer))
    |(?:the|this|that|your)(?: \w+)? (?:question|answer|information|request)\b{_SAME}{{0,40}}?(?:can|ca|could|is
        |was){_NOT}(?: be)?(?: \w+)?? (?:answered|determined|found|available|provided|fulfilled|possible
        |in (?:the|any|these|those|your))\b
    |(?:can|ca){_NOT} (?:{_DOING})\b
    |it (?:is|was)(?:{_NOT} (?:possible|clear)| impossible| unclear)(?: for me)? (?:to (?:answer|determine|say
        |tell|know)|from)\b
    |(?:unanswerable|unknown|not sure|no idea|do{_NOT} know|no answer|(?:can|ca){_NOT} (?:answer|say|tell)
        |n/a)(?=[.!]?\s*$)
"""
_ENGLISH_SORRY = r"""
    (?:(?:i|we)(?:['’]m| am|['’]re| are) )?(?:(?:so|very|really|truly|deeply|terribly) )?sorry(?: (?:about
        |for) [^.!?,\n]{0,60})?
    |(?:my |our )?(?:sincere )?apologies(?: for [^.!?,\n]{0,60})?|(?:i
        |we)(?: \w+)? apologi[sz]e(?: for [^.!?,\n]{0,60})?
"""
_ENGLISH_LEAD_IN = rf"""
    unfortunately|regrettably|sadly|however|but|and|so|well|hi|hello|hey|there|thanks|thank you[^.!?,\n]{{0,60}}
        |sure|of course|yes|no
    |i(?:['’]d| would) be (?:happy|glad) to (?:help|assist)(?: you)?(?: with (?:that|this))?
        |i['’]m afraid(?: that)?
    |(?:based (?:only |solely )?(?:up)?on|according to|from|given|in
        |within) [^.!?,\n]{{0,80}}?{_DOCUMENT}[^.!?,\n]{{0,60}}(?=,)
    |(?:as|i am|i['’]m|since i am) (?:just |only )?an? (?:\w+ ){{0,2}}(?:ai|language model
        |assistant)\b(?: \w+){{0,4}}?(?=,| and\b| i\b)
    |(?:answer|assistant|response)(?= ?:)
"""

_CLAUSE = r"[^。！？!?\n]"
_CHINESE_SELF = r"""
    (?:我们?|我們|本人|目前|现在|現在|暂时|暫時|这里|這裡|系统|系統|也|还|還){0,4}(?:实在|實在|真的|均
    |都)?(?:无法|無法|不能|没法|沒法|没办法|沒辦法|没有办法|沒有辦法|难以|難以|不便|未能|拒绝
    |拒絕)[^，。！？\n]{0,15}?(?:回答|作答|提供|协助|協助|帮|幫|满足|滿足|处理|處理|完成|讨论|討論|继续|繼續
    |评估|評估|评价|評價|评判|評判|评分|評分|生成|执行|執行VERBS)
"""
_CHINESE_CANNOT = _CHINESE_SELF.replace(
    "VERBS", "|确定|確定|判断|判斷|找到|查到|得知|得出|给出|給出|告诉|告訴|知道|了解|确认|確認"
)
_CHINESE = rf"""
    {_CHINESE_CANNOT}
    |我?(?:们|們)?(?:也|并|並|暂时|暫時|目前)?(?:不知道|不清楚|不太清楚|不确定|不確定|帮不了|幫不了|答不了|回答不了|不了解|不瞭解|不晓得
        |不曉得)
    |{_CLAUSE}{{0,12}}?(?:文中|文本|文档|文件|文檔|上下文|资料|資料|段落|原文|文章|内容|內容|检索|檢索|知识库|知識庫
        |信息|资讯|資訊){_CLAUSE}{{0,25}}?(?:没有|沒有|未|无|無|不包含|不包括|找不到|没|沒){_CLAUSE}{{0,12}}?(?:提到
        |提及|包含|说明|說明|信息|资讯|資訊|资料|資料|答案|涉及|提供|给出|給出|记载|記載|回答|内容|內容)
    |(?:我|目前|现在|現在|暂时|暫時){{0,2}}(?:没有|沒有|找不到|未找到|未能找到|没有找到|沒有找到|查不到|缺乏|缺少|暂无|暫無|并无
        |並無)[^，。！？\n]{{0,15}}?(?:信息|资讯|資訊|资料|資料|答案|依据|依據|内容|內容)
    |(?:相关|相關|现有|現有|提供的)?(?:信息|资讯|資訊|资料|資料)不足
"""
_CHINESE_SORRY = r"""
    (?:我|很|非常|十分|实在|實在|真的){0,3}(?:抱歉|对不起|對不起|不好意思|遗憾|遺憾)
"""
_CHINESE_LEAD_IN = r"""
    您好|你好|但是?|不过|不過|因此|所以|作[为為]一?[个個位名]?[^，。\n]{0,20}，?(?=我|，)
    |(?:根据|根據|依据|依據|基于|基於|从|從|在)[^，。！？\n]{0,40}(?=，)
"""

_JAPANESE_SELF = rf"""
    {_CLAUSE}{{0,40}}?(?:お?答え(?:する|できる)?(?:ことは?)?(?:が|は)?|回答(?:する|を)?(?:ことは?)?(?:が|は)?
    |対応(?:することは)?|提供(?:することは)?|お?手伝い(?:することは)?|お応え|お力になる?こと[がは]?|支援|評価
    |協力)(?:でき|いたしかね|しかね|られ)(?:ません|ない|ます)
"""
_JAPANESE = rf"""
    {_JAPANESE_SELF}
    |(?:私は?|私には|その点は|それは|答えは|詳細は)?、?(?:わかりません|分かりません|わからない|分からない
        |存じません|知りません|不明です|わかりかねます|分かりかねます)(?=[。！]?\s*$|[。、が])
    |{_CLAUSE}{{0,25}}?(?:文書|文脈|資料|情報|記事|本文|文章|テキスト|コンテキスト|文中|検索結果|内容
        |記載)(?=[にはがをかのもで、]){_CLAUSE}{{0,40}}?(?:ありません|されていません|いません|見つかりません|見つけることができません
        |確認できません|判断できません|わかりません|分かりません|不足して|書かれていない|記載がない)
    |(?:答えは?|情報は?|該当する情報は?)?(?:見つかりません|見つけられません|確認できません|判断できません)
"""
_JAPANESE_SORRY = r"""
    (?:大変|誠に)?申し訳(?:ありません|ございません|ない)(?:でした|です)?(?:が|けど)?|すみません(?:が)?
        |すいません(?:が)?|ごめんなさい|恐れ入りますが|恐縮ですが|残念ながら|残念ですが
"""
_JAPANESE_LEAD_IN = r"""
    (?:私は)?(?:AI|人工知能|言語モデル)[^。、\n]{0,20}(?=、)、?
    |こんにちは|しかし|ただし
"""

_NONE = r"없(?:습니다|어요|다|네요|음|지만|으며|으므로|고|었습니다|사오니)"
_KOREAN_SELF = rf"""
    {_CLAUSE}{{0,60}}?(?:답변|답|대답|응답|제공|도움|도와|지원|협조|평가|수행|처리|안내|말씀|논의)(?:을|를|은|는
    |해|에)? ?(?:할|해|해 ?드릴|드릴|드리기|하기|될|줄|이|가)? ?(?:(?:수|수가|수는) ?{_NONE}|(?:가 )?어렵
    |못 ?합니다|불가)
"""
_KOREAN = rf"""
    {_KOREAN_SELF}
    |(?:저는|저도|제가|잘|그건|그것은|정확히|정확한 답[은을]|답을|답은){{0,3}} ?(?:잘 )?(?:모르겠|모릅니다|몰라요
        |모른다|모르는)
    |(?:저는|제가|정확히|답을|정답을|확실히)? ?(?:알|찾을|확인할|판단할) 수(?:가|는)? ?{_NONE}
    |{_CLAUSE}{{0,40}}?(?:문서|문맥|지문|본문|자료|정보|내용|문단|텍스트|맥락|구절|검색 결과|컨텍스트
        |기사){_CLAUSE}{{0,60}}?(?:{_NONE}|부족|못했|못합니다|충분하지 않|(?:있|되|돼|하)지 않(?:습|아|다|았|은 것))
    |(?:관련된? |충분한 )?(?:정보|답|답변|내용)[이가은는을를]? (?:{_NONE}|부족|찾을 수 ?{_NONE}|찾지 못)
"""
_KOREAN_SORRY = r"""
    (?:정말 |대단히 |매우 )?(?:죄송|미안)[^,.。!?\n ]{0,8}|유감[^,.!?\n ]{0,8}|안타깝(?:게도|지만|습니다만)
        |아쉽(?:게도|지만)
"""
_KOREAN_LEAD_IN = r"""
    안녕하세요|하지만|그러나|그런데
    |(?:저는 )?(?:AI|인공지능|언어 모델)[^,.!?\n]{0,20}?(?:로서|로써|이므로|이기 때문에)
"""


def _any(*patterns: str) -> re.Pattern[str]:
    """Compile one pattern that matches any of these."""
    return re.compile("|".join(re.sub(r"\n *", "", pattern) for pattern in patterns), re.IGNORECASE)


class _Patterns(NamedTuple):
    """The phrases that are looked for at the opening."""

    sorry: re.Pattern[str]
    lead_in: re.Pattern[str]
    refusing: re.Pattern[str]
    declining: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    """Compile them once: it takes a twentieth of a second, and most commands look for no refusal."""
    return _Patterns(
        sorry=_any(_ENGLISH_SORRY, _CHINESE_SORRY, _JAPANESE_SORRY, _KOREAN_SORRY),
        lead_in=_any(_ENGLISH_LEAD_IN, _CHINESE_LEAD_IN, _JAPANESE_LEAD_IN, _KOREAN_LEAD_IN),
        refusing=_any(_ENGLISH, _CHINESE, _JAPANESE, _KOREAN),
        declining=_any(
            _ENGLISH_SELF.replace("VERBS", _DOING), _CHINESE_SELF.replace("VERBS", ""), _JAPANESE_SELF, _KOREAN_SELF
        ),
    )


_BETWEEN = re.compile(r"[\s,.:;!…*_#>\"“”「」'，。：；！、~-]*")
_WIDE = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def is_refusal(text: str) -> str | None:
    """Return the phrase by which an answer says that it cannot or will not answer; None for one that answers."""
    return _phrase(text, _patterns().refusing)


def declines(reply: str) -> str | None:
    """Return the phrase by which a model declines a task; None for a reply, even one that finds no support.

    An apology is enough here: no verdict opens with one.
    """
    opening = reply[:_OPENING]
    apology = _patterns().sorry.match(opening, _begin(opening, 0))
    return _phrase(reply, _patterns().declining) or (apology.group() if apology else None)


def _phrase(text: str, pattern: re.Pattern[str]) -> str | None:
    """Return what the pattern matches after the greetings and excuses that a text opens with, if little follows it."""
    text = text.lstrip()
    opening = text[:_OPENING]
    at = 0
    for _ in range(_MOST_LEAD_INS):
        at = _begin(opening, at)
        if match := pattern.match(opening, at):
            return match.group().strip() if _little(text[match.end() : match.end() + _REST + 1]) else None
        lead_in = _patterns().sorry.match(opening, at) or _patterns().lead_in.match(opening, at)
        if lead_in is None or (opening[at].isascii() and opening[lead_in.end() : lead_in.end() + 1].isalpha()):
            return None
        at = lead_in.end()
    return None


def _begin(opening: str, at: int) -> int:
    """Return where the next words begin, after spaces, punctuation and markup."""
    match = _BETWEEN.match(opening, at)
    return match.end() if match else at


def _little(rest: str) -> bool:
    """Return whether what follows a refusal is too short to be an answer after all."""
    return len(rest) + (_EAST_ASIAN - 1) * len(_WIDE.findall(rest)) <= _REST
