"""Counts what of event files is left out, so that a pull says it in a line per reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class LeftOut:
    """What a pull of event files left out: for each reason how many, and the first of them."""

    found: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)

    def add(self, thing: str, why: str, where: str) -> None:
        """Counts one thing left out (a `record`, `with a wrong checksum`); stores where first."""
        count, first = self.found.get((thing, why), (0, where))
        self.found[thing, why] = count + 1, first

    def notices(self) -> Iterator[str]:
        """Yields a line per reason: how many things were left out, and where the first was."""
        for (thing, why), (count, first) in self.found.items():
            if count == 1:
                yield f"left out: a {thing} {why}: {first}"
            else:
                yield f"left out: {count:,} {thing}s {why}, such as {first}"
