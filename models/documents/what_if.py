"""Formats a what-if as text, and as a JSON document.

In JSON, money is decimal text of at most nine places, as stored; ratios and counts are numbers.
Null is unknown, or never where `never` is true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from decimal import ROUND_HALF_UP, Decimal

from models.contract.decimal_text import UNKNOWN, decimal_text, dollars, rounded
from models.forecast.migration import PLACES, Migration
from models.forecast.verdict import in_months
from models.forecast.what_if import Outcome

RATIOS = frozenset(
    {
        "runs_per_month",
        "gpu_price_change",
        "trn_price_change",
        "gpu_discount",
        "trn_discount",
        "payback_months",
        "months_until_lost",
        "roi",
        "covered_share",
        "months_to_end",
    }
)
LOSING = (
    "Losing: Trainium with its overhead cost more than the GPU counterfactual in its last 84 days."
)


def document(asked: Migration, found: Outcome, lacking: Sequence[str] = ()) -> dict[str, object]:
    """Returns a what-if's result as a dictionary for JSON: figures, assumptions, what it lacks."""
    return {
        **_plain(_figures_and_reason(found)),
        "never": found.never,
        "lacking": [*lacking],
        "assumed": _plain(asdict(asked)),
    }


def _figures_and_reason(found: Outcome) -> dict[str, object]:
    figures = asdict(found)
    del figures["verdict"], figures["why"]
    return figures | {"reason": found.reason}


def lines(asked: Migration, found: Outcome, lacking: Sequence[str] = ()) -> list[str]:
    """Returns a what-if's result as lines of text: warning if losing, figures, reason, notes."""
    figures = [f"{name:<24}{value:>18}" for name, value in _figures(asked, found).items()]
    first = [LOSING, ""] if asked.status == "losing" else []
    notes = [found.reason]
    if lacking:
        notes.append(f"give it with {', '.join(lacking)}")
    if asked.covered_share is not None and asked.covered_share < 1:
        part = _percent(asked.covered_share)
        notes.append(
            f"today's figures cover about {part} of its Trainium spend: "
            "the rest has no GPU cost to compare with"
        )
    if asked.net_at_old_volume is not None:
        net = dollars(asked.net_at_old_volume)
        notes.append(f"at the volume trained before the move, its cumulative net is {net} today")
    return [*first, *figures, "", *notes]


def _figures(asked: Migration, found: Outcome) -> dict[str, str]:
    none = found.unreached
    return {
        "GPU cost per run": dollars(found.gpu_cost_per_run),
        "Trainium cost per run": dollars(found.trn_cost_per_run),
        "Saving per run": dollars(found.saving_per_run),
        "Runs per month": _rounded(asked.runs_per_month, 2),
        "Saving per month": dollars(found.saving_per_month),
        "  after upkeep": dollars(found.net_per_month),
        "Runs to break even": none if found.runs_to_break_even is None else _runs(found),
        "Months to break even": _rounded(found.payback_months, 1, none),
        f"Net after {in_months(Decimal(asked.months))}": dollars(found.cumulative_net),
        "Return on investment": _percent(found.roi),
    }


def _plain(values: Mapping[str, object]) -> dict[str, object]:
    return {name: _value(name, value) for name, value in values.items()}


def _value(name: str, value: object) -> object:
    if not isinstance(value, Decimal):
        return value
    return float(value) if name in RATIOS else decimal_text(value.quantize(PLACES, ROUND_HALF_UP))


def _runs(found: Outcome) -> str:
    return f"{found.runs_to_break_even:,}"


def _rounded(value: Decimal | None, places: int, none: str = UNKNOWN) -> str:
    return none if value is None else f"{rounded(value, places):,}"


def _percent(value: Decimal | None) -> str:
    return UNKNOWN if value is None else f"{_rounded(value * 100, 0)} %"
