"""Forecasts the portfolio and each workload whose status allows it, from rows of the marts.

Workloads that are recovering or losing get a break-even date; those, and the ones that broke even
or have nothing to recover, an interval of their saving per epoch. The portfolio's simulations are
sums of its workloads': it has a forecast when each of them has.
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
from models.forecast.case import MICRO, Case, case_of, days_left, millionths
from models.forecast.draws import Real, Whole
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
NO_RUNS: Row = {
    "in_window": 0, "main_in_window": 0, "cost": [], "epochs": [], "counterfactual": [],
    "of_main": [],
}  # fmt: skip


@dataclass(frozen=True)
class ForecastInputs:
    """The rows that forecasts are computed from, by workload: current figures, its days, its runs.

    `standings` holds the newest standing of each workload and of the portfolio. `days` holds lists
    with one entry a day from the cutover; `gpu` and `trn` hold lists with one entry a lineage.
    Amounts of days and lineages are whole millionths.
    """

    standings: Mapping[str, Row]
    days: Mapping[str, Row]
    gpu: Mapping[str, Row]
    trn: Mapping[str, Row]


def forecasts(inputs: ForecastInputs, settings: Settings) -> tuple[list[Row], list[Row]]:
    """Computes the rows of `forecasts` and `forecast_paths` for statuses that allow a forecast."""
    found = list(_drawn(inputs, settings))
    return [_row(each) for each in found], [week for each in found for week in _weeks(each)]


@dataclass(frozen=True)
class Forecast:
    """The forecast of one workload or of the portfolio, and what it is computed from or lacks.

    `paths` is None where there is not enough data; `reason` then says what is missing.
    """

    standing: Row
    reason: str
    paths: Paths | None = None
    case: Case | None = None

    @property
    def ahead(self) -> Whole | None:
        """Returns cumulative net by simulation and week; None if no data or no break-even ahead."""
        return self.paths.net if self.paths and _still_to_break_even(self.standing) else None


def _still_to_break_even(standing: Row) -> bool:
    """Whether break-even is ahead: status recovering or losing, and a cumulative net below 0."""
    net = standing["cumulative_net"]
    return standing["status"] in AHEAD and net is not None and net < 0


def _drawn(inputs: ForecastInputs, settings: Settings) -> Iterator[Forecast]:
    judged = [
        standing
        for workload, standing in sorted(inputs.standings.items())
        if workload != PORTFOLIO and standing["status"] in JUDGED
    ]
    summed = bool(judged) and _still_to_break_even(inputs.standings[PORTFOLIO])
    with ThreadPoolExecutor() as threads:  # each draws by its own name: in any order the same
        parts = list(
            threads.map(
                lambda standing: _of_workload(inputs, standing, settings, summed=summed), judged
            )
        )
    yield from parts
    if parts and inputs.standings[PORTFOLIO]["status"] in JUDGED:
        yield _of_portfolio(inputs, parts, settings)


def _of_workload(
    inputs: ForecastInputs, standing: Row, settings: Settings, *, summed: bool
) -> Forecast:
    """Forecasts one workload; without enough data the forecast has a reason and no paths."""
    case = _case(inputs, standing, settings)
    short = shortage(case) if case else UNKNOWN
    if case is None or short:
        return Forecast(standing, f"not enough data yet ({short})")
    reason = f"from {len(case.gpu.cost)} GPU runs, {len(case.trn.cost)} Trainium runs"
    reason = f"{reason} and {len(case.net) // DAYS} weeks"
    if weeks := stopped(case):
        reason = f"{reason}; no production run on Trainium for {weeks} weeks"
    found = bootstrap.paths(case, ahead=summed or _still_to_break_even(standing))
    return Forecast(standing, reason, found, case)


def _case(inputs: ForecastInputs, standing: Row, settings: Settings) -> Case | None:
    """Builds the input of a workload's simulation; None where an amount is unknown."""
    workload = standing["workload"]
    return case_of(
        standing,
        inputs.days.get(workload, NO_DAYS),
        inputs.gpu.get(workload, NO_RUNS),
        inputs.trn.get(workload, NO_RUNS),
        planned_spending(standing, settings),
        quoted=settings.baseline.method == "fixed",
    )


def _of_portfolio(inputs: ForecastInputs, parts: list[Forecast], settings: Settings) -> Forecast:
    """Forecasts the portfolio as the sum of its workloads; no paths where one of them has none."""
    standing = inputs.standings[PORTFOLIO]
    without = [part.standing["workload"] for part in parts if part.paths is None]
    if without:
        return Forecast(standing, f"not enough data yet (of {', '.join(without)})")
    if standing["cumulative_net"] is None:
        return Forecast(standing, f"not enough data yet ({UNKNOWN})")
    drawn = [(part.paths, part.case) for part in parts if part.paths and part.case]
    net = (
        _sum_of_simulations(inputs, drawn, settings)
        if _still_to_break_even(standing)
        else bootstrap.NO_WORLDS
    )
    summed = "workload" if len(parts) == 1 else "workloads"
    return Forecast(
        standing, f"the sum of {len(parts)} {summed}", Paths(net, _saving_of_all(drawn))
    )


def _saving_of_all(drawn: list[tuple[Paths, Case]]) -> Real | None:
    """Returns the simulated saving per unit over all workloads; None if one has too few runs."""
    units = [int(case.of_main_kind.trn.epochs.sum()) for _, case in drawn]
    sums = [
        paths.saving * each
        for (paths, _), each in zip(drawn, units, strict=True)
        if paths.saving is not None
    ]
    return np.asarray(sum(sums) / sum(units)) if len(sums) == len(drawn) else None


def _sum_of_simulations(
    inputs: ForecastInputs, drawn: list[tuple[Paths, Case]], settings: Settings
) -> Whole:
    """Simulates the portfolio's net: now, plus all workloads' changes, less planned investments."""
    standing = inputs.standings[PORTFOLIO]
    unowned = inputs.days.get(PORTFOLIO, NO_DAYS)["net_saving"]
    weekly = sum(unowned) * DAYS // max(len(unowned), 1)
    begin = millionths(standing["cumulative_net"])
    net = begin + weekly * np.arange(WEEKS + 1) - planned_spending(standing, settings)
    for paths, case in drawn:
        net = net + (paths.net + case.owed + case.spending)
    return net


def _row(forecast: Forecast) -> Row:
    """Returns a forecast as a row of `forecasts`: intervals of saving and break-even date.

    Of a portfolio whose workloads count different units nothing is saved per unit (METHOD §6.11).
    """
    row: Row = {"workload": forecast.standing["workload"], "forecast_reason": forecast.reason}
    saving = forecast.paths.saving if forecast.paths else None
    if forecast.paths and saving is not None and forecast.standing["unit"] is not None:
        low, _, high = interval.band(saving)
        row |= {"saving_low": _dollars(low), "saving_high": _dollars(high)}
        row |= _epochs(forecast.paths)
    if forecast.ahead is not None:
        span = interval.span(forecast.ahead, forecast.standing["cutoff"])
        row |= {f"forecast_{name}": getattr(span, name) for name in ("low", "median", "high")}
        row["never_share"] = span.never_share
    return row


def _epochs(paths: Paths) -> Row:
    """Returns 80 % intervals of baseline error and Trainium epoch cost; empty for the portfolio.

    The error is a fraction of the baseline, the cost is in dollars.
    """
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


def _weeks(forecast: Forecast) -> Iterator[Row]:
    """Yields a row per week: 80 % interval of cumulative net; none where no break-even is ahead."""
    if forecast.ahead is None:
        return
    bands, left = zip(*interval.band(forecast.ahead), strict=True), days_left(forecast.standing)
    for week, (low, median, high) in enumerate(bands):
        if left is not None and (week - 1) * DAYS >= left:
            return  # its last week is the one in which training ends
        yield {
            "workload": forecast.standing["workload"],
            "date": forecast.standing["cutoff"] + timedelta(days=week * DAYS),
            "low": _dollars(low),
            "median": _dollars(median),
            "high": _dollars(high),
        }


def _dollars(millionths: npt.NDArray[Any] | float) -> Decimal:
    return Decimal(round(float(millionths))) / MICRO
