"""Which tests are likely to notice a mutant: those of its file, and those that use its module."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks.mutation.texts import RULES, takes_part

MACHINES = "tests.support.divided_machines"
"""Divides machines in memory: who takes it may notice a mutant of the division."""


def calls(item: pytest.Item, module: str) -> bool:
    """Whether the test's file uses what the module has a hand in: it may notice without a build."""
    used = vars(item.module).values()  # type: ignore[attr-defined]
    others = {
        value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
        for value in used
    }
    return any(takes_part(module, o) for o in others if str(o).startswith((*RULES, MACHINES)))


def likeness(file: str, item: pytest.Item) -> tuple[bool, int]:
    """Of the test that is likeliest to be of a file, the least."""
    return Path(file).stem not in item.nodeid, -_in_common(file, item.nodeid)


def _in_common(file: str, test: str) -> int:
    """How many folders a test's path has in common with the file that it may be of."""
    both = zip(Path("tests", file).parts, Path(test.partition("::")[0]).parts, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
