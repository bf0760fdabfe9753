"""Labelling form and guide as shown in Label Studio, in one of four languages, as versioned values.

In come a language and what is asked beside the verdict; out come the form as XML, the guide as HTML and the words for a
task's data. The rules: what a control is called and what it stores is the same in every language, texts are shown by tags
that render nothing or as inert HTML of ours, and a changed form is a new version.

Keys: 1 right, 2 wrong, 3 unsure, 0 not my field, 4 to 9 the causes, n, m and s the harm, h the earlier turns, p all
passages, Shift and a digit one passage, Ctrl+Enter submits, Ctrl+Space skips. What folds is a choice that hides nothing but by
CSS, since Label Studio gives keys to choices alone; what such a choice stores is passed over (`labelling_task`). The choices
about passages and passages beyond the ninth get keys from Label Studio itself, out of those that are left.

Fewest presses, tried in Chromium: right, unsure and wrong 2, wrong with a reference 4 and the typing (2, Tab, Shift+Enter,
Ctrl+Enter). design/042 says what Label Studio cannot do, and how the form goes about it.
"""

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from annotate.domain.labelling_guide import guide_from
from proxy.errors import UsageError
from proxy.text.turns import ASSISTANT, USER, known_role

LANGUAGES = ("en", "zh-Hant", "zh-Hans", "ko")
# What experts may be asked beside the verdict, and whether that is about passages.
ASKED = {"passages": True, "nothing": False}

_VERSION = re.compile(
    r"labelling\.v(?P<number>[123])\.(?P<language>[A-Za-z-]+)(?P<harm>\.harm)?(?P<passages>\.passages)?"
)
_PLACE = re.compile(r"\"@(\w+)@\"")
_PART = re.compile(r"<!-- (?P<name>harm|passages): .*?<!-- (?P=name) ends? -->\s*", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Form:
    """The form in one language, with or without the questions of potential harm and of passages."""

    language: str = "en"
    asks_harm: bool = False
    asks_passages: bool = False

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise UsageError(f"There is no form in {self.language!r}: choose one of {', '.join(LANGUAGES)}")

    @property
    def version(self) -> str:
        """Name of the form in the store: `labelling.v3.en`, `labelling.v3.en.harm`, `labelling.v3.en.harm.passages`."""
        return ".".join(["labelling.v3", self.language, *self._parts])

    @property
    def _parts(self) -> tuple[str, ...]:
        """The parts of the template that not every form has, and this one has."""
        return (*(["harm"] if self.asks_harm else []), *(["passages"] if self.asks_passages else []))

    def xml(self) -> str:
        """Return the labelling configuration."""
        return filled(_data("labelling.v3.xml"), self._words(), self._parts)

    def guide(self) -> str:
        """Return the guide for experts as HTML, for a project's instruction."""
        return guide_from(_data(f"guide.{self.language}.md"))

    def passage(self, rank: int) -> str:
        """Return the neutral title of the passage at a rank, from 1."""
        return self._words()["passage"].replace("{rank}", str(rank))

    def role(self, role: str) -> str:
        """Return the speaker of an earlier message in the form's language; a role of another name stays, a missing one is "—"."""
        known = known_role(role.strip())
        return self._words()[known] if known in (USER, ASSISTANT) else role.strip() or "—"

    def _words(self) -> Mapping[str, str]:
        """Return the words of the form's language by their keys."""
        return _words(self.language)


def form_of(version: str) -> Form:
    """Return the form that a version names; of an earlier version its successor in that language, whose answers are the same."""
    match = _VERSION.fullmatch(version)
    if match is None or match["language"] not in LANGUAGES:
        raise UsageError(f"No form is called {version!r}: a newer Assay may have made it, so update this one")
    return Form(
        language=match["language"],
        asks_harm=match["harm"] is not None,
        asks_passages=match["passages"] is not None,
    )


def filled(template: str, words: Mapping[str, str], parts: Collection[str]) -> str:
    """Fill a template: replace each `"@key@"` by its word, escaped, and drop the parts that are not among these."""
    from xml.sax.saxutils import quoteattr  # it loads urllib.request, and every command loads this file

    kept = _PART.sub(lambda part: part[0] if part["name"] in parts else "", template)
    return _PLACE.sub(lambda place: quoteattr(words[place[1]]), kept)


@cache
def _words(language: str) -> Mapping[str, str]:
    """Return the words of a language by their keys."""
    return {key: str(word) for key, word in tomllib.loads(_data(f"words.{language}.toml")).items()}


def _data(name: str) -> str:
    """Return a file of the forms."""
    return files("annotate").joinpath("forms", name).read_text(encoding="utf-8")
