"""Score a file of a system's answers to test items by RGB's four abilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotate.analysis.questions.listing import items_of, items_to_ask
from annotate.domain.field_mapping import Fields
from annotate.domain.questions import QuestionAnswerFile
from annotate.files.reading import read_rows
from annotate.files.rows import Rejected
from annotate.store import Store
from proxy.errors import InputError, UsageError
from proxy.questions.copying import copies_passages
from proxy.questions.scoring import AbilityScore, GivenAnswer, ability_scores
from proxy.text.numbers import several


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoredQuestions:
    """The scores of a system; of `items` test items `answered` have an answer in the file.

    Of these `accepted` are items of questions that a person has accepted. The `unanswered` ones count nowhere. `empty` answers
    count as answers without the fact, which refuse nothing, and `copying` ones hold most of the words of several passages.
    `unknown` rows have an id that is no test item's, `repeated` ones an id that a row before them has, and `refused` ones no
    answer that can be read: none of them counts.
    """

    system: str | None
    scores: Sequence[AbilityScore]
    items: int
    answered: int
    accepted: int
    unanswered: Sequence[str] = ()
    empty: int = 0
    copying: int = 0
    unknown: int = 0
    repeated: int = 0
    refused: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether every row of the file counts."""
        return not (self.unknown or self.repeated or self.refused)


class _Row(NamedTuple):
    """A row of the file: the test item that it answers, and for whom."""

    id: str
    answer: str
    system: str | None


def score(store: Store, file: QuestionAnswerFile) -> ScoredQuestions:
    """Score the answers of a file to the items of questions that nobody has retired.

    Raises
    ------
    UsageError
        Where there is no test item, no row answers one, or several systems answer and none is chosen.
    """
    known = {item.id: item for item in items_to_ask(store, accepted=file.accepted)}
    rows = list(_rows(file.path))
    refused = [row for row in rows if isinstance(row, str)]
    of_system = [row for row in rows if not isinstance(row, str) and file.system in (None, row.system)]
    counted = [row for row in of_system if row.id in known]
    system = _system(file, counted, refused)
    given: dict[str, GivenAnswer] = {}
    for row in counted:
        given.setdefault(row.id, GivenAnswer(known[row.id], row.answer))
    return ScoredQuestions(
        system=system,
        scores=ability_scores(list(given.values())),
        items=len(known),
        answered=len(given),
        accepted=sum(item.id in given for item in items_of(store, accepted=True)),
        unanswered=sorted(known.keys() - given.keys()),
        empty=sum(not answer.answer.strip() for answer in given.values()),
        copying=sum(map(copies_passages, given.values())),
        unknown=len(of_system) - len(counted),
        repeated=len(counted) - len(given),
        refused=len(refused),
    )


def _system(file: QuestionAnswerFile, answers: Sequence[_Row], refused: Sequence[str]) -> str | None:
    """Return the one system that answers; UsageError where none does, or several do."""
    systems = {row.system for row in answers}
    if not systems:
        of_system = "" if file.system is None else f" of system {file.system}"
        raise UsageError(
            f"no row{of_system} in {file.path} answers a test question: give each row the id that `assay questions export` "
            "wrote, and an answer as text"
            + (
                f" ({several(len(refused), 'row')} cannot be read, the first because of {refused[0]})"
                if refused
                else ""
            )
        )
    if len(systems) == 1:
        return next(iter(systems))
    names = ", ".join(sorted(name for name in systems if name is not None))
    without = "; rows without a system are in none" if None in systems else ""
    raise UsageError(f"{file.path} has answers of several systems: choose one with --system ({names}){without}")


def _rows(path: str) -> Iterator[_Row | str]:
    """Yield what each row answers, or why it cannot be read."""
    for row in read_rows(path):
        yield row.reason if isinstance(row, Rejected) else _row(Fields(row.fields, {}))


def _row(fields: Fields) -> _Row | str:
    try:
        identity = fields.short("id") or fields.short("item_id")
        if identity is None or fields.value("answer") is None:
            return "no id" if identity is None else "no answer"
        return _Row(identity, fields.text("answer") or "", fields.short("system"))
    except InputError as error:
        return str(error).partition(";")[0]  # what follows is advice for `assay ingest`
