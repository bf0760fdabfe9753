"""Usage of each judge: when it scored, how fast, what its requests to a model used, what its signature stands for.

It reads judges, scores, runs and attempts and writes nothing. The rule: what an endpoint never told is None, never 0.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from annotate.store.engine.rollups import CountingRoom

SPANS = """
    SELECT j.key, min(s.at), max(s.at), avg(s.seconds), count(s.seconds) FROM judges j
    CROSS JOIN scores s ON s.judge = j.key GROUP BY j.key ORDER BY j.key
"""
# A check against the gold set names no item: what it asked was not asked of the traffic.
REQUESTS = """
    SELECT judges, count(*), sum(outcome = 'ok'), count(DISTINCT item), sum(seconds), sum(prompt_tokens),
        sum(cached_tokens), sum(completion_tokens), sum(cost), count(cost) FROM attempts
    WHERE purpose = 'item' AND item IS NOT NULL GROUP BY judges ORDER BY min(key)
"""
# One call for two judges names both signatures.
TOGETHER = " + "


class JudgingPeriod(NamedTuple):
    """Times at which a judge first and last scored an answer, and the mean seconds of those `timed` scores that have a time."""

    first_at: str
    last_at: str
    seconds: float | None
    timed: int


class Requests(NamedTuple):
    """Usage of all requests on answers made for these signatures; the cost is that of `priced` of them."""

    signatures: tuple[str, ...]
    requests: int
    replies: int
    items: int
    seconds: float
    prompt_tokens: int | None
    cached_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    priced: int


class Told(NamedTuple):
    """A test answer's value under a signature, in the run with this number."""

    run: int
    signature: str
    value: float


class JudgeUsage(CountingRoom):
    """Read judges, scores, runs and attempts."""

    def spans(self) -> dict[int, JudgingPeriod]:
        """Return each judge's span, by its row, over all the scores that it ever gave."""
        rows = self._rollups.get(
            "judge spans", ("items", "scores"), "", lambda: self._traffic.execute(SPANS).fetchall()
        )
        return {
            int(key or 0): JudgingPeriod(
                str(first), str(last), None if seconds is None else float(seconds), int(timed or 0)
            )
            for key, first, last, seconds, timed in rows
        }

    def requests(self) -> list[Requests]:
        """Return what all requests on answers took, by the judges that they were made for."""
        rows = self._db.conn.execute(REQUESTS)
        return [Requests(tuple(names.split(TOGETHER)), *rest) for names, *rest in rows]

    def settings(self) -> dict[str, dict[str, object]]:
        """Return what each signature stands for, where that is known."""
        rows = self._db.conn.execute("SELECT signature, settings FROM judges ORDER BY key")
        return {signature: json.loads(settings) for signature, settings in rows}

    def test_values(self) -> list[Told]:
        """Return every value that a judge gave to a run's test answer."""
        rows = self._db.conn.execute("SELECT key, canaries FROM runs ORDER BY key")
        return [
            Told(int(run), canary["signature"], float(canary["value"]))
            for run, canaries in rows
            for canary in json.loads(canaries)
            if canary["value"] is not None
        ]
