"""Tell what end users' thumbs say of right and wrong, and which answers nobody could have rated."""

from __future__ import annotations

from collections.abc import Iterator

from annotate.analysis.report.feedback import FeedbackReport
from annotate.analysis.report.report import ProjectReport
from annotate.domain.counted import resting_on
from annotate.domain.feedback_channel import Unrated
from annotate.domain.message import EvidenceText, Kind, Listing, Message, Name, Value, message
from annotate.present.document import Block, Figures
from annotate.present.quantity import is_whole, quantity
from proxy.evaluation.estimate import Estimate

QUANTITIES = ("down_precision", "down_recall", "up_precision", "up_recall")


def sentence(feedback: FeedbackReport) -> Message:
    """Say how many of the answers marked down are wrong, and how many of the wrong ones were marked down."""
    if not feedback.has_thumbs:
        return message("report.feedback_none")
    return message(
        "report.feedback_down",
        precision=EvidenceText(_counted(feedback, "down_precision"), Kind.SHARE),
        recall=EvidenceText(_counted(feedback, "down_recall"), Kind.SHARE),
    )


def blocks(report: ProjectReport) -> Iterator[Block]:
    """Give the sentence, the four quantities, their counts, and what was left out."""
    feedback = report.feedback
    yield sentence(feedback)
    if not feedback.has_thumbs:
        return
    caption = message("report.feedback_basis", rateable=feedback.rateable, down=feedback.down, up=feedback.up)
    yield Figures(
        tuple(quantity(name, _counted(feedback, name), is_exact=is_whole(report.agreement)) for name in QUANTITIES),
        caption,
    )
    if feedback.left_out:
        yield left_out(feedback)


def _counted(feedback: FeedbackReport, name: str) -> Estimate:
    """Give a quantity, its n with the labels behind it where it is known."""
    return resting_on(getattr(feedback.quality, name), "thumb", name)


def left_out(feedback: FeedbackReport) -> Message:
    """Name the systems and weeks that had no way to give feedback."""
    return message(
        "report.feedback_left_out",
        items=sum(run.items for run in feedback.left_out),
        where=Listing(tuple(_run(run) for run in feedback.left_out)),
    )


def _run(run: Unrated) -> Value:
    system: Value = message("report.feedback_no_system") if run.system is None else Name(run.system)
    if run.first is None:
        return system
    return message("report.feedback_weeks", system=system, first=run.first, last=run.last)
