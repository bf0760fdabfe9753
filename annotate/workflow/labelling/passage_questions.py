"""Decide which draws are asked about their passages: each with a known chance, once, before it is sent."""

from __future__ import annotations

from collections.abc import Sequence

from annotate.domain.passage_relevance import SALT
from annotate.store import Store
from annotate.store.sampling.passage_questions import PassageQuestion
from annotate.store.sampling.waves import OpenDraw
from proxy.errors import UsageError
from proxy.stats.sampling.permanent_random import permanent_random_number


def check(share: float | None, *, is_asked: bool) -> None:
    """Raise UsageError unless the share can be one: above 0, at most 1, and of a form that asks about passages."""
    if share is None:
        return
    if not is_asked:
        raise UsageError("--share is the share of answers that are asked about passages: add --ask passages")
    if not 0 < share <= 1:
        raise UsageError("--share is above 0 and at most 1; --ask nothing ends the question about passages")


def decide(store: Store, draws: Sequence[OpenDraw], share: float, *, now: str) -> set[int]:
    """Decide on the draws that have no decision and no answer yet; return all draws that are asked.

    Whoever has read a draw before the question was asked has not answered it: such a draw is not asked, so that what is asked
    stays a random part of what is read with the question. The number that decides is a keyed hash of the draw's own key.
    """
    answered = {outcome.draw for outcome in store.labels.outbox.outcomes() if outcome.judgement is not None}
    with store.atomic():
        known, shares = store.sampling.passage_questions.all(), store.sampling.passage_questions.wave_shares()
        new = [
            PassageQuestion(
                draw.key,
                wave_share := shares.get(draw.wave, share),
                permanent_random_number(draw.task_key, SALT) < wave_share,
            )
            for draw in draws
            if draw.key not in known and draw.key not in answered
        ]
        store.sampling.passage_questions.keep(new, now=now)
    return {question.draw for question in (*known.values(), *new) if question.is_asked}
