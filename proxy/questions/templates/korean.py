"""Patterns of Korean sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from proxy.questions.templates.facts import NUMBER, Fact, spellings

_SUBJECT = r"(?P<subject>(?!(?:이|그|저|이것|그것|우리|나|너)[은는이가의 ])[^.,!?;:()]{1,30}?)"
_TOPIC = "(?:은|는|이|가)"
_ENDINGS = {"되": "되었나요", "됐": "되었나요", "하": "했나요", "했": "했나요"}
_YEAR = re.compile(
    rf"{_SUBJECT}{_TOPIC} (?P<year>\d{{4}})년에 (?P<verb>[가-힣]{{1,6}}?)(?:(?P<end>되|됐|하|했)(?:었|였)?(?:다|습니다))$"
)
_COUNTERS = "개|명|대|층|곳|권|석|실|동"
_COUNT = re.compile(
    rf"(?P<subject>[^.,!?;:()]{{1,30}}?에는?) (?P<noun>[가-힣]{{1,10}}?[이가]) "
    rf"(?P<answer>\d[\d,]*(?P<counter>{_COUNTERS}))[가이]? 있(?:다|습니다)$"
)
_PLACE = re.compile(
    rf"{_SUBJECT}{_TOPIC} (?P<answer>[^.,!?;:()]{{2,30}}?)에 위치(?:한다|합니다|해 있다|해 있습니다|하고 있다)$"
)
_PEOPLE = "관장|원장|시장|저자|설립자|대표|교장|회장"
_THINGS = "수도|통화|공용어"
_ATTRIBUTE = re.compile(
    rf"{_SUBJECT}의 (?P<attribute>[가-힣]{{2,8}}(?: [가-힣]{{2,8}})?)[은는] "
    rf"(?P<answer>{NUMBER} ?[^\s.,!?\d]{{0,6}}?|[^.,!?;:\d]{{2,20}}?)(?:이다|입니다|다)$"
)


def facts(sentence: str) -> Iterator[Fact]:
    """Yield the facts of a Korean sentence."""
    sentence = sentence.rstrip(".! ")
    if match := _YEAR.match(sentence):
        question = f"{with_topic(match['subject'])} 몇 년에 {match['verb']}{_ENDINGS[match['end']]}?"
        yield Fact(question, (f"{match['year']}년", match["year"]), "ko.year")
    if match := _COUNT.match(sentence):
        question = f"{match['subject']} {match['noun']} 몇 {match['counter']} 있나요?"
        yield Fact(question, (match["answer"],), "ko.count")
    if match := _PLACE.match(sentence):
        yield Fact(f"{with_topic(match['subject'])} 어디에 위치해 있나요?", (match["answer"],), "ko.place")
    if match := _ATTRIBUTE.match(sentence):
        yield from _attribute(match)


def _attribute(match: re.Match[str]) -> Iterator[Fact]:
    attribute, answer = match["attribute"], match["answer"]
    stem = f"{match['subject']}의 {with_topic(attribute)}"
    if answer[0].isdigit():
        yield Fact(f"{stem} 얼마인가요?", spellings(answer), "ko.attribute_number")
    elif re.fullmatch(_PEOPLE, attribute):
        yield Fact(f"{stem} 누구인가요?", (answer,), "ko.person")
    elif re.fullmatch(_THINGS, attribute):
        yield Fact(f"{stem} 무엇인가요?", (answer,), "ko.attribute_name")


def with_topic(noun: str) -> str:
    """Return a noun with its topic particle: 은 after a final consonant, else 는."""
    last = noun[-1]
    has_final = "가" <= last <= "힣" and (ord(last) - ord("가")) % 28 > 0
    return f"{noun}{'은' if has_final else '는'}"
