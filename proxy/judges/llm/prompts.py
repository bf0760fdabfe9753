"""The prompts as versioned files, one a judge and language: reads them, chooses the language, and names what was read.

In comes a folder of a team's own or none, out come texts by (name, language) and a digest of each. The rule: a wording change
is another file and another digest, and the digest is part of every signature.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from proxy.errors import UsageError
from proxy.records import Item
from proxy.text.language import language, script

ENGLISH = "en"
LANGUAGES = (ENGLISH, "zh-Hans", "zh-Hant", "ko")
_FILE = re.compile(r"(?P<name>[a-z_]+)\.(?P<language>[A-Za-z-]+)(?:\.v(?P<version>\d+))?\.txt")
_PLACES = re.compile(r"\{[a-z]+\}")
_TRADITIONAL = ("hant", "tw", "hk", "mo")
_READ = 4_000


@dataclass(frozen=True)
class Prompts:
    """The texts by (name, language)."""

    texts: Mapping[tuple[str, str], str]

    def text(self, name: str, language: str) -> str:
        """The prompt in this language, in English where there is none."""
        return self.texts.get((name, language)) or self.texts[name, ENGLISH]

    def digest(self, *names: str) -> str:
        """Eight hex digits that stand for every text under these names, in all languages."""
        parts = [f"{key}\0{text}" for key, text in sorted(self.texts.items()) if key[0] in names]
        return sha256("\0".join(parts).encode()).hexdigest()[:8]


@lru_cache(maxsize=1)
def standard() -> Prompts:
    """The prompts that come with Assay, the newest version of each."""
    folder = files("proxy").joinpath("judges", "prompts")
    found = {one.name: one.read_text(encoding="utf-8") for one in folder.iterdir() if one.name.endswith(".txt")}
    return Prompts(_by_key(found))


def with_own(folder: Path) -> Prompts:
    """The standard prompts with those of the folder in their place."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder: --prompts takes a folder with files like faithfulness.en.txt")
    try:
        found = {one.name: one.read_text(encoding="utf-8-sig") for one in sorted(folder.glob("*.txt"))}
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"a prompt in {folder} cannot be read: {error}") from error
    own = _by_key(found)
    known = {name for name, _ in standard().texts}
    odd = sorted(name for name in found if not _FILE.fullmatch(name)) or sorted(
        {f"{name}.{tag}" for name, tag in own} - _names(known)
    )
    if odd or not own:
        raise UsageError(
            f"{folder}: it holds {odd[0] if odd else 'none'}; prompts are <name>.<language>.txt with a name of "
            f"{', '.join(sorted(known))} and a language of {', '.join(LANGUAGES)}"
        )
    for (name, tag), text in own.items():
        if not text:
            raise UsageError(f"{folder}: {name}.{tag} is empty")
        if lost := set(_PLACES.findall(standard().text(name, ENGLISH))) - set(_PLACES.findall(text)):
            raise UsageError(f"{folder}: {name}.{tag} lacks {lost.pop()}, in whose place Assay puts the form")
    return Prompts({**standard().texts, **own})


def _names(known: Collection[str]) -> set[str]:
    """Every name with every language."""
    return {f"{name}.{tag}" for name in known for tag in LANGUAGES}


def _by_key(found: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """The files' texts by (name, language); of several versions the highest, and a file without one above them all."""
    read = [(match, text) for name, text in found.items() if (match := _FILE.fullmatch(name))]
    read.sort(key=lambda pair: float(pair[0]["version"] or "inf"))
    return {(match["name"], match["language"]): text.strip() for match, text in read}


def language_of(item: Item) -> str:
    """The language to judge the item in: what it says of itself, else its script; English where there is no prompt."""
    tag = (item.language or "").lower().replace("_", "-")
    if tag.startswith("zh"):
        if "hans" in tag or tag in ("zh-cn", "zh-sg"):
            return "zh-Hans"
        return "zh-Hant" if any(part in _TRADITIONAL for part in tag.split("-")) else _chinese(item)
    if tag:
        return "ko" if tag.split("-")[0] in ("ko", "kor") else ENGLISH
    own = language(f"{item.question[:_READ]} {item.answer[:_READ]}")
    if own == "zh":
        return _chinese(item)
    return "ko" if own == "ko" else ENGLISH


def _chinese(item: Item) -> str:
    """Traditional where more characters are in Big5 alone than in GB 2312 alone; Simplified where neither tells."""
    text = set(f"{item.question[:_READ]}{item.answer[:_READ]}")
    traditional = sum(_in(one, "big5") and not _in(one, "gb2312") for one in text)
    simplified = sum(_in(one, "gb2312") and not _in(one, "big5") for one in text)
    return "zh-Hant" if traditional > simplified and script("".join(text)) == "han" else "zh-Hans"


def _in(character: str, encoding: str) -> bool:
    """Whether the character set holds the character."""
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
