"""Record what a push or a pull did."""

from __future__ import annotations

from typing import NamedTuple

from annotate.domain.annotator_rules import UnfitRule


class Delivery(NamedTuple):
    """The result of a push for one project: tasks sent now, and earlier ones without an annotation yet."""

    annotator: str
    project: int
    sent: int
    there: int


class Pushed(NamedTuple):
    """The result of a push, for each project in use; tasks taken back, doubles that two annotators answered.

    `asked` of the tasks sent now ask about passages, `handed_on` of them come from an annotator whose field they are not or who
    skipped them. `left` answers were handed on by all who may take them; `untaken` ones fit the rules of nobody.
    `unfit` rules fit no drawn answer.
    """

    deliveries: tuple[Delivery, ...]
    withdrawn: int = 0
    doubled: int = 0
    asked: int = 0
    handed_on: int = 0
    left: int = 0
    untaken: int = 0
    unfit: tuple[UnfitRule, ...] = ()

    @property
    def sent(self) -> int:
        """Tasks sent now."""
        return sum(delivery.sent for delivery in self.deliveries)

    @property
    def there(self) -> int:
        """Tasks that were there and wait for their annotator."""
        return sum(delivery.there for delivery in self.deliveries)


class AnnotatorShare(NamedTuple):
    """The number of answers that are with an annotator or would be sent."""

    annotator: str
    answers: int


class Division(NamedTuple):
    """What a push would give to each annotator; `left`, `untaken` and `unfit` as of a push.

    `to_send` are the items, by row, of the tasks that are not there yet.
    """

    shares: tuple[AnnotatorShare, ...]
    to_send: tuple[int, ...]
    left: int = 0
    untaken: int = 0
    unfit: tuple[UnfitRule, ...] = ()


class Pulled(NamedTuple):
    """The result of a pull, counted in annotations; `odd` payloads went to quarantine, `foreign` tasks are not ours.

    `gone` tasks were in a project and are not any more; the next push sends them again if they are still wanted.
    `lost` projects are not on the server any more, or hold nothing of ours: what annotators said in them stays.
    """

    added: int = 0
    revised: int = 0
    unchanged: int = 0
    deleted: int = 0
    odd: int = 0
    foreign: int = 0
    gone: int = 0
    lost: int = 0

    @property
    def is_news(self) -> bool:
        """Whether anything that annotators said is other than before."""
        return bool(self.added or self.revised or self.deleted)
