"""Computes what a migration would save per run, and when that has paid for the move.

Pure and exact: Decimals in, Decimals out, rounded half-up to nine places once at the end (METHOD
§2.3). Example: a run of $3,000 on GPU and $2,000 on Trainium, four a month, and a port of $20,000
are 20 runs and 5 months to payback. None is unknown, or never where `verdict` says so.

For a workload that trains on Trainium already, the pace is that of the recent window (METHOD §6).
Where no assumption is changed, runs and months are those of `break_even`.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal, localcontext

from models.forecast.migration import (
    DIGITS,
    PLACES,
    Migration,
    ahead_of_cost,
    difference,
    months_saved,
    product,
    quotient,
    remaining,
)
from models.forecast.verdict import UNKNOWN, Verdict, verdict_of


@dataclass(frozen=True)
class Outcome:
    """The figures of a what-if: costs and savings per run and month, payback, return, verdict.

    `net_per_month` and `net_per_run` are after upkeep. `runs_to_break_even` counts the runs still
    to come, rounded up. `cumulative_net` and `roi` (a fraction of the porting cost) are at
    the horizon. `months_until_lost` counts the months until a monthly loss uses up what has been
    saved beyond the cost; None if training ends before that. `ends_first` says that training ends
    before the move is paid back.
    """

    gpu_cost_per_run: Decimal | None
    trn_cost_per_run: Decimal | None
    saving_per_run: Decimal | None
    saving_per_month: Decimal | None
    net_per_month: Decimal | None
    net_per_run: Decimal | None
    runs_to_break_even: int | None
    payback_months: Decimal | None
    cumulative_net: Decimal | None
    roi: Decimal | None
    months_until_lost: Decimal | None
    ends_first: bool
    verdict: Verdict
    why: str

    @property
    def reason(self) -> str:
        """Returns one sentence: the verdict of a what-if, unless it pays, and its reason."""
        return f"{self.verdict}: {self.why}" if self.verdict else self.why

    @property
    def never(self) -> bool:
        """Whether the move is known not to break even, which is not the same as unknown."""
        return self.verdict is Verdict.NEVER

    @property
    def paid(self) -> bool:
        """Whether the move is paid back and the coming months save nothing, lose or are unknown."""
        return self.verdict is Verdict.PAID

    @property
    def unreached(self) -> str:
        """Returns the word shown where runs and months to break-even are null, such as `never`."""
        return "never" if self.never else "paid already" if self.paid else UNKNOWN


def what_if(asked: Migration) -> Outcome:
    """Computes saving, payback and return of a migration from its assumptions."""
    with localcontext() as context:
        context.prec = DIGITS
        context.rounding = ROUND_HALF_UP
        gpu, trn = _gpu(asked, asked.gpu_cost_per_run), _trn(asked, asked.trn_cost_per_run)
        saving = difference(gpu, trn)
        each = _net_per_run(asked, saving)
        monthly = product(saving, asked.runs_per_month)
        net = None if monthly is None else monthly - asked.upkeep_per_month
        owed = remaining(asked)
        lost, payback = _months_until_lost(asked, net), _months(owed, net)
        at_horizon = _at_horizon(asked, net)
        verdict, why = verdict_of(asked, saving, net, owed)
        return Outcome(
            gpu_cost_per_run=_rounded(gpu),
            trn_cost_per_run=_rounded(trn),
            saving_per_run=_rounded(saving),
            saving_per_month=_rounded(monthly),
            net_per_month=_rounded(net),
            net_per_run=_rounded(each),
            runs_to_break_even=_runs(owed, each),
            payback_months=_rounded(payback),
            cumulative_net=_rounded(at_horizon),
            roi=_rounded(_return(asked, at_horizon)),
            months_until_lost=_rounded(lost),
            ends_first=payback is not None and payback > months_saved(asked, payback),
            verdict=verdict,
            why=why,
        )


def _gpu(asked: Migration, cost: Decimal | None) -> Decimal | None:
    return product(cost, (1 + asked.gpu_price_change) * (1 - asked.gpu_discount))


def _trn(asked: Migration, cost: Decimal | None) -> Decimal | None:
    return product(cost, (1 + asked.trn_price_change) * (1 - asked.trn_discount))


def _at_horizon(asked: Migration, net: Decimal | None) -> Decimal | None:
    """Returns the cumulative net of a move at the horizon; None if unknown."""
    if net is None or asked.porting_cost is None or asked.saved_so_far is None:
        return None
    saved = net * months_saved(asked, Decimal(asked.months))
    return asked.saved_so_far - asked.porting_cost + saved


def _return(asked: Migration, at_horizon: Decimal | None) -> Decimal | None:
    """Returns a move's cumulative net ÷ its porting cost; None if unknown, or if the cost is 0."""
    cost = asked.porting_cost
    return quotient(at_horizon, cost) if cost is not None and cost > 0 else None


def _months(owed: Decimal | None, net: Decimal | None) -> Decimal | None:
    return owed / net if owed is not None and net is not None and net > 0 else None


def _net_per_run(asked: Migration, saving: Decimal | None) -> Decimal | None:
    """Returns a run's saving after its part of the upkeep; None if unknown, or without any run."""
    if not asked.upkeep_per_month:
        return saving
    cadence = asked.runs_per_month
    return difference(saving, asked.upkeep_per_month / cadence) if cadence else None


def _runs(owed: Decimal | None, each: Decimal | None) -> int | None:
    """Returns how many runs pay back the move's open cost, rounded up; None if never or unknown."""
    if owed is None or each is None or each <= 0:
        return None
    return int((owed / each).quantize(PLACES).to_integral_value(ROUND_CEILING))


def _months_until_lost(asked: Migration, net: Decimal | None) -> Decimal | None:
    above = ahead_of_cost(asked)
    if above is None or net is None or net >= 0:
        return None
    months = above / -net
    return months if months_saved(asked, months) == months else None


def _rounded(value: Decimal | None) -> Decimal | None:
    return None if value is None else value.quantize(PLACES)
