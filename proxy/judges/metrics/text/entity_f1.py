"""Entity F1: names and numbers that answer and reference share, told by their spelling alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from proxy.judges.metrics.metric import UndefinedValue
from proxy.judges.metrics.text_overlap import TextMetric, compared
from proxy.text.language import HAN, HANGUL, KANA, composed
from proxy.text.normalised_answers import answer_tokens

NO_ENTITIES = UndefinedValue("the reference has no names or numbers that spelling alone tells")
_NAME_PART = rf"[^\W\d_a-z{HAN}{KANA}{HANGUL}][^\W_{HAN}{KANA}{HANGUL}]*"
_ENTITY = re.compile(rf"\d+(?:[.,:/-]\d+)*|{_NAME_PART}(?:[ '’.-]{{1,2}}{_NAME_PART})*|[\u30a1-\u30fa\u30fc]{{2,}}")
# Words that stand at the beginning of a sentence are capitals without being names.
_OPENERS = frozenset(
    """a an and as at but by for from he her his if in it its of on or she so that the their there these they this those to
    was we were what when where which who why with yes no you i""".split()  # noqa: SIM905 - read as prose
)


def entity_f1(answer: str, references: Sequence[str]) -> float | UndefinedValue:
    """Return F1 over the sets of entities, the highest over the alternatives; undefined where no reference has any."""
    given = entities(answer)
    wanted = [names for reference in references if (names := entities(reference))]
    return max(set_f1(given, names) for names in wanted) if wanted else NO_ENTITIES


def set_f1(given: Collection[str], wanted: Collection[str]) -> float:
    """Return 2 common / (given + wanted), the harmonic mean of the sets' precision and recall."""
    return 2 * len(set(given) & set(wanted)) / (len(set(given)) + len(set(wanted)))


def entities(text: str) -> set[str]:
    """Return the names, by capitals or in katakana, and the numbers of a text, normalised."""
    names = (" ".join(answer_tokens(_named(match.group()))) for match in _ENTITY.finditer(composed(text)))
    return {name for name in names if name}


def _named(name: str) -> str:
    """Return a name without the word that only opens its sentence."""
    first, _, rest = name.partition(" ")
    return rest if first.lower() in _OPENERS else name


METRIC = TextMetric(
    name="entity_f1",
    formula="F1 over the sets of names (runs of capitalised words, katakana) and numbers of answer and reference, normalised",
    source="the F1 of two sets; which entities a text names is told by spelling, where Ragas and FLARE ask a model",
    misses="names in scripts without capitals but katakana; names that a model would merge (NASA and its full name)",
    examples=(
        compared(
            "entity_f1",
            "Einstein was born in Ulm in 1879, not in Bern.",
            "Albert, Einstein, Ulm, Germany, 1879",
            2 * 3 / (4 + 5),
        ),
    ),
    measure=entity_f1,
)
