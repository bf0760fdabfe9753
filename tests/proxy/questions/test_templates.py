"""Questions by patterns of sentences: what they ask in three languages, and what they leave alone."""

from __future__ import annotations

import pytest

from proxy.questions.conditions import ConditionSettings, conditions, with_change
from proxy.questions.from_templates import from_templates
from proxy.questions.marking import all_hold
from proxy.questions.nearest import PassageIndex
from proxy.questions.records import Ability, BuiltQuestion, DropReason, Passage, QuestionKind, distinct, passage_of
from proxy.questions.templates.reading import facts

TOWERS = (
    ("Eiffel Tower", 1889, 330),
    ("Tokyo Tower", 1958, 333),
    ("Blackpool Tower", 1894, 158),
    ("Sky Needle", 1988, 88),
)
NOISE = (
    "Coffee is served on the roof.",
    "Tickets are sold at the gate.",
    "Dogs stay outside.",
    "The lift is slow on Sundays.",
    "Bring a warm coat in winter.",
)


def corpus(*texts: str) -> PassageIndex:
    return PassageIndex(distinct([passage_of(text) for text in texts]))


def towers() -> PassageIndex:
    built = [
        f"The {name} was completed in {year}. The {name} is {height} metres tall." for name, year, height in TOWERS
    ]
    return corpus(*built, *NOISE)


def built(index: PassageIndex, *, single: int = 50, multi: int = 50, seed: int = 1) -> tuple[BuiltQuestion, ...]:
    return from_templates(index, single=single, multi=multi, seed=seed).questions


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("The Eiffel Tower was completed in 1889.", "In which year was the Eiffel Tower completed?", "1889"),
        ("Marie Curie was born in Warsaw in 1867.", "In which year was Marie Curie born?", "1867"),
        ("The museum opened in 1902.", "In which year did the museum open?", "1902"),
        ("The bridge is 1,280 metres long.", "How long is the bridge?", "1,280 metres"),
        ("The main library has 12 rooms.", "How many rooms does the main library have?", "12"),
        ("The guided tour costs €8.", "How much does the guided tour cost?", "€8"),
        ("The museum opens at 9:30 am on weekdays.", "At what time does the museum open?", "9:30 am"),
        ("The archive is located in the east wing.", "Where is the archive located?", "the east wing"),
        ("The capital of France is Paris.", "What is the capital of France?", "Paris"),
        ("The director of the museum is Jane B. Roe.", "Who is the director of the museum?", "Jane B. Roe"),
        ("The maximum dose of the red syrup is 15 ml.", "What is the maximum dose of the red syrup?", "15 ml"),
        ("# Riverton Library\nPhone: 555 0101", "What is given as “Phone” for Riverton Library?", "555 0101"),
        ("艾菲爾鐵塔於1889年完工。", "艾菲爾鐵塔是哪一年完工的？", "1889年"),
        ("东京塔建成于1958年。", "东京塔是哪一年建成的？", "1958年"),
        ("東京塔高333公尺。", "東京塔有多高？", "333公尺"),
        ("长城全长21196公里。", "长城有多长？", "21196公里"),
        ("隧道總長12.9公里。", "隧道有多長？", "12.9公里"),
        ("國會安全高30米。", "國會安全有多高？", "30米"),
        ("图书馆共有12间阅览室。", "图书馆有多少间阅览室？", "12间"),
        ("法国的首都是巴黎。", "法国的首都是什么？", "巴黎"),
        ("博物館的館長是王小明。", "博物館的館長是誰？", "王小明"),
        ("檔案室位於三樓東側。", "檔案室位於哪裡？", "三樓東側"),
        ("紅色糖漿的最大劑量是15毫升。", "紅色糖漿的最大劑量是多少？", "15毫升"),
        ("## 中央圖書館\n開放時間：9:00–17:00", "中央圖書館的開放時間是什麼？", "9:00–17:00"),
        ("에펠탑은 1889년에 완공되었다.", "에펠탑은 몇 년에 완공되었나요?", "1889년"),
        ("도서관에는 열람실이 12개 있습니다.", "도서관에는 열람실이 몇 개 있나요?", "12개"),
        ("프랑스의 수도는 파리이다.", "프랑스의 수도는 무엇인가요?", "파리"),
        ("박물관의 관장은 김철수입니다.", "박물관의 관장은 누구인가요?", "김철수"),
        ("기록실은 동관 3층에 위치해 있습니다.", "기록실은 어디에 위치해 있나요?", "동관 3층"),
        ("시럽의 최대 용량은 15밀리리터입니다.", "시럽의 최대 용량은 얼마인가요?", "15밀리리터"),
        ("# 시립 도서관\n전화: 02-123-4567", "시립 도서관의 전화는 무엇인가요?", "02-123-4567"),
    ],
)
def test_a_plain_sentence_is_asked_for_its_fact(text: str, question: str, answer: str) -> None:
    assert [(fact.question, fact.answers[0]) for fact in facts(text)] == [(question, answer)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t ",
        "word",
        "1889",
        "It was built in 1889.",  # who can tell what
        "In 1990 the tower was painted.",
        "The report is in progress.",
        "The tower was not built in 1889.",
        "The library has about 300 rooms.",
        "<div class='x'>The <b>tower</b></div><script>alert(1889)</script>",
        "{{answer}} | a | b |\n|---|---|",
        "它於1889年完工。",
        "这座塔于1990年上市。",
        "圖書館有許多閱覽室。",
        "그는 1990년에 사망했다.",
        "도서관에는 열람실이 많이 있습니다.",
        "# Links\nSite: http://example.org/1",
        "\ud800 was built in 18",
        "The " * 5000,
        "的" * 5000,
    ],
)
def test_any_other_text_is_left_alone(text: str) -> None:
    assert list(facts(text)) == []
    assert built(corpus(text)) == ()


def test_questions_of_one_kind_are_joined_where_both_passages_are_needed() -> None:
    index = towers()
    joined = [question for question in built(index) if question.kind is QuestionKind.MULTI]

    assert len(joined) == 2  # each passage is in one pair
    assert len({source.id for question in joined for source in question.sources}) == 4
    for question in joined:
        assert len(question.expected) == len(question.sources) == 2
        assert all_hold([source.text for source in question.sources], question.expected)
        assert not any(all_hold([source.text], question.expected) for source in question.sources)
    assert all(", and " in question.question and question.question.count("?") == 1 for question in joined)


def test_the_same_seed_makes_the_same_and_another_makes_a_different_choice() -> None:
    index = towers()

    assert built(index, single=4, multi=1) == built(towers(), single=4, multi=1)
    assert len(built(index, single=4, multi=0)) == 4
    assert len({built(index, single=2, multi=0, seed=seed) for seed in range(8)}) > 1


def test_what_two_passages_answer_differently_is_not_asked() -> None:
    made = from_templates(
        corpus("The museum opened in 1902.", "Some say so. The museum opened in 1903."), single=9, multi=9, seed=0
    )

    assert (made.questions, made.dropped) == ((), {DropReason.AMBIGUOUS: 2})


def test_what_two_passages_answer_alike_is_asked_once() -> None:
    texts = (
        "The museum opened in 1902.",
        "The museum opened in 1902, as the city paper wrote.",
        "THE  museum opened in\n1902.",
    )
    made = from_templates(corpus(*texts, texts[0]), single=9, multi=9, seed=0)

    assert [question.question for question in made.questions] == ["In which year did the museum open?"]
    assert made.dropped == {DropReason.REPEATED: 1}


def test_a_source_that_is_not_the_nearest_passage_is_no_source() -> None:
    """The other passage holds every word of the question and no year."""
    made = from_templates(
        corpus("The museum opened in 1902.", "The museum opened. Museum: open year.", *NOISE), single=9, multi=0, seed=0
    )

    assert (made.questions, made.dropped) == ((), {DropReason.NOT_NEAREST: 1})


@pytest.mark.slow
def test_each_condition_is_what_it_says() -> None:
    index = towers()
    questions = {question.id: question for question in built(index)}

    items, missing = conditions(
        list(questions.values()), index, ConditionSettings(noise_rates=(0.0, 0.5, 0.8), passages=4)
    )

    assert not missing
    for item in items:
        texts, sources = [passage.text for passage in item.contexts], set(item.sources)
        noise = [passage for passage in item.contexts if passage.id not in sources]
        assert item.noise_rate == len(noise) / len(item.contexts)
        assert not any(all_hold([passage.text], (group,)) for passage in noise for group in item.expected)
        match item.ability:
            case Ability.NOISE | Ability.INTEGRATION:
                assert all_hold(texts, item.expected)
            case Ability.REJECTION:
                assert (len(texts), item.noise_rate) == (4, 1.0)
            case Ability.COUNTERFACTUAL:
                assert not all_hold(texts, item.expected)
                assert item.change is not None
                assert all_hold(texts, ((item.change.replacement,),))
    single = [question for question in questions.values() if question.kind is QuestionKind.SINGLE]
    assert len(single) == 8
    rates = sorted(item.noise_rate for item in items if item.ability is Ability.NOISE)
    assert rates == [0.0] * 8 + [0.5] * 8 + [0.8] * 8
    assert len({item.id for item in items}) == len(items) == 8 * 5 + 2


def test_a_question_keeps_its_items_when_others_are_added() -> None:
    """And a name is changed into the name that another passage gives."""
    texts = ["The capital of France is Paris.", "The capital of Japan is Tokyo.", *NOISE]
    first, second = corpus(*texts), corpus(*texts)
    settings = ConditionSettings(passages=3)

    one = conditions(built(first, multi=0)[:1], first, settings).items
    both = conditions(built(second, multi=0), second, settings).items

    assert set(one) <= set(both)
    changes = {item.change.original: item.change.replacement for item in both if item.change}
    assert changes == {"Paris": "Tokyo", "Tokyo": "Paris"}


def test_without_enough_passages_there_is_no_item_rather_than_a_wrong_one() -> None:
    index = corpus("The museum opened in 1902.", "Dogs stay outside.")

    items, missing = conditions(built(index), index, ConditionSettings(noise_rates=(0.0, 0.5, 0.8), passages=5))

    assert sorted((item.ability, item.noise_rate) for item in items) == [
        (Ability.COUNTERFACTUAL, 0.0),
        (Ability.NOISE, 0.0),
        (Ability.NOISE, 0.5),
    ]
    assert missing == {Ability.NOISE: 1, Ability.REJECTION: 1}


@pytest.mark.parametrize(
    ("text", "original", "changed"),
    [
        ("It opened in 1889, not 18890.", "1889", "It opened in 1900, not 18890."),
        ("Paris is large. PARIS!", "Paris", "1900 is large. 1900!"),
        ("建於1889年。", "1889", "建於1900年。"),
        ("Nothing.", "1889", None),
    ],
)
def test_a_fact_is_changed_wherever_it_stands_as_a_word(text: str, original: str, changed: str | None) -> None:
    assert with_change(text, original, "1900") == changed


def test_passages_are_told_apart_by_text() -> None:
    """Each text counts once, white space aside, and an id that stands for several texts keeps the first."""
    kept = distinct(
        [
            Passage(id="d", text="a b"),
            Passage(id="e", text="a  b"),
            Passage(id="d", text="c"),
            Passage(id="f", text=" "),
        ]
    )

    assert [passage.text for passage in kept] == ["a b", "c"]
    assert kept[0].id == "d"
    assert kept[1].id.startswith("passage-")
