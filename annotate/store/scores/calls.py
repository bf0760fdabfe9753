"""Requests to models: every attempt with its reply, usage and cost, what each endpoint can do, and the runs they were part of.

An attempt is written as it ends and never changed, but for `is_open`: a reply that has been paid for and whose judge has not
said its word yet, so that a run which was cut short goes on from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from annotate.store.engine.database import Room, from_column, to_column
from annotate.store.engine.sqlite import Database
from proxy.judges.llm.form import Mode
from proxy.judges.llm.probability import Token
from proxy.judges.llm.reading import Reply
from proxy.llm.attempt import RequestOutcome, Usage
from proxy.llm.probing import Capability
from proxy.text.addresses import without_secrets


class Attempt(NamedTuple):
    """Purpose of a request: a probe, a canary, or a step of some judges on an item."""

    purpose: str
    judges: str
    item: int | None
    step: int
    is_open: bool


class KeysRemoved(NamedTuple):
    """How many stored addresses of endpoints held what may be a key."""

    addresses: int


class Used(NamedTuple):
    """Usage of some judges' requests of a run; None where the endpoint never told or prices are not known."""

    judges: str
    attempts: int
    replies: int
    seconds: float
    prompt_tokens: int | None
    cached_tokens: int | None
    completion_tokens: int | None
    cost: float | None


class Taken(NamedTuple):
    """Tokens and money that requests have taken; `unpriced` is the usage of those whose price was not known then."""

    tokens: int
    money: float
    unpriced: Usage


class Calls(Room):
    """The runs, attempts and endpoints tables."""

    def start(self, url: str, model: str, *, now: str) -> int:
        """Start a run and return its number."""
        query = "INSERT INTO runs (url, model, started_at) VALUES (?, ?, ?)"
        return int(self._db.conn.execute(query, (url, model, now)).lastrowid or 0)

    def end(self, run: int, stopped: str | None, *, now: str) -> None:
        """Note how the run ended."""
        self._db.conn.execute("UPDATE runs SET ended_at = ?, stopped = ? WHERE key = ?", (now, stopped, run))

    def keep_canaries(self, run: int, canaries: Sequence[Mapping[str, object]]) -> None:
        """Note what the run's canaries have come to so far."""
        self._db.conn.execute("UPDATE runs SET canaries = ? WHERE key = ?", (json.dumps(list(canaries)), run))

    def keep(self, run: int, attempt: Attempt, exchange: RequestOutcome, cost: float | None, *, now: str) -> None:
        """Write down one request."""
        usage = exchange.usage
        counts = (usage.prompt, usage.cached, usage.completion) if usage else (None, None, None)
        reason = exchange.fault.reason if exchange.fault else None
        self._db.conn.execute(
            "INSERT INTO attempts VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                run,
                attempt.purpose,
                attempt.judges,
                attempt.item,
                attempt.step,
                exchange.outcome,
                to_column(reason),
                exchange.seconds,
                *counts,
                cost if usage else None,
                exchange.model,
                exchange.fingerprint,
                exchange.request_id,
                to_column(_reply(exchange, attempt)),
                int(attempt.is_open),
                now,
            ),
        )

    def close(self, item: int, judges: str) -> None:
        """Note that these judges have said their word on the item: of its replies the words are kept, like of any other."""
        text = "coalesce(json_extract(reply, '$[2]'), json_extract(reply, '$[0]'))"
        self._db.conn.execute(
            f"UPDATE attempts SET is_open = 0, reply = CASE WHEN typeof(reply) = 'text' THEN {text} ELSE reply END "
            "WHERE item = ? AND judges = ? AND is_open",
            (item, judges),
        )

    def open_replies(self, items: Sequence[int]) -> dict[tuple[int, str], list[Reply]]:
        """Return the replies that were paid for and led to no word yet, in order, by (item, judges)."""
        by_item: dict[tuple[int, str], list[Reply]] = {}
        query = (
            f"SELECT item, judges, step, reply FROM attempts WHERE is_open AND item IN ({', '.join('?' * len(items))}) "
            "ORDER BY item, judges, step, key"
        )
        for item, judges, step, reply in self._db.conn.execute(query, list(items)):
            replies = by_item.setdefault((item, judges), [])
            if len(replies) == step:
                replies.append(read_reply(from_column(reply)))
        return by_item

    def taken_since(self, judge: str, at: str) -> Taken:
        """Return what requests of this judge, whatever its version, have taken since a time."""
        query = (
            "SELECT coalesce(sum(prompt_tokens), 0) + coalesce(sum(completion_tokens), 0), coalesce(sum(cost), 0), "
            "coalesce(sum(prompt_tokens) FILTER (WHERE cost IS NULL), 0), "
            "coalesce(sum(cached_tokens) FILTER (WHERE cost IS NULL), 0), "
            "coalesce(sum(completion_tokens) FILTER (WHERE cost IS NULL), 0) "
            "FROM attempts WHERE at >= ? AND substr(judges, 1, ?) = ?"
        )
        tokens, money, prompt, cached, completion = self._db.conn.execute(
            query, (at, len(judge) + 1, f"{judge}|")
        ).fetchone()
        return Taken(int(tokens), float(money), Usage(prompt=prompt, cached=cached, completion=completion))

    def capability(self, url: str, model: str) -> Capability | None:
        """Return what is known of this endpoint and model."""
        query = "SELECT mode, parameters FROM endpoints WHERE url = ? AND model = ?"
        row = self._db.conn.execute(query, (url, model)).fetchone()
        return None if row is None else Capability(mode=Mode(row[0]), parameters=json.loads(row[1]))

    def remember(self, url: str, model: str, capability: Capability, *, now: str) -> None:
        """Note what this endpoint and model can do."""
        self._db.conn.execute(
            "INSERT OR REPLACE INTO endpoints VALUES (?, ?, ?, ?, ?)",
            (url, model, capability.mode, json.dumps(dict(capability.parameters)), now),
        )

    def used(self, run: int) -> list[Used]:
        """Return what the requests of a run took, by judges; the probe and the canaries among them."""
        query = (
            "SELECT CASE purpose WHEN 'item' THEN judges ELSE purpose END, count(*), sum(outcome = 'ok'), sum(seconds), "
            "sum(prompt_tokens), sum(cached_tokens), sum(completion_tokens), sum(cost) FROM attempts WHERE run = ? "
            "GROUP BY 1 ORDER BY min(key)"
        )
        return [Used(*row) for row in self._db.conn.execute(query, (run,))]

    def outcomes(self, run: int) -> dict[str, int]:
        """Return how the requests of a run ended."""
        query = "SELECT outcome, count(*) FROM attempts WHERE run = ? GROUP BY outcome ORDER BY 2 DESC"
        return dict(self._db.conn.execute(query, (run,)).fetchall())

    def remove_keys(self) -> int:
        """Take what may be a key out of the addresses of endpoints; how many rows had one. Call inside a transaction."""
        execute, count = self._db.conn.execute, 0
        for url in _keyed(self._db):
            public = without_secrets(url)
            count += execute("UPDATE runs SET url = ? WHERE url = ?", (public, url)).rowcount
            count += execute("UPDATE OR REPLACE endpoints SET url = ? WHERE url = ?", (public, url)).rowcount
            query = (
                "UPDATE judges SET settings = json_set(settings, '$.url', ?) WHERE json_extract(settings, '$.url') = ?"
            )
            count += execute(query, (public, url)).rowcount
        return count

    def canaries(self) -> dict[str, tuple[int, int]]:
        """Return how many test answers each signature obeyed, and how many it scored, in all runs: (obeyed, asked)."""
        counts: dict[str, tuple[int, int]] = {}
        for (canaries,) in self._db.conn.execute("SELECT canaries FROM runs ORDER BY key"):
            for canary in json.loads(canaries):
                obeyed, asked = counts.get(canary["signature"], (0, 0))
                counts[canary["signature"]] = (obeyed + bool(canary["fooled"]), asked + (canary["value"] is not None))
        return counts


def keys_in_addresses(db: Database) -> Iterator[str]:
    """Yield what is wrong with the addresses that are stored, without the keys in them."""
    for public in sorted({without_secrets(url) for url in _keyed(db)}):
        yield (
            f"an address of {public} holds what may be a key: take it out with `assay doctor --remove-keys`, and have the key "
            "replaced, because events and backups of before may hold it too"
        )


def _keyed(db: Database) -> list[str]:
    """Return the addresses that hold more than an address."""
    rows = db.conn.execute(
        "SELECT url FROM runs UNION SELECT url FROM endpoints "
        "UNION SELECT json_extract(settings, '$.url') FROM judges WHERE json_valid(settings)"
    )
    return [url for (url,) in rows if isinstance(url, str) and without_secrets(url) != url]


def _reply(exchange: RequestOutcome, attempt: Attempt) -> str | None:
    """Return the words that came back; as JSON with all that reading needs where the judge has not said its word yet."""
    reply = exchange.reply
    if reply is None:
        return exchange.raw
    if not attempt.is_open:
        return reply.refusal if reply.refusal is not None else reply.text
    return written_reply(reply)


def written_reply(reply: Reply) -> str:
    """Return a reply as JSON with all that reading it again needs."""
    tokens = [[token.text, list(token.alternatives)] for token in reply.tokens]
    return json.dumps([reply.text, reply.finish, reply.refusal, tokens])


def read_reply(text: str) -> Reply:
    """Return the reply that was kept as JSON."""
    words, finish, refusal, tokens = json.loads(text)
    scored_tokens = tuple(
        Token(token, tuple((alternative, float(log)) for alternative, log in others)) for token, others in tokens
    )
    return Reply(text=words, finish=finish, refusal=refusal, tokens=scored_tokens)
