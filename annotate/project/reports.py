"""Report how far the proxy can be trusted, and what to do next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from annotate.present.answer import Answer
from annotate.project.store_access import StoreAccess

if TYPE_CHECKING:
    from annotate.analysis.report.report import ProjectReport
    from annotate.domain import message
    from annotate.store import Store


def report_now(store: Store) -> ProjectReport:
    """Build the report under the limits of assay.toml."""
    from annotate.analysis.report import report as reports
    from annotate.domain import gate_limits

    return reports.build(store, limit=gate_limits.of_verdict(), limits=gate_limits.of_report())


class ReportMethods(StoreAccess):
    """What a project says of the proxy."""

    def report(
        self,
        *,
        limit: float | None = None,
        noise: bool = False,
        system: str | None = None,
        since: str | None = None,
        until: str | None = None,
        worst: int | None = None,
    ) -> Answer[ProjectReport]:
        """Say whether the proxy can be trusted, and measure everything: on all traffic, or on a part of it.

        Parameters
        ----------
        limit
            The least share of right answers among passed ones; None: that of assay.toml, else the usual one.
        noise
            Show correctness freed of annotators' errors, too.
        system
            Only the answers of this system.
        since, until
            Only the answers from this day or time on, and before that one (UTC).
        worst
            How many of the answers with the lowest values to show, up to 1,000; None: 20 before anything is labelled, then none.

        Returns
        -------
        Answer of ProjectReport
            Every quantity with its 95 % intervals, the verdict, and its document. Of a part there is no next step: what is
            to be done is told of all traffic.

        Raises
        ------
        UsageError
            Where no answer is in the part.
        """
        from annotate.analysis.next_step.loop import StepState, next_step
        from annotate.analysis.report import report as reports
        from annotate.analysis.report.limits import check_limits
        from annotate.analysis.selected_items import selection
        from annotate.domain import gate_limits
        from annotate.present import report as present_report

        wanted, part = gate_limits.of_report(), selection(system, since, until)
        with self.reading() as store:
            asked = gate_limits.of_verdict() if limit is None else limit
            with store.snapshot():
                result = reports.build(store, limit=asked, limits=wanted, selection=part)
                result = reports.with_preview(store, result, worst)
        steps = () if part else next_step(StepState(report=result, way=self.way))
        checks = check_limits(result, wanted)
        document = present_report.document(result, steps, checks=checks, with_noise=noise)
        return Answer(result, document, "report", self.path)

    def next(self) -> Answer[tuple[message.Step, ...]]:
        """Say what to do next: the first stage of the loop that has work waiting, then what waits for a decision.

        Where there is no store yet that is to bring traffic in.

        Returns
        -------
        Answer of tuple of Step
            Each step with its reason and its commands, the first to do first.
        """
        from annotate.analysis.next_step.loop import NOTHING_YET, StepState, gold_steps, next_step
        from annotate.present import next_step as present_next
        from annotate.present.commands import typed

        if not self.path.exists():
            return Answer((NOTHING_YET,), present_next.document((NOTHING_YET,)), "next_step", self.path)
        with self.reading() as store:
            result = report_now(store)
            steps = (*next_step(StepState(report=result, way=self.way)), *gold_steps(result))
            steps = tuple(step._replace(commands=tuple(map(typed, step.commands))) for step in steps)
        return Answer(steps, present_next.document(steps), "next_step", self.path)

    def print_report(
        self,
        *,
        limit: float | None = None,
        is_plain: bool = False,
        system: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> str:
        """Return the report as the text of one HTML page to send or print; the page is itself the answer, so it has no Answer.

        It shows no question, answer or name of an annotator. `report` answers with the numbers.

        Parameters
        ----------
        limit
            As for `report`.
        is_plain
            Take the usual limits, whatever assay.toml says.
        system, since, until
            As for `report`.

        Returns
        -------
        str
            The HTML page.
        """
        from annotate.analysis.printed_report import gather
        from annotate.analysis.selected_items import selection
        from annotate.domain import gate_limits
        from annotate.present import html, printed_report
        from annotate.present.commands import for_store
        from annotate.present.messages import text
        from proxy.evaluation.trust import DEFAULT_LIMIT

        wanted = gate_limits.ReportLimits() if is_plain else gate_limits.of_report()
        if limit is None:
            limit = DEFAULT_LIMIT if is_plain else gate_limits.of_verdict()
        with self.reading() as store:
            part = selection(system, since, until)
            printed = gather(store, now=self.now, limit=limit, limits=wanted, selection=part)
        title = f"{text(printed_report.HEADING)} {printed.store}, {printed.now[:10]}"
        with for_store(self.path):
            return html.page(
                printed_report.document(printed),
                heading=printed_report.HEADING,
                title=title,
                footer=printed_report.footer(printed),
            )

    def write_report(
        self,
        file: str | Path,
        *,
        limit: float | None = None,
        system: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Path:
        """Write the page of `print_report` to an .html file.

        Parameters
        ----------
        file
            The file; one that is there is replaced.
        limit, system, since, until
            As for `report`.

        Returns
        -------
        pathlib.Path
            The file. It has no rows to count, as an export has.

        Raises
        ------
        UsageError
            Where the name does not end in .html, or its folder does not exist.
        """
        from annotate.files.writing import write_whole

        page = self.print_report(limit=limit, system=system, since=since, until=until)
        write_whole(str(file), ".html", lambda stream: stream.write(page.encode("utf-8", "replace")))
        return Path(file)
