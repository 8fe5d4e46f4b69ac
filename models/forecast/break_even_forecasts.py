"""Forecasts of every workload and of the portfolio, from what the marts know of them.

Workloads that are recovering or losing get a break-even date; those, and the ones that broke even
or have nothing to recover, an interval of their saving per epoch. The portfolio's worlds are sums
of its workloads': it has a forecast when each of them has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from models.config.settings import Settings
from models.contract.portfolio import PORTFOLIO
from models.forecast import bootstrap, interval
from models.forecast.bootstrap import Paths
from models.forecast.case import MICRO, Case, Runs, millionths
from models.forecast.draws import Whole
from models.forecast.enough_data import shortage, stopped
from models.forecast.horizon import DAYS, WEEKS
from models.forecast.planned_spending import planned_spending

Row = dict[str, Any]

AHEAD = ("recovering", "losing")
"""Statuses of workloads that have a break-even still to reach."""
JUDGED = (*AHEAD, "broke_even", "no_investment")
UNKNOWN = "some of its costs or prices are unknown"
SHARE_PLACES = 9
NO_DAYS: Row = {"net_saving": [], "counterfactual": [], "starts": []}
NO_RUNS: Row = {"in_window": 0, "cost": [], "epochs": [], "counterfactual": []}


@dataclass(frozen=True)
class Known:
    """Rows that forecasts are drawn from, by workload; amounts in whole millionths.

    `standings`: the newest of each workload and of the portfolio. `days`: lists with one entry a
    day from the cutover. `gpu`, `trn`: lists with one entry a lineage.
    """

    standings: Mapping[str, Row]
    days: Mapping[str, Row]
    gpu: Mapping[str, Row]
    trn: Mapping[str, Row]


def forecasts(known: Known, settings: Settings) -> tuple[list[Row], list[Row]]:
    """The rows of the tables `forecasts` and `forecast_paths`."""
    found = list(_outlooks(known, settings))
    return [_row(each) for each in found], [week for each in found for week in _weeks(each)]


@dataclass(frozen=True)
class Outlook:
    """What one workload, or the portfolio, may expect; no `paths` where it cannot be said."""

    standing: Row
    words: str
    paths: Paths | None = None
    case: Case | None = None

    @property
    def ahead(self) -> Whole | None:
        """Cumulative net by world and week, where there is a break-even to look out for."""
        return self.paths.net if self.paths and _owing(self.standing) else None


def _owing(standing: Row) -> bool:
    """Whether there is a break-even to look out for."""
    net = standing["cumulative_net"]
    return standing["status"] in AHEAD and net is not None and net < 0


def _outlooks(known: Known, settings: Settings) -> Iterator[Outlook]:
    judged = [
        standing
        for workload, standing in sorted(known.standings.items())
        if workload != PORTFOLIO and standing["status"] in JUDGED
    ]
    summed = bool(judged) and _owing(known.standings[PORTFOLIO])
    with ThreadPoolExecutor() as threads:  # each draws by its own name: in any order the same
        parts = list(
            threads.map(
                lambda standing: _of_workload(known, standing, settings, summed=summed), judged
            )
        )
    yield from parts
    if parts and known.standings[PORTFOLIO]["status"] in JUDGED:
        yield _of_portfolio(known, parts, settings)


def _of_workload(known: Known, standing: Row, settings: Settings, *, summed: bool) -> Outlook:
    """`summed`: the portfolio's future needs this one's too."""
    case = _case(known, standing, settings)
    short = shortage(case) if case else UNKNOWN
    if case is None or short:
        return Outlook(standing, f"not enough data yet ({short})")
    words = f"from {len(case.gpu.cost)} GPU runs, {len(case.trn.cost)} Trainium runs"
    words = f"{words} and {len(case.net) // DAYS} weeks"
    if weeks := stopped(case):
        words = f"{words}; no production run on Trainium for {weeks} weeks"
    found = bootstrap.paths(case, ahead=summed or _owing(standing))
    return Outlook(standing, words, found, case)


def _case(known: Known, standing: Row, settings: Settings) -> Case | None:
    """What a forecast is drawn from; None where an amount is unknown."""
    workload = standing["workload"]
    days = known.days.get(workload, NO_DAYS)
    gpu, trn = known.gpu.get(workload, NO_RUNS), known.trn.get(workload, NO_RUNS)
    amounts = [days["net_saving"], days["counterfactual"], *_amounts(gpu), *_amounts(trn)]
    if any(None in amount for amount in amounts) or standing["cumulative_net"] is None:
        return None
    quoted = settings.baseline.method == "fixed"
    return Case(
        workload=workload,
        cutoff=standing["cutoff"],
        net=_whole(days["net_saving"]),
        counterfactual=_whole(days["counterfactual"]),
        starts=np.flatnonzero(days["starts"]),
        gpu=Runs(*map(_whole, _amounts(gpu))),
        window=None if quoted else gpu["in_window"],
        trn=Runs(*map(_whole, _amounts(trn))),
        owed=millionths(-standing["cumulative_net"]),
        outlays=planned_spending(standing, settings),
        losing=standing["status"] == "losing",
        quiet=standing["quiet"] or 0,
    )


def _amounts(runs: Row) -> tuple[list[int], list[int], list[int]]:
    return runs["cost"], runs["epochs"], runs["counterfactual"]


def _whole(amounts: list[int]) -> Whole:
    return np.array(amounts, dtype=np.int64)


def _of_portfolio(known: Known, parts: list[Outlook], settings: Settings) -> Outlook:
    """The sum of its workloads' worlds, less what falls on none of them."""
    standing = known.standings[PORTFOLIO]
    without = [part.standing["workload"] for part in parts if part.paths is None]
    if without:
        return Outlook(standing, f"not enough data yet (of {', '.join(without)})")
    if standing["cumulative_net"] is None:
        return Outlook(standing, f"not enough data yet ({UNKNOWN})")
    drawn = [(part.paths, part.case) for part in parts if part.paths and part.case]
    saved = sum(paths.saving * int(case.trn.epochs.sum()) for paths, case in drawn)
    net = _summed(known, drawn, settings) if _owing(standing) else bootstrap.NO_WORLDS
    summed = "workload" if len(parts) == 1 else "workloads"
    found = Paths(net, np.asarray(saved / millionths(standing["saved_epochs"])))
    return Outlook(standing, f"the sum of {len(parts)} {summed}", found)


def _summed(known: Known, drawn: list[tuple[Paths, Case]], settings: Settings) -> Whole:
    """Cumulative net of the portfolio's worlds."""
    standing = known.standings[PORTFOLIO]
    unowned = known.days.get(PORTFOLIO, NO_DAYS)["net_saving"]
    weekly = sum(unowned) * DAYS // max(len(unowned), 1)
    begin = millionths(standing["cumulative_net"])
    net = begin + weekly * np.arange(WEEKS + 1) - planned_spending(standing, settings)
    for paths, case in drawn:
        net = net + (paths.net + case.owed + case.outlays)
    return net


def _row(outlook: Outlook) -> Row:
    """One row of `forecasts`."""
    row: Row = {"workload": outlook.standing["workload"], "forecast_reason": outlook.words}
    if outlook.paths:
        low, _, high = interval.band(outlook.paths.saving)
        row |= {"saving_low": _dollars(low), "saving_high": _dollars(high)}
        row |= _epochs(outlook.paths)
    if outlook.ahead is not None:
        span = interval.span(outlook.ahead, outlook.standing["cutoff"])
        row |= {f"forecast_{name}": getattr(span, name) for name in ("low", "median", "high")}
        row["never_share"] = span.never_share
    return row


def _epochs(paths: Paths) -> Row:
    """Where the GPU baseline and an epoch's cost on Trainium lie; the portfolio has no epoch."""
    if paths.gpu is None or paths.trn is None:
        return {}
    least, _, most = (float(end) for end in interval.band(paths.gpu))
    low, _, high = interval.band(paths.trn)
    return {
        "baseline_low": Decimal(str(round(least, SHARE_PLACES))),
        "baseline_high": Decimal(str(round(most, SHARE_PLACES))),
        "trn_epoch_low": _dollars(low),
        "trn_epoch_high": _dollars(high),
    }


def _weeks(outlook: Outlook) -> Iterator[Row]:
    """Rows of `forecast_paths`."""
    if outlook.ahead is None:
        return
    bands = zip(*interval.band(outlook.ahead), strict=True)
    for week, (low, median, high) in enumerate(bands):
        yield {
            "workload": outlook.standing["workload"],
            "date": outlook.standing["cutoff"] + timedelta(days=week * DAYS),
            "low": _dollars(low),
            "median": _dollars(median),
            "high": _dollars(high),
        }


def _dollars(millionths: npt.NDArray[Any] | float) -> Decimal:
    return Decimal(round(float(millionths))) / MICRO
