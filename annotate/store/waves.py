"""The sampling ledger: every wave's frame, strata and draws with their inclusion probabilities. Written once, never changed.

A frame holds every current item with its stratum at that moment, also those that an earlier wave drew, because an item's
path through the strata of all waves is what makes the labels of several waves add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlite_utils import Database

from annotate.sampling import Draw, FrameRow, StratumPlan, stratum_of
from proxy.cells import SampledItem, Total
from proxy.records import Judgement, Verdict


class Wave(NamedTuple):
    """One drawing of items for labelling."""

    number: int
    rule: str
    seed: int
    labels: int
    audit: float
    at: str
    strata: tuple[StratumPlan, ...]


class OpenDraw(NamedTuple):
    """A draw that no label has answered yet."""

    key: int
    wave: int
    item: int
    item_id: str
    stratum: str
    inclusion_probability: float
    task_key: str
    drawn_at: str


class Progress(NamedTuple):
    """What became of the draws: answered by a label of each kind, or still open."""

    drawn: int
    right: int
    wrong: int
    unsure: int

    @property
    def labelled(self) -> int:
        """Draws with a label, `unsure` included."""
        return self.right + self.wrong + self.unsure

    @property
    def open(self) -> int:
        """Draws without a label."""
        return self.drawn - self.labelled


FRAME = """
    SELECT i.key, i.id || CASE WHEN i.revision > 1 THEN '#' || i.revision ELSE '' END, coalesce(v.verdict, 'unscored'),
        EXISTS (SELECT 1 FROM feedback WHERE item_id = i.id AND sign = -1),
        NOT EXISTS (SELECT 1 FROM draws WHERE item = i.key)
    FROM items i LEFT JOIN verdicts v ON v.rule = ? AND v.item = i.key WHERE is_current ORDER BY i.key
"""
# One wave needs no grouping, which matters on a million items.
PATHS_OF_ONE = "SELECT item, stratum AS path FROM frames WHERE wave <= {last:d}"
PATHS_OF_MANY = (
    "SELECT item, group_concat(wave || ' ' || stratum, ', ') AS path "
    "FROM (SELECT item, wave, stratum FROM frames WHERE wave <= {last:d} ORDER BY item, wave) GROUP BY item"
)
ANSWERED = """
    SELECT d.wave, count(*), count(l.item) FROM draws d JOIN items i ON i.key = d.item AND i.is_current
    LEFT JOIN labels l ON l.draw = d.key GROUP BY d.wave ORDER BY d.wave
"""
OF_RULE = "SELECT item, verdict FROM verdicts WHERE rule = ?"
OF_JUDGE = "SELECT item, CASE WHEN value > ? THEN 'pass' ELSE 'fail' END AS verdict FROM scores WHERE judge = ?"
DRAWS = """
    SELECT d.key, d.wave, d.item, i.id, d.stratum, d.inclusion_probability, d.task_key, w.at FROM draws d
    JOIN items i ON i.key = d.item JOIN waves w ON w.key = d.wave WHERE {condition} ORDER BY d.wave, d.task_key
"""
UNANSWERED = "NOT EXISTS (SELECT 1 FROM labels WHERE draw = d.key)"


class Waves:
    """The waves, strata, frames and draws tables."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def frame(self, rule: int) -> list[FrameRow]:
        """Every current item with its stratum under the rule and the feedback known now."""
        return [
            FrameRow(key, item_id, stratum_of(Verdict(verdict), is_thumbed_down=bool(down)), bool(eligible))
            for key, item_id, verdict, down, eligible in self._db.conn.execute(FRAME, (rule,))
        ]

    def next_number(self) -> int:
        """The number of the next wave."""
        return int(self._db.conn.execute("SELECT coalesce(max(key), 0) + 1 FROM waves").fetchone()[0])

    def write(
        self,
        wave: Wave,
        rule: int,
        salt: str,
        frame: Iterable[FrameRow],
        draws: Sequence[Draw],
    ) -> None:
        """Write a whole wave; call inside one transaction."""
        run = self._db.conn.executemany
        self._db.conn.execute(
            "INSERT INTO waves VALUES (?, ?, ?, ?, ?, ?, ?)",
            (wave.number, rule, wave.seed, salt, wave.labels, wave.audit, wave.at),
        )
        run("INSERT INTO strata VALUES (?, ?, ?, ?)", [(wave.number, s.stratum, s.size, s.drawn) for s in wave.strata])
        run("INSERT INTO frames VALUES (?, ?, ?)", ((row.key, wave.number, row.stratum) for row in frame))
        run(
            "INSERT INTO draws (wave, item, stratum, inclusion_probability, task_key) VALUES (?, ?, ?, ?, ?)",
            [(wave.number, d.item, d.stratum, d.inclusion_probability, d.task_key) for d in draws],
        )

    def all(self) -> list[Wave]:
        """Every wave, oldest first."""
        query = (
            "SELECT w.key, r.name || ' v' || r.version || ': ' || r.expression, w.seed, w.labels, w.audit, w.at "
            "FROM waves w JOIN rules r ON r.key = w.rule ORDER BY w.key"
        )
        return [
            Wave(number, rule, seed, labels, audit, at, self._strata(number))
            for number, rule, seed, labels, audit, at in self._db.conn.execute(query).fetchall()
        ]

    def _strata(self, number: int) -> tuple[StratumPlan, ...]:
        rows = self._db.conn.execute("SELECT stratum, size, drawn FROM strata WHERE wave = ?", (number,))
        return tuple(StratumPlan(stratum=stratum, size=size, drawn=drawn) for stratum, size, drawn in rows)

    def open_draws(self) -> list[OpenDraw]:
        """The draws that wait for a label, in the order in which people see them; none of a superseded item."""
        return self._draws(f"{UNANSWERED} AND i.is_current")

    def unanswered(self) -> list[OpenDraw]:
        """The draws without a label, also of items that were superseded after they went out."""
        return self._draws(UNANSWERED)

    def all_draws(self) -> list[OpenDraw]:
        """Every draw, answered or not, in the order in which people see them."""
        return self._draws("1")

    def _draws(self, condition: str) -> list[OpenDraw]:
        return [OpenDraw(*row) for row in self._db.conn.execute(DRAWS.format(condition=condition))]

    def progress(self) -> Progress:
        """What became of the draws of current items."""
        rows = self._db.conn.execute(
            "SELECT l.judgement, count(*) FROM draws d JOIN items i ON i.key = d.item AND i.is_current "
            "LEFT JOIN labels l ON l.draw = d.key GROUP BY 1"
        ).fetchall()
        labels = {Judgement(word): int(count) for word, count in rows if word}
        drawn = sum(count for _, count in rows)
        return Progress(drawn, *(labels.get(word, 0) for word in (Judgement.RIGHT, Judgement.WRONG, Judgement.UNSURE)))

    def answered(self) -> list[tuple[int, int, int]]:
        """(wave, draws, labels) of each wave, oldest first."""
        return [tuple(row) for row in self._db.conn.execute(ANSWERED)]

    def last_counted(self) -> int:
        """The last wave that estimates speak of: the last with labels on half of its draws, or all while none has.

        A wave that has just gone out adds strata without labels; until they come, the waves before it tell what they told.
        """
        answered = self.answered()
        half = [wave for wave, drawn, labels in answered if 2 * labels >= drawn]
        return max(half or [wave for wave, _, _ in answered], default=0)

    def uncovered(self) -> int:
        """Current items that are in no frame of the waves that count."""
        query = "SELECT count(*) FROM items WHERE is_current AND key NOT IN (SELECT item FROM frames WHERE wave <= ?)"
        return int(self._db.conn.execute(query, (self.last_counted(),)).fetchone()[0])

    def totals(self, rule: int) -> list[Total]:
        """How many current items of the frames each stratum path holds with each verdict under the rule."""
        return self._totals(OF_RULE, rule)

    def sample(self, rule: int) -> list[SampledItem]:
        """Every drawn current item with its stratum path, its verdict under the rule and its label."""
        return self._sample(OF_RULE, rule)

    def reachable(self, paths: Iterable[str]) -> set[str]:
        """Those of these paths from which some wave that counts drew: at least one of their strata was sampled."""
        query = "SELECT wave, stratum FROM strata WHERE drawn > 0 AND wave <= ?"
        rows = self._db.conn.execute(query, (self.last_counted(),))
        sampled = {part for wave, stratum in rows for part in (stratum, f"{wave} {stratum}")}
        return {path for path in paths if any(part in sampled for part in path.split(", "))}

    def totals_of_judge(self, judge: int, cut: float) -> list[Total]:
        """As `totals`, with passing when this judge alone scores above the cut."""
        return self._totals(OF_JUDGE, cut, judge)

    def sample_of_judge(self, judge: int, cut: float) -> list[SampledItem]:
        """As `sample`, with passing when this judge alone scores above the cut."""
        return self._sample(OF_JUDGE, cut, judge)

    def _totals(self, verdicts: str, *values: float) -> list[Total]:
        query = (
            f"SELECT p.path, coalesce(v.verdict, 'unscored'), count(*) FROM ({self._paths()}) p "
            f"JOIN items i ON i.key = p.item AND i.is_current LEFT JOIN ({verdicts}) v ON v.item = p.item GROUP BY 1, 2"
        )
        return [Total(path, Verdict(word), int(n)) for path, word, n in self._db.conn.execute(query, values)]

    def _sample(self, verdicts: str, *values: float) -> list[SampledItem]:
        query = (
            f"SELECT p.path, coalesce(v.verdict, 'unscored'), l.judgement, i.\"group\" FROM draws d "
            f"JOIN ({self._paths()}) p ON p.item = d.item JOIN items i ON i.key = d.item AND i.is_current "
            f"LEFT JOIN ({verdicts}) v ON v.item = d.item LEFT JOIN labels l ON l.draw = d.key "
            f"WHERE d.wave <= {self.last_counted():d} ORDER BY d.key"
        )
        return [
            SampledItem(path, Verdict(verdict), Judgement(judgement) if judgement else None, group)
            for path, verdict, judgement, group in self._db.conn.execute(query, values)
        ]

    def _paths(self) -> str:
        """The query for each item's path through the strata of the waves that count."""
        last = self.last_counted()
        return (PATHS_OF_ONE if last <= 1 else PATHS_OF_MANY).format(last=last)
