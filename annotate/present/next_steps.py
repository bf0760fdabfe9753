"""What of the systems compared is left to label in, the next step in words and as commands out.

The rule: open draws come before new ones, and nothing is asked for that is not there.
"""

from __future__ import annotations

from typing import NamedTuple

from annotate.domain.sampling.outcomes import ToLabel
from annotate.present.next_commands import EXPORT, PUSH
from proxy.text.language import several

SEND = f"`{PUSH}`, or `{EXPORT}`"
TELLING_MOST = " draws the answers that tell most"


class Next(NamedTuple):
    """What to do next: for people, and the commands of it."""

    words: str
    commands: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The last line of a page."""
        return f"next: {self.words}"


def labelling(left: ToLabel, command: str, wanted: int, what: str = "") -> Next:
    """Label what waits; else draw the `wanted`, or all that are left, by `command`, which ends before their number.

    `what` follows the command where fewer than all are asked for.
    """
    if left.waiting:
        return Next(f"label the {several(left.waiting, 'open draw')} of these first: {SEND}", (PUSH, EXPORT))
    if not left.undrawn:
        return Next(
            "nothing of these is left to label: put further questions to them and bring the answers (`assay ingest FILE`)",
            ("assay ingest FILE",),
        )
    count = min(wanted, left.undrawn)
    draw = f"{command} {count}"
    whole = "the 1 that is left" if count == 1 else f"all {count:,} that are left"
    return Next(f"`{draw}`{f' draws {whole}' if count == left.undrawn else what}, then {SEND}", (draw,))
