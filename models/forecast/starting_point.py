"""Where a what-if about a workload starts: what it costs and saves today, as published.

The pace is METHOD §6's: counterfactual, and Trainium cost with overhead, of the last twelve settled
weeks ÷ the production lineages with a day in them; of all settled days where none has one. So runs
per month × what a run saves, less upkeep, is the divisor of `payback_months`. Beside it stands the
mean of all such lineages so far, which `runs_to_break_even` divides by. Lineages count whether they
compare or not. No investment is no cost of zero: METHOD §6 claims no break-even then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any, Self

from models.config.settings import Settings, nearest
from models.contract.errors import ConfigError
from models.contract.schema import PORTFOLIO
from models.engine.warehouse.reader import Reader
from models.forecast.what_if import DIGITS, PLACES, Migration

Rows = Callable[[str, Mapping[str, object]], list[dict[str, Any]]]
"""Answers a statement with named parameters."""

WEEKS = 12
UNCLAIMED = ("not_comparable", "insufficient_baseline")
OF_A_RUN = frozenset(
    f"{side}_cost_per_{unit}" for side in ("gpu", "trn") for unit in ("run", "epoch")
) | {"epochs_per_run"}
"""What is said of them is said of every run to come: those so far no longer speak for it."""
STANDING = """
    SELECT status, parity, cumulative_net_saving AS saved, cumulative_investment AS invested,
        paces.*, value AS baseline
    FROM break_even AS standing LEFT JOIN paces USING (workload)
    LEFT JOIN baselines AS priced
        ON priced.workload = standing.workload AND priced.date = settled_through
    WHERE standing.workload = $workload
"""


@dataclass(frozen=True)
class Work:
    """What Trainium did, what it cost with overhead, and what that would have cost on GPU."""

    epochs: Decimal | None
    credited: Decimal | None
    gpu: Decimal | None
    trn: Decimal | None

    @classmethod
    def read(cls, standing: Mapping[str, Any], of: str = "") -> Self:
        """From the sums of `paces`."""
        names = ("epochs", "credited_epochs", "counterfactual", "trn_cost", "overhead")
        epochs, credited, gpu, cost, overhead = (standing[f"{of}{name}"] for name in names)
        known = cost is not None and overhead is not None
        return cls(epochs, credited, gpu, cost + overhead if known else None)


@dataclass(frozen=True)
class StartingPoint:
    """Dollars per run or epoch, epochs per run, runs per month; null where unknown.

    `gpu_cost_per_run` is what the credited work of a run would have cost on GPU, `credited` the
    share of its epochs; `uncredited` says why that is none. The `mean_…` are of all runs so far.
    """

    gpu_cost_per_epoch: Decimal | None
    trn_cost_per_epoch: Decimal | None
    epochs_per_run: Decimal | None
    runs_per_month: Decimal | None
    porting_cost: Decimal | None
    upkeep_per_month: Decimal
    saved_so_far: Decimal | None
    credited: Decimal = Decimal(1)
    gpu_cost_per_run: Decimal | None = None
    trn_cost_per_run: Decimal | None = None
    mean_gpu_cost_per_run: Decimal | None = None
    mean_trn_cost_per_run: Decimal | None = None
    mean_upkeep_per_run: Decimal | None = None
    status: str = ""
    uncredited: str = ""


def starting_point(workload: str, settings: Settings) -> StartingPoint:
    """The workload's figures; `ConfigError` for a name that nobody has published."""
    reader = Reader(settings.data / "snapshots")
    try:
        return asked_of(reader.rows, workload)
    finally:
        reader.close()


def asked_of(rows: Rows, workload: str) -> StartingPoint:
    """The same, from a snapshot that is open already."""
    known = [row["workload"] for row in rows("SELECT workload FROM break_even", {})]
    if workload not in known or workload == PORTFOLIO:
        raise _unknown(workload, known)
    (standing,) = rows(STANDING, {"workload": workload})
    with localcontext() as context:
        context.prec = DIGITS
        return _point(standing)


def _point(standing: dict[str, Any]) -> StartingPoint:
    every, recent = Decimal(standing["runs"] or 0), Decimal(standing["recent_runs"] or 0)
    whole = Work.read(standing)
    lately = Work.read(standing, "recent_") if recent else whole
    runs, barred = recent or every, standing["status"] in UNCLAIMED
    return StartingPoint(
        gpu_cost_per_epoch=None
        if barred
        else _quotient(lately.gpu, lately.credited) or standing["baseline"],
        trn_cost_per_epoch=_quotient(lately.trn, lately.epochs),
        epochs_per_run=_quotient(lately.epochs or None, runs),
        runs_per_month=recent * 52 / (12 * WEEKS) if recent else None,
        porting_cost=standing["invested"] or None,
        upkeep_per_month=standing["monthly_upkeep"] or Decimal(0),
        saved_so_far=standing["saved"],
        credited=_share(lately),
        gpu_cost_per_run=None if barred else _quotient(lately.gpu, runs),
        trn_cost_per_run=_quotient(lately.trn, runs),
        mean_gpu_cost_per_run=None if barred else _quotient(whole.gpu, every),
        mean_trn_cost_per_run=_quotient(whole.trn, every),
        mean_upkeep_per_run=_quotient(standing["upkeep_so_far"], every),
        status=standing["status"],
        uncredited=_uncredited(standing["parity"], lately) if runs and not lately.credited else "",
    )


def _share(lately: Work) -> Decimal:
    share = _quotient(lately.credited, lately.epochs)
    return Decimal(1) if share is None else share


def _uncredited(parity: str | None, lately: Work) -> str:
    """Why the work of its runs would have cost nothing on GPU (METHOD §3.5, §3.6)."""
    if not lately.epochs:
        return "its last runs made no progress"
    if parity == "below_parity":
        return "its runs are below parity and no saving is credited"
    return "none of its last epochs is credited"


def assumed(
    given: Mapping[str, Decimal | None], known: StartingPoint | None, months: int
) -> Migration:
    """What the caller says, else what is known of the workload, else nothing.

    What is said as it is known already changes nothing. A cost per run or per epoch, or another
    number of epochs, is said of every run to come, so runs are then counted by it alone.
    """
    start = asdict(known) if known else {}
    changed = {
        name: value
        for name, value in given.items()
        if value is not None and value != _rounded(start.get(name))
    }
    said = start | changed
    with localcontext() as context:
        context.prec = DIGITS
        said["gpu_cost_per_run"] = _per_run("gpu", said, changed, said.pop("credited", Decimal(1)))
        said["trn_cost_per_run"] = _per_run("trn", said, changed, Decimal(1))
        if known:
            said["mean_upkeep_per_run"] = _mean_upkeep(said, known)
        if changed.keys() & OF_A_RUN:
            said["mean_upkeep_per_run"] = None
    said.pop("epochs_per_run", None)
    return Migration(**said, months=months)


def lacking(asked: Migration) -> list[str]:
    """The options that would say what is unknown."""
    found = []
    for side in ("gpu", "trn"):
        if getattr(asked, f"{side}_cost_per_run") is None:
            by_epoch = getattr(asked, f"{side}_cost_per_epoch") is not None
            found.append("--epochs-per-run" if by_epoch else f"--{side}-cost-per-run")
    unsaid = {"--runs-per-month": asked.runs_per_month, "--porting-cost": asked.porting_cost}
    found += [option for option, value in unsaid.items() if value is None]
    return list(dict.fromkeys(found))


def _per_run(
    side: str, said: Mapping[str, Any], changed: Mapping[str, Any], credited: Decimal
) -> Decimal | None:
    """As said of a run, else of an epoch, else as it is known of the runs so far."""
    whole, each = f"{side}_cost_per_run", f"{side}_cost_per_epoch"
    by_epoch = changed.keys() & {each, "epochs_per_run"}
    if whole in changed or (said.get(whole) is not None and not by_epoch):
        cost: Decimal | None = said[whole]
        return cost
    cost, epochs = said.get(each), said.get("epochs_per_run")
    return None if cost is None or epochs is None else cost * epochs * credited


def _mean_upkeep(said: Mapping[str, Any], known: StartingPoint) -> Decimal | None:
    """What a run bore of the upkeep so far, as far as upkeep and cadence stay what they are."""
    upkeep, cadence = said["upkeep_per_month"], said["runs_per_month"]
    if (upkeep, cadence) == (known.upkeep_per_month, known.runs_per_month):
        return known.mean_upkeep_per_run
    if known.mean_upkeep_per_run is None or not cadence:
        return None
    if not known.upkeep_per_month or not known.runs_per_month:
        return Decimal(upkeep / cadence)
    changed = upkeep / known.upkeep_per_month * known.runs_per_month / cadence
    return known.mean_upkeep_per_run * Decimal(changed)


def _rounded(value: object) -> object:
    return value.quantize(PLACES, ROUND_HALF_UP) if isinstance(value, Decimal) else value


def _quotient(part: Decimal | None, whole: Decimal | None) -> Decimal | None:
    return part / whole if part is not None and whole else None


def _unknown(workload: str, known: list[str]) -> ConfigError:
    names = sorted(set(known) - {PORTFOLIO})
    if workload == PORTFOLIO:
        told = "a what-if is about one workload, not about all of them"
        return ConfigError(told, value=workload, remedy=nearest("", names))
    return ConfigError("no workload of this name", value=workload, remedy=nearest(workload, names))
