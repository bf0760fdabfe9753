"""Names of judges that come from elsewhere, read as those that are known.

A tracer's `Faithfulness` is the judge `faithfulness`: case, spaces, hyphens and underscores make no two judges.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from annotate.domain.tool_score import judge_name


def folded(name: str) -> str:
    """Return what names of one judge have in common."""
    return judge_name(name).casefold()


class OtherSpelling(NamedTuple):
    """Another spelling of a judge's name in a store, and how many answers have a score under it and none under the name."""

    name: str
    spelling: str
    answers: int


def spelled_alike(names: Iterable[str]) -> list[Sequence[str]]:
    """Return the names that are spellings of one judge, together and in their order."""
    by_fold: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for name in names:
        by_fold[folded(name)][name] = None
    return [tuple(spellings) for spellings in by_fold.values() if len(spellings) > 1]


class JudgeNames:
    """The names of judges that are known, those that come first before others that fold alike."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._known = dict.fromkeys(known)
        self._by_fold: dict[str, str] = {}
        for name in self._known:
            self._by_fold.setdefault(folded(name), name)
        self._names: dict[str, str] = {}
        self._read_as: dict[str, str] = {}

    @property
    def read_as(self) -> Mapping[str, str]:
        """The names that were read as another one that was known, by what was given."""
        return self._read_as

    def name(self, given: str) -> str:
        """Return the judge that a name means; one that is not known is kept as given, and known from then on.

        A store may hold two judges whose names fold alike: each is read as itself.
        """
        if given not in self._names:
            plain = judge_name(given)
            is_known = folded(given) in self._by_fold
            name = plain if plain in self._known else self._by_fold.setdefault(folded(given), plain)
            self._names[given] = name
            if is_known and name != given:
                self._read_as[given] = name
        return self._names[given]
