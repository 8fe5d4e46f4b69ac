"""Examples drawn by Hypothesis and kept, so that one derivation of the marts answers for all.

Derandomised: CI draws the same every time. Not shrunk: a failure names what differs.
"""

from __future__ import annotations

from typing import TypeVar

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

Drawn = TypeVar("Drawn")


def examples(strategy: st.SearchStrategy[Drawn], count: int) -> list[Drawn]:
    """The first `count` examples; the first of them is the simplest there is."""
    found: list[Drawn] = []

    @settings(
        derandomize=True,
        database=None,
        max_examples=count,
        phases=(Phase.generate,),
    )
    @given(strategy)
    def keep(drawn: Drawn) -> None:
        found.append(drawn)

    keep()
    assert len(found) == count
    return found
