"""What to run next: how many labels are wanted and what there is to label in, commands and the last line of a page out."""

from __future__ import annotations

from collections.abc import Sequence

USUAL = 200  # labels to begin with, where nothing tells
PUSH, EXPORT = "assay push", "assay draws export FILE --blind"


def in_words(commands: Sequence[str]) -> list[str]:
    """The last line: one command as it is typed, or several to choose from."""
    if len(commands) == 1:
        return [f"next: {commands[0]}"]
    return [f"next: {', or '.join(f'`{one}`' for one in commands)}"] if commands else []


def to_label(wanted: int, waiting: int, left: int) -> list[str]:
    """The commands that bring about so many labels: of draws that wait, else of new draws, else of new traffic."""
    if waiting:
        return [PUSH, EXPORT]
    return [f"assay sample --labels {min(wanted, left)}"] if left else ["assay ingest FILE"]
