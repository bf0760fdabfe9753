"""Colours and shapes of every chart: never a colour alone; and the parameter that holds the mark that was clicked.

The colours are Okabe and Ito's, distinguished by every kind of colour vision and by their lightness in print; a grey stands in
for their black, which a dark ground would hide. They are for a white ground: pages exchange them where the ground is dark.
"""

from __future__ import annotations

BLUE, VERMILION, GREEN, PURPLE, SKY, ORANGE, GREY = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#E69F00",
    "#767676",
)
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, SKY, ORANGE, GREY)
SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down", "stroke")
RIGHT, WRONG, UNSURE = (BLUE, "circle"), (VERMILION, "diamond"), (GREY, "square")
PICKED = "picked"
