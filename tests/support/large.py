"""A large made-up store: 200,000 answers of four systems to 50,000 shared questions over 26 weeks, 2,000 of them labelled.

`PYTHONPATH=tests python -m support.large FILE [ITEMS]` makes one by hand. A test gets `large_store`, made once a session (or the file that
ASSAY_LARGE names), or `smaller_store`, a tenth of it, and copies it before it writes. The rule: the same numbers every time, and nothing
in it is real.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from annotate.analysis.rule_in_force import built_in
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.store.scores.calls import Attempt
from annotate.workflow.judging import rules
from annotate.workflow.sampling.draw import draw_wave
from proxy.judges.llm.reading import Reply
from proxy.llm.attempt import RequestOutcome, Usage
from proxy.records import FailureKind, Item, JudgeFailure, Score
from support.large_people import adjudicate_half, gold, label, thumbs
from support.large_texts import answer, contexts, question, reason
from support.large_truth import SYSTEMS, WEEKS, Truth, drawn_truth, moment

ITEMS, LABELS, OPEN = 200_000, 2_000, 60
BATCH = 10_000
MODEL = ("faithfulness|llm|little-judge|v1|0a1b2c3d", "faithfulness|llm|little-judge|v2|4e5f6a7b")  # changed in week 14
CHANGED, BOTH = 14, 0.02
FAILED = 0.02
PRICED = 10  # every so many answers of the model have their request kept


def fill(path: Path, items: int = ITEMS, labels: int = LABELS) -> None:
    """Make the store."""
    rng = np.random.default_rng(2026)
    store = Store(path)
    truth = drawn_truth(rng, items)
    for start in range(0, items, BATCH):
        rows = range(start, min(start + BATCH, items))
        now = moment(truth.week[rows[-1]] + 1)
        with store.atomic():
            store.traffic.items.add([_item(n, items, truth) for n in rows], now=now)
            store.scores.keep(_scores(rng, rows, truth), now=now)
    _requests(store, rng, truth)
    rules.follow_scores(store, now=moment(1))
    for wave, week in enumerate((20, WEEKS)):
        thumbs(store, rng, truth, week)
        if wave:
            rules.set_rule(
                store, "stricter", "min(context_relevance, faithfulness) > 0.55", {}, who="tester", now=moment(24)
            )
        open_ones = OPEN if wave else 0
        draw_wave(store, ProposalRequest(labels=labels // 2 + open_ones, seed=wave), now=moment(week))
        label(store, rng, truth, week, left_open=open_ones)
    adjudicate_half(store)
    gold(store)
    for part in range(3):
        detail = {"items": items, "part": part}
        store.audit.events.append("ingest", detail, who="engineer", now=moment(WEEKS))
    store.close()


def _item(n: int, items: int, truth: Truth) -> Item:
    """One system's answer to a question that all systems were asked."""
    group, language = n // 4, str(truth.language[n])
    return Item(
        id=f"t-{n:06}",
        question=question(group, language),
        answer=answer(group, language, is_right=bool(truth.right[n])),
        contexts=contexts(group, n % 4, language, is_found=bool(truth.retrieved[n])),
        system=list(SYSTEMS)[n % 4],
        timestamp=moment(n / items * WEEKS),
        group=f"q-{group:05}",
        language=language,
        metadata={"channel": ("web", "phone", "app")[n % 3], "user": f"user-{group % 900:03}", "tokens": 300 + n % 700},
    )


def _scores(rng: np.random.Generator, rows: range, truth: Truth) -> dict[int, list[Score | JudgeFailure]]:
    """Three offline judges, a model's judge with two signatures, and grades of some questions."""
    right, retrieved = truth.right[rows.start : rows.stop], truth.retrieved[rows.start : rows.stop]
    count = len(rows)
    values = {
        "context_relevance": rng.beta(np.where(retrieved, 6, 2.4), 2.2, count),
        "faithfulness": rng.beta(np.where(right, 6, 2.8), 2.4, count),
        "answer_relevance": rng.beta(np.where(right, 4, 3), 2, count),
    }
    built = built_in()
    model = {judge: rng.beta(np.where(right, 7, 2.2), 2, count) for judge in MODEL}
    fails, both = rng.random(count) < FAILED, rng.random(count) < BOTH
    grades = np.clip(np.round(rng.normal(np.where(right, 4.4, 2.3), 0.8, count)), 1, 5)
    made: dict[int, list[Score | JudgeFailure]] = {}
    for place, n in enumerate(rows):
        name = f"t-{n:06}"
        scores = made[n + 1] = [
            Score(item_id=name, judge=judge, signature=built[judge].signature, value=float(value[place]), seconds=0.001)
            for judge, value in values.items()
        ]
        signatures = MODEL if both[place] else (MODEL[int(truth.week[n] >= CHANGED)],)
        scores += [
            _of_model(name, judge_signature, float(model[judge_signature][place]), fails=bool(fails[place]))
            for judge_signature in signatures
        ]
        if n // 4 % 25 == 0:
            grade = (float(grades[place]) - 1) / 4
            signature = built["correctness_vs_reference"].signature.replace("offline", "recorded")
            scores.append(Score(item_id=name, judge="correctness_vs_reference", signature=signature, value=grade))
    return made


def _of_model(item_id: str, signature: str, value: float, *, fails: bool) -> Score | JudgeFailure:
    """What the model's judge says, or why it says nothing."""
    if fails:
        kind = FailureKind.UNANSWERED if int(item_id[2:]) % 2 else FailureKind.INVALID
        why = "the reply was cut off" if kind is FailureKind.INVALID else "timeout after 60 s"
        return JudgeFailure(item_id=item_id, judge="faithfulness", signature=signature, kind=kind, reason=why)
    score = {"item_id": item_id, "judge": "faithfulness", "signature": signature}
    return Score(**score, value=round(value, 3), reason=reason(value), seconds=round(0.8 + value, 2))


def _requests(store: Store, rng: np.random.Generator, truth: Truth) -> None:
    """What some of the model's words cost."""
    half = int(np.searchsorted(truth.week, CHANGED))
    for signature, rows in zip(MODEL, (range(0, half, PRICED), range(half, len(truth.week), PRICED)), strict=True):
        now = moment(CHANGED if signature == MODEL[0] else WEEKS)
        with store.atomic():
            settings = {"url": "http://127.0.0.1:8000/v1", "prompts": signature[-8:], "mode": "json_schema"}
            store.scores.describe("faithfulness", signature, settings)
            run = store.scores.calls.start("http://127.0.0.1:8000/v1", "little-judge", now=now)
            store.scores.calls.keep_canaries(
                run, [{"signature": signature, "value": 0.1, "fooled": False, "reason": "no"}]
            )
            for n in rows:
                usage = Usage(prompt=900 + n % 200, completion=120, cached=400)
                reply = Reply(text='{"supported": true}', finish="stop", refusal=None, tokens=())
                exchange = RequestOutcome(outcome="ok", seconds=float(rng.gamma(4, 0.3)), reply=reply, usage=usage)
                store.scores.calls.keep(
                    run, Attempt("item", signature, n + 1, 0, is_open=False), exchange, 0.0004, now=now
                )
            store.scores.calls.end(run, None, now=now)


@pytest.fixture(scope="session")
def large_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store, to be read only; made once, by whoever comes first."""
    if ready := os.environ.get("ASSAY_LARGE"):
        return Path(ready)
    path = tmp_path_factory.mktemp("large") / "assay.db"
    fill(path)
    return path


@pytest.fixture(scope="session")
def smaller_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tenth of the large one, to be read only."""
    path = tmp_path_factory.mktemp("smaller") / "assay.db"
    fill(path, items=ITEMS // 10, labels=600)
    return path


def main(arguments: Sequence[str]) -> None:
    """Make one by hand."""
    started = time.perf_counter()
    fill(Path(arguments[0]), int(arguments[1]) if len(arguments) > 1 else ITEMS)
    print(f"{arguments[0]}: {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
