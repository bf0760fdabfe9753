"""Scores, failures, rules, verdicts and their totals as rows; it uses the engine alone."""

from __future__ import annotations

from annotate.store.engine.sqlite import Database
from annotate.store.scores.alignments import Alignments
from annotate.store.scores.calls import Calls
from annotate.store.scores.guarantees import Guarantees
from annotate.store.scores.judge_pairs import JudgePairs, MatchedScores
from annotate.store.scores.outgoing import OutgoingRows
from annotate.store.scores.predicted import Predicted
from annotate.store.scores.rules import Rules
from annotate.store.scores.score_columns import ScoreColumns
from annotate.store.scores.score_maps import ScoreMaps
from annotate.store.scores.scores import Scores
from annotate.store.scores.stage_scores import Disputed, StageScores
from annotate.store.scores.tool_scores import ToolScores
from annotate.store.scores.totals import Totals
from annotate.store.scores.trials import Trials
from annotate.store.scores.usage import JudgeUsage
from annotate.store.scores.vectors import Vectors

__all__ = ["ScoreStore"]


class ScoreStore(Scores):
    """Scores, and beside them the rules and verdicts made of them and the requests that they took."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self.calls = Calls(db)
        self.vectors = Vectors(db)
        self.usage = JudgeUsage(db)
        self.rules = Rules(db)
        self.guarantees = Guarantees(db)
        self.predicted = Predicted(db)
        self.outgoing = OutgoingRows(db)
        self.of_tools = ToolScores(db)
        self.totals = Totals(db)
        self.columns = ScoreColumns(db)
        self.stage_scores = StageScores(db)
        self.judge_pairs = JudgePairs(db)
        self.matched = MatchedScores(db)
        self.disputed = Disputed(db)
        self.trials = Trials(db)
        self.alignments = Alignments(db)
        self.maps = ScoreMaps(db)
