"""A store with several judges: one that a model gave under two seeds and two prompts, failures, twins, tests and labels."""

from __future__ import annotations

from annotate.analysis.rule_in_force import built_in
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.store.scores.calls import Attempt
from annotate.workflow.judging import offline
from annotate.workflow.sampling.draw import draw_wave
from proxy.judges.llm.reading import Reply
from proxy.llm.attempt import RequestOutcome, Usage
from proxy.records import Context, FailureKind, Item, JudgeFailure, Score
from support.store import take_labels

NOW = "2026-11-21T09:00:00.000Z"
COUNT, TWINS, FAILED = 80, 10, 4
JUDGE = "faithfulness"
FIRST, SEEDED, CHANGED = (f"{JUDGE}|llm|m|v1|{digest}" for digest in ("aaaaaaaa", "bbbbbbbb", "cccccccc"))
SETTINGS: dict[str, object] = {"url": "http://127.0.0.1:1/v1", "mode": "json_schema", "prompt": JUDGE, "prompts": "p1"}
COST, PROMPT, COMPLETION = 0.25, 100, 20


def items() -> list[Item]:
    """Answers over eight weeks of two systems; the last TWINS say what the first ones said, word for word."""
    return [_item(n, n) for n in range(COUNT)] + [_item(COUNT + n, n) for n in range(TWINS)]


def _item(number: int, text: int) -> Item:
    room = f"Room {text} is on floor {text % 7}."
    has_room = text % 3 > 0
    return Item(
        id=f"i{number:03}",
        question=f"Where is room {text}?",
        contexts=(Context(text=room if has_room else "Coffee is served on the roof."),),
        answer=room if text % 4 else "The lift is broken, please take the stairs.",
        system=f"s{text % 2}",
        timestamp=f"2026-{9 + number % 56 // 28:02}-{1 + number % 28:02}T00:00:00.000Z",
    )


def value(number: int, signature: str) -> float:
    """What the model said: another seed moves every fifth score over the threshold, another prompt all of them a little."""
    base = 0.9 if number % 4 else 0.2
    if signature == SEEDED and number % 5 == 0:
        return 1 - base
    return base - 0.1 if signature == CHANGED else base


def several(store: Store) -> None:
    """Everything."""
    unlabelled(store)
    draw_wave(store, ProposalRequest(labels=len(items()), audit=0.2, seed=1), now=NOW)
    rows: list[dict[str, object]] = [
        {"item_id": item.id, "label": "wrong" if n % 4 == 0 or n % 11 == 0 else "right"}
        for n, item in enumerate(items())
    ]
    take_labels(store, rows)


def unlabelled(store: Store) -> None:
    """Judged, and nothing drawn."""
    with store.atomic():
        store.traffic.items.add(items(), now=NOW)
    offline.judge(store, list(built_in().values()), now=NOW)
    keys = store.traffic.items.keys([item.id for item in items()])
    with store.atomic():
        for signature, more in (
            (FIRST, {"parameters": {"temperature": 0.0}}),
            (SEEDED, {"parameters": {"temperature": 0.0, "seed": 2}}),
            (CHANGED, {"parameters": {"temperature": 0.0}, "prompts": "p2"}),
        ):
            store.scores.describe(JUDGE, signature, {**SETTINGS, **more})
            store.scores.keep({key: [_outcome(key, name, signature)] for name, key in keys.items()}, now=NOW)
        _requests(store, keys)


def _outcome(key: int, name: str, signature: str) -> Score | JudgeFailure:
    number = int(name[1:])
    if signature == FIRST and number >= COUNT + TWINS - FAILED:
        return JudgeFailure(
            item_id=name, judge=JUDGE, signature=signature, kind=FailureKind.INVALID, reason="no verdict"
        )
    return Score(item_id=name, judge=JUDGE, signature=signature, value=value(number, signature), seconds=2.0)


def _requests(store: Store, keys: dict[str, int]) -> None:
    """A run that asked for every answer under the first signature, and seven runs whose first and last test answer are one."""
    run = store.scores.calls.start("http://127.0.0.1:1/v1", "m", now=NOW)
    exchange = RequestOutcome(
        outcome="ok", seconds=2.0, reply=Reply(text="{}"), usage=Usage(prompt=PROMPT, completion=COMPLETION)
    )
    for key in keys.values():
        store.scores.calls.keep(run, Attempt("item", FIRST, key, 0, is_open=False), exchange, COST, now=NOW)
    for number in range(7):
        run = store.scores.calls.start("http://127.0.0.1:1/v1", "m", now=NOW)
        told = {"signature": FIRST, "value": 0.1 * number, "fooled": number > 5, "reason": ""}
        store.scores.calls.keep_canaries(run, [told])
