"""Colours and shapes of every chart: never a colour alone.

The colours are Okabe and Ito's, distinguished by every kind of colour vision and by their lightness in print.
"""

from __future__ import annotations

BLUE, VERMILION, GREEN, PURPLE, SKY, ORANGE, BLACK = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"),
)
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, SKY, ORANGE, BLACK)
SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down", "stroke")
RIGHT, WRONG, UNSURE = (BLUE, "circle"), (VERMILION, "diamond"), ("#767676", "square")
