"""Read the prompts, versioned files by judge and language; choose the language, and digest what was read.

A team may bring a folder of its own. A wording change is another file and another digest, and the digest is part of
every signature.
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
from proxy.text.language import is_traditional, language, script

ENGLISH = "en"
LANGUAGES = (ENGLISH, "zh-Hans", "zh-Hant", "ko")
_FILE = re.compile(r"(?P<name>[a-z_]+)\.(?P<language>[A-Za-z-]+)(?:\.v(?P<version>\d+))?\.txt")
_PLACES = re.compile(r"\{[a-z]+\}")
_TRADITIONAL = ("hant", "tw", "hk", "mo")
_READ = 4_000


@dataclass(frozen=True)
class Prompts:
    """The prompts' texts by (name, language)."""

    texts: Mapping[tuple[str, str], str]

    def text(self, name: str, language: str) -> str:
        """Return the prompt in this language, in English where there is none."""
        return self.texts.get((name, language)) or self.texts[name, ENGLISH]

    def digest(self, *names: str) -> str:
        """Return eight hex digits that stand for every text under these names, in all languages."""
        parts = [f"{key}\0{text}" for key, text in sorted(self.texts.items()) if key[0] in names]
        return sha256("\0".join(parts).encode()).hexdigest()[:8]


@lru_cache(maxsize=1)
def standard() -> Prompts:
    """Read the prompts that come with Assay, the newest version of each."""
    folder = files("proxy").joinpath("judges", "prompts")
    texts = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name.endswith(".txt")}
    return Prompts(_by_key(texts))


def with_own(folder: Path) -> Prompts:
    """Read the standard prompts, replaced by those of the folder where it has one."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder: --prompts takes a folder with files like faithfulness.en.txt")
    try:
        texts = {file.name: file.read_text(encoding="utf-8-sig") for file in sorted(folder.glob("*.txt"))}
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"a prompt in {folder} cannot be read: {error}") from error
    own = _by_key(texts)
    known = {name for name, _ in standard().texts}
    odd = sorted(name for name in texts if not _FILE.fullmatch(name)) or sorted(
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
    """List every name with every language."""
    return {f"{name}.{tag}" for name in known for tag in LANGUAGES}


def _by_key(texts: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """Key the files' texts by (name, language); the highest version wins, and a file without a version above all."""
    read = [(match, text) for name, text in texts.items() if (match := _FILE.fullmatch(name))]
    read.sort(key=lambda pair: float(pair[0]["version"] or "inf"))
    return {(match["name"], match["language"]): text.strip() for match, text in read}


def language_of(item: Item) -> str:
    """Choose the language to judge the item in: the item's own, else by its script; English where there is no prompt."""
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
    """Choose Traditional where the texts are written in it; else Simplified."""
    text = f"{item.question[:_READ]}{item.answer[:_READ]}"
    return "zh-Hant" if is_traditional(text) and script("".join(set(text))) == "han" else "zh-Hans"
