"""Defines the colours of charts, and the look of each hardware.

One colour per hardware, everywhere, from a colour-blind-safe pair of equal weight, each at least
3:1 on the light and on the dark surface; line style and marker differ as well.
"""

from __future__ import annotations

from dataclasses import dataclass

GPU = "#2f7fc4"
TRAINIUM = "#d9621c"
SAVINGS = "#7566d6"
GAIN = "rgba(27,143,99,0.16)"
LOSS = "rgba(196,61,75,0.14)"
GAIN_LINE = "#1b8f63"
LOSS_LINE = "#c43d4b"
QUIET = "#767f8a"


@dataclass(frozen=True)
class HardwareStyle:
    """The look of one kind of hardware in charts and tables: label, colour, line, symbol."""

    label: str
    colour: str
    dash: str
    symbol: str
    css: str


HARDWARE = {
    "gpu": HardwareStyle("GPU", GPU, "dash", "circle", "hw-gpu"),
    "trainium": HardwareStyle("Trainium", TRAINIUM, "solid", "square", "hw-trn"),
}


def hardware(name: str | None) -> HardwareStyle:
    """Returns label, colour, line and symbol of a hardware; a grey look for an unknown one."""
    label = str(name).capitalize() if name else "Unknown hardware"
    return HARDWARE.get(name or "", HardwareStyle(label, QUIET, "dot", "diamond", "hw-unknown"))
