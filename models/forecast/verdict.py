"""Decides whether and when a what-if pays back, and gives the reason."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum

from models.contract.decimal_text import dollars, rounded
from models.forecast.migration import Migration, ahead_of_cost, funded_beyond, months_saved

NO_PACE = "no data on how many runs a month"


class Verdict(StrEnum):
    """The result of a what-if: pays, paid back already, never, unknown, or months unknown."""

    PAYS = ""
    PAID = "paid back already"
    NEVER = "never"
    UNKNOWN = "unknown"
    MONTHS_UNKNOWN = "months unknown"


UNKNOWN = Verdict.UNKNOWN.value


def verdict_of(
    asked: Migration, saving: Decimal | None, net: Decimal | None, owed: Decimal | None
) -> tuple[Verdict, str]:
    """Decides whether a what-if breaks even, and returns the verdict with its reason.

    `saving` is that of a run, `net` that of a month after upkeep, `owed` the amount still to be
    paid back.
    """
    if saving is None:
        return Verdict.UNKNOWN, f"no data on {_unknown_cost(asked)}"
    if funded := funded_beyond(asked):
        more = f"{dollars(funded)} more than the move cost"
        return Verdict.UNKNOWN, f"funding is {more}, so no break-even is claimed"
    ahead = ahead_of_cost(asked)
    if ahead is not None and (net is None or net <= 0):
        return Verdict.PAID, _from_now(asked, ahead, net)
    if saving <= 0:
        return Verdict.NEVER, _costs_too_much(asked, saving)
    if net is not None and net <= 0:
        return Verdict.NEVER, "the runs of a month save no more than their upkeep"
    if owed is None:
        return Verdict.UNKNOWN, f"no data on what {_unknown_amount(asked)}"
    if net is None:
        return Verdict.MONTHS_UNKNOWN, NO_PACE
    return Verdict.PAYS, _at_this_pace(asked, owed / net) if owed else "nothing is left to pay back"


def _at_this_pace(asked: Migration, payback: Decimal) -> str:
    pace, months = "if it goes on at this pace", months_saved(asked, payback)
    return pace if months == payback else f"{pace}, but training ends first, in {in_months(months)}"


def in_months(value: Decimal) -> str:
    """Formats a number of months to one place: `15.1 months`, `1 month`."""
    text = f"{rounded(value, 1).normalize():,f}"
    return f"{text} {'month' if text == '1' else 'months'}"


def _from_now(asked: Migration, ahead: Decimal, net: Decimal | None) -> str:
    if net is None:
        return NO_PACE
    if not net:
        return "at this pace a month saves nothing more"
    loses = f"at this pace a month loses {dollars(-net)}"
    if not ahead:
        return f"{loses}, and it is behind again at once"
    months, size = ahead / -net, f"the {dollars(ahead)} that it is ahead"
    if (left := months_saved(asked, months)) < months:
        kept = dollars(ahead + net * left)
        return f"{loses}, but training ends first, in {in_months(left)}, with {kept} of {size} left"
    return f"{loses}, and {size} are lost again in {in_months(months)}"


def _costs_too_much(asked: Migration, saving: Decimal) -> str:
    """Returns the reason why a Trainium run saves nothing."""
    if asked.uncredited and not asked.gpu_cost_per_run:
        return f"{asked.uncredited}, so a Trainium run loses {dollars(-saving)}"
    return "a Trainium run costs no less than a GPU run"


def _unknown_cost(asked: Migration) -> str:
    """Names what is unknown of the cost of a run, on GPU or on Trainium."""
    sides = (
        ("GPU", asked.gpu_cost_per_run, asked.gpu_cost_per_epoch),
        ("Trainium", asked.trn_cost_per_run, asked.trn_cost_per_epoch),
    )
    each = [f"{dollars(e)} on {name}" for name, run, e in sides if run is None and e is not None]
    unknown = " or a ".join(name for name, run, e in sides if run is None and e is None)
    missing = [f"how many epochs a run trains, each {' and '.join(each)}"] if each else []
    return ", or ".join([*missing, f"what a {unknown} run costs"] if unknown else missing)


def _unknown_amount(asked: Migration) -> str:
    return "it has saved so far" if asked.porting_cost is not None else "the move cost"
