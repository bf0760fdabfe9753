"""Patterns of Chinese sentences, in both scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from proxy.questions.templates.facts import NUMBER, Fact, spellings
from proxy.text.language import is_traditional

_PRONOUNS = "它他她这這那此其该該本我你您咱如若当當因但而且并並在於于从從"
_SUBJECT = rf"(?P<subject>(?![{_PRONOUNS}])[^，。、；：！？\s（）()「」“”]{{2,20}}?)"
_DONE = (
    "建成|落成|完工|竣工|成立|創立|创立|創辦|创办|開放|开放|開業|开业|啟用|启用|發布|发布|發表|发表|出版|逝世|出生|通車|通车|開幕|开幕|"
    "上市"
)
_UNIT = "公尺|公里|公分|厘米|米|公斤|千克|噸|吨"
_MEASURE_WORDS = "個|个|間|间|層|层|名|張|张|座|本|位|輛|辆|台|臺|床|條|条"
_PEOPLE = "院長|院长|館長|馆长|校長|校长|市長|市长|作者|創辦人|创办人|負責人|负责人|主席"
_THINGS = "首都|貨幣|货币|官方語言|官方语言"
_YEAR = re.compile(
    rf"{_SUBJECT}(?:[於于在](?P<year>\d{{4}})年(?P<verb>{_DONE})|(?P<verb2>{_DONE})[於于](?P<year2>\d{{4}})年)$"
)
_MEASURE = re.compile(rf"{_SUBJECT}(?:(?<!安)全|[總总])?(?P<how>[高長长寬宽深重])(?P<answer>{NUMBER} ?(?:{_UNIT}))$")
_COUNT = re.compile(rf"{_SUBJECT}共?有(?P<answer>\d[\d,]*) ?(?P<measure>{_MEASURE_WORDS})(?P<noun>[^\W\d]{{1,8}})$")
_PLACE = re.compile(rf"{_SUBJECT}(?P<at>位於|位于)(?P<answer>[^，。、；：！？\s]{{2,20}})$")
_ATTRIBUTE = re.compile(
    rf"{_SUBJECT}的(?P<attribute>[^\W\d]{{2,6}})[是為为](?P<answer>{NUMBER}[^，。、；：！？\s]{{0,6}}|[^，。、；：！？\s\d]{{2,12}})$"
)


def facts(sentence: str) -> Iterator[Fact]:
    """Yield the facts of a Chinese sentence."""
    sentence = sentence.rstrip("。！ ")
    if match := _YEAR.match(sentence):
        year, verb = match["year"] or match["year2"], match["verb"] or match["verb2"]
        yield Fact(f"{match['subject']}是哪一年{verb}的？", (f"{year}年", year), "zh.year")
    if match := _MEASURE.match(sentence):
        yield Fact(f"{match['subject']}有多{match['how']}？", spellings(match["answer"]), "zh.measure")
    if match := _COUNT.match(sentence):
        answers = (f"{match['answer']}{match['measure']}", match["answer"])
        yield Fact(f"{match['subject']}有多少{match['measure']}{match['noun']}？", answers, "zh.count")
    if match := _PLACE.match(sentence):
        where = "哪里" if match["at"] == "位于" else "哪裡"
        yield Fact(f"{match['subject']}{match['at']}{where}？", (match["answer"],), "zh.place")
    if match := _ATTRIBUTE.match(sentence):
        yield from _attribute(match, sentence)


def _attribute(match: re.Match[str], sentence: str) -> Iterator[Fact]:
    """Ask for a number of any attribute, and for a name of those that have one."""
    attribute, answer = match["attribute"], match["answer"]
    stem = f"{match['subject']}的{attribute}是"
    if answer[0].isdigit():
        yield Fact(f"{stem}多少？", spellings(answer), "zh.attribute_number")
    elif re.fullmatch(_PEOPLE, attribute):
        yield Fact(f"{stem}{'誰' if is_traditional(sentence) else '谁'}？", (answer,), "zh.person")
    elif re.fullmatch(_THINGS, attribute):
        yield Fact(f"{stem}{'什麼' if is_traditional(sentence) else '什么'}？", (answer,), "zh.attribute_name")
