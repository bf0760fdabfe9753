"""Convert items to Label Studio tasks, and tasks with annotations back to our records.

The server's tasks may hold any JSON: each payload that makes no `Annotation` has a readable reason. The rule: a task holds the
texts and a key, nothing that a judge, the proxy or the sampling said, so that nobody anchors the expert.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape

from annotate.domain.annotation import CAUSES, HARMS, Annotation
from annotate.domain.inert_html import inert_html
from annotate.domain.labelling_form import Form
from annotate.domain.passage_relevance import MISSING, NOT_RELEVANT, RELEVANT, SUFFICIENT, PassageRelevance
from annotate.domain.privacy.redaction import outgoing, passage_names
from proxy.records import Item, Judgement, Turn
from proxy.text.times import iso
from proxy.text.turns import SYSTEM, USER, known_role

_FORM = Form()
# Stands among the verdicts of the form and is none: a key hands the answer on to another annotator.
NOT_MY_FIELD = "not_my_field"
# Turns of the conversation that stand open, and passages that a key of their own opens.
RECENT, KEYED = 2, 9


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One item as Label Studio gets it; `key` is ours, and finds the task again."""

    key: str
    data: Mapping[str, object]


class _Odd(Exception):
    """An annotation that makes no record; the message is the reason."""


def task(key: str, item: Item, form: Form = _FORM, *, is_asked: bool = False) -> Task:
    """Return the task that shows an item: conversation so far, question, answer, and passages in rank order.

    Texts but the question are inert HTML. `earlier` holds the turns that are folded, `recent` the last two; a system prompt is
    no turn of the conversation. `passages` begin at rank 1, after an empty one, so that a
    rank is the key of its passage. `ranks` and `further` hold no text: they say to the form, which
    can only repeat things, at which ranks stand passages with a key of their own and beyond; `asked` holds the titles of the
    passages that a form which asks about passages asks of, none where the draw is not asked.
    """
    texts = outgoing(item)
    turns = [turn for turn in texts.history if known_role(turn.role) != SYSTEM]
    ranks = range(len(texts.contexts) + 1)
    shown = zip(ranks[1:], passage_names(item), texts.contexts, strict=True)
    passages = [
        {"title": " · ".join(filter(None, (form.passage(rank), name.line))), "text": inert_html(text)}
        for rank, name, text in shown
    ]
    data: dict[str, object] = {
        "external_id": key,
        "question": texts.question,
        "answer": inert_html(texts.answer),
        "earlier": _chat(turns[:-RECENT], form),
        "recent": _chat(turns[-RECENT:], form),
        "passages": [{"title": "", "text": ""}, *passages],
        "ranks": [[1] if 0 < rank <= KEYED else [] for rank in ranks],
        "further": [[1] if rank > KEYED else [] for rank in ranks],
    }
    if form.asks_passages:
        data["asked"] = [{"title": form.passage(rank)} for rank in ranks[1:] if is_asked]
    return Task(key=key, data=data)


def _chat(turns: Sequence[Turn], form: Form) -> str:
    """Return turns as a chat: the user's on one side, all others' on the other."""
    return "".join(
        f'<div class="as-turn{" as-user" if known_role(turn.role) == USER else ""}">'
        f'<b dir="auto">{escape(form.role(turn.role))}</b>{inert_html(turn.text)}</div>'
        for turn in turns
    )


def annotations(
    raw_task: object, annotators: Mapping[int, str], source: str, item_id: str, form_version: str
) -> tuple[list[Annotation], list[str]]:
    """Return a task's annotations, skips among them, and a reason for each that cannot be read in full.

    `annotators` maps the server's user ids to e-mail addresses, `form_version` names the project's form. Drafts and
    predictions are not annotations; two by one person are both kept. An annotation whose verdict is clear is kept even
    where a lesser field is odd; that field then has its reason.
    """
    read = _Annotator(annotators=annotators, source=source, item_id=item_id, form_version=form_version)
    rows = raw_task.get("annotations") if isinstance(raw_task, Mapping) else None
    if not isinstance(rows, list):
        return [], ["the task has no list of annotations"]
    records: list[Annotation] = []
    reasons: list[str] = []
    for row in rows:
        name = f"annotation {_shown(row.get('id'))}" if isinstance(row, Mapping) else "an annotation"
        try:
            record, odd = read.annotation(row, _asked_passages(raw_task))
        except _Odd as reason:
            reasons.append(f"{name} {reason}")
        else:
            records.append(record)
            reasons += [f"{name} {reason}" for reason in odd]
    return records, reasons


@dataclass(frozen=True, kw_only=True, slots=True)
class _Annotator:
    """Context of a task's annotations, known before they are read."""

    annotators: Mapping[int, str]
    source: str
    item_id: str
    form_version: str

    def annotation(self, row: object, asked: int = 0) -> tuple[Annotation, list[str]]:
        """Return one annotation as our record, with the reasons of fields that were left out; it asks of `asked` passages."""
        if not isinstance(row, Mapping):
            raise _Odd("is not an object")
        result = _Result(values={}) if row.get("was_cancelled") is True else _result(row.get("result"))
        is_handed_on = result.is_not_my_field()
        judgement = None if row.get("was_cancelled") is True or is_handed_on else result.judgement()
        # The form hides these when the verdict changes, but keeps what was typed: only a wrong answer has them.
        if_wrong = result if judgement is Judgement.WRONG else _Result(values={})
        causes, odd = if_wrong.known("causes", CAUSES, "cause")
        harms, odd_harms = if_wrong.known("harm", HARMS, "harm")
        if len(harms) > 1:
            odd_harms.append(f"holds several harms: {', '.join(harms)}")
        # A key may choose what stands in a block that is not shown: only a draw that is asked has answers.
        passages, odd_passages = result.passages(asked) if asked and judgement is not None else (None, [])
        author = _annotator(row.get("completed_by"), self.annotators)
        record = Annotation(
            source=self.source,
            id=_id(row.get("id")),
            item_id=self.item_id,
            annotator=author,
            judgement=judgement,
            reference=if_wrong.text("reference"),
            causes=causes,
            harm=harms[0] if len(harms) == 1 else None,
            rationale=result.text("rationale"),
            form_version=self.form_version,
            seconds=_seconds(row.get("lead_time")),
            at=_utc(row.get("updated_at")) or _utc(row.get("created_at")),
            edited_by=self._editor(row, author),
            passages=passages,
            is_handed_on=is_handed_on,
        )
        return record, odd + odd_harms + odd_passages

    def _editor(self, row: Mapping[object, object], author: str) -> str | None:
        """Return who wrote this revision where the server names another account than the author's.

        Label Studio sets `updated_by` to the account that asked, also when an annotation is made through the API: a forged
        author shows at once. It is empty on annotations that came with an import.
        """
        author_account, editor_account = _account(row.get("completed_by")), _account(row.get("updated_by"))
        if editor_account is None or editor_account == author_account:
            return None
        editor = _annotator(row.get("updated_by"), self.annotators)
        return editor if editor != author else None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Result:
    """The form's fields of one annotation: the values that each control holds."""

    values: Mapping[str, list[Mapping[object, object]]]

    def is_not_my_field(self) -> bool:
        """Return whether the annotator hands the answer on."""
        return self.choices("verdict") == [NOT_MY_FIELD]

    def judgement(self) -> Judgement:
        """Return the one verdict."""
        verdicts = list(dict.fromkeys(_shown(choice) for choice in self.choices("verdict")))
        if not verdicts:
            raise _Odd("holds no verdict")
        if len(verdicts) > 1:
            raise _Odd(f"holds several verdicts: {', '.join(verdicts)}")
        try:
            return Judgement(verdicts[0])
        except ValueError:
            raise _Odd(f"holds an unknown verdict {verdicts[0]}") from None

    def choices(self, control: str) -> list[object]:
        """Return what was chosen under a control."""
        return [choice for value in self.values.get(control, []) for choice in _several(value.get("choices"))]

    def known(self, control: str, values: tuple[str, ...], noun: str) -> tuple[tuple[str, ...], list[str]]:
        """Return what was chosen under a control with these values, in their order, and a reason for each other value."""
        chosen = self.choices(control)
        odd = [f"names an unknown {noun} {_shown(choice)}" for choice in chosen if choice not in values]
        return tuple(value for value in values if value in chosen), odd

    def passages(self, asked: int) -> tuple[PassageRelevance | None, list[str]]:
        """Return what was answered about the passages asked about, None where nothing was, and a reason for each odd answer."""
        votes = [self._one_of(f"relevant_{place}", RELEVANT, NOT_RELEVANT) for place in range(asked)]
        is_sufficient, odd = self._one_of("sufficient", SUFFICIENT, MISSING)
        reasons = [reason for _, answer_odd in votes for reason in answer_odd] + odd
        answers = PassageRelevance(relevant=tuple(vote for vote, _ in votes), is_sufficient=is_sufficient)
        return None if answers.is_empty else answers, reasons

    def _one_of(self, control: str, yes: str, no: str) -> tuple[bool | None, list[str]]:
        """Return whether the first of two words was chosen, None for neither or both, and a reason for what is odd."""
        chosen, odd = self.known(control, (yes, no), "answer about passages")
        if len(chosen) > 1:
            odd.append(f"says both {yes} and {no} of passages")
        return (chosen[0] == yes if len(chosen) == 1 else None), odd

    def text(self, control: str) -> str | None:
        """Return what was typed into a control, or None when that is blank."""
        typed = [text for value in self.values.get(control, []) for text in _several(value.get("text"))]
        joined = "\n\n".join(text.strip() for text in typed if isinstance(text, str) and text.strip())
        return _storable(joined) or None


def _result(raw: object) -> _Result:
    """Return the values under each control's name; parts that no form makes are passed over."""
    if not isinstance(raw, list):
        raise _Odd("has no result")
    values: dict[str, list[Mapping[object, object]]] = {}
    for control, value in _parts(raw):
        values.setdefault(control, []).append(value)
    return _Result(values=values)


def _parts(raw: list[object]) -> Iterator[tuple[str, Mapping[object, object]]]:
    """Yield each part of a result that has a control's name and a value."""
    for part in raw:
        if isinstance(part, Mapping):
            control, value = part.get("from_name"), part.get("value")
            if isinstance(control, str) and isinstance(value, Mapping):
                yield control, value


def _asked_passages(raw_task: object) -> int:
    """Return how many passages the task asks about."""
    data = raw_task.get("data") if isinstance(raw_task, Mapping) else None
    asked = data.get("asked") if isinstance(data, Mapping) else None
    return len(asked) if isinstance(asked, list) else 0


def _storable(text: str) -> str:
    """Return text as typed, but for what a database cannot hold: lone surrogates and NUL."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def _several(value: object) -> list[object]:
    """Return a list as it is, nothing as an empty one, and anything else as a list of one."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _id(value: object) -> str:
    """Return the annotation's id as text."""
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        raise _Odd("has no id")
    return _storable(str(value))


def _annotator(value: object, annotators: Mapping[int, str]) -> str:
    """Return the annotator: the e-mail address where it is known, else the server's number."""
    if isinstance(value, Mapping):
        email = value.get("email")
        if isinstance(email, str) and email.strip():
            return _storable(email.strip())
    number = _account(value)
    if number is None:
        raise _Odd("does not say who made it")
    return annotators.get(number, f"user {number}")


def _account(value: object) -> int | None:
    """Return the server's number of a user, given as a number or as an object."""
    number = value.get("id") if isinstance(value, Mapping) else value
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def _seconds(value: object) -> float | None:
    """Return the time taken, where it is a number that a clock can show."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        seconds = float(value)
    except OverflowError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _utc(value: object) -> str | None:
    """Return a time in ISO 8601 with milliseconds in UTC, so that text order is time order; None when it is no time."""
    if not isinstance(value, str):
        return None
    try:
        time = datetime.fromisoformat(value)
        return iso(time if time.tzinfo else time.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def _shown(value: object) -> str:
    """Return a value of unknown kind in a reason: short, on one line, without control characters."""
    text = value if isinstance(value, str) and value.isidentifier() else ascii(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
