"""Tools that only look: their store refuses to be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from mcp_types import CallToolResult
from pydantic import Field

from annotate.server.mcp.answering import AnsweringTools

System = Annotated[str | None, Field(description="Only the answers of this system.")]
Since = Annotated[str | None, Field(description="Only the answers from this day or time on (UTC), such as 2026-11-01.")]
Until = Annotated[str | None, Field(description="Only the answers before this day or time (UTC).")]
Name = Annotated[str, Field(description="A system, or a window of time: NAME@FROM..TO or @FROM..TO, TO is not in it.")]
Width = Annotated[float, Field(gt=0, le=1, description="The wanted width of the 95 % interval, from end to end.")]
Minutes = Annotated[float | None, Field(gt=0, description="Expert minutes at hand: say how many labels fit into them.")]
By = Annotated[
    list[str], Field(description="system, language, day, week, month or metadata.NAME; empty: those with few values.")
]
Quantity = Literal["correctness", "pass_precision", "sensitivity", "specificity", "accuracy", "kappa"]
Window = Literal["day", "week", "month"]
GoldStatus = Literal["candidate", "accepted", "retired"]


class ReadingTools(AnsweringTools):
    """What an agent may ask."""

    def tools(self) -> tuple[Callable[..., CallToolResult], ...]:
        """Return every tool, in the order of the loop."""
        decided = (self.report, self.diagnose, self.slices, self.compare, self.drift)
        return (self.next_step, *decided, self.show, self.plan, self.gold_list)

    def next_step(self) -> CallToolResult:
        """Say what to do next with this store, and the commands that do it."""
        return self._answer(lambda project: project.next())

    def report(self, system: System = None, since: Since = None, until: Until = None) -> CallToolResult:
        """Say whether the automatic judges can be trusted, and measure everything, with 95 % intervals and n."""
        return self._answer(lambda project: project.report(system=system, since=since, until=until))

    def diagnose(self, system: System = None) -> CallToolResult:
        """Say which stage of the app to mend first (retrieval or synthesis), where the labels show it."""
        return self._answer(lambda project: project.diagnose(system=system))

    def slices(self, by: By | None = None) -> CallToolResult:
        """Name the parts of the traffic where the judges err more than elsewhere, corrected for many tests."""
        return self._answer(lambda project: project.slices(by=by or ()))

    def compare(self, first: Name, second: Name) -> CallToolResult:
        """Say whether the second system is better than the first, on the same questions where both answered them."""
        return self._answer(lambda project: project.compare(first, second))

    def drift(self, by: Window = "week") -> CallToolResult:
        """Say whether quality has dropped or a judge has changed from one window of time to the next."""
        return self._answer(lambda project: project.drift(by=by))

    def show(self, item_id: str) -> CallToolResult:
        """Show all that is known of one answer: verdict and label, texts, scores with reasons, feedback, draw, gold entry."""
        return self._answer(lambda project: project.show(item_id))

    def plan(self, quantity: Quantity = "correctness", width: Width = 0.1, minutes: Minutes = None) -> CallToolResult:
        """Say how many expert labels a wanted width of an interval takes, where, and how long they take."""
        return self._answer(lambda project: project.plan(quantity=quantity, width=width, minutes=minutes))

    def gold_list(self, status: GoldStatus | None = None) -> CallToolResult:
        """List the entries of the gold set, and the questions that need a reference."""
        return self._answer(lambda project: project.gold.entries(status))
