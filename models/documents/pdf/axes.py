"""Places days and dollars on a small SVG chart, and draws its axes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import ceil, floor, log10

LEFT, RIGHT, TOP, BOTTOM = 62, 10, 8, 22
MARKS = 4
FONT = "Libertinus Serif"
Point = tuple[float, float]


@dataclass(frozen=True)
class Axes:
    """The axes of a chart: days across, dollars up, with evenly spaced marks around all values."""

    width: int
    height: int
    first: date
    last: date
    marks: list[float]
    left: int = LEFT

    def place(self, day: date, value: float) -> Point:
        """Returns the SVG coordinates (x, y) of a day's value on the chart."""
        span, low, high = (self.last - self.first).days, self.marks[0], self.marks[-1]
        across = (day - self.first).days / span * (self.width - self.left - RIGHT)
        down = (high - value) / (high - low) * (self.height - TOP - BOTTOM)
        return self.left + across, TOP + down

    def line(self, points: Iterable[tuple[date, float]]) -> str:
        """Returns the points of a chart line as text for SVG: `x,y x,y …`."""
        return " ".join(f"{x:.2f},{y:.2f}" for x, y in (self.place(*point) for point in points))

    def svg(self, body: str) -> str:
        """Returns a chart as SVG text: grid lines and month names, and a given body over them."""
        levels = "".join(self._level(mark) for mark in self.marks)
        firsts = "".join(self._month(day) for day in self._months())
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'font-family="{FONT}" font-size="8.5">{levels}{firsts}{body}</svg>'
        )

    def _level(self, value: float) -> str:
        (left, y), (right, _) = self.place(self.first, value), self.place(self.last, value)
        heavy = "#444" if value == 0 else "#ddd"
        text = (
            f"{Decimal(round(value, 6)):,.{0 if self.marks[-1] - self.marks[0] >= MARKS else 2}f}"
        )
        return (
            f'<line x1="{left:.2f}" y1="{y:.2f}" x2="{right:.2f}" y2="{y:.2f}" '
            f'stroke="{heavy}" stroke-width="0.6"/>'
            f'<text x="{self.left - 5}" y="{y + 3:.2f}" text-anchor="end">{text}</text>'
        )

    def _months(self) -> list[date]:
        """Returns evenly spaced first days of months, as many as have room for their names."""
        whole = range(
            self.first.year * 12 + self.first.month, self.last.year * 12 + self.last.month
        )
        room = max(1, (self.width - self.left) * 6 // 458)
        every = max(1, ceil(len(whole) / room))
        return [date(n // 12, n % 12 + 1, 1) for n in whole[::every]]

    def _month(self, day: date) -> str:
        x, y = self.place(day, self.marks[0])
        return (
            f'<text x="{x:.2f}" y="{self.height - 6}" text-anchor="middle">{day:%b %Y}</text>'
            f'<line x1="{x:.2f}" y1="{y:.2f}" x2="{x:.2f}" y2="{y + 4:.2f}" '
            'stroke="#444" stroke-width="0.6"/>'
        )


def even_marks(low: float, high: float) -> list[float]:
    """Returns evenly spaced round numbers for an axis; they enclose a low and a high value."""
    span = max(high - low, 1.0)
    rough = span / MARKS
    unit = 10 ** floor(log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    first, last = floor(low / step), ceil(high / step)
    return [step * n for n in range(first, max(last, first + 1) + 1)]
