"""The arithmetic of a migration: what a run would save, and when that has paid for the move.

Pure and exact: Decimals in, Decimals out, rounded half-up to nine places once at the end (METHOD
§2.3). Null is unknown, or never where `verdict` says so; nothing is guessed.

Of a workload that trains on Trainium, METHOD §6 asks two things of two spans of time: the months
until the move is paid back go by the last twelve settled weeks, the runs by the mean of all runs so
far. So an assumption holds both, and where nothing is changed of it both are `break_even`'s own.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal, localcontext
from enum import StrEnum

from models.forecast.horizon import MONTHS

DIGITS = 60
PLACES = Decimal("0.000000001")
NO_PACE = "nobody said how many runs a month"


class Verdict(StrEnum):
    """What a what-if comes to, in the words that begin its reason."""

    PAYS = ""
    PAID = "paid back already"
    NEVER = "never"
    UNKNOWN = "unknown"
    MONTHS_UNKNOWN = "months unknown"


UNKNOWN = Verdict.UNKNOWN.value


@dataclass(frozen=True)
class Migration:
    """What is assumed. Dollars, except the fractions; null where nobody knows.

    Costs are what a run costs today; a price change (-0.33: a third cheaper) and a discount (0.1:
    a tenth off, on top of what today's cost already carries) are applied to them. `porting_cost` is
    paid once, `upkeep_per_month` for ever, `saved_so_far` is what earlier runs saved net. Months
    go by the costs per run and `runs_per_month`; runs by the `mean_…` of all runs so far, null
    where no run speaks for them and the costs per run are the mean. Costs per epoch say only what
    is known where a run's epochs are not. `status` is that of `break_even`; `uncredited` says why a
    run's work would have cost nothing on GPU.
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
    months: int = MONTHS
    gpu_cost_per_epoch: Decimal | None = None
    trn_cost_per_epoch: Decimal | None = None
    mean_gpu_cost_per_run: Decimal | None = None
    mean_trn_cost_per_run: Decimal | None = None
    mean_upkeep_per_run: Decimal | None = None
    status: str = ""
    uncredited: str = ""


@dataclass(frozen=True)
class Outcome:
    """What follows if it goes on like this. Dollars; runs, payback and roi as METHOD §6 has them.

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
        """Known not to break even, which is another thing than unknown."""
        return self.verdict is Verdict.NEVER

    @property
    def paid(self) -> bool:
        """Paid back before, though the months to come add nothing to it or nobody knows them."""
        return self.verdict is Verdict.PAID

    @property
    def unreached(self) -> str:
        """What to say where no run, or no month, to break-even is counted."""
        return "never" if self.never else "paid already" if self.paid else UNKNOWN


def what_if(asked: Migration) -> Outcome:
    """The outcome of a migration."""
    with localcontext() as context:
        context.prec = DIGITS
        context.rounding = ROUND_HALF_UP
        gpu, trn = _gpu(asked, asked.gpu_cost_per_run), _trn(asked, asked.trn_cost_per_run)
        saving = _less(gpu, trn)
        each = _net_per_run(asked, saving)
        monthly = _product(saving, asked.runs_per_month)
        net = None if monthly is None else monthly - asked.upkeep_per_month
        owed = _owed(asked)
        lost = _months_until_lost(asked, net)
        at_horizon, invested = _at_horizon(asked, net)
        verdict, why = _verdict(asked, saving, net, owed)
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
    """Whether runs to come are counted by another span of time than months, and may tell another
    tale: then each should say which is its own (METHOD §6)."""
    return asked.mean_upkeep_per_run is not None and bool(found.runs_to_break_even)


def _gpu(asked: Migration, cost: Decimal | None) -> Decimal | None:
    return _product(cost, (1 + asked.gpu_price_change) * (1 - asked.gpu_discount))


def _trn(asked: Migration, cost: Decimal | None) -> Decimal | None:
    return _product(cost, (1 + asked.trn_price_change) * (1 - asked.trn_discount))


def _less(left: Decimal | None, right: Decimal | None) -> Decimal | None:
    return None if left is None or right is None else left - right


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


def _net_per_run(asked: Migration, saving: Decimal | None) -> Decimal | None:
    """What a run saves less the upkeep that it bears: the mean of all so far, where they speak."""
    if asked.mean_upkeep_per_run is not None:
        gpu = _gpu(asked, asked.mean_gpu_cost_per_run)
        return _less(
            _less(gpu, _trn(asked, asked.mean_trn_cost_per_run)), asked.mean_upkeep_per_run
        )
    if not asked.upkeep_per_month:
        return saving
    cadence = asked.runs_per_month
    return None if cadence is None else _less(saving, asked.upkeep_per_month / cadence)


def _runs(owed: Decimal | None, each: Decimal | None) -> int | None:
    """Rounded up, from nine places: a cost per epoch may have no end."""
    if owed is None or each is None or each <= 0:
        return None
    return int((owed / each).quantize(PLACES).to_integral_value(ROUND_CEILING))


def _ahead(asked: Migration) -> Decimal | None:
    """What an earlier saving has brought beyond the cost of the move, if it has paid for it."""
    if asked.porting_cost is None or not asked.saved_so_far or asked.saved_so_far < 0:
        return None
    ahead = asked.saved_so_far - asked.porting_cost
    return ahead if ahead >= 0 else None


def _months_until_lost(asked: Migration, net: Decimal | None) -> Decimal | None:
    ahead = _ahead(asked)
    return ahead / -net if ahead is not None and net is not None and net < 0 else None


def _verdict(
    asked: Migration, saving: Decimal | None, net: Decimal | None, owed: Decimal | None
) -> tuple[Verdict, str]:
    """Whether there is a break-even, and why or why not."""
    if saving is None:
        return Verdict.UNKNOWN, f"nobody knows {_uncosted(asked)}"
    ahead = _ahead(asked)
    if ahead is not None and (net is None or net <= 0):
        return Verdict.PAID, _from_now(asked, ahead, net)
    if saving <= 0:
        return Verdict.NEVER, _dear(asked, saving)
    if net is not None and net <= 0:
        return Verdict.NEVER, "the runs of a month save no more than their upkeep"
    if owed is None:
        return Verdict.UNKNOWN, f"nobody knows what {_untold(asked)}"
    if net is None:
        return Verdict.MONTHS_UNKNOWN, NO_PACE
    return Verdict.PAYS, "if it goes on at this pace" if owed else "nothing is left to pay back"


def _from_now(asked: Migration, ahead: Decimal, net: Decimal | None) -> str:
    if net is None:
        return NO_PACE
    if not net:
        return "at this pace a month saves nothing more"
    loses = f"at this pace a month loses {_dollars(-net)}"
    if not ahead:
        return f"{loses}, and it is behind again at once"
    months = f"{ahead / -net:,.1f} months"
    return f"{loses}, and the {_dollars(ahead)} that it is ahead are lost again in {months}"


def _dear(asked: Migration, saving: Decimal) -> str:
    """Why a run saves nothing."""
    if asked.uncredited and not asked.gpu_cost_per_run:
        return f"{asked.uncredited}, so a Trainium run loses {_dollars(-saving)}"
    return "a Trainium run costs no less than a GPU run"


def _uncosted(asked: Migration) -> str:
    """What is missing of the cost of a run."""
    sides = (
        ("GPU", asked.gpu_cost_per_run, asked.gpu_cost_per_epoch),
        ("Trainium", asked.trn_cost_per_run, asked.trn_cost_per_epoch),
    )
    each = [f"{_dollars(e)} on {name}" for name, run, e in sides if run is None and e is not None]
    silent = " or a ".join(name for name, run, e in sides if run is None and e is None)
    told = [f"how many epochs a run trains, each {' and '.join(each)}"] if each else []
    return ", or ".join([*told, f"what a {silent} run costs"] if silent else told)


def _untold(asked: Migration) -> str:
    return "it has saved so far" if asked.porting_cost is not None else "the move cost"


def _dollars(amount: Decimal) -> str:
    return f"${amount:,.2f}"


def _rounded(value: Decimal | None) -> Decimal | None:
    return None if value is None else value.quantize(PLACES)
