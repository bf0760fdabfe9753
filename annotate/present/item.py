"""Show all that is known of one answer: what the proxy and annotators say, its texts, and who says what of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from annotate.analysis.labelling.rows import status_of
from annotate.domain.annotation import ADJUDICATION, Annotation
from annotate.domain.feedback import Feedback
from annotate.domain.message import Code, Kind, Listing, Message, Name, Number, Quote, Value, coefficient, message
from annotate.domain.passages import PassageName, passage_names
from annotate.domain.question_key import PREFIX
from annotate.domain.sentence_marks import DOUBTED
from annotate.present import naming, waves
from annotate.present.document import Block, Document, Excerpt, Section, Status
from annotate.present.gold import lists
from proxy.records import Context, Judgement, Label, LabelBasis, SentenceVerdict, Support, Verdict

if TYPE_CHECKING:
    from annotate.analysis.disagreements import ItemDetail, JudgeResult, Sentences

THUMBS = {-1: "down", 0: "neither", 1: "up"}


def document(known: ItemDetail) -> Document:
    """Build the document of one answer, in the order of reading."""
    sections = (
        Section(None, tuple(_item(known))),
        Section(message("disagreements.annotators"), tuple(_annotators(known))),
        Section(message("item.sentences"), tuple(_sentences(known))),
        Section(message("disagreements.judges"), tuple(_judges(known.judge_results))),
        Section(message("item.feedback"), tuple(map(_thumb, known.feedback))),
        Section(message("texts.passages", count=len(known.item.contexts)), tuple(_passages(known))),
        Section(message("item.drawing"), (_draw(known),)),
        Section(message("item.gold"), tuple(_gold(known))),
    )
    return Document(answer(known), _status(known), tuple(section for section in sections if section.blocks))


def answer(known: ItemDetail) -> Message:
    """Say what the proxy makes of it and what annotators do, and whether they differ."""
    verdict = known.verdict.value
    if known.verdict is Verdict.UNSCORED:
        proxy = message("item.unscored")
    else:
        threshold = Number(known.rule.threshold, Kind.THRESHOLD)
        value = Number(known.value, Kind.THRESHOLD, limit=known.rule.threshold)
        proxy = message(f"item.{verdict}", value=value, threshold=threshold)
    return message("item.answer", proxy=proxy, annotators=message(f"item.{_annotators_key(known)}"))


def _annotators_key(known: ItemDetail) -> str:
    if known.label is None:
        return "changed" if known.is_changed else "unlabelled"
    if known.label.judgement is Judgement.UNSURE:
        return "disagree" if known.label.basis is LabelBasis.DISAGREEMENT else "unsure"
    return f"{known.verdict.value}_{known.label.judgement.value}"


def _status(known: ItemDetail) -> Status:
    if known.kind is not None:
        return Status.MISSED
    is_known = known.label is not None and known.label.judgement is not Judgement.UNSURE
    return Status.MET if is_known and known.verdict is not Verdict.UNSCORED else Status.OPEN


def _item(known: ItemDetail) -> Iterator[Block]:
    """Which answer it is, and what was asked and answered."""
    item = known.item
    about = (item.system, item.language, item.timestamp)
    title = Listing(tuple(Name(part) for part in (item.id, *about) if part))
    if known.is_forgotten:
        yield message("values.colon", label=message("labels.item"), words=title)
        yield message("disagreements.forgotten")
    else:
        turns = [(_speaker(turn.role), Quote(turn.text)) for turn in item.history]
        texts = [(message("item.question"), Quote(item.question)), (message("labels.answer"), Quote(item.answer))]
        texts += [(message("item.came_with"), Quote(item.reference))] if item.reference else []
        if item.group and not item.group.startswith(PREFIX):  # without a group of its own it has that of its question
            texts.append((message("item.group"), Quote(item.group)))
        yield _excerpt(message("values.colon", label=message("labels.item"), words=title), (*turns, *texts))
    yield _rule(known)


def _rule(known: ItemDetail) -> Message:
    """The rule in force, with the scores that it reads."""
    rule = known.rule
    words = Code(f"{rule.name} v{rule.version}: {rule.expression}")
    scores = tuple(
        message("item.read", judge=Name(result.judge), score=_score(result))
        for result in known.judge_results
        if rule.signatures.get(result.judge) == result.signature
    )
    return message("item.rule_of", rule=words, scores=Listing(scores)) if scores else message("item.rule", rule=words)


def _speaker(role: str) -> Message:
    return message("labels.name", name=Name(role)) if role else message("texts.before")


def _excerpt(title: Message, texts: Sequence[tuple[Message, Quote]]) -> Excerpt:
    return Excerpt(title, tuple(texts), is_whole=True)


def _sentences(known: ItemDetail) -> Iterator[Block]:
    """The sentences that a judge finds no support for, those of the rule's own judge first."""
    for sentences in () if known.is_forgotten else known.sentences:
        yield from _doubts(sentences)


def _doubts(sentences: Sentences) -> Iterator[Block]:
    claims = [verdict for verdict in sentences.verdicts if verdict.support is not Support.NO_CLAIM]
    doubted = [verdict for verdict in claims if verdict.support in DOUBTED]
    counts = {"supported": len(claims) - len(doubted), "claims": len(claims)}
    yield message("disagreements.marks", judge=Name(sentences.judge), **counts)
    if not sentences.is_rule:
        yield message("disagreements.marked_by_other")
    yield from map(_doubt, doubted)


def _doubt(verdict: SentenceVerdict) -> Excerpt:
    support = message(f"disagreements.support_{verdict.support.value}")
    notes = [(message("item.note"), Quote(note)) for note in verdict.notes]
    if verdict.passage is not None and verdict.quote:
        notes.insert(0, (message("item.nearest", rank=verdict.passage), Quote(verdict.quote)))
    return _excerpt(message("values.colon", label=support, words=Quote(verdict.sentence)), notes)


def _annotators(known: ItemDetail) -> Iterator[Block]:
    """Who read it and how, with notes and references, and what the label rests on."""
    label = known.label
    if label is None:
        yield message("disagreements.changed" if known.is_changed else "disagreements.no_label")
        return
    readings: Sequence[Label | Annotation] = known.readings or [label]
    yield from map(_reading, readings)
    if label.basis and label.basis is not LabelBasis.DISAGREEMENT:
        yield message("item.basis", basis=message(f"labels.by_{label.basis.name.lower()}"))
    for named in known.named:
        causes = Listing(tuple(map(naming.cause, named.causes))) if named.causes else message("disagreements.not_given")
        yield message("disagreements.named", who=Name(named.who), at=Name(named.at), causes=causes)
    if asked := known.second.asked:
        yield message("disagreements.asked", who=Name(asked.who), at=Name(asked.at))
    if label.wave is None:
        yield message("disagreements.hand_picked")


def _reading(reading: Label | Annotation) -> Excerpt:
    marks: list[Value] = [_judgement(reading), *map(naming.cause, reading.causes)]
    if reading.harm:
        marks.append(message("disagreements.harm_is", harm=message(f"disagreements.harm_{reading.harm}")))
    who = Name(reading.annotator) if reading.annotator else None
    values: dict[str, Value] = {"annotator": who, "label": Listing(tuple(marks))}
    title = message("item.by_at", at=Name(reading.at), **values) if reading.at else message("item.by", **values)
    texts = {"item.note": reading.rationale, "labelling.reference": reading.reference}
    return _excerpt(title, [(message(key), Quote(words)) for key, words in texts.items() if words])


def _judgement(reading: Label | Annotation) -> Message:
    if not isinstance(reading, Annotation):
        return message(f"labels.status_{reading.judgement.value}")
    status = message(f"labels.status_{status_of(reading)}")
    return message("item.adjudicated", label=status) if reading.source == ADJUDICATION else status


def _judges(results: Sequence[JudgeResult]) -> Iterator[Block]:
    """Each judge's score and its reason."""
    if not results:
        yield message("disagreements.no_judge")
    for result in results:
        texts = [(message("item.reason"), Quote(result.reason))] if result.reason.strip() else []
        texts.append((message("item.version"), Quote(result.signature)))
        yield _excerpt(message("values.colon", label=Name(result.judge), words=_score(result)), texts)


def _score(result: JudgeResult) -> Value:
    return message("disagreements.no_score") if result.value is None else coefficient(result.value)


def _thumb(thumb: Feedback) -> Excerpt:
    about: list[Value] = [
        message(f"texts.thumb_{THUMBS[thumb.sign]}"),
        *(Name(part) for part in (thumb.at, thumb.source) if part),
    ]
    texts = {"item.comment": thumb.comment, "item.correction": thumb.correction}
    return _excerpt(
        message("labels.name", name=Listing(tuple(about))),
        [(message(key), Quote(words)) for key, words in texts.items() if words],
    )


def _passages(known: ItemDetail) -> Iterator[Block]:
    """The passages that the app had found, in its order."""
    if known.is_forgotten:
        return
    if not known.item.contexts:
        yield message("texts.no_passage")
    named = zip(known.item.contexts, passage_names(known.item), strict=True)
    for rank, (context, name) in enumerate(named, start=1):
        yield _passage(rank, context, name)


def _passage(rank: int, context: Context, name: PassageName) -> Excerpt:
    title = message("item.passage_named", rank=rank, name=Name(name.line)) if name.line else None
    return _excerpt(title or message("texts.passage", rank=rank), [(message("item.text"), Quote(context.text))])


def _draw(known: ItemDetail) -> Message:
    draw = known.draw
    if draw is None:
        return message("item.not_drawn")
    stratum, chance = waves.stratum(draw.stratum), waves.chance(draw.inclusion_probability)
    return message("item.drawn", wave=draw.wave, at=Name(draw.drawn_at), stratum=stratum, chance=chance)


def _gold(known: ItemDetail) -> Iterator[Block]:
    """Its entry in the gold set, and whether a reference is wanted."""
    if known.gold is None:
        yield message("item.no_gold")
    else:
        yield _excerpt(lists.entry_title(known.gold), [(message("gold.reference"), Quote(known.gold.reference))])
    if known.needs_reference:
        yield message("item.needs_reference")
