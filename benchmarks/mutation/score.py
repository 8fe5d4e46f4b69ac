"""What the trials come to: the share of mutants that a test kills, and those that survive."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path

from benchmarks.mutation.children import SECONDS, Line

SURVIVORS = Path(__file__).parent / "survivors.toml"
STATUSES = ("killed", "slow", "refused", "broken", "survived")
Z = 1.959963984540054
"""The normal deviate of a 95 % interval."""


def listed() -> dict[str, str]:
    """The reason of each survivor that is known, by the mutant's name."""
    files = tomllib.loads(SURVIVORS.read_text(encoding="utf-8"))
    return {f"{file}: {what}": why for file, found in files.items() for what, why in found.items()}


def interval(hits: int, tried: int) -> tuple[float, float]:
    """Wilson's, of a share."""
    share, square = hits / tried, Z * Z
    middle = (share + square / (2 * tried)) / (1 + square / tried)
    half = Z * sqrt(share * (1 - share) / tried + square / (4 * tried * tried))
    return middle - half / (1 + square / tried), middle + half / (1 + square / tried)


def report(lines: Sequence[Line], known: Mapping[str, str], of: int) -> None:
    """The score, and every survivor."""
    by = {status: [line for line in lines if line["status"] == status] for status in STATUSES}
    alive = [line for line in by["survived"] if line["name"] not in known]
    reasons = Counter(
        known[line["name"]].partition(":")[0] for line in by["survived"] if line["name"] in known
    )
    killed = len(by["killed"]) + len(by["slow"])
    print(f"tried {len(lines)} of {of} mutants")
    print(f"refused {len(by['refused'])}: no build takes them, so no test is needed; not scored")
    print(f"killed {killed}, of them {len(by['slow'])} after {SECONDS} s of processor or more")
    for line in by["broken"]:
        print(f"not scored, for the trial itself failed: {line['name']}")
    print(f"survived {len(by['survived'])}: {dict(reasons)} with a reason, {len(alive)} without")
    scored = killed + len(by["survived"])
    _score("score of all", killed, scored)
    _score("score less the equivalent", killed, scored - reasons["equivalent"])
    spent = [sum(line[clock] for line in lines) for clock in ("wall", "cpu")]
    print(f"{spent[0]:.0f} s, {spent[1]:.0f} s of processor")
    for line in alive:
        print(f"survived {line['name']} (line {line['line']}, ran {line['ran']})")


def _score(words: str, hits: int, tried: int) -> None:
    if tried:
        low, high = interval(hits, tried)
        print(f"{words}: {hits / tried:.1%} ({hits} of {tried}; 95 %: {low:.1%} to {high:.1%})")
