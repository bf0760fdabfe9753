"""The form and its guide: one set of controls in every language, words escaped, nothing that renders or fetches."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import pytest

from annotate.domain.annotation import CAUSES, HARMS
from annotate.domain.labelling_form import LANGUAGES, Form, _words, filled, form_of
from annotate.domain.labelling_guide import guide_from
from annotate.domain.labelling_task import NOT_MY_FIELD
from annotate.domain.passage_relevance import MISSING, NOT_RELEVANT, RELEVANT, SUFFICIENT
from proxy.errors import UsageError
from proxy.records import Judgement

ROOT = Path(__file__).parents[2]
ASKED = ((False, False), (True, False), (False, True), (True, True))
FORMS = [
    Form(language=language, asks_harm=harm, asks_passages=passages)
    for language, (harm, passages) in product(LANGUAGES, ASKED)
]
HANGUL, HAN, LATIN = re.compile("[가-힣]"), re.compile("[一-鿿]"), re.compile("[a-z]{3}")


def each_form() -> pytest.MarkDecorator:
    """The test once a form."""
    return pytest.mark.parametrize("form", FORMS, ids=lambda form: form.version)


class Tags(HTMLParser):
    """The tags of a piece of HTML and the text between them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


@each_form()
def test_every_form_stores_our_words(form: Form) -> None:
    """Controls, stored values and keys are the same in all languages; a verdict is all that is required."""
    root = ET.fromstring(form.xml())
    aliases = {box.get("name"): tuple(element.get("alias") for element in box) for box in root.iter("Choices")}
    keys = {choice_element.get("alias"): choice_element.get("hotkey") for choice_element in root.iter("Choice")}
    harms = dict(zip(HARMS, "nms", strict=True)) if form.asks_harm else {}

    of_passages = {"relevant_{{rank}}": (RELEVANT, NOT_RELEVANT), "sufficient": (SUFFICIENT, MISSING)}
    folds = dict.fromkeys(("open_earlier", "open_all", "open_{{rank}}", "further_{{rank}}"), ("open",))
    expected = {"verdict": (*Judgement, NOT_MY_FIELD), "causes": CAUSES} | ({"harm": HARMS} if form.asks_harm else {})
    assert aliases == folds | expected | (of_passages if form.asks_passages else {})
    keyed = {alias: key for alias, key in keys.items() if alias not in ("open", *sum(of_passages.values(), ()))}
    assert keyed == dict(zip((*Judgement, NOT_MY_FIELD, *CAUSES), "1230456789", strict=True)) | harms
    fold_keys = [choice.get("hotkey") for choice in root.iter("Choice") if choice.get("alias") == "open"]
    assert fold_keys == ["h", "p", "shift+{{rank}}", None]
    assert not {"h", "p"} & set(keyed.values())
    assert len(set(keyed.values())) == len(keyed)
    assert [area.get("name") for area in root.iter("TextArea")] == ["reference", "rationale"]
    assert [element.get("name") for element in root.iter() if element.get("required") == "true"] == ["verdict"]
    assert {element.get("toName") for element in root.iter() if "toName" in element.attrib} == {"answer"}


@each_form()
def test_every_form_shows_texts_as_text(form: Form) -> None:
    """What production wrote is shown by tags that render nothing, or as inert HTML of ours; no address stands in the form."""
    root = ET.fromstring(form.xml())
    tags = {element.tag for element in root.iter()}
    shown = {element.tag for element in root.iter() if (element.get("value") or "").startswith("$")}
    names = [element.get("name") for element in root.iter() if element.get("name")]

    html = {element.get("value") for element in root.iter("HyperText")}

    assert shown == {"Text", "HyperText", "Choice", *(["Header"] if form.asks_passages else [])}
    assert tags == {*shown, "View", "Style", "Header", "Choices", "TextArea", "Repeater"}
    assert html == {"$answer", "$earlier", "$recent", "$passages[{{rank}}].text"}
    assert {(element.get("valueType"), element.get("inline")) for element in root.iter("HyperText")} == {
        ("text", "true")
    }
    assert ">" not in "".join(style.text or "" for style in root.iter("Style"))  # Label Studio would escape it
    assert not re.search(r"src=|http|url\(|@import|@\w+@|clickable", form.xml())
    assert len(names) == len(set(names))


@pytest.mark.slow
@each_form()
def test_label_studio_takes_every_form(form: Form) -> None:
    """Label Studio's own check finds no fault in it."""
    from label_studio_sdk.label_interface import LabelInterface

    LabelInterface(form.xml()).validate()


@each_form()
def test_wrong_answers_open_their_block(form: Form) -> None:
    """The block for wrong answers names the very word that is shown, and holds reference, causes and harm."""
    root = ET.fromstring(form.xml())
    block = next(view for view in root.iter("View") if view.get("visibleWhen"))
    [word] = [
        choice_element.get("value") for choice_element in root.iter("Choice") if choice_element.get("alias") == "wrong"
    ]

    assert (block.get("whenTagName"), block.get("whenChoiceValue")) == ("verdict", word)
    assert [element.get("name") for element in block.iter() if element.get("name")] == [
        *("reference", "causes"),
        *(["harm"] if form.asks_harm else []),
    ]


@each_form()
def test_passages_are_asked_about_after_the_verdict(form: Form) -> None:
    """All controls on passages lie in one block below the verdict that only a chosen verdict opens; no form shows a score."""
    root = ET.fromstring(form.xml())
    blocks = [view for view in root.iter("View") if view.get("className") == "as-ask"]
    asked = [box.get("name") for block in blocks for box in block.iter("Choices")]
    order = [box.get("name") for box in root.iter("Choices")]

    assert len(blocks) == int(form.asks_passages)
    assert asked == (["relevant_{{rank}}", "sufficient"] if form.asks_passages else [])
    assert order[len(order) - len(asked) :] == asked
    assert {(block.get("visibleWhen"), block.get("whenTagName"), block.get("whenChoiceValue")) for block in blocks} <= {
        ("choice-selected", "verdict", None)
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_word(language: str) -> None:
    """Same keys as English, nothing blank, in the language's own script, and nothing that Label Studio reads as a sign."""
    words, letters = _words(language), {"en": LATIN, "ko": HANGUL}.get(language, HAN)
    shown = [word for key, word in words.items() if key != "keys" and not key.endswith("_hint")]
    choices = [word for key, word in words.items() if key in (*Judgement, *CAUSES)]

    assert list(words) == list(_words("en"))
    assert all(letters.search(word) for word in words.values())
    assert not [word for word in words.values() if re.search(r"[$<>@{}\n]", word.replace("{rank}", ""))]
    assert "," not in words["wrong"]  # it separates the words of whenChoiceValue
    assert len(choices) == len(set(choices))
    assert max(map(len, shown)) <= 50
    assert words["passage"].count("{rank}") == 1


def test_chinese_is_of_its_kind() -> None:
    """Traditional words hold no simplified form of a frequent character, and the other way round."""
    pairs = list(
        zip("問題應該從錯誤們個這檢過選寫嗎與無輕嚴傷確", "问题应该从错误们个这检过选写吗与无轻严伤确", strict=True)
    )
    traditional = "".join(_words("zh-Hant").values()) + Form(language="zh-Hant").guide()
    simplified = "".join(_words("zh-Hans").values()) + Form(language="zh-Hans").guide()

    assert not [old for old, new in pairs if old != new and old in simplified]
    assert not [new for old, new in pairs if old != new and new in traditional]


@pytest.mark.parametrize("word", ['a "b" & <c>', "it's 'so'", "\"'<>&", "]]>", "<!-- harm ends -->"])
def test_words_are_escaped(word: str) -> None:
    """A word with any sign in it comes out of the form as it went in."""
    made = filled('<View><Header value="@word@"/></View>', {"word": word}, ("harm",))

    assert ET.fromstring(made)[0].get("value") == word


def test_a_version_names_its_form() -> None:
    """Every form is found by its version; versions 1 and 2 by their successor; other names are refused with what to do."""
    assert [form_of(form.version) for form in FORMS] == FORMS
    assert len({form.version for form in FORMS}) == len(FORMS)
    assert Form(asks_harm=True).version == "labelling.v3.en.harm"
    assert Form(asks_harm=True, asks_passages=True).version == "labelling.v3.en.harm.passages"
    assert form_of("labelling.v1.en") == form_of("labelling.v2.en") == Form()
    for name in ("labelling.v4.en", "labelling.v2.de", "labelling.v2.en.harm.x", "labelling.v2.en\n", ""):
        with pytest.raises(UsageError, match="update"):
            form_of(name)
    with pytest.raises(UsageError, match="zh-Hans"):
        Form(language="de")


def test_the_docs_hold_the_english_guide() -> None:
    """What the docs say is what experts read."""
    assert (ROOT / "docs/guide.md").read_text() == (ROOT / "annotate/forms/guide.en.md").read_text()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_guide_has_its_parts(language: str) -> None:
    """Five headings, four choices, six cases that use all three verdicts, every key, and no sign of markup left over."""
    words, guide = _words(language), Tags(Form(language=language).guide())

    assert guide.tags.count("ol") == 1
    assert [guide.tags.count(tag) for tag in ("h2", "h3")] == [1, 4]
    assert guide.tags.count("li") == 4 + 4 + 6
    assert set(guide.tags) == {"style", "div", "h2", "h3", "p", "ul", "ol", "li", "strong"}
    cases = Form(language=language).guide().split("<ol>")[1]
    for verdict in Judgement:
        assert f"<strong>{words[verdict]}</strong>" in cases
    for key in (
        "Ctrl+Enter",
        "Shift+Enter",
        "Ctrl+Space",
        "Tab",
        "Page Down" if language == "en" else "Space",
        *"0123456789NMSPH",
    ):
        assert key in guide.text, key
    assert not re.search(r"\*|#(?!\w)|`", guide.text.split("</style>")[0].split("margin:0 0 .3em}")[1])


def test_a_teams_guide_keeps_its_shape() -> None:
    """Headings, paragraphs, both lists and bold; lines that follow each other are one paragraph."""
    made = guide_from("\ufeff# One #\n## Two\n\ntext **bold**\nmore\n- a\n- b\n  on\n\n1. x\n\n2) y\nrest\n\nend")
    body = made.split("</style>\n")[1]

    assert body.replace(' dir="auto"', "").split("\n") == [
        *('<div class="as-guide">', "<h2>One</h2>", "<h3>Two</h3>", "<p>text <strong>bold</strong> more</p>"),
        *("<ul>", "<li>a</li>", "<li>b on</li>", "</ul>", "<ol>", "<li>x</li>", "<li>y rest</li>", "</ol>"),
        *("<p>end</p>", "</div>"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "# <img src=x onerror=alert(1)>",
        "- [a](javascript:alert(1)) ![b](http://x/y.png)",
        "**<b onclick='x'>**",
        "</div></style><style>*{display:none}</style>",
        "<!-- --> &lt;i&gt; `code` \0 \ud800 \u202e",
        "** ** **** * # -\n#\n-\n1.",
        "",
    ],
)
def test_a_teams_guide_is_never_markup(text: str) -> None:
    """Whatever a team writes, only tags of ours come out, and the words stay readable."""
    made = Tags(guide_from(text))

    assert set(made.tags) <= {"style", "div", "h2", "h3", "p", "ul", "ol", "li", "strong"}
    assert made.attributes <= {"dir", "class"}
    assert made.tags.count("style") == 1
    guide_from(text).encode("utf-8")
    for word in re.findall(r"\w{4,}", text):
        assert word in made.text


def test_a_huge_guide_is_read_in_one_go() -> None:
    """A text of nothing but signs neither hangs nor grows without end."""
    for text in ("*" * 200_000, "**a " * 50_000, "# " * 100_000, "1. " * 60_000, " \n" * 100_000):
        assert len(guide_from(text)) < 8 * len(text) + 2000
