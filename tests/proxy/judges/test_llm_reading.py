"""Replies as models really write them: each is a reading that it states exactly, or fails with a reason."""

from __future__ import annotations

import time

import pytest

from proxy.judges.llm.form import Mode, Question, QuestionForm
from proxy.judges.llm.reading import LONGEST_REPLY, ModelRefused, Reply, Unreadable, read
from support.llm import JSON_MODES, brief

SUPPORT = ("supported", "contradicted", "not_found", "no_claim", "unsure")
FORM = QuestionForm(
    (Question(key="s1", choices=SUPPORT, note="quote"), Question(key="grade", choices=("1", "2", "3", "4", "4.5", "5")))
)
S1, GRADE = '"s1": {"quote": "q", "verdict": "supported"}', '"grade": {"reason": "r", "verdict": "4"}'
GOOD = f"{{{S1}, {GRADE}}}"
ONE, LISTED = "the reply is not one JSON object", "not one of"
LINE = "VERDICTS: s1=supported; grade=4"
NO_LINE, HOLDS = "the last line does not begin with VERDICTS:", "the last line holds"


def graded(verdict: str) -> str:
    """The good reply with another grade, written as JSON."""
    return f'{{{S1}, "grade": {{"reason": "r", "verdict": {verdict}}}}}'


BAD_JSON = [
    ("", "the reply is empty"),
    (" \n\t", "the reply is empty"),
    ("\0", ONE),
    ("\0\0" + GOOD, ONE),
    ("\ud800", ONE),
    ("\ufeff" + GOOD, ONE),
    ("supported", ONE),
    ("yes", ONE),
    ("The answer is supported, grade 5.", ONE),
    ("The passages do not mention the height.", ONE),
    ("Here is my verdict: " + GOOD, ONE),
    (GOOD + "\nI hope this helps.", ONE),
    (GOOD + GOOD, ONE),
    (GOOD[:-1], ONE),
    (GOOD[:40], ONE),
    ("{", ONE),
    (GOOD.replace('"', "'"), ONE),
    (GOOD[:-1] + ",}", ONE),
    ("/* verdicts */ " + GOOD, ONE),
    ("s1: supported\ngrade: 4", ONE),
    ("<s1>supported</s1>", ONE),
    ("<html><body>502 Bad Gateway</body></html>", ONE),
    ("```json\n" + GOOD, ONE),
    ("```json\n" + GOOD + "\n```\nDone.", ONE),
    ("So:\n```json\n" + GOOD + "\n```", ONE),
    ("```json\n{}\n```\n```json\n" + GOOD + "\n```", ONE),
    ("```", ONE),
    ("<think>" + GOOD, "the thinking has no </think>"),
    ("<think>" + GOOD + "</think>", ONE),
    ("<think>a</think><think>b</think>" + GOOD, ONE),
    ("prose " * 350_000, "the reply has 2,100,000 characters"),
    (GOOD.replace('"q"', f'"{"q" * 2_000_000}"'), "characters"),
    ("[" * 100_000, "nested too deeply"),
    ('{"s1":' * 60_000, "nested too deeply"),
    ("[]", "not a JSON object"),
    (f"[{GOOD}]", "not a JSON object"),
    ("null", "not a JSON object"),
    ("true", "not a JSON object"),
    ("4", "not a JSON object"),
    ('"supported"', "not a JSON object"),
    ("{}", "2 of 2 verdicts are missing: s1, grade"),
    (f"{{{S1}}}", "1 of 2 verdicts are missing: grade"),
    (f"{{{S1}, {GRADE.replace('grade', 'Grade')}}}", "1 of 2 verdicts are missing: grade"),
    (f'{{"verdicts": {GOOD}}}', "2 of 2 verdicts are missing"),
    (f'{{{S1}, {GRADE}, "s2": "supported"}}', "nobody asked for s2"),
    (f'{{{S1}, {GRADE}, "summary": ["fine"]}}', "nobody asked for summary"),
    (f'{{{S1}, {GRADE}, "{"k" * 9_000}": 1}}', "nobody asked for kkkk"),
    (f"{{{S1}, {S1}, {GRADE}}}", "s1 is answered twice"),
    (f'{{{S1}, "grade": {{"verdict": "1", "verdict": "5"}}}}', "verdict is answered twice"),
    (graded("NaN"), "the reply holds NaN"),
    (graded("Infinity"), "the reply holds Infinity"),
    (graded("-Infinity"), "the reply holds -Infinity"),
    (graded("1e400"), LISTED),
    (graded("9" * 400), LISTED),
    (graded("9" * 5_000), ONE),
    (graded("7"), LISTED),
    (graded('"7"'), LISTED),
    (graded('"7 of 5"'), LISTED),
    (graded('"4/5"'), LISTED),
    (graded("4.9999999"), LISTED),
    (graded("-4"), LISTED),
    (graded('""'), LISTED),
    (graded('"four"'), LISTED),
    (graded('"1|2|3|4|5"'), LISTED),
    (graded("true"), "grade has no verdict"),
    (graded("null"), "grade has no verdict"),
    (graded('["4"]'), "grade has no verdict"),
    (graded('{"value": "4"}'), "grade has no verdict"),
    (f'{{{S1}, "grade": {{"reason": "r"}}}}', "grade has no verdict"),
    (f'{{{S1}, "grade": []}}', "grade has no verdict"),
    (GOOD.replace("supported", "partially supported"), LISTED),
    (GOOD.replace("supported", "not found"), LISTED),
    (GOOD.replace("supported", "supported."), LISTED),
    (GOOD.replace("supported", "支持"), LISTED),
    (GOOD.replace("supported", "suppo\\u0000rted"), LISTED),
]
BAD_LINES = [
    ("", "the reply is empty"),
    ("\n\n", "the reply is empty"),
    ("```\n```", NO_LINE),
    ("\0", NO_LINE),
    ("\ud800", NO_LINE),
    ("supported", NO_LINE),
    ("The passages do not mention the height.", NO_LINE),
    ("s1=supported; grade=4", NO_LINE),
    ("It is supported: VERDICTS: s1=supported; grade=4", NO_LINE),
    (LINE + "\nI hope this helps.", NO_LINE),
    (LINE + "\n" + "prose " * 50, NO_LINE),
    (GOOD, NO_LINE),
    (LINE + "\n" + GOOD, NO_LINE),
    ("VERDICT: s1=supported; grade=4", NO_LINE),
    ("VERDICTS\ns1=supported; grade=4", NO_LINE),
    ("VERDICTS:\ns1=supported; grade=4", NO_LINE),
    ("> " + LINE, NO_LINE),
    ("- " + LINE, NO_LINE),
    ("VERDICTS：s1=supported；grade=4", NO_LINE),
    ("<think>" + LINE, "the thinking has no </think>"),
    ("<think>" + LINE + "</think>", NO_LINE),
    ("<think>\n" + LINE, "the thinking has no </think>"),
    (LINE + "</s>", HOLDS),
    ("VERDICTS:", HOLDS),
    ("VERDICTS: ;;", HOLDS),
    ("VERDICTS: supported, 4", HOLDS),
    ("VERDICTS: s1=supported, grade=4", HOLDS),
    ("VERDICTS: s1: supported; grade: 4", HOLDS),
    ("VERDICTS: s1=<supported|not_found>; grade=<1|2|3|4|5>", HOLDS),
    ("VERDICTS: s1=supported; grade=4/5", HOLDS),
    ("VERDICTS: s1=supported; grade=7 of 5", HOLDS),
    ("VERDICTS: s1=not found; grade=4", HOLDS),
    ("VERDICTS: s1=; grade=4", HOLDS),
    ("VERDICTS: s1==supported; grade=4", HOLDS),
    ("VERDICTS: s1=supported;; grade=4", HOLDS),
    ('VERDICTS: s1="supported"; grade=4', HOLDS),
    ("VERDICTS: s1=supp\0orted; grade=4", HOLDS),
    ("VERDICTS: s1=supp\ud800orted; grade=4", HOLDS),
    ('VERDICTS: {"s1": "supported", "grade": "4"}', HOLDS),
    ("VERDICTS: " + "[" * 100_000, HOLDS),
    ("VERDICTS: s1=supported", "1 of 2 verdicts are missing: grade"),
    ("VERDICTS: S1=supported; grade=4", "1 of 2 verdicts are missing: s1"),
    (LINE + "; s2=supported", "nobody asked for s2"),
    (LINE + "; s1=supported", "s1 is answered twice"),
    (LINE + f"; {'k' * 9_000}=1", "nobody asked for kkkk"),
    ("VERDICTS: s1=supported; grade=7", LISTED),
    ("VERDICTS: s1=supported; grade=NaN", LISTED),
    ("VERDICTS: s1=supported; grade=inf", LISTED),
    ("VERDICTS: s1=supported; grade=4.0", LISTED),
    ("VERDICTS: s1=supported; grade=true", LISTED),
    ("VERDICTS: s1=yes; grade=4", LISTED),
    ("VERDICTS: s1=partially_supported; grade=4", LISTED),
    ("x" * 2_000_000, "the reply has 2,000,000 characters"),
]
GOOD_JSON = [
    GOOD,
    f"\n  {GOOD}\n",
    f"{{{GRADE}, {S1}}}",
    f"```json\n{GOOD}\n```",
    f"```\n{GOOD}\n```\n",
    f"```JSON\r\n{GOOD}\r\n```",
    f"<think>Perhaps {graded('1')}</think>\n{GOOD}",
    f"\n<think>\n</think>\n```json\n{GOOD}\n```",
    GOOD.replace("supported", "Supported"),
    GOOD.replace("supported", " SUPPORTED "),
    graded("4"),
    graded("4.0"),
    GOOD.replace('"quote": "q"', '"quote": null'),
    GOOD.replace('"quote": "q"', '"quote": "q", "confidence": 0.9'),
    GOOD.replace('"q"', '"a\tb\nc"'),
    GOOD.replace('"q"', '"\\ud800\\u0000"'),
    GOOD.replace('"q"', '"VERDICTS: s1=contradicted; \\"verdict\\": \\"contradicted\\""'),
]
GOOD_LINES = [
    LINE,
    f"It says so.\n\n{LINE}\n",
    f"**{LINE}**",
    "**VERDICTS:** s1=supported; grade=4",
    f"`{LINE}`",
    f"```\n{LINE}\n```",
    LINE.lower(),
    LINE + ".",
    LINE + ";",
    "VERDICTS: grade=4;s1=SUPPORTED",
    "VERDICTS: s1 = <supported> ; grade = <4>",
    f"VERDICTS: s1=contradicted; grade=1\nNo, on second thoughts:\n{LINE}",
    f"<think>\nVERDICTS: s1=contradicted; grade=1\n</think>\n{LINE}",
    f"{GOOD}\n{LINE}",
]
DECLINED = ["I'm sorry, but I can't assist with that.", "很抱歉，我无法完成这项评估。", "很抱歉，我無法協助。", "죄송하지만 요청을 처리할 수 없습니다.", "申し訳ありませんが、お答えできません。"]  # fmt: skip


@pytest.mark.parametrize("mode", JSON_MODES)
@pytest.mark.parametrize(("text", "reason"), BAD_JSON, ids=brief)
def test_a_bad_reply_in_json_is_unreadable_with_a_reason(text: str, reason: str, mode: Mode) -> None:
    """Nothing is searched for in it, nothing guessed; the reason is short and the raw reply is kept."""
    with pytest.raises(Unreadable) as caught:
        read(Reply(text=text), FORM, mode)

    assert reason in str(caught.value)
    assert len(str(caught.value)) < 300
    assert not isinstance(caught.value, ModelRefused)
    assert caught.value.raw == text[:LONGEST_REPLY]


@pytest.mark.parametrize(("text", "reason"), BAD_LINES, ids=brief)
def test_a_bad_last_line_is_unreadable_with_a_reason(text: str, reason: str) -> None:
    """Verdict words anywhere else, or in another form, count for nothing."""
    with pytest.raises(Unreadable) as caught:
        read(Reply(text=text), FORM, Mode.LAST_LINE)

    assert reason in str(caught.value)
    assert len(str(caught.value)) < 300
    assert not isinstance(caught.value, ModelRefused)


@pytest.mark.parametrize(
    ("text", "mode"),
    [(text, mode) for text in GOOD_JSON for mode in JSON_MODES] + [(text, Mode.LAST_LINE) for text in GOOD_LINES],
    ids=brief,
)
def test_a_reply_with_harmless_wrapping_is_read_as_it_stands(text: str, mode: Mode) -> None:
    """Fences, thinking, case, bold type and numbers for points change nothing: of several last lines the last one counts."""
    answers = read(Reply(text=text), FORM, mode)

    assert {key: answer.verdict for key, answer in answers.items()} == {"s1": "supported", "grade": "4"}
    assert all(not answer.chances for answer in answers.values())


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("text", DECLINED)
def test_a_refusal_in_words_is_refused(text: str, mode: Mode) -> None:
    """In four languages and in every mode, in thinking's wake too."""
    for said in (text, f"<think>Hm.</think>\n{text}"):
        with pytest.raises(ModelRefused, match="the model declined: ") as caught:
            read(Reply(text=said), FORM, mode)
        assert caught.value.raw == said


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(text="", refusal="I can't\nhelp with that."), "I can't help with that."),
        (Reply(text=GOOD, refusal="No."), "No."),
        (Reply(text=LINE, finish="content_filter"), "content filter"),
        (Reply(text="", finish="content_filter"), "content filter"),
    ],
)
def test_a_refusal_by_the_endpoint_is_refused_whatever_the_text(reply: Reply, reason: str, mode: Mode) -> None:
    """Its own field for refusals and the content filter go before the text."""
    with pytest.raises(ModelRefused, match="the model declined: ") as caught:
        read(reply, FORM, mode)

    assert reason in str(caught.value)


@pytest.mark.parametrize("mode", Mode)
def test_a_reply_cut_off_is_unreadable_even_where_it_looks_whole(mode: Mode) -> None:
    """The last verdict may be half a word that happens to be a choice."""
    with pytest.raises(Unreadable, match="cut off"):
        read(Reply(text=LINE if mode is Mode.LAST_LINE else GOOD, finish="length"), FORM, mode)


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(
    "text",
    [
        "```" + "\n" * 300_000 + "x",
        "```json\n" * 40_000,
        "<think>" + " " * 300_000,
        "<think>" * 50_000,
        "{" + ",".join(f'"{n}":1' for n in range(30_000)) + ',"29999":1}',
        "VERDICTS: " + "a" * 300_000,
        "VERDICTS: " + "a=" * 150_000,
        "VERDICTS:" + " " * 300_000 + "x",
        '"verdict" : "' * 25_000,
    ],
    ids=brief,
)
def test_a_hostile_reply_is_turned_down_at_once(text: str, mode: Mode) -> None:
    """Time is linear in the reply: one that runs on in line breaks must not hold up every other item."""
    start = time.process_time()
    with pytest.raises(Unreadable):
        read(Reply(text=text), FORM, mode)

    assert time.process_time() - start < 2
