"""Defines the command `breakeven`: its verbs, and what several of them share.

In: the arguments of a command line. Out: lines for people, or JSON for machines, and an exit code.
It wires the packages together and holds no logic of its own (docs/architecture.md).
"""

from __future__ import annotations

from breakeven.command import main as main
