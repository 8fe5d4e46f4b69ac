"""The arithmetic of a migration: what a run would save, and when that has paid for the move.

Pure and exact: Decimals in, Decimals out, rounded half-up to nine places once at the end (METHOD
§2.3). Null is unknown, or never where `reason` says so; nothing is guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal, localcontext

DIGITS = 60
PLACES = Decimal("0.000000001")
HORIZON = 24
"""Months that METHOD §6 looks ahead."""
NEVER = "never"


@dataclass(frozen=True)
class Migration:
    """What is assumed. Dollars, except the fractions; null where nobody knows.

    Costs are what a run costs today; a price change (-0.33: a third cheaper) and a discount (0.1:
    a tenth off, on top of what today's cost already carries) are applied to them. `porting_cost` is
    paid once, `upkeep_per_month` for ever, `saved_so_far` is what earlier runs saved net.
    """

    gpu_cost_per_run: Decimal | None
    trn_cost_per_run: Decimal | None
    runs_per_month: Decimal | None = None
    porting_cost: Decimal | None = Decimal(0)
    upkeep_per_month: Decimal = Decimal(0)
    saved_so_far: Decimal | None = Decimal(0)
    gpu_price_change: Decimal = Decimal(0)
    trn_price_change: Decimal = Decimal(0)
    gpu_discount: Decimal = Decimal(0)
    trn_discount: Decimal = Decimal(0)
    months: int = HORIZON


@dataclass(frozen=True)
class Outcome:
    """What follows if it goes on like this. Dollars; the last four as METHOD §6 defines them.

    `net_per_month` is after upkeep. `runs_to_break_even` counts runs still to come, rounded up;
    `cumulative_net` and `roi` (a fraction of porting cost and upkeep) are at the horizon.
    """

    gpu_cost_per_run: Decimal | None
    trn_cost_per_run: Decimal | None
    saving_per_run: Decimal | None
    saving_per_month: Decimal | None
    net_per_month: Decimal | None
    runs_to_break_even: int | None
    payback_months: Decimal | None
    cumulative_net: Decimal | None
    roi: Decimal | None
    reason: str

    @property
    def never(self) -> bool:
        """Known not to break even, which is another thing than unknown."""
        return self.reason.startswith(NEVER)


def what_if(asked: Migration) -> Outcome:
    """The outcome of a migration."""
    with localcontext() as context:
        context.prec = DIGITS
        context.rounding = ROUND_HALF_UP
        gpu = _priced(asked.gpu_cost_per_run, asked.gpu_price_change, asked.gpu_discount)
        trn = _priced(asked.trn_cost_per_run, asked.trn_price_change, asked.trn_discount)
        saving = None if gpu is None or trn is None else gpu - trn
        monthly = _product(saving, asked.runs_per_month)
        net = None if monthly is None else monthly - asked.upkeep_per_month
        owed = _owed(asked)
        at_horizon, invested = _at_horizon(asked, net)
        return Outcome(
            gpu_cost_per_run=_rounded(gpu),
            trn_cost_per_run=_rounded(trn),
            saving_per_run=_rounded(saving),
            saving_per_month=_rounded(monthly),
            net_per_month=_rounded(net),
            runs_to_break_even=_runs(asked, saving, owed),
            payback_months=_rounded(_months(owed, net)),
            cumulative_net=_rounded(at_horizon),
            roi=_rounded(at_horizon / invested) if at_horizon is not None and invested else None,
            reason=_reason(asked, saving, net, owed),
        )


def _priced(cost: Decimal | None, change: Decimal, discount: Decimal) -> Decimal | None:
    return _product(cost, (1 + change) * (1 - discount))


def _product(amount: Decimal | None, count: Decimal | None) -> Decimal | None:
    return None if amount is None or count is None else amount * count


def _owed(asked: Migration) -> Decimal | None:
    """What has still to be paid back before upkeep to come."""
    if asked.porting_cost is None or asked.saved_so_far is None:
        return None
    return max(asked.porting_cost - asked.saved_so_far, Decimal(0))


def _at_horizon(asked: Migration, net: Decimal | None) -> tuple[Decimal | None, Decimal]:
    """What is left by then, and what was put in for it."""
    if net is None or asked.porting_cost is None or asked.saved_so_far is None:
        return None, Decimal(0)
    left = asked.saved_so_far - asked.porting_cost + net * asked.months
    return left, asked.porting_cost + asked.upkeep_per_month * asked.months


def _months(owed: Decimal | None, net: Decimal | None) -> Decimal | None:
    return owed / net if owed is not None and net is not None and net > 0 else None


def _runs(asked: Migration, saving: Decimal | None, owed: Decimal | None) -> int | None:
    """Owed ÷ (saving per run less the upkeep per run), rounded up."""
    if saving is None or owed is None:
        return None
    if not asked.upkeep_per_month:
        return _ceiling(owed, saving)
    if asked.runs_per_month is None:
        return None
    cadence = asked.runs_per_month
    return _ceiling(owed * cadence, saving * cadence - asked.upkeep_per_month)


def _ceiling(part: Decimal, whole: Decimal) -> int | None:
    """Rounded up, from nine places: a cost per epoch may have no end."""
    if whole <= 0:
        return None
    return int((part / whole).quantize(PLACES).to_integral_value(ROUND_CEILING))


def _reason(
    asked: Migration, saving: Decimal | None, net: Decimal | None, owed: Decimal | None
) -> str:
    """Why there is a break-even, or none."""
    if saving is None:
        sides = {"GPU": asked.gpu_cost_per_run, "Trainium": asked.trn_cost_per_run}
        silent = " or a ".join(name for name, cost in sides.items() if cost is None)
        return f"unknown: nobody knows what a {silent} run costs"
    if saving <= 0:
        return f"{NEVER}: a Trainium run costs no less than a GPU run"
    if net is not None and net <= 0:
        return f"{NEVER}: the runs of a month save no more than their upkeep"
    if owed is None:
        return "unknown: nobody knows what the move cost or what it has saved so far"
    if net is None:
        return "months unknown: nobody said how many runs a month"
    return "if it goes on at this pace" if owed else "nothing is left to pay back"


def _rounded(value: Decimal | None) -> Decimal | None:
    return None if value is None else value.quantize(PLACES)
