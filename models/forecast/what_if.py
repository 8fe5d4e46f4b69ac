"""The arithmetic of a migration: what a run would save, and when that has paid for the move.

Pure and exact: Decimals in, Decimals out, rounded half-up to nine places once at the end (METHOD
§2.3). Example: a run of $3,000 on GPU and $2,000 on Trainium, four a month, and a port of $20,000
are 20 runs and 5 months to payback. None is unknown, or never where `verdict` says so.

For a workload that trains on Trainium already, METHOD §6 goes by two spans of time: the months to
payback by the last twelve settled weeks, the runs by the mean of all runs so far. An assumption
holds both, and where nothing of it is changed both results are those of `break_even`.
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
    product,
)
from models.forecast.verdict import UNKNOWN, Verdict, verdict_of


@dataclass(frozen=True)
class Outcome:
    """What the assumptions come to: dollars; runs, payback and roi as METHOD §6 defines them.

    `net_per_month` is after upkeep. `runs_to_break_even` counts runs still to come, rounded up, at
    `net_per_run` (after upkeep) each; `cumulative_net` and `roi` (a fraction of porting cost and
    upkeep) are at the horizon. `months_until_lost`: until what is ahead of the cost is lost again.
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
    verdict: Verdict
    why: str

    @property
    def reason(self) -> str:
        """The verdict and why, in one sentence."""
        return f"{self.verdict}: {self.why}" if self.verdict else self.why

    @property
    def never(self) -> bool:
        """Whether it is known not to break even, which is not the same as unknown."""
        return self.verdict is Verdict.NEVER

    @property
    def paid(self) -> bool:
        """Whether it was paid back before, whatever the months to come add."""
        return self.verdict is Verdict.PAID

    @property
    def unreached(self) -> str:
        """The word where no run, or no month, to break-even is counted."""
        return "never" if self.never else "paid already" if self.paid else UNKNOWN


def what_if(asked: Migration) -> Outcome:
    """The outcome of a migration."""
    with localcontext() as context:
        context.prec = DIGITS
        context.rounding = ROUND_HALF_UP
        gpu, trn = _gpu(asked, asked.gpu_cost_per_run), _trn(asked, asked.trn_cost_per_run)
        saving = difference(gpu, trn)
        each = _net_per_run(asked, saving)
        monthly = product(saving, asked.runs_per_month)
        net = None if monthly is None else monthly - asked.upkeep_per_month
        owed = _owed(asked)
        lost = _months_until_lost(asked, net)
        at_horizon, invested = _at_horizon(asked, net)
        verdict, why = verdict_of(asked, saving, net, owed)
        return Outcome(
            gpu_cost_per_run=_rounded(gpu),
            trn_cost_per_run=_rounded(trn),
            saving_per_run=_rounded(saving),
            saving_per_month=_rounded(monthly),
            net_per_month=_rounded(net),
            net_per_run=_rounded(each),
            runs_to_break_even=_runs(owed, each),
            payback_months=_rounded(_months(owed, net)),
            cumulative_net=_rounded(at_horizon),
            roi=_rounded(at_horizon / invested) if at_horizon is not None and invested else None,
            months_until_lost=_rounded(lost),
            verdict=verdict,
            why=why,
        )


def by_the_mean(asked: Migration, found: Outcome) -> bool:
    """Whether runs to come are counted by another span of time than months, and may differ.

    Then each figure has to say which span is its own (METHOD §6).
    """
    return asked.mean_upkeep_per_run is not None and bool(found.runs_to_break_even)


def _gpu(asked: Migration, cost: Decimal | None) -> Decimal | None:
    return product(cost, (1 + asked.gpu_price_change) * (1 - asked.gpu_discount))


def _trn(asked: Migration, cost: Decimal | None) -> Decimal | None:
    return product(cost, (1 + asked.trn_price_change) * (1 - asked.trn_discount))


def _owed(asked: Migration) -> Decimal | None:
    """Dollars still to be paid back, before upkeep to come."""
    if asked.porting_cost is None or asked.saved_so_far is None:
        return None
    return max(asked.porting_cost - asked.saved_so_far, Decimal(0))


def _at_horizon(asked: Migration, net: Decimal | None) -> tuple[Decimal | None, Decimal]:
    """Cumulative net at the horizon, and what was invested by then."""
    if net is None or asked.porting_cost is None or asked.saved_so_far is None:
        return None, Decimal(0)
    left = asked.saved_so_far - asked.porting_cost + net * asked.months
    return left, asked.porting_cost + asked.upkeep_per_month * asked.months


def _months(owed: Decimal | None, net: Decimal | None) -> Decimal | None:
    return owed / net if owed is not None and net is not None and net > 0 else None


def _net_per_run(asked: Migration, saving: Decimal | None) -> Decimal | None:
    """Net saving of a run after upkeep: the mean of all runs so far, where there are any."""
    if asked.mean_upkeep_per_run is not None:
        gpu = _gpu(asked, asked.mean_gpu_cost_per_run)
        return difference(
            difference(gpu, _trn(asked, asked.mean_trn_cost_per_run)), asked.mean_upkeep_per_run
        )
    if not asked.upkeep_per_month:
        return saving
    cadence = asked.runs_per_month
    return None if cadence is None else difference(saving, asked.upkeep_per_month / cadence)


def _runs(owed: Decimal | None, each: Decimal | None) -> int | None:
    """Runs to payback, rounded up from nine places: a quotient may never end."""
    if owed is None or each is None or each <= 0:
        return None
    return int((owed / each).quantize(PLACES).to_integral_value(ROUND_CEILING))


def _months_until_lost(asked: Migration, net: Decimal | None) -> Decimal | None:
    above = ahead_of_cost(asked)
    return above / -net if above is not None and net is not None and net < 0 else None


def _rounded(value: Decimal | None) -> Decimal | None:
    return None if value is None else value.quantize(PLACES)
