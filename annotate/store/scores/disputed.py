"""Find answers that a model calls faithful and the lexical judge does not, and those that the lexical judge has yet to score.

The rule: only a model's faithfulness that the rule in question reads counts. A rule on other judges has no disputed answer.
"""

from __future__ import annotations

import json

from annotate.store.engine.sqlite import Database
from annotate.store.scores.judge_row import judge_row
from proxy.judges import OfflineFaithfulness
from proxy.judges.base import MODEL

CRITERIA = ("faithfulness", "faithfulness_yes_no")
WORDS = OfflineFaithfulness()
SUPPORTED = 0.5
OPPOSED = 0.3
CONDITION = """
    v.verdict IS 'pass' AND EXISTS (SELECT 1 FROM scores WHERE judge = {words:d} AND item = i.key AND value < {opposed})
    AND EXISTS (SELECT 1 FROM scores WHERE judge IN ({models}) AND item = i.key AND value > {supported})
"""
UNREAD = """
    SELECT DISTINCT s.item FROM scores s CROSS JOIN items i ON i.key = s.item AND is_current AND forgotten_at IS NULL
    WHERE s.judge IN ({models}) AND s.value > {supported}
    AND NOT EXISTS (SELECT 1 FROM scores WHERE judge = {words:d} AND item = s.item)
    AND NOT EXISTS (SELECT 1 FROM failures WHERE judge = {words:d} AND item = s.item) ORDER BY 1
"""


class Disputed:
    """Read rules, judges, scores and failures."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def condition(self, rule: int) -> str:
        """Return the condition of a disputed item `i` with this rule's verdict `v`; false where no model can be disputed.

        The rule passes it, a model's faithfulness that the rule reads is above 0.5, and that of the words is below 0.3.
        """
        models = self._models(rule)
        return self._filled(CONDITION, models) if models else "0"

    def unread(self, rule: int) -> list[int]:
        """Return the current items that such a model calls supported and on which the words have no score and no failure."""
        models = self._models(rule)
        return [row[0] for row in self._db.conn.execute(self._filled(UNREAD, models))] if models else []

    def _models(self, rule: int) -> list[int]:
        """Return the judges in the rule's signatures that are a model's faithfulness."""
        row = self._db.conn.execute("SELECT signatures FROM rules WHERE key = ?", (rule,)).fetchone()
        read = [(judge, signature) for judge, signature in json.loads(row[0] if row else "{}").items()]
        keys = [judge_row(self._db, *pair) for pair in read if pair[0] in CRITERIA and MODEL in pair[1]]
        return [key for key in keys if key is not None]

    def _filled(self, query: str, models: list[int]) -> str:
        words = judge_row(self._db, WORDS.name, WORDS.signature) or -1
        return query.format(words=words, models=", ".join(map(str, models)), supported=SUPPORTED, opposed=OPPOSED)
