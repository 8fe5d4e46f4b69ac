"""METHOD §6.4: what the 84 days up to a cutoff add up to, of a workload and of the portfolio."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from models.contract.schema import MONEY, NUMBER
from models.marts.savings.break_even.recent_sums import FLOWS, recent_sums
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table

D = Decimal
LAST = date(2026, 9, 30)
PORTFOLIO = "(portfolio)"
CUTOFFS = {"workload": "string", "cutoff": "date"}
SETTLED = {
    "workload": "string", "date": "date", "gross_saving": MONEY, "epochs": NUMBER,
    "credited_epochs": NUMBER, **dict.fromkeys(FLOWS[2:], MONEY),
}  # fmt: skip
CREDITED = {
    "workload": "string", "date": "date", "lineage": "string", "settled": "boolean",
    "active": "boolean", "standing": "string", "kind": "string",
}  # fmt: skip
BY_KIND = {"workload": "string", "date": "date", "recipe": "string", "gross_saving": MONEY}


def day(ago: int, saving: object, workload: str = "w", **known: object) -> Mapping[str, Any]:
    """A settled day before the last one; nothing else happened on it."""
    amount = None if saving is None else D(str(saving))
    flows = dict.fromkeys(FLOWS, D(0)) | {"net_saving": amount}
    about = {"workload": workload, "date": LAST - timedelta(days=ago), "gross_saving": amount}
    return {**about, **flows, **known}


def trained(ago: int, lineage: str = "l", workload: str = "w", **known: Any) -> Mapping[str, Any]:  # noqa: ANN401
    usual = {"settled": True, "active": True, "standing": "counted", "kind": ""}
    about = {"workload": workload, "lineage": lineage, "date": LAST - timedelta(days=ago)}
    return {**about, **usual, **known}


def between(days: Iterable[Mapping[str, Any]], missing: range) -> Iterator[Mapping[str, Any]]:
    """The other settled days of each workload, from its first to its last; those of `w` to now."""
    given: defaultdict[str, set[int]] = defaultdict(set)
    for each in days:
        given[each["workload"]].add((LAST - each["date"]).days)
    for workload, known in given.items():
        newest = min(*known, 0) if workload == "w" else min(known)
        for ago in {*range(newest, max(known))} - known - {*missing}:
            if workload != PORTFOLIO:
                yield day(ago, 0, workload)


def sums(
    *days: Mapping[str, Any],
    runs: tuple[Mapping[str, Any], ...] = (),
    of: str = "w",
    others: tuple[Mapping[str, Any], ...] = (),
    missing: range = range(0),
) -> dict[str, Any]:
    """Of the window that ends on the last day, of workload `w` or of the portfolio.

    Their days are those of one recipe; `others` has more. Nothing happened on the days between
    them, which are settled except those `missing`.
    """
    kinds = [{name: each.get(name) for name in BY_KIND} for each in (*days, *others)]
    made = applied(
        recent_sums,
        table(CUTOFFS, {"workload": of, "cutoff": LAST}, {"workload": "idle"}),
        table(SETTLED, *days, *between(days, missing)),
        table(BY_KIND, *kinds),
        table(CREDITED, *runs),
    )
    (found,) = made.to_pyarrow().to_pylist()
    return found


def test_a_window_is_84_days_and_nothing_after_them() -> None:
    found = sums(day(84, 1000), day(83, 10), day(0, 1), day(-1, 500), runs=(trained(0),))
    assert (found["recent_net_saving"], found["judged_net_saving"]) == (11, 11)


def test_a_day_that_is_not_settled_is_none_of_the_84() -> None:
    """$7 on the 84th settled day: six days in between lack the allocations of a cluster."""
    runs = (trained(89, "first"), trained(90, "before"))
    found = sums(day(90, 1000), day(89, 7), day(0, 1), runs=runs, missing=range(20, 26))
    assert (found["recent_net_saving"], found["recent_lineages"]) == (8, 1)
    assert found["recent_since"] == LAST - timedelta(days=89)
    assert sums(day(82, 7), day(0, 1), runs=runs)["recent_since"] is None


def test_the_84_days_up_to_the_last_work_are_settled_ones_too() -> None:
    days = (day(190, 1000), day(189, -7), day(100, -2))
    found = sums(*days, runs=(trained(100),), missing=range(120, 126))
    assert found["judged_net_saving"] == -9


def test_a_day_of_unknown_saving_leaves_the_window_unknown_and_one_outside_does_not() -> None:
    found = sums(day(84, None), day(3, 10), runs=(trained(3),))
    assert (found["recent_net_saving"], found["judged_net_saving"]) == (10, 10)
    found = sums(day(83, None), day(3, 10), runs=(trained(3),))
    assert (found["recent_net_saving"], found["judged_net_saving"]) == (None, None)


def test_overhead_is_lost_in_what_is_judged() -> None:
    found = sums(day(3, 10, overhead=D(4)), runs=(trained(3),))
    assert (found["recent_overhead"], found["judged_net_saving"]) == (4, 6)


def test_after_a_pause_the_84_days_up_to_the_last_work_are_judged() -> None:
    """It last trained 100 days ago; a day of work that has not settled is none."""
    days = [day(184, 1000), day(183, -7), day(100, -2), day(20, 50)]
    works = (trained(150), trained(100), trained(1, settled=False), trained(2, active=False))
    works = (*works, trained(-1))  # a month that was closed knows nothing of the next
    found = sums(*days, runs=works)
    assert (found["judged_net_saving"], found["recent_net_saving"]) == (-9, 50)
    assert found["last_worked"] == LAST - timedelta(days=100)
    lately = sums(*days, runs=(*works, trained(83)))
    assert lately["judged_net_saving"] == 50


def test_lineages_of_the_window_are_counted_once_and_those_of_known_saving_apart() -> None:
    runs = (
        trained(3, "saves"), trained(5, "saves"), trained(4, "also"), trained(4, "third"),
        trained(5, "unknown"), trained(3, "waits", standing="pending"),
        trained(84, "old"), trained(3, "still", active=False), trained(3, "other", workload="v"),
    )  # fmt: skip
    found = sums(day(84, 1), day(3, 10), day(4, 10), day(5, None), runs=runs)
    assert (found["recent_lineages"], found["recent_runs"]) == (5, 3)


def test_a_lineage_of_a_recipe_without_a_baseline_saves_nothing_that_is_known() -> None:
    """$340 in two runs are $170 a run, whatever a recipe trains that one GPU run is known of."""
    lora = tuple(day(ago, None, recipe="lora") for ago in (5, 3))
    runs = (trained(3, "saves"), trained(4, "also"))
    runs = (*runs, trained(3, "lora-1", kind="lora"), trained(5, "lora-2", kind="lora"))
    found = sums(day(3, 170), day(4, 170), day(5, 0), runs=runs, others=lora)
    assert (found["recent_lineages"], found["recent_runs"]) == (4, 2)


def test_the_portfolio_sums_each_workload_up_to_its_own_last_day_and_what_names_none() -> None:
    """`late` has settled ten days less: its days 94 to 10 ago count, the others' from 83 on."""
    days = [day(0, 1), day(84, 1000), day(83, 10), day(93, 200, "late")]
    days += [day(94, 5000, "late", overhead=D(3)), day(10, 0, overhead=D(2))]
    days.append(day(10, 100, "late", overhead=D(1)))
    for ago, dollars in ((10, D(5)), (12, D(1))):
        days.append(day(ago, 900, PORTFOLIO, overhead=dollars, upkeep=dollars))
    runs = (trained(0), trained(10, workload="late"), trained(10, "m", workload="late"))
    found = sums(*days, runs=runs, of=PORTFOLIO)
    assert (found["recent_net_saving"], found["recent_overhead"]) == (305, 6)
    assert (found["recent_upkeep"], found["judged_net_saving"]) == (6, 305)
    assert (found["recent_lineages"], found["last_worked"]) == (3, LAST)


def test_the_work_of_workloads_that_count_different_units_is_no_sum() -> None:
    """Three epochs and four billion tokens: on the portfolio's days they are unknown."""
    work = {"epochs": D(3), "credited_epochs": D(2)}
    days = [day(3, 5, **work), day(3, 5, "v", epochs=D(4), credited_epochs=D(4))]
    names = ("recent_epochs", "recent_credited_epochs", "recent_net_saving")
    for whole, due in ((D(7), (7, 6, 10)), (None, (None, None, 10))):
        both = day(3, 10, PORTFOLIO, epochs=whole, credited_epochs=whole)
        found = sums(*days, both, runs=(trained(3),), of=PORTFOLIO)
        assert tuple(found[name] for name in names) == due


def test_one_workloads_unknown_saving_is_nothing_to_the_portfolios_window() -> None:
    days = [day(3, None), day(3, 5, "v")]
    runs = (trained(3), trained(3, workload="v"))
    found = sums(*days, runs=runs, of=PORTFOLIO)
    assert (found["judged_net_saving"], found["recent_net_saving"]) == (5, 5)


def test_where_no_workload_may_claim_a_saving_the_portfolio_has_no_pace() -> None:
    """An overhead of $4 is known, what the work would have cost on GPU is not."""
    days = [day(3, None, overhead=D(4)), day(3, None, PORTFOLIO, overhead=D(4))]
    found = sums(*days, runs=(trained(3),), of=PORTFOLIO)
    assert (found["recent_net_saving"], found["judged_net_saving"]) == (None, None)
    assert found["recent_overhead"] == 4


def test_a_workload_that_began_after_a_cutoff_is_no_part_of_the_portfolio_then() -> None:
    days = [day(3, 5), day(-1, 70, "new"), day(0, 7, "today"), day(-1, 90, "today")]
    assert sums(*days, runs=(trained(3),), of=PORTFOLIO)["recent_net_saving"] == 12
