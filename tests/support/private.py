"""A store with personal data in every field that holds a text: what redaction must keep from the browser and from files."""

from __future__ import annotations

from annotate.analysis.rule_in_force import built_in
from annotate.domain.annotation import Annotation
from annotate.domain.complaints import ComplaintState
from annotate.domain.feedback import Feedback
from annotate.domain.gold import GoldStatus
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.store.traffic.feedback_quarantine import Quarantined
from annotate.workflow.gold import review
from annotate.workflow.gold.review import Actor
from annotate.workflow.judging import offline
from annotate.workflow.labelling import complaints
from annotate.workflow.sampling.draw import draw_wave
from proxy.records import Context, Item, Judgement, Score, SentenceVerdict, Support, Turn

NOW = "2026-11-20T09:00:00.000Z"
NAMES = ("Zebedee Quux", "Ottoline Frobisher", "陳祕密醫師")
MAIL, PHONE, RECORD, OWN = "zq.secret@clinic.example.org", "0912-345-678", "00987654321", "W-99887766"
WARD, GROUP = "ward-of-secrets", "conversation-of-secrets"
SECRET = f"write to {MAIL}, call {PHONE}, record {RECORD}, case {OWN}, seen by {NAMES[0]} and {NAMES[2]}"
PLANTED = (*NAMES, MAIL, PHONE, RECORD, OWN, WARD, GROUP)
# What stands in each field that can be hidden altogether, and nowhere else.
MARKS = {
    name: f"{name}-of-secrets"
    for name in ("comment", "correction", "rationale", "reference", "history", "title", "source")
}
HIDDEN = f"[redaction]\non = true\npatterns = ['W-\\d{{8}}']\nhidden = {list(MARKS)}\n"
ITEMS = 24


def private(store: Store) -> tuple[str, ...]:
    """Fill it; what must not be seen."""
    with store.atomic():
        store.traffic.items.add([_item(n) for n in range(ITEMS)], now=NOW)
        keys = store.traffic.items.keys([_name(n) for n in range(ITEMS)])
        for row, item in zip(keys.values(), store.traffic.items.read(list(keys.values())).values(), strict=True):
            store.scores.keep({row: [_score(item)]}, now=NOW)
        store.traffic.feedback.keep([_thumb(n) for n in (*range(0, ITEMS, 3), ITEMS + 1)], now=NOW)
        store.traffic.quarantine.keep([Quarantined("traffic", MAIL, 1, SECRET, SECRET.encode())], now=NOW)
    offline.judge(store, list(built_in().values()), now=NOW)
    draw_wave(store, ProposalRequest(labels=ITEMS, seed=1), now=NOW)
    draws = store.sampling.waves.open_draws()[:-4]
    said = [
        PlacedAnnotation(_said(draw.item_id, draw.task_key, annotator, place), draw.item, draw.key)
        for place, draw in enumerate(draws)
        for annotator in NAMES[: 1 + place % 2]
    ]
    with store.atomic():
        store.labels.keep(said, now=NOW)
        store.audit.events.append("labels import", {"rows": len(said)}, who=NAMES[2], now=NOW)
    seen = {entry.gold_id: entry.revision for entry in store.gold.entries(GoldStatus.CANDIDATE)[:3]}
    review.set_status(store, dict(seen), GoldStatus.ACCEPTED, Actor(NAMES[2], NOW), why=_of("rationale"))
    lost = store.traffic.complaints.page(ComplaintState.UNKNOWN, start=0, size=1)
    complaints.set_aside(store, lost[0], _of("rationale"), who=NAMES[2], now=NOW)
    return PLANTED


def _of(field: str) -> str:
    """A text of this field."""
    return f"{SECRET}. {MARKS[field]}"


def _name(number: int) -> str:
    return f"trace-{number}"


def _item(number: int) -> Item:
    """One answer; four systems, one of them named after a mailbox."""
    return Item(
        id=_name(number),
        question=f"{number}: {SECRET}",
        answer=f"No. {SECRET}. Ask again.",
        contexts=(Context(text=SECRET, id=MAIL, title=_of("title")), Context(text=f"passage {number}. {SECRET}")),
        system=("search", f"bot {MAIL}")[number % 2],
        timestamp=f"2026-11-{1 + number % 19:02}T10:00:00Z",
        group=f"{GROUP}-{number // 2}",
        language=("en", "ko")[number // 2 % 2],
        history=(Turn(role=NAMES[0], text=_of("history")), Turn(role="assistant", text=SECRET)),
        reference=_of("reference") if number % 5 == 0 else None,
        metadata={"ward": f"{WARD}-{number % 3}", "patient": SECRET},
    )


def _score(item: Item) -> Score:
    """A model's word that repeats what it read."""
    verdict = SentenceVerdict(
        sentence=f"No. {SECRET}.", support=Support.CONTRADICTED, value=0.0, passage=1, quote=SECRET
    )
    signature = "faithfulness|llm|little|v1|00ff00ff"
    return Score(
        item_id=item.id, judge="faithfulness", signature=signature, value=0.4, reason=SECRET, sentences=(verdict,)
    )


def _thumb(number: int) -> Feedback:
    words = {"comment": _of("comment"), "correction": _of("correction") if number % 2 else None}
    return Feedback(item_id=_name(number), value="-1", sign=-1, source=MARKS["source"], at=NOW, **words)


def _said(item_id: str, key: str, annotator: str, place: int) -> Annotation:
    wrong = (place + NAMES.index(annotator)) % 2 == 0
    return Annotation(
        source="file",
        id=f"{key}:{annotator}",
        item_id=item_id,
        annotator=annotator,
        judgement=Judgement.WRONG if wrong else Judgement.RIGHT,
        reference=_of("reference") if wrong and place % 3 else None,
        causes=("unfaithful",) if wrong else (),
        harm="serious" if place % 5 == 0 else "minor",
        rationale=_of("rationale"),
        seconds=20.0 + place,
        at=NOW,
    )
