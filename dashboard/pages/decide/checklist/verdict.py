"""Combines the nine factors: money decides first, then the number of factors for each side.

Spend, pattern and horizon come from one calculation, so they count once, as the horizon.
"""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.pages.decide.checklist.factor import GPU, NEITHER, OPEN, TITLES, TRAINIUM, Factor
from dashboard.wording.format import sentence

MONEY = ("spend", "pattern", "horizon")
"""Factors that come from one calculation."""


def verdict(made: Sequence[Factor]) -> tuple[str, str]:
    """Returns the verdict over all factors (Trainium, GPU, neither or open) and the reason."""
    by = {each.name: each for each in made}
    money = by["horizon"]
    others = [each for each in made if each.name not in MONEY]
    towards = _named(others, TRAINIUM)
    against = _named(others, GPU)
    if money.lean == GPU:
        return (
            GPU,
            f"Money decides: {lower_first(money.reason)}{_though(towards, 'leans to Trainium')}",
        )
    if by["cloud"].lean == GPU:
        return GPU, f"Cloud strategy decides: {lower_first(by['cloud'].reason)}"
    if money.lean == OPEN:
        return OPEN, (
            f"Undecided, because the money is: {lower_first(money.reason)}"
            f"{_though(towards, 'leans to Trainium')}{_though(against, 'leans to GPU')}"
        )
    if len(against) > len([money, *towards]):
        return NEITHER, (
            f"The money is in favour: {lower_first(money.reason)}"
            f"{_though(against, 'leans to GPU')}"
            " These outnumber the factors in favour."
        )
    return TRAINIUM, f"Money decides: {lower_first(money.reason)}{_though(against, 'leans to GPU')}"


def _named(made: Sequence[Factor], lean: str) -> list[str]:
    return [TITLES[each.name].lower() for each in made if each.lean == lean]


def _though(names: Sequence[str], leans: str) -> str:
    if not names:
        return ""
    several = leans.replace("leans", "lean") if len(names) > 1 else leans
    return " " + sentence(f"{', '.join(names)} {several}")


def lower_first(text: str) -> str:
    """Returns the text with its first letter in lower case."""
    return text[:1].lower() + text[1:]
