"""Tools that change the store; none says what is right or wrong, or accepts a reference: people do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from mcp_types import CallToolResult
from pydantic import Field

from annotate.server.mcp.answering import AnsweringTools

Judges = Annotated[list[str] | None, Field(description="Offline judges by name; empty: those that usually run.")]
Labels = Annotated[int, Field(ge=1, description="About how many answers to draw.")]
Seed = Annotated[int | None, Field(ge=0, description="The same seed draws the same answers; empty: a new one.")]
Reference = Annotated[str, Field(min_length=1, description="What the app should have answered.")]


class WritingTools(AnsweringTools):
    """What an agent may do where it is allowed to."""

    def tools(self) -> tuple[Callable[..., CallToolResult], ...]:
        """Return every tool, in the order of the loop."""
        return self.judge, self.sample, self.gold_add

    def judge(self, judges: Judges = None) -> CallToolResult:
        """Score every answer that lacks a score of these judges, which run on this machine and ask no model."""
        return self._answer(lambda project: project.judge(judges or ()))

    def sample(self, labels: Labels, seed: Seed = None) -> CallToolResult:
        """Draw a wave of answers for experts to label, each with a known probability."""
        return self._answer(lambda project: project.sample(labels, seed=seed))

    def gold_add(self, item_id: str, reference: Reference) -> CallToolResult:
        """Write the reference of the question behind a wrong answer. It becomes a candidate, which a person accepts."""
        return self._answer(lambda project: project.gold.add(item_id, reference))
