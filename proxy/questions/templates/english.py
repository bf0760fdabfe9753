"""Patterns of English sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from proxy.questions.templates.facts import NUMBER, Fact, spellings

_NO_NAME = (
    "It|He|She|They|We|You|I|This|That|These|Those|There|Here|Its|His|Her|Their|Our|My|Your|In|On|At|By|For|From|If|When|While|"
    "After|Before|Since|As|But|And|Or|So|Then|What|Who|Which|How|Why|Where|Each|Every|Both|All|Some|Most|Many|One|Two|Another"
)
_JOIN = "(?:(?:of|the|and|de|du|la|for) )"
_SUBJECT = (
    rf"(?P<subject>(?!(?:{_NO_NAME})\b)(?:[Tt]he [\w'’-]+(?: [\w'’-]+){{0,4}}?"
    rf"|[A-Z][\w'’-]*(?: {_JOIN}{{0,2}}[A-Z0-9][\w'’-]*){{0,6}}))"
)
_YEAR = r"(?P<answer>(?:1[0-9]|20)\d\d)(?![\d,.]\d|\w)"
_END = r"(?=[.,;!]|$)"
_DONE = (
    "built|founded|opened|completed|established|born|published|released|introduced|launched|created|invented|discovered|"
    "constructed|inaugurated|approved|signed|adopted|closed|renovated|formed|acquired"
)
_DID = {"opened": "open", "closed": "close", "died": "die", "began": "begin", "started": "start", "ended": "end"}
_DOES = {"opens": "open", "closes": "close", "starts": "start", "ends": "end"}
_UNIT = r"(?:metres|meters|kilometres|kilometers|centimetres|centimeters|feet|inches|miles|km|cm|mm|m|ft|years)"
_PEOPLE = "director|president|author|mayor|founder|chair|head|manager|architect"
_THINGS = "capital|currency|official language"
_OWNER = r"(?P<subject>[^.,;!]{2,60}?)"
_NAME = r"[A-Z][\w'’-]*"


class _Pattern(NamedTuple):
    """A pattern of a sentence, and how it asks."""

    name: str
    pattern: re.Pattern[str]
    ask: Callable[[re.Match[str], str], str]


def _pattern(name: str, pattern: str, ask: Callable[[re.Match[str], str], str]) -> _Pattern:
    return _Pattern(name, re.compile(pattern), ask)


_PATTERNS = (
    _pattern(
        "year_done",
        rf"{_SUBJECT} (?P<be>was|were) (?P<verb>{_DONE})(?: [^.,;]{{1,60}}?)?? in {_YEAR}",
        lambda match, subject: f"In which year {match['be']} {subject} {match['verb']}?",
    ),
    _pattern(
        "year_did",
        rf"{_SUBJECT} (?P<verb>{'|'.join(_DID)}) in {_YEAR}",
        lambda match, subject: f"In which year did {subject} {_DID[match['verb']]}?",
    ),
    _pattern(
        "measure",
        rf"{_SUBJECT} (?P<be>is|are) (?P<answer>{NUMBER} {_UNIT}) (?P<how>tall|high|long|wide|deep|thick|old)\b",
        lambda match, subject: f"How {match['how']} {match['be']} {subject}?",
    ),
    _pattern(
        "count",
        rf"{_SUBJECT} (?P<verb>has|have) (?P<answer>\d[\d,]*) (?P<noun>[a-z-]+s)(?=[.;!]|$| and )",
        lambda match, subject: f"How many {match['noun']} {_do(match['verb'])} {subject} have?",
    ),
    _pattern(
        "price",
        rf"{_SUBJECT} (?P<verb>costs?) (?P<answer>[$€£¥]{NUMBER}|{NUMBER} (?:euros|dollars|pounds|yen|won))\b",
        lambda match, subject: f"How much {'does' if match['verb'] == 'costs' else 'do'} {subject} cost?",
    ),
    _pattern(
        "time",
        rf"{_SUBJECT} (?P<verb>{'|'.join(_DOES)}) at (?P<answer>\d{{1,2}}(?::\d\d(?: ?[ap]\.?m)?| ?[ap]\.?m))\b",
        lambda match, subject: f"At what time does {subject} {_DOES[match['verb']]}?",
    ),
    _pattern(
        "place",
        rf"{_SUBJECT} (?P<be>is|are) (?P<how>located|situated|based) (?:in|on|at) (?P<answer>[^.,;!]{{2,60}}){_END}",
        lambda match, subject: f"Where {match['be']} {subject} {match['how']}?",
    ),
    _pattern(
        "attribute_number",
        rf"The (?P<attribute>[a-z]+(?: [a-z]+){{0,2}}) of {_OWNER} is (?P<answer>{NUMBER}(?: ?[\w%°/]+){{0,2}}){_END}",
        lambda match, subject: f"What is the {match['attribute']} of {subject}?",
    ),
    _pattern(
        "attribute_name",
        rf"The (?P<attribute>{_THINGS}) of {_OWNER} is (?P<answer>{_NAME}(?: {_NAME}){{0,3}}){_END}",
        lambda match, subject: f"What is the {match['attribute']} of {subject}?",
    ),
    _pattern(
        "person",
        rf"The (?P<attribute>{_PEOPLE}) of {_OWNER} is (?P<answer>{_NAME}(?: (?:[A-Z]\. )?{_NAME}){{1,3}}){_END}",
        lambda match, subject: f"Who is the {match['attribute']} of {subject}?",
    ),
)


def facts(sentence: str) -> Iterator[Fact]:
    """Yield the facts of an English sentence."""
    for name, pattern, ask in _PATTERNS:
        if match := pattern.match(sentence):
            subject = match["subject"]
            inside = f"the {subject[4:]}" if subject.startswith("The ") else subject
            answer = match["answer"].strip(" .")
            yield Fact(ask(match, inside), spellings(answer), f"en.{name}")


def _do(verb: str) -> str:
    return "does" if verb == "has" else "do"
