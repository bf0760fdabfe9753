"""How much a judge's score moves when the same text is judged again; where nothing was repeated, how to make that so."""

from __future__ import annotations

from annotate.analysis.judges.repeat_noise import RepeatNoise
from annotate.domain.message import message
from annotate.pages.kit import draw, layout
from annotate.present import judges
from annotate.store import Store


def show(store: Store, noise: RepeatNoise) -> None:
    """The section."""
    layout.heading("judges.noise")
    draw.section(judges.repeats(noise), headed=False)
    commands = [command for _, command in noise.unknown if command]
    if commands:
        draw.messages([message("judges.noise_make")])
        layout.commands(store, commands)
